/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef DVX_COPY_SESSION_H
#define DVX_COPY_SESSION_H

#include "base/options.h"
#include "engine/engine.h"
#include "wire/access.h"
#include "wire/role.h"

/* Configuration that all clients of a server share. */
struct copy_server {
	struct access *access;
	struct copy_role role; /* without what a client brings */
};

/* Serves one client from its START to its last message. The caller closes the link. */
int copy_session_run(const struct copy_server *s, struct link *l, struct copy_counts *counts,
		     struct copy_fault *f);

#endif
