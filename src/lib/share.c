/* SPDX-License-Identifier: BSD-2-Clause */
/* Mkeys across VHCAs: permission on the owner's side, an alias object on the other side. */
#include <sys/random.h>
#include <dvx/prm/alias.h>
#include <dvx/prm/cmd.h>
#include "priv.h"

/* Makes a random key; fails if the kernel has no random bytes. */
static int share_random_key(uint8_t key[32])
{
	size_t have = 0;
	ssize_t n;

	while (have < 32) {
		n = getrandom(key + have, 32 - have, 0);
		if (n < 0 && errno == EINTR)
			continue;
		if (n <= 0)
			return dvx_fail(errno ? errno : EIO, "no random bytes from the kernel");
		have += (size_t)n;
	}
	return 0;
}

static int lib_share_allow(struct dvx_mkey *mkey, const uint8_t key[32])
{
	uint8_t in[PRM_ALLOW_OTHER_VHCA_ACCESS_IN_BYTES] = {0};
	uint8_t reply[PRM_ALLOW_OTHER_VHCA_ACCESS_OUT_BYTES];
	int err;

	prm_allow_other_vhca_access_in_set_opcode(in, PRM_OPCODE_ALLOW_OTHER_VHCA_ACCESS);
	prm_allow_other_vhca_access_in_set_object_type_to_be_accessed(in, PRM_OBJ_TYPE_MKEY);
	prm_allow_other_vhca_access_in_set_object_id_to_be_accessed(in, mkey->key >> 8);
	memcpy(prm_allow_other_vhca_access_in_at_access_key_raw(in), key, 32);
	err = dvx_cmd(mkey->dev, in, sizeof(in), reply, sizeof(reply));
	explicit_bzero(in, sizeof(in));
	return err;
}

int dvx_mkey_export(struct dvx_mkey *mkey, struct dvx_ticket *out)
{
	int err = dvx_check_not_null("dvx_mkey_export", "mkey", mkey, "out", out, NULL);
	struct dvx_ticket t = {0};

	if (err)
		return err;
	if (mkey->alias)
		return dvx_fail(EINVAL, "dvx_mkey_export: the mkey is an alias itself");
	if (mkey->mr)
		return dvx_fail(EINVAL, "dvx_mkey_export: the mkey is on demand, so the kernel's; "
					"export one of dvx_mkey_create_of() over it");
	if (!mkey->dev->caps.mkey_export)
		return dvx_fail(EOPNOTSUPP, "%s: allowed_object_for_other_vhca_access has no mkeys",
				dvx_dev_name(mkey->dev));
	t.vhca_id = mkey->dev->caps.vhca_id;
	t.access = mkey->access & ~(uint32_t)DVX_RELAXED_ORDERING;
	t.mkey = mkey->key;
	t.addr = mkey->addr;
	t.len = mkey->len;
	err = share_random_key(t.key);
	if (!err)
		err = lib_share_allow(mkey, t.key);
	if (!err)
		*out = t;
	dvx_ticket_wipe(&t);
	return err;
}

/* Returns the error of a refused ticket. Firmware does not report the reason. */
static int lib_share_refused(int err)
{
	const struct dvx_error *e = dvx_last_error();

	if (!e->opcode || (e->err != EINVAL && e->err != EREMOTEIO))
		return err;
	if (!e->status)
		return dvx_fail(
			EXDEV,
			"the device refuses the ticket (CREATE_GENERAL_OBJECT: the kernel hides "
			"status and syndrome): not of this chip, revoked, or the wrong key");
	return dvx_fail(EXDEV,
			"the device refuses the ticket (status 0x%x, syndrome 0x%x): not of "
			"this chip, revoked, or the wrong key",
			e->status, e->syndrome);
}

