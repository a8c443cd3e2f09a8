/* SPDX-License-Identifier: BSD-2-Clause */
/* Proves what the parser understands of a packet, and that no bytes make it read past their end. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>
#include "steer/packet.h"

#define MACS "\x02\xd7\x00\x00\x00\x01\x02\xd7\x00\x00\x00\x02"
#define IP4(proto, len, frag) \
	"\x45\xb9\x00" len "\x12\x34" frag "\x40" proto "\x00\x00\x0a\x00\x00\x01\x0a\x00\x00\x02"
#define IP6(next, len)                                                     \
	"\x6b\x9a\xbc\xde\x00" len next "\x3f"                             \
	"\x20\x01\x0d\xb8\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x01" \
	"\x20\x01\x0d\xb8\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x02"
#define UDP(len) "\x30\x39\x00\x35\x00" len "\x00\x00"
#define TCP	 "\x04\xd2\x01\xbb\x01\x02\x03\x04\x05\x06\x07\x08\x51\x12\xff\xff\x00\x00\x00\x00"
#define INNER	 MACS "\x08\x00" IP4("\x06", "\x28", "\x40\x00") TCP

/* One packet, and what must be understood of it. */
static const struct sample {
	const char *name;
	const char *bytes;
	size_t len;
	struct packet_headers is;
} samples[] = {
#define SAMPLE(name, bytes, ...)                     \
	{                                            \
		name, bytes, sizeof(bytes) - 1,      \
		{                                    \
			.present = true, __VA_ARGS__ \
		}                                    \
	}
	SAMPLE("arp", MACS "\x08\x06\x00\x01", .ethertype = 0x0806),
	SAMPLE("udp", MACS "\x08\x00" IP4("\x11", "\x20", "\x00\x00") UDP("\x0c") "abcd",
	       .ethertype = 0x800, .l3 = 14, .l4 = 34, .ip_version = 4, .ip_protocol = 17,
	       .dscp = 0x2e, .ecn = 1, .ttl = 64, .ihl = 5, .l4_type = PACKET_UDP, .sport = 12345,
	       .dport = 53),
	SAMPLE("tcp, one tag", MACS "\x81\x00\xa0\x05\x08\x00" IP4("\x06", "\x28", "\x40\x00") TCP,
	       .ethertype = 0x800, .vlans = 1, .cvlan = true, .vlan = {0xa005}, .l3 = 18, .l4 = 38,
	       .ip_version = 4, .ip_protocol = 6, .dscp = 0x2e, .ecn = 1, .ttl = 64, .ihl = 5,
	       .l4_type = PACKET_TCP, .sport = 1234, .dport = 443, .tcp_flags = 0x112),
	SAMPLE("two tags",
	       MACS "\x88\xa8\x00\x64\x81\x00\x20\xc8\x08\x00" IP4(
		       "\x01", "\x1c", "\x00\x00") "\x08\x00\xf7\xff\x00\x00\x00\x00",
	       .ethertype = 0x800, .vlans = 2, .svlan = true, .cvlan2 = true, .vlan = {100, 0x20c8},
	       .l3 = 22, .l4 = 42, .ip_version = 4, .ip_protocol = 1, .dscp = 0x2e, .ecn = 1,
	       .ttl = 64, .ihl = 5, .l4_type = PACKET_ICMP),
	SAMPLE("a third tag is an EtherType",
	       MACS "\x88\xa8\x00\x64\x81\x00\x20\xc8\x81\x00\x00\x01\x08\x00", .ethertype = 0x8100,
	       .vlans = 2, .svlan = true, .cvlan2 = true, .vlan = {100, 0x20c8}),
	SAMPLE("ipv4 options",
	       MACS
	       "\x08\x00"
	       "\x46\x00\x00\x20\x00\x00\x00\x00\x01\x11\x00\x00\x0a\x00\x00\x01\x0a\x00\x00\x02"
	       "\x94\x04\x00\x00" UDP("\x08"),
	       .ethertype = 0x800, .l3 = 14, .l4 = 38, .ip_version = 4, .ip_protocol = 17, .ttl = 1,
	       .ihl = 6, .l4_type = PACKET_UDP, .sport = 12345, .dport = 53),
	SAMPLE("first fragment", MACS "\x08\x00" IP4("\x11", "\x1c", "\x20\x00") UDP("\x64"),
	       .ethertype = 0x800, .l3 = 14, .l4 = 34, .ip_version = 4, .ip_protocol = 17,
	       .dscp = 0x2e, .ecn = 1, .ttl = 64, .ihl = 5, .frag = true, .l4_type = PACKET_UDP,
	       .sport = 12345, .dport = 53),
	SAMPLE("later fragment", MACS "\x08\x00" IP4("\x11", "\x1c", "\x00\x10") "abcdefgh",
	       .ethertype = 0x800, .l3 = 14, .ip_version = 4, .ip_protocol = 17, .dscp = 0x2e,
	       .ecn = 1, .ttl = 64, .ihl = 5, .frag = true),
	SAMPLE("ipv6 udp", MACS "\x86\xdd" IP6("\x11", "\x08") UDP("\x08"), .ethertype = 0x86dd,
	       .l3 = 14, .l4 = 54, .ip_version = 6, .ip_protocol = 17, .dscp = 0x2e, .ecn = 1,
	       .ttl = 63, .flow_label = 0xabcde, .l4_type = PACKET_UDP, .sport = 12345,
	       .dport = 53),
	SAMPLE("ipv6 hop-by-hop, destination options",
	       MACS "\x86\xdd" IP6("\x00", "\x24") "\x3c\x00\x01\x04\x00\x00\x00\x00"
						   "\x06\x00\x01\x04\x00\x00\x00\x00" TCP,
	       .ethertype = 0x86dd, .l3 = 14, .l4 = 70, .ip_version = 6, .ip_protocol = 6,
	       .dscp = 0x2e, .ecn = 1, .ttl = 63, .flow_label = 0xabcde, .l4_type = PACKET_TCP,
	       .sport = 1234, .dport = 443, .tcp_flags = 0x112),
	SAMPLE("ipv6 later fragment",
	       MACS "\x86\xdd" IP6("\x2c", "\x10") "\x11\x00\x00\x08\x00\x00\x00\x01" UDP("\x08"),
	       .ethertype = 0x86dd, .l3 = 14, .ip_version = 6, .ip_protocol = 17, .dscp = 0x2e,
	       .ecn = 1, .ttl = 63, .flow_label = 0xabcde, .frag = true),
	SAMPLE("ipv6 no next header", MACS "\x86\xdd" IP6("\x3b", "\x00"), .ethertype = 0x86dd,
	       .l3 = 14, .ip_version = 6, .ip_protocol = 59, .dscp = 0x2e, .ecn = 1, .ttl = 63,
	       .flow_label = 0xabcde),
	SAMPLE("udp that is cut off", MACS "\x08\x00" IP4("\x11", "\x1c", "\x00\x00") "\x30\x39",
	       .ethertype = 0x800, .l3 = 14, .ip_version = 4, .ip_protocol = 17, .dscp = 0x2e,
	       .ecn = 1, .ttl = 64, .ihl = 5, .truncated = true),
	SAMPLE("udp behind what IP says is its end",
	       MACS "\x08\x00" IP4("\x11", "\x16", "\x00\x00") UDP("\x08"), .ethertype = 0x800,
	       .l3 = 14, .ip_version = 4, .ip_protocol = 17, .dscp = 0x2e, .ecn = 1, .ttl = 64,
	       .ihl = 5, .truncated = true),
	SAMPLE("vxlan",
	       MACS
	       "\x08\x00" IP4("\x11", "\x5a", "\x00\x00") "\x30\x39\x12\xb5\x00\x46\x00\x00"
							  "\x08\x00\x00\x00\x12\x34\x56\x00" INNER,
	       .ethertype = 0x800, .l3 = 14, .l4 = 34, .ip_version = 4, .ip_protocol = 17,
	       .dscp = 0x2e, .ecn = 1, .ttl = 64, .ihl = 5, .l4_type = PACKET_UDP, .sport = 12345,
	       .dport = 4789),
};
#define SAMPLES (sizeof(samples) / sizeof(samples[0]))

