/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef SIM_FRONT_SYSFS_H
#define SIM_FRONT_SYSFS_H

#include <stdint.h>
#include "obj/vhca.h"

/* Device numbers that the kernel gives to the first uverbs device. */
#define UVERBS_MAJOR 231
#define UVERBS_MINOR 192
#define UVERBS_PATH  "/dev/infiniband/uverbs0"

/*
 * Writes one function's sysfs tree (what libibverbs, libmlx5, librdmacm and perftest read) under
 * `root`, a folder that does not exist yet. NULL vhca: of no device. 0 or -errno; nothing is left
 * behind on failure.
 */
int sysfs_make(const char *root, const struct personality *, const struct vhca *);
/* Removes such a tree; never follows a link out of it. */
void sysfs_remove(const char *root);

#endif
