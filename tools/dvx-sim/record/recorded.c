/* SPDX-License-Identifier: BSD-2-Clause */
/* An event of a recording as a line of text, in the words of --trace. */
#include "recording.h"

#include <errno.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include "src/prm/reflect.h"

/* A line that is put together; what does not fit is cut. */
struct recorded_line {
	char *text;
	size_t size, len;
};

__attribute__((format(printf, 2, 3))) static void recorded_add(struct recorded_line *l,
							       const char *fmt, ...)
{
	va_list args;
	int n;

	va_start(args, fmt);
	n = vsnprintf(l->text + l->len, l->size - l->len, fmt, args);
	va_end(args);
	l->len += n > 0 ? (size_t)n : 0;
	l->len = l->len < l->size ? l->len : l->size - 1;
}

static void recorded_add_struct(struct recorded_line *l, const char *name,
				const struct prm_struct *s, const void *bytes, size_t len)
{
	recorded_add(l, " ");
	if (s)
		prm_print_line(l->text + l->len, l->size - l->len, s, bytes, len);
	else
		recorded_add(l, "%s", name);
	l->len = strlen(l->text);
}

const char *recorded_kind(const struct record_head *h)
{
	static const char *const names[RECORD_KINDS] = {
		[RECORD_PROCESS] = "process",	[RECORD_COMMAND] = "command",
		[RECORD_DOORBELL] = "doorbell", [RECORD_WQE] = "wqe",
		[RECORD_CQE] = "cqe",		[RECORD_EQE] = "eqe",
		[RECORD_RETRY] = "retry",	[RECORD_CALL] = "call",
		[RECORD_POST] = "post",		[RECORD_COMPLETION] = "completion",
	};

	return h->kind < RECORD_KINDS && names[h->kind] ? names[h->kind] : "unknown";
}

const char *recorded_queue(unsigned int ring)
{
	return ring == RECORD_SRQ ? "srq" : "qp";
}

const char *recorded_ring(unsigned int ring)
{
	static const char *const names[] = {
		[RECORD_SQ] = "sq", [RECORD_RQ] = "rq", [RECORD_SRQ] = "entry"};

	return names[ring];
}

/* --- the device's ---------------------------------------------------------------------------- */

const struct prm_struct *recorded_reply(const struct record_command *c, size_t *at)
{
	*at = 0;
	if (c->opcode != PRM_OPCODE_QUERY_HCA_CAP || c->out_kept < 16 || *recorded_out(c))
		return prm_command_out(c->opcode);
	*at = 16; /* the page follows the status */
	return prm_capability(c->op_mod >> 1);
}

static void recorded_command(struct recorded_line *l, const struct record_command *c, bool reply)
{
	size_t at = 0;
	const struct prm_struct *s = reply ? recorded_reply(c, &at) : prm_command_in(c->opcode);
	const uint8_t *bytes = reply ? recorded_out(c) : recorded_in(c);
	const size_t kept = reply ? c->out_kept : c->in_kept;

	if (c->vhca == RECORD_NO_VHCA)
		recorded_add(l, "devx%c %s", reply ? '<' : '>', prm_opcode_name(c->opcode));
	else
		recorded_add(l, "cmd%c vhca %u uid %u %s", reply ? '<' : '>', c->vhca, c->uid,
			     prm_opcode_name(c->opcode));
	if (reply && c->err)
		recorded_add(l, " failed: %s;", strerror(c->err));
	recorded_add_struct(l, "", s, bytes + at, kept - at);
}

static void recorded_doorbell(struct recorded_line *l, const struct record_doorbell *d)
{
	const char *name = d->arm ? "uar_cq_db" : "uar_sq_db";

	recorded_add(l, "doorbell uar %u offset 0x%x", d->uar, d->offset);
	recorded_add_struct(l, name, prm_find_struct(name), &d->be_value, sizeof(d->be_value));
}

static void recorded_wqe(struct recorded_line *l, const struct record_wqe *w)
{
	recorded_add(l, "wqe %s 0x%x %s %u", recorded_queue(w->ring), w->queue,
		     recorded_ring(w->ring), w->index);
	recorded_add_struct(l, w->layout, prm_find_struct(w->layout), w + 1, w->kept);
}

const char *recorded_layout(const struct record_cqe *c)
{
	const unsigned int opcode = c->bytes[63] >> 4;

	return opcode == PRM_CQE_OPCODE_REQ_ERR || opcode == PRM_CQE_OPCODE_RESP_ERR ? "err_cqe"
										     : "cqe64";
}

