/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef SIM_TRANSPORT_ROCE_PORT_H
#define SIM_TRANSPORT_ROCE_PORT_H

#include <stddef.h>
#include <stdint.h>

struct bth_packet;
struct frame;
struct qp;

/* Packets of a QP's path, to its peer and from it. All that knows how a frame is addressed. */

/* Bytes of a packet around its payload, and headers other than BTH. */
uint32_t roce_port_overhead(const struct qp *);
/* Packets that one frame may stand for. */
uint32_t roce_port_burst(const struct qp *, uint32_t mtu);
/* With room for a payload; NULL: out of memory. */
struct frame *roce_port_frame(const struct qp *, uint32_t mtu, size_t payload);
/* The headers go into the frame, and it to the QP's peer. */
void roce_port_send(const struct qp *, struct bth_packet *, struct frame *);
/* Drops what is still under way to the QP: it is not for the number's next life. */
void roce_port_purge(const struct qp *);
/* A frame came: it is its QP's transport's. */
void roce_port_rx(void *sched, struct frame *);

#endif
