/* SPDX-License-Identifier: BSD-2-Clause */
/* Flows: rules in the kernel's tables that belong to a program, and mlx5's method to make them. */
#include <errno.h>
#include <string.h>
#include <dvx/prm/cmd.h>
#include <dvx/prm/flow.h>
#include <dvx/prm/match.h>
#include <rdma/ib_user_ioctl_cmds.h>
#include <rdma/ib_user_verbs.h>
#include <rdma/mlx5_user_ioctl_cmds.h>
#include <rdma/mlx5_user_ioctl_verbs.h>
#include "kernel/devx/devx.h"
#include "objects.h"

#define TAG_BITS	  24
#define FLAG_DEFAULT_MISS MLX5_IB_ATTR_CREATE_FLOW_FLAGS_DEFAULT_MISS
#define FLAG_DROP	  MLX5_IB_ATTR_CREATE_FLOW_FLAGS_DROP

/* --- flows of both verbs -------------------------------------------------------------------- */

void flow_hold(struct flow *fl)
{
	uobj_hold(&fl->u, (struct uobj *)fl->matcher);
	uobj_hold(&fl->u, (struct uobj *)fl->qp);
	uobj_hold(&fl->u, (struct uobj *)fl->counters);
	for (unsigned int i = 0; i < FLOW_ACTIONS; i++)
		uobj_hold(&fl->u, (struct uobj *)fl->actions[i]);
}

static int flow_release(struct uobj *u)
{
	struct flow *fl = (struct flow *)u;

	for (unsigned int i = 0; i < 2; i++) {
		if (fl->rules[i])
			fs_del(fl->rules[i]);
	}
	if (fl->counters)
		counters_unbind(fl->counters);
	return 0;
}

const struct uobj_class flow_class = {"flow", UVERBS_OBJECT_FLOW, 0, flow_release, NULL};

struct flow *flow_new(struct uverbs_file *f)
{
	return uobj_new(f, &flow_class, sizeof(struct flow));
}

static bool is_group_ipv4(uint32_t addr)
{
	return addr >> 28 == 0xe;
}

bool flow_is_multicast(const struct fs_match *m)
{
	const uint8_t *mask = prm_fte_match_param_cat_outer_headers(m->mask);
	const uint8_t *value = prm_fte_match_param_cat_outer_headers(m->value);
	const void *dst = prm_fte_match_set_lyr_2_4_cat_dst_ipv4_dst_ipv6(mask);
	const void *dst_value = prm_fte_match_set_lyr_2_4_cat_dst_ipv4_dst_ipv6(value);

	if (!(m->enable & 1))
		return false;
	if (prm_fte_match_set_lyr_2_4_get_dmac_47_16(mask) >> 24 & 1 &&
	    prm_fte_match_set_lyr_2_4_get_dmac_47_16(value) >> 24 & 1)
		return true;
	return is_group_ipv4(prm_ipv4_layout_get_ipv4(dst)) &&
	       is_group_ipv4(prm_ipv4_layout_get_ipv4(dst_value));
}

int wcmd_destroy_flow(struct wcmd *c)
{
	const struct ib_uverbs_destroy_flow *in = c->in;
	uint32_t events[2];

	if (in->comp_mask)
		return refuse(-EINVAL, "DESTROY_FLOW: comp_mask 0x%x", in->comp_mask);
	return uobj_destroy_handle(c->f, in->flow_handle, &flow_class, events);
}

/* --- mlx5's flows: destinations ------------------------------------------------------------- */

static int dest_devx(const struct devx_obj *o, enum fs_dir dir, struct fs_act *a)
{
	if (devx_obj_opcode(o) == PRM_OPCODE_CREATE_FLOW_TABLE) {
		a->table = devx_obj_number(o);
		return 0;
	}
	if (devx_obj_opcode(o) == PRM_OPCODE_CREATE_TIR && dir == FS_RX) {
		a->tirn = devx_obj_number(o);
		return 0;
	}
	return refuse(-EINVAL,
		      "CREATE_FLOW: DEST_DEVX: made by opcode 0x%x, it is no destination of its "
		      "direction",
		      devx_obj_opcode(o));
}

