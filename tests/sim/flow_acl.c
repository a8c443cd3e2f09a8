/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Proves that the tables of acl_compile() steer on the device, through libdvx and the unmodified
 * libmlx5, as the rules do one after the other. Usage: flow_acl SHAPE RULES PACKETS, see acl_sets.h
 */
#include <string.h>
#include "../unit/acl_packets.h"
#include "../unit/acl_sets.h"
#include "../unit/flow_slow.h"
#include "diff_rig.h"
#include "rules/acl.h"

#define DEFAULT_TAG 0xabcdefu /* the rules' tags are their indexes */
#define SOME	    (BATCH / 2)
#define FIRST_LEVEL 2u /* the rig has two tables before */

static struct dvx_flow_domain *domain;

/* What the device has of a program. The process ends with it. */
struct loaded {
	const struct acl_program *p;
	struct dvx_flow_table **table;
	struct dvx_flow_action **to, **list, **tag, *default_tag, *queue;
};

static void *room(size_t n, size_t size)
{
	void *p = calloc(n + 1, size);

	OK(p ? 0 : -1);
	return p;
}

/* --- register lists ------------------------------------------------------------------------------ */

/* PRM set_action_in: the bits of a register from `offset` on. */
static void set_bits(struct dvx_flow_rewrites *w, const char *path, unsigned int offset,
		     unsigned int bits, uint32_t value)
{
	uint8_t *a;

	OK(dvx_flow_rewrite_set(w, path, 0));
	a = w->action[w->count - 1];
	a[2] = (uint8_t)offset;
	a[3] = (uint8_t)(bits & 31);
	for (int i = 0; i < 4; i++)
		a[4 + i] = (uint8_t)(value >> (24 - 8 * i));
}

/* One action for each run of bytes under the mask. */
static void set_masked(struct dvx_flow_rewrites *w, const struct acl_write *at)
{
	for (unsigned int low = 0; low < 32; low += 8) {
		unsigned int bits = 0;

		while (low + bits < 32 && at->mask >> (low + bits) & 1)
			bits++;
		if (!bits)
			continue;
		set_bits(w, match_keys[at->key].path, low, bits,
			 at->value >> low & (uint32_t)((1ull << bits) - 1));
		low += bits & ~7u;
	}
}

static void load_lists(struct loaded *d)
{
	d->list = room(d->p->nlists, sizeof(*d->list));
	for (size_t i = 0; i < d->p->nlists; i++) {
		const struct acl_list *l = &d->p->list[i];
		struct dvx_flow_rewrites w = {0};

		for (unsigned int k = 0; k < l->n; k++)
			set_masked(&w, &l->write[k]);
		if (l->copy)
			OK(dvx_flow_rewrite_copy(&w, match_keys[ACL_BEST].path, 0,
						 match_keys[ACL_CANDIDATE].path, 0, 32));
		OK(dvx_flow_action_create_modify(domain, &w, &d->list[i]));
	}
}

/* --- tables -------------------------------------------------------------------------------------- */

static void load_tables(struct loaded *d, size_t rules)
{
	d->table = room(d->p->n, sizeof(*d->table));
	d->to = room(d->p->n, sizeof(*d->to));
	d->tag = room(rules, sizeof(*d->tag));
	for (uint32_t t = 0; t < d->p->n; t++) {
		OK(dvx_flow_table_create(domain, FIRST_LEVEL + t, &d->table[t]));
		OK(dvx_flow_action_create_table(domain, d->table[t], &d->to[t]));
	}
	for (uint32_t i = 0; i < rules; i++)
		OK(dvx_flow_action_create_tag(domain, i, &d->tag[i]));
	OK(dvx_flow_action_create_tag(domain, DEFAULT_TAG, &d->default_tag));
}

static void load_entry(const struct loaded *d, struct dvx_flow_matcher *matcher,
		       const struct shape *s, const struct acl_entry *e)
{
	struct dvx_flow_match match = {0};
	struct dvx_flow_action *actions[3];
	struct dvx_flow_rule_attr attr = {
		.size = sizeof(attr), .match = &match, .actions = actions, .matcher = matcher};
	struct dvx_flow_rule *rule;

	for (unsigned int k = 0; k < s->n; k++)
		OK(dvx_flow_match_set(&match, match_keys[s->key[k]].path, e->value[k], s->mask[k]));
	if (e->list != ACL_NONE)
		actions[attr.action_count++] = d->list[e->list];
	if (e->next != ACL_NONE) {
		actions[attr.action_count++] = d->to[e->next];
	} else {
		actions[attr.action_count++] =
			e->rule == ACL_NONE ? d->default_tag : d->tag[e->rule];
		actions[attr.action_count++] = d->queue;
	}
	OK(dvx_flow_rule_create(&attr, &rule));
}

