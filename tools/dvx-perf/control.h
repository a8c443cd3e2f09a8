/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef DVX_PERF_CONTROL_H
#define DVX_PERF_CONTROL_H

/*
 * The control connection between two dvx-perf processes: lines of JSON over TCP. The measured
 * messages do not use it.
 */
#include <jansson.h>
#include <signal.h>
#include <stdbool.h>
#include <stddef.h>

#define CONTROL_PORT	"18526"
#define CONTROL_VERSION 2
#define CONTROL_LINE	(1u << 20) /* longest line in bytes */
#define CONTROL_NAME	80

struct control {
	int fd;
	const char *peer;	     /* "the server" */
	volatile sig_atomic_t *stop; /* ends waits; NULL: none does */
	char *line;
	size_t have, used;
};

/* These return 0, or an exit code after an error message. where: ADDR[:PORT] */
int control_connect(struct control *, const char *where);
int control_listen(const char *where, int *listener, char name[CONTROL_NAME]);
/* Takes over a connected socket. */
int control_begin(struct control *, int fd, const char *peer);
void control_end(struct control *);

/* Exchanges versions. Both ends call it first. */
int control_hello(struct control *);
/* Sends a message and frees it. */
int control_send(struct control *, json_t *);
/* Receives the next message, which the caller frees. An error that the peer sent is printed. */
int control_receive(struct control *, json_t **);
/* true: control_receive() would not wait. */
bool control_ready(const struct control *);
/* Waits: 1 if the descriptor is ready, 0 if interrupted, or a negative errno. */
int control_wait(int fd, short events, const volatile sig_atomic_t *stop, int ms);

#endif
