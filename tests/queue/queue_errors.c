/* SPDX-License-Identifier: BSD-2-Clause */
/* Proves the violations table: each kind of bad WQE and each forbidden access ends in the CQE that
 * the InfiniBand specification and the PRM give, the QP in ERR, and later WQEs flushed. */
#include "tests/test.h"
#include <endian.h>
#include "queue_rig.h"
#include "chip/datapath.h"
#include "queue/queue.h"

#define SECOND 1000000000ull

/* One case: a request of 3000 bytes, of which one thing is wrong. */
struct violation {
	const char *name;
	uint8_t opcode;
	uint8_t syndrome;      /* at the requester */
	uint8_t recv_syndrome; /* 0: the responder has flushes, but no error CQE */
	uint8_t event;	       /* at the responder */
	bool local;	       /* the responder notices nothing */
	/* of the WQE */
	uint32_t len; /* 0: 3000 */
	bool no_lkey, two_gib, past_local, past_remote, next_index, other_qpn;
	uint8_t lkey_flip, inline_len;
	uint8_t ds; /* DS(n); 0: as built */
	uint32_t rkey_add;
	/* of the receive */
	bool no_recv, recv_less;
	uint32_t recv_lkey; /* 0: the right one */
	/* of the keys: another PD, rights that are missing; a is the requester's */
	bool pd_a, pd_b, free_a;
	uint8_t lost_a, lost_b;
	/* of the queue pairs */
	bool no_rwe, no_rre, peer_reset, gid_unknown;
	uint8_t log_msg_max; /* 0: unchanged */
};
#define DS(n)	  (0x40 | (n))

#define WRITE	  PRM_WQE_OPCODE_RDMA_WRITE
#define WRITE_IMM PRM_WQE_OPCODE_RDMA_WRITE_IMM
#define READ	  PRM_WQE_OPCODE_RDMA_READ
#define SEND	  PRM_WQE_OPCODE_SEND
#define ACCESS	  .event = PRM_EVENT_WQ_ACCESS_ERROR
#define LOCAL	  .local = true
static const struct violation table[] = {
	{"lkey 0", WRITE, 0x04, LOCAL, .no_lkey = true},
	{"lkey's low byte", WRITE, 0x04, LOCAL, .lkey_flip = 1},
	{"lkey of another PD", WRITE, 0x04, LOCAL, .pd_a = true},
	{"lkey without local read", SEND, 0x04, LOCAL, .lost_a = MKEY_LR | MKEY_LW},
	{"READ into a key without local write", READ, 0x04, LOCAL, .lost_a = MKEY_LW},
	{"past the local key", WRITE, 0x04, LOCAL, .past_local = true},
	{"lkey in the free state", WRITE, 0x04, LOCAL, .free_a = true},
	{"unknown rkey", WRITE, 0x13, ACCESS, .rkey_add = 0x100},
	{"unknown rkey beside immediate data", WRITE_IMM, 0x13, 0x11, .rkey_add = 0x100, .len = 8},
	{"unknown rkey before immediate data", WRITE_IMM, 0x13, ACCESS, .rkey_add = 0x100,
	 .len = 20000},
	{"rkey of another PD", WRITE, 0x13, ACCESS, .pd_b = true},
	{"WRITE without remote write", WRITE, 0x13, ACCESS, .lost_b = MKEY_RW},
	{"READ without remote read", READ, 0x13, ACCESS, .lost_b = MKEY_RR},
	{"WRITE past the remote key", WRITE, 0x13, ACCESS, .past_remote = true},
	{"READ past the remote key", READ, 0x13, ACCESS, .past_remote = true},
	{"WRITE while rwe is clear", WRITE, 0x13, ACCESS, .no_rwe = true},
	{"READ while rre is clear", READ, 0x13, ACCESS, .no_rre = true},
	{"receive too small", SEND, 0x12, 0x01, .recv_less = true},
	{"receive with a bad lkey", SEND, 0x14, 0x04, .recv_lkey = 0x4242},
	{"receive without local write", SEND, 0x14, 0x04, .lost_b = MKEY_LW},
	{"no receive, RNR retries used up", SEND, 0x16, LOCAL, .no_recv = true},
	{"peer not ready", WRITE, 0x15, LOCAL, .peer_reset = true},
	{"nobody has the GID", WRITE, 0x15, LOCAL, .gid_unknown = true},
	{"ds 0", WRITE, 0x02, LOCAL, .ds = DS(0)},
	{"ds too small", WRITE, 0x02, LOCAL, .ds = DS(1)},
	{"ds past the record", WRITE, 0x02, LOCAL, .ds = DS(63)},
	{"wqe_index of another slot", WRITE, 0x02, LOCAL, .next_index = true},
	{"another QP's number", WRITE, 0x02, LOCAL, .other_qpn = true},
	{"inline past ds", WRITE, 0x02, LOCAL, .inline_len = 200},
	{"READ with inline data", READ, 0x02, LOCAL, .inline_len = 8},
	{"over log_msg_max", WRITE, 0x01, LOCAL, .log_msg_max = 12, .len = 4097},
	{"2 GiB over log_msg_max", WRITE, 0x01, LOCAL, .two_gib = true},
	{"reserved opcode", 0x7f, 0x02, LOCAL},
	{"MMO on a QP without it", PRM_WQE_OPCODE_MMO, 0x02, LOCAL},
};