static int share_create_alias(struct dvx_mkey *mkey, const struct dvx_ticket *t)
{
	uint8_t in[PRM_CREATE_ALIAS_OBJ_IN_BYTES] = {0};
	uint8_t reply[PRM_GENERAL_OBJ_OUT_CMD_HDR_BYTES];
	void *hdr = prm_create_alias_obj_in_at_hdr(in);
	void *ctx = prm_create_alias_obj_in_at_alias_ctx(in);
	int err;

	prm_general_obj_in_cmd_hdr_set_opcode(hdr, PRM_OPCODE_CREATE_GENERAL_OBJECT);
	prm_general_obj_in_cmd_hdr_set_obj_type(hdr, PRM_OBJ_TYPE_MKEY);
	prm_general_obj_in_cmd_hdr_set_alias_object(hdr, 1);
	prm_alias_context_set_vhca_id_to_be_accessed(ctx, t->vhca_id);
	prm_alias_context_set_object_id_to_be_accessed(ctx, t->mkey >> 8);
	memcpy(prm_alias_context_at_access_key_raw(ctx), t->key, sizeof(t->key));
	/* The first dword of an mkey's metadata is the alias's PD. */
	prm_store32(prm_alias_context_at_metadata(ctx), 0, mkey->pd->pdn);
	err = dvx_obj_create(mkey->dev, in, sizeof(in), reply, sizeof(reply), &mkey->obj);
	explicit_bzero(in, sizeof(in));
	if (err)
		return lib_share_refused(err);
	mkey->key = prm_general_obj_out_cmd_hdr_get_obj_id(reply) << 8;
	return 0;
}

/* Checks the alias's status: CREATE can succeed and make an alias that does not work. */
static int share_check_alias(struct dvx_mkey *mkey)
{
	uint8_t in[PRM_GENERAL_OBJ_IN_CMD_HDR_BYTES] = {0};
	uint8_t reply[PRM_GENERAL_OBJ_OUT_CMD_HDR_BYTES + PRM_ALIAS_CONTEXT_BYTES];
	uint32_t status;
	int err;

	prm_general_obj_in_cmd_hdr_set_opcode(in, PRM_OPCODE_QUERY_GENERAL_OBJECT);
	prm_general_obj_in_cmd_hdr_set_obj_type(in, PRM_OBJ_TYPE_MKEY);
	prm_general_obj_in_cmd_hdr_set_obj_id(in, mkey->key >> 8);
	err = dvx_obj_query(mkey->obj, in, sizeof(in), reply, sizeof(reply));
	if (!err) {
		status = prm_alias_context_get_status(reply + PRM_GENERAL_OBJ_OUT_CMD_HDR_BYTES);
		if (status)
			err = dvx_fail(
				EXDEV,
				"the alias is in a bad state (status %u): the ticket is invalid",
				status);
	}
	explicit_bzero(reply, sizeof(reply)); /* it has the access key */
	return err;
}

int dvx_mkey_import(struct dvx_dev *dev, struct dvx_pd *pd, const struct dvx_ticket *t,
		    struct dvx_mkey **out)
{
	struct dvx_mkey *mkey;
	int err = dvx_check_not_null("dvx_mkey_import", "dev", dev, "pd", pd, "ticket", t, "out",
				     out, NULL);

	if (err)
		return err;
	if (pd->dev != dev)
		return dvx_fail(EINVAL, "dvx_mkey_import: pd is not of this device");
	if (!dev->caps.mkey_import)
		return dvx_fail(EOPNOTSUPP,
				"%s: cross_vhca_object_to_object_supported has no mkeys",
				dvx_dev_name(dev));
	if (t->vhca_id == dev->caps.vhca_id)
		return dvx_fail(EINVAL,
				"dvx_mkey_import: the ticket is for an mkey of this same VHCA, %u",
				t->vhca_id);
	mkey = calloc(1, sizeof(*mkey));
	if (!mkey)
		return dvx_fail(ENOMEM, "no memory for an mkey");
	mkey->dev = dev;
	mkey->pd = pd;
	mkey->alias = true;
	mkey->access = t->access;
	mkey->addr = t->addr;
	mkey->len = t->len;
	err = share_create_alias(mkey, t);
	if (err) {
		free(mkey);
		return err;
	}
	err = share_check_alias(mkey);
	if (err) {
		struct dvx_error why = *dvx_last_error();

		dvx_obj_forget(mkey->obj);
		free(mkey);
		return dvx_restore(&why);
	}
	dvx_ref(&pd->refs);
	*out = mkey;
	return 0;
}
