/* SPDX-License-Identifier: BSD-2-Clause */
/* Rig for tests of flows: matchers and flows of mlx5dv and verbs, and packets. */
#ifndef TESTS_KERNEL_FLOW_RIG_H
#define TESTS_KERNEL_FLOW_RIG_H

#include <endian.h>
#include <errno.h>
#include <dvx/prm/cmd.h>
#include <dvx/prm/flow.h>
#include <dvx/prm/match.h>
#include "kernel_fixture.h"
#include "steer/steer.h"

#define PORT_BYTES 0x40u /* length of fte_match_param's outer headers */
#define DROP	   MLX5_IB_ATTR_CREATE_FLOW_FLAGS_DROP
#define MISS	   MLX5_IB_ATTR_CREATE_FLOW_FLAGS_DEFAULT_MISS
#define NO_FLAGS   UINT32_MAX

/* --- matchers and flows of mlx5dv ------------------------------------------------------------ */

struct match {
	uint16_t dport; /* UDP port */
	uint32_t dmac;	/* high 32 bits of the MAC address */
};

/* Makes a matcher. type < 0: without a type. */
int matcher(struct fx *f, uint16_t priority, struct match mask, int type, uint32_t *handle);
uint32_t good_matcher(struct fx *f, uint16_t priority, struct match mask);

struct ask {
	uint32_t matcher, flags;
	struct match value;
	uint32_t devx, counter; /* handles, 0: none; NO_FLAGS with a devx */
	uint32_t offset, tag;
	size_t len; /* of the value; 0: full length */
};

int flow(struct fx *f, struct ask a, uint32_t *handle);
uint32_t good_flow(struct fx *f, struct ask a);
int no_flow(struct fx *f, uint32_t handle);
int no_matcher(struct fx *f, uint32_t handle);

/* --- packets --------------------------------------------------------------------------------- */

/* Packets that TIRs got, and the tag of the last one. */
extern unsigned int delivered;
extern uint32_t delivered_tag;

/* Runs a UDP packet to the port through steering, as sent or received; returns its end. */
enum steer_end ends(struct fx *f, bool tx, uint16_t port);

/* Sends a UDP packet through a function's tables and the FDB. */
void send_by_fdb(struct fx *f, struct vhca *from);

/* --- verbs' flows ---------------------------------------------------------------------------- */

#define CREATE_FLOW  (IB_USER_VERBS_EX_CMD_CREATE_FLOW | IB_USER_VERBS_CMD_FLAG_EXTENDED)
#define DESTROY_FLOW (IB_USER_VERBS_EX_CMD_DESTROY_FLOW | IB_USER_VERBS_CMD_FLAG_EXTENDED)

uint32_t raw_qp(struct fx *f);

struct verbs_flow {
	struct ib_uverbs_create_flow head;
	struct ib_uverbs_flow_spec_eth eth;
	struct ib_uverbs_flow_spec_ipv4 ip;
	struct ib_uverbs_flow_spec_tcp_udp udp;
	struct ib_uverbs_flow_spec_action_tag tag;
	struct ib_uverbs_flow_spec_action_count count;
};

/* Builds a flow that has all specs except the count. */
struct verbs_flow udp_flow(uint32_t qp, uint16_t port);
int create_verbs(struct fx *f, const struct verbs_flow *v, uint32_t *handle);

#endif
