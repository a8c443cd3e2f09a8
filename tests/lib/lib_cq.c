/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Proves the kinds of CQs: large entries, overrun ignored, collapsed, each read whole and in order.
 */
#include "tests/test.h"
#include "lib_rig.h"

#define KIND_MANY 8u

/* A QP that is its own peer, without receives, on a CQ of this kind. */
struct kind {
	struct dvx_cq *cq;
	struct dvx_qp *qp;
	struct dvx_sq *sq;
};

static void kind_make(struct rig *r, struct kind *k, uint32_t flags, uint32_t entries)
{
	struct dvx_cq_attr cq = {
		.size = sizeof(cq), .entries = entries, .uar = r->uar, .flags = flags};
	struct dvx_qp_attr qp = rig_qp_attr(r);

	qp.rq_entries = qp.rq_sge = 0;
	OK(dvx_cq_create(r->dev, &cq, &k->cq));
	qp.send_cq = k->cq;
	OK(dvx_qp_create(r->dev, &qp, &k->qp));
	OK(dvx_qp_connect_self(k->qp, DVX_REMOTE_WRITE | DVX_REMOTE_READ));
	k->sq = dvx_qp_sq(k->qp);
}

static void kind_free(struct kind *k)
{
	OK(dvx_qp_destroy(k->qp));
	OK(dvx_cq_destroy(k->cq));
}

static void kind_write(struct rig *r, struct kind *k, uint64_t i, uint32_t flags)
{
	OK(dvx_post_write_inline(k->sq, (uintptr_t)r->buf, r->key, &i, sizeof(i), i, flags));
	dvx_sq_ring(k->sq);
}

/* Polls until there is a completion. */
static int kind_poll(struct kind *k, struct dvx_wc *wc,
		     int (*poll)(struct dvx_sq *, struct dvx_wc *))
{
	time_t end = patience_from_now();
	int n;

	while (!(n = poll(k->sq, wc)))
		if (patience_over(end))
			fail_msg("no completion came");
	return n;
}

static int kind_poll_many(struct kind *k, uint64_t ids[KIND_MANY], struct dvx_wc *wc)
{
	time_t end = patience_from_now();
	int n;

	while (!(n = dvx_sq_poll_many(k->sq, ids, KIND_MANY, wc)))
		if (patience_over(end))
			fail_msg("no completion came");
	return n;
}

/* Waits for the write of this value, without reading its completion. */
static void kind_settled(struct rig *r, uint64_t value)
{
	time_t end = patience_from_now();

	while (*(volatile uint64_t *)(void *)r->buf != value)
		if (patience_over(end))
			fail_msg("the write of %llu did not come", (unsigned long long)value);
}

static void kind_writes(struct rig *r, uint32_t flags)
{
	uint64_t ids[KIND_MANY];
	struct dvx_wc wc;
	struct kind k;

	kind_make(r, &k, flags, 128);
	for (uint64_t i = 0; i < 1000; i++) {
		kind_write(r, &k, i, DVX_SIGNALED);
		assert_int_equal(kind_poll(&k, &wc, dvx_sq_poll), 1);
		assert_int_equal(wc.wr_id, i);
		assert_int_equal(dvx_sq_poll(k.sq, &wc), 0);
		kind_write(r, &k, i, DVX_SIGNALED);
		assert_int_equal(kind_poll_many(&k, ids, &wc), 1);
		assert_int_equal(ids[0], i);
	}
	kind_free(&k);
}

TEST(rig, large_and_ignoring)
{
	kind_writes(r, DVX_CQ_128);
	kind_writes(r, DVX_CQ_OVERRUN_IGNORE);
	kind_writes(r, DVX_CQ_128 | DVX_CQ_OVERRUN_IGNORE);
	kind_writes(r, DVX_CQ_COLLAPSED); /* polled like all kinds */
	kind_writes(r, DVX_CQ_COLLAPSED | DVX_CQ_128);
}

