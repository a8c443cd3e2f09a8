/* SPDX-License-Identifier: BSD-2-Clause */
/* dvx-flow check: checks a rule file, and on request builds its rules on a device. */
#include <stdio.h>
#include <stdlib.h>
#include <dvx/cmd.h>
#include <dvx/dev.h>

#include "cost.h"
#include "dvx-flow.h"
#include "daemon/generation.h"
#include "tools/cli/library.h"

static void warn_shadows(const char *name, const struct ruleset *set, const struct program *p)
{
	for (size_t i = 0; i < p->nshadows; i++) {
		const struct rule *r = &set->rule[p->shadow[i].rule],
				  *by = &set->rule[p->shadow[i].by];

		fprintf(stderr, "%s:%u: no packet reaches this rule, line %u takes them: %s\n",
			name, r->line, by->line, r->text);
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

/*
 * Builds the rules in tables that no packet enters, and removes them. Takes the set. The summary
 * gets what they cost on this device.
 */
static int check_device(const struct args *a, struct ruleset *set, const struct rules_text *source,
			json_t *summary)
{
	struct generation *gen = NULL;
	struct base_tables g = {0};
	struct flow_fault f = {0};

	if (dvx_dev_open(a->device, &g.dev)) {
		say("%s", library_says());
		return EXIT_INPUT;
	}
	if (!check_make_queues(&g, set, &f))
		generation_build(&g, set, NULL, NULL, NULL, NULL, &gen, &f);
	if (gen)
		cost_json(summary, generation_rules(gen), generation_cost(gen));
	generation_free(gen);
	base_tables_free(&g);
	pump_stop(g.pump);
	dvx_dev_close(g.dev);
	if (f.line)
		rules_point(source, f.line, f.column, f.text);
	else if (f.code)
		say("%s: %s: %s", source->name, a->device, f.text);
	return f.code;
}

/* --- rules ------------------------------------------------------------------------------------ */

static int check_rules(const struct args *a, const struct ruleset *set, json_t **summary)
{
	struct plan p;
	char why[512];
	size_t wrong;
	int ret = plan_make(set, &p, &wrong);

	if (ret) {
		compile_why(set, ret, wrong, why, sizeof(why));
		say("%s: %s", a->argv[0], why);
		return EXIT_RULES;
	}
	if (!a->quiet)
		warn_shadows(a->argv[0], set, &p.list);
	*summary = check_json(set, &p);
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
	char *text;
	int ret;

	if (file_read(a->argv[0], &text, &s.len))
		return EXIT_INPUT;
	s.name = a->argv[0];
	s.text = text;
	ret = rules_read(s.name, text, s.len, &set) ? EXIT_RULES : check_rules(a, &set, &summary);
	if (!ret && a->device)
		ret = check_device(a, &set, &s, summary);
	if (!ret)
		ret = check_print(a, summary);
	json_decref(summary);
	ruleset_free(&set);
	free(text);
	return ret;
}
