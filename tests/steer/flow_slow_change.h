/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Makes a rule's changes of a packet's bytes, one after the other. Written from rule.h and the
 * protocols' definitions, without code of the device, of libdvx or of explain.
 */
#ifndef TESTS_FLOW_SLOW_CHANGE_H
#define TESTS_FLOW_SLOW_CHANGE_H

#include <stdbool.h>
#include <stdint.h>
#include "rules/rule.h"

/*
 * Changes the *len bytes; there is room for 4 more. Each checksum that covers a changed byte gets
 * the correction that a right one would need. Returns false if the packet does not have the header
 * that the rule removes: the device loses it.
 */
bool slow_change(const struct rule *r, uint8_t *bytes, uint32_t *len);

/*
 * Corrects the checksums that a packet's bytes need: IPv4, and TCP and UDP that are whole; UDP's 0
 * stays.
 */
void slow_sums(uint8_t *bytes, uint32_t len);

/* Returns the offset of the packet's IP header, behind tags and labels. */
uint32_t slow_ip(const uint8_t *bytes, uint32_t len);

#endif
