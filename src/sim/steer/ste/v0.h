/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef SIM_STEER_STE_V0_H
#define SIM_STEER_STE_V0_H

/*
 * Version 0, ConnectX-5: 32 bytes of control, whose kinds differ in a few fields, then a tag and a
 * mask of 16 bytes each (prm/ste.prm). An entry has at most one change of headers and a list of
 * rewrites.
 */
#include <dvx/prm/ste.h>
#include <dvx/prm/ste1.h>
#include "walk.h"

#define V0_TAG_AT  32u
#define V0_MASK_AT 48u

_Static_assert(PRM_DR_HW_STE_FORMAT_BYTES == V0_MASK_AT + STE_TAG_BYTES, "the mask is the end");

/* Fills a zeroed tag; false if there is no such lookup type. */
bool ste_v0_fill(struct steer_walk *, uint16_t lookup, uint8_t *tag);

/* Executes an entry's actions. Returns false after steer_lost(). */
bool ste_v0_act(struct steer_walk *, const uint8_t *ste, unsigned int *changed);

#endif
