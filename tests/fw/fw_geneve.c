/* SPDX-License-Identifier: BSD-2-Clause */
/* Proves commands on the parser of Geneve's options: the chip has one, good and bad inputs, owners. */
#include "tests/test.h"
#include <dvx/prm/object.h>
#include "fw_fixture.h"
#include "fw/cmd.h"

#define OPTION_BYTES 80u
#define TYPE                                                \
	{                                                   \
		"hdr.obj_type", PRM_OBJ_TYPE_GENEVE_TLV_OPT \
	}
#define OPTION                                     \
	{"geneve_tlv_opt.option_class", 0x0102},   \
	{                                          \
		"geneve_tlv_opt.option_type", 0x80 \
	}

#define CREATE(f, v, ...)                                                                 \
	fx_general(f, v, PRM_OPCODE_CREATE_GENERAL_OBJECT, "create_geneve_tlv_option_in", \
		   OPTION_BYTES, FX_FIELDS(TYPE, __VA_ARGS__))
#define OP(f, v, op, id)                                                                  \
	fx_general(f, v, PRM_OPCODE_##op##_GENERAL_OBJECT, "create_geneve_tlv_option_in", \
		   PRM_GENERAL_OBJ_IN_CMD_HDR_BYTES, FX_FIELDS(TYPE, {"hdr.obj_id", id}))

TEST(fx, one_option_of_the_chip)
{
	uint32_t id;

	assert_int_equal(CREATE(f, f->v, OPTION, {"geneve_tlv_opt.option_data_length", 1}), 0);
	id = prm_general_obj_out_cmd_hdr_get_obj_id(f->out);
	assert_int_equal(OP(f, f->v, QUERY, id), 0);
	fx_holds(prm_find_struct("create_geneve_tlv_option_in"), f->out,
		 FX_FIELDS(OPTION, {"geneve_tlv_opt.option_data_length", 1}));
	assert_int_equal(CREATE(f, f->dpu, OPTION, {"geneve_tlv_opt.option_data_length", 1}),
			 PRM_STATUS_NO_RES);
	assert_int_equal(f->syndrome, FW_SYN_LIMIT);
	assert_int_equal(OP(f, f->v, DESTROY, id), 0);
	assert_int_equal(CREATE(f, f->dpu, OPTION, {"geneve_tlv_opt.option_data_length", 31}), 0);
}

TEST(fx, wrong_options)
{
	assert_int_equal(CREATE(f, f->v, OPTION), BAD);
	assert_int_equal(f->syndrome, FW_SYN_SIZE);
	assert_int_equal(CREATE(f, f->v, OPTION, {"geneve_tlv_opt.option_data_length", 1},
				{"geneve_tlv_opt.geneve_option_fte_index", 1}),
			 BAD);
	assert_int_equal(f->syndrome, FW_SYN_INDEX);
	assert_int_equal(CREATE(f, f->v, OPTION, {"geneve_tlv_opt.option_data_length", 1},
				{"hdr.log_obj_range", 1}),
			 BAD);
	assert_int_equal(f->syndrome, FW_SYN_UNSUPPORTED);
	assert_int_equal(fx_general(f, f->v, PRM_OPCODE_CREATE_GENERAL_OBJECT,
				    "create_geneve_tlv_option_in", OPTION_BYTES - 4,
				    FX_FIELDS(TYPE, OPTION)),
			 PRM_STATUS_BAD_INP_LEN);
	assert_int_equal(f->syndrome, FW_SYN_IN_SHORT);
}
