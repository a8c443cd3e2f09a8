/* SPDX-License-Identifier: BSD-2-Clause */
/* Proves commands on keys for encryption and on the login that wrapped keys need. */
#include "tests/test.h"
#include "fw_fixture.h"
#include "fw/cmd.h"
#include "tests/wrapped.h"

/* Executes a command on a key or a login, of whose object all bytes but these fields are given. */
#define DEK_IN 272u
#define KEY(f, op, id, ...)                                                                     \
	key_command(f, PRM_OPCODE_##op##_GENERAL_OBJECT, PRM_OBJ_TYPE_ENCRYPTION_KEY, id, NULL, \
		    FX_FIELDS(__VA_ARGS__))

static uint8_t key_command(struct fx *f, uint16_t op, uint16_t type, uint32_t id,
			   const uint8_t secret[48], const struct fx_field *fields)
{
	uint8_t in[DEK_IN] = {0};
	const bool whole =
		op == PRM_OPCODE_CREATE_GENERAL_OBJECT || op == PRM_OPCODE_MODIFY_GENERAL_OBJECT;
	const struct prm_struct *s =
		prm_find_struct(type == PRM_OBJ_TYPE_CRYPTO_LOGIN ? "create_crypto_login_obj_in"
								  : "create_encryption_key_in");

	prm_general_obj_in_cmd_hdr_set_obj_type(in, type);
	prm_general_obj_in_cmd_hdr_set_obj_id(in, id);
	if (secret) /* both kinds of object have it there */
		memcpy(in + 80, secret, 48);
	fx_set(s, in, fields);
	return fx_exec(f, f->v, op, FX_UID, in, whole ? DEK_IN : PRM_GENERAL_OBJ_IN_CMD_HDR_BYTES,
		       DEK_IN);
}

#define DEK "encryption_key_object."

/* Keys in plaintext: checks of fields, the reference to a PD, and what a query returns. */
TEST(fx, keys)
{
	const uint32_t pd = fx_pd(f, f->v, FX_UID);
	uint32_t dek;

	assert_int_equal(KEY(f, CREATE, 0, {DEK "pd", pd}, {DEK "key_purpose", 2}), BAD);
	assert_int_equal(
		KEY(f, CREATE, 0, {DEK "pd", pd}, {DEK "key_purpose", 1}, {DEK "has_keytag", 1}),
		BAD);
	assert_int_equal(
		KEY(f, CREATE, 0, {DEK "pd", pd}, {DEK "key_purpose", 3}, {DEK "key_size", 2}),
		BAD);
	assert_int_equal(KEY(f, CREATE, 0, {DEK "pd", pd + 1}, {DEK "key_purpose", 3}), BAD_RES);
	assert_int_equal(KEY(f, CREATE, 0, {DEK "pd", pd}, {DEK "key_purpose", 3},
			     {DEK "key_size", 1}, {DEK "has_keytag", 1}, {DEK "opaque", 0x5a5a}),
			 0);
	dek = prm_general_obj_out_cmd_hdr_get_obj_id(f->out);
	assert_int_equal(FX_NUMBER(f, DEALLOC_PD, pd), BUSY);
	assert_int_equal(KEY(f, QUERY, dek + 1, {0}), BAD_RES);
	assert_int_equal(KEY(f, QUERY, dek, {0}), 0);
	fx_holds(prm_find_struct("query_encryption_key_obj_out"), f->out,
		 FX_FIELDS({"obj.pd", pd}, {"obj.opaque", 0x5a5a}, {"obj.state", 0},
			   {"obj.key_size", 1}, {"obj.key_purpose", 3}, {"obj.has_keytag", 1}));
	/* a new key in the same object */
	assert_int_equal(KEY(f, MODIFY, dek, {DEK "pd", pd}, {DEK "key_purpose", 3},
			     {DEK "modify_field_select", 2}),
			 BAD);
	assert_int_equal(KEY(f, MODIFY, dek, {DEK "pd", pd}, {DEK "key_purpose", 1}), BAD);
	assert_int_equal(KEY(f, MODIFY, dek + 1, {DEK "key_purpose", 3}), BAD_RES);
	assert_int_equal(KEY(f, MODIFY, dek, {DEK "pd", pd}, {DEK "key_purpose", 3},
			     {DEK "modify_field_select", 1}, {DEK "opaque", 7}),
			 0);
	assert_int_equal(KEY(f, QUERY, dek, {0}), 0);
	fx_holds(prm_find_struct("query_encryption_key_obj_out"), f->out,
		 FX_FIELDS({"obj.pd", pd}, {"obj.opaque", 7}, {"obj.key_size", 0},
			   {"obj.has_keytag", 1}));
	assert_int_equal(KEY(f, MODIFY, dek, {DEK "pd", pd + 1}, {DEK "key_purpose", 3}), BAD);
	assert_int_equal(KEY(f, DESTROY, dek, {0}), 0);
	assert_int_equal(KEY(f, DESTROY, dek, {0}), BAD_RES);
	/* TLS keys, which no mkey can name */
	assert_int_equal(KEY(f, CREATE, 0, {DEK "pd", pd}, {DEK "key_purpose", 1}), 0);
	dek = prm_general_obj_out_cmd_hdr_get_obj_id(f->out);
	assert_int_equal(KEY(f, MODIFY, dek, {DEK "pd", pd}, {DEK "key_purpose", 1}), 0);
	assert_int_equal(KEY(f, QUERY, dek, {0}), 0);
	fx_holds(prm_find_struct("query_encryption_key_obj_out"), f->out,
		 FX_FIELDS({"obj.pd", pd}, {"obj.key_purpose", 1}));
	assert_int_equal(KEY(f, DESTROY, dek, {0}), 0);
	/* no login here; and without encryption no keys */
	assert_int_equal(key_command(f, PRM_OPCODE_CREATE_GENERAL_OBJECT, PRM_OBJ_TYPE_CRYPTO_LOGIN,
				     0, NULL, FX_FIELDS({0})),
			 BAD);
	f->profile.crypto = false;
	assert_int_equal(KEY(f, CREATE, 0, {DEK "pd", pd}, {DEK "key_purpose", 3}), BAD);
	assert_int_equal(f->syndrome, FW_SYN_CAP_CLEAR);
	assert_int_equal(FX_NUMBER(f, DEALLOC_PD, pd), 0);
}

