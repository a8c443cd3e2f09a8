/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Moves a CQ to another ring (PRM, "Resizing CQ"). The device writes a special CQE, which takes an
 * index, and continues in the new ring. CQEs before it that were not consumed are copied to the new
 * ring, one index later, so that they fill its place.
 */
#include <dvx/prm/cmd.h>
#include <dvx/prm/cq.h>
#include "priv.h"

enum { RESIZE_SIZE = 1, RESIZE_UMEM = 8 }; /* resize_field_select */

/* Checks that all unconsumed CQEs fit: with DVX_CQ_OVERCOMMIT there may be more than `wanted`. */
static int cq_resize_fits(const struct dvx_cq *ring, uint32_t wanted)
{
	uint32_t waiting = dvx_cq_waiting(ring);

	return waiting <= dvx_cq_entries(ring->priv->dev, wanted)
		       ? 0
		       : dvx_fail(EINVAL,
				  "dvx_cq_resize: entries is %u, but %u completions wait in CQ %u: "
				  "poll first",
				  wanted, waiting, ring->cqn);
}

static int cq_resize_check(const struct dvx_cq *ring, uint32_t entries)
{
	const struct dvx_cq_priv *cq = ring->priv;

	if (!cq)
		return dvx_fail(EINVAL, "dvx_cq_resize: the CQ is a plain ring");
	if (cq->ibcq)
		return dvx_fail(EOPNOTSUPP,
				"dvx_cq_resize: CQ %u is adopted: libmlx5 moves what "
				"it has not polled itself; resize it before",
				ring->cqn);
	if (cq->flags & DVX_CQ_COLLAPSED)
		return dvx_fail(EOPNOTSUPP, "dvx_cq_resize: CQ %u is collapsed", ring->cqn);
	if (!entries || entries > 1u << dvx_cq_log_max(cq->dev))
		return dvx_fail(EINVAL, "dvx_cq_resize: entries is %u, not 1 to 2^%u", entries,
				dvx_cq_log_max(cq->dev));
	if (dvx_cq_entries(cq->dev, entries) < cq->room &&
	    !(cq->flags & (DVX_CQ_OVERCOMMIT | DVX_CQ_OVERRUN_IGNORE)))
		return dvx_fail(EINVAL, "dvx_cq_resize: entries is %u, but its queues may need %u",
				entries, cq->room);
	return cq_resize_fits(ring, entries);
}

static int cq_resize_command(const struct dvx_cq_priv *cq, const struct dvx_queue_memory *at,
			     uint32_t entries)
{
	uint8_t in[PRM_MODIFY_CQ_IN_BYTES] = {0}, reply[PRM_MODIFY_CQ_OUT_BYTES];
	void *cqc = prm_modify_cq_in_at_cq_context(in);

	prm_modify_cq_in_set_opcode(in, PRM_OPCODE_MODIFY_CQ);
	prm_modify_cq_in_set_op_mod(in, 1);
	prm_modify_cq_in_set_cqn(in, cq->ring.cqn);
	prm_resize_field_select_set_resize_field_select(prm_modify_cq_in_at_resize_field_select(in),
							RESIZE_SIZE | RESIZE_UMEM);
	prm_modify_cq_in_set_cq_umem_valid(in, 1);
	prm_modify_cq_in_set_cq_umem_id(in, dvx_umem_id(at->umem));
	prm_cqc_set_cqe_sz(cqc, cq->flags & DVX_CQ_128 ? PRM_CQC_CQE_SZ_128 : PRM_CQC_CQE_SZ_64);
	prm_cqc_set_log_cq_size(cqc, dvx_log2_up(entries));
	return dvx_obj_modify(cq->obj, in, sizeof(in), reply, sizeof(reply));
}

static uint8_t cq_owner(const struct dvx_cq *cq, uint32_t index)
{
	return index & cq->entries ? 1 : 0;
}

/* Marks all entries as old, for the lap that begins at consumer index `index`. */
static void cq_resize_clear(const struct dvx_cq *to, uint32_t index)
{
	for (uint32_t i = index; i != index + to->entries; i++)
		dvx_cq_entry(to, i)[DVX_CQE_BYTES - 1] =
			(uint8_t)(PRM_CQE_OPCODE_INVALID << 4 | !cq_owner(to, i));
}

/* Copies the unconsumed CQEs before the special one. Compressed ones were expanded before. */
static void cq_resize_copy(const struct dvx_cq *from, const struct dvx_cq *to, uint32_t index)
{
	uint32_t waiting = dvx_cq_waiting(from);

	for (uint32_t i = 0; i < waiting; i++, index++) {
		const uint8_t *cqe = dvx_cq_entry(from, dvx_cq_index(from) + i);

		if (dvx_cqe_opcode(cqe) == PRM_CQE_OPCODE_RESIZE_CQ)
			return;
		dvx_cq_copy(to, dvx_cq_entry(to, index), cqe, cq_owner(to, index));
	}
}

/* Swaps the CQ's ring with the new one at `at`. */
static void cq_resize_take(struct dvx_cq_priv *cq, const struct dvx_cq *to,
			   struct dvx_queue_memory *at)
{
	struct dvx_queue_memory old = cq->at;

	cq->at = *at;
	cq->at.dbr = old.dbr;
	old.dbr = NULL;
	*at = old;
	dvx_cq_place(&cq->ring, dvx_mem_addr(cq->at.mem), to->entries, dvx_cq_index(to));
	DVX_ORDER_STORES(); /* the copied CQEs, before an index, as in dvx_cq_clean() */
	dvx_cq_refit(cq);
}

/* Moves the CQ to a ring in the memory `at`. The caller frees `at`, the old ring on success. */
static int cq_resize_move(struct dvx_cq *ring, uint32_t entries, struct dvx_queue_memory *at)
{
	uint32_t index = (dvx_cq_index(ring) + 1) & 0xffffff;
	struct dvx_cq to = *ring;
	int err;

	dvx_cq_place(&to, dvx_mem_addr(at->mem), entries, index);
	cq_resize_clear(&to, index);
	/* The device refuses a ring that is too small for all that was not published. */
	dvx_cq_publish(ring);
	err = cq_resize_command(ring->priv, at, entries);
	if (err)
		return err;
	cq_resize_copy(ring, &to, index);
	cq_resize_take(ring->priv, &to, at);
	return 0;
}

int dvx_cq_resize(struct dvx_cq *ring, uint32_t wanted, const struct dvx_place *place)
{
	int err = dvx_check_not_null("dvx_cq_resize", "cq", ring, NULL);
	struct dvx_queue_memory at = {0};
	struct dvx_error why = {0};
	uint32_t entries;

	if (!err)
		err = cq_resize_check(ring, wanted);
	if (err)
		return err;
	entries = dvx_cq_entries(ring->priv->dev, wanted);
	err = dvx_queue_ring_alloc(ring->priv->dev, entries * ring->stride, place, &at);
	if (!err)
		err = cq_resize_move(ring, entries, &at);
	if (err)
		why = *dvx_last_error();
	dvx_queue_memory_free(&at);
	return err ? dvx_restore(&why) : 0;
}
