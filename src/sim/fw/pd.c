/* SPDX-License-Identifier: BSD-2-Clause */
/* Numbers that only group other objects: protection and transport domains, XRC domains, TISes. */
#include "cmd.h"

static int fw_pd_dealloc(struct fw_cmd *c, enum obj_type type, uint32_t id, const char *field)
{
	struct obj *o = fw_find(c, type, id, field);

	if (!o || fw_busy(c, o))
		return -1;
	obj_free(o);
	return 0;
}

int fw_alloc_pd(struct fw_cmd *c)
{
	struct obj *o = fw_new(c, OBJ_PD, sizeof(*o));

	if (!o)
		return -1;
	prm_alloc_pd_out_set_pd(c->out, o->id);
	return 0;
}

int fw_dealloc_pd(struct fw_cmd *c)
{
	return fw_pd_dealloc(c, OBJ_PD, prm_dealloc_pd_in_get_pd(c->in), "pd");
}

int fw_alloc_td(struct fw_cmd *c)
{
	struct obj *o = fw_new(c, OBJ_TD, sizeof(*o));

	if (!o)
		return -1;
	prm_alloc_transport_domain_out_set_transport_domain(c->out, o->id);
	return 0;
}

int fw_dealloc_td(struct fw_cmd *c)
{
	return fw_pd_dealloc(c, OBJ_TD, prm_dealloc_transport_domain_in_get_transport_domain(c->in),
			     "transport_domain");
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

int fw_destroy_tis(struct fw_cmd *c)
{
	struct obj *o = fw_find(c, OBJ_TIS, prm_destroy_tis_in_get_tisn(c->in), "tisn");

	if (!o || fw_busy(c, o))
		return -1;
	fw_tis_free(o);
	return 0;
}
