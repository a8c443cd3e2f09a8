/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef DVX_COPY_PROC_H
#define DVX_COPY_PROC_H

#include <unistd.h>

#include "fault.h"

/*
 * Attributes of entries, and modes of what is not open, are reached by way of /proc/self/fd. Without
 * it an ACL would look like none, and the copy could grant more than its source.
 */
static inline int proc_need(struct copy_fault *f)
{
	return access("/proc/self/fd", X_OK)
		       ? copy_fail(f, COPY_IO, "/proc is not mounted: dvx-copy needs /proc/self/fd")
		       : 0;
}

#endif
