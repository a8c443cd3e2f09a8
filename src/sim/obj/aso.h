/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef SIM_OBJ_ASO_H
#define SIM_OBJ_ASO_H

#include <stdint.h>
#include "obj.h"

/*
 * Objects with 64 bytes that queues of a PD read or change: those of advanced steering operations
 * (ASO: two flow meters, first hit bits of 512 flows, or a tracked connection), and arguments of
 * hardware steering's rules. Packets change an ASO object's context (steer/aso), WQEs read and change
 * it (queue/aso.c); WQEs of rules write arguments (queue/rule.c). A CREATE makes a range of objects
 * with consecutive numbers.
 */
#define ASO_BYTES 64u

struct pd_object {
	struct obj o;
	struct obj *pd; /* of the queues that may access it */
	uint32_t range; /* in the first object of a range: how many there are; 0: another one */
	_Alignas(8) uint8_t context[ASO_BYTES]; /* PRM, by the kind of object */
};

/* Makes n objects; returns the first one, or NULL. Takes references to the PD. */
struct pd_object *aso_new(struct obj *pd, enum obj_type, uint16_t uid, uint32_t n);

#endif
