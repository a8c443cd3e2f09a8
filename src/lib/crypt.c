/* SPDX-License-Identifier: BSD-2-Clause */
/* Encryption keys and logins: general objects of the device. */
#include <dvx/prm/cap.h>
#include <dvx/prm/cmd.h>
#include <dvx/prm/object.h>
#include "priv.h"

#define KEYTAG_BYTES 8u
#define WRAP_BYTES   8u /* added by wrapping (RFC 3394) */

struct dvx_dek {
	struct dvx_obj *obj;
	struct dvx_pd *pd;
	uint32_t id;
};

struct dvx_login {
	struct dvx_obj *obj;
	uint32_t id;
};

int dvx_crypt_supported(struct dvx_dev *dev)
{
	const void *cap;
	int err = dvx_dev_cap_page(dev, PRM_HCA_CAP_TYPE_GENERAL, &cap);

	if (err)
		return err;
	return prm_cmd_hca_cap_get_crypto(cap) &&
			       prm_cmd_hca_cap_get_aes_xts_multi_block_be_tweak(cap)
		       ? 0
		       : dvx_fail(EOPNOTSUPP,
				  "%s has no AES-XTS for mkeys (crypto, "
				  "aes_xts_multi_block_be_tweak)",
				  dvx_dev_name(dev));
}

static int lib_dek_check(struct dvx_dev *dev, const struct dvx_dek_attr *attr)
{
	uint32_t least = attr->bits / 4 + (attr->flags & DVX_DEK_KEYTAG ? KEYTAG_BYTES : 0);

	if (!attr->pd || attr->pd->dev != dev)
		return dvx_fail(EINVAL, "dvx_dek_create: attr.pd is not of this device");
	if (attr->flags & ~(uint32_t)DVX_DEK_KEYTAG)
		return dvx_fail(EINVAL, "dvx_dek_create: attr.flags 0x%x: unknown bits",
				attr->flags);
	if (attr->bits != 128 && attr->bits != 256)
		return dvx_fail(EINVAL, "dvx_dek_create: attr.bits is %u, not 128 or 256",
				attr->bits);
	if (!attr->key || (attr->len != least && attr->len != least + WRAP_BYTES))
		return dvx_fail(EINVAL,
				"dvx_dek_create: attr.len is %u, not %u (two keys, and a keytag if "
				"there is one) or %u (wrapped), or attr.key is NULL",
				attr->len, least, least + WRAP_BYTES);
	return dvx_crypt_supported(dev);
}

/* Sends the key to the device, and wipes the command, libdvx's only copy of the key. */
static int dek_command(struct dvx_dek *dek, struct dvx_dev *dev, const struct dvx_dek_attr *attr)
{
	uint8_t in[PRM_CREATE_ENCRYPTION_KEY_IN_BYTES] = {0};
	uint8_t reply[PRM_GENERAL_OBJ_OUT_CMD_HDR_BYTES];
	void *hdr = prm_create_encryption_key_in_at_general_obj_in_cmd_hdr(in);
	void *key = prm_create_encryption_key_in_at_encryption_key_object(in);
	int err;

	prm_general_obj_in_cmd_hdr_set_opcode(hdr, PRM_OPCODE_CREATE_GENERAL_OBJECT);
	prm_general_obj_in_cmd_hdr_set_obj_type(hdr, PRM_OBJ_TYPE_ENCRYPTION_KEY);
	prm_encryption_key_obj_set_key_size(key, attr->bits == 256 ? PRM_KEY_SIZE_256
								   : PRM_KEY_SIZE_128);
	prm_encryption_key_obj_set_has_keytag(key, !!(attr->flags & DVX_DEK_KEYTAG));
	prm_encryption_key_obj_set_key_purpose(key, PRM_KEY_PURPOSE_AES_XTS);
	prm_encryption_key_obj_set_pd(key, attr->pd->pdn);
	prm_encryption_key_obj_set_opaque(key, attr->opaque);
	memcpy(prm_encryption_key_obj_at_key(key, 0), attr->key, attr->len);
	err = dvx_obj_create(dev, in, sizeof(in), reply, sizeof(reply), &dek->obj);
	explicit_bzero(in, sizeof(in));
	if (!err)
		dek->id = prm_general_obj_out_cmd_hdr_get_obj_id(reply);
	return err;
}

int dvx_dek_create(struct dvx_dev *dev, const struct dvx_dek_attr *user, struct dvx_dek **out)
{
	struct dvx_dek_attr attr;
	struct dvx_dek *dek;
	int err = dvx_attr_copy(&attr, user, "dvx_dek_create");

	if (!err)
		err = dvx_check_not_null("dvx_dek_create", "dev", dev, "out", out, NULL);
	if (!err)
		err = lib_dek_check(dev, &attr);
	if (err)
		return err;
	dek = calloc(1, sizeof(*dek));
	if (!dek)
		return dvx_fail(ENOMEM, "no memory for an encryption key");
	err = dek_command(dek, dev, &attr);
	if (err) {
		free(dek);
		return err;
	}
	dek->pd = attr.pd;
	dvx_ref(&dek->pd->refs);
	*out = dek;
	return 0;
}

