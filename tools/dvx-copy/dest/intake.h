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
	uint32_t posted, done; /* bytes asked of the device; work requests are counted by bytes */
	uint32_t writing;      /* jobs that need its bytes, and the receiver itself */
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
	uint32_t in_flight; /* work requests that the device has */
	struct copy_counts *counts;
};

/* The engine has made its offer; the ticket answers it. */
int intake_open(struct intake *in, uint32_t slots, uint32_t slot_bytes, const struct ticket *t,
		struct copy_fault *f);
void intake_stop(struct intake *in); /* the device writes nothing any more */
void intake_close(struct intake *in);

/* A slot that the sender announces: NULL and a fault if it is not free or does not fit. */
struct intake_slot *intake_expect(struct intake *in, const struct copy_msg *m,
				  struct copy_fault *f);

/* Queues it for the device. */
void intake_queue(struct intake *in, struct intake_slot *slot);

/* Gives the device what fits. The number of work requests, or -1. */
int intake_post(struct intake *in, struct copy_fault *f);

/* 1 and a slot that has arrived, 0 if none has; -1 and *device if the device failed. */
int intake_reap(struct intake *in, uint32_t *slot, struct copy_fault *device);

/* Whether the slot's bytes are those that were sent. */
int intake_check(const struct intake *in, uint32_t slot, struct copy_fault *f);

#endif
