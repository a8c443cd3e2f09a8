/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Transitions of each QP type: attributes of ib_core, commands and optional parameters of mlx5_ib.
 */
#include <stddef.h>
#include <dvx/prm/cmd.h>
#include <rdma/ib_user_ioctl_verbs.h>
#include <errno.h>
#include <stdio.h>
#include "kernel/core/file.h"
#include "qp.h"

/* Transitions that all types have: from every state but RESET. */
static const struct qp_transition to_reset = {ERR, RESET, PRM_OPCODE_2RST_QP, 0, 0, 0};
static const struct qp_transition to_err = {ERR, ERR, PRM_OPCODE_2ERR_QP, 0, 0, 0};

static const struct qp_transition uc[] = {
	{RESET, INIT, PRM_OPCODE_RST2INIT_QP, A_PKEY_INDEX | A_PORT | A_ACCESS, 0, 0},
	{INIT, INIT, PRM_OPCODE_INIT2INIT_QP, 0, A_PKEY_INDEX | A_PORT | A_ACCESS,
	 PRM_QP_OPTPAR_RWE | PRM_QP_OPTPAR_PKEY_INDEX | PRM_QP_OPTPAR_PRI_PORT},
	{INIT, RTR, PRM_OPCODE_INIT2RTR_QP, A_AV | A_PATH_MTU | A_DEST_QPN | A_RQ_PSN,
	 A_ALT_PATH | A_ACCESS | A_PKEY_INDEX,
	 PRM_QP_OPTPAR_ALT_ADDR_PATH | PRM_QP_OPTPAR_RWE | PRM_QP_OPTPAR_PKEY_INDEX},
	{RTR, RTS, PRM_OPCODE_RTR2RTS_QP, A_SQ_PSN,
	 A_CUR_STATE | A_ALT_PATH | A_ACCESS | A_PATH_MIG_STATE,
	 PRM_QP_OPTPAR_ALT_ADDR_PATH | PRM_QP_OPTPAR_RWE | PRM_QP_OPTPAR_PM_STATE},
	{RTS, RTS, PRM_OPCODE_RTS2RTS_QP, 0, A_CUR_STATE | A_ACCESS | A_ALT_PATH | A_PATH_MIG_STATE,
	 PRM_QP_OPTPAR_RWE | PRM_QP_OPTPAR_PM_STATE | PRM_QP_OPTPAR_ALT_ADDR_PATH},
	{SQE, RTS, PRM_OPCODE_SQERR2RTS_QP, 0, A_CUR_STATE | A_ACCESS, PRM_QP_OPTPAR_RWE},
};

static const struct qp_transition ud[] = {
	{RESET, INIT, PRM_OPCODE_RST2INIT_QP, A_PKEY_INDEX | A_PORT | A_QKEY, 0, 0},
	{INIT, INIT, PRM_OPCODE_INIT2INIT_QP, 0, A_PKEY_INDEX | A_PORT | A_QKEY,
	 PRM_QP_OPTPAR_PKEY_INDEX | PRM_QP_OPTPAR_Q_KEY | PRM_QP_OPTPAR_PRI_PORT},
	{INIT, RTR, PRM_OPCODE_INIT2RTR_QP, 0, A_PKEY_INDEX | A_QKEY,
	 PRM_QP_OPTPAR_PKEY_INDEX | PRM_QP_OPTPAR_Q_KEY},
	{RTR, RTS, PRM_OPCODE_RTR2RTS_QP, A_SQ_PSN, A_CUR_STATE | A_QKEY, PRM_QP_OPTPAR_Q_KEY},
	{RTS, RTS, PRM_OPCODE_RTS2RTS_QP, 0, A_CUR_STATE | A_QKEY, PRM_QP_OPTPAR_Q_KEY},
	{SQE, RTS, PRM_OPCODE_SQERR2RTS_QP, 0, A_CUR_STATE | A_QKEY, PRM_QP_OPTPAR_Q_KEY},
};

