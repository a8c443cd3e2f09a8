/* SPDX-License-Identifier: BSD-2-Clause */
/* Images of requests, and tags: hws.h's slow calls. */
#include <dvx/prm/flow.h>
#include "hws.h"

#define HWS_INDEX_SHIFT 6u /* of an entry in hit_low */

/* An entry that is being made. */
struct hws_making {
	uint8_t *ctrl, *entry;
	uint32_t singles; /* actions of one dword */
	bool pair;	  /* an action has dwords 6 and 7 */
	bool none;	  /* its tag takes these dwords */
};

static void hws_begin(struct hws_making *m, struct dvx_hws_image *image, bool none)
{
	uint8_t *wqe = (uint8_t *)image->wqe;

	*m = (struct hws_making){.ctrl = wqe + DVX_SEG, .entry = wqe + DVX_BLOCK, .none = none};
	prm_wqe_gta_ctrl_seg_set_stc_ctrl(m->ctrl, HWS_NOP_CTRL);
}

/* Names templates that do nothing. Behind CTRL come HIT and three singles, or one and a pair. */
static void hws_end(struct hws_making *m)
{
	if (!m->singles)
		prm_wqe_gta_ctrl_seg_set_stc_dw5(m->ctrl, HWS_NOP_DW5);
	if (m->singles < 2 && !m->pair)
		prm_wqe_gta_ctrl_seg_set_stc_dw6(m->ctrl, HWS_NOP_DW6);
	if (m->singles < 3 && !m->pair)
		prm_wqe_gta_ctrl_seg_set_stc_dw7(m->ctrl, HWS_NOP_DW7);
	prm_wqe_gta_ctrl_seg_set_stcs(m->ctrl, m->none ? 1 : m->pair ? 3 : 4);
}

/* Sets operands of an action; a value that is in the template's object is 0. */
static void hws_operands(const struct dvx_flow_action *a, uint8_t *entry, enum hws_slot slot)
{
	uint32_t tag;

	switch (a->kind) {
	case ACTION_TAG:
		prm_store32(entry, 4 * (slot - HWS_DW5 + 5), a->number);
		break;
	case ACTION_COUNT:
		prm_wqe_gta_data_seg_ste_set_counter_id(entry, a->number);
		break;
	case ACTION_MODIFY:
		if (!a->object && a->bytes == DVX_FLOW_REWRITE_BYTES &&
		    prm_set_action_in_get_action_type(a->data) != PRM_ACTION_TYPE_COPY)
			prm_wqe_gta_data_seg_ste_set_dw7(entry,
							 prm_set_action_in_get_data(a->data));
		break;
	case ACTION_METER:
		prm_wqe_gta_data_seg_ste_set_dw6(entry, a->number / HWS_METERS);
		prm_wqe_gta_data_seg_ste_set_dw7(entry,
						 DVX_METER_GREEN << 1 | (a->number % HWS_METERS));
		break;
	case ACTION_HIT: /* [I] as in entries of format 1 */
		prm_wqe_gta_data_seg_ste_set_dw6(entry, a->number / HWS_HITS);
		prm_wqe_gta_data_seg_ste_set_dw7(entry, a->number % HWS_HITS);
		break;
	case ACTION_TRACK:
		prm_wqe_gta_data_seg_ste_set_dw6(entry, a->number);
		prm_wqe_gta_data_seg_ste_set_dw7(entry, a->responder);
		break;
	case ACTION_PUSH_VLAN:
		memcpy(&tag, a->data, sizeof(tag));
		prm_wqe_gta_data_seg_ste_set_dw7(entry, tag);
		break;
	default:
		break;
	}
}

