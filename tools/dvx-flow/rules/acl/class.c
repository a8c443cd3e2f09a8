/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Classes of packets by IP version and protocol, and each rule's part in them. expand.c yields
 * ports as prefixes; here they become ranges again, since a range is one code, but may be many
 * prefixes.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "work.h"
#include "rules/arena.h"

static const struct {
	uint8_t version, proto;
} acl_classes[ACL_CLASSES] = {{4, 6}, {4, 17}, {6, 6}, {6, 17}, {4, 0}, {6, 0}, {0, 0}};

unsigned int acl_port_key(const struct acl_class *c, int port)
{
	if (c->proto == L4_TCP)
		return port == ACL_SPORT ? MATCH_TCP_SPORT : MATCH_TCP_DPORT;
	if (c->proto == L4_UDP)
		return port == ACL_SPORT ? MATCH_UDP_SPORT : MATCH_UDP_DPORT;
	return RULE_KEYS + MATCH_KEYS;
}

/* Returns the value of a key that is compared as a whole; 0: it is not. */
static uint64_t acl_whole_value(const struct shape *s, const uint64_t *value, unsigned int key,
				uint64_t mask)
{
	for (unsigned int i = 0; i < s->n; i++)
		if (s->key[i] == key && s->mask[i] == mask)
			return value[i];
	return 0;
}

/* --- which classes there are ----------------------------------------------------------------- */

static int acl_class_note(void *arg, const struct shape *s, const uint64_t *value)
{
	struct acl_work *w = arg;
	uint64_t version = acl_whole_value(s, value, MATCH_IP_VERSION, 0xf),
		 proto = acl_whole_value(s, value, KEY_PROTO, 0xff);

	for (int i = 0; i < ACL_CLASSES; i++) {
		struct acl_class *c = &w->class[i];

		c->used |= c->version == version && (!c->proto || c->proto == proto);
	}
	return 0;
}

static int acl_each_rule(struct acl_work *w, int (*each)(struct acl_work *w))
{
	int ret = 0;

	for (w->rule = 0; w->rule < w->set->n && !ret; w->rule++)
		if (acl_takes(w->rules, w->rule))
			ret = each(w);
	return ret;
}

static int acl_rule_note(struct acl_work *w)
{
	return rule_expand(&w->set->rule[w->rule], acl_class_note, w);
}

/* --- boxes ------------------------------------------------------------------------------------ */

static bool acl_rest_same(const struct acl_rest *a, const struct acl_rest *b)
{
	return a->n == b->n && !memcmp(a->key, b->key, a->n) &&
	       !memcmp(a->mask, b->mask, a->n * sizeof(*a->mask)) &&
	       !memcmp(a->value, b->value, a->n * sizeof(*a->value));
}

static uint64_t acl_rest_hash(const struct acl_rest *r)
{
	uint64_t h = r->n;

	for (unsigned int i = 0; i < r->n; i++)
		h = map_mix(map_mix(map_mix(h, r->key[i]), r->mask[i]), r->value[i]);
	return h;
}

/* Keeps a rest and returns its number in the class. Hashes that collide only keep a rest twice. */
static int acl_rest_keep(struct acl_work *w, struct acl_class *c, const struct acl_rest *r,
			 uint32_t *number)
{
	struct map_slot *s = map_put(&c->rests, acl_rest_hash(r), (uint32_t)c->nrests);
	uint8_t *key;
	uint64_t *mask, *value;

	if (!s || !array_grow((void **)&c->rest, c->nrests, &c->rest_room, sizeof(*c->rest)))
		return -ENOMEM;
	*number = s->what;
	if (s->what < c->nrests && acl_rest_same(&c->rest[s->what], r))
		return 0;
	key = arena_get(w->memory, r->n + 1u);
	mask = arena_get(w->memory, (2u * r->n + 1) * sizeof(*mask));
	if (!key || !mask)
		return -ENOMEM;
	value = mask + r->n;
	memcpy(key, r->key, r->n);
	memcpy(mask, r->mask, r->n * sizeof(*mask));
	memcpy(value, r->value, r->n * sizeof(*value));
	*number = (uint32_t)c->nrests;
	c->rest[c->nrests++] = (struct acl_rest){r->n, key, mask, value};
	return 0;
}

/* Returns whether the class implies the condition, so that no field is needed for it. */
static bool acl_class_implies(const struct acl_class *c, unsigned int key, uint64_t value,
			      uint64_t mask)
{
	return (key == MATCH_IP_VERSION && c->version && value == c->version && mask == 0xf) ||
	       (key == KEY_PROTO && c->proto && value == c->proto && mask == 0xff);
}

static bool acl_port_is_prefix(uint64_t mask)
{
	uint64_t low = ~mask & UINT16_MAX;

	return !(low & (low + 1));
}

