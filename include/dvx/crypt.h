/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef DVX_CRYPT_H
#define DVX_CRYPT_H

/*
 * AES-XTS keys (DEKs) and how an mkey uses one (sig.h). The key is an object of the device; where
 * the device takes wrapped keys only, the program logs in first.
 */
#include <dvx/cmd.h>
#include <dvx/common.h>

DVX_BEGIN_DECLS

struct dvx_dek;

enum dvx_dek_flags {
	DVX_DEK_KEYTAG = 1 << 0, /* 8 bytes follow the key: who uses it, names them */
};

struct dvx_dek_attr {
	uint32_t size;
	uint32_t flags; /* enum dvx_dek_flags */
	struct dvx_pd *pd;
	/* Both keys of XTS, and the keytag. Wrapped by the device's import KEK: 8 bytes more. */
	const void *key;
	uint32_t len;
	uint32_t bits;	 /* of one key: 128 or 256 */
	uint64_t opaque; /* the caller's, kept beside it */
};

int dvx_dek_create(struct dvx_dev *dev, const struct dvx_dek_attr *attr, struct dvx_dek **out);
int dvx_dek_destroy(struct dvx_dek *dek);
uint32_t dvx_dek_number(const struct dvx_dek *dek);

/*
 * How an mkey's data are encrypted. Seen from this side: what it sends (and a peer reads) is
 * encrypted and what it receives decrypted, or the other way round: data are encrypted in memory.
 */
enum dvx_crypt_flags {
	DVX_CRYPT_WIRE = 1 << 0,   /* on the wire they are encrypted, in memory not */
	DVX_CRYPT_SIGNED = 1 << 1, /* what is sent gets its signature after en- or decryption */
};

struct dvx_crypt {
	uint32_t dek;	    /* dvx_dek_number() */
	uint16_t data_unit; /* 512, 520, 4048, 4096 or 4160 bytes */
	uint16_t flags;	    /* enum dvx_crypt_flags */
	uint8_t tweak[16];  /* of the first data unit: a number, lowest byte first */
	uint64_t keytag;    /* of a key with DVX_DEK_KEYTAG: as a big-endian number */
};

struct dvx_login_attr {
	uint32_t size;
	uint32_t credential_id;
	uint32_t import_kek_id;
	uint32_t reserved;
	uint8_t credential[48]; /* wrapped */
};

/*
 * Logs this device's context in, once at a time. Keys of before stay usable after dvx_login_destroy().
 * -EOPNOTSUPP: the device takes keys as they are.
 */
struct dvx_login;
int dvx_login_create(struct dvx_dev *dev, const struct dvx_login_attr *attr,
		     struct dvx_login **out);
int dvx_login_destroy(struct dvx_login *login);
/* False: a crypto officer has removed its credential or import KEK. */
int dvx_login_valid(struct dvx_login *login, bool *valid);

DVX_END_DECLS

#endif
