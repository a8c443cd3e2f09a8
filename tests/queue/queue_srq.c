/* SPDX-License-Identifier: BSD-2-Clause */
/* Proves that queues with shared receives take them in the order of the list or ring, each once,
 * and keep them apart; and how limits, failures and the end of a queue affect the others. */
#include "tests/test.h"
#include "queue_rig.h"
#include "queue/queue.h"

#define ENTRIES RIG_SRQ_ENTRIES
#define LINK	PRM_WQE_SRQ_NEXT_SEG_BYTES
#define LEN	100u
#define LONG	5000u /* many packets */
#define SRQ_PD	(RIG_PD + 1)

/* b and c receive from one SRQ, which has another PD; a sends to b, d to c. */
struct shared {
	struct rig_pair *p;
	struct rig_cq cc, cd;
	struct rig_qp c, d;
	struct mkey *key; /* key of p->dst, for the SRQ's PD */
	struct rig_srq list;
	struct srq *srq; /* the target's SRQ */
};

static int shared_setup(void **state)
{
	struct shared *s = calloc(1, sizeof(*s));

	assert_non_null(s);
	s->p = rig_pair_open(*state);
	rig_srq_open(&s->p->rig, &s->list, SRQ_PD);
	s->srq = s->list.srq;
	rig_cq_open(&s->p->rig, &s->cc, BLUEFIELD2_HOST, 6, false);
	rig_cq_open(&s->p->rig, &s->cd, BLUEFIELD2_HOST, 6, false);
	rig_qp_open(&s->p->rig, &s->c, BLUEFIELD2_HOST, &s->cc, &s->cc, 4, 3);
	rig_qp_open(&s->p->rig, &s->d, BLUEFIELD2_HOST, &s->cd, &s->cd, 4, 3);
	s->c.qp->q.user_index = 0xc;
	s->p->b.qp->rq.srq = s->c.qp->rq.srq = s->srq;
	rig_connect(&s->c, &s->d);
	s->key = rig_mkey(&s->p->rig, BLUEFIELD2_HOST, s->p->dst, RIG_BUF, MKEY_LW);
	s->key->pdn = SRQ_PD;
	*state = s;
	return 0;
}

static int shared_teardown(void **state)
{
	struct shared *s = *state;

	rig_qp_close(&s->c);
	rig_qp_close(&s->d);
	rig_cq_close(&s->cc);
	rig_cq_close(&s->cd);
	rig_mkey_close(s->key);
	s->p->b.qp->rq.srq = NULL;
	rig_srq_close(&s->list);
	rig_pair_close(s->p);
	free(s);
	return 0;
}

#define FIXTURE_shared_on(name, kind) \
	FIXTURE_WITH(name, struct shared *s, shared_setup, shared_teardown, kind)
#define FIXTURE_shared(name)	FIXTURE_shared_on(name, &rig_rc)
#define FIXTURE_shared_uc(name) FIXTURE_shared_on(name, &rig_uc)

/* Fills in entry `index`, for dst + off; its link is `next`. Does not post it. */
static void entry(struct shared *s, unsigned int index, uint16_t next, uint32_t off, uint32_t len)
{
	rig_srq_entry(&s->list, index, next, s->p->dst + off, len, rig_key(s->key));
}

static void post(struct shared *s, uint16_t n)
{
	rig_srq_post(&s->list, n);
}

/* Posts entries 0 to n - 1 in order, each with its own 8 KiB. */
static void post_in_order(struct shared *s, uint16_t n)
{
	for (uint16_t i = 0; i < n; i++)
		entry(s, i, (uint16_t)((i + 1) % ENTRIES), i * 8192u, 8192);
	post(s, n);
}

static void send_from(struct shared *s, struct rig_qp *q, uint32_t off, uint32_t len)
{
	struct rig_wqe w = rig_begin(q, PRM_WQE_OPCODE_SEND, SIGNALED, 0);

	rig_data(&w, s->p->src + off, len, rig_key(s->p->ms));
	rig_go(&w);
}

