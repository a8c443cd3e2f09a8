/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef DVX_COPY_SERVE_H
#define DVX_COPY_SERVE_H

#include <signal.h>

#include "gate.h"
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

struct serve {
	struct copy_server shared; /* with the access rights read at the start */
	/* Reads keys and rights again, for later clients, when reload_asked is set. */
	int (*reload)(void *arg, struct access **out, struct copy_fault *f);
	void *arg;
	volatile sig_atomic_t *reload_asked;
	unsigned int max_clients;
	struct copy_gate gate; /* for those that have not shown the key */
	int patience_ms;
	int watch; /* descriptor of device_watch() */
	bool quiet, once;
};

/* Serves clients, a thread each, until *stop or the device's loss. once: the first's fault. */
int serve(const struct serve *s, int listener, const volatile sig_atomic_t *stop,
	  struct copy_fault *f);

#endif
