/* SPDX-License-Identifier: BSD-2-Clause */
/* Runs firmware commands, and converts their status to an errno. */
#include <errno.h>
#include <dvx/prm/admin.h>
#include <dvx/prm/cmd.h>
#include <dvx/prm/object.h>
#include "fw/fw.h"
#include "cmd.h"

/* mlx5_core's table; a status that is not in it is EIO. */
static const struct {
	uint8_t status;
	int err;
} errnos[] = {
	{PRM_STATUS_OK, 0},
	{PRM_STATUS_INT_ERR, -EIO},
	{PRM_STATUS_BAD_OP, -EINVAL},
	{PRM_STATUS_BAD_PARAM, -EINVAL},
	{PRM_STATUS_BAD_SYS_STATE, -EIO},
	{PRM_STATUS_BAD_RES, -EINVAL},
	{PRM_STATUS_RES_BUSY, -EBUSY},
	{PRM_STATUS_LIM, -ENOMEM},
	{PRM_STATUS_BAD_RES_STATE, -EINVAL},
	{PRM_STATUS_IX, -EINVAL},
	{PRM_STATUS_NO_RES, -EAGAIN},
	{PRM_STATUS_BAD_QP_STATE, -EINVAL},
	{PRM_STATUS_BAD_PKT, -EINVAL},
	{PRM_STATUS_BAD_SIZE_OUTS_CQES, -EINVAL},
	{PRM_STATUS_BAD_INP_LEN, -EIO},
	{PRM_STATUS_BAD_OUTP_LEN, -EIO},
};

int mbox_errno(const void *out)
{
	uint8_t status = *(const uint8_t *)out;

	for (unsigned int i = 0; i < sizeof(errnos) / sizeof(errnos[0]); i++) {
		if (errnos[i].status == status)
			return errnos[i].err;
	}
	return -EIO;
}

int mbox_exec(struct vhca *v, const void *in, size_t in_len, void *out, size_t out_len)
{
	fw_exec(v, in, in_len, out, out_len);
	return mbox_errno(out);
}

void mbox_begin(void *in, uint16_t opcode, uint16_t uid)
{
	prm_mbox_in_set_opcode(in, opcode);
	prm_mbox_in_set_uid(in, uid);
}

int mbox_create(struct vhca *v, const void *in, size_t in_len, uint32_t *number)
{
	uint8_t out[PRM_GENERAL_OBJ_OUT_CMD_HDR_BYTES];
	int err = mbox_exec(v, in, in_len, out, sizeof(out));

	if (!err)
		*number = prm_general_obj_out_cmd_hdr_get_obj_id(out);
	return err;
}

int mbox_run(struct vhca *v, const void *in, size_t in_len)
{
	uint32_t unused;

	return mbox_create(v, in, in_len, &unused);
}

int mbox_alloc(struct vhca *v, uint16_t opcode, uint16_t uid, uint32_t *number)
{
	uint8_t in[PRM_GENERAL_OBJ_IN_CMD_HDR_BYTES] = {0};

	mbox_begin(in, opcode, uid);
	return mbox_create(v, in, sizeof(in), number);
}

int mbox_destroy(struct vhca *v, uint16_t opcode, uint16_t uid, uint32_t number)
{
	uint8_t in[PRM_GENERAL_OBJ_IN_CMD_HDR_BYTES] = {0};

	mbox_begin(in, opcode, uid);
	prm_general_obj_in_cmd_hdr_set_obj_id(in, number);
	return mbox_run(v, in, sizeof(in));
}

int mbox_query(struct vhca *v, uint16_t opcode, uint32_t number, void *out, size_t out_len)
{
	uint8_t in[PRM_GENERAL_OBJ_IN_CMD_HDR_BYTES] = {0};

	mbox_begin(in, opcode, 0);
	prm_general_obj_in_cmd_hdr_set_obj_id(in, number);
	return mbox_exec(v, in, sizeof(in), out, out_len);
}
