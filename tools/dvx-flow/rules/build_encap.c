/* SPDX-License-Identifier: BSD-2-Clause */
/* Tunnels that a rule begins or ends: the words of `encap` and `decap`, and the headers that they make. */
#include <inttypes.h>
#include <string.h>

#include "build.h"
#include "compile.h"

/* The words that each encap needs, by enum encap_word; the one of the tunnel's number differs. */
static const char *const encap_words[ENCAP_WORDS] = {
	[ENCAP_SRC] = "src 192.0.2.1",
	[ENCAP_DST] = "dst 192.0.2.2",
	[ENCAP_ETH_SRC] = "eth src 02:00:00:00:00:01",
	[ENCAP_ETH_DST] = "eth dst 02:00:00:00:00:02",
};

void build_encap(struct rule_build *b, const struct rule_node *n)
{
	const struct tunnel_row *t = &tunnel_rows[n->of];
	struct rule_node change = *n;

	change.of = CHANGE_ENCAP;
	if (t->no_encap)
		node_mistake(b, n, "%s", t->no_encap);
	build_change(b, &change);
	b->encap = (struct rule_encap){
		.tunnel = (uint8_t)n->of, .port = t->port, .ttl = 64, .l3 = !t->ethernet};
	b->encap_given = 0;
}

/* Takes a word of encap, each once. */
static bool encap_once(struct rule_build *b, const struct rule_node *n, enum encap_word word)
{
	bool second = b->encap_given >> word & 1;

	if (second)
		node_mistake(b, n, "a second one of this in one encap");
	b->encap_given |= 1u << word;
	return !second;
}

static void encap_address(struct rule_build *b, const struct rule_node *n, enum encap_word word)
{
	struct rule_encap *e = &b->encap;
	uint8_t *to = word == ENCAP_SRC ? e->src : e->dst;
	uint8_t family = n->net->family;

	if (e->family && e->family != family)
		node_mistake(b, n, "the tunnel's addresses are of one version, and this is %s",
			     build_ip_name(family));
	e->family = family;
	memcpy(to, n->net->addr, sizeof(e->src));
}

static void encap_id(struct rule_build *b, const struct rule_node *n)
{
	const struct tunnel_row *t = &tunnel_rows[b->encap.tunnel];
	const struct tunnel_id_row *id = &tunnel_ids[t->id];

	if (n->second != t->id)
		node_mistake(b, n, "the number of %s is its %s: write `%s 42'", t->name, id->noun,
			     id->word);
	else if (n->number > id->max)
		node_mistake(b, n, "a %s is 0 to %" PRIu64 ", not %" PRIu64, id->noun, id->max,
			     n->number);
	b->encap.id = (uint32_t)n->number;
	b->encap.has_id = true;
}

static void encap_put_mac(uint8_t *to, uint64_t mac)
{
	for (unsigned int i = 0; i < 6; i++)
		to[i] = (uint8_t)(mac >> 8 * (5 - i));
}

static void encap_option(struct rule_build *b, const struct rule_node *n)
{
	const struct rule_value *v = n->list.item;
	struct rule_encap *e = &b->encap;

	if (e->tunnel != TUNNEL_GENEVE) {
		node_mistake(b, n, "%s has no options", tunnel_rows[e->tunnel].name);
		return;
	}
	for (size_t i = 0; i < n->list.n; i++)
		if (v[i].value > v[i].mask)
			node_mistake(b, n, "an option's %s is 0 to 0x%" PRIx64 ", not 0x%" PRIx64,
				     i == 0   ? "class"
				     : i == 1 ? "type"
					      : "data",
				     v[i].mask, v[i].value);
	if (n->list.n != 3) /* no memory */
		return;
	e->has_option = true;
	e->option_class = (uint16_t)v[0].value;
	e->option_type = (uint8_t)v[1].value;
	e->option_data = (uint32_t)v[2].value;
}

void build_encap_word(struct rule_build *b, const struct rule_node *n)
{
	enum encap_word word = (enum encap_word)n->of;
	struct rule_encap *e = &b->encap;

	if (!encap_once(b, n, word))
		return;
	switch (word) {
	case ENCAP_ID:
		encap_id(b, n);
		break;
	case ENCAP_SRC:
	case ENCAP_DST:
		encap_address(b, n, word);
		break;
	case ENCAP_PORT:
		if (!e->port)
			node_mistake(b, n, "%s has no ports", tunnel_rows[e->tunnel].name);
		e->port = (uint16_t)n->number;
		if (!n->number || n->number > 0xffff)
			node_mistake(b, n, "a port is 1 to 65535, not %" PRIu64, n->number);
		break;
	case ENCAP_TTL:
		e->ttl = (uint8_t)n->number;
		if (!n->number || n->number > 255)
			node_mistake(b, n, "a TTL is 1 to 255, not %" PRIu64, n->number);
		break;
	case ENCAP_GBP:
		if (e->tunnel != TUNNEL_VXLAN)
			node_mistake(b, n, "%s has no group policy", tunnel_rows[e->tunnel].name);
		else if (n->number > VXLAN_GBP_MAX)
			node_mistake(b, n, "a group policy is 0 to %u, not %" PRIu64, VXLAN_GBP_MAX,
				     n->number);
		e->gbp = (uint16_t)n->number;
		e->has_gbp = true;
		break;
	case ENCAP_OPTION:
		encap_option(b, n);
		break;
	default:
		encap_put_mac(word == ENCAP_ETH_SRC ? e->eth_src : e->eth_dst, n->mac);
	}
}

