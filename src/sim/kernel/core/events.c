/* SPDX-License-Identifier: BSD-2-Clause */
/* Delivers EQEs to the queues that they name. */
#include <dvx/prm/eqe.h>
#include "events.h"

static struct hw_ref **events_bucket(struct kernel *k, uint32_t id)
{
	return &k->refs[id % (sizeof(k->refs) / sizeof(k->refs[0]))];
}

void hw_ref_add(struct uverbs_file *f, struct hw_ref *r)
{
	struct hw_ref **b = events_bucket(f->k, r->id);

	r->file = f;
	r->next = *b;
	*b = r;
}

void hw_ref_del(struct kernel *k, struct hw_ref *r)
{
	struct hw_ref **at = events_bucket(k, r->id);

	while (*at && *at != r)
		at = &(*at)->next;
	if (*at)
		*at = r->next;
}

void hw_refs_forget(struct uverbs_file *f)
{
	for (uint32_t i = 0; i < sizeof(f->k->refs) / sizeof(f->k->refs[0]); i++) {
		for (struct hw_ref **at = &f->k->refs[i]; *at;) {
			if ((*at)->file == f)
				*at = (*at)->next;
			else
				at = &(*at)->next;
		}
	}
}

static struct hw_ref *hw_ref_find(struct kernel *k, const struct vhca *v, enum hw_kind kind,
				  uint32_t id)
{
	struct hw_ref *r = *events_bucket(k, id);

	while (r && !(r->vhca == v && r->kind == kind && r->id == id))
		r = r->next;
	return r;
}

static struct hw_ref *hw_ref_of_eqe(struct kernel *k, const struct vhca *v, uint8_t type,
				    const void *eqe)
{
	switch (type) {
	case PRM_EVENT_COMP:
		return hw_ref_find(k, v, HW_CQ, prm_eqe_get_cqn(eqe));
	case PRM_EVENT_CQ_ERROR:
		return hw_ref_find(k, v, HW_CQ, prm_eqe_get_cq_err_cqn(eqe));
	case PRM_EVENT_PATH_MIG:
	case PRM_EVENT_COMM_EST:
	case PRM_EVENT_SQ_DRAINED:
	case PRM_EVENT_WQ_CATAS_ERROR:
	case PRM_EVENT_PATH_MIG_FAILED:
	case PRM_EVENT_WQ_INVAL_REQ_ERROR:
	case PRM_EVENT_WQ_ACCESS_ERROR:
	case PRM_EVENT_SRQ_LAST_WQE:
		return hw_ref_find(k, v, HW_QP, prm_eqe_get_qp_srq_n(eqe));
	case PRM_EVENT_SRQ_CATAS_ERROR:
	case PRM_EVENT_SRQ_RQ_LIMIT:
		return hw_ref_find(k, v, HW_SRQ, prm_eqe_get_qp_srq_n(eqe));
	default:
		return NULL;
	}
}

void hw_ref_event(struct kernel *k, struct vhca *v, uint8_t type, const void *eqe)
{
	struct hw_ref *r = hw_ref_of_eqe(k, v, type, eqe);
	const struct hw_ref *first = r;

	for (; r; r = r->next)
		if (r->vhca == v && r->kind == first->kind && r->id == first->id)
			r->event(r, type, eqe);
}
