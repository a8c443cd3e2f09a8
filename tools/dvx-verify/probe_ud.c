/* SPDX-License-Identifier: BSD-2-Clause */
/* Datagrams. */
#include <dvx/prm/cqe.h>
#include <dvx/prm/qp.h>
#include "verify.h"

/* Addresses the pair's receiver. */
static struct dvx_ah ud_ah(struct bench *b, struct bench_pair *p)
{
	struct dvx_qp_peer peer = {.size = sizeof(peer)};
	uint8_t blob[DVX_QP_BLOB_BYTES];
	struct dvx_ah ah;

	NEED(dvx_qp_blob_write(p->qp[1], &p->local, blob));
	NEED(dvx_qp_blob_read(p->qp[0], blob, sizeof(blob), &peer));
	NEED(dvx_ah_init(b->dev, &p->local, &peer, &ah));
	return ah;
}

void probe_ud_2(struct bench *b)
{
	struct bench_pair p = bench_pair_default(b);
	int err;

	p.type = DVX_QP_UD;
	bench_pair_create(b, &p);
	p.local.q_key = 0x80010000;
	err = dvx_qp_connect(p.qp[0], &p.local, NULL);
	EXPECT(!err, "a Q_Key with bit 31: %s", dvx_strerror(err));
}

void probe_ud_parse(struct bench *b)
{
	struct bench_pair p = bench_pair_of(b, DVX_QP_UD);
	struct dvx_ah ah = ud_ah(b, &p);

	prm_av_set_ext(ah.av, 0);
	NEED(dvx_post_ud_send_inline(p.sq, &ah, "x", 1, 1, DVX_SIGNALED));
	dvx_sq_ring(p.sq);
	bench_expect_error(p.cq[0], PRM_SYNDROME_LOCAL_QP_OP_ERR, "a vector with ext clear");
}

static void ud_datagram(struct bench_pair *p, const struct dvx_ah *ah, uint32_t len)
{
	static const uint8_t data[64];

	NEED(dvx_post_ud_send_inline(p->sq, ah, data, len, 1, DVX_SIGNALED));
	dvx_sq_ring(p->sq);
	bench_need_done(p->cq[0], "a datagram");
}

void probe_ud_drop(struct bench *b)
{
	struct bench_pair p = bench_pair_of(b, DVX_QP_UD);
	struct dvx_ah ah = ud_ah(b, &p);

	bench_receive(&p, (struct dvx_sge){b->addr, 60, b->key});
	ud_datagram(&p, &ah, 64);
	bench_expect_none(p.cq[1], "a datagram of 64 bytes for a receive of 60");
	ud_datagram(&p, &ah, 8);
	bench_expect_done(p.cq[1], "a datagram of 8 bytes after one that was dropped");
}

void probe_rq_fill_datagram(struct bench *b)
{
	struct bench_pair p = bench_pair_of(b, DVX_QP_UD);
	struct dvx_ah ah = ud_ah(b, &p);
	const void *cqe;

	bench_receive(&p, (struct dvx_sge){b->addr, 128, b->key});
	ud_datagram(&p, &ah, 8);
	cqe = bench_wait(p.cq[1]);
	if (!cqe || dvx_cqe_is_error(cqe))
		bench_need_done(p.cq[1], "a datagram");
	EXPECT(prm_cqe64_get_l2_ok(cqe) && dvx_cqe_l3_ok(cqe) && dvx_cqe_l4_ok(cqe),
	       "a datagram's l2_ok, l3_ok and l4_ok are %u, %u and %u",
	       (unsigned int)prm_cqe64_get_l2_ok(cqe), dvx_cqe_l3_ok(cqe), dvx_cqe_l4_ok(cqe));
	for (int i = 0; b->buf[20] >> 4 == 4 && i < 20; i++)
		EXPECT(!b->buf[i], "byte %d before an IPv4 header is 0x%x", i, b->buf[i]);
}

