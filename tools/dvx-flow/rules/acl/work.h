/* SPDX-License-Identifier: BSD-2-Clause */
/* The data that the steps of acl_compile() pass on: classes, boxes, fields, cells, bands. */
#ifndef DVX_FLOW_ACL_WORK_H
#define DVX_FLOW_ACL_WORK_H

#include <errno.h>
#include "acl.h"
#include "rules/cubes.h"
#include "rules/map.h"

#define ACL_FIELDS 16u	 /* fields that the rules of a class compare */
#define ACL_MASKS  1024u /* masks of codes before they are merged */
/* Masks after merging: a band's views are the square of them. */
#define ACL_BAND_MASKS 128u
#define ACL_BANDS      48u
#define ACL_DEPTHS     (254u * 254u)
#define ACL_HEIGHT     64u	  /* prefixes in prefixes */
#define ACL_CELLS      (1u << 20) /* of a class */
#define ACL_VIEWS      (1u << 23) /* cells times masks: bands keep a hash of each */
#define ACL_SPANS      (1u << 17) /* values of a field */
/*
 * Merging masks may multiply a rule list's cells by the first number; by up to the second if the
 * bands have more matchers than the third.
 */
#define ACL_GROWTH	4u
#define ACL_GROWTH_MOST 16u
#define ACL_BAND_GOAL	36u

/*
 * Bounds of the work on a class: this many steps, and more for each of its first cells. A step is a
 * cell that is compared with a mask, or written. Lists of 10,000 rules need half of them.
 */
#define ACL_STEPS_FREE (1u << 23)
#define ACL_STEPS_CELL (1u << 14)

enum { ACL_SPORT, ACL_DPORT, ACL_PORTS };

/* Conditions besides ports, IP version and protocol, as expand.c yields them. */
struct acl_rest {
	uint8_t n;
	const uint8_t *key;
	const uint64_t *mask, *value;
};

/* A part of a rule: its conditions in a class. */
struct acl_box {
	uint32_t rule, rest;
	uint16_t first[ACL_PORTS], last[ACL_PORTS];
};

/*
 * Spans of a field's values, any two of them nested or apart. Nodes stand in preorder, and node 0
 * is all values. A leaf's height is 0, a parent's is one more than its highest child's. Level L has
 * a class for each node of at least this height: its values that no smaller such node has.
 */
struct acl_family {
	struct cube_span *span;
	uint32_t *parent, *end; /* end: behind the last node inside */
	uint8_t *height;
	uint32_t *rank[ACL_HEIGHT + 1]; /* by level: how many classes stand before a node's */
	uint32_t n;
	uint8_t top; /* node 0's height */
};

/* A level of a field in the code. */
struct acl_digit {
	uint8_t level, at, bytes;
};

struct acl_field {
	uint8_t key[4], nkeys, bits; /* the values of these keys, one behind the other */
	cube_bits mask;		     /* the bits of them that are compared */
	bool spread;		     /* spans are prefixes or ranges; else values under the mask */
	int port;		     /* ACL_SPORT, ACL_DPORT; -1: a field of the rest */
	struct acl_family family;
	struct acl_digit digit[ACL_CODE_BYTES];
	unsigned int ndigits;
};

/* A node for each field: the codes of some packets. A mask's nodes are classes of its levels. */
struct acl_cell {
	uint32_t rule, node[ACL_FIELDS];
};

struct acl_mask {
	uint8_t level[ACL_FIELDS];
	struct acl_cell *cell; /* sorted by nodes */
	size_t n, room;
};

struct acl_placed {
	struct acl_cell cell;
	uint16_t mask, band;
};

/* The matchers of a class: in each band, the masks in `order`. */
struct acl_bands {
	struct acl_placed *placed; /* sorted by rule */
	size_t n;
	uint16_t order[ACL_MASKS], position[ACL_MASKS];
	uint16_t bands;
	uint16_t *depth; /* by rule of the set */
	uint16_t depths; /* the deepest one */
	size_t path;	 /* matchers of all bands, and of the choices between them */
};

/* Packets of one IP version and protocol. 0: the others. */
struct acl_class {
	uint8_t version, proto;
	bool used;
	struct acl_box *box;
	size_t n, room;
	struct acl_rest *rest;
	size_t nrests, rest_room;
	struct map rests;
	struct acl_field field[ACL_FIELDS];
	unsigned int nfields;
	struct acl_mask mask[ACL_MASKS];
	size_t nmasks, cells; /* cells: the first ones */
	uint64_t steps;	      /* steps of the work so far */
	struct acl_bands bands;
};

struct acl_work {
	const struct acl_rules *rules;
	const struct ruleset *set; /* of the rules */
	struct acl_program *out;
	struct acl_refusal *refusal;
	struct arena *memory;	 /* of the work */
	struct acl_class *class; /* ACL_CLASSES */
	uint32_t *result;	 /* of rules whose hits are compared, from 1 */
	uint32_t results;
	uint32_t rule; /* the current one */
	bool changes;  /* some rule changes its packets */
};

static inline int acl_refuse(struct acl_work *w, uint32_t rule, const char *why)
{
	*w->refusal = (struct acl_refusal){rule, why};
	return -E2BIG;
}

/* Counts steps. Returns -E2BIG if they are too many. */
static inline int acl_class_work(struct acl_class *c, uint64_t steps)
{
	c->steps += steps;
	return c->steps > ACL_STEPS_FREE + (uint64_t)ACL_STEPS_CELL * c->cells ? -E2BIG : 0;
}

