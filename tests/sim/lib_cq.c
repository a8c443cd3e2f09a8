/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Proves the kinds of CQs: large entries, overrun ignored, collapsed, compressed, each read whole
 * and in order.
 */
#include "tests/test.h"
#include <infiniband/mlx5dv.h>
#include "flow_rig.h"

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

/* Until a poll has something. */
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

static void kind_writes(struct rig *r, uint32_t flags)
{
	uint64_t ids[8];
	struct dvx_wc wc;
	struct kind k;
	int n;

	kind_make(r, &k, flags, 128);
	for (uint64_t i = 0; i < 1000; i++) {
		kind_write(r, &k, i, DVX_SIGNALED);
		assert_int_equal(kind_poll(&k, &wc, dvx_sq_poll), 1);
		assert_int_equal(wc.wr_id, i);
		assert_int_equal(dvx_sq_poll(k.sq, &wc), 0);
		kind_write(r, &k, i, DVX_SIGNALED);
		while (!(n = dvx_sq_poll_many(k.sq, ids, 8, &wc)))
			;
		assert_int_equal(n, 1);
		assert_int_equal(ids[0], i);
	}
	kind_free(&k);
}

TEST_RIG(large_and_ignoring)
{
	kind_writes(r, DVX_CQ_128);
	kind_writes(r, DVX_CQ_OVERRUN_IGNORE);
	kind_writes(r, DVX_CQ_128 | DVX_CQ_OVERRUN_IGNORE);
	kind_writes(r, DVX_CQ_COLLAPSED); /* by the poll of all kinds */
	kind_writes(r, DVX_CQ_COLLAPSED | DVX_CQ_128);
}

/* The newest completion alone is seen, and it speaks for those before; a reset forgets it. */
TEST_RIG(collapsed)
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

/* Many times more than the CQ has entries, of which none was consumed: the queue goes on. */
TEST_RIG(overrun)
{
	struct kind k;
	uint64_t i;

	kind_make(r, &k, DVX_CQ_OVERRUN_IGNORE, 8);
	for (i = 0; i < 64; i++)
		kind_write(r, &k, i, DVX_SIGNALED);
	while (*(volatile uint64_t *)(void *)r->buf != 63)
		;
	kind_free(&k);
}

/* A CQE that the program makes up, of the queue's next WQE, where the device would write it. */
static void kind_invent(struct kind *k, uint8_t opcode)
{
	uint8_t *cqe = (uint8_t *)(uintptr_t)k->cq->first;

	prm_cqe64_set_wqe_counter(cqe, k->sq->pi);
	prm_sig_err_cqe_set_mkey(cqe, 0x1234);
	cqe[DVX_CQE_BYTES - 1] = (uint8_t)(opcode << 4);
}

/* A wrong signature is no send, the flush of padding is not reported, and a pop stays inside. */
TEST_RIG(collapsed_errors)
{
	struct dvx_wc wc = {0};
	struct kind k;
	uint32_t free_blocks;

	kind_make(r, &k, DVX_CQ_COLLAPSED | DVX_CQ_128, 64);
	OK(dvx_post_nop(k.sq, 5, 0));
	free_blocks = dvx_sq_free(k.sq);
	kind_invent(&k, PRM_CQE_OPCODE_SIG_ERR);
	refused(dvx_sq_poll_newest(k.sq, &wc), -EBADMSG, "mkey 0x1234", "cq->first");
	assert_int_equal(dvx_sq_free(k.sq), free_blocks);
	assert_int_equal(dvx_sq_poll_newest(k.sq, &wc), 0);
	k.sq->slots[k.sq->pi & k.sq->mask].wr_id = DVX_WR_ID_PAD;
	kind_invent(&k, PRM_CQE_OPCODE_REQ_ERR);
	assert_int_equal(dvx_sq_poll_newest(k.sq, &wc), 0);
	dvx_cq_pop(k.cq);
	for (uint32_t i = 0; i < 2; i++)
		if (dvx_cq_peek(k.cq))
			dvx_cq_pop(k.cq);
	assert_null(dvx_cq_peek(k.cq));
	kind_free(&k);
}

