/* SPDX-License-Identifier: BSD-2-Clause */
#include "watch.h"

#include <errno.h>
#include <stdlib.h>

/* An attribute of either kind of creation, as the program asked. */
struct watch_asked {
	struct ibv_qp_cap cap;
	bool all_signaled, extended;
	struct ibv_pd *pd;
	struct watch_place place;
	uint64_t since; /* it is recorded */
	enum ibv_qp_type type;
};

/* Completions name the number, which a DC target has only when it is ready to receive. */
static void watch_qp_number(struct watch_qp *q)
{
	if (q->number || !q->qp->qp_num)
		return;
	q->number = watch_add(&watch_numbers, watch_number_key(q->qp->context, q->qp->qp_num));
	if (q->number)
		q->number->qp = q;
}

static void watch_qp_created(const struct ibv_qp *qp, const struct watch_asked *asked)
{
	const struct ibv_qp_cap *c = &asked->cap;
	const int err = qp ? 0 : errno;

	watch_called(asked->since, err, qp ? qp->qp_num : 0,
		     "create_qp type %d sends %u receives %u send_pieces %u receive_pieces %u "
		     "inline %u all_signaled %d",
		     asked->type, c->max_send_wr, c->max_recv_wr, c->max_send_sge, c->max_recv_sge,
		     c->max_inline_data, asked->all_signaled);
	errno = qp ? errno : err;
}

static void watch_qp_new(struct ibv_qp *qp, const struct watch_asked *asked,
			 const struct ibv_qp_cap *got)
{
	struct watch_qp *q;

	watch_qp_created(qp, asked);
	q = qp ? watch_add(&watch_qps, (uintptr_t)qp) : NULL;
	if (!q)
		return;
	q->qp = qp;
	q->post_send = watch_context_of(qp->context)->real.post_send;
	q->post_recv = watch_context_of(qp->context)->real.post_recv;
	q->asked = asked->cap;
	q->created = asked->place;
	q->all_signaled = asked->all_signaled;
	q->type = qp->qp_type;
	q->state = qp->state;
	q->send_cq = qp->send_cq ? watch_cq_of(qp->send_cq) : NULL;
	q->recv_cq = qp->recv_cq ? watch_cq_of(qp->recv_cq) : NULL;
	q->srq = qp->srq ? watch_srq_of(qp->srq) : NULL;
	q->guard = asked->pd ? watch_guard_of_pd(asked->pd) : NULL;
	q->direct = (q->send_cq && q->send_cq->direct) || (q->recv_cq && q->recv_cq->direct);
	if (!watch_counts()) {
		watch_ring_init(&q->sq, got->max_send_wr, got->max_send_sge);
		watch_ring_init(&q->rq, got->max_recv_wr, got->max_recv_sge);
	}
	watch_qp_number(q);
	q->extended = asked->extended;
	if (q->extended)
		watch_post_ex_hook(q);
}

WATCH_HOOK struct ibv_qp *ibv_create_qp(struct ibv_pd *pd, struct ibv_qp_init_attr *a)
{
	const struct watch_asked asked = {
		.cap = a->cap, .all_signaled = a->sq_sig_all, .pd = pd, .place = WATCH_HERE(),
		.since = watch_since(), .type = a->qp_type};
	struct ibv_qp *qp = WATCH_REAL(ibv_create_qp)(pd, a);

	watch_qp_new(qp, &asked, &a->cap);
	return qp;
}

static struct watch_asked watch_asked_ex(const struct ibv_qp_init_attr_ex *a)
{
	return (struct watch_asked){.cap = a->cap,
				    .all_signaled = a->sq_sig_all,
				    .extended = a->comp_mask & IBV_QP_INIT_ATTR_SEND_OPS_FLAGS,
				    .pd = a->comp_mask & IBV_QP_INIT_ATTR_PD ? a->pd : NULL,
				    .since = watch_since(),
				    .type = a->qp_type};
}

