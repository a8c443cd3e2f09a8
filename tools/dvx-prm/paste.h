/* SPDX-License-Identifier: BSD-2-Clause */
/* What terminals, mail and job launchers put around the lines of a log. */
#ifndef DVX_PRM_PASTE_H
#define DVX_PRM_PASTE_H

#include <stddef.h>

/* Takes escape sequences (colours) out of the text; returns its new length. */
size_t paste_plain(char *text, size_t len);

/*
 * Bytes at the beginning of a line that are none of it: "> " of a quoted mail, "[1,0]<stdout>:"
 * of mpirun, "web-1  | " of docker compose.
 */
size_t paste_prefix(const char *text, size_t len);

#endif
