/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * ibv_create_flow: a list of verbs' specs becomes a match and what is done, as mlx5_ib translates
 * them. A spec is a header, a value and a mask of the same length; an older library's are shorter.
 */
#include <endian.h>
#include <errno.h>
#include <stddef.h>
#include <string.h>
#include <dvx/prm/flow.h>
#include <dvx/prm/match.h>
#include <rdma/ib_user_ioctl_cmds.h>
#include <rdma/ib_user_verbs.h>
#include <rdma/mlx5-abi.h>
#include "flow.h"

#define MAX_SPECS 10u /* IB_FLOW_SPEC_SUPPORT_LAYERS */
#define TAG_BITS  24

/* enum ib_flow_spec_type, enum ib_flow_flags: the kernel's own, the same as ibverbs'. */
enum {
	SPEC_ETH = 0x20,
	SPEC_IPV4 = 0x30,
	SPEC_IPV6 = 0x31,
	SPEC_TCP = 0x40,
	SPEC_UDP = 0x41,
	SPEC_VXLAN = 0x50,
	SPEC_INNER = 0x100,
	SPEC_TAG = 0x1000,
	SPEC_DROP = 0x1001,
	SPEC_HANDLE = 0x1002,
	SPEC_COUNT = 0x1003,
};
#define FLAG_DONT_TRAP (1u << 1)
#define FLAG_EGRESS    (1u << 2)

#define PROTO_TCP      6
#define PROTO_UDP      17
#define VLAN_PRIO      13
#define VLAN_CFI       12

/* What the specs add up to. */
struct spec_sum {
	struct kfile *f;
	struct flow *fl;
	struct fs_match match;
	struct fs_act act;
	bool multicast; /* by its first spec */
	unsigned int n;
};

/* One spec's value and mask, or all of an action. */
union filter {
	struct ib_uverbs_flow_eth_filter eth;
	struct ib_uverbs_flow_ipv4_filter ipv4;
	struct ib_uverbs_flow_ipv6_filter ipv6;
	struct ib_uverbs_flow_tcp_udp_filter ports;
	struct ib_uverbs_flow_tunnel_filter tunnel;
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

/* Beside an EtherType that a spec named, only the one of this IP version makes sense. */
static int put_version(void *value, void *mask, uint32_t version, uint16_t ethertype)
{
	uint32_t types = prm_fte_match_set_lyr_2_4_get_ethertype(mask);

	if (types &&
	    (types != 0xffff || prm_fte_match_set_lyr_2_4_get_ethertype(value) != ethertype))
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
	s->fl->counters = (struct kcounters *)u;
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
	{SPEC_TAG, true, 8, add_tag},
	{SPEC_DROP, true, 0, add_drop},
	{SPEC_HANDLE, true, 8, add_handle},
	{SPEC_COUNT, true, 8, add_count},
};

static const struct spec_row *find_row(uint32_t type)
{
	for (size_t i = 0; i < sizeof(specs) / sizeof(specs[0]); i++) {
		if (specs[i].type == type)
			return &specs[i];
	}
	return NULL;
}

/* What a library knows beyond us must be zero. */
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
	const struct spec_row *row = find_row(h->type & ~(uint32_t)SPEC_INNER);
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

static int add_specs(struct spec_sum *s, const struct ib_uverbs_flow_attr *attr,
		     const uint8_t *bytes)
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
		at += h.size;
	}
	return at == attr->size ? 0
				: refuse(-EINVAL, "CREATE_FLOW: %u bytes behind the last spec",
					 attr->size - at);
}

/* --- the command ---------------------------------------------------------------------------- */

static int check_attr(const struct wcmd *c, const struct ib_uverbs_create_flow *in)
{
	const struct ib_uverbs_flow_attr *a = &in->flow_attr;

	if (in->comp_mask || a->reserved[0] || a->reserved[1])
		return refuse(-EINVAL, "CREATE_FLOW: comp_mask or a reserved byte is set");
	if (a->num_of_specs > MAX_SPECS || c->in_len > WCMD_IN_BYTES ||
	    a->size > c->in_len - sizeof(*in))
		return refuse(-EINVAL,
			      "CREATE_FLOW: num_of_specs %u, size %u: at most %u specs, "
			      "in %zu bytes",
			      a->num_of_specs, a->size, MAX_SPECS, c->in_len - sizeof(*in));
	if (a->priority >= FS_USER_PRIOS)
		return refuse(-ENOMEM, "CREATE_FLOW: priority %u, there are %u", a->priority,
			      FS_USER_PRIOS);
	if (a->port > 1 || a->flags & ~(FLAG_DONT_TRAP | FLAG_EGRESS))
		return refuse(-EINVAL,
			      "CREATE_FLOW: port %u, flags 0x%x: port 1, and the flags "
			      "DONT_TRAP and EGRESS are known",
			      a->port, a->flags);
	return 0;
}

static int check_kind(const struct ib_uverbs_flow_attr *a)
{
	bool leftovers = a->type == FLOW_ALL_DEFAULT || a->type == FLOW_MC_DEFAULT;

	if (a->type != FLOW_NORMAL && !leftovers)
		return refuse(-EOPNOTSUPP, "CREATE_FLOW: type %u: there are no sniffer tables",
			      a->type);
	if (leftovers && (a->flags & FLAG_EGRESS || a->num_of_specs))
		return refuse(-EINVAL, "CREATE_FLOW: a default flow has no specs and receives");
	return 0;
}

