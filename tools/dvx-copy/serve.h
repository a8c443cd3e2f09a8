/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef DVX_COPY_SERVE_H
#define DVX_COPY_SERVE_H

#include <signal.h>

#include "gate.h"
#include "session.h"

struct serve {
	struct copy_server shared; /* with the access rights read at the start */
	/*
	 * Reads the keys and rights again when reload_asked is set; the new ones apply to later
	 * clients.
	 */
	int (*reload)(void *arg, struct access **out, struct copy_fault *f);
	void *arg;
	volatile sig_atomic_t *reload_asked;
	unsigned int max_clients;
	struct copy_gate gate; /* for those that have not shown the key */
	int patience_ms;
	int watch; /* descriptor of device_watch() */
	bool quiet, once;
};

/*
 * Serves clients, one thread each, until *stop is set or the device is gone. With once: returns the
 * first client's fault.
 */
int serve(const struct serve *s, int listener, const volatile sig_atomic_t *stop,
	  struct copy_fault *f);

#endif
