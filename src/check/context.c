/* SPDX-License-Identifier: BSD-2-Clause */
/* Open devices: the functions behind verbs' inline functions are replaced. */
#include "watch.h"

void watch_context_open(struct ibv_context *c)
{
	struct verbs_context *v = c ? verbs_get_ctx(c) : NULL;
	struct watch_context *w;

	if (!c || c->ops.poll_cq == watch_poll_cq) /* one way to open a device may call another */
		return;
	w = watch_add(&watch_contexts, (uintptr_t)c);
	if (!w)
		return;
	w->real = c->ops;
	c->ops.poll_cq = watch_poll_cq;
	c->ops.req_notify_cq = watch_req_notify_cq;
	c->ops.post_send = watch_post_send;
	c->ops.post_recv = watch_post_recv;
	c->ops.post_srq_recv = watch_post_srq_recv;
	if (v) {
		w->verbs = *v;
		if (verbs_get_ctx_op(c, create_qp_ex))
			v->create_qp_ex = watch_create_qp_ex;
		if (verbs_get_ctx_op(c, create_cq_ex))
			v->create_cq_ex = watch_create_cq_ex;
		if (verbs_get_ctx_op(c, create_srq_ex))
			v->create_srq_ex = watch_create_srq_ex;
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
