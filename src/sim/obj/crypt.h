/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef SIM_OBJ_CRYPT_H
#define SIM_OBJ_CRYPT_H

#include "obj.h"
#include "base/xts.h"

struct mkey;

/*
 * Encryption of an mkey's data (doc/design/0051): an engine between memory and the wire. Signatures
 * are added and checked on one side of it or the other.
 */
/* Most bytes that are encrypted together: an AES block, or one and a part. */
#define CRYPT_GROUP_MOST 31u

struct crypt {
	bool on;	/* mkc.crypto_en */
	bool described; /* set by an UMR */
	/* the engine is between memory and signatures; else between signatures and the wire */
	bool memory;
	bool raw;      /* only data is encrypted; else the signatures among the data, too */
	bool encrypts; /* encrypts from memory to the wire; else decrypts */
	uint16_t unit; /* bytes of a data unit; each unit has its own tweak */
	uint8_t tweak[XTS_BLOCK]; /* of the first unit; lowest byte first */
	uint32_t dek;
	uint64_t keytag;
	uint64_t data; /* bytes */
	/* Bytes of an incomplete group, kept until the rest comes. */
	uint64_t part_at;
	uint8_t parts, part[CRYPT_GROUP_MOST];
};

/* A data encryption key. */
struct dek {
	struct obj o;
	struct obj *pd; /* referenced */
	struct xts *xts; /* NULL: a TLS key */
	bool has_keytag, wide;
	uint64_t keytag, opaque;
};

/* Returns the block size of a BSF's selector; 0: none. */
uint16_t bsf_block_size(uint32_t selector);
/*
 * Reads a crypto BSF of 64 bytes whose bsf_size is `size`. Returns NULL, or the reason why it is
 * wrong.
 */
const char *crypt_read(struct crypt *, const uint8_t *bsf, unsigned int size);
/*
 * Returns NULL if data with signature blocks of these sizes (0: none) can pass the engine, or the
 * reason why not.
 */
const char *crypt_fits(const struct crypt *, uint16_t memory, uint16_t wire);

/* Returns the mkey's key if it has the mkey's PD and tag; otherwise NULL, after a sentence. */
const struct dek *crypt_key(const struct mkey *);

/* Group of bytes that are encrypted together. */
struct crypt_group {
	uint64_t at;
	uint32_t size;
};
struct crypt_group crypt_group(const struct crypt *, uint64_t pos);
/* Encrypts or decrypts whole groups in place: from memory to the wire, or back. */
void crypt_run(const struct crypt *, const struct dek *, uint64_t at, uint8_t *, size_t len,
	       bool to_wire);

#endif
