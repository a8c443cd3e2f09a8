/* SPDX-License-Identifier: BSD-2-Clause */
/* Proves the violations table: each kind of bad WQE and each forbidden access ends in the CQE that
 * the InfiniBand specification and the PRM give, the QP in ERR, and later WQEs flushed. */
#include "tests/test.h"
#include <endian.h>
#include "queue_rig.h"
#include "chip/datapath.h"
#include "queue/queue.h"

#define SECOND 1000000000ull

/* The change of one case; the WQE is complete except for its end. */
struct change {
	uint8_t opcode;
	uint32_t len, lkey, rkey;
	const uint8_t *va, *ra;
	bool recv;
	uint32_t recv_len, recv_lkey;
	unsigned int flags;
	int ds;         /* -1: as built */
	int index, qpn; /* -1: correct */
	bool inline_data;
	uint32_t inline_len;
};

struct violation {
	const char *name;
	void (*change)(struct rig_pair *, struct change *);
	uint8_t opcode;
	uint8_t syndrome;      /* at the requester */
	uint8_t recv_syndrome; /* 0: the responder has flushes, but no error CQE */
	uint8_t event;	       /* at the responder */
	bool local;            /* the responder notices nothing */
};

#define CHANGE(name) static void name(UNUSED struct rig_pair *p, UNUSED struct change *c)

CHANGE(lkey_zero)
{
	c->lkey = 0;
}

CHANGE(lkey_low_byte)
{
	c->lkey ^= 1;
}

CHANGE(lkey_pd)
{
	p->ms->pdn++;
}

CHANGE(lkey_rights)
{
	p->ms->rights = 0;
}

CHANGE(lkey_no_lw)
{
	p->ms->rights = MKEY_LR;
}

CHANGE(local_bounds)
{
	c->va = p->src + RIG_BUF - c->len + 1;
}

CHANGE(lkey_free)
{
	p->ms->free = true;
}

CHANGE(rkey_wrong)
{
	c->rkey += 0x100;
}

CHANGE(rkey_one_packet)
{
	c->rkey += 0x100;
	c->len = 8;
}

CHANGE(rkey_packets)
{
	c->rkey += 0x100;
	c->len = 20000;
}

CHANGE(rkey_pd)
{
	p->md->pdn++;
}

CHANGE(rkey_no_rw)
{
	p->md->rights &= (uint8_t)~MKEY_RW;
}

CHANGE(rkey_no_rr)
{
	p->md->rights &= (uint8_t)~MKEY_RR;
}

CHANGE(remote_bounds)
{
	c->ra = p->dst + RIG_BUF - c->len + 1;
}

CHANGE(no_rwe)
{
	p->b.qp->rwe = false;
}

CHANGE(no_rre)
{
	p->b.qp->rre = false;
}

CHANGE(recv_short)
{
	c->recv_len = c->len - 1;
}

CHANGE(recv_lkey)
{
	c->recv_lkey = 0x4242;
}

CHANGE(recv_no_lw)
{
	p->md->rights = MKEY_LR | MKEY_RW;
}

CHANGE(no_recv)
{
	p->a.qp->rnr_retry = 2;
	rig_connect_one(&p->a, &p->b); /* the count is read at RTS */
	c->recv = false;
}

CHANGE(peer_dead)
{
	queue_set_state(&p->b.qp->q, QP_RST);
}

CHANGE(gid_unknown)
{
	memset(p->a.qp->rgid, 0x55, 16);
}

CHANGE(ds_zero)
{
	c->ds = 0;
}

CHANGE(ds_small)
{
	c->ds = 1;
}

CHANGE(ds_past_record)
{
	c->ds = 63;
}

CHANGE(index_wrong)
{
	c->index = p->a.sq_pi + 1;
}

CHANGE(qpn_wrong)
{
	c->qpn = (int)p->b.qp->q.o.id;
}

CHANGE(inline_past_ds)
{
	c->inline_data = true;
	c->inline_len = 200;
}

CHANGE(inline_read)
{
	c->inline_data = true;
	c->inline_len = 8;
}

CHANGE(too_long)
{
	p->a.qp->log_msg_max = 12;
	c->len = 4097;
}

CHANGE(two_gib)
{
	c->len = 0; /* 2 GiB, over log_msg_max 30 */
}

