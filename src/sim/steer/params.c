/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Fields that firmware's tables match, and where a packet has them. One list fills a packet's
 * parameters and defines the valid bits of a mask.
 */
#include <string.h>
#include <dvx/prm/match.h>
#include "params.h"
#include "prm/reflect.h"
#include "steer.h"

#define PART(i) ((i)*FLOW_PART_BYTES)
enum { OUTER, MISC, INNER, MISC2, MISC3 };

#define VPORT_OWN    0	    /* number that a function uses for its own vport */
#define VPORT_UPLINK 0xffff /* [I] number that the e-switch uses for the port */

/* Source of the fields below. Bytes that the packet lacks are read from `none`. */
struct packet_view {
	const struct packet *p;
	const struct packet_headers *h;
	const uint8_t *l2;
	bool tcp, udp;
};

static const uint8_t none[12];

static struct packet_view view_of(const struct packet *p, const struct packet_headers *h)
{
	return (struct packet_view){
		.p = p,
		.h = h,
		.l2 = h->ethernet ? p->data + h->l2 : none,
		.tcp = h->l4_type == PACKET_TCP,
		.udp = h->l4_type == PACKET_UDP,
	};
}

/*
 * Values of a packet for the match fields of these structures. Each field of the list needs a line
 * here, or it does not compile.
 */
#define OF_smac		(v->l2 + 6)
#define OF_dmac		(v->l2)
#define OF_ethertype	v->h->ethertype
#define OF_first_prio	v->h->vlan[0] >> 13
#define OF_first_cfi	v->h->vlan[0] >> 12 & 1
#define OF_first_vid	v->h->vlan[0] & 0xfffu
#define OF_ip_protocol	v->h->ip_protocol
#define OF_ip_dscp	v->h->dscp
#define OF_ip_ecn	v->h->ecn
#define OF_cvlan_tag	v->h->cvlan
#define OF_svlan_tag	v->h->svlan
#define OF_frag		v->h->frag
#define OF_ip_version	v->h->ip_version
#define OF_tcp_flags	v->h->tcp_flags
#define OF_tcp_sport	v->tcp ? v->h->sport : 0u
#define OF_tcp_dport	v->tcp ? v->h->dport : 0u
#define OF_ttl_hoplimit v->h->ttl
#define OF_udp_sport	v->udp ? v->h->sport : 0u
#define OF_udp_dport	v->udp ? v->h->dport : 0u

/* Returns the header of a tunnel of this kind; zeros if there is none. */
static const uint8_t *params_tunnel_header(const struct packet_view *v, enum packet_tunnel kind)
{
	return v->p->tunnel == kind ? v->p->data + v->p->tunnel_at : none;
}

#define TUNNEL(kind, load, at) load(params_tunnel_header(v, PACKET_##kind) + (at))
#define VNI(kind)	       (v->p->tunnel == PACKET_##kind ? v->p->tunnel_vni : 0u)

/* Returns a GRE flag: checksum, key or sequence number. */
static unsigned int gre_bit(const struct packet_view *v, unsigned int bit)
{
	return (unsigned int)*params_tunnel_header(v, PACKET_GRE) >> bit & 1;
}

#define OF_gre_c_present	gre_bit(v, 7)
#define OF_gre_k_present	gre_bit(v, 5)
#define OF_gre_s_present	gre_bit(v, 4)
#define OF_source_sqn		v->p->source_sqn
#define OF_source_port		v->p->source_vhca == STEER_FROM_WIRE ? VPORT_UPLINK : VPORT_OWN
#define OF_gre_protocol		TUNNEL(GRE, packet_load16, 2)
#define OF_vxlan_vni		VNI(VXLAN)
#define OF_geneve_vni		VNI(GENEVE)
#define OF_geneve_oam		TUNNEL(GENEVE, *, 1) >> 7
#define OF_geneve_opt_len	TUNNEL(GENEVE, *, 0) & 0x3fu
#define OF_geneve_protocol_type TUNNEL(GENEVE, packet_load16, 2)

/* Values of the outer or the inner headers. */
#define OF_second_prio(h)      (h).vlan[1] >> 13
#define OF_second_cfi(h)       (h).vlan[1] >> 12 & 1
#define OF_second_vid(h)       (h).vlan[1] & 0xfffu
#define OF_second_cvlan_tag(h) (h).cvlan2
#define OF_second_svlan_tag(h) (h).svlan2
#define OF_ipv6_flow_label(h)  (h).flow_label

#define OF_metadata_reg_c_7    v->p->reg_c[7]
#define OF_metadata_reg_c_6    v->p->reg_c[6]
#define OF_metadata_reg_c_5    v->p->reg_c[5]
#define OF_metadata_reg_c_4    v->p->reg_c[4]
#define OF_metadata_reg_c_3    v->p->reg_c[3]
#define OF_metadata_reg_c_2    v->p->reg_c[2]
#define OF_metadata_reg_c_1    v->p->reg_c[1]
#define OF_metadata_reg_c_0    v->p->reg_c[0]
#define OF_metadata_reg_a      v->p->reg_a

#define TCP_WORD(headers, at) \
	((headers).l4_type == PACKET_TCP ? packet_load32(v->p->data + (headers).l4 + (at)) : 0u)

