/* SPDX-License-Identifier: BSD-2-Clause */
/* Calls of DevX, which are recorded: commands, memory and UARs. dvx-check has no rules for them. */
#include "watch.h"

#include <errno.h>

WATCH_HOOK struct mlx5dv_devx_obj *mlx5dv_devx_obj_create(struct ibv_context *c, const void *in,
							  size_t in_len, void *out, size_t out_len)
{
	const uint64_t since = watch_since();
	struct mlx5dv_devx_obj *obj =
		WATCH_REAL(mlx5dv_devx_obj_create)(c, in, in_len, out, out_len);
	const int err = obj ? 0 : errno;

	watch_record_devx(since, err, in, in_len, out, out_len);
	errno = obj ? errno : err;
	return obj;
}

/* A call with both mailboxes, on something of this type. */
#define WATCH_DEVX(name, type)                                                                \
	WATCH_HOOK int mlx5dv_devx_##name(type *on, const void *in, size_t in_len, void *out, \
					  size_t out_len)                                     \
	{                                                                                     \
		const uint64_t since = watch_since();                                         \
		const int err = WATCH_REAL(mlx5dv_devx_##name)(on, in, in_len, out, out_len); \
                                                                                              \
		watch_record_devx(since, err, in, in_len, out, out_len);                      \
		return err;                                                                   \
	}
WATCH_DEVX(general_cmd, struct ibv_context)
WATCH_DEVX(obj_query, struct mlx5dv_devx_obj)
WATCH_DEVX(obj_modify, struct mlx5dv_devx_obj)
WATCH_DEVX(cq_query, struct ibv_cq)
WATCH_DEVX(cq_modify, struct ibv_cq)
WATCH_DEVX(qp_query, struct ibv_qp)
WATCH_DEVX(qp_modify, struct ibv_qp)
WATCH_DEVX(srq_query, struct ibv_srq)
WATCH_DEVX(srq_modify, struct ibv_srq)
WATCH_DEVX(wq_query, struct ibv_wq)
WATCH_DEVX(wq_modify, struct ibv_wq)
WATCH_DEVX(ind_tbl_query, struct ibv_rwq_ind_table)
WATCH_DEVX(ind_tbl_modify, struct ibv_rwq_ind_table)

WATCH_HOOK int mlx5dv_devx_obj_destroy(struct mlx5dv_devx_obj *obj)
{
	const uint64_t since = watch_since();
	const int err = WATCH_REAL(mlx5dv_devx_obj_destroy)(obj);

	watch_called(since, err, 0, "mlx5dv_devx_obj_destroy");
	return err;
}

static struct mlx5dv_devx_umem *watch_umem(struct mlx5dv_devx_umem *umem, uint64_t since,
					   size_t bytes, uint32_t access)
{
	const int err = umem ? 0 : errno;

	watch_called(since, err, umem ? umem->umem_id : 0,
		     "mlx5dv_devx_umem_reg bytes %zu access 0x%x", bytes, access);
	errno = umem ? errno : err;
	return umem;
}

WATCH_HOOK struct mlx5dv_devx_umem *mlx5dv_devx_umem_reg(struct ibv_context *c, void *addr,
							 size_t bytes, uint32_t access)
{
	const uint64_t since = watch_since();

	return watch_umem(WATCH_REAL(mlx5dv_devx_umem_reg)(c, addr, bytes, access), since, bytes,
			  access);
}

WATCH_HOOK struct mlx5dv_devx_umem *mlx5dv_devx_umem_reg_ex(struct ibv_context *c,
							    struct mlx5dv_devx_umem_in *in)
{
	const uint64_t since = watch_since();

	return watch_umem(WATCH_REAL(mlx5dv_devx_umem_reg_ex)(c, in), since, in->size, in->access);
}

WATCH_HOOK int mlx5dv_devx_umem_dereg(struct mlx5dv_devx_umem *umem)
{
	const uint64_t since = watch_since();
	const uint32_t id = umem->umem_id;
	const int err = WATCH_REAL(mlx5dv_devx_umem_dereg)(umem);

	watch_called(since, err, id, "mlx5dv_devx_umem_dereg");
	return err;
}

WATCH_HOOK struct mlx5dv_devx_uar *mlx5dv_devx_alloc_uar(struct ibv_context *c, uint32_t flags)
{
	const uint64_t since = watch_since();
	struct mlx5dv_devx_uar *uar = WATCH_REAL(mlx5dv_devx_alloc_uar)(c, flags);
	const int err = uar ? 0 : errno;

	watch_called(since, err, uar ? uar->page_id : 0, "mlx5dv_devx_alloc_uar flags 0x%x", flags);
	errno = uar ? errno : err;
	return uar;
}
