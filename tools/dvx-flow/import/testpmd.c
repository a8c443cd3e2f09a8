/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * DPDK testpmd's "flow create PORT ... pattern ... actions ...", as the mlx5 PMD understands it: a
 * pattern without a VLAN item is for tagged packets, too. Smaller priorities come first, and in one
 * priority the patterns whose last item is of a higher layer.
 */
#include "testpmd.h"

#include <stdlib.h>
#include <string.h>

static bool pmd_attribute(struct draft *d)
{
	const struct token *at = tokens_next(d->line), *value;
	uint64_t n;

	if (token_among(at, "ingress egress")) {
		const char *direction = token_is(at, "ingress") ? "in" : "out";

		/* The driver refuses a flow of both. */
		if (d->direction && strcmp(d->direction, direction))
			return draft_leave(d, at, REASON_VALIDATE);
		d->direction = direction;
		return true;
	}
	if (token_is(at, "transfer")) {
		pmd_of(d)->transfer = true;
		return true;
	}
	/* The user_id is the flow's name for its program. */
	if (!token_among(at, "priority group user_id"))
		return draft_leave(d, at, at->text ? REASON_SYNTAX : REASON_ENDS);
	value = tokens_next(d->line);
	if (!value->text || !number_parse(value->text, 0, UINT32_MAX, &n))
		return draft_leave(d, value, value->text ? REASON_VALUE : REASON_ENDS);
	if (token_is(at, "priority"))
		d->order = n * PMD_LAYERS;
	if (n && token_is(at, "group")) {
		pmd_of(d)->group = at;
		d->table = (uint32_t)n;
	}
	return true;
}

/* Checks the attributes of a flow that is not the e-switch's. Returns false if it is another port's. */
static bool pmd_is_ours(struct draft *d)
{
	const struct pmd_read *r = pmd_of(d);
	int ours = import_netdev(d->im, r->port->text);

	if (ours < 0)
		return draft_leave(d, r->port, REASON_INTERFACE);
	if (r->group)
		return draft_leave(d, r->group, REASON_GROUP);
	/* The driver refuses a flow of no direction. */
	return (d->direction || draft_leave(d, tokens_peek(d->line), REASON_VALIDATE)) && ours;
}

/* Reads attributes up to the word `pattern`. Returns false if the flow is another port's, too. */
static bool pmd_head(struct draft *d)
{
	const struct token *port = tokens_next(d->line);

	pmd_of(d)->port = port;
	if (!port->text)
		return draft_leave(d, port, REASON_ENDS);
	while (!tokens_take(d->line, "pattern"))
		if (!pmd_attribute(d))
			return false;
	if (!pmd_of(d)->transfer)
		return pmd_is_ours(d);
	d->direction = "switch";
	return true;
}

/* --- tunnels ----------------------------------------------------------------------------------- */

const struct row pmd_encaps[] = {
	ROW_ENCAP("vni", ID, value_number, .bits = 24),
	ROW_ENCAP("udp-dst", PORT, value_number, .bits = 16),
	ROW_ENCAP("ip-ttl", TTL, value_number, .bits = 8),
	ROW_ENCAP("ip-src", SRC, value_address),
	ROW_ENCAP("ip-dst", DST, value_address),
	ROW_ENCAP("eth-src", ETH_SRC, value_mac),
	ROW_ENCAP("eth-dst", ETH_DST, value_mac),
	/* The addresses show the version, and the device chooses the port. */
	ROW_READ("ip-version udp-src", row_skip_value),
	ROW_LEAVE("vlan-tci", ENCAP),
	{0},
};
const struct row pmd_nvgre_encaps[] = {
	ROW_ENCAP("tni", ID, value_number, .bits = 24),
	ROW_ENCAP("ip-src", SRC, value_address),
	ROW_ENCAP("ip-dst", DST, value_address),
	ROW_ENCAP("eth-src", ETH_SRC, value_mac),
	ROW_ENCAP("eth-dst", ETH_DST, value_mac),
	ROW_READ("ip-version", row_skip_value),
	ROW_LEAVE("vlan-tci", ENCAP),
	{0},
};

