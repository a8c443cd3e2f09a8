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
	unsigned int right; /* a write's right; the device may read the memory that it writes */
	bool requester;
	bool write; /* to memory */
};

/* Moves bytes from pos on, from or to one of the streams that the engines work on. */
typedef bool sig_stream(struct sig_access *, uint64_t pos, size_t len, uint8_t *, bool write);

/* Positions of the crypto engine: the stream that it changes. */
enum crypt_at { CRYPT_MEMORY, CRYPT_MEMORY_RAW, CRYPT_WIRE, CRYPT_WIRE_RAW };

/*
 * Moves bytes of a stream as seen from the engine's other side, or of the stream itself if the
 * mkey's engine is elsewhere. A write does not change the bytes passed in.
 */
bool crypt_move(struct sig_access *, enum crypt_at, sig_stream *, uint64_t pos, size_t len,
		uint8_t *, bool write);

#endif
