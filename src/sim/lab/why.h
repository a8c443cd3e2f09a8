/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef SIM_LAB_WHY_H
#define SIM_LAB_WHY_H

#include <stdbool.h>
#include <stdint.h>
#include "base/finding.h"

struct cq;
struct device;
struct obj;
struct vhca;

/*
 * Reads the device's state and reports what each queue waits for. It changes nothing, and costs
 * nothing until it is called (doc/design/0098).
 */
struct why_sink {
	/* Takes a finding; its program, pid and ended are left to the callee. */
	void (*found)(void *ctx, const struct obj *, const struct lab_finding *);
	/* Returns how many completion events of the CQ are unread; -1: it has no channel. */
	int (*unread)(void *ctx, const struct cq *);
	void *ctx;
	unsigned int uid; /* only objects of this uid; 0: all */
	/* Returns whether RDMA_CM connects a queue of the function to this peer; for check.h. */
	bool (*by_cm)(void *ctx, const struct vhca *, uint32_t peer);
};

void why_device(const struct device *, const struct why_sink *);

#endif
