/* SPDX-License-Identifier: BSD-2-Clause */
/* Proves that messages between queue pairs of one chip, which need no packets while nothing
 * observes the wire, do the same as with packets: bytes, completions, numbers, errors and
 * repetitions. */
#include "direct_run.h"
#include <dvx/prm/qp.h>
#include "chip/datapath.h"
#include "queue/priv.h"
#include "queue/queue.h"
#include "transport/rc/rc.h"

/* --- anything, at random -----------------------------------------------------------------------
 */

static const uint8_t opcodes[] = {
	PRM_WQE_OPCODE_SEND,	   PRM_WQE_OPCODE_SEND_IMM,  PRM_WQE_OPCODE_RDMA_WRITE,
	PRM_WQE_OPCODE_RDMA_WRITE, PRM_WQE_OPCODE_RDMA_READ, PRM_WQE_OPCODE_RDMA_WRITE_IMM,
	PRM_WQE_OPCODE_ATOMIC_FA,
};

static bool takes_receive(uint8_t opcode)
{
	return opcode == PRM_WQE_OPCODE_SEND || opcode == PRM_WQE_OPCODE_SEND_IMM ||
	       opcode == PRM_WQE_OPCODE_RDMA_WRITE_IMM;
}

static struct outcome *direct_any(const struct rig_kind *kind, unsigned int seed, enum way way)
{
	struct run r = direct_open(kind, way);

	srand(seed);
	for (unsigned int i = 0; i < ROUNDS; i++) {
		uint8_t opcode = opcodes[(unsigned int)rand() % sizeof(opcodes)];
		uint32_t len =
			rand() % 16 ? 1 + (uint32_t)rand() % 3000 : 1 + (uint32_t)rand() % 60000;
		uint32_t off = (uint32_t)rand() % (AREA / 4);
		unsigned int cut = rand() % 3 ? 0 : 1 + (unsigned int)rand() % 100;

		if (opcode == PRM_WQE_OPCODE_RDMA_READ && !(i % 4)) {
			direct_drain(&r);
			len += LONG;
		}
		if (takes_receive(opcode))
			rig_recv(&r.p->b, r.p->dst + AREA / 2, 65536, rig_key(r.p->md));
		direct_post(&r, opcode, len, off, cut);
		if (rand() % 3 == 0 || i % 4 == 3 || len > LONG)
			direct_drain(&r);
	}
	direct_drain(&r);
	assert_int_equal(r.o->ncqes[0], ROUNDS);
	return direct_close(&r);
}

TEST(none, test_any_messages)
{
	static const struct rig_kind *const kind[] = {&rig_rc, &rig_rc_dpu};

	for (unsigned int i = 0; i < 12; i++) {
		struct outcome *direct = direct_any(kind[i % 2], i, i % 4 < 2 ? CALLS : SHARED);

		assert_int_equal(direct->frames, 0);
		direct_same(direct, direct_any(kind[i % 2], i, PACKETS));
	}
}

/* --- memory ------------------------------------------------------------------------------------ */

/* Idle queues and connections hold no buffer: there may be ten thousand of them. */
TEST(none, test_idle_queues)
{
	for (enum way way = PACKETS; way <= SHARED; way++) {
		struct run r = direct_open(&rig_rc, way);
		const struct rc *peer = r.p->b.qp->q.conn;

		for (unsigned int i = 0; i < sizeof(opcodes); i++) {
			if (takes_receive(opcodes[i]))
				rig_recv(&r.p->b, r.p->dst + AREA / 2, 4096, rig_key(r.p->md));
			direct_post(&r, opcodes[i], 100, 64, 0);
		}
		direct_drain(&r);
		assert_int_equal(r.o->ncqes[0], sizeof(opcodes));
		assert_null(r.p->a.qp->sq.priv->cache);
		assert_null(r.p->b.qp->rq.priv->cache);
		assert_null(peer->resp.job);
		free(direct_close(&r));
	}
}

/* --- what goes wrong ---------------------------------------------------------------------------
 */

