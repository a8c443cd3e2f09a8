/* SPDX-License-Identifier: BSD-2-Clause */
/* Tests the match model without a device: names, values under masks, groups, ranges, texts. */
#include "tests/test.h"
#include <dvx/dvx.h>

static struct dvx_flow_match m;

static void fresh(void)
{
	memset(&m, 0, sizeof(m));
}

/* Checks that the last error contains both texts. */
static void check_error(const char *a, const char *b)
{
	const char *text = dvx_strerror(dvx_last_error()->err);

	if (!strstr(text, a) || !strstr(text, b))
		fail_msg("\"%s\" lacks %s or %s", text, a, b);
}

TEST(none, by_name)
{
	uint64_t value, mask;

	fresh();
	assert_int_equal(dvx_flow_match_set(&m, "outer_headers.udp_dport", 53, 0xffff), 0);
	assert_int_equal(m.value[30] << 8 | m.value[31], 53);
	assert_int_equal(m.mask[30] << 8 | m.mask[31], 0xffff);
	assert_int_equal(dvx_flow_match_get(&m, "outer_headers.udp_dport", &value, &mask), 0);
	assert_true(value == 53 && mask == 0xffff);
	assert_int_equal(dvx_flow_match_set(&m, "metadata_reg_c_0", 7, 0xff), 0);
	assert_int_equal(
		dvx_flow_match_get(&m, "misc_parameters_2.metadata_reg_c_0", &value, &mask), 0);
	assert_true(value == 7 && mask == 0xff);
	assert_int_equal(dvx_flow_match_set(&m, "outer_headers.dst_ipv4_dst_ipv6.ipv4_layout.ipv4",
					    0x0a000001, 0xffffffff),
			 0);
	assert_int_equal(m.value[60], 10);
	assert_int_equal(m.value[63], 1);
	assert_int_equal(m.mask[59], 0);
}

/* A bad name or number is refused with a reason, and nothing is written. */
TEST(none, refused_names)
{
	struct dvx_flow_match before;
	uint64_t v;

	fresh();
	dvx_flow_match_set(&m, "outer_headers.tcp_dport", 0x80, 0xff);
	before = m;
	assert_int_equal(dvx_flow_match_set(&m, "outer_headers.tcp_dprot", 1, 1), -ENOENT);
	check_error("match.outer_headers.tcp_dprot", "no such field");
	assert_int_equal(dvx_flow_match_set(&m, "", 1, 1), -ENOENT);
	assert_int_equal(dvx_flow_match_set(&m, "tcp_dport", 1, 1), -EINVAL);
	check_error("outer_headers.tcp_dport", "inner_headers.tcp_dport");
	assert_int_equal(dvx_flow_match_set(&m, "outer_headers", 1, 1), -EINVAL);
	assert_int_equal(dvx_flow_match_set(&m, "outer_headers.src_ipv4_src_ipv6", 1, 1), -EINVAL);
	assert_int_equal(dvx_flow_match_set(&m, "outer_headers.reserved", 1, 1), -ENOENT);
	assert_int_equal(dvx_flow_match_set(&m, "outer_headers.tcp_dport", 0x10000, 0xffff),
			 -ERANGE);
	check_error("match.outer_headers.tcp_dport: value 0x10000", "16 bits");
	assert_int_equal(dvx_flow_match_set(&m, "outer_headers.tcp_dport", 1, 0x1ffff), -ERANGE);
	check_error("mask 0x1ffff", "16 bits");
	assert_int_equal(dvx_flow_match_set(&m, "outer_headers.tcp_dport", 0x1f91, 0xff), -EINVAL);
	check_error("match.outer_headers.tcp_dport: value 0x1f91 has bits outside mask 0xff", "");
	assert_int_equal(dvx_flow_match_get(&m, "nothing", &v, &v), -ENOENT);
	assert_memory_equal(&m, &before, sizeof(m));
}

