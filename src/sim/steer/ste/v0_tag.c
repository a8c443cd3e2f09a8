/* SPDX-License-Identifier: BSD-2-Clause */
/* Tags of version 0: a table of layouts by lookup type. */
#include <pthread.h>
#include "layout.h"
#include "prm/reflect.h"
#include "v0.h"

#define V0_LOOKUPS 0x40u

/*
 * Lookup types. _D names the headers behind a tunnel that an entry removed. [I] They are the outer
 * ones before it is removed, too: libmlx5 compares the outer headers of received packets by _D.
 */
static const struct v0_tag_row {
	uint8_t lookup;
	bool inner;
	/* [I] Of packets of another IP version the tag is 0. 0: any */
	uint8_t ip_version;
	const char *layout; /* in prm/ste.prm; NULL: nothing is compared */
} rows[] = {
#define O_I_D(name, ip_version, layout)                                 \
	{PRM_STE_LU_TYPE_##name##_O, false, ip_version, layout},        \
		{PRM_STE_LU_TYPE_##name##_I, true, ip_version, layout}, \
		{PRM_STE_LU_TYPE_##name##_D, false, ip_version, layout},
	O_I_D(ETHL2_DST, 0, "ste_eth_l2_dst") O_I_D(ETHL2_SRC, 0, "ste_eth_l2_src") O_I_D(
		ETHL2_SRC_DST, 0, "ste_eth_l2_src_dst") O_I_D(ETHL3_IPV6_DST, 6,
							      "ste_eth_l3_ipv6_dst")
		O_I_D(ETHL3_IPV6_SRC, 6, "ste_eth_l3_ipv6_src") O_I_D(
			ETHL3_IPV4_5_TUPLE, 4,
			"ste_eth_l3_ipv4_5_tuple") O_I_D(ETHL3_IPV4_MISC, 4, "ste_eth_l3_ipv4_misc")
			O_I_D(ETHL4, 6, "ste_eth_l4") O_I_D(ETHL4_MISC, 0, "ste_eth_l4_misc") O_I_D(
				MPLS_FIRST, 0, "ste_mpls"){PRM_STE_LU_TYPE_NOP, false, 0, NULL},
	{PRM_STE_LU_TYPE_SRC_GVMI_AND_QP, false, 0, "ste_src_gvmi_qp"},
	{PRM_STE_LU_TYPE_ETHL2_TUNNELING_I, true, 0, "ste_eth_l2_tnl"},
	{PRM_STE_LU_TYPE_GRE, false, 0, "ste_gre"},
	{PRM_STE_LU_TYPE_GENERAL_PURPOSE, false, 0, "ste_general_purpose"},
	{PRM_STE_LU_TYPE_FLEX_PARSER_TNL_HEADER, false, 0, "ste_tunnel_header"},
	{PRM_STE_LU_TYPE_TUNNEL_HEADER, false, 0, "ste_tunnel_header"},
	{PRM_STE_LU_TYPE_FLEX_PARSER_0, false, 0, "ste_flex_parser_0"},
	{PRM_STE_LU_TYPE_FLEX_PARSER_1, false, 0, "ste_flex_parser_1"},
	{PRM_STE_LU_TYPE_STEERING_REGISTERS_0, false, 0, "ste_register_0"},
	{PRM_STE_LU_TYPE_STEERING_REGISTERS_1, false, 0, "ste_register_1"},
};

static struct v0_layout {
	const struct v0_tag_row *row; /* NULL: no such lookup type */
	struct ste_layout fields;
} layouts[V0_LOOKUPS];

static void v0_tag_make(void)
{
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct v0_layout *l = &layouts[rows[i].lookup];

		l->row = &rows[i];
		if (rows[i].layout)
			ste_layout_make(&l->fields, prm_find_struct(rows[i].layout), rows[i].inner);
	}
}

bool ste_v0_fill(struct steer_walk *w, uint16_t lookup, uint8_t *tag)
{
	static pthread_once_t made = PTHREAD_ONCE_INIT;
	const struct v0_layout *l = lookup < V0_LOOKUPS ? &layouts[lookup] : NULL;
	const struct packet_headers *h;

	pthread_once(&made, v0_tag_make);
	if (!l || !l->row)
		return false;
	h = l->row->inner ? &w->packet->inner : &w->packet->outer;
	if (!l->row->ip_version || l->row->ip_version == h->ip_version)
		ste_layout_fill(&l->fields, w, tag);
	return true;
}
