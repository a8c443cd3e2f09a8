/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Matchers whose rules have ranges. A rule is two entries: a tag; then the most and the least value of each dword that
 * a second definer selects, and the actions. A command writes it (GENERATE_WQE), since queues cannot. Selectors and
 * places are as in DPDK's mlx5dr_definer.c (facts only).
 */
#include <dvx/prm/cap.h>
#include <dvx/prm/cmd.h>
#include <dvx/prm/cqe.h>
#include <dvx/prm/flow.h>
#include "lib/flow/dr.h"
#include "hws.h"

#define HWS_RANGE_DS	 12u /* of such a request: a control segment and two entries */
#define HWS_RANGE_WORD	 10u /* of a long tag: the first range's, the next ones before it */
#define HWS_RANGE_OCTETS 2u  /* ranges that octets can select, as four each */
#define HWS_RANGE_PAIR(w) \
	(23u - 2u * (w))  /* the dword of a long tag with the most value of word w */
#define HWS_GTA_UPDATE 1u /* bit of generate_wqe_type */

/* ---- The second definer ---- */

/* Finds where the headers have a field that is in one dword of them. */
static int hws_range_find(const struct dvx_flow_domain *domain, uint32_t i,
			  struct hws_range_field field, uint32_t *bit)
{
	static const uint8_t nothing[HWS_HEADERS];
	static const bool v4[2];
	uint8_t mask[MATCH_BYTES] = {0};
	struct hws_headers h = {0};
	int err;

	for (uint32_t at = field.bit; at < field.bit + field.width; at++)
		prm_bits_set(mask, at, 1, 1);
	err = dvx_hws_headers_add(domain, &h, mask, v4);
	if (err)
		return err;
	if (h.count != 1 || h.move[0].version || h.move[0].width != field.width ||
	    memcmp(h.fixed, nothing, sizeof(nothing)) != 0)
		return dvx_fail(EOPNOTSUPP,
				"dvx_hws_matcher_create_ranges: fields[%u] is not alone in a dword "
				"of the parsed headers: the device has no ranges of it",
				i);
	*bit = h.move[0].to;
	return 0;
}

/* Selects the dword of range i by four octets, or by a dword. Returns its word in a long tag; 0: none is left. */
static uint32_t hws_range_select(struct hws_key *key, uint32_t dword, uint32_t used[2])
{
	if (4 * dword + 3 <= UINT8_MAX && used[0] < HWS_RANGE_OCTETS) {
		for (uint32_t octet = 0; octet < 4; octet++)
			key->octets[4 * used[0] + octet] = (uint8_t)(4 * dword + 3 - octet);
		return HWS_RANGE_WORD - used[0]++;
	}
	if (used[1] == DVX_HWS_RANGES - HWS_RANGE_OCTETS)
		return 0;
	key->dwords[used[1]] = (uint8_t)dword;
	return HWS_RANGE_WORD - HWS_RANGE_OCTETS - used[1]++;
}

int dvx_hws_ranges_make(const struct dvx_flow_matcher *matcher, struct hws_ranges *out)
{
	struct dvx_flow_domain *domain = matcher->table->domain;
	struct hws_key key = {0};
	uint32_t used[2] = {0};
	int err = 0;

	for (uint32_t i = 0, bit = 0, word; i < matcher->range_count && !err; i++) {
		struct hws_range_field field = matcher->range[i];

		err = hws_range_find(domain, i, field, &bit);
		word = err ? 0 : hws_range_select(&key, bit / 32, used);
		if (!err && !word)
			err = dvx_fail(E2BIG,
				       "dvx_hws_matcher_create_ranges: fields[%u]: more than two "
				       "fields from dword 64 of the parsed headers on",
				       i);
		if (err)
			return err;
		prm_bits_set(key.mask, 32 * word + bit % 32, field.width,
			     field.width < 32 ? (1u << field.width) - 1 : UINT32_MAX);
		out->place[i] = (struct hws_range_place){
			.pair = (uint8_t)HWS_RANGE_PAIR(word),
			.shift = (uint8_t)(32 - bit % 32 - field.width),
		};
	}
	return dvx_hws_key_get(hws_domain(domain), &key, &out->key);
}

