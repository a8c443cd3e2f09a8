/* SPDX-License-Identifier: BSD-2-Clause */
/* Finds and names error numbers in lines of text. */
#ifndef DVX_PRM_ERRNUM_H
#define DVX_PRM_ERRNUM_H

#include <stdbool.h>

/*
 * Finds the errno of a line, also given in lower case: by the words of strerror(), by its name, or
 * as a number behind "errno", "error", "ret" and the like. 0: none.
 */
unsigned int errnum_find(const char *line, const char *lower);

/*
 * Whether a line, in lower case, begins with the text of an errno, as the second half of a broken
 * line does.
 */
bool errnum_begins(const char *lower);

/* Returns "EINVAL", or "" for a number without a name. */
const char *errnum_name(unsigned int number);

/* Returns the text of strerror(), or that of a number that only the kernel uses. */
const char *errnum_text(unsigned int number);

/* Whether only the kernel uses the number. */
bool errnum_is_internal(unsigned int number);

#endif
