/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Compiles rules into tables: masks, entries under them, and an order. Uses no device and no
 * library, so `check`, the daemon and the tests get the same result.
 *
 * A table is a list of matchers. A packet is looked up in this order, and the first matcher with an
 * entry for it decides. A matcher has one mask, so at most one of its entries fits a packet; that
 * is why its entries need no order, and why 100,000 rules of one shape are one matcher.
 */
#ifndef DVX_FLOW_COMPILE_H
#define DVX_FLOW_COMPILE_H

#include "rule.h"

/* Keys below RULE_KEYS are compared as rules give them. Other parts of a rule become these. */
enum match_key {
	MATCH_IMPLIED = RULE_KEYS - 1,
#define IMPLIED(key, ...) MATCH_##key,
#include "keys.def"
	MATCH_LEVEL_END,
	MATCH_PER_LEVEL = MATCH_LEVEL_END - RULE_KEYS, /* these exist again inside a tunnel */
	MATCH_KEYS = MATCH_LEVEL_END + MATCH_PER_LEVEL
};
#define MATCH_INNER(key) ((key) + MATCH_PER_LEVEL)

struct match_key_row {
	const char
		*path; /* in fte_match_param: "outer_headers.tcp_dport"; of a MAC its first word */
	const char *noun; /* in messages; NULL: no word stands for it */
	uint8_t bits;
};

extern const struct match_key_row match_keys[MATCH_KEYS];

uint64_t match_key_max(unsigned int key);

/* Returns the place of the word that a key comes from; the rule's beginning if there is none. */
struct source_location rule_location(const struct rule *r, unsigned int key);

/* The bits that are compared. */
struct shape {
	uint8_t n;
	uint8_t key[MATCH_KEYS];   /* ascending */
	uint64_t mask[MATCH_KEYS]; /* of key[i] */
};

struct rule_entry {
	uint32_t rule;	       /* its index in the set */
	const uint64_t *value; /* one for each of the shape's keys */
};

struct matcher {
	const struct shape *shape;
	struct rule_entry *entry;
	size_t n;
};

/* An entry that is left out, because an entry of an earlier rule takes all of its packets. */
struct covered_entry {
	const struct shape *shape;
	const uint64_t *value;
	uint32_t rule, by;
};

#define TABLE_NONE UINT32_MAX

/*
 * The rules of one table of the file and one direction. A rule whose packets later rules judge, too
 * (a mirror, a rule with a rate) ends the table; `next` has the rules behind it.
 */
struct table {
	struct matcher *matcher; /* looked up in this order */
	size_t n;
	size_t entries; /* of all matchers */
	enum rule_dir dir;
	uint32_t of;   /* the table of the file */
	uint32_t next; /* the table of packets that no rule takes; TABLE_NONE: the default way */
	uint8_t next_levels; /* from here to `next`, at least */
	/* Below the level of any table that it leads to. 0: no packet gets here, or no rules. */
	uint32_t level;
	struct covered_entry *covered;
	size_t ncovered, covered_room;
};

/* A rule that no packet can reach. */
struct shadow {
	uint32_t rule,
		by; /* by: an earlier rule that takes all of its packets, or the last of them */
};

struct program {
	/* Packets begin in the table with the number of their direction. */
	struct table *table;
	size_t ntables;
	uint32_t *where; /* by rule: the table with its entries */
	struct shadow *shadow;
	size_t nshadows;
	struct arena *memory;
};

/* Limits: the hardware's priorities have 16 bits; a rule of more entries is a mistake. */
#define MATCHERS_MAX	 65535u
#define RULE_ENTRIES_MAX 65536u

/*
 * Compiles a set. Returns 0, -ENOMEM, -E2BIG with the rule in *wrong that has too many entries or
 * needs too many matchers, or -EMLINK with a rule that needs a table behind too many others.
 */
int rules_compile(const struct ruleset *set, struct program *out, size_t *wrong);

/*
 * Limits of the search for an entry's place. Any limits give a right program, lower ones more
 * matchers; tests lower them.
 *	looks	matchers that are searched, and shapes that may search one matcher: beyond, an entry
 *		counts as conflicting. Each search keeps a hash table of the matcher's entries.
 *	few	entries of a matcher that are compared one by one instead
 *	covers	lookups of an entry that covers another: beyond, only equal entries are left out
 */
struct compile_limits {
	unsigned int looks, few, covers;
};
extern const struct compile_limits compile_limits;
int rules_compile_within(const struct ruleset *set, const struct compile_limits *limits,
			 struct program *out, size_t *wrong);
/* Returns whether it makes no difference which of the two rules takes a packet. */
bool rule_same_action(const struct rule *a, const struct rule *b);
void program_free(struct program *p);
/* Returns the table that a RULE_GOTO's packets go to; TABLE_NONE: the rule is none. */
static inline uint32_t program_goto(const struct rule *r)
{
	return r->verdict == RULE_GOTO ? RULE_DIRS * r->go + (uint32_t)r->dir : TABLE_NONE;
}

/* --- expand.c: the entries of one rule -------------------------------------------------------- */

/* Called for each entry. Shape and values belong to the caller. Nonzero ends the expansion. */
typedef int (*entry_fn)(void *arg, const struct shape *shape, const uint64_t *value);

/* Expands a rule. Returns 0, the function's nonzero value, or -E2BIG. */
int rule_expand(const struct rule *r, entry_fn each, void *arg);

/* Returns false if negated matches leave the rule no packet (tcp not port 0-65535). */
bool rule_is_possible(const struct rule *r);

#endif
