/* SPDX-License-Identifier: BSD-2-Clause */
/* Records calls in place of checking them: the program's side of dvx-sim record (doc/design/0104). */
#include "watch.h"

#include <errno.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "record/record.h"

static const char *record_path; /* NULL: calls are not recorded */

__attribute__((constructor)) static void watch_record_ask(void)
{
	const char *path = getenv(CHECK_RECORD);

	record_path = path ? strdup(path) : NULL;
}

static void watch_record_start(void)
{
	const int err = record_path ? record_open(record_path, program_invocation_short_name) : 0;

	if (err)
		fprintf(stderr, "dvx-sim record: can't record %s to %s: %s\n",
			program_invocation_short_name, record_path, strerror(-err));
}

void watch_record_open(void)
{
	static pthread_once_t once = PTHREAD_ONCE_INIT;

	pthread_once(&once, watch_record_start);
}

bool watch_records(void)
{
	return record_path;
}

uint64_t watch_since(void)
{
	return record_is_on() ? record_now() : 0;
}

void watch_called(uint64_t since, int err, uint32_t object, const char *fmt, ...)
{
	struct record_call *r;
	char text[200];
	va_list args;

	if (!since)
		return;
	va_start(args, fmt);
	vsnprintf(text, sizeof(text), fmt, args);
	va_end(args);
	r = record_begin(RECORD_CALL, sizeof(*r) + strlen(text) + 1, since);
	if (!r)
		return;
	r->err = err;
	r->object = object;
	strcpy((char *)(r + 1), text);
	record_end(r);
}

/* Returns 16 bits of a mailbox's head, big-endian. */
static uint16_t watch_devx_word(const void *in, size_t in_len, size_t at)
{
	const uint8_t *head = in;

	if (in_len < at + 2)
		return 0;
	return (uint16_t)(head[at] << 8 | head[at + 1]);
}

void watch_record_devx(uint64_t since, int err, const void *in, size_t in_len, const void *out,
		       size_t out_len)
{
	const uint16_t opcode = watch_devx_word(in, in_len, 0);
	const uint16_t in_kept = record_mailbox(opcode, in_len),
		       out_kept = record_mailbox(opcode, out_len);
	struct record_command *r =
		since ? record_begin(RECORD_COMMAND, sizeof(*r) + in_kept + out_kept, since) : NULL;

	if (!r)
		return;
	*r = (struct record_command){.opcode = opcode,
				     .op_mod = watch_devx_word(in, in_len, 6),
				     .vhca = RECORD_NO_VHCA,
				     .in_len = (uint32_t)in_len,
				     .out_len = (uint32_t)out_len,
				     .in_kept = in_kept,
				     .out_kept = out_kept,
				     .err = err};
	memcpy(r + 1, in, in_kept);
	memcpy((uint8_t *)(r + 1) + in_kept, out, out_kept);
	record_end(r);
}

/* --- posts ----------------------------------------------------------------------------------- */

static void watch_record_request(const struct record_post *request, uint64_t since)
{
	struct record_post *r = record_begin(RECORD_POST, sizeof(*r), since);

	if (!r)
		return;
	*r = *request;
	record_end(r);
}

static uint32_t watch_sge_bytes(const struct ibv_sge *s, int n)
{
	uint32_t bytes = 0;

	for (int i = 0; i < n; i++)
		bytes += s[i].length;
	return bytes;
}

/*
 * The requests of a call. They are copied before it: when it returns, a thread that polled their
 * completions may have freed them.
 */
struct watch_requests {
	struct record_post few[16], *all;
	uint32_t n;
	uint64_t since;
};

static void watch_requests_begin(struct watch_requests *r, uint32_t n)
{
	r->n = n;
	r->all = n <= sizeof(r->few) / sizeof(r->few[0]) ? r->few : malloc(n * sizeof(*r->all));
	r->n = r->all ? n : 0;
}

/* Records the requests up to the first of the `left` ones that were refused, which has the error. */
static void watch_requests_end(struct watch_requests *r, int err, uint32_t left)
{
	const uint32_t posted = r->n - left;

	for (uint32_t i = 0; i < r->n && i <= posted; i++) {
		r->all[i].err = i == posted ? err : 0;
		watch_record_request(&r->all[i], r->since);
	}
	if (r->all != r->few)
		free(r->all);
}

static void watch_requests_send(struct watch_requests *r, uint32_t qp_num,
				const struct ibv_send_wr *w)
{
	watch_requests_begin(r, watch_sends(w));
	for (uint32_t i = 0; i < r->n; i++, w = w->next)
		r->all[i] = (struct record_post){.wr_id = w->wr_id,
						 .queue = qp_num,
						 .ring = RECORD_SQ,
						 .sges = (uint16_t)w->num_sge,
						 .opcode = w->opcode,
						 .flags = w->send_flags,
						 .bytes = watch_sge_bytes(w->sg_list, w->num_sge),
						 .nth = i};
	r->since = record_now();
}

static uint32_t watch_receives(const struct ibv_recv_wr *w)
{
	uint32_t n = 0;

	for (; w; w = w->next)
		n++;
	return n;
}

static void watch_requests_receive(struct watch_requests *r, enum record_ring ring, uint32_t queue,
				   const struct ibv_recv_wr *w)
{
	watch_requests_begin(r, watch_receives(w));
	for (uint32_t i = 0; i < r->n; i++, w = w->next)
		r->all[i] = (struct record_post){.wr_id = w->wr_id,
						 .queue = queue,
						 .ring = (uint16_t)ring,
						 .sges = (uint16_t)w->num_sge,
						 .bytes = watch_sge_bytes(w->sg_list, w->num_sge),
						 .nth = i};
	r->since = record_now();
}

