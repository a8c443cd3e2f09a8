/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef DVX_COPY_CLIENT_H
#define DVX_COPY_CLIENT_H

#include <signal.h>

#include "base/report.h"
#include "dest/dest.h"
#include "engine/engine.h"
#include "wire/link.h"

/* The client's end of a connection, for pull and push. */
struct client {
	struct link link;
	struct copy_device *device;
	struct copy_options options;
	struct report *report;
	bool many; /* there are several sources */
	uint32_t slots, slot_bytes;
	unsigned int jobs; /* threads for files */
	int patience_ms;
	uint32_t umask;
	const volatile sig_atomic_t *stop;
};

/* One source of a pull. */
struct client_request {
	const char *path;
	const char *expect; /* the name that the source must have, or a pattern for it */
	struct dest_plan plan;
};

/* Pulls over fd, a connected socket, which is closed in any case. */
int client_pull(struct client *c, int fd, const struct key *key,
		const struct client_request *requests, int n, struct copy_fault *f);
int client_push(struct client *c, int fd, const struct key *key, char *const *sources, int n,
		const char *dest, bool merge, struct copy_fault *f);

#endif
