/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The tables of tracked connections, one behind the other. Their level is behind the first table of
 * the rules, and before all others.
 *
 *	connections	by addresses and ports: the object
 *	results		valid or not, and the source of this side's packets: a table for each vport,
 *			as libmlx5 takes no object and rewrite in one entry of an FDB
 *	onward		to the rules in effect
 *	copies		to the daemon, marked with the source
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <dvx/cmd.h>
#include <dvx/prm/cmd.h>
#include <dvx/prm/query.h>

#include "track_priv.h"

#define TRACK_LEVEL 2u
#define COPY_LEVEL  (TABLES_DEEP + 1)
#define TCP_FLAGS   0x17u /* FIN, SYN, RST, ACK */
#define FLAG_SYN    0x02u
#define FLAG_SYNACK 0x12u
#define ACTIONS	    4u
#define VFS_MOST    1024u /* vports that are tried, one after the other */

struct track_table {
	struct dvx_flow_table *table;
	struct dvx_flow_action *to;
};

/* The tag of a vport's packets for the daemon. */
struct track_mark {
	uint16_t vport;
	struct dvx_flow_action *push;
};

/* The table of results of a vport's packets. */
struct track_results {
	uint16_t vport;
	struct dvx_flow_action *set;
	struct track_table table;
};

struct track {
	struct base_tables *base;
	struct dvx_flow_domain *domain;
	struct track_table connections, onward, copies;
	struct dvx_flow_matcher **matcher;
	size_t nmatchers, matchers_room;
	struct dvx_flow_rule **rule;
	size_t nrules, rules_room;
	struct track_results *results;
	size_t nresults, results_room;
	struct track_mark *mark;
	size_t nmarks, marks_room;
	struct dvx_flow_action *outer; /* tag of the mark */
	struct dvx_flow_action *manager;
	struct dvx_flow_action *new, *invalid; /* set the register */
	struct dvx_flow_action *copy;	       /* to the daemon, and onward */
	struct dvx_flow_matcher *lead[2];
	struct dvx_flow_rule *leads; /* of onward */
	unsigned int lead_priority;
	struct track_tables for_connections;
	struct track_connections *all;
	struct track_queue *queue;
	uint64_t look; /* when ends of connections are looked for next */
};

/* --- parts ------------------------------------------------------------------------------------- */

static int track_table_make(struct track *t, uint32_t level, struct track_table *out)
{
	int ret = dvx_flow_table_create(t->domain, level, &out->table);

	return ret ? ret : dvx_flow_action_create_table(t->domain, out->table, &out->to);
}

static void track_table_free(struct track_table *x)
{
	dvx_flow_action_destroy(x->to);
	dvx_flow_table_destroy(x->table);
}

static int track_matcher(struct track *t, const struct track_table *in, uint32_t priority,
			 const struct dvx_flow_match *match, struct dvx_flow_matcher **out)
{
	struct dvx_flow_match mask = *match;
	struct dvx_flow_matcher_attr attr = {
		.size = sizeof(attr), .priority = priority, .match = &mask};
	int ret;

	memset(mask.value, 0, sizeof(mask.value));
	if (!array_grow((void **)&t->matcher, t->nmatchers, &t->matchers_room,
			sizeof(struct dvx_flow_matcher *)))
		return -ENOMEM;
	ret = dvx_flow_matcher_create(in->table, &attr, out);
	if (!ret)
		t->matcher[t->nmatchers++] = *out;
	return ret;
}

/* Adds an entry. Its actions end at the first NULL. */
static int track_entry(struct track *t, struct dvx_flow_matcher *matcher,
		       const struct dvx_flow_match *match, struct dvx_flow_action *actions[ACTIONS])
{
	struct dvx_flow_rule_attr attr = {
		.size = sizeof(attr), .matcher = matcher, .match = match, .actions = actions};
	int ret;

	while (attr.action_count < ACTIONS && actions[attr.action_count])
		attr.action_count++;
	if (!array_grow((void **)&t->rule, t->nrules, &t->rules_room,
			sizeof(struct dvx_flow_rule *)))
		return -ENOMEM;
	ret = dvx_flow_rule_create(&attr, &t->rule[t->nrules]);
	t->nrules += !ret;
	return ret;
}

static int track_set(struct track *t, uint32_t value, struct dvx_flow_action **out)
{
	struct dvx_flow_rewrites list = {0};
	int ret = dvx_flow_rewrite_set(&list, match_keys[CT_KEY].path, value);

	return ret ? ret : dvx_flow_action_create_modify(t->domain, &list, out);
}

/* Removes entries and matchers, down to these numbers. */
static void track_drop_parts(struct track *t, size_t rules, size_t matchers)
{
	while (t->nrules > rules)
		dvx_flow_rule_destroy(t->rule[--t->nrules]);
	while (t->nmatchers > matchers)
		dvx_flow_matcher_destroy(t->matcher[--t->nmatchers]);
}

