/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef SIM_PORT_UDP_OUT_H
#define SIM_PORT_UDP_OUT_H

#include <stdbool.h>
#include <stdint.h>
#include "packets.h"
#include "udp_socket.h"

struct roce_bytes;
struct wire;

/* Datagrams of one turn: a system call for each costs more than the rest of its way. */
#define UDP_OUT 32u

union udp_control {
	struct cmsghdr align;
	uint8_t bytes[2 * CMSG_SPACE(sizeof(int))];
};

struct udp_out {
	int fd;		       /* that they leave by */
	unsigned int first, n; /* those before first are sent */
	struct mmsghdr m[UDP_OUT];
	struct iovec iov[UDP_OUT];
	union udp_address to[UDP_OUT];
	union udp_control control[UDP_OUT];
	uint8_t bytes[UDP_OUT][PORT_PACKET_MAX];
};

/* False: those that wait have to leave first. */
bool udp_out_room(const struct udp_out *, int fd);
void udp_out_add(struct udp_out *, int fd, bool ip4, const struct roce_bytes *);
/* Counts what is sent, and what the network refuses. False: the socket has no room for all. */
bool udp_out_send(struct udp_out *, struct wire *);

#endif
