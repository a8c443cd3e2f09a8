/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef TESTS_INTEROP_DPDK_HWS_MODEL_H
#define TESTS_INTEROP_DPDK_HWS_MODEL_H

/*
 * The packets and rules of dpdk_hws.c, and what becomes of each packet: a model without DPDK, and
 * without dvx. A packet is made of its number, as the operands of a rule are.
 */
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#define QUEUES	     4
#define PACKETS	     4000u
#define PLAIN_RULES  600u
#define OTHER_RULES  200u
#define FAR_RULES    200000u
#define PLAIN_KINDS  12u
#define DATA_BYTES   44u
#define TUNNEL_BYTES 50u
#define FRAME_MOST   256u

enum kind {
	DROP,
	QUEUE,
	RSS,
	MARK,
	MODIFY,
	MODIFY_LIST,
	PUSH,
	ENCAP,
	ENCAP_L3,
	ALL,
	JUMP,
	JUMP_FAR,
	POP,
	DECAP,
	DECAP_L3,
	KINDS
};
#define PLAIN_KIND_LIST \
	DROP, QUEUE, RSS, MARK, MODIFY, MODIFY_LIST, PUSH, ENCAP, ENCAP_L3, ALL, JUMP, JUMP_FAR

static inline const char *kind_name(enum kind k)
{
	static const char *const names[KINDS] = {
		"drop",	       "queue",		"RSS",
		"mark",	       "one rewrite",	"a list of rewrites",
		"push",	       "encapsulation", "encapsulation without Ethernet",
		"all actions", "jump",		"jump to 200,000 rules",
		"pop",	       "decapsulation", "decapsulation without Ethernet"};

	return names[k];
}

/* --- rules: operands by number ------------------------------------------------------------------ */

static inline uint16_t rule_queue(unsigned int i)
{
	return (uint16_t)(i % QUEUES);
}
static inline uint32_t rule_mark(unsigned int i)
{
	return 100 + i;
}
static inline uint8_t rule_ttl(unsigned int i)
{
	return (uint8_t)(2 + i % 200);
}
static inline uint16_t rule_vid(unsigned int i)
{
	return (uint16_t)(1 + i % 4000);
}
static inline uint16_t rule_port(unsigned int i)
{
	return (uint16_t)(1000 + i);
}
static inline uint16_t rule_sport(unsigned int i)
{
	return (uint16_t)(20000 + i);
}
static inline uint32_t rule_source(unsigned int i)
{
	return 0x0a100000 + i;
}
/* Rules that are removed in the second round. */
static inline bool rule_removed(unsigned int i)
{
	return i % 5 < 2;
}

static inline void rule_addresses(uint8_t *src, uint8_t *dst, unsigned int i)
{
	memset(src, 0xfd, 16);
	memset(dst, 0xfd, 16);
	src[3] = dst[12] = (uint8_t)i;
	src[15] = 1;
	dst[15] = 2;
}

static inline uint8_t *put16(uint8_t *to, uint32_t v)
{
	to[0] = (uint8_t)(v >> 8);
	to[1] = (uint8_t)v;
	return to + 2;
}

static inline uint8_t *put32(uint8_t *to, uint32_t v)
{
	return put16(put16(to, v >> 16), v);
}

static inline uint8_t *put_eth(uint8_t *to, const uint8_t *dst, const uint8_t *src, uint16_t type)
{
	memcpy(to, dst, 6);
	memcpy(to + 6, src, 6);
	return put16(to + 12, type);
}

static inline uint16_t sum16(const uint8_t *at, unsigned int n, uint32_t sum)
{
	for (unsigned int i = 0; i < n; i++)
		sum += i & 1 ? at[i] : (uint32_t)at[i] << 8;
	while (sum >> 16)
		sum = (sum & 0xffff) + (sum >> 16);
	return (uint16_t)sum;
}

/* Puts an IPv4 header for n bytes of UDP behind it. */
static inline uint8_t *put_ipv4(uint8_t *to, uint8_t ttl, uint32_t src, uint32_t dst, uint32_t n)
{
	memset(to, 0, 20);
	to[0] = 0x45;
	put16(to + 2, 20 + n);
	to[8] = ttl;
	to[9] = 17;
	put32(put32(to + 12, src), dst);
	put16(to + 10, (uint16_t)~sum16(to, 20, 0));
	return to + 20;
}

