/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef SIM_TRANSPORT_CNP_H
#define SIM_TRANSPORT_CNP_H

#include <stdbool.h>

struct qp;
struct roce_packet;
struct vhca;

/*
 * Congestion notification (IBTA vol. 1, annex A17.9): a switch marks packets (ECN), and the
 * receiver notifies the sender by a packet, a CNP.
 */
bool cnp_is(const struct roce_packet *);
/* Counts a received CNP. No queue pair slows down: dvx-sim has no rate to lower. */
enum drop cnp_receive(struct vhca *, const struct roce_packet *);
bool cnp_is_marked(const struct roce_packet *);
/* Counts a marked packet for the queue pair, and answers it if the queue pair is connected. */
void cnp_marked(struct qp *, const struct roce_packet *);

#endif