struct ibv_qp *watch_create_qp_ex(struct ibv_context *c, struct ibv_qp_init_attr_ex *a)
{
	struct watch_asked asked = watch_asked_ex(a);
	struct ibv_qp *qp;

	asked.place = WATCH_HERE();
	qp = watch_context_of(c)->verbs.create_qp_ex(c, a);
	watch_qp_new(qp, &asked, &a->cap);
	return qp;
}

WATCH_HOOK struct ibv_qp *mlx5dv_create_qp(struct ibv_context *c, struct ibv_qp_init_attr_ex *a,
					   struct mlx5dv_qp_init_attr *own)
{
	struct watch_asked asked = watch_asked_ex(a);
	struct ibv_qp *qp;

	asked.place = WATCH_HERE();
	qp = WATCH_REAL(mlx5dv_create_qp)(c, a, own);
	watch_qp_new(qp, &asked, &a->cap);
	return qp;
}

WATCH_HOOK int ibv_modify_qp(struct ibv_qp *qp, struct ibv_qp_attr *a, int mask)
{
	const uint64_t since = watch_since();
	struct watch_qp *q = watch_qp_of(qp);
	int err = WATCH_REAL(ibv_modify_qp)(qp, a, mask);

	watch_called(since, err, qp->qp_num, "ibv_modify_qp state %d mask 0x%x",
		     mask & IBV_QP_STATE ? (int)a->qp_state : -1, (unsigned int)mask);
	if (q)
		watch_post_ex_hook_complete(q);
	if (err || !q || !(mask & IBV_QP_STATE))
		return err;
	watch_qp_number(q);
	q->state = a->qp_state;
	if (q->state == IBV_QPS_RTR && q->send_cq)
		q->send_cq->live = true;
	if (q->state == IBV_QPS_RTR && q->recv_cq)
		q->recv_cq->live = true;
	if (q->state == IBV_QPS_RESET) {
		q->failed = q->receives_error = false;
		watch_drop_all(q);
	}
	return err;
}

static void watch_qp_set_keys(struct watch_qp *q, uintptr_t key, uintptr_t number_key)
{
	watch_set_key(q, key);
	watch_set_key(q->number, number_key);
}

static void watch_qp_ended(struct watch_qp *q)
{
	watch_drop_all(q);
	watch_ring_end(&q->sq);
	watch_ring_end(&q->rq);
	watch_qp_set_keys(q, 0, 0);
}

WATCH_HOOK int ibv_destroy_qp(struct ibv_qp *qp)
{
	const uint64_t since = watch_since();
	const uint32_t number = qp->qp_num;
	const uintptr_t number_key = watch_number_key(qp->context, number);
	struct watch_qp *q = watch_qp_of(qp);
	int err;

	if (q)
		watch_qp_set_keys(q, WATCH_ENDING, WATCH_ENDING);
	err = WATCH_REAL(ibv_destroy_qp)(qp);
	watch_called(since, err, number, "ibv_destroy_qp");
	if (err && q)
		watch_qp_set_keys(q, (uintptr_t)qp, number_key);
	else if (q)
		watch_qp_ended(q);
	return err;
}

/* A queue whose ring the program has opened is used in ways that are not seen. */
WATCH_HOOK int mlx5dv_init_obj(struct mlx5dv_obj *obj, uint64_t types)
{
	struct watch_qp *q = types & MLX5DV_OBJ_QP ? watch_qp_of(obj->qp.in) : NULL;
	struct watch_cq *cq = types & MLX5DV_OBJ_CQ ? watch_cq_of(obj->cq.in) : NULL;
	struct watch_srq *srq = types & MLX5DV_OBJ_SRQ ? watch_srq_of(obj->srq.in) : NULL;

	if (q)
		q->direct = true;
	if (cq)
		cq->direct = true;
	if (srq)
		srq->ring.size = srq->ring.head = srq->ring.tail = 0;
	for (q = NULL; cq && (q = watch_next(&watch_qps, q));)
		q->direct |= q->send_cq == cq || q->recv_cq == cq;
	return WATCH_REAL(mlx5dv_init_obj)(obj, types);
}
