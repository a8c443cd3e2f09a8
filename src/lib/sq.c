/* SPDX-License-Identifier: BSD-2-Clause */
#include <dvx/prm/cap.h>
#include "priv.h"

/* These offsets are compiled into programs: a change needs a new version of libdvx (local.mk). */
_Static_assert(sizeof(struct dvx_sq) == 128, "ABI");
_Static_assert(offsetof(struct dvx_sq, pi) == 48, "ABI");
_Static_assert(offsetof(struct dvx_sq, cq) == 64, "the first line is what a post reads");
_Static_assert(offsetof(struct dvx_sq, mmo_addr) == 80, "ABI");
_Static_assert(sizeof(struct dvx_sq_slot) == 16, "ABI");
_Static_assert(sizeof(struct dvx_sge) == 16, "ABI");

int dvx_cross_supported(struct dvx_dev *dev, const char *call)
{
	const void *cap;
	int err = dvx_dev_cap_page(dev, PRM_HCA_CAP_TYPE_GENERAL, &cap);

	if (err || prm_cmd_hca_cap_get_cd(cap))
		return err;
	return dvx_fail(EOPNOTSUPP,
			"%s: attr.flags has a flag of cross-channel queues, but %s has no cd", call,
			dvx_dev_name(dev));
}

void dvx_sq_set_qpn(struct dvx_sq *sq, uint32_t qpn)
{
	sq->qpn = qpn;
	sq->qpn_be = 0;
	prm_wqe_ctrl_seg_set_qpn(&sq->qpn_be, qpn);
	if (!sq->pi)
		sq->head = sq->qpn_be; /* for a doorbell before the first post */
}

#define MAX_BLOCKS_PER_RING 32768u /* WQE indexes have 16 bits, and full must differ from empty */

int dvx_sq_init(struct dvx_sq *sq, const struct dvx_sq_memory *user)
{
	struct dvx_sq_memory init;
	uint32_t fits;
	int err = dvx_struct_copy(&init, user, "dvx_sq_init", "init");

	if (!err)
		err = dvx_check_not_null("dvx_sq_init", "sq", sq, NULL);
	if (err)
		return err;
	if (!dvx_is_pow2(init.blocks) || init.blocks > MAX_BLOCKS_PER_RING)
		return dvx_fail(EINVAL, "dvx_sq_init: blocks is %u, not a power of two up to %u",
				init.blocks, MAX_BLOCKS_PER_RING);
	if (!init.buf || !init.slots || !init.dbrec || !init.reg)
		return dvx_fail(EINVAL, "dvx_sq_init: buf, slots, dbrec and reg must all be set");
	memset(sq, 0, sizeof(*sq));
	sq->buf = init.buf;
	sq->slots = init.slots;
	sq->dbrec = init.dbrec;
	sq->reg = (uintptr_t)init.reg;
	sq->mask = init.blocks - 1;
	sq->slot_mask = sq->mask * (uint32_t)sizeof(struct dvx_sq_slot);
	dvx_sq_set_qpn(sq, init.qpn);
	sq->bf_size = init.bf_size;
	sq->cq = init.cq ? init.cq : (struct dvx_cq *)&dvx_cq_of_several;
	/* In the worst case n - 1 blocks of padding precede a WQE of n blocks. */
	fits = (init.blocks + 1) / 2 * (DVX_BLOCK / DVX_SEG);
	if (init.max_wqe_bytes && init.max_wqe_bytes / DVX_SEG < fits)
		fits = init.max_wqe_bytes / DVX_SEG;
	sq->max_ds = fits < DVX_MAX_DS ? fits : DVX_MAX_DS;
	return 0;
}
