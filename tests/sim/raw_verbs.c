/* SPDX-License-Identifier: BSD-2-Clause */
/* Proves raw packet QPs, receive WQs and RSS QPs through unmodified libibverbs and libmlx5: packets
 * from one context's QP arrive at another's, with the completions that verbs programs read. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>
#include <arpa/inet.h>
#include <cmocka.h>
#include <infiniband/verbs.h>

#define DEPTH 64u
#define SLOT  2048u
#define MARK  0x5c

static const uint8_t mac_a[6] = {0x02, 0x11, 0x22, 0x33, 0x44, 0x01};
static const uint8_t mac_b[6] = {0x02, 0x11, 0x22, 0x33, 0x44, 0x02};

/* One context with one raw packet QP and its memory. */
struct end {
	struct ibv_context *ctx;
	struct ibv_pd *pd;
	struct ibv_cq *scq, *rcq;
	struct ibv_cq_ex *rcq_ex;
	struct ibv_qp *qp;
	struct ibv_mr *mr;
	uint8_t *buf; /* DEPTH slots to send from, DEPTH to receive into */
};

static struct ibv_context *open_device(void)
{
	struct ibv_device **list = ibv_get_device_list(NULL);
	struct ibv_context *ctx;

	assert_non_null(list);
	assert_non_null(list[0]);
	ctx = ibv_open_device(list[0]);
	assert_non_null(ctx);
	ibv_free_device_list(list);
	return ctx;
}

static struct ibv_qp *make_qp(struct end *e, uint32_t flags)
{
	struct ibv_qp_init_attr_ex attr = {
		.qp_type = IBV_QPT_RAW_PACKET,
		.send_cq = e->scq,
		.recv_cq = e->rcq,
		.cap = {.max_send_wr = DEPTH,
			.max_recv_wr = DEPTH,
			.max_send_sge = 3,
			.max_recv_sge = 2,
			.max_inline_data = 64},
		.comp_mask = IBV_QP_INIT_ATTR_PD | IBV_QP_INIT_ATTR_CREATE_FLAGS,
		.create_flags = flags,
		.pd = e->pd,
	};

	return ibv_create_qp_ex(e->ctx, &attr);
}

static void to_rts(struct ibv_qp *qp)
{
	struct ibv_qp_attr attr = {.qp_state = IBV_QPS_INIT, .port_num = 1};

	assert_int_equal(ibv_modify_qp(qp, &attr, IBV_QP_STATE | IBV_QP_PORT), 0);
	attr.qp_state = IBV_QPS_RTR;
	assert_int_equal(ibv_modify_qp(qp, &attr, IBV_QP_STATE), 0);
	attr.qp_state = IBV_QPS_RTS;
	assert_int_equal(ibv_modify_qp(qp, &attr, IBV_QP_STATE), 0);
}

static void end_open_on(struct end *e, struct ibv_context *ctx, uint32_t flags)
{
	struct ibv_cq_init_attr_ex cq = {
		.cqe = 2 * DEPTH,
		.wc_flags =
			IBV_WC_EX_WITH_BYTE_LEN | IBV_WC_EX_WITH_CVLAN | IBV_WC_EX_WITH_FLOW_TAG,
	};

	memset(e, 0, sizeof(*e));
	e->ctx = ctx;
	e->pd = ibv_alloc_pd(ctx);
	assert_non_null(e->pd);
	e->scq = ibv_create_cq(ctx, 2 * DEPTH, NULL, NULL, 0);
	assert_non_null(e->scq);
	e->rcq_ex = ibv_create_cq_ex(ctx, &cq);
	assert_non_null(e->rcq_ex);
	e->rcq = ibv_cq_ex_to_cq(e->rcq_ex);
	e->buf = mmap(NULL, 2 * DEPTH * SLOT, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS,
		      -1, 0);
	assert_true(e->buf != MAP_FAILED);
	e->mr = ibv_reg_mr(e->pd, e->buf, 2 * DEPTH * SLOT, IBV_ACCESS_LOCAL_WRITE);
	assert_non_null(e->mr);
	e->qp = make_qp(e, flags);
	assert_non_null(e->qp);
	to_rts(e->qp);
}

