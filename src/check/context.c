/* SPDX-License-Identifier: BSD-2-Clause */
/* Open devices: the functions behind verbs' inline functions are replaced. */
#include "watch.h"

static void watch_hook_records(struct ibv_context_ops *ops)
{
	ops->poll_cq = watch_record_poll_cq;
	ops->req_notify_cq = watch_record_req_notify_cq;
	ops->post_send = watch_record_post_send;
	ops->post_recv = watch_record_post_recv;
	ops->post_srq_recv = watch_record_post_srq_recv;
}

static void watch_hook_ops(struct ibv_context_ops *ops)
{
	const bool counts = watch_counts();

	if (watch_records()) {
		watch_hook_records(ops);
		return;
	}
	ops->poll_cq = counts ? watch_count_poll_cq : watch_poll_cq;
	ops->req_notify_cq = counts ? watch_count_req_notify_cq : watch_req_notify_cq;
	ops->post_send = counts ? watch_count_post_send : watch_post_send;
	if (counts)
		return;
	ops->post_recv = watch_post_recv;
	ops->post_srq_recv = watch_post_srq_recv;
}

void watch_context_open(struct ibv_context *c)
{
	struct verbs_context *v = c ? verbs_get_ctx(c) : NULL;
	struct watch_context *w;

	if (!c || watch_context_of(c)) /* one way to open a device may call another */
		return;
	w = watch_add(&watch_contexts, (uintptr_t)c);
	if (!w)
		return;
	watch_record_open();
	watch_called(watch_since(), 0, 0, "open %s", c->device->name);
	w->real = c->ops;
	watch_count_open(w, c);
	watch_hook_ops(&c->ops);
	if (v) {
		w->verbs = *v;
		if (verbs_get_ctx_op(c, create_qp_ex))
			v->create_qp_ex = watch_create_qp_ex;
		if (verbs_get_ctx_op(c, create_cq_ex))
			v->create_cq_ex = watch_create_cq_ex;
		if (verbs_get_ctx_op(c, create_srq_ex))
			v->create_srq_ex = watch_create_srq_ex;
		if (verbs_get_ctx_op(c, reg_dm_mr))
			v->reg_dm_mr = watch_reg_dm_mr;
		if (watch_checks())
			watch_guard_hook(c);
	}
	watch_hello();
}

WATCH_HOOK struct ibv_context *ibv_open_device(struct ibv_device *device)
{
	struct ibv_context *c = WATCH_REAL(ibv_open_device)(device);

	watch_context_open(c);
	return c;
}

WATCH_HOOK struct ibv_context *ibv_import_device(int fd)
{
	struct ibv_context *c = WATCH_REAL(ibv_import_device)(fd);

	watch_context_open(c);
	return c;
}

WATCH_HOOK struct ibv_context *mlx5dv_open_device(struct ibv_device *device,
						  struct mlx5dv_context_attr *attr)
{
	struct ibv_context *c = WATCH_REAL(mlx5dv_open_device)(device, attr);

	watch_context_open(c);
	return c;
}

WATCH_HOOK int ibv_close_device(struct ibv_context *c)
{
	struct watch_context *w = watch_context_of(c);

	watch_remove(w);
	return WATCH_REAL(ibv_close_device)(c);
}