static int hws_name(struct hws_making *m, struct dvx_flow_action *a, enum hws_slot slot)
{
	int stc = dvx_hws_action_stc(a, slot);
	enum hws_slot at = slot == HWS_PAIR ? HWS_DW6 : slot == HWS_TWICE ? HWS_DW5 : slot;

	if (stc < 0)
		return stc;
	hws_operands(a, m->entry, at);
	if (at == HWS_CTRL)
		prm_wqe_gta_ctrl_seg_set_stc_ctrl(m->ctrl, (uint32_t)stc);
	else /* the names of the others are dwords in a row */
		prm_store32(m->ctrl, 8 + 4 * (at - HWS_HIT), (uint32_t)stc);
	return 0;
}

/* Dwords that an action takes in an entry. */
struct hws_want {
	bool removes, single, pair, twice;
};

static struct hws_want hws_want(struct dvx_flow_action *const *actions, uint32_t i, uint32_t n)
{
	const struct dvx_flow_action *a = actions[i];
	const struct hws_action_row *row = &dvx_hws_actions[a->kind];
	bool l3 = a->kind == ACTION_ENCAP && a->number == ENCAP_L3;
	bool list = a->kind == ACTION_DECAP && a->bytes; /* which removes and inserts */

	return (struct hws_want){.removes = a->kind == ACTION_DECAP || a->kind == ACTION_POP_VLAN ||
					    l3,
				 .single = (row->single && !list) || l3,
				 .pair = row->pair || list,
				 .twice = a->kind == ACTION_POP_VLAN && i + 1 < n &&
					  actions[i + 1]->kind == ACTION_POP_VLAN};
}

/*
 * An entry has three single actions, or one and a pair. A removal comes first, in dword 5, since
 * what follows needs another parse: none behind a pair, and one in an entry.
 */
static bool hws_fits(const struct hws_making *m, const struct hws_want *w)
{
	uint32_t singles = m->singles + w->single;

	if (m->none)
		return !w->single && !w->pair;
	if (w->removes && (m->singles || m->pair))
		return false;
	return w->pair ? !m->pair && singles <= 1 : singles <= (m->pair ? 1u : 3u);
}

static int hws_image_add(struct hws_making *m, struct dvx_flow_action *a, const struct hws_want *w)
{
	int err = 0;

	if (w->single)
		err = hws_name(m, a, w->twice ? HWS_TWICE : (enum hws_slot)(HWS_DW5 + m->singles));
	if (!err && w->pair)
		err = hws_name(m, a, HWS_PAIR);
	if (!err && !w->single && !w->pair)
		err = hws_name(m, a, dvx_hws_actions[a->kind].hit ? HWS_HIT : HWS_CTRL);
	m->singles += w->single;
	m->pair |= w->pair;
	return err;
}

static int hws_no_room(const struct dvx_flow_action *a, const char *call, uint32_t most)
{
	return dvx_fail(E2BIG,
			"%s: attr.actions: %s does not fit beside the others into %s of %u: put it "
			"into a rule of a table behind",
			call, dvx_flow_kinds[a->kind].noun ?: dvx_flow_kinds[a->kind].name,
			most > 1 ? "the entries" : "the entry", most);
}

/* Actions stay in their order; one that does not fit begins the next entry. */
int dvx_hws_images_fill(struct dvx_flow_action *const *actions, uint32_t n, bool wide,
			uint32_t most, const char *call, struct hws_images *out)
{
	struct hws_making m;
	int err = 0;

	memset(out, 0, sizeof(*out));
	hws_begin(&m, &out->image[out->count++], wide);
	for (uint32_t i = 0; i < n && !err; i++) {
		struct hws_want w = hws_want(actions, i, n);

		if (!hws_fits(&m, &w)) {
			if (out->count == most)
				return hws_no_room(actions[i], call, most);
			hws_end(&m);
			hws_begin(&m, &out->image[out->count++], false);
		}
		err = hws_image_add(&m, actions[i], &w);
		i += w.twice;
	}
	hws_end(&m);
	return err;
}

