/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The fields that firmware's tables match, each with where a packet has it. One list fills a
 * packet's parameters, and says what a mask may ask for.
 */
#include <string.h>
#include <dvx/prm/match.h>
#include "params.h"
#include "prm/reflect.h"
#include "steer.h"

#define PART(i) ((i)*FLOW_PART_BYTES)
enum { OUTER, MISC, INNER, MISC2, MISC3 };

#define VPORT_OWN    0	    /* a function's own vport, as it calls it */
#define VPORT_UPLINK 0xffff /* [I] the port, as the e-switch calls it */

/* What the fields below are taken from. Bytes that a packet hasn't are those of `none`. */
struct view {
	const struct packet *p;
	const struct packet_headers *h;
	const uint8_t *l2;
	bool tcp, udp;
};

static const uint8_t none[12];

static struct view view_of(const struct packet *p, const struct packet_headers *h)
{
	return (struct view){
		.p = p,
		.h = h,
		.l2 = h->ethernet ? p->data + h->l2 : none,
		.tcp = h->l4_type == PACKET_TCP,
		.udp = h->l4_type == PACKET_UDP,
	};
}

#define LAYERS(F)                                        \
	F(lyr_2_4, smac_47_16, packet_load32(v->l2 + 6)) \
	F(lyr_2_4, smac_15_0, packet_load16(v->l2 + 10)) \
	F(lyr_2_4, ethertype, v->h->ethertype)           \
	F(lyr_2_4, dmac_47_16, packet_load32(v->l2))     \
	F(lyr_2_4, dmac_15_0, packet_load16(v->l2 + 4))  \
	F(lyr_2_4, first_prio, v->h->vlan[0] >> 13)      \
	F(lyr_2_4, first_cfi, v->h->vlan[0] >> 12 & 1)   \
	F(lyr_2_4, first_vid, v->h->vlan[0] & 0xfffu)    \
	F(lyr_2_4, ip_protocol, v->h->ip_protocol)       \
	F(lyr_2_4, ip_dscp, v->h->dscp)                  \
	F(lyr_2_4, ip_ecn, v->h->ecn)                    \
	F(lyr_2_4, cvlan_tag, v->h->cvlan)               \
	F(lyr_2_4, svlan_tag, v->h->svlan)               \
	F(lyr_2_4, frag, v->h->frag)                     \
	F(lyr_2_4, ip_version, v->h->ip_version)         \
	F(lyr_2_4, tcp_flags, v->h->tcp_flags)           \
	F(lyr_2_4, tcp_sport, v->tcp ? v->h->sport : 0u) \
	F(lyr_2_4, tcp_dport, v->tcp ? v->h->dport : 0u) \
	F(lyr_2_4, ttl_hoplimit, v->h->ttl)              \
	F(lyr_2_4, udp_sport, v->udp ? v->h->sport : 0u) \
	F(lyr_2_4, udp_dport, v->udp ? v->h->dport : 0u)

/* Of the tunnel's header, if it is of this kind. */
static const uint8_t *params_tunnel_header(const struct view *v, enum packet_tunnel kind)
{
	return v->p->tunnel == kind ? v->p->data + v->p->tunnel_at : none;
}

#define TUNNEL(kind, load, at) load(params_tunnel_header(v, PACKET_##kind) + (at))
#define VNI(kind)	       (v->p->tunnel == PACKET_##kind ? v->p->tunnel_vni : 0u)

/* Checksum, key and sequence number. */
static unsigned int gre_bit(const struct view *v, unsigned int bit)
{
	return (unsigned int)*params_tunnel_header(v, PACKET_GRE) >> bit & 1;
}

#define MISC_FIELDS(F)                                                                        \
	F(misc, gre_c_present, gre_bit(v, 7))                                                 \
	F(misc, gre_k_present, gre_bit(v, 5))                                                 \
	F(misc, gre_s_present, gre_bit(v, 4))                                                 \
	F(misc, source_sqn, v->p->source_sqn)                                                 \
	F(misc, source_port, v->p->source_vhca == STEER_FROM_WIRE ? VPORT_UPLINK : VPORT_OWN) \
	F(misc, outer_second_prio, v->h->vlan[1] >> 13)                                       \
	F(misc, outer_second_cfi, v->h->vlan[1] >> 12 & 1)                                    \
	F(misc, outer_second_vid, v->h->vlan[1] & 0xfffu)                                     \
	F(misc, outer_second_cvlan_tag, v->h->cvlan2)                                         \
	F(misc, outer_second_svlan_tag, v->h->svlan2)                                         \
	F(misc, inner_second_prio, v->p->inner.vlan[1] >> 13)                                 \
	F(misc, inner_second_cfi, v->p->inner.vlan[1] >> 12 & 1)                              \
	F(misc, inner_second_vid, v->p->inner.vlan[1] & 0xfffu)                               \
	F(misc, inner_second_cvlan_tag, v->p->inner.cvlan2)                                   \
	F(misc, inner_second_svlan_tag, v->p->inner.svlan2)                                   \
	F(misc, gre_protocol, TUNNEL(GRE, packet_load16, 2))                                  \
	F(misc, vxlan_vni, VNI(VXLAN))                                                        \
	F(misc, geneve_vni, VNI(GENEVE))                                                      \
	F(misc, geneve_oam, TUNNEL(GENEVE, *, 1) >> 7)                                        \
	F(misc, geneve_opt_len, TUNNEL(GENEVE, *, 0) & 0x3fu)                                 \
	F(misc, geneve_protocol_type, TUNNEL(GENEVE, packet_load16, 2))                       \
	F(misc, outer_ipv6_flow_label, v->h->flow_label)                                      \
	F(misc, inner_ipv6_flow_label, v->p->inner.flow_label)

