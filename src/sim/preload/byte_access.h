/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef SIM_PRELOAD_BYTE_ACCESS_H
#define SIM_PRELOAD_BYTE_ACCESS_H

#include <stdbool.h>
#include <stdint.h>
#include <ucontext.h>

/*
 * A faulting instruction that moves one byte between memory and a register, or stores a constant.
 * Its address is the fault's.
 */
struct byte_access {
	bool store;
	bool sign;	 /* a load into more than a byte extends the sign */
	uint8_t bits;	 /* bits of the register that a load writes: 8, 16, 32, 64 */
	uint8_t length;	 /* bytes of the instruction */
	uint8_t value;	 /* the byte that a store writes */
	uint8_t *low;	 /* the register's byte */
	uint64_t *whole; /* the whole register */
};

/* Decodes the instruction at the program counter. Returns false if it is another one. */
bool byte_access_read(struct byte_access *, ucontext_t *);
/* Completes the instruction as if it had been executed: a load gets this value. */
void byte_access_done(const struct byte_access *, ucontext_t *, uint8_t loaded);

#endif
