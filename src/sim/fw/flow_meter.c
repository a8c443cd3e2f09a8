/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Flow meters of general object type 0x0a: rules lead to one, a register C gets the packet's color,
 * and the packet goes on to a table. Meters of ASO kind (aso.c) are actions of rules instead.
 */
#include <string.h>
#include "cmd.h"
#include "obj/aso.h"
#include "obj/device.h"
#include "obj/flow.h"
#include "obj/icm.h"

#define FW_METER_BYTES (PRM_GENERAL_OBJ_IN_CMD_HDR_BYTES + PRM_FLOW_METER_BYTES)

/* Bits of modify_field_select (DPDK, drivers/common/mlx5/mlx5_prm.h). */
enum {
	FW_METER_ACTIVE = 1 << 0,
	FW_METER_CBS = 1 << 1,
	FW_METER_CIR = 1 << 2,
	FW_METER_EBS = 1 << 3,
	FW_METER_EIR = 1 << 4,
	FW_METER_ALL = (1 << 5) - 1,
};

static int fw_meter_check_len(struct fw_cmd *c)
{
	if (c->in_len < FW_METER_BYTES)
		return fw_refuse(c, FW_SYN_IN_SHORT,
				 "the mailbox has %zu bytes, a flow meter needs %zu", c->in_len,
				 (size_t)FW_METER_BYTES);
	return fw_nothing_after(c, FW_METER_BYTES);
}

static int fw_meter_check(struct fw_cmd *c, const void *flow_meter)
{
	uint32_t reg;

	if (fw_meter_check_len(c) ||
	    fw_flow_table_check_type(c, prm_flow_meter_get_table_type(flow_meter)))
		return -1;
	if (prm_general_obj_in_cmd_hdr_get_log_obj_range(c->in))
		return fw_refuse(c, FW_SYN_UNSUPPORTED,
				 "log_obj_range is set: one meter at a time");
	reg = prm_flow_meter_get_return_reg_id(flow_meter);
	if (!(1u << reg & VHCA_METER_REGISTERS))
		return fw_refuse(c, FW_SYN_INDEX,
				 "flow_meter.return_reg_id %u: qos.flow_meter_reg_id is 0x%x", reg,
				 VHCA_METER_REGISTERS);
	return 0;
}

int fw_create_flow_meter(struct fw_cmd *c)
{
	const uint8_t *in = (const uint8_t *)c->in + PRM_GENERAL_OBJ_IN_CMD_HDR_BYTES;
	struct flow_table from = {0}, *next;
	struct flow_meter *m;

	if (fw_meter_check(c, in))
		return -1;
	from.type = (uint8_t)prm_flow_meter_get_table_type(in);
	next = fw_flow_target(c, &from, prm_flow_meter_get_destination_table_id(in),
			      "destination_table_id");
	m = next ? fw_new(c, OBJ_FLOW_METER, sizeof(*m)) : NULL;
	if (!m)
		return -1;
	m->type = from.type;
	m->active = prm_flow_meter_get_active(in);
	m->reg_c = (uint8_t)prm_flow_meter_get_return_reg_id(in);
	m->next = next;
	memcpy(m->context, prm_flow_meter_cat_flow_meter_params(in), sizeof(m->context));
	obj_get(next);
	return fw_made(c, &m->o, 0);
}

/* Returns the object with the address that entries of software lead to, the same on both sides. */
int fw_query_flow_meter(struct fw_cmd *c)
{
	const struct flow_meter *m = c->obj;
	uint8_t *out = (uint8_t *)c->out + PRM_GENERAL_OBJ_IN_CMD_HDR_BYTES;
	const uint64_t addr = icm_addr(ICM_METER, m->o.id);

	if (fw_reply_fits(c, FW_METER_BYTES))
		return -1;
	prm_general_obj_out_cmd_hdr_set_obj_id(c->out, m->o.id);
	prm_flow_meter_set_active(out, m->active);
	prm_flow_meter_set_return_reg_id(out, m->reg_c);
	prm_flow_meter_set_table_type(out, m->type);
	prm_flow_meter_set_destination_table_id(out, m->next->o.id);
	memcpy(prm_flow_meter_at_flow_meter_params(out), m->context, sizeof(m->context));
	prm_flow_meter_set_sw_steering_icm_address_rx(out, addr);
	prm_flow_meter_set_sw_steering_icm_address_tx(out, addr);
	return 0;
}

/* Copies one of the bursts and rates, mantissa and exponent; the buckets keep their tokens. [I] */
#define FW_METER_TAKE(to, from, name)                                        \
	(prm_flow_meter_parameters_set_##name##_mantissa(                    \
		 to, prm_flow_meter_parameters_get_##name##_mantissa(from)), \
	 prm_flow_meter_parameters_set_##name##_exponent(                    \
		 to, prm_flow_meter_parameters_get_##name##_exponent(from)))

int fw_modify_flow_meter(struct fw_cmd *c)
{
	const uint8_t *in = (const uint8_t *)c->in + PRM_GENERAL_OBJ_IN_CMD_HDR_BYTES;
	struct flow_meter *m = c->obj;
	const void *from;
	uint64_t select;

	if (fw_meter_check_len(c))
		return -1;
	from = prm_flow_meter_cat_flow_meter_params(in);
	select = prm_flow_meter_get_modify_field_select(in);
	if (!select || select & ~(uint64_t)FW_METER_ALL)
		return fw_refuse(c, FW_SYN_UNSUPPORTED,
				 "flow_meter.modify_field_select 0x%llx: bits 0 to 4 are active, "
				 "cbs, cir, ebs, eir",
				 (unsigned long long)select);
	if (select & FW_METER_ACTIVE)
		m->active = prm_flow_meter_get_active(in);
	if (select & FW_METER_CBS)
		FW_METER_TAKE(m->context, from, cbs);
	if (select & FW_METER_CIR)
		FW_METER_TAKE(m->context, from, cir);
	if (select & FW_METER_EBS)
		FW_METER_TAKE(m->context, from, ebs);
	if (select & FW_METER_EIR)
		FW_METER_TAKE(m->context, from, eir);
	return 0;
}

void fw_flow_meter_free(struct obj *o)
{
	obj_put(((struct flow_meter *)o)->next);
	obj_free(o);
}
