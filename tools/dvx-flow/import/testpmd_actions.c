/* SPDX-License-Identifier: BSD-2-Clause */
/* The actions of a testpmd flow. They may stand in any order; the PMD has an order of its own. */
#include <arpa/inet.h>
#include <stdlib.h>
#include <string.h>

#include "testpmd.h"
#include "values.h"

enum pmd_do {
	PMD_VERDICT,
	PMD_QUEUE,
	PMD_TAG,
	PMD_COUNT,
	PMD_RSS,
	PMD_EDIT,
	PMD_ADDRESS4,
	PMD_ADDRESS6,
	PMD_HARDWARE,
	PMD_PORT_OF,
	PMD_PUSH,
	PMD_VID,
	PMD_NOTHING,
	PMD_LEAVE,
};

static const struct pmd_action {
	const char *name, *field; /* the word before the value, if it has one */
	enum pmd_do how;
	unsigned int what; /* the change, or the reason */
	const char *text;
} pmd_actions_known[] = {
	{"drop", NULL, PMD_VERDICT, 0, "drop"},
	{"queue", "index", PMD_QUEUE, 0, NULL},
	{"mark", "id", PMD_TAG, 0, NULL},
	{"count", NULL, PMD_COUNT, 0, NULL},
	{"void", NULL, PMD_NOTHING, 0, NULL},
	{"dec_ttl", NULL, PMD_EDIT, EDIT_DEC_TTL, ""},
	{"set_ttl", "ttl_value", PMD_EDIT, EDIT_TTL, NULL},
	{"set_ipv4_src", "ipv4_addr", PMD_ADDRESS4, EDIT_IP_SRC, "ipv4 src "},
	{"set_ipv4_dst", "ipv4_addr", PMD_ADDRESS4, EDIT_IP_DST, "ipv4 dst "},
	{"set_ipv6_src", "ipv6_addr", PMD_ADDRESS6, EDIT_IP_SRC, "ipv6 src "},
	{"set_ipv6_dst", "ipv6_addr", PMD_ADDRESS6, EDIT_IP_DST, "ipv6 dst "},
	{"set_mac_src", "mac_addr", PMD_HARDWARE, EDIT_ETH_SRC, ""},
	{"set_mac_dst", "mac_addr", PMD_HARDWARE, EDIT_ETH_DST, ""},
	{"set_tp_src", "port", PMD_PORT_OF, EDIT_SPORT, "src port "},
	{"set_tp_dst", "port", PMD_PORT_OF, EDIT_DPORT, "dst port "},
	{"of_pop_vlan", NULL, PMD_EDIT, EDIT_POP, ""},
	{"of_push_vlan", "ethertype", PMD_PUSH, EDIT_PUSH, NULL},
	{"of_set_vlan_vid", "vlan_vid", PMD_VID, EDIT_VLAN, NULL},
	{"of_set_vlan_pcp", "vlan_pcp", PMD_EDIT, EDIT_PUSH_PCP, NULL},
	{"vxlan_decap", NULL, PMD_EDIT, EDIT_DECAP, ""},
	{"jump", NULL, PMD_LEAVE, REASON_GROUP, NULL},
	{"passthru", NULL, PMD_LEAVE, REASON_FINAL, NULL},
	{"flag", NULL, PMD_LEAVE, REASON_MARK, NULL},
	{"rss", NULL, PMD_RSS, 0, NULL},
	{"pf", NULL, PMD_LEAVE, REASON_TRANSFER, NULL},
	{"vf", NULL, PMD_LEAVE, REASON_TRANSFER, NULL},
	{"port_id", NULL, PMD_LEAVE, REASON_TRANSFER, NULL},
	{"phy_port", NULL, PMD_LEAVE, REASON_TRANSFER, NULL},
	{"represented_port", NULL, PMD_LEAVE, REASON_TRANSFER, NULL},
	{"port_representor", NULL, PMD_LEAVE, REASON_TRANSFER, NULL},
	{"meter", NULL, PMD_LEAVE, REASON_LIMIT, NULL},
	/* The action sets when the driver reports the flow as idle; the flow stays. */
	{"age", "timeout", PMD_NOTHING, 0, NULL},
	{"sample", NULL, PMD_LEAVE, REASON_TARGET, NULL},
	{"conntrack", NULL, PMD_LEAVE, REASON_CONNTRACK, NULL},
	{"indirect", NULL, PMD_LEAVE, REASON_INDIRECT, NULL},
	{"indirect_list", NULL, PMD_LEAVE, REASON_INDIRECT, NULL},
	{"shared_indirect", NULL, PMD_LEAVE, REASON_INDIRECT, NULL},
	{"security", NULL, PMD_LEAVE, REASON_CHANGE, NULL},
	{"vxlan_encap", NULL, PMD_LEAVE, REASON_ENCAP, NULL},
	{"nvgre_encap", NULL, PMD_LEAVE, REASON_ENCAP, NULL},
	{"l2_encap", NULL, PMD_LEAVE, REASON_ENCAP, NULL},
	{"raw_encap", NULL, PMD_LEAVE, REASON_ENCAP, NULL},
	{"mplsogre_encap", NULL, PMD_LEAVE, REASON_ENCAP, NULL},
	{"mplsoudp_encap", NULL, PMD_LEAVE, REASON_ENCAP, NULL},
	{"raw_decap", NULL, PMD_LEAVE, REASON_CHANGE, NULL},
	{"nvgre_decap", NULL, PMD_LEAVE, REASON_CHANGE, NULL},
	{"l2_decap", NULL, PMD_LEAVE, REASON_CHANGE, NULL},
	{"mplsogre_decap", NULL, PMD_LEAVE, REASON_CHANGE, NULL},
	{"mplsoudp_decap", NULL, PMD_LEAVE, REASON_CHANGE, NULL},
	{"modify_field", NULL, PMD_LEAVE, REASON_CHANGE, NULL},
	{"set_meta", NULL, PMD_LEAVE, REASON_MARK, NULL},
	{"set_tag", NULL, PMD_LEAVE, REASON_MARK, NULL},
};

