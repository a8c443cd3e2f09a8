/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef SIM_STEER_PRIV_H
#define SIM_STEER_PRIV_H

/* Private to this room: one packet's walk through the tables. */
#include <stdbool.h>
#include <stdint.h>
#include "base/log.h"
#include "obj/icm.h"
#include "obj/vhca.h"
#include "packet.h"
#include "steer.h"
#include "ste/ste.h"

/*
 * After each table or entry the packet's next position is an ICM address (obj/icm.h). steer.c reads
 * the address's kind: a table of firmware is matched there (obj/flow.h), a table of software leads
 * to its root, entries are walked by their version (ste/), and a TIR, drop or allow ends the walk.
 *
 * [I] Bounds that no useful tables reach: libmlx5 leads through each of a table's matchers (their
 * priorities are 16 bits) by a hit, and at least one more entry is read there.
 */
#define STEER_HOPS  (1u << 17) /* hits on one packet's way */
#define STEER_STEPS (1u << 18) /* all entries that are read, and the rewrites of their lists */

struct steer_walk {
	const struct ste_version *version; /* the chip's: ste/ste.h */
	struct vhca *vhca;
	struct packet *packet;
	enum steer_domain domain;
	unsigned int hops; /* what is left of STEER_HOPS: one for each table met or STE hit */
	unsigned int
		steps; /* what is left of STEER_STEPS: one for each STE read, and what it does */
};

/*
 * Walks entries from an address of kind ICM_STE to the first one of another kind, which it returns.
 * It counts, sets the packet's registers and tag, and changes its bytes (data may move within
 * head- and tailroom; packet_parse_headers() follows). 0: lost, after steer_lost().
 */
static inline uint64_t ste_walk(struct steer_walk *w, uint64_t addr)
{
	return w->version->walk(w, addr);
}

/* Logs why a packet is lost, as a sentence; hostile tables cannot flood the log. Returns 0. */
uint64_t steer_lost(const struct steer_walk *, const char *fmt, ...)
	__attribute__((format(printf, 2, 3)));

/* --trace: a line for each table and entry that a packet met. */
#define steer_trace(...)                                                \
	do {                                                            \
		if (sim_tracing)                                        \
			sim_trace("steer", NULL, NULL, 0, __VA_ARGS__); \
	} while (0)

#endif
