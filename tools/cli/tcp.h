/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef CLI_TCP_H
#define CLI_TCP_H

#include <signal.h>
#include <stddef.h>

struct addrinfo;
struct sockaddr_storage;

/*
 * Makes the socket send small messages at once, and notice within half a minute that the peer's
 * machine is gone.
 */
void tcp_tune(int fd);

/*
 * Returns a connected, non-blocking socket, or a negative errno: -ETIMEDOUT after wait_ms, -EINTR
 * when a signal has set *stop, which may be NULL. Other signals do not end the wait.
 */
int tcp_connect(const struct addrinfo *to, int wait_ms, const volatile sig_atomic_t *stop);

/* Returns a non-blocking listening socket, or a negative errno. */
int tcp_listen(const struct addrinfo *at, int backlog);

/* Format an address, and a socket's own: "192.168.100.1:18525", "[::1]:18525", or "unknown". */
void tcp_format(const struct sockaddr_storage *ss, char *name, size_t size);
void tcp_own_name(int fd, char *name, size_t size);

#endif
