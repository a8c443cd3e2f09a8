/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * ibv_create_flow: translates a list of specs to a match and actions, as mlx5_ib does. A spec has a
 * header, then a value and a mask of the same length, which are shorter in an older library.
 */
#include <endian.h>
#include <errno.h>
#include <stddef.h>
#include <string.h>
#include <dvx/prm/flow.h>
#include <dvx/prm/match.h>
#include "flow_spec.h"

#define TAG_BITS 24

/* enum ib_flow_spec_type, which no uapi header has; libibverbs uses the same values. */
enum {
	SPEC_ETH = 0x20,
	SPEC_IPV4 = 0x30,
	SPEC_IPV6 = 0x31,
	SPEC_TCP = 0x40,
	SPEC_UDP = 0x41,
	SPEC_VXLAN = 0x50,
	SPEC_GRE = 0x51,
	SPEC_MPLS = 0x60,
	SPEC_INNER = 0x100,
	SPEC_TAG = 0x1000,
	SPEC_DROP = 0x1001,
	SPEC_HANDLE = 0x1002,
	SPEC_COUNT = 0x1003,
};
#define PROTO_TCP    6
#define PROTO_UDP    17
#define PROTO_GRE    47
#define TYPE_MPLS    0x8847
#define TYPE_MPLS_MC 0x8848
#define VLAN_PRIO    13
#define VLAN_CFI     12

/* The value or the mask of a spec, or the argument of an action. */
union filter {
	struct ib_uverbs_flow_eth_filter eth;
	struct ib_uverbs_flow_ipv4_filter ipv4;
	struct ib_uverbs_flow_ipv6_filter ipv6;
	struct ib_uverbs_flow_tcp_udp_filter ports;
	struct ib_uverbs_flow_tunnel_filter tunnel;
	struct ib_uverbs_flow_gre_filter gre;
	struct ib_uverbs_flow_mpls_filter mpls;
	uint32_t word; /* argument of an action: a tag or a handle */
};

/* --- headers -------------------------------------------------------------------------------- */

static void *layers_of(uint8_t *param, bool inner)
{
	return inner ? prm_fte_match_param_at_inner_headers(param)
		     : prm_fte_match_param_at_outer_headers(param);
}

static void put_eth(uint8_t *param, const union filter *f, bool inner)
{
	void *layers = layers_of(param, inner);

	prm_fte_match_set_lyr_2_4_set_dmac_47_16(layers, prm_load32(f->eth.dst_mac, 0));
	prm_fte_match_set_lyr_2_4_set_dmac_15_0(layers, prm_load16(f->eth.dst_mac, 4));
	prm_fte_match_set_lyr_2_4_set_smac_47_16(layers, prm_load32(f->eth.src_mac, 0));
	prm_fte_match_set_lyr_2_4_set_smac_15_0(layers, prm_load16(f->eth.src_mac, 4));
	prm_fte_match_set_lyr_2_4_set_ethertype(layers, be16toh(f->eth.ether_type));
}

static void put_vlan(uint8_t *param, uint16_t tci, bool inner)
{
	void *layers = layers_of(param, inner);

	prm_fte_match_set_lyr_2_4_set_cvlan_tag(layers, 1);
	prm_fte_match_set_lyr_2_4_set_first_vid(layers, tci & 0xfffu);
	prm_fte_match_set_lyr_2_4_set_first_cfi(layers, tci >> VLAN_CFI & 1u);
	prm_fte_match_set_lyr_2_4_set_first_prio(layers, (uint32_t)tci >> VLAN_PRIO);
}

static int check_eth(struct spec_sum *s, const union filter *v, const union filter *m, bool inner)
{
	if (m->eth.vlan_tag) {
		put_vlan(s->match.value, be16toh(v->eth.vlan_tag), inner);
		put_vlan(s->match.mask, be16toh(m->eth.vlan_tag), inner);
	}
	if (!s->n)
		s->multicast = m->eth.dst_mac[0] & v->eth.dst_mac[0] & 1;
	return 0;
}

static void put_tos(void *layers, uint8_t tos)
{
	prm_fte_match_set_lyr_2_4_set_ip_dscp(layers, (uint32_t)tos >> 2);
	prm_fte_match_set_lyr_2_4_set_ip_ecn(layers, tos & 3u);
}

