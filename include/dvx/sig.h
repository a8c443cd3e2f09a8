/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef DVX_SIG_H
#define DVX_SIG_H

/*
 * Mkeys with block signatures and encryption (PRM, "Signature handover", "Encryption"). Behind each
 * block of data there is a CRC or a T10-DIF field, in memory, on the wire, or on both sides. The
 * device makes, checks, copies and removes them while data move. An mkey for that is a list (umr.h)
 * with a description.
 *
 *	dvx_mkey_create_sig(dev, &attr, &mkey);
 *	key = dvx_mkey_sig(mkey);
 *	dvx_post_umr_sig(sq, key, DVX_REMOTE_READ, pieces, n, &sig, NULL, cookie, DVX_SIGNALED);
 *
 * Addresses and lengths of data segments count bytes of the wire.
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
	DVX_SIG_DIF_CSUM, /* ... with the IP checksum in place of the CRC */
};

enum dvx_sig_flags {
	DVX_SIG_ONES = 1 << 0,		 /* the CRC, or the guard, begins with all ones, not 0 */
	DVX_SIG_REF_GROWS = 1 << 1,	 /* by 1 with each block */
	DVX_SIG_APP_ESCAPE = 1 << 2,	 /* application tag 0xffff: the block is not checked */
	DVX_SIG_APP_REF_ESCAPE = 1 << 3, /* ... if its reference tag is all ones, too */
};

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
	uint8_t check; /* which bytes are checked */
	/*
	 * With as long blocks of the same kind on both sides: bytes that go through as they are, if
	 * copy_given. Else, as libmlx5 does it, those whose first values are the same on both
	 * sides: give it where a reference tag grows on one side alone.
	 */
	uint8_t copy;
	bool copy_given;
};

/* What requests know of such an mkey. One thread's, as a ring is. */
struct dvx_sig_key {
	uint32_t key;	      /* lkey and rkey */
	uint32_t psv[2];      /* signature states: of the memory, of the wire */
	bool signs, encrypts; /* what it was created for */
	bool unanswered;      /* an error was taken that no request has answered yet */
	uint8_t errors;	      /* modulo 2 */
	struct dvx_sig last;  /* of the last request */
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

/* -EOPNOTSUPP: the device lacks signatures, or AES-XTS. */
int dvx_mkey_create_sig(struct dvx_dev *dev, const struct dvx_mkey_sig_attr *attr,
			struct dvx_mkey **out);
/* NULL: an mkey of another kind. Until dvx_mkey_destroy(). */
struct dvx_sig_key *dvx_mkey_sig(struct dvx_mkey *mkey);

/*
 * From now on the mkey is these pieces, as by dvx_post_umr_list(), with these signatures and this
 * encryption: NULL for none, but an mkey for encryption needs it. Takes up to three WQEs, of which
 * the last has the flags' completion; all have the cookie. -EINVAL: what is wrong, in words.
 */
int dvx_post_umr_sig(struct dvx_sq *sq, struct dvx_sig_key *key, uint32_t access,
		     const struct dvx_sge *pieces, uint32_t n, const struct dvx_sig *sig,
		     const struct dvx_crypt *crypt, uint64_t wr_id, uint32_t flags);

/*
 * A wrong signature does not end the transfer: a CQE of its own tells of it. Polls return -EBADMSG
 * and leave it where it is; dvx_cq_peek() gives it to these calls, dvx_cq_pop() removes it. An mkey
 * tells the first one, and no other until it is posted again.
 */
DVX_INLINE bool dvx_cqe_is_sig_error(const void *cqe)
{
	return dvx_cqe_opcode(cqe) == PRM_CQE_OPCODE_SIG_ERR;
}

/* The mkey that it is about. */
DVX_INLINE uint32_t dvx_cqe_sig_key(const void *cqe)
{
	return prm_sig_err_cqe_get_mkey(cqe);
}

struct dvx_sig_error {
	uint32_t key;
	uint8_t part;	   /* DVX_SIG_GUARD (of a CRC, too), DVX_SIG_APP_TAG or DVX_SIG_REF_TAG */
	bool wire;	   /* on the wire, not in memory */
	uint64_t expected; /* what stands in the data */
	uint64_t actual;   /* what the device made of them */
	uint64_t offset;   /* of the block, in bytes of that side */
};

/* -ENOENT: the CQE is no signature error, or of another key. */
int dvx_sig_error_read(struct dvx_sig_key *key, const void *cqe, struct dvx_sig_error *out);
/* The error in words, as snprintf() returns. */
int dvx_sig_error_text(const struct dvx_sig_error *error, char *text, size_t size);

DVX_END_DECLS

#endif
