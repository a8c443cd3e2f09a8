/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Values as other tools write them, and the rows of the tools' words. A value is bad if the text is
 * none, and empty if it is every value, so that there is nothing to compare.
 */
#ifndef DVX_FLOW_IMPORT_VALUES_H
#define DVX_FLOW_IMPORT_VALUES_H

#include <stdio.h>
#include <string.h>

#include "draft.h"

struct entry;

/*
 * Words of a tool that are read alike. Without functions they are left out for the reason `what`.
 * A table ends with a row without names.
 */
struct row {
	const char *names; /* with blanks between them; an exporter writes the first one */
	unsigned int what; /* the slot, the kind of a change, or the reason */
	unsigned int bits; /* of a number */
	int base;	   /* of a number; 0: hexadecimal after 0x */
	unsigned int arg;  /* an IP version, a protocol, ...: as the functions need */
	const char *word;  /* between the name and the value; NULL: none */
	bool whole;	   /* testpmd: compared if the item has a spec and no mask at all */
	struct value (*value)(struct draft *d, const struct row *row, const char *text);
	/* Reads more than a value. Returns false if the rule is left out. */
	bool (*read)(struct draft *d, const struct row *row, const struct token *at);
	/* Writes a key of an entry: key[0], or key[1], the other protocol's. */
	void (*write)(struct entry *e, const struct row *row, unsigned int key);
	unsigned int key[2];
};

/* clang-format off */
#define ROW_MATCH(name, slot, how, ...) {.names = name, .what = SLOT_##slot, .value = how, __VA_ARGS__}
#define ROW_READ(name, how, ...) {.names = name, .read = how, __VA_ARGS__}
#define ROW_CHANGE(name, change, of, how, ...) \
	{.names = name, .what = CHANGE_##change, .arg = of, .value = how, __VA_ARGS__}
/* A word of a tunnel that the rule begins. */
#define ROW_ENCAP(name, word, how, ...) {.names = name, .what = ENCAP_##word, .value = how, __VA_ARGS__}
#define ROW_KEY(how, ...) .write = how, .key = {__VA_ARGS__}
#define ROW_LEAVE(name, reason) {.names = name, .what = REASON_##reason}
/* The packet goes elsewhere then. */
#define ROW_LEAVE_END(name, reason) {.names = name, .what = REASON_##reason, .arg = true}
/* clang-format on */

/* Returns the row of a word, or NULL. */
const struct row *row_find(const struct row *rows, const char *text);
/* Adds the match of a row, or does what the row does instead. */
bool row_apply(struct draft *d, const struct row *row, const struct token *at);
/* Reads a word of d->line and its value. `unknown`: the reason if no row has it. */
bool row_take(struct draft *d, const struct row *rows, enum import_reason unknown);
/* Read nothing: for words without a value, and for those whose value does not matter. */
bool row_skip(struct draft *d, const struct row *row, const struct token *at);
bool row_skip_value(struct draft *d, const struct row *row, const struct token *at);

/* --- lists ------------------------------------------------------------------------------------- */

#define VALUE_BAD   ((struct value){.bad = true})
#define VALUE_EVERY ((struct value){0})

struct value value_one(struct import *im, const void *item, size_t size);
struct value value_of(struct import *im, uint64_t number);
/* Adds the items of `more`. Returns false if it is bad or every value; then it is the result. */
bool value_append(struct import *im, struct value *to, struct value more, size_t size);

/* --- numbers ----------------------------------------------------------------------------------- */

/* Parses a number; base 0: hexadecimal after 0x. */
bool number_parse(const char *text, int base, uint64_t most, uint64_t *v);
/* Parses NUMBER[/MASK] of so many bits, all without a mask. */
bool number_parse_pair(const char *text, int base, unsigned int bits, uint64_t *v, uint64_t *mask);
struct value value_under_mask(struct import *im, uint64_t v, uint64_t mask, unsigned int bits);
/* Returns the values from first to last as values under masks. */
struct value value_range(struct import *im, uint64_t first, uint64_t last, unsigned int bits);
struct value value_ports_from(struct import *im, uint64_t first, uint64_t last);
/* Returns ports under a mask, as a range if they are one. */
struct value value_port_mask(struct import *im, uint64_t port, uint64_t mask);
struct value value_flags(struct import *im, uint64_t value, uint64_t mask);

/* Conversions for rows. */
struct value value_number(struct draft *d, const struct row *row, const char *text);
struct value value_masked(struct draft *d, const struct row *row, const char *text);
struct value value_masked_port(struct draft *d, const struct row *row, const char *text);
/* Converts a protocol's name or number. */
struct value value_proto(struct draft *d, const struct row *row, const char *text);
struct value value_dscp(struct draft *d, const struct row *row, const char *text);
/* Converts a traffic class without ECN to its DSCP. */
struct value value_class(struct draft *d, const struct row *row, const char *text);
/* Convert PORT or FIRST-LAST, one of which may be missing; arg: another separator. */
struct value value_ports(struct draft *d, const struct row *row, const char *text);

/*
 * Parses a Geneve option of one word, as tc or as Open vSwitch writes it, to its class, type and
 * data. Only the data may have a mask.
 */
bool option_parse(const char *text, unsigned int option[3], uint32_t *mask);
/* Converts such an option, for SLOT_OPTION. */
struct value value_option(struct draft *d, const struct row *row, const char *text);

/* --- addresses --------------------------------------------------------------------------------- */

/* Converts ADDRESS[/BITS|/MASK]; bits behind the prefix are cut off. arg: the version, or the draft's. */
struct value value_net(struct draft *d, const struct row *row, const char *text);
/* Converts what value_net() takes, or FIRST-LAST. */
struct value value_nets(struct draft *d, const struct row *row, const char *text);
bool mac_parse(const char *text, uint64_t *mac);
/* Converts an address of either version. */
struct value value_address(struct draft *d, const struct row *row, const char *text);
/* Converts MAC[/MASK|/BITS]. */
struct value value_mac(struct draft *d, const struct row *row, const char *text);
/* Returns the number of a mask's leading bits, or -1 if there are holes. */
int value_mask_length(const uint8_t *mask, unsigned int bytes);

static inline bool net_is_host(const struct rule_net *net)
{
	return net->bits == (net->family == 4 ? 32 : 128);
}

/* --- changes and what is written --------------------------------------------------------------- */

/* Completes a change of this kind. Returns false if the value is not one address or number. */
bool change_fill(struct rule_change *c, unsigned int kind, unsigned int of, struct value v);
void mac_print(FILE *f, uint64_t mac);
void address_print(FILE *f, int version, const uint8_t *addr);
/* Prints the address or number of a change, nothing if it has none; of a pushed tag its ID. */
void change_print(FILE *f, const struct rule_change *c);

#endif
