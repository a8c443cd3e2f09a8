/* SPDX-License-Identifier: BSD-2-Clause */
/* Random rule files and random packets whose values agree often. */
#ifndef TESTS_FLOW_RANDOM_H
#define TESTS_FLOW_RANDOM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct dice {
	uint64_t state;
};

uint32_t dice_roll(struct dice *d, uint32_t below);

#define PACKET_MAX 256
#define PACKET_MIN 18 /* bytes that a send queue needs inline */

/* The Geneve option of rules and packets: class 0x102, type 0x80; as in struct rule. */
#define RANDOM_OPTION (0x102u << 16 | 0x80u << 8 | 1)

struct made_packet {
	uint8_t bytes[PACKET_MAX];
	uint32_t len;
};

/*
 * Makes one rule without its end of line, "send in ipv4 dst 10.0.1.2 tcp dst port 80". The parser
 * may refuse it. dir is "in" or "out". The rule sends to queue 0 or 1 with the tag `number`, or
 * counts.
 */
void random_rule(struct dice *d, char *text, size_t size, const char *dir, uint32_t number);
/*
 * Appends changes to a rule's text, which the parser may then refuse: rewrites of fields, and if
 * `all`, tags and tunnels that are added and removed.
 */
void random_changes(struct dice *d, char *text, size_t size, bool all);
void random_packet(struct dice *d, struct made_packet *p);
/* Puts a packet into a tunnel, and cuts off what is then too long. */
void random_tunnel(struct dice *d, struct made_packet *p);
/* Makes a random packet, sometimes in a tunnel. */
void any_packet(struct dice *d, struct made_packet *p);

#endif
