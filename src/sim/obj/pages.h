/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef SIM_OBJ_PAGES_H
#define SIM_OBJ_PAGES_H

#include "host/mm.h"

/*
 * [pos, pos+len) of a list of equal pages as bus segments; neighbours on the bus become one.
 * How many, -ERANGE past the list's end, -E2BIG if more than max would be needed.
 */
int pages_segs(const bus_t *pages, uint32_t npages, unsigned int log_page, uint64_t pos,
	       uint64_t len, struct dma_seg *, unsigned int max);

#endif
