/* SPDX-License-Identifier: BSD-2-Clause */
/* REREG_MR: changes a region's translation, PD or access. */
#include <errno.h>
#include <dvx/prm/cap.h>
#include <dvx/prm/cmd.h>
#include <dvx/prm/mkey.h>
#include <rdma/ib_user_ioctl_verbs.h>
#include <rdma/ib_user_verbs.h>
#include "fw/fw.h"
#include "kernel/core/cmd.h"
#include "kernel/core/pages.h"
#include "mr.h"
#include "priv.h"

/* enum ib_mr_rereg_flags */
enum { REREG_TRANS = 1 << 0, REREG_PD = 1 << 1, REREG_ACCESS = 1 << 2 };

static int rereg_check(const struct ib_uverbs_rereg_mr *r)
{
	if (!r->flags)
		return refuse(-EINVAL, "REREG_MR: flags is 0: nothing would change");
	if (r->flags & ~(uint32_t)(REREG_TRANS | REREG_PD | REREG_ACCESS))
		return refuse(-EOPNOTSUPP, "REREG_MR: flags 0x%x has unknown bits", r->flags);
	return r->flags & REREG_TRANS ? mr_check_offsets(r->start, r->hca_va) : 0;
}

/* Computes the region's new attributes: those that do not change are taken from mr. */
static int rereg_wanted(struct uverbs_file *f, const struct ib_uverbs_rereg_mr *r,
			const struct mr *mr, struct ib_uverbs_reg_mr *to, struct uobj **pd)
{
	int err = 0;

	*to = (struct ib_uverbs_reg_mr){
		.start = mr->start,
		.length = mr->len,
		.hca_va = mr->iova,
		.access_flags = mr->access,
	};
	*pd = mr->pd;
	if (mr->dm)
		return refuse(-EINVAL, "REREG_MR: mr_handle %u is device memory", r->mr_handle);
	if (r->flags & REREG_TRANS) {
		to->start = r->start;
		to->length = r->length;
		to->hca_va = r->hca_va;
	}
	if (r->flags & REREG_ACCESS) {
		to->access_flags = r->access_flags;
		err = mr_check_access(f, r->access_flags);
	}
	if (!err && r->flags & REREG_PD)
		err = uobj_find(f, r->pd_handle, &pd_class, pd);
	if (err)
		return err;
	if ((to->access_flags ^ mr->access) & IB_UVERBS_ACCESS_ON_DEMAND &&
	    !(r->flags & REREG_TRANS))
		return refuse(-EOPNOTSUPP,
			      "REREG_MR: access_flags 0x%x: on demand or not changes with a new "
			      "translation only",
			      to->access_flags);
	return 0;
}

/* Flags that mlx5_ib changes by UMR (can_use_umr_rereg_access()). */
#define UMR_ACCESS                                                       \
	(IB_UVERBS_ACCESS_LOCAL_WRITE | IB_UVERBS_ACCESS_REMOTE_WRITE |  \
	 IB_UVERBS_ACCESS_REMOTE_READ | IB_UVERBS_ACCESS_REMOTE_ATOMIC | \
	 IB_UVERBS_ACCESS_RELAXED_ORDERING)

static bool rereg_keeps_key(const struct mr *mr, const struct ib_uverbs_reg_mr *to)
{
	const uint32_t changes = mr->access ^ to->access_flags;
	const uint8_t *cap = file_caps(mr->u.file);

	if (mr_is_implicit(to) || changes & ~(uint32_t)UMR_ACCESS)
		return false;
	return !(changes & IB_UVERBS_ACCESS_RELAXED_ORDERING) ||
	       (prm_cmd_hca_cap_get_relaxed_ordering_write_umr(cap) &&
		prm_cmd_hca_cap_get_relaxed_ordering_read_umr(cap));
}

/* Changes PD and access in place, as the kernel's UMR does: the key stays. */
static int rereg_in_place(struct mr *mr, const struct ib_uverbs_reg_mr *to, struct uobj *pd)
{
	uint8_t mkc[PRM_MKC_BYTES] = {0};
	const struct pages none = {0};
	int err;

	mr_set_mkc(mkc, to, &none, pd->number);
	err = fw_mkey_umr(mr->u.file->vhca, mr->u.number, pd->number, mkc);
	if (err)
		return err;
	uobj_hold_instead(&mr->u, mr->pd, pd);
	mr->pd = pd;
	mr->access = to->access_flags;
	return 0;
}

/* Makes a new mkey for the same pages. */
static int rereg_other_key(struct mr *mr, const struct ib_uverbs_reg_mr *to, struct uobj *pd)
{
	const struct mr before = *mr;
	struct vhca *v = mr->u.file->vhca;
	int err;

	if (!mr_is_implicit(to) && (mr->dmabuf || mr->access & IB_UVERBS_ACCESS_ON_DEMAND))
		return refuse(-EOPNOTSUPP,
			      "REREG_MR: access_flags 0x%x: a region on demand or of a dma-buf "
			      "changes so with a new translation only",
			      to->access_flags);
	mr->pd = pd;
	err = mr_create_mkey(mr, to);
	if (!err) {
		err = mbox_destroy(v, PRM_OPCODE_DESTROY_MKEY, 0, before.u.number);
		if (err)
			(void)mbox_destroy(v, PRM_OPCODE_DESTROY_MKEY, 0, mr->u.number);
	}
	if (err) {
		*mr = before;
		return err;
	}
	uobj_hold_instead(&mr->u, before.pd, pd);
	mr->access = to->access_flags;
	return 0;
}

/* Makes a new region, which gets the old handle. If anything fails, the old one is unchanged. */
static int rereg_anew(struct mr **mr, const struct ib_uverbs_reg_mr *to, struct uobj *pd)
{
	struct mr *old = *mr;
	int err;

	*mr = mr_new(old->u.file, file_mm(old->u.file), to, pd, &err);
	if (!*mr)
		return err;
	uobj_swap(&old->u, &(*mr)->u);
	err = uobj_destroy(&old->u);
	if (err) {
		uobj_swap(&old->u, &(*mr)->u);
		(void)uobj_destroy(&(*mr)->u);
	}
	return err;
}

int wcmd_rereg_mr(struct wcmd *c)
{
	const struct ib_uverbs_rereg_mr *r = c->in;
	struct ib_uverbs_rereg_mr_resp resp = {0};
	struct ib_uverbs_reg_mr to;
	struct uobj *pd;
	struct mr *mr;
	int err = rereg_check(r) ?:
		  uobj_find(c->f, r->mr_handle, &mr_class, &mr) ?:
		  rereg_wanted(c->f, r, mr, &to, &pd);

	/* without a new translation the pins do not change */
	if (!err && r->flags & REREG_TRANS)
		err = mr_check_memory(c->f, &to);
	if (err)
		return err;
	if (r->flags & REREG_TRANS)
		err = rereg_anew(&mr, &to, pd);
	else
		err = (rereg_keeps_key(mr, &to) ? rereg_in_place : rereg_other_key)(mr, &to, pd);
	if (err)
		return err;
	resp.lkey = resp.rkey = mr->key;
	wcmd_out(c, &resp, sizeof(resp));
	return 0;
}
