/* SPDX-License-Identifier: BSD-2-Clause */
/* Shared receive queues, and DC, whose targets receive from them. */
#include "verify.h"

static struct dvx_srq *shared_srq(struct bench *b, struct dvx_pd *pd)
{
	struct dvx_srq_attr attr = {.size = sizeof(attr), .pd = pd, .entries = 15};
	struct dvx_srq *srq;

	NEED(dvx_srq_create(b->dev, &attr, &srq));
	return srq;
}

static void shared_post(struct dvx_srq *srq, struct dvx_sge to, uint32_t n)
{
	while (n--)
		NEED(dvx_srq_post(srq, &to, 1, n));
	dvx_srq_ring(srq);
}

/* The entry's key is of the SRQ's PD; then of the QP's. */
void probe_scatter(struct bench *b)
{
	struct dvx_mkey_attr attr = {
		.size = sizeof(attr), .access = BENCH_ACCESS, .addr = b->buf, .len = 4096};
	struct bench_pair p = bench_pair_default(b);
	struct dvx_mkey *mkey;

	NEED(dvx_pd_alloc(b->dev, &attr.pd));
	NEED(dvx_mkey_create(b->dev, &attr, &mkey));
	p.srq = shared_srq(b, attr.pd);
	bench_pair_make(b, &p);
	shared_post(p.srq, (struct dvx_sge){b->addr, 64, dvx_mkey_key(mkey)}, 1);
	shared_post(p.srq, (struct dvx_sge){b->addr, 64, b->key}, 1);
	NEED(dvx_post_send_inline(p.sq, "x", 1, 1, 0));
	NEED(dvx_post_send_inline(p.sq, "x", 1, 2, 0));
	dvx_sq_ring(p.sq);
	bench_expect_done(p.cq[1], "a receive with a key of the SRQ's PD");
	bench_expect_error(p.cq[1], PRM_SYNDROME_LOCAL_PROT_ERR,
			   "a receive with a key of the QP's PD");
}

/* Expects an event of this type. */
static void shared_event(struct dvx_events *events, uint8_t type, const char *what)
{
	struct dvx_event e;

	EXPECT(!dvx_events_wait(events, 2000, &e), "%s: no event", what);
	EXPECT(e.type == type, "%s: event 0x%x, not 0x%x", what, e.type, type);
}

void probe_eq_srq(struct bench *b)
{
	struct bench_pair p = bench_pair_default(b);
	struct dvx_events *events;

	p.srq = shared_srq(b, b->pd);
	bench_pair_make(b, &p);
	NEED(dvx_events_open(b->dev, &events));
	NEED(dvx_events_watch_srq(events, p.srq, NULL));
	shared_post(p.srq, (struct dvx_sge){b->addr, 64, b->key}, 4);
	NEED(dvx_srq_arm(p.srq, 4));
	NEED(dvx_post_send_inline(p.sq, "x", 1, 1, DVX_SIGNALED));
	dvx_sq_ring(p.sq);
	shared_event(events, PRM_EVENT_SRQ_RQ_LIMIT, "an SRQ below its limit");
}

void probe_srq_arm(struct bench *b)
{
	struct dvx_srq *srq = shared_srq(b, b->pd);
	struct dvx_events *events;

	NEED(dvx_events_open(b->dev, &events));
	NEED(dvx_events_watch_srq(events, srq, NULL));
	shared_post(srq, (struct dvx_sge){b->addr, 64, b->key}, 2);
	NEED(dvx_srq_arm(srq, 4));
	shared_event(events, PRM_EVENT_SRQ_RQ_LIMIT, "a limit of 4 with 2 receives posted");
}

void probe_last_wqe(struct bench *b)
{
	struct bench_pair p = bench_pair_default(b);
	struct dvx_events *events;

	p.srq = shared_srq(b, b->pd);
	bench_pair_make(b, &p);
	NEED(dvx_events_open(b->dev, &events));
	NEED(dvx_events_watch_qp(events, p.qp[1], NULL));
	NEED(dvx_qp_to_err(p.qp[1]));
	shared_event(events, PRM_EVENT_SRQ_LAST_WQE, "an idle QP on an SRQ that comes to ERR");
}

/* ---- DC ---- */

#define DC_KEY 0x1122334455667788ull

