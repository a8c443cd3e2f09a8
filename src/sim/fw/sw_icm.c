/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Steering memory that software owns. The kernel chooses the addresses and tells firmware which
 * ones are in use.
 */
#include <errno.h>
#include <inttypes.h>
#include "cmd.h"
#include "obj/icm.h"

static int fw_sw_icm_check_create(struct fw_cmd *c)
{
	if (c->in_len < PRM_CREATE_SW_ICM_IN_BYTES)
		return fw_refuse(c, FW_SYN_IN_SHORT,
				 "the mailbox has %zu bytes, a SW_ICM object needs %u", c->in_len,
				 PRM_CREATE_SW_ICM_IN_BYTES);
	if (prm_general_obj_in_cmd_hdr_get_log_obj_range(c->in) ||
	    prm_general_obj_in_cmd_hdr_get_alias_object(c->in))
		return fw_refuse(
			c, FW_SYN_UNSUPPORTED,
			"log_obj_range or alias_object is set: steering memory is one object");
	return fw_nothing_after(c, PRM_CREATE_SW_ICM_IN_BYTES);
}

static int fw_sw_icm_check_size(struct fw_cmd *c, uint64_t addr, unsigned int log_size)
{
	if (log_size < ICM_LOG_BLOCK || log_size >= ICM_KIND_SHIFT)
		return fw_refuse(c, FW_SYN_SIZE, "sw_icm.log_sw_icm_size %u is not within %u..%u",
				 log_size, ICM_LOG_BLOCK, ICM_KIND_SHIFT - 1);
	if (addr & ((1u << ICM_LOG_BLOCK) - 1))
		return fw_refuse(c, FW_SYN_ALIGNMENT,
				 "sw_icm.sw_icm_start_addr 0x%" PRIx64 " is not aligned to 2^%u",
				 addr, ICM_LOG_BLOCK);
	return 0;
}

static int fw_sw_icm_take(struct fw_cmd *c, uint64_t addr, uint64_t len)
{
	switch (icm_alloc(c->vhca, addr, len)) {
	case 0:
		return 0;
	case -ERANGE:
		return fw_refuse(c, FW_SYN_RANGE,
				 "sw_icm.sw_icm_start_addr 0x%" PRIx64 "+0x%" PRIx64
				 " is outside the regions of the device memory page",
				 addr, len);
	case -EBUSY:
		return fw_refuse(c, FW_SYN_BUSY,
				 "sw_icm.sw_icm_start_addr 0x%" PRIx64 "+0x%" PRIx64
				 " overlaps memory that is in use",
				 addr, len);
	default:
		return fw_refuse(c, FW_SYN_MEMORY,
				 "no memory for 0x%" PRIx64 " bytes of steering memory", len);
	}
}

int fw_create_sw_icm(struct fw_cmd *c)
{
	const void *in = prm_create_sw_icm_in_cat_sw_icm(c->in);
	unsigned int log_size;
	struct sw_icm *s;
	uint64_t addr;

	if (fw_sw_icm_check_create(c))
		return -1;
	log_size = prm_sw_icm_get_log_sw_icm_size(in);
	addr = prm_sw_icm_get_sw_icm_start_addr(in);
	if (fw_sw_icm_check_size(c, addr, log_size))
		return -1;
	s = fw_new(c, OBJ_SW_ICM, sizeof(*s));
	if (!s)
		return -1;
	if (fw_sw_icm_take(c, addr, 1ull << log_size)) {
		obj_free(&s->o);
		return -1;
	}
	s->addr = addr;
	s->len = 1ull << log_size;
	return fw_made(c, &s->o, 0);
}

void fw_sw_icm_free(struct obj *o)
{
	struct sw_icm *s = (struct sw_icm *)o;

	icm_free(o->vhca, s->addr, s->len);
	obj_free(o);
}

/* Does nothing: the device caches no entries, so a write into ICM affects the next packet. */
int fw_sync_steering(struct fw_cmd *c)
{
	(void)c;
	return 0;
}
