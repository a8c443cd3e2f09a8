/* SPDX-License-Identifier: BSD-2-Clause */
/* From the fields of a match to bits of the parsed headers. */
#include <dvx/prm/cap.h>
#include "hws.h"

#define HWS_MOVE_BITS 32u /* of a dword: selectors take no more at once */

static const struct hws_field {
	const char *path, *place;
	uint8_t bit;
	const char *also;		     /* a flag that these packets have, too */
	uint32_t (*dword)(const void *cap2); /* NULL: the place has a fixed one */
	uint32_t (*parser)(const void *cap); /* the flex parser of this number; NULL: none */
	uint8_t protocol;		     /* its bit of flex_parser_protocols */
	bool source;			     /* only packets in the FDB have it */
} rows[] = {
#define FIELD(name, at, first) {.path = #name, .place = #at, .bit = first},
#define HEADERS(field, place, bit)                     \
	FIELD(outer_headers.field, outer_##place, bit) \
	FIELD(inner_headers.field, inner_##place, bit)
#define OF(name, at, first, flag) {.path = #name, .place = #at, .bit = first, .also = #flag},
#define SOURCE(name, at)	  {.path = #name, .place = #at, .source = true},
#define BY_CAP(name, cap, first)            \
	{.path = #name,                     \
	 .place = "format_select_dw_" #cap, \
	 .bit = first,                      \
	 .dword = prm_cmd_hca_cap_2_get_format_select_dw_##cap},
#define BY_PARSER(name, what, bit)                            \
	{.path = #name,                                       \
	 .place = "flex_parser_id_" #what,                    \
	 .parser = prm_cmd_hca_cap_get_flex_parser_id_##what, \
	 .protocol = bit},
#include "fields.def"
};

/* Addresses, by their end and IP version. An IPv4 address has the last dword of the match's four. */
static const struct hws_address {
	const char *path, *place[2];
} addresses[] = {
	{"outer_headers.src_ipv4_src_ipv6", {"outer_source_address", "outer_src_ip_127_96"}},
	{"outer_headers.dst_ipv4_dst_ipv6", {"outer_destination_address", "outer_dst_ip_127_96"}},
	{"inner_headers.src_ipv4_src_ipv6", {"inner_source_address", "inner_src_ip_127_96"}},
	{"inner_headers.dst_ipv4_dst_ipv6", {"inner_destination_address", "inner_dst_ip_127_96"}},
};

static uint32_t hws_place_bit(const char *name)
{
	uint64_t bit = 0;

	prm_find_field(prm_find_struct("definer_hl"), name, &bit);
	return (uint32_t)bit;
}

/* Adds bits of the match to the headers, split where a dword of the headers ends. */
static int hws_headers_move(struct hws_headers *h, const uint8_t *mask, struct hws_move m)
{
	while (m.width) {
		uint32_t room = HWS_MOVE_BITS - m.to % HWS_MOVE_BITS;
		struct hws_move part = m;

		part.width = m.width < room ? m.width : (uint8_t)room;
		if (h->count == HWS_MOVES)
			return dvx_fail(E2BIG,
					"dvx_flow_matcher_create: attr.match has more than "
					"%u fields for hardware steering",
					HWS_MOVES);
		h->move[h->count++] = part;
		prm_bits_set(h->mask, part.to, part.width,
			     prm_bits_get(h->mask, part.to, part.width) |
				     prm_bits_get(mask, part.from, part.width));
		m.from = (uint16_t)(m.from + part.width);
		m.to = (uint16_t)(m.to + part.width);
		m.width = (uint8_t)(m.width - part.width);
	}
	return 0;
}

static int hws_headers_address(struct hws_headers *h, const uint8_t *mask,
			       const struct dvx_flow_field *f, bool v6,
			       const struct hws_address *row)
{
	struct hws_move m = {.to = (uint16_t)hws_place_bit(row->place[v6]),
			     .from = (uint16_t)(f->bit + (v6 ? 0 : 96)),
			     .width = v6 ? 128 : 32};

	return hws_headers_move(h, mask, m);
}

static const struct hws_field *hws_field_find(const char *path)
{
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++)
		if (!strcmp(rows[i].path, path))
			return &rows[i];
	return NULL;
}

/* An ip_version of four bits is a kind of two. */
static int hws_headers_version(struct hws_headers *h, const struct dvx_flow_field *f,
			       const struct hws_field *row)
{
	struct hws_move m = {.from = (uint16_t)f->bit,
			     .to = (uint16_t)hws_place_bit(row->place),
			     .width = 2,
			     .version = true};
	static const uint8_t ones[MATCH_BYTES] = {[0 ... MATCH_BYTES - 1] = 0xff};

	return hws_headers_move(h, ones, m);
}

/* Finds the word of a flex parser. Parser 0, which is one as good as others, has the last word. */
static int hws_parser_bit(struct dvx_dev *dev, const struct hws_field *row, uint32_t *bit)
{
	const void *cap;
	int err = dvx_dev_cap_page(dev, PRM_HCA_CAP_TYPE_GENERAL, &cap);

	if (err)
		return err;
	if (!(prm_cmd_hca_cap_get_flex_parser_protocols(cap) >> row->protocol & 1))
		return dvx_fail(EOPNOTSUPP,
				"dvx_flow_matcher_create: attr.match.%s: %s lacks "
				"flex_parser_protocols bit %u, so %s is no parser's number",
				row->path, dvx_dev_name(dev), row->protocol, row->place);
	*bit = hws_place_bit("flex_parser_0") - HWS_MOVE_BITS * row->parser(cap);
	return 0;
}

/* Finds the bit of the headers where a row's field begins. */
static int hws_row_bit(struct dvx_dev *dev, const struct hws_field *row, uint32_t *bit)
{
	const void *cap2;
	int err = row->dword ? dvx_dev_cap_page(dev, PRM_HCA_CAP_TYPE_GENERAL_2, &cap2) : 0;

	if (row->parser)
		return hws_parser_bit(dev, row, bit);
	if (err)
		return err;
	if (row->dword && !row->dword(cap2))
		return dvx_fail(EOPNOTSUPP,
				"dvx_flow_matcher_create: attr.match.%s: %s of %s is 0: "
				"hardware steering there does not match it",
				row->path, row->place, dvx_dev_name(dev));
	*bit = row->bit +
	       (row->dword ? HWS_MOVE_BITS * row->dword(cap2) : hws_place_bit(row->place));
	return 0;
}

static int hws_headers_field(const struct dvx_flow_domain *domain, struct hws_headers *h,
			     const uint8_t *mask, const struct dvx_flow_field *f)
{
	const struct hws_field *row = hws_field_find(f->path);
	const char *name = strrchr(f->path, '.');
	uint32_t also, bit = 0;
	int err;

	if (!row || (row->source && domain->side != DVX_FLOW_FDB))
		return dvx_fail(EOPNOTSUPP,
				"dvx_flow_matcher_create: attr.match.%s: hardware steering by "
				"libdvx does not match it",
				f->path);
	if (name && !strcmp(name, ".ip_version"))
		return hws_headers_version(h, f, row);
	if (row->also) {
		also = hws_place_bit(row->also);
		prm_bits_set(h->mask, also, 1, 1);
		prm_bits_set(h->fixed, also, 1, 1);
	}
	err = hws_row_bit(domain->dev, row, &bit);
	return err ? err
		   : hws_headers_move(h, mask,
				      (struct hws_move){.from = (uint16_t)f->bit,
							.to = (uint16_t)bit,
							.width = (uint8_t)f->width});
}

int dvx_hws_headers_add(const struct dvx_flow_domain *domain, struct hws_headers *h,
			const uint8_t *mask, const bool v6[2])
{
	struct dvx_flow_field f;
	int err = 0;

	for (uint32_t bit = 0; !err && dvx_flow_field_next(mask, bit, &f); bit = f.bit + f.width) {
		size_t i = 0;

		while (i < sizeof(addresses) / sizeof(addresses[0]) &&
		       strcmp(addresses[i].path, f.path) != 0)
			i++;
		if (i < sizeof(addresses) / sizeof(addresses[0]))
			err = hws_headers_address(h, mask, &f, v6[i / 2], &addresses[i]);
		else
			err = hws_headers_field(domain, h, mask, &f);
	}
	return err;
}
