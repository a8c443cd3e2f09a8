/* SPDX-License-Identifier: BSD-2-Clause */
/* Tags: finds a field's bits by the names of prm/ste.prm and ste1.prm. */
#include <string.h>
#include "ste.h"

static const struct {
	const char *name; /* without outer_ and inner_ */
	uint8_t field, shift;
} names[] = {
	{"dmac_47_16", F_DMAC, 16},
	{"dmac_15_0", F_DMAC, 0},
	{"smac_47_16", F_SMAC, 16},
	{"smac_15_0", F_SMAC, 0},
	{"smac_47_32", F_SMAC, 32},
	{"smac_31_0", F_SMAC, 0},
	{"l3_ethertype", F_ETHERTYPE, 0},
	{"ethertype", F_ETHERTYPE, 0},
	{"first_vlan_qualifier", F_VLAN_KIND, 0},
	{"first_vlan_type", F_VLAN_KIND, 0},
	{"first_vlan_id", F_VLAN_ID, 0},
	{"first_vlan_vid", F_VLAN_ID, 0},
	{"first_cfi", F_VLAN_DEI, 0},
	{"first_vlan_cfi", F_VLAN_DEI, 0},
	{"first_priority", F_VLAN_PCP, 0},
	{"first_vlan_prio", F_VLAN_PCP, 0},
	{"second_vlan_qualifier", F_VLAN2_KIND, 0},
	{"second_vlan_type", F_VLAN2_KIND, 0},
	{"second_vlan_id", F_VLAN2_ID, 0},
	{"second_cfi", F_VLAN2_DEI, 0},
	{"second_priority", F_VLAN2_PCP, 0},
	{"l3_type", F_L3, 0},
	{"l4_type", F_L4, 0},
	{"ip_fragmented", F_FRAG, 0},
	{"fragmented", F_FRAG, 0},
	{"ip_frag", F_FRAG, 0},
	{"source_address", F_SRC, 0},
	{"destination_address", F_DST, 0},
	{"ip_src_addr", F_SRC, 0},
	{"ip_dst_addr", F_DST, 0},
	{"src_ip_127_96", F_SRC, 96},
	{"src_ip_95_64", F_SRC, 64},
	{"src_ip_63_32", F_SRC, 32},
	{"src_ip_31_0", F_SRC, 0},
	{"dst_ip_127_96", F_DST, 96},
	{"dst_ip_95_64", F_DST, 64},
	{"dst_ip_63_32", F_DST, 32},
	{"dst_ip_31_0", F_DST, 0},
	{"src_ipv6_127_96", F_SRC, 96},
	{"src_ipv6_95_64", F_SRC, 64},
	{"src_ipv6_63_32", F_SRC, 32},
	{"src_ipv6_31_0", F_SRC, 0},
	{"dst_ipv6_127_96", F_DST, 96},
	{"dst_ipv6_95_64", F_DST, 64},
	{"dst_ipv6_63_32", F_DST, 32},
	{"dst_ipv6_31_0", F_DST, 0},
	{"protocol", F_PROTO, 0},
	{"ip_protocol", F_PROTO, 0},
	{"ip_porotcol", F_PROTO, 0},
	{"dscp", F_DSCP, 0},
	{"ip_dscp", F_DSCP, 0},
	{"ecn", F_ECN, 0},
	{"ip_ecn", F_ECN, 0},
	{"time_to_live", F_TTL, 0},
	{"ipv6_hop_limit", F_TTL, 0},
	{"ip_ttl", F_TTL, 0},
	{"ihl", F_IHL, 0},
	{"ip_ihl", F_IHL, 0},
	{"flow_label", F_FLOWLABEL, 0},
	{"ip_flow_label", F_FLOWLABEL, 0},
	{"source_port", F_SPORT, 0},
	{"src_port", F_SPORT, 0},
	{"l4_sport", F_SPORT, 0},
	{"destination_port", F_DPORT, 0},
	{"dst_port", F_DPORT, 0},
	{"l4_dport", F_DPORT, 0},
	{"tcp_ns", F_TCP_FLAGS, 8},
	{"tcp_cwr", F_TCP_FLAGS, 7},
	{"tcp_ece", F_TCP_FLAGS, 6},
	{"tcp_urg", F_TCP_FLAGS, 5},
	{"tcp_ack", F_TCP_FLAGS, 4},
	{"tcp_psh", F_TCP_FLAGS, 3},
	{"tcp_rst", F_TCP_FLAGS, 2},
	{"tcp_syn", F_TCP_FLAGS, 1},
	{"tcp_fin", F_TCP_FLAGS, 0},
	{"seq_num", F_TCP_SEQ, 0},
	{"ack_num", F_TCP_ACK, 0},
	{"icmp_header_data", F_ICMP_DATA, 0},
	{"icmp_type", F_ICMP_TYPE, 0},
	{"icmp_code", F_ICMP_CODE, 0},
	{"l3_ok", F_L3_OK, 0},
	{"l4_ok", F_L4_OK, 0},
	{"ipv4_checksum_ok", F_IPV4_SUM_OK, 0},
	{"l4_checksum_ok", F_L4_SUM_OK, 0},
	{"l2_tunneling_network_id", F_VNI, 0},
	{"mpls0_label", F_MPLS_LABEL, 0},
	{"mpls0_exp", F_MPLS_TC, 0},
	{"mpls0_s_bos", F_MPLS_BOTTOM, 0},
	{"mpls0_ttl", F_MPLS_TTL, 0},
	{"gre_c_present", F_GRE_SUM, 0},
	{"gre_k_present", F_GRE_HAS_KEY, 0},
	{"gre_s_present", F_GRE_SEQ, 0},
	{"gre_protocol", F_GRE_PROTO, 0},
	{"gre_key_h", F_GRE_KEY, 8},
	{"gre_key_l", F_GRE_KEY, 0},
	{"geneve_opt_len", F_GENEVE_OPTIONS, 0},
	{"geneve_oam", F_GENEVE_OAM, 0},
	{"geneve_protocol_type", F_GENEVE_PROTO, 0},
	{"geneve_vni", F_GENEVE_VNI, 0},
	{"gtpu_teid", F_GTPU_TEID, 0},
	{"vxlan_gpe_flags", F_GPE_FLAGS, 0},
	{"vxlan_gpe_next_protocol", F_GPE_NEXT, 0},
	{"vxlan_gpe_vni", F_GPE_VNI, 0},
	{"tunnel_header_0", F_TUNNEL_0, 0},
	{"tunnel_header_1", F_TUNNEL_1, 0},
	{"tunnel_header_dw0", F_TUNNEL_0, 0},
	{"tunnel_header_dw1", F_TUNNEL_1, 0},
	{"general_purpose_lookup_field", F_REG_A, 0},
	{"metadata_reg_a", F_REG_A, 0},
	{"register_0_h", F_REG_C0, 0},
	{"register_0_l", F_REG_C0 + 1, 0},
	{"register_1_h", F_REG_C0 + 2, 0},
	{"register_1_l", F_REG_C0 + 3, 0},
	{"register_2_h", F_REG_C0 + 4, 0},
	{"register_2_l", F_REG_C0 + 5, 0},
	{"register_3_h", F_REG_C0 + 6, 0},
	{"register_3_l", F_REG_C0 + 7, 0},
	{"metadata_reg_c_0", F_REG_C0, 0},
	{"metadata_reg_c_1", F_REG_C0 + 1, 0},
	{"metadata_reg_c_2", F_REG_C0 + 2, 0},
	{"metadata_reg_c_3", F_REG_C0 + 3, 0},
	{"source_gvmi", F_SOURCE, 0},
	{"source_qp", F_SQN, 0},
	{"source_sqn", F_SQN, 0},
	{"functional_lb", F_LOOPED, 0},
	{"functional_loopback", F_LOOPED, 0},
};

