/* SPDX-License-Identifier: BSD-2-Clause */
/* Port spaces: each function has its own ports, as a separate machine would. */
#include <endian.h>
#include <errno.h>
#include <stdlib.h>
#include "priv.h"

#define PORTS_RESERVED 1024u
#define PORT_LOW       32768u /* Linux's default range of ephemeral ports */
#define PORT_HIGH      60999u

#define IB_PS_MASK     0xffffffffffff0000u
#define IB_PS(ps)      ((uint64_t)(ps) << 16)

struct cm_port *port_find(struct cm *cm, const struct vhca *fn, uint16_t ps, uint16_t port)
{
	struct cm_port *p;

	LIST_FOREACH(p, &cm->ports[port % CM_PORT_BUCKETS], link)
	if (p->port == port && p->ps == ps && p->fn == fn)
		return p;
	return NULL;
}

static void port_bind(struct cm_port *p, struct cm_id *id)
{
	addr_set_port(&id->src, p->port);
	id->port = p;
	LIST_INSERT_HEAD(&p->owners, id, owner);
}

static int cm_port_new(struct cm_id *id, uint16_t ps, uint16_t port)
{
	struct cm_port *p = calloc(1, sizeof(*p));

	if (!p)
		return -ENOMEM;
	p->fn = id->fn;
	p->ps = ps;
	p->port = port;
	LIST_INSERT_HEAD(&id->cm->ports[port % CM_PORT_BUCKETS], p, link);
	port_bind(p, id);
	return 0;
}

void port_release(struct cm_id *id)
{
	struct cm_port *p = id->port;

	if (!p)
		return;
	id->port = NULL;
	LIST_REMOVE(id, owner);
	if (!LIST_EMPTY(&p->owners))
		return;
	LIST_REMOVE(p, link);
	free(p);
}

/* Returns whether no other id on the port has the same addresses and destination port. */
static bool port_is_unique(const struct cm_port *p, const struct cm_id *id)
{
	uint16_t dport = addr_port(&id->dst);
	const struct cm_id *o;

	LIST_FOREACH(o, &p->owners, owner)
	{
		if (dport && addr_port(&o->dst) && dport != addr_port(&o->dst))
			continue;
		if (!addr_is_any(&id->src) && !addr_is_any(&o->src) &&
		    addr_differs(&id->src, &o->src))
			continue;
		if (!addr_is_any(&id->dst) && !addr_is_any(&o->dst) &&
		    addr_differs(&id->dst, &o->dst))
			continue;
		return false;
	}
	return true;
}

static int port_any(struct cm_id *id, uint16_t ps)
{
	const uint32_t range = PORT_HIGH - PORT_LOW + 1;
	uint32_t first = cm_random(id->cm) % range;

	for (uint32_t i = 0; i < range; i++) {
		uint16_t port = (uint16_t)(PORT_LOW + (first + i) % range);
		struct cm_port *p = port_find(id->cm, id->fn, ps, port);

		if (!p)
			return cm_port_new(id, ps, port);
		if (port_is_unique(p, id)) {
			port_bind(p, id);
			return 0;
		}
	}
	return refuse(-EADDRNOTAVAIL, "BIND: all ports from %u to %u are taken", PORT_LOW,
		      PORT_HIGH);
}

static int port_conflict(const struct cm_port *p, const struct cm_id *id, bool reuse)
{
	const struct cm_id *o;

	LIST_FOREACH(o, &p->owners, owner)
	{
		if (o == id || (reuse && o->reuse))
			continue;
		if (id->afonly && o->afonly && id->src.sa.sa_family != o->src.sa.sa_family)
			continue;
		if (addr_is_any(&id->src) || addr_is_any(&o->src))
			return refuse(-EADDRNOTAVAIL,
				      "BIND: port %u is taken, one of both for all addresses",
				      p->port);
		if (!addr_differs(&id->src, &o->src))
			return refuse(-EADDRINUSE, "BIND: port %u is taken at this address",
				      p->port);
	}
	return 0;
}

int port_check_listen(struct cm_id *id)
{
	return port_conflict(id->port, id, false);
}

static int port_this(struct cm_id *id, uint16_t ps, uint16_t port)
{
	struct cm_port *p = port_find(id->cm, id->fn, ps, port);
	int err;

	if (port < PORTS_RESERVED && !id->file->low_ports)
		return refuse(-EACCES, "BIND: port %u: ports below %u need CAP_NET_BIND_SERVICE",
			      port, PORTS_RESERVED);
	if (!p)
		return cm_port_new(id, ps, port);
	err = port_conflict(p, id, id->reuse);
	if (!err)
		port_bind(p, id);
	return err;
}

/* Returns the port space that an AF_IB address names in its service id; 0: none of the id's. */
static uint16_t port_space_ib(struct cm_id *id)
{
	static const uint16_t spaces[] = {RDMA_PS_IB, RDMA_PS_TCP, RDMA_PS_UDP};
	struct cm_sockaddr_ib *ib = &id->src.ib;
	uint64_t mask = be64toh(ib->sid_mask) & IB_PS_MASK;

	for (unsigned int i = 0; i < 3; i++) {
		if ((id->ps != RDMA_PS_IB && id->ps != spaces[i]) ||
		    (be64toh(ib->sid) & mask) != (IB_PS(spaces[i]) & mask))
			continue;
		ib->sid = htobe64(IB_PS(spaces[i]) | addr_port(&id->src));
		ib->sid_mask = htobe64(IB_PS_MASK | be64toh(ib->sid_mask));
		return spaces[i];
	}
	return 0;
}

int port_get(struct cm_id *id)
{
	uint16_t ps = id->src.sa.sa_family == CM_AF_IB ? port_space_ib(id) : id->ps;
	uint16_t port;

	if (!ps)
		return refuse(-EPROTONOSUPPORT, "BIND: sib_sid is in none of the id's port spaces");
	port = addr_port(&id->src);
	return port ? port_this(id, ps, port) : port_any(id, ps);
}
