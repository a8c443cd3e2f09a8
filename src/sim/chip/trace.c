/* SPDX-License-Identifier: BSD-2-Clause */
#include "trace.h"

#include <errno.h>
#include <inttypes.h>
#include <stdarg.h>
#include <string.h>
#include <dvx/prm/cqe.h>
#include <dvx/prm/eqe.h>
#include <dvx/prm/flow.h>
#include "base/line.h"
#include "base/log.h"
#include "base/probe.h"
#include "fw/cmd.h"
#include "host/uar.h"
#include "obj/cq.h"
#include "obj/flow.h"
#include "obj/queue.h"
#include "prm/reflect.h"
#include "steer/packet.h"
#include "steer/steer.h"
#include "transport/bth.h"

static int trace_fd = -1;

/* Ends a trace that can't be written, and logs it: a trace with gaps would mislead. */
static void trace_write(struct log_line *line)
{
	int saved = errno;

	if (!line_write(line, trace_fd) && errno != EAGAIN) {
		sim_refuse("the trace ends here, it can't be written: %s", strerror(errno));
		trace_to(-1);
	}
	errno = saved;
}

/* Writes a sentence, and the nonzero fields of a structure by name; s NULL: no structure. */
__attribute__((format(printf, 4, 5))) static void
trace_line(const struct prm_struct *s, const void *bytes, size_t len, const char *fmt, ...)
{
	char text[LINE_MAX_BYTES];
	struct log_line line;
	va_list args;

	if (trace_fd < 0)
		return;
	line_start(&line);
	va_start(args, fmt);
	line_vadd(&line, fmt, args);
	va_end(args);
	if (s) {
		prm_print_line(text, sizeof(text), s, bytes, len);
		line_add(&line, " %s", text);
	}
	trace_write(&line);
}

#define trace_text(...) trace_line(NULL, NULL, 0, __VA_ARGS__)

/* --- rings ----------------------------------------------------------------------------------- */

static void trace_doorbell(const struct probe_event *e)
{
	const char *name = e->doorbell.offset == UAR_CQ_ARM ? "uar_cq_db" : "uar_sq_db";

	trace_line(prm_find_struct(name), &e->doorbell.be_value, sizeof(e->doorbell.be_value),
		   "doorbell uar %u offset 0x%x", e->doorbell.uar, e->doorbell.offset);
}

static void trace_wqe(const struct probe_event *e)
{
	static const char *const names[][2] = {
		[PROBE_SQ] = {"qp", "sq"},
		[PROBE_RQ] = {"qp", "rq"},
		[PROBE_SRQ] = {"srq", "entry"},
	};
	const struct prm_struct *s = prm_find_struct(e->wqe.layout);

	trace_line(s, e->wqe.bytes, s ? s->bytes : 0, "wqe %s 0x%x %s %u", names[e->wqe.ring][0],
		   e->wqe.queue->id, names[e->wqe.ring][1], e->wqe.index);
}

static void trace_cqe(const struct probe_event *e)
{
	uint32_t opcode = prm_cqe64_get_opcode(e->cqe.bytes);
	bool error = opcode == PRM_CQE_OPCODE_REQ_ERR || opcode == PRM_CQE_OPCODE_RESP_ERR;

	trace_line(prm_find_struct(error ? "err_cqe" : "cqe64"), e->cqe.bytes, PRM_CQE64_BYTES,
		   "cqe cq 0x%x index %u", e->cqe.cq->o.id, (uint32_t)e->cqe.cq->pi - 1);
}

static void trace_mini_cqes(const struct probe_event *e)
{
	trace_line(prm_find_struct("mini_cqe_array"), e->cqe.bytes, PRM_MINI_CQE_ARRAY_BYTES,
		   "cqe cq 0x%x entries %u.. of %u", e->cqe.cq->o.id, e->cqe.first, e->cqe.of);
}

static void trace_eqe(const struct probe_event *e)
{
	trace_line(prm_find_struct("eqe"), e->eqe.bytes, PRM_EQE_BYTES, "eqe eqn %u", e->eqe.eqn);
}

/* --- commands -------------------------------------------------------------------------------- */

