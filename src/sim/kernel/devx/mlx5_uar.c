/* SPDX-License-Identifier: BSD-2-Clause */
/* UAR pages: the firmware gives the number, a page of the file's BAR is its memory. */
#include <errno.h>
#include <dvx/prm/cmd.h>
#include <dvx/prm/misc.h>
#include <rdma/mlx5_user_ioctl_cmds.h>
#include <rdma/mlx5_user_ioctl_verbs.h>
#include "host/uar.h"
#include "kernel/core/cmd.h"
#include "priv.h"

struct devx_uar {
	struct uobj u;
	uint32_t number;
};

static int mlx5_uar_dealloc(const struct uverbs_file *f, uint32_t number)
{
	return mbox_destroy(f->vhca, PRM_OPCODE_DEALLOC_UAR, f->uid, number);
}

static int mlx5_uar_release(struct uobj *u)
{
	const struct devx_uar *uar = (struct devx_uar *)u;
	int err = mlx5_uar_dealloc(u->file, uar->number);

	if (!err)
		bar_page_free(u->file->bar, uar->number);
	return err;
}

const struct uobj_class uar_class = {"UAR", MLX5_IB_OBJECT_UAR, mlx5_uar_release, NULL};

/* Allocates the UAR's number and page; 0 or -errno. */
static int mlx5_uar_make(struct uverbs_file *f, struct devx_uar *uar, int *page)
{
	uint8_t in[PRM_ALLOC_UAR_IN_BYTES] = {0};
	uint8_t out[PRM_ALLOC_UAR_OUT_BYTES];
	int err;

	prm_alloc_uar_in_set_opcode(in, PRM_OPCODE_ALLOC_UAR);
	prm_alloc_uar_in_set_uid(in, f->uid);
	err = mbox_exec(f->vhca, in, sizeof(in), out, sizeof(out));
	if (err)
		return err;
	uar->number = prm_alloc_uar_out_get_uar(out);
	*page = bar_page_alloc(f->bar, uar->number);
	if (*page >= 0)
		return 0;
	(void)mlx5_uar_dealloc(f, uar->number);
	return refuse(-ENOMEM, "UAR_OBJ_ALLOC: the file's BAR has no page left");
}

/*
 * Allocates a UAR. Write-combining makes no difference to the device: both types are pages of the
 * BAR. The mmap offset is the page's offset in the BAR.
 */
int mlx5_uar_alloc(struct uverbs_file *f, struct uverbs_request *req)
{
	uint64_t type = attr_value(req, MLX5_IB_ATTR_UAR_OBJ_ALLOC_TYPE);
	const uint32_t length = UAR_PAGE;
	uint64_t offset;
	struct devx_uar *uar;
	int page, err;

	if (type != MLX5_IB_UAPI_UAR_ALLOC_TYPE_BF && type != MLX5_IB_UAPI_UAR_ALLOC_TYPE_NC)
		return refuse(-EOPNOTSUPP, "UAR_OBJ_ALLOC: type %llu is neither BF nor NC",
			      (unsigned long long)type);
	uar = uobj_new(f, &uar_class, sizeof(*uar));
	if (!uar)
		return -ENOMEM;
	err = mlx5_uar_make(f, uar, &page);
	if (err) {
		uobj_drop(&uar->u);
		return err;
	}
	offset = (uint64_t)page * UAR_PAGE;
	attr_new_handle(req, MLX5_IB_ATTR_UAR_OBJ_ALLOC_HANDLE, &uar->u);
	attr_out(req, MLX5_IB_ATTR_UAR_OBJ_ALLOC_MMAP_OFFSET, &offset, sizeof(offset));
	attr_out(req, MLX5_IB_ATTR_UAR_OBJ_ALLOC_MMAP_LENGTH, &length, sizeof(length));
	attr_out(req, MLX5_IB_ATTR_UAR_OBJ_ALLOC_PAGE_ID, &uar->number, sizeof(uar->number));
	return 0;
}
