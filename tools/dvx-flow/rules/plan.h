/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The plan of a set of rules on a device. Each table of the program is the list of matchers of
 * compile.h, or tables of codes of acl.h, if they make its longest path shorter. `check` and the
 * daemon make the same plan.
 */
#ifndef DVX_FLOW_PLAN_H
#define DVX_FLOW_PLAN_H

#include "acl/acl.h"
#include "compile.h"

/* A list of matchers with at most this path is kept. */
#define PLAN_PATH 24u

struct plan {
	struct program list;	   /* levels include those that codes need */
	struct acl_program *codes; /* by table of the list; n 0: not used */
	/* The reason why a table has no codes. why NULL: none; rule ACL_NONE: no rule shows it. */
	struct acl_refusal refusal[RULE_DIRS];
};

/*
 * Makes a plan. Returns as rules_compile() does. no_codes: why the device can have no codes, if not
 * for a rule's reason; or NULL.
 */
int plan_make(const struct ruleset *set, const char *no_codes, struct plan *out, size_t *wrong);
void plan_free(struct plan *p);
/* Renumbers the rules of refusals: rule i becomes to[i]; UINT32_MAX: it is gone, and the reason. */
void plan_renumber(struct plan *p, const uint32_t *to);

/* --- cost.c ----------------------------------------------------------------------------------- */

struct live_table;

/*
 * The cost of a table, or of a direction's tables. Paths count the matchers that a packet is looked
 * up in, below the root.
 */
struct table_cost {
	size_t tables, entries, matchers;
	size_t longest_path; /* of packets that no rule takes; includes the default way's matcher */
	double mean_path;    /* of packets that meet an entry, each entry as often as the others */
};

/* One rule's part of the cost. */
struct rule_cost {
	uint32_t rule;
	uint32_t matchers; /* that begin with its entry: no earlier rule needs them */
	uint32_t entries;
	uint32_t table; /* of the program, with its entries */
	size_t path;	/* of packets that meet an entry, in its table: the longest */
};

/* The most expensive rules that are named. */
#define PLAN_COSTLY 5u

struct plan_cost {
	struct table_cost table[RULE_DIRS];
	const char *compiled[RULE_DIRS]; /* "list", or "codes" if one of its tables is codes */
	struct acl_refusal refusal[RULE_DIRS];
	struct rule_cost costly[PLAN_COSTLY]; /* the most expensive one first */
	size_t ncostly;
};

/* Costs that are added up, table by table. */
struct cost_sum {
	const struct plan *plan;
	const struct ruleset *set;
	struct table_cost *table; /* by table of the program */
	struct rule_cost *rule;
	const char *compiled[RULE_DIRS];
};

/* These return 0 or -ENOMEM; cost_end() frees the sum in any case. */
int cost_begin(struct cost_sum *s, const struct plan *p, const struct ruleset *set);
int cost_add_list(struct cost_sum *s, uint32_t table, const struct live_table *l);
int cost_add_codes(struct cost_sum *s, uint32_t table, const struct acl_program *p);
/* Adds a list in front of what the table has so far. */
int cost_add_before(struct cost_sum *s, uint32_t table, const struct live_table *l);
int cost_end(struct cost_sum *s, int ret, struct plan_cost *out);

/* Computes the cost of a plan, without a device. */
int plan_cost(const struct plan *p, const struct ruleset *set, struct plan_cost *out);

#endif