struct dc_ends {
	struct dvx_cq *initiator_cq, *target_cq;
	struct dvx_qp *initiator;
	struct dvx_dct *target;
	struct dvx_srq *srq;
	struct dvx_ah ah;
};

static void dc_make_target(struct bench *b, struct dc_ends *d, const struct dvx_qp_local *local)
{
	struct dvx_dct_attr attr = {.size = sizeof(attr), .key = DC_KEY, .pd = b->pd};
	struct dvx_qp_peer peer = {.size = sizeof(peer)};
	uint8_t blob[DVX_QP_BLOB_BYTES];

	d->srq = shared_srq(b, b->pd);
	attr.cq = d->target_cq;
	attr.srq = d->srq;
	attr.user_index = 0xd0;
	NEED(dvx_dct_create(b->dev, &attr, local, &d->target));
	NEED(dvx_dct_blob_write(d->target, local, blob));
	NEED(dvx_qp_blob_read(d->initiator, blob, sizeof(blob), &peer));
	NEED(dvx_ah_init(b->dev, local, &peer, &d->ah));
}

static void dc_ends_make(struct bench *b, struct dc_ends *d)
{
	struct dvx_cq_attr cq = {.size = sizeof(cq), .entries = 128, .uar = b->uar};
	struct dvx_qp_attr qp = {.size = sizeof(qp),
				 .type = DVX_QP_DCI,
				 .pd = b->pd,
				 .uar = b->uar,
				 .sq_blocks = 64};
	struct dvx_qp_local local = bench_pair_default(b).local;

	local.retry_count = 1;
	local.ack_timeout = 8;
	NEED(dvx_cq_create(b->dev, &cq, &d->initiator_cq));
	NEED(dvx_cq_create(b->dev, &cq, &d->target_cq));
	qp.send_cq = d->initiator_cq;
	NEED(dvx_qp_create(b->dev, &qp, &d->initiator));
	NEED(dvx_qp_connect(d->initiator, &local, NULL));
	dc_make_target(b, d, &local);
}

static void dc_post_message(struct dc_ends *d, uint64_t key)
{
	struct dvx_sq *sq = dvx_qp_sq(d->initiator);

	dvx_ah_set_dct(&d->ah, dvx_dct_number(d->target), key);
	NEED(dvx_post_dc_send_inline(sq, &d->ah, 0, "x", 1, 1, DVX_SIGNALED));
	dvx_sq_ring(sq);
}

void probe_cq_indexed_queue(struct bench *b)
{
	struct dc_ends d;
	const void *cqe;
	uint32_t n;

	dc_ends_make(b, &d);
	shared_post(d.srq, (struct dvx_sge){b->addr, 64, b->key}, 1);
	dc_post_message(&d, DC_KEY);
	bench_need_done(d.initiator_cq, "a SEND to a DC target");
	cqe = bench_wait(d.target_cq);
	if (!cqe || dvx_cqe_is_error(cqe))
		bench_need_done(d.target_cq, "a message to a DC target");
	n = dvx_cqe_qpn(cqe);
	EXPECT(n == dvx_dct_number(d.target), "the QPN is %+d from the target's number",
	       (int)(n - dvx_dct_number(d.target)));
	EXPECT(dvx_cqe_user_index(cqe) == 0xd0, "the user index is 0x%x, not 0xd0",
	       dvx_cqe_user_index(cqe));
}

void probe_dct_wrong_key(struct bench *b)
{
	struct dc_ends d;

	dc_ends_make(b, &d);
	shared_post(d.srq, (struct dvx_sge){b->addr, 64, b->key}, 1);
	dc_post_message(&d, DC_KEY + 1);
	bench_expect_error(d.initiator_cq, PRM_SYNDROME_TRANSPORT_RETRY_EXC_ERR,
			   "a SEND with a wrong DC access key");
}

void probe_dci_2(struct bench *b)
{
	struct dvx_mkey *mkey;
	struct dc_ends d;

	dc_ends_make(b, &d);
	NEED(dvx_mkey_create_list(b->dev, b->pd, 1, &mkey));
	NEED(dvx_post_local_inval(dvx_qp_sq(d.initiator), dvx_mkey_key(mkey), 1, DVX_SIGNALED));
	dvx_sq_ring(dvx_qp_sq(d.initiator));
	bench_expect_error(d.initiator_cq, PRM_SYNDROME_LOCAL_QP_OP_ERR, "a UMR on a DCI");
}
