/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef DVX_PERF_TALK_H
#define DVX_PERF_TALK_H

/*
 * What two ends of dvx-perf tell each other by TCP: lines of JSON. The measured messages are not
 * among them.
 */
#include <jansson.h>
#include <signal.h>
#include <stdbool.h>
#include <stddef.h>

#define TALK_PORT    "18526"
#define TALK_VERSION 2
#define TALK_LINE    (1u << 20) /* bytes of the longest */
#define TALK_NAME    80

struct talk {
	int fd;
	const char *peer;	     /* "the server" */
	volatile sig_atomic_t *stop; /* ends a wait; NULL: nothing does */
	char *line;
	size_t have, used;
};

/* All return 0, or an exit code after a sentence. where: ADDR[:PORT] */
int talk_connect(struct talk *, const char *where);
int talk_listen(const char *where, int *listener, char name[TALK_NAME]);
/* Takes over a connection. */
int talk_begin(struct talk *, int fd, const char *peer);
void talk_end(struct talk *);

/* Both ends first: the versions. */
int talk_hello(struct talk *);
/* Frees the message. */
int talk_send(struct talk *, json_t *);
/* The next message, to be freed; an error that the peer sends is its sentence here. */
int talk_receive(struct talk *, json_t **);
/* true: talk_receive() would not wait. */
bool talk_ready(const struct talk *);
/* 1: the descriptor is ready; 0: interrupted; negative: errno. */
int talk_wait(int fd, short events, const volatile sig_atomic_t *stop, int ms);

#endif
