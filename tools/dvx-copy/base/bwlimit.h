/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef DVX_COPY_BWLIMIT_H
#define DVX_COPY_BWLIMIT_H

#include <stdint.h>

#include "fault.h"

/*
 * A token bucket that holds a tenth of a second. The caller asks bwlimit_wait() before it lets a
 * chunk go, and tells bwlimit_spend() afterwards how long the chunk was; the clock is the caller's,
 * in nanoseconds. A chunk goes if there is any token: it may put the bucket into debt, so that chunks
 * of every size pass. In any stretch of time t at most rate * (t + 0.1 s) bytes and one chunk go.
 */
struct bwlimit {
	uint64_t rate; /* bytes a second; 0: no limit */
	double tokens; /* bytes; negative: debt */
	uint64_t last; /* when the tokens were counted */
};

/*
 * The argument of --bwlimit, as rsync has it: KiB a second, or with a suffix: b is bytes; k, m, g, t
 * are powers of 1024, as kib, mib... are; kb, mb... are powers of 1000. Fractions are allowed. 0 is no
 * limit.
 */
int bwlimit_parse(const char *arg, uint64_t *rate, struct copy_fault *f);

void bwlimit_begin(struct bwlimit *b, uint64_t rate, uint64_t now);

/* Nanoseconds until a chunk may go, 0 for now. */
uint64_t bwlimit_wait(struct bwlimit *b, uint64_t now);
void bwlimit_spend(struct bwlimit *b, uint64_t bytes);

#endif