/* mlx5_ib's own part: the points of a counters object. NULL: none came. */
static int find_points(struct wcmd *c, const struct mlx5_ib_flow_counters_data **points)
{
	const struct kattr *uhw = kattr_find(c->req, UVERBS_ATTR_UHW_IN);
	const struct mlx5_ib_create_flow *in = uhw ? (const void *)uhw->in : NULL;
	size_t need = sizeof(*in);

	*points = NULL;
	if (!uhw || !uhw->len)
		return 0;
	if (uhw->len < need)
		return refuse(-EOPNOTSUPP, "CREATE_FLOW: mlx5's part has %u bytes", uhw->len);
	if (in->ncounters_data > 1)
		return refuse(-EINVAL, "CREATE_FLOW: ncounters_data %u: one object at most",
			      in->ncounters_data);
	need += in->ncounters_data * sizeof(in->data[0]);
	if (uhw->len < need)
		return refuse(-EINVAL, "CREATE_FLOW: mlx5's part ends in its counters");
	if (in->ncounters_data)
		*points = &in->data[0];
	return 0;
}

static uint8_t parts_of(const uint8_t mask[FS_PARAM])
{
	uint8_t enable = 0;

	for (unsigned int i = 0; i < FS_PARAM; i++) {
		if (mask[i])
			enable |= (uint8_t)(1u << i / 64);
	}
	return enable;
}

/* Multicast, or all but multicast: the bit of a group in a MAC address. */
static void match_group(struct fs_match *m, bool group)
{
	memset(m, 0, sizeof(*m));
	m->enable = 1;
	prm_fte_match_set_lyr_2_4_set_dmac_47_16(layers_of(m->mask, false), 1u << 24);
	prm_fte_match_set_lyr_2_4_set_dmac_47_16(layers_of(m->value, false), (uint32_t)group << 24);
}

static int add_leftovers(struct spec_sum *s, bool all)
{
	int err;

	match_group(&s->match, true);
	err = fs_add(s->f->k, s->f->vhca, FS_RX, FS_PRIO_LEFTOVERS, &s->match, &s->act,
		     &s->fl->rules[0]);
	if (err || !all)
		return err;
	match_group(&s->match, false);
	err = fs_add(s->f->k, s->f->vhca, FS_RX, FS_PRIO_LEFTOVERS, &s->match, &s->act,
		     &s->fl->rules[1]);
	if (err)
		fs_del(s->fl->rules[0]);
	return err;
}

static int add_normal(struct spec_sum *s, const struct ib_uverbs_flow_attr *a)
{
	bool dont_trap = a->flags & FLAG_DONT_TRAP, egress = a->flags & FLAG_EGRESS;

	s->match.enable = parts_of(s->match.mask);
	if (dont_trap && !(s->act.action & PRM_FLOW_ACTION_DROP))
		s->act.next = FS_NEXT_PRIO;
	return fs_add(s->f->k, s->f->vhca, egress ? FS_TX : FS_RX,
		      s->multicast && !dont_trap ? FS_PRIO_MCAST : fs_prio(a->priority, dont_trap),
		      &s->match, &s->act, &s->fl->rules[0]);
}

/* Where packets go: the QP, unless they are dropped or sent. */
static int set_end(struct spec_sum *s, bool egress)
{
	if (s->act.action & PRM_FLOW_ACTION_DROP)
		return 0;
	if (egress)
		s->act.action |= PRM_FLOW_ACTION_ALLOW;
	else if (s->fl->qp->raw.tirn)
		s->act.tirn = s->fl->qp->raw.tirn;
	else
		return refuse(-EINVAL, "CREATE_FLOW: QP 0x%x receives no raw packets",
			      s->fl->qp->qpn);
	return 0;
}

static int make(struct spec_sum *s, const struct ib_uverbs_flow_attr *a, const uint8_t *bytes,
		const struct mlx5_ib_flow_counters_data *points)
{
	int err = add_specs(s, a, bytes);

	if (!err)
		err = set_end(s, a->flags & FLAG_EGRESS);
	if (!err && s->fl->counters)
		err = counters_bind(s->fl->counters, points);
	if (err)
		return err;
	if (s->fl->counters)
		s->act.counter = s->fl->counters->id;
	if (a->type == FLOW_NORMAL)
		err = add_normal(s, a);
	else
		err = add_leftovers(s, a->type == FLOW_ALL_DEFAULT);
	if (err && s->fl->counters)
		counters_unbind(s->fl->counters);
	return err;
}

int wcmd_create_flow(struct wcmd *c)
{
	const struct ib_uverbs_create_flow *in = c->in;
	const struct mlx5_ib_flow_counters_data *points;
	struct ib_uverbs_create_flow_resp resp = {0};
	struct spec_sum s = {.f = c->f};
	struct uobj *qp;
	int err = check_attr(c, in);

	if (!err)
		err = check_kind(&in->flow_attr);
	if (!err)
		err = find_points(c, &points);
	if (!err)
		err = uobj_find(c->f, in->qp_handle, &qp_class, &qp);
	if (!err && !((struct kqp *)qp)->raw.on)
		err = refuse(-EINVAL, "CREATE_FLOW: QP 0x%x is none of raw packets",
			     ((struct kqp *)qp)->qpn);
	if (err)
		return err;
	s.fl = flow_new(c->f);
	if (!s.fl)
		return -ENOMEM;
	s.fl->qp = (struct kqp *)qp;
	err = make(&s, &in->flow_attr, (const uint8_t *)(in + 1), points);
	if (err) {
		uobj_drop(&s.fl->u);
		return err;
	}
	flow_hold(s.fl);
	resp.flow_handle = s.fl->u.id;
	wcmd_out(c, &resp, sizeof(resp));
	return 0;
}
