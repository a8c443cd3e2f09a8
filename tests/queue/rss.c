/* SPDX-License-Identifier: BSD-2-Clause */
/* Proves the RSS hash with the vectors of Microsoft's "Verifying the RSS Hash Calculation", and
 * which fields of a packet go into it. */
#include "tests/test.h"
#include <arpa/inet.h>
#include <dvx/prm/eth.h>
#include "transport/raw/raw.h"
#include "obj/tir.h"
#include "steer/packet.h"

static const uint8_t key[TIR_KEY_BYTES] = {
	0x6d, 0x5a, 0x56, 0xda, 0x25, 0x5b, 0x0e, 0xc2, 0x41, 0x67, 0x25, 0x3d, 0x43, 0xa3,
	0x8f, 0xb0, 0xd0, 0xca, 0x2b, 0xcb, 0xae, 0x7b, 0x30, 0xb4, 0x77, 0xcb, 0x2d, 0xa3,
	0x80, 0x30, 0xf2, 0x0c, 0x6a, 0x42, 0xb7, 0x3b, 0xbe, 0xac, 0x01, 0xfa,
};

static const struct vector {
	int af;
	const char *src, *dst;
	uint16_t sport, dport;
	uint32_t addresses, all;
} vectors[] = {
	{AF_INET, "66.9.149.187", "161.142.100.80", 2794, 1766, 0x323e8fc2, 0x51ccc178},
	{AF_INET, "199.92.111.2", "65.69.140.83", 14230, 4739, 0xd718262a, 0xc626b0ea},
	{AF_INET, "24.19.198.95", "12.22.207.184", 12898, 38024, 0xd2d0a5de, 0x5c2b394a},
	{AF_INET, "38.27.205.30", "209.142.163.6", 48228, 2217, 0x82989176, 0xafc7327f},
	{AF_INET, "153.39.163.191", "202.188.127.2", 44251, 1303, 0x5d1809c5, 0x10e828a2},
	{AF_INET6, "3ffe:2501:200:1fff::7", "3ffe:2501:200:3::1", 2794, 1766, 0x2cc18cd5,
	 0x40207d3d},
	{AF_INET6, "3ffe:501:8::260:97ff:fe40:efab", "ff02::1", 14230, 4739, 0x0f0c461c,
	 0xdde51bbf},
	{AF_INET6, "3ffe:1900:4545:3:200:f8ff:fe21:67cf", "fe80::200:f8ff:fe21:67cf", 44251, 38024,
	 0x4b61e985, 0x02d1feef},
};

/* Ethernet, IP, and a TCP or UDP header. */
struct made {
	uint8_t bytes[128];
	struct packet p;
};

static void make(struct made *m, const struct vector *v, uint8_t protocol)
{
	uint8_t *ip = m->bytes + 14, *l4 = ip + (v->af == AF_INET ? 20 : 40);

	memset(m, 0, sizeof(*m));
	m->bytes[12] = v->af == AF_INET ? 0x08 : 0x86;
	m->bytes[13] = v->af == AF_INET ? 0x00 : 0xdd;
	if (v->af == AF_INET) {
		ip[0] = 0x45;
		ip[3] = 40;
		ip[9] = protocol;
	} else {
		ip[0] = 0x60;
		ip[5] = 20;
		ip[6] = protocol;
	}
	inet_pton(v->af, v->src, ip + (v->af == AF_INET ? 12 : 8));
	inet_pton(v->af, v->dst, ip + (v->af == AF_INET ? 16 : 24));
	l4[0] = (uint8_t)(v->sport >> 8);
	l4[1] = (uint8_t)v->sport;
	l4[2] = (uint8_t)(v->dport >> 8);
	l4[3] = (uint8_t)v->dport;
	m->p.data = m->bytes;
	m->p.len = (uint32_t)(l4 + 20 - m->bytes);
	packet_parse_headers(&m->p);
}

static struct tir tir_for(int af, uint32_t selected)
{
	struct tir t = {
		.hash_fn = PRM_RX_HASH_FN_TOEPLITZ,
		.outer = {.ipv6 = af == AF_INET6, .selected = selected},
	};

	memcpy(t.key, key, sizeof(key));
	return t;
}

TEST(none, published)
{
	struct made m;
	struct tir t;

	for (size_t i = 0; i < sizeof(vectors) / sizeof(vectors[0]); i++) {
		make(&m, &vectors[i], IPPROTO_TCP);
		t = tir_for(vectors[i].af, 3);
		assert_int_equal(rss_of(&t, &m.p).hash, vectors[i].addresses);
		t = tir_for(vectors[i].af, 15);
		assert_int_equal(rss_of(&t, &m.p).hash, vectors[i].all);
	}
}