static inline uint8_t *put_udp(uint8_t *to, uint16_t sport, uint16_t dport, uint32_t n)
{
	return put16(put16(put16(put16(to, sport), dport), n), 0);
}

/* The header that the i-th rule puts in front of a packet; returns its size. */
static inline unsigned int rule_header(uint8_t *h, enum kind kind, unsigned int i)
{
	const uint8_t dst[6] = {2, 0xaa, 0, 0, (uint8_t)(i >> 8), (uint8_t)i},
		      src[6] = {2, 0xbb, 0, 0, 0, 1};
	uint8_t *at = put_eth(h, dst, src, 0x0800);

	if (kind == DECAP_L3)
		return 14;
	if (kind != ENCAP && kind != ENCAP_L3 && kind != ALL)
		return 0;
	at = put_ipv4(at, 64, 0x0ac80001, 0x0ac80000 + i, 0);
	at = put_udp(at, 0, kind == ENCAP_L3 ? 4790 : 4789, 0);
	put32(put32(at, 0x08000000), i << 8);
	return TUNNEL_BYTES;
}

/* --- packets ------------------------------------------------------------------------------------ */

enum packet_type { P_PLAIN, P_TAGGED, P_TUNNEL, P_SIX };

/* The rules that a packet is for: index of the first one, and behind a jump. They may not exist. */
struct packet_rules {
	enum packet_type type;
	enum kind kind;
	unsigned int index, second;
};

static inline uint32_t mix(uint32_t x)
{
	x = (x ^ x >> 16) * 0x7feb352d;
	x = (x ^ x >> 15) * 0x846ca68b;
	return x ^ x >> 16;
}

static inline struct packet_rules packet_rule(unsigned int n)
{
	static const enum kind plain[] = {PLAIN_KIND_LIST};
	static const enum packet_type types[] = {P_TAGGED, P_TUNNEL, P_SIX};
	struct packet_rules p = {.type = n % 8 < 3 ? types[n % 8] : P_PLAIN};
	const uint32_t r = mix(n + 1);

	p.index = r % ((p.type == P_PLAIN ? PLAIN_RULES : OTHER_RULES) * 9 / 8);
	if (n == PACKETS) /* the last packet is for a rule that stays */
		p = (struct packet_rules){.type = P_PLAIN, .index = 13};
	p.kind = p.type == P_PLAIN    ? plain[p.index % PLAIN_KINDS]
		 : p.type == P_TAGGED ? POP
		 : p.type == P_TUNNEL ? (p.index % 2 ? DECAP_L3 : DECAP)
				      : (p.index % 2 ? QUEUE : DROP);
	p.second = mix(r) % ((p.kind == JUMP ? PLAIN_RULES : FAR_RULES) * 9 / 8);
	return p;
}

static const uint8_t inner_macs[] = {2, 1, 2, 3, 4, 5, 2, 6, 7, 8, 9, 10};

static inline uint8_t *put_data(uint8_t *to, unsigned int n)
{
	put32(put32(to, 0x64767821), n);
	memset(to + 8, (int)(n & 0xff), DATA_BYTES - 8);
	return to + DATA_BYTES;
}

static inline uint8_t *put_udp4(uint8_t *to, struct packet_rules p, unsigned int n)
{
	const uint32_t src = p.kind == JUMP_FAR ? rule_source(p.second) : 0x0a000001;
	const uint16_t sport = p.kind == JUMP ? rule_sport(p.second) : (uint16_t)(40000 + n % 1000);
	uint8_t *udp = put_ipv4(to, 9, src, 0x0a000002, 8 + DATA_BYTES), *end;

	end = put_data(
		put_udp(udp, sport, p.type == P_PLAIN ? rule_port(p.index) : 5555, 8 + DATA_BYTES),
		n);
	put16(udp + 6,
	      (uint16_t)~sum16(udp, 8 + DATA_BYTES, sum16(to + 12, 8, 17 + 8 + DATA_BYTES)));
	return end;
}

