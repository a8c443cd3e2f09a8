/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The ASO action of version 1: a packet changes an ASO object, and a register gets the result. [I]
 * The register is the odd one of its pair, and only its low 8 bits change.
 */
#include "obj/aso.h"
#include "obj/device.h"
#include "obj/table.h"
#include "steer/aso/aso.h"
#include "v1.h"

#define V1_ASO_REGISTERS 3u /* reg_c_1, 3 and 5 */
#define V1_ASO_RESULT	 0xffu

/* Stores the result; false after steer_lost(). */
typedef bool v1_aso_fn(const struct steer_walk *, struct aso *, const uint8_t *action,
		       uint8_t *result);

static bool v1_aso_meter(const struct steer_walk *w, struct aso *a, const uint8_t *action,
			 uint8_t *result)
{
	const void *flow = prm_ste_double_action_aso_v1_cat_flow_meter(action);
	uint32_t line = prm_ste_aso_flow_meter_action_v1_get_line_id(flow);
	uint8_t *meter = a->context + line * ASO_METER_BYTES;
	struct clock *clock = w->vhca->dev->clock;

	if (!aso_meter_valid(meter))
		return steer_lost(w, "meter %u of object 0x%x has valid 0", line, a->o.id);
	*result =
		aso_meter(meter, (uint8_t)prm_ste_aso_flow_meter_action_v1_get_initial_color(flow),
			  aso_meter_cost(meter, w->packet), clock->now(clock));
	return true;
}

static bool v1_aso_hit(const struct steer_walk *w, struct aso *a, const uint8_t *action,
		       uint8_t *result)
{
	const void *hit = prm_ste_double_action_aso_v1_cat_first_hit(action);

	(void)w;
	*result = aso_hit(a->context, prm_ste_aso_first_hit_action_v1_get_line_id(hit),
			  !prm_ste_aso_first_hit_action_v1_get_set(hit));
	return true;
}

static bool v1_aso_ct(const struct steer_walk *w, struct aso *a, const uint8_t *action,
		      uint8_t *result)
{
	const void *ct = prm_ste_double_action_aso_v1_cat_ct(action);

	*result = aso_ct(a->context, w->packet, prm_ste_aso_ct_action_v1_get_direction(ct));
	return true;
}

static const struct v1_aso_row {
	v1_aso_fn *run;
	enum obj_type type;
} rows[] = {
	[PRM_STE_ASO_TYPE_CT] = {v1_aso_ct, OBJ_ASO_CT},
	[PRM_STE_ASO_TYPE_POLICERS] = {v1_aso_meter, OBJ_ASO_METER},
	[PRM_STE_ASO_TYPE_FIRST_HIT] = {v1_aso_hit, OBJ_ASO_HIT},
};

bool ste_v1_aso(const struct steer_walk *w, const uint8_t *action, unsigned int *changed)
{
	uint32_t type = prm_ste_double_action_aso_v1_get_aso_context_type(action);
	uint32_t id = prm_ste_double_action_aso_v1_get_aso_context_number(action);
	uint32_t reg = prm_ste_double_action_aso_v1_get_dest_reg_id(action);
	const struct v1_aso_row *row = type < sizeof(rows) / sizeof(rows[0]) ? &rows[type] : NULL;
	struct aso *a;
	uint8_t result;

	if (!row || !row->run)
		return steer_lost(w, "an entry's aso_context_type %u is none of 1, 2 and 4", type);
	if (reg >= V1_ASO_REGISTERS)
		return steer_lost(w, "an entry's dest_reg_id %u is above 2 (reg_c_5)", reg);
	a = obj_lookup(w->vhca, row->type, id);
	if (!a)
		return steer_lost(w, "an entry names %s 0x%x, which does not exist",
				  obj_type_name(row->type), id);
	if (!row->run(w, a, action, &result))
		return false;
	reg = 2 * reg + 1;
	w->packet->reg_c[reg] = (w->packet->reg_c[reg] & ~V1_ASO_RESULT) | result;
	*changed |= REWRITE_REGISTERS;
	return true;
}