/* A list of rewrites takes names of match fields, and refuses with a reason what no device does. */
TEST(none, rewrite_names)
{
	struct dvx_flow_rewrites r = {0}, before;

	assert_int_equal(dvx_flow_rewrite_set(&r, "outer_headers.tcp_dport", 0x1f90), 0);
	assert_memory_equal(r.action[0], "\x10\x09\0\x10\0\0\x1f\x90", 8);
	assert_int_equal(dvx_flow_rewrite_set(&r, "metadata_reg_c_1", 0xdeadbeef), 0);
	assert_memory_equal(r.action[1], "\x10\x52\0\0\xde\xad\xbe\xef", 8);
	assert_int_equal(dvx_flow_rewrite_add(&r, "ipv4_ttl", 0xff), 0);
	assert_memory_equal(r.action[2], "\x20\x0a\0\0\0\0\0\xff", 8);
	assert_int_equal(dvx_flow_rewrite_copy(&r, "metadata_reg_c_0", 8, "tcp_dport", 3, 5), 0);
	assert_memory_equal(r.action[3], "\x30\x09\x03\x05\0\x51\x08\0", 8);
	assert_int_equal(dvx_flow_rewrite_set_bits(&r, "metadata_reg_c_0", 8, 16, 0xabcd), 0);
	assert_memory_equal(r.action[4], "\x10\x51\x08\x10\0\0\xab\xcd", 8);
	assert_int_equal(dvx_flow_rewrite_set_bits(&r, "metadata_reg_c_0", 0, 32, 7), 0);
	assert_memory_equal(r.action[5], "\x10\x51\0\0\0\0\0\x07", 8);
	before = r;
	assert_int_equal(dvx_flow_rewrite_set(&r, "outer_headers.tcp_dprot", 1), -ENOENT);
	check_error("dvx_flow_rewrite_set: there is no field \"outer_headers.tcp_dprot\"", "");
	assert_int_equal(dvx_flow_rewrite_set(&r, "inner_headers.tcp_dport", 1), -EOPNOTSUPP);
	check_error("inner_headers.tcp_dport", "can be matched, but not rewritten");
	assert_int_equal(dvx_flow_rewrite_set(&r, "outer_headers.ttl_hoplimit", 1), -EINVAL);
	check_error("ipv4_ttl", "ipv6_hop_limit");
	assert_int_equal(dvx_flow_rewrite_set(&r, "tcp_flags", 0x200), -ERANGE);
	check_error("value 0x200 has more than the 9 bits of outer_headers.tcp_flags", "");
	assert_int_equal(dvx_flow_rewrite_add(&r, "tcp_dport", 1), -EOPNOTSUPP);
	check_error("dvx_flow_rewrite_add: outer_headers.tcp_dport", "outer_tcp_seq_num");
	assert_int_equal(dvx_flow_rewrite_copy(&r, "tcp_dport", 9, "metadata_reg_c_0", 0, 8),
			 -ERANGE);
	check_error("to: 8 bits from bit 9 on", "16 of outer_headers.tcp_dport");
	assert_int_equal(dvx_flow_rewrite_copy(&r, "tcp_dport", 0, "metadata_reg_c_0", 30, 8),
			 -ERANGE);
	check_error("from: 8 bits from bit 30 on", "32 of misc_parameters_2.metadata_reg_c_0");
	assert_int_equal(dvx_flow_rewrite_copy(&r, "tcp_dport", 0, "metadata_reg_c_0", 0, 0),
			 -ERANGE);
	assert_int_equal(dvx_flow_rewrite_set_bits(&r, "ipv4_ttl", 4, 5, 0), -ERANGE);
	check_error("dvx_flow_rewrite_set_bits: field: 5 bits from bit 4 on",
		    "8 of outer_headers.ipv4_ttl");
	assert_int_equal(dvx_flow_rewrite_set_bits(&r, "metadata_reg_c_0", 33, UINT32_MAX, 0),
			 -ERANGE);
	assert_int_equal(dvx_flow_rewrite_set_bits(&r, "ipv4_ttl", 4, 0, 0), -ERANGE);
	assert_int_equal(dvx_flow_rewrite_set_bits(&r, "ipv4_ttl", 4, 4, 16), -ERANGE);
	check_error("value 0x10 has more than the 4 bits from bit 4 of outer_headers.ipv4_ttl", "");
	assert_int_equal(dvx_flow_rewrite_set_bits(&r, "vid", 0, 1, 0), -ENOENT);
	assert_int_equal(dvx_flow_rewrite_port(&r, DVX_FLOW_DST, DVX_FLOW_ICMP, 1), -EINVAL);
	check_error("proto 1 is neither TCP nor UDP", "");
	assert_int_equal(dvx_flow_rewrite_ipv4(&r, 7, 1), -EINVAL);
	check_error("dvx_flow_rewrite_ipv4: end 7", "");
	assert_memory_equal(&r, &before, sizeof(r));
	r.count = DVX_FLOW_MAX_REWRITES - 1;
	before = r;
	assert_int_equal(dvx_flow_rewrite_mac(&r, DVX_FLOW_DST, (const uint8_t *)"\2\0\0\0\0\1"),
			 -E2BIG);
	check_error("dvx_flow_rewrite_mac: the list is full, it has 32 rewrites", "");
	assert_int_equal(r.count, before.count);
}

