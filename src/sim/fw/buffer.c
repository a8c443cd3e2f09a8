/* SPDX-License-Identifier: BSD-2-Clause */
/* Buffers, doorbell records and references, which all kinds of queues have. */
#include <inttypes.h>
#include <stdlib.h>
#include "cmd.h"
#include "obj/cq.h"
#include "obj/mkey.h"
#include "obj/qp.h"
#include "queue/queue.h"

static struct umem *find_umem(struct fw_cmd *c, uint32_t id, const char *field, uint64_t offset,
			      uint64_t len)
{
	struct umem *u = fw_find(c, OBJ_UMEM, id, field);

	if (!u)
		return NULL;
	if (offset > u->len || len > u->len - offset) {
		fw_refuse(c, FW_SYN_UMEM_BOUNDS,
			  "%s 0x%x has 0x%" PRIx64 " bytes, 0x%" PRIx64 "+0x%" PRIx64
			  " ends past it",
			  field, id, u->len, offset, len);
		return NULL;
	}
	return u;
}

static int ring_pages(struct fw_cmd *c, const struct fw_buffer *b, uint64_t len, struct ring *r)
{
	const uint64_t page_mask = (1ull << b->log_page) - 1;
	uint64_t n;

	n = (r->offset + len + page_mask) >> b->log_page;
	if (fw_list_fits(c, b->pas_at, n, "pas"))
		return -1;
	r->pages = calloc((size_t)n + 1, sizeof(*r->pages));
	if (!r->pages)
		return fw_refuse(c, FW_SYN_MEMORY, "no memory for %" PRIu64 " page addresses", n);
	r->npages = (uint32_t)n;
	r->log_page = (uint8_t)b->log_page;
	for (size_t i = 0; i < n; i++) {
		r->pages[i] = prm_load64(b->pas, i * 8);
		if (r->pages[i] & page_mask) {
			fw_refuse(c, FW_SYN_PAGE_ADDRESS,
				  "pas[%zu] 0x%" PRIx64 " is not aligned to its page of 2^%u bytes",
				  i, r->pages[i], b->log_page);
			free(r->pages);
			r->pages = NULL;
			return -1;
		}
	}
	return 0;
}

int fw_ring(struct fw_cmd *c, const struct fw_buffer *b, uint64_t len, struct ring *r)
{
	struct umem *u;

	*r = (struct ring){.len = len};
	/* page_offset counts 64ths of a page */
	r->offset = b->umem_valid ? b->umem_offset : b->page_offset << (b->log_page - 6);
	if (r->offset % 64)
		return fw_refuse(c, FW_SYN_ALIGNMENT,
				 "the ring begins at 0x%" PRIx64 ", not on 64 bytes", r->offset);
	if (!b->umem_valid)
		return ring_pages(c, b, len, r);
	if (fw_nothing_after(c, b->pas_at))
		return -1;
	u = find_umem(c, b->umem_id, "umem_id", r->offset, len);
	if (!u)
		return -1;
	if (b->write && u->ro)
		return fw_refuse(c, FW_SYN_UMEM_READ_ONLY,
				 "umem_id 0x%x was registered read-only, the device writes there",
				 b->umem_id);
	r->umem = u;
	obj_get(&u->o);
	return 0;
}

int fw_dbrec(struct fw_cmd *c, bool umem_valid, uint32_t umem_id, uint64_t addr, uint64_t *bus,
	     struct umem **umem)
{
	struct dma_seg seg;
	struct umem *u;

	*umem = NULL;
	if (addr % 8)
		return fw_refuse(c, FW_SYN_ALIGNMENT,
				 "dbr_addr 0x%" PRIx64 " is not aligned to 8 bytes", addr);
	*bus = addr;
	if (!umem_valid)
		return 0;
	u = find_umem(c, umem_id, "dbr_umem_id", addr, 8);
	if (!u)
		return -1;
	if (umem_segs(u, addr, 8, &seg, 1) != 1 || seg.addr % 8)
		return fw_refuse(c, FW_SYN_ALIGNMENT,
				 "dbr_addr 0x%" PRIx64 " in umem 0x%x is not on 8 bytes in memory",
				 addr, umem_id);
	*bus = seg.addr;
	*umem = u;
	obj_get(&u->o);
	return 0;
}

void fw_queue_free(struct obj *o)
{
	struct queue *q = (struct queue *)o;

	queue_stop(q);
	fw_sched_detach(q);
	ring_release(&q->ring);
	obj_put(q->dbr_umem);
	obj_put(q->rq ? q->rq->srq : NULL);
	obj_put(q->rq ? q->rq->cq : NULL);
	obj_put(q->sq ? q->sq->cq : NULL);
	obj_put(q->counter);
	obj_put(q->uar_obj);
	obj_put(q->tis);
	if (o->type == OBJ_QP)
		obj_put(qp_of(q)->xrcd);
	obj_put(q->pd);
	obj_free(o);
}
