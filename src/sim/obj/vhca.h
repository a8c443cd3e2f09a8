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
 * Steering domains: the tables of one lead packets of one kind, and to tables of the same domain
 * alone. Their numbers are PRM flow_table_type's.
 */
enum steer_domain { STEER_NIC_RX, STEER_NIC_TX, STEER_DOMAINS };

/* Raw packets of a function; those that its tables dropped or missed are in steer_stats(). */
struct raw_stats {
	uint64_t sent;		/* by its send queues, before its TX tables */
	uint64_t received;	/* in a receive queue, with a good CQE */
	uint64_t out_of_buffer; /* no receive was posted, or the queue is not ready */
	uint64_t failed;	/* the receive was too small, or its memory was gone */
};

/* SET_PP_RATE_LIMIT's table. */
struct pp_rate {
	struct pace_rate rate;
	uint32_t users; /* send queues */
	uint16_t uid;
};

/* A function of the chip. */
struct vhca {
	struct device *dev;
	const char *name; /* of its row in the profile */
	enum function_kind kind;
	uint8_t index; /* in device.vhca, as programs open it */
	uint16_t id;   /* vhca_id */
	uint8_t mac[6];
	uint64_t guid;
	struct gid_entry gids[VHCA_GIDS];
	unsigned int ngids; /* no entry from here on is used */
	struct obj_table *tables[OBJ_NTYPES];
	struct pp_rate pp_rates[VHCA_PP_RATES];
	uint32_t qkey_violations;
	uint32_t gsi_psn; /* of what it sends from queue pair 1 */
	struct queue *qp1; /* that Linux's driver made for it; NULL: front_ops.mad gets MADs */
	struct {
		bool present, up, promiscuous;
		uint32_t mtu;
	} netdev; /* its network interface, if the chip has those */
	struct raw_stats raw;
	struct drops drops;
	struct port_stats *stats; /* own_stats, or a page of a file that programs read */
	struct port_stats own_stats;
	uint64_t bound_sets; /* which of stats->bound some Q counter set has */
	struct queue_stats uncounted; /* of queues without a Q counter set */
	struct memic *memic; /* memic.c; NULL until the first allocation */
	struct icm *icm; /* icm.c; NULL until the first allocation */
	struct counters *counters;	  /* counter.c; NULL until the first is made */
	struct mcg *groups;		  /* mcg.c: by GID */
	struct flow_table *flow_root[STEER_DOMAINS]; /* SET_FLOW_TABLE_ROOT; NULL: none */
};

/*
 * Gives the function this address, as RoCE v1 and v2, in the place of the one that it has from the
 * start; prefix: of 128 bits.
 */
void vhca_set_ip(struct vhca *, const uint8_t gid[16], uint8_t prefix);
/* Sets the GUID that this Ethernet address gives. A new function has that of its own. */
void vhca_set_guid(struct vhca *, const uint8_t mac[6]);
/* Moves the function's port_stats into this file of the caller's: 0 or -errno. */
int vhca_share_stats(struct vhca *, int fd);
/* The state of the port as the function's driver sees it. */
bool vhca_port_up(const struct vhca *);
/* Its active MTU: enum ib_mtu, 5 for 4096; 0: the network interface's is too small. */
uint8_t vhca_mtu(const struct vhca *);

#endif
