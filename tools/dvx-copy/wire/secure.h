/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef DVX_COPY_SECURE_H
#define DVX_COPY_SECURE_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

#include "key.h"

/*
 * TLS 1.3 with a pre-shared key and an ephemeral key exchange (psk_dhe_ke), on a non-blocking
 * socket. The reasons are in doc/design/0071-dvx-copy-threats.md.
 */
struct secure;

struct secure_end {
	int fd;
	bool is_server;
	const struct key *key;	     /* a client's */
	const struct key_ring *ring; /* a server's */
};

/* Returns NULL if there is no memory. */
struct secure *secure_new(const struct secure_end *end);
void secure_free(struct secure *s);

enum secure_result {
	SECURE_OK = 0,
	SECURE_READ = -1,    /* nothing to read yet */
	SECURE_WRITE = -2,   /* the socket takes no more yet */
	SECURE_CLOSED = -3,  /* by the peer, or the connection failed: see secure_errno() */
	SECURE_UNKNOWN = -4, /* the keys differ, or the handshake was tampered with */
	SECURE_FORGED = -5,  /* the bytes were not sent by the holder of the key */
	SECURE_ACCUSED = -6, /* the peer reports that our bytes were forged */
};

/* Does a step of the handshake. Call it again after SECURE_READ and SECURE_WRITE. */
enum secure_result secure_handshake(struct secure *s);

/* Returns the key that the client has shown, in a server after the handshake. */
const struct key *secure_key(const struct secure *s);

/* Return bytes, or a secure_result. After SECURE_WRITE, send the same bytes again. */
ssize_t secure_send(struct secure *s, const void *p, size_t n);
ssize_t secure_recv(struct secure *s, void *p, size_t n);

/* Returns the errno behind SECURE_CLOSED; 0: the peer closed the connection. */
int secure_errno(const struct secure *s);

#endif
