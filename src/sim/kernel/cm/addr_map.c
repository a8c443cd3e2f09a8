/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A function has the addresses of its GIDs; all others lie beyond the wire. If the function has no
 * network interface (doc/design/0022), the machine's addresses, 127.0.0.1 and ::1 also mean the
 * program's own function. If it has one (0023), only the addresses of that interface do.
 */
#include <errno.h>
#include <string.h>
#include "priv.h"
#include "obj/device.h"

/* Returns the first RoCE v2 GID of the family: RoCE v2 is rdma_cm's default. */
uint8_t addr_default_index(const struct vhca *v, int family)
{
	for (uint8_t i = 0; i < v->ngids; i++)
		if (v->gids[i].type == GID_ROCE_V2 &&
		    gid_is_ip4(v->gids[i].gid) == (family == AF_INET))
			return i;
	return 0;
}

static int addr_index(const struct vhca *v, const uint8_t gid[16])
{
	for (int i = 0; i < (int)v->ngids; i++)
		if (v->gids[i].type == GID_ROCE_V2 && !memcmp(v->gids[i].gid, gid, 16))
			return i;
	return -1;
}

static bool addr_is_host(const struct cm_id *id, const union cm_addr *a)
{
	return !id->fn->netdev.present && id->cm->ops.is_own &&
	       id->cm->ops.is_own(id->cm->ops.ctx, &a->sa);
}

int addr_own(const struct cm_id *id, const union cm_addr *a, uint8_t *sgid_index)
{
	uint8_t gid[16];
	int index;

	if (a->sa.sa_family == CM_AF_IB) /* InfiniBand only: a RoCE port's GID is refused, too */
		return -ENODEV;
	addr_gid(a, gid);
	index = addr_index(id->fn, gid);
	if (index < 0 && !addr_is_host(id, a))
		return -ENODEV;
	*sgid_index = index < 0 ? addr_default_index(id->fn, a->sa.sa_family) : (uint8_t)index;
	return 0;
}

static struct vhca *addr_function(const struct cm *cm, uint16_t vlan, const uint8_t gid[16])
{
	unsigned int index;

	return device_vhca_by_gid(cm->dev, vlan, gid, &index);
}

static int addr_resolve_outside(const struct cm *cm, const struct gid_entry *from,
				const union cm_addr *a)
{
	uint8_t gid[16], mac[6];

	addr_gid(a, gid);
	return cm->dev->resolve_outside ? cm->dev->resolve_outside(cm->dev, from, gid, mac)
					: -EHOSTUNREACH;
}

bool addr_is_outside(const struct cm_id *id, const union cm_addr *a)
{
	return !addr_resolve_outside(id->cm,
				     &id->fn->gids[addr_default_index(id->fn, a->sa.sa_family)], a);
}

/* Returns whether the address is in the functions' network, where ARP or ND would look for it. */
static bool addr_is_neighbour(const struct vhca *v, const uint8_t gid[16])
{
	for (unsigned int i = 0; i < v->ngids; i++)
		if (v->gids[i].type == GID_ROCE_V2 &&
		    gid_common(v->gids[i].gid, gid) >= v->gids[i].prefix)
			return true;
	return false;
}

/*
 * Returns the index of the function's GID with the longest common prefix, preferably of the same
 * scope; -1 if it has none of this family.
 */
static int addr_nearest(const struct vhca *v, const uint8_t gid[16])
{
	unsigned int most = 0;
	int nearest = -1;

	for (int i = 0; i < (int)v->ngids; i++) {
		const struct gid_entry *e = &v->gids[i];
		unsigned int common = gid_common(e->gid, gid) +
				      (ip6_is_link_local(e->gid) == ip6_is_link_local(gid)) * 128u;

		if (e->type != GID_ROCE_V2 || gid_is_ip4(e->gid) != gid_is_ip4(gid) ||
		    (nearest >= 0 && common <= most))
			continue;
		nearest = i;
		most = common;
	}
	return nearest;
}

static void addr_from_gid(union cm_addr *a, int family, const uint8_t gid[16])
{
	a->sa.sa_family = (sa_family_t)family;
	if (family == AF_INET)
		memcpy(&a->in.sin_addr, gid + 12, 4);
	else
		memcpy(&a->in6.sin6_addr, gid, 16);
}

int addr_peer(const struct cm_id *id, const union cm_addr *dst, union cm_addr *src, uint8_t gid[16])
{
	uint16_t port = addr_port(src);
	int index, beyond = -EHOSTUNREACH;
	const struct gid_entry *from;

	addr_gid(dst, gid);
	index = addr_nearest(id->fn, gid);
	if (index < 0 || (id->fn->netdev.present && !addr_is_neighbour(id->fn, gid)))
		return -ENODEV;
	from = &id->fn->gids[index];
	if (!addr_function(id->cm, from->vlan, gid))
		beyond = addr_resolve_outside(id->cm, from, dst);
	if (beyond == -EINPROGRESS)
		return beyond;
	if (addr_function(id->cm, from->vlan, gid) || !beyond) {
		if (!id->vhca)
			addr_from_gid(src, dst->sa.sa_family, id->fn->gids[index].gid);
	} else if (addr_is_host(id, dst)) {
		memcpy(gid, id->fn->gids[index].gid, 16);
		if (!id->vhca)
			*src = *dst;
	} else {
		return addr_is_neighbour(id->fn, gid) ? -ETIMEDOUT : -ENODEV;
	}
	addr_set_port(src, port);
	return 0;
}
