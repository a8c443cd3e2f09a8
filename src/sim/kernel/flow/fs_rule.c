/* SPDX-License-Identifier: BSD-2-Clause */
/* Groups by mask, entries by match, and rules that share them. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <dvx/prm/flow.h>
#include "fs_priv.h"
#include "obj/vhca.h"

/* Actions that all rules of an entry must have, or none. */
#define EXCLUSIVE                                                                           \
	(PRM_FLOW_ACTION_DROP | PRM_FLOW_ACTION_MOD_HDR | PRM_FLOW_ACTION_PACKET_REFORMAT | \
	 PRM_FLOW_ACTION_DECAP)

/* --- groups --------------------------------------------------------------------------------- */

static bool same_mask(const struct fs_group *g, const struct fs_match *m)
{
	return g->enable == m->enable && !memcmp(g->mask, m->mask, sizeof(g->mask));
}

static struct fs_entry *find_value(const struct fs_group *g, const uint8_t *value)
{
	struct fs_entry *e;

	HASH_FIND(hh, g->entries, value, FS_PARAM, e);
	return e;
}

/* Returns the size of a new group. As in mlx5_core, the first ones are large, later ones have 1. */
static uint32_t group_size(const struct fs_table *t)
{
	return t->full_groups < FS_GROUPS ? FS_TABLE_SIZE / (FS_GROUPS + 1) : 1;
}

/* Finds the first gap between groups that is large enough. */
static struct fs_group **find_gap(struct fs_table *t, uint32_t size, uint32_t *start)
{
	struct fs_group **at = &t->groups;

	*start = 0;
	while (*at && (*at)->start - *start < size) {
		*start = (*at)->start + (*at)->size;
		at = &(*at)->next;
	}
	return *start + size <= FS_TABLE_SIZE ? at : NULL;
}

static struct fs_group *group_new(struct fs_table *t, const struct fs_match *m, int *err)
{
	uint32_t size = group_size(t), start;
	struct fs_group **at = find_gap(t, size, &start);
	struct fs_group *g = at ? calloc(1, sizeof(*g)) : NULL;

	*err = at ? -ENOMEM
		  : refuse(-ENOSPC, "flow table 0x%x has %u entries, all are taken by its groups",
			   t->id, FS_TABLE_SIZE);
	if (!g)
		return NULL;
	g->table = t;
	g->start = start;
	g->size = size;
	g->enable = m->enable;
	memcpy(g->mask, m->mask, sizeof(g->mask));
	g->taken = calloc(size, sizeof(*g->taken));
	if (g->taken)
		*err = fs_cmd_create_group(g);
	if (*err) {
		free(g->taken);
		free(g);
		return NULL;
	}
	t->full_groups += size > 1;
	g->next = *at;
	*at = g;
	return g;
}

static void group_put(struct fs_group *g)
{
	struct fs_group **at = &g->table->groups;

	if (g->users)
		return;
	fs_cmd_destroy_group(g);
	while (*at != g)
		at = &(*at)->next;
	*at = g->next;
	g->table->full_groups -= g->size > 1;
	free(g->taken);
	free(g);
}

static struct fs_group *group_for(struct fs_table *t, const struct fs_match *m, int *err)
{
	*err = 0;
	for (struct fs_group *g = t->groups; g; g = g->next) {
		if (same_mask(g, m) && g->users < g->size)
			return g;
	}
	return group_new(t, m, err);
}

/* --- entries -------------------------------------------------------------------------------- */

static struct fs_entry *fs_rule_find_entry(const struct fs_table *t, const struct fs_match *m)
{
	struct fs_entry *e = NULL;

	for (const struct fs_group *g = t->groups; g && !e; g = g->next) {
		if (same_mask(g, m))
			e = find_value(g, m->value);
	}
	return e;
}

static uint32_t take_place(struct fs_group *g)
{
	uint32_t i = g->first_free;

	while (g->taken[i])
		i++;
	g->taken[i] = true;
	g->first_free = i + 1;
	g->users++;
	return g->start + i;
}

static void give_place(struct fs_group *g, uint32_t index)
{
	uint32_t place = index - g->start;

	g->taken[place] = false;
	if (place < g->first_free)
		g->first_free = place;
	g->users--;
	group_put(g);
}

static struct fs_entry *entry_new(struct fs_table *t, const struct fs_match *m, int *err)
{
	struct fs_entry *e = calloc(1, sizeof(*e));
	struct fs_group *g = e ? group_for(t, m, err) : NULL;

	if (!e)
		*err = -ENOMEM;
	if (!g) {
		free(e);
		return NULL;
	}
	e->group = g;
	e->index = take_place(g);
	memcpy(e->value, m->value, sizeof(e->value));
	HASH_ADD(hh, g->entries, value, FS_PARAM, e);
	if (hash_has(e, hh))
		return e;
	give_place(g, e->index);
	free(e);
	*err = -ENOMEM;
	return NULL;
}

static void entry_free(struct fs_entry *e)
{
	HASH_DELETE(hh, e->group->entries, e);
	give_place(e->group, e->index);
	free(e);
}

/* --- destinations that rules share ---------------------------------------------------------- */

static struct fs_dest *fs_rule_find_dest(struct fs_entry *e, const struct fs_dest *like)
{
	for (uint32_t i = 0; i < e->ndests; i++) {
		struct fs_dest *d = &e->dests[i];

		if (d->type == like->type && d->next == like->next &&
		    (d->next || d->id == like->id))
			return d;
	}
	return NULL;
}

static int add_dest(struct fs_entry *e, const struct fs_dest *new)
{
	struct fs_dest *d = fs_rule_find_dest(e, new);

	if (!d && e->ndests == FS_DESTS)
		return refuse(-ENOSPC, "a flow has %u destinations, no more fit", FS_DESTS);
	if (!d) {
		d = &e->dests[e->ndests++];
		*d = *new;
	}
	d->users++;
	return 0;
}