/* What waits in a CQ that may overrun fits the new ring, or it stays as it is. */
TEST_RIG(overrun_resized)
{
	uint32_t waiting = 0;
	struct dvx_wc wc;
	struct kind k;

	kind_make(r, &k, DVX_CQ_OVERRUN_IGNORE, 64);
	for (uint64_t i = 0; i < 40; i++)
		kind_write(r, &k, i, DVX_SIGNALED);
	while (*(volatile uint64_t *)(void *)r->buf != 39)
		;
	refused(dvx_cq_resize(k.cq, 8, NULL), -EINVAL, "entries is 8", "40 completions wait");
	for (; waiting < 40; waiting++) {
		assert_int_equal(kind_poll(&k, &wc, dvx_sq_poll), 1);
		assert_int_equal(wc.wr_id, waiting);
	}
	OK(dvx_cq_resize(k.cq, 8, NULL));
	kind_free(&k);
}

/* What waits moves along in order, whatever the sizes; what comes later finds the new ring. */
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

TEST_RIG(resized)
{
	struct kind k;

	resized_as(r, 0);
	resized_as(r, DVX_CQ_128);
	kind_make(r, &k, DVX_CQ_COLLAPSED, 8);
	refused(dvx_cq_resize(k.cq, 64, NULL), -EOPNOTSUPP, "collapsed", "");
	kind_free(&k);
}

static uint64_t day_ns(void)
{
	struct timespec t;

	clock_gettime(CLOCK_REALTIME, &t);
	return (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec;
}

/* Both clocks give the time of day; the free-running one as far as the day's was not slewed. */
TEST_RIG(timestamps)
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
		before = day_ns();
		OK(dvx_post_nop(dvx_qp_sq(qp), 1, DVX_SIGNALED));
		dvx_sq_ring(dvx_qp_sq(qp));
		ns = dvx_cqe_timestamp(wait_cqe(made));
		OK(dvx_clock_read(r->dev, &clock));
		ns = real ? dvx_real_time_ns(ns) : dvx_clock_ns(&clock, ns);
		assert_in_range(ns, before - (real ? 0 : slack), day_ns() + (real ? 0 : slack));
		done(made, dvx_qp_sq(qp), 1);
		OK(dvx_qp_destroy(qp));
	}
	OK(dvx_cq_destroy(attr.send_cq));
}

TEST_RIG(refused_kinds)
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
	refused(dvx_cq_create(r->dev, &a, &cq), -EINVAL, "attr.reserved", "not 0");
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

/* --- compressed CQEs of packets ----------------------------------------------------------------
 */

#define BURST 12u

struct squeezed {
	struct inbox in;
	struct dvx_rss *rss; /* so that packets have hashes */
	struct dvx_flow_domain *domain;
	struct dvx_flow_table *root;
	struct dvx_flow_matcher *matcher;
	struct dvx_flow_action *to;
	struct dvx_flow_rule *rule;
};

static void squeezed_steer(struct flow_rig *f, struct squeezed *s)
{
	static const struct dvx_flow_match all;
	struct dvx_rss_attr ra = {
		.size = sizeof(ra), .queue_count = 1, .queues = &s->in.rxq, .udp = true};
	struct dvx_flow_domain_attr da = {.size = sizeof(da)};
	struct dvx_flow_matcher_attr ma = {.size = sizeof(ma), .match = &all};
	struct dvx_flow_rule_attr rule = {.size = sizeof(rule), .match = &all, .action_count = 1};

	OK(dvx_rss_create(f->r.dev, &ra, &s->rss));
	OK(dvx_flow_domain_create(f->r.dev, &da, &s->domain));
	OK(dvx_flow_table_create(s->domain, 0, &s->root));
	OK(dvx_flow_matcher_create(s->root, &ma, &s->matcher));
	OK(dvx_flow_action_create_rss(s->domain, s->rss, &s->to));
	rule.matcher = s->matcher;
	rule.actions = &s->to;
	OK(dvx_flow_rule_create(&rule, &s->rule));
}

