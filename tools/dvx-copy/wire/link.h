/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef DVX_COPY_LINK_H
#define DVX_COPY_LINK_H

#include <signal.h>
#include <stdbool.h>

#include "msg.h"
#include "secure.h"

#define LINK_HEAD  4u
#define LINK_FRAME (LINK_HEAD + MSG_MAX)

/*
 * One control connection: frames of a 32-bit length and that many bytes. After the handshake the
 * bytes travel in TLS: encrypted, authenticated, and in order.
 */
struct link {
	int fd;
	bool sealed, is_server;
	bool cut;			   /* half a frame was sent: nothing can follow it */
	int patience_ms;		   /* how long a silent peer is waited for */
	const volatile sig_atomic_t *stop; /* set by a signal: stop waiting; may be NULL */
	const char *peer;		   /* "the server" or "the client", for messages */
	int64_t deadline;		   /* of the handshake, 0 after it */
	struct secure *secure;
	const struct key *key; /* a server's: the one that the client showed */
	int err;	       /* of the socket, before the handshake */
	size_t at, have;       /* the unread part of `in` */
	size_t used;	       /* length of the frame handed out last */
	size_t queued;	       /* bytes in `out` */
	uint8_t in[4 * LINK_FRAME];
	uint8_t out[4 * LINK_FRAME];
	/* What came while this end waited to send; it is read before the socket is. */
	struct link_spill {
		uint8_t *p;
		size_t at, n, room;
	} spill;
};

void link_init(struct link *l, int fd, bool is_server, int patience_ms);

/* Closes the socket and wipes the keys. */
void link_close(struct link *l);

/* Both ends prove that they know the key; from then on the connection is sealed. */
int link_handshake(struct link *l, const struct key *k, struct copy_fault *f);

/* The same for a server with several keys. */
int link_welcome(struct link *l, const struct key_ring *ring, struct copy_fault *f);

int link_send(struct link *l, const struct copy_msg *m, struct copy_fault *f);

/* As link_send(), but the message may wait for others: link_flush() sends them all. */
int link_queue(struct link *l, const struct copy_msg *m, struct copy_fault *f);
int link_flush(struct link *l, struct copy_fault *f);

/*
 * Takes a message: 1, or 0 if none came within wait_ms (0: does not wait), or -1.
 * Its bytes stay valid until the next call. The peer's ERROR becomes a fault here.
 */
int link_take(struct link *l, struct copy_msg *m, int wait_ms, struct copy_fault *f);

/* Waits up to patience_ms for a message of this type; MSG_TYPES means any. */
int link_expect(struct link *l, enum msg_type type, struct copy_msg *m, struct copy_fault *f);

/* Waits until the handshake can go on, or says why it can't. */
int link_wait_secure(struct link *l, ssize_t why, struct copy_fault *f);

/* Milliseconds of a clock that nobody sets. */
int64_t link_now_ms(void);

/* -1 and a fault if *stop is set. */
int link_stopped(const struct link *l, struct copy_fault *f);

/* Sends the reason for stopping to the peer; a failure to send is ignored. */
void link_tell(struct link *l, const struct copy_fault *why);

/*
 * When this end fails by something that the peer may have caused: tells the peer, which answers
 * with the cause that it knows, or with ours. Returns -1; f is the peer's cause, its death, or own.
 */
int link_ask_cause(struct link *l, const struct copy_fault *own, struct copy_fault *f);

/*
 * link_tell(), then reads on for a while until the peer closes: closing a socket that holds unread
 * bytes resets the connection, and a reset can overtake the last message. Only link_close() may
 * follow.
 */
void link_part(struct link *l, const struct copy_fault *why);

#endif
