/* SPDX-License-Identifier: BSD-2-Clause */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include "mcg.h"
#include "qp.h"
#include "device.h"

static struct mcg *mcg_lookup(const struct vhca *v, const uint8_t gid[16])
{
	struct mcg *g;

	HASH_FIND(hh, v->groups, gid, sizeof(g->gid), g);
	return g;
}

const struct mcg *mcg_find(const struct vhca *v, const uint8_t gid[16])
{
	return mcg_lookup(v, gid);
}

static struct mcg *mcg_new(struct vhca *v, const uint8_t gid[16])
{
	struct mcg *g = calloc(1, sizeof(*g));

	if (!g)
		return NULL;
	g->member = calloc(VHCA_MAX_QP_MCG, sizeof(*g->member));
	if (g->member) {
		memcpy(g->gid, gid, sizeof(g->gid));
		HASH_ADD(hh, v->groups, gid, sizeof(g->gid), g);
		if (hash_has(g, hh)) {
			v->dev->groups++;
			return g;
		}
	}
	free(g->member);
	free(g);
	return NULL;
}

static int mcg_index(const struct mcg *g, const struct qp *qp)
{
	for (unsigned int i = 0; i < g->n; i++)
		if (g->member[i] == qp)
			return (int)i;
	return -1;
}

int mcg_attach(struct vhca *v, const uint8_t gid[16], struct qp *qp)
{
	struct mcg *g = mcg_lookup(v, gid);

	if (g && mcg_index(g, qp) >= 0)
		return -EEXIST;
	if (g ? g->n == VHCA_MAX_QP_MCG : HASH_COUNT(v->groups) >> VHCA_LOG_MAX_MCG)
		return -ENOSPC;
	if (!g && !(g = mcg_new(v, gid)))
		return -ENOMEM;
	g->member[g->n++] = qp;
	obj_get(&qp->q.o);
	return 0;
}

static void mcg_free(struct vhca *v, struct mcg *g)
{
	HASH_DEL(v->groups, g);
	v->dev->groups++;
	free(g->member);
	free(g);
}

static void mcg_remove(struct vhca *v, struct mcg *g, unsigned int i)
{
	obj_put(&g->member[i]->q.o);
	g->n--;
	memmove(g->member + i, g->member + i + 1, (g->n - i) * sizeof(*g->member));
	if (!g->n)
		mcg_free(v, g);
}

int mcg_detach(struct vhca *v, const uint8_t gid[16], struct qp *qp)
{
	struct mcg *g = mcg_lookup(v, gid);
	int i = g ? mcg_index(g, qp) : -1;

	if (i < 0)
		return -ENOENT;
	mcg_remove(v, g, (unsigned int)i);
	return 0;
}

void mcg_leave(struct vhca *v, struct qp *qp)
{
	struct mcg *g, *next;

	HASH_ITER(hh, v->groups, g, next)
	{
		int i = mcg_index(g, qp);

		if (i >= 0)
			mcg_remove(v, g, (unsigned int)i);
	}
}

void mcg_free_all(struct vhca *v)
{
	struct mcg *g, *next;

	HASH_ITER(hh, v->groups, g, next)
	mcg_free(v, g);
}
