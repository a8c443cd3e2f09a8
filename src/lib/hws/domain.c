/* SPDX-License-Identifier: BSD-2-Clause */
/* The flow API over hardware steering: domains and tables, and the backend's functions. */
#include <dvx/prm/cap.h>
#include <dvx/prm/flow.h>
#include "lib/flow/dr.h"
#include "hws.h"

#define HWS_QUEUE_BLOCKS 4096u

/* ---- Domains ---- */

static int hws_domain_check(const struct dvx_flow_domain *domain)
{
	const void *cap;
	int err = dvx_rules_supported(domain->dev, "dvx_flow_domain_create");

	if (err)
		return err;
	err = dvx_flow_fdb_check_domain(domain);
	if (err)
		return err;
	err = dvx_dev_cap_page(domain->dev, PRM_HCA_CAP_TYPE_WQE_BASED_FLOW_TABLE, &cap);
	if (err)
		return err;
	if (!(prm_wqe_based_flow_table_cap_get_ste_format(cap) >> PRM_RTC_STE_FORMAT_8DW & 1) ||
	    !(prm_wqe_based_flow_table_cap_get_rtc_index_mode(cap) >> PRM_RTC_MODE_BY_HASH & 1))
		return dvx_fail(EOPNOTSUPP,
				"dvx_flow_domain_create: %s lacks the 8DW entries (ste_format) or "
				"places by hash (rtc_index_mode) of hardware steering",
				dvx_dev_name(domain->dev));
	hws_domain(domain)->reparse_by_stc =
		prm_wqe_based_flow_table_cap_get_rtc_reparse_mode(cap) >> PRM_RTC_REPARSE_BY_STC &
		1;
	return 0;
}

static int hws_domain_free(struct hws_domain *d)
{
	int err = dvx_hws_pools_destroy(d);

	if (!err)
		err = dvx_hws_stcs_destroy(d);
	if (!err && d->queue.dev)
		err = dvx_service_queue_destroy(&d->queue);
	if (err)
		return err;
	dvx_hws_vports_free(d);
	free(d);
	return 0;
}

static void hws_domain_types(struct hws_domain *d, enum dvx_flow_side side)
{
	static const uint8_t types[] = {[DVX_FLOW_RX] = PRM_FLOW_TABLE_TYPE_NIC_RX,
					[DVX_FLOW_TX] = PRM_FLOW_TABLE_TYPE_NIC_TX,
					[DVX_FLOW_FDB] = PRM_FLOW_TABLE_TYPE_FDB};
	const bool fdb = side == DVX_FLOW_FDB;

	d->type = types[side];
	d->sides = fdb ? HWS_SIDES : 1;
	d->side_type[0] = fdb ? PRM_FLOW_TABLE_TYPE_FDB_RX : d->type;
	d->side_type[1] = PRM_FLOW_TABLE_TYPE_FDB_TX;
}

static int hws_domain_create(struct dvx_flow_domain *domain, uint32_t flags)
{
	struct hws_domain *d = calloc(1, sizeof(*d));
	struct dvx_error why;
	int err;

	if (!d)
		return dvx_fail(ENOMEM, "no memory for a steering domain");
	domain->impl = d;
	domain->levels = true;
	TAILQ_INIT(&d->tables);
	d->dev = domain->dev;
	hws_domain_types(d, domain->side);
	d->no_duplicates = flags & DVX_FLOW_NO_DUPLICATES;
	err = hws_domain_check(domain);
	if (!err)
		err = dvx_service_queue_create(domain->dev, HWS_QUEUE_BLOCKS, DVX_TXQ_RULES,
					       &d->queue);
	if (!err)
		err = dvx_hws_stcs_create(d);
	if (!err)
		return 0;
	why = *dvx_last_error();
	hws_domain_free(d);
	return dvx_restore(&why);
}

/* The program may have queues in the PD, where the domain has one, too. */
static int hws_domain_destroy(struct dvx_flow_domain *domain)
{
	struct hws_domain *d = hws_domain(domain);
	int objects = __atomic_load_n(&d->queue.pd->refs, __ATOMIC_ACQUIRE) - !!d->queue.txq;

	if (objects)
		return dvx_fail(EBUSY, "steering domain: %d objects are still in its PD", objects);
	return hws_domain_free(d);
}

