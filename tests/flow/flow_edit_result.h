/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef TESTS_FLOW_EDIT_RESULT_H
#define TESTS_FLOW_EDIT_RESULT_H

/* Outcome of a packet: found on the device, or expected by the slow matcher. */
#include <string.h>
#include "tests/steer/flow_slow.h"
#include "explain/fields.h"
#include "diff_rig.h"

struct packet_result {
	uint64_t counted[RULE_DIRS]; /* the sum of the hashes of the rules that counted it */
	uint64_t tags;
	uint32_t copies[QUEUES], spread; /* spread: copies to either queue */
	const char *by[RULE_DIRS];	 /* a rule that counted it */
};

static inline void result_count(struct packet_result *f, const struct rule *rule)
{
	uint64_t hash = 1469598103934665603u;

	for (const char *c = rule->text; *c; c++)
		hash = (hash ^ (uint8_t)*c) * 1099511628211u;
	f->counted[rule->dir] += hash;
	f->by[rule->dir] = rule->text;
}

static inline void result_add(struct packet_result *f, const struct rule *rule)
{
	if (rule->count)
		result_count(f, rule);
	if (rule->rss)
		f->spread++;
	else if (rule_has_queue(rule))
		f->copies[rule->queue]++;
	f->tags += rule->has_tag ? rule->tag : 0;
}

static inline const struct rule *result_walk(struct packet_result *f, const struct ruleset *set,
					     enum rule_dir dir, const struct fields *x)
{
	struct slow_way way;

	slow_walk(set, dir, x, &way);
	for (size_t i = 0; i < way.n; i++)
		result_add(f, way.on[i]);
	if (way.end)
		result_add(f, way.end);
	return way.end;
}

/* Expects results while the directions change one after the other. */
static inline struct packet_result
result_expect(const struct ruleset *out, const struct ruleset *in, const struct made_packet *p)
{
	struct packet_result f = {.tags = 0};
	const struct rule *rule;
	struct fields x = {.option = RANDOM_OPTION};

	fields_of_frame(&x, p->bytes, p->len);
	rule = result_walk(&f, out, RULE_OUT, &x);
	if (rule && rule->verdict == RULE_DROP)
		return f;
	fields_of_frame(&x, p->bytes, p->len < SHORTEST ? SHORTEST : p->len);
	result_walk(&f, in, RULE_IN, &x);
	return f;
}

static inline bool result_same(const struct packet_result *a, const struct packet_result *b)
{
	return a->tags == b->tags && !memcmp(a->counted, b->counted, sizeof(a->counted)) &&
	       !memcmp(a->copies, b->copies, sizeof(a->copies)) && a->spread == b->spread;
}

/* Compares results. Spread copies come to either queue. */
static inline bool result_meets(const struct packet_result *found,
				const struct packet_result *expected)
{
	struct packet_result f = *found;

	for (int q = 0; q < QUEUES; q++)
		for (; f.copies[q] > expected->copies[q]; f.copies[q]--)
			f.spread++;
	return result_same(&f, expected);
}

#endif