/* Kernel's device.h: bits 3:2 are the IP, 7:6 the layer 4 that was hashed. */
TEST(none, type_tells)
{
	struct made m;
	struct tir t = tir_for(AF_INET, 15);

	make(&m, &vectors[0], IPPROTO_TCP);
	assert_int_equal(rss_of(&t, &m.p).type >> 2 & 3, 1);
	assert_int_equal(rss_of(&t, &m.p).type >> 6 & 3, 1);
	t.outer.udp = true;
	assert_int_equal(rss_of(&t, &m.p).type, 0);
	make(&m, &vectors[0], IPPROTO_UDP);
	assert_int_equal(rss_of(&t, &m.p).type >> 6 & 3, 2);
	t = tir_for(AF_INET6, 3);
	assert_int_equal(rss_of(&t, &m.p).type, 0);
	make(&m, &vectors[5], IPPROTO_UDP);
	assert_int_equal(rss_of(&t, &m.p).type >> 2 & 3, 2);
	assert_int_equal(rss_of(&t, &m.p).type >> 6 & 3, 0);
}

/* XOR8 of all bytes, inverted; the SPI of ESP counts, and packets without one have no hash. */
TEST(none, xor_and_spi)
{
	struct tir t = tir_for(AF_INET, 3);
	uint8_t x = 0;
	struct made m;

	make(&m, &vectors[0], IPPROTO_ESP);
	for (unsigned int i = 0; i < 8; i++)
		x ^= m.bytes[14 + 12 + i];
	t.hash_fn = PRM_RX_HASH_FN_INVERTED_XOR8;
	assert_int_equal(rss_of(&t, &m.p).hash, (uint8_t)~x);
	t.outer.selected |= 0x10;
	for (unsigned int i = 0; i < 4; i++)
		x ^= m.bytes[14 + 20 + i];
	assert_int_equal(rss_of(&t, &m.p).hash, (uint8_t)~x);
	make(&m, &vectors[0], IPPROTO_TCP);
	assert_int_equal(rss_of(&t, &m.p).type, 0);
	t.hash_fn = PRM_RX_HASH_FN_NONE;
	assert_int_equal(rss_of(&t, &m.p).hash, 0);
}

/* The symmetric hash is the same for a reply; the plain hash is not. */
TEST(none, symmetric)
{
	struct vector back = vectors[0];
	struct made there, here;
	struct tir t = tir_for(AF_INET, 15);

	back.src = vectors[0].dst;
	back.dst = vectors[0].src;
	back.sport = vectors[0].dport;
	back.dport = vectors[0].sport;
	make(&there, &vectors[0], IPPROTO_TCP);
	make(&here, &back, IPPROTO_TCP);
	assert_int_not_equal(rss_of(&t, &there.p).hash, rss_of(&t, &here.p).hash);
	t.symmetric = true;
	assert_int_equal(rss_of(&t, &there.p).hash, rss_of(&t, &here.p).hash);
	assert_int_not_equal(rss_of(&t, &there.p).hash, vectors[0].all);
}

/* Hashing ports alone works over either IP: l3_prot_type is ignored then, as in mlx5_ib. */
TEST(none, ports_alone)
{
	struct made four, six;
	struct tir t = tir_for(AF_INET, 12);
	struct rss rss;

	make(&four, &vectors[0], IPPROTO_TCP);
	make(&six, &vectors[5], IPPROTO_TCP); /* between the same ports */
	rss = rss_of(&t, &four.p);
	assert_int_not_equal(rss.hash, 0);
	assert_int_equal(rss_of(&t, &six.p).hash, rss.hash);
	assert_int_equal(rss_of(&t, &six.p).type, rss.type);
	t = tir_for(AF_INET6, 12);
	assert_int_equal(rss_of(&t, &four.p).hash, rss.hash);
}

/* A fragment has no ports, and nothing is read past a packet that ends early. */
TEST(none, no_ports)
{
	struct made m;
	struct tir t = tir_for(AF_INET, 15);

	make(&m, &vectors[0], IPPROTO_TCP);
	m.bytes[14 + 6] = 0x20; /* more fragments */
	packet_parse_headers(&m.p);
	assert_int_equal(rss_of(&t, &m.p).type, 0);
	for (uint32_t len = 0; len < 54; len++) {
		make(&m, &vectors[0], IPPROTO_TCP);
		m.p.len = len;
		packet_parse_headers(&m.p);
		assert_int_equal(rss_of(&t, &m.p).type, 0);
	}
}
