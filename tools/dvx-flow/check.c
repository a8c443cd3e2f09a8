/* SPDX-License-Identifier: BSD-2-Clause */
/* dvx-flow check: checks a rule file, and on request builds its rules on a device. */
#include <stdio.h>
#include <stdlib.h>
#include <dvx/cmd.h>
#include <dvx/dev.h>

#include "rules/compile.h"
#include "dvx-flow.h"
#include "daemon/generation.h"
#include "tools/cli/library.h"

static const char *const directions[RULE_DIRS] = {"in", "out"};

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

/* So many rules are named as the most expensive ones. */
#define COSTLY 5u
/* Longer paths are reported with them. */
#define PATH_LONG 64u

static json_t *json_costly(const struct ruleset *set, const struct program *p)
{
	struct rule_cost cost[COSTLY];
	json_t *list = json_array();
	size_t n;

	if (program_costs(p, set->n, cost, COSTLY, &n))
		return list;
	for (size_t i = 0; i < n; i++)
		json_array_append_new(list, json_pack("{s:I, s:I, s:I}", "line",
						      (json_int_t)set->rule[cost[i].rule].line,
						      "matchers", (json_int_t)cost[i].matchers,
						      "entries", (json_int_t)cost[i].entries));
	return list;
}

static json_t *json_cost(const struct table_cost *c)
{
	return json_pack("{s:I, s:I, s:I, s:I, s:f}", "tables", (json_int_t)c->tables, "matchers",
			 (json_int_t)c->matchers, "entries", (json_int_t)c->entries, "longest_path",
			 (json_int_t)c->longest_path, "mean_path", c->mean_path);
}

static json_t *check_json(const struct ruleset *set, const struct program *p)
{
	json_t *root = json_pack("{s:I}", "rules", (json_int_t)set->n);
	struct table_cost c;

	for (int d = 0; d < RULE_DIRS; d++)
		if (!program_cost(p, set, (enum rule_dir)d, &c))
			json_object_set_new(root, directions[d], json_cost(&c));
	json_object_set_new(root, "never_met", json_shadows(set, p));
	json_object_set_new(root, "most_expensive", json_costly(set, p));
	return root;
}

static void check_print_cost(int dir, const struct table_cost *c)
{
	printf("; %s: %zu entr%s in %zu matcher%s", directions[dir], c->entries,
	       c->entries == 1 ? "y" : "ies", c->matchers, c->matchers == 1 ? "" : "s");
	if (c->tables > 1)
		printf(" of %zu tables", c->tables);
	printf(", a packet is looked up in at most %zu, on average in %.1f", c->longest_path,
	       c->mean_path);
}

/* Rules that would be slow get warnings; they are not refused. */
static void warn_costly(const char *name, const struct ruleset *set, const struct program *p)
{
	struct rule_cost cost[COSTLY];
	struct table_cost c;
	size_t n, longest = 0;

	for (int d = 0; d < RULE_DIRS; d++)
		if (!program_cost(p, set, (enum rule_dir)d, &c) && c.longest_path > longest)
			longest = c.longest_path;
	if (longest <= PATH_LONG || program_costs(p, set->n, cost, COSTLY, &n))
		return;
	for (size_t i = 0; i < n; i++) {
		const struct rule *r = &set->rule[cost[i].rule];

		fprintf(stderr, "%s:%u: expensive: its %u entries begin %u matchers: %s\n", name,
			r->line, cost[i].entries, cost[i].matchers, r->text);
	}
	fprintf(stderr,
		"%s: packets are looked up in one matcher after the other; rules of one shape side "
		"by side, and port ranges from a multiple of their size, need fewer\n",
		name);
}

static void check_print(const struct args *a, const struct ruleset *set, const struct program *p)
{
	struct table_cost c;

	printf("%s: %zu rule%s", a->argv[0], set->n, set->n == 1 ? "" : "s");
	for (int d = 0; d < RULE_DIRS; d++)
		if (!program_cost(p, set, (enum rule_dir)d, &c) && c.tables)
			check_print_cost(d, &c);
	putchar('\n');
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

/* Builds the rules in tables that no packet enters, and removes them. Takes the set. */
static int check_device(const struct args *a, struct ruleset *set, const struct rules_text *source)
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

/* With --json *summary is to be printed if the device takes the rules, too. */
static int check_rules(const struct args *a, const struct ruleset *set, json_t **summary)
{
	struct program p;
	char why[512];
	size_t wrong;
	int ret = rules_compile(set, &p, &wrong);

	if (ret) {
		compile_why(set, ret, wrong, why, sizeof(why));
		say("%s: %s", a->argv[0], why);
		return EXIT_RULES;
	}
	if (!a->quiet)
		warn_shadows(a->argv[0], set, &p);
	if (!a->quiet)
		warn_costly(a->argv[0], set, &p);
	if (a->json)
		*summary = check_json(set, &p);
	else
		check_print(a, set, &p);
	program_free(&p);
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
		ret = check_device(a, &set, &s);
	if (!ret && a->json)
		ret = json_out(json_incref(summary));
	json_decref(summary);
	ruleset_free(&set);
	free(text);
	return ret;
}
