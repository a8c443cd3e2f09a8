/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Device memory for software steering: one region for its entries, another for header rewrites. The
 * kernel keeps a map of used blocks and allocates first fit, as mlx5_core does (lib/dm.c).
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <dvx/prm/cap.h>
#include <dvx/prm/cmd.h>
#include <dvx/prm/object.h>
#include <rdma/ib_user_ioctl_cmds.h>
#include <rdma/mlx5_user_ioctl_cmds.h>
#include <rdma/mlx5_user_ioctl_verbs.h>
#include "kernel/core/cmd.h"
#include "priv.h"
#include "obj/device.h"

struct dm_map {
	uint64_t start;
	uint32_t nblocks;
	uint8_t log_block;
	uint8_t taken[]; /* one byte per block */
};

static struct dm_map *map_new(uint64_t start, unsigned int log_size, unsigned int log_block)
{
	uint32_t n = log_size > log_block ? 1u << (log_size - log_block) : 1;
	struct dm_map *map = calloc(1, sizeof(*map) + n);

	if (!map)
		return NULL;
	map->start = start;
	map->nblocks = n;
	map->log_block = (uint8_t)log_block;
	return map;
}

/* Places of the regions, by enum dm_kind, in the device memory page. */
static const struct {
	uint64_t (*start)(const void *cap);
	uint32_t (*log_size)(const void *cap);
} dm_regions[DM_KINDS] = {
	[DM_STE] = {prm_device_mem_cap_get_steering_sw_icm_start_address,
		    prm_device_mem_cap_get_log_steering_sw_icm_size},
	[DM_MODIFY] = {prm_device_mem_cap_get_header_modify_sw_icm_start_address,
		       prm_device_mem_cap_get_log_header_modify_sw_icm_size},
	[DM_PATTERN] = {prm_device_mem_cap_get_header_modify_pattern_sw_icm_start_address,
			prm_device_mem_cap_get_log_header_modify_pattern_sw_icm_size},
};

/* Returns a region's map, made on first use. -EOPNOTSUPP: the device has no such region. */
static int uverbs_dm_map_get(struct uverbs_file *f, enum dm_kind kind, struct dm_map **map)
{
	struct kernel_function *fn = file_function(f);
	const uint8_t *cap = file_cap_page(f, CAP_DEV_MEM);
	unsigned int log_block;
	uint64_t start;

	if (!fn->dm[kind]) {
		log_block = prm_device_mem_cap_get_log_sw_icm_alloc_granularity(cap);
		start = dm_regions[kind].start(cap);
		if (!start)
			return -EOPNOTSUPP;
		fn->dm[kind] = map_new(start, dm_regions[kind].log_size(cap), log_block);
	}
	*map = fn->dm[kind];
	return *map ? 0 : -ENOMEM;
}

void dm_stop(struct kernel *k)
{
	for (unsigned int i = 0; i < k->dev->nfunctions; i++)
		for (unsigned int kind = 0; kind < DM_KINDS; kind++)
			free(k->fn[i].dm[kind]);
}

/* Finds the first run of n free blocks at a multiple of align; nblocks: there is none. */
static uint32_t map_find(const struct dm_map *map, uint32_t n, uint32_t align)
{
	for (uint32_t at = 0; n <= map->nblocks && at <= map->nblocks - n;) {
		const uint8_t *in_the_way = memchr(map->taken + at, 1, n);

		if (!in_the_way)
			return at;
		at = ((uint32_t)(in_the_way - map->taken) / align + 1) * align;
	}
	return map->nblocks;
}

struct dm {
	struct uobj u;
	struct dm_map *map;
	uint32_t first, n; /* blocks */
	uint64_t len;	   /* as requested */
};

static uint64_t dm_addr(const struct dm *dm)
{
	return dm->map->start + ((uint64_t)dm->first << dm->map->log_block);
}

static int uverbs_dm_release(struct uobj *u)
{
	struct dm *dm = (struct dm *)u;
	uint8_t in[PRM_GENERAL_OBJ_IN_CMD_HDR_BYTES] = {0};
	int err;

	mbox_begin(in, PRM_OPCODE_DESTROY_GENERAL_OBJECT, u->uid);
	prm_general_obj_in_cmd_hdr_set_obj_type(in, PRM_OBJ_TYPE_SW_ICM);
	prm_general_obj_in_cmd_hdr_set_obj_id(in, u->number);
	err = mbox_run(u->file->vhca, in, sizeof(in));
	if (!err)
		memset(dm->map->taken + dm->first, 0, dm->n);
	return err;
}

const struct uobj_class dm_class = {"DM", UVERBS_OBJECT_DM, 0, uverbs_dm_release, NULL};

int dm_range(const struct uobj *u, uint64_t offset, uint64_t len, uint64_t *addr)
{
	const struct dm *dm = (const struct dm *)u;

	*addr = dm_addr(dm) + offset;
	return dm_range_check(dm->len, offset, len);
}

