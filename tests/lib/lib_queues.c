/* SPDX-License-Identifier: BSD-2-Clause */
/* libdvx's own queues on a device: every work request, both doorbells, wrap, full rings, events. */
#include "tests/test.h"
#include <pthread.h>
#include <dvx/prm/cap.h>
#include "lib_rig.h"

static struct dvx_sge piece(const struct rig *r, size_t at, uint32_t len)
{
	struct dvx_sge s = {(uintptr_t)r->buf + at, len, r->key};

	return s;
}

/* Checks a receive CQE for the sender's values. */
static void received(struct pair *p, uint64_t cookie, uint8_t opcode, uint32_t len, uint32_t imm)
{
	const void *cqe = wait_cqe(p->cq[1]);

	assert_int_equal(dvx_cqe_opcode(cqe), opcode);
	assert_false(dvx_cqe_is_send(cqe));
	assert_int_equal(dvx_cqe_byte_count(cqe), len);
	assert_int_equal(dvx_cqe_user_index(cqe), 0x71);
	assert_int_equal(dvx_cqe_qpn(cqe), dvx_qp_number(p->qp[1]));
	if (opcode != PRM_CQE_OPCODE_RESP_SEND)
		assert_int_equal(dvx_cqe_imm(cqe), imm);
	assert_int_equal(dvx_rq_retire(p->rq), cookie);
	dvx_cq_pop(p->cq[1]);
}

static void fill(struct rig *r)
{
	size_t i;

	for (i = 0; i < RIG_BYTES; i++)
		r->buf[i] = (uint8_t)(i * 7 + i / 251);
}

/* SEND and SEND_IMM, gathered and inline, scattered over three pieces. */
TEST(pair, sends, 0)
{
	struct dvx_sge from[2], to[3];
	uint32_t i;

	fill(r);
	from[0] = piece(r, 0, 100);
	from[1] = piece(r, 5000, 3000);
	to[0] = piece(r, 0x10000, 1);
	to[1] = piece(r, 0x20000, 2000);
	to[2] = piece(r, 0x30000, 5000);
	for (i = 0; i < 4; i++)
		OK(dvx_rq_post(p->rq, to, 3, 100 + i));
	dvx_rq_ring(p->rq);
	OK(dvx_post_send(p->sq, from, 2, 1, DVX_SIGNALED));
	ring_done(p, 1);
	received(p, 100, PRM_CQE_OPCODE_RESP_SEND, 3100, 0);
	assert_int_equal(r->buf[0x10000], r->buf[0]);
	assert_memory_equal(r->buf + 0x20000, r->buf + 1, 99);
	assert_memory_equal(r->buf + 0x20000 + 99, r->buf + 5000, 1901);
	assert_memory_equal(r->buf + 0x30000, r->buf + 5000 + 1901, 1099);
	OK(dvx_post_send_imm(p->sq, 0xcafe0001, from, 1, 2, DVX_SIGNALED));
	OK(dvx_post_send_inline(p->sq, "twelve bytes", 12, 3, DVX_SIGNALED));
	OK(dvx_post_send_imm_inline(p->sq, 7, r->buf, 180, 4, DVX_SIGNALED));
	dvx_sq_ring(p->sq);
	for (i = 2; i < 5; i++)
		done(p->cq[0], p->sq, i);
	received(p, 101, PRM_CQE_OPCODE_RESP_SEND_IMM, 100, 0xcafe0001);
	received(p, 102, PRM_CQE_OPCODE_RESP_SEND, 12, 0);
	received(p, 103, PRM_CQE_OPCODE_RESP_SEND_IMM, 180, 7);
	assert_memory_equal(r->buf + 0x20000, r->buf + 1, 179);
}

/* UC: SEND and WRITE with immediate arrive; a message without a receive is lost; READ is refused.
 */