/* Only the newest completion is seen, and it stands for the earlier ones; a reset forgets it. */
TEST(rig, collapsed)
{
	struct dvx_wc wc = {0};
	struct kind k;
	uint64_t i;

	kind_make(r, &k, DVX_CQ_COLLAPSED, 1);
	for (uint32_t life = 0; life < 3; life++) {
		assert_int_equal(dvx_sq_poll_newest(k.sq, &wc), 0);
		for (i = 0; i < 600; i++) {
			kind_write(r, &k, i, DVX_SIGNALED);
			if (i % 20 != 19)
				continue;
			while (wc.wr_id != i)
				assert_int_equal(kind_poll(&k, &wc, dvx_sq_poll_newest), 1);
			assert_int_equal(dvx_sq_poll_newest(k.sq, &wc), 0);
			assert_int_equal(dvx_sq_free(k.sq), dvx_sq_blocks(k.sq));
		}
		OK(dvx_qp_to_err(k.qp));
		kind_write(r, &k, 7777, 0);
		assert_int_equal(kind_poll(&k, &wc, dvx_sq_poll_newest), -EIO);
		assert_int_equal(wc.wr_id, 7777);
		assert_int_equal(wc.syndrome, PRM_SYNDROME_WR_FLUSH_ERR);
		OK(dvx_qp_to_rst(k.qp));
		OK(dvx_qp_connect_self(k.qp, DVX_REMOTE_WRITE));
	}
	kind_write(r, &k, 9, DVX_SIGNALED);
	assert_int_equal(kind_poll(&k, &wc, dvx_sq_poll_newest), 1);
	OK(dvx_qp_to_rst(k.qp));
	OK(dvx_qp_connect_self(k.qp, DVX_REMOTE_WRITE));
	kind_write(r, &k, 10, DVX_SIGNALED); /* its CQE has the same last word */
	assert_int_equal(kind_poll(&k, &wc, dvx_sq_poll_newest), 1);
	assert_int_equal(wc.wr_id, 10);
	kind_free(&k);
}

/* Many times more completions than the CQ has entries, none consumed: the queue goes on. */
TEST(rig, overrun)
{
	struct kind k;
	uint64_t i;

	kind_make(r, &k, DVX_CQ_OVERRUN_IGNORE, 8);
	for (i = 0; i < 64; i++)
		kind_write(r, &k, i, DVX_SIGNALED);
	kind_settled(r, 63);
	kind_free(&k);
}

/* Makes up a CQE of the queue's next WQE, where the device would write it. */
static void kind_invent(struct kind *k, uint8_t opcode)
{
	uint8_t *cqe = (uint8_t *)(uintptr_t)k->cq->first;

	prm_cqe64_set_wqe_counter(cqe, k->sq->pi);
	prm_sig_err_cqe_set_mkey(cqe, 0x1234);
	cqe[DVX_CQE_BYTES - 1] = (uint8_t)(opcode << 4);
}

/* A wrong signature is no send, flushed padding is not reported, and a pop stays inside. */
TEST(rig, collapsed_errors)
{
	struct dvx_wc wc = {0};
	struct kind k;
	uint32_t free_blocks;

	kind_make(r, &k, DVX_CQ_COLLAPSED | DVX_CQ_128, 64);
	OK(dvx_post_nop(k.sq, 5, 0));
	free_blocks = dvx_sq_free(k.sq);
	kind_invent(&k, PRM_CQE_OPCODE_SIG_ERR);
	refused(dvx_sq_poll_newest(k.sq, &wc), -EBADMSG, "mkey 0x1234", "dvx_cq_copy_newest()");
	assert_int_equal(dvx_sq_free(k.sq), free_blocks);
	assert_int_equal(dvx_sq_poll_newest(k.sq, &wc), 0);
	k.sq->slots[k.sq->pi & k.sq->mask].end = k.sq->pi; /* as left by dvx_sq_pad() */
	kind_invent(&k, PRM_CQE_OPCODE_REQ_ERR);
	assert_int_equal(dvx_sq_poll_newest(k.sq, &wc), 0);
	dvx_cq_pop(k.cq);
	for (uint32_t i = 0; i < 2; i++)
		if (dvx_cq_peek(k.cq))
			dvx_cq_pop(k.cq);
	assert_null(dvx_cq_peek(k.cq));
	kind_free(&k);
}

