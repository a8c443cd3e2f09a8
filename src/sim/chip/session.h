/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef SIM_CHIP_SESSION_H
#define SIM_CHIP_SESSION_H

#include <stdbool.h>
#include <sys/types.h>
#include "base/clock.h"
#include "base/inject.h"
#include "link/link.h"

/* One connection of the socket, for the server's files that share it. */
struct chip;
struct cm_file;
struct uverbs_file;
struct session_checked;
struct session_refusals;
struct mm;
struct obj;
struct session_packets;
struct vhca;
struct chip_session;

#define SESSIONS_ENDED 64u /* findings that are kept of programs that ended */

/* A requested fault of the port or the device, by its place in the table. */
struct session_fault_timer {
	struct timer timer; /* first */
	struct sessions *all;
	uint32_t fault;
};

/* Clients of a listening socket. */
struct sessions {
	struct chip *chip;
	void (*free)(struct chip_session *); /* closes one; its parts are in several files */
	int listener;
	int spare; /* a reserve descriptor for when there is none left */
	char name[LINK_NAME_MAX];
	struct chip_session *open;
	struct chip_session *asking; /* the session whose message is being handled */
	struct lab_finding ended[SESSIONS_ENDED]; /* session_why.c: oldest first */
	unsigned int nended;
	struct session_fault_timer fault_timers[INJECT_MOST];
	struct session_checked *checked; /* session_check.c: NULL until the rules apply */
};

/* A client's open of the device, or a question of the tool. */
struct chip_session {
	struct sessions *all;
	struct chip *chip;
	struct chip_session *prev, *next;
	int sock, pidfd;
	pid_t pid;
	char comm[16];
	uint32_t function;
	struct mm *mm; /* memory of the process that opened the file, which may have ended since */
	struct uverbs_file *file;
	struct uverbs_file *guest; /* this client's use of a file that another process opened */
	struct cm_file *cm;	   /* of an open of the RDMA_CM device */
	struct link_in in;
	bool waits; /* for the network: the message in `in` is handled again */
	struct session_refusals *refusals; /* session_answer.c: NULL until there is one */
	struct session_packets *packets; /* session_packets.c: a replay or a capture */
};

/* session_device.c: open files of the device. Each function handles one message. */
void session_open_file(struct chip_session *);
void session_attach_file(struct chip_session *);
void session_map(struct chip_session *);
void session_unmap(struct chip_session *);
void session_share(struct chip_session *);
void session_close_device(struct chip_session *);
/* Watches the process's end: a fork child may hold the socket. Returns 0 or -errno. */
int session_watch_death(struct chip_session *);
/* Finds a function by the name in a message; NULL if there is none. */
const struct vhca *session_function(const struct chip_session *, const struct link_function *);
/* Reads the function from an open's message. Returns false if the connection is gone. */
bool session_open_function(struct chip_session *, uint32_t *function);
void session_close_file(struct chip_session *); /* if it has one */

/* census.c: fills at most max rows of a status answer. Returns how many. */
unsigned int census_functions(struct chip *, struct link_function_row *, unsigned int max);
unsigned int census_objects(struct chip *, struct link_object_row *, unsigned int max);
/* census_drops.c: fills at most max rows of dropped packets, by reason. Returns how many. */
unsigned int census_drops(struct chip *, struct link_drop_row *, unsigned int max);

/* session_answer.c */
void session_close(struct chip_session *);
/* Closes the connection, with a line in the log. */
void session_disconnect(struct chip_session *, const char *why);
/* Sends an answer. Returns false if the connection is gone. */
bool session_answer(struct chip_session *, uint16_t type, int result, const void *body, size_t len,
		    const int *fds, unsigned int nfds);

/* Answers the message that is being handled. Returns false if the connection is gone. */
bool session_reply(struct chip_session *, int result, const void *body, size_t len, const int *fds,
		   unsigned int nfds);
/* Keeps a refusal for this program. */
void session_refusals_add(struct chip_session *, const char *line);
void session_refusals_answer(struct chip_session *); /* LINK_REFUSALS */
void session_refusals_forget(struct chip_session *);

/* session_packets.c: packets into the port, and from the wire. */
void session_replay(struct chip_session *);
void session_capture(struct chip_session *);
void session_forget_packets(struct chip_session *);

/* Returns the session of the program that owns an object, or NULL. */
const struct chip_session *session_of(const struct sessions *, const struct obj *);
/* session_why.c: what queues wait for; keeps that of a program that ends before its file closes. */
void session_why(struct chip_session *);
void session_note_end(struct chip_session *);
/* Keeps the objects of a file that its program closes. */
void session_note_left(struct chip_session *);

/* session_wire.c: faults and the link's state. */
void session_wire(struct chip_session *);
void session_set_port(struct chip_session *);
/* session_inject.c: requested faults; ends the timers of those that come by time. */
void session_inject(struct chip_session *);
/* session_stat.c: counts of messages. */
void session_stat(struct chip_session *);
/* session_check.c: what programs do wrong. */
void session_check(struct chip_session *);
void sessions_stop_check(struct sessions *);
void sessions_stop_faults(struct sessions *);

/* --- sessions.c --- */

/*
 * Serves clients of a listening socket, which it owns from here on, on the chip's loop. A client
 * that sends malformed messages or does not read its answers is disconnected with a line in the
 * log. Returns NULL with errno on failure.
 */
struct sessions *sessions_new(struct chip *, int listener, const char *name);
/* From here on sends refusals to the programs. */
void sessions_pass_refusals_on(struct sessions *);
/* Closes all connections and destroys their objects. */
void sessions_free(struct sessions *);

#endif
