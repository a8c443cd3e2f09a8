/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Proves mlx5dv's flow methods: priorities and groups as in mlx5_core, shared entries, tables,
 * anchors and refusals.
 */
#include "kernel_flow_rig.h"

TEST(fx, matchers_refuse)
{
	const struct match mask = {.dport = 0xffff};
	uint32_t handle, m;

	FX_REFUSES(f, matcher(f, 0, mask, 5, &handle), -EINVAL, "FT_TYPE");
	FX_REFUSES(f, matcher(f, 0, mask, 2, &handle), -EINVAL, "switchdev");
	/* types without tables are refused when a flow is made, as in mlx5_ib */
	for (int type = 3; type < 5; type++) {
		assert_int_equal(matcher(f, 0, mask, type, &m), 0);
		assert_int_equal(flow(f, (struct ask){.matcher = m, .flags = DROP}, &handle),
				 -EOPNOTSUPP);
		assert_int_equal(no_matcher(f, m), 0);
	}
	m = good_matcher(f, 16, mask);
	assert_int_equal(flow(f, (struct ask){.matcher = m, .flags = DROP}, &handle), -ENOMEM);
	m = good_matcher(f, 0, mask);
	assert_int_equal(flow(f, (struct ask){.matcher = m, .flags = DROP | MISS}, &handle),
			 -EINVAL);
	assert_int_equal(flow(f, (struct ask){.matcher = m, .flags = 4}, &handle), -EINVAL);
	/* no destination: the firmware refuses it */
	assert_int_equal(flow(f, (struct ask){.matcher = m, .flags = NO_FLAGS}, &handle), -EINVAL);
	assert_int_equal(
		flow(f, (struct ask){.matcher = m, .flags = DROP, .tag = 1u << 24}, &handle),
		-EINVAL);
	assert_int_equal(flow(f, (struct ask){.matcher = m + 9, .flags = DROP}, &handle), -ENOENT);
	FX_REFUSES(f,
		   FX_CALL(f, MLX5_IB_OBJECT_FLOW_MATCHER, MLX5_IB_METHOD_FLOW_MATCHER_CREATE,
			   A_NEW(MLX5_IB_ATTR_FLOW_MATCHER_CREATE_HANDLE, NULL),
			   A_IN(MLX5_IB_ATTR_FLOW_MATCHER_MATCH_MASK, f->mem, 513),
			   A_VALUE(MLX5_IB_ATTR_FLOW_MATCHER_FLOW_TYPE, 0, 2),
			   A_VALUE(MLX5_IB_ATTR_FLOW_MATCHER_MATCH_CRITERIA, 1, 1)),
		   -EINVAL, "at most 512");
}

/* Proves that the lower priority number matches first, in whatever order tables were made. */
TEST(fx, priorities)
{
	uint32_t all = good_matcher(f, 5, (struct match){.dport = 0});
	uint32_t one = good_matcher(f, 2, (struct match){.dport = 0xffff});
	uint32_t last = good_matcher(f, 15, (struct match){.dport = 0});
	uint32_t before = fx_objects(f), drop, miss, low;

	low = good_flow(f, (struct ask){.matcher = last, .flags = DROP});
	assert_int_equal(ends(f, false, 53), STEER_DROP);
	miss = good_flow(f, (struct ask){.matcher = all, .flags = MISS});
	assert_int_equal(ends(f, false, 53), STEER_MISS);
	drop = good_flow(f, (struct ask){.matcher = one, .flags = DROP, .value = {.dport = 53}});
	assert_int_equal(ends(f, false, 53), STEER_DROP);
	assert_int_equal(ends(f, false, 54), STEER_MISS);
	assert_int_equal(no_matcher(f, one), -EBUSY);
	assert_int_equal(no_flow(f, miss), 0);
	assert_int_equal(ends(f, false, 54), STEER_DROP);
	assert_int_equal(no_flow(f, low), 0);
	assert_int_equal(ends(f, false, 54), STEER_MISS);
	assert_int_equal(ends(f, false, 53), STEER_DROP);
	assert_int_equal(no_flow(f, drop), 0);
	assert_int_equal(ends(f, false, 53), STEER_MISS);
	assert_int_equal(no_flow(f, drop), -ENOENT);
	/* tables and groups are gone */
	assert_int_equal(fx_objects(f), before);
	assert_false(steer_has_rx_root(f->v));
	assert_int_equal(no_matcher(f, one), 0);
}

