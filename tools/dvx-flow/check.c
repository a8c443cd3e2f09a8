/* SPDX-License-Identifier: BSD-2-Clause */
/* dvx-flow check: checks a rule file, and on request builds its rules on a device. */
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <dvx/cmd.h>
#include <dvx/dev.h>

#include "cost.h"
#include "dvx-flow.h"
#include "places.h"
#include "daemon/generation.h"
#include "tools/cli/library.h"

/* Warns of the rules that no packet can reach. `never`: the result of json_shadows(). */
static void warn_shadows(const char *name, const json_t *never, const struct ruleset *set,
			 const struct program *p)
{
	const json_t *j;
	size_t i;

	json_array_foreach (never, i, j) {
		const char *file = json_str(j, "file"), *by = json_str(j, "taken_by_file");
		char buf[PATH_MAX];

		fprintf(stderr,
			"%s:%lld: no packet reaches this rule, line %lld%s%s takes them: %s\n",
			rules_file_name(name, file, buf, sizeof(buf)),
			json_integer_value(json_object_get(j, "line")),
			json_integer_value(json_object_get(j, "taken_by_line")),
			strcmp(file, by) != 0 ? " of " : "",
			strcmp(file, by) != 0 ? (by[0] ? by : name) : "",
			set->rule[p->shadow[i].rule].text);
	}
}

static json_t *json_shadows(const struct ruleset *set, const struct program *p)
{
	json_t *list = json_array();

	for (size_t i = 0; i < p->nshadows; i++)
		json_array_append_new(list, json_pack("{s:I, s:I}", "line",
						      (json_int_t)set->rule[p->shadow[i].rule].line,
						      "taken_by_line",
						      (json_int_t)set->rule[p->shadow[i].by].line));
	return list;
}

static json_t *check_json(const struct ruleset *set, const struct plan *p)
{
	json_t *root = json_pack("{s:I}", "rules", (json_int_t)set->n);
	struct plan_cost cost;

	if (!plan_cost(p, set, &cost))
		cost_json(root, set, &cost);
	json_object_set_new(root, "never_met", json_shadows(set, &p->list));
	return root;
}

/* --- on a device ------------------------------------------------------------------------------- */

static void check_lost(void *arg)
{
	(void)arg;
}

/* Makes the queues that the rules name. */
static int check_make_queues(struct base_tables *g, const struct ruleset *set, struct flow_fault *f)
{
	struct pump_attr attr = {.dev = g->dev, .queues = 1, .lost = check_lost};

	for (size_t i = 0; i < set->n; i++) {
		const struct rule *r = &set->rule[i];

		if (rule_last_queue(r) >= attr.queues)
			attr.queues = rule_last_queue(r) + 1;
	}
	return pump_start(&attr, &g->pump, f);
}

/* Replaces the expected cost in the summary by the cost on the device. */
static void check_update(json_t *summary, struct generation *gen, const struct base_tables *g,
			 const struct rules_text *s)
{
	json_t *cost = json_object();

	cost_json(cost, generation_rules(gen), generation_cost(gen));
	cost_json_steering(cost, g);
	places_json(cost, s->text, s->len);
	json_object_update(summary, cost);
	json_decref(cost);
}

/*
 * Builds the rules in tables that no packet enters, and removes them. Takes the set. Adds the cost
 * on this device to the summary.
 */
static int check_device(const struct args *a, struct ruleset *set, const struct rules_text *source,
			json_t *summary)
{
	struct generation *gen = NULL;
	struct base_tables g = {.steering = a->steering};
	struct flow_fault f = {0};

	if (dvx_dev_open(a->device, &g.dev)) {
		message_print("%s", library_error());
		return EXIT_INPUT;
	}
	if (!check_make_queues(&g, set, &f))
		generation_build(&g, set, NULL, NULL, NULL, NULL, &gen, &f);
	if (gen)
		check_update(summary, gen, &g, source);
	generation_free(gen);
	base_tables_free(&g);
	pump_stop(g.pump);
	dvx_dev_close(g.dev);
	if (f.line)
		rules_point(source, f.line, f.column, f.text);
	else if (f.code)
		message_print("%s: %s: %s", source->name, a->device, f.text);
	return f.code;
}

/* --- rules ------------------------------------------------------------------------------------ */

static int check_refuse(const struct rules_text *s, const struct ruleset *set, int err,
			size_t wrong)
{
	const struct rule *r = wrong < set->n ? &set->rule[wrong] : NULL;
	char why[512];

	compile_why(set, err, wrong, why, sizeof(why));
	if (r)
		rules_point(s, r->line + r->at.line, r->at.column, why);
	else
		message_print("%s: %s", s->name, why);
	return EXIT_RULES;
}

static int check_rules(const struct args *a, const struct ruleset *set, const struct rules_text *s,
		       json_t **summary)
{
	struct plan p;
	size_t wrong = set->n;
	int ret = plan_make(set, NULL, &p, &wrong);

	if (ret)
		return check_refuse(s, set, ret, wrong);
	*summary = check_json(set, &p);
	places_json(*summary, s->text, s->len);
	if (!a->quiet)
		warn_shadows(s->name, json_object_get(*summary, "never_met"), set, &p.list);
	plan_free(&p);
	return EXIT_DONE;
}

static int check_print(const struct args *a, const json_t *summary)
{
	json_int_t rules = json_integer_value(json_object_get(summary, "rules"));

	if (!a->quiet)
		cost_warn(a->argv[0], summary);
	if (a->json)
		return json_out(json_deep_copy(summary));
	printf("%s: %lld rule%s", a->argv[0], rules, rules == 1 ? "" : "s");
	cost_print(summary);
	putchar('\n');
	return EXIT_DONE;
}

int cmd_check(const struct args *a)
{
	struct ruleset set;
	struct rules_text s;
	json_t *summary = NULL;
	int ret = rules_load(a->argv[0], &s);

	if (ret)
		return ret;
	ret = rules_read(s.name, s.text, s.len, &set) ? EXIT_RULES
						      : check_rules(a, &set, &s, &summary);
	if (!ret && a->device)
		ret = check_device(a, &set, &s, summary);
	if (!ret)
		ret = check_print(a, summary);
	json_decref(summary);
	ruleset_free(&set);
	rules_text_free(&s);
	return ret;
}
