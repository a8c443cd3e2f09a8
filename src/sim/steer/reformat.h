/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef SIM_STEER_REFORMAT_H
#define SIM_STEER_REFORMAT_H

#include <stdbool.h>
#include <stdint.h>

/*
 * Begin and end of tunnels, for firmware's tables of each domain and for STEs of any version. The
 * packet is parsed again. Bits of enum rewrite_change and STE_MOVED are added to *changed. Those
 * that return a bool return false after steer_lost().
 */
struct flow_actions;
struct flow_reformat;
struct packet;
struct steer_walk;

/* Finds the context from which an entry inserts so many bytes; NULL after steer_lost(). */
const struct flow_reformat *reformat_find(const struct steer_walk *, uint32_t id, uint32_t bytes);

/*
 * Puts a tunnel's header in front of the packet, or with _l3 in place of its Ethernet header. The
 * device fills in lengths, IPv4's checksum and identification, and a UDP source port that is the
 * same for all packets of an inner flow.
 */
bool reformat_encap(const struct steer_walk *, const uint8_t *header, uint32_t bytes,
		    unsigned int *changed);
bool reformat_encap_l3(const struct steer_walk *, const uint8_t *header, uint32_t bytes,
		       unsigned int *changed);
/* Notes the packet's flow, before its Ethernet header goes: the tunnel's UDP source port tells it. */
void reformat_note_flow(struct packet *);

/* Execute those of an entry's actions that end a tunnel, and those that begin one. */
bool reformat_end_tunnel(const struct steer_walk *, const struct flow_actions *,
			 unsigned int *changed);
bool reformat_begin_tunnel(const struct steer_walk *, const struct flow_actions *,
			   unsigned int *changed);

#endif
