/* SPDX-License-Identifier: BSD-2-Clause */
/* Presence of pages in on-demand mkeys. */
#include <stdlib.h>
#include "device.h"
#include "mkey.h"
#include "vhca.h"

#define ODP_PAGE 4096u

static bool mkey_is_present(const struct mkey *m, uint64_t from, uint64_t end)
{
	struct interval *at = NULL;

	while (from < end && (at = intervals_over(&m->present, from, end, at)) && at->from <= from)
		from = at->end > from ? at->end : from;
	return from >= end;
}

void mkey_fault_in(struct mkey *m, uint64_t va, uint64_t len)
{
	const uint64_t from = va & ~(uint64_t)(ODP_PAGE - 1), end = va + len;
	struct interval *new;

	if (!len || mkey_is_present(m, from, end))
		return;
	new = calloc(1, sizeof(*new));
	if (!new) /* as if it were present */
		return;
	new->from = from;
	new->end = (end + ODP_PAGE - 1) & ~(uint64_t)(ODP_PAGE - 1);
	intervals_add(&m->present, new);
	m->o.vhca->dev->page_fault = true;
}

void mkey_present_free(struct mkey *m)
{
	struct interval *at;

	while ((at = m->present.root)) {
		intervals_remove(&m->present, at);
		free(at);
	}
}
