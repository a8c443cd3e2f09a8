/* SPDX-License-Identifier: BSD-2-Clause */
/* DC targets. */
#include <errno.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <dvx/prm/cmd.h>
#include <dvx/prm/dct.h>
#include <dvx/prm/qp.h>
#include <rdma/ib_user_ioctl_verbs.h>
#include <rdma/ib_user_verbs.h>
#include <rdma/mlx5-abi.h>
#include "qp.h"
#include "kernel/core/cmd.h"

#define TO_INIT (A_STATE | A_ACCESS | A_PKEY_INDEX | A_PORT)
#define TO_RTR	(A_STATE | A_MIN_RNR_TIMER | A_AV | A_PATH_MTU)
#define QUERIES (A_STATE | A_ACCESS | A_PORT | A_MIN_RNR_TIMER | A_AV | A_PATH_MTU | A_PKEY_INDEX)

int dct_plan_check(const struct qp_plan *p)
{
	if (!p->srq || !p->rcq)
		return refuse(-EINVAL, "CREATE_QP: a DC target has an SRQ and a receive CQ");
	if (p->flags & ~(uint64_t)IB_UVERBS_QP_CREATE_SQ_SIG_ALL)
		return refuse(-EINVAL, "CREATE_QP: flags 0x%llx: a DC target has none",
			      (unsigned long long)p->flags);
	return 0;
}

int dct_qp_create(struct uverbs_qp *qp, const struct qp_plan *p)
{
	void *dctc;

	qp->dct = calloc(1, PRM_CREATE_DCT_IN_BYTES);
	if (!qp->dct)
		return -ENOMEM;
	mbox_begin(qp->dct, PRM_OPCODE_CREATE_DCT, p->pd->uid);
	dctc = prm_create_dct_in_at_dct_context_entry(qp->dct);
	prm_dctc_set_pd(dctc, p->pd->number);
	prm_dctc_set_srqn_xrqn(dctc, p->srq->q.u.number);
	prm_dctc_set_cqn(dctc, p->rcq->q.u.number);
	prm_dctc_set_dc_access_key(dctc, p->u.access_key);
	prm_dctc_set_user_index(dctc, p->u.uidx);
	prm_dctc_set_ece(dctc, p->u.ece_options);
	if (p->u.flags & MLX5_QP_FLAG_SCATTER_CQE && p->rcq->cqe_size == 128)
		prm_dctc_set_cs_res(dctc, PRM_QPC_CS_RES_UP_TO_64B);
	return 0;
}

int dct_qp_destroy(struct uverbs_qp *qp)
{
	struct vhca *v = qp->q.u.file->vhca;
	int err = 0;

	/* This fails if an earlier attempt, or the program, has drained the DCT already. */
	if (qp->state == RTR) {
		(void)mbox_destroy(v, PRM_OPCODE_DRAIN_DCT, qp->q.u.uid, qp->q.u.number);
		err = mbox_destroy(v, PRM_OPCODE_DESTROY_DCT, qp->q.u.uid, qp->q.u.number);
	}
	if (err && !qp->q.u.file->closing)
		return err;
	free(qp->dct);
	qp->dct = NULL;
	return 0;
}

/* --- states ---------------------------------------------------------------------------------- */

static int dct_to_init(struct uverbs_qp *qp, const struct ib_uverbs_modify_qp *m)
{
	void *dctc = prm_create_dct_in_at_dct_context_entry(qp->dct);
	int err = qp_attr_check("a DC target to INIT", m->attr_mask, TO_INIT, 0);

	if (err)
		return err;
	prm_dctc_set_rre(dctc, !!(m->qp_access_flags & IB_UVERBS_ACCESS_REMOTE_READ));
	prm_dctc_set_rwe(dctc, !!(m->qp_access_flags & IB_UVERBS_ACCESS_REMOTE_WRITE));
	if (m->qp_access_flags & IB_UVERBS_ACCESS_REMOTE_ATOMIC) {
		prm_dctc_set_rae(dctc, 1);
		prm_dctc_set_atomic_mode(dctc, PRM_QPC_ATOMIC_MODE_UP_TO_8B);
	}
	prm_dctc_set_pkey_index(dctc, m->pkey_index);
	prm_dctc_set_port(dctc, m->port_num);
	qp->ece = 0;
	qp->port = m->port_num;
	return 0;
}

static void dct_set_path(void *dctc, const struct ib_uverbs_modify_qp *m)
{
	const struct ib_uverbs_qp_dest *d = &m->dest;

	prm_dctc_set_min_rnr_nak(dctc, m->min_rnr_timer & 0x1f);
	prm_dctc_set_tclass(dctc, d->traffic_class);
	prm_dctc_set_flow_label(dctc, d->flow_label & 0xfffff);
	prm_dctc_set_mtu(dctc, m->path_mtu & 7);
	prm_dctc_set_my_addr_index(dctc, d->sgid_index);
	prm_dctc_set_hop_limit(dctc, d->hop_limit);
	prm_dctc_set_eth_prio(dctc, d->sl & 7);
}

