/* SPDX-License-Identifier: BSD-2-Clause */
/* Objects that are only numbers which others name: PDs, transport domains, UARs, EQs; and TISes. */
#include "cmd.h"
#include "obj/sig.h"

/*
 * Types that are only numbers. EQs are among them: their only user is the kernel, which gets each
 * EQE at once (front_ops.event), so the command's ring is ignored.
 */
static const struct number_row {
	uint16_t opcode;
	enum obj_type type;
} numbers[] = {
	{PRM_OPCODE_ALLOC_PD, OBJ_PD},	   {PRM_OPCODE_ALLOC_TRANSPORT_DOMAIN, OBJ_TD},
	{PRM_OPCODE_ALLOC_XRCD, OBJ_XRCD}, {PRM_OPCODE_ALLOC_UAR, OBJ_UAR},
	{PRM_OPCODE_CREATE_EQ, OBJ_EQ},
};

int fw_alloc_number(struct fw_cmd *c)
{
	const struct number_row *r = numbers;
	struct obj *o;

	while (r->opcode != c->opcode)
		r++;
	o = fw_new(c, r->type, sizeof(*o));
	return o ? fw_made(c, o, 0) : -1;
}

/*
 * Creates one PSV. [I] More in one command are refused: devx_obj_create() supports one only, and
 * libmlx5 asks for one.
 */
int fw_create_psv(struct fw_cmd *c)
{
	struct obj *pd = fw_find(c, OBJ_PD, prm_create_psv_in_get_pd(c->in), "pd");
	struct psv *psv;

	if (!pd)
		return -1;
	if (prm_create_psv_in_get_num_psv(c->in) != 1)
		return fw_refuse(c, FW_SYN_SIZE,
				 "num_psv is %u: one signature state at a time is implemented",
				 prm_create_psv_in_get_num_psv(c->in));
	psv = fw_new(c, OBJ_PSV, sizeof(*psv));
	if (!psv)
		return -1;
	psv->pd = pd;
	obj_get(pd);
	prm_create_psv_out_set_psv0_index(c->out, psv->o.id);
	return 0;
}

void fw_psv_free(struct obj *o)
{
	obj_put(((struct psv *)o)->pd);
	obj_free(o);
}

struct tis {
	struct obj o;
	struct obj *td;
	uint8_t prio;
};

/* Refuses a port other than the chip's only one; cap.lag_tx_port_affinity is 0. */
static int fw_tis_check_port(struct fw_cmd *c, const void *ctx)
{
	const struct fw_absent lag[] = {
		{prm_tisc_get_lag_tx_port_affinity(ctx), "ctx.lag_tx_port_affinity",
		 "cap.lag_tx_port_affinity is 0"},
	};

	return FW_CHECK_ABSENT(c, lag);
}

int fw_create_tis(struct fw_cmd *c)
{
	const void *ctx = prm_create_tis_in_cat_ctx(c->in);
	const struct fw_absent features[] = {
		{prm_tisc_get_underlay_qpn(ctx), "ctx.underlay_qpn", "there is no IPoIB here"},
		{prm_tisc_get_pd(ctx), "ctx.pd", "a TIS without tls_en has no PD"},
	};
	struct tis *tis;
	struct obj *td;

	if (prm_tisc_get_tls_en(ctx))
		return fw_refuse(c, FW_SYN_UNSUPPORTED,
				 "tls_en is set: TLS offload is not implemented");
	if (FW_CHECK_ABSENT(c, features) || fw_tis_check_port(c, ctx))
		return -1;
	td = fw_find(c, OBJ_TD, prm_tisc_get_transport_domain(ctx), "transport_domain");
	if (!td)
		return -1;
	tis = fw_new(c, OBJ_TIS, sizeof(*tis));
	if (!tis)
		return -1;
	tis->td = td;
	tis->prio = (uint8_t)prm_tisc_get_prio(ctx);
	obj_get(td);
	return fw_made(c, &tis->o, 0);
}

void fw_tis_free(struct obj *o)
{
	obj_put(((struct tis *)o)->td);
	obj_free(o);
}

/* Ignores strict_lag_tx_port_affinity, which has no effect on a chip with one port. */
int fw_modify_tis(struct fw_cmd *c)
{
	const void *mask = prm_modify_tis_in_cat_bitmask(c->in);
	const void *ctx = prm_modify_tis_in_cat_ctx(c->in);
	struct tis *tis = c->obj;

	if (prm_modify_tis_bitmask_get_lag_tx_port_affinity(mask) && fw_tis_check_port(c, ctx))
		return -1;
	if (prm_modify_tis_bitmask_get_prio(mask))
		tis->prio = (uint8_t)prm_tisc_get_prio(ctx);
	return 0;
}

int fw_query_tis(struct fw_cmd *c)
{
	const struct tis *tis = c->obj;
	void *ctx = prm_query_tis_out_at_tis_context(c->out);

	prm_tisc_set_prio(ctx, tis->prio);
	prm_tisc_set_transport_domain(ctx, tis->td->id);
	return 0;
}
