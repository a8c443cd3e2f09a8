/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Tags of version 1: 16 bytes of packet fields, in the layout of a lookup type (prm/ste1.prm).
 * Fields of a header that the packet lacks are 0. [I] An IPv4 tag has no field of an IPv6 packet,
 * not even its ports, and an IPv6 tag has none of an IPv4 packet.
 */
#include <string.h>
#include "definer.h"
#include "steer/flex.h"
#include "steer/priv.h"
#include "tag.h"
#include "v1.h"

#define TCP_SEQ	    4u
#define TCP_ACK	    8u
#define TCP_WINDOW  14u
#define TCP_CSUM    16u
#define TCP_URGENT  18u
#define IPV6_SRC    8u
#define IPV6_DST    24u
#define IPV6_LEN    4u
#define VXLAN_VNI   4u /* with the byte behind it */
#define MAC_BYTES   6u
#define GRE_WORD    4u
#define GRE_R	    0x40
#define LABEL_BYTES 4u
#define BTH_BYTES   12u
#define ROCE_PORT   4791

static uint32_t priority(uint16_t tci)
{
	return tci >> 13;
}

static uint32_t cfi(uint16_t tci)
{
	return tci >> 12 & 1;
}

static uint32_t vid(uint16_t tci)
{
	return tci & 0xfff;
}

static const uint8_t *v1_tag_bytes_at(const struct packet *p, uint32_t at)
{
	return p->data + at;
}

/* Returns both MACs, destination first; zeros if there is no Ethernet header. */
static const uint8_t *macs(const struct packet *p, const struct packet_headers *h)
{
	static const uint8_t none[2 * MAC_BYTES];

	return h->ethernet ? v1_tag_bytes_at(p, h->l2) : none;
}

/* --- layer 2 ------------------------------------------------------------------------------- */

/* Tags of source and destination MAC differ in nothing but the address. */
_Static_assert(PRM_STE_ETH_L2_SRC_V1_BYTES == PRM_STE_ETH_L2_DST_V1_BYTES, "one layout for both");

static void l2_common(const struct packet_headers *h, uint8_t *tag)
{
	prm_ste_eth_l2_dst_v1_set_ip_fragmented(tag, h->frag);
	prm_ste_eth_l2_dst_v1_set_l3_type(tag, tag_l3_type(h));
	prm_ste_eth_l2_dst_v1_set_l4_type(tag, tag_l4_type(h));
	prm_ste_eth_l2_dst_v1_set_l3_ethertype(tag, h->ethertype);
	prm_ste_eth_l2_dst_v1_set_tcp_syn(tag, h->tcp_flags >> 1 & 1);
	prm_ste_eth_l2_dst_v1_set_l2_ok(tag, h->ethernet);
	prm_ste_eth_l2_dst_v1_set_l3_ok(tag, h->l3_ok);
	prm_ste_eth_l2_dst_v1_set_first_vlan_qualifier(tag, tag_vlan_kind(h->svlan, h->cvlan));
	prm_ste_eth_l2_dst_v1_set_first_priority(tag, priority(h->vlan[0]));
	prm_ste_eth_l2_dst_v1_set_first_cfi(tag, cfi(h->vlan[0]));
	prm_ste_eth_l2_dst_v1_set_first_vlan_id(tag, vid(h->vlan[0]));
	prm_ste_eth_l2_dst_v1_set_second_vlan_qualifier(tag, tag_vlan_kind(h->svlan2, h->cvlan2));
	prm_ste_eth_l2_dst_v1_set_second_priority(tag, priority(h->vlan[1]));
	prm_ste_eth_l2_dst_v1_set_second_cfi(tag, cfi(h->vlan[1]));
	prm_ste_eth_l2_dst_v1_set_second_vlan_id(tag, vid(h->vlan[1]));
}

static void l2_dst(const struct packet *p, const struct packet_headers *h, uint8_t *tag)
{
	const uint8_t *mac = macs(p, h);

	l2_common(h, tag);
	prm_ste_eth_l2_dst_v1_set_dmac_47_16(tag, packet_load32(mac));
	prm_ste_eth_l2_dst_v1_set_dmac_15_0(tag, packet_load16(mac + 4));
}