static int dest_qp(struct uverbs_qp *qp, enum fs_dir dir, struct fs_act *a)
{
	if (dir != FS_RX || !qp->raw.tirn)
		return refuse(-EINVAL, "CREATE_FLOW: DEST_QP 0x%x: %s", qp->q.u.number,
			      dir == FS_RX ? "it receives no raw packets"
					   : "packets that are sent end at no QP");
	a->tirn = qp->raw.tirn;
	return 0;
}

static int flow_find_dest(struct uverbs_file *f, struct uverbs_request *req, enum fs_dir dir,
			  struct flow *fl, struct fs_act *a)
{
	struct uobj *devx, *qp;
	uint64_t flags;
	int err = attr_uobj(f, req, MLX5_IB_ATTR_CREATE_FLOW_DEST_DEVX, &devx_obj_class, &devx);

	if (!err)
		err = attr_uobj(f, req, MLX5_IB_ATTR_CREATE_FLOW_DEST_QP, &qp_class, &qp);
	if (!err)
		err = attr_flags(req, MLX5_IB_ATTR_CREATE_FLOW_FLAGS,
				 "MLX5_IB_ATTR_CREATE_FLOW_FLAGS", FLAG_DEFAULT_MISS | FLAG_DROP,
				 &flags);
	if (err)
		return err;
	if (!!devx + !!qp + !!(flags & FLAG_DEFAULT_MISS) + !!(flags & FLAG_DROP) > 1)
		return refuse(
			-EINVAL,
			"CREATE_FLOW: more than one of DEST_DEVX, DEST_QP, DROP and DEFAULT_MISS");
	if (flags & FLAG_DROP)
		a->action |= PRM_FLOW_ACTION_DROP;
	if (dir == FS_FDB && !devx && !(flags & FLAG_DROP))
		return refuse(-EINVAL, "CREATE_FLOW: in the FDB a flow has DEST_DEVX or DROP");
	if (flags & FLAG_DEFAULT_MISS)
		a->next = FS_NEXT_NAMESPACE;
	fl->qp = (struct uverbs_qp *)qp;
	if (devx)
		return dest_devx((struct devx_obj *)devx, dir, a);
	if (qp)
		return dest_qp(fl->qp, dir, a);
	/*
	 * Firmware refuses an entry without a destination. It would accept this rule in an entry
	 * shared with another rule, but the entry could not stay when that rule goes.
	 */
	if (dir == FS_RX && !flags)
		return refuse(-EINVAL, "CREATE_FLOW: received packets need a destination");
	if (dir == FS_TX && !flags)
		a->action |= PRM_FLOW_ACTION_ALLOW;
	return 0;
}

/* --- mlx5's flows: actions ------------------------------------------------------------------ */

/* Reads handles from an attribute of bytes: it is not of the kind ATTR_HANDLE. */
static int flow_read_handles(struct uverbs_request *req, uint16_t id, uint32_t *to, uint32_t max,
			     uint32_t *n)
{
	const struct uverbs_attr *a = attr_find(req, id);

	*n = a ? a->len / 4 : 0;
	if (a && (a->len % 4 || !*n || *n > max))
		return refuse(-EINVAL,
			      "CREATE_FLOW: an array of handles has %u bytes, 1 to %u handles fit",
			      a->len, max);
	if (a)
		memcpy(to, a->in, a->len);
	return 0;
}

static int find_counter(struct uverbs_file *f, struct uverbs_request *req, struct fs_act *a)
{
	const struct uverbs_attr *off =
		attr_find(req, MLX5_IB_ATTR_CREATE_FLOW_ARR_COUNTERS_DEVX_OFFSET);
	uint32_t handle, n, offset = 0;
	const struct devx_obj *o;
	int err =
		flow_read_handles(req, MLX5_IB_ATTR_CREATE_FLOW_ARR_COUNTERS_DEVX, &handle, 1, &n);

	if (err || !n)
		return err;
	if (off && off->len != sizeof(offset))
		return refuse(-EINVAL, "CREATE_FLOW: COUNTERS_DEVX_OFFSET has %u bytes, not 4",
			      off->len);
	if (off)
		memcpy(&offset, off->in, sizeof(offset));
	err = uobj_find(f, handle, &devx_obj_class, &o);
	if (err)
		return err;
	if (offset >= o->counters)
		return refuse(-EINVAL, "CREATE_FLOW: counter offset %u: the object has %u counters",
			      offset, o->counters);
	a->counter = devx_obj_number(o) + offset;
	return 0;
}

