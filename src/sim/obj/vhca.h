/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef SIM_OBJ_VHCA_H
#define SIM_OBJ_VHCA_H

#include <stdbool.h>
#include <stdint.h>
#include "gid.h"
#include "limits.h"
#include "obj.h"
#include "pace.h"
#include "profile.h"
#include "base/drops.h"
#include "base/port_stats.h"

struct counters;
struct device;
struct flow_table;
struct icm;
struct mcg;
struct memic;
struct obj_table; /* obj.c */
struct queue;

/*
 * Steering domains. Tables of a domain take packets of one kind, and lead only to tables of the
 * same domain. The numbers are those of PRM flow_table_type. The FDB is the chip's: its tables, and
 * the access control lists of all vports, are the e-switch manager's.
 */
enum steer_domain {
	STEER_NIC_RX,
	STEER_NIC_TX,
	STEER_EGRESS_ACL,  /* from the FDB to a vport */
	STEER_INGRESS_ACL, /* from a vport to the FDB */
	STEER_FDB,
	STEER_DOMAINS
};

/* Numbers of vports, the ends of functions in the e-switch. VFs have those from 1. */
enum vport_number {
	VPORT_PF = 0,
	VPORT_SF = 0x8000, /* [I] of the first SF */
	VPORT_ECPF = 0xfffe,
	VPORT_UPLINK = 0xffff, /* the port, which belongs to no function */
};

/* Raw packets of a function. Packets that its tables dropped or missed are in steer_stats(). */
struct raw_stats {
	uint64_t sent;		/* by its send queues, before its TX tables */
	uint64_t received;	/* by a receive queue, with a good CQE */
	uint64_t out_of_buffer; /* no receive was posted, or the queue is not ready */
	uint64_t failed;	/* the receive was too small, or its memory was gone */
};

/* A row of SET_PP_RATE_LIMIT's table. */
struct pp_rate {
	struct pace_rate rate;
	uint32_t users; /* number of send queues */
	uint16_t uid;
};

/* A network interface that a chip has for programs of the kernel, if it has any. */
struct netif {
	bool present, up, promiscuous;
	uint32_t mtu;
	uint8_t mac[6];
};

/* A function of the chip. */
struct vhca {
	struct device *dev;
	char name[FUNCTION_NAME]; /* from its row in the profile */
	enum function_kind kind;
	uint8_t index; /* index in device.vhca, by which programs open it */
	uint16_t id;   /* vhca_id */
	uint16_t vport; /* enum vport_number */
	uint8_t mac[6];
	uint64_t guid;
	struct gid_entry gids[VHCA_GIDS];
	unsigned int ngids; /* number of GIDs up to the last one in use */
	struct obj_table *tables[OBJ_NTYPES];
	struct pp_rate pp_rates[VHCA_PP_RATES];
	uint32_t qkey_violations;
	uint32_t gsi_psn;  /* next PSN of queue pair 1 */
	struct queue *qp1; /* created by Linux's driver; NULL: front_ops.mad gets MADs */
	struct netif netdev; /* its own, and on the e-switch's manager that of the uplink */
	struct netif rep;    /* of its representor, which sends and receives for the manager */
	struct raw_stats raw;
	struct drops drops;
	struct port_stats *stats; /* own_stats, or a page of a file that programs read */
	struct port_stats own_stats;
	struct queue_stats uncounted; /* queues without a Q counter set */
	struct memic *memic; /* memic.c; NULL until the first allocation */
	struct icm *icm; /* icm.c; NULL until the first allocation */
	struct counters *counters;	  /* counter.c; NULL until the first allocation */
	struct mcg *groups;		  /* mcg.c: by GID */
	uint16_t tunnel_ids; /* last identification of an IPv4 header that steering added */
	/* SET_FLOW_TABLE_ROOT; NULL: none. Of the function's vport, if it is an access control list */
	struct flow_table *flow_root[STEER_DOMAINS];
	/* bits of registers c that come with packets from the FDB; of the vport */
	uint8_t fdb_to_vport_reg_c_id;
};

/*
 * Gives the function this address, as RoCE v1 and v2, in place of its initial one; prefix: of 128
 * bits.
 */
void vhca_set_ip(struct vhca *, const uint8_t gid[16], uint8_t prefix);
/*
 * Sets the GUID that follows from this Ethernet address. Initially it follows from the function's
 * address.
 */
void vhca_set_guid(struct vhca *, const uint8_t mac[6]);
/* Moves the function's port_stats into this file of the caller. Returns 0 or -errno. */
int vhca_share_stats(struct vhca *, int fd);
/* Returns the function's PCI device id. */
uint16_t vhca_pci_device(const struct vhca *);
/* Returns the state of the port as the function's driver sees it. */
bool vhca_port_up(const struct vhca *);
/* Returns the active MTU: enum ib_mtu, 5 for 4096; 0: the network interface's MTU is too small. */
uint8_t vhca_mtu(const struct vhca *);

#endif