TEST(rig, unreliable)
{
	struct pair p;
	struct dvx_sge from, to;
	uint64_t far = (uintptr_t)r->buf + 0x80000;
	struct dvx_cqe_failure why;

	pair_make_type(r, &p, DVX_REMOTE_WRITE, DVX_QP_UC);
	fill(r);
	from = piece(r, 3, 10000);
	to = piece(r, 0x10000, 20000);
	OK(dvx_post_send(p.sq, &from, 1, 1, DVX_SIGNALED));
	ring_done(&p, 1);
	OK(dvx_rq_post(p.rq, &to, 1, 77));
	OK(dvx_rq_post(p.rq, &to, 1, 78));
	dvx_rq_ring(p.rq);
	OK(dvx_post_send_imm(p.sq, 5, &from, 1, 2, DVX_SIGNALED));
	OK(dvx_post_write_imm(p.sq, 6, far, r->key, &from, 1, 3, DVX_SIGNALED));
	ring_done(&p, 2);
	done(p.cq[0], p.sq, 3);
	received(&p, 77, PRM_CQE_OPCODE_RESP_SEND_IMM, 10000, 5);
	received(&p, 78, PRM_CQE_OPCODE_RESP_WR_IMM, 10000, 6);
	assert_memory_equal(r->buf + 0x10000, r->buf + 3, 10000);
	assert_memory_equal(r->buf + 0x80000, r->buf + 3, 10000);
	OK(dvx_post_read(p.sq, far, r->key, &from, 1, 4, DVX_SIGNALED));
	dvx_sq_ring(p.sq);
	dvx_cqe_error(wait_cqe(p.cq[0]), &why);
	assert_int_equal(why.syndrome, PRM_SYNDROME_LOCAL_QP_OP_ERR);
	pair_free(&p);
}

/* RDMA_WRITE, WRITE_IMM, READ: gathered, inline, at an offset that is no page's. */
TEST(pair, rdma, DVX_REMOTE_WRITE | DVX_REMOTE_READ)
{
	struct dvx_sge two[2];
	uint64_t far = (uintptr_t)r->buf + 0x80000;

	fill(r);
	two[0] = piece(r, 1, 4097);
	two[1] = piece(r, 20000, 70000);
	OK(dvx_post_write(p->sq, far + 3, r->key, two, 2, 1, DVX_SIGNALED));
	ring_done(p, 1);
	assert_memory_equal(r->buf + 0x80003, r->buf + 1, 4097);
	assert_memory_equal(r->buf + 0x80003 + 4097, r->buf + 20000, 70000);
	OK(dvx_post_write_inline(p->sq, far, r->key, "eight by", 8, 2, DVX_SIGNALED));
	ring_done(p, 2);
	assert_memory_equal(r->buf + 0x80000, "eight by", 8);
	OK(dvx_rq_post(p->rq, NULL, 0, 55));
	OK(dvx_rq_post(p->rq, NULL, 0, 56));
	dvx_rq_ring(p->rq);
	OK(dvx_post_write_imm(p->sq, 0x12345678, far, r->key, two, 1, 3, DVX_SIGNALED));
	OK(dvx_post_write_imm_inline(p->sq, 9, far, r->key, "x", 1, 4, DVX_SIGNALED));
	ring_done(p, 3);
	done(p->cq[0], p->sq, 4);
	received(p, 55, PRM_CQE_OPCODE_RESP_WR_IMM, 4097, 0x12345678);
	received(p, 56, PRM_CQE_OPCODE_RESP_WR_IMM, 1, 9);
	fill(r);
	two[0] = piece(r, 0, 10);
	two[1] = piece(r, 0x40000, 100000);
	OK(dvx_post_read(p->sq, far, r->key, two, 2, 5, DVX_SIGNALED));
	dvx_sq_ring(p->sq);
	assert_int_equal(dvx_cqe_byte_count(wait_cqe(p->cq[0])), 100010);
	assert_int_equal(dvx_cqe_send_opcode(wait_cqe(p->cq[0])), PRM_WQE_OPCODE_RDMA_READ);
	assert_int_equal(dvx_cqe_user_index(wait_cqe(p->cq[0])), 0x70);
	done(p->cq[0], p->sq, 5);
	assert_memory_equal(r->buf, r->buf + 0x80000, 10);
	assert_memory_equal(r->buf + 0x40000, r->buf + 0x80000 + 10, 100000);
}

/* The DMA engine copies on a QP that has no peer; a NOP completes and moves nothing. */
TEST(pair, dma_and_nop, 0)
{
	fill(r);
	OK(dvx_post_dma(p->sq, (uintptr_t)r->buf + 0x80001, r->key, (uintptr_t)r->buf + 5, r->key,
			0x40003, 1, DVX_SIGNALED));
	OK(dvx_post_nop(p->sq, 2, DVX_SIGNALED));
	dvx_sq_ring(p->sq);
	assert_int_equal(dvx_cqe_send_opcode(wait_cqe(p->cq[0])), PRM_WQE_OPCODE_MMO);
	done(p->cq[0], p->sq, 1);
	done(p->cq[0], p->sq, 2);
	assert_memory_equal(r->buf + 0x80001, r->buf + 5, 0x40003);
}

