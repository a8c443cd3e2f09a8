/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The chain of tables. The first table is the root; a miss leads to the table of the next priority.
 * The last RX table has no rules, as in mlx5_core; packets that go on after all rules go there. A
 * table's level is its priority, so levels rise along the chain.
 */
#include <errno.h>
#include <stdlib.h>
#include <dvx/prm/flow.h>
#include "fs_priv.h"

struct fs_chain *fs_chain_of(struct kernel *k, struct vhca *v, enum fs_dir dir)
{
	return &k->fn[v->index].fs[dir];
}

uint8_t fs_table_type(enum fs_dir dir)
{
	static const uint8_t types[] = {
		[FS_RX] = PRM_FLOW_TABLE_TYPE_NIC_RX,
		[FS_TX] = PRM_FLOW_TABLE_TYPE_NIC_TX,
		[FS_FDB] = PRM_FLOW_TABLE_TYPE_FDB,
		[FS_INGRESS] = PRM_FLOW_TABLE_TYPE_ESW_INGRESS_ACL,
	};

	return types[dir];
}

static struct fs_table *fs_table_after(const struct fs_chain *c, unsigned int prio)
{
	for (unsigned int i = prio + 1; i < FS_PRIOS; i++) {
		if (c->tables[i])
			return c->tables[i];
	}
	return NULL;
}

const struct fs_table *fs_table_next(const struct fs_table *t, enum fs_next how)
{
	unsigned int from = t->prio;

	if (how == FS_NEXT_NAMESPACE && from < FS_PRIO_LEFTOVERS)
		from = FS_PRIO_LEFTOVERS - 1;
	return fs_table_after(t->chain, from);
}

static uint32_t fs_table_id(const struct fs_table *t)
{
	return t ? t->id : 0;
}

/* Rewrites the entries of a table whose next table changed with the chain. */
static void fs_entries_follow(struct fs_table *t)
{
	struct fs_entry *e, *tmp;

	for (struct fs_group *g = t->groups; g; g = g->next) {
		HASH_ITER(hh, g->entries, e, tmp)
		{
			bool moved = false;

			for (uint32_t i = 0; i < e->ndests; i++) {
				struct fs_dest *d = &e->dests[i];
				const struct fs_table *next =
					d->next ? fs_table_next(t, d->next) : NULL;

				if (!next || next->id == d->id)
					continue;
				d->id = next->id;
				moved = true;
			}
			if (moved && fs_cmd_set_entry(e, true))
				sim_bug("flow entry %u doesn't follow its chain", e->index);
		}
	}
}

/* Updates the miss of each table, and the entries that lead to a next table. */
static int fs_chain_relink(struct fs_chain *c)
{
	int err = 0;

	for (unsigned int i = 0; i < FS_PRIOS; i++) {
		struct fs_table *t = c->tables[i];
		uint32_t miss = t ? fs_table_id(fs_table_after(c, i)) : 0;

		if (!t)
			continue;
		if (t->miss != miss)
			err = fs_cmd_set_miss(c, t->id, miss);
		if (err)
			return err;
		t->miss = miss;
		fs_entries_follow(t);
	}
	return 0;
}

static int fs_chain_set_root(const struct fs_chain *c)
{
	for (unsigned int i = 0; i < FS_PRIOS; i++) {
		if (c->tables[i])
			return fs_cmd_set_root(c, c->tables[i]->id);
	}
	return 0;
}

static uint32_t fs_table_size(unsigned int prio)
{
	return prio == FS_PRIO_ANCHOR ? 1 : FS_TABLE_SIZE;
}

/* Makes a table in the chain. It has no users yet. */
static struct fs_table *fs_table_insert(struct fs_chain *c, unsigned int prio, int *err)
{
	struct fs_table *t = calloc(1, sizeof(*t)), *next = fs_table_after(c, prio);

	*err = t ? 0 : -ENOMEM;
	if (!t)
		return NULL;
	t->chain = c;
	t->prio = prio;
	t->miss = fs_table_id(next);
	*err = fs_cmd_create_table(c, prio, fs_table_size(prio), t->miss, 0, &t->id);
	if (*err) {
		free(t);
		return NULL;
	}
	c->tables[prio] = t;
	*err = fs_chain_relink(c);
	if (!*err)
		*err = fs_chain_set_root(c);
	return t;
}

static void fs_table_remove(struct fs_table *t)
{
	struct fs_chain *c = t->chain;

	c->tables[t->prio] = NULL;
	fs_chain_relink(c);
	fs_chain_set_root(c);
	fs_cmd_destroy_table(c, t->id);
	free(t);
}

static bool fs_chain_has_rules(const struct fs_chain *c)
{
	for (unsigned int i = 0; i < FS_PRIO_ANCHOR; i++) {
		if (c->tables[i])
			return true;
	}
	return false;
}

static void fs_chain_drop_last(struct fs_chain *c)
{
	if (c->tables[FS_PRIO_ANCHOR] && !fs_chain_has_rules(c))
		fs_table_remove(c->tables[FS_PRIO_ANCHOR]);
}

struct fs_table *fs_table_get(struct fs_chain *c, unsigned int prio, int *err)
{
	struct fs_table *t = c->tables[prio];

	*err = 0;
	if (c->dir == FS_RX && !c->tables[FS_PRIO_ANCHOR])
		fs_table_insert(c, FS_PRIO_ANCHOR, err);
	if (!*err && !t)
		t = fs_table_insert(c, prio, err);
	if (!*err) {
		t->users++;
		return t;
	}
	if (t)
		fs_table_remove(t);
	fs_chain_drop_last(c);
	return NULL;
}

void fs_table_put(struct fs_table *t)
{
	struct fs_chain *c = t->chain;

	if (--t->users)
		return;
	fs_table_remove(t);
	fs_chain_drop_last(c);
}
