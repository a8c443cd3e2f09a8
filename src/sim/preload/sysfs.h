/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef SIM_SYSFS_H
#define SIM_SYSFS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include "base/port_stats.h"

/* Device numbers that the kernel gives to the first uverbs device. */
#define UVERBS_MAJOR  231
#define UVERBS_MINOR  192
#define MISC_MAJOR    10
#define CM_MINOR      122 /* one of those that are given out */
#define SYSFS_COUNTER 24 /* bytes of a counter's text */
#define UVERBS_PATH   "/dev/infiniband/uverbs0"
#define CM_PATH	      "/dev/infiniband/rdma_cm"
/* The PCI function, below a root bridge of its own: the machine's bridges stay as they are. */
#define SYSFS_BRIDGE "devices/pci0000:03"
#define SYSFS_SLOT   "0000:03:00.0"
/* Where the machine's own sysfs has the network interface, as one without a device. */
#define SYSFS_VIRTUAL "devices/virtual/net"

/* What the tree says of a function. */
#define SYSFS_GIDS 255
struct sysfs_function {
	const char *name; /* for node_desc */
	const char *fw_ver, *board_id;
	uint16_t pci_device;
	uint64_t guid, sys_image_guid;
	struct sysfs_gid {
		uint8_t gid[16];
		uint8_t type; /* 0xff: an empty entry */
	} gids[SYSFS_GIDS];
};

/*
 * Writes one function's sysfs tree (what libibverbs, libmlx5, librdmacm and perftest read) under
 * `root`, a folder that does not exist yet. NULL: of no device. 0 or -errno; nothing is left behind
 * on failure.
 */
int sysfs_make(const char *root, const struct sysfs_function *);
/* The network interface of the port is there, or another one now. */
struct sysfs_netdev {
	const char *interface;
	const uint8_t *mac;
	uint32_t mtu;
	bool up;
};
int sysfs_netdev(const char *root, const struct sysfs_netdev *);
/* An entry of the table of GIDs is another one now. */
int sysfs_gid(const char *root, unsigned int index, const struct sysfs_gid *,
	      const char *interface);
/*
 * Counters have zeroes in the tree. Opening one gives a text made of the present values, which are
 * in this file below the root. 0: the path is no counter.
 */
#define SYSFS_STATS "port_stats"
size_t sysfs_counter(const char *path, const struct port_stats *, char text[SYSFS_COUNTER]);
/* The name and the value of a port's i-th hw_counter; NULL behind the last. */
const char *sysfs_hw_counter(unsigned int i, const struct port_stats *, uint64_t *value);
/* The same of the statistics in stats->bound[slot]: queues' counters alone. */
const char *sysfs_bound_counter(unsigned int i, const struct port_stats *stats, unsigned int slot,
				uint64_t *value);
/* A descriptor of the file of counters, to be mapped and counted in; -errno. */
int sysfs_stats(const char *root);
/* The port's state in such a tree; 0 or -errno. */
int sysfs_link(const char *root, bool up);
/* Removes such a tree; never follows a link out of it. */
void sysfs_remove(const char *root);

#endif
