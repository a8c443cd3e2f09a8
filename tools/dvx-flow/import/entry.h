/* SPDX-License-Identifier: BSD-2-Clause */
/* One entry of a rule while it is written as another tool's words. */
#ifndef DVX_FLOW_IMPORT_ENTRY_H
#define DVX_FLOW_IMPORT_ENTRY_H

#include "export.h"
#include "rules/compile.h"

/* An entry. The keys that are still in it have not been written yet. */
struct entry {
	const struct rule *rule;
	uint64_t value[MATCH_KEYS], mask[MATCH_KEYS];
	size_t number;	    /* of the rule in the set */
	const char *netdev; /* or NULL */
	FILE *out;
	/* the reason why it cannot be written */
	struct source_location at;
	char why[256];
};

struct export_state {
	uint32_t priority; /* tc: the last priority, and its protocol */
	size_t rule;
	char protocol[16];
};

struct export_tool {
	const char *name;
	/* Writes the commands to e->out, or puts the reason into e->why and returns false. */
	bool (*write)(struct export_state *state, struct entry *e);
};

extern const struct export_tool export_tc, export_testpmd;

/* Takes a key out of the entry and returns its value, if all of its bits are compared. */
bool entry_take(struct entry *e, unsigned int key, uint64_t *value);
/* Takes a key with any mask. */
bool entry_take_masked(struct entry *e, unsigned int key, uint64_t *value, uint64_t *mask);
/*
 * Takes a tag's type. Returns 0 if there is no tag, -1 if the entry does not compare it, or only
 * which type it is not.
 */
int entry_take_tag(struct entry *e, unsigned int cvlan, unsigned int svlan);
bool entry_has(const struct entry *e, unsigned int key, uint64_t value);
/* Returns the key at this level: of the outer or the inner headers. */
unsigned int entry_key(unsigned int key, bool inner);

struct entry_address {
	int family;
	uint8_t addr[16], mask[16]; /* network order */
	int bits;		    /* -1: the mask is no prefix */
};
/* Takes an address of four keys; `first` is the key of the first word. */
bool entry_take_address(struct entry *e, unsigned int first, bool inner, int family,
			struct entry_address *a);

/* Notes the reason, at the word that a key comes from. Returns false. */
bool entry_refuse(struct entry *e, struct source_location at, const char *fmt, ...)
	__attribute__((format(printf, 3, 4)));
/* Returns true if all keys are taken. Otherwise the tool cannot compare one: sets the reason. */
bool entry_done(struct entry *e, const char *tool);

/* Returns the rule's change of this kind, or NULL. */
const struct rule_change *entry_change(const struct entry *e, enum rule_change_kind kind);

#endif
