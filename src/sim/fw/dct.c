/* SPDX-License-Identifier: BSD-2-Clause */
/* Dynamically connected targets. */
#include <string.h>
#include <dvx/prm/dct.h>
#include "cmd.h"
#include "obj/cq.h"
#include "obj/dct.h"
#include "obj/q_counter.h"
#include "obj/srq.h"
#include "transport/transport.h"

#define INLINE_MOST 64u /* with PRM_QPC_CS_RES_UP_TO_64B */

static int dct_check_features(struct fw_cmd *c, const void *dctc)
{
	const struct fw_absent absent[] = {
		FW_ABSENT(dctc, state, "a target begins in 0 (ACTIVE)"),
		FW_ABSENT(dctc, atomic_like_write_en, "dvx-sim does not implement it"),
		FW_ABSENT(dctc, rlky, "the reserved lkey is the kernel's"),
	};
	const unsigned int mtu = prm_dctc_get_mtu(dctc), cs = prm_dctc_get_cs_res(dctc);

	if (FW_CHECK_ABSENT(c, absent))
		return -1;
	if (mtu < PRM_QPC_MTU_256 || mtu > PRM_QPC_MTU_4K)
		return fw_refuse(c, FW_SYN_SIZE, "dctc.mtu %u is none of 1 (256 bytes) to 5 (4096)",
				 mtu);
	if (cs && cs != PRM_QPC_CS_RES_UP_TO_64B) /* as mlx5_ib and UCX have it [I] */
		return fw_refuse(
			c, FW_SYN_UNSUPPORTED,
			"dctc.cs_res 0x%x: targets have 64 bytes (2) in completions, or none (0)",
			cs);
	return 0;
}

/* Checks the address path that the target's responses take. */
static int dct_check_path(struct fw_cmd *c, const void *dctc)
{
	const unsigned int gid = prm_dctc_get_my_addr_index(dctc), port = prm_dctc_get_port(dctc);

	if (port > 1)
		return fw_refuse(c, FW_SYN_INDEX, "dctc.port is %u, the device has port 1", port);
	if (prm_dctc_get_pkey_index(dctc))
		return fw_refuse(c, FW_SYN_INDEX, "dctc.pkey_index is %u, a RoCE port has only 0",
				 prm_dctc_get_pkey_index(dctc));
	if (gid >= VHCA_GIDS || c->vhca->gids[gid].type == GID_EMPTY)
		return fw_refuse(c, FW_SYN_INDEX, "dctc.my_addr_index %u: there is no such GID",
				 gid);
	return 0;
}

static void dct_read(struct dct *d, const void *dctc)
{
	d->pdn = prm_dctc_get_pd(dctc);
	d->user_index = prm_dctc_get_user_index(dctc);
	d->key = prm_dctc_get_dc_access_key(dctc);
	d->rre = prm_dctc_get_rre(dctc);
	d->rwe = prm_dctc_get_rwe(dctc);
	d->rae = prm_dctc_get_rae(dctc);
	d->atomic_mode = (uint8_t)prm_dctc_get_atomic_mode(dctc);
	d->mtu = (uint8_t)prm_dctc_get_mtu(dctc);
	d->min_rnr_nak = (uint8_t)prm_dctc_get_min_rnr_nak(dctc);
	d->gid_index = (uint8_t)prm_dctc_get_my_addr_index(dctc);
	d->hop_limit = (uint8_t)prm_dctc_get_hop_limit(dctc);
	d->tclass = (uint8_t)prm_dctc_get_tclass(dctc);
	d->flow_label = prm_dctc_get_flow_label(dctc);
	d->prio = (uint8_t)prm_dctc_get_eth_prio(dctc);
	d->inline_most = prm_dctc_get_cs_res(dctc) ? INLINE_MOST : 0;
	memcpy(d->ctx, dctc, sizeof(d->ctx));
	prm_dctc_set_ece(d->ctx, fw_ece(prm_dctc_get_ece(dctc)));
}

static int dct_take_objects(struct fw_cmd *c, const void *dctc, struct dct *d)
{
	d->pd = fw_take(c, OBJ_PD, d->pdn, "dctc.pd");
	d->cq = d->pd ? fw_take(c, OBJ_CQ, prm_dctc_get_cqn(dctc), "dctc.cqn") : NULL;
	d->srq = d->cq ? fw_take(c, OBJ_SRQ, prm_dctc_get_srqn_xrqn(dctc), "dctc.srqn_xrqn") : NULL;
	if (!d->srq)
		return -1;
	if (d->srq->xrcd)
		return fw_refuse(c, FW_SYN_RESERVED,
				 "dctc.srqn_xrqn 0x%x is an XRC SRQ: only XRC's messages go there",
				 d->srq->o.id);
	if (d->inline_most && 1u << d->cq->cqe_log != 2 * INLINE_MOST)
		return fw_refuse(c, FW_SYN_SIZE,
				 "dctc.cs_res 2: 64 bytes of data need completions of 128 bytes, "
				 "the CQ's have 64");
	if (fw_q_counter_take(c, prm_dctc_get_counter_set_id(dctc), "dctc.counter_set_id",
			      &d->counter))
		return -1;
	if (dct_start(d))
		return fw_refuse(c, FW_SYN_MEMORY, "no memory for one more DCT");
	return 0;
}

void fw_dct_free(struct obj *o)
{
	struct dct *d = (struct dct *)o;

	dct_stop(d);
	obj_put(d->counter);
	obj_put(d->srq);
	obj_put(d->cq);
	obj_put(d->pd);
	obj_free(o);
}

int fw_create_dct(struct fw_cmd *c)
{
	const void *dctc = prm_create_dct_in_cat_dct_context_entry(c->in);
	struct dct *d;

	if (dct_check_features(c, dctc) || dct_check_path(c, dctc))
		return -1;
	d = fw_new(c, OBJ_DCT, sizeof(*d));
	if (!d)
		return -1;
	dct_read(d, dctc);
	if (fw_made(c, &d->o, dct_take_objects(c, dctc, d)))
		return -1;
	prm_create_dct_out_set_ece(c->out, prm_dctc_get_ece(d->ctx));
	return 0;
}

int fw_query_dct(struct fw_cmd *c)
{
	const struct dct *d = c->obj;
	void *dctc = prm_query_dct_out_at_dct_context_entry(c->out);

	memcpy(dctc, d->ctx, sizeof(d->ctx));
	prm_dctc_set_state(dctc, d->state);
	prm_dctc_set_dc_access_key_violation_count(dctc, d->violations);
	return 0;
}

int fw_drain_dct(struct fw_cmd *c)
{
	struct dct *d = c->obj;

	if (d->state != PRM_DCTC_STATE_ACTIVE) /* [I] */
		return fw_refuse(c, FW_SYN_QP_STATE, "dctn 0x%x is drained already", d->o.id);
	dct_drain(d);
	return 0;
}

/*
 * Destroys only drained targets: mlx5_core drains each before it destroys it. [I] Firmware requires
 * it.
 */
int fw_destroy_dct(struct fw_cmd *c)
{
	struct dct *d = c->obj;

	if (!d->o.refs && d->state != PRM_DCTC_STATE_DRAINED)
		return fw_refuse(c, FW_SYN_QP_STATE,
				 "dctn 0x%x is not drained: DRAIN_DCT comes first", d->o.id);
	return fw_destroy(c, &d->o);
}

int fw_arm_dct(struct fw_cmd *c)
{
	((struct dct *)c->obj)->armed = true;
	return 0;
}
