/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Keys: a definer selects dwords and octets of the parsed headers, which make up the tags of rules.
 * The highest dword of the headers is dword 0 of the tag, which lies last: so an address of four
 * dwords is in one piece.
 */
#include <dvx/prm/cap.h>
#include <dvx/prm/cmd.h>
#include <dvx/prm/object.h>
#include "hws.h"

#define HWS_SHORT_DWORDS 6u /* of a short tag */
#define HWS_NEAR	 64u /* dwords 6 to 8 of a tag come from below, without format_select_dw_8_6_ext */
#define HWS_HEADER_WORDS (HWS_HEADERS / 4)
#define HWS_OCTET_WORDS	 64u /* dwords whose octets can be selected: by eight bits */
#define HWS_FIRST	 5u  /* rank of a dword; others have their number of masked octets */
#define HWS_NO_PLACE	 UINT32_MAX

/* Which dwords and octets of the headers a tag has, in the order of the headers. */
struct hws_choice {
	uint32_t dwords, octets; /* how many */
	uint16_t dword[HWS_DWORDS], octet[HWS_OCTETS];
};

static uint32_t hws_used_octets(const uint8_t *mask, uint32_t word)
{
	const uint8_t *at = mask + 4 * (size_t)word;

	return (uint32_t)((at[0] != 0) + (at[1] != 0) + (at[2] != 0) + (at[3] != 0));
}

/* Returns when a dword is chosen, the greatest number first; 0: never. */
static uint32_t hws_dword_rank(const uint8_t *mask, uint32_t word)
{
	const uint32_t used = hws_used_octets(mask, word);

	return used && word >= HWS_OCTET_WORDS ? HWS_FIRST : used;
}

/*
 * Chooses the dwords whose octets cannot be selected, then those with the most masked octets, up to
 * `most`; octets of the others are selected one by one. False: they do not fit.
 */
static bool hws_choose(const uint8_t *mask, uint32_t most, struct hws_choice *c)
{
	bool taken[HWS_HEADER_WORDS] = {0};
	uint32_t left = most;

	for (uint32_t rank = HWS_FIRST; rank; rank--)
		for (uint32_t w = 0; w < HWS_HEADER_WORDS && left; w++)
			if (hws_dword_rank(mask, w) == rank) {
				taken[w] = true;
				left--;
			}
	*c = (struct hws_choice){0};
	for (uint32_t w = 0; w < HWS_HEADER_WORDS; w++)
		if (taken[w])
			c->dword[c->dwords++] = (uint16_t)w;
	for (uint32_t i = 0; i < HWS_HEADERS; i++)
		if (mask[i] && !taken[i / 4]) {
			if (c->octets == HWS_OCTETS)
				return false;
			c->octet[c->octets++] = (uint16_t)i;
		}
	return !c->octets || c->octet[c->octets - 1] < 4 * HWS_OCTET_WORDS;
}

static bool hws_choice_fits(const struct hws_choice *c, const void *cap2)
{
	if (prm_cmd_hca_cap_2_get_format_select_dw_8_6_ext(cap2))
		return true;
	for (uint32_t i = 0; i + HWS_SHORT_DWORDS < c->dwords; i++)
		if (c->dword[i] >= HWS_NEAR)
			return false;
	return true;
}

static int hws_key_too_big(struct dvx_dev *dev, const uint8_t *mask, bool wide)
{
	uint32_t octets = 0;

	for (uint32_t w = 0; w < HWS_HEADER_WORDS; w++)
		octets += hws_used_octets(mask, w);
	return dvx_fail(E2BIG,
			"dvx_flow_matcher_create: attr.match has %u bytes of headers, which do not "
			"fit into the selectors of %s: %u dwords%s and 8 bytes",
			octets, dvx_dev_name(dev), wide ? HWS_DWORDS : HWS_SHORT_DWORDS,
			wide ? ", of which three below dword 64 if format_select_dw_8_6_ext is 0"
			     : "");
}

static int hws_key_choose(struct dvx_dev *dev, const uint8_t *mask, struct hws_choice *c,
			  bool *wide)
{
	const void *cap, *cap2;
	int err = dvx_dev_cap_page(dev, PRM_HCA_CAP_TYPE_WQE_BASED_FLOW_TABLE, &cap);

	*wide = false;
	if (err || hws_choose(mask, HWS_SHORT_DWORDS, c))
		return err;
	*wide = prm_wqe_based_flow_table_cap_get_ste_format(cap) >> PRM_RTC_STE_FORMAT_11DW & 1;
	err = dvx_dev_cap_page(dev, PRM_HCA_CAP_TYPE_GENERAL_2, &cap2);
	if (err)
		return err;
	return *wide && hws_choose(mask, HWS_DWORDS, c) && hws_choice_fits(c, cap2)
		       ? 0
		       : hws_key_too_big(dev, mask, *wide);
}

