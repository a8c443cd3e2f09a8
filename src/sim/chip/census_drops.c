/* SPDX-License-Identifier: BSD-2-Clause */
#include "session.h"

#include <stdio.h>
#include "chip.h"
#include "obj/device.h"
#include "port/port.h"
#include "port/wire.h"
#include "steer/steer.h"

struct drop_rows {
	struct link_drop_row *rows;
	unsigned int n, max;
};

/* v: NULL for packets that the chip itself dropped. */
static void drop_rows_add(struct drop_rows *to, const struct vhca *v, enum drop why, uint64_t count)
{
	struct link_drop_row *row = &to->rows[to->n];

	if (!count || to->n == to->max)
		return;
	*row = (struct link_drop_row){.count = count};
	snprintf(row->function, sizeof(row->function), "%s", v ? v->name : "");
	snprintf(row->cause, sizeof(row->cause), "%s", drop_cause(why));
	snprintf(row->words, sizeof(row->words), "%s", drop_words(why));
	to->n++;
}

static void drop_rows_add_all(struct drop_rows *to, const struct vhca *v, const struct drops *drops)
{
	for (enum drop d = DROP_NONE + 1; d < DROPS; d++)
		drop_rows_add(to, v, d, drops->n[d]);
}

/* Sets those of packets of a source in the FDB. */
static void drops_of_fdb(struct drops *all, const struct steer_stats *stats)
{
	all->n[DROP_FDB_RULE] = stats->ends[STEER_DROP];
	all->n[DROP_INGRESS_ACL] = stats->ends[STEER_INGRESS_DROP];
	all->n[DROP_EGRESS_ACL] = stats->ends[STEER_EGRESS_DROP];
	all->n[DROP_FDB_STEERING] = stats->ends[STEER_LOST];
}

/* Adds those that other rooms count. */
static void drop_rows_of_function(struct drop_rows *to, const struct vhca *v)
{
	const uint64_t *ends = steer_stats(v)->ends;
	struct drops all = v->drops;

	drops_of_fdb(&all, steer_fdb_stats(v->dev, v));
	all.n[DROP_RULE] = ends[STEER_DROP];
	all.n[DROP_STEERING] = ends[STEER_LOST];
	drop_rows_add_all(to, v, &all);
}

static void drops_of_wire(struct drops *all, struct wire *w)
{
	all->n[DROP_WIRE_LOST] = w->lost;
	all->n[DROP_WIRE_BAD] = w->bad;
	all->n[DROP_WIRE_MISSED] = w->ops->missed ? w->ops->missed(w) : 0;
}

unsigned int census_drops(struct chip *chip, struct link_drop_row *rows, unsigned int max)
{
	const struct device *dev = chip_device(chip);
	struct drop_rows to = {.rows = rows, .max = max};
	struct wire *wire = port_wire(dev->port);
	struct fault_counts counts;
	struct fault_rates rates;
	struct drops all = dev->drops;

	for (unsigned int f = 0; f < dev->nfunctions; f++)
		drop_rows_of_function(&to, &dev->vhca[f]);
	if (wire)
		drops_of_wire(&all, wire);
	port_faults(dev->port, &rates, &counts);
	all.n[DROP_FAULT] = counts.dropped;
	all.n[DROP_LINK_DOWN] = counts.down;
	drop_rows_add_all(&to, NULL, &all);
	return to.n;
}
