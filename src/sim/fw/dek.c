/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Data encryption keys (DEKs), and logins of programs that may create them. A chip takes keys
 * either in plaintext or wrapped. A chip with wrapped keys has a key that wraps others (import KEK)
 * and a credential, both set by a crypto officer; only a client that logged in with the credential
 * may create and query keys. KEK and credential of this chip are public (dvx-sim(1)).
 */
#include <string.h>
#include "cmd.h"
#include "obj/crypt.h"
#include "obj/device.h"

/* rdma-core's layout of a key object; newer layouts append fields. */
#define DEK_BYTES  (PRM_GENERAL_OBJ_IN_CMD_HDR_BYTES + 256u)
#define WRAP_BYTES 8u
#define KEY_BYTES  (2 * XTS_KEY_MOST + 8u)
#define CREDENTIAL 40u

static const uint8_t import_kek[16] = {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15};

/* Compares the credential. [I] There is one credential and one KEK, both with number 0. */
static bool credential_is_right(const uint8_t *bytes)
{
	for (unsigned int i = 0; i < CREDENTIAL; i++)
		if (bytes[i] != i)
			return false;
	return true;
}

static bool keys_are_wrapped(const struct fw_cmd *c)
{
	return c->vhca->dev->profile->crypto_wrapped;
}

static int crypto_check_header(struct fw_cmd *c, size_t least)
{
	if (!c->vhca->dev->profile->crypto)
		return fw_refuse(c, FW_SYN_CAP_CLEAR, "obj_type 0x%x, but cap.crypto is 0",
				 prm_general_obj_in_cmd_hdr_get_obj_type(c->in));
	if (c->in_len < least)
		return fw_refuse(c, FW_SYN_IN_SHORT,
				 "the mailbox has %zu bytes, the object needs %zu", c->in_len,
				 least);
	if (prm_general_obj_in_cmd_hdr_get_log_obj_range(c->in))
		return fw_refuse(c, FW_SYN_UNSUPPORTED,
				 "log_obj_range is set: one object of this "
				 "function at a time");
	return fw_nothing_after(c, least);
}

/* --- logins ----------------------------------------------------------------------------- */

/*
 * Returns true if the command's uid has logged in. [I] A login belongs to a uid, which has at most
 * one at a time.
 */
static bool crypto_logged_in(const struct fw_cmd *c)
{
	const struct obj *o;

	for (uint32_t id = 0; (o = obj_next(c->vhca, OBJ_CRYPTO_LOGIN, id)); id = o->id + 1)
		if (o->uid == c->uid)
			return true;
	return false;
}

static int login_check(struct fw_cmd *c, const void *login)
{
	uint8_t plain[CREDENTIAL];

	if (prm_crypto_login_obj_get_credential_pointer(login) ||
	    prm_crypto_login_obj_get_session_import_kek_ptr(login))
		return fw_refuse_as(c, PRM_STATUS_BAD_PARAM, FW_SYN_NO_OBJECT,
				    "credential_pointer %u, session_import_kek_ptr %u: this chip "
				    "has one credential and one import KEK, both number 0",
				    prm_crypto_login_obj_get_credential_pointer(login),
				    prm_crypto_login_obj_get_session_import_kek_ptr(login));
	if (!aes_unwrap(import_kek, prm_crypto_login_obj_cat_credential(login), plain,
			sizeof(plain)) ||
	    !credential_is_right(plain))
		return fw_refuse_as(c, PRM_STATUS_BAD_PARAM, FW_SYN_CRYPTO,
				    "credential is not this chip's, wrapped by its import KEK");
	return 0;
}

int fw_create_crypto_login(struct fw_cmd *c)
{
	const void *login = prm_create_crypto_login_obj_in_cat_login_obj(c->in);
	struct obj *o;

	if (crypto_check_header(c, PRM_CREATE_CRYPTO_LOGIN_OBJ_IN_BYTES))
		return -1;
	if (!keys_are_wrapped(c))
		return fw_refuse(c, FW_SYN_CAP_CLEAR,
				 "crypto_caps.wrapped_crypto_operational is 0: keys are in "
				 "plaintext, and nobody logs in");
	if (crypto_logged_in(c))
		return fw_refuse(c, FW_SYN_CRYPTO, "uid %u has logged in already", c->uid);
	if (login_check(c, login))
		return -1;
	o = fw_new(c, OBJ_CRYPTO_LOGIN, sizeof(*o));
	return o ? fw_made(c, o, 0) : -1;
}

