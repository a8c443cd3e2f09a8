/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Proves that the device's parser and match parameters agree with dvx-flow's own reader, which was
 * written separately: for generated packets, whole, cut off and with changed bytes.
 */
#include "tests/test.h"
#include <stdio.h>
#include "prm/reflect.h"
#include "steer/params.h"
#include "steer/priv.h"
#include "steer/ste/v1.h"
#include "steer/steer.h"
#include "tests/flow/flow_random.h"
#include "tools/dvx-flow/explain/fields.h"

#define FIXTURE_agree(name) FIXTURE(name, void *no_state, find_all, NULL)
#define PACKETS 80000u

/*
 * A field that both have; low: its first bit in ours. Frames have the bits of a tag's kind
 * separately.
 */
static const struct pair {
	enum field field;
	const char *path;
	uint8_t low, bits;
} pairs[] = {
#define KEY(key, path, bits, seen, low, noun) {F_##seen, path, low, bits},
#define LEVEL_KEY(key, before, after, bits, seen, low, noun) \
	{F_##seen, before "outer" after, low, bits},         \
		{F_INNER(F_##seen), before "inner" after, low, bits},
#define ADDRESS(key, before, after, bits, seen, low) \
	LEVEL_KEY(key, before, after, bits, seen, low, NULL)
#include "tools/dvx-flow/rules/keys.def"
	{F_TCP_SEQ, "misc_parameters_3.outer_tcp_seq_num", 0, 32},
	{F_INNER(F_TCP_SEQ), "misc_parameters_3.inner_tcp_seq_num", 0, 32},
	{F_TCP_ACK, "misc_parameters_3.outer_tcp_ack_num", 0, 32},
	{F_INNER(F_TCP_ACK), "misc_parameters_3.inner_tcp_ack_num", 0, 32},
	{F_GRE_SUM, "misc_parameters.gre_c_present", 0, 1},
	{F_GRE_SEQ, "misc_parameters.gre_s_present", 0, 1},
	{F_GRE_PROTO, "misc_parameters.gre_protocol", 0, 16},
	{F_GTPU_TEID, "misc_parameters_3.gtpu_teid", 0, 32},
	{F_GENEVE_OPTIONS, "misc_parameters.geneve_opt_len", 0, 6},
	{F_GPE_NEXT, "misc_parameters_3.outer_vxlan_gpe_next_protocol", 0, 8},
	{F_GPE_FLAGS, "misc_parameters_3.outer_vxlan_gpe_flags", 0, 8},
};

/*
 * Returns true for fields that are compared separately: ICMP's are two in one of ours. A vport is
 * no VHCA. The root does not compare words of a tunnel's header; tags do, below.
 */
static bool agree_by_itself(enum field field)
{
	return field != F_ICMP_TYPE && field != F_ICMP_CODE && field != F_SOURCE &&
	       field != F_TUNNEL_0;
}

/* Fields of tags, which software's tables compare. */
static const struct tag_pair {
	enum field field;
	const struct ste_version *version;
	uint16_t lookup;
	const char *layout, *name;
	uint8_t low, bits;
} tag_pairs[] = {
	{F_MPLS_LABEL, &ste_v1, PRM_STE_LU_TYPE_V1_MPLS_O, "ste_mpls_v1", "mpls0_label", 0, 20},
	{F_MPLS_TC, &ste_v1, PRM_STE_LU_TYPE_V1_MPLS_O, "ste_mpls_v1", "mpls0_exp", 0, 3},
	{F_MPLS_BOTTOM, &ste_v1, PRM_STE_LU_TYPE_V1_MPLS_O, "ste_mpls_v1", "mpls0_s_bit", 0, 1},
	{F_INNER(F_MPLS_TTL), &ste_v1, PRM_STE_LU_TYPE_V1_MPLS_I, "ste_mpls_v1", "mpls0_ttl", 0, 8},
	{F_GRE_SUM, &ste_v1, PRM_STE_LU_TYPE_V1_GRE, "ste_gre_v1", "gre_c_present", 0, 1},
	{F_GRE_SEQ, &ste_v1, PRM_STE_LU_TYPE_V1_GRE, "ste_gre_v1", "gre_s_present", 0, 1},
	{F_GRE_PROTO, &ste_v1, PRM_STE_LU_TYPE_V1_GRE, "ste_gre_v1", "gre_protocol", 0, 16},
	{F_GRE_KEY, &ste_v1, PRM_STE_LU_TYPE_V1_GRE, "ste_gre_v1", "gre_key_h", 8, 24},
	{F_GRE_KEY, &ste_v1, PRM_STE_LU_TYPE_V1_GRE, "ste_gre_v1", "gre_key_l", 0, 8},
	{F_TUNNEL_0, &ste_v1, PRM_STE_LU_TYPE_V1_FLEX_PARSER_TNL_HEADER, "ste_tunnel_header_v1",
	 "tunnel_header_0", 0, 32},
	{F_TUNNEL_1, &ste_v1, PRM_STE_LU_TYPE_V1_FLEX_PARSER_TNL_HEADER, "ste_tunnel_header_v1",
	 "tunnel_header_1", 0, 32},
	{F_VNI, &ste_v1, PRM_STE_LU_TYPE_V1_ETHL2_TNL, "ste_eth_l2_tnl_v1",
	 "l2_tunneling_network_id", 0, 32},
	{F_INNER(F_ETHERTYPE), &ste_v1, PRM_STE_LU_TYPE_V1_ETHL2_I, "ste_eth_l2_dst_v1",
	 "l3_ethertype", 0, 16},
	{F_INNER(F_L3), &ste_v1, PRM_STE_LU_TYPE_V1_ETHL2_SRC_I, "ste_eth_l2_src_v1", "l3_type", 0,
	 2},
	{F_INNER(F_DMAC), &ste_v1, PRM_STE_LU_TYPE_V1_ETHL2_SRC_DST_I, "ste_eth_l2_src_dst_v1",
	 "dmac_47_16", 16, 32},
	{F_INNER(F_SMAC), &ste_v1, PRM_STE_LU_TYPE_V1_ETHL2_SRC_I, "ste_eth_l2_src_v1", "smac_15_0",
	 0, 16},
	{F_DMAC, &ste_v0, PRM_STE_LU_TYPE_ETHL2_DST_D, "ste_eth_l2_dst", "dmac_47_16", 16, 32},
	{F_VLAN_KIND, &ste_v0, PRM_STE_LU_TYPE_ETHL2_DST_O, "ste_eth_l2_dst",
	 "first_vlan_qualifier", 0, 2},
	{F_VLAN2_ID, &ste_v0, PRM_STE_LU_TYPE_ETHL2_SRC_O, "ste_eth_l2_src", "second_vlan_id", 0,
	 12},
	{F_L3, &ste_v0, PRM_STE_LU_TYPE_ETHL2_SRC_O, "ste_eth_l2_src", "l3_type", 0, 2},
	{F_INNER(F_ETHERTYPE), &ste_v0, PRM_STE_LU_TYPE_ETHL2_DST_I, "ste_eth_l2_dst",
	 "l3_ethertype", 0, 16},
	{F_INNER(F_SMAC), &ste_v0, PRM_STE_LU_TYPE_ETHL2_SRC_DST_I, "ste_eth_l2_src_dst",
	 "smac_31_0", 0, 32},
	{F_INNER(F_DMAC), &ste_v0, PRM_STE_LU_TYPE_ETHL2_TUNNELING_I, "ste_eth_l2_tnl", "dmac_15_0",
	 0, 16},
	{F_VNI, &ste_v0, PRM_STE_LU_TYPE_ETHL2_TUNNELING_I, "ste_eth_l2_tnl",
	 "l2_tunneling_network_id", 0, 32},
	{F_TCP_SEQ, &ste_v0, PRM_STE_LU_TYPE_ETHL4_MISC_D, "ste_eth_l4_misc", "seq_num", 0, 32},
	{F_INNER(F_TCP_ACK), &ste_v0, PRM_STE_LU_TYPE_ETHL4_MISC_I, "ste_eth_l4_misc", "ack_num", 0,
	 32},
	{F_MPLS_LABEL, &ste_v0, PRM_STE_LU_TYPE_MPLS_FIRST_O, "ste_mpls", "mpls0_label", 0, 20},
	{F_INNER(F_MPLS_TTL), &ste_v0, PRM_STE_LU_TYPE_MPLS_FIRST_I, "ste_mpls", "mpls0_ttl", 0, 8},
	{F_GRE_PROTO, &ste_v0, PRM_STE_LU_TYPE_GRE, "ste_gre", "gre_protocol", 0, 16},
	{F_GRE_KEY, &ste_v0, PRM_STE_LU_TYPE_GRE, "ste_gre", "gre_key_h", 8, 24},
	{F_TUNNEL_0, &ste_v0, PRM_STE_LU_TYPE_TUNNEL_HEADER, "ste_tunnel_header",
	 "tunnel_header_dw0", 0, 32},
	{F_TUNNEL_1, &ste_v0, PRM_STE_LU_TYPE_FLEX_PARSER_TNL_HEADER, "ste_tunnel_header",
	 "tunnel_header_dw1", 0, 32},
};

static unsigned int tunnelled[PACKET_MPLS_UDP + 1], labelled;

#define COUNT(list) (sizeof(list) / sizeof((list)[0]))

/* Places of the fields in both lists. */
static struct bits_at {
	uint64_t bit;
	unsigned int width;
} places[COUNT(pairs)], tag_places[COUNT(tag_pairs)];

static struct bits_at find(const char *layout, const char *path)
{
	struct bits_at at = {0, 0};
	const struct prm_field *f = prm_find_field(prm_find_struct(layout), path, &at.bit);

	if (!f)
		fail_msg("%s has no %s", layout, path);
	at.width = f->width;
	return at;
}

static int find_all(UNUSED void **state)
{
	for (size_t i = 0; i < COUNT(pairs); i++)
		places[i] = find("fte_match_param", pairs[i].path);
	for (size_t i = 0; i < COUNT(tag_pairs); i++)
		tag_places[i] = find(tag_pairs[i].layout, tag_pairs[i].name);
	return 0;
}

static uint64_t of_params(const struct match_params *ps, const char *path)
{
	struct bits_at at = find("fte_match_param", path);

	return prm_bits_get(ps->words, at.bit, at.width);
}

static uint64_t part_of(const struct fields *f, enum field field, unsigned int low,
			unsigned int bits)
{
	return (uint64_t)(f->value[field] >> low) & ((1ull << bits) - 1);
}

static void show(const struct made_packet *p, const char *what, uint64_t is, uint64_t should)
{
	for (uint32_t i = 0; i < p->len; i++)
		fprintf(stderr, "%02x%s", p->bytes[i], i % 16 == 15 ? "\n" : " ");
	fail_msg("%s is 0x%llx, not 0x%llx", what, (unsigned long long)is,
		 (unsigned long long)should);
}

static void same(const struct made_packet *p, const char *what, uint64_t is, uint64_t should)
{
	if (is != should)
		show(p, what, is, should);
}

static void compare_fields(const struct made_packet *made, const struct match_params *ps,
			   const struct fields *f)
{
	for (size_t i = 0; i < COUNT(pairs); i++) {
		const struct pair *p = &pairs[i];

		if (agree_by_itself(p->field))
			same(made, p->path, prm_bits_get(ps->words, places[i].bit, p->bits),
			     part_of(f, p->field, p->low, p->bits));
	}
}

static void compare_tags(const struct made_packet *made, struct packet *p, const struct fields *f)
{
	struct steer_walk w = {.packet = p};

	for (size_t i = 0; i < COUNT(tag_pairs); i++) {
		const struct tag_pair *t = &tag_pairs[i];
		uint8_t tag[STE_TAG_BYTES] = {0};

		assert_true(t->version->fill(&w, t->lookup, tag));
		same(made, t->name, prm_bits_get(tag, tag_places[i].bit, tag_places[i].width),
		     part_of(f, t->field, t->low, t->bits));
	}
}

static uint64_t ports(const struct match_params *ps, const char *which)
{
	char path[48];
	uint64_t tcp;

	snprintf(path, sizeof(path), "outer_headers.tcp_%s", which);
	tcp = of_params(ps, path);
	memcpy(strchr(path, '.') + 1, "udp", 3);
	return tcp | of_params(ps, path);
}

static void compare(struct made_packet *made)
{
	static const uint8_t versions[] = {0, 4, 6};
	uint8_t *bytes = malloc(made->len ? made->len : 1);
	struct packet p = {.data = bytes, .len = made->len, .source_vhca = STEER_FROM_WIRE};
	struct match_params ps = {0};
	struct fields f;

	memcpy(bytes, made->bytes, made->len);
	fields_of_frame(&f, bytes, made->len);
	packet_parse_headers(&p);
	params_fill(&ps, &p, 0x1f);
	compare_fields(made, &ps, &f);
	compare_tags(made, &p, &f);
	tunnelled[p.tunnel]++;
	labelled += p.outer.labels + p.inner.labels;
	same(made, "ip_version", of_params(&ps, "outer_headers.ip_version"),
	     versions[f.value[F_L3]]);
	same(made, "sport", ports(&ps, "sport"), (uint64_t)f.value[F_SPORT]);
	same(made, "dport", ports(&ps, "dport"), (uint64_t)f.value[F_DPORT]);
	/* ICMP of the wrong IP version: no public source defines its fields */
	if (f.value[F_PROTO] == (f.value[F_L3] == 2 ? 1 : 58))
		goto out;
	same(made, "icmp type",
	     of_params(&ps, "misc_parameters_3.icmp_type") |
		     of_params(&ps, "misc_parameters_3.icmpv6_type"),
	     (uint64_t)f.value[F_ICMP_TYPE]);
	same(made, "icmp data",
	     of_params(&ps, "misc_parameters_3.icmp_header_data") |
		     of_params(&ps, "misc_parameters_3.icmpv6_header_data"),
	     (uint64_t)f.value[F_ICMP_DATA]);
out:
	free(bytes);
}

TEST(agree, agree)
{
	struct dice d = {.state = 20261121};

	for (unsigned int i = 0; i < PACKETS; i++) {
		struct made_packet p;

		random_packet(&d, &p);
		if (!dice_roll(&d, 4))
			random_tunnel(&d, &p);
		if (!dice_roll(&d, 4))
			p.len = dice_roll(&d, p.len + 1);
		for (uint32_t n = dice_roll(&d, 3) ? 0 : dice_roll(&d, 4); n && p.len; n--)
			p.bytes[dice_roll(&d, p.len)] = (uint8_t)dice_roll(&d, 256);
		compare(&p);
	}
	for (unsigned int i = PACKET_VXLAN; i <= PACKET_GTPU; i++)
		assert_true(tunnelled[i] > PACKETS / 1000);
	assert_true(labelled > PACKETS / 1000);
}
