/* SPDX-License-Identifier: BSD-2-Clause */
/* A rule's meter or first-hit bit. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <dvx/prm/object.h>

#include "generation_priv.h"
#include "dvx-flow.h"

uint64_t generation_now(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (uint64_t)now.tv_sec * 1000 + (uint64_t)now.tv_nsec / 1000000;
}

static struct source_location rule_object_at(const struct rule *r)
{
	return r->over ? r->over_at : r->expire_at;
}

static int rule_object_none(const struct rule *r, struct flow_fault *f)
{
	flow_fault_set(f, EXIT_DEVICE, "no %s: %s", r->over ? "meter" : "hit", device_last_error());
	return flow_fault_at(f, r, rule_object_at(r));
}

/* Takes an object of the spare bulk, which is made if there is none. */
static int rule_object_take(struct generation *gen, size_t i, uint32_t want, struct flow_fault *f)
{
	struct rule_state *h = &gen->hold[i];
	const struct rule *r = &gen->set.rule[i];
	enum dvx_aso_kind kind = rule_object_kind(r);
	struct spare_objects *spare = &gen->objects[kind];

	if (!spare->bulk && aso_bulk_make(gen->base, kind, want, &spare->bulk))
		return rule_object_none(r, f);
	aso_bulk_hold(spare->bulk);
	h->object = spare->bulk;
	h->object_index = spare->used++;
	if (spare->used == dvx_aso_size(aso_bulk_objects(spare->bulk))) {
		aso_bulk_drop(spare->bulk);
		*spare = (struct spare_objects){0};
	}
	return 0;
}

static int rule_object_set(struct rule_state *h, const struct rule_rate *rate)
{
	struct dvx_meter m = {.size = sizeof(m)};

	if (!rate)
		return 0;
	m.flags = rate->packets ? DVX_METER_PACKETS : 0;
	m.rate = rate->rate;
	m.burst = rate->burst;
	return dvx_aso_set_meter(aso_bulk_objects(h->object), h->object_index, &m);
}

int rule_object_make(struct generation *gen, size_t i, const struct rule_state *like, uint32_t want,
		     struct flow_fault *f)
{
	struct rule_state *h = &gen->hold[i];
	const struct rule *r = &gen->set.rule[i];
	int ret = 0;

	if (!rule_has_object(r))
		return 0;
	h->last_hit = like ? like->last_hit : generation_now();
	if (like) {
		h->object = like->object;
		h->object_index = like->object_index;
		aso_bulk_hold(h->object);
	} else {
		if (rule_object_take(gen, i, want, f))
			return -1;
		ret = rule_object_set(h, r->over);
	}
	if (!ret)
		ret = dvx_flow_action_create_aso(gen->base->side[r->dir].domain,
						 aso_bulk_objects(h->object), h->object_index,
						 OBJECT_REG, 0, &h->change_object);
	return ret ? locate_error(f, r, rule_object_at(r)) : 0;
}

void rule_object_free(struct rule_state *h)
{
	dvx_flow_action_destroy(h->change_object);
	aso_bulk_drop(h->object);
}

/* --- rules that expire ------------------------------------------------------------------------- */

bool generation_expires(const struct generation *gen)
{
	for (size_t i = 0; i < gen->set.n; i++)
		if (gen->set.rule[i].expire)
			return true;
	return false;
}

uint64_t generation_expires_in(const struct generation *gen, size_t i)
{
	uint64_t end = gen->hold[i].last_hit + 1000ull * gen->set.rule[i].expire;
	uint64_t now = generation_now();

	return end > now ? (end - now + 999) / 1000 : 0;
}

void generation_renew(struct generation *gen, const bool *which)
{
	for (size_t i = 0; i < gen->set.n; i++)
		if (which[i])
			gen->hold[i].last_hit = generation_now();
}

int generation_look(struct generation *gen, uint64_t now, bool *gone, struct flow_fault *f)
{
	int n = 0, ret = 0;

	for (size_t i = 0; i < gen->set.n; i++) {
		struct rule_state *h = &gen->hold[i];
		uint32_t expire = gen->set.rule[i].expire;
		int hit = expire ? aso_bulk_hit(h->object, h->object_index, now) : 0;

		/* Bits that were read are 0 now, so the other rules get theirs. */
		if (hit < 0) {
			ret = flow_fault_device(f);
			continue;
		}
		if (hit)
			h->last_hit = now;
		gone[i] = expire && now - h->last_hit >= 1000ull * expire;
		n += gone[i];
	}
	return ret ? ret : n;
}

/* --- for explain ------------------------------------------------------------------------------- */

/* Describes the object of rule i. */
static int object_visit(const struct generation *gen, size_t i, object_fn visit, void *arg)
{
	const struct rule_state *h = &gen->hold[i];
	const struct rule *r = &gen->set.rule[i];
	uint8_t context[PRM_FLOW_METER_PARAMETERS_BYTES], result;
	char says[96];

	if (dvx_aso_read(aso_bulk_objects(h->object), h->object_index, 1, context))
		return -1;
	if (r->over) {
		result = limit_state(gen->base->dev, context, r->over->packets, says, sizeof(says));
	} else {
		result = context[0];
		snprintf(says, sizeof(says), "the rule goes %llu s after this packet",
			 (unsigned long long)r->expire);
	}
	visit(arg, h->id, result, says);
	return 0;
}

int generation_objects(const struct generation *gen, object_fn visit, void *arg,
		       struct flow_fault *f)
{
	if (gen->track_next)
		visit(arg, gen->hold[ruleset_track(&gen->set) - gen->set.rule].id, DVX_CT_VALID,
		      "its connection is tracked; numbers and windows are not checked here");
	for (size_t i = 0; i < gen->set.n; i++)
		if (rule_has_object(&gen->set.rule[i]) && object_visit(gen, i, visit, arg))
			return flow_fault_device(f);
	return 0;
}
