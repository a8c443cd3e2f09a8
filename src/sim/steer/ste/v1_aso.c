/* SPDX-License-Identifier: BSD-2-Clause */
/* The ASO action of version 1. [I] The register is the odd one of its pair. */
#include "obj/table.h"
#include "steer/aso_action.h"
#include "v1.h"

#define V1_ASO_REGISTERS 3u /* reg_c_1, 3 and 5 */
#define V1_ASO_FIELDS	 6u /* bytes before aso_fields */

bool ste_v1_aso(struct steer_walk *w, const uint8_t *action, unsigned int *changed)
{
	uint32_t type = prm_ste_double_action_aso_v1_get_aso_context_type(action);
	uint32_t id = prm_ste_double_action_aso_v1_get_aso_context_number(action);
	uint32_t reg = prm_ste_double_action_aso_v1_get_dest_reg_id(action);
	const enum obj_type kind = aso_object_type(type);
	struct pd_object *a;

	if (kind == OBJ_NTYPES)
		return steer_lost(w, "an entry's aso_context_type %u is none of 1, 2 and 4", type);
	if (reg >= V1_ASO_REGISTERS)
		return steer_lost(w, "an entry's dest_reg_id %u is above 2 (reg_c_5)", reg);
	a = obj_lookup(w->vhca, kind, id);
	if (!a)
		return steer_lost(w, "an entry names %s 0x%x, which does not exist",
				  obj_type_name(kind), id);
	return aso_execute(w, type, a, action + V1_ASO_FIELDS, &w->packet->reg_c[2 * reg + 1],
			   changed);
}
