/* SPDX-License-Identifier: BSD-2-Clause */
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include "alias.h"
#include "table.h"
#include "base/inject.h"
#include "base/log.h"
#include "device.h"
#include "mkey.h"

static const struct type_row {
	const char *name;
	uint32_t first;
	uint8_t bits; /* 0: space_bits() computes it */
	uint32_t base;
} types[] = {
#define OBJ_TYPE(type, name, first, bits, base) {name, first, bits, base},
#include "types.def"
};

const char *obj_type_name(enum obj_type type)
{
	return type < OBJ_NTYPES ? types[type].name : "unknown";
}

struct vhca *device_vhca_by_id(struct device *dev, uint16_t vhca_id)
{
	for (unsigned int i = 0; i < dev->nfunctions; i++)
		if (dev->vhca[i].id == vhca_id)
			return &dev->vhca[i];
	return NULL;
}

unsigned int device_log_uars(const struct device *dev)
{
	unsigned int log_functions = 1;

	while (1u << log_functions < dev->nfunctions)
		log_functions++;
	return VHCA_LOG_MAX_UAR - log_functions;
}

static unsigned int space_bits(const struct device *dev, enum obj_type type)
{
	const struct profile *p = dev->profile;

	switch (type) {
	case OBJ_UAR:
		return device_log_uars(dev);
	case OBJ_PD:
		return p->log_max_pd;
	case OBJ_MKEY:
		return p->log_max_mkey;
	case OBJ_CQ:
		return p->log_max_cq;
	case OBJ_QP:
		return p->log_max_qp;
	default:
		return types[type].bits;
	}
}

static struct obj_table *table_new(const struct vhca *v, enum obj_type type)
{
	struct obj_table *t = calloc(1, sizeof(*t));
	unsigned int bits = space_bits(v->dev, type);
	uint32_t base = types[type].base;

	if (!t)
		return NULL;
	/*
	 * A doorbell names only its UAR, so UAR numbers are unique in the chip: each function has a
	 * range
	 */
	if (type == OBJ_UAR)
		base = (uint32_t)v->index << bits;
	t->first = base + types[type].first;
	t->end = base + (1u << bits);
	t->next = t->first;
	return t;
}

int obj_tables_init(struct vhca *v)
{
	for (unsigned int i = 0; i < OBJ_NTYPES; i++) {
		v->tables[i] = table_new(v, (enum obj_type)i);
		if (!v->tables[i])
			return -1;
	}
	return 0;
}

void obj_tables_fini(struct vhca *v)
{
	for (unsigned int i = 0; i < OBJ_NTYPES; i++) {
		if (v->tables[i] && v->tables[i]->live)
			sim_bug("%u %s objects are left at the end", v->tables[i]->live,
				types[i].name);
		free(v->tables[i]);
		v->tables[i] = NULL;
	}
}

void *obj_find(const struct vhca *v, enum obj_type type, uint32_t id)
{
	return obj_lookup(v, type, id);
}

void *obj_find_uid(const struct vhca *v, enum obj_type type, uint32_t id, uint16_t uid)
{
	struct obj *o = obj_find(v, type, id);

	return o && (uid == 0 || o->uid == uid) ? o : NULL;
}

void *obj_find_shared(const struct vhca *v, enum obj_type type, uint32_t id, uint16_t uid)
{
	struct obj *o = obj_find(v, type, id);

	return o && o->uid == OBJ_UID_SHARED ? o : obj_find_uid(v, type, id, uid);
}

/* Returns the first free id at or after `from`. It skips full leaves as a whole. */
static uint32_t free_id(const struct obj_table *t, uint32_t from)
{
	uint32_t id = from;

	while (id < t->end) {
		const struct obj_leaf *l = obj_leaf_of(t, id);

		if (!l || !l->slot[id % OBJ_FANOUT])
			return id;
		id = l->live == OBJ_FANOUT ? (id | (OBJ_FANOUT - 1)) + 1 : id + 1;
	}
	return t->end;
}

static struct obj_leaf *leaf_make(struct obj_table *t, uint32_t id)
{
	struct obj_branch **b = &t->branch[id >> 16];
	struct obj_leaf **l;

	if (!*b)
		*b = calloc(1, sizeof(**b));
	if (!*b)
		return NULL;
	l = &(*b)->leaf[(id >> 8) % OBJ_FANOUT];
	if (!*l) {
		*l = calloc(1, sizeof(**l));
		if (*l)
			(*b)->live++;
	}
	if (!(*b)->live) {
		free(*b);
		*b = NULL;
		return NULL;
	}
	return *l;
}

