/* SPDX-License-Identifier: BSD-2-Clause */
#include "raw_end.h"
#include "tests/patience.h"
#include "verbs_qp.h"

#include <arpa/inet.h>
#include <stdio.h>
#include <sys/mman.h>

#define MARK 0x5c

static const uint8_t mac_a[6] = {0x02, 0x11, 0x22, 0x33, 0x44, 0x01};
const uint8_t mac_b[6] = {0x02, 0x11, 0x22, 0x33, 0x44, 0x02};

struct ibv_context *open_device(void)
{
	struct ibv_context *ctx = verbs_open();

	assert_non_null(ctx);
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
		.comp_mask = IBV_QP_INIT_ATTR_PD | IBV_QP_INIT_ATTR_CREATE_FLAGS |
			     IBV_QP_INIT_ATTR_MAX_TSO_HEADER,
		.create_flags = flags,
		.max_tso_header = 64,
		.pd = e->pd,
	};

	return ibv_create_qp_ex(e->ctx, &attr);
}

void to_rts(struct ibv_qp *qp)
{
	assert_int_equal(verbs_qp_raise(qp, IBV_QPS_RTS), 0);
}

void end_open(struct end *e, uint32_t flags)
{
	struct ibv_cq_init_attr_ex cq = {
		.cqe = 2 * DEPTH,
		.wc_flags =
			IBV_WC_EX_WITH_BYTE_LEN | IBV_WC_EX_WITH_CVLAN | IBV_WC_EX_WITH_FLOW_TAG,
	};

	memset(e, 0, sizeof(*e));
	e->ctx = open_device();
	e->pd = ibv_alloc_pd(e->ctx);
	assert_non_null(e->pd);
	e->scq = ibv_create_cq(e->ctx, 2 * DEPTH, NULL, NULL, 0);
	assert_non_null(e->scq);
	e->rcq_ex = ibv_create_cq_ex(e->ctx, &cq);
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

void end_close(struct end *e)
{
	assert_int_equal(ibv_destroy_qp(e->qp), 0);
	assert_int_equal(ibv_dereg_mr(e->mr), 0);
	assert_int_equal(ibv_destroy_cq(e->rcq), 0);
	assert_int_equal(ibv_destroy_cq(e->scq), 0);
	assert_int_equal(ibv_dealloc_pd(e->pd), 0);
	assert_int_equal(ibv_close_device(e->ctx), 0);
	munmap(e->buf, 2 * DEPTH * SLOT);
}

uint8_t *slot_out(struct end *e, unsigned int i)
{
	return e->buf + (i % DEPTH) * SLOT;
}

uint8_t *slot_in(struct end *e, unsigned int i)
{
	return e->buf + (DEPTH + i % DEPTH) * SLOT;
}

void post_recv(struct end *e, unsigned int i, uint32_t len)
{
	struct ibv_sge sge = {(uintptr_t)slot_in(e, i), len, e->mr->lkey};
	struct ibv_recv_wr wr = {.wr_id = i, .sg_list = &sge, .num_sge = 1}, *bad;

	assert_int_equal(ibv_post_recv(e->qp, &wr, &bad), 0);
}

void post_send(struct end *e, unsigned int i, uint32_t len, unsigned int flags)
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

void poll_one(struct ibv_cq *cq, struct ibv_wc *wc)
{
	time_t end = patience_from_now();
	int n;

	while (!(n = ibv_poll_cq(cq, 1, wc)))
		assert_false(patience_over(end));
	assert_int_equal(n, 1);
}

void poll_ok(struct ibv_cq *cq, uint64_t wr_id, struct ibv_wc *wc)
{
	poll_one(cq, wc);
	assert_int_equal(wc->status, IBV_WC_SUCCESS);
	assert_int_equal(wc->wr_id, wr_id);
}

uint32_t from_hex(uint8_t *p, const char *hex)
{
	unsigned int byte;
	uint32_t n = 0;

	while (sscanf(hex + 2 * n, "%2x", &byte) == 1)
		p[n++] = (uint8_t)byte;
	return n;
}

void send_hex(struct end *e, const char *hex)
{
	struct ibv_wc wc;

	post_send(e, 0, from_hex(slot_out(e, 0), hex), 0);
	poll_ok(e->scq, 0, &wc);
}

uint32_t make_udp(uint8_t *p, const uint8_t dst[6], uint16_t sport, uint32_t payload)
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

struct ibv_flow *steer(struct ibv_qp *qp, const uint8_t mac[6], uint32_t tag)
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