/* Proves short values, a tag, and 8 masks in a priority, where six groups share the table. */
TEST(fx, groups)
{
	uint32_t flows[8], m[8];

	for (unsigned int i = 0; i < 8; i++) {
		m[i] = good_matcher(f, 0, (struct match){.dport = (uint16_t)(0xff00 | 1u << i)});
		flows[i] = good_flow(f, (struct ask){.matcher = m[i],
						     .flags = DROP,
						     .value = {.dport = (uint16_t)(1u << i)}});
	}
	for (unsigned int i = 0; i < 8; i++)
		assert_int_equal(ends(f, false, (uint16_t)(1u << i)), STEER_DROP);
	assert_int_equal(ends(f, false, 0x100), STEER_MISS);
	/* from the seventh mask on groups have one entry: a second value needs another group */
	assert_int_equal(
		flow(f, (struct ask){.matcher = m[7], .flags = DROP, .value = {.dport = 0}}, NULL),
		0);
	assert_int_equal(ends(f, false, 0), STEER_DROP);
	for (unsigned int i = 0; i < 8; i++)
		assert_int_equal(no_flow(f, flows[i]), 0);
	m[0] = good_matcher(f, 0, (struct match){.dmac = 0xffffffff});
	good_flow(f, (struct ask){.matcher = m[0],
				  .flags = DROP,
				  .len = 12,
				  .value = {.dmac = 0x02d70000}});
	assert_int_equal(ends(f, false, 7), STEER_DROP);
}

/* Proves that rules with the same match share an entry, and that another action is refused. */
TEST(fx, shared)
{
	uint32_t m = good_matcher(f, 0, (struct match){.dport = 0xffff}), a, b;
	const struct ask drop = {.matcher = m, .flags = DROP, .value = {.dport = 7}};
	struct ask miss = drop;

	miss.flags = MISS;
	a = good_flow(f, drop);
	b = good_flow(f, drop);
	assert_int_equal(flow(f, miss, NULL), -EEXIST);
	assert_int_equal(no_flow(f, a), 0);
	assert_int_equal(ends(f, false, 7), STEER_DROP);
	assert_int_equal(flow(f, miss, NULL), -EEXIST);
	assert_int_equal(no_flow(f, b), 0);
	a = good_flow(f, miss);
	assert_int_equal(ends(f, false, 7), STEER_MISS);
}

/* Makes a DevX flow table of the highest level; returns its handle. */
static uint32_t devx_table(struct fx *f, uint32_t type)
{
	uint8_t in[PRM_CREATE_FLOW_TABLE_IN_BYTES] = {0}, out[16];
	void *ctx = prm_create_flow_table_in_at_flow_table_context(in);
	uint32_t handle;

	prm_create_flow_table_in_set_opcode(in, PRM_OPCODE_CREATE_FLOW_TABLE);
	prm_create_flow_table_in_set_table_type(in, type);
	prm_flow_table_context_set_level(ctx, 63);
	assert_int_equal(fx_devx_create(f, in, sizeof(in), out, sizeof(out), &handle), 0);
	return handle;
}

/* Proves that a root rule can send packets to a DevX flow table of a higher level. */
TEST(fx, to_devx_table)
{
	uint32_t m = good_matcher(f, 0, (struct match){0}), fl;
	uint32_t handle = devx_table(f, PRM_FLOW_TABLE_TYPE_NIC_RX);

	assert_int_equal(flow(f, (struct ask){.matcher = m, .flags = DROP, .devx = handle}, NULL),
			 -EINVAL);
	fl = good_flow(f, (struct ask){.matcher = m, .flags = NO_FLAGS, .devx = handle});
	assert_int_equal(ends(f, false, 7), STEER_MISS);
	/* a rule without a destination is refused, although the entry has another rule's */
	assert_int_equal(flow(f, (struct ask){.matcher = m, .flags = NO_FLAGS}, NULL), -EINVAL);
	assert_int_equal(fx_devx_destroy(f, handle), -EBUSY);
	assert_int_equal(no_flow(f, fl), 0);
	assert_int_equal(fx_devx_destroy(f, handle), 0);
}

TEST(fx, egress)
{
	uint32_t m, all;

	assert_int_equal(matcher(f, 0, (struct match){.dport = 0xffff}, 1, &m), 0);
	assert_int_equal(matcher(f, 1, (struct match){0}, 1, &all), 0);
	/* there is no table after the last TX table */
	assert_int_equal(flow(f, (struct ask){.matcher = m, .flags = MISS}, NULL), -EOPNOTSUPP);
	good_flow(f, (struct ask){.matcher = m, .flags = NO_FLAGS, .value = {.dport = 9}});
	good_flow(f, (struct ask){.matcher = all, .flags = DROP});
	assert_int_equal(ends(f, true, 9), STEER_WIRE);
	assert_int_equal(ends(f, true, 8), STEER_DROP);
}