static void squeezed_open(struct flow_rig *f, struct squeezed *s, uint32_t flags, uint32_t mini)
{
	struct dvx_cq_attr cq = {.size = sizeof(cq),
				 .entries = ROOMS,
				 .uar = f->r.uar,
				 .flags = flags | DVX_CQ_COMPRESSED,
				 .mini = mini};
	struct dvx_rxq_attr rx = {
		.size = sizeof(rx), .pd = f->r.pd, .entries = ROOMS, .user_index = 0x55};

	s->in.rig = f;
	s->in.buf = f->r.buf + (size_t)ROOMS * ROOM;
	OK(dvx_cq_create(f->r.dev, &cq, &s->in.cq));
	rx.cq = s->in.cq;
	OK(dvx_rxq_create(f->r.dev, &rx, &s->in.rxq));
	s->in.rq = dvx_rxq_ring(s->in.rxq);
	squeezed_steer(f, s);
}

static void squeezed_close(struct squeezed *s)
{
	OK(dvx_flow_rule_destroy(s->rule));
	OK(dvx_flow_action_destroy(s->to));
	OK(dvx_flow_matcher_destroy(s->matcher));
	OK(dvx_flow_table_destroy(s->root));
	OK(dvx_flow_domain_destroy(s->domain));
	OK(dvx_rss_destroy(s->rss));
	inbox_close(&s->in);
}

static void squeezed_post(struct squeezed *s, uint64_t first, uint32_t n)
{
	for (uint64_t i = first; i < first + n; i++) {
		struct dvx_sge sge = {(uintptr_t)s->in.buf + i % ROOMS * ROOM, ROOM,
				      s->in.rig->r.key};

		OK(dvx_rq_post(s->in.rq, &sge, 1, i));
	}
	dvx_rq_ring(s->in.rq);
}

/* Packets that arrive together: `n` posts and one doorbell, and all of them are received. */
static void squeezed_send(struct flow_rig *f, struct squeezed *s, uint64_t first, uint32_t n)
{
	struct dvx_sq *sq = dvx_txq_ring(f->tx);
	struct frame frame;

	squeezed_post(s, first, n);
	for (uint64_t i = first; i < first + n; i++) {
		frame_build(&frame, (struct say){.payload = 40 + (uint32_t)(i % 50),
						 .sport = (uint16_t)(i + 1)});
		OK(dvx_post_eth_inline(sq, frame.bytes, DVX_ETH_HEADER,
				       frame.bytes + DVX_ETH_HEADER, frame.len - DVX_ETH_HEADER,
				       ++f->sent, i + 1 == first + n ? DVX_SIGNALED : 0));
	}
	dvx_sq_ring(sq);
	done(f->tx_cq, sq, f->sent);
}

static uint32_t squeezed_len(uint64_t i)
{
	return 14 + 20 + 8 + 40 + (uint32_t)(i % 50);
}

/* The next entry, once it is there, as the device wrote it: a title or not. */
static const void *squeezed_next(const struct dvx_cq *cq)
{
	time_t end = patience_from_now();

	while (dvx_cq_state(cq, cq->next) & DVX_CQ_OLD)
		if (patience_over(end))
			fail_msg("no packet came");
	return cq->next;
}

