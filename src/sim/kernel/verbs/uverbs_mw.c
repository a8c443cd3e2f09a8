/* SPDX-License-Identifier: BSD-2-Clause */
/* Memory windows: free mkeys with room for a range of another mkey. WQEs (UMR) bind them. */
#include <errno.h>
#include <dvx/prm/cmd.h>
#include <dvx/prm/mkey.h>
#include <rdma/ib_user_ioctl_cmds.h>
#include <rdma/ib_user_verbs.h>
#include <rdma/mlx5-abi.h>
#include "kernel/core/cmd.h"
#include "kernel/core/write.h"
#include "mr.h"
#include "priv.h"

#define MW_TYPE_1 1
#define MW_TYPE_2 2
#define LIST_UNIT 4u /* lists have a multiple of four entries */

const struct uobj_class mw_class = {"MW", UVERBS_OBJECT_MW, PRM_OPCODE_DESTROY_MKEY, NULL, NULL};

static int mw_create_mkey(struct uobj *mw, uint32_t pdn, uint8_t type, uint32_t entries,
			  uint32_t *key)
{
	uint8_t in[PRM_CREATE_MKEY_IN_BYTES] = {0};
	void *mkc = prm_create_mkey_in_at_memory_key_mkey_entry(in);

	prm_mkc_set_free(mkc, 1);
	prm_mkc_set_translations_octword_size(mkc, entries);
	prm_mkc_set_pd(mkc, pdn);
	prm_mkc_set_umr_en(mkc, 1);
	prm_mkc_set_lr(mkc, 1);
	prm_mkc_set_access_mode_1_0(mkc, PRM_MKC_ACCESS_MODE_KLM);
	prm_mkc_set_en_rinval(mkc, type == MW_TYPE_2);
	prm_mkc_set_qpn(mkc, 0xffffff);
	return mkey_create(mw, in, sizeof(in), key);
}

static int mw_entries(struct wcmd *c, uint32_t *entries)
{
	struct mlx5_ib_alloc_mw u;
	int err = attr_in(c->req, UVERBS_ATTR_UHW_IN, "ALLOC_MW: UHW_IN", &u, sizeof(u));

	if (!err && (u.comp_mask || u.reserved1 || u.reserved2))
		err = refuse(-EOPNOTSUPP,
			     "ALLOC_MW: UHW_IN: comp_mask or a reserved field is not zero");
	*entries = u.num_klms ? (u.num_klms + LIST_UNIT - 1u) / LIST_UNIT * LIST_UNIT : LIST_UNIT;
	return err;
}

int wcmd_alloc_mw(struct wcmd *c)
{
	const struct ib_uverbs_alloc_mw *r = c->in;
	struct ib_uverbs_alloc_mw_resp resp = {0};
	uint32_t entries;
	struct uobj *pd;
	struct uobj *mw;
	int err = uobj_find(c->f, r->pd_handle, &pd_class, &pd);

	if (!err && r->mw_type != MW_TYPE_1 && r->mw_type != MW_TYPE_2)
		err = refuse(-EINVAL, "ALLOC_MW: mw_type %u is neither 1 nor 2", r->mw_type);
	if (!err)
		err = mw_entries(c, &entries);
	if (err)
		return err;
	mw = uobj_new(c->f, &mw_class, sizeof(*mw));
	if (!mw)
		return -ENOMEM;
	err = mw_create_mkey(mw, pd->number, r->mw_type, entries, &resp.rkey);
	if (err)
		return err;
	uobj_hold(mw, pd);
	resp.mw_handle = mw->id;
	wcmd_out(c, &resp, sizeof(resp));
	return 0;
}
