/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef SIM_TRANSPORT_GSI_H
#define SIM_TRANSPORT_GSI_H

#include <stdint.h>

struct bth_packet;
struct roce_path;
struct vhca;

/*
 * Queue pair 1 of a function, the general services interface: unreliable datagrams of 256 bytes
 * (IBTA vol. 1, 13.4 and 13.5). It is the kernel's: a received datagram goes to the queue pair that
 * Linux's driver made for it (vhca.qp1), or to front_ops.mad.
 */
#define GSI_QPN	  1u
#define GSI_BYTES 256u

/* Sends to QP1 at the end of the path. The datagram may get lost, as any may. */
void gsi_send(struct roce_path *, const uint8_t mad[GSI_BYTES]);
/* Returns DROP_NONE, or why the packet is dropped. */
enum drop gsi_receive(struct vhca *, struct bth_packet *);

#endif
