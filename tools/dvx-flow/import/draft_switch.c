/* SPDX-License-Identifier: BSD-2-Clause */
/* A draft of a rule of the e-switch: where its packets come from, where they and their copies go. */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "draft.h"
#include "rules/words.h"
#include "values.h"

/* Returns whether the interface is of the e-switch whose rules are taken. */
static bool eswitch_takes(struct import *im, const struct iface *i)
{
	struct iface asked;

	if (!im->has_eswitch && im->ask->netdev &&
	    iface_find(im->ask->ports, im->ask->netdev, &asked)) {
		im->eswitch = asked;
		im->has_eswitch = true;
	}
	if (!im->has_eswitch) {
		im->eswitch = *i;
		im->has_eswitch = true;
	}
	return iface_meets(&im->eswitch, i);
}

int draft_vport(struct draft *d, const struct token *at, struct iface *i)
{
	enum import_reason reason = REASON_INTERFACE;

	if (!at->text)
		reason = REASON_ENDS;
	else if (!iface_find(d->im->ask->ports, at->text, i))
		reason = REASON_VPORT;
	else if (eswitch_takes(d->im, i))
		return 1;
	else if (d->im->ask->netdev)
		return 0;
	draft_leave(d, at, reason);
	return -1;
}

bool draft_from(struct draft *d, const struct token *at, uint32_t vport)
{
	bool inner = d->inner, ok;

	d->direction = "switch";
	d->inner = false;
	ok = draft_match_number(d, at, SLOT_FROM, vport);
	d->inner = inner;
	return ok;
}

static const char *vport_text(struct draft *d, uint32_t vport)
{
	char name[32];

	dvx_flow_vport_name(vport, name, sizeof(name));
	return import_format(d->im, "%s", name);
}

bool draft_to(struct draft *d, const struct token *at, uint32_t vport)
{
	if (d->queue)
		return draft_leave(d, at, REASON_TARGET);
	d->queue = vport_text(d, vport);
	d->verdict = "send";
	return true;
}

bool draft_add_before(struct draft *d, const struct token *at, const char *verdict,
		      const char *tail)
{
	if (d->befores == DRAFT_BEFORE)
		return draft_leave(d, at, REASON_LONG);
	d->before[d->befores++] = (struct draft_before){verdict, tail};
	return true;
}

bool draft_copy(struct draft *d, const struct token *at, uint32_t vport, uint64_t ratio)
{
	const char *to = vport_text(d, vport);

	return draft_add_before(d, at, "mirror",
				ratio > 1 ? import_format(d->im, "to %s sample %" PRIu64, to, ratio)
					  : import_format(d->im, "to %s", to));
}

static bool draft_option(struct draft *d, const struct token *at, const char *text)
{
	uint32_t mask;

	if (!option_parse(text, d->option, &mask) || mask != UINT32_MAX)
		return draft_leave(d, at, REASON_ENCAP);
	d->encap_given |= 1u << ENCAP_OPTION;
	return true;
}

bool draft_encap(struct draft *d, const struct row *row, const struct token *at, const char *text)
{
	static const enum rule_change_kind kinds[ENCAP_WORDS] = {
		CHANGE_TTL,	CHANGE_IP_SRC, CHANGE_IP_DST, CHANGE_ETH_SRC,
		CHANGE_ETH_DST, CHANGE_DPORT,  CHANGE_TTL,    CHANGE_TTL,
	};
	struct value v;
	const struct rule_net *net;
	bool address = row->what == ENCAP_SRC || row->what == ENCAP_DST;

	if (row->what == ENCAP_OPTION)
		return draft_option(d, at, text);
	v = row->value(d, row, text);
	net = v.list.item;
	if (!v.list.n ||
	    !change_fill(&d->encap[row->what], kinds[row->what], address ? net->family : 0, v))
		return draft_leave(d, at, REASON_VALUE);
	d->encap_given |= 1u << row->what;
	return true;
}

bool draft_tunnel(struct draft *d, enum node_tunnel tunnel)
{
	const struct tunnel_row *t = &tunnel_rows[tunnel];
	struct draft_part *id = &d->part[0][SLOT_VNI];
	const struct rule_value *v = id->item;

	for (uint32_t i = 0; i < id->n; i++)
		if (v[i].value > tunnel_ids[t->id].max)
			return draft_leave(d, d->at, REASON_VALUE);
	if (t->id == TUNNEL_KEY && id->n) {
		d->part[0][SLOT_KEY] = *id;
		id->n = 0;
	}
	d->inner = false;
	if (!draft_match_number(d, d->at, SLOT_TUNNEL, tunnel))
		return false;
	d->inner = true;
	return true;
}

static bool encap_mac(struct draft *d, enum encap_word word, enum rule_change_kind kind,
		      uint64_t mac)
{
	d->encap_given |= 1u << word;
	return change_fill(&d->encap[word], kind, 0, value_of(d->im, mac));
}

bool draft_encap_to(struct draft *d, const struct token *at, const struct iface *i)
{
	if (!i->has_hop && !(d->encap_given >> ENCAP_ETH_DST & 1))
		return draft_leave(d, at, REASON_HOP);
	if (i->has_hop && !(encap_mac(d, ENCAP_ETH_SRC, CHANGE_ETH_SRC, i->hop_src) &&
			    encap_mac(d, ENCAP_ETH_DST, CHANGE_ETH_DST, i->hop_dst)))
		return false;
	return draft_change(d, at, (struct rule_change){.kind = CHANGE_ENCAP}, false);
}

bool draft_into_tunnel(struct draft *d, const struct token *at, struct iface *i)
{
	bool port = d->encap_given >> ENCAP_PORT & 1;
	enum node_tunnel tunnel = iface_tunnel(at->text, port ? d->encap[ENCAP_PORT].value : 0);

	if (tunnel == TUNNEL_NONE || (port && !tunnel_rows[tunnel].port))
		return draft_leave(d, at, REASON_ENCAP);
	if (d->encap[ENCAP_ID].value > tunnel_ids[tunnel_rows[tunnel].id].max)
		return draft_leave(d, at, REASON_VALUE);
	d->tunnel = tunnel;
	return iface_find(d->im->ask->ports, at->text, i) ? draft_encap_to(d, at, i)
							  : draft_leave(d, at, REASON_HOP);
}
