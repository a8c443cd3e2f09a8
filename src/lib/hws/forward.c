/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Flow tables of the firmware whose one entry sends each packet to several destinations, or to a
 * sampler: action templates lead to no more than one table.
 */
#include <dvx/prm/cap.h>
#include <dvx/prm/cmd.h>
#include <dvx/prm/flow.h>
#include <dvx/prm/object.h>
#include "hws.h"

#define HWS_DEST_BYTES 8u

/* Makes the group of the table's one entry, which matches each packet. */
static int hws_forward_group(struct dvx_flow_domain *domain, struct hws_forward *f)
{
	uint8_t in[PRM_CREATE_FLOW_GROUP_IN_BYTES] = {0}, reply[PRM_CREATE_FLOW_GROUP_OUT_BYTES];
	int err;

	prm_create_flow_group_in_set_opcode(in, PRM_OPCODE_CREATE_FLOW_GROUP);
	prm_create_flow_group_in_set_table_type(in, hws_domain(domain)->type);
	prm_create_flow_group_in_set_table_id(in, f->table.id);
	err = dvx_obj_create(domain->dev, in, sizeof(in), reply, sizeof(reply), &f->group.obj);
	if (!err)
		f->group.id = prm_create_flow_group_out_get_group_id(reply);
	return err;
}

/* [I] The tables have one level, as all of rules have, so levels are ignored. */
static int hws_forward_entry(struct dvx_flow_domain *domain, struct hws_forward *f,
			     const struct hws_dest *dest, uint32_t n)
{
	size_t len = PRM_SET_FTE_IN_BYTES + n * sizeof(uint64_t);
	uint8_t *in = calloc(1, len), reply[PRM_SET_FTE_OUT_BYTES];
	uint8_t *context = in ? prm_set_fte_in_at_flow_context(in) : NULL;
	int err;

	if (!in)
		return dvx_fail(ENOMEM, "no memory for %u destinations", n);
	prm_set_fte_in_set_opcode(in, PRM_OPCODE_SET_FLOW_TABLE_ENTRY);
	prm_set_fte_in_set_table_type(in, hws_domain(domain)->type);
	prm_set_fte_in_set_table_id(in, f->table.id);
	prm_set_fte_in_set_ignore_flow_level(in, 1);
	prm_flow_context_set_group_id(context, f->group.id);
	prm_flow_context_set_action(context, PRM_FLOW_ACTION_FWD_DEST);
	prm_flow_context_set_destination_list_size(context, n);
	for (uint32_t i = 0; i < n; i++) {
		uint8_t *at = in + PRM_SET_FTE_IN_BYTES + i * HWS_DEST_BYTES;

		prm_dest_format_struct_set_destination_type(at, dest[i].type);
		prm_dest_format_struct_set_destination_id(at, dest[i].id);
	}
	err = dvx_obj_create(domain->dev, in, len, reply, sizeof(reply), &f->entry.obj);
	free(in);
	return err;
}

static int hws_forward_destroy(struct hws_forward *f)
{
	int err = dvx_hws_object_destroy(&f->entry);

	if (!err)
		err = dvx_hws_object_destroy(&f->group);
	return err ? err : dvx_hws_object_destroy(&f->table);
}

static int hws_forward_make(struct dvx_flow_domain *domain, bool ends, const struct hws_dest *dest,
			    uint32_t n, struct hws_forward *f)
{
	int err = dvx_hws_ft_create(domain, ends ? HWS_FT_ENDS : HWS_FT_ENTRIES, &f->table);

	if (!err)
		err = hws_forward_group(domain, f);
	return err ? err : hws_forward_entry(domain, f, dest, n);
}

/* ---- Actions ---- */

static struct hws_dest hws_dest_of(const struct dvx_flow_action *to)
{
	if (to->kind == ACTION_VPORT)
		return (struct hws_dest){PRM_FLOW_DEST_TYPE_VPORT, to->number};
	if (to->kind == ACTION_TABLE)
		return (struct hws_dest){PRM_FLOW_DEST_TYPE_FLOW_TABLE,
					 ((const struct hws_table *)to->table->impl)->ft.id};
	return (struct hws_dest){PRM_FLOW_DEST_TYPE_TIR, to->object};
}

static int hws_make_array(struct dvx_flow_action *a, struct hws_made *own)
{
	uint32_t n;
	struct dvx_flow_action *const *member = dvx_flow_members(a, &n);
	struct hws_dest *dest = calloc(n, sizeof(*dest));
	int err;

	if (!dest)
		return dvx_fail(ENOMEM, "no memory for %u destinations", n);
	for (uint32_t i = 0; i < n; i++)
		dest[i] = hws_dest_of(member[i]);
	err = hws_forward_make(a->domain, false, dest, n, &own->forward);
	free(dest);
	return err;
}

static int hws_make_sampler(struct dvx_flow_action *a, struct hws_made *own)
{
	uint8_t in[PRM_CREATE_FLOW_SAMPLER_IN_BYTES] = {0};
	void *sampler = prm_create_flow_sampler_in_at_sampler(in);
	const void *props = dvx_flow_props(a->domain);

	if (!props)
		return -dvx_last_error()->err;
	prm_flow_sampler_set_table_type(sampler, hws_domain(a->domain)->type);
	prm_flow_sampler_set_level(sampler, prm_flow_table_prop_layout_get_max_ft_level(props) - 1);
	prm_flow_sampler_set_ignore_flow_level(sampler, 1);
	prm_flow_sampler_set_sample_ratio(sampler, a->number);
	prm_flow_sampler_set_sample_table_id(sampler, own->copy.table.id);
	prm_flow_sampler_set_default_table_id(sampler,
					      ((const struct hws_table *)a->table->impl)->ft.id);
	return dvx_hws_object_create(a->domain->dev, PRM_OBJ_TYPE_SAMPLER, 0, in, sizeof(in),
				     &own->sampler);
}

/* Samples go to a table that ends, whose entry has their destination. */
static int hws_make_sample(struct dvx_flow_action *a, struct hws_made *own)
{
	uint32_t n;
	struct hws_dest dest = hws_dest_of(*dvx_flow_members(a, &n));
	int err = hws_forward_make(a->domain, true, &dest, 1, &own->copy);

	if (!err)
		err = hws_make_sampler(a, own);
	dest = (struct hws_dest){PRM_FLOW_DEST_TYPE_FLOW_SAMPLER, own->sampler.id};
	return err ? err : hws_forward_make(a->domain, false, &dest, 1, &own->forward);
}

int dvx_hws_forward(struct dvx_flow_action *a, struct hws_made *own)
{
	struct dvx_error why;
	int err;

	if (own->forward.entry.obj)
		return 0;
	err = a->kind == ACTION_SAMPLE ? hws_make_sample(a, own) : hws_make_array(a, own);
	if (!err)
		return 0;
	why = *dvx_last_error();
	dvx_hws_forward_destroy(own);
	return dvx_restore(&why);
}

int dvx_hws_forward_destroy(struct hws_made *own)
{
	int err = hws_forward_destroy(&own->forward);

	if (!err)
		err = dvx_hws_object_destroy(&own->sampler);
	return err ? err : hws_forward_destroy(&own->copy);
}
