/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef KERNEL_MR_H
#define KERNEL_MR_H

#include <stdbool.h>
#include <stdint.h>
#include <rdma/ib_user_verbs.h>
#include "kernel/core/uobj.h"

struct mm;
struct pages;

/* A memory region. */
struct mr {
	struct uobj u;
	struct uobj *pd;
	struct mm *mm;	   /* with its pages; NULL for device memory */
	struct uobj *dm;   /* for device memory; else NULL */
	struct mm *dmabuf; /* for a dma-buf, in which `start` is an offset; else NULL */
	uint32_t key;
	uint32_t access;
	uint64_t start, len, iova;
};

/*
 * Makes a region over pages of mm, after mr_check_*(): memory of the file itself is pinned already.
 * NULL and *err on failure.
 */
struct mr *mr_new(struct uverbs_file *, struct mm *, const struct ib_uverbs_reg_mr *, struct uobj *,
		  int *err);
/* Returns whether both have the same offset in a page: the device translates whole pages. */
bool mr_offsets_agree(uint64_t start, uint64_t iova);
/* Checks write access: 0, or -EINVAL with a sentence that begins with `what`, method and field. */
int mr_check_writes(const char *what, uint32_t access);

/* Returns whether the region is the whole address space, on demand. */
bool mr_is_implicit(const struct ib_uverbs_reg_mr *);
/*
 * Checks of REG_MR: 0, or -errno after logging a sentence. mr_check_memory() also pins the memory.
 */
int mr_check_offsets(uint64_t start, uint64_t hca_va);
int mr_check_access(const struct uverbs_file *, uint32_t access);
int mr_check_memory(struct uverbs_file *, const struct ib_uverbs_reg_mr *);
/* Makes the mkey of mr, whose pd and mm are set. Its uid is 0, as in mlx5_ib. */
int mr_create_mkey(struct mr *, const struct ib_uverbs_reg_mr *);
void mr_set_mkc(void *mkc, const struct ib_uverbs_reg_mr *, const struct pages *, uint32_t pdn);
/* Runs CREATE_MKEY with the next variant of key: the object gets the index, *key the whole key. */
int mkey_create(struct uobj *, void *in, size_t len, uint32_t *key);

#endif
