/* SPDX-License-Identifier: BSD-2-Clause */
#include "aso.h"
#include "table.h"

struct pd_object *aso_new(struct obj *pd, enum obj_type type, uint16_t uid, uint32_t n)
{
	struct pd_object *first = obj_new_run(pd->vhca, type, uid, n, sizeof(*first)), *a;

	if (!first)
		return NULL;
	first->range = n;
	for (uint32_t i = 0; i < n; i++) {
		a = obj_lookup(pd->vhca, type, first->o.id + i);
		a->pd = pd;
		obj_get(pd);
	}
	return first;
}
