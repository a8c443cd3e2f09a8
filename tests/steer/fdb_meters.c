/* SPDX-License-Identifier: BSD-2-Clause */
/* Proves meters of the FDB: objects that rules lead to, and those that entries of firmware have. */
#include "fdb_rig.h"
#include <dvx/prm/object.h>
#include "obj/aso.h"
#include "steer/aso/aso.h"

static size_t fill_meter(uint8_t in[FX_IN], uint32_t reg, uint32_t next)
{
	void *m = in + PRM_GENERAL_OBJ_IN_CMD_HDR_BYTES;

	FX_FILL(in, CREATE_GENERAL_OBJECT, {"obj_type", PRM_OBJ_TYPE_FLOW_METER});
	memset(m, 0, PRM_FLOW_METER_BYTES);
	prm_flow_meter_set_active(m, 1);
	prm_flow_meter_set_return_reg_id(m, reg);
	prm_flow_meter_set_table_type(m, FDB);
	prm_flow_meter_set_destination_table_id(m, next);
	prm_flow_meter_parameters_set_cbs_mantissa(prm_flow_meter_at_flow_meter_params(m), 7);
	return PRM_GENERAL_OBJ_IN_CMD_HDR_BYTES + PRM_FLOW_METER_BYTES;
}

/* Meters name a register that takes colors and a table, which they keep; MODIFY takes known bits. */
TEST(fdb, meters_refuse)
{
	uint32_t next = table_at(f, 3), id;
	uint8_t in[FX_IN];
	size_t len = fill_meter(in, 1, next);
	void *m = in + PRM_GENERAL_OBJ_IN_CMD_HDR_BYTES;

	FX_REFUSES(f, CREATE_GENERAL_OBJECT, in, len, BAD, FW_SYN_INDEX);
	assert_true(test_logged(f->log, "return_reg_id 1"));
	fill_meter(in, 2, 0x99);
	FX_REFUSES(f, CREATE_GENERAL_OBJECT, in, len, BAD_RES, FW_SYN_NO_OBJECT);
	fill_meter(in, 2, next);
	FX_REFUSES(f, CREATE_GENERAL_OBJECT, in, len - 4, PRM_STATUS_BAD_INP_LEN, FW_SYN_IN_SHORT);
	assert_int_equal(FX_EXEC(f, CREATE_GENERAL_OBJECT, in, len), 0);
	id = prm_load32(f->out, 8);
	assert_int_equal(FX(f, DESTROY_FLOW_TABLE, {"table_type", FDB}, {"table_id", next}),
			 PRM_STATUS_RES_BUSY);
	prm_general_obj_in_cmd_hdr_set_opcode(in, PRM_OPCODE_MODIFY_GENERAL_OBJECT);
	prm_general_obj_in_cmd_hdr_set_obj_id(in, id);
	prm_flow_meter_set_modify_field_select(m, 0x21);
	FX_REFUSES(f, MODIFY_GENERAL_OBJECT, in, len, BAD, FW_SYN_UNSUPPORTED);
	prm_flow_meter_set_modify_field_select(m, 0x4); /* cir alone */
	prm_flow_meter_parameters_set_cbs_mantissa(prm_flow_meter_at_flow_meter_params(m), 9);
	prm_flow_meter_parameters_set_cir_mantissa(prm_flow_meter_at_flow_meter_params(m), 5);
	assert_int_equal(FX_EXEC(f, MODIFY_GENERAL_OBJECT, in, len), 0);
	len = FX_FILL(in, QUERY_GENERAL_OBJECT, {"obj_type", PRM_OBJ_TYPE_FLOW_METER},
		      {"obj_id", id});
	assert_int_equal(fx_exec(f, dpu(), PRM_OPCODE_QUERY_GENERAL_OBJECT, FX_UID, in, len,
				 PRM_GENERAL_OBJ_IN_CMD_HDR_BYTES + PRM_FLOW_METER_BYTES),
			 0);
	m = f->out + PRM_GENERAL_OBJ_IN_CMD_HDR_BYTES;
	assert_int_equal(prm_flow_meter_get_sw_steering_icm_address_tx(m), icm_addr(ICM_METER, id));
	m = prm_flow_meter_at_flow_meter_params(m);
	assert_int_equal(prm_flow_meter_parameters_get_cbs_mantissa(m), 7);
	assert_int_equal(prm_flow_meter_parameters_get_cir_mantissa(m), 5);
}

