/* SPDX-License-Identifier: BSD-2-Clause */
/* Mkeys with room for signatures and encryption, and the decoding of their errors. */
#include <stdio.h>
#include <dvx/prm/cap.h>
#include <dvx/prm/cmd.h>
#include <dvx/prm/dct.h>
#include <dvx/prm/mkey.h>
#include "priv.h"

#define BSF_OCTWORDS (PRM_BSF_BYTES / 16)

static int sig_supported(struct dvx_dev *dev)
{
	const void *cap;
	int err = dvx_dev_cap_page(dev, PRM_HCA_CAP_TYPE_GENERAL, &cap);

	if (err)
		return err;
	return prm_cmd_hca_cap_get_sho(cap)
		       ? 0
		       : dvx_fail(EOPNOTSUPP, "%s has no block signatures (sho)",
				  dvx_dev_name(dev));
}

static int sig_attr_check(struct dvx_dev *dev, const struct dvx_mkey_sig_attr *attr)
{
	int err = 0;

	if (!attr->pd || attr->pd->dev != dev)
		return dvx_fail(EINVAL, "dvx_mkey_create_sig: attr.pd is not of this device");
	if (!attr->flags || attr->flags & ~(uint32_t)(DVX_MKEY_SIGNS | DVX_MKEY_ENCRYPTS))
		return dvx_fail(EINVAL,
				"dvx_mkey_create_sig: attr.flags is 0x%x, not DVX_MKEY_SIGNS, "
				"DVX_MKEY_ENCRYPTS or both",
				attr->flags);
	if (!attr->max_pieces || attr->max_pieces > DVX_MAX_DS)
		return dvx_fail(EINVAL, "dvx_mkey_create_sig: attr.max_pieces is %u, not 1 to %u",
				attr->max_pieces, DVX_MAX_DS);
	if (attr->flags & DVX_MKEY_SIGNS)
		err = sig_supported(dev);
	if (!err && attr->flags & DVX_MKEY_ENCRYPTS)
		err = dvx_crypt_supported(dev);
	return err;
}

static int psv_create(struct dvx_mkey *mkey, int side)
{
	uint8_t in[PRM_CREATE_PSV_IN_BYTES] = {0}, reply[PRM_CREATE_PSV_OUT_BYTES];
	int err;

	prm_create_psv_in_set_opcode(in, PRM_OPCODE_CREATE_PSV);
	prm_create_psv_in_set_num_psv(in, 1);
	prm_create_psv_in_set_pd(in, mkey->pd->pdn);
	err = dvx_obj_create(mkey->dev, in, sizeof(in), reply, sizeof(reply),
			     &mkey->sig->psv[side]);
	if (!err)
		mkey->sig->open.psv[side] = prm_create_psv_out_get_psv0_index(reply);
	return err;
}

static int sig_command(struct dvx_mkey *mkey, const struct dvx_mkey_sig_attr *attr)
{
	const bool signs = attr->flags & DVX_MKEY_SIGNS, encrypts = attr->flags & DVX_MKEY_ENCRYPTS;
	uint8_t in[PRM_CREATE_MKEY_IN_BYTES] = {0};
	void *mkc = prm_create_mkey_in_at_memory_key_mkey_entry(in);

	prm_create_mkey_in_set_opcode(in, PRM_OPCODE_CREATE_MKEY);
	dvx_mkey_list_context(mkey, mkc, attr->max_pieces);
	prm_mkc_set_crypto_en(mkc, encrypts);
	prm_mkc_set_bsf_en(mkc, 1);
	prm_mkc_set_bsf_octword_size(mkc, (uint32_t)(signs + encrypts) * BSF_OCTWORDS);
	return dvx_mkey_submit(mkey, in, sizeof(in));
}

static int lib_sig_make(struct dvx_mkey *mkey, const struct dvx_mkey_sig_attr *attr)
{
	struct dvx_mkey_sig *sig = calloc(1, sizeof(*sig));
	int err = 0, i;

	if (!sig)
		return dvx_fail(ENOMEM, "no memory for an mkey");
	mkey->sig = sig;
	/* The device reports no error before a request has set the count; libmlx5 does the same. */
	sig->open.errors = 1;
	sig->open.unanswered = sig->open.signs = attr->flags & DVX_MKEY_SIGNS;
	sig->open.encrypts = attr->flags & DVX_MKEY_ENCRYPTS;
	for (i = 0; i < 2 && sig->open.signs && !err; i++)
		err = psv_create(mkey, i);
	if (!err)
		err = sig_command(mkey, attr);
	sig->open.key = mkey->key;
	return err;
}

