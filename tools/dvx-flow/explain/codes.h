/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The meaning of a value in a register: what the tables that write it have compared. A dump with
 * its lists of rewrites has both.
 */
#ifndef DVX_FLOW_CODES_H
#define DVX_FLOW_CODES_H

#include "walk.h"

/*
 * Adds "code 0x38 of ipv4 src: 10.0.0.0/8 or 192.168.1.0/24", or "the best hit of depth 0x2", for
 * a register that is compared after the tables of the walk's first `steps` steps. Returns false,
 * and adds nothing, if these tables write nothing into these bits whose meaning is known.
 */
bool sentence_add_register(struct sentence *t, const struct explain_walk *w, uint32_t steps,
			   enum field reg, uint32_t value, uint32_t mask);

void code_tables_free(struct steering *d);

#endif
