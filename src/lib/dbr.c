/* SPDX-License-Identifier: BSD-2-Clause */
#include <dvx/prm/rq.h>
#include "priv.h"

#define DBR_PAGE   4096u
#define DBR_STRIDE 64u
#define DBR_COUNT  (DBR_PAGE / DBR_STRIDE)

struct dvx_dbr_page {
	struct dvx_dbr_page *next;
	struct dvx_mem *mem;
	struct dvx_umem *umem;
	uint64_t used; /* a bit per record */
};

struct dvx_dbr {
	struct dvx_dev *dev;
	struct dvx_dbr_page *page;
	uint32_t slot;
};

_Static_assert(DBR_COUNT == 64, "one bit of `used` per record");

static int dbr_page_new(struct dvx_dev *dev, struct dvx_dbr_page **out)
{
	struct dvx_dbr_page *page = calloc(1, sizeof(*page));
	int err;

	if (!page)
		return dvx_fail(ENOMEM, "no memory for a page of doorbell records");
	err = dvx_mem_alloc(DBR_PAGE, NULL, &page->mem);
	if (err)
		goto free_page;
	err = dvx_umem_reg(dev, dvx_mem_addr(page->mem), DBR_PAGE, DVX_LOCAL_WRITE, &page->umem);
	if (err)
		goto free_mem;
	page->next = dev->dbr_pages;
	dev->dbr_pages = page;
	*out = page;
	return 0;

free_mem:
	dvx_mem_free(page->mem);
free_page:
	free(page);
	return err;
}

static void dbr_page_free(struct dvx_dev *dev, struct dvx_dbr_page *page)
{
	struct dvx_dbr_page **p = &dev->dbr_pages;

	while (*p != page)
		p = &(*p)->next;
	/* If the device refuses, it may still access the memory: the page stays. */
	if (dvx_umem_dereg(page->umem))
		return;
	*p = page->next;
	dvx_mem_free(page->mem);
	free(page);
}

static int dbr_take(struct dvx_dev *dev, struct dvx_dbr *dbr)
{
	struct dvx_dbr_page *page = dev->dbr_pages;
	int err;

	while (page && !~page->used)
		page = page->next;
	if (!page) {
		err = dbr_page_new(dev, &page);
		if (err)
			return err;
	}
	dbr->dev = dev;
	dbr->page = page;
	dbr->slot = (uint32_t)__builtin_ctzll(~page->used);
	page->used |= 1ull << dbr->slot;
	memset(dvx_dbr_words(dbr), 0, DBR_STRIDE);
	return 0;
}

int dvx_dbr_alloc(struct dvx_dev *dev, struct dvx_dbr **out)
{
	int err = dvx_check_not_null("dvx_dbr_alloc", "dev", dev, "out", out, NULL);
	struct dvx_dbr *dbr;

	if (err)
		return err;
	dbr = calloc(1, sizeof(*dbr));
	if (!dbr)
		return dvx_fail(ENOMEM, "no memory for a doorbell record");
	pthread_mutex_lock(&dev->lock);
	err = dbr_take(dev, dbr);
	pthread_mutex_unlock(&dev->lock);
	if (err)
		free(dbr);
	else
		*out = dbr;
	return err;
}

void dvx_dbr_free(struct dvx_dbr *dbr)
{
	struct dvx_dev *dev;

	if (!dbr)
		return;
	dev = dbr->dev;
	pthread_mutex_lock(&dev->lock);
	dbr->page->used &= ~(1ull << dbr->slot);
	if (!dbr->page->used)
		dbr_page_free(dev, dbr->page);
	pthread_mutex_unlock(&dev->lock);
	free(dbr);
}

uint32_t *dvx_dbr_words(const struct dvx_dbr *dbr)
{
	return (uint32_t *)dvx_mem_addr(dbr->page->mem) +
	       dbr->slot * (DBR_STRIDE / sizeof(uint32_t));
}

uint32_t dvx_dbr_umem_id(const struct dvx_dbr *dbr)
{
	return dvx_umem_id(dbr->page->umem);
}

uint64_t dvx_dbr_offset(const struct dvx_dbr *dbr)
{
	return (uint64_t)dbr->slot * DBR_STRIDE;
}

int dvx_queue_ring_alloc(struct dvx_dev *dev, size_t bytes, const struct dvx_place *place,
			 struct dvx_queue_memory *at)
{
	int err = dvx_mem_alloc(bytes, place, &at->mem);

	return err ? err
		   : dvx_umem_reg(dev, dvx_mem_addr(at->mem), bytes, DVX_LOCAL_WRITE, &at->umem);
}

int dvx_queue_memory_alloc(struct dvx_dev *dev, size_t bytes, const struct dvx_place *place,
			   struct dvx_queue_memory *at)
{
	int err = dvx_dbr_alloc(dev, &at->dbr);

	return err ? err : dvx_queue_ring_alloc(dev, bytes, place, at);
}

void dvx_queue_memory_free(struct dvx_queue_memory *at)
{
	dvx_umem_dereg(at->umem);
	dvx_mem_free(at->mem);
	dvx_dbr_free(at->dbr);
}

void dvx_queue_memory_wq(const struct dvx_queue_memory *at, void *wq, const struct dvx_pd *pd)
{
	prm_wq_set_wq_type(wq, PRM_WQ_TYPE_CYCLIC);
	prm_wq_set_pd(wq, pd->pdn);
	prm_wq_set_dbr_umem_valid(wq, 1);
	prm_wq_set_dbr_umem_id(wq, dvx_dbr_umem_id(at->dbr));
	prm_wq_set_dbr_addr(wq, dvx_dbr_offset(at->dbr));
	prm_wq_set_wq_umem_valid(wq, 1);
	prm_wq_set_wq_umem_id(wq, dvx_umem_id(at->umem));
}
