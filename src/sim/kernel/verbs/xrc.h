/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef SIM_KERNEL_VERBS_XRC_H
#define SIM_KERNEL_VERBS_XRC_H

#include "priv.h"
#include "qp_plan.h"

/*
 * XRC domains, as ib_uverbs has them: the device has a domain for each file (inode) that programs
 * named, and each program that opened it a handle. It ends with its last handle. All of it is the
 * kernel's, uid 0, so that programs share it.
 */
struct xrcd {
	struct xrcd *next; /* of the function's */
	uint64_t ino;
	uint64_t dev; /* with ino: the file */
	int file; /* which it holds, so that its inode is no other's; -1: none */
	uint32_t xrcdn, pdn; /* pdn: a PD without memory, for its targets */
	uint32_t handles;
	struct xrc_target *targets;
};

struct uverbs_xrcd {
	struct uobj u;
	struct xrcd *domain;
};
extern const struct uobj_class xrcd_class;

/* A target queue pair. Each program that created or opened it has a QP handle; the last ends it. */
struct xrc_target {
	struct xrc_target *next;
	struct xrcd *domain;
	uint32_t qpn, handles;
	uint8_t state, access, dest_rd;
};

bool xrc_is(uint64_t qp_type); /* IB_UVERBS_QPT_XRC_* */
int xrc_target_create(struct uverbs_qp *, const struct qp_plan *);
int xrc_target_destroy(struct uverbs_qp *);
/* The handle's view of what all handles share, before and after a change. */
void xrc_target_load(struct uverbs_qp *);
void xrc_target_store(const struct uverbs_qp *);
/* Creation's last step, of a handle for a target that exists. */
void uverbs_qp_join(struct uverbs_qp *, struct uverbs_xrcd *, struct channel *async);

write_fn wcmd_open_xrcd, wcmd_close_xrcd, wcmd_open_qp;

#endif
