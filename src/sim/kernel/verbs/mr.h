/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef KERNEL_MR_H
#define KERNEL_MR_H

#include <stdint.h>
#include <rdma/ib_user_verbs.h>
#include "kernel/core/uobj.h"

struct mm;
struct pd;

/* A memory region. */
struct mr {
	struct uobj u;
	struct pd *pd;
	struct uobj *dm;   /* device memory; NULL: it is none */
	struct mm *dmabuf; /* the same for a dma-buf, in which `start` is an offset */
	uint32_t key, index;
	uint32_t access;
	uint64_t start, len, iova;
};

/* Its mkey, over pages of this memory. 0 or -errno. */
int mr_create_mkey(struct mr *, const struct mm *, const struct ib_uverbs_reg_mr *);

#endif
