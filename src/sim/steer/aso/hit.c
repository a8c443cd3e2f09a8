/* SPDX-License-Identifier: BSD-2-Clause */
/* First hit: software reads and clears the bits once in a while, and removes flows whose bit is 0. */
#include "aso.h"

uint8_t aso_hit(uint8_t *context, unsigned int flow, bool set)
{
	uint8_t *byte = &context[(ASO_HIT_FLOWS - 1 - flow) / 8], bit = (uint8_t)(1u << flow % 8);
	uint8_t old = *byte & bit;

	if (set)
		*byte |= bit;
	return old != 0;
}
