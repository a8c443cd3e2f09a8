/* SPDX-License-Identifier: BSD-2-Clause */
#include <dvx/prm/cqe.h>
#include <stdlib.h>
#include "check_priv.h"
#include "fw/cmd.h"
#include "host/uar.h"

#define BUCKETS 1024u

struct check_rules check;
static struct check_state *check_states[BUCKETS];

static bool check_is_gone(const struct check_state *s)
{
	const struct obj *o = obj_find(s->v, s->type, s->id);

	return !o || o->generation != s->generation;
}

/* Frees what is remembered of objects that are gone. */
static void check_clean(struct check_state **at)
{
	while (*at) {
		struct check_state *s = *at;

		if (!check_is_gone(s)) {
			at = &s->next;
			continue;
		}
		*at = s->next;
		free(s->wqes);
		free(s);
	}
}

static struct check_state *check_state_add(const struct obj *o, struct check_state **bucket)
{
	struct check_state *s = calloc(1, sizeof(*s));

	check_clean(bucket);
	if (!s)
		return NULL;
	s->v = o->vhca;
	s->type = o->type;
	s->id = o->id;
	s->generation = o->generation;
	s->next = *bucket;
	*bucket = s;
	return s;
}

struct check_state *check_state_of(const struct obj *o)
{
	struct check_state **bucket = &check_states[o->generation % BUCKETS], *s = *bucket;

	while (s && s->generation != o->generation)
		s = s->next;
	return s ? s : check_state_add(o, bucket);
}

static void check_command(const struct fw_cmd *c)
{
	if (prm_load8(c->out, 0))
		return;
	switch (c->opcode) {
	case PRM_OPCODE_INIT2RTR_QP:
	case PRM_OPCODE_RTR2RTS_QP:
	case PRM_OPCODE_RTS2RTS_QP:
		check_connected(c->obj);
		break;
	case PRM_OPCODE_DESTROY_MKEY:
		check_key_ended(c->vhca, prm_destroy_mkey_in_get_mkey_index(c->in));
		break;
	}
}

static void check_event(const struct probe_event *e)
{
	switch (e->kind) {
	case PROBE_DOORBELL:
		if (e->doorbell.offset == UAR_CQ_ARM)
			check_cq_rung(e->doorbell.uar, e->doorbell.be_value);
		else if (e->doorbell.offset >= UAR_BF)
			check_sq_rung(e->doorbell.uar, e->doorbell.be_value);
		break;
	case PROBE_SEND:
		check_sent(e->request.queue, e->request.wr);
		break;
	case PROBE_CQE:
		check_sends_done(e->cqe.cq->o.vhca, e->cqe.bytes);
		check_cq_filled(e->cqe.cq);
		break;
	case PROBE_COMMAND:
		check_command(e->command);
		break;
	default:
		break;
	}
}

static struct probe check_subscriber = {
	.kinds = PROBE_DOORBELL | PROBE_SEND | PROBE_CQE | PROBE_COMMAND, .event = check_event};

void check_start(struct device *dev, const struct why_sink *sink)
{
	check_stop();
	check = (struct check_rules){dev, sink};
	probe_subscribe(&check_subscriber);
}

void check_stop(void)
{
	if (check.dev)
		probe_unsubscribe(&check_subscriber);
	check.dev = NULL;
	check_keys_forget();
	for (unsigned int i = 0; i < BUCKETS; i++)
		while (check_states[i]) {
			struct check_state *s = check_states[i];

			check_states[i] = s->next;
			free(s->wqes);
			free(s);
		}
}
