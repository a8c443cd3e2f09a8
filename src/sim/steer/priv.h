/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef SIM_STEER_PRIV_H
#define SIM_STEER_PRIV_H

/* Private to this room. */
#include <stdbool.h>
#include <stdint.h>
#include "base/log.h"
#include "obj/icm.h"
#include "packet.h"
#include "steer.h"

/*
 * One packet's walk. Whatever kind of table it meets, the next place is an ICM address (obj/icm.h):
 * steer.c looks at its kind, hands ICM_TABLE to firmware's tables (table.c) or, if software owns
 * it, its root to ste_walk(), and acts on the others (TIR, drop, allow). Each side only finds out
 * where the packet goes next.
 */
/*
 * [I] Bounds that no useful tables reach: libmlx5 leads through each of a table's matchers (their
 * priorities are 16 bits) by a hit, and at least one entry more is looked at there.
 */
#define STEER_HOPS  (1u << 17) /* hits on one packet's way */
#define STEER_STEPS (1u << 18) /* all entries that are looked at, and the rewrites of their lists */

struct steer_walk {
	struct vhca *vhca;
	struct packet *packet;
	bool tx;
	unsigned int hops;  /* what is left of STEER_HOPS: one for each table met or STE hit */
	unsigned int steps; /* what is left of STEER_STEPS: one for each STE read, and what it does */
};

/*
 * The STE walk: from an address of kind ICM_STE to the first that is of another kind, which it
 * returns. It counts, sets the packet's registers and tag, and changes its bytes (data may move in
 * its head- and tailroom; it calls packet_parse_headers() then). 0: lost, after steer_lost().
 */
uint64_t ste_walk(struct steer_walk *, uint64_t addr);

/* Why a packet is lost, as a sentence; hostile tables can't flood the log. Returns 0. */
uint64_t steer_lost(const struct steer_walk *, const char *fmt, ...)
	__attribute__((format(printf, 2, 3)));

/* --trace: what a packet met, one line each. */
#define steer_trace(...)                                                \
	do {                                                            \
		if (sim_tracing)                                        \
			sim_trace("steer", NULL, NULL, 0, __VA_ARGS__); \
	} while (0)

#endif