CHANGE(nothing)
{
}

#define WRITE PRM_WQE_OPCODE_RDMA_WRITE
#define WRITE_IMM PRM_WQE_OPCODE_RDMA_WRITE_IMM
#define READ PRM_WQE_OPCODE_RDMA_READ
#define SEND PRM_WQE_OPCODE_SEND
#define ACCESS .event = PRM_EVENT_WQ_ACCESS_ERROR
static const struct violation table[] = {
	{"lkey 0", lkey_zero, WRITE, 0x04, .local = true},
	{"lkey's low byte", lkey_low_byte, WRITE, 0x04, .local = true},
	{"lkey of another PD", lkey_pd, WRITE, 0x04, .local = true},
	{"lkey without local read", lkey_rights, SEND, 0x04, .local = true},
	{"READ into a key without local write", lkey_no_lw, READ, 0x04, .local = true},
	{"past the local key", local_bounds, WRITE, 0x04, .local = true},
	{"lkey in the free state", lkey_free, WRITE, 0x04, .local = true},
	{"unknown rkey", rkey_wrong, WRITE, 0x13, ACCESS},
	{"unknown rkey beside immediate data", rkey_one_packet, WRITE_IMM, 0x13,
	 .recv_syndrome = 0x11},
	{"unknown rkey before immediate data", rkey_packets, WRITE_IMM, 0x13, ACCESS},
	{"rkey of another PD", rkey_pd, WRITE, 0x13, ACCESS},
	{"WRITE without remote write", rkey_no_rw, WRITE, 0x13, ACCESS},
	{"READ without remote read", rkey_no_rr, READ, 0x13, ACCESS},
	{"WRITE past the remote key", remote_bounds, WRITE, 0x13, ACCESS},
	{"READ past the remote key", remote_bounds, READ, 0x13, ACCESS},
	{"WRITE while rwe is clear", no_rwe, WRITE, 0x13, ACCESS},
	{"READ while rre is clear", no_rre, READ, 0x13, ACCESS},
	{"receive too small", recv_short, SEND, 0x12, .recv_syndrome = 0x01},
	{"receive with a bad lkey", recv_lkey, SEND, 0x14, .recv_syndrome = 0x04},
	{"receive without local write", recv_no_lw, SEND, 0x14, .recv_syndrome = 0x04},
	{"no receive, RNR retries used up", no_recv, SEND, 0x16, .local = true},
	{"peer not ready", peer_dead, WRITE, 0x15, .local = true},
	{"nobody has the GID", gid_unknown, WRITE, 0x15, .local = true},
	{"ds 0", ds_zero, WRITE, 0x02, .local = true},
	{"ds too small", ds_small, WRITE, 0x02, .local = true},
	{"ds past the record", ds_past_record, WRITE, 0x02, .local = true},
	{"wqe_index of another slot", index_wrong, WRITE, 0x02, .local = true},
	{"another QP's number", qpn_wrong, WRITE, 0x02, .local = true},
	{"inline past ds", inline_past_ds, WRITE, 0x02, .local = true},
	{"READ with inline data", inline_read, READ, 0x02, .local = true},
	{"over log_msg_max", too_long, WRITE, 0x01, .local = true},
	{"2 GiB over log_msg_max", two_gib, WRITE, 0x01, .local = true},
	{"reserved opcode", nothing, 0x7f, 0x02, .local = true},
	{"MMO on a QP without it", nothing, PRM_WQE_OPCODE_MMO, 0x02, .local = true},
};

static void post_bad(struct rig_pair *p, const struct violation *v, struct change *c, uint8_t flags)
{
	struct rig_wqe w = rig_begin(&p->a, v->opcode, flags, 0);
	bool raddr = v->opcode != SEND;

	if (raddr)
		rig_raddr(&w, c->ra, c->rkey);
	if (c->inline_data) {
		rig_inline(&w, p->src, 8);
		prm_wqe_inline_seg_set_byte_count(w.bytes + 32, c->inline_len);
	} else {
		rig_data(&w, c->va, c->len, c->lkey);
	}
	if (v->opcode == PRM_WQE_OPCODE_MMO)
		rig_data(&w, c->va, c->len, c->lkey);
	prm_wqe_ctrl_seg_set_wqe_index(w.bytes, c->index < 0 ? p->a.sq_pi : c->index & 0xffff);
	prm_wqe_ctrl_seg_set_ds(w.bytes, c->ds < 0 ? w.ds : (uint32_t)c->ds);
	if (c->qpn >= 0)
		prm_wqe_ctrl_seg_set_qpn(w.bytes, (uint32_t)c->qpn);
	rig_put(&w);
}