/* Faults that meet the second of three requests. */
struct mishap {
	uint8_t opcode;
	uint32_t len;
	uint32_t receive;		   /* bytes of the receive; 0: none is posted */
	bool no_write, no_read, no_atomic; /* rights that the peer lacks */
	bool forbidden, short_key;	   /* of the remote key */
	bool forbidden_here;		   /* of the local key */
	bool one_try, peer_in_error;
	uint32_t peer_mtu; /* path MTU of the peer, if it differs */
};

static void mishap_happens(const struct mishap *m, struct rig_pair *p)
{
	struct rc *rc = p->a.qp->q.conn;

	p->b.qp->rwe = !m->no_write;
	p->b.qp->rre = !m->no_read;
	p->b.qp->rae = !m->no_atomic;
	if (m->forbidden)
		p->md->rights = MKEY_LR | MKEY_LW;
	if (m->short_key)
		p->md->len = 100000;
	if (m->forbidden_here)
		p->ms->rights = 0;
	if (m->peer_mtu)
		rc_of(p->b.queue)->mtu = m->peer_mtu;
	/* as commands and UMRs do after such changes */
	mkey_changed(p->md);
	queue_set_state(&p->b.qp->q, QP_RTS);
	if (m->one_try)
		p->a.qp->rnr_retry = rc->req.rnr_left = 0;
	if (m->peer_in_error)
		queue_set_state(&p->b.qp->q, QP_ERR);
	if (m->receive)
		rig_recv(&p->b, p->dst + AREA / 2, m->receive, rig_key(p->md));
}

static const struct mishap mishaps[] = {
	{PRM_WQE_OPCODE_RDMA_WRITE, 100, .no_write = true},
	{PRM_WQE_OPCODE_RDMA_WRITE_IMM, 100, 100, .no_write = true},
	{PRM_WQE_OPCODE_RDMA_READ, 100, .no_read = true},
	{PRM_WQE_OPCODE_ATOMIC_FA, 8, .no_atomic = true},
	{PRM_WQE_OPCODE_RDMA_WRITE, 5000, .forbidden = true},
	{PRM_WQE_OPCODE_RDMA_READ, 5000, .forbidden = true},
	{PRM_WQE_OPCODE_RDMA_READ, 150000, .forbidden = true},
	{PRM_WQE_OPCODE_RDMA_READ, 150000, .no_read = true},
	{PRM_WQE_OPCODE_RDMA_READ, 150000, .short_key = true},
	{PRM_WQE_OPCODE_ATOMIC_FA, 8, .forbidden = true},
	{PRM_WQE_OPCODE_RDMA_WRITE, 5000, .forbidden_here = true},
	{PRM_WQE_OPCODE_RDMA_READ, 5000, .forbidden_here = true},
	{PRM_WQE_OPCODE_SEND, 5000, 5000, .forbidden_here = true},
	{PRM_WQE_OPCODE_ATOMIC_FA, 8, .forbidden_here = true},
	{PRM_WQE_OPCODE_SEND, 100, .one_try = true},
	{PRM_WQE_OPCODE_RDMA_WRITE_IMM, 5000, .one_try = true},
	{PRM_WQE_OPCODE_SEND, 5000, .receive = 1000},
	{PRM_WQE_OPCODE_SEND_IMM, 100, .receive = 8},
	{PRM_WQE_OPCODE_SEND, 100, .peer_in_error = true},
	{PRM_WQE_OPCODE_RDMA_READ, 100, .peer_in_error = true},
	{PRM_WQE_OPCODE_SEND, 5000, 5000, .peer_mtu = 256},
	{PRM_WQE_OPCODE_SEND, 5000, 5000, .peer_mtu = 4096},
	{PRM_WQE_OPCODE_RDMA_WRITE, 5000, .peer_mtu = 256},
	{PRM_WQE_OPCODE_RDMA_WRITE_IMM, 5000, 5000, .peer_mtu = 4096},
	{PRM_WQE_OPCODE_RDMA_READ, 5000, .peer_mtu = 256},
	{PRM_WQE_OPCODE_RDMA_READ, 5000, .peer_mtu = 4096},
};