static void end_close(struct end *e)
{
	assert_int_equal(ibv_destroy_qp(e->qp), 0);
	assert_int_equal(ibv_dereg_mr(e->mr), 0);
	assert_int_equal(ibv_destroy_cq(e->rcq), 0);
	assert_int_equal(ibv_destroy_cq(e->scq), 0);
	assert_int_equal(ibv_dealloc_pd(e->pd), 0);
	assert_int_equal(ibv_close_device(e->ctx), 0);
	munmap(e->buf, 2 * DEPTH * SLOT);
}

static uint8_t *slot_out(struct end *e, unsigned int i)
{
	return e->buf + (i % DEPTH) * SLOT;
}

static uint8_t *slot_in(struct end *e, unsigned int i)
{
	return e->buf + (DEPTH + i % DEPTH) * SLOT;
}

static void post_recv(struct end *e, unsigned int i, uint32_t len)
{
	struct ibv_sge sge = {(uintptr_t)slot_in(e, i), len, e->mr->lkey};
	struct ibv_recv_wr wr = {.wr_id = i, .sg_list = &sge, .num_sge = 1}, *bad;

	assert_int_equal(ibv_post_recv(e->qp, &wr, &bad), 0);
}

static void post_send(struct end *e, unsigned int i, uint32_t len, unsigned int flags)
{
	struct ibv_sge sge = {(uintptr_t)slot_out(e, i), len, e->mr->lkey};
	struct ibv_send_wr wr = {
		.wr_id = i,
		.sg_list = &sge,
		.num_sge = 1,
		.opcode = IBV_WR_SEND,
		.send_flags = IBV_SEND_SIGNALED | flags,
	};
	struct ibv_send_wr *bad;

	assert_int_equal(ibv_post_send(e->qp, &wr, &bad), 0);
}

static void poll_one(struct ibv_cq *cq, struct ibv_wc *wc)
{
	int n;

	while (!(n = ibv_poll_cq(cq, 1, wc)))
		;
	assert_int_equal(n, 1);
}

static void poll_ok(struct ibv_cq *cq, uint64_t wr_id, struct ibv_wc *wc)
{
	poll_one(cq, wc);
	assert_int_equal(wc->status, IBV_WC_SUCCESS);
	assert_int_equal(wc->wr_id, wr_id);
}

/* Ethernet, IPv4, UDP; both checksums left to the device. */
static uint32_t make_udp(uint8_t *p, const uint8_t dst[6], uint16_t sport, uint32_t payload)
{
	uint32_t udp = 8 + payload, ip = 20 + udp;
	const uint8_t head[] = {0x45,	     0,	 (uint8_t)(ip >> 8),
				(uint8_t)ip, 0,	 1,
				0,	     0,	 64,
				17,	     0,	 0,
				10,	     0,	 0,
				1,	     10, 0,
				0,	     2};

	memcpy(p, dst, 6);
	memcpy(p + 6, mac_a, 6);
	p[12] = 8;
	p[13] = 0;
	memcpy(p + 14, head, sizeof(head));
	p[34] = (uint8_t)(sport >> 8);
	p[35] = (uint8_t)sport;
	p[36] = 0x12;
	p[37] = 0x34;
	p[38] = (uint8_t)(udp >> 8);
	p[39] = (uint8_t)udp;
	p[40] = p[41] = 0;
	memset(p + 42, MARK, payload);
	return 14 + ip;
}

/* All packets to this address go to the QP. */
static struct ibv_flow *steer(struct ibv_qp *qp, const uint8_t mac[6], uint32_t tag)
{
	struct ibv_flow_attr attr = {
		.type = IBV_FLOW_ATTR_NORMAL, .num_of_specs = tag ? 2 : 1, .port = 1};
	struct ibv_flow_spec_eth eth = {.type = IBV_FLOW_SPEC_ETH, .size = sizeof(eth)};
	struct ibv_flow_spec_action_tag action = {
		.type = IBV_FLOW_SPEC_ACTION_TAG, .size = sizeof(action), .tag_id = tag};
	uint32_t spec[64];
	uint8_t *at = (uint8_t *)spec;

