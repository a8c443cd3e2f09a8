/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef SIM_KERNEL_VERBS_XRC_H
#define SIM_KERNEL_VERBS_XRC_H

#include "priv.h"
#include "qp_plan.h"

/*
 * XRC domains, as in ib_uverbs: a domain for each file (inode) that programs named, with a handle
 * for each program that opened it. The last handle destroys the domain. Its firmware objects have
 * uid 0, so that programs share them.
 */
struct xrcd {
	struct xrcd *next; /* in the function's list */
	uint64_t ino;
	uint64_t dev;	     /* identifies the file, together with ino */
	int file;	     /* held open, so that no other file gets the inode; -1: none */
	uint32_t xrcdn, pdn; /* pdn: a PD without memory, for targets */
	uint32_t handles;
	struct xrc_target *targets;
};

struct uverbs_xrcd {
	struct uobj u;
	struct xrcd *domain;
};
extern const struct uobj_class xrcd_class;

/*
 * A target queue pair. Each program that created or opened it has a handle; the last destroys it.
 */
struct xrc_target {
	struct xrc_target *next;
	struct xrcd *domain;
	uint32_t qpn, handles;
	uint8_t state, access, dest_rd;
};

bool xrc_is(uint64_t qp_type); /* IB_UVERBS_QPT_XRC_* */
int xrc_target_create(struct uverbs_qp *, const struct qp_plan *);
int xrc_target_destroy(struct uverbs_qp *);
/* Copy the shared state to a handle's QP before a change, and back after it. */
void xrc_target_load(struct uverbs_qp *);
void xrc_target_store(const struct uverbs_qp *);
/* Completes a handle for a target that exists: the last step of creation. */
void uverbs_qp_join(struct uverbs_qp *, struct uverbs_xrcd *, struct channel *async);

write_fn wcmd_open_xrcd, wcmd_open_qp;

#endif
