/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef SIM_TRANSPORT_RAW_RAW_H
#define SIM_TRANSPORT_RAW_RAW_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct packet;
struct packet_headers;
struct tir;

/* Handles a packet that steering sends to a TIR: hashes it, receives it or counts it as lost. */
void raw_receive(struct tir *, const struct packet *);

/* --- csum.c --- */

/* csum_fill_*() overwrite the checksum that a send WQE asks for, if the packet has the header. */
void csum_fill_l3(const struct packet *, const struct packet_headers *);
void csum_fill_l4(const struct packet *, const struct packet_headers *);

/* --- raw_lso.c --- */

/* One packet of a large send: its part of the payload, behind hdr bytes of headers. */
struct lso_cut {
	uint32_t hdr, at;
	uint16_t number;
	bool last;
};
/* Makes its headers, at its beginning, from the request's, and parses them. NULL, or why not. */
const char *lso_headers(struct packet *, const struct lso_cut *);

/* --- rss.c --- */

struct rss {
	uint32_t hash;
	uint8_t type; /* cqe64.rss_hash_type; 0: not hashed */
};

struct rss rss_of(const struct tir *, const struct packet *);

#endif
