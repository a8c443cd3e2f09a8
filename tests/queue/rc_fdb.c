/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Proves that packets of a connection between two functions pass the FDB, each on its own, as long
 * as the FDB has a root, that the FDB's rules apply to them, and that without a root they do not.
 */
#include "tests/test.h"
#include "queue_rig.h"
#include <dvx/prm/cmd.h>
#include <dvx/prm/flow.h>
#include <dvx/prm/match.h>
#include "fw/fw.h"
#include "steer/steer.h"

#define LEN	    5000u
#define PACKETS	    5u /* path MTU 1024 */
#define UID	    9
#define ENTRY_BYTES (PRM_SET_FTE_IN_BYTES + 8u)

static uint32_t fdb_table;

/* Executes a command of the e-switch's manager; returns the number in the reply. */
static uint32_t execute(struct rig_pair *p, uint16_t opcode, void *in, size_t len)
{
	uint8_t out[256] = {0};

	prm_mbox_in_set_opcode(in, opcode);
	prm_mbox_in_set_uid(in, UID);
	fw_exec(p->rig.dev.manager, in, len, out, 16);
	assert_int_equal(out[0], 0);
	return prm_load32(out, 8) & 0xffffff;
}

static uint32_t make_table(struct rig_pair *p)
{
	uint8_t in[PRM_CREATE_FLOW_TABLE_IN_BYTES] = {0};

	prm_create_flow_table_in_set_table_type(in, PRM_FLOW_TABLE_TYPE_FDB);
	prm_flow_table_context_set_log_size(prm_create_flow_table_in_at_flow_table_context(in), 4);
	return execute(p, PRM_OPCODE_CREATE_FLOW_TABLE, in, sizeof(in));
}

static uint32_t make_group(struct rig_pair *p)
{
	uint8_t in[PRM_CREATE_FLOW_GROUP_IN_BYTES] = {0};
	void *mask = prm_create_flow_group_in_at_match_criteria(in);

	prm_create_flow_group_in_set_table_type(in, PRM_FLOW_TABLE_TYPE_FDB);
	prm_create_flow_group_in_set_table_id(in, fdb_table);
	prm_create_flow_group_in_set_end_flow_index(in, 7);
	prm_create_flow_group_in_set_match_criteria_enable(in, 1 << 1);
	prm_fte_match_set_misc_set_source_port(prm_fte_match_param_at_misc_parameters(mask),
					       0xffff);
	return execute(p, PRM_OPCODE_CREATE_FLOW_GROUP, in, sizeof(in));
}

static void make_entry(struct rig_pair *p, uint32_t group, uint32_t index, uint16_t from,
		       uint16_t to)
{
	uint8_t in[ENTRY_BYTES] = {0};
	void *ctx = prm_set_fte_in_at_flow_context(in);
	void *value = prm_flow_context_at_match_value(ctx);

	prm_set_fte_in_set_table_type(in, PRM_FLOW_TABLE_TYPE_FDB);
	prm_set_fte_in_set_table_id(in, fdb_table);
	prm_set_fte_in_set_flow_index(in, index);
	prm_flow_context_set_group_id(ctx, group);
	prm_flow_context_set_action(ctx, PRM_FLOW_ACTION_FWD_DEST);
	prm_flow_context_set_destination_list_size(ctx, 1);
	prm_fte_match_set_misc_set_source_port(prm_fte_match_param_at_misc_parameters(value), from);
	prm_dest_format_struct_set_destination_type(in + PRM_SET_FTE_IN_BYTES,
						    PRM_FLOW_DEST_TYPE_VPORT);
	prm_dest_format_struct_set_destination_id(in + PRM_SET_FTE_IN_BYTES, to);
	execute(p, PRM_OPCODE_SET_FLOW_TABLE_ENTRY, in, sizeof(in));
}

static void set_root(struct rig_pair *p, bool on)
{
	uint8_t in[PRM_SET_FLOW_TABLE_ROOT_IN_BYTES] = {0};

	prm_set_flow_table_root_in_set_op_mod(in, !on);
	prm_set_flow_table_root_in_set_table_type(in, PRM_FLOW_TABLE_TYPE_FDB);
	prm_set_flow_table_root_in_set_table_id(in, fdb_table);
	execute(p, PRM_OPCODE_SET_FLOW_TABLE_ROOT, in, sizeof(in));
}

static uint64_t switched(const struct rig_pair *p, const struct rig_qp *q)
{
	return steer_fdb_stats(&p->rig.dev, q->queue->o.vhca)->ends[STEER_VPORT];
}

static void assert_writes(struct rig_pair *p, uint32_t off, unsigned int requests,
			  unsigned int replies)
{
	uint64_t before_a = switched(p, &p->a), before_b = switched(p, &p->b);

	rig_do(p, PRM_WQE_OPCODE_RDMA_WRITE, off, LEN);
	rig_sent(&p->ca, 0);
	assert_memory_equal(p->dst + off, p->src + off, LEN);
	assert_int_equal(switched(p, &p->a), before_a + requests);
	assert_int_equal(switched(p, &p->b), before_b + replies);
}

TEST(pair_dpu, rc_by_fdb)
{
	uint32_t group;

	fdb_table = make_table(p);
	group = make_group(p);
	make_entry(p, group, 0, VPORT_PF, VPORT_ECPF);
	make_entry(p, group, 1, VPORT_ECPF, VPORT_PF);
	for (unsigned int i = 0; i < LEN * 3; i++)
		p->src[i] = (uint8_t)(i * 7);
	assert_writes(p, 0, 0, 0);
	set_root(p, true);
	assert_writes(p, LEN, PACKETS, 1);
	set_root(p, false);
	assert_writes(p, 2 * LEN, 0, 0);
	fw_uid_reap(p->rig.dev.manager, UID);
	assert_false(steer_has_fdb(&p->rig.dev));
}
