/* SPDX-License-Identifier: BSD-2-Clause */
#include "layout.h"

#include <string.h>
#include "prm/reflect.h"
#include "steer/flex.h"
#include "steer/priv.h"
#include "tag.h"

/* --- bytes of headers; 0 without the header ---------------------------------------------------- */

static uint32_t layout_mac32(const struct packet *p, const struct packet_headers *h, uint32_t at)
{
	return h->ethernet ? packet_load32(p->data + h->l2 + at) : 0;
}

static uint32_t layout_mac16(const struct packet *p, const struct packet_headers *h, uint32_t at)
{
	return h->ethernet ? packet_load16(p->data + h->l2 + at) : 0;
}

static uint32_t layout_ip32(const struct packet *p, const struct packet_headers *h, uint8_t version,
			    uint32_t at)
{
	return h->ip_version == version ? packet_load32(p->data + h->l3 + at) : 0;
}

static uint32_t layout_l4_32(const struct packet *p, const struct packet_headers *h,
			     enum packet_l4 type, uint32_t at)
{
	return h->l4_type == type ? packet_load32(p->data + h->l4 + at) : 0;
}

/* Returns a word of TCP or of ICMP, which is on other bytes. */
static uint32_t layout_tcp_or_icmp(const struct packet *p, const struct packet_headers *h,
				   uint32_t tcp, uint32_t icmp)
{
	if (h->l4_type == PACKET_TCP)
		return packet_load32(p->data + h->l4 + tcp);
	if (h->l4_type == PACKET_ICMP || h->l4_type == PACKET_ICMP6)
		return packet_load32(p->data + h->l4 + icmp);
	return 0;
}

static uint32_t layout_mpls(const struct packet *p, const struct packet_headers *h, uint32_t n)
{
	return n < h->labels ? packet_load32(p->data + h->mpls + 4 * n) : 0;
}

/* Returns a word of the tunnel's header, if its kind is one of these bits. */
static uint32_t layout_tunnel32(const struct packet *p, uint32_t kinds, uint32_t at)
{
	return p->tunnel_at && kinds >> p->tunnel & 1 ? packet_load32(p->data + p->tunnel_at + at)
						      : 0;
}

static bool layout_is_short_gre(const struct packet *p)
{
	return p->tunnel == PACKET_GRE && p->tunnel_at && !(p->data[p->tunnel_at] & TAG_GRE_LONG);
}

static bool layout_l4_ok(struct steer_walk *w, const struct packet_headers *h)
{
	ste_charge_sum(w, h);
	return packet_l4_ok(w->packet, h);
}

/* --- fields by name ---------------------------------------------------------------------------- */

#define LAYOUT_FIELD(fn, expression)                                             \
	static uint32_t fn(struct steer_walk *w, const struct packet_headers *h) \
	{                                                                        \
		const struct packet *p = w->packet;                              \
                                                                                 \
		(void)p;                                                         \
		(void)h;                                                         \
		return expression;                                               \
	}
#define FIELD(name, expression)		   LAYOUT_FIELD(layout_field_##name, expression)
#define FIELD_OF(layout, name, expression) LAYOUT_FIELD(layout##_field_##name, expression)
#define SAME(name, other)
#include "fields.def"

static const struct layout_name {
	const char *layout; /* NULL: any */
	const char *name;
	ste_field_fn *value;
} names[] = {
#define FIELD(name, expression)		   {NULL, #name, layout_field_##name},
#define FIELD_OF(layout, name, expression) {#layout, #name, layout##_field_##name},
#define SAME(name, other)		   {NULL, #name, layout_field_##other},
#include "fields.def"
};

static ste_field_fn *layout_find(const struct prm_struct *s, const char *name)
{
	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++)
		if (!strcmp(names[i].name, name) &&
		    (!names[i].layout || !strcmp(names[i].layout, s->name)))
			return names[i].value;
	return NULL;
}

bool ste_layout_find(const struct prm_struct *s, const struct prm_field *f,
		     struct ste_layout_row *row)
{
	static const char inner_prefix[] = "inner_", outer_prefix[] = "outer_";
	const size_t prefix = sizeof(inner_prefix) - 1;
	bool of_inner = !strncmp(f->name, inner_prefix, prefix);
	bool of_outer = !strncmp(f->name, outer_prefix, prefix);

	*row = (struct ste_layout_row){
		.value = layout_find(s, f->name + (of_inner || of_outer ? prefix : 0)),
		.bit = (uint16_t)f->offset,
		.width = (uint8_t)f->width,
		.inner = of_inner,
		.outer = of_outer,
	};
	return row->value;
}

void ste_layout_make(struct ste_layout *l, const struct prm_struct *s, bool inner)
{
	l->rows = 0;
	for (size_t i = 0; i < s->field_count && l->rows < STE_LAYOUT_ROWS; i++) {
		struct ste_layout_row *row = &l->row[l->rows];

		if (!ste_layout_find(s, &s->fields[i], row))
			continue;
		row->inner = inner ? !row->outer : row->inner;
		l->rows++;
	}
}

void ste_layout_fill(const struct ste_layout *l, struct steer_walk *w, uint8_t *tag)
{
	const struct packet *p = w->packet;

	for (const struct ste_layout_row *r = l->row; r < l->row + l->rows; r++) {
		uint32_t value = r->value(w, r->inner ? &p->inner : &p->outer);

		if (value)
			prm_bits_set(tag, r->bit, r->width, value);
	}
}