/* --- the table of copies ----------------------------------------------------------------------- */

static int track_copy_of(struct track *t, struct dvx_flow_matcher *matcher,
			 const struct dvx_flow_match *match, uint16_t vport)
{
	struct dvx_flow_action *actions[ACTIONS] = {NULL, t->outer, t->manager};
	int ret;

	if (!array_grow((void **)&t->mark, t->nmarks, &t->marks_room, sizeof(*t->mark)))
		return -ENOMEM;
	ret = dvx_flow_action_create_push_vlan(t->domain, TRACK_TAG, vport, &actions[0]);
	if (ret)
		return ret;
	t->mark[t->nmarks++] = (struct track_mark){vport, actions[0]};
	return track_entry(t, matcher, match, actions);
}

/* Returns the number of VFs; VFS_MOST: the device does not report it. */
static uint32_t track_vfs(const struct track *t)
{
	uint8_t in[PRM_QUERY_ESW_FUNCTIONS_IN_BYTES] = {0};
	uint8_t out[PRM_QUERY_ESW_FUNCTIONS_OUT_BYTES];
	uint32_t n;

	prm_query_esw_functions_in_set_opcode(in, PRM_OPCODE_QUERY_ESW_FUNCTIONS);
	if (dvx_cmd(t->base->dev, in, sizeof(in), out, sizeof(out)))
		return VFS_MOST;
	n = prm_host_params_context_get_host_num_of_vfs(
		prm_query_esw_functions_out_cat_host_params_context(out));
	return n ? n : VFS_MOST;
}

/* Adds an entry for each vport: the PF, the VFs up to the first one that there is not, the others. */
static int track_fill_copies(struct track *t)
{
	const uint32_t more[] = {DVX_FLOW_UPLINK, t->base->switch_base.manager};
	const uint32_t vfs = track_vfs(t);
	struct dvx_flow_match m = {0};
	struct dvx_flow_matcher *matcher;
	int ret = dvx_flow_match_vport(&m, DVX_FLOW_PF);

	if (!ret)
		ret = track_matcher(t, &t->copies, 0, &m, &matcher);
	if (!ret)
		ret = track_copy_of(t, matcher, &m, DVX_FLOW_PF);
	for (uint32_t v = 1; v <= vfs && !ret; v++)
		if (dvx_flow_match_vport(&m, DVX_FLOW_PF + v) ||
		    track_copy_of(t, matcher, &m, (uint16_t)(DVX_FLOW_PF + v)))
			break;
	for (size_t i = 0; i < 2 && !ret; i++) {
		if (more[i] == DVX_FLOW_PF)
			continue;
		ret = dvx_flow_match_vport(&m, more[i]);
		if (!ret)
			ret = track_copy_of(t, matcher, &m, (uint16_t)more[i]);
	}
	return ret;
}

/* --- the other tables -------------------------------------------------------------------------- */

static int track_flags(struct dvx_flow_match *m, uint8_t version, uint32_t flags)
{
	int ret = dvx_flow_match_ip_version(m, DVX_FLOW_OUTER, version);

	if (!ret)
		ret = dvx_flow_match_proto(m, DVX_FLOW_OUTER, DVX_FLOW_TCP);
	return ret ? ret : dvx_flow_match_set(m, match_keys[KEY_TCP_FLAGS].path, flags, TCP_FLAGS);
}

/* Adds what happens to SYNs and SYN-ACKs of new connections. `also`: what else they match. */
static int track_fill_begin(struct track *t, const struct track_table *in, uint32_t priority,
			    const struct dvx_flow_match *also)
{
	struct dvx_flow_action *syn[ACTIONS] = {t->new, t->copy};
	struct dvx_flow_action *synack[ACTIONS] = {t->copies.to};
	struct dvx_flow_matcher *matcher = NULL;
	int ret = 0;

	for (uint8_t version = 4; version <= 6 && !ret; version += 2) {
		struct dvx_flow_match m = *also;

		ret = track_flags(&m, version, FLAG_SYN);
		if (!ret && !matcher)
			ret = track_matcher(t, in, priority, &m, &matcher);
		if (!ret)
			ret = track_entry(t, matcher, &m, syn);
		if (!ret)
			ret = track_flags(&m, version, FLAG_SYNACK);
		if (!ret)
			ret = track_entry(t, matcher, &m, synack);
	}
	return ret;
}

/* Adds the entry of packets that no other entry takes. */
static int track_fill_rest(struct track *t, const struct track_table *in, uint32_t priority)
{
	struct dvx_flow_action *actions[ACTIONS] = {t->invalid, t->onward.to};
	struct dvx_flow_match all = {0};
	struct dvx_flow_matcher *matcher;
	int ret = track_matcher(t, in, priority, &all, &matcher);

	return ret ? ret : track_entry(t, matcher, &all, actions);
}

