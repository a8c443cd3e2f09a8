/* SPDX-License-Identifier: BSD-2-Clause */
/* Fields of the rule, or of the group behind `not`: sets of values under masks. */
#include <inttypes.h>
#include <string.h>

#include "build.h"
#include "compile.h"

enum rule_key build_key(const struct rule_build *b, enum rule_key key)
{
	return b->is_inner && key < KEY_PER_LEVEL ? KEY_INNER(key) : key;
}

const struct rule_field *build_field(const struct build_fields *fields, enum rule_key key)
{
	static const struct rule_field none;

	for (size_t i = 0; i < fields->n; i++)
		if (fields->field[i].key == key)
			return &fields->field[i];
	return &none;
}

const struct rule_field *build_field_here(const struct rule_build *b, enum rule_key key)
{
	return build_field(b->f, build_key(b, key));
}

static const char *an(const char *noun)
{
	return strchr("AEIOUaeiou", noun[0]) ? "an" : "a";
}

static bool value_fits(struct rule_build *b, const struct source_range *at, enum rule_key key,
		       const struct rule_value *v)
{
	const char *noun = match_keys[key].noun;
	uint64_t max = match_key_max(key);

	if (v->value > max)
		parse_mistake(b->ps, at, "%s %s is 0 to %" PRIu64 ", not %" PRIu64, an(noun), noun,
			      max, v->value);
	else if (!v->mask)
		parse_mistake(b->ps, at, "a mask of 0 compares nothing");
	else if (v->mask > max)
		parse_mistake(b->ps, at, "the mask of %s %s has no bit above 0x%" PRIx64, an(noun),
			      noun, max);
	else
		return true;
	return false;
}

/* Completes the masks of a list's values. Returns whether they fit the field. */
static bool values_fit(struct rule_build *b, const struct source_range *at, enum rule_key key,
		       const struct node_list *l)
{
	struct rule_value *v = l->item;

	for (size_t i = 0; i < l->n; i++) {
		if (v[i].mask == UINT64_MAX)
			v[i].mask = match_key_max(key);
		if (!value_fits(b, at, key, &v[i]))
			return false;
	}
	return l->n; /* 0: no memory */
}

static bool same_values(const struct rule_field *a, const struct rule_field *b)
{
	return a->value == b->value && a->mask == b->mask && a->nmore == b->nmore &&
	       (!a->nmore || !memcmp(a->more, b->more, a->nmore * sizeof(*a->more)));
}

static void build_fields_add(struct build_fields *fields, const struct rule_field *f)
{
	size_t i = fields->n++;

	for (; i && fields->field[i - 1].key > f->key; i--)
		fields->field[i] = fields->field[i - 1];
	fields->field[i] = *f;
}

static void add_values(struct rule_build *b, const struct source_range *at, enum rule_key key,
		       const struct node_list *l)
{
	const struct rule_field *other = build_field_here(b, key);
	const struct rule_value *v = l->item;
	struct rule_field f = {.key = build_key(b, key), .at = build_location(b, at)};

	if (!values_fit(b, at, key, l))
		return;
	f.value = v->value;
	f.mask = v->mask;
	f.nmore = l->n - 1;
	f.more = f.nmore ? v + 1 : NULL;
	if (!other->mask)
		build_fields_add(b->f, &f);
	else if (!same_values(other, &f))
		parse_mistake(b->ps, at, "a second %s in one rule", match_keys[key].noun);
}

void build_set_field(struct rule_build *b, const struct source_range *at, enum rule_key key,
		     uint64_t value, uint64_t mask)
{
	struct rule_value v = {value, mask};

	add_values(b, at, key, &(struct node_list){.item = &v, .n = 1});
}

void build_set_values(struct rule_build *b, const struct rule_node *n, enum rule_key key,
		      const struct node_list *l)
{
	bool negated = build_group_of_value(b, n);

	add_values(b, &n->at, key, l);
	if (negated)
		build_group_end(b);
}

void build_set_value(struct rule_build *b, const struct rule_node *n, enum rule_key key,
		     uint64_t value)
{
	struct rule_value v = {value, match_key_max(key)};

	build_set_values(b, n, key, &(struct node_list){.item = &v, .n = 1});
}
