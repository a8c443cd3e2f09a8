/* SPDX-License-Identifier: BSD-2-Clause */
/* Proves that a reliable connection survives a wire that loses, doubles, reorders and damages
 * packets: every message arrives once and whole, in order; and that timers and retry counts are
 * those of the context. An unreliable connection silently loses whole messages. */
#include "tests/test.h"
#include "tests/queue/queue_rig.h"
#include "chip/datapath.h"
#include "host/host.h"
#include "queue/queue.h"
#include "transport/bth.h"

#define SECOND 1000000000ull
#define SEEDS 12u
#define MESSAGES 60u

static uint64_t rng;

static uint32_t chance(uint32_t of)
{
	rng ^= rng << 13;
	rng ^= rng >> 7;
	rng ^= rng << 17;
	return (uint32_t)(rng >> 11) % of;
}

struct held {
	struct frame *f[4];
};

static void damage(struct frame *f)
{
	f->data[chance(f->len)] ^= (uint8_t)(1u << chance(8));
}

static void bad_wire(void *ctx, struct port *w, struct frame *f)
{
	struct held *h = ctx;
	uint32_t slot = chance(4);

	switch (chance(25)) {
	case 0:
		frame_free(f);
		return;
	case 1:
		port_queue(w, frame_copy(f));
		break;
	case 2:
		damage(f);
		break;
	case 3: /* overtaken by later frames until the slot is drawn again */
		if (h->f[slot])
			port_queue(w, h->f[slot]);
		h->f[slot] = f;
		return;
	default:
		break;
	}
	port_queue(w, f);
}

static void release(struct held *h)
{
	for (unsigned int i = 0; i < 4; i++)
		frame_free(h->f[i]);
	memset(h, 0, sizeof(*h));
}

static void run_seed(uint64_t seed)
{
	static const uint8_t ops[] = { PRM_WQE_OPCODE_RDMA_WRITE, PRM_WQE_OPCODE_RDMA_READ,
				       PRM_WQE_OPCODE_SEND };
	struct held held = { 0 };
	struct rig_pair *p = rig_pair_open(&rig_rc);
	uint8_t *model = calloc(1, RIG_BUF);

	rng = seed * 0x9e3779b97f4a7c15ull + 1;
	port_set_hook(p->rig.dev.port, bad_wire, &held);
	for (unsigned int i = 0; i < MESSAGES; i++) {
		uint8_t op = ops[chance(3)];
		uint32_t len = chance(4) ? chance(3000) + 1 : chance(40000) + 1;
		uint32_t off = chance(RIG_BUF - len);
		const uint8_t *cqe;

		for (uint32_t k = 0; k < len; k++)
			p->src[off + k] = (uint8_t)chance(256);
		if (op == PRM_WQE_OPCODE_SEND)
			rig_recv(&p->b, p->dst + off, len, rig_key(p->md));
		rig_post(p, op, off, len);
		rig_ring(&p->a);
		rig_pass(&p->rig, 5 * SECOND);
		cqe = rig_poll(&p->ca);
		if (!cqe || prm_cqe64_get_opcode(cqe) != PRM_CQE_OPCODE_REQ)
			fail_msg("seed %llu message %u opcode 0x%02x: %s", (unsigned long long)seed,
				 i, op, cqe ? "failed" : "never completed");
		assert_null(rig_poll(&p->ca));
		if (op == PRM_WQE_OPCODE_RDMA_READ) {
			assert_memory_equal(p->src + off, model + off, len);
		} else {
			memcpy(model + off, p->src + off, len);
			assert_memory_equal(p->dst + off, model + off, len);
		}
		cqe = rig_poll(&p->cb);
		assert_int_equal(cqe != NULL, op == PRM_WQE_OPCODE_SEND);
		if (cqe)
			assert_int_equal(prm_cqe64_get_byte_cnt(cqe), len);
		assert_null(rig_poll(&p->cb));
	}
	assert_memory_equal(p->dst, model, RIG_BUF);
	release(&held);
	free(model);
	rig_pair_close(p);
}

TEST(none, test_bad_wire)
{
	for (uint64_t seed = 1; seed <= SEEDS; seed++)
		run_seed(seed);
}

