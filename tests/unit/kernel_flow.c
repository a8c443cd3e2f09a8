/* SPDX-License-Identifier: BSD-2-Clause */
/* Proves the flow methods: priorities and groups as mlx5_core makes them, shared entries, counters,
 * verbs' specs, and what each refuses. */
#include <endian.h>
#include <errno.h>
#include <dvx/prm/cmd.h>
#include <dvx/prm/flow.h>
#include <dvx/prm/match.h>
#include "kernel_fixture.h"
#include "obj/tir.h"
#include "steer/steer.h"

#define PORT_BYTES 0x40u /* of fte_match_param: all outer headers */
#define DROP	   MLX5_IB_ATTR_CREATE_FLOW_FLAGS_DROP
#define MISS	   MLX5_IB_ATTR_CREATE_FLOW_FLAGS_DEFAULT_MISS
#define NO_FLAGS   UINT32_MAX
#define SQ_AT	   0x60000u /* of a raw QP's second buffer, in the fixture's memory */
#define DESCS_AT   0x70000u

/* --- matchers and flows of mlx5dv ------------------------------------------------------------ */

struct match {
	uint16_t dport; /* of UDP */
	uint32_t dmac;	/* high 32 bits */
};

static void fill(uint8_t *param, const struct match *m)
{
	memset(param, 0, PORT_BYTES);
	prm_fte_match_set_lyr_2_4_set_udp_dport(param, m->dport);
	prm_fte_match_set_lyr_2_4_set_dmac_47_16(param, m->dmac);
}

static int matcher(struct fx *f, uint16_t priority, struct match mask, int type, uint32_t *handle)
{
	uint8_t param[PORT_BYTES];
	struct rq r;
	int err;

	fill(param, &mask);
	rq_init(&r, MLX5_IB_OBJECT_FLOW_MATCHER, MLX5_IB_METHOD_FLOW_MATCHER_CREATE);
	rq_handle(&r, MLX5_IB_ATTR_FLOW_MATCHER_CREATE_HANDLE, 0);
	rq_in(&r, MLX5_IB_ATTR_FLOW_MATCHER_MATCH_MASK, param, sizeof(param));
	rq_value(&r, MLX5_IB_ATTR_FLOW_MATCHER_FLOW_TYPE, priority, 2);
	rq_value(&r, MLX5_IB_ATTR_FLOW_MATCHER_MATCH_CRITERIA, 1, 1);
	if (type >= 0)
		rq_value(&r, MLX5_IB_ATTR_FLOW_MATCHER_FT_TYPE, (uint64_t)type, 8);
	err = rq_run(f, &r);
	*handle = (uint32_t)rq_attr(&r, MLX5_IB_ATTR_FLOW_MATCHER_CREATE_HANDLE)->data;
	rq_done(&r);
	return err;
}

static uint32_t good_matcher(struct fx *f, uint16_t priority, struct match mask)
{
	uint32_t handle;

	assert_int_equal(matcher(f, priority, mask, -1, &handle), 0);
	return handle;
}

struct ask {
	uint32_t matcher, flags;
	struct match value;
	uint32_t devx, counter; /* handles, 0: none; NO_FLAGS with a devx */
	uint32_t offset, tag;
	size_t len; /* of the value; 0: all */
};

static int flow(struct fx *f, struct ask a, uint32_t *handle)
{
	uint8_t param[PORT_BYTES];
	struct rq r;
	int err;

	fill(param, &a.value);
	rq_init(&r, UVERBS_OBJECT_FLOW, MLX5_IB_METHOD_CREATE_FLOW);
	rq_handle(&r, MLX5_IB_ATTR_CREATE_FLOW_HANDLE, 0);
	rq_in(&r, MLX5_IB_ATTR_CREATE_FLOW_MATCH_VALUE, param, a.len ? a.len : sizeof(param));
	rq_handle(&r, MLX5_IB_ATTR_CREATE_FLOW_MATCHER, a.matcher);
	if (a.flags != NO_FLAGS)
		rq_value(&r, MLX5_IB_ATTR_CREATE_FLOW_FLAGS, a.flags, 4);
	if (a.devx)
		rq_handle(&r, MLX5_IB_ATTR_CREATE_FLOW_DEST_DEVX, a.devx);
	if (a.counter) {
		rq_value(&r, MLX5_IB_ATTR_CREATE_FLOW_ARR_COUNTERS_DEVX, a.counter, 4);
		rq_value(&r, MLX5_IB_ATTR_CREATE_FLOW_ARR_COUNTERS_DEVX_OFFSET, a.offset, 4);
	}
	if (a.tag)
		rq_value(&r, MLX5_IB_ATTR_CREATE_FLOW_TAG, a.tag, 4);
	err = rq_run(f, &r);
	if (handle)
		*handle = (uint32_t)rq_attr(&r, MLX5_IB_ATTR_CREATE_FLOW_HANDLE)->data;
	rq_done(&r);
	return err;
}

static uint32_t good_flow(struct fx *f, struct ask a)
{
	uint32_t handle;

	assert_int_equal(flow(f, a, &handle), 0);
	return handle;
}

