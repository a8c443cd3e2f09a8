/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Vports of the e-switch: packets have the VHCA of the function that sent them, 0 if they came from
 * the wire, as libmlx5's and Linux's entries compare it. So a match of a vport becomes one of that.
 */
#include <inttypes.h>
#include <dvx/cmd.h>
#include <dvx/prm/cap.h>
#include <dvx/prm/cmd.h>
#include <dvx/prm/flow.h>
#include "lib/flow/dr.h"
#include "hws.h"

struct hws_vport {
	UT_hash_handle hh;
	uint32_t vport;
	uint16_t vhca;
};

uint32_t dvx_hws_vport_manager(struct hws_domain *d)
{
	const void *cap;

	if (dvx_dev_cap_page(d->dev, PRM_HCA_CAP_TYPE_ESWITCH, &cap) ||
	    !prm_e_switch_cap_get_esw_manager_vport_number_valid(cap))
		return DVX_FLOW_PF;
	return prm_e_switch_cap_get_esw_manager_vport_number(cap);
}

/* Asks the device; the manager is this function. */
static int hws_vport_query(struct hws_domain *d, uint32_t vport, uint16_t *vhca)
{
	uint8_t in[PRM_QUERY_HCA_CAP_IN_BYTES] = {0}, reply[PRM_QUERY_HCA_CAP_OUT_BYTES];
	int err;

	prm_query_hca_cap_in_set_opcode(in, PRM_OPCODE_QUERY_HCA_CAP);
	prm_query_hca_cap_in_set_op_mod(in, PRM_HCA_CAP_TYPE_GENERAL << 1 | PRM_HCA_CAP_MODE_CUR);
	if (vport != dvx_hws_vport_manager(d)) {
		prm_query_hca_cap_in_set_other_function(in, 1);
		prm_query_hca_cap_in_set_function_id(in, vport);
	}
	err = dvx_cmd(d->dev, in, sizeof(in), reply, sizeof(reply));
	*vhca = (uint16_t)prm_cmd_hca_cap_get_vhca_id(prm_query_hca_cap_out_at_capability(reply));
	return err;
}

static int hws_vport_add(struct hws_domain *d, uint32_t vport, struct hws_vport **out)
{
	struct hws_vport *v = calloc(1, sizeof(*v));
	int err;

	if (!v)
		return dvx_fail(ENOMEM, "no memory for a vport");
	v->vport = vport;
	err = hws_vport_query(d, vport, &v->vhca);
	if (err) {
		free(v);
		return err;
	}
	HASH_ADD(hh, d->vports, vport, sizeof(v->vport), v);
	*out = v;
	return 0;
}

int dvx_hws_vport_vhca(struct hws_domain *d, const char *what, uint32_t vport, uint16_t *vhca)
{
	struct hws_vport *v;
	int err = 0;

	HASH_FIND(hh, d->vports, &vport, sizeof(vport), v);
	if (!v)
		err = hws_vport_add(d, vport, &v);
	if (err)
		return err == -ENOMEM ? err : dvx_flow_fdb_lacks_vport(d->dev, what, vport, -err);
	*vhca = v->vhca;
	return 0;
}

void dvx_hws_vports_dump(const struct dvx_flow_domain *domain, uint32_t type, FILE *to)
{
	for (const struct hws_vport *v = hws_domain(domain)->vports; v; v = v->hh.next)
		fprintf(to, "%u,0x%" PRIx64 ",%u,0x%x,0x0,0x0\n", type, (uint64_t)(uintptr_t)domain,
			v->vport, v->vhca);
}

void dvx_hws_vports_free(struct hws_domain *d)
{
	struct hws_vport *v, *next;

	HASH_ITER(hh, d->vports, v, next)
	{
		HASH_DEL(d->vports, v);
		free(v);
	}
}

/* Replaces the vport of a value. */
static int hws_vport_replace(struct hws_domain *d, uint8_t *value)
{
	void *misc = prm_fte_match_param_at_misc_parameters(value);
	uint32_t vport = prm_fte_match_set_misc_get_source_port(misc);
	uint16_t vhca = 0;
	int err =
		vport == DVX_FLOW_UPLINK
			? 0
			: dvx_hws_vport_vhca(d, "match.misc_parameters.source_port", vport, &vhca);

	prm_fte_match_set_misc_set_source_port(misc, vhca);
	return err;
}

int dvx_hws_part_tag(const struct hws_part *part, const uint8_t *value, uint8_t *tag)
{
	const struct dvx_flow_matcher *matcher = part->matcher;
	uint8_t other[MATCH_BYTES];
	int err = 0;

	if (prm_fte_match_set_misc_get_source_port(
		    prm_fte_match_param_cat_misc_parameters(matcher->mask))) {
		memcpy(other, value, sizeof(other));
		err = hws_vport_replace(hws_domain(matcher->table->domain), other);
		value = other;
	}
	if (!err)
		dvx_hws_layout_tag(&part->layout, value, tag);
	return err;
}