/* ---- Matchers ---- */

static int hws_ranges_supported(struct dvx_dev *dev)
{
	const void *cap, *cap2;
	int err = dvx_dev_cap_page(dev, PRM_HCA_CAP_TYPE_WQE_BASED_FLOW_TABLE, &cap);

	if (!err)
		err = dvx_dev_cap_page(dev, PRM_HCA_CAP_TYPE_GENERAL_2, &cap2);
	if (err)
		return err;
	if (prm_wqe_based_flow_table_cap_get_rtc_max_num_hash_definer_gen_wqe(cap) &&
	    prm_wqe_based_flow_table_cap_get_ste_format_gen_wqe(cap) >> PRM_RTC_STE_FORMAT_RANGE &
		    1 &&
	    prm_cmd_hca_cap_2_get_generate_wqe_type(cap2) >> HWS_GTA_UPDATE & 1)
		return 0;
	return dvx_fail(EOPNOTSUPP,
			"dvx_hws_matcher_create_ranges: %s lacks rules by GENERATE_WQE "
			"(generate_wqe_type) or their ranges (ste_format_gen_wqe)",
			dvx_dev_name(dev));
}

/* Finds a field by its name, and adds it to the mask of all that rules compare. */
static int hws_ranges_field(const struct dvx_flow_match *match, const char *name, uint32_t i,
			    struct hws_range_field *out, uint8_t *all)
{
	uint32_t bit, width;
	int err = dvx_check_not_null("dvx_hws_matcher_create_ranges", "fields[]", name, NULL);

	if (!err)
		err = dvx_flow_match_place(name, &bit, &width);
	if (err)
		return err;
	if (width > 32)
		return dvx_fail(ERANGE,
				"dvx_hws_matcher_create_ranges: fields[%u], %s, has %u bits, not 1 "
				"to 32",
				i, name, width);
	for (uint32_t at = bit; at < bit + width; at++) {
		if (prm_bits_get(match->mask, at, 1))
			return dvx_fail(EINVAL,
					"dvx_hws_matcher_create_ranges: fields[%u], %s, is in "
					"attr.match, too",
					i, name);
		prm_bits_set(all, at, 1, 1);
	}
	*out = (struct hws_range_field){(uint16_t)bit, (uint8_t)width};
	return 0;
}

/* The device compares a VHCA, and the VHCAs of vports in a row have any order. */
static int hws_ranges_check_vport(const uint8_t *mask, const uint8_t *all)
{
	if (prm_fte_match_set_misc_get_source_port(prm_fte_match_param_cat_misc_parameters(mask)) ==
	    prm_fte_match_set_misc_get_source_port(prm_fte_match_param_cat_misc_parameters(all)))
		return 0;
	return dvx_fail(EOPNOTSUPP, "dvx_hws_matcher_create_ranges: the device has no ranges of "
				    "misc_parameters.source_port");
}

static int hws_ranges_check(const struct dvx_flow_table *table,
			    const struct dvx_flow_matcher_attr *attr, uint32_t n)
{
	int err = dvx_check_not_null("dvx_hws_matcher_create_ranges", "attr.match", attr->match,
				     NULL);

	if (err)
		return err;
	if (table->domain->backend != &dvx_flow_hws || !table->level)
		return dvx_fail(EINVAL,
				"dvx_hws_matcher_create_ranges: table is not of level 1 or more of "
				"a domain with DVX_FLOW_HARDWARE");
	if (attr->priority > UINT16_MAX)
		return dvx_fail(ERANGE,
				"dvx_hws_matcher_create_ranges: attr.priority %u is not below %u",
				attr->priority, UINT16_MAX + 1u);
	if (!n || n > DVX_HWS_RANGES)
		return dvx_fail(ERANGE, "dvx_hws_matcher_create_ranges: n is %u, not 1 to %u", n,
				DVX_HWS_RANGES);
	return hws_ranges_supported(table->domain->dev);
}

