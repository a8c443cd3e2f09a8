/* SPDX-License-Identifier: BSD-2-Clause */
/* Flow groups: ranges of a table whose entries share a mask. */
#include <string.h>
#include "cmd.h"
#include "obj/flow.h"
#include "steer/params.h"

#define PARTS 0x1f /* outer, misc, inner, misc2, misc3 */

static int fw_flow_group_check_mask(struct fw_cmd *c, const void *criteria, uint32_t enable)
{
	const char *field;

	if (enable & ~(uint32_t)PARTS)
		return fw_refuse(c, FW_SYN_CAP_CLEAR,
				 "match_criteria_enable 0x%x: only the parts 0x%x can be matched",
				 enable, PARTS);
	field = params_unsupported(criteria, (uint8_t)enable);
	if (field)
		return fw_refuse(c, FW_SYN_MATCH_FIELD,
				 "match_criteria: %s can't be matched, its ft_field_support is 0",
				 field);
	return 0;
}

static int fw_flow_group_check_range(struct fw_cmd *c, const struct flow_table *t, uint32_t start,
				     uint32_t end)
{
	if (start <= end && end < 1u << t->log_size)
		return 0;
	return fw_refuse(c, FW_SYN_INDEX,
			 "start_flow_index %u, end_flow_index %u: the table has %u entries", start,
			 end, 1u << t->log_size);
}

static int fw_flow_group_check_kind(struct fw_cmd *c, const struct flow_table *t)
{
	if (t->sw_owner)
		return fw_refuse(c, FW_SYN_TABLE_TYPE,
				 "table_id 0x%x: software owns it and writes its entries itself",
				 t->o.id);
	if (prm_create_flow_group_in_get_group_type(c->in))
		return fw_refuse(c, FW_SYN_UNSUPPORTED,
				 "group_type %u: only masks (0) are implemented",
				 prm_create_flow_group_in_get_group_type(c->in));
	if (prm_create_flow_group_in_get_source_eswitch_owner_vhca_id_valid(c->in))
		return fw_refuse(c, FW_SYN_CAP_CLEAR,
				 "source_eswitch_owner_vhca_id_valid is set: merged_eswitch is 0");
	return 0;
}

static struct flow_group *fw_flow_group_make(struct fw_cmd *c, struct flow_table *t, uint32_t start,
					     uint32_t end)
{
	const void *criteria = prm_create_flow_group_in_cat_match_criteria(c->in);
	struct flow_group *g = fw_new(c, OBJ_FLOW_GROUP, sizeof(*g));

	if (!g)
		return NULL;
	g->table = t;
	obj_get(t);
	g->start = start;
	g->end = end;
	memcpy(g->criteria, criteria, sizeof(g->criteria));
	flow_mask_compile(&g->mask, criteria,
			  (uint8_t)prm_create_flow_group_in_get_match_criteria_enable(c->in));
	if (flow_group_link(g))
		return g;
	obj_put(t);
	obj_free(&g->o);
	fw_refuse(c, FW_SYN_INDEX,
		  "start_flow_index %u, end_flow_index %u: another group of the table has some of "
		  "them",
		  start, end);
	return NULL;
}

int fw_create_flow_group(struct fw_cmd *c)
{
	uint32_t start = prm_create_flow_group_in_get_start_flow_index(c->in);
	uint32_t end = prm_create_flow_group_in_get_end_flow_index(c->in);
	struct flow_table *t;
	struct flow_group *g;

	t = fw_flow_named_table(c);
	if (!t || fw_flow_group_check_kind(c, t) || fw_flow_group_check_range(c, t, start, end) ||
	    fw_flow_group_check_mask(c, prm_create_flow_group_in_cat_match_criteria(c->in),
				     prm_create_flow_group_in_get_match_criteria_enable(c->in)))
		return -1;
	g = fw_flow_group_make(c, t, start, end);
	return g ? fw_made(c, &g->o, 0) : -1;
}

struct flow_group *fw_flow_group(struct fw_cmd *c, const struct flow_table *t, uint32_t id)
{
	struct flow_group *g = t ? fw_find(c, OBJ_FLOW_GROUP, id, "group_id") : NULL;

	if (g && g->table != t) {
		fw_refuse_as(c, PRM_STATUS_BAD_PARAM, FW_SYN_NO_OBJECT,
			     "group_id 0x%x is a group of table 0x%x, not of 0x%x", id,
			     g->table->o.id, t->o.id);
		return NULL;
	}
	return g;
}

int fw_query_flow_group(struct fw_cmd *c)
{
	const struct flow_table *t = fw_flow_named_table(c);
	const struct flow_group *g =
		fw_flow_group(c, t, prm_query_flow_group_in_get_group_id(c->in));

	if (!g)
		return -1;
	prm_query_flow_group_out_set_start_flow_index(c->out, g->start);
	prm_query_flow_group_out_set_end_flow_index(c->out, g->end);
	prm_query_flow_group_out_set_match_criteria_enable(c->out, g->mask.enable);
	memcpy(prm_query_flow_group_out_at_match_criteria(c->out), g->criteria,
	       sizeof(g->criteria));
	return 0;
}

void fw_flow_group_free(struct obj *o)
{
	struct flow_group *g = (struct flow_group *)o;

	flow_group_unlink(g);
	obj_put(g->table);
	obj_free(o);
}

int fw_destroy_flow_group(struct fw_cmd *c)
{
	const struct flow_table *t = fw_flow_named_table(c);
	struct flow_group *g = fw_flow_group(c, t, prm_destroy_flow_group_in_get_group_id(c->in));

	return g ? fw_destroy(c, &g->o) : -1;
}
