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
 * bytes travel in TLS: encrypted, authenticated and in order.
 */
struct link {
	int fd;
	bool sealed, is_server;
	bool cut;			   /* half a frame was sent, so no other can follow */
	int patience_ms;		   /* how long the peer may be silent */
	const volatile sig_atomic_t *stop; /* set by a signal, ends waits; may be NULL */
	const char *peer;		   /* "the server" or "the client", for messages */
	int64_t deadline;		   /* of the handshake, 0 afterwards */
	struct secure *secure;
	const struct key *key; /* in a server: the key that the client has shown */
	int err;	       /* errno of the socket, during the handshake */
	size_t at, have;       /* the unread part of `in` */
	size_t used;	       /* length of the last frame handed out */
	size_t queued;	       /* bytes in `out` */
	uint8_t in[4 * LINK_FRAME];
	uint8_t out[4 * LINK_FRAME];
	/* Bytes that came while this end waited to send; they are read before the socket. */
	struct link_spill {
		uint8_t *p;
		size_t at, n, room;
	} spill;
};

/* Fails as the peer broke the protocol: "the server sent ..." */
#define link_breach(l, f, what, ...) \
	copy_fail(f, COPY_PROTOCOL, "%s " what, (l)->peer, ##__VA_ARGS__)

void link_init(struct link *l, int fd, bool is_server, int patience_ms);

/* Closes the socket and wipes the keys. */
void link_close(struct link *l);

/* Proves to each other that both ends know the key; from then on the connection is encrypted. */
int link_handshake(struct link *l, const struct key *k, struct copy_fault *f);

/* The handshake of a server, which may have several keys. */
int link_handshake_server(struct link *l, const struct key_ring *ring, struct copy_fault *f);

int link_send(struct link *l, const struct copy_msg *m, struct copy_fault *f);

/* Like link_send(), but the message may wait for others until link_flush() sends them. */
int link_queue(struct link *l, const struct copy_msg *m, struct copy_fault *f);
int link_flush(struct link *l, struct copy_fault *f);

/*
 * Takes a message: 1, or 0 if none came within wait_ms (0: does not wait), or -1. Its bytes stay
 * valid until the next call. An ERROR of the peer becomes a fault.
 */
int link_take(struct link *l, struct copy_msg *m, int wait_ms, struct copy_fault *f);

/* Waits up to patience_ms for a message of this type; MSG_TYPES means any. */
int link_expect(struct link *l, enum msg_type type, struct copy_msg *m, struct copy_fault *f);

/* Waits until the handshake can go on, or fails with the reason. */
int link_wait_secure(struct link *l, ssize_t why, struct copy_fault *f);

/* -1 and a fault if *stop is set. */
int link_stopped(const struct link *l, struct copy_fault *f);

/* Sends the peer an ERROR with the reason; ignores a failure to send. */
void link_send_error(struct link *l, const struct copy_fault *why);

/*
 * Handles a failure that the peer may have caused: sends it ERROR, and the peer answers with the
 * cause that it knows, or with ours. Returns -1; f becomes the peer's cause, its death, or own.
 */
int link_ask_cause(struct link *l, const struct copy_fault *own, struct copy_fault *f);

/*
 * Sends ERROR, then reads until the peer closes, for a while: closing a socket that holds unread
 * bytes resets the connection, and a reset can overtake the last message. Only link_close() may
 * follow.
 */
void link_shutdown(struct link *l, const struct copy_fault *why);

#endif
