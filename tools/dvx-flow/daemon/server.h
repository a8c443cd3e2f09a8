/* SPDX-License-Identifier: BSD-2-Clause */
/* The daemon's side of its socket: one loop, many clients, none of which it trusts. */
#ifndef DVX_FLOW_SERVER_H
#define DVX_FLOW_SERVER_H

#include <signal.h>

#include "fault.h"
#include "msg.h"

#define CLIENTS_MAX 64

struct server_conn;

/* Queues one message for the client and sends what goes at once. Steals head. */
void conn_say(struct server_conn *c, json_t *head, const void *body, size_t body_len);
/* The last answer to a request: code, and why if it isn't 0. */
void conn_fault(struct server_conn *c, const struct flow_fault *f);
void conn_fail(struct server_conn *c, int code, const char *why);

typedef void (*answer_fn)(void *arg, struct server_conn *c, const struct flow_msg *request);

struct flow_server {
	int listener;
	int stop_fd; /* readable: end */
	int idle_ms; /* a client that owes bytes, or takes none, for so long is closed */
	answer_fn answer;
	void *arg;
};

/* Until stop_fd is readable. 0 or -errno. */
int server_run(const struct flow_server *s);

/*
 * Listens at a path that only its owner may use. -errno. A socket that a daemon which died left
 * there is taken away, so the caller holds the lock; another file, or a socket in use, stays.
 */
int server_listen(const char *path);

#endif