TEST(none, long_names)
{
	char name[400];
	size_t n;

	fresh();
	for (n = 1; n < sizeof(name); n++) {
		memset(name, 'a' + (int)(n % 3), n);
		name[n] = '\0';
		name[n / 2] = '.';
		assert_int_equal(dvx_flow_match_set(&m, name, 0, 0), -ENOENT);
	}
}

/* Returns a field. Positions are those of the kernel's mlx5_ifc.h; inner headers begin at 0x400. */
static uint64_t bits(const uint8_t *p, unsigned int bit, unsigned int width)
{
	uint64_t v = 0;

	for (; width; width--, bit++)
		v = v << 1 | (p[bit / 8] >> (7 - bit % 8) & 1);
	return v;
}

/* Each helper's fields, at their places. */
TEST(none, groups)
{
	static const uint8_t mac[6] = {1, 2, 3, 4, 5, 6};
	uint8_t v6[16] = {0x20, 1, 0xd, 0xb8};

	fresh();
	assert_int_equal(dvx_flow_match_mac(&m, DVX_FLOW_OUTER, DVX_FLOW_DST, mac, NULL), 0);
	assert_int_equal(dvx_flow_match_ipv4(&m, DVX_FLOW_OUTER, DVX_FLOW_SRC, 0x0a010000, 16), 0);
	assert_int_equal(
		dvx_flow_match_port(&m, DVX_FLOW_OUTER, DVX_FLOW_DST, DVX_FLOW_TCP, 80, 0xffff), 0);
	assert_int_equal(dvx_flow_match_vlan(&m, DVX_FLOW_OUTER, 100, 0xfff), 0);
	assert_int_equal(bits(m.value, 0x40, 32), 0x01020304);
	assert_int_equal(bits(m.value, 0x60, 16), 0x0506);
	assert_int_equal(bits(m.mask, 0x60, 16), 0xffff);
	assert_int_equal(bits(m.value, 0x93, 4), 4);
	assert_int_equal(bits(m.mask, 0x93, 4), 0xf);
	assert_int_equal(bits(m.value, 0x160, 32), 0x0a010000);
	assert_int_equal(bits(m.mask, 0x160, 32), 0xffff0000);
	assert_int_equal(bits(m.mask, 0x140, 32), 0);
	assert_int_equal(bits(m.value, 0x80, 8), 6);
	assert_int_equal(bits(m.value, 0xb0, 16), 80);
	assert_int_equal(bits(m.mask, 0xb0, 16), 0xffff);
	assert_int_equal(bits(m.value, 0x90, 1), 1);
	assert_int_equal(bits(m.value, 0x74, 12), 100);
	assert_int_equal(dvx_flow_match_ipv6(&m, DVX_FLOW_INNER, DVX_FLOW_DST, v6, 65), 0);
	assert_int_equal(bits(m.value, 0x580, 32), 0x20010db8);
	assert_int_equal(bits(m.mask, 0x5a0, 32), 0xffffffff);
	assert_int_equal(bits(m.mask, 0x5c0, 32), 0x80000000);
	assert_int_equal(bits(m.value, 0x493, 4), 6);
	assert_int_equal(
		dvx_flow_match_port(&m, DVX_FLOW_INNER, DVX_FLOW_SRC, DVX_FLOW_UDP, 0x100, 0xff00),
		0);
	assert_int_equal(bits(m.value, 0x4e0, 16), 0x100);
	assert_int_equal(bits(m.mask, 0x4e0, 16), 0xff00);
	assert_int_equal(bits(m.mask, 0xe0, 16), 0);
}