static int hws_domain_sync(struct dvx_flow_domain *domain)
{
	struct hws_domain *d = hws_domain(domain);
	int err = dvx_hws_drain(d);

	if (err || !d->lost)
		return err;
	d->lost = 0;
	d->reports++;
	return dvx_restore(&d->late);
}

static bool hws_domain_took_all(struct dvx_flow_domain *domain)
{
	struct hws_domain *d = hws_domain(domain);

	return !dvx_hws_drain(d) && !d->lost_any;
}

/* A rule that finds no room fails by itself, or the next sync does. */
static bool hws_domain_has_room(struct dvx_flow_domain *domain)
{
	(void)domain;
	return true;
}

/* ---- Tables ---- */

static int hws_table_create(struct dvx_flow_table *table)
{
	struct hws_table *own;
	int err;

	if (!table->level)
		return 0;
	own = calloc(1, sizeof(*own));
	if (!own)
		return dvx_fail(ENOMEM, "no memory for a flow table");
	TAILQ_INIT(&own->stages);
	err = dvx_hws_ft_create(table->domain, HWS_FT_RULES, &own->ft);
	if (err) {
		free(own);
		return err;
	}
	own->table = table;
	table->impl = own;
	TAILQ_INSERT_TAIL(&hws_domain(table->domain)->tables, own, link);
	return 0;
}

static int hws_table_destroy(struct dvx_flow_table *table)
{
	struct hws_table *own = table->impl;
	int err = own ? dvx_hws_object_destroy(&own->ft) : 0;

	if (!own || err)
		return err;
	TAILQ_REMOVE(&hws_domain(table->domain)->tables, own, link);
	free(own);
	return 0;
}

/* ---- Matchers and rules: of the root, or of other levels ---- */

static int hws_matcher_create(struct dvx_flow_matcher *matcher, const uint8_t *value)
{
	return matcher->table->level ? dvx_hws_matcher_create(matcher, value)
				     : dvx_hws_root_matcher_create(matcher);
}

/* Waits for the last rules that were deleted. */
static int hws_matcher_destroy(struct dvx_flow_matcher *matcher)
{
	int err;

	if (!matcher->table->level)
		return dvx_hws_root_matcher_destroy(matcher);
	err = dvx_hws_drain(hws_domain(matcher->table->domain));
	return err ? err : dvx_hws_matcher_destroy(matcher);
}

static uint64_t hws_matcher_id(const struct dvx_flow_matcher *matcher, uint8_t version)
{
	(void)version;
	return (uintptr_t)matcher->impl;
}

static int hws_rule_insert(struct dvx_flow_rule *rule, const uint8_t *value, bool more)
{
	return rule->matcher->table->level ? dvx_hws_rule_insert(rule, value, more)
					   : dvx_hws_root_rule_insert(rule, value);
}

static int hws_rule_settle(struct dvx_flow_rule *rule)
{
	return rule->matcher->table->level ? dvx_hws_rule_settle(rule) : 0;
}

static int hws_rule_remove(struct dvx_flow_rule *rule)
{
	return rule->matcher->table->level ? dvx_hws_rule_remove(rule)
					   : dvx_hws_root_rule_remove(rule);
}

/* Rules that were deleted may still name the action's templates. */
static int hws_action_destroy(struct dvx_flow_action *action)
{
	int err = dvx_hws_drain(hws_domain(action->domain));

	return err ? err : dvx_hws_action_destroy(action);
}

const struct dvx_flow_backend dvx_flow_hws = {
	.domain_create = hws_domain_create,
	.domain_destroy = hws_domain_destroy,
	.domain_sync = hws_domain_sync,
	.domain_took_all = hws_domain_took_all,
	.domain_has_room = hws_domain_has_room,
	.dump = dvx_hws_dump,
	.table_create = hws_table_create,
	.table_destroy = hws_table_destroy,
	.matcher_create = hws_matcher_create,
	.matcher_destroy = hws_matcher_destroy,
	.matcher_id = hws_matcher_id,
	.action_create = dvx_hws_action_create,
	.action_destroy = hws_action_destroy,
	.rule_insert = hws_rule_insert,
	.rule_settle = hws_rule_settle,
	.rule_remove = hws_rule_remove,
};
