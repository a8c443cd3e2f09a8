/* SPDX-License-Identifier: BSD-2-Clause */
#include <inttypes.h>
#include <stdarg.h>
#include <string.h>
#include "cmd.h"
#include "base/log.h"
#include "prm/reflect.h"

/* Opcode, handler, flags and the structures of command and reply, whose sizes are least lengths. */
#define ROW(OP, fn, fl, s, S)                                                                      \
	{                                                                                          \
		.opcode = PRM_OPCODE_##OP, .flags = (fl), .in_bytes = PRM_##S##_IN_BYTES,          \
		.out_bytes = PRM_##S##_OUT_BYTES, .handler = fw_##fn, .in_struct = #s "_in",       \
		.out_struct = #s "_out"                                                            \
	}

/* QUERY_HCA_CAP's reply is the header and a page of 4 KiB, whichever page it is. */
#define CAP_OUT_BYTES (16 + 4096)

static const struct fw_row rows[] = {
	ROW(QUERY_ADAPTER, query_adapter, 0, query_adapter, QUERY_ADAPTER),
	ROW(NOP, nop, 0, nop, NOP),
	ROW(QUERY_ISSI, query_issi, 0, query_issi, QUERY_ISSI),
	ROW(SET_ISSI, set_issi, FW_KERNEL, set_issi, SET_ISSI),
	{ .opcode = PRM_OPCODE_QUERY_HCA_CAP,
	  .flags = FW_OP_MOD,
	  .in_bytes = PRM_QUERY_HCA_CAP_IN_BYTES,
	  .out_bytes = CAP_OUT_BYTES,
	  .handler = fw_query_hca_cap,
	  .in_struct = "query_hca_cap_in",
	  .out_struct = "query_hca_cap_out" },
	ROW(CREATE_MKEY, create_mkey, FW_TAIL, create_mkey, CREATE_MKEY),
	ROW(QUERY_MKEY, query_mkey, 0, query_mkey, QUERY_MKEY),
	ROW(DESTROY_MKEY, destroy_mkey, 0, destroy_mkey, DESTROY_MKEY),
	ROW(QUERY_SPECIAL_CONTEXTS, query_special_contexts, 0, query_special_contexts,
	    QUERY_SPECIAL_CONTEXTS),
	ROW(CREATE_EQ, create_eq, FW_TAIL | FW_KERNEL, create_eq, CREATE_EQ),
	ROW(DESTROY_EQ, destroy_eq, FW_KERNEL, destroy_eq, DESTROY_EQ),
	ROW(CREATE_CQ, create_cq, FW_TAIL, create_cq, CREATE_CQ),
	ROW(DESTROY_CQ, destroy_cq, 0, destroy_cq, DESTROY_CQ),
	ROW(QUERY_CQ, query_cq, 0, query_cq, QUERY_CQ),
	ROW(MODIFY_CQ, modify_cq, FW_OP_MOD | FW_TAIL, modify_cq, MODIFY_CQ),
	ROW(CREATE_QP, create_qp, FW_TAIL, create_qp, CREATE_QP),
	ROW(DESTROY_QP, destroy_qp, 0, destroy_qp, DESTROY_QP),
	ROW(RST2INIT_QP, modify_qp, 0, rst2init_qp, RST2INIT_QP),
	ROW(INIT2RTR_QP, modify_qp, 0, init2rtr_qp, INIT2RTR_QP),
	ROW(RTR2RTS_QP, modify_qp, 0, rtr2rts_qp, RTR2RTS_QP),
	ROW(RTS2RTS_QP, modify_qp, 0, rts2rts_qp, RTS2RTS_QP),
	ROW(SQERR2RTS_QP, modify_qp, 0, sqerr2rts_qp, SQERR2RTS_QP),
	ROW(2ERR_QP, modify_qp, 0, qp_2err, QP_2ERR),
	ROW(2RST_QP, modify_qp, 0, qp_2rst, QP_2RST),
	ROW(QUERY_QP, query_qp, 0, query_qp, QUERY_QP),
	ROW(INIT2INIT_QP, modify_qp, FW_TAIL, init2init_qp, INIT2INIT_QP),
	ROW(QUERY_ESW_FUNCTIONS, query_esw_functions, 0, query_esw_functions,
	    QUERY_ESW_FUNCTIONS),
	ROW(QUERY_NIC_VPORT_CONTEXT, query_nic_vport_context, 0, query_nic_vport_context,
	    QUERY_NIC_VPORT_CONTEXT),
	ROW(QUERY_ROCE_ADDRESS, query_roce_address, 0, query_roce_address, QUERY_ROCE_ADDRESS),
	ROW(QUERY_HCA_VPORT_CONTEXT, query_hca_vport_context, 0, query_hca_vport_context,
	    QUERY_HCA_VPORT_CONTEXT),
	ROW(QUERY_HCA_VPORT_GID, query_hca_vport_gid, 0, query_hca_vport_gid, QUERY_HCA_VPORT_GID),
	ROW(QUERY_HCA_VPORT_PKEY, query_hca_vport_pkey, 0, query_hca_vport_pkey,
	    QUERY_HCA_VPORT_PKEY),
	ROW(ALLOC_PD, alloc_pd, 0, alloc_pd, ALLOC_PD),
	ROW(DEALLOC_PD, dealloc_pd, 0, dealloc_pd, DEALLOC_PD),
	ROW(ALLOC_UAR, alloc_uar, 0, alloc_uar, ALLOC_UAR),
	ROW(DEALLOC_UAR, dealloc_uar, 0, dealloc_uar, DEALLOC_UAR),
	ROW(ALLOC_XRCD, alloc_xrcd, 0, alloc_xrcd, ALLOC_XRCD),
	ROW(DEALLOC_XRCD, dealloc_xrcd, 0, dealloc_xrcd, DEALLOC_XRCD),
	ROW(ALLOC_TRANSPORT_DOMAIN, alloc_td, 0, alloc_transport_domain, ALLOC_TRANSPORT_DOMAIN),
	ROW(DEALLOC_TRANSPORT_DOMAIN, dealloc_td, 0, dealloc_transport_domain,
	    DEALLOC_TRANSPORT_DOMAIN),
	ROW(CREATE_TIS, create_tis, 0, create_tis, CREATE_TIS),
	ROW(DESTROY_TIS, destroy_tis, 0, destroy_tis, DESTROY_TIS),
	{ .opcode = PRM_OPCODE_CREATE_GENERAL_OBJECT,
	  .in_bytes = PRM_GENERAL_OBJ_IN_CMD_HDR_BYTES,
	  .out_bytes = PRM_GENERAL_OBJ_OUT_CMD_HDR_BYTES,
	  .flags = FW_TAIL | FW_OP_MOD,
	  .handler = fw_create_general_object,
	  .in_struct = "create_alias_obj_in",
	  .out_struct = "general_obj_out_cmd_hdr" },
	{ .opcode = PRM_OPCODE_QUERY_GENERAL_OBJECT,
	  .in_bytes = PRM_GENERAL_OBJ_IN_CMD_HDR_BYTES,
	  .out_bytes = PRM_GENERAL_OBJ_OUT_CMD_HDR_BYTES,
	  .flags = FW_OP_MOD,
	  .handler = fw_query_general_object,
	  .in_struct = "general_obj_in_cmd_hdr",
	  .out_struct = "query_alias_obj_out" },
	{ .opcode = PRM_OPCODE_DESTROY_GENERAL_OBJECT,
	  .in_bytes = PRM_GENERAL_OBJ_IN_CMD_HDR_BYTES,
	  .out_bytes = PRM_GENERAL_OBJ_OUT_CMD_HDR_BYTES,
	  .flags = FW_OP_MOD,
	  .handler = fw_destroy_general_object,
	  .in_struct = "general_obj_in_cmd_hdr",
	  .out_struct = "general_obj_out_cmd_hdr" },
	ROW(CREATE_UMEM, create_umem, FW_TAIL, create_umem, CREATE_UMEM),
	ROW(DESTROY_UMEM, destroy_umem, 0, destroy_umem, DESTROY_UMEM),
	ROW(ALLOW_OTHER_VHCA_ACCESS, allow_other_vhca_access, 0, allow_other_vhca_access,
	    ALLOW_OTHER_VHCA_ACCESS),
};

