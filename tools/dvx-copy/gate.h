/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef DVX_COPY_GATE_H
#define DVX_COPY_GATE_H

#include <stdint.h>
#include <sys/socket.h>

#include "base/fault.h"

/*
 * Strangers are connections that have not shown the key yet. When there are too many of them, one
 * is dropped for each new one. The numbers mean what they mean in sshd's MaxStartups
 * (start:rate:full), PerSourceMaxStartups and PerSourceNetBlockSize. sshd refuses the new
 * connection; here an older one is dropped: a silent connection loses its place, and a handshake,
 * which takes milliseconds, keeps it.
 */
struct copy_gate {
	unsigned int start, rate, full;
	unsigned int per_source, v4_bits, v6_bits;
};

#define GATE_STARTING	"32:30:128"
#define GATE_PER_SOURCE "16:32:64"
#define GATE_FULL_MAX	1024u

/* Parses "START:RATE:FULL" and "N[:V4BITS[:V6BITS]]". */
int gate_parse(struct copy_gate *g, const char *starting, const char *per_source,
	       struct copy_fault *f);

/* The network that an address belongs to; gate_source() computes it. */
struct gate_source {
	uint8_t bytes[17];
};
struct gate_source gate_source(const struct copy_gate *g, const struct sockaddr_storage *from);

/*
 * Returns the index of the stranger to drop when a new one comes, or -1. A source that has reached
 * its limit loses one of its own. Otherwise the source with the most connections loses one: a
 * source with a single connection keeps it while another has two.
 */
int gate_victim(const struct copy_gate *g, const struct gate_source *s, unsigned int n,
		const struct gate_source *comes, const uint32_t random[2]);

#endif
