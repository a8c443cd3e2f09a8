/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef SIM_BASE_DROPS_H
#define SIM_BASE_DROPS_H

#include <stdint.h>

/* Reasons to drop a packet without an answer; 0: not dropped. */
enum drop {
	DROP_NONE,
#define DROP(name, cause, words) DROP_##name,
#include "drops.def"
#undef DROP
	DROPS,
};

/* Packets that a function or the chip dropped. From DROP_RULE on others count: census_drops.c. */
struct drops {
	uint64_t n[DROPS];
};

/* Returns a short name, and words that follow "packets dropped:". */
const char *drop_cause(enum drop);
const char *drop_words(enum drop);

#endif