/* Runs three requests; the second one meets the mishap. */
static struct outcome *direct_mishap(const struct mishap *m, enum way way)
{
	struct run r = direct_open(&rig_rc, way);

	direct_post(&r, PRM_WQE_OPCODE_RDMA_WRITE, 64, 0, 0);
	direct_drain(&r);
	mishap_happens(m, r.p);
	direct_post(&r, m->opcode, m->len, 4096, 0);
	direct_post(&r, PRM_WQE_OPCODE_RDMA_WRITE, 64, 128, 0);
	rig_ring(&r.p->a);
	rig_pass(&r.p->rig, 100000000000);
	direct_drain(&r);
	return direct_close(&r);
}

TEST(none, test_mishaps)
{
	const size_t n = sizeof(mishaps) / sizeof(*mishaps);

	for (size_t i = 0; i < 2 * n; i++) {
		const struct mishap *m = &mishaps[i % n];
		struct outcome *direct = direct_mishap(m, i < n ? CALLS : SHARED);

		if (direct->state[0] != QP_ERR)
			fail_msg("mishap %zu leaves the queue pair in state %u", i % n,
				 direct->state[0]);
		direct_same(direct, direct_mishap(m, PACKETS));
	}
}

/* max_rd_atomic is above the peer's max_dest_rd_atomic: the peer refuses those without room. */
static struct outcome *direct_too_deep(uint8_t opcode, enum way way)
{
	struct run r = direct_open(&rig_rc, way);

	r.p->b.qp->log_rra_max = 0;
	for (unsigned int i = 0; i < 4; i++, r.reads = false) /* no fence */
		direct_post(&r, opcode, 64, 4096, 0);
	direct_drain(&r);
	assert_int_equal(r.p->a.qp->q.state, QP_ERR);
	assert_int_equal(r.o->cqe[0][r.o->ncqes[0] - 3].syndrome,
			 PRM_SYNDROME_REMOTE_INVAL_REQ_ERR);
	return direct_close(&r);
}

TEST(none, test_more_reads_than_the_peer_takes)
{
	static const uint8_t opcode[] = {PRM_WQE_OPCODE_RDMA_READ, PRM_WQE_OPCODE_ATOMIC_FA};

	for (unsigned int i = 0; i < 4; i++)
		direct_same(direct_too_deep(opcode[i % 2], i < 2 ? CALLS : SHARED),
			    direct_too_deep(opcode[i % 2], PACKETS));
}

/* Posts a receive late: the message waits for it, and so do later ones. */
static struct outcome *direct_not_ready(uint8_t opcode, uint32_t len, enum way way)
{
	struct run r = direct_open(&rig_rc, way);

	direct_post(&r, opcode, len, 4096, 0);
	direct_post(&r, PRM_WQE_OPCODE_RDMA_READ, 64, 128, 0);
	direct_drain(&r);
	assert_int_equal(r.o->ncqes[0], 0);
	rig_recv(&r.p->b, r.p->dst + AREA / 2, 65536, rig_key(r.p->md));
	rig_pass(&r.p->rig, 10000000000);
	direct_post(&r, PRM_WQE_OPCODE_RDMA_WRITE, 64, 256, 0);
	direct_drain(&r);
	assert_int_equal(r.o->ncqes[0], 3);
	return direct_close(&r);
}

TEST(none, test_receiver_not_ready)
{
	static const uint8_t opcode[] = {PRM_WQE_OPCODE_SEND, PRM_WQE_OPCODE_SEND_IMM,
					 PRM_WQE_OPCODE_RDMA_WRITE_IMM};

	for (unsigned int i = 0; i < 3; i++)
		for (uint32_t len = 100; len < 60000; len += 20000)
			direct_same(direct_not_ready(opcode[i], len, len > 20000 ? CALLS : SHARED),
				    direct_not_ready(opcode[i], len, PACKETS));
}

