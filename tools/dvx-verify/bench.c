/* SPDX-License-Identifier: BSD-2-Clause */
#include "verify.h"
#include <string.h>
#include <time.h>

#define WAIT_NS	 2000000000ull
#define QUIET_NS 100000000ull

void bench_open_device(struct bench *b, const char *device)
{
	int err = dvx_dev_open(device, &b->dev);

	if (err)
		conclude(VERDICT_OPEN, "%s", dvx_strerror(err));
}

void bench_make(struct bench *b)
{
	struct dvx_mkey_attr attr = {
		.size = sizeof(attr), .access = BENCH_ACCESS, .len = BENCH_BYTES};

	NEED(dvx_pd_alloc(b->dev, &b->pd));
	NEED(dvx_uar_alloc(b->dev, DVX_UAR_ANY, &b->uar));
	NEED(dvx_mem_alloc(BENCH_BYTES, NULL, &b->mem));
	b->buf = dvx_mem_addr(b->mem);
	b->addr = (uintptr_t)b->buf;
	attr.pd = b->pd;
	attr.addr = b->buf;
	NEED(dvx_mkey_create(b->dev, &attr, &b->mkey));
	b->key = dvx_mkey_key(b->mkey);
}

struct bench_pair bench_pair_default(struct bench *b)
{
	struct bench_pair p = {.type = DVX_QP_RC, .access = BENCH_ACCESS & ~DVX_LOCAL_WRITE};

	NEED(dvx_qp_local_init(b->dev, 1, &p.local));
	return p;
}

struct dvx_cq *bench_cq(struct bench *b)
{
	struct dvx_cq_attr attr = {.size = sizeof(attr), .entries = 128, .uar = b->uar};
	struct dvx_cq *cq;

	NEED(dvx_cq_create(b->dev, &attr, &cq));
	return cq;
}

void bench_pair_create(struct bench *b, struct bench_pair *p)
{
	struct dvx_qp_attr qp = {.size = sizeof(qp),
				 .type = p->type,
				 .flags = p->flags,
				 .pd = b->pd,
				 .uar = b->uar,
				 .sq_blocks = 64,
				 .rq_entries = 16,
				 .rq_sge = 3};

	for (int i = 0; i < 2; i++) {
		if (!p->cq[i])
			p->cq[i] = bench_cq(b);
		qp.send_cq = p->cq[i];
		qp.recv_cq = p->receive_cq;
		qp.user_index = 0x70 + (uint32_t)i;
		if (i && p->srq) {
			qp.srq = p->srq;
			qp.rq_entries = qp.rq_sge = 0;
		}
		NEED(dvx_qp_create(b->dev, &qp, &p->qp[i]));
	}
	p->sq = dvx_qp_sq(p->qp[0]);
	p->rq = dvx_qp_rq(p->qp[1]);
}

void bench_pair_make(struct bench *b, struct bench_pair *p)
{
	struct dvx_qp_peer peer = {.size = sizeof(peer)};
	uint8_t blob[DVX_QP_BLOB_BYTES];

	bench_pair_create(b, p);
	p->local.access = p->access;
	for (int i = 0; i < 2; i++) {
		NEED(dvx_qp_blob_write(p->qp[!i], &p->local, blob));
		NEED(dvx_qp_blob_read(p->qp[i], blob, sizeof(blob), &peer));
		NEED(dvx_qp_connect(p->qp[i], &p->local, p->type == DVX_QP_UD ? NULL : &peer));
	}
}

struct bench_pair bench_pair_of(struct bench *b, uint8_t type)
{
	struct bench_pair p = bench_pair_default(b);

	p.type = type;
	p.access = type == DVX_QP_UD ? 0 : type == DVX_QP_UC ? DVX_REMOTE_WRITE : p.access;
	p.local.q_key = 0x1ee7a330;
	bench_pair_make(b, &p);
	return p;
}

void bench_receive(struct bench_pair *p, struct dvx_sge to)
{
	NEED(dvx_rq_post(p->rq, &to, 1, 1));
	dvx_rq_ring(p->rq);
}

void bench_pause(void)
{
	nanosleep(&(struct timespec){.tv_nsec = 50000}, NULL);
}

