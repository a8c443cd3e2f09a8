/* SPDX-License-Identifier: BSD-2-Clause */
/* Proves that messages between queue pairs of one chip, which need no packets while nothing
 * observes the wire, do the same as with packets: bytes, completions, numbers, errors and
 * repetitions. */
#include "tests/test.h"
#include "queue_rig.h"
#include "tests/perf/perf_mem.h"
#include <dvx/prm/cqe.h>
#include <dvx/prm/mkey.h>
#include <dvx/prm/qp.h>
#include "chip/datapath.h"
#include "queue/priv.h"
#include "queue/queue.h"
#include "transport/rc/rc.h"

#define ROUNDS 300u
#define CQES   (2 * ROUNDS)
#define AREA   (512u << 10)
#define LONG   (64u << 10) /* a longer READ goes in parts */

/* How messages go: in packets; or without, to memory behind system calls, or to shared memory. */
enum way { PACKETS, CALLS, SHARED };

/* The results of a run that programs and peers can see. */
struct outcome {
	uint8_t src[AREA], dst[AREA];
	struct {
		uint8_t opcode, syndrome;
		uint16_t counter;
		uint32_t bytes, imm;
	} cqe[2][CQES];
	unsigned int ncqes[2], frames;
	uint32_t nxt, una, epsn, msn;
	uint8_t state[2];
};

struct run {
	struct rig_pair *p;
	struct outcome *o;
	bool reads; /* READs and atomics may be under way */
};

static void direct_look(struct run *r, unsigned int end, struct rig_cq *c)
{
	const uint8_t *cqe;

	while ((cqe = rig_poll(c))) {
		unsigned int n = r->o->ncqes[end]++;
		uint8_t opcode = (uint8_t)prm_cqe64_get_opcode(cqe);
		bool error = opcode == PRM_CQE_OPCODE_REQ_ERR || opcode == PRM_CQE_OPCODE_RESP_ERR;

		assert_true(n < CQES);
		r->o->cqe[end][n].opcode = opcode;
		r->o->cqe[end][n].counter = (uint16_t)prm_cqe64_get_wqe_counter(cqe);
		if (error)
			r->o->cqe[end][n].syndrome = (uint8_t)prm_err_cqe_get_syndrome(cqe);
		else if (end)
			r->o->cqe[end][n].bytes = (uint32_t)prm_cqe64_get_byte_cnt(cqe);
		if (opcode == PRM_CQE_OPCODE_RESP_SEND_IMM || opcode == PRM_CQE_OPCODE_RESP_WR_IMM)
			r->o->cqe[end][n].imm = (uint32_t)prm_cqe64_get_immediate(cqe);
	}
}

static void direct_drain(struct run *r)
{
	rig_run(&r->p->a);
	r->reads = false;
	direct_look(r, 0, &r->p->ca);
	direct_look(r, 1, &r->p->cb);
}

/* Shares the inner pages: the first and last may be other objects', too. */
static void share_inner_pages(struct rig_pair *p, const uint8_t *buf)
{
	perf_mem_share(p->rig.mm, buf + 4096, buf + RIG_BUF - 4096);
}

static void share_ring(struct rig_pair *p, const uint8_t *ring, size_t len)
{
	perf_mem_share(p->rig.mm, ring, ring + len);
}

static void share_all(struct rig_pair *p)
{
	share_inner_pages(p, p->src);
	share_inner_pages(p, p->dst);
	share_ring(p, p->a.ring, p->a.queue->ring.len);
	share_ring(p, p->b.ring, p->b.queue->ring.len);
	share_ring(p, p->ca.ring, p->ca.cq->ring.len);
	share_ring(p, p->cb.ring, p->cb.cq->ring.len);
}

static struct run run_open(const struct rig_kind *kind, enum way way)
{
	struct run r = {.p = rig_pair_open(kind), .o = calloc(1, sizeof(struct outcome))};

