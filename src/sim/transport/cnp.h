/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef SIM_TRANSPORT_CNP_H
#define SIM_TRANSPORT_CNP_H

#include <stdbool.h>

struct qp;
struct roce_packet;
struct vhca;

/*
 * Congestion notification (IBTA vol. 1, annex A17.9): a switch marks packets (ECN), the receiver
 * tells the sender by a packet of its own, a CNP.
 */
bool cnp_is(const struct roce_packet *);
/* Counted. No queue pair slows down: there is no rate to lower. */
enum drop cnp_receive(struct vhca *, const struct roce_packet *);
bool cnp_is_marked(const struct roce_packet *);
/* A marked packet came for the queue pair: counted, and answered if that is connected. */
void cnp_marked(struct qp *, const struct roce_packet *);

#endif
