/* SPDX-License-Identifier: BSD-2-Clause */
/* Proves that libdvx drives verbs queues' rings: the same requests, completions, errors, events. */
#include "tests/test.h"
#include <infiniband/mlx5dv.h>
#include "lib_rig.h"
#include "tests/verbs/verbs_qp.h"

/* A verbs QP connected to itself, and libdvx on its rings. */
struct adopted {
	struct ibv_comp_channel *chan;
	struct ibv_cq *ibcq;
	struct ibv_qp *ibqp;
	struct ibv_pd *ibpd;
	struct ibv_mr *mr;
	struct dvx_cq *cq;
	struct dvx_qp *qp;
	struct dvx_sq *sq;
	struct dvx_rq *rq;
};

static void verbs_make_as(struct rig *r, struct adopted *a, int sq_sig_all)
{
	struct ibv_context *ctx = dvx_dev_ibv(r->dev);
	struct ibv_qp_init_attr attr = {
		.qp_type = IBV_QPT_RC,
		.sq_sig_all = sq_sig_all,
		.cap = {.max_send_wr = 32,
			.max_recv_wr = 16,
			.max_send_sge = 4,
			.max_recv_sge = 2,
			.max_inline_data = 128},
	};

	memset(a, 0, sizeof(*a));
	a->chan = ibv_create_comp_channel(ctx);
	a->ibpd = ibv_alloc_pd(ctx);
	assert_non_null(a->chan);
	assert_non_null(a->ibpd);
	a->ibcq = ibv_create_cq(ctx, 256, NULL, a->chan, 0);
	a->mr = ibv_reg_mr(a->ibpd, r->buf, RIG_BYTES,
			   IBV_ACCESS_LOCAL_WRITE | IBV_ACCESS_REMOTE_WRITE |
				   IBV_ACCESS_REMOTE_READ | IBV_ACCESS_REMOTE_ATOMIC);
	assert_non_null(a->ibcq);
	assert_non_null(a->mr);
	attr.send_cq = attr.recv_cq = a->ibcq;
	a->ibqp = ibv_create_qp(a->ibpd, &attr);
	assert_non_null(a->ibqp);
	OK(verbs_qp_connect_self(a->ibqp, 0));
}

static void verbs_make(struct rig *r, struct adopted *a)
{
	verbs_make_as(r, a, 0);
}

static void adopt(struct rig *r, struct adopted *a)
{
	OK(dvx_cq_adopt(r->dev, a->ibcq, &a->cq));
	OK(dvx_qp_adopt(r->dev, a->ibqp, &a->qp));
	a->sq = dvx_qp_sq(a->qp);
	a->rq = dvx_qp_rq(a->qp);
	assert_int_equal(dvx_qp_number(a->qp), a->ibqp->qp_num);
}

static void unmake(struct adopted *a)
{
	OK(dvx_qp_destroy(a->qp));
	OK(dvx_cq_destroy(a->cq));
	assert_int_equal(ibv_destroy_qp(a->ibqp), 0);
	assert_int_equal(ibv_dereg_mr(a->mr), 0);
	assert_int_equal(ibv_destroy_cq(a->ibcq), 0);
	assert_int_equal(ibv_dealloc_pd(a->ibpd), 0);
	assert_int_equal(ibv_destroy_comp_channel(a->chan), 0);
}

/* Many times round the rings, several blocks at once, with padding and both doorbells. */
TEST(rig, writes_wrap)
{
	struct adopted a;
	uint8_t data[128];
	uint32_t i, j, len;

	verbs_make(r, &a);
	adopt(r, &a);
	for (i = 0; i < 2000; i++) {
		len = 1 + i * 29 % sizeof(data);
		for (j = 0; j < len; j++)
			data[j] = (uint8_t)(i ^ j);
		OK(dvx_post_write_inline(a.sq, (uintptr_t)r->buf, a.mr->rkey, data, len, i,
					 DVX_SIGNALED));
		if (i & 2)
			dvx_sq_ring(a.sq);
		else
			dvx_sq_ring_bf(a.sq);
		assert_int_equal(dvx_cqe_qpn(wait_cqe(a.cq)), a.ibqp->qp_num);
		done(a.cq, a.sq, i);
		assert_memory_equal(r->buf, data, len);
	}
	unmake(&a);
}

