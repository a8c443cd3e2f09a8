/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef DVX_COPY_WILD_H
#define DVX_COPY_WILD_H

#include <stdbool.h>

/*
 * Whether all of text matches a pattern with rsync's wildcards: "?" is any byte of a name, "*" any
 * bytes of a name, "**" any bytes including slashes, "[a-z[:digit:]]" and "[!...]" one byte of a
 * name, "\" quotes the next byte. A class that does not end, or whose [:word:] is unknown, matches
 * nothing. The time is at most the product of the lengths for each "**", so a hostile pattern can't
 * take longer.
 */
bool wild_match(const char *pattern, const char *text);

/* Matches one name as a shell does: only a "." in the pattern matches one in front. */
bool wild_match_name(const char *pattern, const char *name);

#endif
