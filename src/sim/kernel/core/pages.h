/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef KERNEL_PAGES_H
#define KERNEL_PAGES_H

#include <stdbool.h>
#include <stdint.h>
#include "file.h"

/*
 * A region of client memory as a page list. Client memory is contiguous on the bus, so pages are as
 * large as the alignment allows.
 */
struct pages {
	bus_t first; /* aligned to the page */
	unsigned int log_page;
	uint32_t n;
	uint64_t offset; /* first byte's offset in the first page */
};
/*
 * The pages_ functions return -ENOMEM if there would be too many pages. For a mkey, iova and va
 * have the same offset in a page.
 */
int pages_mkey(struct pages *, const struct mm *, uint64_t va, uint64_t len, uint64_t iova);
/* For a queue, whose offset is in 64ths of a page. -EINVAL if va is unaligned. */
int pages_queue(struct pages *, const struct mm *, uint64_t va, uint64_t len);
/* For a wq structure, whose offset has one bit less. */
int pages_wq(struct pages *, const struct mm *, uint64_t va, uint64_t len);
/* A queue's memory, with the names of method and attribute for the log. */
struct queue_memory {
	const char *method, *name; /* CREATE_QP, buf_addr */
	uint64_t va, len;
	bool write; /* the device writes to it */
	bool wq;    /* pages_wq() */
};
int queue_pages(struct pages *, struct uverbs_file *, const struct queue_memory *);
/* Pins a doorbell record. write: the device zeroes it, as a CQ's; others it only reads. */
int queue_dbrec(struct uverbs_file *, const char *method, uint64_t va, bool write);
unsigned int pages_queue_offset(const struct pages *);
/* For a umem: the page size is one of `sizes` (a bitmap). -EINVAL: none fits. */
int pages_umem(struct pages *, const struct mm *, uint64_t va, uint64_t len, uint64_t sizes);
/* Writes the pages as big-endian MTT entries, with `rw` or'ed into each. */
void pages_write(const struct pages *, void *mtt, uint64_t rw);

/*
 * A command of `fixed` bytes with the pages behind them, as pages_write() writes them, on the heap.
 * NULL: no memory. pages_create() runs it as mbox_create() and frees it.
 */
void *pages_command(const struct pages *, uint16_t opcode, uint16_t uid, size_t fixed, uint64_t rw);
int pages_create(const struct pages *, struct vhca *, void *in, size_t fixed, uint32_t *number);

#endif