static uint32_t bad_len(const struct violation *v)
{
	return v->two_gib ? 0 : v->len ? v->len : 3000;
}

/* Makes keys, queue pairs and receives as the case needs them. */
static void prepare_bad(struct rig_pair *p, const struct violation *v)
{
	const uint32_t len = v->recv_less ? bad_len(v) - 1 : RIG_BUF;

	p->ms->pdn += v->pd_a;
	p->md->pdn += v->pd_b;
	p->ms->rights &= (uint8_t)~v->lost_a;
	p->md->rights &= (uint8_t)~v->lost_b;
	p->ms->free = v->free_a;
	p->b.qp->rwe = !v->no_rwe;
	p->b.qp->rre = !v->no_rre;
	if (v->log_msg_max)
		p->a.qp->log_msg_max = v->log_msg_max;
	if (v->peer_reset)
		queue_set_state(&p->b.qp->q, QP_RST);
	if (v->gid_unknown)
		memset(p->a.qp->rgid, 0x55, 16);
	if (v->no_recv) {
		p->a.qp->rnr_retry = 2;
		rig_connect_one(&p->a, &p->b); /* the count is read at RTS */
	}
	for (unsigned int i = 0; i < 2 && !v->no_recv; i++)
		rig_recv(&p->b, p->dst, len, v->recv_lkey ? v->recv_lkey : rig_key(p->md));
}

