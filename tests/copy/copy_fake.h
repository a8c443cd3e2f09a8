/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef COPY_FAKE_H
#define COPY_FAKE_H

#include <stdint.h>
#include <sys/types.h>

/* The source of the receiver's copies: a process and an address. */
struct copy_fake_ticket {
	pid_t pid;
	uint8_t *mem;
};

extern uint32_t copy_fake_max;	       /* longest copy that engine_post() takes */
extern unsigned int copy_fake_corrupt; /* n: the n-th copy from now flips a bit; 0: none */
extern unsigned int copy_fake_fails;   /* n: the n-th copy from now ends with an error; 0: none */

#endif
