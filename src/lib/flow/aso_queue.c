/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The queue of ACCESS_ASO requests: a send queue for raw packets (Linux and DPDK send these
 * requests on one, too), with a CQ and with memory for the contexts that are read.
 */
#include <stdio.h>
#include "aso.h"
#include "service_queue.h"

#define ASO_BATCH   32u		    /* requests between two completions */
#define ASO_BLOCKS  (4 * ASO_BATCH) /* two blocks each, in a ring with padding */
#define ASO_READ_DS 4u		    /* segments of a request without data */
#define ASO_DS	    (ASO_READ_DS + ASO_CONTEXT / DVX_SEG)

struct dvx_aso_queue {
	struct dvx_service_queue own;
	struct dvx_mem *mem;
	struct dvx_mkey *mkey;
	int refs;    /* objects */
	bool failed; /* requests may be open, whose answers would be taken for later ones */
};

static int aso_queue_memory(struct dvx_aso_queue *q)
{
	struct dvx_mkey_attr attr = {.size = sizeof(attr),
				     .access = DVX_LOCAL_WRITE,
				     .pd = q->own.pd,
				     .len = ASO_BATCH * ASO_CONTEXT};
	int err = dvx_mem_alloc(attr.len, NULL, &q->mem);

	if (err)
		return err;
	attr.addr = dvx_mem_addr(q->mem);
	return dvx_mkey_create(q->own.dev, &attr, &q->mkey);
}

/* Frees what there is, in an order in which nothing is used any more. */
static int aso_queue_empty(struct dvx_aso_queue *q)
{
	int err = dvx_mkey_destroy(q->mkey);

	if (err)
		return err;
	q->mkey = NULL;
	dvx_mem_free(q->mem);
	q->mem = NULL;
	return dvx_service_queue_destroy(&q->own);
}

int dvx_aso_queue_create(struct dvx_dev *dev, struct dvx_aso_queue **out)
{
	int err = dvx_check_not_null("dvx_aso_queue_create", "dev", dev, "out", out, NULL);
	struct dvx_aso_queue *q;

	if (err)
		return err;
	q = calloc(1, sizeof(*q));
	if (!q)
		return dvx_fail(ENOMEM, "no memory for a queue of ASO requests");
	err = dvx_service_queue_create(dev, ASO_BLOCKS, 0, &q->own);
	if (!err)
		err = aso_queue_memory(q);
	if (err) {
		struct dvx_error why = *dvx_last_error();

		aso_queue_empty(q);
		free(q);
		return dvx_restore(&why);
	}
	*out = q;
	return 0;
}

int dvx_aso_queue_destroy(struct dvx_aso_queue *q)
{
	int err;

	if (!q)
		return 0;
	if (dvx_in_use(&q->refs))
		return dvx_fail(EBUSY, "queue of ASO requests: %d sets of objects still use it",
				q->refs);
	err = aso_queue_empty(q);
	if (!err)
		free(q);
	return err;
}

struct dvx_pd *dvx_aso_queue_pd(const struct dvx_aso_queue *q)
{
	return q->own.pd;
}

struct dvx_dev *dvx_aso_queue_dev(const struct dvx_aso_queue *q)
{
	return q->own.dev;
}

int *dvx_aso_queue_refs(struct dvx_aso_queue *q)
{
	return &q->refs;
}

/* --- requests --------------------------------------------------------------------------------- */

/* Both comparisons are the constants true or false: whether the context changes. */
static void aso_queue_ctrl(const struct dvx_aso_queue *q, const struct dvx_aso_request *r,
			   uint8_t *ctrl, uint32_t slot)
{
	uint64_t to = (uintptr_t)dvx_mem_addr(q->mem) + slot * ASO_CONTEXT;
	uint32_t change = r->mask ? PRM_ASO_OPERAND_ALWAYS_TRUE : PRM_ASO_OPERAND_ALWAYS_FALSE;

	memset(ctrl, 0, PRM_WQE_ASO_CTRL_SEG_BYTES);
	prm_wqe_aso_ctrl_seg_set_data_mask_mode(ctrl, PRM_ASO_MASK_MODE_BYTEWISE_64BYTE);
	prm_wqe_aso_ctrl_seg_set_condition_0_operand(ctrl, change);
	prm_wqe_aso_ctrl_seg_set_condition_1_operand(ctrl, change);
	prm_wqe_aso_ctrl_seg_set_data_mask(ctrl, r->mask);
	if (!r->out)
		return;
	prm_wqe_aso_ctrl_seg_set_va_h(ctrl, (uint32_t)(to >> 32));
	prm_wqe_aso_ctrl_seg_set_va_l(ctrl, (uint32_t)to >> 1);
	prm_wqe_aso_ctrl_seg_set_read_en(ctrl, 1);
	prm_wqe_aso_ctrl_seg_set_l_key(ctrl, dvx_mkey_key(q->mkey));
}

static int aso_queue_post(struct dvx_aso_queue *q, const struct dvx_aso_request *r, uint32_t i,
			  uint32_t slot, uint32_t flags)
{
	struct dvx_sq *sq = dvx_txq_ring(q->own.txq);
	uint32_t ds = r->mask ? ASO_DS : ASO_READ_DS;
	struct dvx_sq_place p;

	if (!dvx_sq_claim(sq, dvx_wqe_blocks(ds), &p))
		return dvx_fail(-dvx_sq_refuse(sq), "ACCESS_ASO: no room in the queue, or two "
						    "threads use it");
	dvx_sq_ctrl(sq, &p, PRM_WQE_OPCODE_ACCESS_ASO, r->opmod, ds, flags, r->id + i);
	aso_queue_ctrl(q, r, p.wqe + DVX_SEG, slot);
	if (r->mask)
		memcpy(p.wqe + ASO_READ_DS * DVX_SEG, r->data, ASO_CONTEXT);
	dvx_sq_commit(sq, &p, i);
	return 0;
}

int dvx_aso_queue_run(struct dvx_aso_queue *q, const struct dvx_aso_request *r)
{
	char what[48];
	struct dvx_wc wc;
	int err = 0;

	snprintf(what, sizeof(what), "ACCESS_ASO of object 0x%x, opmod %u", r->id, r->opmod);
	if (q->failed)
		return dvx_fail(EIO, "ACCESS_ASO: an earlier request failed: make a new queue");
	for (uint32_t done = 0, n; done < r->n && !err; done += n) {
		n = r->n - done < ASO_BATCH ? r->n - done : ASO_BATCH;
		for (uint32_t i = 0; i < n && !err; i++)
			err = aso_queue_post(q, r, done + i, i, i == n - 1 ? DVX_SIGNALED : 0);
		if (err)
			break;
		dvx_sq_ring(dvx_txq_ring(q->own.txq));
		err = dvx_service_queue_wait(&q->own, what, &wc);
		if (!err && r->out)
			memcpy(r->out + (size_t)done * ASO_CONTEXT, dvx_mem_addr(q->mem),
			       (size_t)n * ASO_CONTEXT);
	}
	q->failed = err;
	return err;
}
