/* SPDX-License-Identifier: BSD-2-Clause */
#include "export.h"

#include <arpa/inet.h>
#include <errno.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "entry.h"
#include "iface.h"
#include "rules/words.h"

const struct export_tool *export_find(const char *name)
{
	static const struct export_tool *const tools[] = {&export_tc, &export_testpmd};

	for (size_t i = 0; i < 2; i++)
		if (!strcmp(tools[i]->name, name))
			return tools[i];
	return NULL;
}

/* --- an entry's parts -------------------------------------------------------------------------- */

unsigned int entry_key(const struct entry *e, unsigned int key)
{
	if (e->second && key >= KEY_VLAN_ID && key <= KEY_VLAN_PCP)
		key += KEY_CVLAN2 - KEY_CVLAN;
	if (!e->inner || (key >= KEY_INNER(KEY_PER_LEVEL) && key < RULE_KEYS))
		return key;
	return key < KEY_PER_LEVEL ? (unsigned int)KEY_INNER(key) : MATCH_INNER(key);
}

bool entry_has(const struct entry *e, unsigned int key, uint64_t value)
{
	return e->mask[key] == match_key_max(key) && e->value[key] == value;
}

bool entry_take_masked(struct entry *e, unsigned int key, uint64_t *value, uint64_t *mask)
{
	*value = e->value[key];
	*mask = e->mask[key];
	e->mask[key] = 0;
	return *mask != 0;
}

bool entry_take(struct entry *e, unsigned int key, uint64_t *value)
{
	uint64_t mask;

	return e->mask[key] == match_key_max(key) && entry_take_masked(e, key, value, &mask);
}

int entry_take_tag(struct entry *e, unsigned int cvlan, unsigned int svlan)
{
	bool c = entry_has(e, cvlan, 1), s = entry_has(e, svlan, 1);

	if (!c && !s && (!entry_has(e, cvlan, 0) || !entry_has(e, svlan, 0)))
		return -1;
	e->mask[cvlan] = e->mask[svlan] = 0;
	return c ? 0x8100 : s ? 0x88a8 : 0;
}

bool entry_take_tos(struct entry *e, uint64_t *value, uint64_t *mask)
{
	uint64_t dscp, dscp_mask, ecn, ecn_mask;

	entry_take_masked(e, entry_key(e, KEY_DSCP), &dscp, &dscp_mask);
	entry_take_masked(e, entry_key(e, KEY_ECN), &ecn, &ecn_mask);
	*value = (dscp & dscp_mask) << 2 | (ecn & ecn_mask);
	*mask = dscp_mask << 2 | ecn_mask;
	return *mask;
}

void entry_put(struct entry *e, const struct row *row)
{
	if (row->write)
		row->write(e, row, entry_key(e, row->key[0]));
	if (row->key[1])
		row->write(e, row, entry_key(e, row->key[1]));
}

bool entry_take_address(struct entry *e, unsigned int first, int version, struct entry_address *a)
{
	unsigned int words = version == 4 ? 1 : 4;
	bool any = false;

	*a = (struct entry_address){.bits = 0};
	for (unsigned int i = 0; i < words; i++) {
		uint64_t value, mask;
		uint32_t v, m;

		/* IPv4's is the last word. */
		any |= entry_take_masked(e, first + 4 - words + i, &value, &mask);
		v = htonl((uint32_t)(value & mask));
		m = htonl((uint32_t)mask);
		memcpy(a->addr + i * 4, &v, 4);
		memcpy(a->mask + i * 4, &m, 4);
	}
	a->bits = value_mask_length(a->mask, words * 4);
	return any;
}

const struct rule_change *entry_change(const struct entry *e, enum rule_change_kind kind)
{
	for (size_t i = 0; i < e->rule->nchanges; i++)
		if (e->rule->change[i].kind == kind)
			return &e->rule->change[i];
	return NULL;
}

bool entry_take_from(struct entry *e, bool kernel)
{
	char vport[32];

	if (!entry_take(e, KEY_VPORT, &e->source))
		return entry_refuse(e, e->rule->dir_at,
				    "name the vport that the packets come from: `from vf0'");
	dvx_flow_vport_name((uint32_t)e->source, vport, sizeof(vport));
	if (!iface_name(e->ports, (uint32_t)e->source, kernel, e->from, sizeof(e->from)))
		return entry_refuse(e, rule_location(e->rule, KEY_VPORT),
				    "--port NAME=%s is needed for this vport", vport);
	dvx_flow_vport_name(e->rule->vport, vport, sizeof(vport));
	return !rule_has_vport(e->rule) ||
	       iface_name(e->ports, e->rule->vport, kernel, e->to, sizeof(e->to)) ||
	       entry_refuse(e, e->rule->queue_at, "--port NAME=%s is needed for this vport", vport);
}

static int entry_is_of(void *source, const struct shape *shape, const uint64_t *value)
{
	for (unsigned int i = 0; i < shape->n; i++)
		if (shape->key[i] == KEY_VPORT)
			return value[i] == *(const uint64_t *)source;
	return 0;
}

bool entry_goes_on(const struct entry *e)
{
	uint64_t source = e->source;

	for (size_t i = e->number + 1; i < e->set->n; i++)
		if (e->set->rule[i].dir == RULE_SWITCH &&
		    rule_expand(&e->set->rule[i], entry_is_of, &source) > 0)
			return true;
	return false;
}

