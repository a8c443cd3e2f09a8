/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Proves commands on meters, first hits and tracked connections: ranges of objects, their contexts,
 * good and bad inputs, owners.
 */
#include "tests/test.h"
#include <dvx/prm/object.h>
#include "fw_fixture.h"
#include "fw/cmd.h"

static const struct kind {
	uint16_t type;
	const char *in, *pd, *field; /* a field of the context */
	enum obj_type obj;
	uint32_t least; /* log2 of the smallest range */
} kinds[] = {
	{PRM_OBJ_TYPE_FLOW_METER_ASO, "create_flow_meter_aso_obj_in",
	 "flow_meter_aso_obj.meter_aso_access_pd",
	 "flow_meter_aso_obj.flow_meter_parameters.cir_mantissa", OBJ_ASO_METER, 0},
	{PRM_OBJ_TYPE_ASO_FIRST_HIT, "create_flow_hit_aso_in", "flow_hit_aso.access_pd",
	 "flow_hit_aso.flag", OBJ_ASO_HIT, 0},
	{PRM_OBJ_TYPE_ASO_CT, "create_conn_track_aso_in",
	 "conn_track_offload.conn_track_aso_access_pd",
	 "conn_track_offload.conn_track_aso.original_dir.max_win", OBJ_ASO_CT, 6},
};
#define EACH_KIND(k) for (const struct kind *k = kinds; k < kinds + 3; k++)
#define BYTES	     144u

static uint8_t command(struct fx *f, const struct kind *k, uint16_t uid, uint16_t op, size_t len,
		       const struct fx_field *fields)
{
	uint8_t in[BYTES + 8] = {0};
	const struct prm_struct *s = prm_find_struct(k->in);

	assert_int_equal(s->bytes, BYTES);
	prm_general_obj_in_cmd_hdr_set_opcode(in, op);
	fx_set(s, in, FX_FIELDS({"hdr.obj_type", k->type}));
	fx_set(s, in, fields);
	return fx_exec(f, f->v, op, uid, in, len, BYTES);
}
#define CREATE(f, k, ...) \
	command(f, k, FX_UID, PRM_OPCODE_CREATE_GENERAL_OBJECT, BYTES, FX_FIELDS(__VA_ARGS__))
#define OP(f, k, uid, op, ...)                                                                 \
	command(f, k, uid, PRM_OPCODE_##op##_GENERAL_OBJECT, PRM_GENERAL_OBJ_IN_CMD_HDR_BYTES, \
		FX_FIELDS(__VA_ARGS__))

static uint32_t id_of(struct fx *f)
{
	return prm_general_obj_out_cmd_hdr_get_obj_id(f->out);
}

/*
 * A range has consecutive numbers, begins at a multiple of its size, and is destroyed as a whole. A
 * context begins with zeros.
 */
TEST(fx, ranges)
{
	uint32_t pd = fx_pd(f, f->v, FX_UID);

	EACH_KIND(k)
	{
		uint32_t n = 4u << k->least, one, many;

		assert_int_equal(CREATE(f, k, {k->pd, pd}, {"hdr.log_obj_range", k->least}), 0);
		one = id_of(f);
		assert_int_equal(CREATE(f, k, {k->pd, pd}, {"hdr.log_obj_range", k->least + 2},
					{k->field, 7}),
				 0);
		many = id_of(f);
		assert_int_equal(many % n, 0);
		assert_int_equal(obj_count(f->v, k->obj), n + n / 4);
		assert_int_equal(
			OP(f, k, FX_UID, QUERY, {"hdr.obj_id", many}, {"hdr.obj_offset", n - 1}),
			0);
		assert_int_equal(id_of(f), many + n - 1);
		fx_holds(prm_find_struct(k->in), f->out, FX_FIELDS({k->field, 0}, {k->pd, pd}));
		assert_int_equal(
			OP(f, k, FX_UID, QUERY, {"hdr.obj_id", many}, {"hdr.obj_offset", n}), BAD);
		assert_int_equal(f->syndrome, FW_SYN_INDEX);
		assert_int_equal(OP(f, k, FX_UID, DESTROY, {"hdr.obj_id", many + 1}), BAD_RES);
		assert_int_equal(OP(f, k, FX_UID + 1, DESTROY, {"hdr.obj_id", many}), BAD_RES);
		assert_int_equal(FX_NUMBER(f, DEALLOC_PD, pd), BUSY);
		assert_int_equal(OP(f, k, FX_UID, DESTROY, {"hdr.obj_id", many}), 0);
		assert_int_equal(OP(f, k, FX_UID, DESTROY, {"hdr.obj_id", one}), 0);
		assert_int_equal(OP(f, k, FX_UID, QUERY, {"hdr.obj_id", one}), BAD_RES);
	}
	assert_int_equal(FX_NUMBER(f, DEALLOC_PD, pd), 0);
	assert_int_equal(fx_objects(f->v), 0);
}

