/* SPDX-License-Identifier: BSD-2-Clause */
/* Proves the ASO action of entries of format 1: objects, registers, work, refusals. */
#include "tests/test.h"
#include <dvx/prm/object.h>
#include "walk_rig.h"
#include "obj/aso.h"
#include "obj/limits.h"
#include "steer/aso/aso.h"
#include "steer/ste/definer.h"

static struct pd_object *object(enum obj_type type, uint32_t n)
{
	struct obj *pd = obj_find(r.f->v, OBJ_PD, fx_pd(r.f, r.f->v, FX_UID));

	return aso_new(pd, type, FX_UID, n);
}

/* Walks an entry with this action; returns the next address. */
static uint64_t act(uint32_t type, uint32_t id, uint32_t reg, uint32_t fields)
{
	uint8_t *a = entry(0, 0x0f, END_HIT, END_MISS) + V1_BWC_ACTION;

	a[0] = PRM_STE_ACTION_ASO;
	prm_ste_double_action_aso_v1_set_aso_context_type(a, type);
	prm_ste_double_action_aso_v1_set_aso_context_number(a, id);
	prm_ste_double_action_aso_v1_set_dest_reg_id(a, reg);
	prm_ste_double_action_aso_v1_set_aso_fields(a, fields);
	packet(udp4, sizeof(udp4));
	for (unsigned int i = 0; i < 8; i++)
		r.p.reg_c[i] = 0x11111111;
	return walk(at(0));
}

/* The result is in the low byte of reg_c_1, 3 or 5, and other registers stay. */
TEST(walk, first_hit)
{
	const struct pd_object *hits = object(OBJ_ASO_HIT, 2);

	for (unsigned int reg = 0; reg < 3; reg++) {
		/* 0x200: only read */
		assert_int_equal(act(4, hits->o.id + 1, reg, 0x200 | (300 + reg)), END_HIT);
		assert_int_equal(r.p.reg_c[2 * reg + 1], 0x11111100);
		assert_int_equal(act(4, hits->o.id + 1, reg, 300 + reg), END_HIT);
		assert_int_equal(r.p.reg_c[2 * reg + 1], 0x11111100);
		assert_int_equal(act(4, hits->o.id + 1, reg, 0x200 | (300 + reg)), END_HIT);
		assert_int_equal(r.p.reg_c[2 * reg + 1], 0x11111101);
		for (unsigned int i = 0; i < 8; i++)
			assert_true(i == 2 * reg + 1 || r.p.reg_c[i] == 0x11111111);
	}
}

TEST(walk, meter)
{
	struct pd_object *meters = object(OBJ_ASO_METER, 1);
	uint8_t *m = meters->context + ASO_METER_BYTES;

	prm_flow_meter_parameters_set_valid(m, 1);
	prm_flow_meter_parameters_set_start_color(m, PRM_METER_COLOR_UNDEFINED);
	prm_flow_meter_parameters_set_cbs_mantissa(m, 40);
	prm_flow_meter_parameters_set_cir_mantissa(m, 1);
	prm_flow_meter_parameters_set_cir_exponent(m, 31);
	/* 32 bytes of IP; line 1, green; the second packet leaves a debt, the third is in the other */
	assert_int_equal(act(2, meters->o.id, 2, 1 | 2 << 1), END_HIT);
	assert_int_equal(r.p.reg_c[5], 0x11111102);
	assert_int_equal(act(2, meters->o.id, 2, 1 | 2 << 1), END_HIT);
	assert_int_equal(r.p.reg_c[5], 0x11111102);
	assert_int_equal(act(2, meters->o.id, 2, 1 | 2 << 1), END_HIT);
	assert_int_equal(r.p.reg_c[5], 0x11111101);
	assert_int_equal(act(2, meters->o.id, 2, 1 | 2 << 1), END_HIT);
	assert_int_equal(r.p.reg_c[5], 0x11111100);
	/* meter 0 is not valid */
	assert_int_equal(act(2, meters->o.id, 2, 0), 0);
}

/* A packet that is no TCP is bad; without a valid state software decides. */
TEST(walk, connection_tracking)
{
	struct pd_object *ct = object(OBJ_ASO_CT, 1);

	assert_int_equal(act(1, ct->o.id, 1, 0), END_HIT);
	assert_int_equal(r.p.reg_c[3], 0x11111100 | ASO_CT_TRAP);
	prm_conn_track_aso_set_valid(ct->context, 1);
	assert_int_equal(act(1, ct->o.id, 1, 1), END_HIT);
	assert_int_equal(r.p.reg_c[3], 0x11111100 | ASO_CT_BAD);
}

/* Makes the packet the longest TCP segment, with a wrong checksum; returns its buffer. */
static uint8_t *long_segment(void)
{
	uint8_t *bytes = calloc(1, STEER_BUFFER), *ip;

	r.p = steer_packet(bytes, VHCA_FRAME_MAX);
	prm_store16(r.p.data, 12, 0x800);
	ip = r.p.data + 14;
	ip[0] = 0x45;
	prm_store16(ip, 2, VHCA_FRAME_MAX - 14);
	ip[9] = 6;
	prm_store16(ip, 10, (uint16_t)~packet_sum(ip, 20, 0));
	ip[32] = 5 << 4;
	ip[33] = 0x10; /* ACK */
	packet_parse_headers(&r.p);
	assert_true(r.p.outer.l3_ok && r.p.outer.l4_type == PACKET_TCP);
	return bytes;
}

/* Asserts that the circle of entry 0 ends after few hits. */
static void assert_short_circle(void)
{
	uint8_t *bytes = long_segment();

	assert_int_equal(walk(at(0)), 0);
	assert_in_range(STEER_HOPS - r.w.hops, 255, 2 * STEER_STEPS / (VHCA_FRAME_MAX / 64));
	free(bytes);
}

/* A checksum of layer 4 costs steps by the packet's length: of a connection, and in a tag. */
TEST(walk, sums_are_work)
{
	struct pd_object *ct = object(OBJ_ASO_CT, 1);
	struct match_definer *d = obj_new(r.f->v, OBJ_MATCH_DEFINER, FX_UID, sizeof(*d));
	uint8_t *s;

	prm_conn_track_aso_set_valid(ct->context, 1);
	assert_int_equal(act(1, ct->o.id, 1, 0), END_HIT);
	set_hit(ste(0), at(0), 1);
	assert_short_circle();
	prm_ste_def0_v1_set_outer_l4_checksum_ok(d->mask, 1);
	assert_null(definer_make(d));
	s = entry(0, (uint16_t)(0x400 | d->o.id), at(0), END_MISS);
	put_set(s + 24, PRM_STE_ACTION_ADD, 0x90, 0, 32, 1); /* or the tag would stay */
	assert_short_circle();
}

TEST(walk, refusals)
{
	const struct pd_object *hit = object(OBJ_ASO_HIT, 1);

	assert_int_equal(act(4, hit->o.id, 3, 0), 0);	  /* no such register */
	assert_int_equal(act(4, hit->o.id + 1, 0, 0), 0); /* no such object */
	assert_int_equal(act(2, hit->o.id, 0, 0), 0);	  /* of another kind */
	assert_int_equal(act(0, hit->o.id, 0, 0), 0);
	assert_int_equal(act(3, hit->o.id, 0, 0), 0);
	assert_int_equal(act(15, hit->o.id, 0, 0), 0);
}
