/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef SIM_PORT_UDP_SOCKET_H
#define SIM_PORT_UDP_SOCKET_H

#include <netinet/in.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/socket.h>

/* Sockets of wire udp, and their addresses. */
#define UDP_ROCE 4791

union udp_address {
	struct sockaddr any;
	struct sockaddr_in ip4;
	struct sockaddr_in6 ip6;
};

static inline bool udp_is_ip4(const union udp_address *a)
{
	return a->any.sa_family == AF_INET;
}

static inline const void *udp_bytes(const union udp_address *a)
{
	return udp_is_ip4(a) ? (const void *)&a->ip4.sin_addr : (const void *)&a->ip6.sin6_addr;
}

/* As GIDs have it, and back, with port 4791. */
void udp_gid(const union udp_address *, uint8_t gid[16]);
void udp_from_gid(union udp_address *, const uint8_t gid[16]);
/* NULL; or why the text is no address that a wire can have. */
const char *udp_parse(const char *text, union udp_address *);
/* A socket of this address: RoCE's packets as the wire wants them; -errno. */
int udp_bind(const union udp_address *);
/* One that gets what is for a group, at the interface of this address. */
int udp_join(const union udp_address *group, const union udp_address *own);
/* Packets of this socket for groups leave by the interface of its address. */
void udp_groups_leave_by(int fd, const union udp_address *own);
/* Bytes of a packet of the interface that has the address; 0: unknown. */
unsigned int udp_mtu(int fd, const union udp_address *own);

/* Packets that it had no room for. */
uint64_t udp_socket_drops(int fd);

#endif
