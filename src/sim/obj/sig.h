/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef SIM_OBJ_SIG_H
#define SIM_OBJ_SIG_H

#include "crypt.h"
#include "obj.h"

struct mkey;

/*
 * Block signatures of an mkey (doc/design/0043). In memory and on the wire data may be blocks, each
 * with a signature behind it. A signature is a number of 64 bits, as PSVs and SIG_ERR completions
 * have it: guard << 48 | application tag << 32 | reference tag of T10-DIF, CRC << 32 of 32 bits.
 * Bit n of a byte mask is its byte n.
 */
enum sig_kind { SIG_NONE, SIG_CRC32, SIG_CRC32C, SIG_CRC64, SIG_DIF_CRC, SIG_DIF_CSUM };

struct sig_side {
	uint8_t kind;	/* enum sig_kind */
	uint8_t size;	/* of a signature, in bytes; 0: there are none */
	uint16_t block; /* data bytes of one block */
	uint32_t psv;
	bool ones; /* the CRC or guard begins with all ones */
	/* T10-DIF */
	bool grows; /* the reference tag, with each block */
	bool app_escape, app_ref_escape;
	uint16_t app, app_mask;
	uint32_t ref;
};
#define SIG_BLOCK_MOST 4160u
#define SIG_BYTES_MOST 8u

/* An mkey's descriptions (BSF): signatures, and encryption behind them or alone. */
#define SIG_BSF 4u /* octowords of one */
struct sig {
	uint8_t room;		 /* mkc.bsf_octword_size */
	bool on;		 /* mkc.bsf_en */
	bool described;		 /* an UMR brought it */
	uint8_t count, expected; /* errors, modulo 2; and what mkc.expected_sigerr_count says */
	struct sig_side memory, wire;
	uint64_t check, copy; /* bits of a signature */
	uint64_t data;	      /* bytes that have signatures */
	/* What came of the signature of a block, on the wire. */
	uint8_t tail[SIG_BYTES_MOST];
	struct crypt crypt;
};

/* A signature state (PSV): what SET_PSV left in it. */
struct psv {
	struct obj o;
	struct obj *pd; /* referenced */
	uint64_t transient;
	bool set;
};

/* Reads one BSF or two, of 64 bytes each: NULL, or why it can't be. */
const char *sig_read(struct sig *, const uint8_t *bsf, unsigned int octowords);
/* What a BSF's selector says, in bytes; 0: nothing. */
uint16_t sig_block_size(uint32_t selector);

/*
 * Its PSVs are there, of its PD, and say the same as the BSF; and its key is: false, with a
 * sentence.
 */
bool sig_ready(const struct mkey *, uint32_t key);

/* Where a byte of the stream of one side lies. */
struct sig_place {
	uint64_t block;
	uint64_t data;	 /* data bytes before it */
	uint16_t in_sig; /* the byte of the signature; is_sig */
	uint16_t left;	 /* data bytes of the block from it on; 0 if there are no blocks */
	bool is_sig;
};
struct sig_place sig_place(const struct sig_side *, uint64_t pos);
/* Where data byte d lies; as an end, behind the signature that the bytes before it complete. */
uint64_t sig_pos(const struct sig_side *, uint64_t d);

/* Signatures as numbers: made of a block's data, and as they stand in `size` bytes. */
uint64_t sig_make(const struct sig_side *, uint64_t block, const void *data);
uint64_t sig_load(const struct sig_side *, const uint8_t *bytes);
void sig_store(const struct sig_side *, uint64_t value, uint8_t *bytes);

enum sig_fault { SIG_GOOD, SIG_BAD_GUARD, SIG_BAD_APP, SIG_BAD_REF };
/* The first of guard, application tag, reference tag that differs where the check mask says. */
enum sig_fault sig_compare(const struct sig *, const struct sig_side *, uint64_t found,
			   uint64_t made);

#endif