static const uint8_t *expect_error(struct rig_cq *cq, uint8_t opcode, uint8_t syndrome,
				   const char *what)
{
	const uint8_t *cqe = rig_poll(cq);

	if (!cqe)
		fail_msg("%s: no CQE, 0x%02x expected", what, syndrome);
	if (prm_err_cqe_get_opcode(cqe) != opcode || prm_err_cqe_get_syndrome(cqe) != syndrome)
		fail_msg("%s: CQE opcode %u syndrome 0x%02x, not %u 0x%02x", what,
			 prm_err_cqe_get_opcode(cqe), prm_err_cqe_get_syndrome(cqe), opcode,
			 syndrome);
	return cqe;
}

/* Checks the failed request and the flushed one; at the responder two receives, if it noticed. */
static void check_counters(const struct rig_pair *p, const struct violation *v)
{
	const struct queue_stats *a = p->a.queue->stats, *b = p->b.queue->stats;

	assert_int_equal(a->req_cqe_error, 2);
	assert_int_equal(a->req_cqe_flush_error, 1);
	assert_int_equal(a->local_operation_error, v->syndrome == 0x02);
	assert_int_equal(a->req_remote_invalid_request, v->syndrome == 0x12);
	assert_int_equal(a->req_remote_access_errors, v->syndrome == 0x13);
	assert_int_equal(a->req_remote_operation_errors, v->syndrome == 0x14);
	assert_int_equal(a->req_transport_retries_exceeded, v->syndrome == 0x15);
	assert_int_equal(a->req_rnr_retries_exceeded, v->syndrome == 0x16);
	assert_int_equal(b->resp_remote_access_errors, v->syndrome == 0x13);
	assert_int_equal(b->resp_local_length_error, v->recv_syndrome == 0x01);
	assert_int_equal(b->resp_cqe_error, v->local ? 0 : 2);
}

static void check(struct rig_pair *p, const struct violation *v, uint8_t flags)
{
	struct change c = {
		.len = 3000,
		.lkey = rig_key(p->ms),
		.rkey = rig_key(p->md),
		.va = p->src,
		.ra = p->dst,
		.recv = true,
		.recv_len = RIG_BUF,
		.recv_lkey = rig_key(p->md),
		.ds = -1,
		.index = -1,
		.qpn = -1,
	};
	const uint8_t *cqe;

	v->change(p, &c);
	if (c.recv) {
		rig_recv(&p->b, p->dst, c.recv_len, c.recv_lkey);
		rig_recv(&p->b, p->dst, c.recv_len, c.recv_lkey);
	}
	post_bad(p, v, &c, flags);
	rig_post(p, PRM_WQE_OPCODE_NOP, 0, 0);
	rig_ring(&p->a);
	rig_pass(&p->rig, 10 * SECOND);
	cqe = expect_error(&p->ca, PRM_CQE_OPCODE_REQ_ERR, v->syndrome, v->name);
	assert_int_equal(prm_err_cqe_get_s_wqe_opcode(cqe), v->opcode);
	assert_int_equal(prm_err_cqe_get_qpn(cqe), p->a.qp->q.o.id);
	assert_int_equal(prm_err_cqe_get_wqe_counter(cqe), 0);
	assert_int_equal(prm_err_cqe_get_srqn(cqe), 0x1234);
	assert_int_not_equal(p->a.qp->sq.done, 0);
	expect_error(&p->ca, PRM_CQE_OPCODE_REQ_ERR, PRM_SYNDROME_WR_FLUSH_ERR, v->name);
	assert_int_equal(p->a.qp->q.state, QP_ERR);
	check_counters(p, v);
	if (v->local) {
		assert_int_not_equal(p->b.qp->q.state, QP_ERR);
		assert_null(rig_poll(&p->cb));
		return;
	}
	assert_int_equal(p->b.qp->q.state, QP_ERR);
	expect_error(&p->cb, PRM_CQE_OPCODE_RESP_ERR,
		     v->recv_syndrome ? v->recv_syndrome : PRM_SYNDROME_WR_FLUSH_ERR, v->name);
	expect_error(&p->cb, PRM_CQE_OPCODE_RESP_ERR, PRM_SYNDROME_WR_FLUSH_ERR, v->name);
	assert_null(rig_poll(&p->cb));
	if (v->event)
		assert_int_equal(rig_count(&p->rig, v->event), 1);
	else
		assert_int_equal(rig_count(&p->rig, PRM_EVENT_WQ_ACCESS_ERROR), 0);
}

