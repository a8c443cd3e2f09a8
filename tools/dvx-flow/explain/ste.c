/* SPDX-License-Identifier: BSD-2-Clause */
/* Entries of any format, by their readers (ste_v0.c, ste_v1.c, ste_hardware.c), and their places in hash tables. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "ste.h"

#define SLOTS_MAX (1u << 22)
#define CHAIN_MAX 4096

static const struct ste_reader *const readers[] = {&ste_reader_v0, &ste_reader_v1,
						   &ste_reader_hardware};

/* Returns the newest reader that is not newer than the format. */
static const struct ste_reader *ste_reader_of(unsigned int format)
{
	size_t i = sizeof(readers) / sizeof(readers[0]) - 1;

	while (i && readers[i]->format > format)
		i--;
	return readers[i];
}

/* Fills a row by the enum's text, which begins with the layout's name. */
void ste_lookup_row(struct lookup_type *t, const char *names, uint16_t lookup)
{
	const struct prm_enum_value *v = prm_enum_find(prm_find_enum(names), lookup);
	size_t len = v ? strlen(v->name) : 0;
	char layout[64];

	*t = (struct lookup_type){
		.lookup = lookup, .name = v ? v->name : "unknown lookup", .tag_bytes = 16};
	t->inner = len > 2 && !strcmp(v->name + len - 2, "_I");
	snprintf(layout, sizeof(layout), "%.*s", v ? (int)strcspn(v->text, ",; ") : 0,
		 v ? v->text : "");
	t->layout = prm_find_struct(layout);
}

const char *ste_tunnel_layout(const struct match_mask *m)
{
	if (m->mask[F_GPE_VNI] || m->mask[F_GPE_NEXT] || m->mask[F_GPE_FLAGS])
		return "ste_flex_parser_tnl_vxlan_gpe";
	if (m->mask[F_GTPU_TEID])
		return "ste_flex_parser_tnl_gtpu";
	return m->mask[F_TUNNEL_0] || m->mask[F_TUNNEL_1] ? "ste_tunnel_header_v1"
							  : "ste_flex_parser_tnl_geneve";
}

void ste_mask_source(struct match_mask *m, enum side side)
{
	if (side == SIDE_RX && m->mask[F_SOURCE])
		m->mask[F_LOOPED] = 1;
}

void ste_read_next(struct steering_entry *e, uint64_t high, uint64_t low)
{
	uint64_t index = high << 27 | low;
	uint64_t n = index & (~index + 1);

	e->next = (index ^ n) << 5;
	e->next_entries = (uint32_t)n;
}

void ste_add_change(struct ste *s, struct packet_change c)
{
	if (c.kind != PACKET_NOTHING)
		s->e.change[s->e.nchanges++] = c;
}

/* --- an entry --- */

static bool ste_all_zero(const uint8_t *p, size_t n)
{
	for (size_t i = 0; i < n; i++)
		if (p[i])
			return false;
	return true;
}

/*
 * Finds the mask. It is in the entry where the dump has it; definers and format 0 leave it to the
 * matcher.
 */
static void ste_read_mask(struct ste *s, const struct steering_record *r,
			  const struct builder_view *view)
{
	s->e.known = true;
	if (r->len == STE_BYTES && s->tag_bytes == 16)
		memcpy(s->mask, r->bytes + 48, 16);
	else if (view && view->mask_known)
		memcpy(s->mask, view->mask, sizeof(s->mask));
	else
		s->e.known = false;
	s->e.any = s->e.any || (s->e.known && ste_all_zero(s->mask, s->tag_bytes));
}

static void ste_read_record(struct ste *s, const struct steering_record *r)
{
	memset(s, 0, offsetof(struct ste, e.key));
	s->reader = ste_reader_of(r->format);
	s->bytes = r->bytes;
	s->tag_at = 32;
	s->reader->links(s);
}

static void ste_read_tag(struct ste *s, const struct steering_record *r,
			 const struct builder_view *view)
{
	struct lookup_type t;

	ste_read_record(s, r);
	memcpy(s->tag, r->bytes + s->tag_at,
	       s->tag_bytes <= r->len - s->tag_at ? s->tag_bytes : 16);
	if (!view || view->type.lookup != s->e.lookup)
		s->reader->lookup(&t, s->e.lookup, -1, NULL, NULL);
	else
		t = view->type;
	s->e.lookup_name = t.name;
	s->tag_layout = view ? view->type.layout : t.layout;
	ste_read_mask(s, r, view);
}

