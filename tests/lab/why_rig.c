/* SPDX-License-Identifier: BSD-2-Clause */
/* Proves the findings that programs reach by time, by raw WQEs or by a wire only: each state of a
 * queue has its own finding, one that went on has none, and a finding lasts until its queue moves. */
#include "tests/test.h"
#include <stdio.h>
#include "lab/why.h"
#include "queue/queue.h"
#include "tests/queue/queue_rig.h"

#define LEN    64u
#define SECOND 1000000000ull

struct findings {
	char text[2048]; /* "OBJECT.KIND", each in brackets */
	struct lab_finding first, last;
	int unread;
};

static void findings_add(void *ctx, UNUSED const struct obj *o, const struct lab_finding *f)
{
	struct findings *all = ctx;
	const size_t n = strlen(all->text);

	snprintf(all->text + n, sizeof(all->text) - n, "[%s.%s]", f->object, finding_name(f->kind));
	all->first = n ? all->first : *f;
	all->last = *f;
}

static int findings_unread(void *ctx, UNUSED const struct cq *cq)
{
	return ((const struct findings *)ctx)->unread;
}

static struct findings findings_now(struct rig *rig, int unread)
{
	struct findings all = {.unread = unread};
	const struct why_sink sink = {
		.found = findings_add, .unread = findings_unread, .ctx = &all};

	why_device(&rig->dev, &sink);
	return all;
}

static void findings_are(struct rig *rig, const char *text)
{
	assert_string_equal(findings_now(rig, -1).text, text);
}

static void findings_sentence(struct rig *rig, const char *want)
{
	const struct findings all = findings_now(rig, -1);
	char text[FINDING_TEXT];

	finding_sentence(&all.last, text, sizeof(text));
	assert_string_equal(text, want);
}

TEST(pair, idle_queues)
{
	findings_are(&p->rig, "");
	rig_nops(p, 3);
	rig_drain(&p->ca);
	findings_are(&p->rig, "");
}

TEST(pair, refused_and_then_posted)
{
	p->a.qp->rnr_retry = 7;
	p->b.qp->min_rnr_nak = 0; /* 655 ms */
	rig_message(&p->a, SIGNALED, "hello");
	rig_run(&p->a);
	findings_are(&p->rig, "[qp.rnr][qp.refused]");
	rig_recv(&p->b, p->dst, LEN, rig_key(p->md));
	findings_are(&p->rig, "[qp.rnr_timer][qp.receives]");
	rig_pass(&p->rig, SECOND);
	findings_are(&p->rig, "[cq.cqes][cq.cqes]");
}

/* A request that is refused again stays where it is; one that is done, not. */
TEST(pair, findings_last)
{
	struct lab_finding first, again;

	p->a.qp->rnr_retry = 7;
	rig_message(&p->a, SIGNALED, "hello");
	rig_run(&p->a);
	rig_qp_close(&p->b);
	first = findings_now(&p->rig, -1).last;
	rig_pass(&p->rig, SECOND);
	again = findings_now(&p->rig, -1).last;
	assert_true(finding_lasts(&first, &first));
	assert_false(finding_lasts(&first, &again)); /* refused, then unanswered: it goes on */
	again = first;
	again.at++;
	assert_false(finding_lasts(&first, &again));
	rig_qp_open(&p->rig, &p->b, BLUEFIELD2_HOST, &p->cb, &p->cb, 4, 3);
}

static void findings_lose(UNUSED void *none, UNUSED struct port *port, struct frame *f)
{
	frame_free(f);
}

TEST(pair, lost)
{
	port_set_hook(p->rig.dev.port, findings_lose, NULL);
	p->a.qp->ack_timeout = 14;
	rig_do(p, PRM_WQE_OPCODE_RDMA_WRITE, 0, LEN);
	findings_are(&p->rig, "[qp.no_answer]");
	p->a.qp->ack_timeout = 0;
	findings_are(&p->rig, "[qp.no_answer_no_timeout]");
	p->b.queue->state = QP_ERR;
	findings_are(&p->rig, "[qp.peer_state][qp.error_state]");
}

TEST(pair, waits_for_a_cq)
{
	struct rig_wqe w = rig_begin(&p->a, PRM_WQE_OPCODE_WAIT, SIGNALED, 0);

	memset(w.bytes + 16, 0, 16);
	prm_wqe_qseg_set_max_index(w.bytes + 16, 2);
	prm_wqe_qseg_set_qpn_cqn(w.bytes + 16, p->cb.cq->o.id);
	w.ds++;
	rig_end(&w);
	rig_run(&p->a);
	findings_are(&p->rig, "[qp.wait]");
	assert_int_equal(findings_now(&p->rig, -1).last.n[1], 2);
}

