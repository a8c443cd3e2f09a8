/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What a code in a register means. Where rules become tables of codes (doc/design/0066), a table
 * compares one field and writes a code of its value, and later tables compare the code. A dump with
 * its lists of rewrites has both, so a code's meaning is read there: the values that get it.
 */
#ifndef DVX_FLOW_CODES_H
#define DVX_FLOW_CODES_H

#include "walk.h"

struct codes;

/* A rule's text by its id in the dump; NULL: unknown. */
typedef const char *(*rule_name_fn)(void *arg, uint64_t id);

/* name may be NULL. NULL: no memory. */
struct codes *codes_new(const struct steering_dump *d, struct view_cache *cache, rule_name_fn name,
			void *arg);
void codes_free(struct codes *c);

/*
 * "code 0x38 of ipv4 src: 10.0.0.0/8 or 192.168.1.0/24", or "the best hit of depth 0x2", for a
 * register that is compared after the tables of the walk's first `steps` steps. False: they write
 * nothing into these bits that has a meaning here.
 */
bool codes_describe(struct codes *c, const struct explain_walk *w, uint32_t steps, enum field reg,
		    uint32_t value, uint32_t mask, char *buf, size_t size);

#endif