static inline uint8_t *put_udp6(uint8_t *to, struct packet_rules p, unsigned int n)
{
	uint8_t *udp = to + 40, *end;

	put16(put32(to, 0x60000000), 8 + DATA_BYTES);
	to[6] = 17;
	to[7] = 9;
	rule_addresses(to + 8, to + 24, p.index);
	end = put_data(put_udp(udp, rule_sport(p.index), rule_port(p.index), 8 + DATA_BYTES), n);
	put16(udp + 6,
	      (uint16_t)~sum16(udp, 8 + DATA_BYTES, sum16(to + 8, 32, 17 + 8 + DATA_BYTES)));
	return end;
}

/* Makes the n-th packet; returns its size. */
static inline uint16_t packet_make(uint8_t *f, unsigned int n, const uint8_t *dst,
				   const uint8_t *src)
{
	const struct packet_rules p = packet_rule(n);
	uint8_t *at;

	switch (p.type) {
	case P_TAGGED:
		at = put_udp4(put16(put16(put_eth(f, dst, src, 0x8100), rule_vid(p.index)), 0x0800),
			      p, n);
		break;
	case P_TUNNEL:
		at = put_udp(put_ipv4(put_eth(f, dst, src, 0x0800), 64, 0x0ac80001, 0x0ac80002,
				      16 + 14 + 28 + DATA_BYTES),
			     50000, 4789, 16 + 14 + 28 + DATA_BYTES);
		at = put32(put32(at, 0x08000000), p.index << 8);
		at = put_udp4(put_eth(at, inner_macs, inner_macs + 6, 0x0800), p, n);
		break;
	case P_SIX:
		at = put_udp6(put_eth(f, dst, src, 0x86dd), p, n);
		break;
	default:
		at = put_udp4(put_eth(f, dst, src, 0x0800), p, n);
	}
	return (uint16_t)(at - f);
}

/* --- what becomes of a packet -------------------------------------------------------------------- */

static inline bool rule_exists(unsigned int i, unsigned int rules, bool thin)
{
	return i < rules && !(thin && rule_removed(i));
}

static inline bool packet_arrives(unsigned int n, bool thin)
{
	const struct packet_rules p = packet_rule(n);

	if (!rule_exists(p.index, p.type == P_PLAIN ? PLAIN_RULES : OTHER_RULES, thin))
		return false;
	if (p.kind == JUMP)
		return rule_exists(p.second, PLAIN_RULES, thin);
	if (p.kind == JUMP_FAR)
		return rule_exists(p.second, FAR_RULES, thin) && p.second % 2;
	return p.kind != DROP;
}

/* Counts the packets that rules for ports of IPv4 drop in the first round. */
static inline unsigned int packets_dropped(void)
{
	unsigned int dropped = 0;

	for (unsigned int n = 0; n < PACKETS; n++) {
		const struct packet_rules p = packet_rule(n);

		dropped += p.type == P_PLAIN && p.kind == DROP && p.index < PLAIN_RULES;
	}
	return dropped;
}

struct arrival {
	const uint8_t *bytes;
	uint16_t len, queue;
	uint32_t mark;
};

/* Returns the packet's number; UINT32_MAX: it is none of ours. */
static inline unsigned int packet_number(const struct arrival *got)
{
	const uint8_t *data = got->bytes + got->len - DATA_BYTES;
	uint8_t head[4];

	put32(head, 0x64767821);
	if (got->len < 14 + 28 + DATA_BYTES || memcmp(data, head, 4))
		return UINT32_MAX;
	return (uint32_t)data[4] << 24 | (uint32_t)data[5] << 16 | (uint32_t)data[6] << 8 | data[7];
}

/* Rewrites an IPv4 header at ip, and the checksums behind. */
static inline void rewrite(uint8_t *ip, enum kind kind, unsigned int i)
{
	uint8_t *udp = ip + 20;
	const uint32_t src = kind == MODIFY ? 0x0a000001 : 0x0a090000 + i;

	put_ipv4(ip, rule_ttl(i), src, 0x0a000002, 8 + DATA_BYTES);
	put16(udp + 6, 0);
	put16(udp + 6,
	      (uint16_t)~sum16(udp, 8 + DATA_BYTES, sum16(ip + 12, 8, 17 + 8 + DATA_BYTES)));
}