TEST(fx, bad_input)
{
	uint32_t pd = fx_pd(f, f->v, FX_UID);
	const struct {
		const char *field;
		uint64_t value;
		uint8_t status;
		uint32_t syndrome;
	} bad[] = {
		{"hdr.log_obj_range", VHCA_LOG_MAX_ASO_RANGE + 1, BAD, FW_SYN_SIZE},
		{"hdr.log_obj_range", 31, BAD, FW_SYN_SIZE},
		{"hdr.alias_object", 1, BAD, FW_SYN_UNSUPPORTED},
		{"hdr.vhca_tunnel_id", 1, BAD, FW_SYN_UNSUPPORTED},
	};

	EACH_KIND(k)
	{
		for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
			assert_int_equal(CREATE(f, k, {k->pd, pd}, {"hdr.log_obj_range", k->least},
						{bad[i].field, bad[i].value}),
					 bad[i].status);
			assert_int_equal(f->syndrome, bad[i].syndrome);
		}
		if (k->least) {
			assert_int_equal(
				CREATE(f, k, {k->pd, pd}, {"hdr.log_obj_range", k->least - 1}),
				BAD);
			assert_int_equal(f->syndrome, FW_SYN_SIZE);
		}
		assert_int_equal(CREATE(f, k, {k->pd, pd + 1}, {"hdr.log_obj_range", k->least}),
				 BAD_RES);
		assert_int_equal(command(f, k, FX_UID, PRM_OPCODE_CREATE_GENERAL_OBJECT, BYTES - 4,
					 FX_FIELDS({k->pd, pd})),
				 PRM_STATUS_BAD_INP_LEN);
		assert_int_equal(CREATE(f, k, {k->pd, pd}, {"hdr.log_obj_range", k->least}), 0);
		assert_int_equal(command(f, k, FX_UID, PRM_OPCODE_MODIFY_GENERAL_OBJECT, BYTES,
					 FX_FIELDS({"hdr.obj_id", id_of(f)})),
				 PRM_STATUS_BAD_OP);
	}
	assert_int_equal(obj_count(f->v, OBJ_ASO_CT), 64);
	fw_uid_reap(f->v, FX_UID);
	assert_int_equal(fx_objects(f->v), 0);
}

/* Entries of format 0 (ConnectX-5) have no ASO action. */
TEST(fx, not_in_format_0)
{
	uint32_t pd = fx_pd(f, f->v, FX_UID);

	f->profile.steering_format_version = 0;
	EACH_KIND(k)
	{
		assert_int_equal(CREATE(f, k, {k->pd, pd}, {"hdr.log_obj_range", k->least}), BAD);
		assert_int_equal(f->syndrome, FW_SYN_CAP_CLEAR);
	}
}

/* A range needs as many free numbers in a row; the last range goes where the first one was. */
TEST(fx, numbers_end)
{
	const struct kind *k = &kinds[1];
	uint32_t pd = fx_pd(f, f->v, FX_UID), first = 0, last = 0;
	unsigned int n = 0;

	while (!CREATE(f, k, {k->pd, pd}, {"hdr.log_obj_range", VHCA_LOG_MAX_ASO_RANGE})) {
		first = n++ ? first : id_of(f);
		last = id_of(f);
	}
	assert_int_equal(f->syndrome, FW_SYN_LIMIT);
	/* number 0 is no object's */
	assert_int_equal(n, (1u << (VHCA_LOG_MAX_ASO - VHCA_LOG_MAX_ASO_RANGE)) - 1);
	assert_int_equal(OP(f, k, FX_UID, DESTROY, {"hdr.obj_id", first}), 0);
	assert_int_equal(CREATE(f, k, {k->pd, pd}, {"hdr.log_obj_range", 3}), 0);
	assert_true(id_of(f) < last);
	fw_uid_reap(f->v, FX_UID);
	assert_int_equal(fx_objects(f->v), 0);
}