static int find_actions(struct uverbs_file *f, struct uverbs_request *req, enum fs_dir dir,
			struct flow *fl, struct fs_act *a)
{
	uint32_t handle[FLOW_ACTIONS], n;
	int err = flow_read_handles(req, MLX5_IB_ATTR_CREATE_FLOW_ARR_FLOW_ACTIONS, handle,
				    FLOW_ACTIONS, &n);

	for (uint32_t i = 0; !err && i < n; i++) {
		struct flow_action *action;

		err = uobj_find(f, handle[i], &flow_action_class, &action);
		if (err)
			return err;
		fl->actions[i] = action;
		if (action->dir != dir)
			return refuse(-EINVAL,
				      "CREATE_FLOW: flow action %u is of the other direction",
				      action->u.id);
		err = flow_action_add(action, a);
	}
	return err;
}

static int find_tag(struct uverbs_request *req, struct fs_act *a)
{
	a->has_tag = attr_find(req, MLX5_IB_ATTR_CREATE_FLOW_TAG);
	a->tag = (uint32_t)attr_value(req, MLX5_IB_ATTR_CREATE_FLOW_TAG);
	if (a->tag >> TAG_BITS)
		return refuse(-EINVAL, "CREATE_FLOW: tag 0x%x has more than %u bits", a->tag,
			      TAG_BITS);
	return 0;
}

/* --- creation ------------------------------------------------------------------------------- */

static int flow_direction(const struct flow_matcher *m, enum fs_dir *dir)
{
	if (m->type == MLX5_IB_UAPI_FLOW_TABLE_TYPE_NIC_RX)
		*dir = FS_RX;
	else if (m->type == MLX5_IB_UAPI_FLOW_TABLE_TYPE_NIC_TX)
		*dir = FS_TX;
	else if (m->type == MLX5_IB_UAPI_FLOW_TABLE_TYPE_FDB)
		*dir = FS_FDB;
	else
		return refuse(-EOPNOTSUPP,
			      "CREATE_FLOW: table type %u has no ft_support, only NIC_RX (0), "
			      "NIC_TX (1) and FDB (2)",
			      m->type);
	return 0;
}

static int flow_fill_match(const struct flow_matcher *m, const struct uverbs_attr *value,
			   struct fs_match *match)
{
	if (m->priority >= FS_USER_PRIOS)
		return refuse(-ENOMEM, "CREATE_FLOW: the matcher's priority is %u, there are %u",
			      m->priority, FS_USER_PRIOS);
	match->enable = m->enable;
	memcpy(match->mask, m->mask, sizeof(match->mask));
	memset(match->value, 0, sizeof(match->value));
	memcpy(match->value, value->in, value->len);
	return 0;
}

static int flow_fill(struct uverbs_file *f, struct uverbs_request *req, struct flow *fl)
{
	const struct uverbs_attr *value = attr_find(req, MLX5_IB_ATTR_CREATE_FLOW_MATCH_VALUE);
	struct fs_act act = {0};
	struct fs_match match;
	enum fs_dir dir;
	int err = flow_direction(fl->matcher, &dir) ?:
		  flow_find_dest(f, req, dir, fl, &act) ?:
		  find_counter(f, req, &act) ?:
		  find_actions(f, req, dir, fl, &act) ?:
		  find_tag(req, &act) ?:
		  flow_fill_match(fl->matcher, value, &match);

	if (err)
		return err;
	return fs_add(f->k, f->vhca, dir,
		      dir != FS_FDB && flow_is_multicast(&match)
			      ? FS_PRIO_MCAST
			      : fs_prio(fl->matcher->priority, false),
		      &match, &act, &fl->rules[0]);
}

int mlx5_flow_create(struct uverbs_file *f, struct uverbs_request *req)
{
	struct uobj *matcher;
	struct flow *fl;
	int err = attr_uobj(f, req, MLX5_IB_ATTR_CREATE_FLOW_MATCHER, &matcher_class, &matcher);

	if (err)
		return err;
	fl = flow_new(f);
	if (!fl)
		return -ENOMEM;
	fl->matcher = (struct flow_matcher *)matcher;
	err = flow_fill(f, req, fl);
	if (err)
		return err;
	flow_hold(fl);
	attr_new_handle(req, MLX5_IB_ATTR_CREATE_FLOW_HANDLE, &fl->u);
	return 0;
}