static void understood(void **state)
{
	(void)state;
	for (size_t i = 0; i < SAMPLES; i++) {
		uint8_t *bytes = malloc(samples[i].len);
		struct packet p = {.data = bytes, .len = (uint32_t)samples[i].len};
		struct packet_headers h;

		assert_non_null(bytes);
		memcpy(bytes, samples[i].bytes, samples[i].len);
		packet_parse_headers(&p);
		h = p.outer;
		/* these are not in the table */
		h.end = 0;
		h.l3_end = 0;
		h.l3_ok = false;
		if (memcmp(&h, &samples[i].is, sizeof(h)))
			print_message("%s: l3 %u l4 %u type %u trunc %u\n", samples[i].name, h.l3,
				      h.l4, h.l4_type, h.truncated);
		assert_memory_equal(&h, &samples[i].is, sizeof(h));
		free(bytes);
	}
}

static void tunnelled(void **state)
{
	uint8_t bytes[256];
	struct packet p = {.data = bytes, .len = (uint32_t)samples[SAMPLES - 1].len};

	(void)state;
	memcpy(bytes, samples[SAMPLES - 1].bytes, p.len);
	packet_parse_headers(&p);
	assert_int_equal(p.tunnel, PACKET_VXLAN);
	assert_int_equal(p.tunnel_vni, 0x123456);
	assert_int_equal(p.inner.l2, 50);
	assert_int_equal(p.inner.l4, 84);
	assert_int_equal(p.inner.dport, 443);
	/* a later look at other bytes forgets it */
	bytes[36] = 0;
	packet_parse_headers(&p);
	assert_int_equal(p.tunnel, PACKET_NO_TUNNEL);
	assert_false(p.inner.present);
}