/* Burst after burst over laps of the ring: some by CQEs, some by many. */
static void squeezed_as(struct flow_rig *f, uint32_t flags, uint32_t mini)
{
	uint32_t words = 0, before = 0, sessions = 0;
	struct dvx_rx rx[2 * ROOMS];
	struct squeezed s;
	struct dvx_wc wc;
	const void *cqe;
	uint64_t i = 0;
	int n;

	squeezed_open(f, &s, flags, mini);
	for (uint32_t burst = 0; burst < 20; burst++) {
		squeezed_send(f, &s, i, BURST);
		for (uint64_t end = i + BURST; i < end;) {
			cqe = squeezed_next(s.in.cq);
			sessions += dvx_cqe_format(cqe) == DVX_CQE_FORMAT;
			if (burst % 2) {
				cqe = wait_cqe(s.in.cq);
				assert_int_equal(dvx_rq_retire(s.in.rq), i);
				assert_int_equal(dvx_cqe_byte_count(cqe), squeezed_len(i++));
				assert_int_equal(dvx_cqe_user_index(cqe), 0x55);
				assert_true(dvx_cqe_l3_ok(cqe));
				before = words;
				words = mini == DVX_CQ_MINI_HASH ? dvx_cqe_rss_hash(cqe)
								 : dvx_cqe_checksum(cqe);
				assert_true(words && words != before);
				dvx_cq_pop(s.in.cq);
				continue;
			}
			n = dvx_rq_poll_many(s.in.rq, rx, burst % 3 ? 5 : 2 * ROOMS, &wc);
			assert_true(n >= 0);
			for (int k = 0; k < n; k++, i++) {
				assert_int_equal(rx[k].wr_id, i);
				assert_int_equal(rx[k].byte_count, squeezed_len(i));
				assert_int_not_equal(rx[k].info, 0);
			}
		}
		assert_null(dvx_cq_peek(s.in.cq));
	}
	assert_true(sessions > 10);
	squeezed_close(&s);
}

TEST_FLOW(compressed)
{
	squeezed_as(f, 0, DVX_CQ_MINI_HASH);
	squeezed_as(f, 0, DVX_CQ_MINI_CSUM);
	squeezed_as(f, DVX_CQ_128, DVX_CQ_MINI_CSUM_STRIDE);
}

/* A session that waits is moved whole. */
TEST_FLOW(resized_compressed)
{
	struct squeezed s;
	struct dvx_wc wc;
	uint64_t i = 0;

	squeezed_open(f, &s, 0, DVX_CQ_MINI_HASH);
	for (uint32_t round = 0; round < 6; round++) {
		squeezed_send(f, &s, i, BURST);
		while (!(dvx_cq_peek(s.in.cq)))
			;
		OK(dvx_cq_resize(s.in.cq, round % 2 ? ROOMS : 100, NULL));
		for (uint64_t end = i + BURST; i < end; i++) {
			wait_cqe(s.in.cq);
			assert_int_equal(dvx_rq_poll(s.in.rq, &wc), 1);
			assert_int_equal(wc.wr_id, i);
			assert_int_equal(wc.byte_count, squeezed_len(i));
		}
	}
	squeezed_close(&s);
}

/* --- striding queues ---------------------------------------------------------------------------
 */

#define STRIDES	     8u
#define STRIDE_BYTES 64u
#define STRIDED	     (STRIDES * STRIDE_BYTES)

/* Packets of one to three strides, over laps: each where it is said to be, buffers used to the end.
 */
