/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What a rule makes of a packet's bytes, one change after the other. Written from rule.h and the
 * protocols' definitions; no code of the device, of libdvx or of explain is in it.
 */
#ifndef TESTS_FLOW_SLOW_CHANGE_H
#define TESTS_FLOW_SLOW_CHANGE_H

#include <stdbool.h>
#include <stdint.h>
#include "rules/rule.h"

/*
 * Changes the *len bytes; there is room for 4 more. Each checksum that covers a changed byte gets
 * the same correction that a right one would need. False: the packet does not have the header that
 * the rule removes, and the device loses it.
 */
bool slow_change(const struct rule *r, uint8_t *bytes, uint32_t *len);

/* The checksums that a packet's bytes need: IPv4, and TCP and UDP that are whole; UDP's 0 stays. */
void slow_sums(uint8_t *bytes, uint32_t len);

#endif
