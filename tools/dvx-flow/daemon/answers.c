/* SPDX-License-Identifier: BSD-2-Clause */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <dvx/dev.h>
#include <dvx/prm/cap.h>

#include "cost.h"
#include "holder.h"
#include "places.h"
#include "rule_json.h"
#include "dvx-flow.h"
#include "track/track.h"

static json_t *answers_rule_json(const struct generation *gen, size_t i)
{
	json_t *j = json_pack("{s:I}", "id", (json_int_t)generation_id(gen, i));
	const struct ruleset *set = generation_rules(gen);

	rule_json(j, set, &set->rule[i]);
	if (set->rule[i].expire)
		json_object_set_new(j, "expires_in",
				    json_integer((json_int_t)generation_expires_in(gen, i)));
	return j;
}

static json_t *rules_json(const struct holder *h)
{
	json_t *list = json_array();

	for (size_t i = 0; h->now && i < generation_rules(h->now)->n; i++)
		json_array_append_new(list, answers_rule_json(h->now, i));
	places_json(list, h->text, h->len);
	return list;
}

static json_t *answers_rules(const struct holder *h)
{
	return json_pack("{s:i, s:s, s:I, s:o}", "exit", EXIT_DONE, "device",
			 dvx_dev_name(h->base.dev), "applied", (json_int_t)h->applied, "rules",
			 rules_json(h));
}

static void answers_failed(struct server_conn *c, const struct flow_fault *f)
{
	conn_fault(c, f);
}

/* --- apply ----------------------------------------------------------------------------------- */

struct apply_answer {
	struct server_conn *c;
	const struct holder *h;
};

static int answers_send_progress(void *arg, size_t done, size_t of)
{
	struct apply_answer *t = arg;

	conn_reply(t->c,
		   json_pack("{s:I, s:I}", "progress", (json_int_t)done, "of", (json_int_t)of),
		   NULL, 0);
	return 0;
}

static void answers_send_done(void *arg)
{
	struct apply_answer *t = arg;
	const struct plan_cost *cost = generation_cost(t->h->now);
	json_t *j = edits_summary(t->h);

	if (cost)
		cost_json(j, holder_rules(t->h), cost);
	cost_json_steering(j, &t->h->base);
	places_json(j, t->h->text, t->h->len);
	conn_reply(t->c, j, NULL, 0);
}

static void do_apply(struct holder *h, struct server_conn *c, const struct flow_msg *m)
{
	struct apply_answer t = {c, h};
	struct flow_fault f = {0};

	if (holder_apply(h, m->body, m->body_len, answers_send_progress, &t, answers_send_done, &f))
		answers_failed(c, &f);
}

/* --- list, stats ------------------------------------------------------------------------------ */

static void do_list(struct holder *h, struct server_conn *c, const struct flow_msg *m)
{
	(void)m;
	conn_reply(c, answers_rules(h), NULL, 0);
}

static int add_counts(const struct holder *h, json_t *rules, struct flow_fault *f)
{
	size_t n = h->now ? generation_rules(h->now)->n : 0;
	struct dvx_flow_count *counts = calloc(n ? n : 1, sizeof(*counts));
	int ret = -1;

	if (!counts)
		return flow_fault_set(f, EXIT_INPUT, "%s", strerror(ENOMEM));
	if (!n || !generation_count(h->now, counts, f))
		ret = 0;
	for (size_t i = 0; i < n && !ret; i++) {
		json_t *j = json_array_get(rules, i);

		if (counts[i].packets == UINT64_MAX)
			continue;
		json_object_set_new(j, "packets", json_integer((json_int_t)counts[i].packets));
		json_object_set_new(j, "bytes", json_integer((json_int_t)counts[i].bytes));
	}
	free(counts);
	return ret;
}

