/* SPDX-License-Identifier: BSD-2-Clause */
/* Removes what terminals, mail and job launchers put around the lines of a log. */
#ifndef DVX_PRM_PASTE_H
#define DVX_PRM_PASTE_H

#include <stddef.h>

/* Removes escape sequences (colours) from the text. Returns its new length. */
size_t paste_plain(char *text, size_t len);

/*
 * Returns the length of a line's foreign prefix: "> " of a quoted mail, "[1,0]<stdout>:" of mpirun,
 * "web-1  | " of docker compose.
 */
size_t paste_prefix(const char *text, size_t len);

#endif
