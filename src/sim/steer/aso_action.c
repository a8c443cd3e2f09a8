/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The ASO action of entries of format 1 and later, and of rules: a packet changes an ASO object, and
 * a register gets the result. [I] Only the register's low 8 bits change.
 */
#include "aso_action.h"

#include <dvx/prm/ste1.h>
#include "aso/aso.h"
#include "meter.h"
#include "obj/aso.h"
#include "priv.h"
#include "rewrite.h"

#define ASO_RESULT 0xffu

/* Stores the result; false after steer_lost(). */
typedef bool aso_fn(struct steer_walk *, struct pd_object *, const uint8_t *fields,
		    uint8_t *result);

static bool aso_execute_meter(struct steer_walk *w, struct pd_object *a, const uint8_t *fields,
			      uint8_t *result)
{
	const uint32_t line = prm_ste_aso_flow_meter_action_v1_get_line_id(fields);

	*result = (uint8_t)prm_ste_aso_flow_meter_action_v1_get_initial_color(fields);
	return meter_color(w, a->context + line * ASO_METER_BYTES, a->o.id, result);
}

static bool aso_execute_hit(struct steer_walk *w, struct pd_object *a, const uint8_t *fields,
			    uint8_t *result)
{
	(void)w;
	*result = aso_hit(a->context, prm_ste_aso_first_hit_action_v1_get_line_id(fields),
			  !prm_ste_aso_first_hit_action_v1_get_set(fields));
	return true;
}

static bool aso_execute_ct(struct steer_walk *w, struct pd_object *a, const uint8_t *fields,
			   uint8_t *result)
{
	ste_charge_sum(w, &w->packet->outer);
	*result = aso_ct(a->context, w->packet, prm_ste_aso_ct_action_v1_get_direction(fields));
	return true;
}

static const struct aso_row {
	aso_fn *run;
	enum obj_type type;
} rows[] = {
	[PRM_STE_ASO_TYPE_CT] = {aso_execute_ct, OBJ_ASO_CT},
	[PRM_STE_ASO_TYPE_POLICERS] = {aso_execute_meter, OBJ_ASO_METER},
	[PRM_STE_ASO_TYPE_FIRST_HIT] = {aso_execute_hit, OBJ_ASO_HIT},
};

enum obj_type aso_object_type(uint32_t type)
{
	return type < sizeof(rows) / sizeof(rows[0]) && rows[type].run ? rows[type].type
								       : OBJ_NTYPES;
}

bool aso_execute(struct steer_walk *w, uint32_t type, struct pd_object *a, const uint8_t *fields,
		 uint32_t *reg, unsigned int *changed)
{
	uint8_t result;

	if (!rows[type].run(w, a, fields, &result))
		return false;
	*reg = (*reg & ~ASO_RESULT) | result;
	*changed |= REWRITE_REGISTERS;
	return true;
}
