/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Proves that completions belong to the work that asked for them: over resets, on CQs that several
 * queues share, on adopted queues; and that a CQ never gets more queues than it has room for.
 */
#include "tests/test.h"
#include <infiniband/mlx5dv.h>
#include "lib_rig.h"
#include "tests/verbs/verbs_qp.h"

static void nops(struct dvx_sq *sq, uint64_t first, int n)
{
	while (n--)
		OK(dvx_post_nop(sq, first++, DVX_SIGNALED));
	dvx_sq_ring(sq);
}

/* Polls the next completion, good or bad. */
static int polled(struct dvx_cq *cq, struct dvx_wc *wc)
{
	time_t end = patience_from_now();
	int n;

	while (!(n = dvx_cq_poll(cq, wc)))
		if (patience_over(end))
			fail_msg("no completion came");
	return n;
}

static void done_next(struct dvx_cq *cq, uint64_t cookie)
{
	struct dvx_wc wc = {0};

	assert_int_equal(polled(cq, &wc), 1);
	assert_int_equal(wc.wr_id, cookie);
}

/* Waits until the CQ holds n completions, without consuming one. */
static void until_waiting(const struct dvx_cq *cq, uint32_t n)
{
	struct dvx_cq at = *cq;
	time_t end = patience_from_now();

	at.next += (size_t)(n - 1) * DVX_CQE_BYTES;
	if (at.next >= at.end) {
		at.next -= (size_t)at.entries * DVX_CQE_BYTES;
		at.phase ^= DVX_CQ_OLD;
	}
	while (dvx_cq_state(&at, at.next) & DVX_CQ_OLD)
		if (patience_over(end))
			fail_msg("%u completions did not come", n);
}

/* Completions from before a queue's reset are never seen after it. */
TEST(pair, reset_drops_completions, 0)
{
	struct dvx_wc wc;

	for (int life = 0; life < 5; life++) {
		nops(p->sq, 100, 9);
		until_waiting(p->cq[0], 9);
		OK(dvx_qp_to_rst(p->qp[0]));
		OK(dvx_qp_to_rst(p->qp[1]));
		assert_true(p->sq->head == p->sq->qpn_be); /* a doorbell names no WQE */
		assert_int_equal(dvx_cq_poll(p->cq[0], &wc), 0);
		assert_int_equal(dvx_sq_free(p->sq), dvx_sq_blocks(p->sq));
		pair_connect(r, p, 0);
		nops(p->sq, 7, 1);
		done_next(p->cq[0], 7);
		assert_int_equal(dvx_cq_poll(p->cq[0], &wc), 0);
		assert_int_equal(dvx_sq_free(p->sq), dvx_sq_blocks(p->sq));
	}
}

/* Two queues on one CQ; another QP first fills `skip` of its entries. */
struct shared {
	struct dvx_cq *cq;
	struct dvx_qp *qp[2];
};

static void shared_make(struct rig *r, struct shared *s, int skip)
{
	struct dvx_cq_attr cq = {.size = sizeof(cq), .entries = 200, .uar = r->uar};
	struct dvx_qp_attr qp = rig_qp_attr(r);

	OK(dvx_cq_create(r->dev, &cq, &s->cq));
	qp.send_cq = s->cq;
	for (int i = 0; i < 2; i++) {
		OK(dvx_qp_create(r->dev, &qp, &s->qp[i]));
		OK(dvx_qp_connect_self(s->qp[i], 0));
	}
	while (skip--) {
		nops(dvx_qp_sq(s->qp[0]), 1, 1);
		done_next(s->cq, 1);
	}
}

static void shared_free(struct shared *s)
{
	OK(dvx_qp_destroy(s->qp[0]));
	OK(dvx_qp_destroy(s->qp[1]));
	OK(dvx_cq_destroy(s->cq));
}

/* Other queues' completions on the same CQ stay, in order, also over the ring's end. */
TEST(rig, reset_keeps_others)
{
	static const int skips[] = {0, 1, 245, 250, 255, 256, 511, 767};
	struct shared s;
	struct dvx_wc wc;

	for (size_t k = 0; k < sizeof(skips) / sizeof(skips[0]); k++) {
		shared_make(r, &s, skips[k]);
		for (int i = 0; i < 6; i++) {
			nops(dvx_qp_sq(s.qp[i & 1]), (uint64_t)(10 * i), 2);
			until_waiting(s.cq, (uint32_t)(2 * i + 2)); /* before the next one's */
		}
		OK(dvx_qp_to_rst(s.qp[1]));
		for (int i = 0; i < 6; i += 2) {
			done_next(s.cq, (uint64_t)(10 * i));
			done_next(s.cq, (uint64_t)(10 * i + 1));
		}
		assert_int_equal(dvx_cq_poll(s.cq, &wc), 0);
		OK(dvx_qp_connect_self(s.qp[1], 0));
		for (int i = 0; i < 600; i++) {
			nops(dvx_qp_sq(s.qp[i & 1]), (uint64_t)i, 1);
			done_next(s.cq, (uint64_t)i);
		}
		shared_free(&s);
	}
}

