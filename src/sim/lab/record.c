/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Records commands, doorbells, WQEs, CQEs and events: one more subscriber of the probe
 * (doc/design/0104). It does not subscribe to frames, which would turn off the short cuts.
 */
#include "record.h"

#include <stdio.h>
#include <string.h>
#include <dvx/prm/cqe.h>
#include <dvx/prm/eqe.h>
#include "base/probe.h"
#include "fw/cmd.h"
#include "host/uar.h"
#include "obj/cq.h"
#include "obj/queue.h"
#include "prm/reflect.h"
#include "record/record.h"
#include "transport/transport.h"

static void lab_record_doorbell(const struct probe_event *e)
{
	struct record_doorbell *r = record_begin(RECORD_DOORBELL, sizeof(*r), 0);

	if (!r)
		return;
	r->be_value = e->doorbell.be_value;
	r->uar = e->doorbell.uar;
	r->offset = e->doorbell.offset;
	r->arm = e->doorbell.offset == UAR_CQ_ARM;
	record_end(r);
}

static void lab_record_wqe(const struct probe_event *e)
{
	const struct prm_struct *s = prm_find_struct(e->wqe.layout);
	const uint32_t bytes = s ? s->bytes : 0;
	struct record_wqe *r = record_begin(RECORD_WQE, sizeof(*r) + bytes, 0);

	if (!r)
		return;
	r->queue = e->wqe.queue->id;
	r->index = e->wqe.index;
	r->vhca = (uint16_t)e->wqe.queue->vhca->id;
	r->ring = (uint16_t)e->wqe.ring; /* both enums count SQ, RQ, SRQ */
	r->kept = bytes;
	snprintf(r->layout, sizeof(r->layout), "%s", e->wqe.layout);
	memcpy(r + 1, e->wqe.bytes, bytes);
	record_end(r);
}

/* The CQE without what it has of the message, if that is in it; 64 bytes would lie before it. */
static void lab_record_cqe(const struct probe_event *e)
{
	struct record_cqe *r = record_begin(RECORD_CQE, sizeof(*r), 0);

	if (!r)
		return;
	r->cq = e->cqe.cq->o.id;
	r->index = (uint32_t)e->cqe.cq->pi - 1;
	r->vhca = (uint16_t)e->cqe.cq->o.vhca->id;
	memcpy(r->bytes, e->cqe.bytes, PRM_CQE64_BYTES);
	if (prm_cqe64_get_cqe_format(r->bytes) == PRM_CQE_FORMAT_INLINE_DATA32)
		memset(r->bytes, 0, PRM_CQE64_BYTES / 2);
	record_end(r);
}

static void lab_record_eqe(const struct probe_event *e)
{
	struct record_eqe *r = record_begin(RECORD_EQE, sizeof(*r), 0);

	if (!r)
		return;
	r->eqn = e->eqe.eqn;
	memcpy(r->bytes, e->eqe.bytes, PRM_EQE_BYTES);
	record_end(r);
}

static void lab_record_command(const struct probe_event *e)
{
	const struct fw_cmd *c = e->command;
	const uint16_t in = record_mailbox(c->opcode, c->in_len),
		       out = record_mailbox(c->opcode, c->out_len);
	struct record_command *r = record_begin(RECORD_COMMAND, sizeof(*r) + in + out, 0);
	uint8_t *at = (uint8_t *)(r + 1);

	if (!r)
		return;
	*r = (struct record_command){.opcode = c->opcode,
				     .op_mod = c->op_mod,
				     .uid = c->uid,
				     .vhca = (uint16_t)c->vhca->id,
				     .in_len = (uint32_t)c->in_len,
				     .out_len = (uint32_t)c->out_len,
				     .in_kept = in,
				     .out_kept = out};
	memcpy(at, c->in, in);
	memcpy(at + in, c->out, out);
	record_end(r);
}

static void lab_record_retry(const struct probe_event *e)
{
	struct record_retry *r = record_begin(RECORD_RETRY, sizeof(*r), 0);

	if (!r)
		return;
	r->rnr_ns = e->request.ns;
	r->queue = e->request.queue->o.id;
	r->index = e->request.wr->index;
	r->vhca = (uint16_t)e->request.queue->o.vhca->id;
	record_end(r);
}

static void lab_record_event(const struct probe_event *e)
{
	switch (e->kind) {
	case PROBE_DOORBELL:
		lab_record_doorbell(e);
		break;
	case PROBE_WQE:
		lab_record_wqe(e);
		break;
	case PROBE_CQE:
		lab_record_cqe(e);
		break;
	case PROBE_EQE:
		lab_record_eqe(e);
		break;
	case PROBE_COMMAND:
		lab_record_command(e);
		break;
	default:
		lab_record_retry(e);
	}
}

static struct probe lab_record_probe = {
	.kinds = PROBE_DOORBELL | PROBE_WQE | PROBE_CQE | PROBE_EQE | PROBE_COMMAND | PROBE_RETRY,
	.event = lab_record_event,
};

int lab_record_to(const char *path)
{
	const int err = record_open(path, "");

	if (!err)
		probe_subscribe(&lab_record_probe);
	return err;
}
