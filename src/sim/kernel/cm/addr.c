/* SPDX-License-Identifier: BSD-2-Clause */
#include <arpa/inet.h>
#include <errno.h>
#include <endian.h>
#include <stdio.h>
#include <string.h>
#include "priv.h"

_Static_assert(sizeof(struct cm_sockaddr_ib) == 48, "struct sockaddr_ib");

uint32_t addr_size(const union cm_addr *a)
{
	switch (a->sa.sa_family) {
	case AF_INET:
		return sizeof(a->in);
	case AF_INET6:
		return sizeof(a->in6);
	case CM_AF_IB:
		return sizeof(a->ib);
	default:
		return 0;
	}
}

int addr_copy(union cm_addr *a, const void *from, size_t room)
{
	memset(a, 0, sizeof(*a));
	memcpy(&a->sa.sa_family, from, sizeof(a->sa.sa_family));
	if (!addr_size(a) || addr_size(a) > room)
		return -EINVAL;
	memcpy(a, from, addr_size(a));
	return 0;
}

static bool addr_bytes_are_zero(const uint8_t *b, size_t n)
{
	for (size_t i = 0; i < n; i++)
		if (b[i])
			return false;
	return true;
}

/* Returns whether the 16 bytes are ::1, as an IPv6 address or a GID. */
static bool bytes_are_one(const uint8_t *b)
{
	return addr_bytes_are_zero(b, 15) && b[15] == 1;
}

bool addr_is_zero(const union cm_addr *a)
{
	switch (a->sa.sa_family) {
	case AF_INET: /* all of 0.0.0.0/8 counts, as in the kernel */
		return !(ntohl(a->in.sin_addr.s_addr) >> 24);
	case AF_INET6:
		return addr_bytes_are_zero(a->in6.sin6_addr.s6_addr, 16);
	case CM_AF_IB:
		return addr_bytes_are_zero(a->ib.addr, 16);
	default:
		return false;
	}
}

bool addr_is_loopback(const union cm_addr *a)
{
	switch (a->sa.sa_family) {
	case AF_INET:
		return ntohl(a->in.sin_addr.s_addr) >> 24 == 127;
	case AF_INET6:
		return bytes_are_one(a->in6.sin6_addr.s6_addr);
	case CM_AF_IB:
		return bytes_are_one(a->ib.addr);
	default:
		return false;
	}
}

bool addr_is_any(const union cm_addr *a)
{
	return addr_is_zero(a) || addr_is_loopback(a);
}

static bool addr_is_link_local(const union cm_addr *a)
{
	return a->in6.sin6_addr.s6_addr[0] == 0xfe && (a->in6.sin6_addr.s6_addr[1] & 0xc0) == 0x80;
}

bool addr_differs(const union cm_addr *a, const union cm_addr *b)
{
	if (a->sa.sa_family != b->sa.sa_family)
		return true;
	switch (a->sa.sa_family) {
	case AF_INET:
		return a->in.sin_addr.s_addr != b->in.sin_addr.s_addr;
	case AF_INET6:
		return memcmp(&a->in6.sin6_addr, &b->in6.sin6_addr, 16) ||
		       (addr_is_link_local(b) && a->in6.sin6_scope_id != b->in6.sin6_scope_id);
	default:
		return memcmp(a->ib.addr, b->ib.addr, 16);
	}
}

uint16_t addr_port(const union cm_addr *a)
{
	switch (a->sa.sa_family) {
	case AF_INET:
		return ntohs(a->in.sin_port);
	case AF_INET6:
		return ntohs(a->in6.sin6_port);
	case CM_AF_IB:
		return (uint16_t)(be64toh(a->ib.sid) & be64toh(a->ib.sid_mask));
	default:
		return 0;
	}
}

void addr_set_port(union cm_addr *a, uint16_t port)
{
	switch (a->sa.sa_family) {
	case AF_INET:
		a->in.sin_port = htons(port);
		break;
	case AF_INET6:
		a->in6.sin6_port = htons(port);
		break;
	default:
		a->ib.sid = htobe64((be64toh(a->ib.sid) & be64toh(a->ib.sid_mask)) | port);
		a->ib.sid_mask = UINT64_MAX;
	}
}

void addr_set_loopback(union cm_addr *a)
{
	uint8_t *ip = a->sa.sa_family == AF_INET6 ? a->in6.sin6_addr.s6_addr : a->ib.addr;

	if (a->sa.sa_family == AF_INET) {
		a->in.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
		return;
	}
	memset(ip, 0, 16);
	ip[15] = 1;
}

/* Makes the GID of an address; an IPv4 address is mapped to IPv6. */
void addr_gid(const union cm_addr *a, uint8_t gid[16])
{
	memset(gid, 0, 16);
	if (a->sa.sa_family == AF_INET) {
		gid[10] = gid[11] = 0xff;
		memcpy(gid + 12, &a->in.sin_addr, 4);
	} else {
		memcpy(gid, a->sa.sa_family == AF_INET6 ? a->in6.sin6_addr.s6_addr : a->ib.addr,
		       16);
	}
}

const char *addr_text(const union cm_addr *a, char text[CM_ADDR_TEXT])
{
	const void *ip = a->sa.sa_family == AF_INET6 ? (const void *)&a->in6.sin6_addr
						     : (const void *)a->ib.addr;

	if (a->sa.sa_family == AF_INET)
		inet_ntop(AF_INET, &a->in.sin_addr, text, CM_ADDR_TEXT);
	else
		inet_ntop(AF_INET6, ip, text, CM_ADDR_TEXT);
	return text;
}