int dvx_mkey_create_sig(struct dvx_dev *dev, const struct dvx_mkey_sig_attr *user,
			struct dvx_mkey **out)
{
	struct dvx_mkey_sig_attr attr;
	struct dvx_mkey *mkey;
	int err = dvx_attr_copy(&attr, user, "dvx_mkey_create_sig");

	if (!err)
		err = dvx_check_not_null("dvx_mkey_create_sig", "dev", dev, "out", out, NULL);
	if (!err)
		err = sig_attr_check(dev, &attr);
	if (err)
		return err;
	mkey = dvx_mkey_new(dev, attr.pd, 0);
	if (!mkey)
		return -ENOMEM;
	err = lib_sig_make(mkey, &attr);
	if (err)
		dvx_mkey_drop(mkey);
	else
		*out = mkey;
	return err;
}

struct dvx_sig_key *dvx_mkey_sig(struct dvx_mkey *mkey)
{
	return mkey->sig ? &mkey->sig->open : NULL;
}

/* --- errors ---------------------------------------------------------------------------------- */

/* Extracts the wrong part from the CQE's expected and actual 64-bit values. */
static void sig_error_part(const struct dvx_sig_side *s, const void *cqe, struct dvx_sig_error *out)
{
	uint32_t shift = s->type == DVX_SIG_CRC64 ? 0 : s->type <= DVX_SIG_CRC32C ? 32 : 48;
	uint64_t mask = UINT64_MAX;

	out->part = DVX_SIG_GUARD;
	if (prm_sig_err_cqe_get_sig_reftag(cqe)) {
		out->part = DVX_SIG_REF_TAG;
		shift = 0;
		mask = UINT32_MAX;
	} else if (prm_sig_err_cqe_get_sig_apptag(cqe)) {
		out->part = DVX_SIG_APP_TAG;
		shift = 32;
		mask = UINT16_MAX;
	}
	out->expected = out->expected >> shift & mask;
	out->actual = out->actual >> shift & mask;
}

int dvx_sig_error_read(struct dvx_sig_key *key, const void *cqe, struct dvx_sig_error *out)
{
	int err =
		dvx_check_not_null("dvx_sig_error_read", "key", key, "cqe", cqe, "out", out, NULL);

	if (err)
		return err;
	if (!dvx_cqe_is_sig_error(cqe) || dvx_cqe_sig_key(cqe) >> 8 != key->key >> 8)
		return dvx_fail(ENOENT,
				"dvx_sig_error_read: cqe is no signature error of mkey 0x%x",
				key->key);
	out->key = dvx_cqe_sig_key(cqe);
	out->wire = prm_sig_err_cqe_get_domain(cqe) == PRM_SIG_DOMAIN_WIRE;
	out->offset = prm_sig_err_cqe_get_err_offset(cqe);
	out->expected = (uint64_t)prm_sig_err_cqe_get_expected_trans_sig(cqe) << 32 |
			prm_sig_err_cqe_get_expected_reftag(cqe);
	out->actual = (uint64_t)prm_sig_err_cqe_get_actual_trans_sig(cqe) << 32 |
		      prm_sig_err_cqe_get_actual_reftag(cqe);
	sig_error_part(out->wire ? &key->last.wire : &key->last.memory, cqe, out);
	key->errors ^= 1;
	key->unanswered = true;
	return 0;
}

int dvx_sig_error_text(const struct dvx_sig_error *e, char *text, size_t size)
{
	return snprintf(text, size,
			"mkey 0x%x: the block at byte %llu %s has the %s 0x%llx, but its data make "
			"0x%llx",
			e->key, (unsigned long long)e->offset,
			e->wire ? "of the wire" : "in memory",
			e->part == DVX_SIG_GUARD     ? "CRC or guard"
			: e->part == DVX_SIG_APP_TAG ? "application tag"
						     : "reference tag",
			(unsigned long long)e->expected, (unsigned long long)e->actual);
}
