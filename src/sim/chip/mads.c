/* SPDX-License-Identifier: BSD-2-Clause */
#include "mads.h"

#include <linux/capability.h>
#include <netinet/in.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <sys/socket.h>
#include <unistd.h>
#include "kernel/cm/cm.h"
#include "obj/device.h"
#include "port/roce.h"
#include "transport/gsi.h"

#define MADS_VLAN 0xfffu
#define MADS_HOPS 64u /* hop limit of answers: IPV6_DEFAULT_HOPLIMIT */

_Static_assert(CM_MAD_BYTES == GSI_BYTES, "both are a MAD's");

struct mads {
	struct device *dev;
	struct cm *cm;
};

struct cm *mads_cm(struct mads *m)
{
	return m->cm;
}

/* Returns the port as rdma_get_udp_sport() does for queue pairs without a number. */
static uint16_t mads_udp_sport(uint32_t flow_label)
{
	return (uint16_t)(((flow_label & 0x3fff) ^ flow_label >> 14) | 0xc000);
}

/* Sends a MAD. It is lost if the neighbour no longer answers, as on a network. */
static int mads_send(void *ctx, struct vhca *from, const struct cm_path *p,
		     const uint8_t mad[CM_MAD_BYTES])
{
	const struct mads *m = ctx;
	struct roce_path path = {
		.from = from,
		.source = &from->gids[p->sgid_index % VHCA_GIDS],
		.udp_sport = mads_udp_sport(p->flow_label),
		.tclass = p->tclass,
		.prio = p->sl,
		.hop_limit = p->hop_limit,
		.flow_label = p->flow_label,
	};

	if (path.source->type == GID_EMPTY ||
	    device_resolve(m->dev, path.source, p->dgid, path.dmac))
		return 0;
	memcpy(path.dgid, p->dgid, sizeof(path.dgid));
	path.overhead = roce_overhead(&path);
	gsi_send(&path, mad);
	return 0;
}

/* Returns the index of a GID, or -1. */
static int mads_gid_index(const struct vhca *v, const uint8_t gid[16], uint8_t type, uint16_t vlan)
{
	for (unsigned int i = 0; i < v->ngids; i++)
		if (v->gids[i].type == type && v->gids[i].vlan == vlan &&
		    !memcmp(v->gids[i].gid, gid, 16))
			return (int)i;
	return -1;
}

/* Finds the path back, as ib_init_ah_attr_from_wc() does. */
static bool mads_path_back(const struct vhca *v, const struct roce_packet *r, struct cm_path *back)
{
	const enum roce_network network = roce_network(r->grh);
	int index;

	*back = (struct cm_path){.hop_limit = MADS_HOPS};
	memcpy(back->dgid, r->sgid, sizeof(back->dgid));
	roce_grh_dgid(r->grh, back->sgid);
	index = mads_gid_index(v, back->sgid,
			       network == ROCE_NETWORK_GRH ? GID_ROCE_V1 : GID_ROCE_V2,
			       r->tci & MADS_VLAN);
	back->sl = (uint8_t)(r->tci >> 13);
	back->sgid_index = (uint8_t)index;
	if (network != ROCE_NETWORK_IPV4) {
		back->tclass = (uint8_t)(r->grh[0] << 4 | r->grh[1] >> 4);
		back->flow_label = (r->grh[1] & 15u) << 16 | (uint32_t)r->grh[2] << 8 | r->grh[3];
	}
	return index >= 0;
}

void mads_arrive(const struct mads *m, struct vhca *to, const struct roce_packet *r,
		 const uint8_t *mad)
{
	struct cm_path back;

	if (mads_path_back(to, r, &back))
		cm_receive(m->cm, to, &back, mad);
}

/* Returns whether the address is the kernel's: a socket can be bound only to those. */
static bool mads_is_own(void *ctx, const struct sockaddr *address)
{
	socklen_t len = address->sa_family == AF_INET ? sizeof(struct sockaddr_in)
						      : sizeof(struct sockaddr_in6);
	struct sockaddr_in6 a;
	int fd, err;

	(void)ctx;
	memcpy(&a, address, len);
	a.sin6_port = 0; /* at the same offset in both families */
	fd = socket(address->sa_family, SOCK_DGRAM | SOCK_CLOEXEC, 0);
	if (fd < 0)
		return false;
	err = bind(fd, (const struct sockaddr *)&a, len);
	close(fd);
	return !err;
}

struct mads *mads_new(struct device *dev)
{
	struct mads *m = calloc(1, sizeof(*m));
	struct cm_ops ops = {.send = mads_send, .is_own = mads_is_own, .ctx = m};

	if (!m)
		return NULL;
	m->dev = dev;
	if (getrandom(&ops.seed, sizeof(ops.seed), GRND_NONBLOCK) < 0)
		ops.seed = (uint64_t)getpid();
	m->cm = cm_new(dev, &ops);
	if (!m->cm) {
		free(m);
		return NULL;
	}
	return m;
}

void mads_free(struct mads *m)
{
	if (!m)
		return;
	cm_free(m->cm);
	free(m);
}

bool mads_low_ports(pid_t pid)
{
	unsigned long long caps = 0;
	char path[64], line[256];
	FILE *f;

	snprintf(path, sizeof(path), "/proc/%d/status", pid);
	f = fopen(path, "re");
	while (f && fgets(line, sizeof(line), f))
		if (sscanf(line, "CapEff: %llx", &caps) == 1)
			break;
	if (f)
		fclose(f);
	return caps >> CAP_NET_BIND_SERVICE & 1;
}