static bool pmd_edit(struct pmd_read *r, const struct token *at, unsigned int change,
		     const char *text)
{
	if (!text ||
	    (!*text && change != EDIT_DEC_TTL && change != EDIT_POP && change != EDIT_DECAP))
		return pmd_leave(r, at, REASON_VALUE);
	if (r->d->change[change])
		return pmd_leave(r, at, REASON_CHANGE);
	r->d->change[change] = text;
	return true;
}

static bool pmd_set_verdict(struct pmd_read *r, const struct token *at, const char *verdict)
{
	if (r->d->verdict)
		return pmd_leave(r, at, REASON_TARGET);
	r->d->verdict = verdict;
	return true;
}

/* Returns a port's text, with the pattern's protocol. */
static const char *pmd_port_text(struct pmd_read *r, const char *side, const char *port)
{
	const char *l4 = draft_value(r->d, SLOT_PROTO);

	return port && l4 ? import_format(r->im, "%s %s%s", l4, side, port) : NULL;
}

static const char *pmd_prefixed(struct pmd_read *r, const char *prefix, const char *text)
{
	return text && *text ? import_format(r->im, "%s%s", prefix, text) : NULL;
}

/* Sets a VLAN ID. Behind a push it is the new tag's. */
static bool pmd_vid(struct pmd_read *r, const struct token *at, const char *id)
{
	if (r->d->change[EDIT_PUSH] && !*r->d->change[EDIT_PUSH] && id) {
		r->d->change[EDIT_PUSH] = id;
		return true;
	}
	return pmd_edit(r, at, EDIT_VLAN, id);
}

static bool pmd_push(struct pmd_read *r, const struct token *at, const char *type)
{
	uint64_t n;

	if (!value_number(type, 0, 0xffff, &n) || n != 0x8100 || r->d->change[EDIT_PUSH])
		return pmd_leave(r, at, REASON_CHANGE);
	r->d->change[EDIT_PUSH] = "";
	return true;
}

