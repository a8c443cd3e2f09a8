/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Further entries of rules whose actions do not fit into one. They lie in rule tables that are
 * written by index and match every packet; an entry leads on by its place in the table.
 */
#include <dvx/prm/cap.h>
#include <dvx/prm/cmd.h>
#include "hws.h"

static int hws_pool_entries(struct hws_domain *d, struct hws_pool *pool, uint32_t side)
{
	uint8_t in[PRM_CREATE_STE_IN_BYTES] = {0};

	prm_ste_set_table_type(prm_create_ste_in_at_ste(in), d->side_type[side]);
	return dvx_hws_object_create(d->dev, PRM_OBJ_TYPE_STE, dvx_log2_up(HWS_POOL), in,
				     sizeof(in), &pool->entries.side[side]);
}

static int hws_pool_rtc(struct hws_domain *d, struct hws_pool *pool, uint32_t side)
{
	uint8_t in[PRM_CREATE_RTC_IN_BYTES] = {0};
	void *rtc = prm_create_rtc_in_at_rtc(in);
	const void *cap;
	int err = dvx_dev_cap_page(d->dev, PRM_HCA_CAP_TYPE_WQE_BASED_FLOW_TABLE, &cap);

	if (err)
		return err;
	prm_rtc_set_update_index_mode(rtc, PRM_RTC_MODE_BY_OFFSET);
	prm_rtc_set_reparse_mode(rtc, dvx_hws_reparse(d));
	prm_rtc_set_pd(rtc, d->queue.pd->pdn);
	prm_rtc_set_log_hash_size(rtc, dvx_log2_up(HWS_POOL));
	prm_rtc_set_ste_format_0(rtc, PRM_RTC_STE_FORMAT_8DW);
	prm_rtc_set_table_type(rtc, d->side_type[side]);
	prm_rtc_set_match_definer_0(rtc,
				    prm_wqe_based_flow_table_cap_get_trivial_match_definer(cap));
	prm_rtc_set_stc_id(rtc, d->stcs.side[side].id);
	prm_rtc_set_ste_table_base_id(rtc, pool->entries.side[side].id);
	prm_rtc_set_miss_flow_table_id(rtc, pool->end.id);
	return dvx_hws_object_create(d->dev, PRM_OBJ_TYPE_RTC, 0, in, sizeof(in),
				     &pool->rtc.side[side]);
}

static int hws_pool_unbuild(struct hws_domain *d, struct hws_pool *pool)
{
	int err = dvx_hws_stc_put(d, &pool->stc);

	if (!err)
		err = dvx_hws_pair_destroy(&pool->rtc);
	if (!err)
		err = dvx_hws_pair_destroy(&pool->entries);
	return err ? err : dvx_hws_object_destroy(&pool->end);
}

static struct hws_pool *hws_pool_create(struct dvx_flow_domain *domain)
{
	struct hws_domain *d = hws_domain(domain);
	struct hws_pool *pool = calloc(1, sizeof(*pool));
	struct dvx_error why;
	int err;

	if (!pool) {
		dvx_fail(ENOMEM, "no memory for entries of rules");
		return NULL;
	}
	err = dvx_hws_ft_create(domain, HWS_FT_RULES, &pool->end);
	for (uint32_t side = 0; side < d->sides && !err; side++) {
		err = hws_pool_entries(d, pool, side);
		if (!err)
			err = hws_pool_rtc(d, pool, side);
	}
	if (!err)
		err = dvx_hws_stc_jump(d, &pool->entries, &pool->stc);
	if (!err) {
		pool->next = d->pools;
		d->pools = pool;
		return pool;
	}
	why = *dvx_last_error();
	hws_pool_unbuild(d, pool);
	free(pool);
	dvx_restore(&why);
	return NULL;
}

int dvx_hws_pools_destroy(struct hws_domain *d)
{
	while (d->pools) {
		struct hws_pool *pool = d->pools;
		int err = hws_pool_unbuild(d, pool);

		if (err)
			return err;
		d->pools = pool->next;
		free(pool);
	}
	return 0;
}

int dvx_hws_place_take(struct dvx_flow_domain *domain, struct hws_place *out)
{
	struct hws_pool *pool = hws_domain(domain)->pools;
	uint8_t *unused = NULL;

	while (pool && !(unused = memchr(pool->used, 0, sizeof(pool->used))))
		pool = pool->next;
	if (!pool)
		pool = hws_pool_create(domain);
	if (!pool)
		return -dvx_last_error()->err;
	out->pool = pool;
	out->index = unused ? (uint32_t)(unused - pool->used) : 0;
	pool->used[out->index] = 1;
	return 0;
}

void dvx_hws_place_give(const struct hws_place *place)
{
	place->pool->used[place->index] = 0;
}