	assert_non_null(r.o);
	r.p->b.qp->rae = true;
	r.p->b.qp->atomic_mode = PRM_QPC_ATOMIC_MODE_UP_TO_8B;
	if (way == SHARED)
		share_all(r.p);
	if (way == PACKETS)
		port_set_hook(r.p->rig.dev.port, rig_count_frame, &r.o->frames);
	return r;
}

static struct outcome *run_close(struct run *r)
{
	const struct rc *a = r->p->a.qp->q.conn, *b = r->p->b.qp->q.conn;

	memcpy(r->o->src, r->p->src, AREA);
	memcpy(r->o->dst, r->p->dst, AREA);
	r->o->state[0] = r->p->a.qp->q.state;
	r->o->state[1] = r->p->b.qp->q.state;
	r->o->nxt = a->req.nxt;
	r->o->una = a->req.una;
	r->o->epsn = b->resp.epsn;
	r->o->msn = b->resp.msn;
	port_set_hook(r->p->rig.dev.port, NULL, NULL);
	rig_pair_close(r->p);
	return r->o;
}

static void same(struct outcome *direct, struct outcome *packets)
{
	assert_true(packets->frames > 0);
	packets->frames = direct->frames;
	for (unsigned int end = 0; end < 2; end++) {
		assert_int_equal(direct->ncqes[end], packets->ncqes[end]);
		assert_memory_equal(direct->cqe[end], packets->cqe[end], sizeof(direct->cqe[end]));
	}
	assert_memory_equal(direct, packets, sizeof(*direct));
	free(direct);
	free(packets);
}

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

/*
 * Data of READs and atomics has its own place, and changes of the peer's memory wait for earlier
 * READs: without a fence either order is right (IBTA vol. 1, 10.8.3.3), and packets of a long
 * READ's response are read one after the other.
 */
static uint8_t direct_flags(const struct run *r, uint8_t opcode)
{
	return r->reads && opcode != PRM_WQE_OPCODE_RDMA_READ ? SIGNALED | PRM_WQE_CTRL_FLAG_FENCE
							      : SIGNALED;
}

static void direct_post(struct run *r, uint8_t opcode, uint32_t len, uint32_t off, unsigned int cut)
{
	struct rig_pair *p = r->p;
	struct rig_wqe w = rig_begin(&p->a, opcode, direct_flags(r, opcode), off);
	bool brings = opcode == PRM_WQE_OPCODE_RDMA_READ || opcode == PRM_WQE_OPCODE_ATOMIC_FA;
	uint32_t local = brings ? AREA - 3 * LONG : off % LONG;
	uint32_t first = cut && len > cut ? cut : len;

	r->reads = r->reads || brings;
	if (opcode == PRM_WQE_OPCODE_ATOMIC_FA)
		off &= ~7u, len = first = 8;
	if (opcode != PRM_WQE_OPCODE_SEND && opcode != PRM_WQE_OPCODE_SEND_IMM)
		rig_raddr(&w, p->dst + off, rig_key(p->md));
	if (opcode == PRM_WQE_OPCODE_ATOMIC_FA)
		prm_wqe_atomic_seg_pack(w.bytes + 16 * w.ds++, .swap_add = off + 1);
	rig_data(&w, p->src + local, first, rig_key(p->ms));
	if (len > first)
		rig_data(&w, p->src + local + first, len - first, rig_key(p->ms));
	rig_end(&w);
}

static struct outcome *direct_any(const struct rig_kind *kind, unsigned int seed, enum way way)
{
	struct run r = run_open(kind, way);

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
	return run_close(&r);
}

TEST(none, test_any_messages)
{
	static const struct rig_kind *const kind[] = {&rig_rc, &rig_rc_dpu};

	for (unsigned int i = 0; i < 12; i++) {
		struct outcome *direct = direct_any(kind[i % 2], i, i % 4 < 2 ? CALLS : SHARED);

		assert_int_equal(direct->frames, 0);
		same(direct, direct_any(kind[i % 2], i, PACKETS));
	}
}

/* --- memory ------------------------------------------------------------------------------------ */

