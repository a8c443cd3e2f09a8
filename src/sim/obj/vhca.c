/* SPDX-License-Identifier: BSD-2-Clause */
#include <errno.h>
#include <string.h>
#include <sys/mman.h>
#include "vhca.h"
#include "icm.h"
#include "counter.h"
#include "mkey.h"

/* Locally administered, so that no real card's address is taken. */
static const uint8_t base_mac[6] = {0x02, 0xd7, 0x00, 0x00, 0x00, 0x01};

static void gid_link_local(uint8_t gid[16], const uint8_t mac[6])
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

static void gid_ipv4(uint8_t gid[16], uint8_t last)
{
	const uint8_t ip[4] = {192, 168, 215, last};

	memset(gid, 0, 16);
	gid[10] = gid[11] = 0xff;
	memcpy(gid + 12, ip, 4);
}

/* The order in which a kernel fills the table of a RoCE port: each address as v1, then as v2. */
static void fill_gids(struct vhca *v)
{
	for (unsigned int i = 0; i < VHCA_GIDS; i++) {
		struct gid_entry *e = &v->gids[i];

		if (i < 2)
			gid_link_local(e->gid, v->mac);
		else
			gid_ipv4(e->gid, (uint8_t)(v->kind + 1));
		memcpy(e->mac, v->mac, sizeof(e->mac));
		e->type = i % 2 ? GID_ROCE_V2 : GID_ROCE_V1;
	}
}

static uint64_t guid_of(const uint8_t mac[6])
{
	const uint8_t g[8] = {mac[0], mac[1], mac[2], 0x03, 0x00, mac[3], mac[4], mac[5]};
	uint64_t guid = 0;

	for (unsigned int i = 0; i < sizeof(g); i++)
		guid = guid << 8 | g[i];
	return guid;
}

static int vhca_init(struct silicon *si, enum function_kind kind)
{
	struct vhca *v = &si->vhca[kind];

	v->si = si;
	v->kind = kind;
	v->port = &v->own_port;
	v->id = (uint16_t)(kind + 1);
	memcpy(v->mac, base_mac, sizeof(v->mac));
	v->mac[5] = (uint8_t)(v->mac[5] + kind);
	v->guid = guid_of(v->mac);
	fill_gids(v);
	return obj_tables_init(v);
}

int vhca_share_port(struct vhca *v, int fd)
{
	struct port_stats *p = mmap(NULL, sizeof(*p), PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);

	if (p == MAP_FAILED)
		return -errno;
	*p = *v->port;
	if (v->port != &v->own_port)
		munmap(v->port, sizeof(*p));
	v->port = p;
	return 0;
}

int silicon_init(struct silicon *si, struct host *host, struct clock *clock,
		 const struct personality *personality)
{
	memset(si, 0, sizeof(*si));
	si->host = host;
	si->clock = clock;
	si->personality = personality;
	for (unsigned int i = 0; i < FUNCTION_COUNT; i++) {
		if (vhca_init(si, (enum function_kind)i)) {
			silicon_fini(si);
			return -ENOMEM;
		}
	}
	return 0;
}

void silicon_fini(struct silicon *si)
{
	for (unsigned int i = 0; i < FUNCTION_COUNT; i++)
		if (si->vhca[i].si) {
			obj_tables_fini(&si->vhca[i]);
			icm_fini(&si->vhca[i]);
			counters_fini(&si->vhca[i]);
			if (si->vhca[i].port != &si->vhca[i].own_port)
				munmap(si->vhca[i].port, sizeof(*si->vhca[i].port));
		}
	mm_close(si->icm_mm);
	grants_free(si);
	timers_free(&si->timers);
}

struct vhca *silicon_vhca_by_id(struct silicon *si, uint16_t vhca_id)
{
	for (unsigned int i = 0; i < FUNCTION_COUNT; i++)
		if (si->vhca[i].id == vhca_id)
			return &si->vhca[i];
	return NULL;
}

struct vhca *silicon_vhca_by_gid(struct silicon *si, const uint8_t gid[16], unsigned int *index)
{
	for (unsigned int i = 0; i < FUNCTION_COUNT; i++) {
		for (unsigned int j = 0; j < VHCA_GIDS; j++) {
			const struct gid_entry *e = &si->vhca[i].gids[j];

			if (e->type != GID_EMPTY && !memcmp(e->gid, gid, 16)) {
				*index = j;
				return &si->vhca[i];
			}
		}
	}
	return NULL;
}