static void l2_src(const struct packet *p, const struct packet_headers *h, uint8_t *tag)
{
	const uint8_t *mac = macs(p, h) + MAC_BYTES;

	l2_common(h, tag);
	prm_ste_eth_l2_src_v1_set_smac_47_16(tag, packet_load32(mac));
	prm_ste_eth_l2_src_v1_set_smac_15_0(tag, packet_load16(mac + 4));
}

static void l2_src_dst(const struct packet *p, const struct packet_headers *h, uint8_t *tag)
{
	const uint8_t *mac = macs(p, h);

	prm_ste_eth_l2_src_dst_v1_set_dmac_47_16(tag, packet_load32(mac));
	prm_ste_eth_l2_src_dst_v1_set_dmac_15_0(tag, packet_load16(mac + 4));
	prm_ste_eth_l2_src_dst_v1_set_smac_47_16(tag, packet_load32(mac + 6));
	prm_ste_eth_l2_src_dst_v1_set_smac_15_0(tag, packet_load16(mac + 10));
	prm_ste_eth_l2_src_dst_v1_set_l3_type(tag, tag_l3_type(h));
	prm_ste_eth_l2_src_dst_v1_set_first_vlan_qualifier(tag, tag_vlan_kind(h->svlan, h->cvlan));
	prm_ste_eth_l2_src_dst_v1_set_first_priority(tag, priority(h->vlan[0]));
	prm_ste_eth_l2_src_dst_v1_set_first_cfi(tag, cfi(h->vlan[0]));
	prm_ste_eth_l2_src_dst_v1_set_first_vlan_id(tag, vid(h->vlan[0]));
}

/*
 * Fills the tag of the inner Ethernet header and the tunnel's network id. [I] Only VXLAN's: the tag
 * serves vxlan_vni, and an id of Geneve or NVGRE would be another field.
 */
static void l2_tnl(const struct steer_walk *w, uint8_t *tag)
{
	const struct packet *p = w->packet;
	const struct packet_headers *h = &p->inner;
	const uint8_t *mac = macs(p, h);

	if (p->tunnel == PACKET_VXLAN)
		prm_ste_eth_l2_tnl_v1_set_l2_tunneling_network_id(
			tag, packet_load32(v1_tag_bytes_at(p, p->tunnel_at) + VXLAN_VNI));
	prm_ste_eth_l2_tnl_v1_set_dmac_47_16(tag, packet_load32(mac));
	prm_ste_eth_l2_tnl_v1_set_dmac_15_0(tag, packet_load16(mac + 4));
	prm_ste_eth_l2_tnl_v1_set_l3_ethertype(tag, h->ethertype);
	prm_ste_eth_l2_tnl_v1_set_ip_fragmented(tag, h->frag);
	prm_ste_eth_l2_tnl_v1_set_encp_type(tag, tag_encapsulation(p));
	prm_ste_eth_l2_tnl_v1_set_l3_type(tag, tag_l3_type(h));
	prm_ste_eth_l2_tnl_v1_set_l4_type(tag, tag_l4_type(h));
	prm_ste_eth_l2_tnl_v1_set_first_vlan_qualifier(tag, tag_vlan_kind(h->svlan, h->cvlan));
	prm_ste_eth_l2_tnl_v1_set_first_priority(tag, priority(h->vlan[0]));
	prm_ste_eth_l2_tnl_v1_set_first_cfi(tag, cfi(h->vlan[0]));
	prm_ste_eth_l2_tnl_v1_set_first_vlan_id(tag, vid(h->vlan[0]));
}

/* --- MPLS ---------------------------------------------------------------------------------- */

/*
 * Returns the bits of labels 0 to 4: present and bottom of stack for each, and above them mpls_ok.
 */
static uint32_t mpls_bits(const uint8_t *stack, unsigned int labels)
{
	uint32_t bits = 0, bottom = 0;

	for (unsigned int i = 0; i < labels; i++) {
		bottom = stack[LABEL_BYTES * i + 2] & 1;
		bits |= (1u | bottom << 1) << 2 * i;
	}
	return bits | bottom << 2 * PACKET_LABELS;
}

static void mpls(const struct packet *p, const struct packet_headers *h, uint8_t *tag)
{
	const uint8_t *stack = v1_tag_bytes_at(p, h->mpls);
	unsigned int room = PRM_STE_MPLS_V1_BYTES / LABEL_BYTES - 1;

	if (!h->labels)
		return;
	prm_store32(tag, 0, mpls_bits(stack, h->labels));
	memcpy(tag + LABEL_BYTES, stack, LABEL_BYTES * (h->labels < room ? h->labels : room));
}

