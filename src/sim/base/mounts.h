/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef SIM_BASE_MOUNTS_H
#define SIM_BASE_MOUNTS_H

#include <stdio.h>
#include <sys/types.h>

/* Kinds of file systems, by how a file's pages are stored. */
enum mount_kind {
	MOUNT_MEMORY, /* pages are the file, never written back: tmpfs, hugetlbfs, devtmpfs */
	MOUNT_FILES,  /* pages are written back */
	MOUNT_DAX,    /* no pages: programs map persistent memory itself */
};

/*
 * Finds the kind of the file system with this device number in lines of /proc/PID/mountinfo.
 * Without a line or a block device it is the kernel's own (memfd, System V, hugetlb).
 */
enum mount_kind mount_kind_read(FILE *mountinfo, dev_t);
/* Like mount_kind_read(), with the lines of this process. */
enum mount_kind mount_kind(pid_t, dev_t);

#endif
