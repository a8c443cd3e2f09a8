/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * ibv_create_flow: a list of verbs' specs becomes a match and actions, as mlx5_ib translates them.
 * A spec is a header, a value and a mask of the same length; an older library's are shorter.
 */
#include <endian.h>
#include <errno.h>
#include <stddef.h>
#include <string.h>
#include <dvx/prm/flow.h>
#include <dvx/prm/match.h>
#include "flow_spec.h"

#define TAG_BITS 24

/* enum ib_flow_spec_type: the kernel's own, the same as ibverbs'. */
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

/* One spec's value and mask, or all of an action. */
union filter {
	struct ib_uverbs_flow_eth_filter eth;
	struct ib_uverbs_flow_ipv4_filter ipv4;
	struct ib_uverbs_flow_ipv6_filter ipv6;
	struct ib_uverbs_flow_tcp_udp_filter ports;
	struct ib_uverbs_flow_tunnel_filter tunnel;
	struct ib_uverbs_flow_gre_filter gre;
	struct ib_uverbs_flow_mpls_filter mpls;
	uint32_t word; /* of an action: a tag or a handle */
};

/* --- headers -------------------------------------------------------------------------------- */

static void *layers_of(uint8_t *param, bool inner)
{
	return inner ? prm_fte_match_param_at_inner_headers(param)
		     : prm_fte_match_param_at_outer_headers(param);
}

static void put_mac(void *layers, const struct ib_uverbs_flow_eth_filter *f)
{
	prm_fte_match_set_lyr_2_4_set_dmac_47_16(layers, prm_load32(f->dst_mac, 0));
	prm_fte_match_set_lyr_2_4_set_dmac_15_0(layers, prm_load16(f->dst_mac, 4));
	prm_fte_match_set_lyr_2_4_set_smac_47_16(layers, prm_load32(f->src_mac, 0));
	prm_fte_match_set_lyr_2_4_set_smac_15_0(layers, prm_load16(f->src_mac, 4));
	prm_fte_match_set_lyr_2_4_set_ethertype(layers, be16toh(f->ether_type));
}

static void put_vlan(void *layers, uint16_t tci)
{
	prm_fte_match_set_lyr_2_4_set_cvlan_tag(layers, 1);
	prm_fte_match_set_lyr_2_4_set_first_vid(layers, tci & 0xfffu);
	prm_fte_match_set_lyr_2_4_set_first_cfi(layers, tci >> VLAN_CFI & 1u);
	prm_fte_match_set_lyr_2_4_set_first_prio(layers, (uint32_t)tci >> VLAN_PRIO);
}