/* --- tunnels ------------------------------------------------------------------------------- */

/*
 * Fills the GRE tag. From gre_c_present to gre_protocol it is the first word of the header without
 * the routing bit.
 */
static void v1_tag_gre(const struct steer_walk *w, uint8_t *tag)
{
	const struct packet *p = w->packet;

	if (p->tunnel != PACKET_GRE)
		return;
	memcpy(tag, v1_tag_bytes_at(p, p->tunnel_at), GRE_WORD);
	tag[0] &= (uint8_t)~GRE_R;
	prm_ste_gre_v1_set_gre_key_h(tag, p->gre_key >> 8);
	prm_ste_gre_v1_set_gre_key_l(tag, p->gre_key & 0xff);
}

/*
 * Fills the tag with two words of the tunnel's header as they are in the packet (tunnel_header_2_3
 * is not set). The second word of GRE is the checksum's, as in the kernel's definers.
 */
static void v1_tag_tunnel_header(const struct steer_walk *w, uint8_t *tag)
{
	const struct packet *p = w->packet;
	const uint8_t *header = v1_tag_bytes_at(p, p->tunnel_at);
	bool one = p->tunnel == PACKET_GRE && !(header[0] & TAG_GRE_LONG);

	if (p->tunnel_at)
		memcpy(tag, header, one ? GRE_WORD : 2 * GRE_WORD);
}

/* --- layers 3 and 4 ------------------------------------------------------------------------ */

/* Copies the nine TCP flags, which are adjacent in both tags. */
#define SET_FLAGS(S, tag, f)                              \
	do {                                              \
		prm_##S##_set_tcp_ns(tag, (f) >> 8 & 1);  \
		prm_##S##_set_tcp_cwr(tag, (f) >> 7 & 1); \
		prm_##S##_set_tcp_ece(tag, (f) >> 6 & 1); \
		prm_##S##_set_tcp_urg(tag, (f) >> 5 & 1); \
		prm_##S##_set_tcp_ack(tag, (f) >> 4 & 1); \
		prm_##S##_set_tcp_psh(tag, (f) >> 3 & 1); \
		prm_##S##_set_tcp_rst(tag, (f) >> 2 & 1); \
		prm_##S##_set_tcp_syn(tag, (f) >> 1 & 1); \
		prm_##S##_set_tcp_fin(tag, (f)&1);        \
	} while (0)

static void ipv4_5_tuple(const struct packet *p, const struct packet_headers *h, uint8_t *tag)
{
	const uint8_t *ip = v1_tag_bytes_at(p, h->l3);

	if (h->ip_version != 4)
		return;
	memcpy(tag, ip + 12, 8); /* source_address, destination_address */
	prm_ste_eth_l3_ipv4_5_tuple_v1_set_source_port(tag, h->sport);
	prm_ste_eth_l3_ipv4_5_tuple_v1_set_destination_port(tag, h->dport);
	prm_ste_eth_l3_ipv4_5_tuple_v1_set_l3_ok(tag, h->l3_ok);
	prm_ste_eth_l3_ipv4_5_tuple_v1_set_fragmented(tag, h->frag);
	SET_FLAGS(ste_eth_l3_ipv4_5_tuple_v1, tag, h->tcp_flags);
	prm_ste_eth_l3_ipv4_5_tuple_v1_set_dscp(tag, h->dscp);
	prm_ste_eth_l3_ipv4_5_tuple_v1_set_ecn(tag, h->ecn);
	prm_ste_eth_l3_ipv4_5_tuple_v1_set_protocol(tag, h->ip_protocol);
}

/*
 * Fills the IPv4 tag: version, ihl and time_to_live; identification and the following bits are
 * copied from the header
 */
static void ipv4_misc(const struct packet *p, const struct packet_headers *h, uint8_t *tag)
{
	const uint8_t *ip = v1_tag_bytes_at(p, h->l3);

	if (h->ip_version != 4)
		return;
	memcpy(tag, ip + 4, 4);
	prm_ste_eth_l3_ipv4_misc_v1_set_total_length(tag, packet_load16(ip + 2));
	prm_ste_eth_l3_ipv4_misc_v1_set_checksum(tag, packet_load16(ip + 10));
	prm_ste_eth_l3_ipv4_misc_v1_set_version(tag, h->ip_version);
	prm_ste_eth_l3_ipv4_misc_v1_set_ihl(tag, h->ihl);
	prm_ste_eth_l3_ipv4_misc_v1_set_time_to_live(tag, h->ttl);
}

