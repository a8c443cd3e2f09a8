/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef DVX_COPY_CLIENT_H
#define DVX_COPY_CLIENT_H

#include <signal.h>

#include "base/report.h"
#include "dest/dest.h"
#include "engine/engine.h"
#include "wire/role.h"

/* The client's end of a connection, for pull and push. */
struct client {
	struct link link;
	struct copy_role role; /* its link, counts, fault and window are set by the connection */
	bool many;	       /* there are several sources */
	int patience_ms;
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