/* A queue that is destroyed takes its completions with it. */
TEST(rig, destroy_drops_completions)
{
	struct shared s;
	struct dvx_wc wc;

	shared_make(r, &s, 0);
	nops(dvx_qp_sq(s.qp[0]), 1, 3);
	nops(dvx_qp_sq(s.qp[1]), 50, 1);
	until_waiting(s.cq, 4);
	OK(dvx_qp_destroy(s.qp[0]));
	s.qp[0] = NULL;
	done_next(s.cq, 50);
	assert_int_equal(dvx_cq_poll(s.cq, &wc), 0);
	shared_free(&s);
}

/* Copies by the DMA engine work after each reset of a queue. */
TEST(pair, dma_after_reset, 0)
{
	for (int life = 0; life < 3; life++) {
		memset(r->buf, life + 1, 64);
		OK(dvx_post_dma(p->sq, (uintptr_t)r->buf + 64, r->key, (uintptr_t)r->buf, r->key,
				64, 5, DVX_SIGNALED));
		ring_done(p, 5);
		assert_memory_equal(r->buf + 64, r->buf, 64);
		OK(dvx_qp_to_rst(p->qp[0]));
		OK(dvx_qp_to_rst(p->qp[1]));
		pair_connect(r, p, 0);
	}
}

/* Sends and receives of several queues on one CQ: each completion has its own cookie. */
TEST(rig, cookies_of_many)
{
	struct dvx_sge to = {(uintptr_t)r->buf, 64, r->key};
	struct shared s;
	struct dvx_wc wc;

	shared_make(r, &s, 0);
	for (int i = 0; i < 2; i++) {
		OK(dvx_rq_post(dvx_qp_rq(s.qp[i]), &to, 1, (uint64_t)(1000 + i)));
		dvx_rq_ring(dvx_qp_rq(s.qp[i]));
	}
	for (int i = 0; i < 2; i++) {
		OK(dvx_post_send_imm_inline(dvx_qp_sq(s.qp[i]), (uint32_t)i, "abcde",
					    (uint32_t)i + 3, (uint64_t)i, DVX_SIGNALED));
		dvx_sq_ring(dvx_qp_sq(s.qp[i]));
	}
	for (int seen = 0, i; seen != 0xf; seen |= 1 << (2 * i + (wc.wr_id >= 1000))) {
		assert_int_equal(polled(s.cq, &wc), 1);
		i = wc.qpn == dvx_qp_number(s.qp[1]);
		assert_int_equal(wc.qpn, dvx_qp_number(s.qp[i]));
		assert_int_equal(wc.wr_id % 1000, i);
		assert_int_equal(wc.opcode, wc.wr_id >= 1000 ? PRM_CQE_OPCODE_RESP_SEND_IMM
							     : PRM_CQE_OPCODE_REQ);
		if (wc.wr_id >= 1000) {
			assert_int_equal(wc.byte_count, 3 + i);
			assert_int_equal(wc.imm, i);
		}
	}
	/* the short poll would mix up the two queues' completions */
	refused(dvx_sq_poll(dvx_qp_sq(s.qp[0]), &wc), -EINVAL, "dvx_cq_poll", "itself");
	shared_free(&s);
}

/* The QP's poll serves sends and receives on the default, one CQ for both. */
TEST(rig, own_poll_of_both_halves)
{
	struct dvx_cq_attr cqa = {.size = sizeof(cqa), .entries = 80, .uar = r->uar};
	struct dvx_qp_attr qpa = rig_qp_attr(r);
	struct dvx_cq *cq;
	struct dvx_qp *qp;
	struct dvx_wc wc;

	OK(dvx_cq_create(r->dev, &cqa, &cq));
	qpa.send_cq = cq;
	OK(dvx_qp_create(r->dev, &qpa, &qp));
	refused(dvx_sq_poll(dvx_qp_sq(qp), &wc), -EINVAL, "dvx_cq_poll", "itself");
	refused(dvx_rq_poll(dvx_qp_rq(qp), &wc), -EINVAL, "dvx_cq_poll", "itself");
	OK(dvx_qp_destroy(qp));
	OK(dvx_cq_destroy(cq));
}