/* Checks that a message of a to b came into this entry and this memory. */
static void arrived(struct shared *s, unsigned int index, uint32_t src, uint32_t dst, uint32_t len)
{
	const uint8_t *cqe = rig_cqe(&s->p->cb);

	assert_int_equal(prm_cqe64_get_opcode(cqe), PRM_CQE_OPCODE_RESP_SEND);
	assert_int_equal(prm_cqe64_get_wqe_counter(cqe), index);
	assert_int_equal(prm_cqe64_get_byte_cnt(cqe), len);
	assert_int_equal(prm_cqe64_get_user_index(cqe), s->p->b.qp->q.user_index);
	assert_memory_equal(s->p->dst + dst, s->p->src + src, len);
}

static void send_one(struct shared *s, unsigned int index, uint32_t src, uint32_t dst)
{
	send_from(s, &s->p->a, src, LEN);
	arrived(s, index, src, dst, LEN);
}

/* The list follows its links, twice round; each entry's index is in its CQE. */
TEST(shared, follows_links)
{
	static const uint16_t order[] = {0, 5, 6, 2, 7, 1, 4, 3};

	for (uint16_t round = 0; round < 2; round++) {
		for (unsigned int i = 0; i < ENTRIES; i++)
			entry(s, order[i], order[(i + 1) % ENTRIES], i * LEN + round * 4096u, LEN);
		post(s, ENTRIES);
		for (unsigned int i = 0; i < ENTRIES; i++)
			send_one(s, order[i], i * 77, i * LEN + round * 4096u);
	}
}

/* The entry behind a posted one is read when it is posted itself, not before. */
TEST(shared, reads_no_entry_early)
{
	entry(s, 0, 1, 0, LEN);
	entry(s, 1, 2, 4096, LEN);
	post(s, 1);
	send_one(s, 0, 10, 0);
	entry(s, 1, 0, 8192, LEN);
	post(s, 1);
	send_one(s, 1, 20, 8192);
	/* and the first one again, whose bytes the device has seen */
	entry(s, 0, 1, 12288, LEN);
	post(s, 1);
	send_one(s, 0, 30, 12288);
}

/* A ring is taken in its order, whatever its links, with or without room for a link. */
TEST(shared, ring_order)
{
	static const uint8_t heads[] = {LINK, 0};

	s->srq->linked = false;
	for (uint16_t n = 0; n < 2 * ENTRIES; n++) {
		s->srq->head = heads[n / ENTRIES];
		entry(s, n % ENTRIES, 0x7777, n * 256u, LEN);
		post(s, 1);
		send_one(s, n % ENTRIES, n, n * 256u);
	}
}

/* An SRQ without entries makes its queues "not ready"; entries posted then are taken. */
TEST(shared, empty_is_not_ready)
{
	send_from(s, &s->p->a, 0, LEN);
	assert_null(rig_poll(&s->p->cb));
	assert_int_equal(s->p->b.qp->q.o.vhca->stats->queues.out_of_buffer, 1);
	post_in_order(s, 1);
	rig_pass(&s->p->rig, 1000000000);
	arrived(s, 0, 0, 0, LEN);
}

/* The limit's event comes once: when fewer are left, or at once if that is so already. */
TEST(shared, limit)
{
	struct rig *r = &s->p->rig;

	post_in_order(s, 4);
	srq_arm(s->srq, 3);
	send_one(s, 0, 0, 0);
	assert_int_equal(rig_count(r, PRM_EVENT_SRQ_RQ_LIMIT), 0);
	send_one(s, 1, 0, 8192);
	assert_int_equal(rig_count(r, PRM_EVENT_SRQ_RQ_LIMIT), 1);
	assert_int_equal(r->event[r->nevents - 1].number, s->srq->o.id);
	assert_int_equal(s->srq->lwm, 0);
	send_one(s, 2, 0, 16384);
	assert_int_equal(rig_count(r, PRM_EVENT_SRQ_RQ_LIMIT), 1);
	srq_arm(s->srq, 2);
	assert_int_equal(rig_count(r, PRM_EVENT_SRQ_RQ_LIMIT), 2);
	srq_arm(s->srq, 1);
	srq_arm(s->srq, 0);
	send_one(s, 3, 0, 24576);
	assert_int_equal(rig_count(r, PRM_EVENT_SRQ_RQ_LIMIT), 2);
}