static int no_flow(struct fx *f, uint32_t handle)
{
	return fx_destroy(f, UVERBS_OBJECT_FLOW, UVERBS_METHOD_FLOW_DESTROY, handle);
}

static int no_matcher(struct fx *f, uint32_t handle)
{
	return fx_destroy(f, MLX5_IB_OBJECT_FLOW_MATCHER, MLX5_IB_METHOD_FLOW_MATCHER_DESTROY,
			  handle);
}

/* --- packets -------------------------------------------------------------------------------- */

static unsigned int delivered;
static uint32_t delivered_tag;

static void to_tir(struct tir *t, const struct packet *p)
{
	(void)t;
	delivered++;
	delivered_tag = p->flow_tag;
}

static void to_wire(struct vhca *v, const struct packet *p)
{
	(void)v;
	(void)p;
}

/* Where a UDP packet to this port ends, of those sent or received. */
static enum steer_end ends(struct fx *f, bool tx, uint16_t port)
{
	static const struct steer_ops ops = {to_tir, to_wire};
	struct steer_stats before = *steer_stats(f->v);
	uint8_t bytes[42 + 2 * STEER_HEADROOM] = {0};
	static const uint8_t udp[42] =
		"\x02\xd7\x00\x00\x00\x01\x02\xd7\x00\x00\x00\x02\x08\x00"
		"\x45\x00\x00\x1c\x00\x00\x00\x00\x40\x11\x66\xce\x0a\x00\x00\x01\x0a\x00\x00\x02"
		"\x30\x39\x00\x00\x00\x08\x00";
	struct packet p = {.data = bytes + STEER_HEADROOM,
			   .len = sizeof(udp),
			   .headroom = STEER_HEADROOM,
			   .tailroom = STEER_HEADROOM};

	memcpy(p.data, udp, sizeof(udp));
	p.data[36] = (uint8_t)(port >> 8);
	p.data[37] = (uint8_t)port;
	packet_parse_headers(&p);
	steer_set_ops(f->si->steer, &ops);
	if (tx)
		steer_tx(f->v, &p);
	else
		steer_rx(f->v, &p);
	for (unsigned int i = 0; i < STEER_ENDS; i++) {
		if (steer_stats(f->v)->ends[i] != before.ends[i])
			return (enum steer_end)i;
	}
	return STEER_ENDS;
}

/* --- tests ---------------------------------------------------------------------------------- */

