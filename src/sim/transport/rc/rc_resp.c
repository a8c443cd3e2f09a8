/* SPDX-License-Identifier: BSD-2-Clause */
/* The responder of a reliable connection (IBTA vol. 1, 9.7.4, 9.7.5.1 and 9.9.3). */
#include <stdlib.h>
#include <dvx/prm/cqe.h>
#include <dvx/prm/eqe.h>
#include "rc.h"
#include "transport/atomic.h"
#include "obj/qp.h"
#include "obj/srq.h"
#include "obj/device.h"
#include "base/log.h"

static void resp_drop_jobs(struct rc *rc)
{
	struct resp *r = &rc->resp;

	queue_buffer_put(rc->sched->dev->queues, r->job);
	r->job = NULL;
	r->njobs = 0;
}

void resp_clear(struct rc *rc)
{
	resp_drop_jobs(rc);
	free(rc->resp.atomic);
	memset(&rc->resp, 0, sizeof(rc->resp));
}

void resp_start(struct rc *rc, uint32_t psn)
{
	struct resp *r = &rc->resp;

	resp_clear(rc);
	r->epsn = psn & PSN_MASK;
	r->up = true;
}

/* --- answers ------------------------------------------------------------------------------- */

static void send_aeth(struct rc *rc, uint8_t syndrome, uint32_t psn)
{
	struct bth_packet p = {
		.opcode = BTH_ACKNOWLEDGE,
		.last_opcode = BTH_ACKNOWLEDGE,
		.npkts = 1,
		.psn = psn,
		.syndrome = syndrome,
		.msn = rc->resp.msn,
	};
	struct frame *f = rc_frame(rc, 0);

	if (f)
		rc_send(rc, &p, f);
}

/* Sends answers. READ responses go before younger acknowledgements. */
void resp_ack(struct rc *rc)
{
	struct resp *r = &rc->resp;

	if (!r->ack_due || r->njobs)
		return;
	r->ack_due = false;
	send_aeth(rc, r->syndrome, r->syndrome == AETH_ACK ? psn_add(r->epsn, PSN_MASK) : r->epsn);
}

static void rc_resp_answer(struct rc *rc, uint8_t syndrome)
{
	rc->resp.ack_due = true;
	rc->resp.syndrome = syndrome;
	rc_want_ack(rc);
}

static void rc_resp_answer_rnr(struct rc *rc)
{
	rc->resp.nak_sent = true;
	rc_resp_answer(rc, (uint8_t)(AETH_RNR | (rc->qp->min_rnr_nak & 31)));
}

static void receiver_not_ready(struct rc *rc)
{
	rc_stats(rc)->out_of_buffer++;
	rc_resp_answer_rnr(rc);
}

/* Ends the current receive entry, if there is one, with this syndrome; 0: it is flushed. */
static void rc_resp_end_entry(struct rc *rc, uint8_t syndrome)
{
	const struct recv_done done = {.syndrome = syndrome ? syndrome : PRM_SYNDROME_WR_FLUSH_ERR};

	if (rc->resp.msg.recv)
		rq_end(&rc->qp->rq, &done);
	rc->resp.msg.recv = false;
}

static void end_in_error(struct rc *rc)
{
	static const uint8_t events[] = {
		[NAK_INVALID] = PRM_EVENT_WQ_INVAL_REQ_ERROR,
		[NAK_ACCESS] = PRM_EVENT_WQ_ACCESS_ERROR,
		[NAK_OPERATION] = PRM_EVENT_WQ_CATAS_ERROR,
	};
	struct resp *r = &rc->resp;
	uint8_t nak = r->fatal_nak;

	r->ack_due = false;
	/* A NIC never sees a program die before the queue is gone, so the peer gets no NAK. */
	if (!queue_is_orphan(&rc->qp->q) && nak != NAK_NONE)
		send_aeth(rc, (uint8_t)(AETH_NAK | nak), r->epsn);
	/* An error of the entry itself is reported by its CQE, any other error by an event. */
	rc_resp_end_entry(rc, r->fatal_recv);
	if (rc->owner)
		rc->owner->error(rc, r->fatal_recv ? 0 : events[nak]);
	else
		queue_error(&rc->qp->q, r->fatal_recv ? 0 : events[nak]);
}