static void run_table(uint8_t flags)
{
	for (unsigned int i = 0; i < sizeof(table) / sizeof(table[0]); i++) {
		struct rig_pair *p = rig_pair_open(rig_setup);

		check(p, &table[i], flags);
		rig_pair_close(p);
	}
}

TEST(none, test_table)
{
	run_table(SIGNALED);
}

/* An error makes a CQE, even if none was requested. */
TEST(none, test_table_unsignaled)
{
	run_table(0);
}

/* Requests before a bad WQE complete well and first, though they were fetched together. */
TEST(pair, test_earlier_complete)
{
	struct rig_wqe w;
	const uint8_t *cqe;

	for (unsigned int i = 0; i < 3; i++)
		rig_post(p, READ, 100000 * i, 100000);
	w = rig_begin(&p->a, 0x7f, SIGNALED, 0);
	rig_end(&w);
	rig_do(p, WRITE, 0, 8);
	for (unsigned int i = 0; i < 3; i++) {
		cqe = rig_poll(&p->ca);
		assert_non_null(cqe);
		assert_int_equal(prm_cqe64_get_opcode(cqe), PRM_CQE_OPCODE_REQ);
		assert_int_equal(prm_cqe64_get_wqe_counter(cqe), i);
	}
	expect_error(&p->ca, PRM_CQE_OPCODE_REQ_ERR, 0x02, "bad");
	expect_error(&p->ca, PRM_CQE_OPCODE_REQ_ERR, 0x05, "behind");
}

/* In ERR, new requests are flushed, too: sends by their doorbell, receives without one. */
TEST(pair, test_flush_later)
{
	queue_set_state(&p->a.qp->q, QP_ERR);
	rig_settle(&p->rig);
	assert_null(rig_poll(&p->ca));
	for (unsigned int i = 0; i < 5; i++)
		rig_post(p, WRITE, 0, 8);
	rig_run(&p->a);
	for (unsigned int i = 0; i < 5; i++)
		expect_error(&p->ca, PRM_CQE_OPCODE_REQ_ERR, 0x05, "send");
	rig_recv(&p->a, p->src, 8, rig_key(p->ms));
	rig_pass(&p->rig, SECOND);
	expect_error(&p->ca, PRM_CQE_OPCODE_RESP_ERR, 0x05, "receive");
	assert_null(rig_poll(&p->ca));
}

/* RST under load: no CQE, counters at 0, and the queue works again from its first slot. */
TEST(pair, test_reset_reuse)
{
	for (unsigned int i = 0; i < 16; i++)
		rig_post(p, WRITE, 0, RIG_BUF);
	rig_ring(&p->a);
	datapath_run(&p->rig.dev);
	while (rig_poll(&p->ca))
		;
	assert_int_not_equal(p->a.qp->sq.done, 16);
	queue_set_state(&p->a.qp->q, QP_RST);
	rig_settle(&p->rig);
	assert_null(rig_poll(&p->ca));
	queue_set_state(&p->b.qp->q, QP_RST);
	p->a.sq_pi = 0;
	p->a.dbrec[1] = 0;
	rig_connect(&p->a, &p->b);
	rig_do(p, WRITE, 0, 5000);
	assert_int_equal(prm_cqe64_get_opcode(rig_poll(&p->ca)), PRM_CQE_OPCODE_REQ);
}

/* --- garbage ----------------------------------------------------------------------------------- */

