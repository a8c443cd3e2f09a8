/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef DVX_COPY_NET_H
#define DVX_COPY_NET_H

#include <stdbool.h>
#include <sys/socket.h>

#include "target.h"

#define NET_NAME 80

/* Without a key both refuse every address except loopback. */
int net_connect(const struct copy_target *t, bool has_key, struct copy_fault *f);
int net_listen(const struct copy_target *t, bool has_key, struct copy_fault *f);

/* Sends small messages at once, and notices within half a minute that a peer's machine is gone. */
void net_tune(int fd);

/* "192.168.100.1:18525", of an address and of a socket. */
void net_format(const struct sockaddr_storage *ss, char name[NET_NAME]);
void net_own_name(int fd, char name[NET_NAME]);

#endif