static void *obj_insert(struct vhca *v, enum obj_type type, uint16_t uid, uint32_t id, size_t size)
{
	struct obj_table *t = v->tables[type];
	const bool lacks = inject_active(INJECT_OBJECT) && inject_count(INJECT_OBJECT, INJECT_ANY);
	struct obj *o = lacks ? NULL : calloc(1, size);
	struct obj_leaf *l = o ? leaf_make(t, id) : NULL;

	if (!l) {
		free(o);
		return NULL;
	}
	o->vhca = v;
	o->id = id;
	o->uid = uid;
	o->type = (uint8_t)type;
	o->generation = ++v->dev->generation;
	l->slot[id % OBJ_FANOUT] = o;
	l->live++;
	t->live++;
	return o;
}

void *obj_new(struct vhca *v, enum obj_type type, uint16_t uid, size_t size)
{
	struct obj_table *t = v->tables[type];
	uint32_t id = free_id(t, t->next);

	if (id == t->end)
		id = free_id(t, t->first);
	if (id == t->end)
		return NULL;
	t->next = id + 1;
	return obj_insert(v, type, uid, id, size);
}

void *obj_new_at(struct vhca *v, enum obj_type type, uint16_t uid, uint32_t id, size_t size)
{
	if (id >= v->tables[type]->end || obj_find(v, type, id))
		return NULL;
	return obj_insert(v, type, uid, id, size);
}

/* Returns the first of n free ids at or after `from`, a multiple of n. */
static uint32_t free_run(const struct vhca *v, enum obj_type type, uint32_t from, uint32_t n)
{
	const struct obj_table *t = v->tables[type];
	uint32_t id = (from + n - 1) & ~(n - 1);
	const struct obj *o;

	while (id + n <= t->end) {
		o = obj_next(v, type, id);
		if (!o || o->id - id >= n)
			return id;
		id = (o->id + n) & ~(n - 1);
	}
	return t->end;
}

void *obj_new_run(struct vhca *v, enum obj_type type, uint16_t uid, uint32_t n, size_t size)
{
	struct obj_table *t = v->tables[type];
	uint32_t id = free_run(v, type, t->next, n), made = 0;

	if (id == t->end)
		id = free_run(v, type, t->first, n);
	if (id == t->end)
		return NULL;
	while (made < n && obj_insert(v, type, uid, id + made, size))
		made++;
	if (made == n) {
		t->next = id + n;
		return obj_find(v, type, id);
	}
	while (made)
		obj_free(obj_find(v, type, id + --made));
	return NULL;
}

void obj_get(void *obj)
{
	((struct obj *)obj)->refs++;
}

void obj_put(void *obj)
{
	struct obj *o = obj;

	if (!o)
		return;
	if (!o->refs)
		sim_bug("%s 0x%x is put more often than it was got", types[o->type].name, o->id);
	else
		o->refs--;
}

void obj_free(struct obj *o)
{
	struct obj_table *t;
	struct obj_branch *b;
	struct obj_leaf *l;

	if (!o)
		return;
	if (o->refs)
		sim_bug("%s 0x%x is freed while %u refer to it", types[o->type].name, o->id,
			o->refs);
	if (o->type == OBJ_MKEY)
		mkey_changed((const struct mkey *)o);
	t = o->vhca->tables[o->type];
	b = t->branch[o->id >> 16];
	l = b->leaf[(o->id >> 8) % OBJ_FANOUT];
	l->slot[o->id % OBJ_FANOUT] = NULL;
	grant_drop(o);
	t->live--;
	if (--l->live == 0) {
		free(l);
		b->leaf[(o->id >> 8) % OBJ_FANOUT] = NULL;
		if (--b->live == 0) {
			free(b);
			t->branch[o->id >> 16] = NULL;
		}
	}
	free(o);
}

uint32_t obj_count(const struct vhca *v, enum obj_type type)
{
	return v->tables[type]->live;
}

bool obj_full(const struct vhca *v, enum obj_type type)
{
	const struct obj_table *t = v->tables[type];

	return t->live == t->end - t->first;
}

void *obj_next(const struct vhca *v, enum obj_type type, uint32_t from)
{
	const struct obj_table *t = v->tables[type];
	uint32_t id = from;

	while (id < t->end) {
		const struct obj_branch *b = t->branch[id >> 16];
		const struct obj_leaf *l = b ? b->leaf[(id >> 8) % OBJ_FANOUT] : NULL;

		if (l && l->slot[id % OBJ_FANOUT])
			return l->slot[id % OBJ_FANOUT];
		if (!b)
			id = (id | 0xffff) + 1;
		else if (!l)
			id = (id | (OBJ_FANOUT - 1)) + 1;
		else
			id++;
	}
	return NULL;
}

void obj_refuse(const struct obj *o, const char *fmt, ...)
{
	char why[300];
	va_list args;

	va_start(args, fmt);
	vsnprintf(why, sizeof(why), fmt, args);
	va_end(args);
	sim_refuse_to(o->uid, "%s 0x%x: %s", obj_type_name((enum obj_type)o->type), o->id, why);
}