#define LOGIN(f, op, id, secret, ...)                                                           \
	key_command(f, PRM_OPCODE_##op##_GENERAL_OBJECT, PRM_OBJ_TYPE_CRYPTO_LOGIN, id, secret, \
		    FX_FIELDS(__VA_ARGS__))
#define WRAPPED(f, secret)                                                                       \
	key_command(f, PRM_OPCODE_CREATE_GENERAL_OBJECT, PRM_OBJ_TYPE_ENCRYPTION_KEY, 0, secret, \
		    FX_FIELDS({DEK "pd", pd}, {DEK "key_purpose", 3}))

/* Wrapped keys need a login with the right credential, and only while it exists. */
TEST(fx, wrapped_keys)
{
	const uint32_t pd = fx_pd(f, f->v, FX_UID);
	uint8_t bad[48];
	uint32_t login, dek;

	f->profile.crypto_wrapped = true;
	assert_int_equal(WRAPPED(f, wrapped_key), PRM_STATUS_BAD_RES_STATE);
	memcpy(bad, wrapped_credential, sizeof(bad));
	bad[47] ^= 1;
	assert_int_equal(LOGIN(f, CREATE, 0, bad, {0}), BAD);
	assert_int_equal(f->syndrome, FW_SYN_CRYPTO);
	assert_int_equal(
		LOGIN(f, CREATE, 0, wrapped_credential, {"login_obj.credential_pointer", 1}), BAD);
	assert_int_equal(
		LOGIN(f, CREATE, 0, wrapped_credential, {"login_obj.session_import_kek_ptr", 1}),
		BAD);
	assert_int_equal(LOGIN(f, CREATE, 0, wrapped_credential, {0}), 0);
	login = prm_general_obj_out_cmd_hdr_get_obj_id(f->out);
	assert_int_equal(LOGIN(f, CREATE, 0, wrapped_credential, {0}), PRM_STATUS_BAD_RES_STATE);
	assert_int_equal(LOGIN(f, QUERY, login, NULL, {0}), 0);
	assert_int_equal(WRAPPED(f, wrapped_credential), BAD); /* of another length */
	assert_int_equal(WRAPPED(f, wrapped_key), 0);
	dek = prm_general_obj_out_cmd_hdr_get_obj_id(f->out);
	assert_int_equal(KEY(f, QUERY, dek, {0}), 0);
	assert_int_equal(LOGIN(f, DESTROY, login, NULL, {0}), 0);
	assert_int_equal(KEY(f, QUERY, dek, {0}), PRM_STATUS_BAD_RES_STATE);
	assert_int_equal(KEY(f, DESTROY, dek, {0}), 0);
	/* those of a dead uid are freed with it */
	assert_int_equal(LOGIN(f, CREATE, 0, wrapped_credential, {0}), 0);
	assert_int_equal(WRAPPED(f, wrapped_key), 0);
	fw_uid_reap(f->v, FX_UID);
	assert_int_equal(fx_objects(f->v), 0);
}