/* READs and receives so small that libmlx5's queues have their data in the CQE, of either size. */
static void data_inside(struct rig *r)
{
	struct adopted a;
	struct dvx_sge s[2];
	const void *cqe;
	uint32_t len, both;

	verbs_make(r, &a);
	adopt(r, &a);
	for (len = 4; len <= 80; len += 4) {
		memset(r->buf, 0, 4096);
		memset(r->buf + 4096, (int)len, 4096);
		s[0] = (struct dvx_sge){(uintptr_t)r->buf, 3, a.mr->lkey};
		s[1] = (struct dvx_sge){(uintptr_t)r->buf + 1024, len - 3, a.mr->lkey};
		dvx_post_read(a.sq, (uintptr_t)r->buf + 4096, a.mr->rkey, s, 2, len, DVX_SIGNALED);
		dvx_sq_ring(a.sq);
		cqe = wait_cqe(a.cq);
		assert_false(dvx_cqe_is_error(cqe));
		dvx_cqe_unscatter(cqe, a.sq, NULL);
		done(a.cq, a.sq, len);
		assert_memory_equal(r->buf, r->buf + 4096, 3);
		assert_memory_equal(r->buf + 1024, r->buf + 4096, len - 3);
		assert_int_equal(r->buf[3], 0);

		memset(r->buf, 0, 4096);
		OK(dvx_rq_post(a.rq, s, 2, 500 + len));
		dvx_rq_ring(a.rq);
		dvx_post_send_inline(a.sq, r->buf + 4096, len, len, DVX_SIGNALED);
		dvx_sq_ring(a.sq);
		for (both = 0; both < 2; both++) {
			cqe = wait_cqe(a.cq);
			assert_false(dvx_cqe_is_error(cqe));
			if (dvx_cqe_is_send(cqe)) {
				done(a.cq, a.sq, len);
				continue;
			}
			assert_int_equal(dvx_cqe_byte_count(cqe), len);
			dvx_cqe_unscatter(cqe, NULL, a.rq);
			assert_int_equal(dvx_rq_retire(a.rq), 500 + len);
			dvx_cq_pop(a.cq);
		}
		assert_memory_equal(r->buf, r->buf + 4096, 3);
		assert_memory_equal(r->buf + 1024, r->buf + 4096, len - 3);
	}
	unmake(&a);
}

TEST(rig, data_inside_the_cqe)
{
	data_inside(r);
	setenv("MLX5_CQE_SIZE", "128", 1);
	data_inside(r);
	unsetenv("MLX5_CQE_SIZE");
}

/* A CQ is adopted in use: completions that ibv_poll_cq() returned do not come again. */
TEST(rig, cq_in_the_middle)
{
	struct adopted a, b;
	struct ibv_send_wr wr = {.opcode = IBV_WR_RDMA_WRITE, .send_flags = IBV_SEND_SIGNALED},
			   *bad;
	struct ibv_wc wc;
	int i, n;

	verbs_make(r, &a);
	wr.wr.rdma.remote_addr = (uintptr_t)r->buf;
	wr.wr.rdma.rkey = a.mr->rkey;
	for (i = 0; i < 300; i++) {
		assert_int_equal(ibv_post_send(a.ibqp, &wr, &bad), 0);
		while (!(n = ibv_poll_cq(a.ibcq, 1, &wc)))
			;
		assert_int_equal(n, 1);
		assert_int_equal(wc.status, IBV_WC_SUCCESS);
	}
	refused(dvx_qp_adopt(r->dev, a.ibqp, &a.qp), -EINVAL, "CQs", "first");
	OK(dvx_cq_adopt(r->dev, a.ibcq, &a.cq));
	refused(dvx_cq_adopt(r->dev, a.ibcq, &a.cq), -EBUSY, "adopted", "already");
	/* ... but a QP that verbs has posted to can't be adopted */
	refused(dvx_qp_adopt(r->dev, a.ibqp, &a.qp), -EBUSY, "posted", "already");
	assert_null(dvx_cq_peek(a.cq));
	verbs_make(r, &b);
	assert_int_equal(ibv_destroy_qp(a.ibqp), 0);
	struct ibv_qp_init_attr attr = {.qp_type = IBV_QPT_RC,
					.send_cq = a.ibcq,
					.recv_cq = a.ibcq,
					.cap = {.max_send_wr = 8, .max_send_sge = 1}};
	a.ibqp = ibv_create_qp(a.ibpd, &attr);
	assert_non_null(a.ibqp);
	OK(verbs_qp_connect_self(a.ibqp, 0));
	OK(dvx_qp_adopt(r->dev, a.ibqp, &a.qp));
	assert_null(dvx_qp_rq(a.qp));
	for (i = 0; i < 600; i++) {
		OK(dvx_post_nop(dvx_qp_sq(a.qp), (uint64_t)i, DVX_SIGNALED));
		dvx_sq_ring(dvx_qp_sq(a.qp));
		done(a.cq, dvx_qp_sq(a.qp), (uint64_t)i);
	}
	unmake(&a);
	OK(dvx_cq_adopt(r->dev, b.ibcq, &b.cq));
	OK(dvx_qp_adopt(r->dev, b.ibqp, &b.qp));
	unmake(&b);
}