static const void *bench_wait_ns(const struct dvx_cq *cq, uint64_t ns)
{
	struct timespec start, now;
	const void *cqe;

	clock_gettime(CLOCK_MONOTONIC, &start);
	for (;;) {
		cqe = dvx_cq_peek(cq);
		clock_gettime(CLOCK_MONOTONIC, &now);
		if (cqe || (uint64_t)(now.tv_sec - start.tv_sec) * 1000000000 +
					   (uint64_t)now.tv_nsec - (uint64_t)start.tv_nsec >=
				   ns)
			return cqe;
		bench_pause();
	}
}

const void *bench_wait(const struct dvx_cq *cq)
{
	return bench_wait_ns(cq, WAIT_NS);
}

/* Consumes a CQE that must be good; else the answer is `otherwise`. */
static void bench_done(struct dvx_cq *cq, const char *what, enum verdict otherwise)
{
	const void *cqe = bench_wait(cq);
	struct dvx_cqe_failure why;

	if (!cqe)
		conclude(otherwise, "%s: no completion in two seconds", what);
	if (dvx_cqe_is_error(cqe)) {
		dvx_cqe_error(cqe, &why);
		conclude(otherwise, "%s: syndrome 0x%x (%s), vendor 0x%x", what, why.syndrome,
			 dvx_cqe_strerror(why.syndrome), why.vendor);
	}
	dvx_cq_pop(cq);
}

void bench_expect_done(struct dvx_cq *cq, const char *what)
{
	bench_done(cq, what, VERDICT_CONTRADICTED);
}

void bench_need_done(struct dvx_cq *cq, const char *what)
{
	bench_done(cq, what, VERDICT_OPEN);
}

void bench_expect_error(struct dvx_cq *cq, uint8_t syndrome, const char *what)
{
	const void *cqe = bench_wait(cq);
	struct dvx_cqe_failure why;

	EXPECT(cqe, "%s: no completion in two seconds, not syndrome 0x%x", what, syndrome);
	EXPECT(dvx_cqe_is_error(cqe), "%s: a good completion, not syndrome 0x%x", what, syndrome);
	dvx_cqe_error(cqe, &why);
	EXPECT(why.syndrome == syndrome, "%s: syndrome 0x%x (%s), vendor 0x%x, not 0x%x", what,
	       why.syndrome, dvx_cqe_strerror(why.syndrome), why.vendor, syndrome);
	dvx_cq_pop(cq);
}

void bench_expect_none(struct dvx_cq *cq, const char *what)
{
	EXPECT(!bench_wait_ns(cq, QUIET_NS), "%s: a completion came", what);
}

struct dvx_srq *bench_srq(struct bench *b, struct dvx_pd *pd)
{
	struct dvx_srq_attr attr = {.size = sizeof(attr), .pd = pd, .entries = 15};
	struct dvx_srq *srq;

	NEED(dvx_srq_create(b->dev, &attr, &srq));
	return srq;
}

void bench_srq_post(struct dvx_srq *srq, struct dvx_sge to, uint32_t n)
{
	while (n--)
		NEED(dvx_srq_post(srq, &to, 1, n));
	dvx_srq_ring(srq);
}

void bench_copy_fails(struct bench *b, struct dvx_sq *sq, struct dvx_cq *cq, const char *what)
{
	sq->mmo_lkey = b->key;
	sq->mmo_addr = b->addr;
	NEED(dvx_post_dma(sq, b->addr, b->key, b->addr + 4096, b->key, 64, 1, DVX_SIGNALED));
	dvx_sq_ring(sq);
	bench_expect_error(cq, PRM_SYNDROME_LOCAL_QP_OP_ERR, what);
}

void bench_post_empty(struct dvx_sq *sq, uint8_t opcode, uint8_t opmod, uint32_t ds, uint32_t word)
{
	struct dvx_sq_place p;

	NEED(dvx_post_claim(sq, ds, 0, &p));
	memset(p.wqe, 0, (size_t)ds * DVX_SEG);
	dvx_sq_ctrl(sq, &p, opcode, opmod, ds, DVX_SIGNALED, word);
	dvx_sq_commit(sq, &p, 1);
	dvx_sq_ring(sq);
}

void bench_txq_make(struct bench *b, struct dvx_cq **cq, struct dvx_txq **txq)
{
	struct dvx_cq_attr ca = {.size = sizeof(ca), .entries = 64, .uar = b->uar};
	struct dvx_txq_attr ta = {.size = sizeof(ta), .pd = b->pd, .uar = b->uar, .sq_blocks = 64};

	NEED(dvx_cq_create(b->dev, &ca, cq));
	ta.cq = *cq;
	NEED(dvx_txq_create(b->dev, &ta, txq));
}
