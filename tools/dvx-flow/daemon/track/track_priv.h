/* SPDX-License-Identifier: BSD-2-Clause */
/* Shared by the files that track connections. */
#ifndef DVX_FLOW_TRACK_PRIV_H
#define DVX_FLOW_TRACK_PRIV_H

#include "daemon/objects.h"
#include "rules/arena.h"
#include "track.h"

/* --- track_packet.c --- */

/* A connection, as its SYN has it. Network order. */
struct track_key {
	uint8_t src[16], dst[16]; /* of IPv4: the first four bytes */
	uint8_t sport[2], dport[2];
	uint8_t family; /* 4 or 6 */
	uint8_t zero[3];
};

/* A SYN, or a SYN-ACK (whose key is the SYN's, too). */
struct track_packet {
	struct track_key key;
	bool answers; /* it is a SYN-ACK */
	uint16_t from;
	uint32_t ack, bytes; /* bytes: of data */
	struct dvx_connection_side side;
	size_t skip; /* the mark's bytes, behind the MAC addresses */
};

/*
 * The mark of packets for the daemon: two VLAN tags more. The first one has an ID that no network
 * may use (IEEE 802.1Q), the second one's 16 bits are the vport where the packet comes from.
 */
#define TRACK_TAG  0x88a8u
#define TRACK_VID  0xfffu
#define TRACK_MARK 8u

/* Reads a marked frame. Returns false if it is none, or no whole SYN or SYN-ACK. */
bool track_packet_read(const uint8_t *frame, size_t len, struct track_packet *p);

/* --- track_connections.c --- */

struct track_connections;

/* The parts of the tables that connections use. */
struct track_tables {
	struct dvx_flow_domain *domain;
	struct dvx_flow_matcher *matcher[2]; /* of IPv4 and IPv6 connections */
	/* Finds the action that leads to the table of results of this vport's packets. */
	int (*results)(void *arg, uint16_t vport, struct dvx_flow_action **out);
	void *arg;
};

/* Makes room for the first connections. Returns libdvx's -errno; free it then, too. */
int track_connections_new(struct base_tables *base, const struct track_tables *tables,
			  struct track_connections **out);
void track_connections_free(struct track_connections *c);
void track_connections_limit(struct track_connections *c, const struct rule_track *limits);
/*
 * Handles a SYN or a SYN-ACK. Returns whether a SYN-ACK's connection is tracked now, so that the
 * packet can go on.
 */
bool track_connections_take(struct track_connections *c, const struct track_packet *p,
			    uint64_t now);
/* Removes the connections that have ended. */
void track_connections_look(struct track_connections *c, uint64_t now);
void track_connections_entries(const struct track_connections *c, uint32_t rule, entry_of_fn visit,
			       void *arg);
struct track_count track_connections_count(const struct track_connections *c);

/* --- track_queue.c --- */

struct track_queue;

int track_queue_new(struct base_tables *base, struct track_queue **out);
void track_queue_free(struct track_queue *q);
int track_queue_fd(const struct track_queue *q);
/* Handles the packets that have come. Returns in how many ms to call it again; -1: never. */
int track_queue_run(struct track_queue *q, struct track_connections *c, uint64_t now);

#endif