static size_t fill_metered(uint8_t in[RIG_FTE], const struct fdb_root *root, uint32_t next,
			   uint32_t object, uint32_t reg)
{
	const struct fdb_entry e = {.table = root->table,
				    .group = root->all,
				    .index = 10,
				    .action = FWD | PRM_FLOW_ACTION_EXECUTE_ASO,
				    .ndests = 1,
				    .type = {PRM_FLOW_DEST_TYPE_FLOW_TABLE},
				    .id = {next}};
	size_t len = fill_fdb_entry(&e, in);
	void *aso = prm_flow_context_at_execute_aso(prm_set_fte_in_at_flow_context(in), 0);
	void *meter =
		prm_exe_aso_ctrl_at_exe_aso_ctrl_flow_meter(prm_execute_aso_at_exe_aso_ctrl(aso));

	prm_execute_aso_set_valid(aso, 1);
	prm_execute_aso_set_aso_object_id(aso, object);
	prm_exe_aso_ctrl_flow_meter_set_return_reg_id(meter, reg);
	prm_exe_aso_ctrl_flow_meter_set_aso_type(meter, 2);
	prm_exe_aso_ctrl_flow_meter_set_init_color(meter, PRM_METER_COLOR_GREEN);
	prm_exe_aso_ctrl_flow_meter_set_meter_id(meter, 1);
	return len;
}

/* Makes a table that sends green packets, by register C5, to the wire, and others to the manager. */
static uint32_t green_table(struct fx *f)
{
	struct fdb_entry e = {.table = table_at(f, 5),
			      .action = FWD,
			      .ndests = 1,
			      .type = {PRM_FLOW_DEST_TYPE_UPLINK}};
	uint8_t in[RIG_FTE];
	size_t len;

	e.group = FX_MAKE(f, CREATE_FLOW_GROUP, {"table_type", FDB}, {"table_id", e.table},
			  {"match_criteria_enable", 8},
			  {"match_criteria.misc_parameters_2.metadata_reg_c_5", 0xff});
	len = fill_fdb_entry(&e, in);
	FX_SET(in, SET_FLOW_TABLE_ENTRY,
	       {"flow_context.match_value.misc_parameters_2.metadata_reg_c_5",
		PRM_METER_COLOR_GREEN});
	assert_int_equal(FX_EXEC(f, SET_FLOW_TABLE_ENTRY, in, len), 0);
	return e.table;
}

/* An entry of firmware meters: two packets are green, then none. Its object stays while it does. */
TEST(fdb, entries_meter)
{
	struct fdb_root root = make_root(f);
	struct pd_object *a =
		aso_new(obj_find(dpu(), OBJ_PD, fx_pd(f, dpu(), FX_UID)), OBJ_ASO_METER, FX_UID, 1);
	uint8_t *m = a->context + ASO_METER_BYTES, in[RIG_FTE];
	uint32_t next = green_table(f);
	size_t len = fill_metered(in, &root, next, a->o.id, 1);

	prm_flow_meter_parameters_set_start_color(m, PRM_METER_COLOR_UNDEFINED);
	prm_flow_meter_parameters_set_cbs_mantissa(m, 40);
	prm_flow_meter_parameters_set_cir_mantissa(m, 1);
	prm_flow_meter_parameters_set_cir_exponent(m, 31);
	FX_REFUSES(f, SET_FLOW_TABLE_ENTRY, in, len, BAD, FW_SYN_INDEX);
	fill_metered(in, &root, next, a->o.id + 1, 5);
	FX_REFUSES(f, SET_FLOW_TABLE_ENTRY, in, len, BAD_RES, FW_SYN_NO_OBJECT);
	fill_metered(in, &root, next, a->o.id, 5);
	FX_SET(in, SET_FLOW_TABLE_ENTRY, {"flow_context.action", FWD});
	FX_REFUSES(f, SET_FLOW_TABLE_ENTRY, in, len, BAD, FW_SYN_FLOW_ACTION);
	fill_metered(in, &root, next, a->o.id, 5);
	assert_int_equal(FX_EXEC(f, SET_FLOW_TABLE_ENTRY, in, len), 0);
	assert_ends(host(), STEER_LOST);
	assert_true(test_logged(f->log, "has valid 0"));
	prm_flow_meter_parameters_set_valid(m, 1);
	assert_arrives(host(), NULL);
	assert_arrives(host(), NULL);
	assert_arrives(host(), dpu());
	assert_int_equal(FX(f, DESTROY_GENERAL_OBJECT, {"obj_type", PRM_OBJ_TYPE_FLOW_METER_ASO},
			    {"obj_id", a->o.id}),
			 PRM_STATUS_RES_BUSY);
}