void entry_put_encap(struct entry *e, const struct row *rows)
{
	const struct rule_encap *t = e->rule->encap;
	struct rule_change c[ENCAP_WORDS] = {0};

	c[ENCAP_ID] = (struct rule_change){.kind = CHANGE_TTL, .value = t->id};
	c[ENCAP_PORT] = (struct rule_change){.kind = CHANGE_DPORT, .value = t->port};
	c[ENCAP_GBP] = (struct rule_change){.kind = CHANGE_TTL, .value = t->gbp};
	c[ENCAP_TTL] = (struct rule_change){.kind = CHANGE_TTL, .value = t->ttl};
	for (unsigned int side = 0; side < 2; side++) {
		struct rule_change *ip = &c[ENCAP_SRC + side], *mac = &c[ENCAP_ETH_SRC + side];

		*ip = (struct rule_change){.kind = CHANGE_IP_SRC, .of = t->family};
		memcpy(ip->addr, side ? t->dst : t->src, sizeof(ip->addr));
		*mac = (struct rule_change){.kind = CHANGE_ETH_SRC};
		memcpy(mac->addr, side ? t->eth_dst : t->eth_src, 6);
	}
	for (; rows->value; rows++) {
		if ((rows->what == ENCAP_ID && !t->has_id) ||
		    (rows->what == ENCAP_GBP && !t->has_gbp) ||
		    (rows->what == ENCAP_PORT && !t->port))
			continue;
		fprintf(e->out, " %s ", rows->names);
		change_print(e->out, &c[rows->what]);
	}
}

bool entry_refuse(struct entry *e, struct source_location at, const char *fmt, ...)
{
	va_list ap;

	e->at = at;
	va_start(ap, fmt);
	vsnprintf(e->why, sizeof(e->why), fmt, ap);
	va_end(ap);
	return false;
}

/* Returns a name for a key without a noun: one that other words imply. */
static const char *entry_noun(unsigned int key)
{
	if (match_keys[key].noun)
		return match_keys[key].noun;
	return strstr(match_keys[key].path, "port")	 ? "port"
	       : strstr(match_keys[key].path, "version") ? "IP version"
							 : "address";
}

bool entry_done(struct entry *e, const char *tool)
{
	for (unsigned int key = 0; key < MATCH_KEYS; key++)
		if (e->mask[key])
			return entry_refuse(e, rule_location(e->rule, key),
					    "%s cannot compare this %s, or not under this mask",
					    tool, entry_noun(key));
	return true;
}

/* --- rules ------------------------------------------------------------------------------------- */

struct export_run {
	const struct export_ask *ask;
	const struct ruleset *set;
	struct export_state state;
	const struct rule *rule;
	size_t number;
	FILE *out;
	struct source_location at;
	char why[256];
};

static int export_entry(void *arg, const struct shape *shape, const uint64_t *value)
{
	struct export_run *x = arg;
	struct entry e = {.rule = x->rule,
			  .set = x->set,
			  .number = x->number,
			  .netdev = x->ask->netdev,
			  .ports = x->ask->ports,
			  .out = x->out};

	for (unsigned int i = 0; i < shape->n; i++) {
		e.value[shape->key[i]] = value[i];
		e.mask[shape->key[i]] = shape->mask[i];
	}
	if (x->ask->tool->write(&x->state, &e))
		return 0;
	x->at = e.at;
	memcpy(x->why, e.why, sizeof(x->why));
	return 1;
}

/* Returns what no tool has of the rule, and its place; NULL: nothing. */
static const char *export_lacks(const struct rule *r, struct source_location *at)
{
	*at = r->over ? r->over_at : r->expire ? r->expire_at : r->at;
	return r->over				     ? "rates"
	       : r->track || r->ct		     ? "connections"
	       : r->expire			     ? "rules that expire"
	       : r->encap && r->encap->has_option    ? "options of Geneve"
	       : r->table || r->verdict == RULE_GOTO ? "tables"
						     : NULL;
}

/* Returns whether a tool may have what the rule does. */
static bool export_can(struct export_run *x)
{
	const char *what = export_lacks(x->rule, &x->at);

	snprintf(x->why, sizeof(x->why), "%s are not exported", what ? what : "");
	return !what;
}

/* Writes all entries of a rule, or none: to memory first. */
static int export_rule(struct export_run *x, FILE *out)
{
	struct export_state before = x->state;
	char *text = NULL;
	size_t n = 0;
	int ret;

	if (!export_can(x))
		return 1;
	x->out = open_memstream(&text, &n);
	if (!x->out)
		return -ENOMEM;
	ret = rule_expand(x->rule, export_entry, x);
	if (ret < 0) {
		x->at = x->rule->at;
		snprintf(x->why, sizeof(x->why), "becomes more than %u entries", RULE_ENTRIES_MAX);
	}
	if (fclose(x->out))
		ret = -ENOMEM;
	else if (ret)
		x->state = before;
	else
		fwrite(text, 1, n, out);
	free(text);
	return ret;
}

int export_rules(const struct export_ask *ask, const struct ruleset *set, FILE *out,
		 export_left_out_fn report, void *arg)
{
	struct export_run x = {.ask = ask, .set = set};
	int left_out = 0;

	for (x.number = 0; x.number < set->n; x.number++) {
		int ret;

		x.rule = &set->rule[x.number];
		ret = export_rule(&x, out);
		if (ret == -ENOMEM)
			return ret;
		if (!ret)
			continue;
		left_out++;
		report(arg, x.rule, x.at, x.why);
	}
	return left_out;
}
