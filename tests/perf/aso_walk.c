/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The work that aso.sh counts of the device: packets that meet N meters or N tracked connections,
 * each behind an entry of its own. aso_walk meter|connection N PACKETS
 */
#include <stdio.h>
#include "tests/test.h"
#include <dvx/prm/object.h>
#include "tests/steer/walk_rig.h"
#include "obj/aso.h"
#include "steer/aso/aso.h"

#define OBJECTS	 4096u /* of one CREATE */
#define LOG_STES 23u
#define CT	 1u /* enum prm_ste_aso_type */
#define METER	 2u

/* The initiator's first ACK, which may come again and again. */
static const uint8_t ack[] = {0x02, 0xd7, 0,	0,    0,    1, 0x02, 0x11, 0x22, 0x33, 0x44,
			      0x55, 0x08, 0x00, 0x45, 0,    0, 0x28, 0,	   1,	 0,    0,
			      0x40, 6,	  0x65, 0xcd, 10,   0, 0,    1,	   0x0b, 0,    0,
			      2,    0x12, 0x34, 0,    0x50, 0, 0,    0x03, 0xe9, 0,    0,
			      0x13, 0x89, 0x50, 0x10, 0x20, 0, 0x50, 0xdc, 0,	 0};

static void meter_begin(uint8_t *m)
{
	prm_flow_meter_parameters_set_valid(m, 1);
	prm_flow_meter_parameters_set_start_color(m, PRM_METER_COLOR_GREEN);
	prm_flow_meter_parameters_set_cbs_mantissa(m, 255);
	prm_flow_meter_parameters_set_cbs_exponent(m, 20);
	prm_flow_meter_parameters_set_cir_mantissa(m, 255);
}

static void connection_begin(uint8_t *c)
{
	void *o = prm_conn_track_aso_at_original_dir(c),
	     *reply = prm_conn_track_aso_at_reply_dir(c);

	prm_tcp_window_params_set_sent_end(o, 1001);
	prm_tcp_window_params_set_reply_end(o, 11001);
	prm_tcp_window_params_set_max_win(o, 10000);
	prm_tcp_window_params_set_sent_end(reply, 5001);
	prm_tcp_window_params_set_reply_end(reply, 5001);
	prm_tcp_window_params_set_max_win(reply, 10000);
	prm_conn_track_aso_set_last_index(c, PRM_CT_INDEX_SYNACK);
	prm_conn_track_aso_set_valid(c, 1);
}

/* Writes entry i: any packet meets object `id`, of a meter the one in `line`. */
static void entry_begin(uint32_t i, uint32_t type, uint32_t id, uint32_t line)
{
	uint8_t *a = entry(0, 0x0f, END_HIT, END_MISS) + V1_BWC_ACTION;

	a[0] = PRM_STE_ACTION_ASO;
	prm_ste_double_action_aso_v1_set_aso_context_type(a, type);
	prm_ste_double_action_aso_v1_set_aso_context_number(a, id);
	prm_ste_double_action_aso_v1_set_dest_reg_id(a, 2);
	prm_ste_double_action_aso_v1_set_aso_fields(a, type == METER ? line | 2 << 1 : 0);
	memcpy((uint8_t *)(uintptr_t)icm_bytes(r.f->v, at(i), 64), ste(0), 64);
}

/* Makes n objects, and entry 1 and on for them. */
static void aso_walk_open(struct obj *pd, uint32_t type, uint32_t n)
{
	uint32_t each = type == METER ? 2 : 1;

	for (uint32_t i = 0; i < n;) {
		struct pd_object *first =
			aso_new(pd, type == METER ? OBJ_ASO_METER : OBJ_ASO_CT, FX_UID, OBJECTS);

		assert_non_null(first);
		for (uint32_t k = 0; k < OBJECTS * each && i < n; k++, i++) {
			struct pd_object *a =
				obj_find(r.f->v, first->o.type, first->o.id + k / each);

			if (type == METER)
				meter_begin(a->context + k % 2 * ASO_METER_BYTES);
			else
				connection_begin(a->context);
			entry_begin(1 + i, type, a->o.id, k % each);
		}
	}
}

static __attribute__((noipa)) uint64_t aso_met(uint32_t i)
{
	return walk(at(1 + i));
}

int main(int argc, char **argv)
{
	bool meters = argc == 4 && !strcmp(argv[1], "meter");
	uint32_t n = argc == 4 ? (uint32_t)atoi(argv[2]) : 0, packets = 0, good = 0;
	void *fx;

	if (!n || fx_setup(&fx))
		return 2;
	packets = (uint32_t)atoi(argv[3]);
	r.f = fx;
	r.version = &ste_v1;
	take(at(0), LOG_STES);
	r.stes = (uint8_t *)(uintptr_t)icm_bytes(r.f->v, at(0), 64);
	aso_walk_open(obj_find(r.f->v, OBJ_PD, fx_pd(r.f, r.f->v, FX_UID)), meters ? METER : CT, n);
	packet(meters ? udp4 : ack, meters ? sizeof(udp4) : sizeof(ack));
	for (uint32_t i = 0; i < packets; i++) {
		/* far from the last one */
		uint64_t end = aso_met((uint32_t)((uint64_t)i * 7919 % n));
		uint8_t result = (uint8_t)r.p.reg_c[5];

		good += end == END_HIT &&
			(meters ? result == PRM_METER_COLOR_GREEN : !(result & ~ASO_CT_CHANGED));
	}
	printf("%u of %u packets are green or valid\n", good, packets);
	fw_uid_reap(r.f->v, FX_UID);
	return fx_teardown(&fx) || good != packets;
}