/* Many requests under way at once on the bad wire; each SEND carries its number. */
TEST(none, test_bad_wire_pipelined)
{
	for (uint64_t seed = 100; seed < 100 + SEEDS; seed++) {
		struct held held = { 0 };
		struct rig_pair *p = rig_pair_open(&rig_rc);
		unsigned int sent = 0, got = 0, done = 0;

		rng = seed * 0x9e3779b97f4a7c15ull + 1;
		port_set_hook(p->rig.dev.port, bad_wire, &held);
		for (unsigned int turn = 0; got < 200 || done < 200; turn++) {
			const uint8_t *cqe;

			if (turn > 2000)
				fail_msg("seed %llu: stuck at %u sent %u arrived %u completed",
					 (unsigned long long)seed, sent, got, done);
			while (sent < 200 && sent - done < 8 && sent - got < 8) {
				memcpy(p->src + sent * 4096, &sent, sizeof(sent));
				rig_recv(&p->b, p->dst + sent * 4096, 4096, rig_key(p->md));
				rig_post(p, PRM_WQE_OPCODE_SEND, sent * 4096, 1500);
				sent++;
			}
			rig_ring(&p->a);
			rig_pass(&p->rig, SECOND / 10);
			while ((cqe = rig_poll(&p->ca))) {
				assert_int_equal(prm_cqe64_get_opcode(cqe), PRM_CQE_OPCODE_REQ);
				done++;
			}
			for (; (cqe = rig_poll(&p->cb)); got++) {
				assert_int_equal(prm_cqe64_get_opcode(cqe), PRM_CQE_OPCODE_RESP_SEND);
				assert_memory_equal(p->dst + got * 4096, &got, sizeof(got));
			}
		}
		release(&held);
		rig_pair_close(p);
	}
}

static struct port_stats sum_of(const struct rig_pair *p)
{
	struct port_stats s = {0};

	for (unsigned int i = 0; i < p->rig.dev.nfunctions; i++)
		for (size_t k = 0; k < sizeof(s) / sizeof(uint64_t); k++)
			((uint64_t *)&s)[k] += ((uint64_t *)p->rig.dev.vhca[i].stats)[k];
	return s;
}

struct counter {
	unsigned int requests, answers;
	bool pass;
};

static void count_frames(void *ctx, struct port *w, struct frame *f)
{
	struct counter *c = ctx;

	if (*rig_bth(f, NULL) <= BTH_READ_REQUEST)
		c->requests++;
	else
		c->answers++;
	if (c->pass)
		port_queue(w, f);
	else
		frame_free(f);
}

/* Silence: 1 + retry_count transmissions, each waiting 4.096 us << ack_timeout, then 0x15. */
TEST(pair, test_ack_timeout)
{
	struct counter c = { 0 };
	const uint64_t wait = 4096ull << 14;
	uint64_t start;

	port_set_hook(p->rig.dev.port, count_frames, &c);
	rig_post(p, PRM_WQE_OPCODE_RDMA_WRITE, 0, 8);
	rig_ring(&p->a);
	start = p->rig.now;
	rig_settle(&p->rig);
	assert_int_equal(c.requests, 1);
	rig_pass(&p->rig, wait - 1);
	assert_int_equal(c.requests, 1);
	rig_pass(&p->rig, 1);
	assert_int_equal(c.requests, 2);
	rig_pass(&p->rig, start + 8 * wait - 1 - p->rig.now);
	assert_int_equal(c.requests, 8);
	assert_null(rig_poll(&p->ca));
	rig_pass(&p->rig, 1);
	rig_sent(&p->ca, 0x15);
	assert_int_equal(c.requests, 8);
	assert_int_equal(sum_of(p).queues.local_ack_timeout_err, 7);
}

