/* SPDX-License-Identifier: BSD-2-Clause */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include "alias.h"
#include "device.h"
#include "icm.h"
#include "counter.h"
#include "mcg.h"
#include "memic.h"
#include "mkey.h"
#include "base/crc32.h"
#include "base/log.h"

/*
 * First bytes of MAC addresses. They are locally administered, so that no real card's address is
 * used.
 */
static const uint8_t base_mac[6] = {0x02, 0xd7};

#define MTU_4096 5
/*
 * Longest headers of a packet: GRH, UDP, BTH, XRCETH, AtomicETH and ICRC, as Linux counts them
 * (iboe_get_mtu()).
 */
#define MTU_HEADERS (40u + 8 + 12 + 4 + 28 + 4)

void vhca_set_guid(struct vhca *v, const uint8_t mac[6])
{
	const uint8_t g[8] = {mac[0], mac[1], mac[2], 0x03, 0x00, mac[3], mac[4], mac[5]};

	v->guid = 0;
	for (unsigned int i = 0; i < sizeof(g); i++)
		v->guid = v->guid << 8 | g[i];
}

/* Sets the addresses of a function; host: last byte, 1 to DEVICE_NUMBERS. */
static void vhca_number(struct vhca *v, unsigned int host)
{
	memcpy(v->mac, base_mac, sizeof(v->mac));
	v->mac[5] = (uint8_t)host;
	vhca_set_guid(v, v->mac);
	vhca_gids_fill(v, (uint8_t)host);
}

void device_number(struct device *dev, unsigned int first)
{
	for (unsigned int i = 0; i < dev->nfunctions; i++)
		vhca_number(&dev->vhca[i], first + i);
}

void device_follow_mac(struct device *dev, const uint8_t mac[6])
{
	const uint32_t hash = crc32_add(~0u, mac, 6);

	for (unsigned int i = 0; i < dev->nfunctions; i++) {
		struct vhca *v = &dev->vhca[i];

		memcpy(v->mac + 2, &hash, 3);
		v->mac[5] = (uint8_t)(i + 1);
		vhca_set_guid(v, v->mac);
		vhca_gids_fill(v, 0);
	}
}

void vhca_set_ip(struct vhca *v, const uint8_t gid[16], uint8_t prefix)
{
	while (v->ngids > 2)
		v->gids[--v->ngids] = (struct gid_entry){.type = GID_EMPTY};
	vhca_gid_add(v, gid, prefix);
}

void device_set_mtu(struct device *dev, unsigned int bytes)
{
	while (bytes && dev->active_mtu > 1 && (128u << dev->active_mtu) + MTU_HEADERS > bytes)
		dev->active_mtu--;
}

/* Returns the number of functions of this kind before this one. */
static unsigned int vhca_rank(const struct profile *p, unsigned int index)
{
	unsigned int n = 0;

	for (unsigned int i = 0; i < index; i++)
		n += profile_row(p, i).kind == profile_row(p, index).kind;
	return n;
}

static uint16_t vhca_vport(const struct profile *p, unsigned int index)
{
	static const uint16_t first[] = {
		[FUNCTION_PF] = VPORT_PF,
		[FUNCTION_ECPF] = VPORT_ECPF,
		[FUNCTION_VF] = VPORT_PF + 1,
		[FUNCTION_SF] = VPORT_SF,
	};

	return (uint16_t)(first[profile_row(p, index).kind] + vhca_rank(p, index));
}

static int vhca_init(struct device *dev, unsigned int index)
{
	struct vhca *v = &dev->vhca[index];
	const struct function_row row = profile_row(dev->profile, index);

	v->dev = dev;
	memcpy(v->name, row.name, sizeof(v->name));
	v->kind = row.kind;
	v->index = (uint8_t)index;
	v->stats = &v->own_stats;
	v->id = (uint16_t)(index + 1);
	v->vport = vhca_vport(dev->profile, index);
	vhca_number(v, index + 1);
	return obj_tables_init(v);
}

int vhca_share_stats(struct vhca *v, int fd)
{
	struct port_stats *p = mmap(NULL, sizeof(*p), PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);

	if (p == MAP_FAILED)
		return -errno;
	*p = *v->stats;
	if (v->stats != &v->own_stats)
		munmap(v->stats, sizeof(*p));
	v->stats = p;
	return 0;
}

static const struct front_ops front_none;

int device_init(struct device *dev, struct host *host, struct clock *clock,
		const struct profile *profile)
{
	memset(dev, 0, sizeof(*dev));
	dev->host = host;
	dev->front = &front_none;
	dev->clock = clock;
	dev->profile = profile;
	dev->active_mtu = MTU_4096;
	if (!profile->nfunctions || profile_functions(profile) > DEVICE_MAX_FUNCTIONS) {
		sim_refuse("a chip of %u functions: it must have 1 to %u",
			   profile_functions(profile), DEVICE_MAX_FUNCTIONS);
		return -EINVAL;
	}
	dev->vhca = calloc(profile_functions(profile), sizeof(*dev->vhca));
	if (!dev->vhca)
		return -ENOMEM;
	dev->nfunctions = profile_functions(profile);
	for (unsigned int i = 0; i < dev->nfunctions; i++) {
		if (vhca_init(dev, i)) {
			device_fini(dev);
			return -ENOMEM;
		}
	}
	dev->manager = device_vhca_by_vport(dev, VPORT_ECPF) ?: &dev->vhca[0];
	return 0;
}