/* Observation begins or ends in the middle of long messages. */
TEST(none, test_observed_on_the_way)
{
	struct run r = direct_open(&rig_rc, CALLS);
	const uint32_t len = 800000;

	for (unsigned int turns = 0; turns < 12; turns++) {
		memset(r.p->dst, 0, len);
		r.o->frames = 0;
		rig_post(r.p, PRM_WQE_OPCODE_RDMA_WRITE, turns, len);
		rig_ring(&r.p->a);
		for (unsigned int i = 0; i < turns; i++)
			datapath_run(&r.p->rig.dev);
		port_set_hook(r.p->rig.dev.port, turns % 2 ? rig_count_frame : NULL, &r.o->frames);
		rig_settle(&r.p->rig);
		port_set_hook(r.p->rig.dev.port, NULL, NULL);
		assert_non_null(rig_poll(&r.p->ca));
		assert_memory_equal(r.p->src + turns, r.p->dst + turns, len);
	}
	free(direct_close(&r));
}

static unsigned int frames_sent;

void __real_port_send(struct port *, struct frame *);
void __wrap_port_send(struct port *p, struct frame *f);
void __wrap_port_send(struct port *p, struct frame *f)
{
	frames_sent++;
	__real_port_send(p, f);
}

/* --- datagrams --------------------------------------------------------------------------------- */

struct datagrams {
	uint8_t dst[8][4096];
	uint8_t cqe[8][64];
	struct port_stats here, there;
};

/* Sends datagrams with and without immediate data, inline and from memory, RoCE v1 and v2, each
 * with another hop limit; each two in a row have one size on the wire; the last one is too long. */
static struct datagrams *direct_datagrams(uint8_t gid, enum way way)
{
	static const uint32_t lengths[] = {1, 1024, 8, 3, 12, 8, 4, 3000};
	struct run r = direct_open(&rig_ud, way);
	struct datagrams *d = calloc(1, sizeof(*d));

	assert_non_null(d);
	r.p->a.qp->gid_index = gid;
	for (unsigned int i = 0; i < 8; i++) {
		uint8_t opcode = i % 2 ? PRM_WQE_OPCODE_SEND_IMM : PRM_WQE_OPCODE_SEND;
		struct rig_wqe w = rig_begin(&r.p->a, opcode, SIGNALED, i);
		const uint8_t *cqe;

		rig_recv(&r.p->b, r.p->dst + 8192, sizeof(d->dst[i]), rig_key(r.p->md));
		rig_av(&w, &r.p->b);
		prm_av_set_hop_limit(w.bytes + PRM_WQE_CTRL_SEG_BYTES, i + 7);
		if (i % 3)
			rig_data(&w, r.p->src + 4096 + i, lengths[i], rig_key(r.p->ms));
		else
			rig_inline(&w, "inlined", lengths[i]);
		rig_go(&w);
		memcpy(d->dst[i], r.p->dst + 8192, sizeof(d->dst[i]));
		cqe = rig_poll(&r.p->cb);
		if (cqe)
			memcpy(d->cqe[i], cqe, sizeof(d->cqe[i]));
		rig_poll(&r.p->ca);
	}
	d->here = *r.p->a.queue->o.vhca->stats;
	d->there = *r.p->b.queue->o.vhca->stats;
	port_set_hook(r.p->rig.dev.port, NULL, NULL);
	rig_pair_close(r.p);
	free(r.o);
	return d;
}

/* Bytes including GRH, completions and counters are those of packets. */
TEST(none, test_datagrams)
{
	static const uint8_t gids[] = {0, 1, 3};

	for (unsigned int i = 0; i < 3; i++) {
		struct datagrams *direct, *packets;

		frames_sent = 0;
		direct = direct_datagrams(gids[i], SHARED);
		assert_int_equal(frames_sent, 0);
		packets = direct_datagrams(gids[i], PACKETS);
		assert_memory_equal(direct, packets, sizeof(*direct));
		free(direct);
		free(packets);
	}
}

