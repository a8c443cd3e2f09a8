/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef TESTS_PERF_CYCLES_H
#define TESTS_PERF_CYCLES_H

#include <stdbool.h>
#include <stdint.h>

#define BLOCKS	 64u /* requests of a run */
#define NOINLINE __attribute__((noinline, noclone))

/* Arguments of a post, of which the compiler knows nothing. */
struct request {
	uint64_t raddr, value;
	uint32_t rkey, lkey, len;
};

/*
 * cycles_verbs.c: libmlx5's rings, of a real QP whose doorbells go to plain memory and whose CQEs
 * the program writes, so that no device has a part in the figures. False: there is no device.
 */
bool verbs_setup(void);
void verbs_empty(void); /* before posts */
void verbs_full(void);	/* before polls */
void verbs_post_send(const struct request *r);
void verbs_wr(const struct request *r);
void verbs_wr_batch(const struct request *r);
void verbs_poll(const struct request *r);

#endif