/* RFC 1071 sums, calculated here term by term. */
static void checksums(void **state)
{
	uint8_t bytes[64];
	struct packet p = {.data = bytes, .len = (uint32_t)samples[1].len};
	uint32_t sum = 0;

	(void)state;
	memcpy(bytes, samples[1].bytes, p.len);
	packet_parse_headers(&p);
	assert_false(p.outer.l3_ok);
	for (unsigned int i = 14; i < 34; i += 2)
		sum += packet_load16(bytes + i);
	sum = ~((sum & 0xffff) + (sum >> 16)) & 0xffff;
	bytes[24] = (uint8_t)(sum >> 8);
	bytes[25] = (uint8_t)sum;
	packet_parse_headers(&p);
	assert_true(p.outer.l3_ok);
	/* UDP over IPv4 may have none; a wrong one is wrong */
	assert_true(packet_l4_ok(&p, &p.outer));
	bytes[41] = 1;
	assert_false(packet_l4_ok(&p, &p.outer));
	sum = 0x0a00 + 1 + 0x0a00 + 2 + 17 + 12 + 12345 + 53 + 12 + 0x6162 + 0x6364;
	sum = ~((sum & 0xffff) + (sum >> 16)) & 0xffff;
	bytes[40] = (uint8_t)(sum >> 8);
	bytes[41] = (uint8_t)sum;
	assert_true(packet_l4_ok(&p, &p.outer));
}

static void check_bounds(const struct packet *p, const struct packet_headers *h)
{
	static const uint32_t fixed[] = {
		[PACKET_L4_NONE] = 0, [PACKET_TCP] = 20,  [PACKET_UDP] = 8,
		[PACKET_ICMP] = 8,    [PACKET_ICMP6] = 8,
	};

	if (!h->present)
		return;
	assert_true(h->l2 + 14u <= p->len);
	assert_true(h->end <= p->len);
	assert_true(h->vlans <= PACKET_VLANS);
	if (h->l3)
		assert_true(h->l3 + (h->ip_version == 4 ? 20u : 40u) <= p->len);
	assert_true(h->l3_end <= p->len);
	assert_int_equal(!h->l4, h->l4_type == PACKET_L4_NONE);
	if (h->l4 && h->l4_type != PACKET_L4_OTHER)
		assert_true(h->l4 + fixed[h->l4_type] <= h->l3_end);
}

/* Bytes end with their allocation, so that AddressSanitizer sees any read past them. */
static void hostile(void **state)
{
	unsigned int seed = 20261121, rounds = 200000;

	(void)state;
	for (unsigned int i = 0; i < rounds; i++) {
		const struct sample *s = &samples[(unsigned int)rand_r(&seed) % SAMPLES];
		uint32_t len = (uint32_t)rand_r(&seed) % (uint32_t)(s->len + 1);
		uint8_t *bytes = malloc(len ? len : 1);
		struct packet p = {.data = bytes,
				   .len = rand_r(&seed) % 4 ? (uint32_t)s->len : len};

		if (p.len > len)
			bytes = p.data = realloc(bytes, p.len);
		assert_non_null(bytes);
		memcpy(bytes, s->bytes, p.len);
		for (int n = rand_r(&seed) % 6; n && p.len; n--)
			bytes[(uint32_t)rand_r(&seed) % p.len] = (uint8_t)rand_r(&seed);
		packet_parse_headers(&p);
		check_bounds(&p, &p.outer);
		check_bounds(&p, &p.inner);
		packet_l4_ok(&p, &p.outer);
		packet_l4_ok(&p, &p.inner);
		free(bytes);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(understood),
		cmocka_unit_test(tunnelled),
		cmocka_unit_test(checksums),
		cmocka_unit_test(hostile),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
