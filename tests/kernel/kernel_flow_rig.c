/* SPDX-License-Identifier: BSD-2-Clause */
#include "kernel_flow_rig.h"
#include "eswitch/eswitch.h"
#include "obj/rep.h"

#define SQ_AT 0x60000u /* a raw packet QP's second ring in the fixture's memory */

static void fill(uint8_t *param, const struct match *m)
{
	memset(param, 0, PORT_BYTES);
	prm_fte_match_set_lyr_2_4_set_udp_dport(param, m->dport);
	prm_fte_match_set_lyr_2_4_set_dmac_47_16(param, m->dmac);
}

int matcher(struct fx *f, uint16_t priority, struct match mask, int type, uint32_t *handle)
{
	uint8_t param[PORT_BYTES];

	fill(param, &mask);
	return FX_CALL(f, MLX5_IB_OBJECT_FLOW_MATCHER, MLX5_IB_METHOD_FLOW_MATCHER_CREATE,
		       A_NEW(MLX5_IB_ATTR_FLOW_MATCHER_CREATE_HANDLE, handle),
		       A_IN(MLX5_IB_ATTR_FLOW_MATCHER_MATCH_MASK, param, sizeof(param)),
		       A_VALUE(MLX5_IB_ATTR_FLOW_MATCHER_FLOW_TYPE, priority, 2),
		       A_VALUE(MLX5_IB_ATTR_FLOW_MATCHER_MATCH_CRITERIA, 1, 1),
		       type >= 0 ? A_VALUE(MLX5_IB_ATTR_FLOW_MATCHER_FT_TYPE, (uint64_t)type, 8)
				 : A_NONE);
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

	fill(param, &a.value);
	return FX_CALL(
		f, UVERBS_OBJECT_FLOW, MLX5_IB_METHOD_CREATE_FLOW,
		A_NEW(MLX5_IB_ATTR_CREATE_FLOW_HANDLE, handle),
		A_IN(MLX5_IB_ATTR_CREATE_FLOW_MATCH_VALUE, param, a.len ? a.len : sizeof(param)),
		A_HANDLE(MLX5_IB_ATTR_CREATE_FLOW_MATCHER, a.matcher),
		a.flags != NO_FLAGS ? A_VALUE(MLX5_IB_ATTR_CREATE_FLOW_FLAGS, a.flags, 4) : A_NONE,
		a.devx ? A_HANDLE(MLX5_IB_ATTR_CREATE_FLOW_DEST_DEVX, a.devx) : A_NONE,
		a.counter ? A_VALUE(MLX5_IB_ATTR_CREATE_FLOW_ARR_COUNTERS_DEVX, a.counter, 4)
			  : A_NONE,
		a.counter ? A_VALUE(MLX5_IB_ATTR_CREATE_FLOW_ARR_COUNTERS_DEVX_OFFSET, a.offset, 4)
			  : A_NONE,
		a.tag ? A_VALUE(MLX5_IB_ATTR_CREATE_FLOW_TAG, a.tag, 4) : A_NONE);
}

uint32_t good_flow(struct fx *f, struct ask a)
{
	uint32_t handle;

	assert_int_equal(flow(f, a, &handle), 0);
	return handle;
}

int no_flow(struct fx *f, uint32_t handle)
{
	return FX_DESTROY(f, FLOW, handle);
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

static void to_vport(struct device *dev, struct vhca *v, const struct packet *p)
{
	(void)dev;
	to_wire(v, p);
}

/* Runs a packet through the tables of `from` or, if that is NULL, of this function. */
static void run_packet(struct fx *f, struct vhca *from, bool tx, uint16_t port)
{
	static const struct steer_ops ops = {.to_tir = to_tir, .to_wire = to_wire},
				      fdb = {.to_wire = eswitch_transmit, .to_vport = to_vport};
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
	if (vhca_has_reps(f->v) && !tx)
		p.reg_c[0] = vhca_port_metadata(f->v, 1);
	steer_set_ops(f->dev->steer, from ? &fdb : &ops);
	if (tx)
		steer_tx(from ? from : f->v, &p);
	else
		steer_rx(f->v, &p);
}

void send_by_fdb(struct fx *f, struct vhca *from)
{
	run_packet(f, from, true, 7);
}

enum steer_end ends(struct fx *f, bool tx, uint16_t port)
{
	const struct steer_stats before = *steer_stats(f->v);

	run_packet(f, NULL, tx, port);
	for (unsigned int i = 0; i < STEER_ENDS; i++) {
		if (steer_stats(f->v)->ends[i] != before.ends[i])
			return (enum steer_end)i;
	}
	return STEER_ENDS;
}

uint32_t raw_qp(struct fx *f)
{
	struct mlx5_ib_create_qp u;
	struct request r;

	fx_fill_qp(f, &r, &u, fx_pd(f), fx_cq(f, NULL));
	u.sq_buf_addr = (uintptr_t)f->mem + SQ_AT;
	u.flags = MLX5_QP_FLAG_UAR_PAGE_INDEX;
	rq_attr(&r, UVERBS_ATTR_CREATE_QP_TYPE)->data = IB_UVERBS_QPT_RAW_PACKET;
	return rq_create(f, &r, &u, sizeof(u), 0, NULL);
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
