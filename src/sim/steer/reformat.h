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

/* Remove the first VLAN tag, and add one in front of all others: its bytes as a number. */
bool reformat_pop(const struct steer_walk *, unsigned int *changed);
bool reformat_push(const struct steer_walk *, uint32_t tag, unsigned int *changed);

/* PRM flow_action bits that remove or add headers. */
#define REFORMAT_ACTIONS                                                                      \
	(PRM_FLOW_ACTION_DECAP | PRM_FLOW_ACTION_PACKET_REFORMAT | PRM_FLOW_ACTION_VLAN_POP | \
	 PRM_FLOW_ACTION_VLAN_PUSH)
/*
 * Execute those of an entry's actions that remove headers: the end of a tunnel, then VLAN tags, and
 * those that add some: VLAN tags, then the begin of a tunnel.
 */
bool reformat_remove(const struct steer_walk *, const struct flow_actions *);
bool reformat_add(const struct steer_walk *, const struct flow_actions *);
/* Begins the tunnel of a context; one that ends a tunnel, or NULL, does nothing. */
bool reformat_begin_tunnel(const struct steer_walk *, const struct flow_reformat *);
/*
 * Returns whether a header may be removed (ends) or added on the packet's side. [I] Tunnels end on
 * the side where packets arrive only; entries of format 0 also add headers only where packets are
 * sent.
 */
bool reformat_has_side(const struct steer_walk *, bool ends);

#endif
