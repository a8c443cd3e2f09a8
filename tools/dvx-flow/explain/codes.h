/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The meaning of a code in a register. Where rules become tables of codes (doc/design/0066), a
 * table compares one field and writes a code of its value, and later tables compare the code. A
 * dump with its lists of rewrites has both, so a code's meaning is read there: the values that get
 * it.
 */
#ifndef DVX_FLOW_CODES_H
#define DVX_FLOW_CODES_H

#include "walk.h"

struct codes;

/* Returns a rule's text by its ID in the dump; NULL: unknown. */
typedef const char *(*rule_name_fn)(void *arg, uint64_t id);

/* Returns NULL if there is no memory. name may be NULL. */
struct codes *codes_new(const struct steering_dump *d, struct view_cache *cache, rule_name_fn name,
			void *arg);
void codes_free(struct codes *c);

/*
 * Writes "code 0x38 of ipv4 src: 10.0.0.0/8 or 192.168.1.0/24", or "the best hit of depth 0x2", for
 * a register that is compared after the tables of the walk's first `steps` steps. Returns false if
 * these tables write nothing into these bits whose meaning is known.
 */
bool codes_describe(struct codes *c, const struct explain_walk *w, uint32_t steps, enum field reg,
		    uint32_t value, uint32_t mask, char *buf, size_t size);

#endif
