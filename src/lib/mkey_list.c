/* SPDX-License-Identifier: BSD-2-Clause */
/* Indirect mkeys: lists of pieces of other mkeys, in the command or by work requests (umr.h). */
#include <dvx/prm/cmd.h>
#include <dvx/prm/mkey.h>
#include "priv.h"

#define MAX_PIECES (1u << 16)

static int lib_list_check(struct dvx_dev *dev, const struct dvx_mkey_list_attr *attr)
{
	uint32_t i;

	if (!attr->pd || attr->pd->dev != dev)
		return dvx_fail(EINVAL, "dvx_mkey_create_of: attr.pd is not of this device");
	if (!attr->n || attr->n > MAX_PIECES || !attr->pieces)
		return dvx_fail(EINVAL,
				"dvx_mkey_create_of: attr.n is %u, not 1 to %u, or no pieces",
				attr->n, MAX_PIECES);
	if (attr->log_entity > 31)
		return dvx_fail(EINVAL, "dvx_mkey_create_of: attr.log_entity is %u, not 0 to 31",
				attr->log_entity);
	for (i = 0; i < attr->n; i++) {
		if (dvx_wqe_bad_length(&attr->pieces[i], 1))
			return dvx_fail(EINVAL,
					"dvx_mkey_create_of: attr.pieces[%u].length is %u, not 1 "
					"to 2 GiB",
					i, attr->pieces[i].length);
		if (attr->log_entity && attr->pieces[i].length != 1u << attr->log_entity)
			return dvx_fail(EINVAL,
					"dvx_mkey_create_of: attr.pieces[%u].length is %u, all are "
					"1 << attr.log_entity, %u",
					i, attr->pieces[i].length, 1u << attr->log_entity);
	}
	return dvx_access_check("dvx_mkey_create_of", "attr.access", attr->access);
}

/* Sets the same fields as mlx5dv_create_mkey(): room for a list, which a UMR writes. */
void dvx_mkey_list_context(const struct dvx_mkey *mkey, void *mkc, uint32_t max_pieces)
{
	dvx_mkey_context(mkey, mkc);
	prm_mkc_set_access_mode_1_0(mkc, PRM_MKC_ACCESS_MODE_1_0_KLM);
	prm_mkc_set_free(mkc, 1);
	prm_mkc_set_umr_en(mkc, 1);
	prm_mkc_set_translations_octword_size(mkc, dvx_umr_room(max_pieces));
}

static int lib_list_empty(struct dvx_mkey *mkey, uint32_t max_pieces, bool window)
{
	uint8_t in[PRM_CREATE_MKEY_IN_BYTES] = {0};
	void *mkc = prm_create_mkey_in_at_memory_key_mkey_entry(in);

	prm_create_mkey_in_set_opcode(in, PRM_OPCODE_CREATE_MKEY);
	dvx_mkey_list_context(mkey, mkc, max_pieces);
	prm_mkc_set_en_rinval(mkc, window);
	return dvx_mkey_submit(mkey, in, sizeof(in));
}

static int lib_list_create(const char *call, struct dvx_dev *dev, struct dvx_pd *pd,
			   uint32_t max_pieces, bool window, struct dvx_mkey **out)
{
	struct dvx_mkey *mkey;
	int err = dvx_check_not_null(call, "dev", dev, "pd", pd, "out", out, NULL);

	if (err)
		return err;
	if (pd->dev != dev)
		return dvx_fail(EINVAL, "%s: pd is not of this device", call);
	if (!max_pieces || max_pieces > MAX_PIECES)
		return dvx_fail(EINVAL, "%s: max_pieces is %u, not 1 to %u", call, max_pieces,
				MAX_PIECES);
	mkey = dvx_mkey_new(dev, pd, 0);
	if (!mkey)
		return -ENOMEM;
	err = lib_list_empty(mkey, max_pieces, window);
	if (err)
		dvx_mkey_drop(mkey);
	else
		*out = mkey;
	return err;
}

int dvx_mkey_create_list(struct dvx_dev *dev, struct dvx_pd *pd, uint32_t max_pieces,
			 struct dvx_mkey **out)
{
	return lib_list_create("dvx_mkey_create_list", dev, pd, max_pieces, false, out);
}

/* Makes the same mkey as ibv_alloc_mw(): a list of one piece, which a peer may invalidate. */
int dvx_mkey_create_window(struct dvx_dev *dev, struct dvx_pd *pd, struct dvx_mkey **out)
{
	return lib_list_create("dvx_mkey_create_window", dev, pd, 1, true, out);
}

/* Writes the entries. The first word, a byte count, is 0 in KSM entries. */
static void lib_list_write(uint8_t *to, const struct dvx_mkey_list_attr *attr)
{
	uint32_t i;

	for (i = 0; i < attr->n; i++, to += PRM_KLM_BYTES) {
		if (!attr->log_entity)
			prm_klm_set_byte_count(to, attr->pieces[i].length & (DVX_MAX_SEGMENT - 1));
		prm_klm_set_mkey(to, attr->pieces[i].lkey);
		prm_klm_set_address(to, attr->pieces[i].addr);
	}
}

static int lib_list_command(struct dvx_mkey *mkey, const struct dvx_mkey_list_attr *attr)
{
	uint32_t room = dvx_umr_room(attr->n);
	size_t len = PRM_CREATE_MKEY_IN_BYTES + (size_t)room * PRM_KLM_BYTES;
	uint8_t *in = calloc(1, len);
	void *mkc;
	int err;

	if (!in)
		return dvx_fail(ENOMEM, "no memory for %u pieces", attr->n);
	prm_create_mkey_in_set_opcode(in, PRM_OPCODE_CREATE_MKEY);
	prm_create_mkey_in_set_translations_octword_actual_size(in, room);
	mkc = prm_create_mkey_in_at_memory_key_mkey_entry(in);
	dvx_mkey_context(mkey, mkc);
	prm_mkc_set_access_mode_1_0(mkc, attr->log_entity ? PRM_MKC_ACCESS_MODE_1_0_KSM
							  : PRM_MKC_ACCESS_MODE_1_0_KLM);
	prm_mkc_set_log_page_size(mkc, attr->log_entity);
	prm_mkc_set_translations_octword_size(mkc, room);
	lib_list_write(in + PRM_CREATE_MKEY_IN_BYTES, attr);
	err = dvx_mkey_submit(mkey, in, len);
	free(in);
	return err;
}

int dvx_mkey_create_of(struct dvx_dev *dev, const struct dvx_mkey_list_attr *user,
		       struct dvx_mkey **out)
{
	struct dvx_mkey_list_attr attr;
	struct dvx_mkey *mkey;
	uint32_t i;
	int err = dvx_attr_copy(&attr, user, "dvx_mkey_create_of");

	if (!err)
		err = dvx_check_not_null("dvx_mkey_create_of", "dev", dev, "out", out, NULL);
	if (!err)
		err = lib_list_check(dev, &attr);
	if (err)
		return err;
	mkey = dvx_mkey_new(dev, attr.pd, attr.access);
	if (!mkey)
		return -ENOMEM;
	for (i = 0; i < attr.n; i++)
		mkey->len += attr.pieces[i].length;
	mkey->addr = attr.iova;
	err = lib_list_command(mkey, &attr);
	if (err)
		dvx_mkey_drop(mkey);
	else
		*out = mkey;
	return err;
}