static void trace_mailbox(const struct fw_cmd *c, char way, const struct prm_struct *s,
			  const void *bytes, size_t len)
{
	trace_line(s, bytes, len, "cmd%c vhca %u uid %u %s", way, c->vhca->id, c->uid, c->name);
}

/* Clears access keys, so that a reader of the trace cannot use them. */
static void trace_hide_key(const struct fw_cmd *c, void *in)
{
	void *key = c->opcode == PRM_OPCODE_ALLOW_OTHER_VHCA_ACCESS
			    ? prm_allow_other_vhca_access_in_at_access_key_raw(in)
			    : prm_alias_context_at_access_key_raw(
				      prm_create_alias_obj_in_at_alias_ctx(in));

	memset(key, 0, 32);
}

static void trace_in(const struct fw_cmd *c)
{
	const struct prm_struct *s = prm_command_in(c->opcode);
	uint8_t in[PRM_CREATE_ALIAS_OBJ_IN_BYTES] = {0};
	size_t len = c->in_len < sizeof(in) ? c->in_len : sizeof(in);

	if (c->opcode != PRM_OPCODE_ALLOW_OTHER_VHCA_ACCESS &&
	    c->opcode != PRM_OPCODE_CREATE_GENERAL_OBJECT) {
		trace_mailbox(c, '>', s, c->in, c->in_len);
		return;
	}
	if (c->opcode == PRM_OPCODE_CREATE_GENERAL_OBJECT)
		s = prm_find_struct("create_alias_obj_in");
	memcpy(in, c->in, len);
	trace_hide_key(c, in);
	trace_mailbox(c, '>', s, in, len);
}

/* Adds the lists of SET_FTE, whose entries have several kinds, so that the rows leave them out. */
static void trace_lists(const struct fw_cmd *c)
{
	const void *ctx = prm_set_fte_in_cat_flow_context(c->in);
	const uint8_t *end = (const uint8_t *)c->in + c->in_len;
	const uint8_t *at = (const uint8_t *)c->in + PRM_SET_FTE_IN_BYTES;
	uint32_t dests, counters;

	if (c->opcode != PRM_OPCODE_SET_FLOW_TABLE_ENTRY || c->in_len < PRM_SET_FTE_IN_BYTES)
		return;
	dests = prm_flow_context_get_destination_list_size(ctx);
	counters = prm_flow_context_get_flow_counter_list_size(ctx);
	for (uint32_t i = 0; i < dests + counters && end - at >= 8; i++, at += 8)
		trace_line(prm_find_struct(i < dests ? "dest_format_struct" : "flow_counter_list"),
			   at, 8, "cmd> vhca %u uid %u %s list[%u]", c->vhca->id, c->uid, c->name,
			   i);
}

static void trace_out(const struct fw_cmd *c)
{
	const uint8_t *out = c->out;
	const char *page = NULL;

	if (c->opcode == PRM_OPCODE_QUERY_HCA_CAP && !out[0])
		page = fw_cap_struct(c->op_mod);
	if (page)
		trace_mailbox(c, '<', prm_find_struct(page), out + FW_CAP_AT,
			      c->out_len - FW_CAP_AT);
	else
		trace_mailbox(c, '<', prm_command_out(c->opcode), out, c->out_len);
}

static void trace_command(const struct probe_event *e)
{
	trace_lists(e->command);
	trace_in(e->command);
	trace_out(e->command);
}

/* --- packets --------------------------------------------------------------------------------- */

static void trace_frame(const struct probe_event *e)
{
	const struct bth_packet *p = e->frame.bth;
	const uint8_t *mad = e->frame.mad;

	if (mad)
		trace_text("tx qp 1 -> 1 mad.class 0x%02x attribute 0x%02x%02x", mad[1], mad[16],
			   mad[17]);
	else if (p)
		trace_text("tx qp 0x%x -> 0x%x bth.opcode 0x%02x..0x%02x psn 0x%06x"
			   " packets %u bytes %u",
			   e->frame.queue->o.id, p->dqpn, p->opcode, p->last_opcode,
			   p->psn & PSN_MASK, p->npkts, e->frame.len);
	else
		trace_text("tx sq 0x%x -> TX tables: a packet of %u bytes", e->frame.queue->o.id,
			   e->frame.len);
}

