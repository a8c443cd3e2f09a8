/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Proves shared receives of libdvx: many queues on one SRQ, its limit, errors and resets that leave
 * the other queues their receives, adopted SRQs, and rings equal to libmlx5's, byte for byte.
 */
#include "tests/test.h"
#include <infiniband/mlx5dv.h>
#include "lib_rig.h"
#include "tests/verbs/verbs_qp.h"

#define QUEUES 3u
#define ROOM   4096u
#define COOKIE 0x5000u /* cookie of the receive in room 0 */

/* Queues that share receives, and a client of each. */
struct pool {
	struct dvx_srq *srq;
	struct dvx_cq *cq, *clients_cq;
	struct dvx_qp *qp[QUEUES], *client[QUEUES];
};

static struct dvx_srq_attr srq_attr(const struct rig *r)
{
	struct dvx_srq_attr attr = {.size = sizeof(attr), .pd = r->pd, .entries = 20, .sge = 2};

	return attr;
}

static void post_receive(struct rig *r, struct dvx_srq *srq, uint32_t key, uint32_t room)
{
	struct dvx_sge sge[2] = {{(uintptr_t)r->buf + room * ROOM, 3, key},
				 {(uintptr_t)r->buf + room * ROOM + 3, ROOM - 3, key}};

	OK(dvx_srq_post(srq, sge, 2, COOKIE + room));
}

static void pool_connect(struct rig *r, struct pool *p, uint32_t i)
{
	struct pair pair = {.qp = {p->client[i], p->qp[i]}};

	pair_connect(r, &pair, 0);
}

static void pool_make(struct rig *r, struct pool *p)
{
	struct dvx_srq_attr sa = srq_attr(r);
	struct dvx_cq_attr ca = {.size = sizeof(ca), .entries = 256, .uar = r->uar};
	struct dvx_qp_attr qa = rig_qp_attr(r);

	qa.flags = 0;
	qa.rq_entries = qa.rq_sge = 0;
	OK(dvx_srq_create(r->dev, &sa, &p->srq));
	OK(dvx_cq_create(r->dev, &ca, &p->cq));
	OK(dvx_cq_create(r->dev, &ca, &p->clients_cq));
	for (uint32_t i = 0; i < QUEUES; i++) {
		qa.srq = NULL;
		qa.send_cq = p->clients_cq;
		OK(dvx_qp_create(r->dev, &qa, &p->client[i]));
		qa.srq = p->srq;
		qa.send_cq = p->cq;
		qa.user_index = 0x90 + i;
		OK(dvx_qp_create(r->dev, &qa, &p->qp[i]));
		assert_null(dvx_qp_rq(p->qp[i]));
		pool_connect(r, p, i);
	}
}

static void pool_free(struct pool *p)
{
	refused(dvx_srq_destroy(p->srq), -EBUSY, "SRQ", "3 queues");
	for (uint32_t i = 0; i < QUEUES; i++) {
		OK(dvx_qp_destroy(p->client[i]));
		OK(dvx_qp_destroy(p->qp[i]));
	}
	OK(dvx_cq_destroy(p->clients_cq));
	OK(dvx_cq_destroy(p->cq));
	OK(dvx_srq_destroy(p->srq));
}

#define FIXTURE_pool(name) FIXTURE_OBJECT(name, struct pool, p, pool_make(r, object), pool_free)

/* Returns the next completion, of any kind. */
static int next(struct dvx_cq *cq, struct dvx_wc *wc)
{
	wait_cqe(cq);
	return dvx_cq_poll(cq, wc);
}

static void client_sends(struct pool *p, uint32_t i, uint32_t number)
{
	struct dvx_sq *sq = dvx_qp_sq(p->client[i]);
	struct dvx_wc wc;

	OK(dvx_post_send_imm_inline(sq, number, &number, sizeof(number), number, DVX_SIGNALED));
	dvx_sq_ring(sq);
	assert_int_equal(next(p->clients_cq, &wc), 1);
	assert_int_equal(wc.wr_id, number);
}