/* Thousands of WQEs of every length go through a small ring, with both doorbells in turn. */
TEST(pair, wrap_with_data, DVX_REMOTE_WRITE)
{
	uint8_t data[200];
	uint32_t i, j, len;

	for (i = 0; i < 3000; i++) {
		len = 1 + i * 13 % sizeof(data);
		for (j = 0; j < len; j++)
			data[j] = (uint8_t)(i + j);
		OK(dvx_post_write_inline(p->sq, (uintptr_t)r->buf, r->key, data, len, i,
					 DVX_SIGNALED));
		if (i & 1)
			dvx_sq_ring(p->sq);
		else
			dvx_sq_ring_bf(p->sq);
		done(p->cq[0], p->sq, i);
		assert_memory_equal(r->buf, data, len);
		assert_int_equal(dvx_sq_free(p->sq), dvx_sq_blocks(p->sq));
	}
}

/* The ring is filled to -ENOSPC and rung once, and every cookie comes back in order; ten times. */
TEST(pair, full_ring, DVX_REMOTE_WRITE)
{
	uint64_t posted = 0, retired = 0;
	struct dvx_sge s[4];
	uint32_t i, lap, n;

	for (i = 0; i < 4; i++)
		s[i] = piece(r, i * 64, 16);
	for (lap = 0; lap < 10; lap++) {
		n = 0;
		while (dvx_post_write(p->sq, (uintptr_t)r->buf + 4096, r->key, s, 1 + (n + lap) % 4,
				      posted, DVX_SIGNALED) == 0) {
			posted++;
			n++;
		}
		assert_true(n > dvx_sq_blocks(p->sq) / 2);
		dvx_sq_ring(p->sq);
		for (; retired < posted; retired++)
			done(p->cq[0], p->sq, retired);
	}
}

/* One signaled WQE in eight completes the seven before it. */
TEST(pair, unsignaled, DVX_REMOTE_WRITE)
{
	struct dvx_wc wc = {0};
	uint32_t i;
	int n;

	for (i = 1; i <= 800; i++) {
		OK(dvx_post_write_inline(p->sq, (uintptr_t)r->buf + i, r->key, "z", 1, i,
					 i % 8 ? 0 : DVX_SIGNALED));
		if (i % 8)
			continue;
		dvx_sq_ring(p->sq);
		while (!(n = dvx_cq_poll(p->cq[0], &wc)))
			;
		assert_int_equal(n, 1);
		assert_int_equal(wc.wr_id, i);
		assert_int_equal(dvx_sq_free(p->sq), dvx_sq_blocks(p->sq));
	}
}

/* A WQE that was posted but not rung does not run; the next doorbell includes it. */
TEST(rig, nothing_before_the_doorbell)
{
	struct pair p, q;
	uint32_t i;

	pair_make(r, &p, DVX_REMOTE_WRITE);
	pair_make(r, &q, 0);
	r->buf[0] = 0;
	OK(dvx_post_write_inline(p.sq, (uintptr_t)r->buf, r->key, "a", 1, 1, DVX_SIGNALED));
	/* Work on another queue of the same UAR shows that the device runs. */
	for (i = 0; i < 50; i++) {
		OK(dvx_post_nop(q.sq, i, DVX_SIGNALED));
		dvx_sq_ring(q.sq);
		done(q.cq[0], q.sq, i);
	}
	assert_null(dvx_cq_peek(p.cq[0]));
	assert_int_equal(r->buf[0], 0);
	OK(dvx_post_nop(p.sq, 2, DVX_SIGNALED));
	ring_done(&p, 1);
	done(p.cq[0], p.sq, 2);
	assert_int_equal(r->buf[0], 'a');
	pair_free(&p);
	pair_free(&q);
}

