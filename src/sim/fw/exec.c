/* SPDX-License-Identifier: BSD-2-Clause */
#include <inttypes.h>
#include <stdarg.h>
#include <string.h>
#include "cmd.h"
#include "base/log.h"
#include "base/probe.h"
#include "queue/queue.h"
#include "prm/reflect.h"

/* A row: opcode, handler, flags. Minimum lengths are the sizes of the command's structures. */
#define ROW(OP, fn, fl)                                                                           \
	{                                                                                         \
		.opcode = PRM_OPCODE_##OP, .in_bytes = PRM_##OP##_IN_BYTES,                       \
		.out_bytes = PRM_##OP##_OUT_BYTES, .name = #OP, .handler = fw_##fn, .flags = (fl) \
	}

static const struct fw_row rows[] = {
	ROW(QUERY_ADAPTER, query_adapter, 0),
	ROW(QUERY_ISSI, query_issi, 0),
	ROW(QUERY_LAG, query_lag, 0),
	/*
	 * [I] The page is cut at the end of the reply: rdma-core's own tests have room for 2 KiB
	 * only.
	 */
	{.opcode = PRM_OPCODE_QUERY_HCA_CAP,
	 .in_bytes = PRM_QUERY_HCA_CAP_IN_BYTES,
	 .out_bytes = FW_CAP_AT,
	 .name = "QUERY_HCA_CAP",
	 .handler = fw_query_hca_cap,
	 .flags = FW_OP_MOD},
	ROW(ALLOC_MEMIC, alloc_memic, FW_KERNEL),
	ROW(DEALLOC_MEMIC, dealloc_memic, FW_KERNEL),
	ROW(MODIFY_MEMIC, modify_memic, FW_KERNEL | FW_OP_MOD),
	ROW(CREATE_MKEY, create_mkey, FW_TAIL),
	ROW(QUERY_MKEY, query_mkey, 0),
	ROW(DESTROY_MKEY, destroy_mkey, 0),
	ROW(CREATE_PSV, create_psv, 0),
	ROW(DESTROY_PSV, destroy_object, 0),
	ROW(QUERY_SPECIAL_CONTEXTS, query_special_contexts, 0),
	ROW(CREATE_EQ, alloc_number, FW_TAIL | FW_KERNEL),
	ROW(DESTROY_EQ, destroy_object, FW_KERNEL),
	ROW(CREATE_CQ, create_cq, FW_TAIL),
	ROW(DESTROY_CQ, destroy_object, 0),
	ROW(QUERY_CQ, query_cq, 0),
	ROW(MODIFY_CQ, modify_cq, FW_TAIL | FW_OP_MOD),
	ROW(CREATE_QP, create_qp, FW_TAIL),
	ROW(DESTROY_QP, destroy_object, 0),
	ROW(QUERY_QP, query_qp, 0),
	ROW(RST2INIT_QP, modify_qp, 0),
	ROW(INIT2RTR_QP, modify_qp, 0),
	ROW(RTR2RTS_QP, modify_qp, 0),
	ROW(RTS2RTS_QP, modify_qp, FW_TAIL),
	ROW(SQERR2RTS_QP, modify_qp, 0),
	{.opcode = PRM_OPCODE_SQD_RTS_QP,
	 .in_bytes = PRM_SQD2RTS_QP_IN_BYTES,
	 .out_bytes = PRM_SQD2RTS_QP_OUT_BYTES,
	 .name = "SQD_RTS_QP",
	 .handler = fw_modify_qp},
	ROW(INIT2INIT_QP, modify_qp, FW_TAIL),
	ROW(2ERR_QP, modify_qp, 0),
	ROW(2RST_QP, modify_qp, 0),
	ROW(ATTACH_TO_MCG, attach_to_mcg, 0),
	ROW(DETACH_FROM_MCG, detach_from_mcg, 0),
	ROW(QUERY_ESW_FUNCTIONS, query_esw_functions, 0),
	ROW(QUERY_ESW_VPORT_CONTEXT, query_esw_vport_context, 0),
	ROW(QUERY_NIC_VPORT_CONTEXT, query_nic_vport_context, 0),
	ROW(QUERY_HCA_VPORT_CONTEXT, query_hca_vport_context, 0),
	ROW(QUERY_ROCE_ADDRESS, query_roce_address, 0),
	ROW(ALLOC_Q_COUNTER, alloc_q_counter, 0),
	ROW(QUERY_Q_COUNTER, query_q_counter, 0),
	ROW(DEALLOC_Q_COUNTER, destroy_object, 0),
	ROW(ALLOC_PD, alloc_number, 0),
	ROW(DEALLOC_PD, destroy_object, 0),
	ROW(ALLOC_UAR, alloc_number, 0),
	ROW(DEALLOC_UAR, destroy_object, 0),
	ROW(ALLOC_TRANSPORT_DOMAIN, alloc_number, 0),
	ROW(DEALLOC_TRANSPORT_DOMAIN, destroy_object, 0),
	ROW(CREATE_TIS, create_tis, 0),
	ROW(MODIFY_TIS, modify_tis, 0),
	ROW(QUERY_TIS, query_tis, 0),
	ROW(DESTROY_TIS, destroy_object, 0),
	ROW(SET_PP_RATE_LIMIT, set_pp_rate_limit, 0),
	ROW(CREATE_SQ, create_sq, FW_TAIL),
	ROW(MODIFY_SQ, modify_sq, 0),
	ROW(QUERY_SQ, query_sq, 0),
	ROW(DESTROY_SQ, destroy_object, 0),
	ROW(CREATE_RQ, create_rq, FW_TAIL),
	ROW(MODIFY_RQ, modify_rq, 0),
	ROW(QUERY_RQ, query_rq, 0),
	ROW(DESTROY_RQ, destroy_object, 0),
	ROW(CREATE_RMP, create_rmp, FW_TAIL),
	ROW(MODIFY_RMP, modify_rmp, 0),
	ROW(QUERY_RMP, query_rmp, 0),
	ROW(DESTROY_RMP, destroy_rmp, 0),
	ROW(CREATE_DCT, create_dct, 0),
	ROW(QUERY_DCT, query_dct, 0),
	ROW(DRAIN_DCT, drain_dct, 0),
	ROW(DESTROY_DCT, destroy_dct, 0),
	{.opcode = PRM_OPCODE_ARM_DCT_FOR_KEY_VIOLATION,
	 .in_bytes = PRM_ARM_DCT_IN_BYTES,
	 .out_bytes = PRM_ARM_DCT_OUT_BYTES,
	 .name = "ARM_DCT_FOR_KEY_VIOLATION",
	 .handler = fw_arm_dct},
	ROW(ALLOC_XRCD, alloc_number, 0),
	ROW(DEALLOC_XRCD, destroy_object, 0),
	ROW(CREATE_XRC_SRQ, create_xrc_srq, FW_TAIL),
	ROW(QUERY_XRC_SRQ, query_xrc_srq, 0),
	ROW(ARM_XRC_SRQ, arm_xrc_srq, FW_OP_MOD),
	ROW(DESTROY_XRC_SRQ, destroy_xrc_srq, 0),
	ROW(CREATE_RQT, create_rqt, FW_TAIL),
	ROW(MODIFY_RQT, modify_rqt, FW_TAIL),
	ROW(QUERY_RQT, query_rqt, 0),
	ROW(DESTROY_RQT, destroy_object, 0),
	ROW(CREATE_TIR, create_tir, 0),
	ROW(MODIFY_TIR, modify_tir, 0),
	ROW(QUERY_TIR, query_tir, 0),
	ROW(DESTROY_TIR, destroy_object, 0),
	ROW(CREATE_UMEM, create_umem, FW_TAIL),
	ROW(DESTROY_UMEM, destroy_object, 0),
	ROW(ALLOW_OTHER_VHCA_ACCESS, allow_other_vhca_access, 0),
	ROW(SYNC_STEERING, sync_steering, 0),
	ROW(CREATE_FLOW_TABLE, create_flow_table, 0),
	ROW(MODIFY_FLOW_TABLE, modify_flow_table, 0),
	ROW(QUERY_FLOW_TABLE, query_flow_table, 0),
	ROW(DESTROY_FLOW_TABLE, destroy_flow_table, 0),
	ROW(SET_FLOW_TABLE_ROOT, set_flow_table_root, FW_OP_MOD),
	ROW(CREATE_FLOW_GROUP, create_flow_group, 0),
	ROW(QUERY_FLOW_GROUP, query_flow_group, 0),
	ROW(DESTROY_FLOW_GROUP, destroy_flow_group, 0),
	ROW(SET_FLOW_TABLE_ENTRY, set_fte, FW_TAIL | FW_OP_MOD),
	ROW(QUERY_FLOW_TABLE_ENTRY, query_fte, 0),
	ROW(DELETE_FLOW_TABLE_ENTRY, delete_fte, 0),
	ROW(ALLOC_MODIFY_HEADER_CONTEXT, alloc_modify_header, FW_TAIL),
	ROW(DEALLOC_MODIFY_HEADER_CONTEXT, destroy_object, 0),
	ROW(ALLOC_FLOW_COUNTER, alloc_flow_counter, 0),
	ROW(QUERY_FLOW_COUNTER, query_flow_counter, 0),
	ROW(DEALLOC_FLOW_COUNTER, dealloc_flow_counter, 0),
	/* These have obj_type in the place of op_mod, hence FW_OP_MOD. */
	ROW(CREATE_GENERAL_OBJECT, create_general_object, FW_TAIL | FW_OP_MOD),
	ROW(MODIFY_GENERAL_OBJECT, modify_general_object, FW_TAIL | FW_OP_MOD),
	ROW(QUERY_GENERAL_OBJECT, query_general_object, FW_OP_MOD),
	ROW(DESTROY_GENERAL_OBJECT, destroy_general_object, FW_OP_MOD),
};

