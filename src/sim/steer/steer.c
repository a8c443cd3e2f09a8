/* SPDX-License-Identifier: BSD-2-Clause */
#include <stdlib.h>
#include "steer.h"
#include "obj/vhca.h"

struct steer {
	const struct steer_ops *ops;
	struct steer_stats stats[FUNCTION_COUNT];
};

struct steer *steer_new(struct silicon *si)
{
	(void)si;
	return calloc(1, sizeof(struct steer));
}

void steer_free(struct steer *s)
{
	free(s);
}

void steer_set_ops(struct steer *s, const struct steer_ops *ops)
{
	s->ops = ops;
}

const struct steer_stats *steer_stats(const struct vhca *v)
{
	return &v->si->steer->stats[v->kind];
}

bool steer_listens(const struct vhca *v)
{
	(void)v;
	return false;
}

/* A function without RX tables misses all. */
void steer_rx(struct vhca *v, struct packet *p)
{
	(void)p;
	v->si->steer->stats[v->kind].ends[STEER_MISS]++;
}

/* A function without TX tables lets all out. */
void steer_tx(struct vhca *v, struct packet *p)
{
	struct steer *s = v->si->steer;

	s->stats[v->kind].ends[STEER_WIRE]++;
	s->ops->to_wire(v, p);
}