/* Ends the connection: NAK, the current entry's CQE, ERR. Earlier READs are still answered. */
static void fatal(struct rc *rc, uint8_t nak, uint8_t recv_syndrome)
{
	rc->resp.fatal = true;
	rc->resp.fatal_nak = nak;
	rc->resp.fatal_recv = recv_syndrome;
	if (!rc->resp.njobs)
		end_in_error(rc);
}

static void invalid(struct rc *rc, const char *why)
{
	obj_refuse(&rc->qp->q.o, "invalid request from its peer: %s", why);
	rc_stats(rc)->resp_remote_invalid_request++;
	fatal(rc, NAK_INVALID, 0);
}

/* Reports a failed access. Memory that went with its program is no fault of the program. */
static void rc_report_access(const struct rc *rc, const char *why)
{
	if (!queue_is_orphan(&rc->qp->q))
		obj_refuse(&rc->qp->q.o, "remote access refused: %s", why);
}

static void forbidden(struct rc *rc, const char *why)
{
	rc_report_access(rc, why);
	rc_stats(rc)->resp_remote_access_errors++;
	fatal(rc, NAK_ACCESS, 0);
}

/* --- READ ---------------------------------------------------------------------------------- */

static bool read_allowed(struct rc *rc, const struct bth_packet *p)
{
	if (!rc->qp->rre)
		forbidden(rc, "READ, but qpc.rre is clear");
	else if (p->dma_len > MSG_MAX)
		invalid(rc, "RETH.dmalen is over 2 GiB");
	else if (p->len)
		invalid(rc, "a READ request with a payload");
	else if (p->dma_len &&
		 !remote_check(&rc->qp->q, p->rkey, p->va, p->dma_len, false))
		forbidden(rc, "RETH of a READ");
	else
		return true;
	return false;
}

/* Makes room for jobs or atomics. Without memory a request is dropped, and the peer repeats it. */
static bool resp_has_room(struct rc *rc, bool atomic)
{
	struct resp *r = &rc->resp;

	_Static_assert(READ_JOBS * sizeof(*r->job) <= QUEUE_BUFFER, "they are one buffer");
	if (!r->job)
		r->job = queue_buffer_get(rc->sched->dev->queues);
	if (atomic && !r->atomic)
		r->atomic = calloc(ATOMICS_KEPT, sizeof(*r->atomic));
	return r->job && (!atomic || r->atomic);
}

static void queue_job(struct rc *rc, const struct read_job *job)
{
	struct resp *r = &rc->resp;

	r->job[(r->first_job + r->njobs++) % READ_JOBS] = *job;
	rc_want_run(rc);
}

static void queue_read(struct rc *rc, const struct bth_packet *p)
{
	queue_job(rc, &(struct read_job){.va = p->va,
					 .left = p->dma_len,
					 .rkey = p->rkey,
					 .psn = p->psn,
					 .pdn = rc->qp->q.pdn});
}

/* Returns whether there are too many READs and atomics to answer. If so, NAKs the request. */
static bool too_many_jobs(struct rc *rc)
{
	struct resp *r = &rc->resp;
	unsigned int most = 1u << (rc->qp->log_rra_max & 31);

	if (r->msg.in != OP_NONE)
		invalid(rc, "a READ request or an atomic inside another message");
	else if (r->njobs >= most || r->njobs >= READ_JOBS)
		invalid(rc, "more READs and atomics at once than qpc.log_rra_max allows");
	else
		return false;
	return true;
}

static enum drop rx_read(struct rc *rc, const struct bth_packet *p)
{
	struct resp *r = &rc->resp;

	(void)queue_page_fault(&rc->qp->q);
	if (too_many_jobs(rc) || !read_allowed(rc, p))
		return DROP_NONE;
	if (queue_page_fault(&rc->qp->q)) {
		rc_resp_answer_rnr(rc);
		return DROP_NONE;
	}
	if (!resp_has_room(rc, false))
		return DROP_MEMORY;
	rc_stats(rc)->rx_read_requests++;
	queue_read(rc, p);
	r->epsn = psn_add(r->epsn, message_packets(p->dma_len, rc->mtu));
	r->msn++;
	return DROP_NONE;
}

static void rc_resp_choose_opcodes(struct bth_packet *p, bool first, bool last)
{
	if (p->npkts == 1) {
		p->opcode = first ? (last ? BTH_READ_RESP_ONLY : BTH_READ_RESP_FIRST) :
				    (last ? BTH_READ_RESP_LAST : BTH_READ_RESP_MIDDLE);
		p->last_opcode = p->opcode;
		return;
	}
	p->opcode = first ? BTH_READ_RESP_FIRST : BTH_READ_RESP_MIDDLE;
	p->last_opcode = last ? BTH_READ_RESP_LAST : BTH_READ_RESP_MIDDLE;
}