	memcpy(eth.val.dst_mac, mac, 6);
	memset(eth.mask.dst_mac, 0xff, 6);
	attr.size = (uint16_t)(sizeof(attr) + sizeof(eth) + (tag ? sizeof(action) : 0));
	memcpy(at, &attr, sizeof(attr));
	memcpy(at + sizeof(attr), &eth, sizeof(eth));
	memcpy(at + sizeof(attr) + sizeof(eth), &action, sizeof(action));
	return ibv_create_flow(qp, (struct ibv_flow_attr *)spec);
}

/* --- tests ------------------------------------------------------------------------------------ */

static void capabilities(void **state)
{
	struct ibv_context *ctx = open_device();
	struct ibv_device_attr_ex d = {0};

	(void)state;
	assert_int_equal(ibv_query_device_ex(ctx, NULL, &d), 0);
	assert_true(d.raw_packet_caps & IBV_RAW_PACKET_CAP_IP_CSUM);
	assert_true(d.raw_packet_caps & IBV_RAW_PACKET_CAP_CVLAN_STRIPPING);
	assert_true(d.orig_attr.device_cap_flags & IBV_DEVICE_RAW_IP_CSUM);
	assert_int_equal(d.rss_caps.supported_qpts, 1 << IBV_QPT_RAW_PACKET);
	assert_true(d.rss_caps.rx_hash_function & IBV_RX_HASH_FUNC_TOEPLITZ);
	assert_true(d.max_wq_type_rq > 0);
	assert_int_equal(d.tso_caps.max_tso, 0);
	assert_int_equal(ibv_close_device(ctx), 0);
}

/* Two contexts: what one sends the other receives, byte by byte, with the tag of the rule. */
static void between_contexts(void **state)
{
	struct ibv_flow *flow;
	struct ibv_wc wc;
	struct end a, b;
	uint32_t len;

	(void)state;
	end_open_on(&a, open_device(), 0);
	end_open_on(&b, open_device(), 0);
	flow = steer(b.qp, mac_b, 0);
	assert_non_null(flow);
	for (unsigned int i = 0; i < 3 * DEPTH; i++) {
		post_recv(&b, i, SLOT);
		len = make_udp(slot_out(&a, i), mac_b, (uint16_t)i, 100 + i);
		post_send(&a, i, len, i & 1 ? IBV_SEND_IP_CSUM : 0);
		poll_ok(a.scq, i, &wc);
		poll_ok(b.rcq, i, &wc);
		assert_int_equal(wc.opcode, IBV_WC_RECV);
		assert_int_equal(wc.byte_len, len);
		assert_int_equal(!!(wc.wc_flags & IBV_WC_IP_CSUM_OK), i & 1);
		assert_memory_equal(slot_in(&b, i), slot_out(&a, i), 24);
		assert_memory_equal(slot_in(&b, i) + 42, slot_out(&a, i) + 42, len - 42);
	}
	assert_int_equal(ibv_destroy_flow(flow), 0);
	end_close(&a);
	end_close(&b);
}

