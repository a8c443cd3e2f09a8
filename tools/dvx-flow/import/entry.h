/* SPDX-License-Identifier: BSD-2-Clause */
/* One entry of a rule while it is written as another tool's words. */
#ifndef DVX_FLOW_IMPORT_ENTRY_H
#define DVX_FLOW_IMPORT_ENTRY_H

#include "export.h"
#include "rules/compile.h"

/* What is not taken out of it has not been written yet. */
struct entry {
	const struct rule *rule;
	uint64_t value[MATCH_KEYS], mask[MATCH_KEYS];
	size_t number;	    /* of the rule in the set */
	const char *netdev; /* or NULL */
	FILE *out;
	/* why it cannot be written */
	struct source_location at;
	char why[256];
};

struct export_state {
	uint32_t priority; /* tc: the last one, and the protocol that has it */
	size_t rule;
	char protocol[16];
};

struct export_tool {
	const char *name;
	/* Writes the entry's commands to e->out, or says in e->why why not and returns false. */
	bool (*write)(struct export_state *state, struct entry *e);
};

extern const struct export_tool export_tc, export_testpmd;

/* A key's value if all of its bits are compared; takes it out. */
bool entry_take(struct entry *e, unsigned int key, uint64_t *value);
/* Its value under any mask. */
bool entry_take_masked(struct entry *e, unsigned int key, uint64_t *value, uint64_t *mask);
/* A tag's type, 0: there is no tag, -1: the entry does not say, or only which type it is not. */
int entry_take_tag(struct entry *e, unsigned int cvlan, unsigned int svlan);
bool entry_has(const struct entry *e, unsigned int key, uint64_t value);
/* A key of this level: the outer or the inner headers. */
unsigned int entry_key(unsigned int key, bool inner);

struct entry_address {
	int family;
	uint8_t addr[16], mask[16]; /* network order */
	int bits;		    /* -1: the mask is no prefix */
};
/* From four keys: `first` is that of the first word. */
bool entry_take_address(struct entry *e, unsigned int first, bool inner, int family,
			struct entry_address *a);

/* Notes why, at the word that a key comes from. Returns false. */
bool entry_refuse(struct entry *e, struct source_location at, const char *fmt, ...)
	__attribute__((format(printf, 3, 4)));
/* False and a sentence if something has not been taken: the tool cannot compare it. */
bool entry_done(struct entry *e, const char *tool);

/* The rule's change of this kind, or NULL. */
const struct rule_change *entry_change(const struct entry *e, enum rule_change_kind kind);

#endif