static void matchers_refuse(void **state)
{
	const struct match mask = {.dport = 0xffff};
	struct fx *f = *state;
	uint32_t handle, m;
	struct rq r;

	assert_int_equal(matcher(f, 0, mask, 5, &handle), -EINVAL);
	assert_true(fx_logged(f, "FT_TYPE"));
	/* kinds without tables are told when a flow comes, as mlx5_ib does */
	for (int type = 2; type < 5; type++) {
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
	/* nowhere to go: firmware wants to know where packets end */
	assert_int_equal(flow(f, (struct ask){.matcher = m, .flags = NO_FLAGS}, &handle), -EINVAL);
	assert_int_equal(
		flow(f, (struct ask){.matcher = m, .flags = DROP, .tag = 1u << 24}, &handle),
		-EINVAL);
	assert_int_equal(flow(f, (struct ask){.matcher = m + 9, .flags = DROP}, &handle), -ENOENT);
	rq_init(&r, MLX5_IB_OBJECT_FLOW_MATCHER, MLX5_IB_METHOD_FLOW_MATCHER_CREATE);
	rq_handle(&r, MLX5_IB_ATTR_FLOW_MATCHER_CREATE_HANDLE, 0);
	rq_in(&r, MLX5_IB_ATTR_FLOW_MATCHER_MATCH_MASK, f->mem, 513);
	rq_value(&r, MLX5_IB_ATTR_FLOW_MATCHER_FLOW_TYPE, 0, 2);
	rq_value(&r, MLX5_IB_ATTR_FLOW_MATCHER_MATCH_CRITERIA, 1, 1);
	assert_int_equal(rq_run(f, &r), -EINVAL);
	rq_done(&r);
}

/* The lower priority number is met first, in whatever order the tables came. */
static void priorities(void **state)
{
	struct fx *f = *state;
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
	/* tables and groups are gone, so nothing listens */
	assert_int_equal(fx_objects(f), before);
	assert_false(steer_listens(f->v));
	assert_int_equal(no_matcher(f, one), 0);
}

/* Short values are zeros behind; a tag and 8 masks in one priority, where six share the table. */
static void groups(void **state)
{
	struct fx *f = *state;
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
	/* one entry a group from the seventh mask on: a second value makes an eighth */
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

/* Rules with one match share an entry, which goes with the last; another action is refused. */
static void shared(void **state)
{
	struct fx *f = *state;
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

static uint32_t devx_counter(struct fx *f, uint8_t bulk, uint32_t *id)
{
	uint8_t in[PRM_ALLOC_FLOW_COUNTER_IN_BYTES] = {0};
	uint32_t handle;
	struct rq r;

	prm_alloc_flow_counter_in_set_opcode(in, PRM_OPCODE_ALLOC_FLOW_COUNTER);
	prm_alloc_flow_counter_in_set_flow_counter_bulk(in, bulk);
	rq_init(&r, MLX5_IB_OBJECT_DEVX_OBJ, MLX5_IB_METHOD_DEVX_OBJ_CREATE);
	rq_handle(&r, MLX5_IB_ATTR_DEVX_OBJ_CREATE_HANDLE, 0);
	rq_in(&r, MLX5_IB_ATTR_DEVX_OBJ_CREATE_CMD_IN, in, sizeof(in));
	rq_out(&r, MLX5_IB_ATTR_DEVX_OBJ_CREATE_CMD_OUT, 16);
	assert_int_equal(rq_run(f, &r), 0);
	handle = (uint32_t)rq_attr(&r, MLX5_IB_ATTR_DEVX_OBJ_CREATE_HANDLE)->data;
	*id = prm_alloc_flow_counter_out_get_flow_counter_id(
		rq_attr(&r, MLX5_IB_ATTR_DEVX_OBJ_CREATE_CMD_OUT)->out);
	rq_done(&r);
	return handle;
}

/* A DevX query, with a handle that need not be the number's. */
static int devx_count(struct fx *f, uint32_t handle, uint32_t id, uint64_t *packets)
{
	uint8_t in[PRM_QUERY_FLOW_COUNTER_IN_BYTES] = {0};
	struct rq r;
	int err;

	prm_query_flow_counter_in_set_opcode(in, PRM_OPCODE_QUERY_FLOW_COUNTER);
	prm_query_flow_counter_in_set_flow_counter_id(in, id);
	rq_init(&r, MLX5_IB_OBJECT_DEVX_OBJ, MLX5_IB_METHOD_DEVX_OBJ_QUERY);
	rq_handle(&r, MLX5_IB_ATTR_DEVX_OBJ_QUERY_HANDLE, handle);
	rq_in(&r, MLX5_IB_ATTR_DEVX_OBJ_QUERY_CMD_IN, in, sizeof(in));
	rq_out(&r, MLX5_IB_ATTR_DEVX_OBJ_QUERY_CMD_OUT, 32);
	err = rq_run(f, &r);
	*packets = prm_load64(rq_attr(&r, MLX5_IB_ATTR_DEVX_OBJ_QUERY_CMD_OUT)->out, 16);
	rq_done(&r);
	return err;
}

static void devx_counters(void **state)
{
	struct fx *f = *state;
	uint32_t m = good_matcher(f, 0, (struct match){.dport = 0xffff}), id, fl;
	uint32_t handle = devx_counter(f, 1, &id);
	struct ask a = {.matcher = m, .flags = DROP, .value = {.dport = 7}, .counter = handle};
	uint64_t packets;

	a.offset = 128;
	assert_int_equal(flow(f, a, NULL), -EINVAL);
	a.counter = good_matcher(f, 1, (struct match){.dport = 0xffff});
	assert_int_equal(flow(f, a, NULL), -EINVAL);
	a.counter = handle;
	a.offset = 0;
	fl = good_flow(f, a);
	assert_int_equal(ends(f, false, 7), STEER_DROP);
	assert_int_equal(ends(f, false, 7), STEER_DROP);
	assert_int_equal(devx_count(f, handle, id, &packets), 0);
	assert_int_equal(packets, 2);
	assert_int_equal(devx_count(f, handle, id + 1, &packets), -EINVAL);
	/* held by the rule */
	assert_int_equal(
		fx_destroy(f, MLX5_IB_OBJECT_DEVX_OBJ, MLX5_IB_METHOD_DEVX_OBJ_DESTROY, handle),
		-EBUSY);
	assert_int_equal(no_flow(f, fl), 0);
	assert_int_equal(
		fx_destroy(f, MLX5_IB_OBJECT_DEVX_OBJ, MLX5_IB_METHOD_DEVX_OBJ_DESTROY, handle), 0);
}

/* Two programs with one match: each has its counter, and loses nothing when the other goes. */
static void two_counters(void **state)
{
	struct fx *f = *state;
	uint32_t m = good_matcher(f, 0, (struct match){.dport = 0xffff}), id[2], fl;
	uint32_t first = devx_counter(f, 0, &id[0]), second = devx_counter(f, 0, &id[1]);
	struct ask a = {.matcher = m, .flags = DROP, .value = {.dport = 7}, .counter = first};
	uint64_t packets;

	fl = good_flow(f, a);
	good_flow(f, a);
	a.counter = second;
	good_flow(f, a);
	assert_int_equal(ends(f, false, 7), STEER_DROP);
	assert_int_equal(no_flow(f, fl), 0);
	assert_int_equal(ends(f, false, 7), STEER_DROP);
	assert_int_equal(devx_count(f, first, id[0], &packets), 0);
	assert_int_equal(packets, 2);
	assert_int_equal(devx_count(f, second, id[1], &packets), 0);
	assert_int_equal(packets, 2);
}

/* A DevX flow table of a higher level takes what a root rule sends there. */
static void devx_table(void **state)
{
	uint8_t in[PRM_CREATE_FLOW_TABLE_IN_BYTES] = {0};
	void *ctx = prm_create_flow_table_in_at_flow_table_context(in);
	struct fx *f = *state;
	uint32_t m = good_matcher(f, 0, (struct match){0}), handle, fl;
	struct rq r;

	prm_create_flow_table_in_set_opcode(in, PRM_OPCODE_CREATE_FLOW_TABLE);
	prm_flow_table_context_set_level(ctx, 63);
	rq_init(&r, MLX5_IB_OBJECT_DEVX_OBJ, MLX5_IB_METHOD_DEVX_OBJ_CREATE);
	rq_handle(&r, MLX5_IB_ATTR_DEVX_OBJ_CREATE_HANDLE, 0);
	rq_in(&r, MLX5_IB_ATTR_DEVX_OBJ_CREATE_CMD_IN, in, sizeof(in));
	rq_out(&r, MLX5_IB_ATTR_DEVX_OBJ_CREATE_CMD_OUT, 16);
	assert_int_equal(rq_run(f, &r), 0);
	handle = (uint32_t)rq_attr(&r, MLX5_IB_ATTR_DEVX_OBJ_CREATE_HANDLE)->data;
	rq_done(&r);
	assert_int_equal(flow(f, (struct ask){.matcher = m, .flags = DROP, .devx = handle}, NULL),
			 -EINVAL);
	fl = good_flow(f, (struct ask){.matcher = m, .flags = NO_FLAGS, .devx = handle});
	assert_int_equal(ends(f, false, 7), STEER_MISS);
	/* a rule that leads nowhere does not live on another's destination */
	assert_int_equal(flow(f, (struct ask){.matcher = m, .flags = NO_FLAGS}, NULL), -EINVAL);
	assert_int_equal(
		fx_destroy(f, MLX5_IB_OBJECT_DEVX_OBJ, MLX5_IB_METHOD_DEVX_OBJ_DESTROY, handle),
		-EBUSY);
	assert_int_equal(no_flow(f, fl), 0);
	assert_int_equal(
		fx_destroy(f, MLX5_IB_OBJECT_DEVX_OBJ, MLX5_IB_METHOD_DEVX_OBJ_DESTROY, handle), 0);
}

static void egress(void **state)
{
	struct fx *f = *state;
	uint32_t m, all;

	assert_int_equal(matcher(f, 0, (struct match){.dport = 0xffff}, 1, &m), 0);
	assert_int_equal(matcher(f, 1, (struct match){0}, 1, &all), 0);
	/* behind the last send table is none */
	assert_int_equal(flow(f, (struct ask){.matcher = m, .flags = MISS}, NULL), -EOPNOTSUPP);
	good_flow(f, (struct ask){.matcher = m, .flags = NO_FLAGS, .value = {.dport = 9}});
	good_flow(f, (struct ask){.matcher = all, .flags = DROP});
	assert_int_equal(ends(f, true, 9), STEER_WIRE);
	assert_int_equal(ends(f, true, 8), STEER_DROP);
}

static int anchor(struct fx *f, uint64_t type, uint16_t priority, uint32_t *handle, uint32_t *id)
{
	struct rq r;
	int err;

	rq_init(&r, MLX5_IB_OBJECT_STEERING_ANCHOR, MLX5_IB_METHOD_STEERING_ANCHOR_CREATE);
	rq_handle(&r, MLX5_IB_ATTR_STEERING_ANCHOR_CREATE_HANDLE, 0);
	rq_value(&r, MLX5_IB_ATTR_STEERING_ANCHOR_FT_TYPE, type, 8);
	rq_value(&r, MLX5_IB_ATTR_STEERING_ANCHOR_PRIORITY, priority, 2);
	rq_out(&r, MLX5_IB_ATTR_STEERING_ANCHOR_FT_ID, 4);
	err = rq_run(f, &r);
	*handle = (uint32_t)rq_attr(&r, MLX5_IB_ATTR_STEERING_ANCHOR_CREATE_HANDLE)->data;
	*id = rq_u32(&r, MLX5_IB_ATTR_STEERING_ANCHOR_FT_ID);
	rq_done(&r);
	return err;
}

/* A packet that is led to an anchor meets its priority; when the anchor is gone, it is dropped. */
static void anchors(void **state)
{
	struct fx *f = *state;
	uint32_t a, b, id, same;
	uint32_t m = good_matcher(f, 4, (struct match){.dport = 0xffff});

	assert_int_equal(anchor(f, 2, 4, &a, &id), -EOPNOTSUPP);
	assert_int_equal(anchor(f, 0, 16, &a, &id), -EINVAL);
	good_flow(f, (struct ask){.matcher = m, .flags = DROP, .value = {.dport = 7}});
	assert_int_equal(anchor(f, 0, 4, &a, &id), 0);
	assert_int_equal(anchor(f, 0, 4, &b, &same), 0);
	assert_int_equal(id, same);
	/* as if a program's entry had led there */
	f->v->flow_root[0] = obj_find(f->v, OBJ_FLOW_TABLE, id);
	assert_int_equal(ends(f, false, 7), STEER_DROP);
	assert_int_equal(ends(f, false, 8), STEER_MISS);
	assert_int_equal(fx_destroy(f, MLX5_IB_OBJECT_STEERING_ANCHOR,
				    MLX5_IB_METHOD_STEERING_ANCHOR_DESTROY, a),
			 0);
	assert_int_equal(ends(f, false, 8), STEER_MISS);
	assert_int_equal(fx_destroy(f, MLX5_IB_OBJECT_STEERING_ANCHOR,
				    MLX5_IB_METHOD_STEERING_ANCHOR_DESTROY, b),
			 0);
	assert_int_equal(ends(f, false, 8), STEER_DROP);
	/* the anchor's table, its two groups; the kernel keeps them */
	f->objects += 3;
}

/* --- verbs' flows --------------------------------------------------------------------------- */

static uint32_t raw_qp(struct fx *f)
{
	struct mlx5_ib_create_qp u;
	uint32_t handle;
	struct rq r;

	fx_fill_qp(f, &r, &u, fx_pd(f), fx_cq(f, NULL));
	u.sq_buf_addr = (uintptr_t)f->mem + SQ_AT;
	u.flags = MLX5_QP_FLAG_UAR_PAGE_INDEX;
	rq_attr(&r, UVERBS_ATTR_CREATE_QP_TYPE)->data = IB_UVERBS_QPT_RAW_PACKET;
	rq_in(&r, UVERBS_ATTR_UHW_IN, &u, sizeof(u));
	assert_int_equal(rq_run(f, &r), 0);
	handle = (uint32_t)rq_attr(&r, UVERBS_ATTR_CREATE_QP_HANDLE)->data;
	rq_done(&r);
	return handle;
}

struct verbs_flow {
	struct ib_uverbs_create_flow head;
	struct ib_uverbs_flow_spec_eth eth;
	struct ib_uverbs_flow_spec_ipv4 ip;
	struct ib_uverbs_flow_spec_tcp_udp udp;
	struct ib_uverbs_flow_spec_action_tag tag;
	struct ib_uverbs_flow_spec_action_count count;
};

static struct verbs_flow udp_flow(uint32_t qp, uint16_t port)
{
	struct verbs_flow v = {.head = {.qp_handle = qp}};

	v.head.flow_attr.port = 1;
	v.head.flow_attr.num_of_specs = 4;
	v.head.flow_attr.size = offsetof(struct verbs_flow, count) - sizeof(v.head);
	v.eth.type = 0x20;
	v.eth.size = sizeof(v.eth);
	v.eth.val.ether_type = htobe16(0x800);
	v.eth.mask.ether_type = 0xffff;
	v.ip.type = 0x30;
	v.ip.size = sizeof(v.ip);
	v.ip.val.dst_ip = htobe32(0x0a000002);
	v.ip.mask.dst_ip = UINT32_MAX;
	v.udp.type = 0x41;
	v.udp.size = sizeof(v.udp);
	v.udp.val.dst_port = htobe16(port);
	v.udp.mask.dst_port = 0xffff;
	v.tag.type = 0x1000;
	v.tag.size = sizeof(v.tag);
	v.tag.tag_id = 0x77;
	v.count.type = 0x1003;
	v.count.size = sizeof(v.count);
	return v;
}

#define CREATE_FLOW  (IB_USER_VERBS_EX_CMD_CREATE_FLOW | IB_USER_VERBS_CMD_FLAG_EXTENDED)
#define DESTROY_FLOW (IB_USER_VERBS_EX_CMD_DESTROY_FLOW | IB_USER_VERBS_CMD_FLAG_EXTENDED)

static int create_verbs(struct fx *f, const struct verbs_flow *v, uint32_t *handle)
{
	struct ib_uverbs_create_flow_resp resp;
	int err = fx_write(f, CREATE_FLOW, v, sizeof(*v), &resp, sizeof(resp));

	if (handle)
		*handle = resp.flow_handle;
	return err;
}

static void verbs_flows(void **state)
{
	struct fx *f = *state;
	uint32_t qp = raw_qp(f), handle, second;
	struct verbs_flow v = udp_flow(qp, 53);
	struct ib_uverbs_destroy_flow bye = {0};

	assert_int_equal(create_verbs(f, &v, &handle), 0);
	delivered = 0;
	assert_int_equal(ends(f, false, 53), STEER_TIR);
	assert_int_equal(delivered, 1);
	assert_int_equal(delivered_tag, 0x77);
	assert_int_equal(ends(f, false, 54), STEER_MISS);
	assert_int_equal(fx_destroy(f, UVERBS_OBJECT_QP, UVERBS_METHOD_QP_DESTROY, qp), -EBUSY);
	/* what is left goes to whoever takes all */
	v = (struct verbs_flow){.head = {.qp_handle = qp, .flow_attr = {.type = 1, .port = 1}}};
	assert_int_equal(create_verbs(f, &v, &second), 0);
	assert_int_equal(ends(f, false, 54), STEER_TIR);
	assert_int_equal(delivered_tag, 0);
	bye.flow_handle = second;
	assert_int_equal(fx_write(f, DESTROY_FLOW, &bye, sizeof(bye), NULL, 0), 0);
	assert_int_equal(ends(f, false, 54), STEER_MISS);
	/* a second QP of the same match gets a copy of its own */
	v = udp_flow(qp, 53);
	assert_int_equal(create_verbs(f, &v, &second), 0);
	delivered = 0;
	ends(f, false, 53);
	assert_int_equal(delivered, 1); /* the same TIR is one destination */
	bye.flow_handle = handle;
	assert_int_equal(fx_write(f, DESTROY_FLOW, &bye, sizeof(bye), NULL, 0), 0);
	assert_int_equal(ends(f, false, 53), STEER_TIR);
}

/* DONT_TRAP: the packet also goes on to the next priority, and follows when one comes between. */
static void dont_trap(void **state)
{
	struct fx *f = *state;
	uint32_t qp = raw_qp(f), m, fl;
	struct verbs_flow v = udp_flow(qp, 53);
	struct steer_stats before;

	v.head.flow_attr.flags = 2;
	assert_int_equal(create_verbs(f, &v, NULL), 0);
	before = *steer_stats(f->v);
	ends(f, false, 53);
	assert_int_equal(steer_stats(f->v)->ends[STEER_TIR], before.ends[STEER_TIR] + 1);
	assert_int_equal(steer_stats(f->v)->ends[STEER_MISS], before.ends[STEER_MISS] + 1);
	m = good_matcher(f, 3, (struct match){0});
	fl = good_flow(f, (struct ask){.matcher = m, .flags = DROP});
	before = *steer_stats(f->v);
	ends(f, false, 53);
	assert_int_equal(steer_stats(f->v)->ends[STEER_TIR], before.ends[STEER_TIR] + 1);
	assert_int_equal(steer_stats(f->v)->ends[STEER_DROP], before.ends[STEER_DROP] + 1);
	assert_int_equal(no_flow(f, fl), 0);
	before = *steer_stats(f->v);
	ends(f, false, 53);
	assert_int_equal(steer_stats(f->v)->ends[STEER_MISS], before.ends[STEER_MISS] + 1);
}

static void verbs_refuse(void **state)
{
	struct fx *f = *state;
	const uint32_t qp = raw_qp(f), rc = fx_qp(f, fx_pd(f), fx_cq(f, NULL), NULL);
	const uint32_t objects = fx_objects(f);
	static const struct {
		size_t at;
		uint8_t byte;
		int err;
	} spoils[] = {
#define AT(field) offsetof(struct verbs_flow, field)
		{AT(head.comp_mask), 1, -EINVAL},
		{AT(head.flow_attr.reserved), 1, -EINVAL},
		{AT(head.flow_attr.num_of_specs), 11, -EINVAL},
		{AT(head.flow_attr.num_of_specs), 3, -EINVAL}, /* bytes are left */
		{AT(head.flow_attr.num_of_specs), 5, -EINVAL},
		{AT(head.flow_attr.size) + 1, 1, -EINVAL},
		{AT(head.flow_attr.priority), 16, -ENOMEM},
		{AT(head.flow_attr.port), 2, -EINVAL},
		{AT(head.flow_attr.port), 0, -EINVAL},
		{AT(head.flow_attr.flags), 8, -EINVAL},
		{AT(head.flow_attr.type), 3, -EOPNOTSUPP},
		{AT(head.flow_attr.type), 1, -EINVAL}, /* a default flow, with specs */
		{AT(eth.type), 0x21, -EOPNOTSUPP},
		{AT(eth.size), 7, -EINVAL},
		{AT(eth.size), 255, -EINVAL},
		{AT(eth.reserved), 1, -EINVAL},
		{AT(eth.val.ether_type), 0x86, -EINVAL}, /* but an IPv4 spec */
		{AT(ip.mask.ttl), 1, -EOPNOTSUPP},
		{AT(ip.mask.proto), 0xff, -EINVAL}, /* 0, and a UDP spec */
		{AT(tag.tag_id) + 3, 1, -EINVAL},
		{AT(tag.type) + 1, 0x11, -EINVAL}, /* an inner tag */
		{AT(tag.size), 8, -EINVAL},
	};

	for (size_t i = 0; i < sizeof(spoils) / sizeof(spoils[0]); i++) {
		struct verbs_flow v = udp_flow(qp, 53);

		((uint8_t *)&v)[spoils[i].at] = spoils[i].byte;
		if (create_verbs(f, &v, NULL) != spoils[i].err)
			fail_msg("spoil %zu", i);
		assert_int_equal(fx_objects(f), objects);
	}
	for (size_t len = 0; len < sizeof(struct verbs_flow); len += 5) {
		struct verbs_flow v = udp_flow(qp, 53);
		struct ib_uverbs_create_flow_resp resp;
		int err = fx_write(f, CREATE_FLOW, &v, len, &resp, sizeof(resp));

		assert_int_equal(err == 0, len >= offsetof(struct verbs_flow, count));
	}
	{
		struct verbs_flow v = udp_flow(rc, 53);

		assert_int_equal(create_verbs(f, &v, NULL), -EINVAL);
	}
}

/* Any bytes: refused, or a flow that goes again. */
static void verbs_hostile(void **state)
{
	struct fx *f = *state;
	const uint32_t qp = raw_qp(f), objects = fx_objects(f);
	unsigned int seed = 60, made = 0;

	for (unsigned int i = 0; i < 20000; i++) {
		struct verbs_flow v = udp_flow(qp, 53);
		struct ib_uverbs_create_flow_resp resp;
		uint8_t *bytes = (uint8_t *)&v;
		size_t len = rand_r(&seed) % 4 ? sizeof(v) : (size_t)rand_r(&seed) % sizeof(v);

		for (int n = rand_r(&seed) % 5; n; n--)
			bytes[(size_t)rand_r(&seed) % sizeof(v)] =
				(uint8_t)(rand_r(&seed) % 2 ? rand_r(&seed) : rand_r(&seed) % 5);
		if (fx_write(f, CREATE_FLOW, &v, len, &resp, sizeof(resp)))
			continue;
		made++;
		ends(f, v.head.flow_attr.flags & 4, 53);
		assert_int_equal(no_flow(f, resp.flow_handle), 0);
	}
	assert_true(made > 1000);
	assert_int_equal(fx_objects(f), objects);
}

static int read_counters(struct fx *f, uint32_t handle, uint64_t values[4], size_t n)
{
	struct rq r;
	int err;

	rq_init(&r, UVERBS_OBJECT_COUNTERS, UVERBS_METHOD_COUNTERS_READ);
	rq_handle(&r, UVERBS_ATTR_READ_COUNTERS_HANDLE, handle);
	rq_out(&r, UVERBS_ATTR_READ_COUNTERS_BUFF, n * 8);
	rq_value(&r, UVERBS_ATTR_READ_COUNTERS_FLAGS, 0, 4);
	err = rq_run(f, &r);
	memcpy(values, rq_attr(&r, UVERBS_ATTR_READ_COUNTERS_BUFF)->out, n * 8);
	rq_done(&r);
	return err;
}

/* As ib_uverbs: all of the array is written, points or not, and nothing behind it. */
static void whole_array(struct fx *f, uint32_t handle)
{
	static const uint64_t zero[2];
	const struct kattr *a;
	struct rq r;

	rq_init(&r, UVERBS_OBJECT_COUNTERS, UVERBS_METHOD_COUNTERS_READ);
	rq_handle(&r, UVERBS_ATTR_READ_COUNTERS_HANDLE, handle);
	rq_out(&r, UVERBS_ATTR_READ_COUNTERS_BUFF, 5 * 8 + 3);
	a = rq_attr(&r, UVERBS_ATTR_READ_COUNTERS_BUFF);
	memset(a->out, 0xee, a->len);
	assert_int_equal(rq_run(f, &r), 0);
	assert_int_equal(a->written, 5 * 8);
	assert_memory_equal(a->out + 3 * sizeof(uint64_t), zero, sizeof(zero));
	rq_done(&r);
}

static uint32_t make_counters(struct fx *f)
{
	uint32_t handle;
	struct rq r;

	rq_init(&r, UVERBS_OBJECT_COUNTERS, UVERBS_METHOD_COUNTERS_CREATE);
	rq_handle(&r, UVERBS_ATTR_CREATE_COUNTERS_HANDLE, 0);
	assert_int_equal(rq_run(f, &r), 0);
	handle = (uint32_t)rq_attr(&r, UVERBS_ATTR_CREATE_COUNTERS_HANDLE)->data;
	rq_done(&r);
	return handle;
}

/* CREATE_FLOW with mlx5's own part. */
static int create_counted(struct fx *f, const struct verbs_flow *v, uint32_t points, uint32_t *fl)
{
	struct {
		struct mlx5_ib_create_flow head;
		struct mlx5_ib_flow_counters_data data;
	} uhw = {.head.ncounters_data = !!points,
		 .data = {.counters_data = (uintptr_t)f->mem + DESCS_AT, .ncounters = points}};
	struct rq r;
	int err;

	rq_init(&r, UVERBS_OBJECT_DEVICE, UVERBS_METHOD_INVOKE_WRITE);
	rq_in(&r, UVERBS_ATTR_CORE_IN, v, sizeof(*v));
	rq_out(&r, UVERBS_ATTR_CORE_OUT, sizeof(struct ib_uverbs_create_flow_resp));
	rq_value(&r, UVERBS_ATTR_WRITE_CMD, CREATE_FLOW, 8);
	rq_in(&r, UVERBS_ATTR_UHW_IN, &uhw, sizeof(uhw.head) + (points ? sizeof(uhw.data) : 0));
	err = rq_run(f, &r);
	memcpy(fl, rq_attr(&r, UVERBS_ATTR_CORE_OUT)->out + 4, 4);
	rq_done(&r);
	return err;
}

static void verbs_counters(void **state)
{
	const struct mlx5_ib_flow_counters_desc desc[2] = {{1, 0}, {0, 2}}; /* bytes, packets */
	struct fx *f = *state;
	uint32_t qp = raw_qp(f), counters = make_counters(f), fl, second;
	struct verbs_flow v = udp_flow(qp, 53);
	uint64_t values[4];

	v.count.handle = counters;
	v.head.flow_attr.num_of_specs = 5;
	v.head.flow_attr.size += sizeof(v.count);
	memcpy(f->mem + DESCS_AT, desc, sizeof(desc));
	assert_int_equal(read_counters(f, counters, values, 4), -EINVAL);
	assert_int_equal(create_counted(f, &v, 0, &fl), -EINVAL);
	assert_int_equal(create_counted(f, &v, 17, &fl), -EINVAL);
	assert_int_equal(create_counted(f, &v, 2, &fl), 0);
	ends(f, false, 53);
	ends(f, false, 53);
	assert_int_equal(read_counters(f, counters, values, 2), -EINVAL);
	assert_int_equal(read_counters(f, counters, values, 4), 0);
	assert_int_equal(values[0], 84);
	assert_int_equal(values[2], 2);
	whole_array(f, counters);
	/* a second flow counts there too, and brings no points */
	v.udp.val.dst_port = htobe16(54);
	assert_int_equal(create_counted(f, &v, 2, &second), -EINVAL);
	assert_int_equal(create_counted(f, &v, 0, &second), 0);
	ends(f, false, 54);
	assert_int_equal(read_counters(f, counters, values, 4), 0);
	assert_int_equal(values[2], 3);
	assert_int_equal(
		fx_destroy(f, UVERBS_OBJECT_COUNTERS, UVERBS_METHOD_COUNTERS_DESTROY, counters),
		-EBUSY);
	assert_int_equal(no_flow(f, fl), 0);
	assert_int_equal(no_flow(f, second), 0);
	assert_int_equal(read_counters(f, counters, values, 4), -EINVAL);
	assert_int_equal(
		fx_destroy(f, UVERBS_OBJECT_COUNTERS, UVERBS_METHOD_COUNTERS_DESTROY, counters), 0);
}

static void actions(void **state)
{
	uint8_t ttl[8] = {0};
	struct fx *f = *state;
	uint32_t handle;
	struct rq r;

	prm_set_action_in_set_action_type(ttl, PRM_ACTION_TYPE_SET);
	prm_set_action_in_set_field(ttl, PRM_MODIFY_FIELD_OUT_IP_TTL);
	prm_set_action_in_set_length(ttl, 8);
	for (uint64_t type = 0; type < 3; type++) {
		rq_init(&r, UVERBS_OBJECT_FLOW_ACTION,
			MLX5_IB_METHOD_FLOW_ACTION_CREATE_MODIFY_HEADER);
		rq_handle(&r, MLX5_IB_ATTR_CREATE_MODIFY_HEADER_HANDLE, 0);
		rq_in(&r, MLX5_IB_ATTR_CREATE_MODIFY_HEADER_ACTIONS_PRM, ttl, sizeof(ttl));
		rq_value(&r, MLX5_IB_ATTR_CREATE_MODIFY_HEADER_FT_TYPE, type, 8);
		assert_int_equal(rq_run(f, &r), type < 2 ? 0 : -EOPNOTSUPP);
		handle = (uint32_t)rq_attr(&r, MLX5_IB_ATTR_CREATE_MODIFY_HEADER_HANDLE)->data;
		rq_done(&r);
		if (type)
			continue;
		assert_int_equal(fx_destroy(f, UVERBS_OBJECT_FLOW_ACTION,
					    UVERBS_METHOD_FLOW_ACTION_DESTROY, handle),
				 0);
	}
	rq_init(&r, UVERBS_OBJECT_FLOW_ACTION, MLX5_IB_METHOD_FLOW_ACTION_CREATE_PACKET_REFORMAT);
	rq_handle(&r, MLX5_IB_ATTR_CREATE_PACKET_REFORMAT_HANDLE, 0);
	rq_value(&r, MLX5_IB_ATTR_CREATE_PACKET_REFORMAT_TYPE, 1, 8);
	rq_value(&r, MLX5_IB_ATTR_CREATE_PACKET_REFORMAT_FT_TYPE, 1, 8);
	assert_int_equal(rq_run(f, &r), -EOPNOTSUPP);
	rq_done(&r);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(matchers_refuse, fx_setup, fx_teardown),
		cmocka_unit_test_setup_teardown(priorities, fx_setup, fx_teardown),
		cmocka_unit_test_setup_teardown(groups, fx_setup, fx_teardown),
		cmocka_unit_test_setup_teardown(shared, fx_setup, fx_teardown),
		cmocka_unit_test_setup_teardown(devx_counters, fx_setup, fx_teardown),
		cmocka_unit_test_setup_teardown(two_counters, fx_setup, fx_teardown),
		cmocka_unit_test_setup_teardown(devx_table, fx_setup, fx_teardown),
		cmocka_unit_test_setup_teardown(egress, fx_setup, fx_teardown),
		cmocka_unit_test_setup_teardown(anchors, fx_setup, fx_teardown),
		cmocka_unit_test_setup_teardown(verbs_flows, fx_setup, fx_teardown),
		cmocka_unit_test_setup_teardown(dont_trap, fx_setup, fx_teardown),
		cmocka_unit_test_setup_teardown(verbs_refuse, fx_setup, fx_teardown),
		cmocka_unit_test_setup_teardown(verbs_hostile, fx_setup, fx_teardown),
		cmocka_unit_test_setup_teardown(verbs_counters, fx_setup, fx_teardown),
		cmocka_unit_test_setup_teardown(actions, fx_setup, fx_teardown),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
