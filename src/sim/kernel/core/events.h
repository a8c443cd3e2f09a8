/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef KERNEL_EVENTS_H
#define KERNEL_EVENTS_H

#include <stdint.h>
#include "file.h"

/* Queues by hardware number, for the events of firmware that name them. */

enum hw_kind { HW_CQ, HW_QP, HW_SRQ };
struct hw_ref {
	struct hw_ref *next;
	const struct uverbs_file *file; /* whose queue it is */
	struct vhca *vhca;
	uint32_t id;
	uint8_t kind;
	/* An EQE names this queue. */
	void (*event)(struct hw_ref *, uint8_t type, const void *eqe);
};
void hw_ref_add(struct uverbs_file *, struct hw_ref *);
void hw_ref_del(struct kernel *, struct hw_ref *);
/* Of a file that ends, all that are left. */
void hw_refs_forget(struct uverbs_file *);
/* To the queue that an EQE names, if there is one; to all handles of a shared one. */
void hw_ref_event(struct kernel *, struct vhca *, uint8_t type, const void *eqe);

#endif
