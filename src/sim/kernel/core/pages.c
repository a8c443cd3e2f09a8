/* SPDX-License-Identifier: BSD-2-Clause */
/* Page lists of client memory, for firmware commands. */
#include <endian.h>
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include "cmd.h"
#include "pages.h"
#include "pins.h"

#define DBREC_BYTES  8
#define LOG_PAGE     12
#define LOG_PAGE_MAX 43		/* 5 bits above 12 */
#define MAX_PAGES    (1u << 24) /* a mailbox of 128 MiB */

/* Returns the lowest bit in which two addresses differ, or LOG_PAGE_MAX if they do not. */
static unsigned int pages_common_bits(uint64_t a, uint64_t b)
{
	return a == b ? LOG_PAGE_MAX : (unsigned int)__builtin_ctzll(a ^ b);
}

static int pages_set(struct pages *p, const struct mm *mm, uint64_t va, uint64_t len,
		     unsigned int log_page)
{
	uint64_t mask = (1ull << log_page) - 1;
	uint64_t n = ((va & mask) + len + mask) >> log_page;

	if (n > MAX_PAGES)
		return -ENOMEM;
	p->log_page = log_page;
	p->offset = va & mask;
	p->first = mm_bus(mm, va & ~mask);
	p->n = (uint32_t)n;
	return 0;
}

/* Returns the smallest page size between `from` and `to` of which one page holds [va, va + len). */
static unsigned int pages_cover(uint64_t va, uint64_t len, unsigned int from, unsigned int to)
{
	unsigned int log = from;

	while (log < to && va >> log != (va + len - 1) >> log)
		log++;
	return log;
}

int pages_mkey(struct pages *p, const struct mm *mm, uint64_t va, uint64_t len, uint64_t iova)
{
	unsigned int most = pages_common_bits(iova, va);

	return pages_set(p, mm, va, len,
			 pages_cover(va, len, LOG_PAGE, most < LOG_PAGE_MAX ? most : LOG_PAGE_MAX));
}

/* The offset has 6 bits, in 64ths of a page: a page is at most 64 times va's alignment. */
int pages_queue(struct pages *p, const struct mm *mm, uint64_t va, uint64_t len)
{
	unsigned int align = va ? (unsigned int)__builtin_ctzll(va) : LOG_PAGE_MAX;
	unsigned int most = align + 6 < LOG_PAGE_MAX ? align + 6 : LOG_PAGE_MAX;

	if (most < LOG_PAGE)
		return -EINVAL;
	return pages_set(p, mm, va, len, pages_cover(va, len, LOG_PAGE, most));
}

/*
 * page_offset has 5 bits here, so the first byte must lie in the first half of a page. Halves the
 * page until it does, down to 4 KiB, as mlx5_umem_find_best_quantized_pgoff() does.
 */
int pages_wq(struct pages *p, const struct mm *mm, uint64_t va, uint64_t len)
{
	int err = pages_queue(p, mm, va, len);
	unsigned int log;

	if (err)
		return err;
	log = p->log_page;
	while (va >> (log - 1) & 1)
		if (--log < LOG_PAGE)
			return -EINVAL;
	return pages_set(p, mm, va, len, log);
}

int queue_pages(struct pages *p, struct uverbs_file *f, const struct queue_memory *q)
{
	const struct pin_range r = {.method = q->method,
				    .name = q->name,
				    .va = q->va,
				    .len = q->len,
				    .write = q->write,
				    .use = PIN_RING};
	int err = pin_memory(f, &r);

	if (err)
		return err;
	if ((q->wq ? pages_wq : pages_queue)(p, file_mm(f), q->va, q->len))
		return refuse(-EINVAL, "%s: %s 0x%" PRIx64 " is not aligned to 64 bytes%s",
			      q->method, q->name, q->va,
			      q->wq ? ", or only lies in second halves of pages" : "");
	return 0;
}

int queue_dbrec(struct uverbs_file *f, const char *method, uint64_t va, bool write)
{
	const struct pin_range r = {.method = method,
				    .name = "db_addr",
				    .va = va,
				    .len = DBREC_BYTES,
				    .write = write,
				    .use = PIN_RECORD};

	if (va & (DBREC_BYTES - 1))
		return refuse(-EFAULT, "%s: db_addr 0x%" PRIx64 " is not aligned to %d bytes",
			      method, va, DBREC_BYTES);
	return pin_memory(f, &r);
}

unsigned int pages_queue_offset(const struct pages *p)
{
	return (unsigned int)(p->offset >> (p->log_page - 6));
}

/*
 * Chooses pages no larger than the region. Above 4 KiB the region must fill all pages completely,
 * since offsets into a umem count from its first page. mlx5_ib does the same.
 */
int pages_umem(struct pages *p, const struct mm *mm, uint64_t va, uint64_t len, uint64_t sizes)
{
	unsigned int log = LOG_PAGE;

	while (log < LOG_PAGE_MAX && 1ull << log < len)
		log++;
	sizes &= ((2ull << log) - 1) & ~((1ull << LOG_PAGE) - 1);
	if (!sizes)
		return -EINVAL;
	log = 63 - (unsigned int)__builtin_clzll(sizes);
	while (log > LOG_PAGE && (va | len) & ((1ull << log) - 1))
		log--;
	return pages_set(p, mm, va, len, log);
}

void pages_write(const struct pages *p, void *mtt, uint64_t rw)
{
	uint8_t *to = mtt;

	for (uint32_t i = 0; i < p->n; i++) {
		uint64_t be = htobe64((p->first + ((uint64_t)i << p->log_page)) | rw);

		memcpy(to + 8ull * i, &be, sizeof(be));
	}
}

void *pages_command(const struct pages *p, uint16_t opcode, uint16_t uid, size_t fixed, uint64_t rw)
{
	uint8_t *in = calloc(1, fixed + 8ull * p->n);

	if (!in)
		return NULL;
	mbox_begin(in, opcode, uid);
	pages_write(p, in + fixed, rw);
	return in;
}

int pages_create(const struct pages *p, struct vhca *v, void *in, size_t fixed, uint32_t *number)
{
	int err = mbox_create(v, in, fixed + 8ull * p->n, number);

	free(in);
	return err;
}
