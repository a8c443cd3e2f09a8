/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef SIM_TRANSPORT_ROCE_PORT_H
#define SIM_TRANSPORT_ROCE_PORT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include "base/drops.h"
#include "port/roce.h"

struct bth_packet;
struct frame;
struct qp;

/* Packets of a QP's path, to its peer and from it. */

/* The path that the QP's context describes. */
void roce_port_path(const struct qp *, struct roce_path *);
/* Packets that one frame may stand for. */
uint32_t roce_port_burst(struct roce_path *, uint32_t mtu);
/* With room for a payload; NULL: out of memory. */
struct frame *roce_port_frame(const struct roce_path *, uint32_t mtu, size_t payload);
/* The headers go into the frame, and it to the QP's peer. */
void roce_port_send(const struct qp *, struct roce_path *, struct bth_packet *, struct frame *);
/* The same to another QP: dqpn is set. */
void roce_port_send_to(const struct qp *, struct roce_path *, struct bth_packet *, struct frame *);
/* A frame that bth_build() has described, by any path. datagram: its receiver is shown the GRH. */
void roce_port_put(struct roce_path *, struct frame *, bool datagram);
/* Drops what is still under way to the QP: it is not for the number's next life. */
void roce_port_purge(const struct qp *);
/* So many packets for a QP were dropped, or none (DROP_NONE); it is counted, and noted. */
void roce_port_dropped(struct vhca *, uint32_t dqpn, uint32_t npkts, enum drop why);
/* A packet came for this function: it is its QP's transport's. */
void roce_port_rx(struct vhca *, const struct roce_packet *);

#endif
