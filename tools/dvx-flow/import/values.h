/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Values as other tools write them, in dvx-flow's notation. NULL: not such a value. "": it is
 * every value, so there is nothing to compare.
 */
#ifndef DVX_FLOW_IMPORT_VALUES_H
#define DVX_FLOW_IMPORT_VALUES_H

#include "draft.h"

/* ADDRESS[/BITS|/MASK]; bits behind the prefix are cut off. */
const char *value_net(struct import *im, const char *text, int family);
/* The same, or FIRST-LAST. */
const char *value_nets(struct import *im, const char *text, int family);
/* The number of a mask's leading bits, or -1: there are holes. */
int value_mask_length(const uint8_t *mask, unsigned int bytes);
/* MAC[/MASK|/BITS]. */
const char *value_mac(struct import *im, const char *text);
/* NUMBER[/MASK] of so many bits, all of them without a mask; base 0: hexadecimal after 0x. */
bool value_pair(const char *text, int base, unsigned int bits, uint64_t *v, uint64_t *mask);
const char *value_under_mask(struct import *im, uint64_t v, uint64_t mask, unsigned int bits);
/* The values from first to last as values under masks, "" if they are all. */
const char *value_range(struct import *im, uint64_t first, uint64_t last, unsigned int bits);

/* A list that grows, with commas between its elements. */
struct value_list {
	char *text;
	size_t n, room;
};
void value_list_add(struct import *im, struct value_list *l, const char *item);
/* The list, NULL if nothing was added. Ends it. */
const char *value_list_end(struct import *im, struct value_list *l);

/* Both at once. */
const char *value_masked(struct import *im, const char *text, int base, unsigned int bits);
/* The same without a mask. */
bool value_number(const char *text, int base, uint64_t most, uint64_t *v);
/* PORT or FIRST<separator>LAST, either of which may be missing; numbers or names of services. */
const char *value_ports(struct import *im, const char *text, char separator);
/* A port under a mask: a range if it is one. */
const char *value_port_mask(struct import *im, uint64_t port, uint64_t mask);
/* A protocol's name or number: tcp, udp, icmp, icmp6, proto N. */
const char *value_proto(struct import *im, const char *text, int base);
/* TCP flags. */
const char *value_flags(struct import *im, uint64_t value, uint64_t mask);

#endif
