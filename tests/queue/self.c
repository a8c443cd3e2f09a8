/* SPDX-License-Identifier: BSD-2-Clause */
/* A queue that is its own peer: its shortcut gives the same bytes, completions, sequence numbers
 * and errors as packets, and is not taken while the wire is observed. */
#include "tests/test.h"
#include <dvx/prm/mkey.h>
#include "queue_rig.h"
#include "transport/rc/rc.h"

#define LOG_SQ 8u
#define OPS    400u
#define AREA   (128u << 10)

static int setup(void **state)
{
	struct rig_pair *p = rig_pair_open(&rig_rc);

	p->ms->rights = MKEY_LR | MKEY_LW | MKEY_RR | MKEY_RW;
	*state = p;
	return 0;
}
#define FIXTURE_both_ways(name) FIXTURE(name, struct rig_pair *p, setup, rig_teardown)

/* The visible results of a run. */
struct result {
	uint8_t mem[2 * AREA];
	uint8_t cqe_opcode[OPS];
	uint16_t cqe_index[OPS];
	unsigned int ncqes, frames, errors;
	uint32_t nxt, epsn, msn;
	uint8_t state, syndrome;
};

struct self {
	struct rig_pair *p;
	struct rig_cq cq;
	struct rig_qp q;
	struct result *r;
};

static void open_self(struct self *s, struct rig_pair *p, bool observed)
{
	memset(s, 0, sizeof(*s));
	s->p = p;
	s->r = calloc(1, sizeof(*s->r));
	assert_non_null(s->r);
	rig_cq_open(&p->rig, &s->cq, 0, 10, false);
	rig_qp_open(&p->rig, &s->q, 0, &s->cq, &s->cq, LOG_SQ, 4);
	s->q.qp->fl = true;
	rig_connect(&s->q, &s->q);
	if (observed)
		port_set_hook(p->rig.dev.port, rig_count_frame, &s->r->frames);
	for (unsigned int i = 0; i < AREA; i++) {
		p->src[i] = (uint8_t)(i * 7 + i / 251);
		p->src[AREA + i] = (uint8_t)i;
	}
}

static void drain(struct self *s)
{
	const uint8_t *cqe;

	rig_run(&s->q);
	while ((cqe = rig_poll(&s->cq))) {
		s->r->cqe_opcode[s->r->ncqes % OPS] = (uint8_t)prm_cqe64_get_opcode(cqe);
		s->r->cqe_index[s->r->ncqes++ % OPS] = (uint16_t)prm_cqe64_get_wqe_counter(cqe);
		if (prm_cqe64_get_opcode(cqe) == PRM_CQE_OPCODE_REQ_ERR && !s->r->errors++)
			s->r->syndrome = (uint8_t)prm_err_cqe_get_syndrome(cqe);
	}
}

static struct result *close_self(struct self *s)
{
	const struct rc *rc = s->q.qp->q.conn;

	memcpy(s->r->mem, s->p->src, sizeof(s->r->mem));
	s->r->state = s->q.qp->q.state;
	s->r->nxt = rc->req.nxt;
	s->r->epsn = rc->resp.epsn;
	s->r->msn = rc->resp.msn;
	port_set_hook(s->p->rig.dev.port, NULL, NULL);
	rig_qp_close(&s->q);
	rig_cq_close(&s->cq);
	return s->r;
}

static void post(struct self *s, uint8_t opcode, uint32_t local, uint32_t remote, uint32_t len,
		 uint8_t flags)
{
	struct rig_wqe w = rig_begin(&s->q, opcode, flags, 5);

	rig_raddr(&w, s->p->src + remote, rig_key(s->p->ms));
	if (len <= 64 && rand() % 2 && opcode == PRM_WQE_OPCODE_RDMA_WRITE)
		rig_inline(&w, s->p->src + local, len);
	else
		rig_data(&w, s->p->src + local, len, rig_key(s->p->ms));
	rig_end(&w);
}

/* Works as libmlx5 does: a WRITE and a READ of the same place with each doorbell, now and then one
 * that asks for a completion; sometimes many before the device looks, sometimes large ones. */
static struct result *run(struct rig_pair *p, unsigned int seed, bool observed)
{
	struct self s;

	open_self(&s, p, observed);
	srand(seed);
	for (unsigned int i = 0; i < OPS / 2; i++) {
		uint32_t len =
			rand() % 8 ? 1 + (uint32_t)rand() % 130 : 1 + (uint32_t)rand() % 65536;
		uint32_t from = 8192 + (uint32_t)rand() % (AREA - 8192 - len),
			 to = (uint32_t)rand() % (AREA - len);

		post(&s, PRM_WQE_OPCODE_RDMA_WRITE, from, AREA + to, len, i % 4 ? 0 : SIGNALED);
		post(&s, PRM_WQE_OPCODE_RDMA_READ, (uint32_t)rand() % 64, AREA + to, len % 4096 + 1,
		     i % 4 == 3 ? SIGNALED : 0);
		if (rand() % 3 == 0 || i % 16 == 15)
			drain(&s);
	}
	drain(&s);
	return close_self(&s);
}

