/* SPDX-License-Identifier: BSD-2-Clause */
#include <arpa/inet.h>
#include <errno.h>
#include <endian.h>
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

/* Returns the bytes of the IP address or GID, and their number; 0 for an unknown family. */
static uint8_t *addr_bytes(const union cm_addr *a, size_t *n)
{
	switch (a->sa.sa_family) {
	case AF_INET:
		*n = 4;
		return (uint8_t *)&a->in.sin_addr;
	case AF_INET6:
		*n = 16;
		return (uint8_t *)a->in6.sin6_addr.s6_addr;
	default:
		*n = a->sa.sa_family == CM_AF_IB ? 16 : 0;
		return (uint8_t *)a->ib.addr;
	}
}

static bool addr_bytes_are_zero(const uint8_t *b, size_t n)
{
	for (size_t i = 0; i < n; i++)
		if (b[i])
			return false;
	return true;
}

/* All of 0.0.0.0/8 counts, as in the kernel. */
bool addr_is_zero(const union cm_addr *a)
{
	size_t n;
	const uint8_t *b = addr_bytes(a, &n);

	return n && addr_bytes_are_zero(b, n == 4 ? 1 : n);
}

bool addr_is_loopback(const union cm_addr *a)
{
	size_t n;
	const uint8_t *b = addr_bytes(a, &n);

	return n == 4 ? b[0] == 127 : n && addr_bytes_are_zero(b, n - 1) && b[n - 1] == 1;
}

bool addr_is_any(const union cm_addr *a)
{
	return addr_is_zero(a) || addr_is_loopback(a);
}

bool addr_differs(const union cm_addr *a, const union cm_addr *b)
{
	size_t n;
	const uint8_t *x = addr_bytes(a, &n), *y = addr_bytes(b, &n);

	if (a->sa.sa_family != b->sa.sa_family || memcmp(x, y, n))
		return true;
	return a->sa.sa_family == AF_INET6 && ip6_is_link_local(y) &&
	       a->in6.sin6_scope_id != b->in6.sin6_scope_id;
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
	size_t n;
	uint8_t *b = addr_bytes(a, &n);

	memset(b, 0, n);
	if (n == 4)
		b[0] = 127;
	b[n - 1] = 1;
}

/* Makes the GID of an address; an IPv4 address is mapped to IPv6. */
void addr_gid(const union cm_addr *a, uint8_t gid[16])
{
	size_t n;
	const uint8_t *b = addr_bytes(a, &n);

	memset(gid, 0, 16);
	if (n == 4)
		gid[10] = gid[11] = 0xff;
	memcpy(gid + 16 - n, b, n);
}

const char *addr_text(const union cm_addr *a, char text[CM_ADDR_TEXT])
{
	size_t n;
	const uint8_t *b = addr_bytes(a, &n);

	inet_ntop(n == 4 ? AF_INET : AF_INET6, b, text, CM_ADDR_TEXT);
	return text;
}
