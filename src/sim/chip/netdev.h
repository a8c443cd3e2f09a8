/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef SIM_CHIP_NETDEV_H
#define SIM_CHIP_NETDEV_H

#include <stdbool.h>
#include <stdint.h>

struct chip;
struct netdevs;
struct vhca;

/*
 * A network interface (TAP) for each function of a chip, named CHIP-FUNCTION: what the kernel sends
 * passes the function's TX tables, what no rule takes goes to the kernel. Its addresses are the
 * function's GIDs, its state is the port's. doc/design/0023 says more. changed() is called when a
 * function's GIDs, state or MTU are new. NULL after a sentence on stderr.
 */
struct netdevs *netdevs_new(struct chip *, const char *chip_name,
			    void (*changed)(void *arg, const struct vhca *), void *arg);
void netdevs_free(struct netdevs *);
/* A packet for the function's interface; false: it was not taken. */
bool netdevs_receive(const struct netdevs *, const struct vhca *, const uint8_t *bytes,
		     uint32_t len);
/* The port's link is the interfaces' carrier. */
void netdevs_link(struct netdevs *, bool up);
/* The name of a function's interface. */
#define NETDEV_NAME 64
void netdev_name(char name[NETDEV_NAME], const char *chip_name, const struct vhca *);

#endif
