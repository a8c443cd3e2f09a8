/* SPDX-License-Identifier: BSD-2-Clause */
/* Tunnels that a rule begins: the words of `encap`, and the header that they make. */
#include <inttypes.h>
#include <string.h>

#include "build.h"
#include "compile.h"

/* The tunnels that `encap` begins; the others have no name here. */
static const struct encap_row {
	bool known;
	uint8_t own[4]; /* the tunnel's header before the VNI */
} encaps[TUNNELS] = {
	[TUNNEL_VXLAN] = {true, {0x08, 0, 0, 0}},
	[TUNNEL_GENEVE] = {true, {0, 0, 0x65, 0x58}},
};

/* The words that each encap needs, by enum encap_word. */
static const char *const encap_words[ENCAP_WORDS] = {
	[ENCAP_VNI] = "vni 42",
	[ENCAP_SRC] = "src 192.0.2.1",
	[ENCAP_DST] = "dst 192.0.2.2",
	[ENCAP_ETH_SRC] = "eth src 02:00:00:00:00:01",
	[ENCAP_ETH_DST] = "eth dst 02:00:00:00:00:02",
};

void build_encap(struct rule_build *b, const struct rule_node *n)
{
	struct rule_node change = *n;

	change.of = CHANGE_ENCAP;
	if (!encaps[n->of].known)
		node_mistake(b, n, "encap begins tunnels of vxlan and geneve");
	build_change(b, &change);
	b->encap = (struct rule_encap){.port = build_tunnels[n->of].port, .ttl = 64};
	b->encap_tunnel = (enum node_tunnel)n->of;
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
	uint8_t family = n->address->ip.family;

	if (e->family && e->family != family)
		node_mistake(b, n, "the tunnel's addresses are of one version, and this is %s",
			     build_ip_name(family));
	e->family = family;
	memcpy(to, n->address->ip.addr, sizeof(e->src));
}

void build_encap_word(struct rule_build *b, const struct rule_node *n)
{
	enum encap_word word = (enum encap_word)n->of;
	struct rule_encap *e = &b->encap;

	if (!encap_once(b, n, word))
		return;
	switch (word) {
	case ENCAP_VNI:
		if (n->number > 0xffffff)
			node_mistake(b, n, "a VNI is 0 to 16777215, not %" PRIu64, n->number);
		e->vni = (uint32_t)n->number;
		break;
	case ENCAP_SRC:
	case ENCAP_DST:
		encap_address(b, n, word);
		break;
	case ENCAP_PORT:
		e->port = (uint16_t)n->number;
		if (!n->number || n->number > 0xffff)
			node_mistake(b, n, "a port is 1 to 65535, not %" PRIu64, n->number);
		break;
	case ENCAP_TTL:
		e->ttl = (uint8_t)n->number;
		if (!n->number || n->number > 255)
			node_mistake(b, n, "a TTL is 1 to 255, not %" PRIu64, n->number);
		break;
	default:
		for (unsigned int i = 0; i < 6; i++)
			(word == ENCAP_ETH_SRC ? e->eth_src : e->eth_dst)[i] =
				(uint8_t)(n->address->mac >> 8 * (5 - i));
	}
}

/* --- the header -------------------------------------------------------------------------------- */

static uint8_t *encap_put(uint8_t *to, const void *bytes, size_t n)
{
	memcpy(to, bytes, n);
	return to + n;
}

/* Lengths, identification and checksum are 0: the device fills them in. */
static uint8_t *encap_put_ip(uint8_t *to, const struct rule_encap *e)
{
	const uint8_t v4[12] = {0x45, 0, 0, 0, 0, 0, 0, 0, e->ttl, L4_UDP};
	const uint8_t v6[8] = {0x60, 0, 0, 0, 0, 0, L4_UDP, e->ttl};
	size_t n = e->family == 4 ? 4 : 16;

	to = e->family == 4 ? encap_put(to, v4, sizeof(v4)) : encap_put(to, v6, sizeof(v6));
	return encap_put(encap_put(to, e->src, n), e->dst, n);
}

static void encap_header(struct rule_encap *e, const struct encap_row *row)
{
	const uint8_t type[] = {e->family == 4 ? 0x08 : 0x86, e->family == 4 ? 0x00 : 0xdd};
	const uint8_t udp[8] = {0, 0, (uint8_t)(e->port >> 8), (uint8_t)e->port};
	const uint8_t vni[4] = {(uint8_t)(e->vni >> 16), (uint8_t)(e->vni >> 8), (uint8_t)e->vni};
	uint8_t *to = encap_put(encap_put(e->header, e->eth_dst, 6), e->eth_src, 6);

	to = encap_put_ip(encap_put(to, type, 2), e);
	to = encap_put(encap_put(to, udp, sizeof(udp)), row->own, sizeof(row->own));
	e->bytes = (uint8_t)(encap_put(to, vni, sizeof(vni)) - e->header);
}

void build_settle_encap(struct rule_build *b, const struct source_range *at)
{
	for (unsigned int w = 0; w < ENCAP_WORDS; w++)
		if (encap_words[w] && !(b->encap_given >> w & 1)) {
			parse_mistake(b->ps, at, "encap needs %s: write `%s' behind it",
				      w == ENCAP_VNI	  ? "the tunnel's VNI"
				      : w < ENCAP_ETH_SRC ? "the tunnel's two addresses"
							  : "the MACs of the next hop",
				      encap_words[w]);
			return;
		}
	encap_header(&b->encap, &encaps[b->encap_tunnel]);
}