/* Errors, and the full ring, are as on libdvx's own queues. */
TEST(rig, errors_and_full)
{
	struct adopted a;
	struct dvx_sge bad = {(uintptr_t)r->buf, 64, 0xdead00};
	uint32_t i, n;

	verbs_make(r, &a);
	adopt(r, &a);
	for (n = 0; dvx_post_nop(a.sq, n, DVX_SIGNALED) == 0; n++)
		;
	assert_int_equal(n, dvx_sq_blocks(a.sq));
	dvx_sq_ring(a.sq);
	for (i = 0; i < n; i++)
		done(a.cq, a.sq, i);
	OK(dvx_post_write(a.sq, 0, 0, &bad, 1, 1, 0));
	OK(dvx_post_nop(a.sq, 2, 0));
	dvx_sq_ring(a.sq);
	failed(a.cq, a.sq, 1, 0x04);
	failed(a.cq, a.sq, 2, 0x05);
	unmake(&a);
}

/* Events through the verbs channel. */
TEST(rig, events)
{
	struct adopted a;
	struct dvx_channel *ch, *devx;
	struct dvx_cq *woken;
	void *cookie;
	uint64_t i;

	verbs_make(r, &a);
	adopt(r, &a);
	OK(dvx_channel_adopt(r->dev, a.chan, &ch));
	OK(dvx_channel_open(r->dev, &devx));
	assert_int_equal(dvx_channel_subscribe(devx, a.cq, NULL), -EINVAL);
	OK(dvx_channel_close(devx));
	OK(dvx_channel_subscribe(ch, a.cq, &a));
	for (i = 0; i < 20; i++) {
		dvx_cq_arm(a.cq, false);
		assert_int_equal(dvx_channel_wait(ch, 0, NULL, NULL), -ETIMEDOUT);
		OK(dvx_post_nop(a.sq, i, DVX_SIGNALED));
		dvx_sq_ring(a.sq);
		OK(dvx_channel_wait(ch, 10000, &woken, &cookie));
		assert_ptr_equal(woken, a.cq);
		assert_ptr_equal(cookie, &a);
		done(a.cq, a.sq, i);
	}
	unmake(&a);
	OK(dvx_channel_close(ch));
}

/* libdvx's queues in a verbs PD use a verbs MR. */
TEST(rig, pd_of_verbs)
{
	struct rig mixed = *r;
	struct adopted a;
	struct pair p;

	verbs_make(r, &a);
	adopt(r, &a);
	OK(dvx_pd_adopt(r->dev, a.ibpd, &mixed.pd));
	pair_make(&mixed, &p, DVX_REMOTE_WRITE);
	dvx_post_write_inline(p.sq, (uintptr_t)r->buf, a.mr->rkey, "mixed", 6, 1, DVX_SIGNALED);
	ring_done(&p, 1);
	assert_string_equal((char *)r->buf, "mixed");
	pair_free(&p);
	OK(dvx_pd_free(mixed.pd));
	unmake(&a);
}