/* A contradiction is refused and changes nothing. */
TEST(none, contradictions)
{
	static const uint8_t v6[16] = {0xfe, 0x80};
	struct dvx_flow_match before;

	fresh();
	assert_int_equal(dvx_flow_match_ipv4(&m, DVX_FLOW_OUTER, DVX_FLOW_DST, 0x0a000000, 8), 0);
	assert_int_equal(dvx_flow_match_port(&m, DVX_FLOW_OUTER, DVX_FLOW_DST, DVX_FLOW_UDP, 0, 0),
			 0);
	before = m;
	assert_int_equal(dvx_flow_match_ipv6(&m, DVX_FLOW_OUTER, DVX_FLOW_SRC, v6, 10), -EINVAL);
	check_error("match.outer_headers.ip_version", "4 already");
	assert_int_equal(dvx_flow_match_port(&m, DVX_FLOW_OUTER, DVX_FLOW_DST, DVX_FLOW_TCP, 1, 1),
			 -EINVAL);
	check_error("match.outer_headers.ip_protocol", "17 already");
	assert_int_equal(dvx_flow_match_ipv4(&m, DVX_FLOW_OUTER, DVX_FLOW_SRC, 0x0a000001, 8),
			 -EINVAL);
	check_error("match.outer_headers.src", "prefix 8");
	assert_int_equal(dvx_flow_match_ipv4(&m, DVX_FLOW_OUTER, DVX_FLOW_SRC, 0, 33), -ERANGE);
	assert_int_equal(dvx_flow_match_ipv6(&m, DVX_FLOW_INNER, DVX_FLOW_SRC, v6, 129), -ERANGE);
	assert_int_equal(dvx_flow_match_ipv6(&m, DVX_FLOW_INNER, DVX_FLOW_SRC, v6, 8), -EINVAL);
	assert_int_equal(dvx_flow_match_ip_version(&m, DVX_FLOW_INNER, 5), -EINVAL);
	assert_int_equal(dvx_flow_match_port(&m, DVX_FLOW_OUTER, DVX_FLOW_DST, DVX_FLOW_ICMP, 0, 0),
			 -EINVAL);
	assert_int_equal(dvx_flow_match_port(&m, DVX_FLOW_OUTER, DVX_FLOW_DST, DVX_FLOW_UDP, 2, 1),
			 -EINVAL);
	dvx_flow_match_set(&m, "inner_headers.svlan_tag", 1, 1);
	before = m;
	assert_int_equal(dvx_flow_match_vlan(&m, DVX_FLOW_INNER, 5, 0xfff), -EINVAL);
	check_error("match.inner_headers.svlan_tag", "1 already");
	assert_int_equal(dvx_flow_match_vlan(&m, DVX_FLOW_OUTER, 0x1000, 0x1fff), -ERANGE);
	check_error("match.outer_headers.first_vid", "mask 0x1fff");
	assert_int_equal(dvx_flow_match_vlan(&m, DVX_FLOW_OUTER, 0x1000, 0xfff), -EINVAL);
	assert_int_equal(dvx_flow_match_mac(&m, DVX_FLOW_OUTER, DVX_FLOW_SRC, v6, v6 + 1), -EINVAL);
	assert_memory_equal(&m, &before, sizeof(m));
}

/* An enum argument out of range is refused. */
TEST(none, nowhere)
{
	const enum dvx_flow_depth depth = (enum dvx_flow_depth)9;
	const enum dvx_flow_end end = (enum dvx_flow_end)9;
	static const struct dvx_flow_match zero;
	static const uint8_t v6[16];

	fresh();
	assert_int_equal(dvx_flow_match_mac(&m, depth, DVX_FLOW_SRC, v6, NULL), -EINVAL);
	assert_int_equal(dvx_flow_match_mac(&m, DVX_FLOW_OUTER, end, v6, NULL), -EINVAL);
	assert_int_equal(dvx_flow_match_ip_version(&m, depth, 4), -EINVAL);
	assert_int_equal(dvx_flow_match_ipv4(&m, depth, DVX_FLOW_SRC, 1, 32), -EINVAL);
	check_error("depth 9", "inner");
	assert_int_equal(dvx_flow_match_ipv4(&m, DVX_FLOW_OUTER, end, 1, 32), -EINVAL);
	check_error("end 9", "source");
	assert_int_equal(dvx_flow_match_ipv6(&m, depth, DVX_FLOW_SRC, v6, 1), -EINVAL);
	assert_int_equal(dvx_flow_match_proto(&m, depth, 17), -EINVAL);
	assert_int_equal(dvx_flow_match_port(&m, depth, DVX_FLOW_SRC, DVX_FLOW_UDP, 1, 1), -EINVAL);
	assert_int_equal(dvx_flow_match_port(&m, DVX_FLOW_OUTER, end, DVX_FLOW_UDP, 1, 1), -EINVAL);
	assert_int_equal(dvx_flow_match_vlan(&m, depth, 1, 1), -EINVAL);
	assert_memory_equal(&m, &zero, sizeof(m));
}

