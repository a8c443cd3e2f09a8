/* SPDX-License-Identifier: BSD-2-Clause */
/* Random rule files and random packets whose values meet each other often. */
#ifndef TESTS_FLOW_RANDOM_H
#define TESTS_FLOW_RANDOM_H

#include <stddef.h>
#include <stdint.h>

struct dice {
	uint64_t state;
};

uint32_t dice_roll(struct dice *d, uint32_t below);

#define PACKET_MAX 256
#define PACKET_MIN 18 /* what a send queue wants inline */

struct made_packet {
	uint8_t bytes[PACKET_MAX];
	uint32_t len;
};

/*
 * One rule of the language without its end of line, "send in ipv4 dst 10.0.1.2 tcp dst port 80": it
 * may be refused by the parser. dir: "in" or "out". Queues 0 to 1; the tag is `number`, and what is
 * not sent to a queue is counted.
 */
void random_rule(struct dice *d, char *text, size_t size, const char *dir, uint32_t number);
void random_packet(struct dice *d, struct made_packet *p);
/* Puts a packet into a tunnel: what is too long then is cut off. */
void random_tunnel(struct dice *d, struct made_packet *p);
/* Some are in tunnels. */
void any_packet(struct dice *d, struct made_packet *p);

#endif