/* XRC's initiators and targets each have one half of RC's attributes. */
#define RC_OPTPAR                                                        \
	(O_ACCESS | PRM_QP_OPTPAR_RNR_TIMEOUT | PRM_QP_OPTPAR_PM_STATE | \
	 PRM_QP_OPTPAR_ALT_ADDR_PATH)
#define RC_ROWS(name, rtr, rts, timer)                                                         \
	static const struct qp_transition name[] = {                                           \
		{RESET, INIT, PRM_OPCODE_RST2INIT_QP, A_PKEY_INDEX | A_PORT | A_ACCESS, 0, 0}, \
		{INIT, INIT, PRM_OPCODE_INIT2INIT_QP, 0, A_PKEY_INDEX | A_PORT | A_ACCESS,     \
		 O_ACCESS | PRM_QP_OPTPAR_PKEY_INDEX | PRM_QP_OPTPAR_PRI_PORT},                \
		{INIT, RTR, PRM_OPCODE_INIT2RTR_QP,                                            \
		 A_AV | A_PATH_MTU | A_DEST_QPN | A_RQ_PSN | (rtr),                            \
		 A_ALT_PATH | A_ACCESS | A_PKEY_INDEX,                                         \
		 O_ACCESS | PRM_QP_OPTPAR_ALT_ADDR_PATH | PRM_QP_OPTPAR_PKEY_INDEX},           \
		{RTR, RTS, PRM_OPCODE_RTR2RTS_QP, A_TIMEOUT | A_SQ_PSN | (rts),                \
		 A_CUR_STATE | A_ALT_PATH | A_ACCESS | A_PATH_MIG_STATE | (timer), RC_OPTPAR}, \
		{RTS, RTS, PRM_OPCODE_RTS2RTS_QP, 0,                                           \
		 A_CUR_STATE | A_ACCESS | A_ALT_PATH | A_PATH_MIG_STATE | (timer), RC_OPTPAR}, \
		{SQD, RTS, PRM_OPCODE_SQD_RTS_QP, 0,                                           \
		 A_CUR_STATE | A_ACCESS | A_ALT_PATH | A_PATH_MIG_STATE | (timer),             \
		 O_ACCESS | PRM_QP_OPTPAR_RNR_TIMEOUT},                                        \
	}
RC_ROWS(rc, A_MAX_DEST_RD | A_MIN_RNR_TIMER, A_RETRY_CNT | A_RNR_RETRY | A_MAX_RD, A_MIN_RNR_TIMER);
RC_ROWS(xrc_ini, 0, A_RETRY_CNT | A_RNR_RETRY | A_MAX_RD, 0);
RC_ROWS(xrc_tgt, A_MAX_DEST_RD | A_MIN_RNR_TIMER, 0, A_MIN_RNR_TIMER);

/* mlx5_ib has a separate table for DCIs, without optional parameters. */
static const struct qp_transition dci[] = {
	{RESET, INIT, PRM_OPCODE_RST2INIT_QP, A_PKEY_INDEX | A_PORT, 0, 0},
	{INIT, INIT, PRM_OPCODE_INIT2INIT_QP, 0, A_PKEY_INDEX | A_PORT, 0},
	{INIT, RTR, PRM_OPCODE_INIT2RTR_QP, A_PATH_MTU, A_PKEY_INDEX | A_AV, 0},
	{RTR, RTS, PRM_OPCODE_RTR2RTS_QP,
	 A_TIMEOUT | A_RETRY_CNT | A_RNR_RETRY | A_MAX_RD | A_SQ_PSN, A_MIN_RNR_TIMER, 0},
	{RTS, RTS, PRM_OPCODE_RTS2RTS_QP, 0, A_MIN_RNR_TIMER, 0},
};

#define TYPE(ib, st, rows)                                                 \
	{                                                                  \
		ib, PRM_QP_ST_##st, rows, sizeof(rows) / sizeof((rows)[0]) \
	}

