/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef SIM_STEER_ASO_ACTION_H
#define SIM_STEER_ASO_ACTION_H

/* The ASO action of entries (ste/) and of rules (rules/). */
#include <stdbool.h>
#include <stdint.h>
#include "obj/obj.h"

struct pd_object;
struct steer_walk;

/* Returns the kind of objects of a PRM ste_aso_type; OBJ_NTYPES: there is no such type. */
enum obj_type aso_object_type(uint32_t type);
/*
 * Executes the action of such a type, with the 2 bytes of its parameters (PRM
 * ste_double_action_aso_v1.aso_fields); the register gets the result. False after steer_lost().
 */
bool aso_execute(struct steer_walk *, uint32_t type, struct pd_object *, const uint8_t *fields,
		 uint32_t *reg, unsigned int *changed);

#endif
