/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef SIM_TRANSPORT_RAW_CSUM_H
#define SIM_TRANSPORT_RAW_CSUM_H

struct packet;
struct packet_headers;

/* Overwrites the checksum that a send WQE asks for; does nothing without the header. */
void csum_fill_l3(const struct packet *, const struct packet_headers *);
void csum_fill_l4(const struct packet *, const struct packet_headers *);

#endif