static json_t *queue_json(struct pump *p, unsigned int i)
{
	struct queue_count q;
	json_t *j, *tags = json_array();

	pump_count(p, i, &q);
	for (unsigned int t = 0; t < q.ntags; t++)
		if (q.tag[t].tag)
			json_array_append_new(tags, json_pack("{s:I, s:I}", "tag",
							      (json_int_t)q.tag[t].tag, "packets",
							      (json_int_t)q.tag[t].packets));
	j = json_pack("{s:I, s:I, s:I, s:I, s:I, s:o}", "queue", (json_int_t)i, "packets",
		      (json_int_t)q.packets, "bytes", (json_int_t)q.bytes, "errors",
		      (json_int_t)q.errors, "captured", (json_int_t)q.captured, "tags", tags);
	if (q.drops_known)
		json_object_set_new(j, "dropped", json_integer((json_int_t)q.dropped));
	if (q.other_tags)
		json_object_set_new(j, "other_tags", json_integer((json_int_t)q.other_tags));
	if (q.capture_err)
		json_object_set_new(j, "capture_ended", json_string(strerror(q.capture_err)));
	return j;
}

static void answers_grow(json_t *j, const char *key, const json_t *by)
{
	json_int_t n = json_integer_value(json_object_get(j, key)) + json_integer_value(by);

	json_object_set_new(j, key, json_integer(n));
}

/* Returns whether later rules judge the rule's packets too, and count them. */
static bool answers_goes_on(const json_t *rule)
{
	const char *action = json_string_value(json_object_get(rule, "action"));

	return json_object_get(rule, "goto") || !strcmp(action, "mirror") ||
	       !strcmp(action, "track");
}

/*
 * Adds the counters of rules of the e-switch by the vport that their packets come from. A packet
 * counts at the rule where it ends, so it counts once.
 */
static json_t *answers_sources(const json_t *rules)
{
	json_t *list = json_array(), *by_name = json_object(), *rule;
	size_t i;

	json_array_foreach (rules, i, rule) {
		const char *from = json_string_value(json_object_get(rule, "from"));
		const json_t *packets = json_object_get(rule, "packets");
		json_t *row = from ? json_object_get(by_name, from) : NULL;

		if (!from || !packets || answers_goes_on(rule))
			continue;
		if (!row) {
			row = json_pack("{s:s, s:i, s:i, s:i}", "from", from, "packets", 0, "bytes",
					0, "dropped", 0);
			json_array_append_new(list, row);
			json_object_set(by_name, from, row);
		}
		answers_grow(row, "packets", packets);
		answers_grow(row, "bytes", json_object_get(rule, "bytes"));
		if (!strcmp(json_string_value(json_object_get(rule, "action")), "drop"))
			answers_grow(row, "dropped", packets);
	}
	json_decref(by_name);
	return list;
}

static json_t *answers_connections(const struct track *t)
{
	struct track_count n = track_counts(t);

	return json_pack("[{s:I, s:I, s:I, s:I, s:I}]", "tracked", (json_int_t)n.open, "max",
			 (json_int_t)n.most, "begun", (json_int_t)n.begun, "refused",
			 (json_int_t)n.refused, "stray", (json_int_t)n.stray);
}

static void do_stats(struct holder *h, struct server_conn *c, const struct flow_msg *m)
{
	struct flow_fault f = {0};
	json_t *j = answers_rules(h), *queues = json_array();

	(void)m;
	if (add_counts(h, json_object_get(j, "rules"), &f)) {
		json_decref(j);
		json_decref(queues);
		answers_failed(c, &f);
		return;
	}
	for (unsigned int i = 0; i < pump_queues(h->base.pump); i++)
		json_array_append_new(queues, queue_json(h->base.pump, i));
	json_object_set_new(j, "queues", queues);
	if (h->base.track)
		json_object_set_new(j, "connections", answers_connections(h->base.track));
	json_object_set_new(j, "sources", answers_sources(json_object_get(j, "rules")));
	conn_reply(c, j, NULL, 0);
}

/* --- dump ------------------------------------------------------------------------------------- */

