/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Device memory that programs map (MEMIC). The kernel chooses pages of the function's window, as
 * mlx5_ib does. A page has the same number in the BAR of the file that maps it.
 */
#include <errno.h>
#include <dvx/prm/admin.h>
#include <dvx/prm/cap.h>
#include <dvx/prm/cmd.h>
#include <rdma/ib_user_ioctl_cmds.h>
#include <rdma/mlx5_user_ioctl_cmds.h>
#include "fw/fw.h"
#include "host/uar.h"
#include "kernel/core/cmd.h"
#include "priv.h"
#include "uverbs/dm_op.h"

#define UNIT	   64u
#define LOG_UNIT   6u
#define LOG_PAGE   12u
#define PAGE_BYTES (1u << LOG_PAGE)

/* MODIFY_MEMIC's op_mod */
enum { MEMIC_OP_ALLOC, MEMIC_OP_DEALLOC };

struct memic_dm {
	struct uobj u;
	uint64_t addr; /* in the device's BAR */
	uint64_t len;  /* as requested */
	uint32_t bytes;
	uint16_t page;
	uint32_t ops; /* bitmap of operations with an address */
};

static uint32_t memic_mapped(const struct memic_dm *dm)
{
	return (dm->bytes + PAGE_BYTES - 1) & ~(PAGE_BYTES - 1);
}

/* Returns the bitmap of pages in use, which are not requested from the firmware; as in mlx5_ib. */
static uint64_t *memic_taken(const struct memic_dm *dm)
{
	return &file_function(dm->u.file)->memic_pages;
}

static uint64_t memic_dm_pages(const struct memic_dm *dm, uint64_t first)
{
	return ((1ull << (memic_mapped(dm) >> LOG_PAGE)) - 1) << first;
}

/* Makes the pages of an operation's address in the file that maps them, or removes them. */
static void memic_op_pages(const struct memic_dm *dm, uint8_t op, bool valid)
{
	const uint32_t n = memic_mapped(dm) >> LOG_PAGE;
	uint8_t *bytes = bar_memory(dm->u.file->bar, DM_OP_PAGE(op) + dm->page, n);
	struct dm_op_page *at;

	for (uint32_t i = 0; bytes && valid && i < n; i++) {
		at = (struct dm_op_page *)(bytes + (size_t)i * PAGE_BYTES);
		at->page = dm->page + i;
		__atomic_store_n(&at->valid, 1, __ATOMIC_RELEASE);
	}
}

static int memic_op_exec(const struct memic_dm *dm, uint8_t op, uint16_t op_mod)
{
	uint8_t in[PRM_MODIFY_MEMIC_IN_BYTES] = {0}, out[PRM_MODIFY_MEMIC_OUT_BYTES];

	mbox_begin(in, PRM_OPCODE_MODIFY_MEMIC, 0);
	prm_modify_memic_in_set_op_mod(in, op_mod);
	prm_modify_memic_in_set_memic_operation_type(in, op);
	prm_modify_memic_in_set_memic_start_addr(in, dm->addr);
	return mbox_exec(dm->u.file->vhca, in, sizeof(in), out, sizeof(out));
}

static int memic_ops_free(struct memic_dm *dm)
{
	int err = 0;

	for (uint8_t op = 0; !err && op < DM_OPS; op++) {
		if (!(dm->ops & 1u << op))
			continue;
		memic_op_pages(dm, op, false);
		err = memic_op_exec(dm, op, MEMIC_OP_DEALLOC);
		dm->ops &= ~(1u << op);
	}
	return err;
}

static int uverbs_memic_release(struct uobj *u)
{
	struct memic_dm *dm = (struct memic_dm *)u;
	uint8_t in[PRM_DEALLOC_MEMIC_IN_BYTES] = {0};
	int err = memic_ops_free(dm);

	if (err)
		return err;
	mbox_begin(in, PRM_OPCODE_DEALLOC_MEMIC, 0);
	prm_dealloc_memic_in_set_memic_start_addr(in, dm->addr);
	prm_dealloc_memic_in_set_memic_size(in, memic_mapped(dm));
	err = mbox_run(u->file->vhca, in, sizeof(in));
	if (!err)
		*memic_taken(dm) &= ~memic_dm_pages(dm, dm->page);
	return err;
}

