/* SPDX-License-Identifier: BSD-2-Clause */
#include <errno.h>
#include "mkey.h"

int pages_segs(const bus_t *pages, uint32_t npages, unsigned int log_page, uint64_t pos,
	       uint64_t len, struct dma_seg *seg, unsigned int max)
{
	const uint64_t page_size = 1ull << log_page;
	unsigned int n = 0;

	/* Common case: the range lies within a page, as for short messages */
	if (max && pos >> log_page < npages && len && len <= page_size - (pos & (page_size - 1))) {
		*seg = (struct dma_seg){pages[pos >> log_page] + (pos & (page_size - 1)), len};
		return 1;
	}
	while (len) {
		uint64_t page = pos >> log_page, in_page = pos & (page_size - 1);
		uint64_t part = page_size - in_page < len ? page_size - in_page : len;
		bus_t at;

		if (page >= npages)
			return -ERANGE;
		at = pages[page] + in_page;
		if (n && seg[n - 1].addr + seg[n - 1].len == at) {
			seg[n - 1].len += part;
		} else if (n == max) {
			return -E2BIG;
		} else {
			seg[n].addr = at;
			seg[n++].len = part;
		}
		pos += part;
		len -= part;
	}
	return (int)n;
}

int umem_segs(const struct umem *u, uint64_t offset, uint64_t len, struct dma_seg *seg,
	      unsigned int max)
{
	if (offset > u->len || len > u->len - offset)
		return -ERANGE;
	return pages_segs(u->pages, u->npages, u->log_page, u->offset + offset, len, seg, max);
}