/* Matches the IP protocol. Two specs may set it, if they agree. */
static int put_proto(struct spec_sum *s, bool inner, uint8_t v, uint8_t m)
{
	void *value = layers_of(s->match.value, inner), *mask = layers_of(s->match.mask, inner);

	if (!m)
		return 0;
	if (prm_fte_match_set_lyr_2_4_get_ip_protocol(mask) &&
	    (prm_fte_match_set_lyr_2_4_get_ip_protocol(mask) != m ||
	     prm_fte_match_set_lyr_2_4_get_ip_protocol(value) != v))
		return refuse(-EINVAL, "CREATE_FLOW: two specs name IP protocols, %u and %u",
			      prm_fte_match_set_lyr_2_4_get_ip_protocol(value), v);
	prm_fte_match_set_lyr_2_4_set_ip_protocol(value, v);
	prm_fte_match_set_lyr_2_4_set_ip_protocol(mask, m);
	return 0;
}

/* Returns whether an Ethernet spec's EtherType allows an IP spec: its own EtherType or MPLS. */
static bool ethertype_allows(uint32_t type, uint16_t ethertype)
{
	return type == ethertype || type == TYPE_MPLS || type == TYPE_MPLS_MC;
}

static int put_version(struct spec_sum *s, bool inner, uint32_t version, uint16_t ethertype)
{
	void *value = layers_of(s->match.value, inner), *mask = layers_of(s->match.mask, inner);
	uint32_t types = prm_fte_match_set_lyr_2_4_get_ethertype(mask);

	if (types && (types != 0xffff ||
		      !ethertype_allows(prm_fte_match_set_lyr_2_4_get_ethertype(value), ethertype)))
		return refuse(
			-EINVAL,
			"CREATE_FLOW: ether_type 0x%x under mask 0x%x contradicts an IPv%u spec",
			prm_fte_match_set_lyr_2_4_get_ethertype(value), types, version);
	prm_fte_match_set_lyr_2_4_set_ip_version(value, version);
	prm_fte_match_set_lyr_2_4_set_ip_version(mask, 0xf);
	return 0;
}

static void put_ipv4(uint8_t *param, const union filter *f, bool inner)
{
	void *layers = layers_of(param, inner);

	prm_ipv4_layout_set_ipv4(prm_fte_match_set_lyr_2_4_at_src_ipv4_src_ipv6(layers),
				 be32toh(f->ipv4.src_ip));
	prm_ipv4_layout_set_ipv4(prm_fte_match_set_lyr_2_4_at_dst_ipv4_dst_ipv6(layers),
				 be32toh(f->ipv4.dst_ip));
	put_tos(layers, f->ipv4.tos);
}

static int check_ipv4(struct spec_sum *s, const union filter *v, const union filter *m, bool inner)
{
	int err = put_version(s, inner, 4, 0x0800);

	if (m->ipv4.ttl || m->ipv4.flags)
		return refuse(-EOPNOTSUPP,
			      "CREATE_FLOW: an IPv4 spec's ttl and flags can't be matched");
	if (!s->n)
		s->multicast = be32toh(v->ipv4.dst_ip) >> 28 == 0xe;
	return err ?: put_proto(s, inner, v->ipv4.proto, m->ipv4.proto);
}

static void put_ipv6(uint8_t *param, const union filter *f, bool inner)
{
	void *layers = layers_of(param, inner),
	     *misc = prm_fte_match_param_at_misc_parameters(param);
	uint32_t label = be32toh(f->ipv6.flow_label) & 0xfffff;

	memcpy(prm_fte_match_set_lyr_2_4_at_src_ipv4_src_ipv6(layers), f->ipv6.src_ip, 16);
	memcpy(prm_fte_match_set_lyr_2_4_at_dst_ipv4_dst_ipv6(layers), f->ipv6.dst_ip, 16);
	put_tos(layers, f->ipv6.traffic_class);
	if (inner)
		prm_fte_match_set_misc_set_inner_ipv6_flow_label(misc, label);
	else
		prm_fte_match_set_misc_set_outer_ipv6_flow_label(misc, label);
}

static int check_ipv6(struct spec_sum *s, const union filter *v, const union filter *m, bool inner)
{
	int err = put_version(s, inner, 6, 0x86dd);

	if (m->ipv6.hop_limit)
		return refuse(-EOPNOTSUPP,
			      "CREATE_FLOW: an IPv6 spec's hop_limit can't be matched");
	return err ?: put_proto(s, inner, v->ipv6.next_hdr, m->ipv6.next_hdr);
}

static void put_tcp(uint8_t *param, const union filter *f, bool inner)
{
	prm_fte_match_set_lyr_2_4_set_tcp_sport(layers_of(param, inner),
						be16toh(f->ports.src_port));
	prm_fte_match_set_lyr_2_4_set_tcp_dport(layers_of(param, inner),
						be16toh(f->ports.dst_port));
}

