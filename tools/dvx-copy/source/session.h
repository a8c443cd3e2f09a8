/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef DVX_COPY_SESSION_H
#define DVX_COPY_SESSION_H

#include "engine/engine.h"
#include "wire/link.h"

/* What all clients of a server share. */
struct copy_server {
	int root;
	struct copy_device *device;
	uint32_t slots, slot_bytes;
};

struct session_totals {
	uint64_t files, bytes;
};

/* One client from its handshake to its last byte. The link is the caller's. */
int session_run(const struct copy_server *s, struct link *l, struct session_totals *t,
		struct copy_fault *f);

#endif
