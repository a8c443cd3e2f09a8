/* SPDX-License-Identifier: BSD-2-Clause */
/* One entry of a rule while it is written as another tool's words. */
#ifndef DVX_FLOW_IMPORT_ENTRY_H
#define DVX_FLOW_IMPORT_ENTRY_H

#include "export.h"
#include "rules/compile.h"
#include "values.h"

/* An entry. The keys that are still in it have not been written yet. */
struct entry {
	const struct rule *rule;
	uint64_t value[MATCH_KEYS], mask[MATCH_KEYS];
	const struct ruleset *set;
	size_t number;	       /* of the rule in the set */
	const char *netdev;    /* or NULL */
	const char *ports;     /* of vports, or NULL */
	uint64_t source;       /* vport of the e-switch */
	char from[64], to[64]; /* interfaces of the e-switch, of the source and the destination */
	FILE *out;
	const struct tc_tags *tags; /* of tc: those of the command that is written */
	/* of testpmd: keys are those of the inner headers, and of the second tag */
	bool inner, second;
	bool nvgre; /* of testpmd: the entry's tunnel */
	/* the reason why it cannot be written */
	struct source_location at;
	char why[256];
};

/* testpmd's group of flows from one port: each copy begins a new one. */
struct export_group {
	char from[64];
	uint32_t group;
	size_t rule; /* that began it */
};
#define EXPORT_GROUPS 16

struct export_state {
	uint32_t priority; /* tc: the last priority, and its protocol */
	size_t rule;
	char protocol[16];
	struct export_group group[EXPORT_GROUPS];
	size_t groups;
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
/* Takes the traffic class, of which DSCP and ECN are parts. Returns false if it is not compared. */
bool entry_take_tos(struct entry *e, uint64_t *value, uint64_t *mask);
bool entry_has(const struct entry *e, unsigned int key, uint64_t value);
/* Returns the key of the entry's level that a key of the outer headers is. */
unsigned int entry_key(const struct entry *e, unsigned int key);
/*
 * Takes the vport that a rule of the e-switch names as its source into e->from, and finds the name of
 * its destination, too. `kernel`: the kernel's names are possible.
 */
bool entry_take_from(struct entry *e, bool kernel);
/* Returns whether a later rule of the set is for packets of the same source. */
bool entry_goes_on(const struct entry *e);
/* Writes the words of the tunnel that the rule begins, up to a row without a value. */
void entry_put_encap(struct entry *e, const struct row *rows);
/* Writes the keys of a row that the entry has, as the row says. */
void entry_put(struct entry *e, const struct row *row);

struct entry_address {
	uint8_t addr[16], mask[16]; /* network order */
	int bits;		    /* -1: the mask is no prefix */
};
/* Takes an address of four keys; `first` is the key of the first word. */
bool entry_take_address(struct entry *e, unsigned int first, int version, struct entry_address *a);

/* Notes the reason, at the word that a key comes from. Returns false. */
bool entry_refuse(struct entry *e, struct source_location at, const char *fmt, ...)
	__attribute__((format(printf, 3, 4)));
/* Returns true if all keys are taken. Otherwise the tool cannot compare one: sets the reason. */
bool entry_done(struct entry *e, const char *tool);

/* Returns the rule's change of this kind, or NULL. */
const struct rule_change *entry_change(const struct entry *e, enum rule_change_kind kind);

#endif