static const struct {
	uint32_t syndrome;
	const char *text;
} syndromes[] = {
#define FW_SYNDROME(number, name, text) {FW_SYNDROME_BASE | (number), text},
#include "syndromes.def"
#undef FW_SYNDROME
};

const char *fw_syndrome_text(uint32_t syndrome)
{
	for (size_t i = 0; i < sizeof(syndromes) / sizeof(syndromes[0]); i++)
		if (syndromes[i].syndrome == syndrome)
			return syndromes[i].text;
	return NULL;
}

/* Writes the beginning of each reply: status in byte 0, syndrome in bytes 4..7. */
static void set_status(void *out, uint8_t status, uint32_t syndrome)
{
	prm_store8(out, 0, status);
	prm_store32(out, 4, syndrome);
}

int fw_refuse(struct fw_cmd *c, uint8_t status, enum fw_syndrome syndrome, const char *fmt, ...)
{
	char why[256];
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(why, sizeof(why), fmt, ap);
	va_end(ap);
	sim_refuse("%s (vhca %u, uid %u): %s", c->name, c->vhca->id, c->uid, why);
	memset(c->out, 0, c->out_len);
	set_status(c->out, status, (uint32_t)syndrome);
	return -1;
}

void *fw_find(struct fw_cmd *c, enum obj_type type, uint32_t id, const char *field)
{
	void *o = obj_find_uid(c->vhca, type, id, c->uid);

	if (!o)
		fw_refuse(c, PRM_STATUS_BAD_RES, FW_SYN_NO_OBJECT,
			  "%s 0x%x names no %s of this uid", field, id, obj_type_name(type));
	return o;
}

