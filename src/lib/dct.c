/* SPDX-License-Identifier: BSD-2-Clause */
/* Dynamically connected targets. */
#include <dvx/dc.h>
#include <dvx/prm/cap.h>
#include <dvx/prm/cmd.h>
#include <dvx/prm/dct.h>
#include <dvx/prm/qp.h>
#include "priv.h"

#define DCT_MAX_USER_INDEX 0xfffffeu

struct dvx_dct {
	struct dvx_dev *dev;
	struct dvx_pd *pd;
	struct dvx_cq_priv *cq;
	struct dvx_srq_priv *srq;
	struct dvx_obj *obj;
	uint32_t dctn;
};

static int dct_check(struct dvx_dev *dev, const struct dvx_dct_attr *attr)
{
	const void *cap;
	int err = dvx_dev_cap_page(dev, PRM_HCA_CAP_TYPE_GENERAL, &cap);

	if (err)
		return err;
	if (!prm_cmd_hca_cap_get_dct(cap))
		return dvx_fail(EOPNOTSUPP, "dvx_dct_create: %s has no dct", dvx_dev_name(dev));
	if (!attr->pd || attr->pd->dev != dev)
		return dvx_fail(EINVAL, "dvx_dct_create: attr.pd is not of this device");
	if (!attr->cq || !attr->cq->priv || attr->cq->priv->dev != dev)
		return dvx_fail(EINVAL, "dvx_dct_create: attr.cq is not of this device");
	if (!attr->srq || !attr->srq->priv || attr->srq->priv->dev != dev)
		return dvx_fail(EINVAL, "dvx_dct_create: attr.srq is not of this device");
	if (attr->srq->priv->xrc_cq)
		return dvx_fail(EINVAL, "dvx_dct_create: attr.srq is an XRC SRQ, to which only "
					"XRC's messages come");
	if (attr->user_index > DCT_MAX_USER_INDEX)
		return dvx_fail(EINVAL,
				"dvx_dct_create: attr.user_index 0x%x is not below 0xffffff",
				attr->user_index);
	return 0;
}

static void dct_fill_path(void *dctc, const struct dvx_qp_local *local)
{
	prm_dctc_set_port(dctc, local->port);
	prm_dctc_set_pkey_index(dctc, local->pkey_index);
	prm_dctc_set_my_addr_index(dctc, local->gid_index);
	prm_dctc_set_mtu(dctc, local->mtu_log - 7u);
	prm_dctc_set_tclass(dctc, local->traffic_class);
	prm_dctc_set_hop_limit(dctc, local->hop_limit);
	prm_dctc_set_eth_prio(dctc, local->sl & 7u);
	prm_dctc_set_min_rnr_nak(dctc, local->min_rnr_timer);
}

static int dct_command(struct dvx_dct *dct, const struct dvx_dct_attr *attr,
		       const struct dvx_qp_local *local)
{
	uint8_t in[PRM_CREATE_DCT_IN_BYTES] = {0}, reply[PRM_CREATE_DCT_OUT_BYTES];
	void *dctc = prm_create_dct_in_at_dct_context_entry(in);
	int err;

	prm_create_dct_in_set_opcode(in, PRM_OPCODE_CREATE_DCT);
	prm_dctc_set_user_index(dctc, attr->user_index);
	prm_dctc_set_cqn(dctc, attr->cq->cqn);
	prm_dctc_set_srqn_xrqn(dctc, attr->srq->srqn);
	prm_dctc_set_pd(dctc, attr->pd->pdn);
	prm_dctc_set_dc_access_key(dctc, attr->key);
	prm_dctc_set_rre(dctc, !!(local->access & DVX_REMOTE_READ));
	prm_dctc_set_rwe(dctc, !!(local->access & DVX_REMOTE_WRITE));
	prm_dctc_set_rae(dctc, !!(local->access & DVX_REMOTE_ATOMIC));
	if (local->access & DVX_REMOTE_ATOMIC)
		prm_dctc_set_atomic_mode(dctc, PRM_QPC_ATOMIC_MODE_UP_TO_8B);
	dct_fill_path(dctc, local);
	err = dvx_obj_create(dct->dev, in, sizeof(in), reply, sizeof(reply), &dct->obj);
	if (!err)
		dct->dctn = prm_create_dct_out_get_dctn(reply);
	return err;
}

