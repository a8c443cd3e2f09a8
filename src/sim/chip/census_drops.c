/* SPDX-License-Identifier: BSD-2-Clause */
#include "session.h"

#include <stdio.h>
#include <string.h>
#include "chip.h"
#include "obj/vhca.h"
#include "port/port.h"
#include "port/wire.h"
#include "steer/steer.h"

struct drop_rows {
	struct link_drop_row *rows;
	unsigned int n, max;
};

/* function: NULL: the chip's. */
static void drop_rows_add(struct drop_rows *to, const struct vhca *v, const char *cause,
			  const char *words, uint64_t count)
{
	struct link_drop_row *row = &to->rows[to->n];

	if (!count || to->n == to->max)
		return;
	*row = (struct link_drop_row){.count = count};
	snprintf(row->function, sizeof(row->function), "%s", v ? v->name : "");
	snprintf(row->cause, sizeof(row->cause), "%s", cause);
	snprintf(row->words, sizeof(row->words), "%s", words);
	to->n++;
}

static void drop_rows_add_all(struct drop_rows *to, const struct vhca *v, const struct drops *drops)
{
	for (enum drop d = DROP_NONE + 1; d < DROPS; d++)
		drop_rows_add(to, v, drop_cause(d), drop_words(d), drops->n[d]);
}

static void drop_rows_of_function(struct drop_rows *to, const struct vhca *v)
{
	const uint64_t *ends = steer_stats(v)->ends;

	drop_rows_add_all(to, v, &v->drops);
	drop_rows_add(to, v, "rule", "a steering rule or a table's default dropped them",
		      ends[STEER_DROP]);
	drop_rows_add(to, v, "steering", "their way through the steering tables was wrong",
		      ends[STEER_LOST]);
}

static void drop_rows_of_wire(struct drop_rows *to, struct wire *w)
{
	drop_rows_add(to, NULL, "wire_lost", "the other side of the wire did not take them",
		      w->lost);
	drop_rows_add(to, NULL, "wire_bad", "what came in by the wire was no packet", w->bad);
	if (w->ops->missed)
		drop_rows_add(to, NULL, "wire_missed", "they came in faster than the chip reads",
			      w->ops->missed(w));
}

unsigned int census_drops(struct chip *chip, struct link_drop_row *rows, unsigned int max)
{
	const struct device *dev = chip_device(chip);
	struct drop_rows to = {.rows = rows, .max = max};
	struct wire *wire = port_wire(dev->port);
	struct fault_counts counts;
	struct fault_rates rates;

	for (unsigned int f = 0; f < dev->nfunctions; f++)
		drop_rows_of_function(&to, &dev->vhca[f]);
	drop_rows_add_all(&to, NULL, &dev->drops);
	if (wire)
		drop_rows_of_wire(&to, wire);
	port_faults(dev->port, &rates, &counts);
	drop_rows_add(&to, NULL, "fault", "the faults of the wire dropped them", counts.dropped);
	drop_rows_add(&to, NULL, "link_down", "the link was down", counts.down);
	return to.n;
}
