/* SPDX-License-Identifier: BSD-2-Clause */
/* Address handles. They have no hardware object: the kernel only resolves the MAC address. */
#include <errno.h>
#include <rdma/ib_user_ioctl_cmds.h>
#include <rdma/ib_user_verbs.h>
#include <rdma/mlx5-abi.h>
#include "priv.h"

const struct uobj_class ah_class = {"AH", UVERBS_OBJECT_AH, 0, NULL, NULL};

static int uverbs_ah_check(const struct uverbs_file *f, const struct ib_uverbs_ah_attr *a,
			   uint8_t mac[6])
{
	int err;

	if (!a->is_global)
		return refuse(-EINVAL, "CREATE_AH: is_global is 0, Ethernet needs a GRH");
	err = port_sgid_check(f, "CREATE_AH", a->grh.sgid_index);
	if (err)
		return err;
	return port_resolve(f, "CREATE_AH", a->grh.sgid_index, a->grh.dgid, mac);
}

int wcmd_create_ah(struct wcmd *c)
{
	const struct ib_uverbs_create_ah *in = c->in;
	struct mlx5_ib_create_ah_resp uhw = {.response_length = sizeof(uhw)};
	struct ib_uverbs_create_ah_resp resp = {0};
	struct uobj *pd;
	struct uobj *ah;
	const struct uverbs_attr *out = attr_find(c->req, UVERBS_ATTR_UHW_OUT);
	int err = port_check(c->f, in->attr.port_num) ?:
		  uobj_find(c->f, in->pd_handle, &pd_class, &pd) ?:
		  uverbs_ah_check(c->f, &in->attr, uhw.dmac);

	if (!err && (!out || out->len < UPTO(mlx5_ib_create_ah_resp, dmac)))
		err = refuse(-EINVAL, "CREATE_AH: UHW_OUT has no room for the MAC address");
	if (err)
		return err;
	ah = uobj_new(c->f, &ah_class, sizeof(*ah));
	if (!ah)
		return -ENOMEM;
	uobj_hold(ah, pd);
	resp.ah_handle = ah->id;
	wcmd_out(c, &resp, sizeof(resp));
	attr_out(c->req, UVERBS_ATTR_UHW_OUT, &uhw, sizeof(uhw));
	return 0;
}
