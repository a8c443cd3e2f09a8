/* SPDX-License-Identifier: BSD-2-Clause */
#include "rtc.h"

#include <stdlib.h>
#include <string.h>
#include <dvx/prm/hws.h>
#include "base/crc32.h"

#define RULE_DEFINER 4u /* in an entry: PRM wqe_gta_data_seg_ste.definer_id */

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
#pragma GCC unroll 5
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

struct rtc_row rtc_row(const struct rtc *t, const uint8_t *tag)
{
	const uint32_t hash = __builtin_bswap32(
		crc32_add(0, tag, t->wide ? RULE_LONG_TAG_BYTES : RULE_TAG_BYTES));
	const uint32_t log = t->log_depth + t->log_parts;
	struct rtc_rule **first =
		t->entries->rules + t->at + ((size_t)(hash & ((1u << t->log_rows) - 1)) << log);

	return (struct rtc_row){first, first + (1u << log)};
}

/*
 * Returns where the rule of a tag is; NULL if there is none. *free: an empty entry, or NULL. Inlined:
 * rules come by the million.
 */
static inline __attribute__((always_inline)) struct rtc_rule **
rtc_slot(const struct rtc *t, const uint8_t *tag, struct rtc_rule ***free)
{
	const struct rtc_row row = rtc_row(t, tag);
	struct rtc_rule **r = row.end, **empty = NULL;
	const size_t at = rtc_tag_at(t);

	while (r != row.first) {
		if (!*--r)
			empty = r;
		else if (rtc_tags_equal(t, (*r)->entry + at, tag))
			return r;
	}
	*free = empty;
	return NULL;
}

/* Returns the entry of a table whose rules are written by offset; NULL: it has fewer. */
static struct rtc_rule **rtc_entry(const struct rtc *t, uint32_t index)
{
	return index < rtc_entries(t) ? t->entries->rules + t->at + index : NULL;
}

/* Puts a rule into an entry. Returns false if there is no memory. */
static inline bool rtc_put(struct rtc *t, struct rtc_rule **slot, const struct rtc_rule *rule)
{
	if (*slot)
		rule_put_stcs(*slot);
	else
		*slot = rule_new(t->entries);
	if (!*slot)
		return false;
	**slot = *rule;
#pragma GCC unroll 5
	for (unsigned int i = 0; i < RULE_STCS; i++)
		if (rule->stc[i])
			rule->stc[i]->refs++;
	return true;
}

static void rtc_empty(struct rtc *t, struct rtc_rule **slot)
{
	rule_free(t->entries, *slot);
	*slot = NULL;
}

bool rtc_write(struct rtc *t, uint32_t index, const struct rtc_rule *rule)
{
	struct rtc_rule **free, **slot = t->by_offset ? rtc_entry(t, index)
						  : rtc_slot(t, rtc_tag(t, rule->entry), &free) ?: free;

	return slot && !t->generated && rtc_put(t, slot, rule);
}

bool rtc_remove(struct rtc *t, uint32_t index, const uint8_t entry[RULE_BYTES])
{
	struct rtc_rule **unused, **slot = t->by_offset ? rtc_entry(t, index)
							: rtc_slot(t, rtc_tag(t, entry), &unused);

	if (!slot || !*slot || t->generated)
		return false;
	rtc_empty(t, slot);
	return true;
}

/* Compares the tags of entries, and their definers. A table beside may have emptied one. */
static bool rtc_parts_equal(struct rtc_rule *const *slot, const struct rtc_rule *parts, uint32_t n)
{
	for (uint32_t i = 0; i < n; i++)
		if (!slot[i] ||
		    memcmp(slot[i]->entry + RULE_DEFINER, parts[i].entry + RULE_DEFINER, 4) ||
		    memcmp(slot[i]->entry + RULE_TAG_AT, parts[i].entry + RULE_TAG_AT,
			   RULE_TAG_BYTES))
			return false;
	return true;
}

/* Returns where this rule is; else NULL, and in *free a place for it, or NULL. */
static struct rtc_rule **rtc_slot_generated(const struct rtc *t, const uint8_t *key,
					    const struct rtc_rule *parts, struct rtc_rule ***free)
{
	const struct rtc_row row = rtc_row(t, key);
	const uint32_t n = 1u << t->log_parts;

	*free = NULL;
	for (struct rtc_rule **r = row.first; r < row.end; r += n) {
		if (*r && rtc_parts_equal(r, parts, n))
			return r;
		if (!*r && !*free)
			*free = r;
	}
	return NULL;
}

bool rtc_write_generated(struct rtc *t, const uint8_t *key, const struct rtc_rule *parts)
{
	struct rtc_rule **free, **slot = rtc_slot_generated(t, key, parts, &free) ?: free;

	if (!slot || !rtc_put(t, slot, parts))
		return false;
	if (!t->log_parts || rtc_put(t, slot + 1, parts + 1))
		return true;
	rtc_empty(t, slot);
	return false;
}

bool rtc_remove_generated(struct rtc *t, const uint8_t *key, const struct rtc_rule *parts)
{
	struct rtc_rule **unused, **slot = rtc_slot_generated(t, key, parts, &unused);

	if (!slot)
		return false;
	for (uint32_t i = 0; i < 1u << t->log_parts; i++)
		rtc_empty(t, slot + i);
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

/* Finds the rules by their slabs: a range of 2^24 entries may have few of them. */
void ste_range_free(struct obj *o)
{
	struct ste_range *r = (struct ste_range *)o;

	for (union rule_memory *m = r->free, *next; m; m = next) {
		next = m->next;
		m->rule = (struct rtc_rule){0}; /* it has no templates */
	}
	free(r->rules);
	for (struct rule_slab *slab = r->slabs, *next; slab; slab = next) {
		next = slab->next;
		for (unsigned int i = 0; i < RULE_SLAB; i++)
			rule_put_stcs(&slab->rules[i].rule);
		free(slab);
	}
	obj_free(o);
}
