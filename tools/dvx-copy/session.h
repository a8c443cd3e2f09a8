/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef DVX_COPY_SESSION_H
#define DVX_COPY_SESSION_H

#include "base/options.h"
#include "engine/engine.h"
#include "wire/access.h"
#include "wire/link.h"

/* What all clients of a server share. */
struct copy_server {
	struct access *access;
	uint32_t umask; /* of new entries whose mode is not kept */
	struct copy_device *device;
	uint32_t slots, slot_bytes;
	unsigned int jobs; /* threads for files, of each client */
	unsigned int clients; /* at a time, at most */
};

/* One client from its handshake to its last byte. The link is the caller's. */
int copy_session_run(const struct copy_server *s, struct link *l, struct copy_counts *counts,
		     struct copy_fault *f);

#endif