/* An armed CQ wakes its channel, with the cookie; again after each arm; solicited on request. */
TEST(rig, events)
{
	struct pair p;
	struct dvx_channel *ch;
	struct dvx_sge to = piece(r, 0, 64);
	struct dvx_cq *woken;
	void *cookie;
	uint32_t i;

	pair_make(r, &p, 0);
	OK(dvx_channel_open(r->dev, &ch));
	OK(dvx_channel_subscribe(ch, p.cq[1], &p));
	assert_int_equal(dvx_channel_close(ch), -EBUSY);
	assert_int_equal(dvx_channel_subscribe(ch, p.cq[1], &p), -EBUSY);
	for (i = 0; i < 16; i++)
		OK(dvx_rq_post(p.rq, &to, 1, i));
	dvx_rq_ring(p.rq);
	for (i = 0; i < 8; i++) {
		dvx_cq_arm(p.cq[1], false);
		OK(dvx_post_send_inline(p.sq, "e", 1, i, DVX_SIGNALED));
		dvx_sq_ring(p.sq);
		OK(dvx_channel_wait(ch, 10000, &woken, &cookie));
		assert_ptr_equal(woken, p.cq[1]);
		assert_ptr_equal(cookie, &p);
		received(&p, i, PRM_CQE_OPCODE_RESP_SEND, 1, 0);
		done(p.cq[0], p.sq, i);
	}
	/* armed for solicited ones: an ordinary send makes no event, a solicited one does */
	dvx_cq_arm(p.cq[1], true);
	OK(dvx_post_send_inline(p.sq, "e", 1, 20, DVX_SIGNALED));
	ring_done(&p, 20);
	received(&p, 8, PRM_CQE_OPCODE_RESP_SEND, 1, 0);
	assert_int_equal(dvx_channel_wait(ch, 0, NULL, NULL), -ETIMEDOUT);
	OK(dvx_post_send_inline(p.sq, "e", 1, 21, DVX_SIGNALED | DVX_SOLICITED));
	dvx_sq_ring(p.sq);
	OK(dvx_channel_wait(ch, 10000, NULL, NULL));
	done(p.cq[0], p.sq, 21);
	received(&p, 9, PRM_CQE_OPCODE_RESP_SEND, 1, 0);
	/* armed afterwards: completions not consumed yet make an event at once */
	OK(dvx_post_send_inline(p.sq, "e", 1, 22, DVX_SIGNALED));
	dvx_sq_ring(p.sq);
	wait_cqe(p.cq[1]);
	dvx_cq_arm(p.cq[1], false);
	OK(dvx_channel_wait(ch, 10000, NULL, NULL));
	received(&p, 10, PRM_CQE_OPCODE_RESP_SEND, 1, 0);
	done(p.cq[0], p.sq, 22);
	/* A request for any CQE stays, whether or not the device looks before the next one. */
	dvx_cq_arm(p.cq[1], false);
	dvx_cq_arm(p.cq[1], true);
	OK(dvx_post_send_inline(p.sq, "e", 1, 23, DVX_SIGNALED));
	dvx_sq_ring(p.sq);
	OK(dvx_channel_wait(ch, 10000, NULL, NULL));
	done(p.cq[0], p.sq, 23);
	received(&p, 11, PRM_CQE_OPCODE_RESP_SEND, 1, 0);
	/* its event was taken: the next request replaces it */
	dvx_cq_arm(p.cq[1], true);
	OK(dvx_post_send_inline(p.sq, "e", 1, 24, DVX_SIGNALED));
	ring_done(&p, 24);
	received(&p, 12, PRM_CQE_OPCODE_RESP_SEND, 1, 0);
	assert_int_equal(dvx_channel_wait(ch, 0, NULL, NULL), -ETIMEDOUT);
	pair_free(&p);
	OK(dvx_channel_close(ch));
}

/* Rings at the caller's choice: own buffer, node 0, hugepages if any; the same traffic. */
TEST(rig, placed)
{
	static _Alignas(4096) uint8_t own[65536];
	const struct dvx_place places[] = {
		{.buf = own, .buf_len = sizeof(own)},
		{.flags = DVX_PLACE_NODE, .node = 0},
		{.flags = DVX_PLACE_TRY_HUGE},
	};
	struct dvx_cq_attr cqa = {.size = sizeof(cqa), .entries = 64, .uar = r->uar};
	struct dvx_qp_attr qpa = rig_qp_attr(r);
	struct dvx_cq *cq;
	struct dvx_qp *qp;
	size_t i;

	OK(dvx_cq_create(r->dev, &cqa, &cq));
	qpa.send_cq = cq;
	for (i = 0; i < sizeof(places) / sizeof(places[0]); i++) {
		qpa.place = places[i];
		OK(dvx_qp_create(r->dev, &qpa, &qp));
		OK(dvx_qp_connect_self(qp, DVX_REMOTE_WRITE));
		if (places[i].buf)
			assert_in_range((uintptr_t)dvx_qp_sq(qp)->buf, (uintptr_t)own,
					(uintptr_t)own + sizeof(own) - 1);
		OK(dvx_post_nop(dvx_qp_sq(qp), i, DVX_SIGNALED));
		dvx_sq_ring(dvx_qp_sq(qp));
		done(cq, dvx_qp_sq(qp), i);
		OK(dvx_qp_destroy(qp));
	}
	OK(dvx_cq_destroy(cq));
}

