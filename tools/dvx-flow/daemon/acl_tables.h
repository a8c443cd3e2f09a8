/* SPDX-License-Identifier: BSD-2-Clause */
/* An acl_program on the device: tables behind a first one, and the entries of all of them. */
#ifndef DVX_FLOW_ACL_TABLES_H
#define DVX_FLOW_ACL_TABLES_H

#include <stdio.h>
#include <dvx/flow.h>

#include "rules/acl/acl.h"

struct acl_tables;

/* Priorities below this one are free for overlay entries (overlay.c). */
#define ACL_TABLES_FIRST 32768u

struct acl_tables_attr {
	const struct base_tables *base;
	struct dvx_flow_domain *domain;
	struct dvx_flow_table *first; /* the caller's table where packets begin, without matchers */
	uint32_t level; /* of the first table; the other tables have the levels behind it */
	const struct acl_program *program;
	/*
	 * Puts a rule's actions (ACL_NONE: those of packets that no rule takes) into attr, where
	 * they stay valid until the next call. Returns 0 or libdvx's -errno.
	 */
	int (*verdict)(void *arg, uint32_t rule, struct dvx_flow_rule_attr *attr);
	int (*progress)(void *arg, size_t done); /* of dvx_flow_bulk */
	void *arg;
};

/*
 * Returns libdvx's -errno; on failure nothing is left on the device. The program may be freed
 * afterwards.
 */
int acl_tables_make(const struct acl_tables_attr *attr, struct acl_tables **out);
void acl_tables_free(struct acl_tables *t, const struct base_tables *g);
/* Returns the number of entries of all tables. */
size_t acl_tables_size(const struct acl_tables *t);

/* Renumbers rules: rule i becomes to[i]; ACL_NONE: the rule is gone. */
void acl_tables_renumber(struct acl_tables *t, const uint32_t *to);

/* Visits each entry's ID with the rule that it is made for (ACL_NONE: no rule). */
void acl_tables_entries(const struct acl_tables *t,
			void (*visit)(void *arg, uint64_t entry, uint32_t rule), void *arg);
/*
 * Dumps the table with this ID (0: none) and the tables that packets reach from there. Visits their
 * entries, and those of the first table, which the caller dumps. Returns libdvx's -errno, or
 * -ENOMEM.
 */
int acl_tables_dump(const struct acl_tables *t, const struct acl_program *p, uint64_t from,
		    FILE *to, void (*visit)(void *arg, uint64_t entry, uint32_t rule), void *arg);
/* Visits the register writes of each list, by its action's ID. */
void acl_tables_rewrites(const struct acl_tables *t,
			 void (*visit)(void *arg, uint64_t action_id,
				       const struct dvx_flow_rewrites *list),
			 void *arg);

#endif
