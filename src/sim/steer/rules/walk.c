/* SPDX-License-Identifier: BSD-2-Clause */
#include <inttypes.h>
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

uint64_t rules_walk(struct steer_walk *w, const struct rtc *t)
{
	uint8_t tag[SELECT_BYTES];
	const struct rtc_rule *rule;

	if (t->linear) {
		rule = rules_find_linear(w, t);
	} else if (!t->definer) {
		rule = ste_range_rule(t->entries, t->at);
	} else {
		select_fill(t->definer->select, w, tag);
		rule = t->by_offset ? NULL : rtc_find(t, t->wide ? tag : tag + SHORT_TAG_AT);
	}
	probe(PROBE_STEER, .steer = {PROBE_STE, 0, .addr = t->o.id, .hit = rule != NULL});
	if (rule)
		return rule_act(w, t, rule);
	return t->miss ? icm_addr(ICM_TABLE, t->miss->o.id)
		       : steer_lost(w, "no rule of table 0x%x matches, and it has no miss",
				    t->o.id);
}