static bool begins(const char *text, const char *with)
{
	return !strncmp(text, with, strlen(with));
}

/* Returns whether a field has a name of the list, but another meaning. */
static bool ste_tag_other(const struct prm_struct *layout, const char *name)
{
	return (begins(layout->name, "ste_eth_l2") && !strcmp(name, "tcp_syn")) ||
	       (begins(layout->name, "ste_gre") && !begins(name, "gre_"));
}

static void name_row(struct tag_row *row, const struct lookup_type *t, const char *name)
{
	bool inner = t->inner || begins(name, "inner_");

	if (begins(name, "inner_") || begins(name, "outer_"))
		name += strlen("inner_");
	if (ste_tag_other(t->layout, name))
		return;
	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++)
		if (!strcmp(name, names[i].name)) {
			enum field f = (enum field)names[i].field;

			row->field = inner ? F_INNER(f) : f;
			row->shift = names[i].shift;
			return;
		}
}

/* Adds rows of unknown fields up to a bit. */
static void ste_tag_unknown(struct builder_view *v, uint32_t to)
{
	const struct tag_row *last = v->rows ? &v->row[v->rows - 1] : NULL;
	uint32_t bit = last ? last->bit + last->width : 0u;

	for (; bit < to && v->rows < KEYS_MAX; bit += 32)
		v->row[v->rows++] = (struct tag_row){
			F_NONE, 0, (uint8_t)(to - bit < 32 ? to - bit : 32), (uint16_t)bit};
}

