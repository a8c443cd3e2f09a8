/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef DVX_COPY_PROC_H
#define DVX_COPY_PROC_H

#include <unistd.h>

#include "fault.h"

/*
 * Checks that /proc is there: attributes of entries, and modes of files that are not open, are
 * reached through /proc/self/fd. Without /proc an ACL would go unnoticed, and the copy could grant
 * more than its source.
 */
static inline int proc_need(struct copy_fault *f)
{
	return access("/proc/self/fd", X_OK)
		       ? copy_fail(f, COPY_IO, "/proc is not mounted: dvx-copy needs /proc/self/fd")
		       : 0;
}

#endif