/* Checks that the next receive is of queue i, and that the cookie leads to its data. */
static void pool_receives(struct rig *r, struct pool *p, uint32_t i, uint32_t number)
{
	struct dvx_wc wc;
	uint32_t got;

	assert_int_equal(next(p->cq, &wc), 1);
	assert_int_equal(wc.opcode, PRM_CQE_OPCODE_RESP_SEND_IMM);
	assert_int_equal(wc.qpn, dvx_qp_number(p->qp[i]));
	assert_int_equal(wc.user_index, 0x90 + i);
	assert_int_equal(wc.imm, number);
	assert_in_range(wc.wr_id, COOKIE, COOKIE + 63);
	memcpy(&got, r->buf + (wc.wr_id - COOKIE) * ROOM, sizeof(got));
	assert_int_equal(got, number);
	post_receive(r, p->srq, r->key, (uint32_t)(wc.wr_id - COOKIE));
	dvx_srq_ring(p->srq);
}

/* Many times round the ring; each message takes the pool's next receive, for any queue. */
TEST(pool, many_queues)
{
	uint32_t posted = 0, lap;

	assert_int_equal(dvx_srq_free(p->srq), 31); /* 20, rounded up */
	while (dvx_srq_free(p->srq))
		post_receive(r, p->srq, r->key, posted++);
	dvx_srq_ring(p->srq);
	for (lap = 0; lap < 300; lap++) {
		for (uint32_t k = 0; k < 7; k++)
			client_sends(p, (lap + k) % QUEUES, lap * 7 + k);
		for (uint32_t k = 0; k < 7; k++)
			pool_receives(r, p, (lap + k) % QUEUES, lap * 7 + k);
	}
}

/* A long message holds its receive while short ones of other queues complete. */
TEST(pool, out_of_order)
{
	struct dvx_sge big[2], all = {(uintptr_t)r->buf + 0x80000, 0x40000, r->key};
	struct dvx_wc wc;
	uint64_t seen = 0;

	big[0] = (struct dvx_sge){(uintptr_t)r->buf + 0x40000, 0x20000, r->key};
	big[1] = (struct dvx_sge){(uintptr_t)r->buf + 0x60000, 0x20000, r->key};
	for (uint32_t lap = 0; lap < 50; lap++) {
		for (uint32_t k = 0; k < QUEUES; k++)
			OK(dvx_srq_post(p->srq, big, 2, k));
		dvx_srq_ring(p->srq);
		OK(dvx_post_send(dvx_qp_sq(p->client[0]), &all, 1, 10, DVX_SIGNALED));
		dvx_sq_ring(dvx_qp_sq(p->client[0]));
		client_sends(p, 1, 10);
		OK(dvx_post_send(dvx_qp_sq(p->client[2]), &all, 1, 11, DVX_SIGNALED));
		dvx_sq_ring(dvx_qp_sq(p->client[2]));
		for (uint32_t k = 0; k < QUEUES; k++) {
			assert_int_equal(next(p->cq, &wc), 1);
			seen |= 1ull << wc.wr_id;
		}
		for (uint32_t k = 0; k < 2; k++)
			assert_int_equal(next(p->clients_cq, &wc), 1);
		assert_int_equal(seen, 7);
		assert_int_equal(dvx_srq_free(p->srq), 31);
	}
}

/* The limit's event comes once, when fewer are posted; at once if that is so already. */
TEST(pool, limit)
{
	struct dvx_events *ev;
	struct dvx_event e;

	OK(dvx_events_open(r->dev, &ev));
	OK(dvx_events_watch_srq(ev, p->srq, p));
	for (uint32_t i = 0; i < 4; i++)
		post_receive(r, p->srq, r->key, i);
	dvx_srq_ring(p->srq);
	OK(dvx_srq_arm(p->srq, 3));
	client_sends(p, 0, 1);
	assert_int_equal(dvx_events_wait(ev, 0, &e), -ETIMEDOUT);
	client_sends(p, 1, 2);
	OK(dvx_events_wait(ev, PATIENCE_SECONDS * 1000, &e));
	assert_int_equal(e.type, PRM_EVENT_SRQ_RQ_LIMIT);
	assert_int_equal(e.number, dvx_srq_number(p->srq));
	assert_ptr_equal(e.cookie, p);
	client_sends(p, 2, 3);
	assert_int_equal(dvx_events_wait(ev, 0, &e), -ETIMEDOUT);
	OK(dvx_srq_arm(p->srq, 2));
	OK(dvx_events_wait(ev, PATIENCE_SECONDS * 1000, &e));
	assert_string_equal(dvx_event_name(e.type), "SRQ_RQ_LIMIT");
	refused(dvx_srq_arm(p->srq, 32), -EINVAL, "limit is 32", "31");
	pool_free(p);
	OK(dvx_events_close(ev));
	pool_make(r, p);
}

