/* SPDX-License-Identifier: BSD-2-Clause */
/* Proves compressed CQEs of packets: read whole and in order, resized and reset as they wait. */
#include "tests/test.h"
#include "lib_flow_rig.h"

#define BURST 12u

/* An inbox with compressed CQEs, whose packets have hashes. */
struct compressed {
	struct inbox in;
	struct way way;
	struct dvx_rss *rss;
};

static void compressed_open(struct flow_rig *f, struct compressed *s, uint32_t flags, uint32_t mini)
{
	struct dvx_cq_attr cq = {.size = sizeof(cq),
				 .entries = ROOMS,
				 .flags = flags | DVX_CQ_COMPRESSED,
				 .mini = mini};
	struct dvx_rxq_attr rx = {.size = sizeof(rx), .entries = ROOMS, .user_index = 0x55};
	struct dvx_rss_attr ra = {
		.size = sizeof(ra), .queue_count = 1, .queues = &s->in.rxq, .udp = true};

	inbox_open_as(f, &s->in, 0, cq, rx);
	OK(dvx_rss_create(f->r.dev, &ra, &s->rss));
	way_begin(f, &s->way);
	OK(dvx_flow_action_create_rss(s->way.domain, s->rss, &s->way.to));
	way_lead(&s->way);
}

static void compressed_close(struct compressed *s)
{
	way_close(&s->way);
	OK(dvx_rss_destroy(s->rss));
	inbox_close(&s->in);
}

/* Sends packets that arrive together: `n` posts and one doorbell; waits until all are received. */
static void compressed_send(struct flow_rig *f, struct compressed *s, uint64_t first, uint32_t n)
{
	struct dvx_sq *sq = dvx_txq_ring(f->tx);
	struct frame frame;

	inbox_post(&s->in, first, n);
	for (uint64_t i = first; i < first + n; i++) {
		frame_build(&frame, (struct frame_spec){.payload = 40 + (uint32_t)(i % 50),
							.sport = (uint16_t)(i + 1)});
		OK(dvx_post_eth_inline(sq, frame.bytes, DVX_ETH_HEADER,
				       frame.bytes + DVX_ETH_HEADER, frame.len - DVX_ETH_HEADER,
				       ++f->sent, i + 1 == first + n ? DVX_SIGNALED : 0));
	}
	dvx_sq_ring(sq);
	done(f->tx_cq, sq, f->sent);
}

static uint32_t compressed_len(uint64_t i)
{
	return 14 + 20 + 8 + 40 + (uint32_t)(i % 50);
}

/* Returns the next entry, once it is there, as the device wrote it: a title or not. */
static const void *compressed_next(const struct dvx_cq *cq)
{
	time_t end = patience_from_now();

	while (dvx_cq_state(cq, cq->next) & DVX_CQ_OLD)
		if (patience_over(end))
			fail_msg("no packet came");
	return cq->next;
}

/* Burst after burst over laps of the ring: some polled one by one, some in groups. */
static void cq_compressed_as(struct flow_rig *f, uint32_t flags, uint32_t mini)
{
	uint32_t words = 0, before = 0, sessions = 0;
	struct dvx_rx rx[2 * ROOMS];
	struct compressed s;
	struct dvx_wc wc;
	const void *cqe;
	uint64_t i = 0;
	int n;

	compressed_open(f, &s, flags, mini);
	for (uint32_t burst = 0; burst < 20; burst++) {
		compressed_send(f, &s, i, BURST);
		for (uint64_t end = i + BURST; i < end;) {
			cqe = compressed_next(s.in.cq);
			sessions += dvx_cqe_format(cqe) == DVX_CQE_FORMAT;
			if (burst % 2) {
				cqe = wait_cqe(s.in.cq);
				assert_int_equal(dvx_rq_retire(s.in.rq), i);
				assert_int_equal(dvx_cqe_byte_count(cqe), compressed_len(i++));
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
				assert_int_equal(rx[k].byte_count, compressed_len(i));
				assert_int_not_equal(rx[k].info, 0);
			}
		}
		assert_null(dvx_cq_peek(s.in.cq));
	}
	assert_true(sessions > 10);
	compressed_close(&s);
}

TEST(flow, compressed)
{
	cq_compressed_as(f, 0, DVX_CQ_MINI_HASH);
	cq_compressed_as(f, 0, DVX_CQ_MINI_CSUM);
	cq_compressed_as(f, DVX_CQ_128, DVX_CQ_MINI_CSUM_STRIDE);
}

/* A session that is not polled yet is moved whole. */
TEST(flow, resized_compressed)
{
	struct compressed s;
	struct dvx_wc wc;
	uint64_t i = 0;

	compressed_open(f, &s, 0, DVX_CQ_MINI_HASH);
	for (uint32_t round = 0; round < 6; round++) {
		compressed_send(f, &s, i, BURST);
		wait_cqe(s.in.cq);
		OK(dvx_cq_resize(s.in.cq, round % 2 ? ROOMS : 100, NULL));
		for (uint64_t end = i + BURST; i < end; i++) {
			wait_cqe(s.in.cq);
			assert_int_equal(dvx_rq_poll(s.in.rq, &wc), 1);
			assert_int_equal(wc.wr_id, i);
			assert_int_equal(wc.byte_count, compressed_len(i));
		}
	}
	compressed_close(&s);
}

/* Compressed completions of a reset queue are never returned. */
TEST(flow, reset_compressed)
{
	struct compressed s;
	struct dvx_wc wc;

	compressed_open(f, &s, 0, DVX_CQ_MINI_HASH);
	for (uint32_t life = 0; life < 8; life++) {
		compressed_send(f, &s, 0, BURST);
		wait_cqe(s.in.cq);
		OK(dvx_rxq_reset(s.in.rxq));
		assert_int_equal(dvx_rq_poll(s.in.rq, &wc), 0);
		compressed_send(f, &s, 100 + life, 1);
		wait_cqe(s.in.cq);
		assert_int_equal(dvx_cq_poll(s.in.cq, &wc), 1);
		assert_int_equal(wc.wr_id, 100 + life);
		assert_int_equal(wc.byte_count, compressed_len(100 + life));
		assert_int_equal(dvx_cq_poll(s.in.cq, &wc), 0);
	}
	compressed_close(&s);
}

TEST_GROUP(flow_open, flow_close)
