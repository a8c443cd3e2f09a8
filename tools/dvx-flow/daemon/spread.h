/* SPDX-License-Identifier: BSD-2-Clause */
/* Several queues by hash: what `to rss` leads to. */
#ifndef DVX_FLOW_SPREAD_H
#define DVX_FLOW_SPREAD_H

#include "base_tables.h"

/* Behind all tables of rules. */
#define SPREAD_LEVEL (TABLES_DEEP + 1)

struct spread;

/* As the rule's rss says; rules that share it share this. 0, or -1 with the fault. */
int spread_make(struct base_tables *g, const struct rule *r, struct spread **out,
		struct flow_fault *f);
void spread_free(struct spread *s);
struct dvx_flow_action *spread_action(const struct spread *s);

#endif
