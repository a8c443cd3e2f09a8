/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Values as other tools write them, in dvx-flow's notation. Functions return NULL if it is no such
 * value, "" if it is every value, so that there is nothing to compare.
 */
#ifndef DVX_FLOW_IMPORT_VALUES_H
#define DVX_FLOW_IMPORT_VALUES_H

#include "draft.h"

/* Converts ADDRESS[/BITS|/MASK]; bits behind the prefix are cut off. */
const char *value_net(struct import *im, const char *text, int family);
/* Converts what value_net() takes, or FIRST-LAST. */
const char *value_nets(struct import *im, const char *text, int family);
/* Returns the number of a mask's leading bits, or -1 if there are holes. */
int value_mask_length(const uint8_t *mask, unsigned int bytes);
/* Converts MAC[/MASK|/BITS]. */
const char *value_mac(struct import *im, const char *text);
/* Parses NUMBER[/MASK] of so many bits, all without a mask; base 0: hexadecimal after 0x. */
bool value_pair(const char *text, int base, unsigned int bits, uint64_t *v, uint64_t *mask);
const char *value_under_mask(struct import *im, uint64_t v, uint64_t mask, unsigned int bits);
/* Writes the values from first to last as values under masks, "" if they are all. */
const char *value_range(struct import *im, uint64_t first, uint64_t last, unsigned int bits);

/* A list that grows, with commas between its elements. */
struct value_list {
	char *text;
	size_t n, room;
};
void value_list_add(struct import *im, struct value_list *l, const char *item);
/* Ends the list and returns it, NULL if nothing was added. */
const char *value_list_end(struct import *im, struct value_list *l);

/* Converts NUMBER[/MASK]. */
const char *value_masked(struct import *im, const char *text, int base, unsigned int bits);
/* Parses a number without a mask. */
bool value_number(const char *text, int base, uint64_t most, uint64_t *v);
/* Converts PORT or FIRST<separator>LAST, one of which may be missing; numbers or services. */
const char *value_ports(struct import *im, const char *text, char separator);
/* Converts a port under a mask; to a range if it is one. */
const char *value_port_mask(struct import *im, uint64_t port, uint64_t mask);
/* Converts a protocol's name or number: tcp, udp, icmp, icmp6, proto N. */
const char *value_proto(struct import *im, const char *text, int base);
/* Converts TCP flags. */
const char *value_flags(struct import *im, uint64_t value, uint64_t mask);

#endif