/* ibv_cq_ex: the VLAN tag that was stripped, and the rule's tag. */
static void extended_completion(void **state)
{
	struct ibv_poll_cq_attr attr = {0};
	struct ibv_flow *flow;
	struct ibv_wc wc;
	struct end a, b;
	uint8_t *p;
	int err;

	(void)state;
	end_open_on(&a, open_device(), 0);
	end_open_on(&b, open_device(), IBV_QP_CREATE_CVLAN_STRIPPING);
	flow = steer(b.qp, mac_b, 0x1234);
	assert_non_null(flow);
	post_recv(&b, 7, SLOT);
	p = slot_out(&a, 0);
	make_udp(p + 4, mac_b, 9, 64);
	memmove(p, p + 4, 12);
	p[12] = 0x81;
	p[13] = 0x00;
	p[14] = 0x40;
	p[15] = 0x2a;
	post_send(&a, 0, 14 + 4 + 20 + 8 + 64, 0);
	poll_ok(a.scq, 0, &wc);
	while ((err = ibv_start_poll(b.rcq_ex, &attr)) == ENOENT)
		;
	assert_int_equal(err, 0);
	assert_int_equal(b.rcq_ex->status, IBV_WC_SUCCESS);
	assert_int_equal(b.rcq_ex->wr_id, 7);
	assert_int_equal(ibv_wc_read_opcode(b.rcq_ex), IBV_WC_RECV);
	assert_int_equal(ibv_wc_read_byte_len(b.rcq_ex), 14 + 20 + 8 + 64);
	assert_int_equal(ibv_wc_read_cvlan(b.rcq_ex), 0x402a);
	assert_int_equal(ibv_wc_read_flow_tag(b.rcq_ex), 0x1234);
	ibv_end_poll(b.rcq_ex);
	assert_int_equal(slot_in(&b, 7)[12], 0x08);
	assert_int_equal(ibv_destroy_flow(flow), 0);
	end_close(&a);
	end_close(&b);
}

/* Inline data, and three pieces of memory, are one packet. */
static void gathered(void **state)
{
	struct ibv_flow *flow;
	struct ibv_wc wc;
	struct end a, b;
	uint32_t len;

	(void)state;
	end_open_on(&a, open_device(), 0);
	end_open_on(&b, open_device(), 0);
	flow = steer(b.qp, mac_b, 0);
	assert_non_null(flow);
	len = make_udp(slot_out(&a, 0), mac_b, 1, 20);
	{
		struct ibv_sge sge[3] = {
			{(uintptr_t)slot_out(&a, 0), 10, a.mr->lkey},
			{(uintptr_t)slot_out(&a, 0) + 10, 20, a.mr->lkey},
			{(uintptr_t)slot_out(&a, 0) + 30, len - 30, a.mr->lkey},
		};
		struct ibv_send_wr wr = {.sg_list = sge,
					 .num_sge = 3,
					 .opcode = IBV_WR_SEND,
					 .send_flags = IBV_SEND_SIGNALED};
		struct ibv_send_wr *bad;

		for (unsigned int i = 0; i < 2; i++) {
			post_recv(&b, i, SLOT);
			wr.wr_id = i;
			wr.send_flags |= i ? (unsigned int)IBV_SEND_INLINE : 0;
			assert_int_equal(ibv_post_send(a.qp, &wr, &bad), 0);
			poll_ok(a.scq, i, &wc);
			poll_ok(b.rcq, i, &wc);
			assert_int_equal(wc.byte_len, len);
			assert_memory_equal(slot_in(&b, i), slot_out(&a, 0), len);
		}
	}
	assert_int_equal(ibv_destroy_flow(flow), 0);
	end_close(&a);
	end_close(&b);
}

/* A bad key, then a small receive: error completions, SQE and ERR, and by way of RESET it works. */
static void errors(void **state)
{
	struct ibv_qp_init_attr init;
	struct ibv_qp_attr attr;
	struct ibv_flow *flow;
	struct ibv_wc wc;
	struct end a, b;
	uint32_t len;

	(void)state;
	end_open_on(&a, open_device(), 0);
	end_open_on(&b, open_device(), 0);
	flow = steer(b.qp, mac_b, 0);
	assert_non_null(flow);
	len = make_udp(slot_out(&a, 0), mac_b, 1, 100);
	a.mr->lkey ^= 0xff00;
	post_send(&a, 0, len, 0);
	a.mr->lkey ^= 0xff00;
	poll_one(a.scq, &wc);
	assert_int_equal(wc.status, IBV_WC_LOC_PROT_ERR);
	assert_int_equal(ibv_query_qp(a.qp, &attr, IBV_QP_STATE, &init), 0);
	assert_int_equal(attr.qp_state, IBV_QPS_SQE);
	attr.qp_state = IBV_QPS_RESET;
	assert_int_equal(ibv_modify_qp(a.qp, &attr, IBV_QP_STATE), 0);
	to_rts(a.qp);
	post_recv(&b, 3, len - 1);
	post_send(&a, 0, len, 0);
	poll_ok(a.scq, 0, &wc);
	poll_one(b.rcq, &wc);
	assert_int_equal(wc.status, IBV_WC_LOC_LEN_ERR);
	assert_int_equal(wc.wr_id, 3);
	assert_int_equal(ibv_destroy_flow(flow), 0);
	end_close(&a);
	end_close(&b);
}