static const struct qp_type types[] = {
	TYPE(IB_UVERBS_QPT_RC, RC, rc),
	TYPE(IB_UVERBS_QPT_UC, UC, uc),
	TYPE(IB_UVERBS_QPT_UD, UD, ud),
	TYPE(IB_UVERBS_QPT_XRC_INI, XRC, xrc_ini),
	TYPE(IB_UVERBS_QPT_XRC_TGT, XRC, xrc_tgt),
	TYPE(QP_TYPE_DCI, DCI, dci),
};

const struct qp_type *qp_type_find(uint64_t ib)
{
	for (size_t i = 0; i < sizeof(types) / sizeof(types[0]); i++)
		if (types[i].ib == ib)
			return &types[i];
	return NULL;
}

const struct qp_transition *qp_type_transition(const struct qp_type *t, unsigned int from,
					       unsigned int to)
{
	if (from != RESET && (to == RESET || to == ERR))
		return to == RESET ? &to_reset : &to_err;
	for (unsigned int i = 0; i < t->n; i++)
		if (t->transitions[i].from == from && t->transitions[i].to == to)
			return &t->transitions[i];
	return NULL;
}

static const struct {
	uint32_t bit;
	const char *name;
} attrs[] = {
	{A_STATE, "IBV_QP_STATE"},
	{A_CUR_STATE, "IBV_QP_CUR_STATE"},
	{A_SQD_NOTIFY, "IBV_QP_EN_SQD_ASYNC_NOTIFY"},
	{A_ACCESS, "IBV_QP_ACCESS_FLAGS"},
	{A_PKEY_INDEX, "IBV_QP_PKEY_INDEX"},
	{A_PORT, "IBV_QP_PORT"},
	{A_QKEY, "IBV_QP_QKEY"},
	{A_AV, "IBV_QP_AV"},
	{A_PATH_MTU, "IBV_QP_PATH_MTU"},
	{A_TIMEOUT, "IBV_QP_TIMEOUT"},
	{A_RETRY_CNT, "IBV_QP_RETRY_CNT"},
	{A_RNR_RETRY, "IBV_QP_RNR_RETRY"},
	{A_RQ_PSN, "IBV_QP_RQ_PSN"},
	{A_MAX_RD, "IBV_QP_MAX_QP_RD_ATOMIC"},
	{A_ALT_PATH, "IBV_QP_ALT_PATH"},
	{A_MIN_RNR_TIMER, "IBV_QP_MIN_RNR_TIMER"},
	{A_SQ_PSN, "IBV_QP_SQ_PSN"},
	{A_MAX_DEST_RD, "IBV_QP_MAX_DEST_RD_ATOMIC"},
	{A_PATH_MIG_STATE, "IBV_QP_PATH_MIG_STATE"},
	{A_CAP, "IBV_QP_CAP"},
	{A_DEST_QPN, "IBV_QP_DEST_QPN"},
	{A_RATE_LIMIT, "IBV_QP_RATE_LIMIT"},
};

const char *qp_attr_names(uint32_t mask, char text[ATTR_NAMES])
{
	int n = 0;

	*text = 0;
	for (unsigned int i = 0; i < sizeof(attrs) / sizeof(attrs[0]) && n < ATTR_NAMES; i++) {
		if (!(mask & attrs[i].bit))
			continue;
		n += snprintf(text + n, ATTR_NAMES - (size_t)n, "%s%s", n ? " | " : "",
			      attrs[i].name);
		mask &= ~attrs[i].bit;
	}
	if (mask && n < ATTR_NAMES)
		snprintf(text + n, ATTR_NAMES - (size_t)n, "%s0x%x", n ? " | " : "", mask);
	return text;
}

int qp_attr_check(const char *change, uint32_t mask, uint32_t need, uint32_t may)
{
	const uint32_t missing = need & ~mask, extra = mask & ~(need | may);
	char names[ATTR_NAMES];

	if (missing)
		return refuse(-EINVAL, "MODIFY_QP: attr_mask 0x%x: %s also needs %s", mask, change,
			      qp_attr_names(missing, names));
	if (extra)
		return refuse(-EINVAL, "MODIFY_QP: attr_mask 0x%x: %s does not take %s", mask,
			      change, qp_attr_names(extra, names));
	return 0;
}
