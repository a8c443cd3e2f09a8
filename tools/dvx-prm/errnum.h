/* SPDX-License-Identifier: BSD-2-Clause */
/* Error numbers in lines of text: their names, and where a line has one. */
#ifndef DVX_PRM_ERRNUM_H
#define DVX_PRM_ERRNUM_H

#include <stdbool.h>

/*
 * The errno that the line has (which is also given in lower case): in the words of strerror(), by
 * its name, or as a number behind "errno", "error", "ret" and the like. 0: none.
 */
unsigned int errnum_find(const char *line, const char *lower);

/* Whether a line in lower case begins with one, as the rest of one that was broken in two does. */
bool errnum_begins(const char *lower);

/* "EINVAL"; "" of a number without a name. */
const char *errnum_name(unsigned int number);

/* The text of strerror(), or of a number that only the kernel has. */
const char *errnum_text(unsigned int number);

/* Whether the number is one of those that only the kernel has. */
bool errnum_is_internal(unsigned int number);

#endif