/* RNR: the responder's min_rnr_nak code sets the wait (12: 0.64 ms); the count is rnr_retry. */
TEST(pair, test_rnr)
{
	struct counter c = { .pass = true };

	p->a.qp->rnr_retry = 3;
	rig_restart(&p->a, &p->b);
	port_set_hook(p->rig.dev.port, count_frames, &c);
	rig_do(p, PRM_WQE_OPCODE_SEND, 0, 8);
	assert_int_equal(c.requests, 1);
	rig_pass(&p->rig, 639999);
	assert_int_equal(c.requests, 1);
	rig_pass(&p->rig, 1);
	assert_int_equal(c.requests, 2);
	rig_recv(&p->b, p->dst, 8, rig_key(p->md));
	rig_pass(&p->rig, 640000);
	assert_int_equal(c.requests, 3);
	rig_sent(&p->ca, 0);
	assert_non_null(rig_poll(&p->cb));
	/* each message that gets through restarts the count */
	rig_post(p, PRM_WQE_OPCODE_SEND, 0, 8);
	rig_ring(&p->a);
	rig_pass(&p->rig, 3 * 640000 - 1);
	assert_int_equal(c.requests, 6);
	assert_null(rig_poll(&p->ca));
	rig_pass(&p->rig, SECOND);
	assert_int_equal(c.requests, 7);
	rig_sent(&p->ca, 0x16);
	assert_int_equal(sum_of(p).queues.out_of_buffer, 2 + 4);
	assert_int_equal(sum_of(p).queues.rnr_nak_retry_err, 2 + 3);
}

/* rnr_retry 7 never gives up. */
TEST(pair, test_rnr_forever)
{
	rig_post(p, PRM_WQE_OPCODE_SEND, 0, 8);
	rig_ring(&p->a);
	rig_pass(&p->rig, SECOND);
	assert_null(rig_poll(&p->ca));
	rig_recv(&p->b, p->dst, 8, rig_key(p->md));
	rig_pass(&p->rig, 640000);
	assert_non_null(rig_poll(&p->ca));
}

/* With ack_timeout 0 there is no timer. */
TEST(pair, test_no_timeout)
{
	struct counter c = { 0 };

	p->a.qp->ack_timeout = 0;
	port_set_hook(p->rig.dev.port, count_frames, &c);
	rig_post(p, PRM_WQE_OPCODE_RDMA_WRITE, 0, 8);
	rig_ring(&p->a);
	rig_pass(&p->rig, 1000 * SECOND);
	assert_int_equal(c.requests, 1);
	assert_null(rig_poll(&p->ca));
}

/* A WRITE with immediate needs its receive with the last packet: only that one is sent again. */
TEST(pair, test_write_imm_rnr)
{
	struct rig_wqe w = rig_begin(&p->a, PRM_WQE_OPCODE_RDMA_WRITE_IMM, SIGNALED, 9);
	struct counter c = { .pass = true };

	port_set_hook(p->rig.dev.port, count_frames, &c);
	rig_raddr(&w, p->dst, rig_key(p->md));
	rig_data(&w, p->src, 10 * 1024, rig_key(p->ms));
	rig_go(&w);
	assert_int_equal(c.requests, 10);
	assert_memory_equal(p->src, p->dst, 9 * 1024);
	rig_recv(&p->b, NULL, 0, 0x100);
	rig_pass(&p->rig, 640000);
	assert_int_equal(c.requests, 11);
	assert_non_null(rig_poll(&p->ca));
	assert_int_equal(prm_cqe64_get_byte_cnt(rig_poll(&p->cb)), 10 * 1024);
}

static struct port_stats counted(bool observed)
{
	struct counter c = {.pass = true};
	struct port_stats s;
	struct rig_pair *p = rig_pair_open(&rig_rc);

	if (observed)
		port_set_hook(p->rig.dev.port, count_frames, &c);
	rig_post(p, PRM_WQE_OPCODE_RDMA_WRITE, 0, 10001);
	rig_post(p, PRM_WQE_OPCODE_RDMA_READ, 0, 10001);
	rig_post(p, PRM_WQE_OPCODE_RDMA_READ, 0, 8);
	rig_recv(&p->b, p->dst, 4096, rig_key(p->md));
	rig_do(p, PRM_WQE_OPCODE_SEND, 0, 1025);
	s = sum_of(p);
	assert_true(!observed || s.xmit_packets == c.requests + c.answers);
	rig_pair_close(p);
	return s;
}

