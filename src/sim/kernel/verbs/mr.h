/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef KERNEL_MR_H
#define KERNEL_MR_H

#include <stdbool.h>
#include <stdint.h>
#include <rdma/ib_user_verbs.h>
#include "kernel/core/uobj.h"

struct mm;
struct pages;
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

/*
 * A region that was checked, over pages of this memory; one of the file's own is pinned already.
 * NULL and *err.
 */
struct mr *mr_new(struct uverbs_file *, const struct mm *, const struct ib_uverbs_reg_mr *,
		  struct pd *, int *err);
/* The device translates whole pages. */
bool mr_offsets_agree(uint64_t start, uint64_t iova);
/* 0 or -EINVAL, with a sentence that begins with `what`: the method and its field. */
int mr_check_writes(const char *what, uint32_t access);

/* The whole address space, on demand. */
bool mr_is_implicit(const struct ib_uverbs_reg_mr *);
/* What REG_MR checks: 0 or -errno, with a sentence. The last one pins the memory. */
int mr_check_offsets(uint64_t start, uint64_t hca_va);
int mr_check_access(const struct uverbs_file *, uint32_t access);
int mr_check_memory(struct uverbs_file *, const struct ib_uverbs_reg_mr *);
/* Makes the region's mkey, of uid 0, as those of mlx5_ib's own cache; it has the PD already. */
int mr_create_mkey(struct mr *, const struct mm *, const struct ib_uverbs_reg_mr *);
void mr_set_mkc(void *mkc, const struct ib_uverbs_reg_mr *, const struct pages *, uint32_t pdn,
		uint8_t key);

#endif
