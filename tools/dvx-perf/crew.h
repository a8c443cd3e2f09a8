/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef DVX_PERF_CREW_H
#define DVX_PERF_CREW_H

#include <stddef.h>
#include <stdint.h>

/*
 * Runs work(member) for each of `n` members, which are `size` bytes apart, in a thread each. All
 * threads start together. cpu: one for each thread, or NULL. Returns 0, the first nonzero result of
 * work(), or an exit code after an error message.
 */
int crew_run(uint32_t n, const int *cpu, int (*work)(void *member), void *members, size_t size);

#endif
