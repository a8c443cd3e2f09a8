/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef SIM_TRANSPORT_DC_DC_H
#define SIM_TRANSPORT_DC_DC_H

/*
 * Dynamically connected transport (doc/design/0038): connections as RC has them, which an initiator
 * opens when a request needs one. Each packet names its connection by the initiator's queue pair,
 * its channel, and a connection number, which grows.
 */
#include "transport/rc/rc.h"

#define DC_PSN 0u /* PSN of a connection's first packet */

/* Sends a packet. [I] The real packets are not public: these are RC's with another header. */
static inline void dc_send(struct rc *rc, struct bth_packet *p, struct frame *f, uint32_t to)
{
	p->dqpn = to;
	p->opcode |= BTH_DC * BTH_OPS;
	p->last_opcode |= BTH_DC * BTH_OPS;
	roce_port_send_to(rc->qp, &rc->path, p, f);
}

#endif