/* Makes the DCT. The answer must have room for its number. */
static int dct_to_rtr(struct uverbs_qp *qp, const struct ib_uverbs_modify_qp *m,
		      const struct uverbs_attr *uhw_out)
{
	uint8_t out[PRM_CREATE_DCT_OUT_BYTES];
	int err;

	if (!uhw_out || uhw_out->len < offsetof(struct mlx5_ib_modify_qp_resp, ece_options))
		return refuse(-EINVAL, "MODIFY_QP: UHW_OUT has no room for a DC target's number");
	err = qp_attr_check("a DC target to RTR", m->attr_mask, TO_RTR, 0);
	if (err)
		return err;
	dct_set_path(prm_create_dct_in_at_dct_context_entry(qp->dct), m);
	prm_dctc_set_counter_set_id(prm_create_dct_in_at_dct_context_entry(qp->dct),
				    file_function(qp->q.u.file)->q_counter);
	err = mbox_exec(qp->q.u.file->vhca, qp->dct, PRM_CREATE_DCT_IN_BYTES, out, sizeof(out));
	if (err)
		return err;
	qp->q.u.number = prm_create_dct_out_get_dctn(out);
	qp->ece = prm_create_dct_out_get_ece(out);
	return 0;
}

int dct_qp_modify(struct uverbs_qp *qp, const struct ib_uverbs_modify_qp *m,
		  const struct uverbs_attr *uhw_out)
{
	int err;

	if (!(m->attr_mask & A_STATE))
		return refuse(-EINVAL,
			      "MODIFY_QP: attr_mask 0x%x: a DC target changes only with its state",
			      m->attr_mask);
	if (qp->ece)
		prm_dctc_set_ece(prm_create_dct_in_at_dct_context_entry(qp->dct), qp->ece);
	if (qp->state == RESET && m->qp_state == INIT)
		err = dct_to_init(qp, m);
	else if (qp->state == INIT && m->qp_state == RTR)
		err = dct_to_rtr(qp, m, uhw_out);
	else
		err = refuse(-EINVAL,
			     "MODIFY_QP: qp_state: a DC target goes from RESET to INIT to RTR, not "
			     "from %u to %u",
			     qp->state, m->qp_state);
	if (!err)
		qp->state = m->qp_state;
	return err;
}

static void dct_fill_query(struct ib_uverbs_query_qp_resp *r, const void *dctc, uint8_t port)
{
	r->qp_state = r->cur_qp_state = RTR;
	r->qp_access_flags = (prm_dctc_get_rre(dctc) ? IB_UVERBS_ACCESS_REMOTE_READ : 0) |
			     (prm_dctc_get_rwe(dctc) ? IB_UVERBS_ACCESS_REMOTE_WRITE : 0) |
			     (prm_dctc_get_rae(dctc) ? IB_UVERBS_ACCESS_REMOTE_ATOMIC : 0);
	r->port_num = port;
	r->min_rnr_timer = (uint8_t)prm_dctc_get_min_rnr_nak(dctc);
	r->dest.traffic_class = (uint8_t)prm_dctc_get_tclass(dctc);
	r->dest.flow_label = prm_dctc_get_flow_label(dctc);
	r->dest.sgid_index = (uint8_t)prm_dctc_get_my_addr_index(dctc);
	r->dest.hop_limit = (uint8_t)prm_dctc_get_hop_limit(dctc);
	r->path_mtu = (uint8_t)prm_dctc_get_mtu(dctc);
	r->pkey_index = (uint16_t)prm_dctc_get_pkey_index(dctc);
}

int dct_qp_query(struct uverbs_qp *qp, uint32_t mask, struct ib_uverbs_query_qp_resp *r)
{
	uint8_t out[PRM_QUERY_DCT_OUT_BYTES];
	char names[ATTR_NAMES];
	int err;

	if (mask & ~(uint32_t)QUERIES)
		return refuse(-EINVAL, "QUERY_QP: attr_mask 0x%x: a DC target has only %s", mask,
			      qp_attr_names(QUERIES, names));
	if (qp->state != RTR)
		return refuse(-EINVAL, "QUERY_QP: a DC target has no object before it is RTR");
	err = mbox_query(qp->q.u.file->vhca, PRM_OPCODE_QUERY_DCT, qp->q.u.number, out,
			 sizeof(out));
	if (!err)
		dct_fill_query(r, prm_query_dct_out_cat_dct_context_entry(out), qp->port);
	return err;
}
