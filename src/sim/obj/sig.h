/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef SIM_OBJ_SIG_H
#define SIM_OBJ_SIG_H

#include "crypt.h"
#include "obj.h"

struct mkey;

/*
 * Block signatures of an mkey (doc/design/0043). Data in memory and on the wire may consist of
 * blocks, each followed by a signature. A signature is a number of 64 bits, as PSVs and SIG_ERR
 * completions have it: guard << 48 | application tag << 32 | reference tag for T10-DIF, CRC << 32
 * for 32 bits. Bit n of a byte mask stands for its byte n.
 */
enum sig_kind { SIG_NONE, SIG_CRC32, SIG_CRC32C, SIG_CRC64, SIG_DIF_CRC, SIG_DIF_CSUM };

struct sig_side {
	uint8_t kind;	/* enum sig_kind */
	uint8_t size;	/* of a signature in bytes; 0: no signatures */
	uint16_t block; /* data bytes of one block */
	uint32_t psv;
	bool ones; /* the CRC or guard begins with all ones */
	/* T10-DIF */
	bool grows; /* the reference tag increases with each block */
	bool app_escape, app_ref_escape;
	uint16_t app, app_mask;
	uint32_t ref;
};
#define SIG_BLOCK_MOST 4160u
#define SIG_BYTES_MOST 8u

/* Descriptions of an mkey (BSFs): signatures, encryption, or both. */
#define SIG_BSF 4u /* octowords of a description */
struct sig {
	uint8_t room;		 /* mkc.bsf_octword_size */
	bool on;		 /* mkc.bsf_en */
	bool described;		 /* set by an UMR */
	uint8_t count, expected; /* errors, modulo 2; and mkc.expected_sigerr_count */
	struct sig_side memory, wire;
	uint64_t check, copy; /* masks of a signature's bits */
	uint64_t data;	      /* bytes covered by signatures */
	/* Signature of a block on the wire, received so far. */
	uint8_t tail[SIG_BYTES_MOST];
	struct crypt crypt;
};

/* A signature state (PSV), as SET_PSV set it. */
struct psv {
	struct obj o;
	struct obj *pd; /* referenced */
	uint64_t transient;
	bool set;
};

/* Reads one or two BSFs of 64 bytes. Returns NULL, or the reason why they are wrong. */
const char *sig_read(struct sig *, const uint8_t *bsf, unsigned int octowords);

/*
 * Returns true if the mkey can be used: its PSVs exist, in its PD, with the values of the BSF, and
 * so does its key. Otherwise writes a sentence.
 */
bool sig_ready(const struct mkey *, uint32_t key);

/* Place of a byte in the stream of one side. */
struct sig_place {
	uint64_t block;
	uint64_t data;	 /* data bytes before it */
	uint16_t in_sig; /* offset in the signature, if is_sig */
	uint16_t left;	 /* data bytes from here to the end of the block; 0: no blocks */
	bool is_sig;
};
struct sig_place sig_place(const struct sig_side *, uint64_t pos);
/*
 * Returns the position of data byte d; of an end, the position behind the signature that the bytes
 * before it complete.
 */
uint64_t sig_pos(const struct sig_side *, uint64_t d);

/*
 * Return a signature as a number: computed from the data of a block, or loaded from `size` bytes.
 */
uint64_t sig_make(const struct sig_side *, uint64_t block, const void *data);
uint64_t sig_load(const struct sig_side *, const uint8_t *bytes);
void sig_store(const struct sig_side *, uint64_t value, uint8_t *bytes);

enum sig_fault { SIG_GOOD, SIG_BAD_GUARD, SIG_BAD_APP, SIG_BAD_REF };
/*
 * Returns the first of guard, application tag and reference tag that differs under the check mask.
 */
enum sig_fault sig_compare(const struct sig *, const struct sig_side *, uint64_t found,
			   uint64_t made);

#endif
