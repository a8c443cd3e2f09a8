/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef SIM_STEER_PARAMS_H
#define SIM_STEER_PARAMS_H

#include <stdbool.h>
#include <stdint.h>
#include "obj/flow.h"
#include "packet.h"

/*
 * A packet as PRM fte_match_param, so that firmware's tables are a masked compare. Parts are filled
 * when the first table asks for them.
 */
struct match_params {
	uint8_t filled; /* parts, as match_criteria_enable */
	uint64_t words[FLOW_PARAM_WORDS];
};

/* The parts that a table's groups look at. */
void params_fill(struct match_params *, const struct packet *, uint8_t enable);

/* All bits that params_fill() can set: a mask may have no others. */
void params_supported(uint8_t mask[FLOW_PARAM_BYTES]);
/* The first field of a mask that isn't one of them: its name, or NULL. */
const char *params_unsupported(const uint8_t criteria[FLOW_PARAM_BYTES], uint8_t enable);

#endif