static void drop_dest(struct fs_entry *e, const struct fs_dest *like)
{
	struct fs_dest *d = fs_rule_find_dest(e, like);

	if (--d->users)
		return;
	e->ndests--;
	for (uint32_t i = (uint32_t)(d - e->dests); i < e->ndests; i++)
		e->dests[i] = e->dests[i + 1];
}

static int add_counter(struct fs_entry *e, uint32_t id)
{
	uint32_t i = 0;

	while (i < e->ncounters && e->counters[i].id != id)
		i++;
	if (i == FS_COUNTERS)
		return refuse(-ENOSPC, "a flow has %u counters, no more fit", FS_COUNTERS);
	if (i == e->ncounters)
		e->counters[e->ncounters++] = (struct fs_counter){.id = id};
	e->counters[i].users++;
	return 0;
}

static void drop_counter(struct fs_entry *e, uint32_t id)
{
	uint32_t i = 0;

	while (e->counters[i].id != id)
		i++;
	if (--e->counters[i].users == 0)
		e->counters[i] = e->counters[--e->ncounters];
}

static int check_conflict(const struct fs_entry *e, const struct fs_act *a)
{
	if ((e->action ^ a->action) & EXCLUSIVE || e->modify_id != a->modify_id ||
	    e->reformat_id != a->reformat_id)
		return refuse(-EEXIST, "a flow with this match does something else");
	if (a->has_tag && e->tag != a->tag)
		return refuse(-EEXIST, "a flow with this match has tag 0x%x, not 0x%x", e->tag,
			      a->tag);
	return 0;
}

/* --- rules ---------------------------------------------------------------------------------- */

static void rule_leaves(struct fs_rule *r)
{
	struct fs_entry *e = r->entry;

	if (r->has_dest)
		drop_dest(e, &r->dest);
	if (r->has_next)
		drop_dest(e, &r->next);
	if (r->counter)
		drop_counter(e, r->counter);
	e->users--;
}

static struct fs_dest fs_rule_dest(const struct fs_act *a)
{
	if (a->to_vport)
		return (struct fs_dest){.type = PRM_FLOW_DEST_TYPE_VPORT, .id = a->vport};
	return (struct fs_dest){
		.type = a->tirn ? PRM_FLOW_DEST_TYPE_TIR : PRM_FLOW_DEST_TYPE_FLOW_TABLE,
		.id = a->tirn ? a->tirn : a->table,
	};
}

static int rule_joins(struct fs_rule *r, const struct fs_act *a)
{
	struct fs_entry *e = r->entry;
	int err;

	e->users++;
	e->action |= a->action;
	e->modify_id = a->modify_id;
	e->reformat_id = a->reformat_id;
	if (a->has_tag)
		e->tag = a->tag;
	if (a->tirn || a->table || a->to_vport) {
		r->dest = fs_rule_dest(a);
		err = add_dest(e, &r->dest);
		if (err)
			return err;
		r->has_dest = true;
	}
	if (a->next) {
		r->next = (struct fs_dest){.type = PRM_FLOW_DEST_TYPE_FLOW_TABLE,
					   .next = a->next,
					   .id = fs_table_next(e->group->table, a->next)->id};
		err = add_dest(e, &r->next);
		if (err)
			return err;
		r->has_next = true;
	}
	err = a->counter ? add_counter(e, a->counter) : 0;
	if (!err)
		r->counter = a->counter;
	return err;
}

static int add_to_table(struct fs_table *t, const struct fs_match *m, const struct fs_act *a,
			struct fs_rule *r)
{
	struct fs_entry *e = fs_rule_find_entry(t, m);
	bool fresh = !e;
	uint16_t action;
	uint32_t tag;
	int err = 0;

	if (a->next && !fs_table_next(t, a->next))
		return refuse(-EOPNOTSUPP, "no flow table is behind this one to go on to");
	if (e)
		err = check_conflict(e, a);
	else
		e = entry_new(t, m, &err);
	if (err)
		return err;
	action = e->action;
	tag = e->tag;
	r->entry = e;
	err = rule_joins(r, a) ?: fs_cmd_set_entry(e, !fresh);
	if (!err)
		return 0;
	rule_leaves(r);
	if (fresh) {
		entry_free(e);
	} else {
		e->action = action;
		e->tag = tag;
	}
	return err;
}

int fs_chain_add(struct fs_chain *c, unsigned int prio, const struct fs_match *m,
		 const struct fs_act *a, struct fs_rule **rule)
{
	struct fs_rule *r = calloc(1, sizeof(*r));
	struct fs_table *t;
	int err = -ENOMEM;

	if (!r)
		return err;
	t = fs_table_get(c, prio, &err);
	if (t)
		err = add_to_table(t, m, a, r);
	if (!err) {
		*rule = r;
		return 0;
	}
	if (t)
		fs_table_put(t);
	free(r);
	return err;
}

int fs_add(struct kernel *k, struct vhca *v, enum fs_dir dir, unsigned int prio,
	   const struct fs_match *m, const struct fs_act *a, struct fs_rule **rule)
{
	return fs_chain_add(fs_chain_of(k, v, dir), prio, m, a, rule);
}

void fs_del(struct fs_rule *r)
{
	struct fs_entry *e = r->entry;
	struct fs_table *t = e->group->table;

	rule_leaves(r);
	if (!e->users) {
		fs_cmd_delete_entry(e);
		entry_free(e);
	} else if (fs_cmd_set_entry(e, true)) {
		sim_bug("flow entry %u can't be written again", e->index);
	}
	fs_table_put(t);
	free(r);
}