/* --- receive WQs and RSS ---------------------------------------------------------------------- */

#define WQS 4u

struct spread {
	struct ibv_cq *cq;
	struct ibv_wq *wq[WQS];
	struct ibv_rwq_ind_table *table;
	struct ibv_qp *qp;
};

static struct ibv_wq *make_wq(struct end *e, struct ibv_cq *cq)
{
	struct ibv_wq_init_attr init = {
		.wq_type = IBV_WQT_RQ, .max_wr = DEPTH, .max_sge = 1, .pd = e->pd, .cq = cq};
	struct ibv_wq_attr attr = {.attr_mask = IBV_WQ_ATTR_STATE, .wq_state = IBV_WQS_RDY};
	struct ibv_wq *wq = ibv_create_wq(e->ctx, &init);

	assert_non_null(wq);
	assert_int_equal(ibv_modify_wq(wq, &attr), 0);
	return wq;
}

static uint8_t key[40] = {
	0x6d, 0x5a, 0x56, 0xda, 0x25, 0x5b, 0x0e, 0xc2, 0x41, 0x67, 0x25, 0x3d, 0x43, 0xa3,
	0x8f, 0xb0, 0xd0, 0xca, 0x2b, 0xcb, 0xae, 0x7b, 0x30, 0xb4, 0x77, 0xcb, 0x2d, 0xa3,
	0x80, 0x30, 0xf2, 0x0c, 0x6a, 0x42, 0xb7, 0x3b, 0xbe, 0xac, 0x01, 0xfa,
};

/* Which queue Microsoft's Toeplitz hash names for an IPv4 packet's addresses and ports. */
static unsigned int queue_of(const uint8_t *packet)
{
	const uint8_t *in = packet + 26; /* both addresses, then both ports */
	uint32_t hash = 0;

	for (unsigned int bit = 0; bit < 96; bit++)
		for (unsigned int i = 0; i < 32 && in[bit / 8] & 0x80 >> bit % 8; i++)
			hash ^= (key[(bit + i) / 8] >> (7 - (bit + i) % 8) & 1u) << (31 - i);
	return hash % WQS;
}

static void spread_open(struct end *e, struct spread *s)
{
	struct ibv_rwq_ind_table_init_attr table = {.log_ind_tbl_size = 2, .ind_tbl = s->wq};
	struct ibv_qp_init_attr_ex attr = {
		.qp_type = IBV_QPT_RAW_PACKET,
		.comp_mask =
			IBV_QP_INIT_ATTR_PD | IBV_QP_INIT_ATTR_IND_TABLE | IBV_QP_INIT_ATTR_RX_HASH,
		.pd = e->pd,
		.rx_hash_conf = {.rx_hash_function = IBV_RX_HASH_FUNC_TOEPLITZ,
				 .rx_hash_key_len = sizeof(key),
				 .rx_hash_key = key,
				 .rx_hash_fields_mask =
					 IBV_RX_HASH_SRC_IPV4 | IBV_RX_HASH_DST_IPV4 |
					 IBV_RX_HASH_SRC_PORT_UDP | IBV_RX_HASH_DST_PORT_UDP},
	};

	s->cq = ibv_create_cq(e->ctx, WQS * DEPTH, NULL, NULL, 0);
	assert_non_null(s->cq);
	for (unsigned int i = 0; i < WQS; i++)
		s->wq[i] = make_wq(e, s->cq);
	s->table = ibv_create_rwq_ind_table(e->ctx, &table);
	assert_non_null(s->table);
	attr.rwq_ind_tbl = s->table;
	s->qp = ibv_create_qp_ex(e->ctx, &attr);
	assert_non_null(s->qp);
}

