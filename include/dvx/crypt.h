/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef DVX_CRYPT_H
#define DVX_CRYPT_H

/*
 * AES-XTS keys (data encryption keys, DEKs), and how an mkey uses one (sig.h). A key is an object
 * of the device; if the device accepts wrapped keys only, the program logs in first.
 */
#include <dvx/cmd.h>
#include <dvx/common.h>

DVX_BEGIN_DECLS

struct dvx_dek;

enum dvx_dek_flags {
	DVX_DEK_KEYTAG = 1 << 0, /* 8 bytes of keytag follow the key; users must give them, too */
};

struct dvx_dek_attr {
	uint32_t size;
	uint32_t flags; /* enum dvx_dek_flags */
	struct dvx_pd *pd;
	/* Both keys of XTS, then the keytag; 8 bytes more if wrapped by the device's import KEK. */
	const void *key;
	uint32_t len;
	uint32_t bits;	 /* of one of the two keys: 128 or 256 */
	uint64_t opaque; /* the caller's; the device keeps it with the key */
};

/* Makes a key object; `key` is read by this call only. PRM: CREATE_GENERAL_OBJECT. */
int dvx_dek_create(struct dvx_dev *dev, const struct dvx_dek_attr *attr, struct dvx_dek **out);
int dvx_dek_destroy(struct dvx_dek *dek);
uint32_t dvx_dek_number(const struct dvx_dek *dek);

/*
 * How an mkey's data are encrypted. By default data are encrypted in memory: the device decrypts
 * data that it sends (or that a peer reads) and encrypts data that it receives.
 */
enum dvx_crypt_flags {
	DVX_CRYPT_WIRE = 1 << 0,   /* data are encrypted on the wire, not in memory */
	DVX_CRYPT_SIGNED = 1 << 1, /* data sent are signed after en- or decryption, not before */
};

struct dvx_crypt {
	uint32_t dek;	    /* dvx_dek_number() */
	uint16_t data_unit; /* 512, 520, 4048, 4096 or 4160 bytes */
	uint16_t flags;	    /* enum dvx_crypt_flags */
	uint8_t tweak[16];  /* of the first data unit: a number, lowest byte first */
	uint64_t keytag;    /* with DVX_DEK_KEYTAG: its 8 bytes read as a big-endian number */
};

struct dvx_login_attr {
	uint32_t size;
	uint32_t credential_id;
	uint32_t import_kek_id;
	uint32_t reserved;
	uint8_t credential[48]; /* wrapped */
};

/*
 * Logs the device's context in; it can have one login at a time. Keys that were made meanwhile stay
 * usable after dvx_login_destroy(). -EOPNOTSUPP: the device needs no login, keys are not wrapped.
 */
struct dvx_login;
int dvx_login_create(struct dvx_dev *dev, const struct dvx_login_attr *attr,
		     struct dvx_login **out);
int dvx_login_destroy(struct dvx_login *login);
/* Sets *valid; false: a crypto officer has removed the login's credential or import KEK. */
int dvx_login_valid(struct dvx_login *login, bool *valid);

DVX_END_DECLS

#endif
