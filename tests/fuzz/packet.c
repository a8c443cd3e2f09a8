/* SPDX-License-Identifier: BSD-2-Clause */
/* Packets: good ones cut and changed, and any bytes. What the parser finds lies within the packet;
 * connection tracking and meters take any of them. */
#include "fuzz.h"
#include "tests/steer/packets.h"
#include "steer/aso/aso.h"

#define KINDS (uint32_t)(SAMPLES + TUNNELS)

static void check_bounds(const struct packet *p, const struct packet_headers *h)
{
	static const uint32_t fixed[] = {
		[PACKET_L4_NONE] = 0, [PACKET_TCP] = 20,  [PACKET_UDP] = 8,
		[PACKET_ICMP] = 8,    [PACKET_ICMP6] = 8,
	};

	if (!h->present)
		return;
	if (h->ethernet)
		assert_true(h->l2 + 14u <= p->len);
	assert_true(h->end <= p->len);
	assert_true(h->vlans <= PACKET_VLANS);
	assert_true(h->labels <= PACKET_LABELS);
	if (h->labels)
		assert_true(h->mpls + 4u * h->labels <= p->len);
	if (h->l3)
		assert_true(h->l3 + (h->ip_version == 4 ? 20u : 40u) <= p->len);
	assert_true(h->l3_end <= p->len);
	assert_int_equal(!h->l4, h->l4_type == PACKET_L4_NONE);
	if (h->l4 && h->l4_type != PACKET_L4_OTHER)
		assert_true(h->l4 + fixed[h->l4_type] <= h->l3_end);
}

static void check_tunnel_bounds(const struct packet *p)
{
	static const uint32_t fixed[] = {
		[PACKET_VXLAN] = 8, [PACKET_VXLAN_GPE] = 8, [PACKET_GENEVE] = 8,   [PACKET_GRE] = 4,
		[PACKET_IPIP] = 0,  [PACKET_GTPU] = 8,	    [PACKET_MPLS_UDP] = 0, /* labels */
	};
	uint32_t bytes = fixed[p->tunnel];

	if (p->tunnel == PACKET_GRE && p->data[p->tunnel_at] & 0xc0)
		bytes += 4; /* read as a whole with the first */
	assert_true(!bytes == !p->tunnel_at);
	assert_true(p->tunnel_at + bytes <= p->len);
}

static uint32_t make_packet(uint8_t *to, uint32_t room)
{
	uint32_t i = any(KINDS + 1), len;

	if (i == KINDS) {
		for (len = 0; fuzz_more() && len < room; len++)
			any_bytes(to + len, 1);
		return len;
	}
	len = (uint32_t)(i < SAMPLES ? samples[i].len : tunnels[i - SAMPLES].len);
	memcpy(to, i < SAMPLES ? samples[i].bytes : tunnels[i - SAMPLES].bytes, len);
	if (!any(4))
		len = any(len + 1);
	while (fuzz_more() && len)
		to[any(len)] = (uint8_t)any(256);
	return len;
}

/* Tracks it in a connection whose context follows from the input. */
static void track(const struct packet *p, uint32_t seed)
{
	uint8_t context[64];

	for (unsigned int i = 0; i < sizeof(context); i++)
		context[i] = (uint8_t)fuzz_random(&seed);
	context[60] = (uint8_t)(0x80 | context[60] % 6 << 4); /* valid, in a state that exists */
	aso_ct(context, p, context[0] & 1);
	aso_meter(context, context[1] & 3, aso_meter_cost(context, p), fuzz_random(&seed));
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t len)
{
	uint8_t room[2048], *copy;
	struct packet p = {0};

	fuzz_begin(bytes, len);
	p.len = make_packet(room, sizeof(room));
	p.data = copy = malloc(p.len ? p.len : 1);
	assert_non_null(copy);
	memcpy(copy, room, p.len);
	packet_parse_headers(&p);
	check_bounds(&p, &p.outer);
	check_bounds(&p, &p.inner);
	check_tunnel_bounds(&p);
	packet_l4_ok(&p, &p.outer);
	packet_l4_ok(&p, &p.inner);
	track(&p, fuzz_hash(bytes, len) | 1);
	free(copy);
	return 0;
}

const struct fuzz_target fuzz_target = {.inputs = 200000, .longest = 14};