/* A CQE of a wrong signature is no receive: if it waits when its queue is reset it returns none. */
static void reset_drops_signature(struct pool *p)
{
	uint8_t *cqe = (uint8_t *)(uintptr_t)p->cq->next;
	uint32_t unposted = dvx_srq_free(p->srq);

	prm_sig_err_cqe_set_qpn(cqe, dvx_qp_number(p->qp[0]));
	cqe[DVX_CQE_BYTES - 1] = (uint8_t)(PRM_CQE_OPCODE_SIG_ERR << 4 | !!p->cq->phase);
	OK(dvx_qp_to_rst(p->qp[0]));
	assert_null(dvx_cq_peek(p->cq));
	assert_int_equal(dvx_srq_free(p->srq), unposted);
}

/*
 * A queue in error reports when it took its last receive, and leaves the others to other queues.
 * Resetting a queue with unpolled completions returns their receives.
 */
TEST(pool, errors_and_resets)
{
	struct dvx_events *ev;
	struct dvx_event e;
	struct dvx_wc wc;

	OK(dvx_events_open(r->dev, &ev));
	OK(dvx_events_watch_qp(ev, p->qp[0], NULL));
	for (uint32_t i = 0; i < 5; i++)
		post_receive(r, p->srq, r->key, i);
	dvx_srq_ring(p->srq);
	client_sends(p, 0, 1);
	client_sends(p, 1, 2);
	client_sends(p, 0, 3);
	OK(dvx_qp_to_err(p->qp[0]));
	OK(dvx_events_wait(ev, PATIENCE_SECONDS * 1000, &e));
	assert_int_equal(e.type, PRM_EVENT_SRQ_LAST_WQE);
	wait_cqe(p->cq);
	OK(dvx_qp_to_rst(p->qp[0]));
	OK(dvx_qp_to_rst(p->client[0]));
	assert_int_equal(dvx_srq_free(p->srq), 31 - 3); /* two are posted, one is queue 1's */
	pool_receives(r, p, 1, 2);
	assert_int_equal(dvx_cq_poll(p->cq, &wc), 0);
	pool_connect(r, p, 0);
	client_sends(p, 0, 4);
	pool_receives(r, p, 0, 4);
	reset_drops_signature(p);
	pool_free(p);
	OK(dvx_events_close(ev));
	pool_make(r, p);
}

/* A receive that is too small fails with its own cookie, and is free again. */
TEST(pool, too_small)
{
	struct dvx_sge sge = {(uintptr_t)r->buf, 2, r->key};
	struct dvx_sq *sq = dvx_qp_sq(p->client[1]);
	struct dvx_wc wc;

	post_receive(r, p->srq, r->key, 0);
	OK(dvx_srq_post(p->srq, &sge, 1, 78));
	dvx_srq_ring(p->srq);
	client_sends(p, 0, 1);
	OK(dvx_post_send_inline(sq, "long", 4, 1, DVX_SIGNALED));
	dvx_sq_ring(sq);
	pool_receives(r, p, 0, 1);
	assert_int_equal(next(p->cq, &wc), -EIO);
	assert_int_equal(wc.wr_id, 78);
	assert_int_equal(wc.syndrome, PRM_SYNDROME_LOCAL_LENGTH_ERR);
	assert_int_equal(wc.qpn, dvx_qp_number(p->qp[1]));
	assert_int_equal(dvx_srq_free(p->srq), 30);
}

