/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef KERNEL_DEVX_H
#define KERNEL_DEVX_H

#include <stdint.h>
#include "kernel/core/room.h"
#include "kernel/core/uobj.h"

/* A DevX object, with the number that modify and query must name, and its destroy command. */
struct devx_obj {
	struct uobj u;
	uint64_t obj_id; /* obj_type << 48 | opcode << 32 | number */
	uint8_t din[64]; /* the destroy mailbox */
	uint32_t dinlen;
	uint32_t counters; /* of a bulk of flow counters; 0: another object */
};
extern const struct uobj_class devx_obj_class;

/*
 * Returns the opcode that created the object; with its number, it identifies the object in events.
 */
static inline uint16_t devx_obj_opcode(const struct devx_obj *o)
{
	return (uint16_t)(o->obj_id >> 32);
}

static inline uint32_t devx_obj_number(const struct devx_obj *o)
{
	return (uint32_t)o->obj_id;
}

#endif
