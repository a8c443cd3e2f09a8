/* SPDX-License-Identifier: BSD-2-Clause */
/* An event of a recording as an object of JSON: its line, its numbers, and its bytes in hex. */
#include "recording.h"

#include <stdlib.h>
#include <string.h>
#include "src/prm/reflect.h"
#include "tools/cli/json.h"

static json_t *recorded_hex(const uint8_t *bytes, size_t n)
{
	static const char digits[] = "0123456789abcdef";
	char *text = malloc(2 * n + 1);
	json_t *j;

	for (size_t i = 0; text && i < n; i++) {
		text[2 * i] = digits[bytes[i] >> 4];
		text[2 * i + 1] = digits[bytes[i] & 15];
	}
	j = text ? json_stringn(text, 2 * n) : NULL;
	free(text);
	return j;
}

static json_t *recorded_json_command(const struct record_command *c)
{
	json_t *j =
		json_pack("{s:s, s:i, s:i, s:o, s:o}", "opcode", prm_opcode_name(c->opcode), "uid",
			  c->uid, "errno", c->err, "in", recorded_hex(recorded_in(c), c->in_kept),
			  "out", recorded_hex(recorded_out(c), c->out_kept));

	if (c->vhca != RECORD_NO_VHCA)
		json_object_set_new(j, "vhca", json_integer(c->vhca));
	return j;
}

static json_t *recorded_json_wqe(const struct record_wqe *w)
{
	return json_pack("{s:i, s:s, s:I, s:s, s:I, s:o, s:o}", "vhca", w->vhca, "object",
			 recorded_queue(w->ring), "queue", (json_int_t)w->queue, "ring",
			 recorded_ring(w->ring), "index", (json_int_t)w->index, "layout",
			 json_text(w->layout, strlen(w->layout)), "bytes",
			 recorded_hex((const uint8_t *)(w + 1), w->kept));
}

static json_t *recorded_json_post(const struct record_post *p)
{
	return json_pack("{s:s, s:I, s:s, s:s, s:o, s:I, s:I, s:i, s:I, s:i}", "object",
			 recorded_queue(p->ring), "queue", (json_int_t)p->queue, "ring",
			 recorded_ring(p->ring), "opcode", recorded_opcode(p), "wr_id",
			 json_number(p->wr_id), "flags", (json_int_t)p->flags, "length",
			 (json_int_t)p->bytes, "pieces", p->sges, "nth", (json_int_t)p->nth,
			 "errno", p->err);
}

static json_t *recorded_json_completion(const struct record_completion *c)
{
	return json_pack("{s:I, s:I, s:o, s:I, s:I, s:I, s:I, s:o}", "cq", (json_int_t)c->cq,
			 "queue", (json_int_t)c->qp, "wr_id", json_number(c->wr_id), "status",
			 (json_int_t)c->status, "opcode", (json_int_t)c->opcode, "length",
			 (json_int_t)c->bytes, "vendor_err", (json_int_t)c->vendor_err,
			 "empty_polls", json_number(c->empty));
}

static json_t *recorded_json_numbers(const struct record_head *h)
{
	const struct record_doorbell *d = record_body(h);
	const struct record_cqe *c = record_body(h);
	const struct record_eqe *e = record_body(h);
	const struct record_retry *r = record_body(h);
	const struct record_call *call = record_body(h);

	switch (h->kind) {
	case RECORD_COMMAND:
		return recorded_json_command(record_body(h));
	case RECORD_DOORBELL:
		return json_pack("{s:I, s:I, s:o}", "uar", (json_int_t)d->uar, "offset",
				 (json_int_t)d->offset, "bytes",
				 recorded_hex((const uint8_t *)&d->be_value, 8));
	case RECORD_WQE:
		return recorded_json_wqe(record_body(h));
	case RECORD_CQE:
		return json_pack("{s:i, s:I, s:I, s:s, s:o}", "vhca", c->vhca, "cq",
				 (json_int_t)c->cq, "index", (json_int_t)c->index, "layout",
				 recorded_layout(c), "bytes",
				 recorded_hex(c->bytes, sizeof(c->bytes)));
	case RECORD_EQE:
		return json_pack("{s:I, s:s, s:o}", "eqn", (json_int_t)e->eqn, "layout", "eqe",
				 "bytes", recorded_hex(e->bytes, sizeof(e->bytes)));
	case RECORD_RETRY:
		return json_pack("{s:i, s:I, s:I, s:o}", "vhca", r->vhca, "queue",
				 (json_int_t)r->queue, "index", (json_int_t)r->index, "rnr_ns",
				 json_number(r->rnr_ns));
	case RECORD_CALL:
		return json_pack("{s:I, s:i}", "object", (json_int_t)call->object, "errno",
				 call->err);
	case RECORD_POST:
		return recorded_json_post(record_body(h));
	case RECORD_COMPLETION:
		return recorded_json_completion(record_body(h));
	default:
		return json_object();
	}
}

json_t *recorded_json(const struct recording *r, const struct record_head *h)
{
	static char text[RECORDED_TEXT];
	char who[300];
	json_t *j = json_object(), *numbers = recorded_json_numbers(h);

	recording_who(r, h, who, sizeof(who));
	json_object_set_new(j, "ns", json_number(h->ns - r->reader.file->began));
	json_object_set_new(j, "who", json_text(who, strlen(who)));
	json_object_set_new(j, "pid", json_integer(h->pid));
	json_object_set_new(j, "tid", json_integer(h->tid));
	json_object_set_new(j, "kind", json_string(recorded_kind(h)));
	if (h->took)
		json_object_set_new(j, "took_ns", json_integer(h->took));
	json_object_update(j, numbers);
	json_decref(numbers);
	recorded_text(h, false, text, sizeof(text));
	json_object_set_new(j, "text", json_text(text, strlen(text)));
	if (recorded_text(h, true, text, sizeof(text)))
		json_object_set_new(j, "reply", json_text(text, strlen(text)));
	return j;
}