/* Entries posted since the record was last read count for the limit. */
TEST(shared, limit_reads_the_record)
{
	post_in_order(s, 2);
	send_one(s, 0, 0, 0);
	for (uint16_t i = 2; i < 6; i++)
		entry(s, i, (uint16_t)(i + 1), i * 8192u, LEN);
	post(s, 4);
	srq_arm(s->srq, 4);
	send_one(s, 1, 0, 8192);
	assert_int_equal(rig_count(&s->p->rig, PRM_EVENT_SRQ_RQ_LIMIT), 0);
	send_one(s, 2, 0, 16384);
	assert_int_equal(rig_count(&s->p->rig, PRM_EVENT_SRQ_RQ_LIMIT), 1);
}

/* Makes b hold an entry of which a part is filled. */
static void begin_message(struct shared *s)
{
	unsigned int n = 0;

	port_set_hook(s->p->rig.dev.port, rig_first_frame, &n);
	s->p->a.qp->mtu = 1;
	s->p->b.qp->mtu = 1;
	rig_connect(&s->p->a, &s->p->b);
	send_from(s, &s->p->a, 0, 8192);
	port_set_hook(s->p->rig.dev.port, NULL, NULL);
	assert_true(n > 1);
	assert_int_equal(s->srq->ci, 1);
}

/* An entry that a queue holds does not change while others take and fill newer ones. */
TEST(shared, entries_are_held_apart)
{
	const uint8_t *cqe;

	post_in_order(s, 1);
	begin_message(s);
	entry(s, 1, 2, 8192, 8192);
	entry(s, 2, 3, 16384, 8192);
	post(s, 2);
	send_from(s, &s->d, 100, LONG);
	cqe = rig_cqe(&s->cc);
	assert_int_equal(prm_cqe64_get_user_index(cqe), 0xc);
	assert_int_equal(prm_cqe64_get_wqe_counter(cqe), 1);
	assert_memory_equal(s->p->dst + 8192, s->p->src + 100, LONG);
	rig_pass(&s->p->rig, 1000000000); /* the lost packets are repeated */
	arrived(s, 0, 0, 0, 8192);
	send_one(s, 2, 5, 16384);
}

/* A queue in error flushes the entry that it holds and sends one "last WQE" event. */
TEST(shared, last_entry)
{
	const uint8_t *cqe;
	struct rig *r = &s->p->rig;

	post_in_order(s, 4);
	begin_message(s);
	queue_set_state(&s->p->b.qp->q, QP_ERR);
	rig_settle(r);
	cqe = rig_recv_failed(&s->p->cb, PRM_SYNDROME_WR_FLUSH_ERR);
	assert_int_equal(prm_err_cqe_get_wqe_counter(cqe), 0);
	assert_null(rig_poll(&s->p->cb));
	assert_int_equal(rig_count(r, PRM_EVENT_SRQ_LAST_WQE), 1);
	assert_int_equal(r->event[r->nevents - 1].number, s->p->b.qp->q.o.id);
	queue_set_state(&s->p->b.qp->q, QP_ERR);
	rig_pass(r, 1000000000);
	assert_int_equal(rig_count(r, PRM_EVENT_SRQ_LAST_WQE), 1);
	/* the other queue has the rest */
	send_from(s, &s->d, 0, LEN);
	cqe = rig_cqe(&s->cc);
	assert_int_equal(prm_cqe64_get_wqe_counter(cqe), 1);
}

/* A reset queue's entry is dropped without a CQE; after the reset it takes the next one. */
TEST(shared, reset_drops_the_entry)
{
	post_in_order(s, 2);
	begin_message(s);
	rig_restart(&s->p->a, &s->p->b);
	assert_null(rig_poll(&s->p->cb));
	send_one(s, 1, 3, 8192);
	assert_int_equal(rig_count(&s->p->rig, PRM_EVENT_SRQ_LAST_WQE), 0);
}

