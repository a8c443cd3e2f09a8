/* SPDX-License-Identifier: BSD-2-Clause */
/* Mkeys that only the kernel can make: on-demand paging, and the null mkey. */
#include "priv.h"

_Static_assert((int)DVX_LOCAL_WRITE == (int)IBV_ACCESS_LOCAL_WRITE &&
		       (int)DVX_REMOTE_WRITE == (int)IBV_ACCESS_REMOTE_WRITE &&
		       (int)DVX_REMOTE_READ == (int)IBV_ACCESS_REMOTE_READ &&
		       (int)DVX_REMOTE_ATOMIC == (int)IBV_ACCESS_REMOTE_ATOMIC &&
		       (int)DVX_RELAXED_ORDERING == (int)IBV_ACCESS_RELAXED_ORDERING,
	       "rights are those of verbs");

int dvx_mkey_on_demand(struct dvx_mkey *mkey, const struct dvx_mkey_attr *attr)
{
	unsigned int access = attr->access | IBV_ACCESS_ON_DEMAND;

	if (!attr->pd->ibpd)
		return dvx_fail(EINVAL, "dvx_mkey_create: on demand, attr.pd is one of verbs: "
					"ibv_alloc_pd(), then dvx_pd_adopt()");
	if (attr->umem)
		return dvx_fail(EINVAL, "dvx_mkey_create: attr.umem is pinned, not on demand");
	if (attr->addr ? attr->len == SIZE_MAX : attr->len != SIZE_MAX || attr->iova)
		return dvx_fail(EINVAL, "dvx_mkey_create: on demand, all memory is attr.addr NULL "
					"with attr.len SIZE_MAX and no iova");
	errno = 0;
	mkey->mr = ibv_reg_mr_iova(attr->pd->ibpd, attr->addr, attr->len, mkey->addr, access);
	if (!mkey->mr)
		return dvx_fail(errno ? errno : EIO,
				"%s: the kernel makes no key of pages on demand (dvx-info why-not "
				"odp says what is missing)",
				dvx_dev_name(mkey->dev));
	mkey->key = mkey->mr->lkey;
	return 0;
}

int dvx_mkey_dereg(struct dvx_mkey *mkey)
{
	int err = ibv_dereg_mr(mkey->mr);

	return err ? dvx_fail(err, "the kernel still uses the key") : 0;
}

/* libmlx5 gets the key from the kernel, and returns it for any PD. */
int dvx_dev_null_key(struct dvx_dev *dev, uint32_t *lkey)
{
	int err = dvx_check_not_null("dvx_dev_null_key", "dev", dev, "lkey", lkey, NULL);
	struct ibv_pd *pd;
	struct ibv_mr *mr;

	if (err)
		return err;
	pd = ibv_alloc_pd(dev->ctx);
	if (!pd)
		return dvx_fail(errno ? errno : EIO, "no PD to ask for the null mkey by");
	mr = ibv_alloc_null_mr(pd);
	if (mr) {
		*lkey = mr->lkey;
		ibv_dereg_mr(mr);
	}
	ibv_dealloc_pd(pd);
	return mr ? 0
		  : dvx_fail(EOPNOTSUPP, "%s has no null mkey (dump_fill_mkey)", dvx_dev_name(dev));
}
