/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef KERNEL_EVENTS_H
#define KERNEL_EVENTS_H

#include <stdint.h>
#include "file.h"

/* Queues by hardware number, to deliver the firmware's events. */

enum hw_kind { HW_CQ, HW_QP, HW_SRQ };
struct hw_ref {
	struct hw_ref *next;
	const struct uverbs_file *file; /* the file that has the queue's handle */
	struct vhca *vhca;
	uint32_t id;
	uint8_t kind;
	/* Handles an EQE that names this queue. */
	void (*event)(struct hw_ref *, uint8_t type, const void *eqe);
};
void hw_ref_add(struct uverbs_file *, struct hw_ref *);
void hw_ref_del(struct kernel *, struct hw_ref *);
/* Removes all references of a file that is closed. */
void hw_refs_forget(struct uverbs_file *);
/* Delivers an EQE to the queue that it names, if any: to each of its handles. */
void hw_ref_event(struct kernel *, struct vhca *, uint8_t type, const void *eqe);

#endif