static void job_done(struct rc *rc)
{
	struct resp *r = &rc->resp;

	r->first_job = (r->first_job + 1) % READ_JOBS;
	if (--r->njobs)
		return;
	resp_drop_jobs(rc);
	if (r->fatal)
		end_in_error(rc);
	else if (r->ack_due)
		rc_want_ack(rc);
}

static void read_failed(struct rc *rc, uint32_t psn)
{
	struct resp *r = &rc->resp;

	resp_drop_jobs(rc);
	r->epsn = psn;
	forbidden(rc, "the memory to READ is gone");
}

static bool send_atomic_ack(struct rc *rc, const struct read_job *job)
{
	struct bth_packet p = {
		.npkts = 1, .syndrome = AETH_ACK, .msn = rc->resp.msn, .psn = job->psn};
	uint8_t hdr[ATOMIC_ACK_LEN];
	struct frame *f = rc_frame(rc, 0);

	if (!f)
		return false;
	atomic_response(&p, job->va, hdr);
	rc_send(rc, &p, f);
	job_done(rc);
	return true;
}

static bool send_read_response(struct rc *rc, struct read_job *job)
{
	struct resp *r = &rc->resp;
	struct bth_packet p = { .syndrome = AETH_ACK, .msn = r->msn, .psn = job->psn };
	struct frame *f;
	uint64_t most;
	size_t n;

	most = (uint64_t)roce_port_burst(&rc->path, rc->mtu) * rc->mtu;
	n = (size_t)(job->left < most ? job->left : most);
	f = rc_frame(rc, n);
	if (!f)
		return false;
	rc->qp->q.pdn = job->pdn;
	if (n && !remote_read(&rc->qp->q, job->rkey, job->va, n, f->data)) {
		frame_free(f);
		read_failed(rc, job->psn);
		return true;
	}
	p.npkts = message_packets(n, rc->mtu);
	rc_resp_choose_opcodes(&p, !job->started, n == job->left);
	rc_send(rc, &p, f);
	job->started = true;
	job->va += n;
	job->left -= n;
	job->psn = psn_add(job->psn, p.npkts);
	if (bth_row(p.last_opcode)->ends)
		job_done(rc);
	return true;
}

bool resp_run(struct rc *rc)
{
	struct read_job *job;

	if (!rc->resp.njobs || !rc_port_room(rc))
		return false;
	job = &rc->resp.job[rc->resp.first_job];
	return job->atomic ? send_atomic_ack(rc, job) : send_read_response(rc, job);
}

/* --- atomics ------------------------------------------------------------------------------- */

static unsigned int atomics_kept(const struct rc *rc)
{
	unsigned int kept = 1u << (rc->qp->log_rra_max & 31);

	return kept < ATOMICS_KEPT ? kept : ATOMICS_KEPT;
}

/* Does an atomic when it comes. Its response waits for those of earlier READs. */
static enum drop rx_atomic(struct rc *rc, const struct bth_packet *p)
{
	struct resp *r = &rc->resp;
	struct atomic_result a;

	if (too_many_jobs(rc))
		return DROP_NONE;
	if (!resp_has_room(rc, true))
		return DROP_MEMORY;
	a = atomic_take(rc->qp, p);
	if (a.end == ATOMIC_NO_PAGE)
		rc_resp_answer_rnr(rc);
	else if (a.end == ATOMIC_INVALID)
		invalid(rc, a.why);
	else if (a.end == ATOMIC_FORBIDDEN)
		forbidden(rc, a.why);
	if (a.end)
		return DROP_NONE;
	r->atomic[r->next_atomic] =
		(struct atomic_done){.old = a.old, .psn = p->psn, .valid = true};
	r->next_atomic = (r->next_atomic + 1) % atomics_kept(rc);
	r->epsn = psn_add(r->epsn, 1);
	r->msn++;
	queue_job(rc, &(struct read_job){.atomic = true, .va = a.old, .psn = p->psn});
	return DROP_NONE;
}

uint64_t resp_take_atomic(struct rc *rc)
{
	uint64_t old = rc->resp.job[rc->resp.first_job].va;

	job_done(rc);
	return old;
}