void steering_read_links(const struct steering_record *r, struct steering_entry *e)
{
	struct ste s;

	ste_read_record(&s, r);
	memcpy(e, &s.e, offsetof(struct steering_entry, key));
}

bool entry_field(const struct steering_entry *e, enum field f, u128 *value, u128 *mask)
{
	*value = *mask = 0;
	for (unsigned int i = 0; i < e->nkeys; i++)
		if (e->key[i].field == f) {
			*value |= (u128)e->key[i].value << e->key[i].shift;
			*mask |= (u128)e->key[i].mask << e->key[i].shift;
		}
	return *mask;
}

/* --- slots of hash tables --- */

static uint32_t matcher_hash(const struct steering_record *r, const struct builder_view *v)
{
	struct ste s;

	ste_read_tag(&s, r, v);
	return tag_slot(s.tag, v->type.tag_bytes, tag_byte_mask(s.mask), 1u << 31);
}

/* Returns true if the misses of the entry at `from` lead to e. */
static bool matcher_chained(const struct steering *d, uint32_t from,
			    const struct steering_record *e)
{
	for (unsigned int hops = 0; hops < CHAIN_MAX; hops++) {
		const struct steering_record *at = steering_entry_at(d, e->domain, from);
		struct steering_entry links;

		if (!at || from == e->index)
			return at != NULL;
		steering_read_links(at, &links);
		from = steering_index_of(links.miss);
	}
	return false;
}

/* Returns true if the rules' first entries are where a table of n slots has them. */
static bool matcher_fits(const struct steering *d, const struct steering_matcher *m, enum side side,
			 const uint32_t *hash, uint32_t n)
{
	for (uint32_t i = 0; i < m->n; i++) {
		const struct steering_record *e =
			steering_first_entry(d, &d->rule[m->first + i], side);
		uint32_t slot = m->start[side] + (hash[i] & (n - 1));

		if (!e || e->index == slot)
			continue;
		/* Inside the table, only at its own slot; outside, behind one that sits there. */
		if (e->index - m->start[side] < n || !matcher_chained(d, slot, e))
			return false;
	}
	return true;
}

/*
 * Finds the size of a matcher's first table, which a dump does not have. Tables begin at a multiple
 * of their size, and each rule's first entry is at its hash or chained behind that entry. Returns 0
 * if nothing fits.
 */
static uint32_t matcher_find_slots(const struct steering *d, const struct steering_matcher *m,
				   enum side side, const struct builder_view *v)
{
	uint32_t *hash = calloc(m->n + 1u, sizeof(*hash));
	uint32_t n = 1;

	if (!hash)
		return 0;
	for (uint32_t i = 0; i < m->n; i++) {
		const struct steering_record *e =
			steering_first_entry(d, &d->rule[m->first + i], side);

		hash[i] = e ? matcher_hash(e, v) : 0;
	}
	while (n <= SLOTS_MAX && !matcher_fits(d, m, side, hash, n))
		n = m->start[side] % (2 * n) ? SLOTS_MAX * 2 : 2 * n;
	free(hash);
	return n <= SLOTS_MAX ? n : 0;
}

/* --- a matcher's views --- */

static const struct ste_reader *matcher_reader(const struct steering *d,
					       const struct steering_matcher *m)
{
	for (uint32_t i = 0; i < m->n; i++)
		if (d->rule[m->first + i].n)
			return ste_reader_of(d->entry[d->rule[m->first + i].first].format);
	return &ste_reader_v1; /* no entry will be read by it */
}

/* Finds the word of the parser that takes the Geneve option. */
static void ste_option_row(const struct steering *d, struct builder_view *v)
{
	char name[24];
	uint64_t bit;

	snprintf(name, sizeof(name), "flex_parser_%u", d->option_parser);
	if (!d->option || !v->type.layout || !prm_find_field(v->type.layout, name, &bit))
		return;
	for (struct tag_row *r = v->row; r < v->row + v->rows; r++)
		if (r->bit == bit)
			r->field = F_GENEVE_OPTION;
}

