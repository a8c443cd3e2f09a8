/* SPDX-License-Identifier: BSD-2-Clause */
/* Firmware commands for the kernel's flow tables. */
#include <string.h>
#include <dvx/prm/cmd.h>
#include <dvx/prm/flow.h>
#include "fs_priv.h"

#define ENTRY_BYTES 8u
#define MODIFY_ALL  0xf /* actions, tag, destinations, counters */
#define OP_MODIFY   1
#define MODIFY_MISS 1
#define TABLE_ID    0xffffffu /* bits of the ICM address stand above it in the reply */

/* Begins a command on a chain's tables; all of them name the type and the vport in one place. */
static void fs_cmd_begin(void *in, uint16_t opcode, uint16_t uid, const struct fs_chain *c)
{
	mbox_begin(in, opcode, uid);
	prm_create_flow_table_in_set_table_type(in, c->type);
	prm_create_flow_table_in_set_other_vport(in, c->other_vport);
	prm_create_flow_table_in_set_vport_number(in, c->vport);
}

static void fs_cmd_fill_miss(void *ctx, uint32_t miss)
{
	if (!miss)
		return;
	prm_flow_table_context_set_table_miss_action(ctx, PRM_FLOW_MISS_ACTION_FWD);
	prm_flow_table_context_set_table_miss_id(ctx, miss);
}

int fs_cmd_create_table(const struct fs_chain *c, unsigned int level, uint32_t size, uint32_t miss,
			uint16_t uid, uint32_t *id)
{
	uint8_t in[PRM_CREATE_FLOW_TABLE_IN_BYTES] = {0};
	void *ctx = prm_create_flow_table_in_at_flow_table_context(in);
	int err;

	fs_cmd_begin(in, PRM_OPCODE_CREATE_FLOW_TABLE, uid, c);
	prm_flow_table_context_set_level(ctx, level);
	/* The e-switch uses no tunnels (encap-mode none), so programs' tables may. */
	prm_flow_table_context_set_reformat_en(ctx, c->dir == FS_RX || c->dir == FS_TX);
	prm_flow_table_context_set_decap_en(ctx, c->dir == FS_RX);
	prm_flow_table_context_set_log_size(ctx,
					    size > 1 ? 32u - (uint32_t)__builtin_clz(size - 1) : 0);
	fs_cmd_fill_miss(ctx, miss);
	err = mbox_create(c->vhca, in, sizeof(in), id);
	*id &= TABLE_ID;
	return err;
}

int fs_cmd_set_miss(const struct fs_chain *c, uint32_t id, uint32_t miss)
{
	uint8_t in[PRM_MODIFY_FLOW_TABLE_IN_BYTES] = {0};

	fs_cmd_begin(in, PRM_OPCODE_MODIFY_FLOW_TABLE, 0, c);
	prm_modify_flow_table_in_set_table_id(in, id);
	prm_modify_flow_table_in_set_modify_field_select(in, MODIFY_MISS);
	fs_cmd_fill_miss(prm_modify_flow_table_in_at_flow_table_context(in), miss);
	return mbox_run(c->vhca, in, sizeof(in));
}

int fs_cmd_set_root(const struct fs_chain *c, uint32_t id)
{
	uint8_t in[PRM_SET_FLOW_TABLE_ROOT_IN_BYTES] = {0};

	fs_cmd_begin(in, PRM_OPCODE_SET_FLOW_TABLE_ROOT, 0, c);
	prm_set_flow_table_root_in_set_table_id(in, id);
	return mbox_run(c->vhca, in, sizeof(in));
}

void fs_cmd_destroy_table(const struct fs_chain *c, uint32_t id)
{
	uint8_t in[PRM_DESTROY_FLOW_TABLE_IN_BYTES] = {0};

	fs_cmd_begin(in, PRM_OPCODE_DESTROY_FLOW_TABLE, 0, c);
	prm_destroy_flow_table_in_set_table_id(in, id);
	if (mbox_run(c->vhca, in, sizeof(in)))
		sim_bug("flow table 0x%x of the kernel can't be destroyed", id);
}

