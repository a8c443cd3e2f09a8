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

static void uverbs_pd_describe(struct uobj *u, struct uverbs_resource *r)
{
	r->kind = RESOURCE_PD;
	r->id = u->number;
}

const struct uobj_class pd_class = {"PD", UVERBS_OBJECT_PD, PRM_OPCODE_DEALLOC_PD, NULL,
				    uverbs_pd_describe};

int wcmd_alloc_pd(struct wcmd *c)
{
	struct ib_uverbs_alloc_pd_resp resp = {0};
	struct mlx5_ib_alloc_pd_resp uhw;
	struct uobj *pd = uobj_new(c->f, &pd_class, sizeof(struct uobj));
	int err;

	if (!pd)
		return -ENOMEM;
	err = mbox_alloc(c->f->vhca, PRM_OPCODE_ALLOC_PD, pd->uid, &pd->number);
	if (err)
		return err;
	resp.pd_handle = pd->id;
	uhw.pdn = pd->number;
	wcmd_out(c, &resp, sizeof(resp));
	attr_out(c->req, UVERBS_ATTR_UHW_OUT, &uhw, sizeof(uhw));
	return 0;
}

int mlx5_pd_query(struct uverbs_file *f, struct uverbs_request *req)
{
	struct uobj *u;
	int err = attr_uobj(f, req, MLX5_IB_ATTR_QUERY_PD_HANDLE, &pd_class, &u);

	if (!err)
		attr_out(req, MLX5_IB_ATTR_QUERY_PD_RESP_PDN, &u->number, sizeof(u->number));
	return err;
}