static int add_eth(struct spec_sum *s, const union filter *v, const union filter *m, bool inner)
{
	void *value = layers_of(s->match.value, inner), *mask = layers_of(s->match.mask, inner);

	put_mac(value, &v->eth);
	put_mac(mask, &m->eth);
	if (m->eth.vlan_tag) {
		put_vlan(value, be16toh(v->eth.vlan_tag));
		put_vlan(mask, be16toh(m->eth.vlan_tag));
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

/* Two specs may name the protocol, if they agree. */
static int put_proto(void *value, void *mask, uint8_t v, uint8_t m)
{
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

/* Beside an EtherType that a spec named, only MPLS and the one of this IP version make sense. */
static bool carries(uint32_t type, uint16_t ethertype)
{
	return type == ethertype || type == TYPE_MPLS || type == TYPE_MPLS_MC;
}

static int put_version(void *value, void *mask, uint32_t version, uint16_t ethertype)
{
	uint32_t types = prm_fte_match_set_lyr_2_4_get_ethertype(mask);

	if (types && (types != 0xffff ||
		      !carries(prm_fte_match_set_lyr_2_4_get_ethertype(value), ethertype)))
		return refuse(-EINVAL,
			      "CREATE_FLOW: ether_type 0x%x under mask 0x%x contradicts an IPv%u "
			      "spec",
			      prm_fte_match_set_lyr_2_4_get_ethertype(value), types, version);
	prm_fte_match_set_lyr_2_4_set_ip_version(value, version);
	prm_fte_match_set_lyr_2_4_set_ip_version(mask, 0xf);
	return 0;
}

static void put_ipv4(void *layers, const struct ib_uverbs_flow_ipv4_filter *f)
{
	prm_ipv4_layout_set_ipv4(prm_fte_match_set_lyr_2_4_at_src_ipv4_src_ipv6(layers),
				 be32toh(f->src_ip));
	prm_ipv4_layout_set_ipv4(prm_fte_match_set_lyr_2_4_at_dst_ipv4_dst_ipv6(layers),
				 be32toh(f->dst_ip));
	put_tos(layers, f->tos);
}

static int add_ipv4(struct spec_sum *s, const union filter *v, const union filter *m, bool inner)
{
	void *value = layers_of(s->match.value, inner), *mask = layers_of(s->match.mask, inner);
	int err = put_version(value, mask, 4, 0x0800);

	if (m->ipv4.ttl || m->ipv4.flags)
		return refuse(-EOPNOTSUPP, "CREATE_FLOW: an IPv4 spec's ttl and flags can't be "
					   "matched");
	put_ipv4(value, &v->ipv4);
	put_ipv4(mask, &m->ipv4);
	if (!s->n)
		s->multicast = be32toh(v->ipv4.dst_ip) >> 28 == 0xe;
	return err ? err : put_proto(value, mask, v->ipv4.proto, m->ipv4.proto);
}

static void put_ipv6(void *layers, const struct ib_uverbs_flow_ipv6_filter *f)
{
	memcpy(prm_fte_match_set_lyr_2_4_at_src_ipv4_src_ipv6(layers), f->src_ip, 16);
	memcpy(prm_fte_match_set_lyr_2_4_at_dst_ipv4_dst_ipv6(layers), f->dst_ip, 16);
	put_tos(layers, f->traffic_class);
}

static void put_label(uint8_t *param, uint32_t label, bool inner)
{
	void *misc = prm_fte_match_param_at_misc_parameters(param);

	if (inner)
		prm_fte_match_set_misc_set_inner_ipv6_flow_label(misc, label & 0xfffff);
	else
		prm_fte_match_set_misc_set_outer_ipv6_flow_label(misc, label & 0xfffff);
}

static int add_ipv6(struct spec_sum *s, const union filter *v, const union filter *m, bool inner)
{
	void *value = layers_of(s->match.value, inner), *mask = layers_of(s->match.mask, inner);
	int err = put_version(value, mask, 6, 0x86dd);

	if (m->ipv6.hop_limit)
		return refuse(-EOPNOTSUPP,
			      "CREATE_FLOW: an IPv6 spec's hop_limit can't be matched");
	put_ipv6(value, &v->ipv6);
	put_ipv6(mask, &m->ipv6);
	put_label(s->match.value, be32toh(v->ipv6.flow_label), inner);
	put_label(s->match.mask, be32toh(m->ipv6.flow_label), inner);
	return err ? err : put_proto(value, mask, v->ipv6.next_hdr, m->ipv6.next_hdr);
}

static int add_tcp(struct spec_sum *s, const union filter *v, const union filter *m, bool inner)
{
	void *value = layers_of(s->match.value, inner), *mask = layers_of(s->match.mask, inner);

	prm_fte_match_set_lyr_2_4_set_tcp_sport(value, be16toh(v->ports.src_port));
	prm_fte_match_set_lyr_2_4_set_tcp_dport(value, be16toh(v->ports.dst_port));
	prm_fte_match_set_lyr_2_4_set_tcp_sport(mask, be16toh(m->ports.src_port));
	prm_fte_match_set_lyr_2_4_set_tcp_dport(mask, be16toh(m->ports.dst_port));
	return put_proto(value, mask, PROTO_TCP, 0xff);
}

static int add_udp(struct spec_sum *s, const union filter *v, const union filter *m, bool inner)
{
	void *value = layers_of(s->match.value, inner), *mask = layers_of(s->match.mask, inner);

	prm_fte_match_set_lyr_2_4_set_udp_sport(value, be16toh(v->ports.src_port));
	prm_fte_match_set_lyr_2_4_set_udp_dport(value, be16toh(v->ports.dst_port));
	prm_fte_match_set_lyr_2_4_set_udp_sport(mask, be16toh(m->ports.src_port));
	prm_fte_match_set_lyr_2_4_set_udp_dport(mask, be16toh(m->ports.dst_port));
	return put_proto(value, mask, PROTO_UDP, 0xff);
}

static int add_vxlan(struct spec_sum *s, const union filter *v, const union filter *m, bool inner)
{
	void *value = prm_fte_match_param_at_misc_parameters(s->match.value);
	void *mask = prm_fte_match_param_at_misc_parameters(s->match.mask);

	(void)inner;
	prm_fte_match_set_misc_set_vxlan_vni(value, be32toh(v->tunnel.tunnel_id) & 0xffffff);
	prm_fte_match_set_misc_set_vxlan_vni(mask, be32toh(m->tunnel.tunnel_id) & 0xffffff);
	return 0;
}

static void put_gre(uint8_t *param, const struct ib_uverbs_flow_gre_filter *f)
{
	void *misc = prm_fte_match_param_at_misc_parameters(param);

	prm_fte_match_set_misc_set_gre_protocol(misc, be16toh(f->protocol));
	prm_gre_key_set_key(prm_fte_match_set_misc_at_gre_key(misc), be32toh(f->key));
}

static int add_gre(struct spec_sum *s, const union filter *v, const union filter *m, bool inner)
{
	if (m->gre.c_ks_res0_ver)
		return refuse(-EOPNOTSUPP, "CREATE_FLOW: a GRE spec's c_ks_res0_ver can't be "
					   "matched");
	put_gre(s->match.value, &v->gre);
	put_gre(s->match.mask, &m->gre);
	return put_proto(layers_of(s->match.value, inner), layers_of(s->match.mask, inner),
			 PROTO_GRE, 0xff);
}

static void put_mpls(uint8_t *param, __be32 label, bool inner)
{
	void *misc2 = prm_fte_match_param_at_misc_parameters_2(param);

	memcpy(inner ? prm_fte_match_set_misc2_at_inner_first_mpls(misc2)
		     : prm_fte_match_set_misc2_at_outer_first_mpls(misc2),
	       &label, sizeof(label));
}

/* By the spec before, as in mlx5_ib: inside UDP and GRE a label is another field. */
static int add_mpls(struct spec_sum *s, const union filter *v, const union filter *m, bool inner)
{
	const char *in = s->before == SPEC_UDP ? "udp" : "gre";

	if (s->before == SPEC_UDP || s->before == SPEC_GRE)
		return m->mpls.label ? refuse(-EOPNOTSUPP,
					      "CREATE_FLOW: there is no "
					      "ft_field_support.outer_first_mpls_over_%s",
					      in)
				     : 0;
	put_mpls(s->match.value, v->mpls.label, inner);
	put_mpls(s->match.mask, m->mpls.label, inner);
	return 0;
}

/* --- actions -------------------------------------------------------------------------------- */

static int add_tag(struct spec_sum *s, const union filter *v, const union filter *m, bool inner)
{
	(void)m;
	(void)inner;
	if (v->word >> TAG_BITS)
		return refuse(-EINVAL, "CREATE_FLOW: tag 0x%x has more than %u bits", v->word,
			      TAG_BITS);
	s->act.has_tag = true;
	s->act.tag = v->word;
	return 0;
}

static int add_drop(struct spec_sum *s, const union filter *v, const union filter *m, bool inner)
{
	(void)v;
	(void)m;
	(void)inner;
	s->act.action |= PRM_FLOW_ACTION_DROP;
	return 0;
}

static int add_handle(struct spec_sum *s, const union filter *v, const union filter *m, bool inner)
{
	struct uobj *u;
	int err = uobj_find(s->f, v->word, &flow_action_class, &u);

	(void)m;
	(void)inner;
	if (err)
		return err;
	if (s->fl->actions[0])
		return refuse(-EINVAL, "CREATE_FLOW: a second flow action");
	s->fl->actions[0] = (struct flow_action *)u;
	s->act.action |= PRM_FLOW_ACTION_MOD_HDR;
	s->act.modify_id = s->fl->actions[0]->modify_id;
	return 0;
}

static int add_count(struct spec_sum *s, const union filter *v, const union filter *m, bool inner)
{
	struct uobj *u;
	int err = uobj_find(s->f, v->word, &counters_class, &u);

	(void)m;
	(void)inner;
	if (err)
		return err;
	if (s->fl->counters)
		return refuse(-EINVAL, "CREATE_FLOW: a second counters object");
	s->fl->counters = (struct uverbs_counters *)u;
	return 0;
}

/* --- a list of specs ------------------------------------------------------------------------ */

static const struct spec_row {
	uint32_t type;
	bool action; /* no value and mask */
	uint8_t len; /* of the value; of an action, what follows its header */
	int (*add)(struct spec_sum *, const union filter *, const union filter *, bool inner);
} specs[] = {
	{SPEC_ETH, false, sizeof(struct ib_uverbs_flow_eth_filter), add_eth},
	{SPEC_IPV4, false, sizeof(struct ib_uverbs_flow_ipv4_filter), add_ipv4},
	{SPEC_IPV6, false, sizeof(struct ib_uverbs_flow_ipv6_filter), add_ipv6},
	{SPEC_TCP, false, sizeof(struct ib_uverbs_flow_tcp_udp_filter), add_tcp},
	{SPEC_UDP, false, sizeof(struct ib_uverbs_flow_tcp_udp_filter), add_udp},
	{SPEC_VXLAN, false, sizeof(struct ib_uverbs_flow_tunnel_filter), add_vxlan},
	{SPEC_GRE, false, sizeof(struct ib_uverbs_flow_gre_filter), add_gre},
	{SPEC_MPLS, false, sizeof(struct ib_uverbs_flow_mpls_filter), add_mpls},
	{SPEC_TAG, true, 8, add_tag},
	{SPEC_DROP, true, 0, add_drop},
	{SPEC_HANDLE, true, 8, add_handle},
	{SPEC_COUNT, true, 8, add_count},
};

static const struct spec_row *flow_spec_find_row(uint32_t type)
{
	for (size_t i = 0; i < sizeof(specs) / sizeof(specs[0]); i++) {
		if (specs[i].type == type)
			return &specs[i];
	}
	return NULL;
}

/* Bytes of a newer library's spec must be zero. */
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

static int add_spec(struct spec_sum *s, const uint8_t *at, const struct ib_uverbs_flow_spec_hdr *h)
{
	bool inner = h->type & SPEC_INNER;
	const struct spec_row *row = flow_spec_find_row(h->type & ~(uint32_t)SPEC_INNER);
	size_t body = h->size - sizeof(*h), half = body / 2;
	union filter value, mask = {0};
	int err;

	if (!row || (inner && row->action) || h->reserved)
		return refuse(row ? -EINVAL : -EOPNOTSUPP,
			      "CREATE_FLOW: spec type 0x%x is not "
			      "offered",
			      h->type);
	if (row->action && body != row->len)
		return refuse(-EINVAL, "CREATE_FLOW: spec type 0x%x has size %u", h->type, h->size);
	at += sizeof(*h);
	err = take_filter(&value, at, row->action ? body : half, row->action ? 4 : row->len);
	if (!err && !row->action)
		err = take_filter(&mask, at + half, half, row->len);
	return err ? err : row->add(s, &value, &mask, inner);
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
