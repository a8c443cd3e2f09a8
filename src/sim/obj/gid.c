/* SPDX-License-Identifier: BSD-2-Clause */
/* A function's GID table, filled as the kernel does for a RoCE port. */
#include <errno.h>
#include <string.h>
#include "qp.h"
#include "vhca.h"

enum { PREFIX_LINK_LOCAL = 64, PREFIX_IPV4 = 96 + 24 };

void gid_link_local(uint8_t gid[16], const uint8_t mac[6])
{
	memset(gid, 0, 16);
	gid[0] = 0xfe;
	gid[1] = 0x80;
	/* RFC 4291 appendix A: the universal/local bit is inverted, ff:fe in the middle */
	memcpy(gid + 8, mac, 3);
	gid[8] ^= 2;
	gid[11] = 0xff;
	gid[12] = 0xfe;
	memcpy(gid + 13, mac + 3, 3);
}

void gid_ipv4(uint8_t gid[16], const void *address)
{
	memset(gid, 0, 16);
	gid[10] = gid[11] = 0xff;
	memcpy(gid + 12, address, 4);
}

unsigned int gid_common(const uint8_t a[16], const uint8_t b[16])
{
	unsigned int n = 0;

	while (n < 128 && !((a[n / 8] ^ b[n / 8]) & 0x80 >> n % 8))
		n++;
	return n;
}

static struct gid_entry *gid_find(struct vhca *v, const uint8_t gid[16], uint8_t type,
				  uint16_t vlan)
{
	for (unsigned int i = 0; i < v->ngids; i++)
		if (v->gids[i].type == type && v->gids[i].vlan == vlan &&
		    !memcmp(v->gids[i].gid, gid, 16))
			return &v->gids[i];
	return NULL;
}

static int gid_add_as(struct vhca *v, const struct gid_entry *like, uint8_t type)
{
	struct gid_entry *e = v->gids;

	if (gid_find(v, like->gid, type, like->vlan))
		return 0;
	while (e < v->gids + VHCA_GIDS && e->type != GID_EMPTY)
		e++;
	if (e == v->gids + VHCA_GIDS)
		return -ENOSPC;
	*e = *like;
	e->type = type;
	memcpy(e->mac, v->mac, sizeof(e->mac));
	if (e >= v->gids + v->ngids)
		v->ngids = (unsigned int)(e - v->gids) + 1;
	return 0;
}

/* Adds entries in the kernel's order: each address as v1, then as v2. */
int vhca_gid_add_vlan(struct vhca *v, const uint8_t gid[16], uint8_t prefix, uint16_t vlan,
		      const char *ndev)
{
	struct gid_entry e = {.prefix = prefix, .vlan = vlan};
	int err;

	memcpy(e.gid, gid, sizeof(e.gid));
	strncpy(e.ndev, ndev, sizeof(e.ndev) - 1);
	err = gid_add_as(v, &e, GID_ROCE_V1);
	return err ? err : gid_add_as(v, &e, GID_ROCE_V2);
}

int vhca_gid_add(struct vhca *v, const uint8_t gid[16], uint8_t prefix)
{
	return vhca_gid_add_vlan(v, gid, prefix, 0, "");
}

/*
 * Returns true if a queue pair uses the entry. A kernel removes such an entry from its list at
 * once, but leaves it in the hardware.
 */
static bool gid_is_used(const struct vhca *v, const struct gid_entry *e)
{
	const struct qp *qp;

	for (qp = obj_next(v, OBJ_QP, 0); qp; qp = obj_next(v, OBJ_QP, qp->q.o.id + 1))
		if (qp->q.state != QP_RST && qp->q.state != QP_INIT &&
		    e == &v->gids[qp->gid_index % VHCA_GIDS])
			return true;
	return false;
}

static void gid_clear(struct vhca *v, struct gid_entry *e)
{
	if (!e)
		return;
	*e = (struct gid_entry){.type = GID_EMPTY};
	while (v->ngids && v->gids[v->ngids - 1].type == GID_EMPTY)
		v->ngids--;
}

int vhca_gid_del_vlan(struct vhca *v, const uint8_t gid[16], uint16_t vlan)
{
	struct gid_entry *v1 = gid_find(v, gid, GID_ROCE_V1, vlan),
			 *v2 = gid_find(v, gid, GID_ROCE_V2, vlan);

	if ((v1 && gid_is_used(v, v1)) || (v2 && gid_is_used(v, v2)))
		return -EBUSY;
	gid_clear(v, v1);
	gid_clear(v, v2);
	return 0;
}

int vhca_gid_del(struct vhca *v, const uint8_t gid[16])
{
	return vhca_gid_del_vlan(v, gid, 0);
}

void vhca_gids_fill(struct vhca *v, uint8_t host)
{
	const uint8_t ip[4] = {192, 168, 215, host};
	uint8_t gid[16];

	for (unsigned int i = 0; i < VHCA_GIDS; i++)
		v->gids[i] = (struct gid_entry){.type = GID_EMPTY};
	v->ngids = 0;
	gid_link_local(gid, v->mac);
	vhca_gid_add(v, gid, PREFIX_LINK_LOCAL);
	if (!host)
		return;
	gid_ipv4(gid, ip);
	vhca_gid_add(v, gid, PREFIX_IPV4);
}
