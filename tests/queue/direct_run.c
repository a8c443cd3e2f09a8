/* SPDX-License-Identifier: BSD-2-Clause */
#include "direct_run.h"
#include <dvx/prm/qp.h>
#include "tests/perf/perf_mem.h"
#include "transport/rc/rc.h"

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

void direct_drain(struct run *r)
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

struct run direct_open(const struct rig_kind *kind, enum way way)
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

struct outcome *direct_close(struct run *r)
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

void direct_same(struct outcome *direct, struct outcome *packets)
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

void direct_post(struct run *r, uint8_t opcode, uint32_t len, uint32_t off, unsigned int cut)
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
