/* SPDX-License-Identifier: BSD-2-Clause */
#include "kernel_flow_rig.h"

#define SQ_AT 0x60000u /* of a raw QP's second buffer, in the fixture's memory */

static void fill(uint8_t *param, const struct match *m)
{
	memset(param, 0, PORT_BYTES);
	prm_fte_match_set_lyr_2_4_set_udp_dport(param, m->dport);
	prm_fte_match_set_lyr_2_4_set_dmac_47_16(param, m->dmac);
}

int matcher(struct fx *f, uint16_t priority, struct match mask, int type, uint32_t *handle)
{
	uint8_t param[PORT_BYTES];
	struct request r;
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

uint32_t good_matcher(struct fx *f, uint16_t priority, struct match mask)
{
	uint32_t handle;

	assert_int_equal(matcher(f, priority, mask, -1, &handle), 0);
	return handle;
}

int flow(struct fx *f, struct ask a, uint32_t *handle)
{
	uint8_t param[PORT_BYTES];
	struct request r;
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

uint32_t good_flow(struct fx *f, struct ask a)
{
	uint32_t handle;

	assert_int_equal(flow(f, a, &handle), 0);
	return handle;
}

int no_flow(struct fx *f, uint32_t handle)
{
	return fx_destroy(f, UVERBS_OBJECT_FLOW, UVERBS_METHOD_FLOW_DESTROY, handle);
}

int no_matcher(struct fx *f, uint32_t handle)
{
	return fx_destroy(f, MLX5_IB_OBJECT_FLOW_MATCHER, MLX5_IB_METHOD_FLOW_MATCHER_DESTROY,
			  handle);
}

unsigned int delivered;
uint32_t delivered_tag;

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

enum steer_end ends(struct fx *f, bool tx, uint16_t port)
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
	steer_set_ops(f->dev->steer, &ops);
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

uint32_t raw_qp(struct fx *f)
{
	struct mlx5_ib_create_qp u;
	uint32_t handle;
	struct request r;

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

struct verbs_flow udp_flow(uint32_t qp, uint16_t port)
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
	return v;
}

int create_verbs(struct fx *f, const struct verbs_flow *v, uint32_t *handle)
{
	struct ib_uverbs_create_flow_resp resp;
	int err = fx_write(f, CREATE_FLOW, v, sizeof(*v), &resp, sizeof(resp));

	if (handle)
		*handle = resp.flow_handle;
	return err;
}
