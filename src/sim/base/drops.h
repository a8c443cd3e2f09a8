/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef SIM_BASE_DROPS_H
#define SIM_BASE_DROPS_H

#include <stdint.h>

/* Why a packet is dropped without an answer; 0: it is not. */
enum drop {
	DROP_NONE,
#define DROP(name, cause, words) DROP_##name,
#include "drops.def"
#undef DROP
	DROPS,
};

/* Packets that a function, or the chip, dropped. From DROP_RULE on others count: census_drops.c. */
struct drops {
	uint64_t n[DROPS];
};

/* A short name, and words that follow "packets dropped:". */
const char *drop_cause(enum drop);
const char *drop_words(enum drop);

#endif