static bool pmd_apply(struct pmd_read *r, const struct pmd_action *a, const struct token *at,
		      const char *value)
{
	struct import *im = r->im;
	uint64_t n;

	switch (a->how) {
	case PMD_VERDICT:
		return pmd_set_verdict(r, at, a->text);
	case PMD_QUEUE:
		if (!value_number(value, 0, 0xffff, &n))
			return pmd_leave(r, at, REASON_VALUE);
		r->d->queue = import_format(im, "queue %u", (unsigned int)n);
		return pmd_set_verdict(r, at, "send");
	case PMD_TAG:
		r->d->tag = value_masked(im, value, 0, 32);
		return r->d->tag || pmd_leave(r, at, REASON_VALUE);
	case PMD_RSS:
		return pmd_rss(r, at) && pmd_set_verdict(r, at, "send");
	case PMD_COUNT:
		r->d->count = true;
		return true;
	case PMD_ADDRESS4:
		return pmd_edit(r, at, a->what,
				pmd_prefixed(r, a->text, value_net(im, value, AF_INET)));
	case PMD_ADDRESS6:
		return pmd_edit(r, at, a->what,
				pmd_prefixed(r, a->text, value_net(im, value, AF_INET6)));
	case PMD_HARDWARE:
		return pmd_edit(r, at, a->what, value_mac(im, value));
	case PMD_PORT_OF:
		return pmd_edit(r, at, a->what,
				pmd_port_text(r, a->text, value_masked(im, value, 0, 16)));
	case PMD_PUSH:
		return pmd_push(r, at, value);
	case PMD_VID:
		return pmd_vid(r, at, value_masked(im, value, 0, 12));
	case PMD_EDIT:
		/* The priority is that of a tag that was pushed before. */
		if (a->what == EDIT_PUSH_PCP && !r->d->change[EDIT_PUSH])
			return pmd_leave(r, at, REASON_CHANGE);
		return pmd_edit(r, at, a->what, a->text ? a->text : value_masked(im, value, 0, 8));
	case PMD_LEAVE:
		return pmd_leave(r, at, (enum import_reason)a->what);
	default:
		return true;
	}
}

static bool pmd_action(struct pmd_read *r)
{
	const struct token *at = tokens_next(r->line), *value = at;
	const struct pmd_action *a = NULL;

	for (size_t i = 0; i < sizeof(pmd_actions_known) / sizeof(pmd_actions_known[0]); i++)
		if (token_is(at, pmd_actions_known[i].name))
			a = &pmd_actions_known[i];
	if (!a)
		return pmd_leave(r, at, at->text ? REASON_UNKNOWN : REASON_ENDS);
	if (a->field) {
		if (!tokens_take(r->line, a->field))
			return pmd_leave(r, tokens_peek(r->line), REASON_SYNTAX);
		value = tokens_next(r->line);
		if (!value->text)
			return pmd_leave(r, value, REASON_ENDS);
	}
	/* An indirect counter is shared by several rules. */
	if (a->how == PMD_COUNT && (token_is(tokens_peek(r->line), "identifier") ||
				    token_is(tokens_peek(r->line), "shared")))
		return pmd_leave(r, tokens_peek(r->line), REASON_INDIRECT);
	return pmd_apply(r, a, value, value->text);
}

bool pmd_actions(struct pmd_read *r)
{
	struct draft *d = r->d;

	while (!tokens_take(r->line, "end")) {
		if (!pmd_action(r))
			return false;
		if (!token_is(tokens_peek(r->line), "end") && !tokens_take(r->line, "/"))
			return pmd_leave(r, tokens_peek(r->line), REASON_SYNTAX);
	}
	if (!d->verdict)
		return pmd_leave(r, tokens_peek(r->line), REASON_FATE);
	if (d->change[EDIT_PUSH] ? !*d->change[EDIT_PUSH] : d->change[EDIT_PUSH_PCP] != NULL)
		return pmd_leave(r, tokens_peek(r->line), REASON_CHANGE);
	if (!strcmp(d->verdict, "drop"))
		memset(d->change, 0, sizeof(d->change));
	return true;
}
