/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef SIM_QUEUE_SIG_ACCESS_H
#define SIM_QUEUE_SIG_ACCESS_H

#include "obj/sig.h"

/* An access through an mkey with a description, while sig.c and crypt.c move its bytes. */
struct sig_access {
	struct queue *q;
	struct sig *sig;
	const struct dek *dek; /* NULL: no encryption */
	uint32_t key, pdn;
	uint64_t start;
	unsigned int right; /* for writes; the device may read what it writes */
	bool requester;
	bool write; /* to memory */
};

/* Bytes from pos on, from or to one of the streams that the engines work on. */
typedef bool sig_stream(struct sig_access *, uint64_t pos, size_t len, uint8_t *, bool write);

/* Where the crypto engine can be: which stream it changes. */
enum crypt_at { CRYPT_MEMORY, CRYPT_MEMORY_RAW, CRYPT_WIRE, CRYPT_WIRE_RAW };

/*
 * A stream as it is on the engine's other side, if the mkey's engine is there; else the stream
 * itself. What is written does not change the bytes that are given.
 */
bool crypt_move(struct sig_access *, enum crypt_at, sig_stream *, uint64_t pos, size_t len,
		uint8_t *, bool write);

#endif