/* Attributes that make no SRQ, or no queue on one, are refused. */
TEST(rig, refusals)
{
	struct dvx_srq_attr sa = srq_attr(r);
	struct dvx_cq_attr ca = {.size = sizeof(ca), .entries = 64, .uar = r->uar};
	struct dvx_qp_attr qa = rig_qp_attr(r);
	struct dvx_srq *srq = NULL, *other;
	struct dvx_qp *qp = NULL;

	sa.entries = 0;
	refused(dvx_srq_create(r->dev, &sa, &srq), -EINVAL, "attr.entries is 0", "1 to");
	sa.entries = 40000;
	refused(dvx_srq_create(r->dev, &sa, &srq), -EINVAL, "attr.entries is 40000", "32767");
	sa.entries = 60;
	sa.sge = 128;
	refused(dvx_srq_create(r->dev, &sa, &srq), -EINVAL, "attr.sge is 128", "127");
	sa.sge = 0;
	sa.pd = NULL;
	refused(dvx_srq_create(r->dev, &sa, &srq), -EINVAL, "attr.pd", "device");
	sa.pd = r->pd;
	assert_null(srq);
	OK(dvx_srq_create(r->dev, &sa, &srq));
	OK(dvx_srq_create(r->dev, &sa, &other));
	OK(dvx_cq_create(r->dev, &ca, &qa.send_cq));
	qa.srq = srq;
	refused(dvx_qp_create(r->dev, &qa, &qp), -EINVAL, "attr.srq is set", "attr.rq_entries");
	qa.rq_entries = qa.rq_sge = qa.flags = 0;
	qa.sq_blocks = 16;
	OK(dvx_qp_create(r->dev, &qa, &qp)); /* the CQ has 128: 63 receives and 16 blocks */
	OK(dvx_qp_destroy(qp));
	OK(dvx_qp_create(r->dev, &qa, &qp));
	qa.srq = other;
	refused(dvx_qp_create(r->dev, &qa, &qp), -EINVAL, "may need 79", "79 more");
	OK(dvx_srq_destroy(other));
	OK(dvx_qp_destroy(qp));
	OK(dvx_cq_destroy(qa.send_cq));
	OK(dvx_srq_destroy(srq));
}

/* ---- adopted ---- */

struct verbs_pool {
	struct ibv_pd *pd;
	struct ibv_mr *mr;
	struct ibv_cq *ibcq;
	struct ibv_srq *ibsrq;
	struct ibv_qp *ibqp[2];
};

static void verbs_pool_make(struct rig *r, struct verbs_pool *v)
{
	struct ibv_context *ctx = dvx_dev_ibv(r->dev);
	struct ibv_srq_init_attr sa = {.attr = {.max_wr = 20, .max_sge = 2}};
	struct ibv_qp_init_attr qa = {.qp_type = IBV_QPT_RC, .cap = {32, 0, 1, 0, 64}};

	v->pd = ibv_alloc_pd(ctx);
	v->mr = ibv_reg_mr(v->pd, r->buf, RIG_BYTES, IBV_ACCESS_LOCAL_WRITE);
	v->ibcq = ibv_create_cq(ctx, 1024, NULL, NULL, 0);
	v->ibsrq = ibv_create_srq(v->pd, &sa);
	assert_true(v->pd && v->mr && v->ibcq && v->ibsrq);
	qa.send_cq = qa.recv_cq = v->ibcq;
	qa.srq = v->ibsrq;
	for (int i = 0; i < 2; i++) {
		v->ibqp[i] = ibv_create_qp(v->pd, &qa);
		assert_non_null(v->ibqp[i]);
		OK(verbs_qp_connect_self(v->ibqp[i], 1));
	}
}

static void verbs_pool_free(struct verbs_pool *v)
{
	for (int i = 0; i < 2; i++)
		assert_int_equal(ibv_destroy_qp(v->ibqp[i]), 0);
	assert_int_equal(ibv_destroy_srq(v->ibsrq), 0);
	assert_int_equal(ibv_destroy_cq(v->ibcq), 0);
	assert_int_equal(ibv_dereg_mr(v->mr), 0);
	assert_int_equal(ibv_dealloc_pd(v->pd), 0);
}

static void verbs_post(struct rig *r, struct verbs_pool *v, uint32_t room)
{
	struct ibv_sge sge[2] = {{(uintptr_t)r->buf + room * ROOM, 3, r->key},
				 {(uintptr_t)r->buf + room * ROOM + 3, ROOM - 3, r->key}};
	struct ibv_recv_wr wr = {.wr_id = room, .sg_list = sge, .num_sge = 2}, *bad;

	assert_int_equal(ibv_post_srq_recv(v->ibsrq, &wr, &bad), 0);
}