/* Completions waiting in a CQ that may overrun fit the new ring, or the CQ stays as it is. */
TEST(rig, overrun_resized)
{
	uint32_t waiting = 0;
	struct dvx_wc wc;
	struct kind k;

	kind_make(r, &k, DVX_CQ_OVERRUN_IGNORE, 64);
	for (uint64_t i = 0; i < 40; i++)
		kind_write(r, &k, i, DVX_SIGNALED);
	kind_settled(r, 39);
	refused(dvx_cq_resize(k.cq, 8, NULL), -EINVAL, "entries is 8", "40 completions wait");
	for (; waiting < 40; waiting++) {
		assert_int_equal(kind_poll(&k, &wc, dvx_sq_poll), 1);
		assert_int_equal(wc.wr_id, waiting);
	}
	OK(dvx_cq_resize(k.cq, 8, NULL));
	kind_free(&k);
}

/* Waiting completions move in order, whatever the sizes; later ones are in the new ring. */
static void resized_as(struct rig *r, uint32_t flags)
{
	static const uint32_t sizes[] = {100, 1000, 64, 4000, 70};
	struct dvx_wc wc;
	struct kind k;
	uint64_t i = 0, next = 0;

	kind_make(r, &k, flags, 100);
	for (uint32_t round = 0; round < 20; round++) {
		for (uint32_t n = 0; n < 40; n++)
			kind_write(r, &k, i++, DVX_SIGNALED);
		for (uint32_t n = 0; n < round; n++, next++)
			assert_int_equal(kind_poll(&k, &wc, dvx_sq_poll), 1);
		OK(dvx_cq_resize(k.cq, sizes[round % 5], NULL));
		assert_in_range(k.cq->entries, sizes[round % 5], 2 * sizes[round % 5] + 1000);
		for (; next < i; next++) {
			assert_int_equal(kind_poll(&k, &wc, dvx_sq_poll), 1);
			assert_int_equal(wc.wr_id, next);
		}
		assert_int_equal(dvx_sq_poll(k.sq, &wc), 0);
	}
	refused(dvx_cq_resize(k.cq, 0, NULL), -EINVAL, "entries is 0", "2^");
	refused(dvx_cq_resize(k.cq, 20, NULL), -EINVAL, "entries is 20", "may need 64");
	refused(dvx_cq_resize(k.cq, 64, &(struct dvx_place){.flags = 0x80}), -EINVAL, "place.flags",
		"unknown");
	kind_write(r, &k, 77, DVX_SIGNALED);
	assert_int_equal(kind_poll(&k, &wc, dvx_sq_poll), 1);
	kind_free(&k);
}

TEST(rig, resized)
{
	struct kind k;

	resized_as(r, 0);
	resized_as(r, DVX_CQ_128);
	kind_make(r, &k, DVX_CQ_COLLAPSED, 8);
	refused(dvx_cq_resize(k.cq, 64, NULL), -EOPNOTSUPP, "collapsed", "");
	kind_free(&k);
}

/* An empty CQ shrinks, though the device has not been told of all that was polled. */
TEST(rig, resized_when_empty)
{
	struct dvx_wc wc;
	struct kind k;

	kind_make(r, &k, 0, 4000);
	for (uint64_t i = 0; i < 300; i++) {
		kind_write(r, &k, i, DVX_SIGNALED);
		assert_int_equal(kind_poll(&k, &wc, dvx_sq_poll), 1);
	}
	OK(dvx_cq_resize(k.cq, 64, NULL));
	kind_write(r, &k, 77, DVX_SIGNALED);
	assert_int_equal(kind_poll(&k, &wc, dvx_sq_poll), 1);
	assert_int_equal(wc.wr_id, 77);
	kind_free(&k);
}

