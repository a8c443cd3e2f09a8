/* SPDX-License-Identifier: BSD-2-Clause */
/* Matchers: parts by IP version, each with a key and stages of growing size. */
#include <dvx/prm/cap.h>
#include "lib/flow/dr.h"
#include "hws.h"

#define HWS_LOG_RULES	    6u /* of a matcher without expected_rules */
#define HWS_LOG_DEPTH	    2u /* a row of the first stage, and of those that the flow API adds */
#define HWS_SPILL_SMALLER   5u /* log2: rows of the second stage */
#define HWS_LOG_SPILL_DEPTH 4u

/* ---- Stages of a part ---- */

/*
 * The first stage has a row for each rule that is expected. Rules whose rows are full go to the
 * second, a few long rows. More rules than expected take further stages, each twice as large.
 */
static void hws_stage_size(const struct hws_part *part, uint32_t i, uint32_t *rows, uint32_t *depth)
{
	uint32_t expected = part->matcher->expected_rules;
	uint32_t log = expected ? dvx_log2_up(expected) : HWS_LOG_RULES;

	*depth = i == 1 ? HWS_LOG_SPILL_DEPTH : part->matcher->linear ? 0 : HWS_LOG_DEPTH;
	if (i == 1)
		*rows = log > HWS_SPILL_SMALLER ? log - HWS_SPILL_SMALLER : 0;
	else
		*rows = log + (i ? i - 1 : 0);
}

struct hws_stage *dvx_hws_part_stage(struct hws_part *part, uint32_t i)
{
	struct hws_domain *d = hws_domain(part->matcher->table->domain);
	uint32_t rows, depth, most;
	const void *cap;

	if (i < part->count)
		return part->stage[i];
	if (i == HWS_STAGES) {
		dvx_fail(ENOMEM,
			 "hardware steering: the matcher has grown %u times: make it with "
			 "more expected_rules",
			 HWS_STAGES);
		return NULL;
	}
	if (dvx_dev_cap_page(d->dev, PRM_HCA_CAP_TYPE_WQE_BASED_FLOW_TABLE, &cap))
		return NULL;
	most = prm_wqe_based_flow_table_cap_get_rtc_log_depth_max(cap);
	hws_stage_size(part, i, &rows, &depth);
	if (dvx_hws_stage_create(part, rows, depth < most ? depth : most, &part->stage[i]))
		return NULL;
	part->count++;
	return part->stage[i];
}

/* ---- Parts ---- */

static int hws_part_destroy(struct hws_part *part)
{
	struct hws_domain *d = hws_domain(part->matcher->table->domain);
	int err = 0;

	for (; part->count && !err; part->count -= !err)
		err = dvx_hws_stage_destroy(part->stage[part->count - 1]);
	if (!err)
		err = dvx_hws_key_put(d, &part->layout.key);
	if (err)
		return err;
	free(part->tags.slot);
	free(part);
	return 0;
}

/* Rules with ranges have short tags: the second entry has the actions, and nothing else differs. */
static int hws_part_check_ranges(const struct hws_part *part)
{
	return part->matcher->range_count && part->layout.key->wide
		       ? dvx_fail(E2BIG,
				  "dvx_hws_matcher_create_ranges: the fields of attr.match "
				  "do not fit into a tag of %u bytes",
				  DVX_TAG_BYTES)
		       : 0;
}

static struct hws_part *hws_part_create(struct dvx_flow_matcher *matcher, uint32_t kind)
{
	const bool v6[2] = {kind & 1, kind >> 1};
	struct hws_part *part = calloc(1, sizeof(*part));
	struct dvx_error why;

	if (!part) {
		dvx_fail(ENOMEM, "no memory for a matcher");
		return NULL;
	}
	part->matcher = matcher;
	if (matcher->linear ? dvx_hws_layout_make_linear(matcher->table->domain, &part->layout)
			    : dvx_hws_layout_make(matcher->table->domain, matcher->mask, v6,
						  &part->layout)) {
		free(part);
		return NULL;
	}
	if (!hws_part_check_ranges(part) && dvx_hws_part_stage(part, 0))
		return part;
	why = *dvx_last_error();
	hws_part_destroy(part);
	dvx_restore(&why);
	return NULL;
}

/* Tells whether the matcher compares addresses that are IPv6 ones. */
static bool hws_addresses_v6(const struct dvx_flow_matcher *matcher, const uint8_t *value,
			     enum dvx_flow_depth depth)
{
	static const uint8_t none[2 * PRM_IPV6_LAYOUT_IPV4_LAYOUT_AUTO_BYTES];
	const uint8_t *headers = matcher->mask + (depth == DVX_FLOW_INNER ? 2 * GROUP_BYTES : 0);

	return memcmp(prm_fte_match_set_lyr_2_4_cat_src_ipv4_src_ipv6(headers), none,
		      sizeof(none)) != 0 &&
	       dvx_flow_is_v6(matcher, value, depth);
}

static uint32_t hws_kind_of(const struct dvx_flow_matcher *matcher, const uint8_t *value)
{
	return hws_addresses_v6(matcher, value, DVX_FLOW_OUTER) |
	       (uint32_t)hws_addresses_v6(matcher, value, DVX_FLOW_INNER) << 1;
}

bool dvx_hws_value_is_first(const struct dvx_flow_matcher *matcher, const uint8_t *value)
{
	const struct hws_matcher *own = matcher->impl;

	return hws_kind_of(matcher, value) == own->first;
}

struct hws_part *dvx_hws_matcher_part(struct dvx_flow_matcher *matcher, const uint8_t *value)
{
	struct hws_matcher *own = matcher->impl;
	struct hws_part **part = &own->part[hws_kind_of(matcher, value)];

	if (!*part)
		*part = hws_part_create(matcher, (uint32_t)(part - own->part));
	return *part;
}

/* ---- Matchers ---- */

int dvx_hws_matcher_create(struct dvx_flow_matcher *matcher, const uint8_t *value)
{
	int err = dvx_flow_fdb_check_mask(matcher->table->domain, matcher->mask);
	struct hws_matcher *own = err ? NULL : calloc(1, sizeof(*own));
	struct dvx_error why;

	if (!own)
		return err ? err : dvx_fail(ENOMEM, "no memory for a matcher");
	matcher->impl = own;
	own->first = hws_kind_of(matcher, value);
	err = matcher->range_count ? dvx_hws_ranges_make(matcher, &own->ranges) : 0;
	if (!err && dvx_hws_matcher_part(matcher, value))
		return 0;
	why = *dvx_last_error();
	dvx_hws_key_put(hws_domain(matcher->table->domain), &own->ranges.key);
	free(own);
	return dvx_restore(&why);
}

int dvx_hws_matcher_destroy(struct dvx_flow_matcher *matcher)
{
	struct hws_matcher *own = matcher->impl;

	for (uint32_t i = 0; i < HWS_PARTS; i++) {
		int err = own->part[i] ? hws_part_destroy(own->part[i]) : 0;

		if (err)
			return err;
		own->part[i] = NULL;
	}
	if (dvx_hws_key_put(hws_domain(matcher->table->domain), &own->ranges.key))
		return -dvx_last_error()->err;
	free(own);
	return 0;
}
