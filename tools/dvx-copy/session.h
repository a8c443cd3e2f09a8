/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef DVX_COPY_SESSION_H
#define DVX_COPY_SESSION_H

#include "base/options.h"
#include "engine/engine.h"
#include "wire/access.h"
#include "wire/link.h"

/* Configuration that all clients of a server share. */
struct copy_server {
	struct access *access;
	uint32_t umask; /* for new entries whose mode is not kept */
	struct copy_device *device;
	uint32_t slots, slot_bytes;
	unsigned int jobs;    /* threads for files, per client */
	unsigned int clients; /* at a time, at most */
};

/* Serves one client from its START to its last message. The caller closes the link. */
int copy_session_run(const struct copy_server *s, struct link *l, struct copy_counts *counts,
		     struct copy_fault *f);

#endif