void tag_rows(struct builder_view *v)
{
	const struct prm_struct *layout = v->type.layout;

	for (size_t i = 0; layout && i < layout->field_count && v->rows < KEYS_MAX; i++) {
		const struct prm_field *f = &layout->fields[i];

		if (f->type || f->bytes || f->count != 1 || f->width > 32 ||
		    begins(f->name, "reserved"))
			continue;
		ste_tag_unknown(v, f->offset);
		if (v->rows == KEYS_MAX)
			return;
		v->row[v->rows] =
			(struct tag_row){F_NONE, 0, (uint8_t)f->width, (uint16_t)f->offset};
		name_row(&v->row[v->rows++], &v->type, f->name);
	}
	ste_tag_unknown(v, 8u * v->type.tag_bytes);
}

static uint32_t ste_tag_ones(unsigned int width)
{
	return ~0u >> (32 - width);
}

/* Sets the fields that the view has in a tag. */
static void ste_tag_put(uint8_t tag[STE_TAG_BYTES], const struct builder_view *v,
			const u128 value[F_COUNT])
{
	memset(tag, 0, STE_TAG_BYTES);
	for (const struct tag_row *r = v->row; r < v->row + v->rows; r++)
		if (r->field != F_NONE)
			prm_bits_set(tag, r->bit, r->width,
				     (uint32_t)(value[r->field] >> r->shift) &
					     ste_tag_ones(r->width));
}

void tag_of_packet(uint8_t tag[STE_TAG_BYTES], const struct builder_view *v, const struct fields *p)
{
	ste_tag_put(tag, v, p->value);
}

void tag_mask(struct builder_view *v, struct match_mask *left)
{
	bool all_zero = true;

	ste_tag_put(v->mask, v, left->mask);
	for (unsigned int i = 0; i < v->rows; i++)
		if (v->row[i].field != F_NONE)
			left->mask[v->row[i].field] = 0;
	for (unsigned int i = 0; i < sizeof(v->mask); i++)
		all_zero = all_zero && !v->mask[i];
	/* Each entry compares something: if no known field is left, it compares unknown ones. */
	v->mask_known = left->known && (v->type.lookup == LOOKUP_ANY || !all_zero);
}

void tag_keys(struct ste *s, const struct builder_view *v)
{
	s->e.l3 = v->v6 || (v->type.layout && strstr(v->type.layout->name, "ipv6")) ? 2 : 1;
	for (const struct tag_row *r = v->row; r < v->row + v->rows; r++) {
		struct entry_key k = {(uint8_t)r->field, r->shift,
				      (uint32_t)prm_bits_get(s->tag, r->bit, r->width),
				      (uint32_t)prm_bits_get(s->mask, r->bit, r->width)};

		if (k.mask || k.value)
			s->e.key[s->e.nkeys++] = k;
	}
}

uint16_t tag_byte_mask(const uint8_t *mask)
{
	uint16_t bytes = 0;

	for (unsigned int i = 0; i < 16; i++)
		bytes = (uint16_t)(bytes << 1 | (mask[i] == 0xff));
	return bytes;
}

static uint32_t crc32(const uint8_t *p, unsigned int len)
{
	uint32_t crc = 0;

	for (unsigned int i = 0; i < len; i++) {
		crc ^= p[i];
		for (int bit = 0; bit < 8; bit++)
			crc = crc & 1 ? crc >> 1 ^ 0xedb88320 : crc >> 1;
	}
	return crc;
}

uint32_t tag_slot(const uint8_t *tag, unsigned int bytes, uint16_t byte_mask, uint32_t n)
{
	uint8_t hashed[STE_TAG_BYTES] = {0};

	if (n == 1 || (bytes == 16 && !byte_mask))
		return 0;
	for (unsigned int i = 0; i < bytes; i++)
		hashed[i] = bytes > 16 || byte_mask >> (15 - i) & 1 ? tag[i] : 0;
	return __builtin_bswap32(crc32(hashed, bytes)) & (n - 1);
}