/* Returns state 0, valid: the credential cannot be removed from the chip. */
int fw_query_crypto_login(struct fw_cmd *c)
{
	if (fw_reply_fits(c, PRM_QUERY_CRYPTO_LOGIN_OBJ_OUT_BYTES))
		return -1;
	prm_general_obj_out_cmd_hdr_set_obj_id(c->out, ((const struct obj *)c->obj)->id);
	return 0;
}

/* --- keys ------------------------------------------------------------------------------- */

/*
 * Checks the fields. A TLS key has no tag and is never wrapped. Nothing uses TLS keys here:
 * cap.tls_tx and tls_rx are 0.
 */
static int dek_check(struct fw_cmd *c, const void *key)
{
	const uint32_t purpose = prm_encryption_key_obj_get_key_purpose(key);

	if (purpose != PRM_KEY_PURPOSE_AES_XTS && purpose != PRM_KEY_PURPOSE_TLS)
		return fw_refuse(c, FW_SYN_UNSUPPORTED,
				 "key_purpose %u: only 1 (TLS) and 3 (AES-XTS) are implemented",
				 purpose);
	if (purpose == PRM_KEY_PURPOSE_TLS &&
	    (prm_encryption_key_obj_get_has_keytag(key) || keys_are_wrapped(c)))
		return fw_refuse(c, FW_SYN_UNSUPPORTED,
				 "key_purpose 1 (TLS): the key has no tag (has_keytag), and comes "
				 "in plaintext");
	if (prm_encryption_key_obj_get_key_size(key) > PRM_KEY_SIZE_256 ||
	    prm_encryption_key_obj_get_sw_wrapped(key))
		return fw_refuse(
			c, FW_SYN_RESERVED,
			"key_size %u is neither 0 (128 bits) nor 1 (256), or sw_wrapped is set",
			prm_encryption_key_obj_get_key_size(key));
	if (keys_are_wrapped(c) && !crypto_logged_in(c))
		return fw_refuse(c, FW_SYN_CRYPTO, "uid %u has not logged in (CRYPTO_LOGIN object)",
				 c->uid);
	return 0;
}

/* Sets plain to the two keys and the tag, unwrapped if keys come wrapped. */
static int dek_unwrap(struct fw_cmd *c, const uint8_t *from, uint8_t plain[KEY_BYTES], size_t len)
{
	if (!keys_are_wrapped(c)) {
		memcpy(plain, from, len);
		return 0;
	}
	if (aes_unwrap(import_kek, from, plain, len))
		return 0;
	return fw_refuse_as(c, PRM_STATUS_BAD_PARAM, FW_SYN_CRYPTO,
			    "key is not %zu bytes wrapped by the import KEK", len);
}

static int dek_take(struct fw_cmd *c, const void *key, bool has_keytag, struct dek *dek)
{
	size_t each = prm_encryption_key_obj_get_key_size(key) == PRM_KEY_SIZE_256 ? 32 : 16;
	uint8_t plain[KEY_BYTES];

	dek->wide = each == XTS_KEY_MOST;
	dek->has_keytag = has_keytag;
	dek->opaque = prm_encryption_key_obj_get_opaque(key);
	if (prm_encryption_key_obj_get_key_purpose(key) == PRM_KEY_PURPOSE_TLS)
		return 0;
	if (dek_unwrap(c, prm_encryption_key_obj_cat_key(key, 0), plain,
		       2 * each + (dek->has_keytag ? sizeof(dek->keytag) : 0)))
		return -1;
	if (dek->has_keytag)
		dek->keytag = prm_load64(plain, 2 * each);
	dek->xts = xts_new(plain, each);
	if (!dek->xts)
		return fw_refuse(c, FW_SYN_MEMORY, "no memory for one more key");
	return 0;
}

