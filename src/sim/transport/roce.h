/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef SIM_TRANSPORT_ROCE_H
#define SIM_TRANSPORT_ROCE_H

#include <stddef.h>
#include <stdint.h>

struct frame;

/* Ethernet, GRH (or IP and UDP: less), the transport's headers, payload, pad, ICRC. */
#define ROCE_MAX (14u + 48u + 64u + 4096u + 3u + 4u)

/*
 * A frame of one packet as the bytes of a RoCE packet, without Ethernet's FCS (IBTA vol. 1, annexes
 * A16 and A17). The ICRC is the frame's own where it has one, so that a damaged packet stays one.
 * How many bytes; 0: it is more than one packet, or longer than any.
 */
size_t roce_encode(const struct frame *, uint8_t to[ROCE_MAX]);
/* Bytes of a packet around its payload, and headers other than BTH: as the frame is addressed. */
uint32_t roce_overhead(const struct frame *);
/* What all packets of a frame have on a wire, without FCS. */
uint64_t roce_octets(const struct frame *);
uint32_t roce_icrc(const struct frame *);

#endif
