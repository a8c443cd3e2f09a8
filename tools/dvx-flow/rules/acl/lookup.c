/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A field's table: leads from the packet's value to the smallest node that contains it, and writes
 * that node's code.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "work.h"
#include "rules/arena.h"
#include "rules/shape.h"

/* From this many nodes on, the last matcher has all 256 values and saves the one for "any". */
#define ACL_FILL 32u

struct acl_lookup {
	struct acl_work *w;
	const struct acl_field *f;
	struct acl_headers headers;
	int table;
	uint32_t next;
	uint32_t *list; /* of each node; ACL_NONE: not made yet */
	cube_bits mask; /* of the last matcher */
};

/* Adds writes of a code's bytes to the registers that hold them. */
static void acl_list_code(struct acl_list *l, const uint8_t *value, const uint8_t *mask)
{
	for (uint8_t r = 0; r < ACL_CODE_BYTES / 4; r++) {
		struct acl_write write = {.key = (uint8_t)(ACL_CODE + r)};

		for (unsigned int i = 0; i < 4; i++) {
			write.mask = write.mask << 8 | mask[4 * r + i];
			write.value = write.value << 8 | value[4 * r + i];
		}
		if (write.mask)
			l->write[l->n++] = write;
	}
}

static int acl_node_list(struct acl_lookup *l, uint32_t node, uint32_t *out)
{
	uint8_t value[ACL_CODE_BYTES] = {0}, mask[ACL_CODE_BYTES] = {0};
	struct acl_list list = {.n = 0};
	int ret;

	if (l->list[node] == ACL_NONE) {
		acl_code_write(l->f, node, NULL, value, mask);
		acl_list_code(&list, value, mask);
		ret = acl_list_add(l->w->out, &list);
		if (ret < 0)
			return ret;
		l->list[node] = (uint32_t)ret;
	}
	*out = l->list[node];
	return 0;
}

/* --- matchers and entries -------------------------------------------------------------------- */

#define ACL_LOOKUP_KEYS (4 + ACL_HEADERS) /* an address's keys, and the headers that lead to it */

/* Makes a matcher's shape and an entry's values: the field, and the headers that lead to it. */
static void acl_lookup_shape(const struct acl_lookup *l, cube_bits value, cube_bits mask,
			     struct shape *s, uint64_t values[ACL_LOOKUP_KEYS])
{
	unsigned int below = l->f->bits;

	s->n = 0;
	for (unsigned int k = 0; k < l->f->nkeys; k++) {
		unsigned int key = l->f->key[k];

		below -= match_keys[key].bits;
		shape_put(s, values, key, (uint64_t)(value >> below),
			  (uint64_t)(mask >> below) & match_key_max(key));
	}
	for (unsigned int k = 0; k < l->headers.n; k++)
		shape_put(s, values, l->headers.key[k], l->headers.value[k],
			  match_key_max(l->headers.key[k]));
}

/* Adds a matcher for values of the field under a mask. */
static int acl_lookup_matcher(struct acl_lookup *l, cube_bits mask)
{
	uint64_t values[ACL_LOOKUP_KEYS];
	struct shape s;

	l->mask = mask;
	acl_lookup_shape(l, 0, mask, &s, values);
	return acl_matcher_add(l->w->out, l->table, &s);
}

static int acl_lookup_entry(struct acl_lookup *l, cube_bits value, uint32_t node)
{
	uint64_t values[ACL_LOOKUP_KEYS];
	struct shape s;
	uint32_t list;
	int ret = acl_node_list(l, node, &list);

	acl_lookup_shape(l, value, l->mask, &s, values);
	return ret ? ret : acl_entry_add(l->w->out, l->table, values, list, l->next, ACL_NONE);
}

static int acl_lookup_any(struct acl_lookup *l)
{
	uint32_t list;
	int ret = acl_node_list(l, 0, &list);

	return ret ? ret : acl_all_add(l->w->out, l->table, list, l->next, ACL_NONE);
}

/* --- prefixes, expanded to whole bytes --------------------------------------------------------- */

struct acl_slot {
	cube_bits value; /* the leading bits */
	uint32_t node;
};

/* Compares slots: the smallest node of a value comes first, as nodes stand in preorder. */
static int acl_slot_order(const void *one, const void *other)
{
	const struct acl_slot *a = one, *b = other;

	if (a->value != b->value)
		return a->value < b->value ? -1 : 1;
	return (a->node < b->node) - (a->node > b->node);
}

/* Returns how many bits a span leaves open. */
static unsigned int acl_span_open(const struct cube_span *s)
{
	cube_bits size = s->last - s->first;
	unsigned int bits = 0;

	for (; size; size >>= 1)
		bits++;
	return bits;
}

/* Returns how many whole bytes a node's prefix reaches into; 0: it is all values. */
static unsigned int acl_border(const struct acl_field *f, uint32_t node)
{
	unsigned int bits = f->bits - acl_span_open(&f->family.span[node]);

	bits = (bits + 7) / 8 * 8;
	return bits > f->bits ? f->bits : bits;
}

/* Makes all values of `border` leading bits that its nodes have; with `fill` all that exist. */
static int acl_slots_make(const struct acl_field *f, unsigned int border, bool fill,
			  struct acl_slot **slot, size_t *n)
{
	unsigned int shift = f->bits - border;
	size_t room = 0;

	for (uint32_t i = 0; i < f->family.n; i++) {
		const struct cube_span *s = &f->family.span[i];
		cube_bits v = s->first >> shift, values = (s->last >> shift) - v;

		if (i ? acl_border(f, i) != border : !fill)
			continue;
		/* The last value of all has no next one. */
		for (cube_bits k = 0; k <= values; k++, v++) {
			if (*n > ACL_CELLS)
				return -E2BIG;
			if (!array_grow((void **)slot, *n, &room, sizeof(**slot)))
				return -ENOMEM;
			(*slot)[(*n)++] = (struct acl_slot){v, i};
		}
	}
	if (*n)
		qsort(*slot, *n, sizeof(**slot), acl_slot_order);
	return 0;
}

