/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef SIM_STEER_MODIFY_H
#define SIM_STEER_MODIFY_H

#include <stdbool.h>
#include <stdint.h>

struct steer_walk;

/*
 * Executes a modify header context (PRM set_add_copy_action_in_auto, 8 bytes each) in order. A
 * field that the packet lacks is skipped. Checksums are updated and the packet is parsed again.
 */
void modify_headers(const struct steer_walk *, const uint8_t *actions, unsigned int n);

/* Returns the number of bits of a PRM modify_field that can be rewritten; 0: not implemented. */
unsigned int modify_field_bits(uint32_t field);

#endif
