/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef SIM_PRELOAD_BYTE_ACCESS_H
#define SIM_PRELOAD_BYTE_ACCESS_H

#include <stdbool.h>
#include <stdint.h>
#include <ucontext.h>

/*
 * An instruction that faulted, if it moves one byte between memory and a register, or stores a
 * constant. The address is the fault's.
 */
struct byte_access {
	bool store;
	bool sign;	 /* a load into more than a byte extends the sign */
	uint8_t bits;	 /* that a load writes of its register: 8, 16, 32, 64 */
	uint8_t length;	 /* of the instruction */
	uint8_t value;	 /* of a store */
	uint8_t *low;	 /* the byte of the register */
	uint64_t *whole; /* the register */
};

/* Decodes at the program counter; false: another instruction. */
bool byte_access_read(struct byte_access *, ucontext_t *);
/* As if it had been executed: a load gets this value. */
void byte_access_done(const struct byte_access *, ucontext_t *, uint8_t loaded);

#endif
