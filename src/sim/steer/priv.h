/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef SIM_STEER_PRIV_H
#define SIM_STEER_PRIV_H

/* Private to this room: the walk of one packet through the tables. */
#include <stdbool.h>
#include <stdint.h>
#include "base/log.h"
#include "base/probe.h"
#include "obj/icm.h"
#include "obj/vhca.h"
#include "packet.h"
#include "steer.h"
#include "ste/ste.h"

/*
 * A packet's next position is always an ICM address (obj/icm.h). steer.c reads its kind: a firmware
 * table is matched there (obj/flow.h), a software table leads to its root, entries are walked by
 * their version (ste/), and a TIR, drop or allow ends the walk.
 *
 * [I] Bounds of a walk, above those that useful tables reach: libmlx5 passes each of a table's
 * matchers (their priorities have 16 bits) by a hit, and reads at least one more entry there.
 */
#define STEER_HOPS  (1u << 17) /* hits of a packet */
#define STEER_STEPS (1u << 18) /* entries read, and the work of their actions */

struct steer_walk {
	const struct ste_version *version; /* the chip's: ste/ste.h */
	struct vhca *function;		   /* whose packet it is */
	struct vhca *vhca; /* whose tables it passes; an alias leads to those of another function */
	struct packet *packet;
	struct steer_stats *stats;
	enum steer_domain domain;
	bool tx; /* NIC TX, or a packet from a vport in the FDB; false: one that arrives */
	unsigned int hops; /* rest of STEER_HOPS: a table or an STE hit takes one */
	/*
	 * rest of STEER_STEPS: an STE read takes one, its actions and checksums more; of a walk
	 * within another, what that has left
	 */
	unsigned int steps;
};

/*
 * Walks entries from an address of kind ICM_STE, and returns the first address of another kind. It
 * updates counters, the packet's registers and tag, and its bytes (data may move within head- and
 * tailroom, and packet_parse_headers() follows). Returns 0 if the packet is lost, after
 * steer_lost().
 */
static inline uint64_t ste_walk(struct steer_walk *w, uint64_t addr)
{
	return w->version->walk(w, addr);
}

/* Returns the next random number. */
uint32_t steer_dice(struct steer *);
/*
 * Logs the reason why a packet is lost, as a sentence, and returns 0. Not every loss is logged, so
 * that hostile tables cannot flood the log.
 */
uint64_t steer_lost(const struct steer_walk *, const char *fmt, ...)
	__attribute__((format(printf, 2, 3)));

#endif
