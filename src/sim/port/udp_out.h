/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef SIM_PORT_UDP_OUT_H
#define SIM_PORT_UDP_OUT_H

#include <stdbool.h>
#include <stdint.h>
#include "packets.h"
#include "udp_socket.h"

struct roce_bytes;
struct wire;

/*
 * Datagrams of a turn, which are sent together: a system call for each costs more than all other
 * work on it.
 */
#define UDP_OUT 32u

union udp_control {
	struct cmsghdr align;
	uint8_t bytes[2 * CMSG_SPACE(sizeof(int))];
};

struct udp_out {
	int fd;		       /* socket that sends them */
	unsigned int first, n; /* those before first are sent */
	struct mmsghdr m[UDP_OUT];
	struct iovec iov[UDP_OUT];
	union udp_address to[UDP_OUT];
	union udp_control control[UDP_OUT];
	uint8_t bytes[UDP_OUT][PORT_PACKET_MAX];
};

/* Returns false if the datagrams that wait must be sent first. */
bool udp_out_room(const struct udp_out *, int fd);
void udp_out_add(struct udp_out *, int fd, bool ip4, const struct roce_bytes *);
/*
 * Sends and counts the datagrams; those that the network refuses are counted as lost. Returns false
 * if the socket has no room for all.
 */
bool udp_out_send(struct udp_out *, struct wire *);

#endif