int dvx_dek_destroy(struct dvx_dek *dek)
{
	int err;

	if (!dek)
		return 0;
	err = dvx_obj_destroy(dek->obj);
	if (err)
		return err;
	dvx_unref(&dek->pd->refs);
	free(dek);
	return 0;
}

uint32_t dvx_dek_number(const struct dvx_dek *dek)
{
	return dek->id & 0xffffff;
}

/* --- logins ---------------------------------------------------------------------------------- */

static int login_supported(struct dvx_dev *dev)
{
	const void *cap, *crypto;
	int err = dvx_dev_cap_page(dev, PRM_HCA_CAP_TYPE_GENERAL, &cap);

	if (err)
		return err;
	if (prm_cmd_hca_cap_get_crypto(cap)) {
		err = dvx_dev_cap_page(dev, PRM_HCA_CAP_TYPE_CRYPTO, &crypto);
		if (err)
			return err;
		if (prm_crypto_caps_get_wrapped_crypto_operational(crypto))
			return 0;
	}
	return dvx_fail(EOPNOTSUPP,
			"%s takes no logins (wrapped_crypto_operational): its keys, if any, are in "
			"plaintext",
			dvx_dev_name(dev));
}

static int login_command(struct dvx_login *login, struct dvx_dev *dev,
			 const struct dvx_login_attr *attr)
{
	uint8_t in[PRM_CREATE_CRYPTO_LOGIN_OBJ_IN_BYTES] = {0};
	uint8_t reply[PRM_GENERAL_OBJ_OUT_CMD_HDR_BYTES];
	void *hdr = prm_create_crypto_login_obj_in_at_hdr(in);
	void *obj = prm_create_crypto_login_obj_in_at_login_obj(in);
	int err;

	prm_general_obj_in_cmd_hdr_set_opcode(hdr, PRM_OPCODE_CREATE_GENERAL_OBJECT);
	prm_general_obj_in_cmd_hdr_set_obj_type(hdr, PRM_OBJ_TYPE_CRYPTO_LOGIN);
	prm_crypto_login_obj_set_credential_pointer(obj, attr->credential_id);
	prm_crypto_login_obj_set_session_import_kek_ptr(obj, attr->import_kek_id);
	memcpy(prm_crypto_login_obj_at_credential(obj), attr->credential, sizeof(attr->credential));
	err = dvx_obj_create(dev, in, sizeof(in), reply, sizeof(reply), &login->obj);
	explicit_bzero(in, sizeof(in));
	if (!err)
		login->id = prm_general_obj_out_cmd_hdr_get_obj_id(reply);
	return err;
}

int dvx_login_create(struct dvx_dev *dev, const struct dvx_login_attr *user, struct dvx_login **out)
{
	struct dvx_login_attr attr;
	struct dvx_login *login;
	int err = dvx_attr_copy(&attr, user, "dvx_login_create");

	if (!err)
		err = dvx_check_not_null("dvx_login_create", "dev", dev, "out", out, NULL);
	if (!err && (attr.credential_id | attr.import_kek_id) >> 24)
		err = dvx_fail(EINVAL,
			       "dvx_login_create: attr.credential_id and attr.import_kek_id have "
			       "24 bits");
	if (!err)
		err = login_supported(dev);
	if (err)
		return err;
	login = calloc(1, sizeof(*login));
	if (!login)
		return dvx_fail(ENOMEM, "no memory for a login");
	err = login_command(login, dev, &attr);
	explicit_bzero(&attr, sizeof(attr));
	if (err)
		free(login);
	else
		*out = login;
	return err;
}

int dvx_login_destroy(struct dvx_login *login)
{
	int err;

	if (!login)
		return 0;
	err = dvx_obj_destroy(login->obj);
	if (!err)
		free(login);
	return err;
}

int dvx_login_valid(struct dvx_login *login, bool *valid)
{
	uint8_t in[PRM_GENERAL_OBJ_IN_CMD_HDR_BYTES] = {0};
	uint8_t reply[PRM_QUERY_CRYPTO_LOGIN_OBJ_OUT_BYTES];
	int err = dvx_check_not_null("dvx_login_valid", "login", login, "valid", valid, NULL);

	if (err)
		return err;
	prm_general_obj_in_cmd_hdr_set_opcode(in, PRM_OPCODE_QUERY_GENERAL_OBJECT);
	prm_general_obj_in_cmd_hdr_set_obj_type(in, PRM_OBJ_TYPE_CRYPTO_LOGIN);
	prm_general_obj_in_cmd_hdr_set_obj_id(in, login->id);
	err = dvx_obj_query(login->obj, in, sizeof(in), reply, sizeof(reply));
	if (!err)
		*valid = !prm_crypto_login_obj_get_state(
			prm_query_crypto_login_obj_out_cat_obj(reply));
	return err;
}