/* Returns the kept result, or NULL; PSNs repeat after a wrap: the newest of this number counts. */
static const struct atomic_done *atomic_kept(const struct rc *rc, uint32_t psn)
{
	const struct resp *r = &rc->resp;
	const unsigned int kept = atomics_kept(rc);

	for (unsigned int age = 1; r->atomic && age <= kept; age++) {
		const struct atomic_done *a = &r->atomic[(r->next_atomic + kept - age) % kept];

		if (a->valid && a->psn == psn)
			return a;
	}
	return NULL;
}

/* --- SEND and WRITE ------------------------------------------------------------------------ */

/*
 * Takes a refused WRITE's receive entry. IBTA vol. 1, 9.9.3: an error that belongs to a receive
 * entry completes it, any other makes an event. A WRITE whose RETH came with its immediate data
 * belongs to the entry that it would take: Local Access Error. [I] A NIC may also flush the entry
 * and make an event.
 */
static bool take_entry(struct rc *rc, const struct bth_packet *p)
{
	struct resp *r = &rc->resp;

	if (!p->ends || !bth_row(p->last_opcode)->imm)
		return false;
	r->msg.recv = r->msg.recv || (p->starts && rq_begin(rc->qp->q.rq));
	return r->msg.recv && r->up;
}

static void rc_resp_forbid(struct rc *rc, const struct bth_packet *p, const char *why)
{
	uint8_t syndrome = take_entry(rc, p) ? PRM_SYNDROME_LOCAL_ACCESS_ERR : 0;

	rc_report_access(rc, why);
	rc_stats(rc)->resp_remote_access_errors++;
	fatal(rc, NAK_ACCESS, syndrome);
}

/* A key that can't be invalidated is fault class J (IBTA 9.9.6.3; Linux rxe_resp.c): no NAK. */
static uint8_t nak_of_receive(uint8_t syndrome)
{
	if (syndrome == PRM_SYNDROME_REMOTE_INVAL_REQ_ERR)
		return NAK_NONE;
	return syndrome == PRM_SYNDROME_LOCAL_LENGTH_ERR ? NAK_INVALID : NAK_OPERATION;
}

static void rc_resp_fail(struct rc *rc, const struct bth_packet *p, const struct message_result *m)
{
	switch (m->end) {
	case MESSAGE_NO_RECEIVE:
		if (rc->resp.up) /* otherwise the queue went to ERR */
			receiver_not_ready(rc);
		break;
	case MESSAGE_NO_PAGE:
		rc_resp_answer_rnr(rc);
		break;
	case MESSAGE_INVALID:
		invalid(rc, m->why);
		break;
	case MESSAGE_FORBIDDEN:
		rc_resp_forbid(rc, p, m->why);
		break;
	default:
		fatal(rc, nak_of_receive(m->syndrome), m->syndrome);
	}
}

/* Takes a packet. Returns false if it was answered by a NAK. */
static bool rc_resp_take(struct rc *rc, const struct bth_packet *p)
{
	struct resp *r = &rc->resp;
	struct message_result m = message_take(&r->msg, rc->qp, p, rc->mtu);

	if (m.end) {
		rc_resp_fail(rc, p, &m);
		return false;
	}
	r->epsn = psn_add(r->epsn, p->npkts);
	if (p->ack_req)
		rc_resp_answer(rc, AETH_ACK);
	if (p->ends) {
		r->msn++;
		message_done(&r->msg, rc->qp, p);
	}
	return true;
}

static void rx_data(struct rc *rc, struct bth_packet *p)
{
	struct bth_packet head;

	if (message_split(p, rc->mtu, &head) && !rc_resp_take(rc, &head))
		return;
	rc_resp_take(rc, p);
}

/* --- order --------------------------------------------------------------------------------- */

/* Answers a repeated READ. A NAK has its PSN, not that of the next request. */
static void read_again(struct rc *rc, const struct bth_packet *p)
{
	const uint32_t epsn = rc->resp.epsn;

	rc->resp.epsn = p->psn;
	if (!read_allowed(rc, p))
		return;
	rc->resp.epsn = epsn;
	queue_read(rc, p);
}

/*
 * Handles a repeated request: acknowledges again, and answers READs and atomics again. An atomic
 * that is no longer kept is dropped and changes nothing.
 */
static enum drop rx_duplicate(struct rc *rc, const struct bth_packet *p)
{
	const struct atomic_done *done = p->op == OP_ATOMIC ? atomic_kept(rc, p->psn) : NULL;
	struct resp *r = &rc->resp;