/* A burst counts as its packets do, with headers of the specification's length. */
TEST(none, test_counters)
{
	struct port_stats each = counted(true), bursts = counted(false);
	/* Ethernet, IPv6 or GRH, UDP, BTH, ICRC */
	const uint64_t v2 = 14 + 40 + 8 + 12 + 4;
	uint64_t acks = bursts.xmit_packets - (10 + 1 + 10 + 1 + 1 + 2);

	assert_in_range(acks, 1, 2);
	assert_int_equal(bursts.xmit_bytes, bursts.xmit_packets * v2 + 2 * 10004 + 8 + 1028 +
						    3 * 16 + 3 * 4 + acks * 4);
	assert_memory_equal(&each, &bursts, sizeof(each));
	assert_int_equal(bursts.rcv_packets, bursts.xmit_packets);
	assert_int_equal(bursts.rcv_bytes, bursts.xmit_bytes);
	assert_int_equal(bursts.queues.rx_read_requests, 2);
	assert_int_equal(bursts.queues.rx_write_requests, 1);
}

/* Runs a queue that is its own peer: its shortcut counts what its packets would. */
static struct port_stats counted_self(bool observed, uint8_t opcode, uint32_t len)
{
	struct counter c = {.pass = true};
	struct rig_pair *p = rig_pair_open(&rig_rc);
	struct port_stats stats;
	struct rig_self s;

	rig_self_open(&s, p);
	if (observed)
		port_set_hook(p->rig.dev.port, count_frames, &c);
	rig_rdma(&s.q, opcode, SIGNALED, p->src + 65536, s.key, p->src, len, s.key);
	rig_run(&s.q);
	assert_non_null(rig_poll(&s.cq));
	stats = sum_of(p);
	rig_self_close(&s);
	rig_pair_close(p);
	return stats;
}

TEST(none, test_self_counters)
{
	for (uint32_t len = 3; len < 20000; len = len * 7 + 1) {
		for (unsigned int read = 0; read < 2; read++) {
			uint8_t op = read ? PRM_WQE_OPCODE_RDMA_READ : PRM_WQE_OPCODE_RDMA_WRITE;
			struct port_stats each = counted_self(true, op, len),
					  once = counted_self(false, op, len);

			assert_int_equal(once.xmit_packets, (len + 1023) / 1024 + 1);
			assert_memory_equal(&each, &once, sizeof(each));
		}
	}
}

struct lossy {
	unsigned int seen, lose; /* frames seen; number of the frame to lose */
};

static void lossy_wire(void *ctx, struct port *w, struct frame *f)
{
	struct lossy *l = ctx;

	if (++l->seen == l->lose)
		frame_free(f);
	else
		port_queue(w, f);
}

/* The second of ten packets is lost: one NAK, and all from there on are sent again. */
TEST(pair, test_loss_counters)
{
	struct lossy l = {.lose = 2};
	struct port_stats s;

	port_set_hook(p->rig.dev.port, lossy_wire, &l);
	rig_do(p, PRM_WQE_OPCODE_RDMA_WRITE, 0, 10 * 1024);
	assert_non_null(rig_poll(&p->ca));
	s = sum_of(p);
	assert_int_equal(s.queues.out_of_sequence, 8);
	assert_int_equal(s.queues.packet_seq_err, 1);
	assert_int_equal(s.xmit_packets, s.rcv_packets + 1);
	assert_int_equal(s.queues.local_ack_timeout_err, 0);
}

/* Packets are cut at the path's MTU, and their headers are those of the specification. */
static void first_header(void *ctx, struct port *w, struct frame *f)
{
	struct frame **keep = ctx;

	if (!*keep)
		*keep = frame_copy(f);
	port_queue(w, f);
}

TEST(pair, test_headers)
{
	struct frame *f = NULL;
	uint8_t want[28] = { 0x06, 0x40, 0xff, 0xff, 0, 0, 0, 0, 0, 0xff, 0xff, 0xf0 };
	uint64_t va = (uintptr_t)p->dst;
	const uint8_t *bth;
	uint32_t len;

	port_set_hook(p->rig.dev.port, first_header, &f);
	rig_do(p, PRM_WQE_OPCODE_RDMA_WRITE, 0, 3001);
	bth_put32(want + 4, p->b.qp->q.o.id);
	bth_put32(want + 12, (uint32_t)(va >> 32));
	bth_put32(want + 16, (uint32_t)va);
	bth_put32(want + 20, rig_key(p->md));
	bth_put32(want + 24, 3001);
	bth = rig_bth(f, &len);
	assert_int_equal(len, sizeof(want) + 1024);
	assert_memory_equal(bth, want, sizeof(want));
	assert_memory_equal(bth + sizeof(want), p->src, 1024);
	frame_free(f);
}

