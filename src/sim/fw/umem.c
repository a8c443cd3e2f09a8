/* SPDX-License-Identifier: BSD-2-Clause */
#include <inttypes.h>
#include <stdlib.h>
#include "cmd.h"
#include "obj/mkey.h"

#define ADAPTER_PAGE_SHIFT 12
#define MTT_WR_EN	   2u
#define MTT_FLAGS	   7u /* below the address: reserved, wr_en, rd_en */

/* Reads mtt[]: page addresses with rights in their low bits. */
static int read_mtts(struct fw_cmd *c, const void *ctx, struct umem *u)
{
	const uint64_t page_mask = (1ull << u->log_page) - 1;
	const uint8_t *mtt = prm_umem_cat_mtt(ctx, 0);

	for (uint32_t i = 0; i < u->npages; i++) {
		uint64_t entry = prm_load64(mtt, (size_t)i * 8);

		if (entry & page_mask & ~(uint64_t)MTT_FLAGS)
			return fw_refuse(c, FW_SYN_PAGE_ADDRESS,
					 "umem.mtt[%u] 0x%" PRIx64
					 " is not aligned to its page of 2^%u bytes",
					 i, entry, u->log_page);
		u->ro = u->ro || !(entry & MTT_WR_EN);
		u->pages[i] = entry & ~page_mask;
	}
	return 0;
}

int fw_create_umem(struct fw_cmd *c)
{
	const void *ctx = prm_create_umem_in_cat_umem(c->in);
	unsigned int log_page = prm_umem_get_log_page_size(ctx) + ADAPTER_PAGE_SHIFT;
	uint64_t n = prm_umem_get_num_of_mtt(ctx), offset = prm_umem_get_page_offset(ctx);
	struct umem *u;

	if (!n || n > UINT64_MAX >> log_page || n > UINT32_MAX)
		return fw_refuse(c, FW_SYN_SIZE,
				 "umem.num_of_mtt %" PRIu64 " pages of 2^%u bytes are no region", n,
				 log_page);
	if (offset >> log_page)
		return fw_refuse(c, FW_SYN_SIZE,
				 "umem.page_offset 0x%" PRIx64 " lies past the first page", offset);
	if (fw_list_fits(c, PRM_CREATE_UMEM_IN_BYTES, n, "umem.mtt"))
		return -1;
	u = fw_new(c, OBJ_UMEM, sizeof(*u));
	if (!u)
		return -1;
	u->log_page = (uint8_t)log_page;
	u->offset = offset;
	u->npages = (uint32_t)n;
	u->len = (n << log_page) - offset;
	u->pages = calloc((size_t)n, sizeof(*u->pages));
	if (!u->pages)
		fw_refuse(c, FW_SYN_MEMORY, "no memory for %" PRIu64 " page addresses", n);
	return fw_made(c, &u->o, !u->pages || read_mtts(c, ctx, u));
}

void fw_umem_free(struct obj *o)
{
	free(((struct umem *)o)->pages);
	obj_free(o);
}