/* Makes the mask of connections of an IP version. */
static int track_match_any(struct dvx_flow_match *m, bool v6)
{
	static const uint8_t none[16];
	int ret = 0;

	*m = (struct dvx_flow_match){0};
	for (int end = DVX_FLOW_SRC; end <= DVX_FLOW_DST && !ret; end++) {
		ret = v6 ? dvx_flow_match_ipv6(m, DVX_FLOW_OUTER, (enum dvx_flow_end)end, none, 128)
			 : dvx_flow_match_ipv4(m, DVX_FLOW_OUTER, (enum dvx_flow_end)end, 0, 32);
		if (!ret)
			ret = dvx_flow_match_port(m, DVX_FLOW_OUTER, (enum dvx_flow_end)end,
						  DVX_FLOW_TCP, 0, 0xffff);
	}
	return ret;
}

static int track_fill_connections(struct track *t)
{
	struct dvx_flow_match m;
	int ret = 0;

	for (uint32_t i = 0; i < 2 && !ret; i++) {
		ret = track_match_any(&m, i);
		if (!ret)
			ret = track_matcher(t, &t->connections, i, &m,
					    &t->for_connections.matcher[i]);
	}
	m = (struct dvx_flow_match){0};
	if (!ret)
		ret = track_fill_begin(t, &t->connections, 2, &m);
	return ret ? ret : track_fill_rest(t, &t->connections, 3);
}

static int track_fill_results(struct track *t, const struct track_results *r)
{
	const char *reg = match_keys[KEY_REG_C0 + OBJECT_REG].path;
	struct dvx_flow_action *valid[ACTIONS] = {r->set, t->onward.to};
	struct dvx_flow_match m = {0};
	struct dvx_flow_matcher *matcher;
	int ret = dvx_flow_match_set(&m, reg, DVX_CT_VALID, DVX_CT_VERDICT | DVX_CT_BAD);

	if (!ret)
		ret = track_matcher(t, &r->table, 0, &m, &matcher);
	if (!ret)
		ret = track_entry(t, matcher, &m, valid);
	m = (struct dvx_flow_match){0};
	if (!ret)
		ret = dvx_flow_match_set(&m, reg, DVX_CT_TRAP, DVX_CT_VERDICT);
	if (!ret)
		ret = track_fill_begin(t, &r->table, 1, &m);
	return ret ? ret : track_fill_rest(t, &r->table, 2);
}

static int track_results_make(struct track *t, struct track_results *r)
{
	int ret = track_table_make(t, TRACK_LEVEL + 1, &r->table);

	if (!ret)
		ret = track_set(t, CT_ESTABLISHED | r->vport, &r->set);
	return ret ? ret : track_fill_results(t, r);
}

static void track_results_free(struct track_results *r)
{
	dvx_flow_action_destroy(r->set);
	track_table_free(&r->table);
}

/* Finds the table of a vport's results, or makes it. */
static int track_results_of(void *arg, uint16_t vport, struct dvx_flow_action **out)
{
	struct track *t = arg;
	const size_t rules = t->nrules, matchers = t->nmatchers;
	struct track_results *r;
	int ret;

	for (size_t i = 0; i < t->nresults; i++)
		if (t->results[i].vport == vport) {
			*out = t->results[i].table.to;
			return 0;
		}
	if (!array_grow((void **)&t->results, t->nresults, &t->results_room, sizeof(*r)))
		return -ENOMEM;
	r = &t->results[t->nresults];
	*r = (struct track_results){.vport = vport};
	ret = track_results_make(t, r);
	if (ret) {
		track_drop_parts(t, rules, matchers);
		track_results_free(r);
		return ret;
	}
	t->nresults++;
	*out = r->table.to;
	return 0;
}

static int track_make_actions(struct track *t)
{
	struct dvx_flow_action *both[] = {t->copies.to, t->onward.to};
	int ret = track_set(t, CT_NEW, &t->new);

	if (!ret)
		ret = track_set(t, CT_INVALID, &t->invalid);
	if (!ret)
		ret = dvx_flow_action_create_push_vlan(t->domain, TRACK_TAG, TRACK_VID, &t->outer);
	if (!ret)
		ret = dvx_flow_action_create_vport(t->domain, t->base->switch_base.manager,
						   &t->manager);
	return ret ? ret : dvx_flow_action_create_array(t->domain, both, 2, &t->copy);
}