#define MISC2_FIELDS(F)                            \
	F(misc2, metadata_reg_c_7, v->p->reg_c[7]) \
	F(misc2, metadata_reg_c_6, v->p->reg_c[6]) \
	F(misc2, metadata_reg_c_5, v->p->reg_c[5]) \
	F(misc2, metadata_reg_c_4, v->p->reg_c[4]) \
	F(misc2, metadata_reg_c_3, v->p->reg_c[3]) \
	F(misc2, metadata_reg_c_2, v->p->reg_c[2]) \
	F(misc2, metadata_reg_c_1, v->p->reg_c[1]) \
	F(misc2, metadata_reg_c_0, v->p->reg_c[0]) \
	F(misc2, metadata_reg_a, v->p->reg_a)

#define TCP_WORD(headers, at) \
	((headers).l4_type == PACKET_TCP ? packet_load32(v->p->data + (headers).l4 + (at)) : 0u)

/* Of the outer ICMP header of this kind, which has 8 bytes. */
#define ICMP(kind, load, at) (v->h->l4_type == (kind) ? load(v->p->data + v->h->l4 + (at)) : 0u)

#define MISC3_FIELDS(F)                                                    \
	F(misc3, outer_vxlan_gpe_vni, VNI(VXLAN_GPE))                      \
	F(misc3, outer_vxlan_gpe_next_protocol, TUNNEL(VXLAN_GPE, *, 3))   \
	F(misc3, outer_vxlan_gpe_flags, TUNNEL(VXLAN_GPE, *, 0))           \
	F(misc3, outer_tcp_seq_num, TCP_WORD(v->p->outer, 4))              \
	F(misc3, outer_tcp_ack_num, TCP_WORD(v->p->outer, 8))              \
	F(misc3, inner_tcp_seq_num, TCP_WORD(v->p->inner, 4))              \
	F(misc3, inner_tcp_ack_num, TCP_WORD(v->p->inner, 8))              \
	F(misc3, icmp_header_data, ICMP(PACKET_ICMP, packet_load32, 4))    \
	F(misc3, icmpv6_header_data, ICMP(PACKET_ICMP6, packet_load32, 4)) \
	F(misc3, icmp_type, ICMP(PACKET_ICMP, *, 0))                       \
	F(misc3, icmp_code, ICMP(PACKET_ICMP, *, 1))                       \
	F(misc3, icmpv6_type, ICMP(PACKET_ICMP6, *, 0))                    \
	F(misc3, icmpv6_code, ICMP(PACKET_ICMP6, *, 1))

/* --- filling -------------------------------------------------------------------------------- */

static void fill_addresses(const struct view *v, void *to)
{
	const uint8_t *ip = v->p->data + v->h->l3;
	void *src = prm_fte_match_set_lyr_2_4_at_src_ipv4_src_ipv6(to);
	void *dst = prm_fte_match_set_lyr_2_4_at_dst_ipv4_dst_ipv6(to);

	if (v->h->ip_version == 4) {
		prm_ipv4_layout_set_ipv4(src, packet_load32(ip + 12));
		prm_ipv4_layout_set_ipv4(dst, packet_load32(ip + 16));
	} else if (v->h->ip_version == 6) {
		memcpy(src, ip + 8, 16);
		memcpy(dst, ip + 24, 16);
	}
}

#define SET(part, name, value) prm_fte_match_set_##part##_set_##name(to, (value));

static void fill_layers(const struct view *v, void *to)
{
	LAYERS(SET)
	fill_addresses(v, to);
}

static void fill_misc(const struct view *v, void *to)
{
	MISC_FIELDS(SET)
	prm_gre_key_set_key(prm_fte_match_set_misc_at_gre_key(to), v->p->gre_key);
}

