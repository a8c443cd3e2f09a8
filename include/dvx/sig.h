/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef DVX_SIG_H
#define DVX_SIG_H

/*
 * Mkeys with block signatures and encryption (PRM, "Signature handover", "Encryption"). A signature
 * is a CRC or a T10-DIF field behind each block of data, in memory, on the wire, or in both. The
 * device makes, checks, copies and removes signatures while data move. Such an mkey is a list of
 * pieces (umr.h) with a description of its signatures.
 *
 *	dvx_mkey_create_sig(dev, &attr, &mkey);
 *	key = dvx_mkey_sig(mkey);
 *	dvx_post_umr_sig(sq, key, DVX_REMOTE_READ, pieces, n, &sig, NULL, cookie, DVX_SIGNALED);
 *
 * Addresses and lengths in data segments that use the mkey count bytes as they are on the wire.
 */
#include <dvx/cqe.h>
#include <dvx/crypt.h>
#include <dvx/mkey.h>
#include <dvx/umr.h>

DVX_BEGIN_DECLS

enum dvx_sig_type {
	DVX_SIG_NONE,
	DVX_SIG_CRC32, /* 4 bytes, as Ethernet's */
	DVX_SIG_CRC32C,
	DVX_SIG_CRC64,	  /* XP10, 8 bytes */
	DVX_SIG_DIF_CRC,  /* T10-DIF, 8 bytes: CRC16, application tag, reference tag */
	DVX_SIG_DIF_CSUM, /* T10-DIF with the IP checksum in place of CRC16 */
};

enum dvx_sig_flags {
	DVX_SIG_ONES = 1 << 0,		 /* the CRC's initial value is all ones, not 0 */
	DVX_SIG_REF_GROWS = 1 << 1,	 /* the reference tag grows by 1 with each block */
	DVX_SIG_APP_ESCAPE = 1 << 2,	 /* blocks with application tag 0xffff are not checked */
	DVX_SIG_APP_REF_ESCAPE = 1 << 3, /* ... only if the reference tag is all ones, too */
};

/* The signatures in memory, or on the wire. */
struct dvx_sig_side {
	uint8_t type;	/* enum dvx_sig_type */
	uint8_t flags;	/* enum dvx_sig_flags */
	uint16_t block; /* data bytes: 512, 520, 4048, 4096 or 4160 */
	uint16_t app_tag;
	uint16_t reserved;
	uint32_t ref_tag; /* of the first block */
};

/* Bytes of a signature, for `check` and `copy`. */
enum dvx_sig_bytes {
	DVX_SIG_GUARD = 0xc0,
	DVX_SIG_APP_TAG = 0x30,
	DVX_SIG_REF_TAG = 0x0f,
	DVX_SIG_CRC = 0xf0, /* CRC32, CRC32C */
	DVX_SIG_ALL = 0xff,
};

struct dvx_sig {
	struct dvx_sig_side memory, wire;
	uint8_t check; /* bytes that are checked: enum dvx_sig_bytes */
	/*
	 * If both sides have the same type and block size: the bytes that the device copies instead
	 * of computing them (enum dvx_sig_bytes), if copy_given is set. Else, as in libmlx5, it
	 * copies the bytes whose first values are the same on both sides: set copy where a
	 * reference tag grows on one side only.
	 */
	uint8_t copy;
	bool copy_given;
};

/* State of such an mkey between requests. For one thread at a time, like a ring. */
struct dvx_sig_key {
	uint32_t key;	      /* lkey and rkey */
	uint32_t psv[2];      /* signature states: of the memory, of the wire */
	bool signs, encrypts; /* enum dvx_mkey_sig_flags that it was created with */
	bool unanswered;      /* the next dvx_post_umr_sig() lets the device report errors again */
	uint8_t errors;	      /* how many errors were read, modulo 2 */
	struct dvx_sig last;  /* the signatures of the last request */
};

enum dvx_mkey_sig_flags {
	DVX_MKEY_SIGNS = 1 << 0,
	DVX_MKEY_ENCRYPTS = 1 << 1,
};

struct dvx_mkey_sig_attr {
	uint32_t size;
	uint32_t flags; /* enum dvx_mkey_sig_flags, one at least */
	struct dvx_pd *pd;
	uint32_t max_pieces;
	uint32_t reserved;
};

/* Makes an mkey without memory. -EOPNOTSUPP: the device lacks signatures, or AES-XTS. */
int dvx_mkey_create_sig(struct dvx_dev *dev, const struct dvx_mkey_sig_attr *attr,
			struct dvx_mkey **out);
/* Returns the mkey's state, valid until dvx_mkey_destroy(); NULL: an mkey of another kind. */
struct dvx_sig_key *dvx_mkey_sig(struct dvx_mkey *mkey);

/*
 * Makes the mkey these pieces, as dvx_post_umr_list(), with these signatures and this encryption.
 * Either may be NULL for none, but an mkey with DVX_MKEY_ENCRYPTS needs `crypt`. Takes up to three
 * WQEs with this cookie; `flags` apply to the last one. -EINVAL: an impossible description; the
 * sentence gives the reason.
 */
int dvx_post_umr_sig(struct dvx_sq *sq, struct dvx_sig_key *key, uint32_t access,
		     const struct dvx_sge *pieces, uint32_t n, const struct dvx_sig *sig,
		     const struct dvx_crypt *crypt, uint64_t wr_id, uint32_t flags);

/*
 * Returns true if the CQE reports a wrong signature. A wrong signature does not end the transfer:
 * the device writes this CQE in addition to the transfer's own. Polls return -EBADMSG and leave it
 * in the CQ; read it with dvx_cq_peek() and the calls below, then dvx_cq_pop() it. An mkey reports
 * only the first wrong signature, until the next dvx_post_umr_sig().
 */
DVX_INLINE bool dvx_cqe_is_sig_error(const void *cqe)
{
	return dvx_cqe_opcode(cqe) == PRM_CQE_OPCODE_SIG_ERR;
}

/* Returns the key of the mkey whose signature was wrong. */
DVX_INLINE uint32_t dvx_cqe_sig_key(const void *cqe)
{
	return prm_sig_err_cqe_get_mkey(cqe);
}

struct dvx_sig_error {
	uint32_t key;
	uint8_t part;	   /* DVX_SIG_GUARD (of a CRC, too), DVX_SIG_APP_TAG or DVX_SIG_REF_TAG */
	bool wire;	   /* on the wire, not in memory */
	uint64_t expected; /* the value behind the block */
	uint64_t actual;   /* the value that the device computed */
	uint64_t offset;   /* of the block, in bytes on that side */
};

/* Decodes the CQE. -ENOENT: it reports no wrong signature, or one of another key. */
int dvx_sig_error_read(struct dvx_sig_key *key, const void *cqe, struct dvx_sig_error *out);
/* Describes the error in text[0..size-1]; returns as snprintf(). */
int dvx_sig_error_text(const struct dvx_sig_error *error, char *text, size_t size);

DVX_END_DECLS

#endif
