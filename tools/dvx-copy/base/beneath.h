/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef DVX_COPY_BENEATH_H
#define DVX_COPY_BENEATH_H

/*
 * Opens a path beneath root. Fails with EXDEV or ELOOP if any part of the path leads out of root.
 */
int beneath_open(int root, const char *path, int flags);

/* Fallback for kernels before 5.6, which lack openat2(): follows no symbolic link at all. */
int beneath_open_steps(int root, const char *path, int flags);

#endif