static int dct_attach(struct dvx_dct *dct, uint32_t user_index)
{
	struct dvx_cq_queue queue = {.number = dct->dctn,
				     .user_index = user_index,
				     .srq = &dct->srq->ring,
				     .room = 1,
				     .shared = true,
				     .indexed = true};

	return dvx_cq_attach(dct->cq, &queue);
}

int dvx_dct_create(struct dvx_dev *dev, const struct dvx_dct_attr *user,
		   const struct dvx_qp_local *user_local, struct dvx_dct **out)
{
	struct dvx_dct_attr attr;
	struct dvx_qp_local local;
	struct dvx_dct *dct;
	int err = dvx_attr_copy(&attr, user, "dvx_dct_create");

	if (!err)
		err = dvx_check_not_null("dvx_dct_create", "dev", dev, "out", out, NULL);
	if (!err)
		err = dct_check(dev, &attr);
	if (!err)
		err = dvx_local_side(dev, "dvx_dct_create", user_local, &local);
	if (err)
		return err;
	dct = calloc(1, sizeof(*dct));
	if (!dct)
		return dvx_fail(ENOMEM, "no memory for a DC target");
	*dct = (struct dvx_dct){
		.dev = dev, .pd = attr.pd, .cq = attr.cq->priv, .srq = attr.srq->priv};
	err = dct_command(dct, &attr, &local);
	if (!err)
		err = dct_attach(dct, attr.user_index);
	if (err) {
		struct dvx_error why = *dvx_last_error();

		dvx_obj_forget(dct->obj);
		free(dct);
		return dvx_restore(&why);
	}
	dvx_ref(&dct->pd->refs);
	dvx_ref(&dct->srq->refs);
	*out = dct;
	return 0;
}

int dvx_dct_destroy(struct dvx_dct *dct)
{
	int err;

	if (!dct)
		return 0;
	err = dvx_obj_destroy(dct->obj); /* the kernel drains the target first */
	if (err)
		return err;
	dvx_cq_detach(dct->cq, dct->dctn);
	dvx_unref(&dct->srq->refs);
	dvx_unref(&dct->pd->refs);
	free(dct);
	return 0;
}

uint32_t dvx_dct_number(const struct dvx_dct *dct)
{
	return dct->dctn;
}

struct dvx_obj *dvx_dct_obj(const struct dvx_dct *dct)
{
	return dct->obj;
}

int dvx_dct_arm(struct dvx_dct *dct)
{
	uint8_t in[PRM_ARM_DCT_IN_BYTES] = {0}, reply[PRM_ARM_DCT_OUT_BYTES];
	int err = dvx_check_not_null("dvx_dct_arm", "dct", dct, NULL);

	if (err)
		return err;
	prm_arm_dct_in_set_opcode(in, PRM_OPCODE_ARM_DCT_FOR_KEY_VIOLATION);
	prm_arm_dct_in_set_dct_number(in, dct->dctn);
	return dvx_obj_modify(dct->obj, in, sizeof(in), reply, sizeof(reply));
}

int dvx_dct_blob_write(struct dvx_dct *dct, const struct dvx_qp_local *user,
		       uint8_t blob[DVX_QP_BLOB_BYTES])
{
	struct dvx_qp_local local;
	int err = dvx_check_not_null("dvx_dct_blob_write", "dct", dct, "blob", blob, NULL);

	if (!err)
		err = dvx_local_side(dct->dev, "dvx_dct_blob_write", user, &local);
	return err ? err : dvx_blob_write(dct->dev, dct->dctn, DVX_BLOB_DCT, &local, blob);
}
