/* SPDX-License-Identifier: BSD-2-Clause */
#include "gidrank.h"
#include <stdlib.h>
#include <string.h>

enum kind { GLOBAL_V4, GLOBAL_V6, LINK_LOCAL, ZERO };

static enum kind gidrank_kind_of(const uint8_t gid[16])
{
	static const uint8_t v4[12] = {[10] = 0xff, [11] = 0xff};
	static const uint8_t none[16];

	if (!memcmp(gid, none, 16))
		return ZERO;
	if (!memcmp(gid, v4, sizeof(v4)))
		return GLOBAL_V4;
	return gid[0] == 0xfe && (gid[1] & 0xc0) == 0x80 ? LINK_LOCAL : GLOBAL_V6;
}

/*
 * GID types in order of preference. RoCE v2 crosses routers, and NICs and switches are tuned for
 * it.
 */
static const struct {
	unsigned int rank;
	const char *reason;
} roce[2][3] = {
	{
		{4, "RoCE v1 with an IPv4 address: its packets pass no router"},
		{5, "RoCE v1 with an IPv6 address: its packets pass no router"},
		{6, "RoCE v1, link-local: same Ethernet segment only, no router"},
	},
	{
		{1, "RoCE v2 with an IPv4 address: routable, understood by every peer"},
		{2, "RoCE v2 with a global IPv6 address: routable, if the peer has IPv6"},
		{3, "RoCE v2, link-local: works without an address, same Ethernet segment only"},
	},
};

static void judge(struct ranked *r)
{
	enum kind kind = gidrank_kind_of(r->gid.gid);

	if (kind == ZERO) {
		r->rank = 9;
		r->reason = "empty";
	} else if (!r->ethernet) {
		r->rank = r->gid.index == 0 ? 1 : 2;
		r->reason = r->rank == 1 ? "InfiniBand: the port's own GID"
					 : "InfiniBand: another GID of the port";
	} else {
		r->rank = roce[r->gid.type == DVX_GID_ROCE_V2][kind].rank;
		r->reason = roce[r->gid.type == DVX_GID_ROCE_V2][kind].reason;
	}
}

static int by_rank(const void *x, const void *y)
{
	const struct ranked *a = x, *b = y;

	if (a->up != b->up)
		return a->up ? -1 : 1;
	if (a->rank != b->rank)
		return a->rank < b->rank ? -1 : 1;
	if (a->gid.port != b->gid.port)
		return a->gid.port < b->gid.port ? -1 : 1;
	return a->gid.index < b->gid.index ? -1 : a->gid.index > b->gid.index;
}

void gid_rank(struct ranked *list, size_t n)
{
	for (size_t i = 0; i < n; i++)
		judge(&list[i]);
	qsort(list, n, sizeof(*list), by_rank);
}
