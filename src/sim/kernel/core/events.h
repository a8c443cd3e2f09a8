/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef KERNEL_EVENTS_H
#define KERNEL_EVENTS_H

#include <stdint.h>
#include "uobj.h"

/* Queues by hardware number, to deliver the firmware's events. */

enum hw_kind { HW_CQ, HW_QP, HW_SRQ };
struct hw_ref {
	struct hw_ref *next;
	struct uobj *owner; /* NULL: not added */
	uint32_t id;
	uint8_t kind;
	void (*event)(struct uobj *, uint8_t type); /* handles an EQE that names this queue */
};
void hw_ref_add(struct hw_ref *, struct uobj *owner, enum hw_kind, uint32_t id,
		void (*event)(struct uobj *, uint8_t type));
void hw_ref_del(struct hw_ref *);
/* Removes all references of a file that is closed. */
void hw_refs_forget(struct uverbs_file *);
/* Returns the program's object of this queue, or NULL: it has none. */
struct uobj *hw_ref_owner(struct kernel *, const struct vhca *, enum hw_kind, uint32_t id);
/* Delivers an EQE to the queue that it names, if any: to each of its handles. */
void hw_ref_event(struct kernel *, struct vhca *, uint8_t type, const void *eqe);

#endif
