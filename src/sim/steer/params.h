/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef SIM_STEER_PARAMS_H
#define SIM_STEER_PARAMS_H

#include <stdbool.h>
#include <stdint.h>
#include "obj/flow.h"
#include "packet.h"

/*
 * A packet in the form of PRM fte_match_param, so that matching in firmware's tables is a masked
 * compare. Each part is filled when the first table asks for it.
 */
struct match_params {
	uint8_t filled; /* bits of filled parts, as match_criteria_enable */
	uint64_t words[FLOW_PARAM_WORDS];
};

/* Fills the parts that a table's groups compare. */
void params_fill(struct match_params *, const struct packet *, uint8_t enable);

/* Returns the path in fte_match_param of the i-th field that params_fill() fills; NULL at the end. */
const char *params_path(size_t i);
/* Sets the bits that params_fill() can set: a mask may have no others. */
void params_supported(uint8_t mask[FLOW_PARAM_BYTES]);
/*
 * Returns the name of the first field in a mask that params_fill() cannot set; NULL if there is
 * none.
 */
const char *params_unsupported(const uint8_t criteria[FLOW_PARAM_BYTES], uint8_t enable);

#endif