/* Sets the selectors: the last dword and octet of the headers is number 0. */
static void hws_key_select(const struct hws_choice *c, struct hws_key *key)
{
	for (uint32_t i = 0; i < c->dwords; i++)
		key->dwords[c->dwords - 1 - i] = (uint8_t)c->dword[i];
	for (uint32_t i = 0; i < c->octets; i++)
		key->octets[c->octets - 1 - i] = (uint8_t)c->octet[i];
}

/* Returns the bit of a long tag that has this bit of the headers. */
static uint32_t hws_key_place(const struct hws_key *key, const struct hws_choice *c, uint32_t bit)
{
	for (uint32_t i = 0; i < c->dwords; i++)
		if (key->dwords[i] == bit / 32)
			return 32 * (HWS_DWORDS - 1 - i) + bit % 32;
	for (uint32_t i = 0; i < c->octets; i++)
		if (key->octets[i] == bit / 8)
			return 32 * HWS_DWORDS + 8 * (HWS_OCTETS - 1 - i) + bit % 8;
	return HWS_NO_PLACE;
}

/* Copies masked bits of the headers to the tag. */
static void hws_key_copy(const struct hws_key *key, const struct hws_choice *c, const uint8_t *mask,
			 const uint8_t *from, uint8_t *tag)
{
	for (uint32_t bit = 0; bit < 8 * HWS_HEADERS; bit++)
		if (prm_bits_get(mask, bit, 1) && prm_bits_get(from, bit, 1))
			prm_bits_set(tag, hws_key_place(key, c, bit), 1, 1);
}

static int hws_definer_create(struct dvx_dev *dev, struct hws_key *key)
{
	static void (*const set_dword[HWS_DWORDS])(void *, uint32_t) = {
		prm_match_definer_set_format_select_dw0, prm_match_definer_set_format_select_dw1,
		prm_match_definer_set_format_select_dw2, prm_match_definer_set_format_select_dw3,
		prm_match_definer_set_format_select_dw4, prm_match_definer_set_format_select_dw5,
		prm_match_definer_set_format_select_dw6, prm_match_definer_set_format_select_dw7,
		prm_match_definer_set_format_select_dw8};
	static void (*const set_octet[HWS_OCTETS])(void *, uint32_t) = {
		prm_match_definer_set_format_select_byte0,
		prm_match_definer_set_format_select_byte1,
		prm_match_definer_set_format_select_byte2,
		prm_match_definer_set_format_select_byte3,
		prm_match_definer_set_format_select_byte4,
		prm_match_definer_set_format_select_byte5,
		prm_match_definer_set_format_select_byte6,
		prm_match_definer_set_format_select_byte7};
	uint8_t in[PRM_CREATE_MATCH_DEFINER_IN_BYTES] = {0};
	uint8_t *definer = prm_create_match_definer_in_at_obj_context(in);

	prm_match_definer_set_format_id(definer, 61);
	for (uint32_t i = 0; i < HWS_DWORDS; i++)
		set_dword[i](definer, key->dwords[i]);
	for (uint32_t i = 0; i < HWS_OCTETS; i++)
		set_octet[i](definer, key->octets[i]);
	memcpy(in + sizeof(in) - HWS_TAG_LONG, key->mask, HWS_TAG_LONG);
	return dvx_hws_object_create(dev, PRM_OBJ_TYPE_MATCH_DEFINER, 0, in, sizeof(in),
				     &key->definer);
}

static int hws_definer_linear(struct dvx_dev *dev, struct hws_key *key)
{
	const void *cap;
	int err = dvx_dev_cap_page(dev, PRM_HCA_CAP_TYPE_WQE_BASED_FLOW_TABLE, &cap);

	if (!err)
		key->definer.id = prm_wqe_based_flow_table_cap_get_linear_match_definer_reg_c3(cap);
	return err;
}

static bool hws_keys_equal(const struct hws_key *a, const struct hws_key *b)
{
	return a->wide == b->wide && a->linear == b->linear &&
	       !memcmp(a->dwords, b->dwords, sizeof(a->dwords)) &&
	       !memcmp(a->octets, b->octets, sizeof(a->octets)) &&
	       !memcmp(a->mask, b->mask, sizeof(a->mask));
}

int dvx_hws_key_get(struct hws_domain *d, const struct hws_key *want, struct hws_key **out)
{
	struct hws_key *key = d->keys;
	int err;

	while (key && !hws_keys_equal(key, want))
		key = key->next;
	if (!key) {
		key = malloc(sizeof(*key));
		if (!key)
			return dvx_fail(ENOMEM, "no memory for a matcher's key");
		*key = *want;
		err = key->linear ? hws_definer_linear(d->dev, key)
				  : hws_definer_create(d->dev, key);
		if (err == -ENOMEM)
			err = dvx_fail(ENOMEM,
				       "hardware steering: %s has no match definer left: it has "
				       "one for each mask, at most 256",
				       dvx_dev_name(d->dev));
		if (err) {
			free(key);
			return err;
		}
		key->next = d->keys;
		d->keys = key;
	}
	key->refs++;
	*out = key;
	return 0;
}