/* On-demand keys, of a range and of all memory, and keys of parts of them, in a PD of verbs. */
TEST(rig, on_demand)
{
	struct rig mixed = *r;
	struct dvx_mkey_attr ma = {.size = sizeof(ma),
				   .access = RIG_ALL,
				   .addr = r->buf,
				   .len = 4096,
				   .flags = DVX_MKEY_ON_DEMAND};
	struct ibv_pd *ibpd = ibv_alloc_pd(dvx_dev_ibv(r->dev));
	struct dvx_mkey *part, *all, *of;
	struct dvx_sge piece;
	struct dvx_mkey_list_attr la = {.size = sizeof(la), .pieces = &piece, .n = 1};
	struct dvx_ticket ticket;
	struct pair p;

	assert_non_null(ibpd);
	ma.pd = r->pd;
	refused(dvx_mkey_create(r->dev, &ma, &part), -EINVAL, "dvx_pd_adopt", "verbs");
	OK(dvx_pd_adopt(r->dev, ibpd, &mixed.pd));
	ma.pd = mixed.pd;
	pair_make(&mixed, &p, DVX_REMOTE_WRITE | DVX_REMOTE_READ);
	OK(dvx_mkey_create(r->dev, &ma, &part));
	dvx_post_write_inline(p.sq, (uintptr_t)r->buf, dvx_mkey_key(part), "part", 5, 1,
			      DVX_SIGNALED);
	ring_done(&p, 1);
	assert_string_equal((char *)r->buf, "part");
	ma.addr = NULL;
	refused(dvx_mkey_create(r->dev, &ma, &all), -EINVAL, "SIZE_MAX", "all memory");
	ma.len = SIZE_MAX;
	OK(dvx_mkey_create(r->dev, &ma, &all));
	piece = (struct dvx_sge){(uintptr_t)r->buf + 100, 5, dvx_mkey_key(all)};
	memcpy(r->buf + 100, "whole", 6);
	dvx_post_write(p.sq, (uintptr_t)r->buf, dvx_mkey_key(part), &piece, 1, 2, DVX_SIGNALED);
	ring_done(&p, 2);
	assert_memory_equal(r->buf, "whole", 5);
	refused(dvx_mkey_export(part, &ticket), -EINVAL, "on demand", "dvx_mkey_create_of");
	piece = (struct dvx_sge){(uintptr_t)r->buf, 4096, dvx_mkey_key(part)};
	la.pd = mixed.pd;
	OK(dvx_mkey_create_of(r->dev, &la, &of));
	OK(dvx_mkey_export(of, &ticket));
	dvx_ticket_wipe(&ticket);
	OK(dvx_mkey_destroy(of));
	pair_free(&p);
	assert_int_equal(dvx_pd_free(mixed.pd), -EBUSY);
	OK(dvx_mkey_destroy(part));
	OK(dvx_mkey_destroy(all));
	OK(dvx_pd_free(mixed.pd));
	assert_int_equal(ibv_dealloc_pd(ibpd), 0);
}

/* Makes one more QP on the CQ of an adopted one. */
static struct ibv_qp *second_qp(struct adopted *a, struct dvx_dev *dev, struct dvx_qp **qp)
{
	struct ibv_qp_init_attr attr = {.qp_type = IBV_QPT_RC,
					.send_cq = a->ibcq,
					.recv_cq = a->ibcq,
					.cap = {.max_send_wr = 32, .max_send_sge = 1}};
	struct ibv_qp *ibqp = ibv_create_qp(a->ibpd, &attr);

	assert_non_null(ibqp);
	OK(verbs_qp_connect_self(ibqp, 0));
	OK(dvx_qp_adopt(dev, ibqp, qp));
	refused(dvx_qp_adopt(dev, ibqp, qp), -EBUSY, "adopted", "already");
	return ibqp;
}

static void post_one(struct dvx_qp *qp, uint64_t cookie)
{
	OK(dvx_post_nop(dvx_qp_sq(qp), cookie, DVX_SIGNALED));
	dvx_sq_ring(dvx_qp_sq(qp));
}

