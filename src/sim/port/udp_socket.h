/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef SIM_PORT_UDP_SOCKET_H
#define SIM_PORT_UDP_SOCKET_H

#include <netinet/in.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/socket.h>

/* Sockets and addresses of the udp wire. */
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

/* Convert an address to a GID, and back with port 4791. */
void udp_gid(const union udp_address *, uint8_t gid[16]);
void udp_from_gid(union udp_address *, const uint8_t gid[16]);
/* Parses an address. Returns NULL, or the reason why a wire can't have it. */
const char *udp_parse(const char *text, union udp_address *);
/* Opens a socket with this address and RoCE's options. Returns -errno on failure. */
int udp_bind(const union udp_address *);
/* Opens a socket that receives packets of a group at the interface with this address. */
int udp_join(const union udp_address *group, const union udp_address *own);
/* Makes a socket send packets of groups by the interface with its address. */
void udp_groups_leave_by(int fd, const union udp_address *own);
/* Returns the MTU of the interface with this address; 0: unknown. */
unsigned int udp_mtu(int fd, const union udp_address *own);

/* Returns the number of packets that the socket had no room for. */
uint64_t udp_socket_drops(int fd);

#endif
