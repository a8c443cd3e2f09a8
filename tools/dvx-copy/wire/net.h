/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef DVX_COPY_NET_H
#define DVX_COPY_NET_H

#include <signal.h>
#include <stdbool.h>
#include <sys/socket.h>

#include "target.h"

#define NET_NAME 80

/*
 * Without a key both refuse every address except loopback. *stop, set by a signal, ends the wait.
 */
int net_connect(const struct copy_target *t, bool has_key, const volatile sig_atomic_t *stop,
		struct copy_fault *f);
int net_listen(const struct copy_target *t, bool has_key, struct copy_fault *f);

#endif