/* Reads "set vxlan" or "set nvgre", for flows behind it. */
static void pmd_set_tunnel(struct draft *d, const struct row *rows, struct pmd_tunnel *to)
{
	to->given = 0;
	tokens_next(d->line);
	while (tokens_peek(d->line)->text) {
		const struct token *name = tokens_next(d->line), *value = tokens_next(d->line);
		const struct row *row = row_find(rows, name->text);
		bool tos = token_is(name, "ip-tos") && token_is(value, "0");
		bool read = row && row->read;

		if (tos || (read && value->text))
			continue;
		if (!row || !value->text || !row->value) {
			draft_leave(d, row && !value->text ? value : name,
				    !row	   ? REASON_ENCAP
				    : !value->text ? REASON_ENDS
						   : (enum import_reason)row->what);
			return;
		}
		if (!draft_encap(d, row, value, value->text))
			return;
	}
	memcpy(to->word, d->encap, sizeof(to->word));
	to->given = d->encap_given;
}

/* Reads "set sample_actions INDEX port_id id PORT / end", for flows behind it. */
static void pmd_set_sample(struct draft *d, struct pmd_sample *samples)
{
	const struct token *index = (tokens_next(d->line), tokens_next(d->line)), *at;
	struct iface i;
	uint64_t n;

	if (!index->text || !number_parse(index->text, 0, PMD_SAMPLES - 1, &n)) {
		draft_leave(d, index, index->text ? REASON_VALUE : REASON_ENDS);
		return;
	}
	samples[n].given = false;
	at = tokens_next(d->line);
	if (!(token_is(at, "port_id") && tokens_take(d->line, "id")) &&
	    !(token_is(at, "represented_port") && tokens_take(d->line, "ethdev_port_id"))) {
		draft_leave(d, at, REASON_TARGET);
		return;
	}
	if (draft_vport(d, tokens_next(d->line), &i) <= 0)
		return;
	if (tokens_take(d->line, "/") && tokens_take(d->line, "end"))
		samples[n] = (struct pmd_sample){true, i.vport};
	else
		draft_leave(d, tokens_peek(d->line), REASON_TARGET);
}

static void pmd_set(struct draft *d, struct pmd_set *set)
{
	const struct token *kind = tokens_peek(d->line);

	if (token_among(kind, "vxlan vxlan-with-vlan vxlan-tos-ttl"))
		pmd_set_tunnel(d, pmd_encaps, &set->tunnel[TUNNEL_VXLAN]);
	else if (token_among(kind, "nvgre nvgre-with-vlan"))
		pmd_set_tunnel(d, pmd_nvgre_encaps, &set->tunnel[TUNNEL_NVGRE]);
	else if (token_is(kind, "sample_actions"))
		pmd_set_sample(d, set->sample);
	else
		draft_leave(d, kind, REASON_ENCAP);
}

/* --- lines ------------------------------------------------------------------------------------- */

/* Reads the actions. Unless it is left out, adds the rule. */
static void pmd_end(struct pmd_read *r)
{
	size_t before = r->d.im->out->n;

	if (pmd_actions(&r->d))
		import_add(&r->d);
	else if (!r->transfer)
		draft_ends(&r->d, before);
}

static void pmd_line(struct import *im, struct tokens *line, struct pmd_set *set)
{
	struct pmd_read r = {.d = {.im = im, .line = line, .at = &line->token[0]}, .set = set};

	if (!testpmd_looks(line)) {
		dialect_leave_line(im, line);
		return;
	}
	if (token_is(tokens_next(line), "set"))
		pmd_set(&r.d, set);
	else if (!tokens_take(line, "create"))
		draft_leave(&r.d, tokens_peek(line), REASON_VALIDATE);
	else if (pmd_head(&r.d) && pmd_pattern(&r.d))
		pmd_end(&r);
}

void testpmd_read(struct import *im, struct token_reader *r)
{
	struct pmd_set set = {.tunnel = {{.given = 0}}};
	struct tokens line = {0};

	while (tokens_line(r, &line))
		pmd_line(im, &line, &set);
	import_leave_unmet(im, 0, 0);
	free(line.token);
}

bool testpmd_looks(const struct tokens *line)
{
	const struct token *t = line->token;

	if (line->n > 2 && token_is(t, "set"))
		return names_begin(
			"vxlan nvgre raw_encap raw_decap l2_encap l2_decap mplso sample_actions",
			t[1].text);
	return line->n > 1 && token_is(t, "flow") &&
	       token_among(t + 1, "create validate destroy flush list query isolate");
}
