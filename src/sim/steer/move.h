/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef SIM_STEER_MOVE_H
#define SIM_STEER_MOVE_H

/*
 * Removal and insertion of headers whose places count from anchors: for entries of format 1 and later
 * (ste/), and for rules (rules/). All return false after steer_lost(); *changed is that of
 * ste_remove().
 */
#include <stdbool.h>
#include <stdint.h>

struct steer_walk;

struct move_place {
	unsigned int anchor; /* PRM ste_anchor */
	uint32_t words;	     /* behind it */
};

/* Bytes of a packet reformat context. */
struct move_context {
	uint32_t id;
	uint32_t words, attributes;
};

bool move_remove_words(const struct steer_walk *, struct move_place from, uint32_t words,
		       unsigned int *changed);
/* Removes headers from an anchor up to another one; decap: these are a tunnel. */
bool move_remove_between(const struct steer_walk *, unsigned int start, unsigned int end,
			 bool decap, unsigned int *changed);
bool move_insert_dword(const struct steer_walk *, struct move_place, const uint8_t *dword,
		       unsigned int *changed);
/* Inserts a header. [I] An insertion that is no encapsulation changes no lengths. */
bool move_insert_bytes(const struct steer_walk *, struct move_place, const uint8_t *bytes,
		       uint32_t n, unsigned int attributes, unsigned int *changed);
bool move_insert_context(const struct steer_walk *, struct move_place, struct move_context,
			 unsigned int *changed);

#endif
