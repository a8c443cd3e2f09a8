/* SPDX-License-Identifier: BSD-2-Clause */
/* Several queues by hash: what `to rss` leads to. */
#ifndef DVX_FLOW_SPREAD_H
#define DVX_FLOW_SPREAD_H

#include "base_tables.h"

/* Behind all tables of rules. */
#define SPREAD_LEVEL (TABLES_DEEP + 1)

struct spread;

/* NULL: no memory. */
struct spread *spread_new(const struct rule_rss *rss);
void spread_free(struct spread *s);
/* Whether it spreads packets as this rule's rss does. */
bool spread_is(const struct spread *s, const struct rule_rss *rss);
/*
 * The action that leads to the spread's table, which is made for the first entry that needs it: a
 * covered rule has none. Returns 0, or -1 with libdvx's last error.
 */
int spread_action(struct spread *s, struct base_tables *g, struct dvx_flow_action **out);

#endif
