/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef SIM_PRELOAD_NETLINK_H
#define SIM_PRELOAD_NETLINK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

/*
 * The answers of the kernel's nldev (drivers/infiniband/core/nldev.c) and of its devlink for one
 * device. Does not read the device: the caller fills struct netlink_device from the same files that
 * a program reads.
 */
#define NETLINK_COUNTERS 32
#define NETLINK_PORTS	 129 /* the vports of the largest chip */

struct uverbs_resource;

/* The e-switch as devlink reports it. */
struct netlink_eswitch {
	bool managed; /* by this function; the others are valid then */
	bool switchdev, inline_l2;
};

struct netlink_device {
	bool present; /* false: the list of devices is empty */
	bool admin;   /* the asking process has CAP_NET_ADMIN */
	bool dpu;     /* the host's functions belong to another controller */
	struct netlink_eswitch eswitch;
	uint64_t node_guid, sys_image_guid;
	char fw_ver[64];
	unsigned int nports;
	struct netlink_port {
		uint8_t state, phys_state;
		uint32_t ndev; /* its network interface; 0: none in this namespace */
		char ndev_name[16];
		bool devlink; /* devlink shows it; the others are valid then */
		uint32_t devlink_index;
		char phys_name[16]; /* empty: the port is no e-switch's */
	} ports[NETLINK_PORTS];
	struct netlink_chardev {
		uint64_t dev; /* dev_t; 0: there is none */
		uint64_t abi;
	} uverbs, rdma_cm;
	/* Lists objects: *n of them at *rows, to be freed. Returns 0 or -errno. */
	int (*resources)(struct uverbs_resource **rows, size_t *n);
	unsigned int ncounters;
	struct netlink_counter {
		char name[40];
		uint64_t value;
	} counters[NETLINK_COUNTERS]; /* hw_counters of port 1 */
};

/* Sends one datagram of the answer. Returns 0, or -errno, which ends the answer. */
typedef int (*netlink_send)(void *arg, const void *datagram, size_t len);

/*
 * Answers all messages of one datagram, from any sender. port: the port id of the asking socket.
 * Returns 0, or the -errno of send; errors in the request are NLMSG_ERROR messages of the answer.
 */
int netlink_answer(const struct netlink_device *, const void *request, size_t len, uint32_t port,
		   netlink_send, void *arg);

/* A representor's network interface. */
struct netlink_rep {
	char port_name[16]; /* with the terminating 0 */
	uint8_t switch_id[8];
};
/* Returns whether the interface of this name is a representor's. */
typedef bool (*netlink_route_find)(const char *interface, struct netlink_rep *);
/*
 * Adds representors' names to the kernel's answers of len bytes, as far as they fit in room bytes.
 * Returns the new length.
 */
size_t netlink_route_add(uint8_t *bytes, size_t len, size_t room, netlink_route_find);

/* write() of a descriptor that is not the device's: hooks_netlink.c. */
ssize_t netlink_write(int fd, const void *buf, size_t n);

#endif