/* Returns the end in the FDB of a packet that this function sends. */
static enum steer_end fdb_end(struct fx *f, struct vhca *from)
{
	const struct steer_stats before = *steer_fdb_stats(f->dev, from);

	send_by_fdb(f, from);
	for (unsigned int i = 0; i < STEER_ENDS; i++)
		if (steer_fdb_stats(f->dev, from)->ends[i] != before.ends[i])
			return (enum steer_end)i;
	return STEER_ENDS;
}

/*
 * Proves that in switchdev mode the manager's packets go to the wire and all others to it, unless a
 * rule of the FDB takes them; a rule has a DevX table or drops.
 */
TEST(switchdev, fdb)
{
	struct vhca *host = &f->dev->vhca[BLUEFIELD2_HOST];
	uint32_t m, fl, table;

	assert_int_equal(fdb_end(f, f->v), STEER_WIRE);
	assert_int_equal(fdb_end(f, host), STEER_VPORT);
	assert_int_equal(matcher(f, 3, (struct match){0}, MLX5_IB_UAPI_FLOW_TABLE_TYPE_FDB, &m), 0);
	FX_REFUSES(f, flow(f, (struct ask){.matcher = m, .flags = MISS}, NULL), -EINVAL,
		   "in the FDB a flow has DEST_DEVX or DROP");
	assert_int_equal(flow(f, (struct ask){.matcher = m, .flags = NO_FLAGS}, NULL), -EINVAL);
	fl = good_flow(f, (struct ask){.matcher = m, .flags = DROP});
	assert_int_equal(fdb_end(f, f->v), STEER_DROP);
	assert_int_equal(fdb_end(f, host), STEER_DROP);
	assert_int_equal(no_flow(f, fl), 0);
	assert_int_equal(fdb_end(f, f->v), STEER_WIRE);
	/* an empty table misses to the manager, past the slow path */
	table = devx_table(f, PRM_FLOW_TABLE_TYPE_FDB);
	fl = good_flow(f, (struct ask){.matcher = m, .flags = NO_FLAGS, .devx = table});
	assert_int_equal(fdb_end(f, f->v), STEER_VPORT);
	assert_int_equal(no_flow(f, fl), 0);
	assert_int_equal(fx_devx_destroy(f, table), 0);
}

static int anchor(struct fx *f, uint64_t type, uint16_t priority, uint32_t *handle, uint32_t *id)
{
	return FX_CALL(f, MLX5_IB_OBJECT_STEERING_ANCHOR, MLX5_IB_METHOD_STEERING_ANCHOR_CREATE,
		       A_NEW(MLX5_IB_ATTR_STEERING_ANCHOR_CREATE_HANDLE, handle),
		       A_VALUE(MLX5_IB_ATTR_STEERING_ANCHOR_FT_TYPE, type, 8),
		       A_VALUE(MLX5_IB_ATTR_STEERING_ANCHOR_PRIORITY, priority, 2),
		       A_OUT(MLX5_IB_ATTR_STEERING_ANCHOR_FT_ID, id, 4));
}

static int no_anchor(struct fx *f, uint32_t handle)
{
	return fx_destroy(f, MLX5_IB_OBJECT_STEERING_ANCHOR, MLX5_IB_METHOD_STEERING_ANCHOR_DESTROY,
			  handle);
}

/* Proves that an anchor leads to its priority's table, and drops packets without users. */
TEST(fx, anchors)
{
	uint32_t a, b, id, same;
	uint32_t m = good_matcher(f, 4, (struct match){.dport = 0xffff});

	assert_int_equal(anchor(f, 2, 4, &a, &id), -EOPNOTSUPP);
	assert_int_equal(anchor(f, 0, 16, &a, &id), -EINVAL);
	good_flow(f, (struct ask){.matcher = m, .flags = DROP, .value = {.dport = 7}});
	assert_int_equal(anchor(f, 0, 4, &a, &id), 0);
	assert_int_equal(anchor(f, 0, 4, &b, &same), 0);
	assert_int_equal(id, same);
	/* the root stands for a program's entry that leads to the anchor */
	f->v->flow_root[0] = obj_find(f->v, OBJ_FLOW_TABLE, id);
	assert_int_equal(ends(f, false, 7), STEER_DROP);
	assert_int_equal(ends(f, false, 8), STEER_MISS);
	assert_int_equal(no_anchor(f, a), 0);
	assert_int_equal(ends(f, false, 8), STEER_MISS);
	assert_int_equal(no_anchor(f, b), 0);
	assert_int_equal(ends(f, false, 8), STEER_DROP);
	/* the kernel keeps the anchor's table and two groups */
	f->objects += 3;
}

