/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Flow tables of hardware steering, and the rule tables that are linked into them. A flow table leads
 * to a rule table, and that, for packets which have none of its rules, to a flow table of its own.
 */
#include <dvx/prm/cap.h>
#include <dvx/prm/cmd.h>
#include <dvx/prm/flow.h>
#include "hws.h"

#define HWS_MODIFY_RTC 2u /* modify_flow_table_in.modify_field_select */

int dvx_hws_ft_create(struct dvx_flow_domain *domain, enum hws_ft_kind kind, struct hws_object *ft)
{
	uint8_t in[PRM_CREATE_FLOW_TABLE_IN_BYTES] = {0}, reply[PRM_CREATE_FLOW_TABLE_OUT_BYTES];
	void *context = prm_create_flow_table_in_at_flow_table_context(in);
	const void *props = dvx_flow_props(domain);
	int err;

	if (!props)
		return -dvx_last_error()->err;
	prm_create_flow_table_in_set_opcode(in, PRM_OPCODE_CREATE_FLOW_TABLE);
	prm_create_flow_table_in_set_table_type(in, hws_domain(domain)->type);
	prm_flow_table_context_set_level(context,
					 prm_flow_table_prop_layout_get_max_ft_level(props) - 1);
	prm_flow_table_context_set_rtc_valid(context, kind == HWS_FT_RULES);
	prm_flow_table_context_set_termination_table(context, kind == HWS_FT_ENDS);
	err = dvx_obj_create(domain->dev, in, sizeof(in), reply, sizeof(reply), &ft->obj);
	if (!err)
		ft->id = prm_create_flow_table_out_get_table_id(reply);
	return err;
}

/* Makes a flow table lead to a stage; NULL: to none. */
static int hws_ft_lead_to(const struct hws_domain *d, const struct hws_object *ft,
			  const struct hws_stage *to)
{
	uint8_t in[PRM_MODIFY_FLOW_TABLE_IN_BYTES] = {0}, reply[PRM_MODIFY_FLOW_TABLE_OUT_BYTES];
	void *context = prm_modify_flow_table_in_at_flow_table_context(in);

	prm_modify_flow_table_in_set_opcode(in, PRM_OPCODE_MODIFY_FLOW_TABLE);
	prm_modify_flow_table_in_set_modify_field_select(in, HWS_MODIFY_RTC);
	prm_modify_flow_table_in_set_table_type(in, d->type);
	prm_modify_flow_table_in_set_table_id(in, ft->id);
	prm_flow_table_context_set_rtc_id_0(context, to ? to->rtc.side[0].id : 0);
	prm_flow_table_context_set_rtc_id_1(context, to ? to->rtc.side[1].id : 0);
	return dvx_obj_modify(ft->obj, in, sizeof(in), reply, sizeof(reply));
}

/* ---- Stages ---- */

static struct hws_table *hws_stage_table(const struct hws_stage *stage)
{
	return stage->part->matcher->table->impl;
}

static int hws_entries_create(struct hws_domain *d, struct hws_stage *stage, uint32_t side)
{
	uint8_t in[PRM_CREATE_STE_IN_BYTES] = {0};
	uint32_t log = (uint32_t)stage->log_rows + stage->log_depth +
		       (stage->part->matcher->range_count != 0);
	uint32_t least, most;
	const void *cap;
	int err = dvx_dev_cap_page(d->dev, PRM_HCA_CAP_TYPE_WQE_BASED_FLOW_TABLE, &cap);

	if (err)
		return err;
	least = prm_wqe_based_flow_table_cap_get_ste_alloc_log_granularity(cap);
	most = prm_wqe_based_flow_table_cap_get_ste_alloc_log_max(cap);
	if (log > most)
		return dvx_fail(ERANGE,
				"hardware steering: a matcher of %llu entries: ste_alloc_log_max "
				"of %s allows %u",
				1ull << log, dvx_dev_name(d->dev), 1u << most);
	prm_ste_set_table_type(prm_create_ste_in_at_ste(in), d->side_type[side]);
	return dvx_hws_object_create(d->dev, PRM_OBJ_TYPE_STE, log < least ? least : log, in,
				     sizeof(in), &stage->entries.side[side]);
}

