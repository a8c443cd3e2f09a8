/* SPDX-License-Identifier: BSD-2-Clause */
#include <limits.h>
#include <stdio.h>
#include <string.h>

#include "cost.h"
#include "dvx-flow.h"

/* Longer paths of a packet get a warning. */
#define PATH_LONG 64

/* --- JSON ------------------------------------------------------------------------------------- */

static json_t *cost_json_refusal(const struct ruleset *set, const struct acl_refusal *r)
{
	json_t *j = json_pack("{s:s}", "why", r->why);

	if (r->rule != ACL_NONE)
		json_object_set_new(j, "line", json_integer((json_int_t)set->rule[r->rule].line));
	return j;
}

static json_t *cost_json_direction(const struct ruleset *set, const struct plan_cost *c, int d)
{
	const struct table_cost *t = &c->table[d];
	json_t *j = json_pack("{s:I, s:I, s:I, s:I, s:f, s:s}", "tables", (json_int_t)t->tables,
			      "matchers", (json_int_t)t->matchers, "entries",
			      (json_int_t)t->entries, "longest_path", (json_int_t)t->longest_path,
			      "mean_path", t->mean_path, "compiled", c->compiled[d]);

	if (c->refusal[d].why)
		json_object_set_new(j, "no_codes", cost_json_refusal(set, &c->refusal[d]));
	return j;
}

static json_t *cost_json_costly(const struct ruleset *set, const struct plan_cost *c)
{
	json_t *list = json_array();

	for (size_t i = 0; i < c->ncostly; i++) {
		const struct rule *r = &set->rule[c->costly[i].rule];

		json_array_append_new(
			list, json_pack("{s:I, s:I, s:I, s:s}", "line", (json_int_t)r->line,
					"matchers", (json_int_t)c->costly[i].matchers, "entries",
					(json_int_t)c->costly[i].entries, "text", r->text));
	}
	return list;
}

void cost_json(json_t *to, const struct ruleset *set, const struct plan_cost *c)
{
	for (int d = 0; d < RULE_DIRS; d++)
		json_object_set_new(to, rule_dirs[d].name, cost_json_direction(set, c, d));
	json_object_set_new(to, "most_expensive", cost_json_costly(set, c));
}

void cost_json_steering(json_t *to, const struct base_tables *base)
{
	for (int d = 0; d < RULE_DIRS; d++) {
		const char *steering = base_tables_steering(base, (enum rule_dir)d);

		if (steering)
			json_object_set_new(json_object_get(to, rule_dirs[d].name), "steering",
					    json_string(steering));
	}
}

/* --- sentences ----------------------------------------------------------------------------------- */

static json_int_t cost_number(const json_t *j, const char *key)
{
	return json_integer_value(json_object_get(j, key));
}

static const char *cost_text(const json_t *j, const char *key)
{
	const char *s = json_string_value(json_object_get(j, key));

	return s ? s : "";
}

void cost_print(const json_t *j)
{
	for (int d = 0; d < RULE_DIRS; d++) {
		const json_t *of = json_object_get(j, rule_dirs[d].name);
		json_int_t entries = cost_number(of, "entries"),
			   matchers = cost_number(of, "matchers");

		if (!cost_number(of, "tables"))
			continue;
		printf("; %s: %lld entr%s in %lld matcher%s", rule_dirs[d].name, entries,
		       entries == 1 ? "y" : "ies", matchers, matchers == 1 ? "" : "s");
		if (cost_number(of, "tables") > 1)
			printf(" of %lld tables", cost_number(of, "tables"));
		printf(", a packet is looked up in at most %lld, on average in %.1f",
		       cost_number(of, "longest_path"),
		       json_real_value(json_object_get(of, "mean_path")));
		if (json_object_get(of, "steering"))
			printf(", by %s", cost_text(of, "steering"));
	}
}

static void cost_warn_rules(const char *name, const json_t *j)
{
	const json_t *rule;
	size_t i;

	json_array_foreach (json_object_get(j, "most_expensive"), i, rule) {
		json_int_t matchers = cost_number(rule, "matchers");
		char buf[PATH_MAX];

		fprintf(stderr, "%s:%lld: expensive: %lld entries",
			rules_file_name(name, cost_text(rule, "file"), buf, sizeof(buf)),
			cost_number(rule, "line"), cost_number(rule, "entries"));
		if (matchers)
			fprintf(stderr, ", %lld matchers begin with them", matchers);
		fprintf(stderr, ": %s\n", cost_text(rule, "text"));
	}
}

static void cost_warn_direction(const char *name, const char *direction, const json_t *of)
{
	const json_t *refusal = json_object_get(of, "no_codes");
	char buf[PATH_MAX];

	if (refusal && !json_object_get(refusal, "line"))
		fprintf(stderr,
			"%s: rules for packets that go %s stay in one list of matchers: %s\n", name,
			direction, cost_text(refusal, "why"));
	else if (refusal)
		fprintf(stderr,
			"%s:%lld: this rule keeps those that go %s in one list of matchers: %s\n",
			rules_file_name(name, cost_text(refusal, "file"), buf, sizeof(buf)),
			cost_number(refusal, "line"), direction, cost_text(refusal, "why"));
	fprintf(stderr,
		!strcmp(cost_text(of, "compiled"), "list")
			? "%s: packets are looked up in one matcher after the other; rules of one "
			  "shape side by side, and port ranges from a multiple of their size, need "
			  "fewer\n"
			: "%s: rules that overlap in different ways need further matchers; fewer "
			  "fields in a rule, and fewer prefixes inside each other, need fewer\n",
		name);
}

void cost_warn(const char *name, const json_t *j)
{
	bool warned = false;

	for (int d = 0; d < RULE_DIRS; d++) {
		const json_t *of = json_object_get(j, rule_dirs[d].name);

		if (cost_number(of, "longest_path") <= PATH_LONG)
			continue;
		if (!warned)
			cost_warn_rules(name, j);
		warned = true;
		cost_warn_direction(name, rule_dirs[d].name, of);
	}
}