/* A receive queue has its own CQ. */
TEST(rig, own_poll_of_receives)
{
	struct dvx_cq_attr cqa = {.size = sizeof(cqa), .entries = 64, .uar = r->uar};
	struct dvx_qp_attr qpa = rig_qp_attr(r);
	struct dvx_sge to = {(uintptr_t)r->buf, 64, r->key};
	struct dvx_cq *scq, *rcq;
	struct dvx_qp *qp;
	struct dvx_wc wc;
	int n;

	OK(dvx_cq_create(r->dev, &cqa, &scq));
	OK(dvx_cq_create(r->dev, &cqa, &rcq));
	qpa.send_cq = scq;
	qpa.recv_cq = rcq;
	OK(dvx_qp_create(r->dev, &qpa, &qp));
	OK(dvx_qp_connect_self(qp, 0));
	for (uint32_t i = 0; i < 100; i++) {
		OK(dvx_rq_post(dvx_qp_rq(qp), &to, 1, i));
		dvx_rq_ring(dvx_qp_rq(qp));
		OK(dvx_post_send_inline(dvx_qp_sq(qp), &i, 4, i, DVX_SIGNALED));
		dvx_sq_ring(dvx_qp_sq(qp));
		while (!(n = dvx_rq_poll(dvx_qp_rq(qp), &wc)))
			;
		assert_int_equal(n, 1);
		assert_int_equal(wc.wr_id, i);
		assert_int_equal(wc.byte_count, 4);
		while (!(n = dvx_sq_poll(dvx_qp_sq(qp), &wc)))
			;
		assert_int_equal(n, 1);
	}
	OK(dvx_qp_destroy(qp));
	OK(dvx_cq_destroy(scq));
	OK(dvx_cq_destroy(rcq));
}

/* A failure has its cookie, syndrome and queue; later requests are flushed, without the pads. */
TEST(pair, failures_whole, 0)
{
	struct dvx_wc wc;
	uint8_t long_one[200] = {0};

	for (int i = 0; i < 62; i++) {
		nops(p->sq, 1, 1);
		done_next(p->cq[0], 1);
	}
	OK(dvx_post_write_inline(p->sq, 0, 0xbad00, "x", 1, 42, 0));
	OK(dvx_post_send_inline(p->sq, long_one, sizeof(long_one), 43, 0)); /* behind one pad */
	dvx_sq_ring(p->sq);
	assert_int_equal(polled(p->cq[0], &wc), -EIO);
	assert_int_equal(wc.wr_id, 42);
	assert_int_equal(wc.syndrome, PRM_SYNDROME_REMOTE_ACCESS_ERR);
	assert_int_equal(wc.qpn, dvx_qp_number(p->qp[0]));
	assert_int_equal(wc.user_index, 0x70);
	assert_int_equal(wc.send_opcode, PRM_WQE_OPCODE_RDMA_WRITE);
	assert_int_equal(polled(p->cq[0], &wc), -EIO);
	assert_int_equal(wc.wr_id, 43);
	assert_int_equal(wc.syndrome, PRM_SYNDROME_WR_FLUSH_ERR);
	assert_int_equal(dvx_cq_poll(p->cq[0], &wc), 0);
	assert_int_equal(dvx_sq_free(p->sq), dvx_sq_blocks(p->sq));
}

/* A CQ that its queues could overrun is refused, unless the program promises to count. */
TEST(rig, room)
{
	struct dvx_cq_attr cqa = {.size = sizeof(cqa), .entries = 16, .uar = r->uar};
	struct dvx_qp_attr qpa = rig_qp_attr(r);
	struct dvx_cq *cq;
	struct dvx_qp *qp, *second;

	OK(dvx_cq_create(r->dev, &cqa, &cq));
	qpa.send_cq = cq;
	refused(dvx_qp_create(r->dev, &qpa, &qp), -EINVAL, "80", "DVX_CQ_OVERCOMMIT");
	qpa.sq_blocks = 16;
	qpa.rq_entries = 0;
	OK(dvx_qp_create(r->dev, &qpa, &qp));
	qpa.sq_blocks = 32;
	refused(dvx_qp_create(r->dev, &qpa, &second), -EINVAL, "32", "16");
	refused(dvx_cq_destroy(cq), -EBUSY, "1", "queue");
	OK(dvx_qp_destroy(qp));
	OK(dvx_qp_create(r->dev, &qpa, &qp)); /* the room is free again */
	OK(dvx_qp_destroy(qp));
	OK(dvx_cq_destroy(cq));
	cqa.flags = DVX_CQ_OVERCOMMIT;
	OK(dvx_cq_create(r->dev, &cqa, &cq));
	qpa.send_cq = cq;
	OK(dvx_qp_create(r->dev, &qpa, &qp));
	OK(dvx_qp_destroy(qp));
	OK(dvx_cq_destroy(cq));
}

