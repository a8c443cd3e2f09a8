/* SPDX-License-Identifier: BSD-2-Clause */
/* DC: initiators, their streams, and targets. */
#include "verify.h"

#define DC_KEY 0x1122334455667788ull

struct dc_ends {
	struct dvx_cq *initiator_cq, *target_cq;
	struct dvx_qp *initiator;
	struct dvx_dct *target;
	struct dvx_srq *srq;
	struct dvx_ah ah;
	struct dvx_qp_local local;
};

static void dc_make_target(struct bench *b, struct dc_ends *d)
{
	struct dvx_dct_attr attr = {.size = sizeof(attr), .key = DC_KEY, .pd = b->pd};
	struct dvx_qp_peer peer = {.size = sizeof(peer)};
	struct dvx_qp_local local = d->local;
	uint8_t blob[DVX_QP_BLOB_BYTES];

	local.access = DVX_REMOTE_WRITE;
	d->srq = bench_srq(b, b->pd);
	attr.cq = d->target_cq;
	attr.srq = d->srq;
	attr.user_index = 0xd0;
	NEED(dvx_dct_create(b->dev, &attr, &local, &d->target));
	NEED(dvx_dct_blob_write(d->target, &local, blob));
	NEED(dvx_qp_blob_read(d->initiator, blob, sizeof(blob), &peer));
	NEED(dvx_ah_init(b->dev, &d->local, &peer, &d->ah));
}

static void dc_make_initiator(struct bench *b, struct dc_ends *d, uint8_t log_streams)
{
	struct dvx_qp_attr qp = {.size = sizeof(qp),
				 .type = DVX_QP_DCI,
				 .pd = b->pd,
				 .uar = b->uar,
				 .sq_blocks = 64,
				 .log_dci_streams = log_streams,
				 .log_dci_errored = log_streams ? 1 : 0};

	d->initiator_cq = qp.send_cq = bench_cq(b);
	NEED(dvx_qp_create(b->dev, &qp, &d->initiator));
	NEED(dvx_qp_connect(d->initiator, &d->local, NULL));
}

static void dc_make_both(struct bench *b, struct dc_ends *d, uint8_t log_streams)
{
	d->local = bench_pair_default(b).local;
	d->local.retry_count = 1;
	d->local.ack_timeout = 8;
	d->target_cq = bench_cq(b);
	dc_make_initiator(b, d, log_streams);
	dc_make_target(b, d);
}

static void dc_ends_make(struct bench *b, struct dc_ends *d)
{
	dc_make_both(b, d, 0);
}

static void dc_post_on(struct dc_ends *d, uint16_t stream, uint64_t key)
{
	struct dvx_sq *sq = dvx_qp_sq(d->initiator);

	dvx_ah_set_dct(&d->ah, dvx_dct_number(d->target), key);
	NEED(dvx_post_dc_send_inline(sq, &d->ah, stream, "x", 1, 1, DVX_SIGNALED));
	dvx_sq_ring(sq);
}

static void dc_post_message(struct dc_ends *d, uint64_t key)
{
	dc_post_on(d, 0, key);
}

