/* SPDX-License-Identifier: BSD-2-Clause */
/* The daemon's side of its socket: one loop, many untrusted clients. */
#ifndef DVX_FLOW_SERVER_H
#define DVX_FLOW_SERVER_H

#include <signal.h>
#include <sys/types.h>

#include "fault.h"
#include "msg.h"

#define CLIENTS_MAX 64

struct server_conn;

/* Queues one message for the client and sends as much as possible. Steals head. */
void conn_reply(struct server_conn *c, json_t *head, const void *body, size_t body_len);
/* Queues the last answer to a request: the exit code and the message. */
void conn_fault(struct server_conn *c, const struct flow_fault *f);
void conn_fail(struct server_conn *c, int code, const char *why);

typedef void (*answer_fn)(void *arg, struct server_conn *c, const struct flow_msg *request);

/*
 * Returns whether a request changes rules. Such requests wait for each other; the others are
 * answered meanwhile.
 */
typedef bool (*changes_fn)(const struct flow_msg *request);

/*
 * Does what is due; returns in how many milliseconds it is to be called again; -1: never. May set *fd:
 * then it is also called when that is readable.
 */
typedef int (*tick_fn)(void *arg, int *fd);

struct flow_server {
	int listener;
	gid_t group; /* members may connect, too; NO_GROUP (members.h): nobody else */
	int stop_fd; /* readable: end */
	int idle_ms; /* a client that sends half a request or reads no answer for this long is
			closed */
	answer_fn answer;
	changes_fn changes;
	tick_fn tick; /* NULL: none */
	void *arg;
	/*
	 * Set by server_run(): the clients, and the one whose request changes rules at the moment,
	 * or NULL.
	 */
	struct server_conn *conns, *changing;
};

/* Runs until stop_fd is readable. Returns 0 or -errno. */
int server_run(struct flow_server *s);
/*
 * Called by an answer_fn: answers requests that change nothing, until fd is readable (-1: only
 * those that wait already). Returns true if stop_fd is readable.
 */
bool server_pause(struct flow_server *s, int fd);

/*
 * Listens at a path that only its owner may use. Removes the socket of a daemon that died, so the
 * caller must hold the lock; refuses another file and a socket in use. Returns a descriptor or
 * -errno.
 */
int server_listen(const char *path);

#endif