static int hws_rtc_create(struct hws_domain *d, struct hws_stage *stage, uint32_t side)
{
	const struct hws_key *key = stage->part->layout.key;
	uint8_t in[PRM_CREATE_RTC_IN_BYTES] = {0};
	void *rtc = prm_create_rtc_in_at_rtc(in);

	const uint32_t mode = key->linear ? PRM_RTC_MODE_BY_OFFSET : PRM_RTC_MODE_BY_HASH;

	prm_rtc_set_update_index_mode(rtc, mode);
	prm_rtc_set_access_index_mode(rtc, mode);
	prm_rtc_set_reparse_mode(rtc, dvx_hws_reparse(d));
	prm_rtc_set_pd(rtc, d->queue.pd->pdn);
	prm_rtc_set_log_depth(rtc, stage->log_depth);
	prm_rtc_set_log_hash_size(rtc, stage->log_rows);
	prm_rtc_set_ste_format_0(rtc, key->wide ? PRM_RTC_STE_FORMAT_11DW : PRM_RTC_STE_FORMAT_8DW);
	if (stage->part->matcher->range_count) {
		prm_rtc_set_num_match_ste(rtc, 2);
		prm_rtc_set_ste_format_1(rtc, PRM_RTC_STE_FORMAT_RANGE);
		prm_rtc_set_update_method(rtc, 1);
		prm_rtc_set_num_hash_definer(rtc, 1);
	}
	prm_rtc_set_table_type(rtc, d->side_type[side]);
	prm_rtc_set_match_definer_0(rtc, key->definer.id);
	prm_rtc_set_stc_id(rtc, d->stcs.side[side].id);
	prm_rtc_set_ste_table_base_id(rtc, stage->entries.side[side].id);
	prm_rtc_set_miss_flow_table_id(rtc, stage->end.id);
	return dvx_hws_object_create(d->dev, PRM_OBJ_TYPE_RTC, 0, in, sizeof(in),
				     &stage->rtc.side[side]);
}

static int hws_stage_build(struct hws_stage *stage)
{
	struct dvx_flow_domain *domain = stage->part->matcher->table->domain;
	struct hws_domain *d = hws_domain(domain);
	int err = dvx_hws_ft_create(domain, HWS_FT_RULES, &stage->end);

	for (uint32_t side = 0; side < d->sides && !err; side++) {
		err = hws_entries_create(d, stage, side);
		if (!err)
			err = hws_rtc_create(d, stage, side);
	}
	return err;
}

static int hws_stage_unbuild(struct hws_stage *stage)
{
	int err = dvx_hws_pair_destroy(&stage->rtc);

	if (!err)
		err = dvx_hws_pair_destroy(&stage->entries);
	return err ? err : dvx_hws_object_destroy(&stage->end);
}

/* Returns the last stage that comes before the matcher's next one; NULL: none. */
static struct hws_stage *hws_stage_before(const struct hws_part *part)
{
	struct hws_table *table = part->matcher->table->impl;
	struct hws_stage *s, *before = NULL;

	TAILQ_FOREACH(s, &table->stages, link)
	if (s->part->matcher->priority <= part->matcher->priority)
		before = s;
	return before;
}

/* The new stage leads on before anything leads to it, so that no packet is lost. */
static int hws_stage_link(struct hws_stage *stage)
{
	struct hws_table *table = hws_stage_table(stage);
	struct hws_domain *d = hws_domain(stage->part->matcher->table->domain);
	struct hws_stage *before = hws_stage_before(stage->part);
	struct hws_stage *next = before ? TAILQ_NEXT(before, link) : TAILQ_FIRST(&table->stages);
	int err = next ? hws_ft_lead_to(d, &stage->end, next) : 0;

	if (!err)
		err = hws_ft_lead_to(d, before ? &before->end : &table->ft, stage);
	if (err)
		return err;
	if (before)
		TAILQ_INSERT_AFTER(&table->stages, before, stage, link);
	else
		TAILQ_INSERT_HEAD(&table->stages, stage, link);
	return 0;
}

static int hws_stage_unlink(struct hws_stage *stage)
{
	struct hws_table *table = hws_stage_table(stage);
	struct hws_domain *d = hws_domain(stage->part->matcher->table->domain);
	struct hws_stage *before = TAILQ_PREV(stage, hws_stages, link);
	struct hws_stage *next = TAILQ_NEXT(stage, link);
	int err = hws_ft_lead_to(d, before ? &before->end : &table->ft, next);

	if (!err)
		err = next ? hws_ft_lead_to(d, &stage->end, NULL) : 0;
	return err;
}

int dvx_hws_stage_create(struct hws_part *part, uint32_t log_rows, uint32_t log_depth,
			 struct hws_stage **out)
{
	struct hws_stage *stage = calloc(1, sizeof(*stage));
	struct dvx_error why;
	int err;

	if (!stage)
		return dvx_fail(ENOMEM, "no memory for a rule table");
	stage->part = part;
	stage->log_rows = (uint8_t)log_rows;
	stage->log_depth = (uint8_t)log_depth;
	err = hws_stage_build(stage);
	if (!err)
		err = hws_stage_link(stage);
	if (!err) {
		*out = stage;
		return 0;
	}
	why = *dvx_last_error();
	hws_stage_unbuild(stage);
	free(stage);
	return dvx_restore(&why);
}

int dvx_hws_stage_destroy(struct hws_stage *stage)
{
	struct hws_table *table = hws_stage_table(stage);
	int err = stage->rtc.side[0].obj ? hws_stage_unlink(stage) : 0;

	if (!err)
		err = hws_stage_unbuild(stage);
	if (err)
		return err;
	TAILQ_REMOVE(&table->stages, stage, link);
	free(stage);
	return 0;
}
