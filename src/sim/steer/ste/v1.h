/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef SIM_STEER_STE_V1_H
#define SIM_STEER_STE_V1_H

/* Version 1, ConnectX-6 Dx and BlueField-2: prm/ste1.prm has its layouts. */
#include <dvx/prm/ste.h>
#include <dvx/prm/ste1.h>
#include "ste.h"

extern const struct ste_version ste_v1;

/* By entry_format << 8 | index; NULL: no such lookup type here. */
ste_tag_fn *ste_v1_tag(uint16_t lookup);

/* Executes an entry's actions in order. False after steer_lost(). */
bool ste_v1_actions(struct steer_walk *, const uint8_t *action, unsigned int bytes,
		    unsigned int *changed);

#endif