struct entries {
	const struct generation *gen;
	json_t *list;
};

static void answers_add_entry(void *arg, uint64_t id, uint32_t rule)
{
	struct entries *e = arg;

	if (rule == ENTRY_ALONE)
		return;
	json_array_append_new(e->list, json_pack("[I, I]", (json_int_t)id,
						 (json_int_t)generation_id(e->gen, rule)));
}

static void answers_add_rewrites(void *arg, uint64_t id, const struct dvx_flow_rewrites *list)
{
	char hex[2 * sizeof(list->action) + 1] = "";
	size_t n = sizeof(list->action[0]) * list->count;

	for (size_t i = 0; i < n; i++)
		snprintf(hex + 2 * i, 3, "%02x", list->action[i / 8][i % 8]);
	json_array_append_new(arg, json_pack("[I, s]", (json_int_t)id, hex));
}

static void answers_add_encap(void *arg, uint64_t id, const struct rule_encap *encap)
{
	char hex[2 * sizeof(encap->header) + 1] = "";

	for (size_t i = 0; i < encap->bytes; i++)
		snprintf(hex + 2 * i, 3, "%02x", encap->header[i]);
	json_array_append_new(arg, json_pack("[I, s]", (json_int_t)id, hex));
}

static void answers_add_mirror(void *arg, uint64_t action, uint64_t table, uint32_t sample)
{
	json_array_append_new(arg, json_pack("[I, I, I]", (json_int_t)action, (json_int_t)table,
					     (json_int_t)sample));
}

static void answers_add_vport(void *arg, uint64_t action, uint32_t vport)
{
	json_array_append_new(arg, json_pack("[I, I]", (json_int_t)action, (json_int_t)vport));
}

static void answers_add_object(void *arg, uint32_t id, uint8_t result, const char *says)
{
	json_array_append_new(arg, json_pack("[I, i, s]", (json_int_t)id, (int)result, says));
}

static void answers_add_table(void *arg, uint64_t table, const char *name)
{
	json_array_append_new(arg, json_pack("[I, s]", (json_int_t)table, name));
}

/* Dumps all tables, or the part of the request's direction, by generation_dump_part(). */
static int answers_dump(const struct holder *h, const struct flow_msg *m, FILE *to,
			struct entries *e, struct flow_fault *f)
{
	const char *direction = json_string_value(json_object_get(m->head, "direction"));
	const json_t *from = json_object_get(m->head, "from");

	if (!h->now)
		return 0;
	for (int d = 0; direction && d < RULE_DIRS; d++)
		if (!strcmp(direction, rule_dirs[d].name))
			return generation_dump_part(h->now, (enum rule_dir)d,
						    (uint64_t)json_integer_value(from), to,
						    answers_add_entry, e, f);
	generation_entries(h->now, answers_add_entry, e);
	return generation_dump(h->now, to, f);
}

/*
 * Returns the ID of each direction's first table. A dump does not show it: nothing leads to some
 * other tables, either.
 */
static json_t *answers_first_tables(const struct holder *h)
{
	json_t *first = json_array();

	for (int d = 0; d < RULE_DIRS; d++)
		json_array_append_new(first,
				      json_integer(h->now ? (json_int_t)generation_first_table(
								    h->now, (enum rule_dir)d)
							  : 0));
	return first;
}

/*
 * Adds this function's vport and VHCA, and the vports of actions: libmlx5's dump lacks the first, and
 * has 0 for the number of the e-switch manager's.
 */
static void answers_add_vports(json_t *j, const struct base_tables *base)
{
	json_t *vports = json_array();
	const void *cap;

	base_tables_vports(base, answers_add_vport, vports);
	json_object_set_new(j, "vports", vports);
	json_object_set_new(j, "vport", json_integer(base->switch_base.manager));
	if (!dvx_dev_cap_page(base->dev, PRM_HCA_CAP_TYPE_GENERAL, &cap))
		json_object_set_new(j, "vhca", json_integer(prm_cmd_hca_cap_get_vhca_id(cap)));
}

