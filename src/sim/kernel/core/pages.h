/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef KERNEL_PAGES_H
#define KERNEL_PAGES_H

#include <stdbool.h>
#include <stdint.h>
#include "file.h"
#include "host/mm.h"

/*
 * A region of client memory as a page list. Contiguous on the bus, so that the largest pages that
 * the alignment allows will do.
 */
struct pages {
	bus_t first; /* aligned to the page */
	unsigned int log_page;
	uint32_t n;
	uint64_t offset; /* of the first byte in the first page */
};
/* All three: -ENOMEM if it takes too many pages. For a mkey: iova and address agree in a page. */
int pages_mkey(struct pages *, const struct mm *, uint64_t va, uint64_t len, uint64_t iova);
/* For a queue: its offset in the page comes in 64ths of a page. -EINVAL if va is unaligned. */
int pages_queue(struct pages *, const struct mm *, uint64_t va, uint64_t len);
/* For a wq structure, whose offset has a bit less. */
int pages_wq(struct pages *, const struct mm *, uint64_t va, uint64_t len);
/* A queue's memory as its method's attributes name it, for the log. */
struct queue_memory {
	const char *method, *name; /* CREATE_QP, buf_addr */
	uint64_t va, len;
	bool write; /* the device writes to it */
	bool wq;    /* pages_wq() */
};
int queue_pages(struct pages *, struct uverbs_file *, const struct queue_memory *);
/* write: a CQ's begins as 0, which the device writes; it reads others. */
int queue_dbrec(struct uverbs_file *, const char *method, uint64_t va, bool write);
unsigned int pages_queue_offset(const struct pages *);
/* For a umem: pages out of `sizes` (a bitmap); 0 or -EINVAL. */
int pages_umem(struct pages *, const struct mm *, uint64_t va, uint64_t len, uint64_t sizes);
/* As big-endian MTT entries; `rw`: what is or'ed into each. */
void pages_write(const struct pages *, void *mtt, uint64_t rw);

#endif
