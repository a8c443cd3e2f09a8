/* SPDX-License-Identifier: BSD-2-Clause */
/* Objects that are numbers, which others name: PDs, transport domains, UARs, EQs; and TISes. */
#include "cmd.h"

/*
 * The only user of event queues is the kernel, which gets each entry at once (device.on_event): an
 * EQ is only a number too, and the command's ring is ignored.
 */
static const struct number_row {
	uint16_t opcode;
	enum obj_type type;
	void (*set)(void *out, uint32_t id);
} numbers[] = {
	{PRM_OPCODE_ALLOC_PD, OBJ_PD, prm_alloc_pd_out_set_pd},
	{PRM_OPCODE_ALLOC_TRANSPORT_DOMAIN, OBJ_TD,
	 prm_alloc_transport_domain_out_set_transport_domain},
	{PRM_OPCODE_ALLOC_UAR, OBJ_UAR, prm_alloc_uar_out_set_uar},
	{PRM_OPCODE_CREATE_EQ, OBJ_EQ, prm_create_eq_out_set_eq_number},
};

int fw_alloc_number(struct fw_cmd *c)
{
	const struct number_row *r = numbers;
	const struct obj *o;

	while (r->opcode != c->opcode)
		r++;
	o = fw_new(c, r->type, sizeof(*o));
	if (!o)
		return -1;
	r->set(c->out, o->id);
	return 0;
}

struct tis {
	struct obj o;
	struct obj *td;
};

int fw_create_tis(struct fw_cmd *c)
{
	const void *ctx = prm_create_tis_in_cat_ctx(c->in);
	struct tis *tis;
	struct obj *td;

	if (prm_tisc_get_tls_en(ctx))
		return fw_refuse(c, PRM_STATUS_BAD_PARAM, FW_SYN_UNSUPPORTED,
				 "tls_en is set: TLS offload is not implemented");
	td = fw_find(c, OBJ_TD, prm_tisc_get_transport_domain(ctx), "transport_domain");
	if (!td)
		return -1;
	tis = fw_new(c, OBJ_TIS, sizeof(*tis));
	if (!tis)
		return -1;
	tis->td = td;
	obj_get(td);
	prm_create_tis_out_set_tisn(c->out, tis->o.id);
	return 0;
}

void fw_tis_free(struct obj *o)
{
	obj_put(((struct tis *)o)->td);
	obj_free(o);
}