void probe_cq_indexed_queue(struct bench *b)
{
	struct dc_ends d;
	const void *cqe;
	uint32_t n;

	dc_ends_make(b, &d);
	bench_srq_post(d.srq, (struct dvx_sge){b->addr, 64, b->key}, 1);
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
	bench_srq_post(d.srq, (struct dvx_sge){b->addr, 64, b->key}, 1);
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

/* The queue gets what its checks need, as if it were made for copies. */
void probe_dci_mmo(struct bench *b)
{
	struct dc_ends d;

	dc_ends_make(b, &d);
	bench_copy_fails(b, dvx_qp_sq(d.initiator), d.initiator_cq, "a copy (MMO) on a DCI");
}

void probe_dct_drained(struct bench *b)
{
	struct dc_ends d;

	dc_ends_make(b, &d);
	bench_srq_post(d.srq, (struct dvx_sge){b->addr, 64, b->key}, 1);
	dc_post_message(&d, DC_KEY);
	bench_need_done(d.initiator_cq, "a SEND to a DC target");
	dvx_ah_set_dct(&d.ah, dvx_dct_number(d.target), DC_KEY);
	NEED(dvx_dct_destroy(d.target));
	NEED(dvx_post_dc_send_inline(dvx_qp_sq(d.initiator), &d.ah, 0, "x", 1, 1, DVX_SIGNALED));
	dvx_sq_ring(dvx_qp_sq(d.initiator));
	bench_expect_error(d.initiator_cq, PRM_SYNDROME_TRANSPORT_RETRY_EXC_ERR,
			   "a SEND to a DC target that was destroyed");
}

void probe_dct_conn_error(struct bench *b)
{
	struct dvx_events *events;
	struct dvx_event e;
	struct dc_ends d;

	dc_ends_make(b, &d);
	NEED(dvx_events_open(b->dev, &events));
	NEED(dvx_events_watch_dct(events, d.target, NULL));
	dvx_ah_set_dct(&d.ah, dvx_dct_number(d.target), DC_KEY);
	NEED(dvx_post_dc_write_inline(dvx_qp_sq(d.initiator), &d.ah, 0, b->addr, 0xbad00, "x", 1, 1,
				      DVX_SIGNALED));
	dvx_sq_ring(dvx_qp_sq(d.initiator));
	bench_expect_error(d.initiator_cq, PRM_SYNDROME_REMOTE_ACCESS_ERR,
			   "a WRITE with a bad rkey to a DC target");
	EXPECT(dvx_events_wait(events, 100, &e), "an event 0x%x of the target", e.type);
	dc_make_initiator(b, &d, 0);
	bench_srq_post(d.srq, (struct dvx_sge){b->addr, 64, b->key}, 1);
	dc_post_message(&d, DC_KEY);
	bench_expect_done(d.initiator_cq, "a SEND to the target from another initiator");
}

/* The first request waits for a receive, the second has one. */
void probe_dci_completion_order(struct bench *b)
{
	struct dc_ends d, ready;

	dc_make_both(b, &d, 2);
	ready = d;
	ready.target_cq = bench_cq(b);
	dc_make_target(b, &ready);
	bench_srq_post(ready.srq, (struct dvx_sge){b->addr, 64, b->key}, 1);
	dc_post_on(&d, 1, DC_KEY);
	dc_post_on(&ready, 2, DC_KEY);
	bench_need_done(ready.target_cq, "a message on the second stream");
	bench_expect_none(d.initiator_cq, "a request behind one of another stream that waits");
	bench_srq_post(d.srq, (struct dvx_sge){b->addr, 64, b->key}, 1);
	for (uint32_t i = 0; i < 2; i++) {
		const void *cqe = bench_wait(d.initiator_cq);

		EXPECT(!cqe || !dvx_cqe_wqe_index(cqe) == !i, "completion %u is of WQE %u", i + 1,
		       dvx_cqe_wqe_index(cqe));
		bench_expect_done(d.initiator_cq, "two requests on two streams");
	}
}

void probe_dci_stream_errors(struct bench *b)
{
	struct dc_ends d;

	dc_make_both(b, &d, 2);
	bench_srq_post(d.srq, (struct dvx_sge){b->addr, 64, b->key}, 2);
	dc_post_on(&d, 3, DC_KEY + 1);
	bench_expect_error(d.initiator_cq, PRM_SYNDROME_TRANSPORT_RETRY_EXC_ERR,
			   "a SEND with a wrong DC access key on stream 3");
	dc_post_on(&d, 3, DC_KEY);
	bench_expect_error(d.initiator_cq, PRM_SYNDROME_WR_FLUSH_ERR,
			   "a SEND on stream 3, which has failed");
	dc_post_on(&d, 7, DC_KEY);
	bench_expect_error(d.initiator_cq, PRM_SYNDROME_WR_FLUSH_ERR,
			   "a SEND on stream 7 of 4, which is stream 3");
	dc_post_on(&d, 2, DC_KEY);
	bench_expect_done(d.initiator_cq, "a SEND on stream 2");
	EXPECT(dvx_dci_reset_stream(d.initiator, 2), "stream 2 was reset, which had not failed");
	NEED(dvx_dci_reset_stream(d.initiator, 3));
	dc_post_on(&d, 3, DC_KEY);
	bench_expect_done(d.initiator_cq, "a SEND on stream 3 after its reset");
}

/* Numbers of both kinds are compared while all are there. */
void probe_dct_numbers(struct bench *b)
{
	enum { EACH = 24 };
	uint32_t targets[EACH], n;
	struct dc_ends d;

	dc_ends_make(b, &d);
	for (int i = 0; i < EACH; i++) {
		d.target_cq = bench_cq(b);
		dc_make_target(b, &d);
		targets[i] = dvx_dct_number(d.target);
		dc_make_initiator(b, &d, 0);
		n = dvx_qp_number(d.initiator);
		for (int j = 0; j <= i; j++)
			EXPECT(targets[j] != n, "a DCT and a QP have the same number");
	}
}