static void ipv6_src(const struct packet *p, const struct packet_headers *h, uint8_t *tag)
{
	if (h->ip_version == 6)
		memcpy(tag, v1_tag_bytes_at(p, h->l3) + IPV6_SRC, STE_TAG_BYTES);
}

static void ipv6_dst(const struct packet *p, const struct packet_headers *h, uint8_t *tag)
{
	if (h->ip_version == 6)
		memcpy(tag, v1_tag_bytes_at(p, h->l3) + IPV6_DST, STE_TAG_BYTES);
}

static void l4(const struct packet *p, const struct packet_headers *h, uint8_t *tag)
{
	if (h->ip_version != 6)
		return;
	prm_ste_eth_l4_v1_set_ipv6_version(tag, h->ip_version);
	prm_ste_eth_l4_v1_set_dscp(tag, h->dscp);
	prm_ste_eth_l4_v1_set_ecn(tag, h->ecn);
	prm_ste_eth_l4_v1_set_ipv6_hop_limit(tag, h->ttl);
	prm_ste_eth_l4_v1_set_protocol(tag, h->ip_protocol);
	prm_ste_eth_l4_v1_set_src_port(tag, h->sport);
	prm_ste_eth_l4_v1_set_dst_port(tag, h->dport);
	prm_ste_eth_l4_v1_set_flow_label(tag, h->flow_label);
	prm_ste_eth_l4_v1_set_l3_ok(tag, h->l3_ok);
	prm_ste_eth_l4_v1_set_fragmented(tag, h->frag);
	SET_FLAGS(ste_eth_l4_v1, tag, h->tcp_flags);
	prm_ste_eth_l4_v1_set_ipv6_paylen(tag, packet_load16(v1_tag_bytes_at(p, h->l3) + IPV6_LEN));
}

static void tcp_misc(const uint8_t *tcp, uint8_t *tag)
{
	prm_ste_eth_l4_misc_v1_set_window_size(tag, packet_load16(tcp + TCP_WINDOW));
	prm_ste_eth_l4_misc_v1_set_urgent_pointer(tag, packet_load16(tcp + TCP_URGENT));
	prm_ste_eth_l4_misc_v1_set_ack_num(tag, packet_load32(tcp + TCP_ACK));
	prm_ste_eth_l4_misc_v1_set_seq_num(tag, packet_load32(tcp + TCP_SEQ));
	prm_ste_eth_l4_misc_v1_set_checksum(tag, packet_load16(tcp + TCP_CSUM));
}

static void v1_tag_icmp(const uint8_t *header, uint8_t *tag)
{
	prm_ste_icmp_v1_set_icmp_header_data(tag, packet_load32(header + 4));
	prm_ste_icmp_v1_set_icmp_type(tag, header[0]);
	prm_ste_icmp_v1_set_icmp_code(tag, header[1]);
}

static void l4_misc(const struct packet *p, const struct packet_headers *h, uint8_t *tag)
{
	const uint8_t *header = v1_tag_bytes_at(p, h->l4);

	if (h->l4_type == PACKET_TCP)
		tcp_misc(header, tag);
	else if (h->l4_type == PACKET_UDP)
		prm_ste_eth_l4_misc_v1_set_length(tag, packet_load16(header + 4));
	else if (h->l4_type == PACKET_ICMP || h->l4_type == PACKET_ICMP6)
		v1_tag_icmp(header, tag);
}

/* Fills the tag of a RoCE header, for packets that pass the tables all the same. */
static void bth(const struct steer_walk *w, uint8_t *tag)
{
	const struct packet_headers *h = &w->packet->outer;
	const uint8_t *header = v1_tag_bytes_at(w->packet, h->end);

	if (h->l4_type != PACKET_UDP || h->dport != ROCE_PORT || h->l3_end - h->end < BTH_BYTES)
		return;
	prm_ste_ib_l4_set_opcode(tag, header[0]);
	prm_ste_ib_l4_set_qp(tag, packet_load32(header + 4) & 0xffffff);
	prm_ste_ib_l4_set_se(tag, header[1] >> 7);
	prm_ste_ib_l4_set_migreg(tag, header[1] >> 6 & 1);
	prm_ste_ib_l4_set_pad_count(tag, header[1] >> 4 & 3);
	prm_ste_ib_l4_set_tver(tag, header[1] & 0xf);
	prm_ste_ib_l4_set_pkey(tag, packet_load16(header + 2));
	prm_ste_ib_l4_set_ackreq(tag, header[8] >> 7);
	prm_ste_ib_l4_set_bth(tag, 1);
}