/* Values of the outer ICMP header of this kind, which has 8 bytes. */
#define ICMP(kind, load, at)		 (v->h->l4_type == (kind) ? load(v->p->data + v->h->l4 + (at)) : 0u)

#define OF_outer_vxlan_gpe_vni		 VNI(VXLAN_GPE)
#define OF_outer_vxlan_gpe_next_protocol TUNNEL(VXLAN_GPE, *, 3)
#define OF_outer_vxlan_gpe_flags	 TUNNEL(VXLAN_GPE, *, 0)
#define OF_tcp_seq_num(h)		 TCP_WORD(h, 4)
#define OF_tcp_ack_num(h)		 TCP_WORD(h, 8)
#define OF_icmp_header_data		 ICMP(PACKET_ICMP, packet_load32, 4)
#define OF_icmpv6_header_data		 ICMP(PACKET_ICMP6, packet_load32, 4)
#define OF_icmp_type			 ICMP(PACKET_ICMP, *, 0)
#define OF_icmp_code			 ICMP(PACKET_ICMP, *, 1)
#define OF_icmpv6_type			 ICMP(PACKET_ICMP6, *, 0)
#define OF_icmpv6_code			 ICMP(PACKET_ICMP6, *, 1)

/* --- filling -------------------------------------------------------------------------------- */

static void fill_addresses(const struct packet_view *v, void *to)
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

static void fill_layers(const struct packet_view *v, void *to)
{
#define HEADER(kind, field, ...) prm_fte_match_set_lyr_2_4_set_##field(to, OF_##field);
#define MAC(kind, field, ...)                                                         \
	prm_fte_match_set_lyr_2_4_set_##field##_47_16(to, packet_load32(OF_##field)); \
	prm_fte_match_set_lyr_2_4_set_##field##_15_0(to, packet_load16(OF_##field + 4));
#include "prm/match_fields.def"
	fill_addresses(v, to);
}

static void fill_misc(const struct packet_view *v, void *to)
{
#define MISC(kind, field, ...) prm_fte_match_set_misc_set_##field(to, OF_##field);
#define MISC_PAIR(kind, field, ...)                                      \
	prm_fte_match_set_misc_set_outer_##field(to, OF_##field(*v->h)); \
	prm_fte_match_set_misc_set_inner_##field(to, OF_##field(v->p->inner));
#define GRE(kind, field, ...) \
	prm_gre_key_set_##field(prm_fte_match_set_misc_at_gre_key(to), v->p->gre_##field);
#include "prm/match_fields.def"
}

static void fill_mpls(const struct packet *p, const struct packet_headers *h, uint8_t *to)
{
	if (h->labels)
		memcpy(to, p->data + h->mpls, PRM_FTE_MATCH_MPLS_BYTES);
}

static void fill_misc2(const struct packet_view *v, void *to)
{
#define MISC2(kind, field, ...) prm_fte_match_set_misc2_set_##field(to, OF_##field);
#include "prm/match_fields.def"
	fill_mpls(v->p, &v->p->outer, prm_fte_match_set_misc2_at_outer_first_mpls(to));
	fill_mpls(v->p, &v->p->inner, prm_fte_match_set_misc2_at_inner_first_mpls(to));
}

static void fill_misc3(const struct packet_view *v, void *to)
{
#define MISC3(kind, field, ...) prm_fte_match_set_misc3_set_##field(to, OF_##field);
#define MISC3_PAIR(kind, field, ...)                                      \
	prm_fte_match_set_misc3_set_outer_##field(to, OF_##field(*v->h)); \
	prm_fte_match_set_misc3_set_inner_##field(to, OF_##field(v->p->inner));
#include "prm/match_fields.def"
}

void params_fill(struct match_params *ps, const struct packet *p, uint8_t enable)
{
	uint8_t todo = enable & (uint8_t)~ps->filled;
	uint8_t *to = (uint8_t *)ps->words;
	const struct packet_view outer = view_of(p, &p->outer);

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
		const struct packet_view inner = view_of(p, &p->inner);

		fill_layers(&inner, to + PART(INNER));
	}
	if (todo >> MISC2 & 1)
		fill_misc2(&outer, to + PART(MISC2));
	if (todo >> MISC3 & 1)
		fill_misc3(&outer, to + PART(MISC3));
	ps->filled |= todo;
}

/* --- the bits that a mask may have ---------------------------------------------------------- */

static void params_allow(uint8_t *mask, const char *path, unsigned int bits)
{
	uint64_t bit;

	if (prm_find_field(prm_find_struct("fte_match_param"), path, &bit))
		prm_bits_set(mask, bit, bits, UINT64_MAX);
}

void params_supported(uint8_t mask[FLOW_PARAM_BYTES])
{
	memset(mask, 0, FLOW_PARAM_BYTES);
#define RULE_LAYER_FIELD(before, after, bits, ...)      \
	params_allow(mask, before "outer" after, bits); \
	params_allow(mask, before "inner" after, bits);
#define DEVICE_LAYER_FIELD		     RULE_LAYER_FIELD
#define IMPLIED				     RULE_LAYER_FIELD
#define RULE_FIELD(before, after, bits, ...) params_allow(mask, before after, bits);
#define DEVICE_FIELD			     RULE_FIELD
#include "prm/match_fields.def"
}

/* Returns the name of the fte_match_param field that holds a bit. */
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
