/* SPDX-License-Identifier: BSD-2-Clause */
/* How many packets a queue of the daemon holds. */
#ifndef DVX_FLOW_QUEUE_PACKETS_H
#define DVX_FLOW_QUEUE_PACKETS_H

#include <stdint.h>

#define QUEUE_PACKETS 1024u  /* where memory may be pinned without a limit */
#define PACKET_BYTES  10240u /* a jumbo frame, and a page's multiple with its neighbours */

/*
 * A power of two, QUEUE_PACKETS at most. An ordinary user may pin 8 MiB in most distributions, and
 * one full queue takes 10: all queues together get three quarters of the limit, the rest is for
 * rings and rules. Says so if it is fewer.
 */
uint32_t queue_packets(unsigned int queues);

#endif
