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
	struct table_cost *before; /* by table: overlay entries; NULL: none */
};

/*
 * Makes a plan. Returns as rules_compile() does. no_codes: why the device can have no codes, if not
 * for a rule's reason; or NULL.
 */
int plan_make(const struct ruleset *set, const char *no_codes, struct plan *out, size_t *wrong);
void plan_free(struct plan *p);

/* The most expensive rules that are named. */
#define PLAN_COSTLY 5u

struct plan_cost {
	struct table_cost table[RULE_DIRS];
	bool codes[RULE_DIRS]; /* some or all of its tables are codes */
	struct acl_refusal refusal[RULE_DIRS];
	struct rule_cost costly[PLAN_COSTLY];
	size_t ncostly;
};
int plan_cost(const struct plan *p, const struct ruleset *set, struct plan_cost *out);

#endif
