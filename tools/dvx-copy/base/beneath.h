/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef DVX_COPY_BENEATH_H
#define DVX_COPY_BENEATH_H

/* Opens a path that must not leave root, however it is built: EXDEV or ELOOP if it would. */
int beneath_open(int root, const char *path, int flags);

/* For kernels before 5.6, which lack openat2: follows no symbolic link at all. */
int beneath_open_steps(int root, const char *path, int flags);

#endif
