/* SPDX-License-Identifier: BSD-2-Clause */
/* Proves the parsed headers of packets. */
#include "tests/test.h"
#include <stdio.h>
#include "packets.h"

TEST(none, understood)
{
	for (size_t i = 0; i < SAMPLES; i++) {
		uint8_t *bytes = malloc(samples[i].len);
		struct packet p = {.data = bytes, .len = (uint32_t)samples[i].len};
		struct packet_headers h;

		assert_non_null(bytes);
		memcpy(bytes, samples[i].bytes, samples[i].len);
		packet_parse_headers(&p);
		h = p.outer;
		/* not in the table */
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

TEST(none, tunnelled)
{
	uint8_t bytes[256];
	struct packet p = {.data = bytes, .len = (uint32_t)samples[SAMPLES - 1].len};

	memcpy(bytes, samples[SAMPLES - 1].bytes, p.len);
	packet_parse_headers(&p);
	assert_int_equal(p.tunnel, PACKET_VXLAN);
	assert_int_equal(p.tunnel_vni, 0x123456);
	assert_int_equal(p.inner.l2, 50);
	assert_int_equal(p.inner.l4, 84);
	assert_int_equal(p.inner.dport, 443);
	/* parsing other bytes clears it */
	bytes[36] = 0;
	packet_parse_headers(&p);
	assert_int_equal(p.tunnel, PACKET_NO_TUNNEL);
	assert_false(p.inner.present);
}


static void check_tunnel(const struct tunnelled *t, const struct packet *p)
{
	const struct packet_headers *in = &p->inner;

	if (p->tunnel != t->tunnel || in->present != t->present || in->dport != t->dport)
		print_message("%s: tunnel %u inner %u port %u\n", t->name, p->tunnel, in->present,
			      in->dport);
	assert_int_equal(p->tunnel, t->tunnel);
	assert_int_equal(p->tunnel_at, t->at);
	assert_int_equal(p->tunnel_vni, t->vni);
	assert_int_equal(p->gre_key, t->gre_key);
	assert_int_equal(in->present, t->present);
	assert_int_equal(in->ethernet, t->ethernet);
	assert_int_equal(in->l3, t->l3);
	assert_int_equal(in->dport, t->dport);
	assert_int_equal(in->ethertype, t->ethertype);
	assert_int_equal(in->ip_version, t->ip_version);
}

TEST(none, each_tunnel)
{
	for (size_t i = 0; i < TUNNELS; i++) {
		uint8_t *bytes = malloc(tunnels[i].len);
		struct packet p = {.data = bytes, .len = (uint32_t)tunnels[i].len};

		assert_non_null(bytes);
		memcpy(bytes, tunnels[i].bytes, tunnels[i].len);
		packet_parse_headers(&p);
		check_tunnel(&tunnels[i], &p);
		free(bytes);
	}
}

/* A UDP port that software added to VXLAN's begins the tunnel, another one does not. */
TEST(none, added_ports_of_vxlan)
{
	static const uint16_t ports[][3] = {{8472, 0}, {1, 8472}, {1, 2}};
	uint8_t bytes[256];
	struct packet p = {.data = bytes, .len = (uint32_t)samples[SAMPLES - 1].len};

	memcpy(bytes, samples[SAMPLES - 1].bytes, p.len);
	packet_parse_headers(&p);
	packet_store16(bytes + p.outer.l4 + 2, 8472);
	packet_parse_headers(&p);
	assert_int_equal(p.tunnel, PACKET_NO_TUNNEL);
	for (size_t i = 0; i < 3; i++) {
		p.vxlan_ports = ports[i];
		packet_parse_headers(&p);
		assert_int_equal(p.tunnel, i < 2 ? PACKET_VXLAN : PACKET_NO_TUNNEL);
		assert_int_equal(p.inner.present, i < 2);
	}
}

/* RFC 1071 sums are right; the test computes them term by term. */
TEST(none, checksums)
{
	uint8_t bytes[64];
	struct packet p = {.data = bytes, .len = (uint32_t)samples[1].len};
	uint32_t sum = 0;

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
	/* UDP over IPv4 may have no sum; a wrong sum is refused */
	assert_true(packet_l4_ok(&p, &p.outer));
	bytes[41] = 1;
	assert_false(packet_l4_ok(&p, &p.outer));
	sum = 0x0a00 + 1 + 0x0a00 + 2 + 17 + 12 + 12345 + 53 + 12 + 0x6162 + 0x6364;
	sum = ~((sum & 0xffff) + (sum >> 16)) & 0xffff;
	bytes[40] = (uint8_t)(sum >> 8);
	bytes[41] = (uint8_t)sum;
	assert_true(packet_l4_ok(&p, &p.outer));
}
