/* SPDX-License-Identifier: BSD-2-Clause */
#include "compile.h"

static struct source_location either(struct source_location a, struct source_location b)
{
	return a.column ? a : b;
}

static struct source_location in_headers(const struct rule_headers *h, unsigned int key)
{
	switch (key) {
	case KEY_PROTO:
		return h->l4_at;
	case MATCH_IP_VERSION:
		return h->ip_at;
	case MATCH_SRC_127_96:
	case MATCH_SRC_95_64:
	case MATCH_SRC_63_32:
	case MATCH_SRC_31_0:
		return either(h->src.at, h->host.at);
	case MATCH_DST_127_96:
	case MATCH_DST_95_64:
	case MATCH_DST_63_32:
	case MATCH_DST_31_0:
		return either(h->dst.at, h->host.at);
	case MATCH_TCP_SPORT:
	case MATCH_UDP_SPORT:
		return either(h->sport.at, h->port.at);
	case MATCH_TCP_DPORT:
	case MATCH_UDP_DPORT:
		return either(h->dport.at, h->port.at);
	default:
		return (struct source_location){0};
	}
}

/* Returns a negated match's place, if no other match is about this key. */
static struct source_location in_excepts(const struct rule *r, unsigned int key)
{
	for (size_t i = 0; i < r->nexcepts; i++) {
		const struct rule_except *e = &r->except[i];
		unsigned int level = key;

		for (size_t f = 0; f < e->nfields; f++)
			if (e->field[f].key == key)
				return e->at;
		if (e->inner)
			level = key == KEY_INNER(KEY_PROTO) ? KEY_PROTO : key - MATCH_PER_LEVEL;
		if (in_headers(&e->headers, level).column)
			return e->at;
	}
	return (struct source_location){0};
}

struct source_location rule_location(const struct rule *r, unsigned int key)
{
	struct source_location s = {0};

	for (size_t i = 0; i < r->nfields; i++)
		if (r->field[i].key == key)
			return r->field[i].at;
	if (key >= MATCH_LEVEL_END && r->inner)
		s = in_headers(r->inner, key - MATCH_PER_LEVEL);
	else if (key == KEY_INNER(KEY_PROTO) && r->inner)
		s = in_headers(r->inner, KEY_PROTO);
	else
		s = in_headers(&r->outer, key);
	return either(either(s, in_excepts(r, key)), r->at);
}
