/* SPDX-License-Identifier: BSD-2-Clause */
#include "tunnels.h"

const struct tunnel_id_row tunnel_ids[TUNNEL_IDS] = {
	[TUNNEL_VNI] = {"vni", "VNI", 0xffffff},
	[TUNNEL_TEID] = {"teid", "TEID", 0xffffffff},
	[TUNNEL_KEY] = {"key", "key", 0xffffffff},
	[TUNNEL_LABEL] = {"label", "label", 0xfffff},
};

/* Headers: RFC 7348, draft-ietf-nvo3-vxlan-gpe, RFC 8926, 7637, 2890, 3032; 3GPP TS 29.281. */
const struct tunnel_row tunnel_rows[TUNNELS] = {
	[TUNNEL_VXLAN] = {.name = "vxlan",
			  .ifaces = "vxlan",
			  .protocol = L4_UDP,
			  .port = 4789,
			  .ethernet = true,
			  .id = TUNNEL_VNI,
			  .key = KEY_VXLAN_VNI,
			  .inside = RULE_KEYS,
			  .first = 0x08000000,
			  .id_low = 8},
	[TUNNEL_GPE] = {.name = "vxlan-gpe",
			.protocol = L4_UDP,
			.port = 4790,
			.ethernet = true,
			.id = TUNNEL_VNI,
			.key = KEY_GPE_VNI,
			.inside = KEY_GPE_NEXT,
			.value = {3, 1, 2},
			.first = 0x0c000000,
			.id_low = 8},
	[TUNNEL_GENEVE] = {.name = "geneve",
			   .ifaces = "gene",
			   .protocol = L4_UDP,
			   .port = 6081,
			   .ethernet = true,
			   .id = TUNNEL_VNI,
			   .key = KEY_GENEVE_VNI,
			   .inside = KEY_GENEVE_PROTO,
			   .value = {TUNNEL_BRIDGED, 0x0800, 0x86dd},
			   .id_low = 8},
	[TUNNEL_NVGRE] = {.name = "nvgre",
			  .protocol = TUNNEL_GRE_PROTO,
			  .ethernet = true,
			  .id = TUNNEL_VNI,
			  .key = KEY_GRE_KEY,
			  .low = 8,
			  .inside = KEY_GRE_PROTO,
			  .value = {TUNNEL_BRIDGED},
			  .has_id = 0x20000000,
			  .id_low = 8},
	[TUNNEL_GRETAP] = {.name = "gretap",
			   .ifaces = "gretap gre_sys",
			   .protocol = TUNNEL_GRE_PROTO,
			   .ethernet = true,
			   .id = TUNNEL_KEY,
			   .key = KEY_GRE_KEY,
			   .inside = KEY_GRE_PROTO,
			   .value = {TUNNEL_BRIDGED},
			   .has_id = 0x20000000,
			   .id_optional = true},
	[TUNNEL_GRE] = {.name = "gre",
			.protocol = TUNNEL_GRE_PROTO,
			.id = TUNNEL_KEY,
			.key = KEY_GRE_KEY,
			.inside = KEY_GRE_PROTO,
			.value = {0, 0x0800, 0x86dd},
			.has_id = 0x20000000,
			.id_optional = true},
	[TUNNEL_GTPU] = {.name = "gtpu",
			 .protocol = L4_UDP,
			 .port = 2152,
			 .id = TUNNEL_TEID,
			 .key = KEY_GTPU_TEID,
			 .inside = RULE_KEYS,
			 .no_encap =
				 "GTP-U's header has a length, which the device does not fill in"},
	[TUNNEL_MPLSOUDP] = {.name = "mplsoudp",
			     .protocol = L4_UDP,
			     .port = 6635,
			     .id = TUNNEL_LABEL,
			     .inside = RULE_KEYS,
			     .first = 0x00000140, /* bottom of the stack, TTL 64 */
			     .id_first = true,
			     .id_low = 12,
			     .no_id = "labels behind UDP are not compared"},
};

static void tunnel_put32(uint8_t *to, uint32_t v)
{
	for (unsigned int i = 0; i < 4; i++)
		to[i] = (uint8_t)(v >> (24 - 8 * i));
}

/* Adds an option of one word behind Geneve's header. Returns the bits of the first word. */
static uint32_t tunnel_put_option(const struct rule_encap *e, uint8_t *to)
{
	tunnel_put32(to, (uint32_t)e->option_class << 16 | (uint32_t)e->option_type << 8 | 1);
	tunnel_put32(to + 4, e->option_data);
	return GENEVE_OPTIONS(2) | (e->option_type & GENEVE_OPTION_CRITICAL ? GENEVE_CRITICAL : 0);
}

size_t tunnel_own_header(const struct rule_encap *e, enum tunnel_inside inside,
			 uint8_t bytes[TUNNEL_OWN_MOST])
{
	const struct tunnel_row *t = &tunnel_rows[e->tunnel];
	uint32_t first = t->first | t->value[inside] | (e->has_id ? t->has_id : 0);

	first |= e->has_gbp ? VXLAN_HAS_GBP | e->gbp : 0;
	first |= e->has_option ? tunnel_put_option(e, bytes + 8) : 0;
	tunnel_put32(bytes, t->id_first ? first | e->id << t->id_low : first);
	tunnel_put32(bytes + 4, e->id << t->id_low);
	return t->id_first || !e->has_id ? 4 : e->has_option ? 16 : 8;
}
