/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Proves that the device's parser and match parameters say of a packet what dvx-flow's own reader
 * says, which was written apart: for made packets, whole, cut off and with bytes changed.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>
#include "prm/reflect.h"
#include "steer/params.h"
#include "steer/steer.h"
#include "tests/sim/flow_random.h"
#include "tools/dvx-flow/explain/fields.h"

#define PACKETS 200000u

/* A field of both; part: of fte_match_param; low: first bit of ours in theirs. */
static const struct pair {
	enum field field;
	const char *path;
	uint8_t low, bits;
} pairs[] = {
	{F_DMAC, "outer_headers.dmac_47_16", 16, 32},
	{F_DMAC, "outer_headers.dmac_15_0", 0, 16},
	{F_SMAC, "outer_headers.smac_47_16", 16, 32},
	{F_SMAC, "outer_headers.smac_15_0", 0, 16},
	{F_ETHERTYPE, "outer_headers.ethertype", 0, 16},
	{F_VLAN_KIND, "outer_headers.svlan_tag", 0, 1},
	{F_VLAN_KIND, "outer_headers.cvlan_tag", 1, 1},
	{F_VLAN_ID, "outer_headers.first_vid", 0, 12},
	{F_VLAN_DEI, "outer_headers.first_cfi", 0, 1},
	{F_VLAN_PCP, "outer_headers.first_prio", 0, 3},
	{F_VLAN2_KIND, "misc_parameters.outer_second_svlan_tag", 0, 1},
	{F_VLAN2_KIND, "misc_parameters.outer_second_cvlan_tag", 1, 1},
	{F_VLAN2_ID, "misc_parameters.outer_second_vid", 0, 12},
	{F_VLAN2_PCP, "misc_parameters.outer_second_prio", 0, 3},
	{F_PROTO, "outer_headers.ip_protocol", 0, 8},
	{F_DSCP, "outer_headers.ip_dscp", 0, 6},
	{F_ECN, "outer_headers.ip_ecn", 0, 2},
	{F_TTL, "outer_headers.ttl_hoplimit", 0, 8},
	{F_FRAG, "outer_headers.frag", 0, 1},
	{F_FLOWLABEL, "misc_parameters.outer_ipv6_flow_label", 0, 20},
	{F_TCP_FLAGS, "outer_headers.tcp_flags", 0, 9},
	{F_TCP_SEQ, "misc_parameters_3.outer_tcp_seq_num", 0, 32},
	{F_TCP_ACK, "misc_parameters_3.outer_tcp_ack_num", 0, 32},
	{F_SRC, "outer_headers.src_ipv4_src_ipv6.ipv4_layout.ipv4", 0, 32},
	{F_DST, "outer_headers.dst_ipv4_dst_ipv6.ipv4_layout.ipv4", 0, 32},
	{F_SRC, "outer_headers.src_ipv4_src_ipv6.ipv6_simple_layout.ipv6_127_96", 96, 32},
	{F_DST, "outer_headers.dst_ipv4_dst_ipv6.ipv6_simple_layout.ipv6_95_64", 64, 32},
};

static unsigned int tunnelled;

static uint64_t of_params(const struct params *ps, const char *path)
{
	static const struct prm_struct *s;
	uint64_t v = 0;

	s = s ? s : prm_find_struct("fte_match_param");
	assert_int_equal(prm_field_get(s, ps->words, sizeof(ps->words), path, &v), 0);
	return v;
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

/* Inside a tunnel: the same fields of the other part. */
static void compare_inner(const struct made_packet *made, const struct params *ps,
			  const struct fields *f)
{
	for (size_t i = 0; i < sizeof(pairs) / sizeof(pairs[0]); i++) {
		char path[80];

		if (strncmp(pairs[i].path, "outer_headers", 13))
			continue;
		snprintf(path, sizeof(path), "inner%s", pairs[i].path + 5);
		same(made, path, of_params(ps, path),
		     (uint64_t)(f->value[F_INNER(pairs[i].field)] >> pairs[i].low) &
			     ((1ull << pairs[i].bits) - 1));
	}
	same(made, "vxlan_vni", of_params(ps, "misc_parameters.vxlan_vni"),
	     (uint64_t)f->value[F_VNI] >> 8); /* theirs has the byte behind it, too */
	tunnelled += f->value[F_VNI] != 0;
}

static uint64_t ports(const struct params *ps, const char *which)
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
	struct params ps = {0};
	struct fields f;

	memcpy(bytes, made->bytes, made->len);
	fields_of_frame(&f, bytes, made->len);
	packet_parse_headers(&p);
	params_fill(&ps, &p, 0x1f);
	for (size_t i = 0; i < sizeof(pairs) / sizeof(pairs[0]); i++)
		same(made, pairs[i].path, of_params(&ps, pairs[i].path),
		     (uint64_t)(f.value[pairs[i].field] >> pairs[i].low) &
			     ((1ull << pairs[i].bits) - 1));
	compare_inner(made, &ps, &f);
	same(made, "ip_version", of_params(&ps, "outer_headers.ip_version"),
	     versions[f.value[F_L3]]);
	same(made, "sport", ports(&ps, "sport"), (uint64_t)f.value[F_SPORT]);
	same(made, "dport", ports(&ps, "dport"), (uint64_t)f.value[F_DPORT]);
	/* The wrong ICMP for its IP: no public source says what is made of it. */
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

/* Into a VXLAN tunnel; what is too long then is cut off. */
static void wrap(struct dice *d, struct made_packet *p)
{
	static const uint8_t head[50] =
		"\x02\xd7\x00\x00\x00\x01\x02\xd7\x00\x00\x00\x02\x08\x00"
		"\x45\x00\x00\x00\x00\x00\x00\x00\x40\x11\x00\x00\x0a\x00\x00\x01\x0a\x00\x00\x02"
		"\x30\x39\x12\xb5\x00\x00\x00\x00\x08\x00\x00\x00\x00\x00\x00";
	uint32_t len = p->len + (uint32_t)sizeof(head);

	if (len > PACKET_MAX)
		len = PACKET_MAX;

	memmove(p->bytes + sizeof(head), p->bytes, len - sizeof(head));
	memcpy(p->bytes, head, sizeof(head));
	p->bytes[17] = (uint8_t)(len - 14);
	p->bytes[39] = (uint8_t)(len - 34);
	p->bytes[48] = (uint8_t)(1 + dice_roll(d, 255));
	p->len = len;
}

static void agree(void **state)
{
	struct dice d = {.state = 20261121};

	(void)state;
	for (unsigned int i = 0; i < PACKETS; i++) {
		struct made_packet p;

		random_packet(&d, &p);
		if (!dice_roll(&d, 6))
			wrap(&d, &p);
		if (!dice_roll(&d, 4))
			p.len = dice_roll(&d, p.len + 1);
		for (uint32_t n = dice_roll(&d, 3) ? 0 : dice_roll(&d, 4); n && p.len; n--)
			p.bytes[dice_roll(&d, p.len)] = (uint8_t)dice_roll(&d, 256);
		compare(&p);
	}
	assert_true(tunnelled > PACKETS / 1000);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(agree),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
