/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef SIM_OBJ_MCG_H
#define SIM_OBJ_MCG_H

#include <stdint.h>
#include "base/hash.h"

struct qp;
struct vhca;

/* A multicast group of a function: its queue pairs. It exists while it has at least one. */
struct mcg {
	uint8_t gid[16];
	unsigned int n;
	struct qp **member; /* each is referenced */
	UT_hash_handle hh;
};

/* Returns the group; NULL if it has no members. */
const struct mcg *mcg_find(const struct vhca *, const uint8_t gid[16]);
/*
 * Returns 0, -EEXIST if the QP is a member, -ENOSPC if there is no room for a group or member, or
 * -ENOMEM.
 */
int mcg_attach(struct vhca *, const uint8_t gid[16], struct qp *);
/* Returns 0, or -ENOENT if the QP is not a member. */
int mcg_detach(struct vhca *, const uint8_t gid[16], struct qp *);
/* Removes the queue pair from all groups. */
void mcg_leave(struct vhca *, struct qp *);
/* Frees all groups of a function at the end of the chip. */
void mcg_free_all(struct vhca *);

#endif