/* libdvx writes the same bytes into the ring as libmlx5 for the same receives. */
TEST(rig, bytes)
{
	struct dvx_srq_attr sa = srq_attr(r);
	struct mlx5dv_srq dv = {0};
	struct mlx5dv_obj obj = {.srq = {NULL, &dv}};
	struct verbs_pool v;
	struct dvx_srq *srq;

	verbs_pool_make(r, &v);
	OK(dvx_srq_create(r->dev, &sa, &srq));
	obj.srq.in = v.ibsrq;
	assert_int_equal(mlx5dv_init_obj(&obj, MLX5DV_OBJ_SRQ), 0);
	assert_int_equal(dv.stride, srq->stride);
	for (uint32_t i = 0; i < 5; i++) {
		verbs_post(r, &v, i);
		post_receive(r, srq, r->key, i);
	}
	dvx_srq_ring(srq);
	assert_int_equal(*dv.dbrec, *srq->dbrec);
	/* a list that does not fill the entry ends as in libmlx5 */
	assert_memory_equal(dv.buf, srq->buf, 5u * srq->stride);
	refused(dvx_srq_adopt(r->dev, v.ibsrq, &srq), -EBUSY, "posted", "already");
	OK(dvx_srq_destroy(srq));
	verbs_pool_free(&v);
}

/* A receive of the null mkey discards a message, also if the CQE holds it. */
static void receive_nothing(struct rig *r, struct dvx_srq *srq, struct dvx_cq *cq,
			    struct dvx_sq *sq)
{
	struct dvx_sge unwanted = {(uintptr_t)r->buf, 64, 0};
	struct dvx_wc wc;

	OK(dvx_dev_null_key(r->dev, &unwanted.lkey));
	r->buf[0] = 9;
	OK(dvx_srq_post(srq, &unwanted, 1, 1));
	dvx_srq_ring(srq);
	OK(dvx_post_send_inline(sq, "unwanted", 8, 1, DVX_SIGNALED));
	dvx_sq_ring(sq);
	do
		assert_int_equal(next(cq, &wc), 1);
	while (wc.opcode == PRM_CQE_OPCODE_REQ);
	assert_int_equal(r->buf[0], 9);
}

/* libdvx drives the rings of verbs' SRQ, QPs and CQ: data inside CQEs, round and round, resets. */
TEST(rig, adopted)
{
	struct verbs_pool v;
	struct dvx_srq *srq, *again;
	struct dvx_qp *qp[2];
	struct dvx_cq *cq;
	struct dvx_wc wc;
	char text[64];

	verbs_pool_make(r, &v);
	OK(dvx_cq_adopt(r->dev, v.ibcq, &cq));
	refused(dvx_qp_adopt(r->dev, v.ibqp[0], &qp[0]), -EINVAL, "adopt the SRQ", "first");
	OK(dvx_srq_adopt(r->dev, v.ibsrq, &srq));
	refused(dvx_srq_adopt(r->dev, v.ibsrq, &again), -EBUSY, "adopted", "already");
	for (int i = 0; i < 2; i++)
		OK(dvx_qp_adopt(r->dev, v.ibqp[i], &qp[i]));
	receive_nothing(r, srq, cq, dvx_qp_sq(qp[0]));
	for (uint32_t i = 0; dvx_srq_free(srq); i++)
		post_receive(r, srq, v.mr->lkey, i);
	dvx_srq_ring(srq);
	for (uint32_t i = 0; i < 500; i++) {
		uint32_t len = 4 + i % 60;

		memset(text, (int)i, sizeof(text));
		OK(dvx_post_send_inline(dvx_qp_sq(qp[i % 2]), text, len, i, DVX_SIGNALED));
		dvx_sq_ring(dvx_qp_sq(qp[i % 2]));
		do
			assert_int_equal(next(cq, &wc), 1);
		while (wc.opcode == PRM_CQE_OPCODE_REQ);
		assert_int_equal(wc.qpn, v.ibqp[i % 2]->qp_num);
		assert_int_equal(wc.byte_count, len);
		assert_memory_equal(r->buf + (wc.wr_id - COOKIE) * ROOM, text, len);
		post_receive(r, srq, v.mr->lkey, (uint32_t)(wc.wr_id - COOKIE));
		dvx_srq_ring(srq);
	}
	OK(dvx_srq_arm(srq, 3));
	refused(dvx_srq_destroy(srq), -EBUSY, "SRQ", "2 queues");
	for (int i = 0; i < 2; i++)
		OK(dvx_qp_destroy(qp[i]));
	OK(dvx_srq_destroy(srq));
	OK(dvx_cq_destroy(cq));
	verbs_pool_free(&v);
}

TEST_GROUP(rig_open, rig_close)
