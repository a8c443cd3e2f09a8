/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef SIM_SYSFS_H
#define SIM_SYSFS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include "base/port_stats.h"

/* Numbers that the kernel gives to the first uverbs device. */
#define UVERBS_MAJOR  231
#define UVERBS_MINOR  192
#define MISC_MAJOR    10
#define CM_MINOR      122 /* one of the dynamic minors */
#define SYSFS_COUNTER 24 /* bytes of a counter's text */
#define UVERBS_PATH   "/dev/infiniband/uverbs0"
#define CM_PATH	      "/dev/infiniband/rdma_cm"
/* The PCI function, below its own root bridge: the machine's bridges stay as they are. */
#define SYSFS_BRIDGE "devices/pci0000:03"
#define SYSFS_SLOT   "0000:03:00.0"
/* Folder of the interface in the machine's own sysfs, as it has no device there. */
#define SYSFS_VIRTUAL "devices/virtual/net"

/* A function as its tree shows it. */
#define SYSFS_GIDS 255
struct sysfs_function {
	const char *name; /* for node_desc */
	const char *fw_ver, *board_id;
	uint16_t pci_device;
	unsigned int ports; /* those behind the first have no GIDs and counters */
	uint64_t guid, sys_image_guid;
	bool eswitch; /* it manages the e-switch, whose modes follow */
	bool switchdev, inline_l2;
	struct sysfs_gid {
		uint8_t gid[16];
		uint8_t type; /* 0xff: an empty entry */
	} gids[SYSFS_GIDS];
};

/*
 * File below the root of the function that manages the e-switch, for devlink: whether its mode is
 * switchdev, and whether sends must carry layer 2 inline.
 */
#define SYSFS_ESWITCH "eswitch"

/*
 * File below the root for each port that devlink shows, of which there is one for each port of the
 * device with a representor or an interface: its index and its phys_port_name, if it has one.
 */
#define SYSFS_DEVLINK "devlink_ports"
int sysfs_devlink_port(const char *root, unsigned int port, uint32_t index, const char *name);

/*
 * Writes one function's sysfs tree (for libibverbs, libmlx5, librdmacm and perftest) under `root`,
 * a folder that does not exist yet. NULL: a tree without a device. Returns 0 or -errno; nothing is
 * left behind on failure.
 */
int sysfs_make(const char *root, const struct sysfs_function *);
/*
 * File below the root for each port that has a network interface, with its name: netlink shows a
 * port's interface, too, and a representor's port has no GID whose folder would.
 */
#define SYSFS_NETDEVS "port_netdevs"
/* Adds or replaces a port's network interface. */
struct sysfs_netdev {
	const char *interface;
	const uint8_t *mac;
	uint32_t mtu;
	bool up;
	unsigned int port;
	const char *port_name; /* phys_port_name of a representor; NULL: it is none */
	uint64_t switch_id;    /* phys_switch_id of a representor: the chip's system image GUID */
};
int sysfs_netdev(const char *root, const struct sysfs_netdev *);
/* Replaces an entry of the table of GIDs. */
int sysfs_gid(const char *root, unsigned int index, const struct sysfs_gid *,
	      const char *interface);
/*
 * File below the root with the present values of counters. A counter's own file has a zero; opening
 * it gives a text made from this file. sysfs_counter() returns 0 if the path is no counter.
 */
#define SYSFS_STATS "port_stats"
size_t sysfs_counter(const char *path, const struct port_stats *, char text[SYSFS_COUNTER]);
/* Returns the name and the value of a port's i-th hw_counter; NULL behind the last. */
const char *sysfs_hw_counter(unsigned int i, const struct port_stats *, uint64_t *value);
/* Returns a descriptor of the file of counters, to be mapped and counted in, or -errno. */
int sysfs_stats(const char *root);
/* Sets a port's state in a tree. Returns 0 or -errno. */
int sysfs_link(const char *root, unsigned int port, bool up);
/* Removes a tree; never follows a link out of it. */
void sysfs_remove(const char *root);

#endif
