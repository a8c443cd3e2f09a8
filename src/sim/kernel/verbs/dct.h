/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef SIM_KERNEL_VERBS_DCT_H
#define SIM_KERNEL_VERBS_DCT_H

#include "priv.h"
#include "qp_plan.h"

/*
 * DC targets, as in mlx5_ib: verbs has a queue pair, for which the firmware makes an object at the
 * change to RTR. Until then its context is gathered in qp->dct.
 */
int dct_plan_check(const struct qp_plan *);
int dct_qp_create(struct uverbs_qp *, const struct qp_plan *);
int dct_qp_destroy(struct uverbs_qp *);
int dct_qp_modify(struct uverbs_qp *, const struct ib_uverbs_modify_qp *,
		  const struct uverbs_attr *uhw_out);
int dct_qp_query(struct uverbs_qp *, uint32_t mask, struct ib_uverbs_query_qp_resp *);

#endif