static void put_udp(uint8_t *param, const union filter *f, bool inner)
{
	prm_fte_match_set_lyr_2_4_set_udp_sport(layers_of(param, inner),
						be16toh(f->ports.src_port));
	prm_fte_match_set_lyr_2_4_set_udp_dport(layers_of(param, inner),
						be16toh(f->ports.dst_port));
}

static void put_vxlan(uint8_t *param, const union filter *f, bool inner)
{
	(void)inner;
	prm_fte_match_set_misc_set_vxlan_vni(prm_fte_match_param_at_misc_parameters(param),
					     be32toh(f->tunnel.tunnel_id) & 0xffffff);
}

static void put_gre(uint8_t *param, const union filter *f, bool inner)
{
	void *misc = prm_fte_match_param_at_misc_parameters(param);

	(void)inner;
	prm_fte_match_set_misc_set_gre_protocol(misc, be16toh(f->gre.protocol));
	prm_gre_key_set_key(prm_fte_match_set_misc_at_gre_key(misc), be32toh(f->gre.key));
}

static int check_gre(struct spec_sum *s, const union filter *v, const union filter *m, bool inner)
{
	(void)s, (void)v, (void)inner;
	return m->gre.c_ks_res0_ver
		       ? refuse(-EOPNOTSUPP,
				"CREATE_FLOW: a GRE spec's c_ks_res0_ver can't be matched")
		       : 0;
}

static void put_mpls(uint8_t *param, const union filter *f, bool inner)
{
	void *misc2 = prm_fte_match_param_at_misc_parameters_2(param);

	memcpy(inner ? prm_fte_match_set_misc2_at_inner_first_mpls(misc2)
		     : prm_fte_match_set_misc2_at_outer_first_mpls(misc2),
	       &f->mpls.label, sizeof(f->mpls.label));
}

#define SPEC_EMPTY 1 /* returned by a check: the spec matches everything */

/* Checks for the spec before: after UDP or GRE a label is another field, as in mlx5_ib. */
static int check_mpls(struct spec_sum *s, const union filter *v, const union filter *m, bool inner)
{
	const char *in = s->before == SPEC_UDP ? "udp" : "gre";

	(void)v, (void)inner;
	if (s->before != SPEC_UDP && s->before != SPEC_GRE)
		return 0;
	return m->mpls.label ? refuse(-EOPNOTSUPP,
				      "CREATE_FLOW: there is no "
				      "ft_field_support.outer_first_mpls_over_%s",
				      in)
			     : SPEC_EMPTY;
}

/* --- actions -------------------------------------------------------------------------------- */

static int act_tag(struct spec_sum *s, uint32_t tag)
{
	if (tag >> TAG_BITS)
		return refuse(-EINVAL, "CREATE_FLOW: tag 0x%x has more than %u bits", tag,
			      TAG_BITS);
	s->act.has_tag = true;
	s->act.tag = tag;
	return 0;
}

static int act_drop(struct spec_sum *s, uint32_t unused)
{
	(void)unused;
	s->act.action |= PRM_FLOW_ACTION_DROP;
	return 0;
}

static int act_handle(struct spec_sum *s, uint32_t handle)
{
	struct flow_action *a;
	int err = uobj_find(s->f, handle, &flow_action_class, &a);

	if (err)
		return err;
	if (s->fl->actions[0])
		return refuse(-EINVAL, "CREATE_FLOW: a second flow action");
	s->fl->actions[0] = a;
	return flow_action_add(a, &s->act);
}

static int act_count(struct spec_sum *s, uint32_t handle)
{
	struct uverbs_counters *c;
	int err = uobj_find(s->f, handle, &counters_class, &c);

	if (err)
		return err;
	if (s->fl->counters)
		return refuse(-EINVAL, "CREATE_FLOW: a second counters object");
	s->fl->counters = c;
	return 0;
}

/* --- a list of specs ------------------------------------------------------------------------ */