/* Idle queues and connections hold no buffer: there may be ten thousand of them. */
TEST(none, test_idle_queues)
{
	for (enum way way = PACKETS; way <= SHARED; way++) {
		struct run r = run_open(&rig_rc, way);
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
		free(run_close(&r));
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
};

/* Runs three requests; the second one meets the mishap. */
static struct outcome *direct_mishap(const struct mishap *m, enum way way)
{
	struct run r = run_open(&rig_rc, way);

	direct_post(&r, PRM_WQE_OPCODE_RDMA_WRITE, 64, 0, 0);
	direct_drain(&r);
	mishap_happens(m, r.p);
	direct_post(&r, m->opcode, m->len, 4096, 0);
	direct_post(&r, PRM_WQE_OPCODE_RDMA_WRITE, 64, 128, 0);
	rig_ring(&r.p->a);
	rig_pass(&r.p->rig, 100000000000);
	direct_drain(&r);
	return run_close(&r);
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
		same(direct, direct_mishap(m, PACKETS));
	}
}

/* --- views of keys ---------------------------------------------------------------------------- */

static void key_invalidated(struct rig_pair *p)
{
	p->md->en_rinval = true;
	assert_true(mkey_invalidate(p->md->o.vhca, rig_key(p->md), RIG_PD, 0));
}

static void key_moved(struct rig_pair *p)
{
	struct obj *pd = obj_new_at(p->md->o.vhca, OBJ_PD, 0, RIG_PD + 1, sizeof(*pd));

	assert_non_null(pd);
	mkey_move(p->md, pd);
	obj_put(pd);
	obj_free(pd);
	p->md->pd = NULL;
}

/* Another key gets the index of the one that is destroyed. */
static void key_replaced(struct rig_pair *p)
{
	const struct mkey old = *p->md;
	struct obj o;

	obj_free(&p->md->o);
	p->md = obj_new_at(old.o.vhca, OBJ_MKEY, 0, old.o.id, sizeof(old));
	assert_non_null(p->md);
	o = p->md->o;
	*p->md = old;
	p->md->o = o;
	p->md->rights = MKEY_RR;
}

static void key_freed_by_umr(struct rig_pair *p)
{
	struct rig_wqe w = rig_begin(&p->a, PRM_WQE_OPCODE_UMR, 0, rig_key(p->md));
	uint8_t *ctrl = w.bytes + 16, *mkc = ctrl + PRM_WQE_UMR_CTRL_SEG_BYTES;

	p->md->rights |= MKEY_UMR;
	prm_wqe_umr_ctrl_seg_set_mkey_mask(ctrl, PRM_UMR_MKEY_MASK_FREE);
	prm_mkc_set_free(mkc, 1);
	w.ds = 8;
	rig_go(&w);
}

/* A queue keeps what it found by a key; each change of the key ends that. */
TEST(none, test_a_key_changes_between_messages)
{
	static void (*const change[])(struct rig_pair *) = {key_invalidated, key_moved,
							    key_replaced, key_freed_by_umr};

	for (size_t i = 0; i < sizeof(change) / sizeof(*change); i++) {
		struct run r = run_open(&rig_rc, SHARED);
		struct mkey *m = r.p->md;

		m->start = ((uintptr_t)r.p->dst + 4096) & ~4095ul; /* only shared pages */
		m->len = AREA / 4;
		mkey_place(m);
		direct_post(&r, PRM_WQE_OPCODE_RDMA_WRITE, 64, 4096, 0);
		direct_drain(&r);
		assert_non_null(r.p->b.queue->view[MKEY_BY_PEER].at);
		assert_int_equal(r.p->a.queue->state, QP_RTS);
		change[i](r.p);
		direct_post(&r, PRM_WQE_OPCODE_RDMA_WRITE, 64, 4096, 0);
		direct_drain(&r);
		assert_int_equal(r.p->a.queue->state, QP_ERR);
		free(run_close(&r));
	}
}

static uint8_t *same_at(void *ctx, uint64_t addr, size_t len)
{
	(void)ctx;
	(void)len;
	return (uint8_t *)(uintptr_t)addr;
}

