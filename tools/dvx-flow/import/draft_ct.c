/* SPDX-License-Identifier: BSD-2-Clause */
/* A draft's connection: Open vSwitch's and tc's ct(), and states of connections. */
#include <string.h>

#include "draft.h"
#include "rules/parse.h"
#include "values.h"

/* Bits of a state (OVS_CS_F_*), in the order of their numbers. */
static const char *const ct_flags[] = {"new", "est", "rel", "rpl", "inv", "trk", "snat", "dnat"};
#define CT_FLAGS (sizeof(ct_flags) / sizeof(ct_flags[0]))
enum { CS_NEW = 0x01, CS_EST = 0x02, CS_REL = 0x04, CS_RPL = 0x08, CS_INV = 0x10, CS_TRK = 0x20 };
#define CS_NAT 0xc0u

/* The states that Linux gives a TCP packet, in the order of SLOT_CT's names. */
static const uint64_t ct_states[] = {CS_TRK | CS_EST, CS_TRK | CS_NEW, CS_TRK | CS_INV};
#define CT_STATES (sizeof(ct_states) / sizeof(ct_states[0]))

/* Reads +est-new and est|trk, or a number under a mask. Returns false if it is neither. */
static bool ct_state_read(const char *text, uint64_t *value, uint64_t *mask)
{
	bool exact = text[0] != '+' && text[0] != '-';

	if (number_parse_pair(text, 0, 8, value, mask))
		return true;
	*value = 0;
	*mask = exact ? 0xff : 0;
	while (*text) {
		bool not_set = *text == '-';
		size_t n, i = 0;

		text += *text == '+' || *text == '-' || *text == '|';
		n = strcspn(text, "+-|");
		while (i < CT_FLAGS && (strlen(ct_flags[i]) != n || memcmp(ct_flags[i], text, n)))
			i++;
		if (i == CT_FLAGS)
			return false;
		*mask |= 1u << i;
		*value |= not_set ? 0 : 1u << i;
		text += n;
	}
	return true;
}

/* Adds the rule that tracks connections, once, before all others. */
static bool draft_track(struct draft *d, const struct token *at)
{
	struct draft track = {.im = d->im,
			      .line = d->line,
			      .at = d->at,
			      .direction = "switch",
			      .verdict = "track"};

	if (strcmp(d->direction, "switch"))
		return draft_leave(d, at, REASON_CONNTRACK);
	if (d->im->tracks)
		return true;
	d->im->tracks = true;
	if (!draft_match_number(&track, at, SLOT_PROTO, 6))
		return false;
	import_add(&track);
	return true;
}

bool draft_ct(struct draft *d, const struct token *at)
{
	/* Packets are tracked before all rules; a table is for those that others have judged. */
	return d->table ? draft_leave(d, at, REASON_CONNTRACK) : draft_track(d, at);
}

bool draft_ct_zone(struct draft *d, const struct token *at, uint64_t zone)
{
	if (d->im->has_zone && d->im->zone != zone)
		return draft_leave(d, at, REASON_ZONE);
	d->im->has_zone = true;
	d->im->zone = zone;
	return true;
}

bool draft_ct_state(struct draft *d, const struct token *at, const char *text)
{
	if (!ct_state_read(text, &d->ct_value, &d->ct_mask) || d->ct_value & ~d->ct_mask)
		return draft_leave(d, at, REASON_VALUE);
	d->ct = at;
	return true;
}

/* Returns whether a packet in this state may have the flags that are compared, in either direction. */
static bool ct_state_fits(const struct draft *d, uint64_t state)
{
	return !((state ^ d->ct_value) & d->ct_mask & ~(uint64_t)CS_RPL);
}

/* Returns whether a tracked packet's state and direction can be said. */
static bool ct_state_can(const struct draft *d)
{
	if (!d->table || !(d->ct_value & CS_TRK) || d->ct_value & (CS_REL | CS_NAT))
		return false;
	return !(d->ct_mask & CS_RPL) ||
	       !(d->ct_value & CS_RPL || ct_state_fits(d, CS_TRK | CS_EST));
}

bool draft_ct_settle(struct draft *d)
{
	struct value v = {.bad = false};

	/* In the first table, no packet is tracked yet for the other tool. */
	if (!d->ct_mask || (!d->table && !d->ct_value))
		return true;
	if (!ct_state_can(d))
		return draft_leave(d, d->ct, REASON_CONNTRACK);
	if (draft_number(d, SLOT_PROTO) != 6)
		return draft_leave(d, d->ct, REASON_TCP);
	for (uint64_t i = 0; i < CT_STATES; i++) {
		struct rule_value one = {i, UINT64_MAX};

		if (ct_state_fits(d, ct_states[i]))
			d->im->no_memory |=
				!list_add_in(d->im->out->memory, &v.list, &one, sizeof(one));
	}
	d->nothing |= !v.list.n;
	return draft_track(d, d->ct) &&
	       (v.list.n == CT_STATES || d->nothing || draft_match(d, d->ct, SLOT_CT, v, false));
}
