/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef SIM_SYSFS_PRIV_H
#define SIM_SYSFS_PRIV_H

/* Private to the files that write a tree. */
#include <sys/types.h>
#include "sysfs.h"

/*
 * The tree's shape is the kernel's: the device is under devices/, classes point to it by relative
 * links, so that `readlink .../device` ends in a PCI address. Without `--netdev` there is no
 * network interface (no net/, and no entry of gid_attrs/ndevs can be read), as if it was in another
 * namespace: a name that `ip` doesn't know would be worse.
 */
#define PCI	      SYSFS_BRIDGE "/" SYSFS_SLOT
#define IBDEV	      PCI "/infiniband/mlx5_0"
#define PORTS	      IBDEV "/ports"
#define PORT	      PORTS "/1"
#define UVERBS	      PCI "/infiniband_verbs/uverbs0"

#define STATE_ACTIVE  "4: ACTIVE\n"
#define STATE_DOWN    "1: DOWN\n"
#define PHYS_LINK_UP  "5: LinkUp\n"
#define PHYS_DISABLED "3: Disabled\n"

/* Paths are relative to the tree's root, an open folder. All return 0 or -errno. */
int sysfs_make_parents(int root, const char *path);
/* Makes a file, and the folders above it. Returns -ENOSPC if the disk is full. */
int sysfs_make_bytes(int root, const char *path, const void *, size_t len, mode_t mode);
int sysfs_make_file(int root, const char *path, const char *text);
int sysfs_make_counters(int root);

const char *sysfs_gid_type(uint8_t type);
void sysfs_print_gid(const uint8_t gid[16], char text[64]);

#endif