static void spread_close(struct spread *s)
{
	assert_int_equal(ibv_destroy_rwq_ind_table(s->table), EBUSY);
	assert_int_equal(ibv_destroy_qp(s->qp), 0);
	assert_int_equal(ibv_destroy_wq(s->wq[0]), EBUSY);
	assert_int_equal(ibv_destroy_rwq_ind_table(s->table), 0);
	for (unsigned int i = 0; i < WQS; i++)
		assert_int_equal(ibv_destroy_wq(s->wq[i]), 0);
	assert_int_equal(ibv_destroy_cq(s->cq), 0);
}

/* A flow's queue is the one that its hash names; many flows use several. */
static void rss(void **state)
{
	struct ibv_flow *flow;
	uint64_t seen = 0;
	struct ibv_wc wc;
	struct spread s;
	struct end a, b;
	uint32_t len;

	(void)state;
	end_open_on(&a, open_device(), 0);
	end_open_on(&b, open_device(), 0);
	spread_open(&b, &s);
	flow = steer(s.qp, mac_b, 0);
	assert_non_null(flow);
	for (unsigned int q = 0; q < WQS; q++)
		for (unsigned int i = 0; i < DEPTH; i++) {
			struct ibv_sge sge = {(uintptr_t)slot_in(&b, i), SLOT, b.mr->lkey};
			struct ibv_recv_wr wr = {.wr_id = q, .sg_list = &sge, .num_sge = 1}, *bad;

			assert_int_equal(ibv_post_wq_recv(s.wq[q], &wr, &bad), 0);
		}
	for (unsigned int i = 0; i < 64; i++) {
		len = make_udp(slot_out(&a, i), mac_b, (uint16_t)(1000 + i % 8), 64);
		post_send(&a, i, len, IBV_SEND_IP_CSUM);
		poll_ok(a.scq, i, &wc);
		poll_one(s.cq, &wc);
		assert_int_equal(wc.status, IBV_WC_SUCCESS);
		assert_int_equal(wc.byte_len, len);
		assert_int_equal(wc.wr_id, queue_of(slot_out(&a, i)));
		seen |= 1ull << wc.wr_id;
	}
	assert_true(seen & (seen - 1));
	assert_int_equal(ibv_destroy_flow(flow), 0);
	spread_close(&s);
	end_close(&a);
	end_close(&b);
}

/* --- objects alone: no rule is needed --------------------------------------------------------- */

static void states(void **state)
{
	struct ibv_qp_attr attr = {.qp_state = IBV_QPS_RTS};
	struct ibv_qp_init_attr init;
	struct end a;

	(void)state;
	end_open_on(&a, open_device(), 0);
	assert_int_equal(ibv_query_qp(a.qp, &attr, IBV_QP_STATE, &init), 0);
	assert_int_equal(attr.qp_state, IBV_QPS_RTS);
	attr.qp_state = IBV_QPS_ERR;
	assert_int_equal(ibv_modify_qp(a.qp, &attr, IBV_QP_STATE), 0);
	assert_int_equal(ibv_query_qp(a.qp, &attr, IBV_QP_STATE, &init), 0);
	assert_int_equal(attr.qp_state, IBV_QPS_ERR);
	attr.qp_state = IBV_QPS_RTS;
	assert_int_equal(ibv_modify_qp(a.qp, &attr, IBV_QP_STATE), EINVAL);
	attr.qp_state = IBV_QPS_RESET;
	assert_int_equal(ibv_modify_qp(a.qp, &attr, IBV_QP_STATE), 0);
	attr.qp_state = IBV_QPS_INIT;
	assert_int_equal(ibv_modify_qp(a.qp, &attr, IBV_QP_STATE), EINVAL); /* it needs the port */
	to_rts(a.qp);
	end_close(&a);
}

