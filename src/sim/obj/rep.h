/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef SIM_OBJ_REP_H
#define SIM_OBJ_REP_H

#include <stdbool.h>
#include <stdint.h>

struct netif;
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
/* Returns the port of the vport's representor; 0: there is none. */
unsigned int vhca_vport_port(const struct vhca *, uint16_t vport);
/*
 * Returns whether Linux makes a representor for a port. Without one it sends and receives nothing:
 * the PF's on a chip whose PF is the manager.
 */
bool vhca_port_has_rep(const struct vhca *, unsigned int port);
/*
 * Returns whether a port has a network interface, if the chip has them. [I] The manager's own vport
 * has none: its interface is the uplink's.
 */
bool vhca_port_has_netdev(const struct vhca *, unsigned int port);
/* Returns a port's network interface, present or not. */
struct netif *vhca_port_netdev(const struct vhca *, unsigned int port);
/* Writes a representor's name as BlueField's kernels show it: p0, pf0hpf, pf0vf0, pf0sf0. */
#define PORT_NAME 16
void vhca_port_name(const struct vhca *, unsigned int port, char name[PORT_NAME]);
/*
 * Returns what the kernel's access control list of a port's vport writes into register c_0, of which
 * it uses the upper half: a number, as Linux gives them out, the uplink's first.
 */
#define PORT_METADATA_MASK 0xffff0000u
uint32_t vhca_port_metadata(const struct vhca *, unsigned int port);
/* Returns the number of the send queue of a representor's interface; no program's queue has it. */
uint32_t vhca_port_sqn(const struct vhca *, unsigned int port);
/* Returns the state of a port; vhca_port_up() is that of the function's interface. */
bool vhca_port_is_up(const struct vhca *, unsigned int port);

#endif
