/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef SIM_OBJ_REP_H
#define SIM_OBJ_REP_H

#include <stdbool.h>
#include <stdint.h>

struct vhca;

/*
 * Ports of a function's IB device, which Linux's driver makes: one, or on the e-switch's manager in
 * switchdev mode one for each vport, its representor, in the order of their numbers: the uplink is
 * last, as since Linux 6.1. Representors have raw packets only, no RoCE.
 */

/* Returns whether the function's ports are representors. */
bool vhca_has_reps(const struct vhca *);
/* Returns the number of ports. */
unsigned int vhca_ports(const struct vhca *);
/* Returns the vport that a port represents. */
uint16_t vhca_port_vport(const struct vhca *, unsigned int port);
/*
 * Returns whether Linux makes a representor for a port. Without one it sends and receives nothing:
 * the PF's on a chip whose PF is the manager.
 */
bool vhca_port_has_rep(const struct vhca *, unsigned int port);
/* Returns the state of a port; vhca_port_up() is that of port 1 of a function without representors. */
bool vhca_port_is_up(const struct vhca *, unsigned int port);

#endif
