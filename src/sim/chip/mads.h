/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef SIM_CHIP_MADS_H
#define SIM_CHIP_MADS_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

/*
 * Part of the composition root: connects the connection manager. Its MADs are packets of QP1, to
 * functions of this chip and beyond its wire.
 */
struct cm;
struct device;
struct mads;
struct roce_packet;
struct vhca;

struct mads *mads_new(struct device *);
void mads_free(struct mads *);
struct cm *mads_cm(struct mads *);
/* Handles a datagram for a function's queue pair 1. */
void mads_arrive(const struct mads *, struct vhca *to, const struct roce_packet *,
		 const uint8_t *mad);

/* Returns whether the process has CAP_NET_BIND_SERVICE. */
bool mads_low_ports(pid_t pid);

#endif
