/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef DVX_TOOLS_LIBRARY_H
#define DVX_TOOLS_LIBRARY_H

#include <dvx/cmd.h>

/* Returns the error message of the libdvx call that failed last in this thread. */
static inline const char *library_error(void)
{
	return dvx_strerror(dvx_last_error()->err);
}

#endif
