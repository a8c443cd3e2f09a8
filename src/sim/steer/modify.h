/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef SIM_STEER_MODIFY_H
#define SIM_STEER_MODIFY_H

#include <stdbool.h>
#include <stdint.h>

struct steer_walk;

/*
 * Header rewrites of firmware's contexts (PRM set_add_copy_action_in_auto, 8 bytes each), in order.
 * A field that the packet hasn't stays unwritten. Checksums are mended and the packet is parsed
 * again.
 */
void modify_headers(const struct steer_walk *, const uint8_t *actions, unsigned int n);

/* Bits of a field that a rewrite can reach (PRM modify_field); 0: none of ours. */
unsigned int modify_field_bits(uint32_t field);

#endif
