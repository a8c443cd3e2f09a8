/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef SIM_OBJ_MCG_H
#define SIM_OBJ_MCG_H

#include <stdint.h>
#include "base/hash.h"

struct qp;
struct vhca;

/* The queue pairs of a function that are in a multicast group. It exists while it has one. */
struct mcg {
	uint8_t gid[16];
	unsigned int n;
	struct qp **member; /* each is referenced */
	UT_hash_handle hh;
};

/* NULL: none is in it. */
const struct mcg *mcg_find(const struct vhca *, const uint8_t gid[16]);
/* 0; -EEXIST: it is in it; -ENOSPC: groups or members are at their most; -ENOMEM. */
int mcg_attach(struct vhca *, const uint8_t gid[16], struct qp *);
/* 0, or -ENOENT: it is not in it. */
int mcg_detach(struct vhca *, const uint8_t gid[16], struct qp *);
/* Out of all its groups. */
void mcg_leave(struct vhca *, struct qp *);
/* The chip ends. */
void mcg_forget_all(struct vhca *);

#endif
