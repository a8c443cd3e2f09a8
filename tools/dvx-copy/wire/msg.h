/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef DVX_COPY_MSG_H
#define DVX_COPY_MSG_H

#include <stddef.h>
#include <stdint.h>

#include "base/bytes.h"
#include "base/fault.h"

/* Messages of the control connection; doc/design/0010-dvx-copy.md shows their order. */
#define MSG_MAGIC   0x43787664u /* "dvxC" in little-endian bytes */
#define MSG_VERSION 2u
#define MSG_MAX	    8192u /* one encoded message: the longest is a symlink (name and target) */

enum msg_type {
	MSG_HELLO = 1, /* both: magic, version, nonce; in the clear */
	MSG_PROOF,     /* both: proves knowledge of the key; in the clear */
	MSG_ERROR,     /* both: the sender gives up, and why */
	MSG_SETUP,     /* client: the pool that it wants */
	MSG_POOL,      /* server: the pool that it made, and its ticket */
	MSG_PULL,      /* client: send this path */
	MSG_TOTALS,    /* server: what the path holds, for progress */
	MSG_DIR,       /* server: a directory begins; what follows is inside */
	MSG_UP,	       /* server: it ends */
	MSG_FILE,      /* server: a file begins */
	MSG_CHUNK,     /* server: a slot of the pool holds this part of the file */
	MSG_END,       /* server: the file ends */
	MSG_LINK,      /* server: a symbolic link */
	MSG_NOTICE,    /* server: an entry that it could not send, and why; the copy goes on */
	MSG_RETURN,    /* client: the slot is free again */
	MSG_DONE,      /* server: the path has been sent */
	MSG_BYE,       /* client: no more requests, the ticket is no longer used */
	MSG_TYPES,
};

enum msg_flag {
	MSG_HAS_KEY = 1,     /* HELLO: sender was given a key */
	MSG_WANT_TOTALS = 1, /* PULL */
	MSG_BROKEN = 1,	     /* END: the file could not be read to its end; discard it */
};

/* One struct for all types; a type uses the fields that its row in msg.c names. */
struct copy_msg {
	enum msg_type type;
	uint32_t magic, version, flags, code;
	uint32_t slots, slot_bytes, slot, len, crc, mode, nsec;
	uint64_t off, size, files, chunks;
	int64_t sec;
	struct copy_bytes name; /* nonce, proof, ticket, path or name */
	struct copy_bytes text; /* link target, or a sentence */
};

/* Returns the encoded length. Asserts that the message keeps the limits of its row. */
size_t msg_encode(const struct copy_msg *m, uint8_t to[MSG_MAX]);

/* Refuses unknown types, short or surplus bytes, and fields past their limits, naming them. */
int msg_decode(struct copy_msg *m, const uint8_t *from, size_t len, struct copy_fault *f);

const char *msg_name(unsigned int type);

#endif
