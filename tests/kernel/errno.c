/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Proves that bad requests get the errno of ib_uverbs, ib_core and mlx5_ib (Debian's Linux 6.1).
 * Each INVOKE_WRITE command is good except for the field that its row names.
 */
#include "kernel_fixture.h"

#define EX(cmd) ((cmd) | IB_USER_VERBS_CMD_FLAG_EXTENDED)
#define IN_MOST 512u

/* Objects that the requests refer to. */
struct made {
	struct fx *f;
	uint32_t pd, cq, qp, wq, mr, cqe;
};

static void make(struct made *m, struct fx *f)
{
	m->f = f;
	f->v->gids[VHCA_GIDS - 1].type = GID_EMPTY;
	m->pd = fx_pd(f);
	m->cq = fx_cq(f, NULL);
	m->qp = fx_qp(f, m->pd, m->cq, NULL);
	m->wq = fx_wq(f, m->pd, m->cq, NULL);
	m->cqe = 127; /* as in fx_cq() */
	assert_int_equal(fx_reg_mr(f, m->pd, f->mem, 4096, IB_UVERBS_ACCESS_LOCAL_WRITE, &m->mr),
			 0);
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

/* Fills in the transition from RESET to INIT. */
static size_t modify_qp(const struct made *m, void *in)
{
	*(struct ib_uverbs_modify_qp *)in =
		(struct ib_uverbs_modify_qp){.qp_handle = m->qp,
					     .attr_mask = 1 | 1 << 3 | 1 << 4 | 1 << 5,
					     .qp_state = 1,
					     .port_num = 1};
	return sizeof(struct ib_uverbs_modify_qp);
}

/* Fills in a new translation that is equal to the old one. */
static size_t rereg_mr(const struct made *m, void *in)
{
	*(struct ib_uverbs_rereg_mr *)in =
		(struct ib_uverbs_rereg_mr){.mr_handle = m->mr,
					    .flags = 1,
					    .start = (uintptr_t)m->f->mem,
					    .length = 4096,
					    .hca_va = (uintptr_t)m->f->mem};
	return sizeof(struct ib_uverbs_rereg_mr);
}

static size_t alloc_mw(const struct made *m, void *in)
{
	*(struct ib_uverbs_alloc_mw *)in =
		(struct ib_uverbs_alloc_mw){.pd_handle = m->pd, .mw_type = 2};
	return sizeof(struct ib_uverbs_alloc_mw);
}

static size_t resize_cq(const struct made *m, void *in)
{
	*(struct ib_uverbs_resize_cq *)in =
		(struct ib_uverbs_resize_cq){.cq_handle = m->cq, .cqe = m->cqe};
	return sizeof(struct ib_uverbs_resize_cq);
}

static size_t modify_cq(const struct made *m, void *in)
{
	*(struct ib_uverbs_ex_modify_cq *)in = (struct ib_uverbs_ex_modify_cq){
		.cq_handle = m->cq, .attr_mask = 1, .attr.cq_count = 3};
	return sizeof(struct ib_uverbs_ex_modify_cq);
}

static size_t attach_mcast(const struct made *m, void *in)
{
	*(struct ib_uverbs_attach_mcast *)in = (struct ib_uverbs_attach_mcast){.qp_handle = m->qp};
	return sizeof(struct ib_uverbs_attach_mcast);
}

static size_t open_xrcd(const struct made *m, void *in)
{
	(void)m;
	*(struct ib_uverbs_open_xrcd *)in = (struct ib_uverbs_open_xrcd){.fd = UINT32_MAX};
	return sizeof(struct ib_uverbs_open_xrcd);
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
	size_t (*fill)(const struct made *, void *in); /* returns the length */
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
	{IB_USER_VERBS_CMD_REREG_MR, rereg_mr, sizeof(struct ib_uverbs_rereg_mr_resp), 0},
	{IB_USER_VERBS_CMD_ALLOC_MW, alloc_mw, sizeof(struct ib_uverbs_alloc_mw_resp), 0},
	{IB_USER_VERBS_CMD_RESIZE_CQ, resize_cq, sizeof(struct ib_uverbs_resize_cq_resp), 0},
	{EX(IB_USER_VERBS_EX_CMD_MODIFY_CQ), modify_cq, 0, 0},
	{IB_USER_VERBS_CMD_OPEN_XRCD, open_xrcd, sizeof(struct ib_uverbs_open_xrcd_resp), 0},
	{IB_USER_VERBS_CMD_ATTACH_MCAST, attach_mcast, 0, 0},
};
enum {
	ALLOC_PD,
	REG_MR,
	CREATE_AH,
	MODIFY_QP,
	MODIFY_QP_EX,
	MODIFY_WQ,
	CREATE_TABLE,
	REREG_MR,
	ALLOC_MW,
	RESIZE_CQ,
	MODIFY_CQ,
	OPEN_XRCD,
	GOOD,
	ATTACH_MCAST = GOOD
};

/* --- bad fields ------------------------------------------------------------------------------- */

#define AT(type, field) offsetof(struct type, field), sizeof(((struct type *)0)->field)
#define MQ(field)	AT(ib_uverbs_modify_qp, field)
#define DEST_EMPTY_GID	UINT64_MAX
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
	{REG_MR, AT(ib_uverbs_reg_mr, length), 1ull << 44, -EINVAL},
	{REG_MR, AT(ib_uverbs_reg_mr, start), 0, -EFAULT},
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
	{REREG_MR, AT(ib_uverbs_rereg_mr, mr_handle), 999, -ENOENT},
	{REREG_MR, AT(ib_uverbs_rereg_mr, flags), 0, -EINVAL},
	{REREG_MR, AT(ib_uverbs_rereg_mr, flags), 8, -EOPNOTSUPP},
	{REREG_MR, AT(ib_uverbs_rereg_mr, hca_va), 1, -EINVAL},
	{REREG_MR, AT(ib_uverbs_rereg_mr, length), 0, -EINVAL},
	{REREG_MR, AT(ib_uverbs_rereg_mr, length), 1ull << 40, -EFAULT},
	{ALLOC_MW, AT(ib_uverbs_alloc_mw, pd_handle), 999, -ENOENT},
	{ALLOC_MW, AT(ib_uverbs_alloc_mw, mw_type), 0, -EINVAL},
	{ALLOC_MW, AT(ib_uverbs_alloc_mw, mw_type), 3, -EINVAL},
	{RESIZE_CQ, AT(ib_uverbs_resize_cq, cq_handle), 999, -ENOENT},
	{RESIZE_CQ, AT(ib_uverbs_resize_cq, cqe), 0, -EINVAL},
	{RESIZE_CQ, AT(ib_uverbs_resize_cq, cqe), 1u << 31, -EINVAL},
	{MODIFY_CQ, AT(ib_uverbs_ex_modify_cq, cq_handle), 999, -ENOENT},
	{MODIFY_CQ, AT(ib_uverbs_ex_modify_cq, attr_mask), 0, -EINVAL},
	{MODIFY_CQ, AT(ib_uverbs_ex_modify_cq, attr_mask), 2, -EOPNOTSUPP},
	{MODIFY_CQ, AT(ib_uverbs_ex_modify_cq, reserved), 1, -EINVAL},
	{MODIFY_CQ, AT(ib_uverbs_ex_modify_cq, attr.cq_period), 0x1000, -EINVAL},
	{ATTACH_MCAST, AT(ib_uverbs_attach_mcast, qp_handle), 999, -ENOENT},
	{ATTACH_MCAST, AT(ib_uverbs_attach_mcast, gid[0]), 0xff, -EINVAL}, /* the QP is RC */
};

#define BOTH(command, type, one, value1, other, value2, err)                       \
	{                                                                          \
		command, {{AT(type, one), value1}, {AT(type, other), value2}}, err \
	}

/* Requests with two bad fields, and the errno of the one that the kernel checks first. */
static const struct {
	unsigned int command;
	struct {
		size_t at, len;
		uint64_t value;
	} bad[2];
	int err;
} twice[] = {
	BOTH(REG_MR, ib_uverbs_reg_mr, pd_handle, 999, hca_va, 1, -EINVAL),
	BOTH(REG_MR, ib_uverbs_reg_mr, pd_handle, 999, length, 1ull << 40, -ENOENT),
	BOTH(REG_MR, ib_uverbs_reg_mr, pd_handle, 999, access_flags, 2, -EINVAL),
	BOTH(CREATE_AH, ib_uverbs_create_ah, pd_handle, 999, attr.is_global, 0, -ENOENT),
	BOTH(CREATE_AH, ib_uverbs_create_ah, pd_handle, 999, attr.port_num, 2, -EINVAL),
	BOTH(REREG_MR, ib_uverbs_rereg_mr, mr_handle, 999, flags, 8, -EOPNOTSUPP),
	BOTH(REREG_MR, ib_uverbs_rereg_mr, mr_handle, 999, hca_va, 1, -EINVAL),
	BOTH(REREG_MR, ib_uverbs_rereg_mr, flags, 3, length, 1ull << 40, -EFAULT),
	BOTH(ALLOC_MW, ib_uverbs_alloc_mw, pd_handle, 999, mw_type, 3, -ENOENT),
	BOTH(MODIFY_CQ, ib_uverbs_ex_modify_cq, cq_handle, 999, attr_mask, 2, -EOPNOTSUPP),
	{MODIFY_QP, {{MQ(qp_handle), 999}, {MQ(attr_mask), 1 | 1 << 21}}, -EOPNOTSUPP},
	{MODIFY_QP, {{MQ(qp_handle), 999}, {MQ(port_num), 2}}, -ENOENT},
	/* a transition that does not exist, and an address without a GID */
	{MODIFY_QP, {{MQ(attr_mask), 1 | 1 << 7}, {MQ(dest), DEST_EMPTY_GID}}, -ENODATA},
	{CREATE_TABLE,
	 {{AT(ib_uverbs_ex_create_rwq_ind_table, log_ind_tbl_size), 13},
	  {sizeof(struct ib_uverbs_ex_create_rwq_ind_table), 4, 999}},
	 -ENOSPC},
};

/* Runs a command with the driver's part, where it has one. */
static int run_parts(struct fx *f, const struct command *c, const void *in, size_t len,
		     const void *uhw, size_t uhw_len, size_t uhw_out)
{
	return FX_CALL(f, UVERBS_OBJECT_DEVICE, UVERBS_METHOD_INVOKE_WRITE,
		       A_VALUE(UVERBS_ATTR_WRITE_CMD, c->cmd, 8),
		       A_IN(UVERBS_ATTR_CORE_IN, in, len),
		       c->out ? A_OUT(UVERBS_ATTR_CORE_OUT, NULL, c->out) : A_NONE,
		       uhw_len ? A_IN(UVERBS_ATTR_UHW_IN, uhw, uhw_len) : A_NONE,
		       uhw_out ? A_OUT(UVERBS_ATTR_UHW_OUT, NULL, uhw_out) : A_NONE);
}

/* Runs a command. uhw: length of mlx5_ib's part. */
static int run(struct fx *f, const struct command *c, const void *in, size_t len, size_t uhw)
{
	static const uint8_t zero[64];

	return run_parts(f, c, in, len, zero, uhw, 64);
}

TEST(fx, bad_fields)
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

TEST(fx, first_of_two)
{
	struct made m;

	make(&m, f);
	for (size_t i = 0; i < sizeof(twice) / sizeof(twice[0]); i++) {
		const struct command *c = &commands[twice[i].command];
		uint64_t in[IN_MOST / 8] = {0};
		size_t len = c->fill(&m, in);
		int err;

		for (unsigned int k = 0; k < 2; k++)
			memcpy((uint8_t *)in + twice[i].bad[k].at, &twice[i].bad[k].value,
			       twice[i].bad[k].len < 8 ? twice[i].bad[k].len : 8);
		if (twice[i].bad[1].value == DEST_EMPTY_GID)
			((struct ib_uverbs_modify_qp *)in)->dest = (struct ib_uverbs_qp_dest){
				.is_global = 1, .port_num = 1, .sgid_index = VHCA_GIDS - 1};
		err = run(m.f, c, in, len, c->uhw);
		if (err != twice[i].err)
			fail_msg("row %zu: %d, not %d", i, err, twice[i].err);
	}
}

/* Proves that a newer library's longer requests are accepted if the unknown rest is zero. */
TEST(fx, tails)
{
	struct made m;

	make(&m, f);
	for (size_t i = 0; i < GOOD; i++) {
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

/* Proves the checks of mlx5_ib's part of CREATE_ commands. */
TEST(fx, drivers_part)
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

/* Proves how mlx5_ib handles a short or long part in other commands. */
TEST(fx, drivers_parts)
{
	static const uint64_t one[8] = {1};
	static const struct {
		unsigned int command;
		size_t in, out;
		int err;
	} parts[] = {
		{CREATE_AH, 0, 0, -EINVAL},
		{CREATE_AH, 0, 9, -EINVAL},
		{CREATE_AH, 0, sizeof(struct mlx5_ib_create_ah_resp), 0},
		{ALLOC_MW, 4, 0, -EOPNOTSUPP},
		{ALLOC_MW, 0, 0, 0},
		{CREATE_TABLE, 1, 0, -EOPNOTSUPP},
		{CREATE_TABLE, 0, 4, -EINVAL},
		{CREATE_TABLE, 0, 0, 0},
		{MODIFY_WQ, 16, 0, -EOPNOTSUPP},
	};
	struct made m;

	make(&m, f);
	for (size_t i = 0; i < sizeof(parts) / sizeof(parts[0]); i++) {
		const struct command *c = &commands[parts[i].command];
		uint64_t in[IN_MOST / 8] = {0};
		size_t len = c->fill(&m, in);
		int err = run_parts(f, c, in, len, one, parts[i].in, parts[i].out);

		if (err != parts[i].err)
			fail_msg("row %zu: %d, not %d", i, err, parts[i].err);
	}
}

/* Proves the checks of a QP's current state, and of the GID table at the change to RTR. */
TEST(fx, qp_transitions)
{
	const struct command *c = &commands[MODIFY_QP];
	uint64_t in[IN_MOST / 8] = {0};
	struct ib_uverbs_modify_qp *q = (void *)in;
	struct made m;
	size_t len;

	make(&m, f);
	len = c->fill(&m, in);
	q->attr_mask = 1 | 1 << 1; /* to RESET, with RESET as cur_qp_state */
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
	q->dest.static_rate = 1;
	assert_int_equal(run(m.f, c, in, len, 0), -EINVAL);
	q->dest.static_rate = 23;
	assert_int_equal(run(m.f, c, in, len, 0), -EINVAL);
	q->dest.static_rate = 22;
	q->path_mtu = 6;
	assert_int_equal(run(m.f, c, in, len, 0), -EINVAL);
	q->path_mtu = 3;
	q->max_dest_rd_atomic = 17;
	assert_int_equal(run(m.f, c, in, len, 0), -EINVAL);
	q->max_dest_rd_atomic = 16;
	assert_int_equal(run(m.f, c, in, len, 0), 0);
}
