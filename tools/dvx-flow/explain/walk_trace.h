/* SPDX-License-Identifier: BSD-2-Clause */
/* A walk as sentences, and as JSON with the same sentences and their numbers. */
#ifndef DVX_FLOW_WALK_TRACE_H
#define DVX_FLOW_WALK_TRACE_H

#include <jansson.h>
#include "codes.h"
#include "walk.h"

struct walk_trace {
	struct view_cache *cache;
	struct codes *codes; /* for words of codes; NULL: numbers */
	bool written;	     /* the packet was given in words; fields that they leave out are 0 */
	rule_name_fn name;   /* may be NULL; otherwise a rule without a text is dvx-flow's own */
	void *arg;
};

/* Object with "steps" (each with "says") and "end" (with "says"); NULL: no memory. */
json_t *walk_trace_json(const struct walk_trace *s, const struct explain_walk *w);

/*
 * The rule whose words the packet's end has: the last one, or that which led to a table of
 * dvx-flow's own that spreads packets over queues.
 */
uint32_t walk_trace_rule(const struct walk_trace *s, const struct explain_walk *w);

/* "to QP 0x12, counter 3, tag 7": what a rule does, from the dump's action records. */
size_t walk_trace_actions(char *buf, size_t size, const struct steering_dump *d,
			  const struct dump_rule *r);

/* "ipv4 dst, tcp dst port": what a matcher's rules compare. */
size_t walk_trace_mask(char *buf, size_t size, const struct match_mask *m);

/* "ipv4 dst 10.0.0.0/8, dst port 80": what an entry compares. */
size_t walk_trace_entry(char *buf, size_t size, const struct ste *s, const struct builder_view *v);

#endif
