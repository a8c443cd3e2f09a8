/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Lines of rules in JSON: converts line numbers of the whole text into those of the files that it
 * was made of.
 */
#ifndef DVX_FLOW_PLACES_H
#define DVX_FLOW_PLACES_H

#include <jansson.h>
#include <stddef.h>

/*
 * Converts all members "line" and "taken_by_line", and adds "file" and "taken_by_file" for an
 * included file.
 */
void places_json(json_t *j, const char *text, size_t len);

#endif
