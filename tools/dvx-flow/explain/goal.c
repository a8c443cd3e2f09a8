/* SPDX-License-Identifier: BSD-2-Clause */
/* Goals of packets that leave a direction's tables: the e-switch, a function, the wire. */
#include <stdio.h>
#include <dvx/flow.h>

#include "explain.h"

static bool goal_vport(const struct explain_walk *w, uint32_t *vport)
{
	const struct steering_rule *r = &w->d->rule[w->rule];

	for (uint32_t i = r->first_action; i < r->first_action + r->nactions; i++)
		if (w->d->action[i].type == ACTION_VPORT) {
			*vport = (uint32_t)w->d->action[i].arg;
			return true;
		}
	return false;
}

/* Finds where the e-switch sends the packet. False: it drops it, or that is not known. */
static bool goal_switched(const struct dump_source *src, const struct explain_walk *w,
			  struct goal *g)
{
	const json_t *manager = json_object_get(src->head, "vport");
	uint32_t own = manager ? (uint32_t)json_integer_value(manager) : UINT32_MAX, vport = own;
	const struct steering_rule *r = &w->d->rule[w->rule];

	if (w->end == WALK_LOST || (w->end == WALK_RULE && !goal_vport(w, &vport) &&
				    !steering_rule_is(w->d, r, ACTION_DEFAULT)))
		return false;
	g->at.dir = RULE_DIRS;
	if (vport == UINT32_MAX) /* a file: it does not name the manager */
		snprintf(g->vport, sizeof(g->vport), "manager");
	else
		dvx_flow_vport_name(vport, g->vport, sizeof(g->vport));
	if (vport == DVX_FLOW_UPLINK) {
		g->says = "it leaves by the wire";
	} else if (vport != own || vport == UINT32_MAX) {
		g->says = "its function receives it; rules that are held there, if any, judge it next";
	} else if (!dump_source_has(src, RULE_IN)) {
		g->says = "this function receives it, where no rule is for incoming packets";
	} else {
		g->says = "this function receives it:";
		g->at = (struct direction){RULE_IN, SIDE_RX};
	}
	return true;
}

bool goal_find(const struct dump_source *src, const struct explain_walk *w, enum rule_dir from,
	       struct goal *g)
{
	const struct steering_rule *r = &w->d->rule[w->rule];

	if (from == RULE_SWITCH)
		return goal_switched(src, w, g);
	if (from != RULE_OUT || !dump_source_has(src, RULE_SWITCH) || w->end == WALK_LOST ||
	    (w->end == WALK_RULE && steering_rule_is(w->d, r, ACTION_DROP)))
		return false;
	g->at = (struct direction){RULE_SWITCH, SIDE_TX};
	dvx_flow_vport_name((uint32_t)json_integer_value(json_object_get(src->head, "vport")),
			    g->vport, sizeof(g->vport));
	g->says = "it is sent, and the e-switch takes it:";
	return true;
}

void goal_enter(const struct dump_source *src, struct direction at, uint32_t table,
		struct fields *p)
{
	const struct steering *d = &src->d;
	const json_t *own = json_object_get(src->head, "vport");

	for (int f = F_REG_A; f <= F_REG_C7; f++)
		p->value[f] = 0;
	p->known[F_SOURCE] |= at.dir == RULE_SWITCH;
	if (at.dir == RULE_SWITCH)
		dump_source_vport(d, d->table[table].domain, (uint32_t)json_integer_value(own), p);
}
