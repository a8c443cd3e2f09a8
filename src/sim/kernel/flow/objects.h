/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef KERNEL_FLOW_OBJECTS_H
#define KERNEL_FLOW_OBJECTS_H

/* Flows and their parts, objects of a file that use fs.h. */
#include "kernel/core/attr.h"
#include "kernel/core/room.h"
#include "kernel/core/write.h"
#include "kernel/verbs/verbs.h"
#include "fs.h"

/* enum ib_flow_attr_type, which no uapi header has */
enum { FLOW_NORMAL, FLOW_ALL_DEFAULT, FLOW_MC_DEFAULT, FLOW_SNIFFER };

/* A mask and a priority (flow_matcher.c). */
struct flow_matcher {
	struct uobj u;
	uint16_t priority;
	uint8_t type;	/* enum mlx5_ib_uapi_flow_table_type */
	uint8_t enable; /* match_criteria_enable */
	uint8_t mask[FS_PARAM];
};
extern const struct uobj_class matcher_class;

/*
 * Counters of verbs (flow_counters.c): a flow counter of the firmware, whose number is 0 before the
 * first flow, and where it is stored.
 */
struct uverbs_counters {
	struct uobj u;
	uint32_t flows;
	uint32_t npoints;
	struct counter_point {
		bool bytes; /* false: packets */
		uint32_t index;
	} * points;
	uint32_t max_index;
};
extern const struct uobj_class counters_class;
/*
 * Adds or removes a flow that counts here. data: mlx5_ib_create_flow.data, which the first one has.
 */
struct mlx5_ib_flow_counters_data;
int counters_bind(struct uverbs_counters *, const struct mlx5_ib_flow_counters_data *);
void counters_unbind(struct uverbs_counters *);

/* A header rewrite, the begin or the end of a tunnel (flow_action.c). */
struct flow_action {
	struct uobj u;
	uint8_t dir;	 /* enum fs_dir */
	uint16_t action; /* PRM flow_action */
};
extern const struct uobj_class flow_action_class;
/* Adds it to the actions of a flow. Returns -EINVAL if that has one of its kind. */
int flow_action_add(const struct flow_action *, struct fs_act *);

/* A flow of mlx5dv_create_flow or ibv_create_flow (flow.c). */
#define FLOW_ACTIONS 2
struct flow {
	struct uobj u;
	struct fs_rule *rules[2]; /* ALL_DEFAULT has one for multicast, one for the rest */
	struct flow_matcher *matcher;
	struct uverbs_qp *qp;
	struct uverbs_counters *counters;
	struct flow_action *actions[FLOW_ACTIONS];
};
extern const struct uobj_class flow_class, anchor_class;
struct flow *flow_new(struct uverbs_file *);
/* Returns whether only multicast packets match: such rules have a separate priority. */
bool flow_is_multicast(const struct fs_match *);
/* Makes the flow hold its parts. */
void flow_hold(struct flow *);

/* Handlers for the table in methods.c. */
method_fn mlx5_flow_create, mlx5_flow_action_modify, mlx5_flow_action_reformat,
	uverbs_counters_create, uverbs_counters_read, mlx5_matcher_create, mlx5_anchor_create;
write_fn wcmd_create_flow, wcmd_destroy_flow;

#endif