void probe_datagram_l3_type(struct bench *b)
{
	struct bench_pair p = bench_pair_of(b, DVX_QP_UD);
	struct dvx_ah ah = ud_ah(b, &p);
	const void *cqe;
	uint32_t sl, l3;

	bench_receive(&p, (struct dvx_sge){b->addr, 128, b->key});
	ud_datagram(&p, &ah, 8);
	cqe = bench_wait(p.cq[1]);
	if (!cqe || dvx_cqe_is_error(cqe))
		bench_need_done(p.cq[1], "a datagram");
	sl = (uint32_t)prm_cqe64_get_sl(cqe);
	l3 = (uint32_t)prm_cqe64_get_l3_hdr_type(cqe);
	EXPECT(sl == l3 && sl, "a datagram's network type is %u, and l3_hdr_type %u", sl, l3);
}

void probe_ud_source_gid(struct bench *b)
{
	struct bench_pair p = bench_pair_of(b, DVX_QP_UD), other = bench_pair_of(b, DVX_QP_UD);
	struct dvx_ah ah = ud_ah(b, &p);

	prm_av_set_src_addr_index(ah.av, 200);
	NEED(dvx_post_ud_send_inline(p.sq, &ah, "x", 1, 1, DVX_SIGNALED));
	dvx_sq_ring(p.sq);
	bench_expect_error(p.cq[0], PRM_SYNDROME_LOCAL_QP_OP_ERR, "source GID index 200");
	bench_copy_fails(b, other.sq, other.cq[0], "a copy (MMO) on UD");
}

/* Receives of an SRQ, too small and with a wrong key. */
void probe_ud_drop_srq(struct bench *b)
{
	struct bench_pair p = bench_pair_default(b);
	struct dvx_ah ah;
	uint8_t state;

	p.srq = bench_srq(b, b->pd);
	p.type = DVX_QP_UD;
	p.local.q_key = 0x1ee7a330;
	p.access = 0;
	bench_pair_make(b, &p);
	ah = ud_ah(b, &p);
	bench_srq_post(p.srq, (struct dvx_sge){b->addr, 60, b->key}, 1);
	bench_srq_post(p.srq, (struct dvx_sge){b->addr, 128, b->key}, 1);
	bench_srq_post(p.srq, (struct dvx_sge){b->addr, 128, 0xbad00}, 1);
	ud_datagram(&p, &ah, 64);
	bench_expect_error(p.cq[1], PRM_SYNDROME_LOCAL_LENGTH_ERR,
			   "a datagram of 64 bytes for a receive of 60 of an SRQ");
	ud_datagram(&p, &ah, 8);
	bench_expect_done(p.cq[1], "a datagram of 8 bytes after it");
	ud_datagram(&p, &ah, 8);
	bench_expect_error(p.cq[1], PRM_SYNDROME_LOCAL_PROT_ERR,
			   "a datagram for a receive of an SRQ with a wrong key");
	NEED(dvx_qp_query_state(p.qp[1], &state));
	EXPECT(state == PRM_QP_STATE_ERR, "the state is %u after it, not ERR", state);
}

/* The path's MTU is the port's, the queue's own is 4096. */
void probe_ud_queue_mtu(struct bench *b)
{
	struct bench_pair p = bench_pair_of(b, DVX_QP_UD);
	struct dvx_ah ah = ud_ah(b, &p);
	struct dvx_sge big = {b->addr, 4097, b->key};
	const void *cqe;

	bench_receive(&p, (struct dvx_sge){b->addr + 8192, 8192, b->key});
	NEED(dvx_post_ud_send(p.sq, &ah, &big, 1, 1, DVX_SIGNALED));
	dvx_sq_ring(p.sq);
	cqe = bench_wait(p.cq[0]);
	if (!cqe || dvx_cqe_is_error(cqe))
		bench_expect_error(p.cq[0], PRM_SYNDROME_LOCAL_LENGTH_ERR,
				   "a datagram of 4097 bytes");
	bench_expect_none(p.cq[1], "a datagram of 4097 bytes");
}