/* When a READ arrives after the responder's program died, there is no NAK. */
TEST(pair, test_dead_responder)
{
	struct counter c = {0};
	struct frame *f = NULL;
	struct port *port = p->rig.dev.port;

	port_set_hook(port, rig_hold_frame, &f);
	rig_do(p, PRM_WQE_OPCODE_RDMA_READ, 0, 8);
	assert_non_null(f);
	p->rig.mm->gone = true;
	port_set_hook(port, count_frames, &c);
	port_queue(port, f);
	rig_settle(&p->rig);
	assert_int_equal(c.answers, 0);
	p->rig.mm->gone = false;
}

/* --- UC ----------------------------------------------------------------------------------- */

static void uc_send(struct rig_pair *p, uint32_t off, uint32_t len)
{
	rig_do(p, PRM_WQE_OPCODE_SEND, off, len);
	rig_sent(&p->ca, 0);
}

static void uc_received(struct rig_pair *p, unsigned int index, uint32_t len)
{
	const uint8_t *cqe = rig_cqe(&p->cb);

	assert_int_equal(prm_cqe64_get_opcode(cqe), PRM_CQE_OPCODE_RESP_SEND);
	assert_int_equal(prm_cqe64_get_wqe_counter(cqe), index);
	assert_int_equal(prm_cqe64_get_byte_cnt(cqe), len);
}

/* Each packet of the second of three messages is lost once: the first and the third arrive, the
 * third in the second's entry; there is no answer. */
TEST(pair_uc, test_uc_gaps)
{
	for (unsigned int lose = 4; lose <= 6; lose++) {
		struct lossy l = {.lose = lose};
		uint16_t at = p->b.rq_pi;

		port_set_hook(p->rig.dev.port, lossy_wire, &l);
		memset(p->dst, 0, 9000);
		rig_recv(&p->b, p->dst, 3000, rig_key(p->md));
		rig_recv(&p->b, p->dst + 3000, 3000, rig_key(p->md));
		for (unsigned int i = 0; i < 3; i++)
			uc_send(p, i * 3000, 3000);
		uc_received(p, at, 3000);
		uc_received(p, (uint16_t)(at + 1), 3000);
		assert_null(rig_poll(&p->cb));
		assert_memory_equal(p->dst, p->src, 3000);
		assert_memory_equal(p->dst + 3000, p->src + 6000, 3000);
		assert_int_equal(l.seen, 9);
		assert_int_equal(p->b.queue->o.vhca->stats->queues.out_of_sequence, lose - 3);
	}
	port_set_hook(p->rig.dev.port, NULL, NULL);
	assert_true(timers_next(&p->rig.dev.timers) == UINT64_MAX);
}

TEST(pair_uc, test_uc_write_of_many_packets_with_immediate)
{
	rig_recv(&p->b, p->dst, 0, rig_key(p->md));
	rig_rdma(&p->a, PRM_WQE_OPCODE_RDMA_WRITE_IMM, SIGNALED, p->dst, p->md, p->src, 3000,
		 p->ms);
	rig_run(&p->a);
	rig_sent(&p->ca, 0);
	assert_int_equal(prm_cqe64_get_opcode(rig_poll(&p->cb)), PRM_CQE_OPCODE_RESP_WR_IMM);
	assert_memory_equal(p->dst, p->src, 3000);
}

/* A message without a receive, without the right, with a wrong key or over the receive's length is
 * dropped silently. The next one arrives. */