/* Queues on one BlueFlame register have one common owner, for debug builds (dvx_sq_leave(3)). */
TEST(rig, register_users)
{
	struct dvx_cq_attr cqa = {.size = sizeof(cqa), .entries = 256, .uar = r->uar};
	struct dvx_qp_attr qpa = rig_qp_attr(r);
	struct dvx_qp *qp[2];
	struct dvx_cq *cq;

	OK(dvx_cq_create(r->dev, &cqa, &cq));
	qpa.send_cq = cq;
	OK(dvx_qp_create(r->dev, &qpa, &qp[0]));
	OK(dvx_qp_create(r->dev, &qpa, &qp[1]));
	assert_non_null(dvx_qp_sq(qp[0])->reg_users);
	assert_ptr_equal(dvx_qp_sq(qp[0])->reg_users, dvx_qp_sq(qp[1])->reg_users);
	OK(dvx_qp_destroy(qp[1]));
	OK(dvx_qp_destroy(qp[0]));
	OK(dvx_cq_destroy(cq));
}

/* A non-cached UAR has no BlueFlame: ring_bf falls back to the register. */
TEST(rig, non_cached_uar)
{
	struct dvx_uar *nc;
	struct dvx_cq_attr cqa = {.size = sizeof(cqa), .entries = 64};
	struct dvx_qp_attr qpa = rig_qp_attr(r);
	struct dvx_cq *cq;
	struct dvx_qp *qp;
	uint32_t i;

	qpa.flags |= DVX_QP_FORCE_LOOPBACK; /* such a QP works as well */
	OK(dvx_uar_alloc(r->dev, DVX_UAR_NC, &nc));
	assert_int_equal(dvx_uar_bf_size(nc), 0);
	cqa.uar = qpa.uar = nc;
	OK(dvx_cq_create(r->dev, &cqa, &cq));
	qpa.send_cq = cq;
	OK(dvx_qp_create(r->dev, &qpa, &qp));
	assert_int_equal(dvx_uar_free(nc), -EBUSY);
	assert_null(dvx_qp_sq(qp)->reg_users); /* any thread may ring it */
	OK(dvx_qp_connect_self(qp, 0));
	for (i = 0; i < 100; i++) {
		OK(dvx_post_nop(dvx_qp_sq(qp), i, DVX_SIGNALED));
		dvx_sq_ring_bf(dvx_qp_sq(qp));
		done(cq, dvx_qp_sq(qp), i);
	}
	OK(dvx_qp_destroy(qp));
	OK(dvx_cq_destroy(cq));
	OK(dvx_uar_free(nc));
}

/* 200 QPs share doorbell-record pages and a CQ; each completion names its queue. */
TEST(rig, many_queues_one_cq)
{
	enum { N = 200 };
	struct dvx_cq_attr cqa = {.size = sizeof(cqa), .entries = N * 4, .uar = r->uar};
	struct dvx_qp_attr qpa = {.size = sizeof(qpa), .pd = r->pd, .uar = r->uar, .sq_blocks = 4};
	struct dvx_qp *qp[N];
	struct dvx_cq *cq;
	uint32_t i, who, seen[N] = {0};

	OK(dvx_cq_create(r->dev, &cqa, &cq));
	qpa.send_cq = cq;
	for (i = 0; i < N; i++) {
		qpa.user_index = 5 + i;
		OK(dvx_qp_create(r->dev, &qpa, &qp[i]));
		assert_null(dvx_qp_rq(qp[i]));
		OK(dvx_qp_connect_self(qp[i], 0));
	}
	assert_int_equal(dvx_cq_destroy(cq), -EBUSY);
	for (i = 0; i < N; i++) {
		OK(dvx_post_nop(dvx_qp_sq(qp[i]), 1000 + i, DVX_SIGNALED));
		dvx_sq_ring(dvx_qp_sq(qp[i]));
	}
	for (i = 0; i < N; i++) {
		who = dvx_cqe_user_index(wait_cqe(cq)) - 5;
		assert_in_range(who, 0, N - 1);
		assert_int_equal(dvx_cqe_qpn(wait_cqe(cq)), dvx_qp_number(qp[who]));
		done(cq, dvx_qp_sq(qp[who]), 1000 + who);
		seen[who]++;
	}
	for (i = 0; i < N; i++) {
		assert_int_equal(seen[i], 1);
		OK(dvx_qp_destroy(qp[i]));
	}
	OK(dvx_cq_destroy(cq));
}