/* --- metadata beside the bytes --------------------------------------------------------------- */

static void source(const struct steer_walk *w, uint8_t *tag)
{
	const struct packet *p = w->packet;
	bool wire = p->source_vhca == STEER_FROM_WIRE;

	prm_ste_src_gvmi_qp_v1_set_source_gvmi(tag, wire ? 0 : p->source_vhca);
	prm_ste_src_gvmi_qp_v1_set_functional_lb(tag, !wire && w->domain == STEER_NIC_RX);
	prm_ste_src_gvmi_qp_v1_set_source_qp(tag, p->source_sqn);
}

static void register_a(const struct steer_walk *w, uint8_t *tag)
{
	prm_ste_general_purpose_set_general_purpose_lookup_field(tag, w->packet->reg_a);
}

static void registers_0(const struct steer_walk *w, uint8_t *tag)
{
	prm_ste_register_0_set_register_0_h(tag, w->packet->reg_c[0]);
	prm_ste_register_0_set_register_0_l(tag, w->packet->reg_c[1]);
	prm_ste_register_0_set_register_1_h(tag, w->packet->reg_c[2]);
	prm_ste_register_0_set_register_1_l(tag, w->packet->reg_c[3]);
}

static void registers_1(const struct steer_walk *w, uint8_t *tag)
{
	prm_ste_register_1_set_register_2_h(tag, w->packet->reg_c[4]);
	prm_ste_register_1_set_register_2_l(tag, w->packet->reg_c[5]);
	prm_ste_register_1_set_register_3_h(tag, w->packet->reg_c[6]);
	prm_ste_register_1_set_register_3_l(tag, w->packet->reg_c[7]);
}

/* Fills the words of four flex parsers, the first one last. */
static void v1_tag_flex(const struct steer_walk *w, unsigned int first, uint8_t *tag)
{
	for (unsigned int i = 0; i < 4; i++)
		prm_store32(tag, 4 * (3 - i), flex_word(w->packet, first + i));
}

static void v1_tag_flex_0(const struct steer_walk *w, uint8_t *tag)
{
	v1_tag_flex(w, 0, tag);
}

static void v1_tag_flex_1(const struct steer_walk *w, uint8_t *tag)
{
	v1_tag_flex(w, 4, tag);
}

/* [I] Fills in the bit of Geneve's option; libmlx5 compares no other. */
static void v1_tag_flex_ok(const struct steer_walk *w, uint8_t *tag)
{
	prm_ste_flex_parser_ok_set_flex_parsers_ok(
		tag, flex_geneve_option(w->packet) ? 1u << FLEX_GENEVE_OPTION : 0);
}

static void v1_tag_nothing(const struct steer_walk *w, uint8_t *tag)
{
	(void)w;
	(void)tag;
}

/* --- by lookup type ------------------------------------------------------------------------ */

#define OUTER(fn)                                                        \
	static void fn##_outer(const struct steer_walk *w, uint8_t *tag) \
	{                                                                \
		if (w->packet->outer.present)                            \
			fn(w->packet, &w->packet->outer, tag);           \
	}
#define INNER(fn)                                                        \
	static void fn##_inner(const struct steer_walk *w, uint8_t *tag) \
	{                                                                \
		if (w->packet->inner.present)                            \
			fn(w->packet, &w->packet->inner, tag);           \
	}

OUTER(l2_dst)
INNER(l2_dst)
OUTER(l2_src)
INNER(l2_src)
OUTER(l2_src_dst)
INNER(l2_src_dst)
OUTER(mpls)
INNER(mpls)
OUTER(ipv4_5_tuple)
INNER(ipv4_5_tuple)
OUTER(ipv4_misc)
INNER(ipv4_misc)
OUTER(ipv6_src)
INNER(ipv6_src)
OUTER(ipv6_dst)
INNER(ipv6_dst)
OUTER(l4)
INNER(l4)
OUTER(l4_misc)
INNER(l4_misc)

