/* SPDX-License-Identifier: BSD-2-Clause */
#include <errno.h>
#include <stdlib.h>

#include "objects.h"

struct aso_bulk {
	struct dvx_aso *aso;
	unsigned int holders;
	uint8_t *hits;	/* of first-hit bits, as they were ... */
	uint64_t taken; /* ... at this time; 0: never */
};

#define ASO_BULK_MOST 512u

int aso_bulk_make(struct base_tables *g, enum dvx_aso_kind kind, uint32_t want,
		  struct aso_bulk **out)
{
	struct aso_bulk *b = calloc(1, sizeof(*b));
	int ret = b ? 0 : -ENOMEM;

	if (want > ASO_BULK_MOST)
		want = ASO_BULK_MOST;
	if (!ret)
		ret = base_tables_aso(g);
	if (!ret)
		/* The device may have few left. */
		while ((ret = dvx_aso_create(g->aso, kind, want, &b->aso)) && want > 1)
			want /= 2;
	if (ret) {
		free(b);
		return ret;
	}
	b->holders = 1;
	*out = b;
	return 0;
}

void aso_bulk_hold(struct aso_bulk *b)
{
	b->holders++;
}

void aso_bulk_drop(struct aso_bulk *b)
{
	if (!b || --b->holders)
		return;
	dvx_aso_destroy(b->aso);
	free(b->hits);
	free(b);
}

struct dvx_aso *aso_bulk_objects(const struct aso_bulk *b)
{
	return b->aso;
}

static int aso_bulk_take(struct aso_bulk *b)
{
	if (!b->hits)
		b->hits = malloc(dvx_aso_size(b->aso));
	return b->hits ? dvx_aso_take_hits(b->aso, 0, dvx_aso_size(b->aso), b->hits) : -ENOMEM;
}

int aso_bulk_hit(struct aso_bulk *b, uint32_t i, uint64_t now)
{
	int ret = b->taken == now ? 0 : aso_bulk_take(b);

	if (ret)
		return ret;
	b->taken = now;
	return b->hits[i];
}
