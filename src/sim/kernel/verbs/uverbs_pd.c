/* SPDX-License-Identifier: BSD-2-Clause */
/* Protection domains. */
#include <errno.h>
#include <dvx/prm/cmd.h>
#include <dvx/prm/misc.h>
#include <rdma/ib_user_ioctl_cmds.h>
#include <rdma/ib_user_verbs.h>
#include <rdma/mlx5-abi.h>
#include <rdma/mlx5_user_ioctl_cmds.h>
#include "kernel/core/cmd.h"
#include "priv.h"
#include "uverbs/resource.h"

static int uverbs_pd_release(struct uobj *u)
{
	const struct pd *pd = (struct pd *)u;

	return mbox_destroy(u->file->vhca, PRM_OPCODE_DEALLOC_PD, pd->uid, pd->pdn);
}

static void uverbs_pd_describe(struct uobj *u, struct uverbs_resource *r)
{
	r->kind = RESOURCE_PD;
	r->id = ((const struct pd *)u)->pdn;
}

const struct uobj_class pd_class = {"PD", UVERBS_OBJECT_PD, uverbs_pd_release, uverbs_pd_describe};

int wcmd_alloc_pd(struct wcmd *c)
{
	uint8_t in[PRM_ALLOC_PD_IN_BYTES] = {0};
	uint8_t out[PRM_ALLOC_PD_OUT_BYTES];
	struct ib_uverbs_alloc_pd_resp resp = {0};
	struct mlx5_ib_alloc_pd_resp uhw;
	struct pd *pd = uobj_new(c->f, &pd_class, sizeof(*pd));
	int err;

	if (!pd)
		return -ENOMEM;
	prm_alloc_pd_in_set_opcode(in, PRM_OPCODE_ALLOC_PD);
	prm_alloc_pd_in_set_uid(in, c->f->uid);
	err = mbox_exec(c->f->vhca, in, sizeof(in), out, sizeof(out));
	if (err) {
		uobj_drop(&pd->u);
		return err;
	}
	pd->pdn = prm_alloc_pd_out_get_pd(out);
	pd->uid = c->f->uid;
	resp.pd_handle = pd->u.id;
	uhw.pdn = pd->pdn;
	wcmd_out(c, &resp, sizeof(resp));
	attr_out(c->req, UVERBS_ATTR_UHW_OUT, &uhw, sizeof(uhw));
	return 0;
}

int wcmd_dealloc_pd(struct wcmd *c)
{
	return uobj_destroy_handle(c->f, ((const struct ib_uverbs_dealloc_pd *)c->in)->pd_handle,
				   &pd_class);
}

int mlx5_pd_query(struct uverbs_file *f, struct uverbs_request *req)
{
	struct uobj *u;
	int err = attr_uobj(f, req, MLX5_IB_ATTR_QUERY_PD_HANDLE, &pd_class, &u);

	if (!err)
		attr_out(req, MLX5_IB_ATTR_QUERY_PD_RESP_PDN, &((struct pd *)u)->pdn, 4);
	return err;
}
