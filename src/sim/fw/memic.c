/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Device memory that programs map (MEMIC). The kernel chooses pages of the window; firmware
 * allocates them.
 */
#include <errno.h>
#include <inttypes.h>
#include "cmd.h"
#include "fw.h"
#include "obj/memic.h"

static int fw_memic_check(struct fw_cmd *c, uint64_t addr, uint32_t range, uint32_t size)
{
	const uint32_t align = MEMIC_UNIT
			       << (prm_alloc_memic_in_get_log_memic_addr_alignment(c->in) & 31);

	if (!size || size % MEMIC_UNIT)
		return fw_refuse(c, FW_SYN_SIZE, "memic_size %u is not a multiple of %u", size,
				 MEMIC_UNIT);
	if (size > range || range % (1u << MEMIC_LOG_PAGE))
		return fw_refuse(c, FW_SYN_RANGE,
				 "range_size 0x%x holds no memic_size %u in whole pages", range,
				 size);
	if (!align || align > 1u << MEMIC_LOG_PAGE || addr % (1u << MEMIC_LOG_PAGE))
		return fw_refuse(c, FW_SYN_ALIGNMENT,
				 "range_start_addr 0x%" PRIx64
				 " or log_memic_addr_alignment is not aligned as the device memory "
				 "page says",
				 addr);
	return 0;
}

/* Allocates at the beginning of the given range. [I] */
int fw_alloc_memic(struct fw_cmd *c)
{
	uint64_t addr = prm_alloc_memic_in_get_range_start_addr(c->in);
	uint32_t range = prm_alloc_memic_in_get_range_size(c->in);
	int err;

	if (fw_memic_check(c, addr, range, prm_alloc_memic_in_get_memic_size(c->in)))
		return -1;
	err = memic_alloc(c->vhca, addr, range);
	if (err)
		return fw_refuse(c,
				 err == -ERANGE	 ? FW_SYN_RANGE
				 : err == -EBUSY ? FW_SYN_BUSY
						 : FW_SYN_MEMORY,
				 "range_start_addr 0x%" PRIx64
				 "+0x%x is outside the window, or not free",
				 addr, range);
	prm_alloc_memic_out_set_memic_start_addr(c->out, addr);
	return 0;
}

int fw_dealloc_memic(struct fw_cmd *c)
{
	uint64_t addr = prm_dealloc_memic_in_get_memic_start_addr(c->in);
	uint32_t size = prm_dealloc_memic_in_get_memic_size(c->in);

	int err = memic_free(c->vhca, addr, size);

	if (err == -EBUSY) /* [I] */
		return fw_refuse(c, FW_SYN_BUSY,
				 "memic_start_addr 0x%" PRIx64
				 " still has the address of an operation (MODIFY_MEMIC)",
				 addr);
	if (err)
		return fw_refuse(c, FW_SYN_RANGE,
				 "memic_start_addr 0x%" PRIx64 "+0x%x is not allocated", addr,
				 size);
	return 0;
}

static int fw_memic_op_refuse(struct fw_cmd *c, uint64_t addr, uint32_t op, int err)
{
	if (err == -ERANGE)
		return fw_refuse(c, FW_SYN_RANGE,
				 "memic_start_addr 0x%" PRIx64 " is not where memory begins", addr);
	return fw_refuse_as(
		c, PRM_STATUS_BAD_RES_STATE, err == -EEXIST ? FW_SYN_BUSY : FW_SYN_NO_OBJECT,
		"memic_start_addr 0x%" PRIx64 " %s an address for memic_operation_type %u", addr,
		err == -EEXIST ? "already has" : "does not have", op);
}

/*
 * Gives the memory at memic_start_addr an address for an operation (op_mod 0), or removes the
 * address (1).
 */
int fw_modify_memic(struct fw_cmd *c)
{
	uint64_t op_addr = 0, addr = prm_modify_memic_in_get_memic_start_addr(c->in);
	uint32_t op = prm_modify_memic_in_get_memic_operation_type(c->in);
	uint32_t op_mod = prm_modify_memic_in_get_op_mod(c->in);
	int err;

	if (op >= MEMIC_OPS || !(MEMIC_OPERATIONS & 1u << op))
		return fw_refuse(c, FW_SYN_CAP_CLEAR,
				 "memic_operation_type %u: memic_operations is 0x%x", op,
				 MEMIC_OPERATIONS);
	if (op_mod > 1)
		return fw_refuse_as(c, PRM_STATUS_BAD_OP, FW_SYN_OP_MOD,
				    "op_mod %u is neither 0 (allocate) nor 1 (deallocate)", op_mod);
	err = op_mod ? memic_op_free(c->vhca, addr, op)
		     : memic_op_alloc(c->vhca, addr, op, &op_addr);
	if (err)
		return fw_memic_op_refuse(c, addr, op, err);
	prm_modify_memic_out_set_memic_operation_addr(c->out, op_addr);
	return 0;
}

void fw_memic_back(struct vhca *v, uint64_t addr, uint32_t len, uint8_t *bytes)
{
	memic_back(v, addr, len, bytes);
}