void *fw_take(struct fw_cmd *c, enum obj_type type, uint32_t id, const char *field)
{
	struct obj *o = fw_find(c, type, id, field);

	if (o)
		obj_get(o);
	return o;
}

void *fw_take_shared(struct fw_cmd *c, enum obj_type type, uint32_t id, const char *field)
{
	struct obj *o = obj_find(c->vhca, type, id);

	if (!o || o->uid)
		return fw_take(c, type, id, field);
	obj_get(o);
	return o;
}

void *fw_new(struct fw_cmd *c, enum obj_type type, size_t size)
{
	void *o = obj_new(c->vhca, type, c->uid, size);

	if (o)
		return o;
	if (obj_full(c->vhca, type))
		fw_refuse(c, PRM_STATUS_LIM, FW_SYN_LIMIT, "%u %s objects exist, no more fit",
			  obj_count(c->vhca, type), obj_type_name(type));
	else
		fw_refuse(c, PRM_STATUS_NO_RES, FW_SYN_MEMORY, "no memory for one more %s object",
			  obj_type_name(type));
	return NULL;
}

int fw_check_absent(struct fw_cmd *c, const struct fw_absent *a, size_t n)
{
	for (size_t i = 0; i < n; i++)
		if (a[i].value)
			return fw_refuse(c, PRM_STATUS_BAD_PARAM, FW_SYN_CAP_CLEAR, "%s is %u: %s",
					 a[i].field, a[i].value, a[i].why);
	return 0;
}

