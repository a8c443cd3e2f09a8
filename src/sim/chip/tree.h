/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef SIM_CHIP_TREE_H
#define SIM_CHIP_TREE_H

struct vhca;

/* Makes a function's sysfs tree (sysfs/sysfs.h); NULL: without a device. Returns 0 or -errno. */
int sysfs_tree_make(const char *root, const struct vhca *);
/* Sets the states of the ports. Returns 0 or -errno. */
int sysfs_tree_link(const char *root, const struct vhca *);
/* Sets a port's interface, the ports' states, and the GIDs. */
int sysfs_tree_update(const char *root, const struct vhca *, unsigned int port,
		      const char *interface);
/* Makes the tree's counters those of this function. Returns 0 or -errno. */
int sysfs_tree_count(const char *root, struct vhca *);

#endif
