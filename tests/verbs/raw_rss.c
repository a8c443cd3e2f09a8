/* SPDX-License-Identifier: BSD-2-Clause */
/* Proves receive WQs and RSS QPs through unmodified libibverbs and libmlx5: a packet arrives in the
 * queue that its Toeplitz hash names. */
#include "tests/test.h"
#include "raw_end.h"

#include <errno.h>

#define WQS 4u

struct spread {
	struct ibv_cq *cq;
	struct ibv_wq *wq[WQS];
	struct ibv_rwq_ind_table *table;
	struct ibv_qp *qp;
};

static uint8_t key[40] = {
	0x6d, 0x5a, 0x56, 0xda, 0x25, 0x5b, 0x0e, 0xc2, 0x41, 0x67, 0x25, 0x3d, 0x43, 0xa3,
	0x8f, 0xb0, 0xd0, 0xca, 0x2b, 0xcb, 0xae, 0x7b, 0x30, 0xb4, 0x77, 0xcb, 0x2d, 0xa3,
	0x80, 0x30, 0xf2, 0x0c, 0x6a, 0x42, 0xb7, 0x3b, 0xbe, 0xac, 0x01, 0xfa,
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

/* Returns the queue that Microsoft's Toeplitz hash selects for an IPv4 packet. */
static unsigned int queue_of(const uint8_t *packet)
{
	const uint8_t *in = packet + 26; /* both addresses, then both ports */
	uint32_t hash = 0;

	for (unsigned int bit = 0; bit < 96; bit++)
		for (unsigned int i = 0; i < 32 && in[bit / 8] & 0x80 >> bit % 8; i++)
			hash ^= ((unsigned int)key[(bit + i) / 8] >> (7 - (bit + i) % 8) & 1u)
				<< (31 - i);
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

/* A flow's queue is the one that its hash selects; many flows use several. */
TEST(none, rss)
{
	struct ibv_flow *flow;
	uint64_t seen = 0;
	struct ibv_wc wc;
	struct spread s;
	struct end a, b;
	uint32_t len;

	end_open(&a, 0);
	end_open(&b, 0);
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
