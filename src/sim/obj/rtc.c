/* SPDX-License-Identifier: BSD-2-Clause */
#include "rtc.h"

#include <stdlib.h>
#include <string.h>
#include "base/crc32.h"

void stc_put(struct stc *s)
{
	if (s && !--s->refs)
		free(s);
}

void stc_range_free(struct obj *o)
{
	struct stc_range *r = (struct stc_range *)o;

	for (uint32_t i = 0; i < r->n; i++)
		stc_put(r->stc[i]);
	obj_free(o);
}

static void rule_put_stcs(struct rtc_rule *rule)
{
	for (unsigned int i = 0; i < RULE_STCS; i++)
		stc_put(rule->stc[i]);
}

struct rule_slab {
	struct rule_slab *next;
	union rule_memory rules[RULE_SLAB];
};

/* Adds a slab of free rules; false if there is no memory. */
static bool ste_range_grow(struct ste_range *r)
{
	struct rule_slab *slab = malloc(sizeof(*slab));

	if (!slab)
		return false;
	slab->next = r->slabs;
	r->slabs = slab;
	for (unsigned int i = 0; i < RULE_SLAB; i++) {
		slab->rules[i].next = r->free;
		r->free = &slab->rules[i];
	}
	return true;
}

static struct rtc_rule *rule_new(struct ste_range *r)
{
	union rule_memory *m;

	if (!r->free && !ste_range_grow(r))
		return NULL;
	m = r->free;
	r->free = m->next;
	return &m->rule;
}

static void rule_free(struct ste_range *r, struct rtc_rule *rule)
{
	union rule_memory *m = (union rule_memory *)rule;

	rule_put_stcs(rule);
	m->next = r->free;
	r->free = m;
}

/* Compares tags: lengths that the compiler knows need no call. */
static bool rtc_tags_equal(const struct rtc *t, const uint8_t *a, const uint8_t *b)
{
	return t->wide ? !memcmp(a, b, RULE_LONG_TAG_BYTES) : !memcmp(a, b, RULE_TAG_BYTES);
}

/* Returns the first entry of a tag's row. The hash is public: software may place rules by it. */
static struct rtc_rule **rtc_row(const struct rtc *t, const uint8_t *tag)
{
	uint32_t hash = __builtin_bswap32(
		crc32_add(0, tag, t->wide ? RULE_LONG_TAG_BYTES : RULE_TAG_BYTES));

	return t->entries->rules + t->at +
	       ((size_t)(hash & ((1u << t->log_rows) - 1)) << t->log_depth);
}

/* Returns where the rule of a tag is; NULL if there is none. *free: an empty entry, or NULL. */
static struct rtc_rule **rtc_slot(const struct rtc *t, const uint8_t *tag, struct rtc_rule ***free)
{
	struct rtc_rule **row = rtc_row(t, tag), **end = row + (1u << t->log_depth);

	*free = NULL;
	for (struct rtc_rule **r = end; r-- > row;) {
		if (!*r)
			*free = r;
		else if (rtc_tags_equal(t, rtc_tag(t, (*r)->entry), tag))
			return r;
	}
	return NULL;
}

/* Returns the entry of a table whose rules are written by offset; NULL: it has fewer. */
static struct rtc_rule **rtc_entry(const struct rtc *t, uint32_t index)
{
	return index < rtc_entries(t) ? t->entries->rules + t->at + index : NULL;
}

bool rtc_write(struct rtc *t, uint32_t index, const struct rtc_rule *rule)
{
	struct rtc_rule **free, **slot = t->by_offset ? rtc_entry(t, index)
						  : rtc_slot(t, rtc_tag(t, rule->entry), &free) ?: free;

	if (!slot)
		return false;
	if (*slot)
		rule_put_stcs(*slot);
	else
		*slot = rule_new(t->entries);
	if (!*slot)
		return false;
	**slot = *rule;
	for (unsigned int i = 0; i < RULE_STCS; i++)
		if (rule->stc[i])
			rule->stc[i]->refs++;
	return true;
}

bool rtc_remove(struct rtc *t, uint32_t index, const uint8_t entry[RULE_BYTES])
{
	struct rtc_rule **unused, **slot = t->by_offset ? rtc_entry(t, index)
							: rtc_slot(t, rtc_tag(t, entry), &unused);

	if (!slot || !*slot)
		return false;
	rule_free(t->entries, *slot);
	*slot = NULL;
	return true;
}

const struct rtc_rule *rtc_find(const struct rtc *t, const uint8_t *tag)
{
	struct rtc_rule **unused, **slot = rtc_slot(t, tag, &unused);

	return slot ? *slot : NULL;
}

const struct rtc_rule *ste_range_rule(const struct ste_range *r, uint64_t index)
{
	return index < r->n ? r->rules[index] : NULL;
}

void ste_range_free(struct obj *o)
{
	struct ste_range *r = (struct ste_range *)o;

	for (uint32_t i = 0; i < r->n; i++)
		if (r->rules[i])
			rule_put_stcs(r->rules[i]);
	free(r->rules);
	for (struct rule_slab *slab = r->slabs, *next; slab; slab = next) {
		next = slab->next;
		free(slab);
	}
	obj_free(o);
}