static void next_is(struct adopted *a, const struct dvx_qp *qp, uint64_t cookie)
{
	struct dvx_wc wc;
	time_t end = patience_from_now();
	int n;

	while (!(n = dvx_cq_poll(a->cq, &wc)))
		if (patience_over(end))
			fail_msg("no completion came");
	if (n < 0)
		fail_msg("%s", n == -EIO ? dvx_cqe_strerror(wc.syndrome)
					 : dvx_strerror(dvx_last_error()->err));
	assert_int_equal(wc.qpn, dvx_qp_number(qp));
	assert_int_equal(wc.wr_id, cookie);
}

/*
 * When a QP is reset or destroyed, libmlx5 would clean the CQ from where it last polled; libdvx has
 * gone on since. The other QP's completions must come, each once, and none of the old one's.
 */
TEST(rig, reset_and_destroy)
{
	struct adopted a;
	struct ibv_qp *ibqp;
	struct dvx_qp *qp;

	verbs_make(r, &a);
	adopt(r, &a);
	ibqp = second_qp(&a, r->dev, &qp);
	for (uint64_t i = 0; i < 1000; i++) {
		post_one(a.qp, i);
		if (i % 7) {
			next_is(&a, a.qp, i);
		} else {
			wait_cqe(a.cq);
			OK(dvx_qp_to_rst(a.qp));
			OK(verbs_qp_connect_self(a.ibqp, 0));
		}
		post_one(qp, i);
		next_is(&a, qp, i);
	}
	post_one(qp, 1);
	OK(dvx_qp_destroy(qp));
	assert_int_equal(ibv_destroy_qp(ibqp), 0);
	for (uint64_t i = 0; i < 600; i++) {
		post_one(a.qp, i);
		next_is(&a, a.qp, i);
	}
	unmake(&a);
}

/* A queue that signals all has the old value of an atomic in the CQE: each poll takes it from there. */
TEST(rig, atomics_inside_the_cqe)
{
	const uint64_t value = 0x0102030405060708;
	struct ibv_qp_attr rights = {.qp_access_flags =
					     IBV_ACCESS_REMOTE_READ | IBV_ACCESS_REMOTE_ATOMIC};
	const struct dvx_masked_cas op = {value, UINT64_MAX, 50, UINT64_MAX};
	uint64_t *old = (uint64_t *)(void *)r->buf, *there = old + 64;
	struct adopted a;

	verbs_make_as(r, &a, 1);
	assert_int_equal(ibv_modify_qp(a.ibqp, &rights, IBV_QP_ACCESS_FLAGS), 0);
	adopt(r, &a);
	*there = 40;
	OK(dvx_post_faa(a.sq, (uintptr_t)there, a.mr->rkey, 2, old, a.mr->lkey, 1, DVX_SIGNALED));
	dvx_sq_ring(a.sq);
	assert_int_equal(dvx_cqe_scattered(wait_cqe(a.cq)), 32);
	next_is(&a, a.qp, 1);
	assert_int_equal(*old, 40);
	OK(dvx_post_cas(a.sq, (uintptr_t)there, a.mr->rkey, 42, value, old, a.mr->lkey, 2,
			DVX_SIGNALED));
	dvx_sq_ring(a.sq);
	next_is(&a, a.qp, 2);
	assert_int_equal(*old, 42);
	OK(dvx_post_masked_cas(a.sq, (uintptr_t)there, a.mr->rkey, &op, old, a.mr->lkey, 3,
			       DVX_SIGNALED));
	dvx_sq_ring(a.sq);
	next_is(&a, a.qp, 3);
	assert_int_equal(*old, value);
	assert_int_equal(*there, 50);
	OK(dvx_post_masked_faa32(a.sq, (uintptr_t)there, a.mr->rkey, 1, 0, (uint32_t *)old,
				 a.mr->lkey, 4, DVX_SIGNALED));
	dvx_sq_ring(a.sq);
	next_is(&a, a.qp, 4);
	assert_int_equal(prm_load32(old, 0), 50);
	unmake(&a);
}

/* Waits for the next completion of a receive, or of a send. */
static void next_of(struct adopted *a, bool send)
{
	struct dvx_wc wc;

	do {
		wait_cqe(a->cq);
		assert_int_equal(dvx_cq_poll(a->cq, &wc), 1);
	} while ((wc.opcode == PRM_CQE_OPCODE_REQ) != send);
}

