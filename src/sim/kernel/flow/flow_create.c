/* SPDX-License-Identifier: BSD-2-Clause */
/* ibv_create_flow: makes a rule from specs of verbs and a QP, as mlx5_ib does. */
#include <errno.h>
#include <stddef.h>
#include <string.h>
#include <dvx/prm/flow.h>
#include <dvx/prm/match.h>
#include <rdma/ib_user_ioctl_cmds.h>
#include <rdma/mlx5-abi.h>
#include "flow_spec.h"
#include "obj/rep.h"

#define MAX_SPECS 10u					  /* IB_FLOW_SPEC_SUPPORT_LAYERS */
#define SPEC_MOST sizeof(struct ib_uverbs_flow_spec_ipv6) /* the largest */
_Static_assert(sizeof(struct ib_uverbs_create_flow) + MAX_SPECS * SPEC_MOST <= WCMD_IN_BYTES,
	       "all specs are read");

/* enum ib_flow_flags */
#define PART_MISC_2    (1u << 3) /* of match_criteria_enable */

#define FLAG_DONT_TRAP (1u << 1)
#define FLAG_EGRESS    (1u << 2)

static int flow_create_check_attr(const struct wcmd *c, const struct ib_uverbs_create_flow *in)
{
	const struct ib_uverbs_flow_attr *a = &in->flow_attr;
	int err;

	if (in->comp_mask || a->reserved[0] || a->reserved[1])
		return refuse(-EINVAL, "CREATE_FLOW: comp_mask or a reserved byte is set");
	if (a->num_of_specs > MAX_SPECS || a->size > a->num_of_specs * SPEC_MOST)
		return refuse(-EINVAL, "CREATE_FLOW: num_of_specs %u, size %u: at most %u specs",
			      a->num_of_specs, a->size, MAX_SPECS);
	if (a->size > c->in_len - sizeof(*in))
		return refuse(-ENOSPC, "CREATE_FLOW: size %u, but %zu bytes follow", a->size,
			      c->in_len - sizeof(*in));
	err = wcmd_end(c, "CREATE_FLOW", sizeof(*in) + a->size);
	if (err)
		return err;
	if (a->priority >= FS_USER_PRIOS)
		return refuse(-ENOMEM, "CREATE_FLOW: priority %u, there are %u", a->priority,
			      FS_USER_PRIOS);
	if (!a->port || a->port > vhca_ports(c->f->vhca) ||
	    a->flags & ~(FLAG_DONT_TRAP | FLAG_EGRESS))
		return refuse(-EINVAL,
			      "CREATE_FLOW: port %u, flags 0x%x: there are %u ports, and the flags "
			      "DONT_TRAP and EGRESS",
			      a->port, a->flags, vhca_ports(c->f->vhca));
	if (vhca_has_reps(c->f->vhca) &&
	    (!vhca_port_has_rep(c->f->vhca, a->port) || a->flags & FLAG_EGRESS))
		return refuse(-EINVAL,
			      "CREATE_FLOW: port %u has no representor, or the flag EGRESS is set, "
			      "which representors don't take",
			      a->port);
	return 0;
}

static int flow_create_check_kind(const struct ib_uverbs_flow_attr *a)
{
	bool leftovers = a->type == FLOW_ALL_DEFAULT || a->type == FLOW_MC_DEFAULT;

	if (a->type != FLOW_NORMAL && !leftovers)
		return refuse(-EOPNOTSUPP, "CREATE_FLOW: type %u: there are no sniffer tables",
			      a->type);
	if (leftovers && (a->flags || a->num_of_specs))
		return refuse(-EINVAL, "CREATE_FLOW: a default flow has no specs and no flags");
	return 0;
}

