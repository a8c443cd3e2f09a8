/* SPDX-License-Identifier: BSD-2-Clause */
#include "base_tables.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <dvx/aso.h>

#include "rules/arena.h"
#include "track/track.h"

/*
 * Alternating priorities of the root, behind the one of tracked connections' first packets. Packets
 * that dvx-flow's rules pass go on behind both.
 */
#define PRIORITY 1u
#define BEHIND	 3u

static const char *const steerings[] = {
	[STEERING_SWS] = "sws", [STEERING_HWS] = "hws", [STEERING_AUTO] = "auto"};

bool steering_find(const char *name, enum steering_kind *out)
{
	for (unsigned int i = 0; i <= STEERING_AUTO; i++)
		if (!strcmp(name, steerings[i])) {
			*out = (enum steering_kind)i;
			return true;
		}
	return false;
}

/* Makes the domain of a direction. */
static int make_domain(const struct base_tables *g, enum rule_dir dir, struct direction_base *s)
{
	static const enum dvx_flow_side sides[RULE_DIRS] = {
		[RULE_IN] = DVX_FLOW_RX, [RULE_OUT] = DVX_FLOW_TX, [RULE_SWITCH] = DVX_FLOW_FDB};
	struct dvx_flow_domain_attr attr = {.size = sizeof(attr), .side = sides[dir]};
	int ret;

	if (g->steering != STEERING_SWS) {
		attr.flags = DVX_FLOW_HARDWARE;
		s->steering = STEERING_HWS;
		ret = dvx_flow_domain_create(g->dev, &attr, &s->domain);
		if (ret != -EOPNOTSUPP || g->steering == STEERING_HWS)
			return ret;
	}
	attr.flags = 0;
	s->steering = STEERING_SWS;
	return dvx_flow_domain_create(g->dev, &attr, &s->domain);
}

int base_tables_check(const struct base_tables *g, struct flow_fault *f)
{
	struct direction_base s = {0};

	if (g->steering != STEERING_HWS)
		return 0;
	if (make_domain(g, RULE_IN, &s) || dvx_flow_domain_destroy(s.domain))
		return flow_fault_device(f);
	return 0;
}

const char *base_tables_steering(const struct base_tables *g, enum rule_dir dir)
{
	return g->steering == STEERING_SWS || !g->side[dir].domain
		       ? NULL
		       : steerings[g->side[dir].steering];
}

static int make_side(struct base_tables *g, struct direction_base *s, enum rule_dir dir)
{
	struct dvx_flow_match all = {0};
	struct dvx_flow_matcher_attr m = {.size = sizeof(m), .match = &all};
	int ret = make_domain(g, dir, s);

	if (!ret)
		ret = dvx_flow_table_create(s->domain, 0, &s->root);
	for (uint32_t i = 0; i < 2 && !ret; i++) {
		m.priority = PRIORITY + i;
		ret = dvx_flow_matcher_create(s->root, &m, &s->everything[i]);
	}
	if (!ret)
		ret = dvx_flow_action_create_drop(s->domain, &s->drop);
	if (!ret && dir == RULE_SWITCH)
		ret = switch_base_make(g->dev, s->domain, &g->switch_base, &s->back);
	else if (!ret)
		ret = dvx_flow_action_create_root(s->domain, BEHIND, &s->back);
	return ret;
}

static void free_vports(struct base_tables *g)
{
	while (g->nvports)
		dvx_flow_action_destroy(g->vport[--g->nvports].to);
	free(g->vport);
	g->vport = NULL;
	g->vport_room = 0;
	map_free(&g->vports);
}

static void free_side(struct base_tables *g, enum rule_dir dir)
{
	struct direction_base *s = &g->side[dir];

	dvx_flow_action_destroy(s->back);
	if (dir == RULE_SWITCH) {
		free_vports(g);
		switch_base_free(&g->switch_base);
	}
	dvx_flow_action_destroy(s->drop);
	for (int i = 0; i < 2; i++)
		dvx_flow_matcher_destroy(s->everything[i]);
	dvx_flow_table_destroy(s->root);
	dvx_flow_domain_destroy(s->domain);
	*s = (struct direction_base){0};
}

int base_tables_side(struct base_tables *g, enum rule_dir dir, struct flow_fault *f)
{
	struct direction_base *s = &g->side[dir];

	if (s->back || !make_side(g, s, dir))
		return 0;
	flow_fault_device(f);
	free_side(g, dir);
	return -1;
}

int base_tables_queue(struct base_tables *g, unsigned int n, struct dvx_flow_action **out)
{
	int ret = 0;

	if (!g->queue[n])
		ret = dvx_flow_action_create_queue(g->side[RULE_IN].domain, pump_rxq(g->pump, n),
						   &g->queue[n]);
	*out = g->queue[n];
	return ret;
}

static int base_tables_vport(struct base_tables *g, uint32_t vport, struct dvx_flow_action **out)
{
	struct vport_action *room;
	struct map_slot *slot;
	int ret = 0;

	/* The array grows first, so that the map has no number that it lacks. */
	if (!array_grow((void **)&g->vport, g->nvports, &g->vport_room, sizeof(*room)))
		return -ENOMEM;
	slot = map_put(&g->vports, vport, (uint32_t)g->nvports);
	if (!slot)
		return -ENOMEM;
	room = &g->vport[slot->what];
	if (slot->what == g->nvports)
		g->vport[g->nvports++] = (struct vport_action){.vport = vport};
	if (!room->to)
		ret = dvx_flow_action_create_vport(g->side[RULE_SWITCH].domain, vport, &room->to);
	*out = room->to;
	return ret;
}

void base_tables_vports(const struct base_tables *g,
			void (*visit)(void *arg, uint64_t action_id, uint32_t vport), void *arg)
{
	for (size_t i = 0; i < g->nvports; i++)
		if (g->vport[i].to)
			visit(arg, dvx_flow_action_id(g->vport[i].to), g->vport[i].vport);
}

int base_tables_to(struct base_tables *g, const struct rule *r, struct dvx_flow_action **out)
{
	return rule_has_vport(r) ? base_tables_vport(g, r->vport, out)
				 : base_tables_queue(g, r->queue, out);
}

static void free_queues(struct base_tables *g)
{
	for (unsigned int i = 0; i < QUEUES_MAX; i++) {
		dvx_flow_action_destroy(g->queue[i]);
		g->queue[i] = NULL;
	}
}

void base_tables_delete(const struct base_tables *g, struct dvx_flow_rule **rules, size_t n)
{
	const size_t step = 1024;

	for (; n > step; n -= step) {
		dvx_flow_rules_delete(rules + n - step, step);
		pause_now(&g->pause);
	}
	dvx_flow_rules_delete(rules, n);
}

int base_tables_aso(struct base_tables *g)
{
	if (dvx_aso_queue_destroy(g->aso))
		return 0;
	g->aso = NULL;
	return dvx_aso_queue_create(g->dev, &g->aso);
}

void base_tables_free_side(struct base_tables *g, enum rule_dir dir)
{
	if (dir == RULE_IN)
		free_queues(g);
	free_side(g, dir);
}

void base_tables_free(struct base_tables *g)
{
	track_free(g);
	for (int d = 0; d < RULE_DIRS; d++)
		base_tables_free_side(g, (enum rule_dir)d);
	dvx_aso_queue_destroy(g->aso);
}