static int track_make_tables(struct track *t)
{
	struct dvx_flow_match all = {0};
	int ret = track_table_make(t, TRACK_LEVEL, &t->connections);

	if (!ret)
		ret = track_table_make(t, TRACK_LEVEL + 2, &t->onward);
	if (!ret)
		ret = track_table_make(t, COPY_LEVEL, &t->copies);
	if (!ret)
		ret = track_make_actions(t);
	for (uint32_t i = 0; i < 2 && !ret; i++)
		ret = track_matcher(t, &t->onward, i, &all, &t->lead[i]);
	if (!ret)
		ret = track_fill_copies(t);
	return ret ? ret : track_fill_connections(t);
}

/* --- the whole --------------------------------------------------------------------------------- */

static int track_make_all(struct track *t)
{
	int ret;

	t->for_connections.domain = t->domain;
	t->for_connections.results = track_results_of;
	t->for_connections.arg = t;
	/* First, as devices without such objects lack more. */
	ret = track_connections_new(t->base, &t->for_connections, &t->all);
	if (!ret)
		ret = track_make_tables(t);
	return ret ? ret : track_queue_new(t->base, &t->queue);
}

int track_make(struct base_tables *base)
{
	if (base->track)
		return 0;
	base->track = calloc(1, sizeof(*base->track));
	if (!base->track)
		return -ENOMEM;
	base->track->base = base;
	base->track->domain = base->side[RULE_SWITCH].domain;
	return track_make_all(base->track);
}

void track_free(struct base_tables *base)
{
	struct track *t = base->track;

	if (!t)
		return;
	base->track = NULL;
	track_queue_free(t->queue);
	track_connections_free(t->all);
	dvx_flow_rule_destroy(t->leads);
	track_drop_parts(t, 0, 0);
	for (size_t i = 0; i < t->nresults; i++)
		track_results_free(&t->results[i]);
	while (t->nmarks)
		dvx_flow_action_destroy(t->mark[--t->nmarks].push);
	dvx_flow_action_destroy(t->copy);
	dvx_flow_action_destroy(t->manager);
	dvx_flow_action_destroy(t->outer);
	dvx_flow_action_destroy(t->invalid);
	dvx_flow_action_destroy(t->new);
	track_table_free(&t->connections);
	track_table_free(&t->onward);
	track_table_free(&t->copies);
	free(t->results);
	free(t->mark);
	free(t->rule);
	free(t->matcher);
	free(t);
}

struct dvx_flow_action *track_to(const struct track *t)
{
	return t->connections.to;
}

/* The new entry is made beside the old one, as a generation's in the root. */
int track_lead(struct track *t, struct dvx_flow_action *to)
{
	unsigned int priority = t->leads && !t->lead_priority;
	struct dvx_flow_match all = {0};
	struct dvx_flow_rule_attr attr = {.size = sizeof(attr),
					  .matcher = t->lead[priority],
					  .match = &all,
					  .actions = &to,
					  .action_count = 1};
	struct dvx_flow_rule *leads = NULL;
	int ret = to ? dvx_flow_rule_create(&attr, &leads) : 0;

	if (ret)
		return ret;
	dvx_flow_rule_destroy(t->leads);
	t->leads = leads;
	t->lead_priority = priority;
	return 0;
}

void track_limit(struct track *t, const struct rule_track *limits)
{
	track_connections_limit(t->all, limits);
}

int track_fd(const struct track *t)
{
	return track_queue_fd(t->queue);
}

#define LOOK_MS 1000

int track_run(struct track *t, uint64_t now)
{
	int ms = track_queue_run(t->queue, t->all, now);

	if (now >= t->look) {
		track_connections_look(t->all, now);
		t->look = now + LOOK_MS;
	}
	return ms >= 0 ? ms : (int)(t->look - now);
}

struct track_count track_counts(const struct track *t)
{
	return track_connections_count(t->all);
}

/* --- for explain ------------------------------------------------------------------------------- */

void track_entries(const struct track *t, uint32_t rule, entry_of_fn visit, void *arg)
{
	for (size_t i = 0; i < t->nrules; i++)
		visit(arg, dvx_flow_rule_id(t->rule[i]), rule);
	if (t->leads)
		visit(arg, dvx_flow_rule_id(t->leads), rule);
	track_connections_entries(t->all, rule, visit, arg);
}

static void track_rewrites_of(const struct dvx_flow_action *action, rewrites_fn visit, void *arg)
{
	struct dvx_flow_rewrites list;

	if (!dvx_flow_action_rewrites(action, &list))
		visit(arg, dvx_flow_action_id(action), &list);
}

void track_rewrites(const struct track *t, rewrites_fn visit, void *arg)
{
	track_rewrites_of(t->new, visit, arg);
	track_rewrites_of(t->invalid, visit, arg);
	for (size_t i = 0; i < t->nresults; i++)
		track_rewrites_of(t->results[i].set, visit, arg);
}

void track_copies(const struct track *t, mirror_fn visit, void *arg)
{
	visit(arg, dvx_flow_action_id(t->copy), dvx_flow_table_id(t->onward.table), 0);
}
