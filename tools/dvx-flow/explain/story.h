/* SPDX-License-Identifier: BSD-2-Clause */
/* A walk as sentences, and as JSON that holds the same sentences with their numbers. */
#ifndef DVX_FLOW_STORY_H
#define DVX_FLOW_STORY_H

#include <jansson.h>
#include "walk.h"

/* What the caller knows of a rule by the dump's id: its text; NULL: nothing. */
typedef const char *(*rule_name_fn)(void *arg, uint64_t id);

struct story {
	struct view_cache *cache;
	bool written;	   /* the packet is words: what they leave out was taken as 0 */
	rule_name_fn name; /* may be NULL; if not, a rule without a name is dvx-flow's own */
	void *arg;
};

/* Object with "steps" (each with "says") and "end" (with "says"); NULL: no memory. */
json_t *story_json(const struct story *s, const struct walk *w);

/* "to QP 0x12, counter 3, tag 7": what a rule does, from the dump's action records. */
size_t story_actions(char *buf, size_t size, const struct dump *d, const struct dump_rule *r);

/* "ipv4 dst, tcp dst port": what a matcher's rules compare. */
size_t story_mask(char *buf, size_t size, const struct match_mask *m);

/* "ipv4 dst 10.0.0.0/8, dst port 80": what an entry compares. */
size_t story_entry(char *buf, size_t size, const struct ste *s, const struct builder_view *v);

#endif
