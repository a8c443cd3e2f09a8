/* SPDX-License-Identifier: BSD-2-Clause */
/* Bad requests have the errno that ib_uverbs, ib_core and mlx5_ib give them (Linux 6.1 as Debian
 * has it): each request here is good but for what its row names. */
#include "kernel_fixture.h"

#define EX(cmd) ((cmd) | IB_USER_VERBS_CMD_FLAG_EXTENDED)
#define IN_MOST 512u

/* What the requests refer to. */
struct made {
	struct fx *f;
	uint32_t pd, cq, qp, wq;
};

static void make(struct made *m, struct fx *f)
{
	m->f = f;
	f->v->gids[VHCA_GIDS - 1].type = GID_EMPTY;
	m->pd = fx_pd(f);
	m->cq = fx_cq(f, NULL);
	m->qp = fx_qp(f, m->pd, m->cq, NULL);
	m->wq = fx_wq(f, m->pd, m->cq, NULL);
}

/* --- good requests ---------------------------------------------------------------------------- */

static size_t alloc_pd(const struct made *m, void *in)
{
	(void)m;
	(void)in;
	return sizeof(struct ib_uverbs_alloc_pd);
}

static size_t reg_mr(const struct made *m, void *in)
{
	*(struct ib_uverbs_reg_mr *)in =
		(struct ib_uverbs_reg_mr){.start = (uintptr_t)m->f->mem,
					  .length = 4096,
					  .hca_va = (uintptr_t)m->f->mem,
					  .pd_handle = m->pd,
					  .access_flags = IB_UVERBS_ACCESS_LOCAL_WRITE};
	return sizeof(struct ib_uverbs_reg_mr);
}

static size_t create_ah(const struct made *m, void *in)
{
	struct ib_uverbs_create_ah *ah = in;

	*ah = (struct ib_uverbs_create_ah){.pd_handle = m->pd};
	ah->attr.port_num = 1;
	ah->attr.is_global = 1;
	memcpy(ah->attr.grh.dgid, m->f->v->gids[1].gid, 16);
	return sizeof(*ah);
}

/* RESET to INIT */
static size_t modify_qp(const struct made *m, void *in)
{
	*(struct ib_uverbs_modify_qp *)in =
		(struct ib_uverbs_modify_qp){.qp_handle = m->qp,
					     .attr_mask = 1 | 1 << 3 | 1 << 4 | 1 << 5,
					     .qp_state = 1,
					     .port_num = 1};
	return sizeof(struct ib_uverbs_modify_qp);
}

static size_t modify_qp_ex(const struct made *m, void *in)
{
	modify_qp(m, in);
	return sizeof(struct ib_uverbs_ex_modify_qp);
}

static size_t modify_wq(const struct made *m, void *in)
{
	*(struct ib_uverbs_ex_modify_wq *)in =
		(struct ib_uverbs_ex_modify_wq){.attr_mask = 1, .wq_handle = m->wq, .wq_state = 1};
	return sizeof(struct ib_uverbs_ex_modify_wq);
}

static size_t create_table(const struct made *m, void *in)
{
	uint32_t *wq = (uint32_t *)((struct ib_uverbs_ex_create_rwq_ind_table *)in + 1);

	((struct ib_uverbs_ex_create_rwq_ind_table *)in)->log_ind_tbl_size = 1;
	wq[0] = wq[1] = m->wq;
	return sizeof(struct ib_uverbs_ex_create_rwq_ind_table) + 2 * sizeof(*wq);
}

static const struct command {
	uint32_t cmd;
	size_t (*fill)(const struct made *, void *in); /* how long it is */
	size_t out, uhw;
} commands[] = {
	{IB_USER_VERBS_CMD_ALLOC_PD, alloc_pd, sizeof(struct ib_uverbs_alloc_pd_resp), 0},
	{IB_USER_VERBS_CMD_REG_MR, reg_mr, sizeof(struct ib_uverbs_reg_mr_resp), 0},
	{IB_USER_VERBS_CMD_CREATE_AH, create_ah, sizeof(struct ib_uverbs_create_ah_resp), 0},
	{IB_USER_VERBS_CMD_MODIFY_QP, modify_qp, 0, 0},
	{EX(IB_USER_VERBS_EX_CMD_MODIFY_QP), modify_qp_ex,
	 sizeof(struct ib_uverbs_ex_modify_qp_resp), 0},
	{EX(IB_USER_VERBS_EX_CMD_MODIFY_WQ), modify_wq, 0, sizeof(struct mlx5_ib_modify_wq)},
	{EX(IB_USER_VERBS_EX_CMD_CREATE_RWQ_IND_TBL), create_table,
	 sizeof(struct ib_uverbs_ex_create_rwq_ind_table_resp), 0},
};
enum { ALLOC_PD, REG_MR, CREATE_AH, MODIFY_QP, MODIFY_QP_EX, MODIFY_WQ, CREATE_TABLE, COMMANDS };