int watch_record_post_send(struct ibv_qp *qp, struct ibv_send_wr *wr, struct ibv_send_wr **bad)
{
	struct watch_requests r;
	int err;

	watch_requests_send(&r, qp->qp_num, wr);
	err = watch_context_of(qp->context)->real.post_send(qp, wr, bad);
	watch_requests_end(&r, err, err ? watch_sends(*bad) : 0);
	return err;
}

int watch_record_post_recv(struct ibv_qp *qp, struct ibv_recv_wr *wr, struct ibv_recv_wr **bad)
{
	struct watch_requests r;
	int err;

	watch_requests_receive(&r, RECORD_RQ, qp->qp_num, wr);
	err = watch_context_of(qp->context)->real.post_recv(qp, wr, bad);
	watch_requests_end(&r, err, err ? watch_receives(*bad) : 0);
	return err;
}

int watch_record_post_srq_recv(struct ibv_srq *srq, struct ibv_recv_wr *wr,
			       struct ibv_recv_wr **bad)
{
	struct watch_requests r;
	int err;

	watch_requests_receive(&r, RECORD_SRQ, srq->handle, wr);
	err = watch_context_of(srq->context)->real.post_srq_recv(srq, wr, bad);
	watch_requests_end(&r, err, err ? watch_receives(*bad) : 0);
	return err;
}

void watch_record_batch(struct watch_qp *q, int err, uint64_t since)
{
	for (uint32_t i = q->batch; i != q->sq.head; i++) {
		const struct watch_work *w = watch_work_at(&q->sq, i);

		watch_record_request(
			&(struct record_post){
				.wr_id = w->wr_id,
				.queue = q->qp->qp_num,
				.ring = RECORD_SQ,
				.sges = (uint16_t)w->sges,
				.opcode = w->opcode,
				.flags = (w->signaled ? (uint32_t)IBV_SEND_SIGNALED : 0) |
					 (w->inlined ? (uint32_t)IBV_SEND_INLINE : 0),
				.bytes = w->bytes,
				.err = err,
				.nth = i - q->batch},
			since);
	}
	q->sq.head = q->batch;
}

/* --- polls ----------------------------------------------------------------------------------- */

/* A failed completion has neither opcode nor length. */
static void watch_record_completion(const struct ibv_cq *cq, const struct ibv_wc *wc)
{
	struct watch_cq *c = watch_cq_of(cq);
	struct record_completion *r = record_begin(RECORD_COMPLETION, sizeof(*r), 0);

	if (!r)
		return;
	*r = (struct record_completion){.wr_id = wc->wr_id,
					.empty = c ? atomic_exchange(&c->empty, 0) : 0,
					.cq = cq->handle,
					.qp = wc->qp_num,
					.status = wc->status,
					.opcode = wc->status ? 0 : wc->opcode,
					.bytes = wc->status ? 0 : wc->byte_len,
					.vendor_err = wc->vendor_err};
	record_end(r);
}

static void watch_record_empty(const struct ibv_cq *cq)
{
	struct watch_cq *c = watch_cq_of(cq);

	if (c)
		c->empty++;
}

int watch_record_poll_cq(struct ibv_cq *cq, int n, struct ibv_wc *wc)
{
	const int got = watch_context_of(cq->context)->real.poll_cq(cq, n, wc);

	for (int i = 0; i < got; i++)
		watch_record_completion(cq, &wc[i]);
	if (!got)
		watch_record_empty(cq);
	return got;
}

/* Fields of a failed completion do not hold. */
static void watch_record_polled_ex(struct ibv_cq_ex *ex)
{
	struct ibv_cq *cq = ibv_cq_ex_to_cq(ex);
	const struct watch_cq *c = watch_cq_of(cq);
	struct ibv_wc wc = {.wr_id = ex->wr_id, .status = ex->status};

	if (c->real.read_qp_num)
		wc.qp_num = c->real.read_qp_num(ex);
	if (ex->status == IBV_WC_SUCCESS)
		wc.opcode = c->real.read_opcode(ex);
	else
		wc.vendor_err = c->real.read_vendor_err(ex);
	if (ex->status == IBV_WC_SUCCESS && c->real.read_byte_len)
		wc.byte_len = c->real.read_byte_len(ex);
	watch_record_completion(cq, &wc);
}

int watch_record_start_poll(struct ibv_cq_ex *ex, struct ibv_poll_cq_attr *attr)
{
	const struct watch_cq *c = watch_cq_of(ibv_cq_ex_to_cq(ex));
	const int err = c->real.start_poll(ex, attr);

	if (!err)
		watch_record_polled_ex(ex);
	else
		watch_record_empty(c->cq);
	return err;
}

int watch_record_next_poll(struct ibv_cq_ex *ex)
{
	const int err = watch_cq_of(ibv_cq_ex_to_cq(ex))->real.next_poll(ex);

	if (!err)
		watch_record_polled_ex(ex);
	return err;
}

int watch_record_req_notify_cq(struct ibv_cq *cq, int solicited_only)
{
	const uint64_t since = record_now();
	const int err = watch_context_of(cq->context)->real.req_notify_cq(cq, solicited_only);

	watch_called(since, err, cq->handle, "ibv_req_notify_cq solicited_only %d", solicited_only);
	return err;
}