/* Both clocks give the time of day; the free-running one except for slewing of the day's. */
TEST(rig, timestamps)
{
	struct dvx_cq_attr cq = {.size = sizeof(cq), .entries = 64, .uar = r->uar};
	const uint64_t slack = 100000000;
	struct dvx_clock clock;
	struct dvx_qp_attr attr;
	struct dvx_qp *qp;
	uint64_t before, ns;

	OK(dvx_cq_create(r->dev, &cq, &attr.send_cq));
	for (uint32_t real = 0; real < 2; real++) {
		struct dvx_cq *made = attr.send_cq;

		attr = rig_qp_attr(r);
		attr.rq_entries = attr.rq_sge = 0;
		attr.send_cq = made;
		attr.flags = real ? DVX_QP_REAL_TIME : 0;
		OK(dvx_qp_create(r->dev, &attr, &qp));
		OK(dvx_qp_connect_self(qp, 0));
		before = time_of_day();
		OK(dvx_post_nop(dvx_qp_sq(qp), 1, DVX_SIGNALED));
		dvx_sq_ring(dvx_qp_sq(qp));
		ns = dvx_cqe_timestamp(wait_cqe(made));
		OK(dvx_clock_read(r->dev, &clock));
		ns = real ? dvx_real_time_ns(ns) : dvx_clock_ns(&clock, ns);
		assert_in_range(ns, before - (real ? 0 : slack),
				time_of_day() + (real ? 0 : slack));
		done(made, dvx_qp_sq(qp), 1);
		OK(dvx_qp_destroy(qp));
	}
	OK(dvx_cq_destroy(attr.send_cq));
}

TEST(rig, refused_kinds)
{
	struct dvx_cq_attr a = {.size = sizeof(a), .entries = 64, .uar = r->uar};
	struct dvx_qp_attr qp = rig_qp_attr(r);
	struct dvx_cq *cq = NULL;
	struct dvx_qp *out;

	a.flags = 1 << 5;
	refused(dvx_cq_create(r->dev, &a, &cq), -EINVAL, "attr.flags", "unknown");
	a.flags = DVX_CQ_COLLAPSED | DVX_CQ_COMPRESSED;
	refused(dvx_cq_create(r->dev, &a, &cq), -EINVAL, "DVX_CQ_COLLAPSED", "session");
	a.flags = 0;
	a.mini = DVX_CQ_MINI_CSUM;
	refused(dvx_cq_create(r->dev, &a, &cq), -EINVAL, "attr.mini", "DVX_CQ_COMPRESSED");
	a.flags = DVX_CQ_COMPRESSED;
	a.mini = 2;
	refused(dvx_cq_create(r->dev, &a, &cq), -EINVAL, "attr.mini", "none of");
	a.mini = 0;
	a.reserved = 1;
	refused(dvx_cq_create(r->dev, &a, &cq), -E2BIG, "attr.reserved", "not 0");
	assert_null(cq);
	a.reserved = 0;
	a.flags = DVX_CQ_COLLAPSED;
	OK(dvx_cq_create(r->dev, &a, &cq));
	qp.send_cq = cq;
	refused(dvx_qp_create(r->dev, &qp, &out), -EINVAL, "collapsed", "sends only");
	qp.rq_entries = qp.rq_sge = 0;
	OK(dvx_qp_create(r->dev, &qp, &out));
	refused(dvx_qp_create(r->dev, &qp, &(struct dvx_qp *){NULL}), -EINVAL, "collapsed",
		"one queue");
	OK(dvx_qp_destroy(out));
	OK(dvx_cq_destroy(cq));
}

TEST_GROUP(rig_open, rig_close)
