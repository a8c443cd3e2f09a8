/* SPDX-License-Identifier: BSD-2-Clause */
/* A walk as sentences, and as JSON with the same sentences and their numbers. */
#ifndef DVX_FLOW_WALK_TRACE_H
#define DVX_FLOW_WALK_TRACE_H

#include <jansson.h>
#include "registers.h"
#include "walk.h"

struct walk_trace {
	struct view_cache *cache;
	struct registers *registers; /* for the meaning of their values; NULL: numbers */
	bool written;	   /* the packet was given in words; fields that they leave out are 0 */
	rule_name_fn name; /* may be NULL; otherwise a rule without a text is dvx-flow's own */
	void *arg;
};

/* Returns an object with "steps" (each with "says") and "end" (with "says"); NULL: no memory. */
json_t *walk_trace_json(const struct walk_trace *s, const struct explain_walk *w);

/*
 * Returns the rule whose words describe the packet's end: the last one, or that which led to a
 * table of dvx-flow's own that spreads packets over queues.
 */
uint32_t walk_trace_rule(const struct walk_trace *s, const struct explain_walk *w);

/* Writes a rule's actions, from the dump's action records: "to QP 0x12, counter 3, tag 7". */
size_t walk_trace_actions(char *buf, size_t size, const struct steering_dump *d,
			  const struct dump_rule *r);

/* Writes the fields that a matcher's rules compare: "ipv4 dst, tcp dst port". */
size_t walk_trace_mask(char *buf, size_t size, const struct match_mask *m);

/* Writes the values that an entry compares: "ipv4 dst 10.0.0.0/8, dst port 80". */
size_t walk_trace_entry(char *buf, size_t size, const struct ste *s, const struct builder_view *v);

#endif
