/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Receive memory pools: the shared receive queues of a device with ISSI 1. [I] CREATE_SRQ and
 * related opcodes belong to ISSI 0, and this device lacks them.
 */
#include <string.h>
#include <dvx/prm/wqe.h>
#include "cmd.h"
#include "queue/queue.h"
#include "obj/cq.h"
#include "obj/srq.h"

#define LOG_SEG	   4u
#define LOG_LINKED 5u /* a link and one data segment */
#define MODIFY_LWM 1u

static int check_rmpc(struct fw_cmd *c, const void *rmpc)
{
	const void *wq = prm_rmpc_cat_wq(rmpc);
	bool bare = prm_rmpc_get_basic_cyclic_rcv_wqe(rmpc);
	const struct fw_wq_rules rules = {
		.types = 1u << PRM_WQ_TYPE_CYCLIC | (bare ? 0u : 1u << PRM_WQ_TYPE_LINKED_LIST),
		.lwm = true,
		.log_most = VHCA_LOG_MAX_SRQ_SZ,
		.log_stride_least = bare ? LOG_SEG : LOG_LINKED,
		.log_stride_most = FW_LOG_MAX_WQE,
	};

	if (prm_rmpc_get_state(rmpc) != PRM_RMPC_STATE_RDY)
		return fw_refuse(c, FW_SYN_RESERVED, "rmpc.state is %u, an RMP begins in 1 (RDY)",
				 prm_rmpc_get_state(rmpc));
	return fw_wq_check(c, wq, &rules);
}

static int check_lwm(struct fw_cmd *c, const void *wq, unsigned int log_size)
{
	if (prm_wq_get_lwm(wq) <= 1u << log_size)
		return 0;
	return fw_refuse(c, FW_SYN_SIZE, "wq.lwm %u is more than %u entries", prm_wq_get_lwm(wq),
			 1u << log_size);
}

static int rmp_take(struct fw_cmd *c, const void *rmpc, struct srq *s)
{
	const void *wq = prm_rmpc_cat_wq(rmpc);
	uint64_t dbrec;

	s->log_size = (uint8_t)prm_wq_get_log_wq_sz(wq);
	s->log_stride = (uint8_t)prm_wq_get_log_wq_stride(wq);
	s->linked = prm_wq_get_wq_type(wq) == PRM_WQ_TYPE_LINKED_LIST;
	s->head = prm_rmpc_get_basic_cyclic_rcv_wqe(rmpc) ? 0 : PRM_WQE_SRQ_NEXT_SEG_BYTES;
	s->lwm = (uint16_t)prm_wq_get_lwm(wq);
	s->pdn = prm_wq_get_pd(wq);
	memcpy(s->ctx, rmpc, PRM_RMPC_BYTES);
	s->pd = fw_take(c, OBJ_PD, s->pdn, "wq.pd");
	if (!s->pd || check_lwm(c, wq, s->log_size) ||
	    fw_wq_take(c, wq, PRM_CREATE_RMP_IN_BYTES, &s->ring, &dbrec, &s->dbr_umem))
		return -1;
	s->dbrec = dbrec;
	return srq_start(s) ? fw_refuse(c, FW_SYN_MEMORY, "no memory for one more RMP") : 0;
}

void fw_srq_free(struct obj *o)
{
	struct srq *s = (struct srq *)o;

	srq_stop(s);
	obj_put(s->cq);
	obj_put(s->xrcd);
	ring_release(&s->ring);
	obj_put(s->dbr_umem);
	obj_put(s->pd);
	obj_free(o);
}

int fw_create_rmp(struct fw_cmd *c)
{
	const void *rmpc = prm_create_rmp_in_cat_ctx(c->in);
	struct srq *s = check_rmpc(c, rmpc) ? NULL : fw_new(c, OBJ_SRQ, sizeof(*s));

	return s ? fw_made(c, &s->o, rmp_take(c, rmpc, s)) : -1;
}

/* Refuses an XRC SRQ, whose number is of the same kind. */
static int rmp_check_kind(struct fw_cmd *c)
{
	const struct srq *s = c->obj;

	return s->xrcd ? fw_refuse(c, FW_SYN_NO_OBJECT, "rmpn 0x%x is an XRC SRQ", s->o.id) : 0;
}

int fw_destroy_rmp(struct fw_cmd *c)
{
	return rmp_check_kind(c) ? -1 : fw_destroy_object(c);
}

static unsigned int rmp_state(const struct srq *s)
{
	return s->failed ? PRM_RMPC_STATE_ERR : PRM_RMPC_STATE_RDY;
}

/* Refuses changes of state: [I] an RMP that failed stays so. */
int fw_modify_rmp(struct fw_cmd *c)
{
	struct srq *s = c->obj;
	const void *rmpc = prm_modify_rmp_in_cat_ctx(c->in), *wq = prm_rmpc_cat_wq(rmpc);
	uint64_t mask = prm_load64(prm_modify_rmp_in_cat_bitmask(c->in), 0);

	if (rmp_check_kind(c))
		return -1;
	if (prm_modify_rmp_in_get_rmp_state(c->in) != rmp_state(s) ||
	    prm_rmpc_get_state(rmpc) != rmp_state(s))
		return fw_refuse(c, FW_SYN_QP_STATE,
				 "rmp_state %u, rmpc.state %u: the RMP is in %u, and stays",
				 prm_modify_rmp_in_get_rmp_state(c->in), prm_rmpc_get_state(rmpc),
				 rmp_state(s));
	if (mask & ~(uint64_t)MODIFY_LWM)
		return fw_refuse(c, FW_SYN_RESERVED, "bitmask 0x%llx: only bit 0 (lwm) is known",
				 (unsigned long long)mask);
	if (!mask)
		return 0;
	if (check_lwm(c, wq, s->log_size))
		return -1;
	srq_arm(s, (uint16_t)prm_wq_get_lwm(wq));
	return 0;
}

int fw_query_rmp(struct fw_cmd *c)
{
	const struct srq *s = c->obj;
	void *rmpc = prm_query_rmp_out_at_rmp_context(c->out);
	void *wq = prm_rmpc_at_wq(rmpc);

	if (rmp_check_kind(c))
		return -1;
	memcpy(rmpc, s->ctx, PRM_RMPC_BYTES);
	prm_rmpc_set_state(rmpc, rmp_state(s));
	prm_wq_set_lwm(wq, s->lwm);
	prm_wq_set_hw_counter(wq, s->ci);
	prm_wq_set_sw_counter(wq, s->pi);
	return 0;
}
