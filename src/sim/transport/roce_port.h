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

/* Packets on a QP's path, to its peer and from it. */

/* Fills in the path that the QP's context describes. */
void roce_port_path(const struct qp *, struct roce_path *);
/* Returns how many packets one frame may stand for. */
uint32_t roce_port_burst(struct roce_path *, uint32_t mtu);
/* Returns a frame with room for a payload, or NULL without memory. */
struct frame *roce_port_frame(const struct roce_path *, uint32_t mtu, size_t payload);
/* Writes the headers into the frame and sends it to the QP's peer. */
void roce_port_send(const struct qp *, struct roce_path *, struct bth_packet *, struct frame *);
/* Like roce_port_send(), to another QP: dqpn is set. */
void roce_port_send_to(const struct qp *, struct roce_path *, struct bth_packet *, struct frame *);
/* Sends a frame that bth_build() has filled in by any path. datagram: its receiver gets the GRH. */
void roce_port_put(struct roce_path *, struct frame *, bool datagram);
/* Drops packets still under way to the QP, so that a later QP of this number does not get them. */
void roce_port_purge(const struct qp *);
/* Counts and notes npkts dropped packets for a QP. */
void roce_port_dropped(struct vhca *, uint32_t dqpn, uint32_t npkts, enum drop why);

#endif