int dvx_hws_matcher_create_ranges(struct dvx_flow_table *table,
				  const struct dvx_flow_matcher_attr *user,
				  const char *const *fields, uint32_t n,
				  struct dvx_flow_matcher **out)
{
	struct dvx_flow_matcher want = {.table = table, .range_count = (uint8_t)n};
	struct dvx_flow_matcher_attr attr;
	uint8_t all[MATCH_BYTES];
	int err = dvx_attr_copy(&attr, user, "dvx_hws_matcher_create_ranges");

	if (!err)
		err = dvx_check_not_null("dvx_hws_matcher_create_ranges", "table", table, "fields",
					 fields, "out", out, NULL);
	if (!err)
		err = hws_ranges_check(table, &attr, n);
	if (err)
		return err;
	memcpy(want.mask, attr.match->mask, MATCH_BYTES);
	memcpy(all, want.mask, MATCH_BYTES);
	for (uint32_t i = 0; i < n && !err; i++)
		err = hws_ranges_field(attr.match, fields[i], i, &want.range[i], all);
	/* A range needs what its field needs in a mask: ports an ip_protocol. */
	if (!err)
		err = dvx_flow_check_mask(all, "dvx_hws_matcher_create_ranges", &want.needs);
	if (!err)
		err = dvx_flow_fdb_check_mask(table->domain, all);
	if (!err)
		err = hws_ranges_check_vport(want.mask, all);
	if (err)
		return err;
	want.priority = (uint16_t)attr.priority;
	want.expected_rules = attr.expected_rules;
	return dvx_flow_matcher_new(&want, attr.match->value, out);
}

/* ---- Rules ---- */

static int hws_ranges_check_values(const struct dvx_flow_matcher *matcher,
				   const struct dvx_hws_range *ranges, const char *call)
{
	for (uint32_t i = 0; i < matcher->range_count; i++) {
		uint32_t most = UINT32_MAX >> (32 - matcher->range[i].width);

		if (ranges[i].least > ranges[i].most || ranges[i].most > most)
			return dvx_fail(ERANGE,
					"%s: ranges[%u]: %u to %u: the least value is at most the "
					"most one, and that at most %u",
					call, i, ranges[i].least, ranges[i].most, most);
	}
	return 0;
}

/* Writes the second entry: limits where a tag is, and of a rule to write the image's actions before them. */
static void hws_ranges_entry(const struct hws_ranges *own, uint32_t n,
			     const struct dvx_hws_range *ranges, uint8_t *entry)
{
	uint8_t *tag = entry + DVX_RULE_BYTES - DVX_BLOCK - DVX_LONG_TAG_BYTES;

	for (uint32_t i = 0; i < n; i++) {
		const struct hws_range_place *p = &own->place[i];

		prm_store32(tag, 4u * p->pair, ranges[i].most << p->shift);
		prm_store32(tag, 4u * p->pair + 4, ranges[i].least << p->shift);
	}
	/* Limits of fields that no range has are 0, as is what the mask leaves of a packet. */
	prm_wqe_gta_data_seg_ste_set_definer_id(entry, own->key->definer.id);
}

