/* SPDX-License-Identifier: BSD-2-Clause */
#include "udp_socket.h"

#include <arpa/inet.h>
#include <errno.h>
#include <ifaddrs.h>
#include <linux/sock_diag.h>
#include <net/if.h>
#include <stdio.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#define UDP_RECEIVES	 (1 << 22) /* bytes, if the system allows it */
#define UDP_NO_CHECK_TX6 101	   /* linux/udp.h */
#define UDP_NO_CHECK_RX6 102

void udp_gid(const union udp_address *a, uint8_t gid[16])
{
	memset(gid, 0, 16);
	if (!udp_is_ip4(a)) {
		memcpy(gid, &a->ip6.sin6_addr, 16);
		return;
	}
	gid[10] = gid[11] = 0xff;
	memcpy(gid + 12, &a->ip4.sin_addr, 4);
}

void udp_from_gid(union udp_address *a, const uint8_t gid[16])
{
	static const uint8_t mapped[12] = {[10] = 0xff, [11] = 0xff};

	memset(a, 0, sizeof(*a));
	if (!memcmp(gid, mapped, sizeof(mapped))) {
		a->ip4.sin_family = AF_INET;
		a->ip4.sin_port = htons(UDP_ROCE);
		memcpy(&a->ip4.sin_addr, gid + 12, 4);
	} else {
		a->ip6.sin6_family = AF_INET6;
		a->ip6.sin6_port = htons(UDP_ROCE);
		memcpy(&a->ip6.sin6_addr, gid, 16);
	}
}

const char *udp_parse(const char *text, union udp_address *a)
{
	if (inet_pton(AF_INET, text, &a->ip4.sin_addr) == 1) {
		a->ip4.sin_family = AF_INET;
		a->ip4.sin_port = htons(UDP_ROCE);
		if (a->ip4.sin_addr.s_addr == htonl(INADDR_ANY) ||
		    IN_MULTICAST(ntohl(a->ip4.sin_addr.s_addr)))
			return "it must be one address of the machine";
		return NULL;
	}
	if (inet_pton(AF_INET6, text, &a->ip6.sin6_addr) != 1)
		return "it is no IPv4 or IPv6 address";
	a->ip6.sin6_family = AF_INET6;
	a->ip6.sin6_port = htons(UDP_ROCE);
	if (IN6_IS_ADDR_UNSPECIFIED(&a->ip6.sin6_addr) || IN6_IS_ADDR_MULTICAST(&a->ip6.sin6_addr))
		return "it must be one address of the machine";
	if (IN6_IS_ADDR_LINKLOCAL(&a->ip6.sin6_addr) || IN6_IS_ADDR_V4MAPPED(&a->ip6.sin6_addr))
		return "link-local and mapped addresses are not possible";
	return NULL;
}

static void udp_set(int fd, int level, int name, int value)
{
	setsockopt(fd, level, name, &value, sizeof(value));
}

/*
 * Sets Don't Fragment, so that Identification is 0, and no UDP checksums, as the ICRC covers more.
 */
static void udp_options(int fd, bool ip4)
{
	if (ip4) {
		udp_set(fd, IPPROTO_IP, IP_MTU_DISCOVER, IP_PMTUDISC_DO);
		udp_set(fd, IPPROTO_IP, IP_RECVTOS, 1);
		udp_set(fd, IPPROTO_IP, IP_RECVTTL, 1);
	} else {
		udp_set(fd, IPPROTO_IPV6, IPV6_MTU_DISCOVER, IPV6_PMTUDISC_DO);
		udp_set(fd, IPPROTO_IPV6, IPV6_V6ONLY, 1);
		udp_set(fd, IPPROTO_IPV6, IPV6_RECVTCLASS, 1);
		udp_set(fd, IPPROTO_IPV6, IPV6_RECVHOPLIMIT, 1);
		udp_set(fd, IPPROTO_UDP, UDP_NO_CHECK_TX6, 1);
		udp_set(fd, IPPROTO_UDP, UDP_NO_CHECK_RX6, 1);
	}
	udp_set(fd, SOL_SOCKET, SO_NO_CHECK, 1);
	udp_set(fd, SOL_SOCKET, SO_RCVBUF, UDP_RECEIVES);
	udp_set(fd, SOL_SOCKET, SO_RCVBUFFORCE, UDP_RECEIVES);
}

