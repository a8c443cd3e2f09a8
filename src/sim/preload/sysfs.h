/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef SIM_FRONT_SYSFS_H
#define SIM_FRONT_SYSFS_H

#include <stddef.h>
#include <stdint.h>
#include "obj/vhca.h"

/* Device numbers that the kernel gives to the first uverbs device. */
#define UVERBS_MAJOR 231
#define UVERBS_MINOR 192
#define SYSFS_COUNTER 24 /* bytes of a counter's text */
#define UVERBS_PATH  "/dev/infiniband/uverbs0"

/*
 * Writes one function's sysfs tree (what libibverbs, libmlx5, librdmacm and perftest read) under
 * `root`, a folder that does not exist yet. NULL vhca: of no device. 0 or -errno; nothing is left
 * behind on failure.
 */
int sysfs_make(const char *root, const struct profile *, const struct vhca *);
/* From now on the tree's counters are those of this function: 0 or -errno. */
int sysfs_share(const char *root, struct vhca *);
/*
 * Counters stand in the tree as empty numbers: who opens one gets a text made of what the function
 * has counted by then, which is in this file below the root. 0: the path is not a counter's.
 */
#define SYSFS_STATS "port_stats"
size_t sysfs_counter(const char *path, const struct port_stats *, char text[SYSFS_COUNTER]);
/* Removes such a tree; never follows a link out of it. */
void sysfs_remove(const char *root);

#endif