static void post_bad(struct rig_pair *p, const struct violation *v, uint8_t flags)
{
	const uint32_t len = bad_len(v), lkey = v->no_lkey ? 0 : rig_key(p->ms) ^ v->lkey_flip;
	const uint32_t past = RIG_BUF - len + 1;
	const uint8_t *va = p->src + (v->past_local ? past : 0);
	struct rig_wqe w = rig_begin(&p->a, v->opcode, flags, 0);

	if (v->opcode != SEND)
		rig_raddr(&w, p->dst + (v->past_remote ? past : 0), rig_key(p->md) + v->rkey_add);
	if (v->inline_len) {
		rig_inline(&w, p->src, 8);
		prm_wqe_inline_seg_set_byte_count(w.bytes + 32, v->inline_len);
	} else {
		rig_data(&w, va, len, lkey);
	}
	if (v->opcode == PRM_WQE_OPCODE_MMO)
		rig_data(&w, va, len, lkey);
	prm_wqe_ctrl_seg_set_wqe_index(w.bytes, p->a.sq_pi + v->next_index);
	prm_wqe_ctrl_seg_set_ds(w.bytes, v->ds ? v->ds & 0x3f : w.ds);
	if (v->other_qpn)
		prm_wqe_ctrl_seg_set_qpn(w.bytes, p->b.qp->q.o.id);
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
	const uint8_t *cqe;

	prepare_bad(p, v);
	post_bad(p, v, flags);
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
		struct rig_pair *p = rig_pair_open(&rig_rc);

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

	for (unsigned int i = 0; i < 3; i++)
		rig_post(p, READ, 100000 * i, 100000);
	w = rig_begin(&p->a, 0x7f, SIGNALED, 0);
	rig_end(&w);
	rig_do(p, WRITE, 0, 8);
	for (unsigned int i = 0; i < 3; i++) {
		assert_int_equal(prm_cqe64_get_wqe_counter(rig_sent(&p->ca, 0)), i);
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
	rig_drain(&p->ca);
	assert_int_not_equal(p->a.qp->sq.done, 16);
	queue_set_state(&p->a.qp->q, QP_RST);
	rig_settle(&p->rig);
	assert_null(rig_poll(&p->ca));
	rig_restart(&p->a, &p->b);
	rig_do(p, WRITE, 0, 5000);
	assert_int_equal(prm_cqe64_get_opcode(rig_poll(&p->ca)), PRM_CQE_OPCODE_REQ);
}

/* A READ that is repeated after its right has gone fails for that reason. */
TEST(pair, test_repeated_read_without_its_right)
{
	unsigned int n = 0;

	port_set_hook(p->rig.dev.port, rig_first_frame, &n);
	rig_do(p, READ, 0, 8);
	port_set_hook(p->rig.dev.port, rig_count_frame, &n);
	p->md->rights &= (uint8_t)~MKEY_RR;
	rig_pass(&p->rig, SECOND);
	rig_sent(&p->ca, PRM_SYNDROME_REMOTE_ACCESS_ERR);
	assert_int_equal(rig_count(&p->rig, PRM_EVENT_WQ_ACCESS_ERROR), 1);
}

/* A SEND takes an entry and waits for its page; a new requester's WRITE is refused. */
static void refused_after_a_send(struct rig_pair *p, uint8_t opcode)
{
	p->md->on_demand = true;
	mkey_place(p->md);
	rig_recv(&p->b, p->dst, 8, rig_key(p->md));
	rig_do(p, SEND, 0, 8);
	p->md->on_demand = false;
	p->md->rights &= (uint8_t)~MKEY_RW;
	mkey_place(p->md);
	queue_set_state(p->a.queue, QP_RST);
	p->a.sq_pi = 0;
	rig_connect_one(&p->a, &p->b);
	rig_rdma(&p->a, opcode, SIGNALED, p->dst, p->md, p->src, 8, p->ms);
	rig_run(&p->a);
	rig_sent(&p->ca, PRM_SYNDROME_REMOTE_ACCESS_ERR);
}

/* The WRITE's error is not the entry's, */
TEST(pair, test_refused_write_beside_an_entry)
{
	refused_after_a_send(p, WRITE);
	rig_recv_failed(&p->cb, PRM_SYNDROME_WR_FLUSH_ERR);
	assert_int_equal(rig_count(&p->rig, PRM_EVENT_WQ_ACCESS_ERROR), 1);
}

/* unless the WRITE would take it. */
TEST(pair, test_refused_write_of_an_entry)
{
	refused_after_a_send(p, WRITE_IMM);
	rig_recv_failed(&p->cb, PRM_SYNDROME_LOCAL_ACCESS_ERR);
	assert_int_equal(rig_count(&p->rig, PRM_EVENT_WQ_ACCESS_ERROR), 0);
}

/* --- garbage ----------------------------------------------------------------------------------- */

/* The opcodes that a queue of each type may post (IBTA vol. 1, table 38, and libmlx5). */
static const struct garbage_type {
	const char *name;
	const struct rig_kind *kind;
	uint8_t takes[16];
} garbage_types[] = {
	{"RC",
	 &rig_rc,
	 {PRM_WQE_OPCODE_SEND, PRM_WQE_OPCODE_SEND_IMM, PRM_WQE_OPCODE_SEND_INVAL,
	  PRM_WQE_OPCODE_RDMA_WRITE, PRM_WQE_OPCODE_RDMA_WRITE_IMM, PRM_WQE_OPCODE_RDMA_READ,
	  PRM_WQE_OPCODE_ATOMIC_CS, PRM_WQE_OPCODE_ATOMIC_FA, PRM_WQE_OPCODE_ATOMIC_MASKED_CS,
	  PRM_WQE_OPCODE_ATOMIC_MASKED_FA, PRM_WQE_OPCODE_UMR, PRM_WQE_OPCODE_SET_PSV,
	  PRM_WQE_OPCODE_MMO}},
	{"UC",
	 &rig_uc,
	 {PRM_WQE_OPCODE_SEND, PRM_WQE_OPCODE_SEND_IMM, PRM_WQE_OPCODE_SEND_INVAL,
	  PRM_WQE_OPCODE_RDMA_WRITE, PRM_WQE_OPCODE_RDMA_WRITE_IMM, PRM_WQE_OPCODE_UMR}},
	{"UD", &rig_ud, {PRM_WQE_OPCODE_SEND, PRM_WQE_OPCODE_SEND_IMM}},
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
		struct rig_pair *p = rig_pair_open(garbage_types[i].kind);

		for (unsigned int n = 0; n < 2 * 256; n++) {
			garbage_one(p, &garbage_types[i], n / 2, n % 2);
			rig_restart(&p->a, &p->b);
		}
		rig_pair_close(p);
	}
}
