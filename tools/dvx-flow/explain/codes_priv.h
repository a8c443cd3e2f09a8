/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Shared by the files that read codes. Where rules become tables of codes (doc/design/0066), a
 * table compares one field and writes a code of its value into a register, and later tables compare
 * the code. So a code means the values that get it.
 */
#ifndef DVX_FLOW_CODES_PRIV_H
#define DVX_FLOW_CODES_PRIV_H

#include "registers.h"

#define CODE_REGISTERS 6

/* Values that one rule of a table takes; `order`: its place among the table's rules. */
struct code_part {
	u128 first, last;
	uint32_t order;
};

/* A rule's writes into the registers. */
struct code_wrote {
	uint32_t mask[CODE_REGISTERS], value[CODE_REGISTERS];
};

/* A table that writes a code of one field. */
struct code_table {
	bool ready, usable;
	enum field field;
	unsigned int l3;
	u128 full; /* the field's bits */
	struct code_part *part;
	size_t n, room;
	struct code_wrote *wrote; /* by a part's order */
	size_t nwrote, wrote_room;
	uint32_t writes[CODE_REGISTERS]; /* all of them together */
};

struct registers {
	const struct steering_dump *d;
	struct view_cache *cache;
	rule_name_fn name; /* NULL: the rules' texts are unknown */
	void *arg;
	struct code_table *table; /* for each of the dump's */
};

/* A text that is being written. */
struct code_text {
	char *buf;
	size_t size, used;
	unsigned int shown, more;
};
void code_put(struct code_text *x, const char *text);

/* Returns NULL if the table writes no code of a field. */
const struct code_table *code_table_of(struct registers *c, uint32_t table, enum side side);

/* Returns the bits of the register that the rule's list sets, and their values. */
uint32_t code_written(const struct steering_dump *d, const struct dump_rule *r, unsigned int reg,
		      uint32_t *value);

/*
 * Adds the meaning of bits of a register that bands write (codes_hits.c). Returns false if they
 * have none.
 */
bool code_put_hit(struct code_text *x, struct registers *c, const struct explain_walk *w,
		  uint32_t steps, unsigned int reg, uint32_t value, uint32_t mask);

#endif
