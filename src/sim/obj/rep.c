/* SPDX-License-Identifier: BSD-2-Clause */
#include "rep.h"

#include <stdio.h>
#include "device.h"

bool vhca_has_reps(const struct vhca *v)
{
	return v->dev->profile->switchdev && v == v->dev->manager;
}

unsigned int vhca_ports(const struct vhca *v)
{
	return vhca_has_reps(v) ? v->dev->nfunctions + 1 : 1;
}

/* Numbers of send queues are below. [I] */
#define NETDEV_SQNS (1u << 23)

/* Returns the port of a function's representor. */
static unsigned int rep_port(const struct vhca *of)
{
	unsigned int port = 1;

	for (unsigned int i = 0; i < of->dev->nfunctions; i++)
		port += of->dev->vhca[i].vport < of->vport;
	return port;
}

uint16_t vhca_port_vport(const struct vhca *v, unsigned int port)
{
	for (unsigned int i = 0; i < v->dev->nfunctions; i++)
		if (rep_port(&v->dev->vhca[i]) == port)
			return v->dev->vhca[i].vport;
	return VPORT_UPLINK;
}

unsigned int vhca_vport_port(const struct vhca *v, uint16_t vport)
{
	const struct vhca *of = device_vhca_by_vport(v->dev, vport);

	if (vport == VPORT_UPLINK)
		return vhca_ports(v);
	return of ? rep_port(of) : 0;
}

bool vhca_port_has_rep(const struct vhca *v, unsigned int port)
{
	return vhca_has_reps(v) &&
	       (vhca_port_vport(v, port) != VPORT_PF || v->dev->manager->vport != VPORT_PF);
}

bool vhca_port_has_netdev(const struct vhca *v, unsigned int port)
{
	return !vhca_has_reps(v) || vhca_port_vport(v, port) != v->vport;
}

struct netif *vhca_port_netdev(const struct vhca *v, unsigned int port)
{
	struct vhca *of =
		vhca_has_reps(v) ? device_vhca_by_vport(v->dev, vhca_port_vport(v, port)) : NULL;

	return of ? &of->rep : &v->dev->vhca[v->index].netdev;
}

void vhca_port_name(const struct vhca *v, unsigned int port, char name[PORT_NAME])
{
	const struct vhca *of = device_vhca_by_vport(v->dev, vhca_port_vport(v, port));

	if (!of)
		snprintf(name, PORT_NAME, "p0");
	else
		snprintf(name, PORT_NAME, "pf0%s", of->kind == FUNCTION_PF ? "hpf" : of->name);
}

uint32_t vhca_port_metadata(const struct vhca *v, unsigned int port)
{
	return (port == vhca_ports(v) ? 1 : port + 1) << 16;
}

uint32_t vhca_port_sqn(const struct vhca *v, unsigned int port)
{
	return port == vhca_ports(v) ? 0 : NETDEV_SQNS | port;
}

bool vhca_port_is_up(const struct vhca *v, unsigned int port)
{
	const struct netif *i = vhca_port_netdev(v, port);

	return !v->dev->link_down && (!i->present || i->up) &&
	       (!vhca_has_reps(v) || vhca_port_has_rep(v, port));
}
