/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Steering anchors, as in mlx5_ib since 6.5: permanent tables, shared by all user contexts, that
 * lead from a program's entries to the kernel's tables, which come and go.
 */
#include <errno.h>
#include <stdlib.h>
#include <dvx/prm/flow.h>
#include "fs_priv.h"
#include "obj/device.h"

#define UID_SHARED   0xffffu
#define ANCHOR_LEVEL 1 /* above level 0 of libmlx5's table, which leads here */
#define PLACE_TO     0
#define PLACE_DROP   1

static int fs_anchor_make_group(struct fs_anchor *a, struct fs_group *g, uint32_t place)
{
	g->table = &a->table;
	g->start = place;
	g->size = 1;
	return fs_cmd_create_group(g);
}

static int fs_anchor_make_parts(struct fs_anchor *a)
{
	int err = fs_cmd_create_table(a->table.chain, ANCHOR_LEVEL, 2, 0, UID_SHARED, &a->table.id);

	if (err)
		return err;
	a->drop.group = &a->drop_group;
	a->drop.index = PLACE_DROP;
	a->drop.action = PRM_FLOW_ACTION_DROP;
	a->to.group = &a->to_group;
	a->to.index = PLACE_TO;
	a->to.ignore_level = true;
	a->to.ndests = 1;
	a->to.dests[0].type = PRM_FLOW_DEST_TYPE_FLOW_TABLE;
	err = fs_anchor_make_group(a, &a->drop_group, PLACE_DROP) ?:
	      fs_anchor_make_group(a, &a->to_group, PLACE_TO) ?:
	      fs_cmd_set_entry(&a->drop, false);
	a->drops = !err;
	return err;
}

static void fs_anchor_free(struct fs_anchor *a)
{
	if (a->drops)
		fs_cmd_delete_entry(&a->drop);
	if (a->to_group.id)
		fs_cmd_destroy_group(&a->to_group);
	if (a->drop_group.id)
		fs_cmd_destroy_group(&a->drop_group);
	if (a->table.id)
		fs_cmd_destroy_table(a->table.chain, a->table.id);
	free(a);
}

static struct fs_anchor *fs_anchor_find_or_make(struct fs_chain *c, unsigned int prio, int *err)
{
	struct fs_anchor *a = c->anchors[prio];

	*err = 0;
	if (a)
		return a;
	a = calloc(1, sizeof(*a));
	*err = -ENOMEM;
	if (!a)
		return NULL;
	a->table.chain = c;
	*err = fs_anchor_make_parts(a);
	if (*err) {
		fs_anchor_free(a);
		return NULL;
	}
	c->anchors[prio] = a;
	return a;
}

int fs_anchor_get(struct kernel *k, struct vhca *v, enum fs_dir dir, unsigned int prio,
		  uint32_t *id)
{
	struct fs_chain *c = fs_chain_of(k, v, dir);
	int err;
	struct fs_anchor *a = fs_anchor_find_or_make(c, prio, &err);
	struct fs_table *target = a ? fs_table_get(c, prio, &err) : NULL;

	if (!target)
		return err;
	if (!a->users) {
		a->target = target;
		a->to.dests[0].id = target->id;
		err = fs_cmd_set_entry(&a->to, false);
	}
	if (err) {
		fs_table_put(target);
		return err;
	}
	a->users++;
	*id = a->table.id;
	return 0;
}

void fs_anchor_put(struct kernel *k, struct vhca *v, enum fs_dir dir, unsigned int prio)
{
	struct fs_anchor *a = fs_chain_of(k, v, dir)->anchors[prio];

	if (--a->users == 0)
		fs_cmd_delete_entry(&a->to);
	fs_table_put(a->target);
}

static void fs_anchors_free(struct fs_chain *c)
{
	for (unsigned int prio = 0; prio < FS_PRIOS; prio++) {
		if (c->anchors[prio])
			fs_anchor_free(c->anchors[prio]);
		c->anchors[prio] = NULL;
	}
}

int fs_start(struct kernel *k)
{
	for (unsigned int i = 0; i < k->dev->nfunctions; i++) {
		struct fs_chain *c = calloc(FS_DIRS, sizeof(*c));

		if (!c)
			return -ENOMEM;
		for (enum fs_dir dir = 0; dir < FS_DIRS; dir++)
			c[dir] = (struct fs_chain){
				.vhca = &k->dev->vhca[i], .dir = dir, .type = fs_table_type(dir)};
		k->fn[i].fs = c;
	}
	return fs_metadata_start(k) ?: fs_slow_start(k);
}

void fs_stop(struct kernel *k)
{
	if (k->fn[k->dev->manager->index].fs) {
		fs_slow_stop(k);
		fs_metadata_stop(k);
	}
	for (unsigned int i = 0; i < k->dev->nfunctions; i++) {
		for (enum fs_dir dir = 0; k->fn[i].fs && dir < FS_DIRS; dir++)
			fs_anchors_free(&k->fn[i].fs[dir]);
		free(k->fn[i].fs);
	}
}