const struct uobj_class memic_class = {"DM", UVERBS_OBJECT_DM, 0, uverbs_memic_release, NULL};

/* Allocates the first pages that the firmware accepts: 0 or -ENOMEM. */
static int memic_place(struct memic_dm *dm, const uint8_t *cap, uint32_t log_align)
{
	uint8_t in[PRM_ALLOC_MEMIC_IN_BYTES] = {0}, out[PRM_ALLOC_MEMIC_OUT_BYTES];
	const uint64_t start = prm_device_mem_cap_get_memic_bar_start_addr(cap);
	const uint32_t size = prm_device_mem_cap_get_memic_bar_size(cap);

	mbox_begin(in, PRM_OPCODE_ALLOC_MEMIC, 0);
	prm_alloc_memic_in_set_range_size(in, memic_mapped(dm));
	prm_alloc_memic_in_set_memic_size(in, dm->bytes);
	prm_alloc_memic_in_set_log_memic_addr_alignment(in, log_align);
	for (uint64_t at = 0; at + memic_mapped(dm) <= size; at += PAGE_BYTES) {
		prm_alloc_memic_in_set_range_start_addr(in, start + at);
		if (*memic_taken(dm) & memic_dm_pages(dm, at >> LOG_PAGE) ||
		    mbox_exec(dm->u.file->vhca, in, sizeof(in), out, sizeof(out)))
			continue;
		dm->addr = prm_alloc_memic_out_get_memic_start_addr(out);
		dm->page = (uint16_t)(at >> LOG_PAGE);
		*memic_taken(dm) |= memic_dm_pages(dm, dm->page);
		return 0;
	}
	return refuse(-ENOMEM, "DM_ALLOC: no %u bytes of device memory in one piece are free",
		      dm->bytes);
}

static int uverbs_memic_check(uint64_t len, uint64_t log_align, const uint8_t *cap,
			      uint32_t *log_units)
{
	*log_units = log_align < LOG_UNIT ? 0 : (uint32_t)(log_align - LOG_UNIT);
	if (!len)
		return refuse(-EINVAL, "DM_ALLOC: ALLOC_DM_LENGTH is 0");
	if (log_align > 31 || *log_units > prm_device_mem_cap_get_log_max_memic_addr_alignment(cap))
		return refuse(-EINVAL, "DM_ALLOC: ALLOC_DM_ALIGNMENT 2^%llu is too large",
			      (unsigned long long)log_align);
	if (len > prm_device_mem_cap_get_max_memic_size(cap))
		return refuse(-ENOMEM, "DM_ALLOC: ALLOC_DM_LENGTH %llu: there are %u bytes in all",
			      (unsigned long long)len, prm_device_mem_cap_get_max_memic_size(cap));
	return 0;
}

static int memic_make(struct memic_dm *dm, const uint8_t *cap, uint32_t log_units)
{
	struct uverbs_file *f = dm->u.file;
	uint8_t *bytes;
	int err;

	dm->bytes = (uint32_t)(dm->len + UNIT - 1) & ~(UNIT - 1);
	err = memic_place(dm, cap, log_units);
	if (err)
		return err;
	bytes = bar_memory(f->bar, dm->page, memic_mapped(dm) >> LOG_PAGE);
	if (!bytes) {
		(void)uverbs_memic_release(&dm->u);
		return -ENOMEM;
	}
	fw_memic_back(f->vhca, dm->addr, memic_mapped(dm), bytes);
	return 0;
}

int memic_dm_alloc(struct uverbs_file *f, struct uverbs_request *req)
{
	const uint64_t len = attr_value(req, UVERBS_ATTR_ALLOC_DM_LENGTH), offset = 0;
	const uint8_t *cap = file_cap_page(f, CAP_DEV_MEM);
	uint32_t log_units;
	struct memic_dm *dm;
	int err = 0;

	if (!prm_device_mem_cap_get_memic(cap))
		err = refuse(-EOPNOTSUPP, "DM_ALLOC: this device has no memory for programs");
	if (!err)
		err = uverbs_memic_check(len, attr_value(req, UVERBS_ATTR_ALLOC_DM_ALIGNMENT), cap,
					 &log_units);
	if (err)
		return err;
	dm = uobj_new(f, &memic_class, sizeof(*dm));
	if (!dm)
		return -ENOMEM;
	dm->len = len;
	err = memic_make(dm, cap, log_units);
	if (err)
		return err;
	attr_out(req, MLX5_IB_ATTR_ALLOC_DM_RESP_PAGE_INDEX, &dm->page, sizeof(dm->page));
	attr_out(req, MLX5_IB_ATTR_ALLOC_DM_RESP_START_OFFSET, &offset, sizeof(offset));
	attr_new_handle(req, UVERBS_ATTR_ALLOC_DM_HANDLE, &dm->u);
	return 0;
}