/* Returns one view for each builder of the matcher's side. NULL: no memory. */
static const struct builder_view *matcher_views(struct steering *d, struct steering_matcher *m,
						enum side side)
{
	const struct ste_reader *reader = matcher_reader(d, m);
	struct match_mask left = m->mask;

	if (m->view[side])
		return m->view[side];
	m->view[side] = calloc(m->builders[side] + 1u, sizeof(*m->view[side]));
	if (reader->adjust_mask)
		reader->adjust_mask(&left, side);
	for (unsigned int i = 0; m->view[side] && i < m->builders[side]; i++) {
		struct builder_view *v = &m->view[side][i];

		reader->lookup(&v->type, m->lookup[side][i], m->definer[side][i], &m->mask, &left);
		tag_rows(v);
		ste_option_row(d, v);
		tag_mask(v, &left);
	}
	if (m->view[side])
		m->slots[side] = matcher_find_slots(d, m, side, m->view[side]);
	return m->view[side];
}

/* --- hardware steering --- */

static const uint8_t *ste_template(const struct steering *d, uint32_t domain, uint32_t offset)
{
	const struct steering_template *t = d->template, *end = t + d->ntemplates;

	while (t < end && (t->domain != domain || t->offset != offset))
		t++;
	return t < end ? t->stc : NULL;
}

/* Finds the entry's templates, and where it leads: to the rule's next one, or in its row. */
static void ste_read_links(const struct steering *d, const struct steering_record *r, struct ste *s)
{
	const struct steering_matcher *m = &d->matcher[d->rule[r->rule].matcher];
	uint32_t place = (r->index + 1 - m->start[r->side]) & ((1u << m->log_depth) - 1);
	bool more = place && steering_entry_at(d, r->domain, r->index + 1);

	for (int i = 0; i < TEMPLATES_MAX; i++)
		s->template[i] = ste_template(d, r->domain, r->template[i]);
	s->e.miss = (uint64_t)(more ? r->index + 1 : m->end[r->side]) << 6;
	s->e.next = steering_is_last(d, r) ? 0 : (uint64_t)r[1].index << 6;
	s->e.next_entries = 1;
}

/* --- for the walk --- */

void ste_read(struct steering *d, const struct steering_record *r, struct ste *s)
{
	struct steering_matcher *m = &d->matcher[d->rule[r->rule].matcher];
	const struct builder_view *v = matcher_views(d, m, (enum side)r->side);
	uint32_t place = steering_place(d, r);
	bool compares = place < m->builders[r->side];

	v = v && compares ? &v[place] : NULL;
	ste_read_tag(s, r, v);
	s->e.acts = !v;
	s->e.any = s->e.any || !compares;
	if (s->e.any && s->e.lookup == LOOKUP_ANY && s->reader->any_name)
		s->e.lookup_name = s->reader->any_name;
	if (v)
		tag_keys(s, v);
	if (s->reader == &ste_reader_hardware)
		ste_read_links(d, r, s);
	s->reader->acts(s, d->domain[r->domain].format);
}

void steering_read(struct steering *d, const struct steering_record *r, struct steering_entry *e)
{
	struct ste s;

	ste_read(d, r, &s);
	*e = s.e;
}

uint32_t matcher_slots(struct steering *d, uint32_t matcher, enum side side)
{
	const struct steering_matcher *m = &d->matcher[matcher];
	const struct builder_view *v = matcher_views(d, &d->matcher[matcher], side);

	/* A row is that of the whole tag. */
	return v && v->hashed && m->mask.more ? 0 : m->slots[side];
}

uint32_t matcher_slot(struct steering *d, uint32_t matcher, enum side side, unsigned int builder,
		      const struct steering_entry *from, const struct fields *p)
{
	struct steering_matcher *m = &d->matcher[matcher];
	const struct builder_view *v = matcher_views(d, m, side);
	uint8_t tag[STE_TAG_BYTES];

	if (!v)
		return 0;
	v += builder;
	tag_of_packet(tag, v, p);
	if (v->hashed)
		return hardware_row(v, tag, m->slots[side]);
	return tag_slot(tag, v->type.tag_bytes, from ? from->byte_mask : tag_byte_mask(v->mask),
			from ? from->next_entries : m->slots[side]);
}