/* Data in the CQE that are for the null mkey are discarded, wherever its piece points. */
TEST(rig, null_key_inside_the_cqe)
{
	struct dvx_sge s[2] = {{(uintptr_t)r->buf, 8, 0}, {(uintptr_t)r->buf + 1024, 8, 0}};
	struct adopted a;

	verbs_make_as(r, &a, 1);
	adopt(r, &a);
	OK(dvx_dev_null_key(r->dev, &s[0].lkey));
	s[1].lkey = a.mr->lkey;
	memset(r->buf, 9, 4096);
	memset(r->buf + 4096, 7, 16);
	OK(dvx_post_read(a.sq, (uintptr_t)r->buf + 4096, a.mr->rkey, s, 2, 1, DVX_SIGNALED));
	dvx_sq_ring(a.sq);
	next_of(&a, true);
	assert_int_equal(r->buf[0], 9);
	assert_int_equal(r->buf[1024 + 7], 7);
	memset(r->buf + 1024, 9, 8);
	OK(dvx_rq_post(a.rq, s, 2, 2));
	dvx_rq_ring(a.rq);
	OK(dvx_post_send_inline(a.sq, r->buf + 4096, 16, 3, DVX_SIGNALED));
	dvx_sq_ring(a.sq);
	next_of(&a, false);
	assert_int_equal(r->buf[0], 9);
	assert_int_equal(r->buf[1024 + 7], 7);
	unmake(&a);
}

/* Makes a queue on an ibv_cq of the channel that libdvx does not drive, and completes a request. */
static struct ibv_qp *complete_by_verbs(struct adopted *a, struct ibv_cq *ibcq)
{
	struct ibv_qp_init_attr attr = {.qp_type = IBV_QPT_RC,
					.send_cq = ibcq,
					.recv_cq = ibcq,
					.cap = {.max_send_wr = 8, .max_send_sge = 1}};
	struct ibv_qp *qp = ibv_create_qp(a->ibpd, &attr);
	struct ibv_send_wr wr = {.opcode = IBV_WR_RDMA_WRITE, .send_flags = IBV_SEND_SIGNALED},
			   *bad;

	assert_non_null(qp);
	assert_int_equal(verbs_qp_connect_self(qp, 0), 0);
	assert_int_equal(ibv_req_notify_cq(ibcq, 0), 0);
	wr.wr.rdma.remote_addr = (uintptr_t)a->mr->addr;
	wr.wr.rdma.rkey = a->mr->rkey;
	assert_int_equal(ibv_post_send(qp, &wr, &bad), 0);
	return qp;
}

/* The event of an ibv_cq that is not subscribed is passed to the caller, and not lost. */
TEST(rig, event_of_another_cq)
{
	struct ibv_cq *other;
	struct dvx_channel *ch;
	struct ibv_qp *qp;
	struct adopted a;
	struct ibv_wc wc;
	void *cookie = NULL;

	verbs_make(r, &a);
	adopt(r, &a);
	OK(dvx_channel_adopt(r->dev, a.chan, &ch));
	OK(dvx_channel_subscribe(ch, a.cq, &a));
	other = ibv_create_cq(dvx_dev_ibv(r->dev), 8, NULL, a.chan, 0);
	assert_non_null(other);
	qp = complete_by_verbs(&a, other);
	refused(dvx_channel_wait(ch, PATIENCE_SECONDS * 1000, NULL, &cookie), -ENOENT, "ibv_cq",
		"dvx_channel_subscribe()");
	assert_ptr_equal(cookie, other);
	assert_int_equal(ibv_poll_cq(other, 1, &wc), 1);
	assert_int_equal(wc.status, IBV_WC_SUCCESS);
	assert_int_equal(dvx_channel_wait(ch, 0, NULL, NULL), -ETIMEDOUT);
	assert_int_equal(ibv_destroy_qp(qp), 0);
	assert_int_equal(ibv_destroy_cq(other), 0);
	unmake(&a);
	OK(dvx_channel_close(ch));
}

TEST_GROUP(rig_open, rig_close)
