/* SPDX-License-Identifier: BSD-2-Clause */
/* A device opened by libdvx, a registered buffer, and pairs of connected queues. */
#ifndef TESTS_LIB_RIG_H
#define TESTS_LIB_RIG_H

#include "tests/test.h"
#include <stdio.h>
#include <dvx/dvx.h>
#include "tests/patience.h"

#define RIG_BYTES (1u << 20)
#define RIG_ALL	  (DVX_LOCAL_WRITE | DVX_REMOTE_WRITE | DVX_REMOTE_READ | DVX_REMOTE_ATOMIC)

#define OK(call)                                                                     \
	do {                                                                         \
		int ok_err = (call);                                                 \
		if (ok_err)                                                          \
			fail_msg("%s: %d: %s", #call, ok_err, dvx_strerror(ok_err)); \
	} while (0)

struct rig {
	struct dvx_dev *dev;
	struct dvx_pd *pd;
	struct dvx_uar *uar;
	struct dvx_mem *mem;
	struct dvx_mkey *mkey;
	uint8_t *buf;
	uint32_t key;
};

struct pair {
	struct dvx_cq *cq[2];
	struct dvx_qp *qp[2];
	struct dvx_sq *sq; /* of qp[0] */
	struct dvx_rq *rq; /* of qp[1] */
};

static inline int rig_open(void **state)
{
	struct rig *r = calloc(1, sizeof(*r));
	struct dvx_mkey_attr attr = {.size = sizeof(attr), .access = RIG_ALL, .len = RIG_BYTES};

	OK(dvx_dev_open(NULL, &r->dev));
	OK(dvx_pd_alloc(r->dev, &r->pd));
	OK(dvx_uar_alloc(r->dev, DVX_UAR_ANY, &r->uar));
	OK(dvx_mem_alloc(RIG_BYTES, NULL, &r->mem));
	r->buf = dvx_mem_addr(r->mem);
	attr.pd = r->pd;
	attr.addr = r->buf;
	OK(dvx_mkey_create(r->dev, &attr, &r->mkey));
	r->key = dvx_mkey_key(r->mkey);
	*state = r;
	return 0;
}

/* Checks that everything a test made is gone: a refused close fails the group. */
static inline int rig_close(void **state)
{
	struct rig *r = *state;

	OK(dvx_mkey_destroy(r->mkey));
	dvx_mem_free(r->mem);
	OK(dvx_uar_free(r->uar));
	OK(dvx_pd_free(r->pd));
	OK(dvx_dev_close(r->dev));
	free(r);
	return 0;
}

static inline struct dvx_qp_attr rig_qp_attr(const struct rig *r)
{
	struct dvx_qp_attr a = {.size = sizeof(a),
				.flags = DVX_QP_MMO,
				.pd = r->pd,
				.uar = r->uar,
				.sq_blocks = 64,
				.rq_entries = 16,
				.rq_sge = 3};

	return a;
}

/* Returns the local side of a connection; the remote side is made by hand, without a blob. */
static inline struct dvx_qp_local rig_local(struct rig *r, uint32_t access)
{
	struct dvx_qp_local local;

	OK(dvx_qp_local_init(r->dev, 1, &local));
	local.access = access;
	return local;
}

static inline struct dvx_qp_peer rig_peer(struct rig *r, uint32_t qpn)
{
	struct dvx_qp_local own = rig_local(r, 0);
	struct dvx_qp_peer peer = {.size = sizeof(peer), .qpn = qpn};

	OK(dvx_dev_gid(r->dev, 1, own.gid_index, peer.gid));
	return peer;
}

/* Connects two QPs of the device. */
static inline void pair_connect(struct rig *r, struct pair *p, uint32_t access)
{
	struct dvx_qp_local local = rig_local(r, access);
	struct dvx_qp_peer peer;
	int i;

	for (i = 0; i < 2; i++) {
		peer = rig_peer(r, dvx_qp_number(p->qp[!i]));
		peer.psn = i ? 0x111111 : 0xfffffe; /* the first wraps at once */
		local.psn = i ? 0xfffffe : 0x111111;
		OK(dvx_qp_connect(p->qp[i], &local, &peer));
	}
}

static inline void pair_make_type(struct rig *r, struct pair *p, uint32_t access, uint8_t type)
{
	struct dvx_cq_attr cq = {.size = sizeof(cq), .entries = 128, .uar = r->uar};
	struct dvx_qp_attr qp = rig_qp_attr(r);
	int i;

	qp.type = type;
	if (type == DVX_QP_UC)
		qp.flags = 0; /* only RC has MMO */
	for (i = 0; i < 2; i++) {
		OK(dvx_cq_create(r->dev, &cq, &p->cq[i]));
		qp.send_cq = p->cq[i];
		qp.user_index = 0x70 + (uint32_t)i;
		OK(dvx_qp_create(r->dev, &qp, &p->qp[i]));
	}
	p->sq = dvx_qp_sq(p->qp[0]);
	p->rq = dvx_qp_rq(p->qp[1]);
	pair_connect(r, p, access);
}

static inline void pair_make(struct rig *r, struct pair *p, uint32_t access)
{
	pair_make_type(r, p, access, DVX_QP_RC);
}

static inline void pair_free(struct pair *p)
{
	int i;

	for (i = 0; i < 2; i++) {
		OK(dvx_qp_destroy(p->qp[i]));
		OK(dvx_cq_destroy(p->cq[i]));
	}
}

/* A test with the group's rig. */
#define FIXTURE_rig(name) FIXTURE(name, struct rig *r, NULL, NULL)
/* A test that also has an object: `make` fills it in, and is written with `object` for its address. */
#define FIXTURE_OBJECT(name, type, argument, make, free)         \
	static void name##_on(struct rig *r, type *argument);    \
	FIXTURE_rig(name)                                        \
	{                                                        \
		type made, *object = &made;                      \
                                                                 \
		make;                                            \
		name##_on(r, object);                            \
		free(object);                                    \
	}                                                        \
	static void name##_on(UNUSED struct rig *r, type *argument)
/* A pair of these rights. */
#define FIXTURE_pair(name, access) \
	FIXTURE_OBJECT(name, struct pair, p, pair_make(r, object, access), pair_free)

/* Checks that the last failure's sentence has both words. */
static inline void error_has(const char *a, const char *b)
{
	const char *text = dvx_strerror(dvx_last_error()->err);

	if (!strstr(text, a) || !strstr(text, b))
		fail_msg("\"%s\" lacks %s or %s", text, a, b);
}

static inline void refused(int got, int err, const char *a, const char *b)
{
	assert_int_equal(got, err);
	error_has(a, b);
}

/* Waits for the next CQE. */
static inline const void *wait_cqe(struct dvx_cq *cq)
{
	time_t end = patience_from_now();
	const void *cqe;

	while (!(cqe = dvx_cq_peek(cq)))
		if (patience_over(end))
			fail_msg("no completion came");
	return cqe;
}

/* Checks that the next CQE is a success of this cookie. */
static inline void done(struct dvx_cq *cq, struct dvx_sq *sq, uint64_t cookie)
{
	const void *cqe = wait_cqe(cq);
	struct dvx_cqe_failure why;

	dvx_cqe_error(cqe, &why);
	if (dvx_cqe_is_error(cqe))
		fail_msg("work %llu: %s", (unsigned long long)cookie,
			 dvx_cqe_strerror(why.syndrome));
	assert_true(dvx_cqe_is_send(cqe));
	assert_int_equal(dvx_sq_retire(sq, dvx_cqe_wqe_index(cqe)), cookie);
	dvx_cq_pop(cq);
}

/* Checks that the next CQE is this failure of this cookie. */
static inline void failed(struct dvx_cq *cq, struct dvx_sq *sq, uint64_t cookie, uint8_t syndrome)
{
	struct dvx_cqe_failure why;

	assert_true(dvx_cqe_is_error(wait_cqe(cq)));
	dvx_cqe_error(dvx_cq_peek(cq), &why);
	assert_true(why.send);
	assert_int_equal(why.syndrome, syndrome);
	assert_int_equal(why.qpn, sq->qpn);
	assert_true(dvx_sq_retire(sq, why.wqe_index) == cookie);
	dvx_cq_pop(cq);
}

/* Rings qp[0], and checks its next CQE. */
static inline void ring_done(struct pair *p, uint64_t cookie)
{
	dvx_sq_ring(p->sq);
	done(p->cq[0], p->sq, cookie);
}

static inline void ring_failed(struct pair *p, uint64_t cookie, uint8_t syndrome)
{
	dvx_sq_ring(p->sq);
	failed(p->cq[0], p->sq, cookie, syndrome);
}

#endif