TEST(fx, actions)
{
	uint8_t ttl[8] = {0};
	uint32_t handle;

	prm_set_action_in_set_action_type(ttl, PRM_ACTION_TYPE_SET);
	prm_set_action_in_set_field(ttl, PRM_MODIFY_FIELD_OUT_IP_TTL);
	prm_set_action_in_set_length(ttl, 8);
	for (uint64_t type = 0; type < 3; type++) {
		assert_int_equal(
			FX_CALL(f, UVERBS_OBJECT_FLOW_ACTION,
				MLX5_IB_METHOD_FLOW_ACTION_CREATE_MODIFY_HEADER,
				A_NEW(MLX5_IB_ATTR_CREATE_MODIFY_HEADER_HANDLE, &handle),
				A_IN(MLX5_IB_ATTR_CREATE_MODIFY_HEADER_ACTIONS_PRM, ttl,
				     sizeof(ttl)),
				A_VALUE(MLX5_IB_ATTR_CREATE_MODIFY_HEADER_FT_TYPE, type, 8)),
			type < 2 ? 0 : -EOPNOTSUPP);
		if (!type)
			assert_int_equal(FX_DESTROY(f, FLOW_ACTION, handle), 0);
	}
}

static int reformat(struct fx *f, uint64_t type, uint64_t ft_type, uint32_t bytes, uint32_t *handle)
{
	static const uint8_t header[256] = {[12] = 0x88, [13] = 0xb5};

	if (!bytes)
		return FX_CALL(f, UVERBS_OBJECT_FLOW_ACTION,
			       MLX5_IB_METHOD_FLOW_ACTION_CREATE_PACKET_REFORMAT,
			       A_NEW(MLX5_IB_ATTR_CREATE_PACKET_REFORMAT_HANDLE, handle),
			       A_VALUE(MLX5_IB_ATTR_CREATE_PACKET_REFORMAT_TYPE, type, 8),
			       A_VALUE(MLX5_IB_ATTR_CREATE_PACKET_REFORMAT_FT_TYPE, ft_type, 8));
	return FX_CALL(f, UVERBS_OBJECT_FLOW_ACTION,
		       MLX5_IB_METHOD_FLOW_ACTION_CREATE_PACKET_REFORMAT,
		       A_NEW(MLX5_IB_ATTR_CREATE_PACKET_REFORMAT_HANDLE, handle),
		       A_IN(MLX5_IB_ATTR_CREATE_PACKET_REFORMAT_DATA_BUF, header, bytes),
		       A_VALUE(MLX5_IB_ATTR_CREATE_PACKET_REFORMAT_TYPE, type, 8),
		       A_VALUE(MLX5_IB_ATTR_CREATE_PACKET_REFORMAT_FT_TYPE, ft_type, 8));
}

/* A type belongs to one direction; only the removal of an L2 tunnel needs no header. */
TEST(fx, reformats)
{
	static const struct {
		uint8_t type, ft_type;
		uint16_t bytes;
		int err;
	} rows[] = {
		{0, 0, 0, 0},
		{0, 1, 0, -EOPNOTSUPP},
		{1, 1, 14, 0},
		{1, 0, 14, -EOPNOTSUPP},
		{2, 0, 14, 0},
		{2, 0, 18, 0},
		{2, 1, 14, -EOPNOTSUPP},
		{3, 1, 126, 0},
		{3, 0, 126, -EOPNOTSUPP},
		{4, 1, 14, -EOPNOTSUPP},
		{1, 2, 14, -EOPNOTSUPP},
		{1, 1, 0, -ENOENT},
		{1, 1, 128, -EINVAL},
		{1, 1, 12, -EINVAL},
		{2, 0, 16, -EINVAL},
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		uint32_t handle;

		assert_int_equal(reformat(f, rows[i].type, rows[i].ft_type, rows[i].bytes, &handle),
				 rows[i].err);
		if (!rows[i].err)
			assert_int_equal(FX_DESTROY(f, FLOW_ACTION, handle), 0);
	}
}