void build_decap_mac(struct rule_build *b, const struct rule_node *n)
{
	uint8_t *header = b->change[CHANGE_DECAP].addr;

	if (b->decap_given >> n->of & 1)
		node_mistake(b, n, "a second one of this in one decap");
	b->decap_given |= 1u << n->of;
	encap_put_mac(n->of == SIDE_DST ? header : header + 6, n->mac);
}

/* --- headers ------------------------------------------------------------------------------------ */

static uint8_t *encap_put(uint8_t *to, const void *bytes, size_t n)
{
	memcpy(to, bytes, n);
	return to + n;
}

static uint8_t *encap_put_type(uint8_t *to, uint8_t version)
{
	const uint8_t type[] = {version == 4 ? 0x08 : 0x86, version == 4 ? 0x00 : 0xdd};

	return encap_put(to, type, sizeof(type));
}

/* Lengths, identification and checksum are 0: the device fills them in. */
static uint8_t *encap_put_ip(uint8_t *to, const struct rule_encap *e)
{
	const uint8_t protocol = tunnel_rows[e->tunnel].protocol;
	const uint8_t v4[12] = {0x45, 0, 0, 0, 0, 0, 0, 0, e->ttl, protocol};
	const uint8_t v6[8] = {0x60, 0, 0, 0, 0, 0, protocol, e->ttl};
	size_t n = e->family == 4 ? 4 : 16;

	to = e->family == 4 ? encap_put(to, v4, sizeof(v4)) : encap_put(to, v6, sizeof(v6));
	return encap_put(encap_put(to, e->src, n), e->dst, n);
}

static void encap_header(struct rule_encap *e, enum tunnel_inside inside)
{
	const uint8_t udp[8] = {0, 0, (uint8_t)(e->port >> 8), (uint8_t)e->port};
	uint8_t *to = encap_put(encap_put(e->header, e->eth_dst, 6), e->eth_src, 6);
	uint8_t own[TUNNEL_OWN_MOST];
	size_t n = tunnel_own_header(e, inside, own);

	to = encap_put_ip(encap_put_type(to, e->family), e);
	to = encap_put(to, udp, e->port ? sizeof(udp) : 0);
	e->bytes = (uint8_t)(encap_put(to, own, n) - e->header);
}

/* Reports the first word that is missing, if one is. */
static bool encap_complete(struct rule_build *b, const struct source_range *at)
{
	const struct tunnel_row *t = &tunnel_rows[b->encap.tunnel];
	const struct tunnel_id_row *id = &tunnel_ids[t->id];

	if (!b->encap.has_id && !t->id_optional) {
		parse_mistake(b->ps, at, "encap needs the tunnel's %s: write `%s 42' behind it",
			      id->noun, id->word);
		return false;
	}
	for (unsigned int w = 0; w < ENCAP_WORDS; w++)
		if (encap_words[w] && !(b->encap_given >> w & 1)) {
			parse_mistake(b->ps, at, "encap needs %s: write `%s' behind it",
				      w < ENCAP_ETH_SRC ? "the tunnel's two addresses"
							: "the MACs of the next hop",
				      encap_words[w]);
			return false;
		}
	return true;
}

void build_settle_encap(struct rule_build *b, const struct source_range *at)
{
	uint8_t ip = b->rule.outer.ip;

	if (!encap_complete(b, at))
		return;
	if (b->encap.l3 && ip != 4 && ip != 6)
		parse_mistake(b->ps, at,
			      "%s carries IP, so encap needs a rule for packets of one IP version: "
			      "write `ipv4' among its matches",
			      tunnel_rows[b->encap.tunnel].name);
	else
		encap_header(&b->encap, !b->encap.l3 ? INSIDE_ETHERNET
					: ip == 4    ? INSIDE_IPV4
						     : INSIDE_IPV6);
}

/* Checks an end of a tunnel that carries IP, and completes the header that packets get. */
static void settle_decap_l3(struct rule_build *b, const struct source_range *at)
{
	struct rule_change *c = &b->change[CHANGE_DECAP];
	const char *name = tunnel_rows[b->tunnel].name;

	if (b->inner.ip != 4 && b->inner.ip != 6)
		parse_mistake(b->ps, at,
			      "%s carries IP, so decap needs a rule for packets of one IP version: "
			      "write `inner ipv4' among its matches",
			      name);
	else if (b->decap_given != (1u << SIDE_SRC | 1u << SIDE_DST))
		parse_mistake(b->ps, at,
			      "packets in %s have no Ethernet header: write decap's `eth src "
			      "02:00:00:00:00:01 dst 02:00:00:00:00:02'",
			      name);
	encap_put_type(c->addr + 12, b->inner.ip);
	c->value = 14;
}

void build_settle_decap(struct rule_build *b, const struct source_range *at)
{
	const struct tunnel_row *t = &tunnel_rows[b->tunnel];
	enum tunnel_inside inside = t->ethernet	       ? INSIDE_ETHERNET
				    : b->inner.ip == 4 ? INSIDE_IPV4
						       : INSIDE_IPV6;

	if (!t->ethernet)
		settle_decap_l3(b, at);
	else if (b->decap_given)
		parse_mistake(b->ps, at, "packets in %s have an Ethernet header, which stays",
			      t->name);
	if (t->inside != RULE_KEYS)
		build_set_field(b, at, t->inside, t->value[inside], match_key_max(t->inside));
}
