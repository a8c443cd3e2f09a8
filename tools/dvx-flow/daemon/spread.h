/* SPDX-License-Identifier: BSD-2-Clause */
/* The destination `to rss`: several queues, chosen by a hash. */
#ifndef DVX_FLOW_SPREAD_H
#define DVX_FLOW_SPREAD_H

#include "base_tables.h"

/* Level of the tables, behind all tables of rules. */
#define SPREAD_LEVEL (TABLES_DEEP + 1)

struct spread;

/* Returns NULL if there is no memory. */
struct spread *spread_new(const struct rule_rss *rss);
void spread_free(struct spread *s);
/* Returns whether it spreads packets as this rule's rss does. */
bool spread_is(const struct spread *s, const struct rule_rss *rss);
/*
 * Finds the action that leads to the spread's table. The table is made for the first entry that
 * needs it: a covered rule has none. Returns 0, or -1 with libdvx's last error.
 */
int spread_action(struct spread *s, struct base_tables *g, struct dvx_flow_action **out);

#endif
