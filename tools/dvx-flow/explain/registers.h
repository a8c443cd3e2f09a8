/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The meaning of a value in a register: what the tables that write it have compared. A dump with
 * its lists of rewrites has both.
 */
#ifndef DVX_FLOW_REGISTERS_H
#define DVX_FLOW_REGISTERS_H

#include "walk.h"

struct registers;

/* Returns a rule's text by its ID in the dump; NULL: unknown. */
typedef const char *(*rule_name_fn)(void *arg, uint64_t id);

/* Returns NULL if there is no memory. name may be NULL. */
struct registers *registers_new(const struct steering_dump *d, struct view_cache *cache,
				rule_name_fn name, void *arg);
void registers_free(struct registers *c);

/*
 * Writes "code 0x38 of ipv4 src: 10.0.0.0/8 or 192.168.1.0/24", or "the best hit of depth 0x2", for
 * a register that is compared after the tables of the walk's first `steps` steps. Returns false if
 * these tables write nothing into these bits whose meaning is known.
 */
bool registers_describe(struct registers *c, const struct explain_walk *w, uint32_t steps,
			enum field reg, uint32_t value, uint32_t mask, char *buf, size_t size);

#endif