int fs_cmd_create_group(struct fs_group *g)
{
	const struct fs_chain *c = g->table->chain;
	uint8_t in[PRM_CREATE_FLOW_GROUP_IN_BYTES] = {0};

	fs_cmd_begin(in, PRM_OPCODE_CREATE_FLOW_GROUP, 0, c);
	prm_create_flow_group_in_set_table_id(in, g->table->id);
	prm_create_flow_group_in_set_start_flow_index(in, g->start);
	prm_create_flow_group_in_set_end_flow_index(in, g->start + g->size - 1);
	prm_create_flow_group_in_set_match_criteria_enable(in, g->enable);
	memcpy(prm_create_flow_group_in_at_match_criteria(in), g->mask, sizeof(g->mask));
	return mbox_create(c->vhca, in, sizeof(in), &g->id);
}

void fs_cmd_destroy_group(const struct fs_group *g)
{
	const struct fs_chain *c = g->table->chain;
	uint8_t in[PRM_DESTROY_FLOW_GROUP_IN_BYTES] = {0};

	fs_cmd_begin(in, PRM_OPCODE_DESTROY_FLOW_GROUP, 0, c);
	prm_destroy_flow_group_in_set_table_id(in, g->table->id);
	prm_destroy_flow_group_in_set_group_id(in, g->id);
	if (mbox_run(c->vhca, in, sizeof(in)))
		sim_bug("flow group 0x%x of the kernel can't be destroyed", g->id);
}

static uint16_t full_action(const struct fs_entry *e)
{
	return (uint16_t)(e->action | (e->ndests ? PRM_FLOW_ACTION_FWD_DEST : 0) |
			  (e->ncounters ? PRM_FLOW_ACTION_COUNT : 0));
}

static void put_lists(const struct fs_entry *e, uint8_t *to)
{
	for (uint32_t i = 0; i < e->ndests; i++, to += ENTRY_BYTES) {
		prm_dest_format_struct_set_destination_type(to, e->dests[i].type);
		prm_dest_format_struct_set_destination_id(to, e->dests[i].id);
	}
	for (uint32_t i = 0; i < e->ncounters; i++, to += ENTRY_BYTES)
		prm_flow_counter_list_set_flow_counter_id(to, e->counters[i].id);
}

int fs_cmd_set_entry(const struct fs_entry *e, bool modify)
{
	const struct fs_chain *c = e->group->table->chain;
	uint8_t in[PRM_SET_FTE_IN_BYTES + (FS_DESTS + FS_COUNTERS) * ENTRY_BYTES] = {0};
	void *ctx = prm_set_fte_in_at_flow_context(in);
	size_t len = PRM_SET_FTE_IN_BYTES + (e->ndests + e->ncounters) * (size_t)ENTRY_BYTES;

	fs_cmd_begin(in, PRM_OPCODE_SET_FLOW_TABLE_ENTRY, 0, c);
	prm_set_fte_in_set_op_mod(in, modify ? OP_MODIFY : 0);
	prm_set_fte_in_set_modify_enable_mask(in, modify ? MODIFY_ALL : 0);
	prm_set_fte_in_set_table_id(in, e->group->table->id);
	prm_set_fte_in_set_flow_index(in, e->index);
	prm_set_fte_in_set_ignore_flow_level(in, e->ignore_level);
	prm_flow_context_set_group_id(ctx, e->group->id);
	prm_flow_context_set_flow_tag(ctx, e->tag);
	prm_flow_context_set_action(ctx, full_action(e));
	prm_flow_context_set_modify_header_id(ctx, e->modify_id);
	prm_flow_context_set_packet_reformat_id(ctx, e->reformat_id);
	prm_flow_context_set_destination_list_size(ctx, e->ndests);
	prm_flow_context_set_flow_counter_list_size(ctx, e->ncounters);
	memcpy(prm_flow_context_at_match_value(ctx), e->value, sizeof(e->value));
	put_lists(e, in + PRM_SET_FTE_IN_BYTES);
	return mbox_run(c->vhca, in, len);
}

void fs_cmd_delete_entry(const struct fs_entry *e)
{
	const struct fs_chain *c = e->group->table->chain;
	uint8_t in[PRM_DELETE_FTE_IN_BYTES] = {0};

	fs_cmd_begin(in, PRM_OPCODE_DELETE_FLOW_TABLE_ENTRY, 0, c);
	prm_delete_fte_in_set_table_id(in, e->group->table->id);
	prm_delete_fte_in_set_flow_index(in, e->index);
	if (mbox_run(c->vhca, in, sizeof(in)))
		sim_bug("flow entry %u of the kernel can't be deleted", e->index);
}