/* Sets name to the interface with this address; "" if there is none. */
static void udp_interface(const union udp_address *own, char name[IFNAMSIZ])
{
	const size_t len = udp_is_ip4(own) ? 4 : 16;
	struct ifaddrs *all, *i;

	*name = 0;
	if (getifaddrs(&all))
		return;
	for (i = all; i; i = i->ifa_next)
		if (i->ifa_addr && i->ifa_addr->sa_family == own->any.sa_family &&
		    !memcmp(udp_bytes((const void *)i->ifa_addr), udp_bytes(own), len))
			snprintf(name, IFNAMSIZ, "%s", i->ifa_name);
	freeifaddrs(all);
}

unsigned int udp_mtu(int fd, const union udp_address *own)
{
	struct ifreq r = {0};

	udp_interface(own, r.ifr_name);
	return *r.ifr_name && !ioctl(fd, SIOCGIFMTU, &r) ? (unsigned int)r.ifr_mtu : 0;
}

static unsigned int udp_index(const union udp_address *own)
{
	char name[IFNAMSIZ];

	udp_interface(own, name);
	return *name ? if_nametoindex(name) : 0;
}

uint64_t udp_socket_drops(int fd)
{
	uint32_t info[SK_MEMINFO_VARS] = {0};
	socklen_t len = sizeof(info);

	return getsockopt(fd, SOL_SOCKET, SO_MEMINFO, info, &len) ? 0 : info[SK_MEMINFO_DROPS];
}

/* --- sockets --------------------------------------------------------------------------------- */

static int udp_bind_to(const union udp_address *a, bool shared)
{
	int fd = socket(a->any.sa_family, SOCK_DGRAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0), err;

	if (fd < 0)
		return -errno;
	udp_options(fd, udp_is_ip4(a));
	udp_set(fd, SOL_SOCKET, SO_REUSEADDR, shared);
	if (!bind(fd, &a->any, udp_is_ip4(a) ? sizeof(a->ip4) : sizeof(a->ip6)))
		return fd;
	err = -errno;
	close(fd);
	return err;
}

int udp_bind(const union udp_address *a)
{
	return udp_bind_to(a, false);
}

/* Opens a socket of a group. Other chips of the machine may be in the group, too. */
int udp_join(const union udp_address *group, const union udp_address *own)
{
	struct ip_mreqn m4 = {.imr_multiaddr = group->ip4.sin_addr,
			      .imr_address = own->ip4.sin_addr,
			      .imr_ifindex = (int)udp_index(own)};
	struct ipv6_mreq m6 = {.ipv6mr_multiaddr = group->ip6.sin6_addr,
			       .ipv6mr_interface = (unsigned int)m4.imr_ifindex};
	int fd = udp_bind_to(group, true), err;

	if (fd < 0)
		return fd;
	if (udp_is_ip4(group) ? !setsockopt(fd, IPPROTO_IP, IP_ADD_MEMBERSHIP, &m4, sizeof(m4))
			      : !setsockopt(fd, IPPROTO_IPV6, IPV6_ADD_MEMBERSHIP, &m6, sizeof(m6)))
		return fd;
	err = -errno;
	close(fd);
	return err;
}

void udp_groups_leave_by(int fd, const union udp_address *own)
{
	struct ip_mreqn m = {.imr_address = own->ip4.sin_addr, .imr_ifindex = (int)udp_index(own)};

	if (udp_is_ip4(own))
		setsockopt(fd, IPPROTO_IP, IP_MULTICAST_IF, &m, sizeof(m));
	else
		udp_set(fd, IPPROTO_IPV6, IPV6_MULTICAST_IF, m.imr_ifindex);
}
