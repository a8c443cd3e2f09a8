/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef DVX_COPY_NET_H
#define DVX_COPY_NET_H

#include <signal.h>
#include <stdbool.h>
#include <sys/socket.h>

#include "base/fault.h"

#define TARGET_PORT "18525"

struct copy_target {
	char host[256], port[6];
	const char *path; /* in the argument itself */
	char base[256];	  /* last component of path; "" if it names a directory's contents */
};

/* Parses ADDR[:PORT]:PATH; ADDR may be [v6]. */
int target_parse(struct copy_target *t, const char *arg, struct copy_fault *f);

/* Parses ADDR[:PORT] of --listen. */
int target_parse_listen(struct copy_target *t, const char *arg, struct copy_fault *f);

#define NET_NAME 80

/* Without a key both refuse all but loopback. *stop, set by a signal, ends the wait. */
int net_connect(const struct copy_target *t, bool has_key, const volatile sig_atomic_t *stop,
		struct copy_fault *f);
int net_listen(const struct copy_target *t, bool has_key, struct copy_fault *f);

#endif