static ste_tag_fn *const tags[2][0x20] = {
	{
		[PRM_STE_LU_TYPE_V1_NOP] = v1_tag_nothing,
		[PRM_STE_LU_TYPE_V1_ETHL2_TNL] = l2_tnl,
		[PRM_STE_LU_TYPE_V1_ETHL2_O] = l2_dst_outer,
		[PRM_STE_LU_TYPE_V1_ETHL2_I] = l2_dst_inner,
		[PRM_STE_LU_TYPE_V1_ETHL2_SRC_O] = l2_src_outer,
		[PRM_STE_LU_TYPE_V1_ETHL2_SRC_I] = l2_src_inner,
		[PRM_STE_LU_TYPE_V1_ETHL2_SRC_DST_O] = l2_src_dst_outer,
		[PRM_STE_LU_TYPE_V1_ETHL2_SRC_DST_I] = l2_src_dst_inner,
		[PRM_STE_LU_TYPE_V1_ETHL3_IPV4_5_TUPLE_O] = ipv4_5_tuple_outer,
		[PRM_STE_LU_TYPE_V1_ETHL3_IPV4_5_TUPLE_I] = ipv4_5_tuple_inner,
		[PRM_STE_LU_TYPE_V1_ETHL3_IPV4_MISC_O] = ipv4_misc_outer,
		[PRM_STE_LU_TYPE_V1_ETHL3_IPV4_MISC_I] = ipv4_misc_inner,
		[PRM_STE_LU_TYPE_V1_FLEX_PARSER_TNL_HEADER] = v1_tag_tunnel_header,
		[PRM_STE_LU_TYPE_V1_ETHL4_O] = l4_outer,
		[PRM_STE_LU_TYPE_V1_ETHL4_I] = l4_inner,
		[PRM_STE_LU_TYPE_V1_FLEX_PARSER_OK] = v1_tag_flex_ok,
	},
	{
		[PRM_STE_LU_TYPE_V1_IBL4 & 0xff] = bth,
		[PRM_STE_LU_TYPE_V1_SRC_QP_GVMI & 0xff] = source,
		[PRM_STE_LU_TYPE_V1_IPV6_DES_O & 0xff] = ipv6_dst_outer,
		[PRM_STE_LU_TYPE_V1_IPV6_DES_I & 0xff] = ipv6_dst_inner,
		[PRM_STE_LU_TYPE_V1_IPV6_SRC_O & 0xff] = ipv6_src_outer,
		[PRM_STE_LU_TYPE_V1_IPV6_SRC_I & 0xff] = ipv6_src_inner,
		[PRM_STE_LU_TYPE_V1_MPLS_O & 0xff] = mpls_outer,
		[PRM_STE_LU_TYPE_V1_MPLS_I & 0xff] = mpls_inner,
		[PRM_STE_LU_TYPE_V1_GRE & 0xff] = v1_tag_gre,
		[PRM_STE_LU_TYPE_V1_GENERAL_PURPOSE & 0xff] = register_a,
		[PRM_STE_LU_TYPE_V1_STEERING_REGISTERS_0 & 0xff] = registers_0,
		[PRM_STE_LU_TYPE_V1_STEERING_REGISTERS_1 & 0xff] = registers_1,
		[PRM_STE_LU_TYPE_V1_FLEX_PARSER_0 & 0xff] = v1_tag_flex_0,
		[PRM_STE_LU_TYPE_V1_FLEX_PARSER_1 & 0xff] = v1_tag_flex_1,
		[PRM_STE_LU_TYPE_V1_ETHL4_MISC_O & 0xff] = l4_misc_outer,
		[PRM_STE_LU_TYPE_V1_ETHL4_MISC_I & 0xff] = l4_misc_inner,
	},
};

bool ste_v1_fill_wide(struct steer_walk *w, uint32_t definer, uint8_t tag[STE_TAG_LONGEST])
{
	const struct match_definer *d = obj_find(w->vhca, OBJ_MATCH_DEFINER, definer);

	if (!d)
		return false;
	memset(tag, 0, STE_TAG_LONGEST);
	definer_fill(d, w, tag);
	return true;
}

ste_tag_fn *ste_v1_tag(uint16_t lookup)
{
	if (lookup >> 8 > 1 || (lookup & 0xff) >= 0x20)
		return NULL;
	return tags[lookup >> 8][lookup & 0xff];
}