static void strided_as(struct flow_rig *f, uint32_t flags, uint32_t mini)
{
	struct dvx_cq_attr ca = {.size = sizeof(ca),
				 .entries = 4 * STRIDES,
				 .uar = f->r.uar,
				 .flags = flags,
				 .mini = mini};
	struct dvx_rxq_attr ra = {.size = sizeof(ra),
				  .pd = f->r.pd,
				  .entries = 4,
				  .strides = STRIDES,
				  .stride_bytes = STRIDE_BYTES,
				  .user_index = 5};
	struct squeezed s = {.in = {.rig = f, .buf = f->r.buf + (64 << 10)}};
	struct dvx_strided at;
	struct frame frame;
	struct dvx_wc wc;
	uint32_t lasts = 0, used = 0;
	const void *cqe;
	int n;

	OK(dvx_cq_create(f->r.dev, &ca, &s.in.cq));
	ra.cq = s.in.cq;
	OK(dvx_rxq_create(f->r.dev, &ra, &s.in.rxq));
	s.in.rq = dvx_rxq_ring(s.in.rxq);
	squeezed_steer(f, &s);
	for (uint64_t i = 0; i < 4; i++) {
		struct dvx_sge sge = {(uintptr_t)s.in.buf + i * STRIDED, STRIDED, f->r.key};

		OK(dvx_rq_post(s.in.rq, &sge, 1, i));
	}
	dvx_rq_ring(s.in.rq);
	for (uint32_t i = 0; i < 200; i++) {
		frame_build(&frame,
			    (struct say){.payload = 20 + i * 37 % 130, .sport = (uint16_t)(i + 1)});
		frame_send(f, &frame);
		do {
			cqe = wait_cqe(s.in.cq);
			assert_int_equal(dvx_cq_poll(s.in.cq, &wc), -EINVAL);
			n = dvx_rxq_take(s.in.rxq, cqe, &at);
			assert_true(n >= 0);
			assert_int_equal(at.wr_id, lasts % 4);
			assert_int_equal(at.offset, used * STRIDE_BYTES);
			used = at.last ? 0 : used + (at.bytes + STRIDE_BYTES - 1) / STRIDE_BYTES;
			dvx_cq_pop(s.in.cq);
			if (!at.last)
				continue;
			lasts++;
			dvx_rq_repost(s.in.rq);
			dvx_rq_ring(s.in.rq);
		} while (!n);
		assert_int_equal(at.bytes, frame.len < 60 ? 60 : frame.len);
		assert_memory_equal(s.in.buf + at.wr_id * STRIDED + at.offset, frame.bytes,
				    frame.len);
	}
	assert_true(lasts > 40);
	squeezed_close(&s);
}

TEST_FLOW(strided)
{
	struct dvx_rxq_attr ra = {.size = sizeof(ra), .pd = f->r.pd, .cq = f->tx_cq, .entries = 4};
	struct dvx_rxq *rxq;

	strided_as(f, 0, 0);
	strided_as(f, DVX_CQ_COMPRESSED, DVX_CQ_MINI_CSUM_STRIDE);
	ra.strides = 12;
	ra.stride_bytes = 64;
	refused(dvx_rxq_create(f->r.dev, &ra, &rxq), -EINVAL, "attr.strides is 12", "from 8");
	ra.strides = 16;
	ra.stride_bytes = 32;
	refused(dvx_rxq_create(f->r.dev, &ra, &rxq), -EINVAL, "attr.stride_bytes is 32", "from 64");
	ra.stride_bytes = 64;
	ra.sge = 2;
	refused(dvx_rxq_create(f->r.dev, &ra, &rxq), -EINVAL, "attr.sge", "one piece");
	ra.sge = 1;
	ra.strides = 64;
	refused(dvx_rxq_create(f->r.dev, &ra, &rxq), -EINVAL, "may need", "256 more");
}

/* What a reset queue left compressed is never seen again. */
TEST_FLOW(reset_compressed)
{
	struct squeezed s;
	struct dvx_wc wc;

	squeezed_open(f, &s, 0, DVX_CQ_MINI_HASH);
	for (uint32_t life = 0; life < 8; life++) {
		squeezed_send(f, &s, 0, BURST);
		while (!dvx_cq_peek(s.in.cq))
			;
		OK(dvx_rxq_reset(s.in.rxq));
		assert_int_equal(dvx_rq_poll(s.in.rq, &wc), 0);
		squeezed_send(f, &s, 100 + life, 1);
		wait_cqe(s.in.cq);
		assert_int_equal(dvx_cq_poll(s.in.cq, &wc), 1);
		assert_int_equal(wc.wr_id, 100 + life);
		assert_int_equal(wc.byte_count, squeezed_len(100 + life));
		assert_int_equal(dvx_cq_poll(s.in.cq, &wc), 0);
	}
	squeezed_close(&s);
}

TEST_GROUP(flow_open, flow_close)