/* Queues that are made later don't overrun a CQ of which not all that was polled is published. */
TEST(rig, room_of_later_queues)
{
	static const uint32_t blocks[] = {32, 64, 32}; /* together all entries */
	struct dvx_cq_attr cqa = {.size = sizeof(cqa), .entries = 96, .uar = r->uar};
	struct dvx_qp_attr qpa = rig_qp_attr(r);
	struct dvx_qp *qp[3];
	struct dvx_wc wc;

	OK(dvx_cq_create(r->dev, &cqa, &qpa.send_cq));
	assert_int_equal(qpa.send_cq->entries, 128);
	qpa.rq_entries = qpa.rq_sge = 0;
	for (int i = 0; i < 3; i++) {
		qpa.sq_blocks = blocks[i];
		OK(dvx_qp_create(r->dev, &qpa, &qp[i]));
		OK(dvx_qp_connect_self(qp[i], 0));
		if (i)
			continue;
		nops(dvx_qp_sq(qp[0]), 0, 31);
		for (uint64_t n = 0; n < 31; n++)
			done_next(qpa.send_cq, n);
	}
	for (int i = 0; i < 3; i++)
		nops(dvx_qp_sq(qp[i]), 0, (int)blocks[i]);
	until_waiting(qpa.send_cq, 128);
	for (int i = 0; i < 128; i++)
		assert_int_equal(polled(qpa.send_cq, &wc), 1);
	for (int i = 0; i < 3; i++)
		OK(dvx_qp_destroy(qp[i]));
	OK(dvx_cq_destroy(qpa.send_cq));
}

/* Mistaken arguments are refused, and the errno alone shows what to do. */
TEST(rig, refusals_in_words)
{
	struct dvx_sge long_piece = {0, DVX_MAX_SEGMENT + 1, r->key};
	struct dvx_cq_attr cqa = {.size = sizeof(cqa), .entries = 128, .uar = r->uar};
	struct dvx_qp_attr qpa = rig_qp_attr(r);
	struct dvx_sq *sq;
	struct dvx_cq *cq;
	struct dvx_qp *qp;
	int err;

	OK(dvx_cq_create(r->dev, &cqa, &cq));
	qpa.send_cq = cq;
	qpa.flags &= ~(uint32_t)DVX_QP_MMO;
	OK(dvx_qp_create(r->dev, &qpa, &qp));
	refused(dvx_qp_connect_self(qp, DVX_LOCAL_WRITE), -EINVAL, "local.access",
		"DVX_REMOTE_READ");
	OK(dvx_qp_connect_self(qp, DVX_REMOTE_WRITE));
	OK(dvx_qp_to_err(qp));
	refused(dvx_qp_connect_self(qp, 0), -EINVAL, "in ERR", "dvx_qp_to_rst()");
	OK(dvx_qp_to_rst(qp));
	OK(dvx_qp_connect_self(qp, DVX_REMOTE_WRITE));
	sq = dvx_qp_sq(qp);
	err = dvx_post_nop(sq, 1, IBV_SEND_SIGNALED);
	assert_int_equal(err, -EBADR);
	assert_non_null(strstr(dvx_strerror(err), "DVX_SIGNALED"));
	err = dvx_post_send_inline(sq, "", 0, 1, DVX_SIGNALED | IBV_SEND_FENCE);
	assert_int_equal(err, -EBADR);
	err = dvx_post_dma(sq, 1, r->key, 1, r->key, 1, 1, DVX_SIGNALED);
	assert_int_equal(err, -EBADRQC);
	assert_non_null(strstr(dvx_strerror(err), "DVX_QP_MMO"));
	err = dvx_post_send(sq, &long_piece, 1, 1, 0);
	assert_int_equal(err, -EMSGSIZE);
	assert_non_null(strstr(dvx_strerror(err), "2 GiB"));
	while (!(err = dvx_post_nop(sq, 1, 0)))
		;
	assert_int_equal(err, -ENOSPC);
	assert_non_null(strstr(dvx_strerror(err), "completions first"));
	assert_string_equal(dvx_strerror(0), "no error");
	assert_string_equal(dvx_strerror(-EPERM), strerrordesc_np(EPERM));
	OK(dvx_qp_destroy(qp));
	OK(dvx_cq_destroy(cq));
}

TEST_GROUP(rig_open, rig_close)