int dm_range_check(uint64_t size, uint64_t offset, uint64_t len)
{
	if (offset <= size && len <= size - offset)
		return 0;
	return refuse(
		-EINVAL, "DM_MR_REG: [0x%llx, +0x%llx) ends past the device memory's 0x%llx bytes",
		(unsigned long long)offset, (unsigned long long)len, (unsigned long long)size);
}

int memic_range(const struct uobj *u, uint64_t offset, uint64_t len, uint64_t *addr)
{
	const struct memic_dm *dm = (const struct memic_dm *)u;

	*addr = dm->addr + offset;
	return dm_range_check(dm->len, offset, len);
}

/* Handles DM_QUERY, for programs that import the object by its handle. */
int mlx5_dm_query(struct uverbs_file *f, struct uverbs_request *req)
{
	const struct memic_dm *dm;
	const uint64_t offset = 0;
	uint64_t len;
	int err = attr_uobj(f, req, MLX5_IB_ATTR_QUERY_DM_REQ_HANDLE, NULL, &dm);

	if (!err && dm->u.class != &memic_class)
		err = refuse(-EOPNOTSUPP, "DM_QUERY: handle %u is no memory that can be mapped",
			     dm->u.id);
	if (err)
		return err;
	len = dm->len;
	attr_out(req, MLX5_IB_ATTR_QUERY_DM_RESP_PAGE_INDEX, &dm->page, sizeof(dm->page));
	attr_out(req, MLX5_IB_ATTR_QUERY_DM_RESP_START_OFFSET, &offset, sizeof(offset));
	attr_out(req, MLX5_IB_ATTR_QUERY_DM_RESP_LENGTH, &len, sizeof(len));
	return 0;
}

static int memic_op_check(const struct memic_dm *dm, uint8_t op)
{
	const uint8_t *cap = file_cap_page(dm->u.file, CAP_DEV_MEM);

	if (op >= DM_OPS || !(prm_device_mem_cap_get_memic_operations(cap) & 1u << op))
		return refuse(
			-EOPNOTSUPP,
			"DM_MAP_OP_ADDR: operation %u; this device has (memic_operations) 0x%x", op,
			prm_device_mem_cap_get_memic_operations(cap));
	return 0;
}

/* Gives an operation an address, where loads or stores run it. A second call returns the same. */
int mlx5_dm_map_op(struct uverbs_file *f, struct uverbs_request *req)
{
	const uint8_t op = (uint8_t)attr_value(req, MLX5_IB_ATTR_DM_MAP_OP_ADDR_REQ_OP);
	const uint64_t offset = 0;
	struct memic_dm *dm;
	uint16_t page;
	int err = attr_uobj(f, req, MLX5_IB_ATTR_DM_MAP_OP_ADDR_REQ_HANDLE, NULL, &dm);

	if (!err && dm->u.class != &memic_class)
		err = refuse(-EOPNOTSUPP, "DM_MAP_OP_ADDR: handle %u is no memory to map",
			     dm->u.id);
	err = err ? err : memic_op_check(dm, op);
	if (!err && !(dm->ops & 1u << op)) {
		err = memic_op_exec(dm, op, MEMIC_OP_ALLOC);
		if (!err)
			memic_op_pages(dm, op, true);
	}
	if (err)
		return err;
	dm->ops |= 1u << op;
	page = (uint16_t)(DM_OP_PAGE(op) + dm->page);
	attr_out(req, MLX5_IB_ATTR_DM_MAP_OP_ADDR_RESP_PAGE_INDEX, &page, sizeof(page));
	attr_out(req, MLX5_IB_ATTR_DM_MAP_OP_ADDR_RESP_START_OFFSET, &offset, sizeof(offset));
	return 0;
}