static int acl_prefix_matcher(struct acl_lookup *l, unsigned int border, bool fill)
{
	unsigned int shift = l->f->bits - border;
	struct acl_slot *slot = NULL;
	size_t n = 0;
	int ret = acl_slots_make(l->f, border, fill, &slot, &n);

	if (!ret && n)
		ret = acl_lookup_matcher(l, l->f->mask >> shift << shift);
	ret = ret < 0 ? ret : 0;
	for (size_t i = 0; i < n && !ret; i++)
		if (!i || slot[i].value != slot[i - 1].value)
			ret = acl_lookup_entry(l, slot[i].value << shift, slot[i].node);
	free(slot);
	return ret;
}

static int acl_prefixes_add(struct acl_lookup *l)
{
	unsigned int least = l->f->bits;
	int ret = 0;

	for (uint32_t i = 1; i < l->f->family.n; i++)
		if (acl_border(l->f, i) < least)
			least = acl_border(l->f, i);
	for (unsigned int border = (l->f->bits + 7u) / 8 * 8; border && !ret; border -= 8) {
		unsigned int bits = border > l->f->bits ? l->f->bits : border;
		bool fill = bits == least && bits <= 8 && l->f->family.n >= ACL_FILL &&
			    !l->headers.narrow;

		ret = acl_prefix_matcher(l, bits, fill);
		if (fill)
			return ret;
	}
	return ret ? ret : acl_lookup_any(l);
}

/* --- ranges of ports ------------------------------------------------------------------------- */

#define ACL_PORT_VALUES 65536u

/* Returns the node of most ports with one high byte. */
static uint32_t acl_port_most(const uint32_t *node)
{
	uint32_t best = node[0];
	unsigned int votes = 0, run = 0;

	/* Ports of one node are mostly neighbours: the longest run is good enough. */
	for (unsigned int i = 0; i < 256; i++) {
		run = i && node[i] == node[i - 1] ? run + 1 : 1;
		if (run > votes) {
			votes = run;
			best = node[i];
		}
	}
	return best;
}

static int acl_ports_exact(struct acl_lookup *l, const uint32_t *node, const uint32_t *most)
{
	bool begun = false;
	int ret = 0;

	for (uint32_t p = 0; p < ACL_PORT_VALUES && ret >= 0; p++) {
		if (node[p] == most[p >> 8])
			continue;
		if (!begun)
			ret = acl_lookup_matcher(l, UINT16_MAX);
		begun = true;
		if (ret >= 0)
			ret = acl_lookup_entry(l, p, node[p]);
	}
	return ret < 0 ? ret : 0;
}

static int acl_ports_high(struct acl_lookup *l, const uint32_t *most, bool fill)
{
	bool begun = false;
	int ret = 0;

	for (uint32_t h = 0; h < 256 && ret >= 0; h++) {
		if (!most[h] && !fill)
			continue;
		if (!begun)
			ret = acl_lookup_matcher(l, 0xff00);
		begun = true;
		if (ret >= 0)
			ret = acl_lookup_entry(l, h << 8, most[h]);
	}
	return ret < 0 ? ret : 0;
}

static int acl_ports_add(struct acl_lookup *l)
{
	const struct acl_family *t = &l->f->family;
	uint32_t *node = calloc(ACL_PORT_VALUES, sizeof(*node)), most[256];
	bool fill = false;
	int ret = node ? 0 : -ENOMEM;

	for (uint32_t i = 1; i < t->n && node; i++)
		for (uint32_t p = (uint32_t)t->span[i].first; p <= t->span[i].last; p++)
			node[p] = i;
	for (unsigned int h = 0; h < 256 && node; h++) {
		most[h] = acl_port_most(node + 256 * h);
		fill |= most[h] && t->n >= ACL_FILL;
	}
	if (!ret)
		ret = acl_ports_exact(l, node, most);
	if (!ret)
		ret = acl_ports_high(l, most, fill);
	if (!ret && !fill)
		ret = acl_lookup_any(l);
	free(node);
	return ret;
}

/* --- values under one mask -------------------------------------------------------------------- */

static int acl_values_add(struct acl_lookup *l)
{
	int ret = acl_lookup_matcher(l, l->f->mask);

	for (uint32_t i = 1; i < l->f->family.n && ret >= 0; i++)
		ret = acl_lookup_entry(l, l->f->family.span[i].first, i);
	return ret < 0 ? ret : acl_lookup_any(l);
}

int acl_lookup_add(struct acl_work *w, const struct acl_class *c, const struct acl_field *f)
{
	struct acl_lookup l = {.w = w, .f = f, .table = acl_table_add(w->out)};
	int ret = l.table < 0 ? l.table : acl_headers_find(w, c, f, &l.headers);

	if (ret < 0)
		return ret;

	l.next = (uint32_t)l.table + 1;
	l.list = malloc(f->family.n * sizeof(*l.list));
	if (!l.list)
		return -ENOMEM;
	memset(l.list, 0xff, f->family.n * sizeof(*l.list));
	ret = f->port >= 0 ? acl_ports_add(&l)
	      : f->spread  ? acl_prefixes_add(&l)
			   : acl_values_add(&l);
	free(l.list);
	return ret == -E2BIG ? acl_refuse(w, c->box[0].rule, "a field's table has too many entries")
	       : ret < 0     ? ret
			     : l.table;
}
