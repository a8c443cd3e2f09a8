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

static int mlx5_uar_release(struct uobj *u)
{
	bar_page_free(u->file->bar, u->number);
	return 0;
}

const struct uobj_class uar_class = {"UAR", MLX5_IB_OBJECT_UAR, PRM_OPCODE_DEALLOC_UAR,
				     mlx5_uar_release, NULL};

/* Allocates the UAR's number and page; 0 or -errno. */
static int mlx5_uar_make(struct uverbs_file *f, struct uobj *uar, int *page)
{
	int err = mbox_alloc(f->vhca, PRM_OPCODE_ALLOC_UAR, uar->uid, &uar->number);

	if (err)
		return err;
	*page = bar_page_alloc(f->bar, uar->number);
	if (*page >= 0)
		return 0;
	(void)mbox_destroy(f->vhca, PRM_OPCODE_DEALLOC_UAR, uar->uid, uar->number);
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
	struct uobj *uar;
	int page, err;

	if (type != MLX5_IB_UAPI_UAR_ALLOC_TYPE_BF && type != MLX5_IB_UAPI_UAR_ALLOC_TYPE_NC)
		return refuse(-EOPNOTSUPP, "UAR_OBJ_ALLOC: type %llu is neither BF nor NC",
			      (unsigned long long)type);
	uar = uobj_new(f, &uar_class, sizeof(*uar));
	if (!uar)
		return -ENOMEM;
	err = mlx5_uar_make(f, uar, &page);
	if (err)
		return err;
	offset = (uint64_t)page * UAR_PAGE;
	attr_new_handle(req, MLX5_IB_ATTR_UAR_OBJ_ALLOC_HANDLE, uar);
	attr_out(req, MLX5_IB_ATTR_UAR_OBJ_ALLOC_MMAP_OFFSET, &offset, sizeof(offset));
	attr_out(req, MLX5_IB_ATTR_UAR_OBJ_ALLOC_MMAP_LENGTH, &length, sizeof(length));
	attr_out(req, MLX5_IB_ATTR_UAR_OBJ_ALLOC_PAGE_ID, &uar->number, sizeof(uar->number));
	return 0;
}