	rc_stats(rc)->duplicate_request += p->npkts;
	if (p->op != OP_READ_REQUEST && p->op != OP_ATOMIC) {
		if (!r->ack_due)
			rc_resp_answer(rc, AETH_ACK);
		return DROP_NONE;
	}
	if (p->op == OP_ATOMIC && !done)
		return DROP_ANSWERED;
	while (r->njobs && psn_diff(r->job[(r->first_job + r->njobs - 1) % READ_JOBS].psn,
				    p->psn) >= 0)
		r->njobs--;
	if (r->njobs == READ_JOBS)
		return DROP_BUSY;
	if (!resp_has_room(rc, false))
		return DROP_MEMORY;
	if (done)
		queue_job(rc, &(struct read_job){.atomic = true, .va = done->old, .psn = p->psn});
	else
		read_again(rc, p);
	return DROP_NONE;
}

/* Uses this SRQ from now on. [I] An entry of another one, whose message waits for a page, ends. */
static void rc_resp_use(struct rc *rc, struct srq *srq)
{
	if (rc->qp->rq.srq != srq)
		rc_resp_end_entry(rc, 0);
	rq_serve(&rc->qp->rq, srq);
}

/*
 * XRC: sets the SRQ that the request names, whose PD then applies (annex A14). A message keeps its
 * first packet's SRQ. Returns false if the request was answered by a NAK.
 */
static bool rc_resp_serve(struct rc *rc, const struct bth_packet *p)
{
	struct qp *qp = rc->qp;
	struct srq *srq;

	if (BTH_TYPE(p->opcode) != BTH_XRC)
		return true;
	srq = obj_find(qp->q.o.vhca, OBJ_SRQ, p->srqn);
	if (!srq || !srq->xrcd || srq->xrcd != qp->xrcd) {
		rc->resp.epsn = p->psn; /* of a repeated READ, as in read_again() */
		invalid(rc, "XRCETH.xrcsrq names no XRC SRQ of this queue pair's domain");
		return false;
	}
	/* [I] A READ is independent of the message being received, or to be repeated. */
	if (rc->resp.msg.in != OP_NONE && p->op != OP_READ_REQUEST && qp->rq.srq != srq) {
		invalid(rc,
			"XRCETH.xrcsrq names another SRQ than the message's first packet, or one "
			"made since");
		return false;
	}
	if (rc->resp.msg.in == OP_NONE && p->op != OP_READ_REQUEST)
		rc_resp_use(rc, srq);
	qp->q.pdn = srq->pdn;
	return true;
}

/* Handles a packet behind a gap; only the first one is answered. */
static enum drop resp_gap(struct rc *rc, const struct bth_packet *p)
{
	rc_stats(rc)->out_of_sequence += p->npkts;
	if (rc->resp.nak_sent)
		return DROP_PSN;
	rc->resp.nak_sent = true;
	rc_resp_answer(rc, AETH_NAK | NAK_PSN);
	return DROP_NONE;
}

/* Refuses a burst as message_take() refuses a packet that is not as long as the path MTU. */
static enum drop resp_misfit(struct rc *rc, bool repeated)
{
	if (repeated)
		return DROP_BURST;
	invalid(rc, "packets of another path MTU");
	return DROP_NONE;
}

static enum drop resp_take(struct rc *rc, struct bth_packet *p)
{
	rc->resp.nak_sent = false;
	if (p->op == OP_READ_REQUEST)
		return rx_read(rc, p);
	if (p->op == OP_ATOMIC)
		return rx_atomic(rc, p);
	rx_data(rc, p);
	return DROP_NONE;
}

enum drop resp_rx(struct rc *rc, struct bth_packet *p)
{
	struct resp *r = &rc->resp;
	int32_t d = psn_diff(p->psn, r->epsn);

	if (r->fatal)
		return DROP_FAILED;
	if (d > 0)
		return resp_gap(rc, p);
	if ((!d || p->op == OP_READ_REQUEST) && !rc_resp_serve(rc, p))
		return DROP_NONE;
	if (!bth_cut_for(p, rc->mtu))
		return resp_misfit(rc, d < 0);
	if (d < 0 && p->op != OP_READ_REQUEST && (uint32_t)-d < p->npkts)
		bth_skip(p, (uint32_t)-d, rc->mtu);
	else if (d < 0)
		return rx_duplicate(rc, p);
	return resp_take(rc, p);
}
