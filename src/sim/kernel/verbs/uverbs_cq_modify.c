/* SPDX-License-Identifier: BSD-2-Clause */
/* Changes to completion queues: resize, and moderation of their events. */
#include <errno.h>
#include <string.h>
#include <dvx/prm/cap.h>
#include <dvx/prm/cmd.h>
#include <dvx/prm/cq.h>
#include <rdma/ib_user_ioctl_cmds.h>
#include <rdma/ib_user_verbs.h>
#include <rdma/mlx5-abi.h>
#include "kernel/core/cmd.h"
#include "kernel/core/pages.h"
#include "kernel/core/pins.h"
#include "priv.h"

#define ATTR_MODERATE 1u    /* enum ib_cq_attr_mask */
#define MAX_PERIOD    4095u /* largest cqc.cq_period */
enum { MODIFY_PERIOD = 1, MODIFY_COUNT = 2 };
enum { RESIZE_SIZE = 1, RESIZE_PAGE_OFFSET = 2, RESIZE_PAGE_SIZE = 4 };
#define OP_MOD_RESIZE 1

/* Returns the log of the ring's size: as for CREATE_CQ one entry more, and a power of two. */
static int resize_log(struct uverbs_file *f, uint32_t cqe)
{
	unsigned int most = prm_cmd_hca_cap_get_log_max_cq_sz(file_caps(f));
	int log = 0;

	if (!cqe || cqe >= 1u << most)
		return refuse(-EINVAL, "RESIZE_CQ: cqe %u is not within 1..%u", cqe,
			      (1u << most) - 1);
	while (1u << log < cqe + 1)
		log++;
	return log;
}

/* Reads the part that mlx5_ib knows; mlx5_ib does not check what follows. */
static void resize_take_uhw(const struct wcmd *c, struct mlx5_ib_resize_cq *u)
{
	const struct uverbs_attr *a = attr_find(c->req, UVERBS_ATTR_UHW_IN);

	memset(u, 0, sizeof(*u));
	if (a && a->in)
		memcpy(u, a->in, a->len < sizeof(*u) ? a->len : sizeof(*u));
}

static int resize_check_uhw(const struct uverbs_cq *cq, const struct mlx5_ib_resize_cq *u)
{
	if (u->reserved0 || u->reserved1)
		return refuse(-EINVAL, "RESIZE_CQ: a reserved field of UHW_IN is not zero");
	if (u->cqe_size != cq->cqe_size) /* [I] MODIFY_CQ has no select bit for it. */
		return refuse(-EINVAL, "RESIZE_CQ: cqe_size %u, the CQ's entries have %u bytes",
			      u->cqe_size, cq->cqe_size);
	return 0;
}

static void set_resize(void *in, const struct uverbs_cq *cq, const struct pages *p,
		       unsigned int log)
{
	void *cqc = prm_modify_cq_in_at_cq_context(in);

	prm_modify_cq_in_set_op_mod(in, OP_MOD_RESIZE);
	prm_modify_cq_in_set_cqn(in, cq->q.u.number);
	prm_resize_field_select_set_resize_field_select(prm_modify_cq_in_at_resize_field_select(in),
							RESIZE_SIZE | RESIZE_PAGE_OFFSET |
								RESIZE_PAGE_SIZE);
	prm_cqc_set_cqe_sz(cqc, cq->cqe_sz);
	prm_cqc_set_log_cq_size(cqc, log);
	prm_cqc_set_page_offset(cqc, pages_queue_offset(p));
	prm_cqc_set_log_page_size(cqc, p->log_page - 12);
}

/* Changes the CQ to a new ring, whose pins replace those of the old ring. */
static int uverbs_cq_resize(struct uverbs_cq *cq, uint64_t buf, unsigned int log)
{
	const struct queue_memory ring = {
		"RESIZE_CQ", "buf_addr", buf, (uint64_t)cq->cqe_size << log, true, false};
	struct uverbs_file *f = cq->q.u.file;
	struct pages p;
	uint32_t unused;
	void *in;
	int err = queue_pages(&p, f, &ring);

	if (err)
		return err;
	in = pages_command(&p, PRM_OPCODE_MODIFY_CQ, f->uid, PRM_MODIFY_CQ_IN_BYTES, 0);
	if (!in)
		return -ENOMEM;
	set_resize(in, cq, &p, log);
	err = pages_create(&p, f->vhca, in, PRM_MODIFY_CQ_IN_BYTES, &unused);
	if (err)
		return err;
	pins_replace_ring(&cq->q.u);
	cq->cqe = (1u << log) - 1;
	return 0;
}

int wcmd_resize_cq(struct wcmd *c)
{
	const struct ib_uverbs_resize_cq *in = c->in;
	struct ib_uverbs_resize_cq_resp resp = {0};
	struct mlx5_ib_resize_cq u;
	struct uverbs_cq *cq;
	int err = uobj_find(c->f, in->cq_handle, &cq_class, &cq), log;

	if (err)
		return err;
	log = resize_log(c->f, in->cqe);
	if (log < 0)
		return log;
	if (cq->cqe + 1 != 1u << log) {
		resize_take_uhw(c, &u);
		err = resize_check_uhw(cq, &u);
		if (!err)
			err = uverbs_cq_resize(cq, u.buf_addr, (unsigned int)log);
	}
	if (err)
		return err;
	resp.cqe = cq->cqe;
	wcmd_out(c, &resp, sizeof(resp));
	return 0;
}

static int uverbs_cq_moderate(const struct uverbs_cq *cq, uint16_t count, uint16_t period)
{
	uint8_t in[PRM_MODIFY_CQ_IN_BYTES] = {0};
	void *cqc = prm_modify_cq_in_at_cq_context(in);

	mbox_begin(in, PRM_OPCODE_MODIFY_CQ, cq->q.u.file->uid);
	prm_modify_cq_in_set_cqn(in, cq->q.u.number);
	prm_modify_field_select_set_modify_field_select(prm_modify_cq_in_at_modify_field_select(in),
							MODIFY_PERIOD | MODIFY_COUNT);
	prm_cqc_set_cq_period(cqc, period);
	prm_cqc_set_cq_max_count(cqc, count);
	return mbox_run(cq->q.u.file->vhca, in, sizeof(in));
}

int wcmd_modify_cq_ex(struct wcmd *c)
{
	const struct ib_uverbs_ex_modify_cq *in = c->in;
	struct uverbs_cq *cq;
	int err;

	if (!in->attr_mask || in->reserved)
		return refuse(-EINVAL, "EX_MODIFY_CQ: attr_mask is 0, or reserved is not");
	if (in->attr_mask > ATTR_MODERATE)
		return refuse(-EOPNOTSUPP,
			      "EX_MODIFY_CQ: attr_mask 0x%x: only MODERATE (1) is known",
			      in->attr_mask);
	err = uobj_find(c->f, in->cq_handle, &cq_class, &cq);
	if (!err && in->attr.cq_period > MAX_PERIOD)
		err = refuse(-EINVAL, "EX_MODIFY_CQ: cq_period %u is more than %u",
			     in->attr.cq_period, MAX_PERIOD);
	return err ?: uverbs_cq_moderate(cq, in->attr.cq_count, in->attr.cq_period);
}