/* A datagram to a connected queue pair goes as a packet, which is dropped. */
TEST(none, test_datagram_to_a_connected_queue)
{
	struct run r = direct_open(&rig_ud, SHARED);
	struct rig_wqe w = rig_begin(&r.p->a, PRM_WQE_OPCODE_SEND, SIGNALED, 0);
	struct transport connected = transport_ud;

	connected.bth_type = transport_rc.bth_type;
	r.p->b.queue->transport = &connected;
	rig_recv(&r.p->b, r.p->dst + 8192, 4096, rig_key(r.p->md));
	rig_av(&w, &r.p->b);
	rig_data(&w, r.p->src + 4096, 64, rig_key(r.p->ms));
	frames_sent = 0;
	rig_go(&w);
	assert_non_null(rig_poll(&r.p->ca));
	assert_null(rig_poll(&r.p->cb));
	assert_int_equal(frames_sent, 1);
	r.p->b.queue->transport = &transport_ud;
	port_set_hook(r.p->rig.dev.port, NULL, NULL);
	rig_pair_close(r.p);
	free(r.o);
}

/* --- no packets -------------------------------------------------------------------------------- */

#define MANY 129u /* more queues than one UAR has, so that a doorbell's message is prefetched */

/* Among many queues a doorbell may name one without a send queue, or with an unmapped ring. */
TEST(none, test_doorbells_among_many_queues)
{
	struct run r = direct_open(&rig_rc, SHARED);
	struct rig_qp *q = calloc(MANY, sizeof(*q)), *a = &r.p->a;
	const uintptr_t ring = (uintptr_t)a->ring;

	assert_non_null(q);
	for (unsigned int i = 0; i < MANY; i++)
		rig_qp_open(&r.p->rig, &q[i], BLUEFIELD2_HOST, &r.p->ca, &r.p->ca, 2, 2);
	direct_post(&r, PRM_WQE_OPCODE_RDMA_WRITE, 64, 128, 0);
	direct_drain(&r);
	a->queue->sq = NULL;
	rig_ring(a);
	a->queue->sq = &a->qp->sq;
	mm_unshare(r.p->rig.mm, ring & ~(uintptr_t)4095);
	direct_post(&r, PRM_WQE_OPCODE_RDMA_WRITE, 64, 128, 0);
	direct_drain(&r);
	assert_int_equal(r.o->ncqes[0], 2);
	for (unsigned int i = 0; i < MANY; i++)
		rig_qp_close(&q[i]);
	free(q);
	free(direct_close(&r));
}

/* A long READ stays without packets to its end, even if observation begins then. */
TEST(none, test_a_long_read_has_no_packets)
{
	struct run r = direct_open(&rig_rc, SHARED);

	for (uint32_t i = 0; i < 150000; i++)
		r.p->dst[4096 + i] = (uint8_t)(i * 7);
	frames_sent = 0;
	direct_post(&r, PRM_WQE_OPCODE_RDMA_READ, 150000, 4096, 0);
	direct_drain(&r);
	assert_int_equal(r.o->ncqes[0], 1);
	assert_int_equal(frames_sent, 0);
	assert_int_equal(r.p->a.queue->o.vhca->stats->rcv_packets, 1 + (150000 + 1023) / 1024);
	assert_memory_equal(r.p->src + AREA - 3 * LONG, r.p->dst + 4096, 150000);
	direct_post(&r, PRM_WQE_OPCODE_RDMA_READ, 190000, 4096, 0);
	rig_ring(&r.p->a);
	queues_fetch(&r.p->rig.dev);
	sched_run(r.p->rig.dev.sched, r.p->rig.now); /* parts of 128 KiB */
	port_set_hook(r.p->rig.dev.port, rig_count_frame, &r.o->frames);
	direct_drain(&r);
	assert_int_equal(r.o->ncqes[0], 2);
	assert_int_equal(r.o->frames, 1 + (190000 - 2 * LONG + 1023) / 1024);
	assert_memory_equal(r.p->src + AREA - 3 * LONG, r.p->dst + 4096, 190000);
	free(direct_close(&r));
}
