/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef SIM_CONN_H
#define SIM_CONN_H

#include <stdbool.h>
#include <sys/types.h>
#include "link.h"

/* What the server's files share of a connection. */
struct chip;
struct uverbs_file;
struct link_server;
struct mm;
struct port;

/* One connection: a client's open of the device, or the tool's question. */
struct conn {
	struct link_server *server;
	struct chip *chip;
	struct conn *prev, *next;
	int sock, pidfd;
	pid_t pid;
	char comm[16];
	uint32_t function;
	struct mm *mm;
	struct uverbs_file *file;
	struct link_in in;
	struct port *port; /* port.c: a replay or a capture */
};

void conn_close(struct conn *);
/* Closes it, with a line in the log. */
void conn_throw_out(struct conn *, const char *why);
/* One answer. false: the connection is gone. */
bool conn_answer(struct conn *, uint16_t type, int result, const void *body, size_t len,
		 const int *fds, unsigned int nfds);

/* port.c: packets into the port, and from the wire. */
void port_replay(struct conn *);
void port_capture(struct conn *);
void port_forget(struct conn *);

#endif