/* Messages to a DMA buffer, whose bytes the device finds by a call each time. */
static struct outcome *direct_to_dma_buffer(enum way way)
{
	struct run r = run_open(&rig_rc, way);
	struct mm *mm = mm_open_device(r.p->rig.host, same_at, NULL);

	if (way != PACKETS)
		r.p->md->entries[0] = mm_bus(mm, 0);
	mkey_place(r.p->md);
	for (unsigned int i = 0; i < 3; i++) {
		direct_post(&r, PRM_WQE_OPCODE_RDMA_WRITE, 64, 4096 + 64 * i, 0);
		direct_drain(&r);
	}
	assert_int_equal(r.p->a.queue->state, QP_RTS);
	mm_close(mm);
	return run_close(&r);
}

TEST(none, test_a_key_of_a_dma_buffer)
{
	same(direct_to_dma_buffer(SHARED), direct_to_dma_buffer(PACKETS));
}

/* max_rd_atomic is above the peer's max_dest_rd_atomic: the peer refuses those without room. */
static struct outcome *direct_too_deep(uint8_t opcode, enum way way)
{
	struct run r = run_open(&rig_rc, way);

	r.p->b.qp->log_rra_max = 0;
	for (unsigned int i = 0; i < 4; i++, r.reads = false) /* no fence */
		direct_post(&r, opcode, 64, 4096, 0);
	direct_drain(&r);
	assert_int_equal(r.p->a.qp->q.state, QP_ERR);
	assert_int_equal(r.o->cqe[0][r.o->ncqes[0] - 3].syndrome,
			 PRM_SYNDROME_REMOTE_INVAL_REQ_ERR);
	return run_close(&r);
}

TEST(none, test_more_reads_than_the_peer_takes)
{
	static const uint8_t opcode[] = {PRM_WQE_OPCODE_RDMA_READ, PRM_WQE_OPCODE_ATOMIC_FA};

	for (unsigned int i = 0; i < 4; i++)
		same(direct_too_deep(opcode[i % 2], i < 2 ? CALLS : SHARED),
		     direct_too_deep(opcode[i % 2], PACKETS));
}

/* Posts a receive late: the message waits for it, and so do later ones. */
static struct outcome *direct_not_ready(uint8_t opcode, uint32_t len, enum way way)
{
	struct run r = run_open(&rig_rc, way);

	direct_post(&r, opcode, len, 4096, 0);
	direct_post(&r, PRM_WQE_OPCODE_RDMA_READ, 64, 128, 0);
	direct_drain(&r);
	assert_int_equal(r.o->ncqes[0], 0);
	rig_recv(&r.p->b, r.p->dst + AREA / 2, 65536, rig_key(r.p->md));
	rig_pass(&r.p->rig, 10000000000);
	direct_post(&r, PRM_WQE_OPCODE_RDMA_WRITE, 64, 256, 0);
	direct_drain(&r);
	assert_int_equal(r.o->ncqes[0], 3);
	return run_close(&r);
}

TEST(none, test_receiver_not_ready)
{
	static const uint8_t opcode[] = {PRM_WQE_OPCODE_SEND, PRM_WQE_OPCODE_SEND_IMM,
					 PRM_WQE_OPCODE_RDMA_WRITE_IMM};

	for (unsigned int i = 0; i < 3; i++)
		for (uint32_t len = 100; len < 60000; len += 20000)
			same(direct_not_ready(opcode[i], len, len > 20000 ? CALLS : SHARED),
			     direct_not_ready(opcode[i], len, PACKETS));
}

/* Observation begins or ends in the middle of long messages. */
TEST(none, test_observed_on_the_way)
{
	struct run r = run_open(&rig_rc, CALLS);
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
	free(run_close(&r));
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
	struct run r = run_open(&rig_ud, way);
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
	struct run r = run_open(&rig_ud, SHARED);
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
	struct run r = run_open(&rig_rc, SHARED);
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
	free(run_close(&r));
}

/* A long READ stays without packets to its end, even if observation begins then. */
TEST(none, test_a_long_read_has_no_packets)
{
	struct run r = run_open(&rig_rc, SHARED);

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
	free(run_close(&r));
}