static int acl_box_add(struct acl_work *w, struct acl_class *c, const struct shape *s,
		       const uint64_t *value)
{
	struct acl_box b = {.rule = w->rule, .last = {UINT16_MAX, UINT16_MAX}};
	uint8_t key[MATCH_KEYS];
	uint64_t mask[MATCH_KEYS], kept[MATCH_KEYS];
	struct acl_rest r = {0, key, mask, kept};
	int ret;

	for (unsigned int i = 0; i < s->n; i++) {
		int port = s->key[i] == acl_port_key(c, ACL_SPORT)   ? ACL_SPORT
			   : s->key[i] == acl_port_key(c, ACL_DPORT) ? ACL_DPORT
								     : ACL_PORTS;

		if (port < ACL_PORTS && acl_port_is_prefix(s->mask[i])) {
			b.first[port] = (uint16_t)value[i];
			b.last[port] = (uint16_t)(value[i] | ~s->mask[i]);
		} else if (!acl_class_implies(c, s->key[i], value[i], s->mask[i])) {
			key[r.n] = s->key[i];
			mask[r.n] = s->mask[i];
			kept[r.n++] = value[i];
		}
	}
	ret = acl_rest_keep(w, c, &r, &b.rest);
	if (!ret && !array_grow((void **)&c->box, c->n, &c->room, sizeof(*c->box)))
		ret = -ENOMEM;
	if (!ret)
		c->box[c->n++] = b;
	return ret;
}

/* Returns whether packets of a class may meet the entry: a class of "others" is behind its rows. */
static bool acl_class_takes(const struct acl_work *w, int i, uint64_t version, uint64_t proto)
{
	const struct acl_class *c = &w->class[i];

	if (!c->used || (version && version != c->version))
		return false;
	if (!proto || proto == c->proto)
		return true;
	for (int j = 0; j < i; j++)
		if (w->class[j].used && w->class[j].version == c->version &&
		    w->class[j].proto == proto)
			return false;
	return !c->proto;
}

static int acl_box_place(void *arg, const struct shape *s, const uint64_t *value)
{
	struct acl_work *w = arg;
	uint64_t version = acl_whole_value(s, value, MATCH_IP_VERSION, 0xf),
		 proto = acl_whole_value(s, value, KEY_PROTO, 0xff);
	int ret = 0;

	for (int i = 0; i < ACL_CLASSES && !ret; i++)
		if (acl_class_takes(w, i, version, proto))
			ret = acl_box_add(w, &w->class[i], s, value);
	return ret;
}

/* --- prefixes become ranges ----------------------------------------------------------------- */

/* Compares boxes. `by` is the port whose ranges are to be joined, so it is compared last. */
static int acl_box_order(const struct acl_box *a, const struct acl_box *b, int by)
{
	int o = !by;

	if (a->rest != b->rest)
		return a->rest < b->rest ? -1 : 1;
	if (a->first[o] != b->first[o])
		return a->first[o] < b->first[o] ? -1 : 1;
	if (a->last[o] != b->last[o])
		return a->last[o] < b->last[o] ? -1 : 1;
	return (a->first[by] > b->first[by]) - (a->first[by] < b->first[by]);
}

static int acl_box_by_sport(const void *a, const void *b)
{
	return acl_box_order(a, b, ACL_SPORT);
}

static int acl_box_by_dport(const void *a, const void *b)
{
	return acl_box_order(a, b, ACL_DPORT);
}

static bool acl_box_joins(struct acl_box *a, const struct acl_box *b, int by)
{
	int o = !by;

	if (a->rest != b->rest || a->first[o] != b->first[o] || a->last[o] != b->last[o] ||
	    b->first[by] > a->last[by] + 1u)
		return false;
	if (b->last[by] > a->last[by])
		a->last[by] = b->last[by];
	return true;
}

/* Joins the boxes of one rule, which begin at `from`. */
static void acl_boxes_join(struct acl_class *c, size_t from, int by)
{
	size_t kept = from;

	if (c->n - from < 2)
		return;
	qsort(c->box + from, c->n - from, sizeof(*c->box),
	      by == ACL_SPORT ? acl_box_by_sport : acl_box_by_dport);
	for (size_t i = from + 1; i < c->n; i++)
		if (!acl_box_joins(&c->box[kept], &c->box[i], by))
			c->box[++kept] = c->box[i];
	c->n = kept + 1;
}

static int acl_class_rule(struct acl_work *w)
{
	size_t from[ACL_CLASSES];
	int ret;

	for (int i = 0; i < ACL_CLASSES; i++)
		from[i] = w->class[i].n;
	ret = rule_expand(&w->set->rule[w->rule], acl_box_place, w);
	for (int i = 0; i < ACL_CLASSES && !ret; i++) {
		acl_boxes_join(&w->class[i], from[i], ACL_DPORT);
		acl_boxes_join(&w->class[i], from[i], ACL_SPORT);
	}
	return ret == -E2BIG ? acl_refuse(w, w->rule, "it has too many entries") : ret;
}

int acl_classes_make(struct acl_work *w)
{
	int ret;

	for (int i = 0; i < ACL_CLASSES; i++) {
		w->class[i].version = acl_classes[i].version;
		w->class[i].proto = acl_classes[i].proto;
	}
	w->class[ACL_CLASSES - 1].used = true;
	ret = acl_each_rule(w, acl_rule_note);
	return ret ? ret : acl_each_rule(w, acl_class_rule);
}

void acl_class_free(struct acl_class *c)
{
	free(c->box);
	free(c->rest);
	map_free(&c->rests);
	for (unsigned int i = 0; i < c->nfields; i++)
		acl_family_free(&c->field[i].family);
	for (size_t i = 0; i < c->nmasks; i++)
		free(c->mask[i].cell);
	acl_bands_free(&c->bands);
}
