/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Match parameters of a packet, for firmware's tables. One list, params.def, fills a packet's
 * parameters and defines the valid bits of a mask.
 */
#include <string.h>
#include <dvx/prm/match.h>
#include "flex.h"
#include "params.h"
#include "obj/vhca.h"
#include "prm/reflect.h"
#include "steer.h"

#define PART(i) ((i)*FLOW_PART_BYTES)
enum { OUTER, MISC, INNER, MISC2, MISC3 };

/* Source of the fields below. Bytes that the packet lacks are read from `none`. */
struct packet_view {
	const struct packet *p;
	const struct packet_headers *h;
	const uint8_t *l2;
	bool tcp, udp;
};

static const uint8_t none[12];

static struct packet_view view_of(const struct packet *p, const struct packet_headers *h)
{
	return (struct packet_view){
		.p = p,
		.h = h,
		.l2 = h->ethernet ? p->data + h->l2 : none,
		.tcp = h->l4_type == PACKET_TCP,
		.udp = h->l4_type == PACKET_UDP,
	};
}

/* Returns the header of a tunnel of this kind; zeros if there is none. */
static const uint8_t *params_tunnel_header(const struct packet_view *v, enum packet_tunnel kind)
{
	return v->p->tunnel == kind ? v->p->data + v->p->tunnel_at : none;
}

#define TUNNEL(kind, load, at) load(params_tunnel_header(v, PACKET_##kind) + (at))
#define VNI(kind)	       (v->p->tunnel == PACKET_##kind ? v->p->tunnel_vni : 0u)

/* Returns a GRE flag: checksum, key or sequence number. */
static unsigned int gre_bit(const struct packet_view *v, unsigned int bit)
{
	return (unsigned int)*params_tunnel_header(v, PACKET_GRE) >> bit & 1;
}

#define TCP_WORD(headers, at) \
	((headers)->l4_type == PACKET_TCP ? packet_load32(v->p->data + (headers)->l4 + (at)) : 0u)

/* Values of the outer ICMP header of this kind, which has 8 bytes. */
#define ICMP(kind, load, at) (v->h->l4_type == (kind) ? load(v->p->data + v->h->l4 + (at)) : 0u)

/* --- filling -------------------------------------------------------------------------------- */

static void fill_addresses(const struct packet_view *v, void *to)
{
	const uint8_t *ip = v->p->data + v->h->l3;
	void *src = prm_fte_match_set_lyr_2_4_at_src_ipv4_src_ipv6(to);
	void *dst = prm_fte_match_set_lyr_2_4_at_dst_ipv4_dst_ipv6(to);

	if (v->h->ip_version == 4) {
		prm_ipv4_layout_set_ipv4(src, packet_load32(ip + 12));
		prm_ipv4_layout_set_ipv4(dst, packet_load32(ip + 16));
	} else if (v->h->ip_version == 6) {
		memcpy(src, ip + 8, 16);
		memcpy(dst, ip + 24, 16);
	}
}

static void fill_layers(const struct packet_view *v, void *to)
{
#define LAYER(field, value) prm_fte_match_set_lyr_2_4_set_##field(to, value);
#include "params.def"
	fill_addresses(v, to);
}

static void fill_misc(const struct packet_view *v, void *to)
{
#define MISC(field, value) prm_fte_match_set_misc_set_##field(to, value);
#include "params.def"
	prm_gre_key_set_key(prm_fte_match_set_misc_at_gre_key(to), v->p->gre_key);
}

static void fill_mpls(const struct packet *p, const struct packet_headers *h, uint8_t *to)
{
	if (h->labels)
		memcpy(to, p->data + h->mpls, PRM_FTE_MATCH_MPLS_BYTES);
}

static void fill_misc2(const struct packet_view *v, void *to)
{
#define MISC2(field, value) prm_fte_match_set_misc2_set_##field(to, value);
#include "params.def"
	fill_mpls(v->p, &v->p->outer, prm_fte_match_set_misc2_at_outer_first_mpls(to));
	fill_mpls(v->p, &v->p->inner, prm_fte_match_set_misc2_at_inner_first_mpls(to));
	prm_store32(prm_fte_match_set_misc2_at_outer_first_mpls_over_gre(to), 0,
		    flex_fixed(v->p, FLEX_MPLS_GRE));
	prm_store32(prm_fte_match_set_misc2_at_outer_first_mpls_over_udp(to), 0,
		    flex_fixed(v->p, FLEX_MPLS_UDP));
}

