/* SPDX-License-Identifier: BSD-2-Clause */
#include <inttypes.h>
#include <string.h>
#include <dvx/prm/hws.h>
#include "obj/flow.h"
#include "obj/rtc.h"
#include "rules.h"
#include "select.h"
#include "steer/priv.h"
#include "steer/ste/definer.h"

#define LINEAR_REG 3u
/* A long tag has all that is selected; a short one begins behind the last three dwords. */
#define SHORT_TAG_AT (SELECT_BYTES - RULE_TAG_BYTES)
_Static_assert(SELECT_BYTES == RULE_LONG_TAG_BYTES, "a long tag has all that is selected");

/* [I] All of reg_c_3 is the index: a packet whose index the table does not have misses. */
static const struct rtc_rule *rules_find_linear(const struct steer_walk *w, const struct rtc *t)
{
	const uint32_t index = w->packet->reg_c[LINEAR_REG];

	return index < rtc_entries(t) ? ste_range_rule(t->entries, (uint64_t)t->at + index) : NULL;
}

/* Returns what an entry of GENERATE_WQE selects; NULL if its definer is gone. */
static const struct select *rules_entry_select(const struct steer_walk *w, const uint8_t *entry)
{
	const struct match_definer *d = obj_find(w->vhca, OBJ_MATCH_DEFINER,
						 prm_wqe_gta_data_seg_ste_get_definer_id(entry));

	return d ? d->select : NULL;
}

/* Ranges are the last dwords of a tag: of each, an entry has the most and the least value. */
static bool rules_in_ranges(const uint8_t tag[SELECT_BYTES], const uint8_t *entry)
{
	for (unsigned int i = 0; i < SELECT_RANGES; i++) {
		const uint8_t *pair = entry + RULE_BYTES - 8 * (i + 1);
		const uint32_t value = prm_load32(tag, SELECT_BYTES - 4 * (SELECT_RANGES - i));

		if (value > prm_load32(pair, 0) || value < prm_load32(pair, 4))
			return false;
	}
	return true;
}

/* Matches an entry: a tag, or behind it the ranges of the rule. */
static bool rules_entry_matches(struct steer_walk *w, const uint8_t *entry, bool ranges)
{
	const struct select *select = rules_entry_select(w, entry);
	uint8_t tag[SELECT_BYTES];

	if (!select)
		return false;
	select_fill(select, w, tag);
	return ranges ? rules_in_ranges(tag, entry)
		      : !memcmp(tag + SHORT_TAG_AT, entry + RULE_TAG_AT, RULE_TAG_BYTES);
}

/*
 * [I] The first rule of a row that matches is executed. Its last entry has the actions; a table of the same entries may
 * have emptied it.
 */
static const struct rtc_rule *rules_find_generated(struct steer_walk *w, const struct rtc *t,
						   const uint8_t *key)
{
	const struct rtc_row row = rtc_row(t, key);
	const uint32_t last = (1u << t->log_parts) - 1;

	for (struct rtc_rule **r = row.first; r < row.end; r += last + 1)
		if (*r && rules_entry_matches(w, r[0]->entry, false) &&
		    (!last || (r[1] && rules_entry_matches(w, r[1]->entry, true))))
			return r[last];
	return NULL;
}

static const struct rtc_rule *rules_find(struct steer_walk *w, const struct rtc *t)
{
	uint8_t tag[SELECT_BYTES];
	const uint8_t *short_tag = tag + SHORT_TAG_AT;

	select_fill(t->definer->select, w, tag);
	if (t->generated)
		return rules_find_generated(w, t, short_tag);
	if (t->always_hit)
		return *rtc_row(t, t->wide ? tag : short_tag).first;
	return t->by_offset ? NULL : rtc_find(t, t->wide ? tag : short_tag);
}

uint64_t rules_walk(struct steer_walk *w, const struct rtc *t)
{
	const struct rtc_rule *rule;

	/* each rule of a row selects by its own definer */
	if (t->generated && !ste_charge(w, 1u << t->log_depth))
		return 0;
	rule = t->linear    ? rules_find_linear(w, t)
	       : t->definer ? rules_find(w, t)
			    : ste_range_rule(t->entries, t->at);
	probe(PROBE_STEER, .steer = {PROBE_STE, 0, .addr = t->o.id, .hit = rule != NULL});
	if (rule)
		return rule_act(w, t, rule);
	return t->miss ? icm_addr(ICM_TABLE, t->miss->o.id)
		       : steer_lost(w, "no rule of table 0x%x matches, and it has no miss",
				    t->o.id);
}
