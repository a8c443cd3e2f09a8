/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Spreads packets over queues. A TIR hashes the fields of one kind of packets, so a table separates
 * the kinds, as the kernel's driver does: TCP and UDP of each IP version, other packets of the
 * version, and the rest.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <dvx/rxq.h>

#include "generation.h"
#include "spread.h"
#include "dvx-flow.h"

/* Size of the indirection table if the queues are no power of two; ethtool's default, too. */
#define SPREAD_PLACES 128u
#define SPREAD_KINDS  6u /* TCP, UDP and others of two IP versions */

enum spread_step { STEP_PORTS, STEP_ADDRESSES, STEP_REST, SPREAD_STEPS };

struct spread {
	struct rule_rss rss;
	struct dvx_flow_table *table;
	struct dvx_flow_action *to_table;
	struct dvx_flow_matcher *matcher[SPREAD_STEPS];
	struct spread_kind {
		struct dvx_rss *rss;
		struct dvx_flow_action *to;
		struct dvx_flow_rule *rule;
	} kind[SPREAD_KINDS];
	unsigned int kinds;
	struct dvx_flow_rule *rest; /* made last: it exists if all is built */
};

/*
 * Matches one kind of packets; proto 0: any. Fragments are excluded from TCP and UDP: they have no
 * ports, so all packets of a datagram are spread by address.
 */
static void spread_match(struct dvx_flow_match *m, uint8_t version, uint8_t proto)
{
	*m = (struct dvx_flow_match){0};
	if (version)
		dvx_flow_match_ip_version(m, DVX_FLOW_OUTER, version);
	if (!proto)
		return;
	dvx_flow_match_proto(m, DVX_FLOW_OUTER, proto);
	dvx_flow_match_set(m, "outer_headers.frag", 0, 1);
}

static int spread_rss(struct base_tables *g, const struct rule_rss *r, uint8_t version,
		      uint8_t proto, struct spread_kind *k)
{
	struct dvx_rxq *queues[SPREAD_PLACES];
	uint32_t n = r->last - r->first + 1, places = n & (n - 1) ? SPREAD_PLACES : n;
	uint32_t ports = proto ? DVX_RSS_SRC_PORT | DVX_RSS_DST_PORT : 0;
	struct dvx_rss_attr attr = {.size = sizeof(attr),
				    .queue_count = places,
				    .queues = queues,
				    .fields = DVX_RSS_SRC_IP | DVX_RSS_DST_IP | ports,
				    .ipv6 = version == 6,
				    .udp = proto == DVX_FLOW_UDP,
				    .key = r->has_key ? r->key : NULL};
	int ret;

	for (uint32_t i = 0; i < places; i++)
		queues[i] = pump_rxq(g->pump, r->first + i % n);
	ret = dvx_rss_create(g->dev, &attr, &k->rss);
	return ret ? ret : dvx_flow_action_create_rss(g->side[RULE_IN].domain, k->rss, &k->to);
}

static int spread_rule(struct dvx_flow_matcher *m, const struct dvx_flow_match *match,
		       struct dvx_flow_action **to, struct dvx_flow_rule **out)
{
	struct dvx_flow_rule_attr attr = {.size = sizeof(attr),
					  .matcher = m,
					  .match = match,
					  .actions = to,
					  .action_count = 1};

	return dvx_flow_rule_create(&attr, out);
}

static int spread_add(struct base_tables *g, struct spread *s, const struct rule_rss *r,
		      uint8_t version, uint8_t proto)
{
	struct spread_kind *k = &s->kind[s->kinds++];
	struct dvx_flow_match match;
	int ret = spread_rss(g, r, version, proto, k);

	spread_match(&match, version, proto);
	return ret ? ret
		   : spread_rule(s->matcher[proto ? STEP_PORTS : STEP_ADDRESSES], &match, &k->to,
				 &k->rule);
}

static int spread_version(struct base_tables *g, struct spread *s, const struct rule_rss *r,
			  enum rule_hash hash, uint8_t version)
{
	int ret = 0;

	if (!(r->on & hash))
		return 0;
	if (r->on & HASH_TCP)
		ret = spread_add(g, s, r, version, DVX_FLOW_TCP);
	if (!ret && r->on & HASH_UDP)
		ret = spread_add(g, s, r, version, DVX_FLOW_UDP);
	return ret ? ret : spread_add(g, s, r, version, 0);
}

static int spread_table(struct base_tables *g, struct spread *s)
{
	struct dvx_flow_domain *domain = g->side[RULE_IN].domain;
	int ret = dvx_flow_table_create(domain, SPREAD_LEVEL, &s->table);

	if (!ret)
		ret = dvx_flow_action_create_table(domain, s->table, &s->to_table);
	for (int i = SPREAD_STEPS - 1; i >= 0 && !ret; i--) {
		struct dvx_flow_match mask;
		struct dvx_flow_matcher_attr attr = {
			.size = sizeof(attr), .priority = (uint32_t)i, .match = &mask};

		spread_match(&mask, i == STEP_REST ? 0 : 4, i == STEP_PORTS ? DVX_FLOW_TCP : 0);
		memset(mask.value, 0, sizeof(mask.value));
		ret = dvx_flow_matcher_create(s->table, &attr, &s->matcher[i]);
	}
	return ret;
}

static int spread_build(struct base_tables *g, struct spread *s)
{
	const struct rule_rss *r = &s->rss;
	struct dvx_flow_match all = {0};
	struct dvx_flow_action *first;
	int ret = spread_table(g, s);

	if (!ret)
		ret = spread_version(g, s, r, HASH_IPV4, 4);
	if (!ret)
		ret = spread_version(g, s, r, HASH_IPV6, 6);
	if (!ret)
		ret = base_tables_queue(g, r->first, &first);
	return ret ? ret : spread_rule(s->matcher[STEP_REST], &all, &first, &s->rest);
}

struct spread *spread_new(const struct rule_rss *rss)
{
	struct spread *s = calloc(1, sizeof(*s));

	if (s)
		s->rss = *rss;
	return s;
}

bool spread_is(const struct spread *s, const struct rule_rss *rss)
{
	return s->rss.first == rss->first && s->rss.last == rss->last && s->rss.on == rss->on &&
	       s->rss.has_key == rss->has_key && !memcmp(s->rss.key, rss->key, sizeof(rss->key));
}

static void spread_destroy(struct spread *s)
{
	dvx_flow_rule_destroy(s->rest);
	for (unsigned int i = 0; i < s->kinds; i++) {
		dvx_flow_rule_destroy(s->kind[i].rule);
		dvx_flow_action_destroy(s->kind[i].to);
		dvx_rss_destroy(s->kind[i].rss);
	}
	for (int i = 0; i < SPREAD_STEPS; i++)
		dvx_flow_matcher_destroy(s->matcher[i]);
	dvx_flow_action_destroy(s->to_table);
	dvx_flow_table_destroy(s->table);
	*s = (struct spread){.rss = s->rss};
}

int spread_action(struct spread *s, struct base_tables *g, struct dvx_flow_action **out)
{
	if (!s->rest && spread_build(g, s)) {
		spread_destroy(s);
		return -1;
	}
	*out = s->to_table;
	return 0;
}

void spread_free(struct spread *s)
{
	if (s)
		spread_destroy(s);
	free(s);
}