/* --- what spoils them ------------------------------------------------------------------------- */

#define AT(type, field) offsetof(struct type, field), sizeof(((struct type *)0)->field)
#define MQ(field)	AT(ib_uverbs_modify_qp, field)
#define TO_RTR		(1 | 1 << 7 | 1 << 8 | 1 << 12 | 1 << 15 | 1 << 17 | 1 << 20)

static const struct {
	unsigned int command;
	size_t at, len;
	uint64_t value;
	int err;
} spoils[] = {
	{REG_MR, AT(ib_uverbs_reg_mr, pd_handle), 999, -ENOENT},
	{REG_MR, AT(ib_uverbs_reg_mr, hca_va), 1, -EINVAL},
	{REG_MR, AT(ib_uverbs_reg_mr, length), 0, -EINVAL},
	{REG_MR, AT(ib_uverbs_reg_mr, length), UINT64_MAX, -EINVAL},
	{REG_MR, AT(ib_uverbs_reg_mr, length), 1ull << 40, -EFAULT},
	{REG_MR, AT(ib_uverbs_reg_mr, access_flags), 1u << 30, -EINVAL},
	{REG_MR, AT(ib_uverbs_reg_mr, access_flags), IB_UVERBS_ACCESS_REMOTE_WRITE, -EINVAL},
	{CREATE_AH, AT(ib_uverbs_create_ah, pd_handle), 999, -ENOENT},
	{CREATE_AH, AT(ib_uverbs_create_ah, attr.port_num), 2, -EINVAL},
	{CREATE_AH, AT(ib_uverbs_create_ah, attr.is_global), 0, -EINVAL},
	{CREATE_AH, AT(ib_uverbs_create_ah, attr.grh.sgid_index), VHCA_GIDS, -EINVAL},
	{CREATE_AH, AT(ib_uverbs_create_ah, attr.grh.sgid_index), VHCA_GIDS - 1, -ENODATA},
	{MODIFY_QP, MQ(qp_handle), 999, -ENOENT},
	{MODIFY_QP, MQ(attr_mask), 1 | 1 << 21, -EOPNOTSUPP},
	{MODIFY_QP, MQ(attr_mask), 1 | 1 << 25, -EOPNOTSUPP},
	{MODIFY_QP, MQ(attr_mask), 1u << 31, -EOPNOTSUPP},
	{MODIFY_QP, MQ(attr_mask), 1 | 1 << 3, -EINVAL},
	{MODIFY_QP, MQ(attr_mask), 1 | 1 << 14, -EINVAL},
	{MODIFY_QP, MQ(qp_state), 7, -EINVAL},
	{MODIFY_QP, MQ(qp_state), 3, -EINVAL},
	{MODIFY_QP, MQ(port_num), 2, -EINVAL},
	{MODIFY_QP, MQ(pkey_index), 1, -EINVAL},
	{MODIFY_QP_EX, MQ(attr_mask), 1 | 1 << 21, -EOPNOTSUPP},
	{MODIFY_QP_EX, MQ(attr_mask), 1 | 1 << 3 | 1 << 4 | 1 << 5 | 1 << 25, -EINVAL},
	{MODIFY_WQ, AT(ib_uverbs_ex_modify_wq, attr_mask), 0, -EINVAL},
	{MODIFY_WQ, AT(ib_uverbs_ex_modify_wq, attr_mask), 8, -EINVAL},
	{MODIFY_WQ, AT(ib_uverbs_ex_modify_wq, wq_handle), 999, -ENOENT},
	{MODIFY_WQ, AT(ib_uverbs_ex_modify_wq, wq_state), 3, -EINVAL},
	{CREATE_TABLE, AT(ib_uverbs_ex_create_rwq_ind_table, comp_mask), 1, -EOPNOTSUPP},
	{CREATE_TABLE, AT(ib_uverbs_ex_create_rwq_ind_table, log_ind_tbl_size), 14, -EINVAL},
	{CREATE_TABLE, AT(ib_uverbs_ex_create_rwq_ind_table, log_ind_tbl_size), 2, -ENOSPC},
	{CREATE_TABLE, sizeof(struct ib_uverbs_ex_create_rwq_ind_table), 4, 999, -ENOENT},
};