/*
 * Checks that every prefix is aligned, and that they follow each other and cover first..last
 * exactly.
 */
static void covers(uint64_t first, uint64_t last, unsigned int width)
{
	struct dvx_flow_prefix p[128];
	uint64_t all = width == 64 ? UINT64_MAX : (1ull << width) - 1, next = first, size;
	size_t n = dvx_flow_range(first, last, width, p, 128), i;

	assert_in_range(n, 1, DVX_FLOW_PREFIXES(width));
	for (i = 0; i < n; i++) {
		size = all & ~p[i].mask;
		assert_true(p[i].value == next && !(size & (size + 1)) && !(next & size));
		next += size + 1;
	}
	assert_true(next - 1 == last);
}

TEST(none, ranges)
{
	struct dvx_flow_prefix p[2] = {{1, 1}, {1, 1}};
	uint64_t a, b;

	for (a = 0; a < 64; a++)
		for (b = a; b < 64; b++)
			covers(a, b, 6);
	covers(80, 443, 16);
	covers(1, 65534, 16);
	covers(0, 65535, 16);
	covers(1, UINT64_MAX - 1, 64);
	covers(0, UINT64_MAX, 64);
	covers(0, 1, 1);
	assert_int_equal(dvx_flow_range(1, 65534, 16, NULL, 0), 30);
	assert_int_equal(DVX_FLOW_PREFIXES(16), 30);
	assert_int_equal(dvx_flow_range(1, 65534, 16, p, 1), 30);
	assert_true(p[0].value == 1 && p[0].mask == 0xffff && p[1].value == 1 && p[1].mask == 1);
	assert_int_equal(dvx_flow_range(2, 1, 16, p, 2), 0);
	assert_int_equal(dvx_flow_range(0, 65536, 16, p, 2), 0);
	assert_int_equal(dvx_flow_range(0, 0, 0, p, 2), 0);
	assert_int_equal(dvx_flow_range(0, 0, 65, p, 2), 0);
}

TEST(none, text)
{
	static const char whole[] = "outer_headers.ip_protocol=0x11/0xff "
				    "outer_headers.ip_version=0x4/0xf "
				    "outer_headers.udp_dport=0x35/0xffff "
				    "outer_headers.dst_ipv4_dst_ipv6=10.0.0.0/255.0.0.0";
	char buf[256];

	fresh();
	assert_int_equal(dvx_flow_match_print(&m, buf, sizeof(buf)), 0);
	assert_string_equal(buf, "");
	dvx_flow_match_ipv4(&m, DVX_FLOW_OUTER, DVX_FLOW_DST, 0x0a000000, 8);
	dvx_flow_match_port(&m, DVX_FLOW_OUTER, DVX_FLOW_DST, DVX_FLOW_UDP, 53, 0xffff);
	assert_int_equal(dvx_flow_match_print(&m, buf, sizeof(buf)), strlen(whole));
	assert_string_equal(buf, whole);
	assert_int_equal(dvx_flow_match_print(&m, NULL, 0), strlen(whole));
	assert_int_equal(dvx_flow_match_print(&m, buf, 10), strlen(whole));
	assert_string_equal(buf, "outer_hea");
	m.mask[511] = 1;
	dvx_flow_match_print(&m, buf, sizeof(buf));
	assert_non_null(strstr(buf, " reserved=0x0/0x1"));
}
