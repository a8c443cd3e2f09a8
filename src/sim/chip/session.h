/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef SIM_CHIP_SESSION_H
#define SIM_CHIP_SESSION_H

#include <stdbool.h>
#include <sys/types.h>
#include "link/link.h"

/* One connection of the socket, as the files of the server share it. */
struct chip;
struct cm_file;
struct uverbs_file;
struct session_refusals;
struct sessions;
struct mm;
struct session_packets;

/* A client's open of the device, or a question of the tool. */
struct chip_session {
	struct sessions *all;
	struct chip *chip;
	struct chip_session *prev, *next;
	int sock, pidfd;
	pid_t pid;
	char comm[16];
	uint32_t function;
	struct mm *mm; /* of the process that opened the file, which may have left it to this one */
	struct uverbs_file *file;
	struct uverbs_file *guest; /* another process opened the file: its part of it */
	struct cm_file *cm; /* an open of the RDMA_CM device */
	struct link_in in;
	bool waits; /* for the network: the message in `in` is handled again */
	struct session_refusals *refusals; /* session_refusals.c: NULL until there is one */
	struct session_packets *packets; /* session_packets.c: a replay or a capture */
};

void session_close(struct chip_session *);
/* Closes it, with a line in the log. */
void session_throw_out(struct chip_session *, const char *why);
/* One answer. false: the connection is gone. */
bool session_answer(struct chip_session *, uint16_t type, int result, const void *body, size_t len,
		    const int *fds, unsigned int nfds);

/* Answers the message that is being handled. false: the connection is gone. */
bool session_reply(struct chip_session *, int result, const void *body, size_t len, const int *fds,
		   unsigned int nfds);

/* session_device.c: open files of the device. Each handles one message. */
void session_open_file(struct chip_session *);
void session_attach_file(struct chip_session *);
void session_map(struct chip_session *);
void session_unmap(struct chip_session *);
void session_share(struct chip_session *);
void session_close_device(struct chip_session *);
/* A fork child may hold the socket, so its end is not enough. 0 or -errno. */
int session_watch_death(struct chip_session *);
/* What an open's message asks for. false: the connection is gone. */
bool session_open_function(struct chip_session *, uint32_t *function);
void session_close_file(struct chip_session *); /* if it has one */

/* census.c: what a status answer says of the chip. Fills at most max rows; returns how many. */
unsigned int census_functions(struct chip *, struct link_function_row *, unsigned int max);
unsigned int census_objects(struct chip *, struct link_object_row *, unsigned int max);
/* census_drops.c: the packets that were dropped, and why; likewise. */
unsigned int census_drops(struct chip *, struct link_drop_row *, unsigned int max);

/* session_refusals.c: what the chip refused this program, until the program hears it. */
void session_refusals_add(struct chip_session *, const char *line);
/* Sends what is there with a message of its own. 0, or the socket's -errno. */
int session_refusals_tell(struct chip_session *);
void session_refusals_answer(struct chip_session *); /* LINK_REFUSALS */
void session_refusals_forget(struct chip_session *);

/* session_packets.c: packets into the port, and from the wire. */
void session_replay(struct chip_session *);
void session_capture(struct chip_session *);
void session_forget_packets(struct chip_session *);

/* session_wire.c: faults and the link's state. */
void session_wire(struct chip_session *);
void session_set_port(struct chip_session *);

/* --- sessions.c --- */

/*
 * Serves clients of a listening socket (owned from here on) on the chip's loop. A client that sends
 * malformed messages or does not read its answers is disconnected with a line in the log. NULL and
 * errno on failure.
 */
struct sessions *sessions_new(struct chip *, int listener, const char *name);
/* From here on programs hear what they are refused. */
void sessions_pass_refusals_on(struct sessions *);
/* The others by `next`. */
struct chip_session *sessions_first(const struct sessions *);
/* Closes all connections and destroys their objects. */
void sessions_free(struct sessions *);

#endif