static int uverbs_dm_create(struct dm *dm)
{
	uint8_t in[PRM_CREATE_SW_ICM_IN_BYTES] = {0};
	void *icm = prm_create_sw_icm_in_at_sw_icm(in);
	unsigned int log_n = (unsigned int)__builtin_ctz(dm->n);

	mbox_begin(in, PRM_OPCODE_CREATE_GENERAL_OBJECT, dm->u.uid);
	prm_general_obj_in_cmd_hdr_set_obj_type(in, PRM_OBJ_TYPE_SW_ICM);
	prm_sw_icm_set_log_sw_icm_size(icm, dm->map->log_block + log_n);
	prm_sw_icm_set_sw_icm_start_addr(icm, dm_addr(dm));
	return mbox_create(dm->u.file->vhca, in, sizeof(in), &dm->u.number);
}

/* Allocates blocks: the size is rounded up to a power of two, the alignment is the caller's. */
static int uverbs_dm_take(struct dm *dm, uint64_t len, uint64_t log_align)
{
	const struct dm_map *map = dm->map;
	uint32_t align = log_align > map->log_block ? 1u << (log_align - map->log_block) : 1;
	uint64_t n = (len + (1ull << map->log_block) - 1) >> map->log_block;

	dm->len = len;
	dm->n = 1;
	while (dm->n < n)
		dm->n *= 2;
	dm->first = map_find(map, dm->n, align);
	if (dm->first == map->nblocks)
		return refuse(-ENOMEM,
			      "DM_ALLOC: no 0x%llx bytes in one piece are left of the %llu MiB of "
			      "steering memory at 0x%llx",
			      (unsigned long long)len,
			      (unsigned long long)map->nblocks << map->log_block >> 20,
			      (unsigned long long)map->start);
	return uverbs_dm_create(dm);
}

static int uverbs_dm_check_type(struct uverbs_request *req, enum dm_kind *kind)
{
	uint64_t type = attr_value(req, MLX5_IB_ATTR_ALLOC_DM_REQ_TYPE);

	switch (type) {
	case MLX5_IB_UAPI_DM_TYPE_STEERING_SW_ICM:
		*kind = DM_STE;
		return 0;
	case MLX5_IB_UAPI_DM_TYPE_HEADER_MODIFY_SW_ICM:
		*kind = DM_MODIFY;
		return 0;
	case MLX5_IB_UAPI_DM_TYPE_HEADER_MODIFY_PATTERN_SW_ICM:
		*kind = DM_PATTERN;
		return 0;
	default:
		return refuse(-EOPNOTSUPP,
			      "DM_ALLOC: ALLOC_DM_REQ_TYPE %llu: the device memory page offers "
			      "only 0 (for programs), 1 (steering entries), 2 (header rewrites) "
			      "and 3 (their patterns)",
			      (unsigned long long)type);
	}
}

static int uverbs_dm_check_size(struct uverbs_request *req, const struct dm_map *map)
{
	uint64_t len = attr_value(req, UVERBS_ATTR_ALLOC_DM_LENGTH);
	uint64_t log_align = attr_value(req, UVERBS_ATTR_ALLOC_DM_ALIGNMENT);
	uint64_t most = (uint64_t)map->nblocks << map->log_block;

	if (!len)
		return refuse(-EINVAL, "DM_ALLOC: ALLOC_DM_LENGTH is 0");
	if (len > most || log_align > 31 || 1ull << log_align > most)
		return refuse(-ENOMEM,
			      "DM_ALLOC: ALLOC_DM_LENGTH 0x%llx, aligned to 2^%llu: there are "
			      "0x%llx bytes in all",
			      (unsigned long long)len, (unsigned long long)log_align,
			      (unsigned long long)most);
	return 0;
}

static int icm_dm_alloc(struct uverbs_file *f, struct uverbs_request *req)
{
	enum dm_kind kind;
	struct dm_map *map;
	struct dm *dm;
	uint64_t addr;
	int err = uverbs_dm_check_type(req, &kind) ?:
		  uverbs_dm_map_get(f, kind, &map) ?:
		  uverbs_dm_check_size(req, map);

	if (err)
		return err;
	dm = uobj_new(f, &dm_class, sizeof(*dm));
	if (!dm)
		return -ENOMEM;
	dm->map = map;
	err = uverbs_dm_take(dm, attr_value(req, UVERBS_ATTR_ALLOC_DM_LENGTH),
			     attr_value(req, UVERBS_ATTR_ALLOC_DM_ALIGNMENT));
	if (err)
		return err;
	memset(map->taken + dm->first, 1, dm->n);
	addr = dm_addr(dm);
	attr_out(req, MLX5_IB_ATTR_ALLOC_DM_RESP_START_OFFSET, &addr, sizeof(addr));
	attr_new_handle(req, UVERBS_ATTR_ALLOC_DM_HANDLE, &dm->u);
	return 0;
}

int uverbs_dm_alloc(struct uverbs_file *f, struct uverbs_request *req)
{
	const bool memic =
		attr_value(req, MLX5_IB_ATTR_ALLOC_DM_REQ_TYPE) == MLX5_IB_UAPI_DM_TYPE_MEMIC;

	return memic ? memic_dm_alloc(f, req) : icm_dm_alloc(f, req);
}