static void fill_mpls(const struct packet *p, const struct packet_headers *h, uint8_t *to)
{
	if (h->labels)
		memcpy(to, p->data + h->mpls, PRM_FTE_MATCH_MPLS_BYTES);
}

static void fill_misc2(const struct view *v, void *to)
{
	MISC2_FIELDS(SET)
	fill_mpls(v->p, &v->p->outer, prm_fte_match_set_misc2_at_outer_first_mpls(to));
	fill_mpls(v->p, &v->p->inner, prm_fte_match_set_misc2_at_inner_first_mpls(to));
}

static void fill_misc3(const struct view *v, void *to)
{
	MISC3_FIELDS(SET)
}

void params_fill(struct params *ps, const struct packet *p, uint8_t enable)
{
	uint8_t todo = enable & (uint8_t)~ps->filled;
	uint8_t *to = (uint8_t *)ps->words;
	const struct view outer = view_of(p, &p->outer);

	if (!todo)
		return;
	for (unsigned int i = 0; i < FLOW_PARTS; i++) {
		if (todo >> i & 1)
			memset(to + PART(i), 0, FLOW_PART_BYTES);
	}
	if (todo >> OUTER & 1)
		fill_layers(&outer, to + PART(OUTER));
	if (todo >> MISC & 1)
		fill_misc(&outer, to + PART(MISC));
	if (todo >> INNER & 1 && p->inner.present) {
		const struct view inner = view_of(p, &p->inner);

		fill_layers(&inner, to + PART(INNER));
	}
	if (todo >> MISC2 & 1)
		fill_misc2(&outer, to + PART(MISC2));
	if (todo >> MISC3 & 1)
		fill_misc3(&outer, to + PART(MISC3));
	ps->filled |= todo;
}

/* --- what a mask may ask for ---------------------------------------------------------------- */

static void params_allow(uint8_t *part, const char *layout, const char *field)
{
	const struct prm_struct *s = prm_find_struct(layout);
	uint64_t bit = 0;
	const struct prm_field *f = s ? prm_find_field(s, field, &bit) : NULL;

	for (uint32_t i = 0; f && i < f->width; i++)
		prm_bits_set(part, bit + i, 1, 1);
}

#define ALLOW(part, name, value) params_allow(to, "fte_match_set_" #part, #name);

static void allow_layers(uint8_t *to)
{
	LAYERS(ALLOW)
	params_allow(to, "fte_match_set_lyr_2_4", "src_ipv4_src_ipv6");
	params_allow(to, "fte_match_set_lyr_2_4", "dst_ipv4_dst_ipv6");
}

static void allow_misc(uint8_t *to)
{
	MISC_FIELDS(ALLOW)
	params_allow(to, "fte_match_set_misc", "gre_key");
}

static void allow_misc2(uint8_t *to)
{
	MISC2_FIELDS(ALLOW)
	params_allow(to, "fte_match_set_misc2", "outer_first_mpls");
	params_allow(to, "fte_match_set_misc2", "inner_first_mpls");
}

static void allow_misc3(uint8_t *to)
{
	MISC3_FIELDS(ALLOW)
}

void params_supported(uint8_t mask[FLOW_PARAM_BYTES])
{
	memset(mask, 0, FLOW_PARAM_BYTES);
	allow_layers(mask + PART(OUTER));
	allow_misc(mask + PART(MISC));
	allow_layers(mask + PART(INNER));
	allow_misc2(mask + PART(MISC2));
	allow_misc3(mask + PART(MISC3));
}

/* The name of the field of fte_match_param that holds a bit. */
static const char *params_field_at(uint32_t bit)
{
	const struct prm_struct *s = prm_find_struct("fte_match_param");
	const char *name = "a reserved bit";

	for (size_t i = 0; s && i < s->field_count; i++) {
		const struct prm_field *f = &s->fields[i];

		if (bit < f->offset || bit >= f->offset + f->width)
			continue;
		name = f->name;
		bit -= f->offset;
		s = f->type;
		i = (size_t)-1;
	}
	return name;
}

const char *params_unsupported(const uint8_t criteria[FLOW_PARAM_BYTES], uint8_t enable)
{
	uint8_t supported[FLOW_PARAM_BYTES];

	params_supported(supported);
	for (uint32_t i = 0; i < FLOW_PARAM_BYTES; i++) {
		uint8_t wrong = criteria[i] & (uint8_t)~supported[i];

		if (wrong && enable >> i / FLOW_PART_BYTES & 1)
			return params_field_at(i * 8 + (uint32_t)__builtin_clz(wrong) - 24);
	}
	return NULL;
}
