/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef SIM_BASE_MOUNTS_H
#define SIM_BASE_MOUNTS_H

#include <stdio.h>
#include <sys/types.h>

/* Kinds of file systems, by what becomes of a file's pages. */
enum mount_kind {
	MOUNT_MEMORY, /* they are the file, and are written nowhere: tmpfs, hugetlbfs, devtmpfs */
	MOUNT_FILES,  /* they are written back */
	MOUNT_DAX,    /* there are none: programs map persistent memory itself */
};

/*
 * The kind of the file system with this device number, by lines of /proc/PID/mountinfo. One that no
 * line has is the kernel's own (memfd, System V, hugetlb) if it has no block device.
 */
enum mount_kind mount_kind_read(FILE *mountinfo, dev_t);
/* Reads the lines of the process with this number. */
enum mount_kind mount_kind(pid_t, dev_t);

#endif