/* uhw: how much mlx5_ib's part has. */
static int run(struct fx *f, const struct command *c, const void *in, size_t len, size_t uhw)
{
	static const uint8_t zero[64];

	return FX_CALL(f, UVERBS_OBJECT_DEVICE, UVERBS_METHOD_INVOKE_WRITE,
		       A_VALUE(UVERBS_ATTR_WRITE_CMD, c->cmd, 8),
		       A_IN(UVERBS_ATTR_CORE_IN, in, len),
		       c->out ? A_OUT(UVERBS_ATTR_CORE_OUT, NULL, c->out) : A_NONE,
		       uhw ? A_IN(UVERBS_ATTR_UHW_IN, zero, uhw) : A_NONE);
}

TEST_FX(bad_fields)
{
	struct made m;

	make(&m, f);
	for (size_t i = 0; i < sizeof(spoils) / sizeof(spoils[0]); i++) {
		const struct command *c = &commands[spoils[i].command];
		uint64_t in[IN_MOST / 8] = {0};
		size_t len = c->fill(&m, in);
		int err;

		memcpy((uint8_t *)in + spoils[i].at, &spoils[i].value, spoils[i].len);
		err = run(m.f, c, in, len, c->uhw);
		if (err != spoils[i].err)
			fail_msg("row %zu: %d, not %d", i, err, spoils[i].err);
	}
}

/* Longer requests are those of a newer library: fine while what is not known here is zero. */
TEST_FX(tails)
{
	struct made m;

	make(&m, f);
	for (size_t i = 0; i < COMMANDS; i++) {
		const struct command *c = &commands[i];

		for (unsigned int tail = 2; tail-- > 0;) {
			uint64_t in[IN_MOST / 8] = {0};
			size_t len = c->fill(&m, in);
			int err;

			((uint8_t *)in)[len + 3] = (uint8_t)tail;
			err = run(m.f, c, in, len + 4, c->uhw);
			if (err != (tail ? -EOPNOTSUPP : 0) && i != MODIFY_QP_EX)
				fail_msg("command %zu, tail %u: %d", i, tail, err);
		}
	}
}

/* mlx5_ib's own part of a request. */
TEST_FX(drivers_part)
{
	const struct command *wq = &commands[MODIFY_WQ], *qp = &commands[MODIFY_QP];
	uint64_t in[IN_MOST / 8] = {0};
	struct made m;
	size_t len;

	make(&m, f);
	len = wq->fill(&m, in);
	assert_int_equal(run(m.f, wq, in, len, 0), -EINVAL);
	assert_int_equal(run(m.f, wq, in, len, 4), -EINVAL);
	assert_int_equal(run(m.f, wq, in, len, 12), 0);
	len = qp->fill(&m, in);
	assert_int_equal(run(m.f, qp, in, len, 4), -EINVAL);
	assert_int_equal(run(m.f, qp, in, len, sizeof(struct mlx5_ib_modify_qp)), 0);
}

/* Where a QP comes from, and what a way to RTR needs of the GID table. */
TEST_FX(qp_ways)
{
	const struct command *c = &commands[MODIFY_QP];
	uint64_t in[IN_MOST / 8] = {0};
	struct ib_uverbs_modify_qp *q = (void *)in;
	struct made m;
	size_t len;

	make(&m, f);
	len = c->fill(&m, in);
	q->attr_mask = 1 | 1 << 1; /* RESET, from RESET as it says */
	q->qp_state = q->cur_qp_state = 0;
	assert_int_equal(run(m.f, c, in, len, 0), -EINVAL);
	q->attr_mask = 1;
	assert_int_equal(run(m.f, c, in, len, 0), 0);
	len = c->fill(&m, in);
	assert_int_equal(run(m.f, c, in, len, 0), 0);
	q->attr_mask = TO_RTR;
	q->qp_state = 2;
	q->path_mtu = 3;
	q->dest.is_global = q->dest.port_num = 1;
	memcpy(q->dest.dgid, m.f->v->gids[1].gid, 16);
	q->dest.sgid_index = VHCA_GIDS - 1;
	assert_int_equal(run(m.f, c, in, len, 0), -ENODATA);
	q->dest.sgid_index = VHCA_GIDS;
	assert_int_equal(run(m.f, c, in, len, 0), -EINVAL);
	q->dest.sgid_index = 1;
	assert_int_equal(run(m.f, c, in, len, 0), 0);
}