void dvx_hws_image_lead(struct dvx_hws_image *image, const struct hws_place *next)
{
	uint8_t *wqe = (uint8_t *)image->wqe;

	prm_wqe_gta_ctrl_seg_set_stc_hit(wqe + DVX_SEG, next->pool->stc);
	prm_wqe_gta_data_seg_ste_set_hit_low(wqe + DVX_BLOCK, next->index << HWS_INDEX_SHIFT);
}

/* ---- Calls ---- */

static bool hws_is_hardware(const struct dvx_flow_matcher *matcher)
{
	return matcher->table->domain->backend == &dvx_flow_hws && matcher->table->level;
}

int dvx_hws_check_matcher(const struct dvx_flow_matcher *matcher, const char *call)
{
	int err = dvx_check_not_null(call, "matcher", matcher, NULL);

	if (!err && !hws_is_hardware(matcher))
		err = dvx_fail(EINVAL,
			       "%s: matcher is not of a table of level 1 or more of a domain with "
			       "DVX_FLOW_HARDWARE",
			       call);
	return err;
}

int dvx_hws_check_tags(const struct dvx_flow_matcher *matcher, const char *call)
{
	return matcher->linear ? dvx_fail(EINVAL,
					  "%s: the matcher's rules have an index and no tag: post "
					  "them with dvx_post_rule_at()",
					  call)
			       : 0;
}

int dvx_hws_check_tags_only(const struct dvx_flow_matcher *matcher, const char *call)
{
	return matcher->range_count
		       ? dvx_fail(EINVAL,
				  "%s: the matcher's rules have ranges: write them with "
				  "dvx_hws_range_rule_write()",
				  call)
		       : dvx_hws_check_tags(matcher, call);
}

struct dvx_pd *dvx_flow_domain_pd(const struct dvx_flow_domain *domain)
{
	return domain->backend == &dvx_flow_hws ? hws_domain(domain)->queue.pd : NULL;
}

uint32_t dvx_hws_tag_bytes(const struct dvx_flow_matcher *matcher)
{
	return hws_is_hardware(matcher) && !matcher->linear
		       ? hws_tag_bytes(&hws_first_part(matcher)->layout)
		       : 0;
}

int dvx_hws_tag_make(struct dvx_flow_matcher *matcher, const struct dvx_flow_match *value,
		     void *tag)
{
	uint8_t all[HWS_TAG_LONG];
	const struct hws_part *part;
	int err = dvx_hws_check_matcher(matcher, "dvx_hws_tag_make");

	if (!err)
		err = dvx_hws_check_tags(matcher, "dvx_hws_tag_make");
	if (!err)
		err = dvx_check_not_null("dvx_hws_tag_make", "value", value, "tag", tag, NULL);
	if (!err)
		err = dvx_flow_check_value(matcher, value, "dvx_hws_tag_make");
	if (err)
		return err;
	if (!dvx_hws_value_is_first(matcher, value->value))
		return dvx_fail(EINVAL, "dvx_hws_tag_make: value has another IP version than the "
					"matcher was made for");
	part = hws_first_part(matcher);
	err = dvx_hws_part_tag(part, value->value, all);
	if (err)
		return err;
	memcpy(tag, all + sizeof(all) - hws_tag_bytes(&part->layout), hws_tag_bytes(&part->layout));
	return 0;
}

/* Finds the part of the match whose bits a tag has from `bit` on. */
static const struct hws_move *hws_move_of(const struct hws_layout *layout, uint32_t bit)
{
	for (const struct hws_move *m = layout->move; m < layout->move + layout->count; m++)
		if (m->from == bit)
			return m;
	return NULL;
}

/* Checks that the field's bits are all masked, and in one piece in the tag. */
static const struct hws_move *hws_tag_piece(const struct hws_layout *layout, uint32_t bit,
					    uint32_t width)
{
	const struct hws_move *first = hws_move_of(layout, bit), *m = first;
	uint32_t done = 0;

	while (m && m->to == first->to + done) {
		for (uint32_t i = 0; i < m->width; i++)
			if (!prm_bits_get(layout->key->mask, m->to + i, 1))
				return NULL;
		done += m->width;
		if (done >= width)
			return first;
		m = hws_move_of(layout, bit + done);
	}
	return NULL;
}

