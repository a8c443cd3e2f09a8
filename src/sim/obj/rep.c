/* SPDX-License-Identifier: BSD-2-Clause */
#include "rep.h"

#include "device.h"

bool vhca_has_reps(const struct vhca *v)
{
	return v->dev->profile->switchdev && v == v->dev->manager;
}

unsigned int vhca_ports(const struct vhca *v)
{
	return vhca_has_reps(v) ? v->dev->nfunctions + 1 : 1;
}

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

bool vhca_port_has_rep(const struct vhca *v, unsigned int port)
{
	return vhca_has_reps(v) &&
	       (vhca_port_vport(v, port) != VPORT_PF || v->dev->manager->vport != VPORT_PF);
}

bool vhca_port_is_up(const struct vhca *v, unsigned int port)
{
	return vhca_port_up(v) && (!vhca_has_reps(v) || vhca_port_has_rep(v, port));
}
