/* SPDX-License-Identifier: BSD-2-Clause */
/* An acl_program on the device: tables behind a first one, and the entries of all of them. */
#ifndef DVX_FLOW_ACL_TABLES_H
#define DVX_FLOW_ACL_TABLES_H

#include <stdio.h>
#include <dvx/flow.h>

#include "rules/acl/acl.h"

struct acl_tables;

/* Priorities below this one are free for entries before the codes. */
#define ACL_TABLES_FIRST 32768u

struct acl_tables_attr {
	const struct base_tables *base;
	struct dvx_flow_domain *domain;
	struct dvx_flow_table *first; /* where packets begin: the caller's, without matchers */
	uint32_t level;		      /* of the first one; others follow it */
	const struct acl_program *program;
	/*
	 * Puts the actions of a rule (ACL_NONE: of packets that no rule takes) where the next call
	 * may write others, and returns 0 or libdvx's -errno.
	 */
	int (*verdict)(void *arg, uint32_t rule, struct dvx_flow_rule_attr *attr);
	int (*progress)(void *arg, size_t done); /* of dvx_flow_bulk */
	void *arg;
};

/* Returns libdvx's -errno, after which nothing is left. The program may go afterwards. */
int acl_tables_make(const struct acl_tables_attr *attr, struct acl_tables **out);
void acl_tables_free(struct acl_tables *t, const struct base_tables *g);
/* How many entries they have. */
size_t acl_tables_size(const struct acl_tables *t);

/* Rule i is rule to[i] now; ACL_NONE: there is no such rule any more. */
void acl_tables_renumber(struct acl_tables *t, const uint32_t *to);

/* Tells each entry's id, and the rule that it is made for (ACL_NONE: none). */
void acl_tables_entries(const struct acl_tables *t,
			void (*tell)(void *arg, uint64_t entry, uint32_t rule), void *arg);
/*
 * Dumps the table with this id (0: none) and those that packets come to from there. Tells their
 * entries, and those of the first table, which the caller dumps. Returns libdvx's -errno, or -ENOMEM.
 */
int acl_tables_dump(const struct acl_tables *t, const struct acl_program *p, uint64_t from,
		    FILE *to, void (*tell)(void *arg, uint64_t entry, uint32_t rule), void *arg);
/* Tells what each list writes into registers, by its action's id. */
void acl_tables_rewrites(const struct acl_tables *t,
			 void (*tell)(void *arg, uint64_t action_id,
				      const struct dvx_flow_rewrites *list),
			 void *arg);

#endif