void device_fini(struct device *dev)
{
	for (unsigned int i = 0; i < dev->nfunctions; i++)
		if (dev->vhca[i].dev) {
			mcg_free_all(&dev->vhca[i]);
			obj_tables_fini(&dev->vhca[i]);
			icm_fini(&dev->vhca[i]);
			memic_fini(&dev->vhca[i]);
			counters_fini(&dev->vhca[i]);
			if (dev->vhca[i].stats != &dev->vhca[i].own_stats)
				munmap(dev->vhca[i].stats, sizeof(*dev->vhca[i].stats));
		}
	mm_close(dev->icm_mm);
	mm_close(dev->memic_mm);
	mkey_null_free(dev);
	grants_free(dev);
	timers_free(&dev->timers);
	free(dev->vhca);
	dev->vhca = NULL;
	dev->nfunctions = 0;
}

struct vhca *device_vhca_by_name(const struct device *dev, const char *name)
{
	for (unsigned int i = 0; i < dev->nfunctions; i++)
		if (!strcmp(dev->vhca[i].name, name))
			return &dev->vhca[i];
	return NULL;
}

struct vhca *device_vhca_by_vport(const struct device *dev, uint32_t vport)
{
	for (unsigned int i = 0; i < dev->nfunctions; i++)
		if (dev->vhca[i].vport == vport)
			return &dev->vhca[i];
	return NULL;
}

const struct vhca *device_first(const struct device *dev, enum function_kind kind)
{
	for (unsigned int i = 0; i < dev->nfunctions; i++)
		if (dev->vhca[i].kind == kind)
			return &dev->vhca[i];
	return NULL;
}

uint16_t vhca_pci_device(const struct vhca *v)
{
	const struct profile *p = v->dev->profile;

	return v->kind == FUNCTION_VF ? p->pci_vf : p->pci_device;
}

bool vhca_port_up(const struct vhca *v)
{
	return !v->dev->link_down && (!v->netdev.present || v->netdev.up);
}

/*
 * Returns the MTU. With a network interface, it is what the interface's MTU leaves beside the
 * longest headers.
 */
uint8_t vhca_mtu(const struct vhca *v)
{
	uint8_t mtu = 0;

	if (!v->netdev.present)
		return v->dev->active_mtu;
	while (mtu < MTU_4096 && v->netdev.mtu >= (128u << (mtu + 1)) + MTU_HEADERS)
		mtu++;
	return mtu;
}

bool vhca_has_gid(const struct vhca *v, const uint8_t gid[16])
{
	for (unsigned int i = 0; i < v->ngids; i++)
		if (v->gids[i].type != GID_EMPTY && !memcmp(v->gids[i].gid, gid, 16))
			return true;
	return false;
}

bool gid_is_ip4(const uint8_t gid[16])
{
	static const uint8_t mapped[12] = {[10] = 0xff, [11] = 0xff};

	return !memcmp(gid, mapped, sizeof(mapped));
}

bool gid_is_multicast(const uint8_t gid[16])
{
	return gid[0] == 0xff || (gid_is_ip4(gid) && gid[12] >> 4 == 0xe);
}

/* Writes the group's address: RFC 1112 6.4 for IPv4, RFC 2464 7 for IPv6. */
void gid_group_mac(const uint8_t gid[16], uint8_t mac[6])
{
	static const uint8_t ip4[3] = {0x01, 0x00, 0x5e}, ip6[2] = {0x33, 0x33};

	if (gid_is_ip4(gid)) {
		memcpy(mac, ip4, sizeof(ip4));
		mac[3] = gid[13] & 0x7f;
		memcpy(mac + 4, gid + 14, 2);
	} else {
		memcpy(mac, ip6, sizeof(ip6));
		memcpy(mac + 2, gid + 12, 4);
	}
}

/*
 * The kernel asks the neighbour table, except for link-local addresses that contain the MAC
 * (modified EUI-64). Here all GIDs of this chip, and those that the wire can resolve, count as
 * neighbours.
 */
int device_resolve(struct device *dev, const struct gid_entry *from, const uint8_t gid[16],
		   uint8_t mac[6])
{
	static const uint8_t link_local[8] = {0xfe, 0x80};
	unsigned int index;
	const struct vhca *v = device_vhca_by_gid(dev, from->vlan, gid, &index);
	int err;

	if (gid_is_multicast(gid)) {
		gid_group_mac(gid, mac);
		return 0;
	}
	if (v) {
		memcpy(mac, v->gids[index].mac, 6);
		return 0;
	}
	err = dev->resolve_outside ? dev->resolve_outside(dev, from, gid, mac) : -EHOSTUNREACH;
	if (err != -EHOSTUNREACH)
		return err;
	if (memcmp(gid, link_local, sizeof(link_local)) || gid[11] != 0xff || gid[12] != 0xfe)
		return -EHOSTUNREACH;
	mac[0] = gid[8] ^ 2;
	mac[1] = gid[9];
	mac[2] = gid[10];
	mac[3] = gid[13];
	mac[4] = gid[14];
	mac[5] = gid[15];
	return 0;
}

struct vhca *device_vhca_by_gid(struct device *dev, uint16_t vlan, const uint8_t gid[16],
				unsigned int *index)
{
	for (unsigned int i = 0; i < dev->nfunctions; i++) {
		for (unsigned int j = 0; j < dev->vhca[i].ngids; j++) {
			const struct gid_entry *e = &dev->vhca[i].gids[j];

			if (e->type != GID_EMPTY && e->vlan == vlan && !memcmp(e->gid, gid, 16)) {
				*index = j;
				return &dev->vhca[i];
			}
		}
	}
	return NULL;
}
