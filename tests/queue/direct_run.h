/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef TESTS_QUEUE_DIRECT_RUN_H
#define TESTS_QUEUE_DIRECT_RUN_H

/* Messages between two queue pairs of one chip, with packets and without, and their results. */
#include "tests/test.h"
#include "queue_rig.h"
#include <dvx/prm/cqe.h>

#define ROUNDS 300u
#define CQES   (2 * ROUNDS)
#define AREA   (512u << 10)
#define LONG   (64u << 10) /* a longer READ goes in parts */

/* How messages go: in packets; or without, to memory behind system calls, or to shared memory. */
enum way { PACKETS, CALLS, SHARED };

/* The results of a run that programs and peers can see. */
struct outcome {
	uint8_t src[AREA], dst[AREA];
	struct {
		uint8_t opcode, syndrome;
		uint16_t counter;
		uint32_t bytes, imm;
	} cqe[2][CQES];
	unsigned int ncqes[2], frames;
	uint32_t nxt, una, epsn, msn;
	uint8_t state[2];
};

struct run {
	struct rig_pair *p;
	struct outcome *o;
	bool reads; /* READs and atomics may be under way */
};

struct run direct_open(const struct rig_kind *kind, enum way way);
struct outcome *direct_close(struct run *r);
/* Posts one request, and a receive if it takes one. `cut`: of how many bytes its second piece is. */
void direct_post(struct run *r, uint8_t opcode, uint32_t len, uint32_t off, unsigned int cut);
/* Runs the device until it has nothing to do, and notes the completions. */
void direct_drain(struct run *r);
/* Compares the two results and frees them. */
void direct_same(struct outcome *direct, struct outcome *packets);

#endif
