/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef DVX_COPY_GATE_H
#define DVX_COPY_GATE_H

#include <stdint.h>
#include <sys/socket.h>

#include "base/fault.h"

/*
 * Strangers are connections that have not shown the key yet. When there are too many of them, one
 * must go for each that comes. The meaning of the numbers is that of sshd's MaxStartups
 * (start:rate:full), PerSourceMaxStartups and PerSourceNetBlockSize, but sshd refuses the
 * connection that comes, and here an older one goes: who is silent loses its place, and a
 * handshake, which takes milliseconds, keeps it.
 */
struct copy_gate {
	unsigned int start, rate, full;
	unsigned int per_source, v4_bits, v6_bits;
};

#define GATE_STARTING	"32:30:128"
#define GATE_PER_SOURCE "16:32:64"
#define GATE_FULL_MAX	1024u

/* "START:RATE:FULL" and "N[:V4BITS[:V6BITS]]". */
int gate_parse(struct copy_gate *g, const char *starting, const char *per_source,
	       struct copy_fault *f);

/* The network that an address counts to. */
struct gate_source {
	uint8_t bytes[17];
};
struct gate_source gate_source(const struct copy_gate *g, const struct sockaddr_storage *from);

/*
 * Which of the n strangers has to go for one who comes: its index, or -1. A source that has all it
 * may have loses one of its own. Else the source that has the most loses one: a source with a
 * single connection is not touched while another has two.
 */
int gate_victim(const struct copy_gate *g, const struct gate_source *s, unsigned int n,
		const struct gate_source *comes, const uint32_t random[2]);

#endif
