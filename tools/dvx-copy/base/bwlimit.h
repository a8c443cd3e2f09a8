/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef DVX_COPY_BWLIMIT_H
#define DVX_COPY_BWLIMIT_H

#include <stdint.h>

#include "fault.h"

/*
 * A token bucket that holds a tenth of a second. The caller calls bwlimit_wait() before it sends a
 * chunk, and bwlimit_spend() with the chunk's length afterwards. It passes the time, in
 * nanoseconds. A chunk may be sent if there is any token; it may put the bucket into debt, so that
 * chunks of every size pass. In any stretch of time t at most rate * (t + 0.1 s) bytes and one
 * chunk pass.
 */
struct bwlimit {
	uint64_t rate; /* bytes a second; 0: no limit */
	double tokens; /* bytes; negative: debt */
	uint64_t last; /* time of the last refill */
};

/*
 * Parses the argument of --bwlimit, with rsync's meaning: KiB per second, or a number with a
 * suffix. b is bytes; k, m, g, t and kib, mib... are powers of 1024; kb, mb... are powers of 1000.
 * Fractions are allowed. 0 means no limit.
 */
int bwlimit_parse(const char *arg, uint64_t *rate, struct copy_fault *f);

void bwlimit_begin(struct bwlimit *b, uint64_t rate, uint64_t now);

/* Returns the nanoseconds until a chunk may be sent, 0 if it may be sent now. */
uint64_t bwlimit_wait(struct bwlimit *b, uint64_t now);
void bwlimit_spend(struct bwlimit *b, uint64_t bytes);

#endif