/* Returns how many bits from this one on, up to n, are in one piece in the tag. */
static uint32_t hws_key_run(const struct hws_key *key, const struct hws_choice *c, uint32_t bit,
			    uint32_t n)
{
	uint32_t at = hws_key_place(key, c, bit), run = 1;

	while (run < n && hws_key_place(key, c, bit + run) == (at == HWS_NO_PLACE ? at : at + run))
		run++;
	return run;
}

/* Octets of a dword may be selected apart, or not at all. */
static void hws_layout_moves(const struct hws_headers *h, const struct hws_choice *c,
			     const struct hws_key *key, struct hws_layout *out)
{
	for (uint32_t i = 0; i < h->count; i++)
		for (uint32_t done = 0, n; done < h->move[i].width; done += n) {
			struct hws_move m = h->move[i];
			uint32_t at = hws_key_place(key, c, m.to + done);

			n = hws_key_run(key, c, m.to + done, m.width - done);
			if (at == HWS_NO_PLACE)
				continue;
			m.from = (uint16_t)(m.from + done);
			m.to = (uint16_t)at;
			m.width = (uint8_t)n;
			out->move[out->count++] = m;
		}
}

int dvx_hws_layout_make(const struct dvx_flow_domain *domain, const uint8_t *mask, const bool v6[2],
			struct hws_layout *out)
{
	struct hws_domain *d = hws_domain(domain);
	struct hws_headers h = {0};
	struct hws_key key = {0};
	struct hws_choice c;
	int err = dvx_hws_headers_add(domain, &h, mask, v6);

	if (!err)
		err = hws_key_choose(domain->dev, h.mask, &c, &key.wide);
	if (err)
		return err;
	hws_key_select(&c, &key);
	hws_key_copy(&key, &c, h.mask, h.mask, key.mask);
	memset(out, 0, sizeof(*out));
	hws_key_copy(&key, &c, h.mask, h.fixed, out->fixed);
	hws_layout_moves(&h, &c, &key, out);
	return dvx_hws_key_get(d, &key, &out->key);
}

int dvx_hws_layout_make_linear(const struct dvx_flow_domain *domain, struct hws_layout *out)
{
	struct hws_key key = {.linear = true};

	memset(out, 0, sizeof(*out));
	return dvx_hws_key_get(hws_domain(domain), &key, &out->key);
}

int dvx_hws_key_put(struct hws_domain *d, struct hws_key **out)
{
	struct hws_key **at = &d->keys, *key = *out;
	int err = 0;

	if (!key || --key->refs)
		return 0;
	err = dvx_hws_object_destroy(&key->definer);
	if (err) {
		key->refs++;
		return err;
	}
	while (*at != key)
		at = &(*at)->next;
	*at = key->next;
	free(key);
	*out = NULL;
	return 0;
}

/* Kinds of layer 3: PRM definer_hl, outer_l3_type. No packet has kind 3. */
static uint64_t hws_l3_type(uint64_t version)
{
	return version == 4 ? 1 : version == 6 ? 2 : 3;
}

/*
 * Copies at most 32 bits, which are within 64 bits of the match, and of the tag, where they are 0. A
 * rule has several, of some 20 instructions each.
 */
static inline void hws_move_make(const struct hws_move *m, const uint8_t *value, uint8_t *tag)
{
	uint32_t from = m->from / 8 < MATCH_BYTES - 8 ? m->from / 8 : MATCH_BYTES - 8;
	uint32_t to = m->to / 8 < HWS_TAG_LONG - 8 ? m->to / 8 : HWS_TAG_LONG - 8;
	uint64_t bits = prm_load64(value, from) << (m->from - 8 * from) >> (64 - m->width);

	if (m->version)
		bits = hws_l3_type(prm_bits_get(value, m->from, 4));
	prm_store64(tag, to, prm_load64(tag, to) | bits << (64 - m->width - (m->to - 8 * to)));
}

void dvx_hws_layout_tag(const struct hws_layout *layout, const uint8_t *value, uint8_t *tag)
{
	const struct hws_key *key = layout->key;

	memcpy(tag, layout->fixed, HWS_TAG_LONG);
	for (const struct hws_move *m = layout->move; m < layout->move + layout->count; m++)
		hws_move_make(m, value, tag);
	for (uint32_t i = 0; i < HWS_TAG_LONG; i += sizeof(uint32_t))
		prm_store32(tag, i, prm_load32(tag, i) & prm_load32(key->mask, i));
}