/* The opcodes that a queue of each type may post (IBTA vol. 1, table 38, and libmlx5). */
static const struct garbage_type {
	const char *name;
	int (*setup)(void **);
	uint8_t takes[16];
} garbage_types[] = {
	{"RC",
	 rig_setup,
	 {PRM_WQE_OPCODE_SEND, PRM_WQE_OPCODE_SEND_IMM, PRM_WQE_OPCODE_SEND_INVAL,
	  PRM_WQE_OPCODE_RDMA_WRITE, PRM_WQE_OPCODE_RDMA_WRITE_IMM, PRM_WQE_OPCODE_RDMA_READ,
	  PRM_WQE_OPCODE_ATOMIC_CS, PRM_WQE_OPCODE_ATOMIC_FA, PRM_WQE_OPCODE_ATOMIC_MASKED_CS,
	  PRM_WQE_OPCODE_ATOMIC_MASKED_FA, PRM_WQE_OPCODE_UMR, PRM_WQE_OPCODE_SET_PSV,
	  PRM_WQE_OPCODE_MMO}},
	{"UC",
	 rig_setup_uc,
	 {PRM_WQE_OPCODE_SEND, PRM_WQE_OPCODE_SEND_IMM, PRM_WQE_OPCODE_SEND_INVAL,
	  PRM_WQE_OPCODE_RDMA_WRITE, PRM_WQE_OPCODE_RDMA_WRITE_IMM, PRM_WQE_OPCODE_UMR}},
	{"UD", rig_setup_ud, {PRM_WQE_OPCODE_SEND, PRM_WQE_OPCODE_SEND_IMM}},
};

static bool garbage_taken(const struct garbage_type *t, unsigned int opcode)
{
	for (unsigned int i = 0; i < sizeof(t->takes); i++)
		if (t->takes[i] == opcode) /* NOP (0) fills the rest */
			return true;
	return false;
}

/* Makes a well-formed WQE of random bytes; 0xff sets every flag. */
static struct rig_wqe garbage_wqe(struct rig_qp *q, unsigned int opcode, unsigned int seed)
{
	struct rig_wqe w = rig_begin(q, (uint8_t)opcode, SIGNALED, seed);

	srand(seed * 256 + opcode);
	for (unsigned int i = 16; i < 128; i++)
		w.bytes[i] = (uint8_t)(seed ? rand() : 0xff);
	w.ds = 8;
	return w;
}

static void garbage_one(struct rig_pair *p, const struct garbage_type *t, unsigned int opcode,
			unsigned int seed)
{
	struct rig_wqe w = garbage_wqe(&p->a, opcode, seed);
	const uint8_t *cqe;
	uint8_t state;

	rig_end(&w);
	rig_ring(&p->a);
	rig_pass(&p->rig, 100 * SECOND);
	state = p->a.qp->q.state;
	cqe = rig_poll(&p->ca);
	if (!cqe || rig_poll(&p->ca))
		fail_msg("%s, opcode 0x%02x: not one CQE", t->name, opcode);
	if (prm_cqe64_get_opcode(cqe) == PRM_CQE_OPCODE_REQ ? state != QP_RTS
							    : state != QP_ERR && state != QP_SQER)
		fail_msg("%s, opcode 0x%02x: state %u", t->name, opcode, state);
	if (!garbage_taken(t, opcode) &&
	    (prm_cqe64_get_opcode(cqe) != PRM_CQE_OPCODE_REQ_ERR ||
	     prm_err_cqe_get_syndrome(cqe) != PRM_SYNDROME_LOCAL_QP_OP_ERR))
		fail_msg("%s, opcode 0x%02x: not LOCAL_QP_OP_ERR", t->name, opcode);
}

/* Each opcode followed by garbage ends in one CQE; one that the type lacks, in the right one. */
TEST(none, test_garbage)
{
	for (unsigned int i = 0; i < 3; i++) {
		struct rig_pair *p = rig_pair_open(garbage_types[i].setup);

		for (unsigned int n = 0; n < 2 * 256; n++) {
			garbage_one(p, &garbage_types[i], n / 2, n % 2);
			queue_set_state(p->a.queue, QP_RST);
			queue_set_state(p->b.queue, QP_RST);
			p->a.sq_pi = 0;
			p->a.dbrec[1] = 0;
			rig_connect(&p->a, &p->b);
		}
		rig_pair_close(p);
	}
}