/* A link out of the ring fails the SRQ once, and each queue that needs an entry of it. */
TEST(shared, broken_list)
{
	struct rig *r = &s->p->rig;

	entry(s, 0, ENTRIES, 0, LEN);
	post(s, 2);
	send_one(s, 0, 0, 0);
	send_from(s, &s->p->a, 0, LEN);
	send_from(s, &s->d, 0, LEN);
	assert_true(s->srq->failed);
	assert_int_equal(s->p->b.qp->q.state, QP_ERR);
	assert_int_equal(s->c.qp->q.state, QP_ERR);
	assert_int_equal(rig_count(r, PRM_EVENT_SRQ_CATAS_ERROR), 1);
	assert_int_equal(rig_count(r, PRM_EVENT_WQ_CATAS_ERROR), 2);
	assert_null(rig_poll(&s->p->cb));
}

/* The list's end may point anywhere: it is not followed before an entry is posted behind it. */
TEST(shared, end_of_list_is_not_followed)
{
	entry(s, 0, 0xffff, 0, LEN);
	post(s, 1);
	send_one(s, 0, 0, 0);
	rig_pass(&s->p->rig, 1000000000);
	assert_false(s->srq->failed);
}

/* An unreadable record fails the SRQ when a message comes, or when the limit is set. */
TEST(shared, record_gone)
{
	s->srq->dbrec = 16;
	send_from(s, &s->p->a, 0, LEN);
	assert_int_equal(rig_count(&s->p->rig, PRM_EVENT_SRQ_CATAS_ERROR), 1);
	assert_int_equal(s->p->b.qp->q.state, QP_ERR);
	srq_arm(s->srq, 1);
	assert_int_equal(rig_count(&s->p->rig, PRM_EVENT_SRQ_CATAS_ERROR), 1);
}

/* An unmapped ring fails the SRQ, too. */
TEST(shared, ring_gone)
{
	post(s, 1);
	s->srq->ring.offset = 16;
	send_from(s, &s->p->a, 0, LEN);
	assert_int_equal(rig_count(&s->p->rig, PRM_EVENT_SRQ_CATAS_ERROR), 1);
	assert_int_equal(s->p->b.qp->q.state, QP_ERR);
}

/* Keys in entries need the SRQ's PD: a key of the QP's PD is an error of the entry. */
TEST(shared, keys_are_of_the_srqs_pd)
{
	const uint8_t *cqe;

	post_in_order(s, 1);
	s->key->pdn = RIG_PD;
	send_from(s, &s->p->a, 0, LEN);
	cqe = rig_recv_failed(&s->p->cb, PRM_SYNDROME_LOCAL_PROT_ERR);
	assert_int_equal(prm_err_cqe_get_wqe_counter(cqe), 0);
	assert_int_equal(s->p->b.qp->q.state, QP_ERR);
	assert_int_equal(rig_count(&s->p->rig, PRM_EVENT_SRQ_LAST_WQE), 1);
}

/* A record that is more than a ring ahead counts as one ring. */
TEST(shared, record_too_far)
{
	for (uint16_t i = 0; i < ENTRIES; i++)
		entry(s, i, (uint16_t)((i + 1) % ENTRIES), i * 256u, LEN);
	post(s, ENTRIES + 1);
	for (uint16_t i = 0; i < ENTRIES; i++)
		send_one(s, i, i, i * 256u);
	assert_int_equal(s->srq->ci, ENTRIES);
}

/* UC: an entry that is too small ends with an error, and the queue goes on. */
TEST(shared_uc, uc_too_small)
{
	entry(s, 0, 1, 0, LEN - 1);
	entry(s, 1, 2, 8192, LEN);
	post(s, 2);
	send_from(s, &s->p->a, 0, LEN);
	rig_recv_failed(&s->p->cb, PRM_SYNDROME_LOCAL_LENGTH_ERR);
	assert_int_equal(s->p->b.queue->state, QP_RTS);
	send_one(s, 1, 11, 8192);
}

/* UC: a message that lost a packet leaves its entry to the queue's next message. */
TEST(shared_uc, uc_reuses_its_entry)
{
	post_in_order(s, 2);
	begin_message(s);
	rig_connect(&s->p->a, &s->p->b);
	send_from(s, &s->p->a, 9, LEN);
	arrived(s, 0, 9, 0, LEN);
	send_one(s, 1, 11, 8192);
}
