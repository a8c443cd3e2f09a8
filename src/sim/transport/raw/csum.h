/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef SIM_TRANSPORT_RAW_CSUM_H
#define SIM_TRANSPORT_RAW_CSUM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct packet;
struct packet_headers;

/* One's complement sum of the 16-bit words in network order, folded, not inverted (RFC 1071). */
uint16_t csum_add(const uint8_t *, size_t len, uint32_t start);

/* Writes what a send WQE asks for, whatever stood there; a header that isn't there is passed over. */
void csum_fill_l3(const struct packet *, const struct packet_headers *);
void csum_fill_l4(const struct packet *, const struct packet_headers *);

#endif
