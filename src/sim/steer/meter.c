/* SPDX-License-Identifier: BSD-2-Clause */
#include "meter.h"

#include <dvx/prm/flow.h>
#include "aso/aso.h"
#include "obj/aso.h"
#include "obj/device.h"
#include "obj/flow.h"
#include "priv.h"

bool meter_color(const struct steer_walk *w, uint8_t *meter, uint32_t id, uint8_t *color)
{
	struct clock *clock = w->vhca->dev->clock;

	if (!aso_meter_valid(meter))
		return steer_lost(w, "a meter of object 0x%x has valid 0", id);
	*color = aso_meter(meter, *color, aso_meter_cost(meter, w->packet), clock->now(clock));
	return true;
}

/* The color is in the low byte, as that of an entry of software. [I] */
bool meter_by_entry(const struct steer_walk *w, const struct flow_actions *act)
{
	uint32_t *reg = &w->packet->reg_c[act->aso_reg_c];
	uint8_t color = act->aso_color;

	if (!meter_color(w, act->aso->context + act->aso_line * ASO_METER_BYTES, act->aso->o.id,
			 &color))
		return false;
	*reg = (*reg & ~0xffu) | color;
	return true;
}

/* [I] The color is the whole register, as qos.flow_meter is 0; no activity leaves packets green. */
bool meter_on_way(const struct steer_walk *w, struct flow_meter *m)
{
	uint8_t color = PRM_METER_COLOR_GREEN;

	if (m->active && !meter_color(w, m->context, m->o.id, &color))
		return false;
	w->packet->reg_c[m->reg_c] = color;
	return true;
}
