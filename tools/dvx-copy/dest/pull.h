/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef DVX_COPY_PULL_H
#define DVX_COPY_PULL_H

#include <signal.h>

#include "dest.h"
#include "engine/engine.h"
#include "wire/link.h"
#include "base/report.h"

/* One connection to a server, and the client's pool of the same shape. */
struct pull {
	struct link link;
	struct copy_device *device;
	struct pool pool;
	struct copy_engine *engine;
	struct chunk *chunks; /* one per slot */
	uint32_t *queue;      /* slots whose copies are not all posted, oldest first */
	uint32_t queue_from, queue_n;
	uint32_t in_flight; /* copies that the device has */
	struct dest dest;
	uint64_t files_before, bytes_before; /* of earlier sources */
	struct report *report;
	const volatile sig_atomic_t *stop;
};

struct pull_wish {
	uint32_t slots, slot_bytes;
	int patience_ms;
};

/* fd is connected; it is closed in any case. */
int pull_open(struct pull *p, int fd, const struct key *key, const struct pull_wish *wish,
	      struct copy_fault *f);
int pull_path(struct pull *p, const char *path, const struct dest_plan *plan, struct copy_fault *f);

/* Sends BYE if there was no fault. */
void pull_close(struct pull *p, const struct copy_fault *f);

#endif
