/* SPDX-License-Identifier: BSD-2-Clause */
/* Delivers EQEs to the queues that they name. */
#include <dvx/prm/eqe.h>
#include "events.h"

static struct hw_ref **events_bucket(struct kernel *k, uint32_t id)
{
	return &k->refs[id % (sizeof(k->refs) / sizeof(k->refs[0]))];
}

void hw_ref_add(struct hw_ref *r, struct uobj *owner, enum hw_kind kind, uint32_t id,
		void (*event)(struct uobj *, uint8_t type))
{
	struct hw_ref **b = events_bucket(owner->file->k, id);

	*r = (struct hw_ref){*b, owner, id, (uint8_t)kind, event};
	*b = r;
}

void hw_ref_del(struct hw_ref *r)
{
	struct hw_ref **at = r->owner ? events_bucket(r->owner->file->k, r->id) : NULL;

	while (at && *at && *at != r)
		at = &(*at)->next;
	if (at && *at)
		*at = r->next;
}

void hw_refs_forget(struct uverbs_file *f)
{
	for (uint32_t i = 0; i < sizeof(f->k->refs) / sizeof(f->k->refs[0]); i++) {
		for (struct hw_ref **at = &f->k->refs[i]; *at;) {
			if ((*at)->owner->file == f)
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

	while (r && !(r->owner->file->vhca == v && r->kind == kind && r->id == id))
		r = r->next;
	return r;
}

struct uobj *hw_ref_owner(struct kernel *k, const struct vhca *v, enum hw_kind kind, uint32_t id)
{
	const struct hw_ref *r = hw_ref_find(k, v, kind, id);

	return r ? r->owner : NULL;
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
		if (r->owner->file->vhca == v && r->kind == first->kind && r->id == first->id)
			r->event(r->owner, type);
}