/* ---- What threads may share (libdvx(3)); the thread sanitizer looks on in CI ---- */

struct worker {
	pthread_t thread;
	struct rig *r;
	struct dvx_events *events;
	uint64_t from, to; /* this thread's part of the rig's buffer */
	int err;
};

/* Writes a word to itself, with its own objects. */
static int worker_write(struct worker *w, struct dvx_qp *qp, uint32_t key)
{
	struct dvx_sge piece = {w->from, 8, key};
	struct dvx_sq *sq = dvx_qp_sq(qp);
	struct dvx_wc wc;
	int n = dvx_post_write(sq, w->to, key, &piece, 1, 1, DVX_SIGNALED);

	if (n)
		return n;
	dvx_sq_ring_bf(sq);
	while (!(n = dvx_sq_poll(sq, &wc)))
		;
	return n == 1 ? 0 : n;
}

static int worker_queue(struct worker *w, const struct dvx_qp_attr *attr, uint32_t key)
{
	struct dvx_qp *qp;
	const void *page;
	int err = dvx_qp_create(w->r->dev, attr, &qp);

	if (err)
		return err;
	err = dvx_events_watch_qp(w->events, qp, w);
	if (!err)
		err = dvx_dev_cap_page(w->r->dev, PRM_HCA_CAP_TYPE_GENERAL, &page);
	if (!err)
		err = dvx_qp_connect_self(qp, DVX_REMOTE_WRITE);
	if (!err)
		err = worker_write(w, qp, key);
	return err ? err : dvx_qp_destroy(qp);
}

static int worker_life(struct worker *w)
{
	struct dvx_mkey_attr mkey = {.size = sizeof(mkey),
				     .access = RIG_ALL,
				     .pd = w->r->pd,
				     .addr = w->r->buf,
				     .len = RIG_BYTES};
	struct dvx_cq_attr cq = {.size = sizeof(cq), .entries = 16};
	struct dvx_qp_attr qp = {.size = sizeof(qp), .pd = w->r->pd, .sq_blocks = 16};
	struct dvx_mkey *key = NULL;
	int err = dvx_uar_alloc(w->r->dev, DVX_UAR_ANY, &qp.uar);

	cq.uar = qp.uar;
	if (!err)
		err = dvx_cq_create(w->r->dev, &cq, &qp.send_cq);
	if (!err)
		err = dvx_mkey_create(w->r->dev, &mkey, &key);
	if (!err)
		err = worker_queue(w, &qp, dvx_mkey_key(key));
	if (!err)
		err = dvx_mkey_destroy(key);
	if (!err)
		err = dvx_cq_destroy(qp.send_cq);
	return err ? err : dvx_uar_free(qp.uar);
}

static void *worker_run(void *arg)
{
	struct worker *w = arg;

	for (int i = 0; i < 8 && !w->err; i++)
		w->err = worker_life(w);
	return NULL;
}

/* Threads share the device, the PD and the events; each has its own other objects. */
TEST(rig, threads_of_one_device)
{
	struct worker w[3];
	struct dvx_events *events;

	OK(dvx_events_open(r->dev, &events));
	for (uint32_t i = 0; i < 3; i++) {
		uint64_t at = (uintptr_t)r->buf + 64 * i;

		w[i] = (struct worker){.r = r, .events = events, .from = at, .to = at + 4096};
		memcpy(r->buf + 64 * i, "01234567", 8);
		assert_int_equal(pthread_create(&w[i].thread, NULL, worker_run, &w[i]), 0);
	}
	for (uint32_t i = 0; i < 3; i++) {
		assert_int_equal(pthread_join(w[i].thread, NULL), 0);
		OK(w[i].err);
		assert_memory_equal(r->buf + 64 * i, r->buf + 64 * i + 4096, 8);
	}
	OK(dvx_events_close(events));
}

TEST_GROUP(rig_open, rig_close)