/* Sources of WRITEs are never targets of earlier READs here: without a fence either order is right,
 * and only the same order gives the same bytes. */
TEST(both_ways, same_as_the_long_way)
{
	for (unsigned int seed = 1; seed <= 5; seed++) {
		struct result *brief = run(p, seed, false), *lengthy = run(p, seed, true);

		assert_int_equal(brief->frames, 0);
		assert_true(lengthy->frames > OPS);
		brief->frames = lengthy->frames;
		assert_int_equal(brief->ncqes, OPS / 4);
		assert_int_equal(brief->state, QP_RTS);
		assert_int_equal(brief->nxt, lengthy->nxt);
		assert_int_equal(brief->epsn, lengthy->epsn);
		assert_int_equal(brief->msn, lengthy->msn);
		assert_memory_equal(brief->mem + AREA, lengthy->mem + AREA, AREA);
		assert_memory_equal(brief->cqe_index, lengthy->cqe_index, sizeof(brief->cqe_index));
		free(brief);
		free(lengthy);
	}
}

static struct result *failing(struct rig_pair *p, bool observed, unsigned int what)
{
	struct self s;

	open_self(&s, p, observed);
	if (what == 0)
		s.q.qp->rwe = false;
	if (what == 1)
		s.q.qp->rre = false;
	if (what == 2)
		p->ms->rights &= (uint8_t)~MKEY_RW;
	if (what == 3)
		p->ms->rights &= (uint8_t)~MKEY_LR;
	post(&s, what % 3 == 1 ? PRM_WQE_OPCODE_RDMA_READ : PRM_WQE_OPCODE_RDMA_WRITE, 0,
	     what == 4 ? RIG_BUF : AREA, 100, SIGNALED);
	post(&s, PRM_WQE_OPCODE_RDMA_WRITE, 0, AREA, 100, SIGNALED);
	post(&s, PRM_WQE_OPCODE_RDMA_READ, 0, AREA, 100, SIGNALED);
	drain(&s);
	p->ms->rights = MKEY_LR | MKEY_LW | MKEY_RR | MKEY_RW;
	return close_self(&s);
}

/* The first request fails, by each right and bound; the others are flushed. */
TEST(both_ways, fails_as_the_long_way)
{
	p->ms->rights = MKEY_LR | MKEY_LW | MKEY_RR | MKEY_RW;
	for (unsigned int what = 0; what < 5; what++) {
		struct result *brief, *lengthy;

		srand(what);
		brief = failing(p, false, what);
		srand(what);
		lengthy = failing(p, true, what);
		assert_int_equal(brief->state, QP_ERR);
		assert_int_equal(lengthy->state, QP_ERR);
		assert_int_equal(brief->ncqes, lengthy->ncqes);
		assert_int_equal(brief->syndrome, lengthy->syndrome);
		assert_memory_equal(brief->cqe_opcode, lengthy->cqe_opcode,
				    sizeof(brief->cqe_opcode));
		free(brief);
		free(lengthy);
	}
}

/* Data of small WRITEs is read together early, but not before a UMR that removes their key. */
TEST(both_ways, key_taken_away)
{
	struct mkey *key = rig_mkey(&p->rig, BLUEFIELD2_HOST, p->src, AREA, MKEY_LR | MKEY_UMR);
	struct result *r;
	struct rig_wqe w;
	struct self s;

	open_self(&s, p, false);
	w = rig_begin(&s.q, PRM_WQE_OPCODE_UMR, SIGNALED, rig_key(key));
	w.ds = 8;
	memset(w.bytes + 16, 0, 7 * 16);
	prm_wqe_umr_ctrl_seg_set_mkey_mask(w.bytes + 16, PRM_UMR_MKEY_MASK_FREE);
	prm_mkc_set_free(w.bytes + 64, 1);
	rig_end(&w);
	for (unsigned int i = 0; i < 2; i++)
		rig_rdma(&s.q, PRM_WQE_OPCODE_RDMA_WRITE, SIGNALED, p->src + AREA, p->ms, p->src,
			 32, key);
	drain(&s);
	r = close_self(&s);
	assert_int_equal(r->cqe_opcode[0], PRM_CQE_OPCODE_REQ);
	assert_int_equal(r->syndrome, PRM_SYNDROME_LOCAL_PROT_ERR);
	assert_int_equal(r->mem[AREA + 1], 1);
	free(r);
	rig_mkey_close(key);
}