static void load_matcher(const struct loaded *d, size_t table, size_t m)
{
	const struct acl_matcher *from = &d->p->table[table].matcher[m];
	struct dvx_flow_match match = {0};
	struct dvx_flow_matcher_attr attr = {
		.size = sizeof(attr), .match = &match, .priority = (uint32_t)m};
	struct dvx_flow_matcher *matcher;

	for (unsigned int k = 0; k < from->shape->n; k++)
		OK(dvx_flow_match_set(&match, match_keys[from->shape->key[k]].path, 0,
				      from->shape->mask[k]));
	OK(dvx_flow_matcher_create(d->table[table], &attr, &matcher));
	for (size_t e = 0; e < from->n; e++)
		load_entry(d, matcher, from->shape, &from->entry[e]);
}

static void load(struct loaded *d, size_t rules)
{
	load_lists(d);
	load_tables(d, rules);
	for (size_t t = 0; t < d->p->n; t++)
		for (size_t m = d->p->table[t].n; m-- > 0;)
			load_matcher(d, t, m);
}

/* --- before them --------------------------------------------------------------------------------- */

/* A rule of a table of its own matcher. `end`: a batch's last packet of that queue; -1: all. */
static void lead(struct dvx_flow_table *table, int end, struct dvx_flow_action *const *actions,
		 uint32_t n)
{
	struct dvx_flow_match match = {0};
	struct dvx_flow_matcher_attr matcher = {.size = sizeof(matcher),
						.match = &match,
						.priority = end < 0 ? 60000 : (uint32_t)end};
	struct dvx_flow_rule_attr rule = {
		.size = sizeof(rule), .match = &match, .actions = actions, .action_count = n};
	struct dvx_flow_rule *made;

	if (end >= 0) {
		OK(dvx_flow_match_set(&match, "outer_headers.dmac_47_16", 0x02ff0000, UINT32_MAX));
		OK(dvx_flow_match_set(&match, "outer_headers.dmac_15_0", (uint64_t)end, 0xffff));
	}
	OK(dvx_flow_matcher_create(table, &matcher, &rule.matcher));
	OK(dvx_flow_rule_create(&rule, &made));
}

static void lead_packets(struct rig *r, const struct loaded *d)
{
	for (int q = 0; q < QUEUES; q++) {
		struct dvx_flow_action *end[] = {r->queue[q].action, r->tag[q]};

		lead(r->lane[RULE_IN].table, q, end, 2);
	}
	lead(r->lane[RULE_IN].table, -1, d->to, 1);
	lead(r->lane[RULE_OUT].table, -1, &r->lane[RULE_OUT].pass, 1);
	OK(dvx_flow_domain_sync(r->lane[RULE_IN].domain));
	OK(dvx_flow_domain_sync(r->lane[RULE_OUT].domain));
}

/* --- packets ---------------------------------------------------------------------------------------- */

static uint32_t wanted(const struct ruleset *set, const struct made_packet *p)
{
	struct fields f;
	const struct rule *rule;

	fields_of_frame(&f, p->bytes, p->len);
	rule = slow_match(set, RULE_IN, &f);
	return rule ? (uint32_t)(rule - set->rule) : DEFAULT_TAG;
}

/* How many of a batch met another rule. */
static uint32_t try_some(struct rig *r, const struct ruleset *set, struct dice *d)
{
	struct made_packet p[SOME];
	uint32_t wrong = 0, tag, len;

	for (int i = 0; i < SOME; i++)
		corner_packet(d, set, &p[i]);
	packets_send(r, p, SOME);
	for (int i = 0; i < SOME; i++) {
		packet_receive(r, 0, &tag, &len);
		if (tag != wanted(set, &p[i]) && !wrong++)
			printf("# the device met rule %u, not %u\n", tag, wanted(set, &p[i]));
	}
	for (int q = 0; q < QUEUES; q++) {
		packet_receive(r, q, &tag, &len);
		OK(tag == LAST_TAG ? 0 : -1);
		dvx_rq_ring(r->queue[q].rq);
	}
	return wrong;
}

int main(int argc, char **argv)
{
	uint32_t packets = argc == 4 ? (uint32_t)atol(argv[3]) : 0, wrong = 0;
	char *text = acl_set_text((enum acl_shape)(packets ? atoi(argv[1]) : 0),
				  packets ? (size_t)atol(argv[2]) : 1, 1);
	struct dice dice = {99};
	struct acl_refusal refusal;
	struct acl_program p;
	struct ruleset set;
	struct loaded d = {.p = &p};
	struct rig r = {0};

	OK(rules_parse(text, strlen(text), &set, NULL, NULL));
	OK(acl_compile(&set, RULE_IN, &p, &refusal));
	rig_open(&r);
	domain = r.lane[RULE_IN].domain;
	d.queue = r.queue[0].action;
	load(&d, set.n);
	lead_packets(&r, &d);
	for (uint32_t i = 0; i < packets; i += SOME)
		wrong += try_some(&r, &set, &dice);
	printf("%sok 1 - %u packets through %zu tables: %u met another rule\n", wrong ? "not " : "",
	       packets, p.n, wrong);
	printf("1..1\n");
	fflush(stdout);
	_Exit(wrong || !packets);
}
