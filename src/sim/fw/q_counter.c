/* SPDX-License-Identifier: BSD-2-Clause */
/* Q counter sets, and the queues that count in them. */
#include <string.h>
#include "cmd.h"
#include "obj/dct.h"
#include "obj/q_counter.h"
#include "obj/queue.h"

/* Finds a set. Every uid may use the one of the function's driver. */
struct q_counter *fw_q_counter_find(struct fw_cmd *c, uint32_t id, const char *field)
{
	struct q_counter *n = obj_find(c->vhca, OBJ_Q_COUNTER, id);

	return n && n->o.uid == FW_UID_SHARED ? n : fw_find(c, OBJ_Q_COUNTER, id, field);
}

int fw_q_counter_take(struct fw_cmd *c, uint32_t id, const char *field, struct q_counter **at)
{
	struct q_counter *n = id ? fw_q_counter_find(c, id, field) : NULL;

	if (id && !n)
		return -1;
	if (n)
		obj_get(n);
	obj_put(*at);
	*at = n;
	return 0;
}

int fw_q_counter_attach(struct fw_cmd *c, struct queue *q, uint32_t id, const char *field)
{
	if (fw_q_counter_take(c, id, field, &q->counter))
		return -1;
	q->stats = q_counter_of(c->vhca, q->counter);
	return 0;
}

int fw_alloc_q_counter(struct fw_cmd *c)
{
	struct q_counter *n = fw_new(c, OBJ_Q_COUNTER, sizeof(*n));

	return n ? fw_made(c, &n->o, 0) : -1;
}

int fw_query_q_counter(struct fw_cmd *c)
{
	const void *in = c->in;
	const struct fw_absent absent[] = {
		{prm_query_q_counter_in_get_other_vport(in), "other_vport",
		 "cap.q_counter_other_vport is 0"},
		{prm_query_q_counter_in_get_vport_number(in), "vport_number",
		 "cap.q_counter_other_vport is 0"},
		{prm_query_q_counter_in_get_aggregate(in), "aggregate",
		 "cap.q_counter_aggregation is 0"},
	};
	struct q_counter *n;
	struct queue_stats *s;

	if (FW_CHECK_ABSENT(c, absent))
		return -1;
	n = fw_q_counter_find(c, prm_query_q_counter_in_get_counter_set_id(in), "counter_set_id");
	if (!n)
		return -1;
	if (prm_query_q_counter_in_get_clear(in) && c->uid && n->o.uid != c->uid)
		return fw_refuse(c, FW_SYN_PRIVILEGED, "clear: the set is the driver's");
	s = q_counter_stats(n);
	/* Counters of the reply have 32 bits and wrap. */
#define QUEUE_STAT(name) prm_query_q_counter_out_set_##name(c->out, (uint32_t)s->name);
#include "base/queue_stats.def"
#undef QUEUE_STAT
	if (prm_query_q_counter_in_get_clear(in))
		memset(s, 0, sizeof(*s));
	return 0;
}

void fw_q_counter_show(struct vhca *v, uint32_t id)
{
	struct q_counter *n = obj_find(v, OBJ_Q_COUNTER, id);

	n->of_port = true;
	v->stats->queues = n->own;
}