TEST(pair_uc, test_uc_dropped)
{
	struct rig_wqe w;

	uc_send(p, 0, 100);
	assert_int_equal(p->b.queue->o.vhca->stats->queues.out_of_buffer, 1);
	for (unsigned int i = 0; i < 2; i++) {
		p->b.qp->rwe = i;
		w = rig_begin(&p->a, PRM_WQE_OPCODE_RDMA_WRITE, SIGNALED, 0);
		rig_raddr(&w, p->dst, rig_key(p->md) + i);
		rig_inline(&w, "lost", 4);
		rig_go(&w);
		rig_sent(&p->ca, 0);
	}
	assert_int_equal(p->dst[0], 0);
	rig_recv(&p->b, p->dst, 200, rig_key(p->md));
	uc_send(p, 0, 201);
	rig_do(p, PRM_WQE_OPCODE_RDMA_WRITE, 1000, 8); /* does not use the receive that is left */
	rig_sent(&p->ca, 0);
	assert_memory_equal(p->dst + 1000, p->src + 1000, 8);
	assert_null(rig_poll(&p->cb));
	uc_send(p, 500, 200);
	uc_received(p, 0, 200);
	assert_memory_equal(p->dst, p->src + 500, 200);
	assert_int_equal(p->a.queue->state, QP_RTS);
	assert_int_equal(p->b.queue->state, QP_RTS);
	assert_int_equal(p->rig.nevents, 0);
}

/* QUERY_QP returns the next PSNs: 3000 bytes are three packets; in ERR the numbers stay. */
TEST(pair_uc, test_uc_next_psns)
{
	const uint32_t sent = p->a.qp->next_send_psn, received = p->b.qp->next_rcv_psn;

	uc_send(p, 0, 3000);
	queue_psns(p->b.queue);
	assert_int_equal(p->b.qp->next_rcv_psn, received + 3);
	queue_set_state(p->a.queue, QP_ERR);
	queue_psns(p->a.queue);
	assert_int_equal(p->a.qp->next_send_psn, sent + 3);
}

/* UC can't wait for pages: uc_odp_caps is 0. */
TEST(pair_uc, test_uc_cannot_wait_for_pages)
{
	struct rig_wqe w = rig_begin(&p->a, PRM_WQE_OPCODE_SEND, SIGNALED, 0);

	p->ms->on_demand = true;
	mkey_place(p->ms);
	rig_data(&w, p->src, 10, rig_key(p->ms));
	rig_go(&w);
	rig_sent(&p->ca, PRM_SYNDROME_LOCAL_PROT_ERR);
}

/* UC refuses an invalidation, as it has no packet for it. */
TEST(pair_uc, test_uc_cannot_invalidate)
{
	struct rig_wqe w = rig_begin(&p->a, PRM_WQE_OPCODE_SEND_INVAL, SIGNALED, rig_key(p->md));

	rig_recv(&p->b, p->dst, 200, rig_key(p->md));
	rig_inline(&w, "lost", 4);
	rig_go(&w);
	rig_sent(&p->ca, PRM_SYNDROME_LOCAL_QP_OP_ERR);
	assert_int_equal(p->a.queue->state, QP_SQER);
}

/* A failed send leaves the receive queue alive (SQER), and a command brings RTS back; a failed
 * receive ends both. */
TEST(pair_uc, test_uc_errors)
{
	struct rig_wqe w = rig_begin(&p->b, PRM_WQE_OPCODE_SEND, SIGNALED, 0);

	rig_recv(&p->b, p->dst, 200, rig_key(p->md));
	rig_data(&w, p->dst, 10, 0x7777);
	rig_end(&w);
	rig_nop(&p->b);
	rig_run(&p->b);
	rig_sent(&p->cb, PRM_SYNDROME_LOCAL_PROT_ERR);
	rig_sent(&p->cb, PRM_SYNDROME_WR_FLUSH_ERR);
	assert_int_equal(p->b.queue->state, QP_SQER);
	uc_send(p, 0, 200);
	uc_received(p, 0, 200);
	queue_set_state(p->b.queue, QP_RTS);
	rig_nop(&p->b);
	rig_run(&p->b);
	rig_sent(&p->cb, 0);
	rig_recv(&p->b, p->dst, 200, 0x7777);
	uc_send(p, 0, 10);
	rig_recv_failed(&p->cb, PRM_SYNDROME_LOCAL_PROT_ERR);
	assert_int_equal(p->b.queue->state, QP_ERR);
	assert_int_equal(p->a.queue->state, QP_RTS);
}
