/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Shared by expand.c, which expands the matches of a rule, and expand_not.c, which expands its
 * exceptions.
 */
#ifndef DVX_FLOW_EXPAND_H
#define DVX_FLOW_EXPAND_H

#include "compile.h"
#include "cubes.h"

/* An entry that is being built. Copied with alternative_copy(): the arrays are mostly empty. */
struct alternative {
	bool inner; /* the current level */
	struct shape shape;
	uint64_t value[MATCH_KEYS]; /* of the shape's keys */
};

/* The lists in the order in which they multiply. HOST and PORT are tried on both sides. */
enum { LIST_SRC, LIST_DST, LIST_HOST, LIST_SPORT, LIST_DPORT, LIST_PORT, LISTS };

enum { SIDE_S, SIDE_D };

struct expansion {
	const struct rule *rule;
	struct cubes list[2][LISTS]; /* of the outer headers, and of the inner ones */
	struct exception *except;    /* those of a value first */
	size_t of_value;	     /* number of exceptions of a value */
	entry_fn each;
	void *arg;
	size_t entries;
	size_t steps; /* from one exception to the next */
};

void alternative_copy(struct alternative *to, const struct alternative *from);
/* Returns the value of a key; 0: the key is not compared. */
uint64_t alternative_value(const struct alternative *a, unsigned int key);
/* Returns the key at the current level. */
unsigned int alternative_key(const struct alternative *a, unsigned int key);

/* Adds a condition. Returns false if no packet can meet both (src port 80, and 90). */
bool alternative_add(struct alternative *a, unsigned int key, uint64_t value, uint64_t mask);
bool alternative_add_here(struct alternative *a, unsigned int key, uint64_t value, uint64_t mask);
bool alternative_add_net(struct alternative *a, unsigned int first_key, uint8_t version,
			 const struct cube *c);

/* Returns whether a later fragment lacks the field; `inner`: of the headers inside a tunnel. */
bool key_is_of_l4(unsigned int key, bool inner);
unsigned int expand_port_key(uint64_t proto, int side);
int expand_lists(struct cubes list[LISTS], const struct rule_headers *h);
int expand_emit(struct expansion *x, const struct alternative *a);

/*
 * Prepares the exceptions of a rule, before its entries are made. expand_excepts() applies them to
 * an entry, from exception i on.
 */
int excepts_make(struct expansion *x, unsigned int stride);
int expand_excepts(struct expansion *x, const struct alternative *a, size_t i);
int expand_except(struct expansion *x, const struct alternative *a, size_t i);
void excepts_free(struct expansion *x);

/* Expands an alternative, without later fragments whose missing field would be compared as 0. */
int expand_fragments(struct expansion *x, const struct alternative *a);

#endif
