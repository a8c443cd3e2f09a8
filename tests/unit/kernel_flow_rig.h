/* SPDX-License-Identifier: BSD-2-Clause */
/* What the tests of the flow methods share: matchers and flows of mlx5dv and verbs, and packets. */
#ifndef TESTS_UNIT_KERNEL_FLOW_RIG_H
#define TESTS_UNIT_KERNEL_FLOW_RIG_H

#include <endian.h>
#include <errno.h>
#include <dvx/prm/cmd.h>
#include <dvx/prm/flow.h>
#include <dvx/prm/match.h>
#include "kernel_fixture.h"
#include "steer/steer.h"

#define PORT_BYTES 0x40u /* of fte_match_param: all outer headers */
#define DROP	   MLX5_IB_ATTR_CREATE_FLOW_FLAGS_DROP
#define MISS	   MLX5_IB_ATTR_CREATE_FLOW_FLAGS_DEFAULT_MISS
#define NO_FLAGS   UINT32_MAX

/* --- matchers and flows of mlx5dv ------------------------------------------------------------ */

struct match {
	uint16_t dport; /* of UDP */
	uint32_t dmac;	/* high 32 bits */
};

/* type < 0: none is given */
int matcher(struct fx *f, uint16_t priority, struct match mask, int type, uint32_t *handle);
uint32_t good_matcher(struct fx *f, uint16_t priority, struct match mask);

struct ask {
	uint32_t matcher, flags;
	struct match value;
	uint32_t devx, counter; /* handles, 0: none; NO_FLAGS with a devx */
	uint32_t offset, tag;
	size_t len; /* of the value; 0: all */
};

int flow(struct fx *f, struct ask a, uint32_t *handle);
uint32_t good_flow(struct fx *f, struct ask a);
int no_flow(struct fx *f, uint32_t handle);
int no_matcher(struct fx *f, uint32_t handle);

/* --- packets --------------------------------------------------------------------------------- */

/* That TIRs got, and the last one's tag. */
extern unsigned int delivered;
extern uint32_t delivered_tag;

/* Where a UDP packet to this port ends, of those sent or received. */
enum steer_end ends(struct fx *f, bool tx, uint16_t port);

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

/* Of all specs but the count. */
struct verbs_flow udp_flow(uint32_t qp, uint16_t port);
int create_verbs(struct fx *f, const struct verbs_flow *v, uint32_t *handle);

#endif
