/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef DVX_COPY_MSG_H
#define DVX_COPY_MSG_H

#include <stddef.h>
#include <stdint.h>

#include "base/bytes.h"
#include "base/fault.h"

/* Messages of the control connection; doc/design/0070-dvx-copy-sync.md shows their order. */
#define MSG_MAGIC   0x43787664u /* "dvxC" in little-endian bytes */
#define MSG_VERSION 6u
#define MSG_MAX	    8192u /* one encoded message: the longest is a slot's list of pieces */

/* Message types. The sender walks a tree and reads, the receiver compares and writes. */
enum msg_type {
	MSG_HELLO = 1, /* both: magic, version; in the clear, before TLS */
	MSG_ERROR,     /* both: this end gives up; the reason */
	MSG_START,     /* client: direction and options; off: --modify-window, from -2 */
	MSG_FILTER,    /* client: a rule of --exclude and --include */
	MSG_SETUP,     /* receiver: the pool that it requests, and its offer */
	MSG_POOL,      /* sender, before its first DATA: the pool that it made, and its ticket */
	MSG_PULL,      /* client that receives: asks for the source with this path */
	MSG_TOTALS,    /* sender: what the path holds, for progress */
	MSG_TOP,       /* sender: a source begins; its name at the destination */
	MSG_OWNER,     /* sender: the name of a user or group of the next entries */
	MSG_XATTR,     /* sender: an extended attribute of the next entry, or a part of its value */
	MSG_DIR,       /* sender: a directory; the entries up to its UP are inside it */
	MSG_UP,	       /* sender: the end of the directory */
	MSG_FILE,      /* sender: a file */
	MSG_LINK,      /* sender: a symbolic link */
	MSG_SPECIAL,   /* sender: a device, FIFO or socket */
	MSG_KEEP,      /* sender: a name of this directory that is not copied, nor to be deleted */
	MSG_DATA,      /* sender: a slot of the pool holds these pieces of files */
	MSG_NOTICE,    /* both: an entry that was not copied whole, and why; the copy goes on */
	MSG_ALIVE,     /* both: this end is busy with something long */
	MSG_DONE,      /* sender: everything has been sent */
	MSG_VERDICT,   /* receiver: what it found of the next entries, and whether it wants them */
	MSG_FROM,      /* receiver: how much of this file it has already, and the sums */
	MSG_GONE,      /* receiver: it deleted this entry */
	MSG_RETURN,    /* receiver: the slot is free again */
	MSG_FINISHED,  /* receiver: everything is written */
	MSG_BYE,       /* client: no more requests, the ticket is no longer used */
	MSG_TYPES,
};

enum msg_flag {
	MSG_HAS_KEY = 1,  /* HELLO: this end has a key */
	MSG_PUSH = 1,	  /* START: the client is the sender */
	MSG_MANY = 2,	  /* START: several sources: losing one does not end the copy */
	MSG_MERGE = 4,	  /* START: the sources may have entries of the same path */
	MSG_CONTENTS = 1, /* TOP: the source is the contents of a directory */
	MSG_LOST = 2,	  /* TOP: the source could not be found; nothing of it follows */
	MSG_WHOLE = 1,	  /* UP: every entry of the directory was listed */
	MSG_GOES_ON = 1,  /* XATTR: the value continues in the next message */
	MSG_IS_GROUP = 1, /* OWNER */
};

/* The most entries that are listed and not yet judged and sent. */
#define MSG_WINDOW 2048u

/* A file of fewer bytes is sent again from the start if its copy is interrupted. */
#define MSG_PART_LEAST (4u << 20)

/* One struct for all types; the rows of msg.c name the fields that a type uses. */
struct copy_msg {
	enum msg_type type;
	uint32_t magic, version, flags, code, options;
	uint32_t slots, slot_bytes, window, slot, len, crc, mode, nsec, uid, gid;
	uint32_t id; /* of hard links, of an owner, or the number of an entry */
	uint64_t off, size, files, chunks, copies;
	int64_t sec;
	struct copy_bytes name; /* offer, ticket, path or name */
	struct copy_bytes text; /* link target, value, digest, sentence, pieces or verdicts */
};

/* A part of a file in a slot. Pieces follow each other without gaps. */
struct msg_piece {
	uint32_t entry; /* its number in the order of DIR, FILE, LINK and SPECIAL */
	uint32_t flags;
	uint64_t off;
	uint32_t len;
};

enum msg_piece_flag {
	PIECE_LAST = 1,	  /* the file ends here */
	PIECE_BROKEN = 2, /* with LAST: it could not be read to its end, so discard it */
	PIECE_FROM = 4,	  /* the file's first, empty: the part is right up to off */
};

#define MSG_PIECE_BYTES 20u
#define MSG_PIECES	400u
#define MSG_VERDICTS	1024u /* in one message, 4 bytes each */

void msg_piece_put(uint8_t to[MSG_PIECE_BYTES], const struct msg_piece *p);
void msg_piece_get(struct msg_piece *p, const uint8_t from[MSG_PIECE_BYTES]);
void msg_verdict_put(uint8_t to[4], uint32_t verdict);
uint32_t msg_verdict_get(const uint8_t from[4]); /* enum verdict */

/* Encodes a message and returns its length. Asserts that the fields are within their limits. */
size_t msg_encode(const struct copy_msg *m, uint8_t to[MSG_MAX]);

/* Decodes a message. A fault names the field that is missing or past its limits. */
int msg_decode(struct copy_msg *m, const uint8_t *from, size_t len, struct copy_fault *f);

const char *msg_name(unsigned int type);

#endif