static void hws_ranges_fill(const struct dvx_flow_matcher *matcher,
			    const struct dvx_hws_image *image, const void *tag,
			    const struct dvx_hws_range *ranges, enum prm_gta_op op, uint8_t *in)
{
	const struct hws_matcher *own = matcher->impl;
	const uint8_t *wqe = (const uint8_t *)image->wqe;
	uint8_t *ctrl = prm_generate_wqe_in_at_wqe_ctrl(in);
	uint8_t *gta = prm_generate_wqe_in_at_wqe_gta_ctrl(in);
	uint8_t *first = prm_generate_wqe_in_at_wqe_gta_data_0(in);
	uint8_t *second = prm_generate_wqe_in_at_wqe_gta_data_1(in);

	prm_generate_wqe_in_set_opcode(in, PRM_OPCODE_GENERATE_WQE);
	prm_generate_wqe_in_set_pdn(in, hws_domain(matcher->table->domain)->queue.pd->pdn);
	prm_wqe_ctrl_seg_set_opcode(ctrl, PRM_WQE_OPCODE_FLOW_TBL_ACCESS);
	prm_wqe_ctrl_seg_set_ds(ctrl, HWS_RANGE_DS);
	prm_wqe_ctrl_seg_set_fm_ce_se(ctrl, DVX_SIGNALED >> 8);
	prm_wqe_ctrl_seg_set_general_id(ctrl, prm_wqe_ctrl_seg_get_general_id(wqe));
	if (op == PRM_GTA_OP_ACTIVATE) {
		memcpy(gta, wqe + DVX_SEG, DVX_BLOCK - DVX_SEG);
		memcpy(second, wqe + DVX_BLOCK, DVX_BLOCK);
	}
	prm_wqe_gta_ctrl_seg_set_op(gta, op);
	memcpy(first + DVX_BLOCK - DVX_TAG_BYTES, tag, DVX_TAG_BYTES);
	prm_wqe_gta_data_seg_ste_set_definer_id(first,
						hws_first_part(matcher)->layout.key->definer.id);
	hws_ranges_entry(&own->ranges, matcher->range_count, ranges, second);
}

static int hws_ranges_command(const struct dvx_flow_matcher *matcher,
			      const struct dvx_hws_image *image, const void *tag,
			      const struct dvx_hws_range *ranges, enum prm_gta_op op,
			      const char *call, bool *done)
{
	uint8_t in[PRM_GENERATE_WQE_IN_BYTES] = {0}, out[PRM_GENERATE_WQE_OUT_BYTES];
	int err = dvx_hws_check_matcher(matcher, call);

	if (!err)
		err = dvx_check_not_null(call, "image", image, "tag", tag, "ranges", ranges, NULL);
	if (!err && !matcher->range_count)
		err = dvx_fail(EINVAL,
			       "%s: the matcher was not made by dvx_hws_matcher_create_ranges()",
			       call);
	if (!err)
		err = hws_ranges_check_values(matcher, ranges, call);
	if (err)
		return err;
	hws_ranges_fill(matcher, image, tag, ranges, op, in);
	err = dvx_cmd(matcher->table->domain->dev, in, sizeof(in), out, sizeof(out));
	if (!err)
		*done = !(prm_cqe64_get_byte_cnt(prm_generate_wqe_out_cat_cqe_data(out)) >> 31);
	return err;
}

int dvx_hws_range_rule_write(const struct dvx_flow_matcher *matcher,
			     const struct dvx_hws_image *image, const void *tag,
			     const struct dvx_hws_range *ranges)
{
	bool done = false;
	int err = hws_ranges_command(matcher, image, tag, ranges, PRM_GTA_OP_ACTIVATE,
				     "dvx_hws_range_rule_write", &done);

	return err || done ? err
			   : dvx_fail(ENOMEM, "dvx_hws_range_rule_write: the rule's row is full: "
					      "write it with an image that has DVX_HWS_SPILL");
}

int dvx_hws_range_rule_remove(const struct dvx_flow_matcher *matcher,
			      const struct dvx_hws_image *image, const void *tag,
			      const struct dvx_hws_range *ranges)
{
	bool done = false;
	int err = hws_ranges_command(matcher, image, tag, ranges, PRM_GTA_OP_DEACTIVATE,
				     "dvx_hws_range_rule_remove", &done);

	return err || done ? err
			   : dvx_fail(ENOENT, "dvx_hws_range_rule_remove: the image's table has no "
					      "rule with this tag and these ranges");
}
