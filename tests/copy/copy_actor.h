/* SPDX-License-Identifier: BSD-2-Clause */
/* A server that sends a script of single messages, for tests of hostile servers. */
#ifndef COPY_ACTOR_H
#define COPY_ACTOR_H

#include "base/pool.h"
#include "wire/link.h"
#include "wire/msg.h"

#define SLOTS 4u
#define SLOT  8192u

struct actor {
	struct link *l;
	struct pool pool;
	struct copy_fault f;
	const struct copy_msg *script; /* ends with a message without a type */
};

/*
 * Messages of a sender. The id, off, flags and size of DATA are those of its one piece (size 0: the
 * whole slot). Without a CRC the actor writes the bytes and sets the right CRC. slots: how often
 * the message is sent.
 */
#define TEXT(s)                                     \
	{                                           \
		(const uint8_t *)(s), sizeof(s) - 1 \
	}
#define TOP(n)                                   \
	{                                        \
		.type = MSG_TOP, .name = TEXT(n) \
	}
#define DIR_(n)                                                             \
	{                                                                   \
		.type = MSG_DIR, .name = TEXT(n), .mode = 0755, .sec = 1000 \
	}
#define FILE_(n, bytes)                                                                        \
	{                                                                                      \
		.type = MSG_FILE, .name = TEXT(n), .mode = 04644, .size = (bytes), .sec = 1000 \
	}
#define DATA(in, entry, at, bytes)                                                         \
	{                                                                                  \
		.type = MSG_DATA, .slot = (in), .id = (entry), .off = (at), .len = (bytes) \
	}
#define LAST(in, entry, at, bytes)                                                          \
	{                                                                                   \
		.type = MSG_DATA, .slot = (in), .id = (entry), .off = (at), .len = (bytes), \
		.flags = PIECE_LAST                                                         \
	}
#define END(entry, at) LAST(0, entry, at, 0)
#define LINK(n, to)                                                 \
	{                                                           \
		.type = MSG_LINK, .name = TEXT(n), .text = TEXT(to) \
	}
#define UP                                         \
	{                                          \
		.type = MSG_UP, .flags = MSG_WHOLE \
	}
#define DONE                     \
	{                        \
		.type = MSG_DONE \
	}

/* Script entries that are no messages: the server dies, or fails. */
#define DIES                      \
	{                         \
		.type = MSG_TYPES \
	}
#define FAILS_AS(why)                            \
	{                                        \
		.type = MSG_TYPES, .code = (why) \
	}
#define FAILS FAILS_AS(COPY_IO)

/* Thread function: plays its script to a client that pulls, up to the client's end. */
void *actor_main(void *actor);

#endif
