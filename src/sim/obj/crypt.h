/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef SIM_OBJ_CRYPT_H
#define SIM_OBJ_CRYPT_H

#include "obj.h"
#include "base/xts.h"

struct mkey;

/*
 * Encryption of an mkey's data (doc/design/0051): an engine between memory and the wire, on one
 * side of the signatures or the other.
 */
/* Bytes that are encrypted together: an AES block, or one and a part. */
#define CRYPT_GROUP_MOST 31u

struct crypt {
	bool on;	/* mkc.crypto_en */
	bool described; /* an UMR brought it */
	bool memory;	/* between memory and the signatures; else between these and the wire */
	bool raw;	/* data alone; else the signatures among them, too */
	bool encrypts;	/* on the way from memory to the wire */
	uint16_t unit;	/* bytes of a data unit; each has a tweak of its own */
	uint8_t tweak[XTS_BLOCK]; /* of the first one; lowest byte first */
	uint32_t dek;
	uint64_t keytag;
	uint64_t data; /* bytes */
	/* The beginning of a group, until the rest comes. */
	uint64_t part_at;
	uint8_t parts, part[CRYPT_GROUP_MOST];
};

/* A data encryption key. */
struct dek {
	struct obj o;
	struct obj *pd; /* referenced */
	struct xts *xts; /* NULL: it serves TLS */
	bool has_keytag, wide;
	uint64_t keytag, opaque;
};

/* Reads a crypto BSF of 64 bytes whose bsf_size is `size`: NULL, or why it can't be. */
const char *crypt_read(struct crypt *, const uint8_t *bsf, unsigned int size);
/* Data with these blocks of signatures (0: none) on either side can pass the engine. */
const char *crypt_fits(const struct crypt *, uint16_t memory, uint16_t wire);

/* The mkey's key: of its PD, with its tag. NULL, with a sentence: it can't be used. */
const struct dek *crypt_key(const struct mkey *);

/* What lies around a byte and is encrypted together. */
struct crypt_group {
	uint64_t at;
	uint32_t size;
};
struct crypt_group crypt_group(const struct crypt *, uint64_t pos);
/* Whole groups, in place; from memory to the wire, or back. */
void crypt_run(const struct crypt *, const struct dek *, uint64_t at, uint8_t *, size_t len,
	       bool to_wire);

#endif