/* Returns whether the rule belongs to the program. */
static inline bool acl_takes(const struct acl_rules *rules, uint32_t rule)
{
	return rules->set->rule[rule].dir == rules->dir &&
	       (!rules->where || rules->where[rule] == rules->table);
}

/* --- class.c: rules by IP version and protocol ------------------------------------------------ */

#define ACL_CLASSES 7
int acl_classes_make(struct acl_work *w);
void acl_class_free(struct acl_class *c);
/* Returns the key that a class compares for a port, RULE_KEYS if it has none. */
unsigned int acl_port_key(const struct acl_class *c, int port);

/* --- family.c --------------------------------------------------------------------------------- */

/* Makes the tree of n spans, which are nested or apart. Takes *span, which may have duplicates. */
int acl_family_make(struct acl_work *w, struct acl_family *f, struct cube_span *span, size_t n,
		    cube_bits max);
uint32_t acl_family_find(const struct acl_family *f, const struct cube_span *span);
uint32_t acl_family_class(const struct acl_family *f, uint32_t node, unsigned int level);
/* Returns how many classes of a level are inside a node. */
uint32_t acl_family_count(const struct acl_family *f, uint32_t node, unsigned int level);
/* Sorts spans, the longer of two with one beginning first, and drops duplicates. */
size_t acl_spans_sort(struct cube_span *span, size_t n);
void acl_family_free(struct acl_family *f);

/* --- range.c: ranges that overlap ------------------------------------------------------------- */

/* Cuts spans until any two are nested or apart. */
int acl_ranges_cut(struct acl_work *w, struct cube_span **span, size_t *n, size_t *room);
/* Finds the nodes that a range was cut into, up to `room`. */
size_t acl_range_nodes(const struct acl_family *f, struct cube_span range, uint32_t *node,
		       size_t room);

/* --- field.c: the fields of a class, and its rules as cells ----------------------------------- */

int acl_fields_make(struct acl_work *w, struct acl_class *c);

/* --- level.c: fewer levels, until the digits fit into the registers --------------------------- */

int acl_levels_reduce(struct acl_work *w, struct acl_class *c);

/* --- merge.c: fewer masks --------------------------------------------------------------------- */

/* Sorts the cells of each mask. */
void acl_masks_settle(struct acl_class *c);
/* Writes a mask's cells at a lower level of a field. */
int acl_mask_lower(struct acl_class *c, size_t m, unsigned int f, unsigned int level);
/* Adds b's cells to mask a, at the lower levels of both; the last mask takes b's place. */
int acl_masks_join(struct acl_class *c, size_t a, size_t b);
size_t acl_class_cells(const struct acl_class *c);
int acl_merge(struct acl_class *c, size_t budget);

/* --- band.c ----------------------------------------------------------------------------------- */

int acl_bands_make(struct acl_work *w, struct acl_class *c);
void acl_bands_free(struct acl_bands *b);

/* --- code.c: the bytes of a code -------------------------------------------------------------- */

unsigned int acl_digit_bytes(const struct acl_family *f, unsigned int level);
int acl_code_make(struct acl_work *w, struct acl_class *c);
/* Adds the bytes of a field's node at the levels of `mask`, or of all its levels. */
void acl_code_write(const struct acl_field *f, uint32_t node, const uint8_t *level,
		    uint8_t value[ACL_CODE_BYTES], uint8_t mask[ACL_CODE_BYTES]);

/* --- program.c -------------------------------------------------------------------------------- */

/* Functions that add: each returns the new index, or a negative errno. */
int acl_table_add(struct acl_program *p);
int acl_list_add(struct acl_program *p, const struct acl_list *list);
int acl_matcher_add(struct acl_program *p, int table, const struct shape *shape);
/* Adds to the table's last matcher. */
int acl_entry_add(struct acl_program *p, int table, const uint64_t *value, uint32_t list,
		  uint32_t next, uint32_t rule);
/* Adds an entry for each packet that gets so far. */
int acl_all_add(struct acl_program *p, int table, uint32_t list, uint32_t next, uint32_t rule);

/* --- headers.c: the headers that lead to a field ---------------------------------------------- */

/* Each header is compared as a whole. */
#define ACL_HEADERS 6
struct acl_headers {
	bool narrow; /* not all packets of the class have them */
	uint8_t n, key[ACL_HEADERS];
	uint64_t value[ACL_HEADERS];
};
int acl_headers_find(struct acl_work *w, const struct acl_class *c, const struct acl_field *f,
		     struct acl_headers *out);

/* --- lookup.c: a field's table ---------------------------------------------------------------- */

/* Adds the tables of a field. The last one leads to the table behind it. */
int acl_lookup_add(struct acl_work *w, const struct acl_class *c, const struct acl_field *f);

/* --- emit.c ----------------------------------------------------------------------------------- */

/* `next` of an entry that leads to the table of results, until that is made. */
#define ACL_RESULTS (UINT32_MAX - 1)
#define ACL_NO_HIT  0xffff0000u /* ACL_BEST before the first hit */
/* Makes the tables of a class; returns the first. */
int acl_class_emit(struct acl_work *w, const struct acl_class *c);

/* --- result.c --------------------------------------------------------------------------------- */

int acl_results_emit(struct acl_work *w);

#endif