static const struct {
	uint32_t syndrome;
	const char *text;
} syndromes[] = {
#define FW_SYNDROME(number, name, text) { FW_SYNDROME_BASE | (number), text },
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

/* Every reply begins alike: status in byte 0, syndrome in bytes 4..7. */
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

void *fw_find_shared(struct fw_cmd *c, enum obj_type type, uint32_t id, const char *field)
{
	struct obj *o = obj_find(c->vhca, type, id);

	return o && o->uid == 0 ? o : fw_find(c, type, id, field);
}

void *fw_new(struct fw_cmd *c, enum obj_type type, size_t size)
{
	void *o = obj_new(c->vhca, type, c->uid, size);

	if (!o)
		fw_refuse(c, PRM_STATUS_LIM, FW_SYN_LIMIT, "%u %s objects exist, no more fit",
			  obj_count(c->vhca, type), obj_type_name(type));
	return o;
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
 * [I] Programs are built against structures of several ages, whose reserved tails differ. So a
 * longer mailbox is taken as long as it says nothing.
 */
int fw_nothing_after(struct fw_cmd *c, size_t end)
{
	const uint8_t *in = c->in;

	for (size_t i = end; i < c->in_len; i++)
		if (in[i])
			return fw_refuse(c, PRM_STATUS_BAD_INP_LEN, FW_SYN_IN_LONG,
					 "byte %zu of the mailbox is 0x%02x, the command ends at "
					 "%zu", i, in[i], end);
	return 0;
}

static const struct fw_row *find_row(uint16_t opcode)
{
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++)
		if (rows[i].opcode == opcode)
			return &rows[i];
	return NULL;
}

/* What every command is checked for before its handler reads a field. */
static int admit(struct fw_cmd *c, const struct fw_row *row)
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
	return row->flags & FW_TAIL ? 0 : fw_nothing_after(c, row->in_bytes);
}

static void trace(const struct fw_cmd *c, const struct fw_row *row)
{
	const char *in = row ? row->in_struct : NULL, *out = row ? row->out_struct : NULL;

	sim_trace("cmd>", in, c->in, c->in_len, "vhca %u uid %u %s", c->vhca->id, c->uid, c->name);
	sim_trace("cmd<", out, c->out, c->out_len, "vhca %u uid %u %s", c->vhca->id, c->uid,
		  c->name);
}

void fw_exec(struct vhca *v, const void *in, size_t in_len, void *out, size_t out_len)
{
	struct fw_cmd c = {
		.vhca = v, .in = in, .in_len = in_len, .out = out, .out_len = out_len,
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
	row = find_row(c.opcode);
	c.name = prm_opcode_name(c.opcode);
	if (!c.name)
		c.name = "unknown command";
	if (admit(&c, row) == 0)
		row->handler(&c);
	if (sim_tracing)
		trace(&c, row);
}
