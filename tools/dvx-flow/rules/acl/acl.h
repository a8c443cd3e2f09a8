/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A rule list as a chain of tables with few matchers on any packet's path (doc/design/0066). Uses
 * no device: a program is tables of masks and entries, whose actions write registers and jump to
 * later tables.
 *
 *	dispatch -> a table for each field -> bands, and choices between them -> results
 *
 * A field's table writes a code of the packet's value into registers; bands compare codes.
 */
#ifndef DVX_FLOW_ACL_H
#define DVX_FLOW_ACL_H

#include "rules/compile.h"

/* The registers of a program. It cannot have rules that compare one of them. */
#define ACL_CODE	KEY_REG_C0 /* the code of a packet: four registers */
#define ACL_CODE_BYTES	16
#define ACL_BEST	KEY_REG_C4 /* the best hit so far: its depth (16 bits), its result (16 bits) */
#define ACL_CANDIDATE	KEY_REG_C5 /* a later band's hit */
#define ACL_RESULTS_MAX 0xffffu

struct acl_write {
	uint8_t key; /* of a register */
	uint32_t mask, value;
};

/* The register writes of an entry. Entries share lists. */
struct acl_list {
	bool copy; /* the candidate becomes the best */
	uint8_t n;
	struct acl_write write[ACL_CODE_BYTES / 4 + 1];
};

#define ACL_NONE UINT32_MAX /* no list, no next table, no rule */

struct acl_entry {
	const uint64_t *value; /* one for each of the shape's keys */
	uint32_t list;	       /* of the program's */
	uint32_t next; /* table; none: the packet's verdict is this rule's, or the default */
	uint32_t rule; /* the rule that it is made for */
};

struct acl_matcher {
	const struct shape *shape;
	struct acl_entry *entry;
	size_t n, room;
};

/* A table's matchers, looked up in order. The last one has an entry for all other packets. */
struct acl_table {
	struct acl_matcher *matcher;
	size_t n, room;
};

struct acl_program {
	struct acl_table *table; /* entries lead to later tables only; packets begin in the first */
	struct acl_list *list;
	size_t n, room, nlists, list_room;
	struct arena *memory;
};

/* The cost of a program. Paths count the matchers that a packet is looked up in. */
struct acl_cost {
	size_t tables, matchers, entries, lists;
	size_t longest_path;
	double mean_path; /* if packets meet each entry of a table as often as the others */
};

/* The reason why a rule list cannot be such a program, and the rule that shows it. */
struct acl_refusal {
	uint32_t rule;
	const char *why;
};

/*
 * The rules of a direction, or of one of its tables. Their actions are no part of the program:
 * packets may go on to other tables, whose rules are no part either.
 */
struct acl_rules {
	const struct ruleset *set;
	enum rule_dir dir;
	const uint32_t *where; /* by rule: its table; NULL: all of the direction */
	uint32_t table;
};

/*
 * Compiles a rule list. Returns 0, -ENOMEM, or -E2BIG with *refusal; rules_compile() can take such
 * a list. No rule of the direction, whatever its table, may compare a register that holds codes.
 */
int acl_compile(const struct acl_rules *rules, struct acl_program *out,
		struct acl_refusal *refusal);
void acl_free(struct acl_program *p);
int acl_cost(const struct acl_program *p, struct acl_cost *out);
/*
 * Writes for each table how many tables can stand before it on a packet's path, and returns the
 * largest of these numbers: tables beside each other share a level of the device.
 */
uint32_t acl_levels(const struct acl_program *p, uint32_t *level);

#endif
