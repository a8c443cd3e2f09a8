/* SPDX-License-Identifier: BSD-2-Clause */
/* A walk as sentences, and as JSON with the same sentences and their numbers. */
#ifndef DVX_FLOW_TRACE_H
#define DVX_FLOW_TRACE_H

#include <jansson.h>
#include "walk.h"

/*
 * Returns an object with "steps" (each with "says") and "end" (with "says"); NULL: no memory.
 * written: the packet was given in words; fields that they leave out are 0.
 */
json_t *trace_json(const struct explain_walk *w, bool written);

/*
 * Returns the rule whose words describe the packet's end: the last one, or that which led to a
 * table of dvx-flow's own that spreads packets over queues.
 */
uint32_t trace_rule(const struct explain_walk *w);

/* Adds a rule's actions, from the dump's action records: "to QP 0x12, counter 3, tag 7". */
void sentence_add_actions(struct sentence *t, const struct steering *d,
			  const struct steering_rule *r);

/* Adds the fields that a matcher's rules compare: "ipv4 dst, tcp dst port". */
void sentence_add_mask(struct sentence *t, const struct match_mask *m);

/*
 * Adds the values that an entry compares: "ipv4 dst 10.0.0.0/8, dst port 80". A register's value
 * has its meaning after the walk's steps before `step`; w NULL: it is a number.
 */
void sentence_add_entry(struct sentence *t, const struct steering_entry *e,
			const struct explain_walk *w, uint32_t step);

#endif
