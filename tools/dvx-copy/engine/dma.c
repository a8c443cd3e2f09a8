/* SPDX-License-Identifier: BSD-2-Clause */
/* Copies inside one chip: an alias of the source's memory key, and the MMO DMA engine. */
#include "fetch.h"

static int import_fault(struct copy_fault *f, int err)
{
	if (err == -EXDEV)
		return copy_fail(f, COPY_DEVICE,
				 "the device refused the other end's ticket: do both use the same "
				 "chip? --via rc copies between two");
	return device_fault(f, "importing the other end's pool");
}

static int import(struct copy_engine *e, const uint8_t *ticket, size_t n, struct copy_fault *f)
{
	struct dvx_ticket plain;
	int err;

	if (dvx_ticket_decode(ticket, n, &plain))
		return copy_fail(f, COPY_PROTOCOL,
				 "the other end sent a ticket that can't be read");
	if (plain.len < dvx_mkey_len(e->local)) {
		dvx_ticket_wipe(&plain);
		return copy_fail(f, COPY_PROTOCOL,
				 "the other end's ticket is for less than its pool");
	}
	err = dvx_mkey_import(e->d->dev, e->d->pd, &plain, &e->alias);
	dvx_ticket_wipe(&plain);
	return err ? import_fault(f, err) : 0;
}

int dma_join(struct copy_engine *e, const uint8_t *ticket, size_t n, struct copy_fault *f)
{
	uint64_t max = dvx_dev_caps(e->d->dev)->dma_mmo_max;

	e->max = max && max < DVX_MAX_SEGMENT ? (uint32_t)max : DVX_MAX_SEGMENT;
	if (import(e, ticket, n, f))
		return -1;
	e->remote.addr = dvx_mkey_addr(e->alias);
	e->remote.key = dvx_mkey_key(e->alias);
	if (dvx_qp_connect_self(e->queue.qp, 0))
		return device_fault(f, "making the queue for DMA copies");
	return 0;
}

/*
 * Every piece is signaled: a piece is large beside a CQE, and no public document says that an MMO
 * copy's CQE also completes the copies before it.
 */
int dma_post(struct copy_engine *e, uint32_t cookie, size_t off, uint32_t len)
{
	return dvx_post_dma(e->sq, dvx_mkey_addr(e->local) + off, dvx_mkey_key(e->local),
			    e->remote.addr + off, e->remote.key, len, cookie, DVX_SIGNALED);
}
