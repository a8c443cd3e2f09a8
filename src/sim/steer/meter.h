/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef SIM_STEER_METER_H
#define SIM_STEER_METER_H

#include <stdbool.h>
#include <stdint.h>

struct flow_actions;
struct flow_meter;
struct steer_walk;

/*
 * Meter the packet, by an entry's ASO object or on the way through a meter that rules lead to, and
 * set the register to its color. Return false after steer_lost().
 */
bool meter_by_entry(const struct steer_walk *, const struct flow_actions *);
bool meter_on_way(const struct steer_walk *, struct flow_meter *);
/* Meters the packet by one of an ASO object's meters. *color: the packet's, before and after. */
bool meter_color(const struct steer_walk *, uint8_t *meter, uint32_t id, uint8_t *color);

#endif