static void recorded_cqe(struct recorded_line *l, const struct record_cqe *c)
{
	const char *name = recorded_layout(c);

	recorded_add(l, "cqe cq 0x%x index %u", c->cq, c->index);
	recorded_add_struct(l, name, prm_find_struct(name), c->bytes, sizeof(c->bytes));
}

static void recorded_eqe(struct recorded_line *l, const struct record_eqe *e)
{
	recorded_add(l, "eqe eqn %u", e->eqn);
	recorded_add_struct(l, "eqe", prm_find_struct("eqe"), e->bytes, sizeof(e->bytes));
}

static void recorded_retry(struct recorded_line *l, const struct record_retry *r)
{
	recorded_add(l, "retry qp 0x%x from sq %u on: ", r->queue, r->index);
	if (r->rnr_ns)
		recorded_add(l, "the peer had no receive (RNR), wait %" PRIu64 " ns", r->rnr_ns);
	else
		recorded_add(l, "packets were lost");
}

/* --- the program's --------------------------------------------------------------------------- */

static void recorded_err(struct recorded_line *l, int32_t err)
{
	if (err)
		recorded_add(l, " failed: %s", strerror(err));
}

static void recorded_call(struct recorded_line *l, const struct record_call *c)
{
	recorded_add(l, "call %s -> 0x%x", (const char *)(c + 1), c->object);
	recorded_err(l, c->err);
}

const char *recorded_opcode(const struct record_post *p)
{
	static const char *const names[] = {"RDMA_WRITE",
					    "RDMA_WRITE_WITH_IMM",
					    "SEND",
					    "SEND_WITH_IMM",
					    "RDMA_READ",
					    "ATOMIC_CMP_AND_SWP",
					    "ATOMIC_FETCH_AND_ADD",
					    "LOCAL_INV",
					    "BIND_MW",
					    "SEND_WITH_INV",
					    "TSO",
					    "DRIVER1"};

	if (p->ring != RECORD_SQ)
		return "RECEIVE";
	return p->opcode < sizeof(names) / sizeof(names[0]) ? names[p->opcode] : "?";
}

static void recorded_post(struct recorded_line *l, const struct record_post *p)
{
	static const char *const flags[] = {"fence", "signaled", "solicited", "inline", "ip_csum"};

	recorded_add(l, "post %s 0x%x %s %s wr_id 0x%" PRIx64 " bytes %u pieces %u",
		     recorded_queue(p->ring), p->queue, recorded_ring(p->ring), recorded_opcode(p),
		     p->wr_id, p->bytes, p->sges);
	for (unsigned int i = 0; i < sizeof(flags) / sizeof(flags[0]); i++)
		if (p->flags & 1u << i)
			recorded_add(l, " %s", flags[i]);
	if (p->nth)
		recorded_add(l, " (request %u of its call)", p->nth + 1);
	recorded_err(l, p->err);
}

static void recorded_completion(struct recorded_line *l, const struct record_completion *c)
{
	recorded_add(l, "poll cq %u: qp 0x%x wr_id 0x%" PRIx64 " status %u", c->cq, c->qp, c->wr_id,
		     c->status);
	if (c->status)
		recorded_add(l, " vendor_err 0x%x", c->vendor_err);
	else
		recorded_add(l, " opcode %u bytes %u", c->opcode, c->bytes);
	recorded_add(l, "; empty polls before it: %" PRIu64, c->empty);
}

/* Texts are of the file, which may be anybody's. */
void recorded_clean(char *text)
{
	for (; *text; text++)
		if ((unsigned char)*text < ' ' || *text == 0x7f)
			*text = '?';
}

bool recorded_text(const struct record_head *h, bool reply, char *text, size_t size)
{
	struct recorded_line l = {text, size, 0};
	const void *body = record_body(h);

	if (reply && h->kind != RECORD_COMMAND)
		return false;
	switch (h->kind) {
	case RECORD_PROCESS:
		recorded_add(&l, "begins to be recorded");
		break;
	case RECORD_COMMAND:
		recorded_command(&l, body, reply);
		break;
	case RECORD_DOORBELL:
		recorded_doorbell(&l, body);
		break;
	case RECORD_WQE:
		recorded_wqe(&l, body);
		break;
	case RECORD_CQE:
		recorded_cqe(&l, body);
		break;
	case RECORD_EQE:
		recorded_eqe(&l, body);
		break;
	case RECORD_RETRY:
		recorded_retry(&l, body);
		break;
	case RECORD_CALL:
		recorded_call(&l, body);
		break;
	case RECORD_POST:
		recorded_post(&l, body);
		break;
	case RECORD_COMPLETION:
		recorded_completion(&l, body);
		break;
	default:
		recorded_add(&l, "an event of kind %u, which this dvx-sim does not know", h->kind);
	}
	recorded_clean(text);
	return true;
}
