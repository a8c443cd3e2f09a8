/* SPDX-License-Identifier: BSD-2-Clause */
#include <errno.h>
#include <stdlib.h>

#include "generation.h"

struct bulk {
	struct dvx_flow_counter *counter;
	unsigned int holders;
};

#define MOST 2048u

int bulk_make(struct dvx_dev *dev, uint32_t want, struct bulk **out)
{
	struct bulk *b = calloc(1, sizeof(*b));
	int ret;

	if (!b)
		return -ENOMEM;
	if (want > MOST)
		want = MOST;
	/* The device may limit the size of bulks, or be short of memory for a large one. */
	while ((ret = dvx_flow_counter_create(dev, want, &b->counter)) && want > 1)
		want /= 2;
	if (ret) {
		free(b);
		return ret;
	}
	b->holders = 1;
	*out = b;
	return 0;
}

void bulk_hold(struct bulk *b)
{
	b->holders++;
}

void bulk_drop(struct bulk *b)
{
	if (!b || --b->holders)
		return;
	dvx_flow_counter_destroy(b->counter);
	free(b);
}

struct dvx_flow_counter *bulk_counter(const struct bulk *b)
{
	return b->counter;
}

uint32_t bulk_size(const struct bulk *b)
{
	return dvx_flow_counter_size(b->counter);
}
