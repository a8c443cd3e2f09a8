/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef DVX_COPY_INTAKE_H
#define DVX_COPY_INTAKE_H

#include "base/options.h"
#include "engine/engine.h"
#include "wire/msg.h"

/*
 * The receiver's pool, of the same shape as the sender's: the device copies each announced slot
 * into the slot of the same number.
 */
struct intake_slot {
	bool busy;
	uint32_t len, crc;
	uint32_t posted, done; /* bytes posted and completed; requests are counted by bytes */
	uint32_t writing;      /* jobs that use its bytes, plus one for the receiver */
	uint32_t n;
	struct intake_piece {
		struct dest_file *file;
		uint64_t off;
		uint32_t len;
	} * pieces;
};

struct intake {
	struct pool pool;
	struct copy_engine *engine;
	struct intake_slot *slots;
	uint32_t *queue; /* slots whose copies are not all posted, oldest first */
	uint32_t queue_from, queue_n;
	uint32_t in_flight; /* posted work requests */
	struct copy_counts *counts;
};

/* Makes the pool and connects the engine by the sender's ticket, which answers its offer. */
int intake_open(struct intake *in, uint32_t slots, uint32_t slot_bytes, const struct ticket *t,
		struct copy_fault *f);
void intake_stop(struct intake *in); /* after it, the device writes nothing into the pool */
void intake_close(struct intake *in);

/* Takes a slot that the sender announces. NULL and a fault if it is not free or does not fit. */
struct intake_slot *intake_expect(struct intake *in, const struct copy_msg *m,
				  struct copy_fault *f);

/* Queues the slot for the device. */
void intake_queue(struct intake *in, struct intake_slot *slot);

/* Posts as many copies as fit. Returns the number of work requests, or -1. */
int intake_post(struct intake *in, struct copy_fault *f);

/* Finds a slot that has arrived: 1. 0: none has. -1: the device failed, see *device. */
int intake_reap(struct intake *in, uint32_t *slot, struct copy_fault *device);

/* Checks the slot's CRC32C. */
int intake_check(const struct intake *in, uint32_t slot, struct copy_fault *f);

#endif