static const struct spec_row {
	uint32_t type;
	uint8_t len;   /* of the value or of an action's argument */
	uint8_t proto; /* IP protocol that the header implies; 0: none */
	void (*put)(uint8_t *param, const union filter *, bool inner); /* value or mask */
	int (*check)(struct spec_sum *, const union filter *, const union filter *, bool inner);
	int (*act)(struct spec_sum *, uint32_t word); /* for actions: they have no value and mask */
} specs[] = {
	{SPEC_ETH, sizeof(struct ib_uverbs_flow_eth_filter), 0, put_eth, check_eth, NULL},
	{SPEC_IPV4, sizeof(struct ib_uverbs_flow_ipv4_filter), 0, put_ipv4, check_ipv4, NULL},
	{SPEC_IPV6, sizeof(struct ib_uverbs_flow_ipv6_filter), 0, put_ipv6, check_ipv6, NULL},
	{SPEC_TCP, sizeof(struct ib_uverbs_flow_tcp_udp_filter), PROTO_TCP, put_tcp, NULL, NULL},
	{SPEC_UDP, sizeof(struct ib_uverbs_flow_tcp_udp_filter), PROTO_UDP, put_udp, NULL, NULL},
	{SPEC_VXLAN, sizeof(struct ib_uverbs_flow_tunnel_filter), 0, put_vxlan, NULL, NULL},
	{SPEC_GRE, sizeof(struct ib_uverbs_flow_gre_filter), PROTO_GRE, put_gre, check_gre, NULL},
	{SPEC_MPLS, sizeof(struct ib_uverbs_flow_mpls_filter), 0, put_mpls, check_mpls, NULL},
	{SPEC_TAG, 8, 0, NULL, NULL, act_tag},
	{SPEC_DROP, 0, 0, NULL, NULL, act_drop},
	{SPEC_HANDLE, 8, 0, NULL, NULL, act_handle},
	{SPEC_COUNT, 8, 0, NULL, NULL, act_count},
};

static const struct spec_row *flow_spec_find_row(uint32_t type)
{
	for (size_t i = 0; i < sizeof(specs) / sizeof(specs[0]); i++) {
		if (specs[i].type == type)
			return &specs[i];
	}
	return NULL;
}

/* Copies a value or mask. Additional bytes of a newer library must be zero. */
static int take_filter(union filter *to, const uint8_t *from, size_t len, size_t known)
{
	memset(to, 0, sizeof(*to));
	memcpy(to, from, len < known ? len : known);
	for (size_t i = known; i < len; i++) {
		if (from[i])
			return refuse(-EOPNOTSUPP, "CREATE_FLOW: byte %zu of a spec is not known",
				      i);
	}
	return 0;
}

static int add_header(struct spec_sum *s, const struct spec_row *row, const union filter *value,
		      const union filter *mask, bool inner)
{
	int err = row->check ? row->check(s, value, mask, inner) : 0;

	if (err)
		return err == SPEC_EMPTY ? 0 : err;
	row->put(s->match.value, value, inner);
	row->put(s->match.mask, mask, inner);
	return row->proto ? put_proto(s, inner, row->proto, 0xff) : 0;
}

static int add_spec(struct spec_sum *s, const uint8_t *at, const struct ib_uverbs_flow_spec_hdr *h)
{
	bool inner = h->type & SPEC_INNER;
	const struct spec_row *row = flow_spec_find_row(h->type & ~(uint32_t)SPEC_INNER);
	size_t body = h->size - sizeof(*h), half = body / 2;
	union filter value, mask = {0};
	int err;

	if (!row || (inner && row->act) || h->reserved)
		return refuse(row ? -EINVAL : -EOPNOTSUPP,
			      "CREATE_FLOW: spec type 0x%x is not offered", h->type);
	if (row->act && body != row->len)
		return refuse(-EINVAL, "CREATE_FLOW: spec type 0x%x has size %u", h->type, h->size);
	at += sizeof(*h);
	err = take_filter(&value, at, row->act ? body : half, row->act ? 4 : row->len);
	if (row->act)
		return err ?: row->act(s, value.word);
	if (!err)
		err = take_filter(&mask, at + half, half, row->len);
	return err ?: add_header(s, row, &value, &mask, inner);
}

int flow_add_specs(struct spec_sum *s, const struct ib_uverbs_flow_attr *attr, const uint8_t *bytes)
{
	uint32_t at = 0;

	for (s->n = 0; s->n < attr->num_of_specs; s->n++) {
		struct ib_uverbs_flow_spec_hdr h;
		int err;

		if (attr->size - at < sizeof(h))
			return refuse(-EINVAL, "CREATE_FLOW: spec %u lies behind the end", s->n);
		memcpy(&h, bytes + at, sizeof(h));
		if (h.size < sizeof(h) || h.size > attr->size - at)
			return refuse(-EINVAL,
				      "CREATE_FLOW: spec %u has size %u, %u bytes are left", s->n,
				      h.size, attr->size - at);
		err = add_spec(s, bytes + at, &h);
		if (err)
			return err;
		s->before = h.type;
		at += h.size;
	}
	return at == attr->size ? 0
				: refuse(-EINVAL, "CREATE_FLOW: %u bytes behind the last spec",
					 attr->size - at);
}