/* Puts the i-th rule's tunnel in front of n bytes; the device fills in lengths. */
static inline uint16_t encapsulate(uint8_t *f, uint16_t n, enum kind kind, unsigned int i)
{
	const unsigned int gone = kind == ENCAP_L3 ? 14 : 0;

	memmove(f + TUNNEL_BYTES, f + gone, n - gone);
	rule_header(f, kind, i);
	n = (uint16_t)(n - gone + TUNNEL_BYTES);
	put16(f + 16, n - 14u);
	put16(f + 38, n - 34u);
	return n;
}

/* Makes the packet as it arrives, of what was sent; returns its size. */
static inline uint16_t packet_changed(uint8_t *f, uint16_t n, struct packet_rules p)
{
	uint8_t tag[4];

	switch (p.kind) {
	case MODIFY:
	case MODIFY_LIST:
		rewrite(f + 14, p.kind, p.index);
		return n;
	case PUSH:
		put16(put16(tag, 0x8100), 5u << 13 | rule_vid(p.index));
		memmove(f + 16, f + 12, n - 12u);
		memcpy(f + 12, tag, 4);
		return (uint16_t)(n + 4);
	case POP:
		memmove(f + 12, f + 16, n - 16u);
		return (uint16_t)(n - 4);
	case ALL:
		rewrite(f + 14, p.kind, p.index);
		/* fallthrough */
	case ENCAP:
	case ENCAP_L3:
		return encapsulate(f, n, p.kind, p.index);
	case DECAP_L3:
	case DECAP:
		memmove(f, f + TUNNEL_BYTES, n - TUNNEL_BYTES);
		if (p.kind == DECAP_L3)
			rule_header(f, p.kind, p.index);
		return (uint16_t)(n - TUNNEL_BYTES);
	default:
		return n;
	}
}

/* Blanks what the device chooses in a tunnel's header; returns false if IPv4's checksum is wrong. */
static inline bool blank_tunnel(uint8_t *f, bool tunnel)
{
	bool right = sum16(f + 14, 20, 0) == 0xffff;

	if (!tunnel)
		return true;
	put16(f + 18, 0); /* identification */
	put16(f + 24, 0); /* checksum */
	put16(f + 34, 0); /* UDP source port */
	return right;
}

/* Returns how a packet differs from the model's; NULL: it does not. */
static inline const char *packet_differs(const struct arrival *got, unsigned int n, bool thin)
{
	const struct packet_rules p = packet_rule(n);
	const bool tunnel = p.kind == ENCAP || p.kind == ENCAP_L3 || p.kind == ALL;
	const unsigned int i = p.kind == JUMP || p.kind == JUMP_FAR ? p.second : p.index;
	const bool marked = p.kind == MARK || p.kind == JUMP || p.kind == ALL;
	uint8_t want[FRAME_MOST] = {0}, bytes[FRAME_MOST] = {0};
	uint16_t len;

	if (!packet_arrives(n, thin))
		return "it should not arrive";
	if (p.kind == RSS ? got->queue < 2 : got->queue != rule_queue(i))
		return "another queue";
	if (got->mark != (marked ? rule_mark(i) : 0))
		return "another mark";
	len = packet_changed(want, packet_make(want, n, got->bytes, got->bytes + 6), p);
	if (got->len != len)
		return "another length";
	memcpy(bytes, got->bytes, len);
	blank_tunnel(want, tunnel);
	if (!blank_tunnel(bytes, tunnel))
		return "a wrong checksum of the tunnel's header";
	/* the addresses that were sent are not known behind a tunnel's header */
	if (tunnel && p.kind != ENCAP_L3)
		memcpy(want + TUNNEL_BYTES, bytes + TUNNEL_BYTES, 12);
	return memcmp(want, bytes, len) ? "other bytes" : NULL;
}

#endif