/* Nobody listens: sends complete all the same. */
static void into_the_void(void **state)
{
	struct ibv_wc wc;
	struct end a;

	(void)state;
	end_open_on(&a, open_device(), 0);
	for (unsigned int i = 0; i < 2 * DEPTH; i++) {
		post_send(&a, i, make_udp(slot_out(&a, i), mac_b, 1, 64), IBV_SEND_IP_CSUM);
		poll_ok(a.scq, i, &wc);
	}
	end_close(&a);
}

/* Not a test of speed: what this machine did just now, for whoever reads the log. */
static void rate(void **state)
{
	enum { N = 50000, BATCH = 32 };
	struct ibv_wc wc[BATCH];
	struct timespec from, to;
	struct ibv_flow *flow;
	unsigned int sent = 0, done = 0, got = 0;
	struct end a, b;
	uint32_t len;
	double s;
	int n;

	(void)state;
	end_open_on(&a, open_device(), 0);
	end_open_on(&b, open_device(), 0);
	flow = steer(b.qp, mac_b, 0);
	assert_non_null(flow);
	len = make_udp(slot_out(&a, 0), mac_b, 7, 64 - 42);
	for (unsigned int i = 1; i < DEPTH; i++)
		memcpy(slot_out(&a, i), slot_out(&a, 0), len);
	for (unsigned int i = 0; i < DEPTH; i++)
		post_recv(&b, i, SLOT);
	clock_gettime(CLOCK_MONOTONIC, &from);
	while (got < N) {
		while (sent < N && sent - done < DEPTH && sent - got < DEPTH)
			post_send(&a, sent++, len, IBV_SEND_IP_CSUM);
		n = ibv_poll_cq(a.scq, BATCH, wc);
		assert_true(n >= 0);
		done += (unsigned int)n;
		n = ibv_poll_cq(b.rcq, BATCH, wc);
		for (int i = 0; i < n; i++) {
			assert_int_equal(wc[i].status, IBV_WC_SUCCESS);
			post_recv(&b, got++, SLOT);
		}
	}
	clock_gettime(CLOCK_MONOTONIC, &to);
	s = (double)(to.tv_sec - from.tv_sec) + (double)(to.tv_nsec - from.tv_nsec) / 1e9;
	print_message("# raw packets of %u bytes from QP to QP by a rule: %.0f/s\n", len, N / s);
	assert_int_equal(ibv_destroy_flow(flow), 0);
	end_close(&a);
	end_close(&b);
}

/* --- until it is killed: raw_death.sh runs these ---------------------------------------------- */

/* It says so once packets flow. */
static void flowing(unsigned int *n)
{
	if (++*n == 1000 && write(STDOUT_FILENO, "going\n", 6) != 6)
		_exit(1);
}

static void flood(void)
{
	unsigned int n = 0, posted = 0;
	struct ibv_wc wc;
	struct end e;
	uint32_t len;

	end_open_on(&e, open_device(), 0);
	len = make_udp(slot_out(&e, 0), mac_b, 7, 1000);
	for (;;) {
		while (posted - n < DEPTH)
			post_send(&e, DEPTH * posted++, len, 0);
		poll_one(e.scq, &wc);
		flowing(&n);
	}
}

static void drain(void)
{
	unsigned int n = 0;
	struct ibv_wc wc;
	struct end e;

	end_open_on(&e, open_device(), 0);
	for (unsigned int i = 0; i < DEPTH; i++)
		post_recv(&e, i, SLOT);
	assert_non_null(steer(e.qp, mac_b, 0));
	for (;;) {
		poll_one(e.rcq, &wc);
		post_recv(&e, n, SLOT);
		flowing(&n);
	}
}

int main(int argc, char **argv)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(capabilities),
		cmocka_unit_test(states),
		cmocka_unit_test(into_the_void),
		cmocka_unit_test(between_contexts),
		cmocka_unit_test(extended_completion),
		cmocka_unit_test(gathered),
		cmocka_unit_test(errors),
		cmocka_unit_test(rss),
		cmocka_unit_test(rate),
	};

	if (argc == 2)
		(strcmp(argv[1], "flood") ? drain : flood)();
	return cmocka_run_group_tests(tests, NULL, NULL);
}