static void trace_no_receive(const struct probe_event *e)
{
	const struct queue *q = e->frame.queue;

	trace_text("rx rq 0x%x: a packet of %u bytes was dropped: %s (out of buffer)", q->o.id,
		   e->frame.len, q->state == QP_RTS ? "no receive is posted" : "it is not RDY");
}

static void trace_start(const struct probe_steer *s, const char *domain)
{
	const struct packet_headers *h = &s->packet->outer;

	trace_text("steer vhca %u %s: %u bytes, %u vlans, ethertype 0x%04x, ip v%u protocol %u, "
		   "ports %u > %u",
		   s->vhca->id, domain, s->packet->len, h->vlans, h->ethertype, h->ip_version,
		   h->ip_protocol, h->sport, h->dport);
}

static void trace_table(const struct flow_table *t, const struct flow_entry *e)
{
	if (e)
		trace_text("steer table 0x%x level %u: group 0x%x entry %u", t->o.id, t->level,
			   e->group->o.id, e->index);
	else
		trace_text("steer table 0x%x level %u: no entry, miss%s", t->o.id, t->level,
			   t->miss ? " to the next" : "");
}

static void trace_steer(const struct probe_event *e)
{
	static const char *const domains[STEER_DOMAINS] = {[STEER_NIC_RX] = "rx",
							   [STEER_NIC_TX] = "tx",
							   [STEER_EGRESS_ACL] = "egress acl",
							   [STEER_INGRESS_ACL] = "ingress acl",
							   [STEER_FDB] = "fdb"};
	static const char *const ends[STEER_ENDS] = {
		[STEER_TIR] = "delivered",    [STEER_WIRE] = "sent",
		[STEER_DROP] = "dropped",     [STEER_MISS] = "missed, no rule took it",
		[STEER_VPORT] = "to a vport", [STEER_INGRESS_DROP] = "dropped",
		[STEER_LOST] = "lost",	      [STEER_EGRESS_DROP] = "dropped",
	};
	const struct probe_steer *s = &e->steer;

	switch (s->step) {
	case PROBE_START:
		trace_start(s, domains[s->domain]);
		break;
	case PROBE_TABLE:
		trace_table(s->table, s->entry);
		break;
	case PROBE_SW_TABLE:
		trace_text("steer table 0x%x level %u: software's, at 0x%" PRIx64, s->table->o.id,
			   s->table->level, s->table->icm_root);
		break;
	case PROBE_COUNT:
		trace_text("steer count in 0x%x", s->id);
		break;
	case PROBE_STE:
		trace_text("steer ste 0x%" PRIx64 " lu 0x%04x %s -> 0x%" PRIx64, s->addr, s->id,
			   s->hit ? "hit" : "miss", s->next);
		break;
	case PROBE_TIR:
		trace_text("steer vhca %u: to tir 0x%x, tag 0x%x", s->vhca->id, s->id,
			   s->packet->flow_tag);
		break;
	case PROBE_END:
		trace_text("steer vhca %u %s: %s", s->vhca->id, domains[s->domain], ends[s->id]);
	}
}

static struct probe trace_probes[] = {
	{.kinds = PROBE_DOORBELL, .event = trace_doorbell},
	{.kinds = PROBE_WQE, .event = trace_wqe},
	{.kinds = PROBE_CQE, .event = trace_cqe},
	{.kinds = PROBE_MINI_CQES, .event = trace_mini_cqes},
	{.kinds = PROBE_EQE, .event = trace_eqe},
	{.kinds = PROBE_COMMAND, .event = trace_command},
	{.kinds = PROBE_FRAME_OUT, .event = trace_frame},
	{.kinds = PROBE_NO_RECEIVE, .event = trace_no_receive},
	{.kinds = PROBE_STEER, .event = trace_steer},
};

void trace_to(int fd)
{
	trace_fd = fd;
	for (size_t i = 0; i < sizeof(trace_probes) / sizeof(trace_probes[0]); i++) {
		probe_unsubscribe(&trace_probes[i]);
		if (fd >= 0)
			probe_subscribe(&trace_probes[i]);
	}
}
