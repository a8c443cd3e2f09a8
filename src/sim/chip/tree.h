/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef SIM_CHIP_TREE_H
#define SIM_CHIP_TREE_H

struct vhca;

/* A function's sysfs tree, as preload/sysfs.h makes it; NULL: of no device. 0 or -errno. */
int sysfs_tree_make(const char *root, const struct vhca *);
/* From now on the tree's counters are those of this function: 0 or -errno. */
/* GIDs and the port's state, as they are now; interface: of the function. */
int sysfs_tree_update(const char *root, const struct vhca *, const char *interface);
int sysfs_tree_count(const char *root, struct vhca *);

#endif