int fw_create_dek(struct fw_cmd *c)
{
	const void *key = prm_create_encryption_key_in_cat_encryption_key_object(c->in);
	struct obj *pd;
	struct dek *dek;

	if (crypto_check_header(c, DEK_BYTES) || dek_check(c, key))
		return -1;
	pd = fw_find(c, OBJ_PD, prm_encryption_key_obj_get_pd(key), "pd");
	if (!pd)
		return -1;
	dek = fw_new(c, OBJ_DEK, sizeof(*dek));
	if (!dek)
		return -1;
	dek->pd = pd;
	obj_get(pd);
	return fw_made(c, &dek->o,
		       dek_take(c, key, prm_encryption_key_obj_get_has_keytag(key), dek));
}

/* Returns the object without the key itself. [I] */
int fw_query_dek(struct fw_cmd *c)
{
	const struct dek *dek = c->obj;
	void *key = prm_query_encryption_key_obj_out_at_obj(c->out);

	if (fw_reply_fits(c, DEK_BYTES))
		return -1;
	if (keys_are_wrapped(c) && !crypto_logged_in(c))
		return fw_refuse(c, FW_SYN_CRYPTO, "uid %u has not logged in (CRYPTO_LOGIN object)",
				 c->uid);
	prm_general_obj_out_cmd_hdr_set_obj_id(c->out, dek->o.id);
	prm_encryption_key_obj_set_key_size(key, dek->wide ? PRM_KEY_SIZE_256 : PRM_KEY_SIZE_128);
	prm_encryption_key_obj_set_has_keytag(key, dek->has_keytag);
	prm_encryption_key_obj_set_key_purpose(key, dek->xts ? PRM_KEY_PURPOSE_AES_XTS
							     : PRM_KEY_PURPOSE_TLS);
	prm_encryption_key_obj_set_pd(key, dek->pd->id);
	prm_encryption_key_obj_set_opaque(key, dek->opaque);
	return 0;
}

#define DEK_SELECT_KEY 1u

/*
 * Replaces the key of an object (Linux, mlx5_crypto_modify_dek_key(); according to libdpcp's
 * dek::modify(), PD and purpose can't change). [I] An object keeps its tag or absence of one, and a
 * selection of 0 also selects the key.
 */
int fw_modify_dek(struct fw_cmd *c)
{
	const void *key = prm_modify_encryption_key_in_cat_encryption_key_object(c->in);
	struct dek *dek = c->obj, new = {0};

	if (crypto_check_header(c, DEK_BYTES) || dek_check(c, key))
		return -1;
	if (prm_encryption_key_obj_get_modify_field_select(key) & ~(uint64_t)DEK_SELECT_KEY)
		return fw_refuse(
			c, FW_SYN_OPT_PARAM,
			"modify_field_select 0x%llx: only bit 0, the key, is implemented",
			(unsigned long long)prm_encryption_key_obj_get_modify_field_select(key));
	if (prm_encryption_key_obj_get_pd(key) != dek->pd->id ||
	    (prm_encryption_key_obj_get_key_purpose(key) == PRM_KEY_PURPOSE_AES_XTS) != !!dek->xts)
		return fw_refuse(c, FW_SYN_RESERVED,
				 "pd 0x%x or key_purpose %u is not the one of obj_id 0x%x",
				 prm_encryption_key_obj_get_pd(key),
				 prm_encryption_key_obj_get_key_purpose(key), dek->o.id);
	if (dek_take(c, key, dek->has_keytag, &new))
		return -1;
	xts_free(dek->xts);
	dek->xts = new.xts;
	dek->wide = new.wide;
	dek->keytag = new.keytag;
	dek->opaque = new.opaque;
	return 0;
}

/* Frees the key. Accesses by mkeys that name it fail from then on. */
void fw_dek_free(struct obj *o)
{
	struct dek *dek = (struct dek *)o;

	xts_free(dek->xts);
	obj_put(dek->pd);
	obj_free(o);
}