int dvx_hws_tag_field(const struct dvx_flow_matcher *matcher, const char *field, uint32_t *bit)
{
	int err = dvx_hws_check_matcher(matcher, "dvx_hws_tag_field");
	const struct hws_layout *layout;
	const struct hws_move *move;
	uint32_t from, width;

	if (!err)
		err = dvx_check_not_null("dvx_hws_tag_field", "field", field, "bit", bit, NULL);
	if (!err)
		err = dvx_flow_match_place(field, &from, &width);
	if (err)
		return err;
	layout = &hws_first_part(matcher)->layout;
	move = hws_tag_piece(layout, from, width);
	if (!move)
		return dvx_fail(ENOENT,
				"dvx_hws_tag_field: the matcher's tags do not have all of "
				"%s in one piece",
				field);
	*bit = move->to - 8 * (HWS_TAG_LONG - hws_tag_bytes(layout));
	return 0;
}

/* Checks what the flow API checks of a rule. Its sentences begin with another call. */
static int hws_image_check(const struct dvx_flow_rule_attr *rule, struct dvx_flow_action **sorted,
			   uint32_t *n)
{
	static const char call[] = "dvx_flow_rule_create";
	int err = dvx_flow_rule_check(rule, sorted, n);
	struct dvx_error why;

	if (!err)
		return 0;
	why = *dvx_last_error();
	if (strncmp(why.what, call, strlen(call)) != 0)
		return err;
	return dvx_fail(-err, "dvx_hws_image_make%s", why.what + strlen(call));
}

static int hws_image_check_flags(const struct dvx_flow_matcher *matcher, uint32_t flags)
{
	if (flags & ~(uint32_t)(DVX_HWS_SPILL | DVX_HWS_TX))
		return dvx_fail(EINVAL, "dvx_hws_image_make: flags 0x%x: unknown bits", flags);
	if (flags & DVX_HWS_SPILL && matcher->linear)
		return dvx_fail(EINVAL, "dvx_hws_image_make: flags has DVX_HWS_SPILL, but a "
					"matcher whose rules have an index has one table");
	if (flags & DVX_HWS_TX && matcher->table->domain->side != DVX_FLOW_FDB)
		return dvx_fail(EINVAL, "dvx_hws_image_make: flags has DVX_HWS_TX, but only "
					"domains of the FDB have a second table");
	return 0;
}

int dvx_hws_image_make(const struct dvx_flow_rule_attr *user, uint32_t flags,
		       struct dvx_hws_image *out)
{
	struct dvx_flow_action *sorted[RULE_ACTIONS];
	struct dvx_flow_rule_attr rule;
	struct hws_images images;
	struct hws_stage *stage;
	struct hws_part *part;
	uint32_t n;
	int err = dvx_struct_copy(&rule, user, "dvx_hws_image_make", "rule");

	if (!err)
		err = dvx_check_not_null("dvx_hws_image_make", "out", out, NULL);
	if (!err)
		err = dvx_hws_check_matcher(rule.matcher, "dvx_hws_image_make");
	if (!err)
		err = hws_image_check_flags(rule.matcher, flags);
	if (!err)
		err = hws_image_check(&rule, sorted, &n);
	if (err)
		return err;
	part = hws_first_part(rule.matcher);
	stage = dvx_hws_part_stage(part, flags & DVX_HWS_SPILL ? 1 : 0);
	if (!stage)
		return -dvx_last_error()->err;
	err = dvx_hws_images_fill(sorted, n, part->layout.key->wide, 1, "dvx_hws_image_make",
				  &images);
	if (err)
		return err;
	hws_image_set_rtc(&images.image[0], &stage->rtc.side[flags & DVX_HWS_TX ? 1 : 0]);
	*out = images.image[0];
	return 0;
}