/* Adds the Geneve option that rules compare, and its parser's number, which the dump lacks. */
static void answers_add_option(json_t *j, const struct base_tables *base)
{
	const void *cap;

	if (base->option.users && !dvx_dev_cap_page(base->dev, PRM_HCA_CAP_TYPE_GENERAL, &cap))
		json_object_set_new(
			j, "option",
			json_pack(
				"[I, i]", (json_int_t)base->option.kind,
				(int)prm_cmd_hca_cap_get_flex_parser_id_geneve_tlv_option_0(cap)));
}

static void answers_send_dump(struct holder *h, struct server_conn *c, json_t *entries,
			      const char *text, size_t len)
{
	json_t *rewrites = json_array(), *mirrors = json_array(), *tables = json_array();
	json_t *encaps = json_array();
	json_t *j = answers_rules(h), *objects = json_array();
	struct flow_fault unread;

	if (h->now) {
		generation_rewrites(h->now, answers_add_rewrites, rewrites);
		generation_mirrors(h->now, answers_add_mirror, mirrors);
		generation_encaps(h->now, answers_add_encap, encaps);
		generation_tables(h->now, answers_add_table, tables);
		generation_objects(h->now, answers_add_object, objects, &unread);
	}
	json_object_set_new(j, "entries", entries);
	json_object_set_new(j, "first_tables", answers_first_tables(h));
	if (h->base.side[RULE_SWITCH].domain)
		answers_add_vports(j, &h->base);
	answers_add_option(j, &h->base);
	json_object_set_new(j, "tables", tables);
	json_object_set_new(j, "mirrors", mirrors);
	json_object_set_new(j, "objects", objects);
	json_object_set_new(j, "rewrites", rewrites);
	json_object_set_new(j, "encaps", encaps);
	conn_reply(c, j, text, len);
}

static void do_dump(struct holder *h, struct server_conn *c, const struct flow_msg *m)
{
	struct entries e = {h->now, json_array()};
	struct flow_fault f = {0};
	char *text = NULL;
	size_t len = 0;
	FILE *to = open_memstream(&text, &len);
	int ret = to ? answers_dump(h, m, to, &e, &f) : -1;

	if ((to && fclose(to)) || ret) {
		if (!f.code)
			flow_fault_set(&f, EXIT_INPUT, "%s", strerror(ENOMEM));
		json_decref(e.list);
		answers_failed(c, &f);
	} else {
		answers_send_dump(h, c, e.list, text, len);
	}
	free(text);
}

/* --- requests --------------------------------------------------------------------------------- */

static const struct answers_request {
	const char *name;
	void (*run)(struct holder *h, struct server_conn *c, const struct flow_msg *m);
	bool read_only; /* answered while rules are built; a dump would show half of them */
} requests[] = {
	{"apply", do_apply, false}, {"list", do_list, true},	{"stats", do_stats, true},
	{"dump", do_dump, false},   {"del", edits_del, false},	{"flush", edits_flush, false},
	{"add", edits_add, false},  {"save", edits_save, true}, {"batch", edits_batch, false},
};

static const struct answers_request *answers_find(const struct flow_msg *m)
{
	const char *what = json_string_value(json_object_get(m->head, "do"));

	for (size_t i = 0; what && i < sizeof(requests) / sizeof(requests[0]); i++)
		if (!strcmp(what, requests[i].name))
			return &requests[i];
	return NULL;
}

bool answer_changes(const struct flow_msg *m)
{
	const struct answers_request *r = answers_find(m);

	return r && !r->read_only;
}

void answer(void *holder, struct server_conn *c, const struct flow_msg *m)
{
	const struct answers_request *r = answers_find(m);

	if (r)
		r->run(holder, c, m);
	else
		conn_fail(c, EXIT_INPUT, "unknown request; the daemon may be of another version");
}