/* Finds mlx5_ib's part of the request, the points of a counters object. NULL: it has none. */
static int find_points(struct wcmd *c, const struct mlx5_ib_flow_counters_data **points)
{
	const struct uverbs_attr *uhw = attr_find(c->req, UVERBS_ATTR_UHW_IN);
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
	for (size_t i = need; i < uhw->len; i++)
		if (uhw->in[i])
			return refuse(
				-EOPNOTSUPP,
				"CREATE_FLOW: mlx5's part has bytes beyond %zu that are not zero",
				need);
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

/* Matches multicast packets, or all others, by the group bit of the MAC address. */
static void flow_create_match_group(struct fs_match *m, bool group)
{
	memset(m, 0, sizeof(*m));
	m->enable = 1;
	prm_fte_match_set_lyr_2_4_set_dmac_47_16(prm_fte_match_param_at_outer_headers(m->mask),
						 1u << 24);
	prm_fte_match_set_lyr_2_4_set_dmac_47_16(prm_fte_match_param_at_outer_headers(m->value),
						 (uint32_t)group << 24);
}

/* Matches the packets of the vport that a port represents. */
static void flow_create_match_port(struct spec_sum *s, unsigned int port)
{
	if (!vhca_has_reps(s->f->vhca))
		return;
	prm_fte_match_set_misc2_set_metadata_reg_c_0(
		prm_fte_match_param_at_misc_parameters_2(s->match.mask), PORT_METADATA_MASK);
	prm_fte_match_set_misc2_set_metadata_reg_c_0(
		prm_fte_match_param_at_misc_parameters_2(s->match.value),
		vhca_port_metadata(s->f->vhca, port));
	s->match.enable |= PART_MISC_2;
}

static int flow_create_add_group(struct spec_sum *s, const struct ib_uverbs_flow_attr *a,
				 bool group, struct fs_rule **rule)
{
	flow_create_match_group(&s->match, group);
	flow_create_match_port(s, a->port);
	return fs_add(s->f->k, s->f->vhca, FS_RX, FS_PRIO_LEFTOVERS, &s->match, &s->act, rule);
}

static int add_leftovers(struct spec_sum *s, const struct ib_uverbs_flow_attr *a)
{
	int err = flow_create_add_group(s, a, true, &s->fl->rules[0]);

	if (err || a->type != FLOW_ALL_DEFAULT)
		return err;
	err = flow_create_add_group(s, a, false, &s->fl->rules[1]);
	if (err)
		fs_del(s->fl->rules[0]);
	return err;
}

static int add_normal(struct spec_sum *s, const struct ib_uverbs_flow_attr *a)
{
	bool dont_trap = a->flags & FLAG_DONT_TRAP, egress = a->flags & FLAG_EGRESS;

	s->match.enable = parts_of(s->match.mask);
	flow_create_match_port(s, a->port);
	if (dont_trap && !(s->act.action & PRM_FLOW_ACTION_DROP))
		s->act.next = FS_NEXT_PRIO;
	return fs_add(s->f->k, s->f->vhca, egress ? FS_TX : FS_RX,
		      s->multicast && !dont_trap ? FS_PRIO_MCAST : fs_prio(a->priority, dont_trap),
		      &s->match, &s->act, &s->fl->rules[0]);
}

/* Sets the QP as destination, unless the rule drops packets or matches sent ones. */
static int flow_create_set_dest(struct spec_sum *s, bool egress)
{
	if (s->act.action & PRM_FLOW_ACTION_DROP)
		return 0;
	if (egress)
		s->act.action |= PRM_FLOW_ACTION_ALLOW;
	else if (s->fl->qp->raw.tirn)
		s->act.tirn = s->fl->qp->raw.tirn;
	else
		return refuse(-EINVAL, "CREATE_FLOW: QP 0x%x receives no raw packets",
			      s->fl->qp->q.u.number);
	return 0;
}

static int flow_create_make(struct spec_sum *s, const struct ib_uverbs_flow_attr *a,
			    const uint8_t *bytes, const struct mlx5_ib_flow_counters_data *points)
{
	int err = flow_add_specs(s, a, bytes) ?: flow_create_set_dest(s, a->flags & FLAG_EGRESS);

	if (!err && s->fl->counters)
		err = counters_bind(s->fl->counters, points);
	if (err)
		return err;
	if (s->fl->counters)
		s->act.counter = s->fl->counters->u.number;
	if (a->type == FLOW_NORMAL)
		err = add_normal(s, a);
	else
		err = add_leftovers(s, a);
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
	int err = flow_create_check_attr(c, in) ?:
		  flow_create_check_kind(&in->flow_attr) ?:
		  find_points(c, &points) ?:
		  uobj_find(c->f, in->qp_handle, &qp_class, &qp);

	if (!err && !((struct uverbs_qp *)qp)->raw.on)
		err = refuse(-EINVAL, "CREATE_FLOW: QP 0x%x is none of raw packets", qp->number);
	if (err)
		return err;
	s.fl = flow_new(c->f);
	if (!s.fl)
		return -ENOMEM;
	s.fl->qp = (struct uverbs_qp *)qp;
	err = flow_create_make(&s, &in->flow_attr, (const uint8_t *)(in + 1), points);
	if (err)
		return err;
	flow_hold(s.fl);
	resp.flow_handle = s.fl->u.id;
	wcmd_out(c, &resp, sizeof(resp));
	return 0;
}
