/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Rules of a part by their tags. A slot has the hash beside the rule, so that a search for a tag that
 * no rule has touches one slot and no rule.
 */
#include "hws.h"

#define HWS_TAGS_FIRST 64u
#define HWS_TAGS_MIX   0x9e3779b97f4a7c15u /* 2^64 by the golden ratio */

static uint32_t hws_tag_hash(const uint8_t *tag)
{
	uint64_t hash = prm_load32(tag, HWS_TAG_LONG - sizeof(uint32_t));

	for (size_t at = 0; at + sizeof(uint64_t) <= HWS_TAG_LONG; at += sizeof(uint64_t)) {
		hash = (hash ^ prm_load64(tag, at)) * HWS_TAGS_MIX;
		hash ^= hash >> 32;
	}
	return (uint32_t)(hash * HWS_TAGS_MIX >> 32); /* high bits of the last word count, too */
}

/* Returns the slot of a tag, or the free one where it would be. */
static struct hws_tag_slot *hws_tags_look(const struct hws_tags *t, const uint8_t *tag,
					  uint32_t hash)
{
	uint32_t i = hash & (t->room - 1);

	while (t->slot[i].rule &&
	       (t->slot[i].hash != hash || memcmp(t->slot[i].rule->tag, tag, HWS_TAG_LONG) != 0))
		i = (i + 1) & (t->room - 1);
	return &t->slot[i];
}

struct hws_tag_slot *dvx_hws_tags_find(const struct hws_tags *t, const uint8_t *tag)
{
	return hws_tags_look(t, tag, hws_tag_hash(tag));
}

/* At most three quarters of the slots are used; in a new table, by the rules that are expected. */
static int hws_tags_grow(struct hws_tags *t, uint32_t expected)
{
	struct hws_tags old = *t;

	if (4 * (t->count + 1) <= 3 * t->room)
		return 0;
	t->room = 2 * t->room;
	if (!t->room)
		t->room = 1u << dvx_log2_up(HWS_TAGS_FIRST + expected + expected / 2);
	t->slot = calloc(t->room, sizeof(t->slot[0]));
	if (!t->slot) {
		*t = old;
		return dvx_fail(ENOMEM, "no memory for %u rules", t->count + 1);
	}
	for (uint32_t i = 0; i < old.room; i++)
		if (old.slot[i].rule)
			*hws_tags_look(t, old.slot[i].rule->tag, old.slot[i].hash) = old.slot[i];
	free(old.slot);
	return 0;
}

int dvx_hws_tags_reserve(struct hws_tags *t, const uint8_t *tag, uint32_t expected, uint32_t *hash)
{
	int err = hws_tags_grow(t, expected);

	if (err)
		return err;
	*hash = hws_tag_hash(tag);
	__builtin_prefetch(&t->slot[*hash & (t->room - 1)]);
	return 0;
}

struct hws_tag_slot *dvx_hws_tags_place(const struct hws_tags *t, const uint8_t *tag, uint32_t hash)
{
	struct hws_tag_slot *s = hws_tags_look(t, tag, hash);

	if (!s->rule)
		s->hash = hash;
	return s;
}

/* Later slots whose tags would not be found behind a free one move into it. */
void dvx_hws_tags_forget(struct hws_tags *t, struct hws_tag_slot *s)
{
	const uint32_t mask = t->room - 1;
	uint32_t hole = (uint32_t)(s - t->slot);

	for (uint32_t i = (hole + 1) & mask; t->slot[i].rule; i = (i + 1) & mask)
		if (((i - t->slot[i].hash) & mask) >= ((i - hole) & mask)) {
			t->slot[hole] = t->slot[i];
			hole = i;
		}
	t->slot[hole].rule = NULL;
	t->count--;
}