static void fill_misc3(const struct packet_view *v, void *to)
{
#define MISC3(field, value) prm_fte_match_set_misc3_set_##field(to, value);
#include "params.def"
}

void params_fill(struct match_params *ps, const struct packet *p, uint8_t enable)
{
	uint8_t todo = enable & (uint8_t)~ps->filled;
	uint8_t *to = (uint8_t *)ps->words;
	const struct packet_view outer = view_of(p, &p->outer);

	if (!todo)
		return;
	for (unsigned int i = 0; i < FLOW_PARTS; i++) {
		if (todo >> i & 1)
			memset(to + PART(i), 0, FLOW_PART_BYTES);
	}
	if (todo >> OUTER & 1)
		fill_layers(&outer, to + PART(OUTER));
	if (todo >> MISC & 1)
		fill_misc(&outer, to + PART(MISC));
	if (todo >> INNER & 1 && p->inner.present) {
		const struct packet_view inner = view_of(p, &p->inner);

		fill_layers(&inner, to + PART(INNER));
	}
	if (todo >> MISC2 & 1)
		fill_misc2(&outer, to + PART(MISC2));
	if (todo >> MISC3 & 1)
		fill_misc3(&outer, to + PART(MISC3));
	ps->filled |= todo;
}

/* --- the bits that a mask may have ---------------------------------------------------------- */

const char *params_path(size_t i)
{
	static const char *const paths[] = {
#define LAYER(field, value) "outer_headers." #field, "inner_headers." #field,
#define MISC(field, value)  "misc_parameters." #field,
#define MISC2(field, value) "misc_parameters_2." #field,
#define MISC3(field, value) "misc_parameters_3." #field,
#include "params.def"
		"outer_headers.src_ipv4_src_ipv6",
		"outer_headers.dst_ipv4_dst_ipv6",
		"inner_headers.src_ipv4_src_ipv6",
		"inner_headers.dst_ipv4_dst_ipv6",
		"misc_parameters.gre_key",
		"misc_parameters_2.outer_first_mpls",
		"misc_parameters_2.inner_first_mpls",
		"misc_parameters_2.outer_first_mpls_over_gre",
		"misc_parameters_2.outer_first_mpls_over_udp",
	};

	return i < sizeof(paths) / sizeof(paths[0]) ? paths[i] : NULL;
}

void params_supported(uint8_t mask[FLOW_PARAM_BYTES])
{
	const struct prm_struct *s = prm_find_struct("fte_match_param");
	const char *path;
	uint64_t bit;

	memset(mask, 0, FLOW_PARAM_BYTES);
	for (size_t i = 0; (path = params_path(i)) != NULL; i++) {
		const struct prm_field *f = prm_find_field(s, path, &bit);

		for (uint32_t n = 0; n < f->width; n++)
			prm_bits_set(mask, bit + n, 1, 1);
	}
}

/* Returns the name of the fte_match_param field that holds a bit. */
static const char *params_field_at(uint32_t bit)
{
	const struct prm_struct *s = prm_find_struct("fte_match_param");
	const char *name = "a reserved bit";

	for (size_t i = 0; s && i < s->field_count; i++) {
		const struct prm_field *f = &s->fields[i];

		if (bit < f->offset || bit >= f->offset + f->width)
			continue;
		name = f->name;
		bit -= f->offset;
		s = f->type;
		i = (size_t)-1;
	}
	return name;
}

const char *params_unsupported(const uint8_t criteria[FLOW_PARAM_BYTES], uint8_t enable)
{
	uint8_t supported[FLOW_PARAM_BYTES];

	params_supported(supported);
	for (uint32_t i = 0; i < FLOW_PARAM_BYTES; i++) {
		uint8_t wrong = criteria[i] & (uint8_t)~supported[i];

		if (wrong && enable >> i / FLOW_PART_BYTES & 1)
			return params_field_at(i * 8 + (uint32_t)__builtin_clz(wrong) - 24);
	}
	return NULL;
}
