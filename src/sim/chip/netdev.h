/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef SIM_CHIP_NETDEV_H
#define SIM_CHIP_NETDEV_H

#include <stdbool.h>

struct chip;
struct netdevs;
struct vhca;

/*
 * Makes a network interface (TAP) for each function of a chip, named CHIP-FUNCTION, and in switchdev
 * mode one for each representor, named CHIP-pf0vf0. The kernel's frames pass the function's TX
 * tables; packets that no rule takes go to the kernel. Its addresses are the function's GIDs, its
 * state is the port's (doc/design/0023). changed() reports a port's new GIDs, state or MTU. Returns
 * NULL after a sentence on stderr.
 */
typedef void (*netdev_changed_fn)(void *arg, const struct vhca *, unsigned int port);
struct netdevs *netdevs_new(struct chip *, const char *chip_name, netdev_changed_fn, void *arg);
void netdevs_free(struct netdevs *);
/* Sets the interfaces' carrier to the port's link. */
void netdevs_link(struct netdevs *, bool up);
/* Returns the name of a port's interface. */
#define NETDEV_NAME 64
void netdev_name(char name[NETDEV_NAME], const char *chip_name, const struct vhca *,
		 unsigned int port);

#endif