int fw_busy(struct fw_cmd *c, const struct obj *o)
{
	if (!o->refs)
		return 0;
	return fw_refuse(c, PRM_STATUS_RES_BUSY, FW_SYN_BUSY, "%s 0x%x is used by %u objects",
			 obj_type_name((enum obj_type)o->type), o->id, o->refs);
}

int fw_list_fits(struct fw_cmd *c, size_t head, uint64_t n, const char *list)
{
	if (c->in_len >= head && n <= (c->in_len - head) / 8)
		return fw_nothing_after(c, head + (size_t)n * 8);
	return fw_refuse(c, PRM_STATUS_BAD_INP_LEN, FW_SYN_IN_SHORT,
			 "%s needs %" PRIu64 " entries, the mailbox of %zu bytes holds %zu", list,
			 n, c->in_len, c->in_len < head ? 0 : (c->in_len - head) / 8);
}

/*
 * [I] Accepts a longer mailbox if the rest is zero: programs are built against structures of
 * several versions, whose reserved tails differ.
 */
int fw_nothing_after(struct fw_cmd *c, size_t end)
{
	const uint8_t *in = c->in;

	for (size_t i = end; i < c->in_len; i++)
		if (in[i])
			return fw_refuse(c, PRM_STATUS_BAD_INP_LEN, FW_SYN_IN_LONG,
					 "byte %zu of the mailbox is 0x%02x, the command ends at "
					 "%zu",
					 i, in[i], end);
	return 0;
}

static const struct fw_row *fw_exec_find_row(uint16_t opcode)
{
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++)
		if (rows[i].opcode == opcode)
			return &rows[i];
	return NULL;
}

/* Checks of every command, made before its handler reads a field. */
static int fw_exec_admit(struct fw_cmd *c, const struct fw_row *row)
{
	if (!row)
		return fw_refuse(c, PRM_STATUS_BAD_OP, FW_SYN_OPCODE,
				 "opcode 0x%x is not implemented", c->opcode);
	if ((row->flags & FW_KERNEL) && c->uid)
		return fw_refuse(c, PRM_STATUS_BAD_PARAM, FW_SYN_PRIVILEGED,
				 "uid is %u, only the kernel (0) may do this", c->uid);
	if (c->in_len < row->in_bytes || c->in_len % 4)
		return fw_refuse(c, PRM_STATUS_BAD_INP_LEN, FW_SYN_IN_SHORT,
				 "the mailbox has %zu bytes, %u and whole dwords are needed",
				 c->in_len, row->in_bytes);
	if (c->out_len < row->out_bytes)
		return fw_refuse(c, PRM_STATUS_BAD_OUTP_LEN, FW_SYN_OUT_SHORT,
				 "the reply mailbox has %zu bytes, %u are needed", c->out_len,
				 row->out_bytes);
	if (!(row->flags & FW_OP_MOD) && c->op_mod)
		return fw_refuse(c, PRM_STATUS_BAD_PARAM, FW_SYN_OP_MOD,
				 "op_mod is 0x%x, this command has only 0", c->op_mod);
	if (!(row->flags & FW_TAIL) && fw_nothing_after(c, row->in_bytes))
		return -1;
	return fw_check_reserved(c, prm_command_in(c->opcode), 0);
}

void fw_exec(struct vhca *v, const void *in, size_t in_len, void *out, size_t out_len)
{
	struct fw_cmd c = {
		.vhca = v,
		.in = in,
		.in_len = in_len,
		.out = out,
		.out_len = out_len,
	};
	const struct fw_row *row;

	memset(out, 0, out_len);
	if (in_len < 8) {
		c.name = "command";
		fw_refuse(&c, PRM_STATUS_BAD_INP_LEN, FW_SYN_IN_SHORT,
			  "the mailbox has %zu bytes, not even a header of 8", in_len);
		return;
	}
	c.opcode = prm_load16(in, 0);
	c.uid = prm_load16(in, 2);
	c.op_mod = prm_load16(in, 6);
	row = fw_exec_find_row(c.opcode);
	c.name = row ? row->name : prm_opcode_name(c.opcode);
	queues_settle(v->dev);
	if (fw_exec_admit(&c, row) == 0)
		row->handler(&c);
	probe(PROBE_COMMAND, .command = &c);
}