TEST(pair, managed)
{
	p->a.qp->sq.managed = true;
	rig_nop(&p->a);
	rig_ring(&p->a);
	p->a.qp->sq.pi = p->a.qp->sq.ci; /* as before SEND_EN */
	findings_are(&p->rig, "[qp.managed]");
	findings_sentence(&p->rig,
			  "WQEs from 0 on (1 block) are posted, and no SEND_EN has enabled them");
}

/* A position tells one lap of a ring from the next: the PSN goes on where the index begins anew. */
TEST(pair, a_lap_is_motion)
{
	struct findings all;

	p->a.qp->rnr_retry = 7;
	p->b.qp->min_rnr_nak = 0;
	rig_recv(&p->b, p->dst, LEN, rig_key(p->md));
	rig_message(&p->a, SIGNALED, "hello");
	rig_run(&p->a);
	rig_message(&p->a, SIGNALED, "hello");
	rig_run(&p->a);
	all = findings_now(&p->rig, -1);
	assert_non_null(strstr(all.text, "[qp.rnr]"));
	assert_int_equal((uint16_t)all.first.at, 1);
	assert_int_not_equal(all.first.at >> 16, 0);
	rig_recv(&p->b, p->dst, LEN, rig_key(p->md));
	rig_pass(&p->rig, SECOND);
}

/* SEND_EN may go beyond the record: nothing is left then. */
TEST(pair, managed_and_enabled)
{
	p->a.qp->sq.managed = true;
	p->a.qp->sq.pi = p->a.qp->sq.done = 3;
	findings_are(&p->rig, "");
}

/* The transport is ready, and the WQE's turn has not come: its queue is paced, or has no leaves. */
TEST(pair, pending)
{
	p->a.qp->sq.pi++;
	findings_are(&p->rig, "[qp.pending]");
	findings_sentence(&p->rig, "WQEs from 0 on (1 block) are not done");
}

TEST(pair, srq_failed)
{
	struct rig_srq srq = {0};

	rig_srq_open(&p->rig, &srq, p->b.qp->q.pdn);
	srq.srq->failed = true;
	findings_are(&p->rig, "[srq.srq_failed]");
	findings_sentence(&p->rig, "it has failed and gives out no receives");
	rig_srq_close(&srq);
}

/* The receiver is refused by a peer that no function of this chip is. */
TEST(pair, refused_by_a_far_peer)
{
	p->a.qp->rnr_retry = 7;
	p->b.qp->min_rnr_nak = 0;
	rig_message(&p->a, SIGNALED, "hello");
	rig_run(&p->a);
	p->a.qp->rgid[15] ^= 0x80;
	findings_are(&p->rig, "[qp.rnr_far][qp.refused]");
	p->a.qp->rgid[15] ^= 0x80;
	rig_recv(&p->b, p->dst, LEN, rig_key(p->md));
	rig_pass(&p->rig, SECOND);
}

TEST(pair, moderated)
{
	p->ca.cq->max_count = 3;
	cq_moderate(p->ca.cq);
	rig_arm(&p->ca, 0, false);
	rig_nops(p, 2);
	findings_are(&p->rig, "[cq.cqes_moderated]");
	findings_sentence(
		&p->rig,
		"2 CQEs that the program has not taken; the event waits for 3 CQEs or 0 us");
}

TEST(pair, event_of_an_empty_cq)
{
	rig_arm(&p->ca, 0, false);
	rig_nops(p, 1);
	rig_drain(&p->ca);
	assert_string_equal(findings_now(&p->rig, 1).text, "[cq.event_unread][cq.event_unread]");
	assert_string_equal(findings_now(&p->rig, 0).text, "[cq.unarmed]");
}

TEST(pair, link)
{
	p->rig.dev.link_down = true;
	findings_are(&p->rig, "[port.link_down]");
}

/* Each number has a name, each name a number, and no sentence is cut. */
TEST(none, sentences)
{
	char name[32], text[FINDING_TEXT];

	for (unsigned int kind = 0; kind < FINDINGS; kind++) {
		struct lab_finding f = {.kind = kind};
		unsigned int n = 0;

		for (unsigned int i = 0; i < FINDING_NUMBERS; i++)
			f.n[i] = UINT64_MAX;
		while (finding_number_name(kind, n, name, sizeof(name)))
			n++;
		assert_in_range(n, 0, FINDING_NUMBERS);
		finding_sentence(&f, text, sizeof(text));
		assert_null(strpbrk(text, "{}"));
		assert_in_range(strlen(text), 1, FINDING_TEXT - 2);
	}
}
