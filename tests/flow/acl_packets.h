/* SPDX-License-Identifier: BSD-2-Clause */
/* Packets at the corners of rules: the first and last address and port, and those beside them. */
#ifndef TESTS_ACL_PACKETS_H
#define TESTS_ACL_PACKETS_H

#include "rules/rule.h"
#include "flow_random.h"

/* A frame from one rule's values, or half of it from another rule's. */
void corner_packet(struct dice *d, const struct ruleset *set, struct made_packet *p);

#endif
