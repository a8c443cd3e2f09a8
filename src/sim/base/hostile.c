/* SPDX-License-Identifier: BSD-2-Clause */
#include "hostile.h"

#include <inttypes.h>
#include <stdio.h>
#include <time.h>
#include "log.h"

#define SOON_NS	 200000u  /* half of what is late is so by up to this */
#define LATE_NS	 4000000u /* one in 16, by up to this */
#define PAUSE_NS 30000u

static uint64_t hostile_state;

/* Returns a random number below `of`, by xorshift64*. */
static uint32_t hostile_random(uint32_t of)
{
	hostile_state ^= hostile_state >> 12;
	hostile_state ^= hostile_state << 25;
	hostile_state ^= hostile_state >> 27;
	return (uint32_t)((hostile_state * 0x2545f4914f6cdd1dull >> 32) * of >> 32);
}

void hostile_start(uint64_t seed)
{
	char tag[48];

	hostile_state = seed * 0x9e3779b97f4a7c15ull | 1;
	snprintf(tag, sizeof(tag), "hostile seed %" PRIu64 ": ", seed);
	sim_log_tag(tag);
	probe_ask(PROBE_HOSTILE, true);
}

uint64_t hostile_delay(void)
{
	const uint32_t choice = hostile_random(16);

	if (choice < 7)
		return 0;
	return 1 + hostile_random(choice == 15 ? LATE_NS : SOON_NS);
}

/* The program may need this processor. */
void hostile_pause(void)
{
	const struct timespec t = {.tv_nsec = hostile_random(PAUSE_NS)};

	nanosleep(&t, NULL);
}
