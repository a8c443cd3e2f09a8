/* SPDX-License-Identifier: BSD-2-Clause */
/* Flow matchers: a mask, its match_criteria_enable, a priority and a table type. */
#include <errno.h>
#include <string.h>
#include <rdma/ib_user_verbs.h>
#include <rdma/mlx5_user_ioctl_cmds.h>
#include <rdma/mlx5_user_ioctl_verbs.h>
#include "obj/rep.h"
#include "objects.h"

#define FLAGS_EGRESS (1u << 2) /* IB_FLOW_ATTR_FLAGS_EGRESS */

const struct uobj_class matcher_class = {"flow matcher", MLX5_IB_OBJECT_FLOW_MATCHER, 0, NULL,
					 NULL};

static int find_type(const struct uverbs_file *f, struct uverbs_request *req, uint8_t *type)
{
	const struct uverbs_attr *ft = attr_find(req, MLX5_IB_ATTR_FLOW_MATCHER_FT_TYPE);
	uint64_t value = attr_value(req, MLX5_IB_ATTR_FLOW_MATCHER_FT_TYPE), flags;
	int err = attr_flags(req, MLX5_IB_ATTR_FLOW_MATCHER_FLOW_FLAGS,
			     "MLX5_IB_ATTR_FLOW_MATCHER_FLOW_FLAGS", FLAGS_EGRESS, &flags);

	if (err)
		return err;
	if (ft && attr_find(req, MLX5_IB_ATTR_FLOW_MATCHER_FLOW_FLAGS))
		return refuse(-EINVAL,
			      "FLOW_MATCHER_CREATE: FT_TYPE and FLOW_FLAGS exclude each other");
	if (value > MLX5_IB_UAPI_FLOW_TABLE_TYPE_RDMA_TX)
		return refuse(-EINVAL, "FLOW_MATCHER_CREATE: FT_TYPE %llu is not known",
			      (unsigned long long)value);
	if (value == MLX5_IB_UAPI_FLOW_TABLE_TYPE_FDB && !vhca_has_reps(f->vhca))
		return refuse(-EINVAL,
			      "FLOW_MATCHER_CREATE: FT_TYPE 2 (FDB): the function does not "
			      "manage an eswitch in switchdev mode");
	*type = (uint8_t)(flags ? MLX5_IB_UAPI_FLOW_TABLE_TYPE_NIC_TX : value);
	return 0;
}

int mlx5_matcher_create(struct uverbs_file *f, struct uverbs_request *req)
{
	const struct uverbs_attr *flow_type = attr_find(req, MLX5_IB_ATTR_FLOW_MATCHER_FLOW_TYPE);
	const struct uverbs_attr *mask = attr_find(req, MLX5_IB_ATTR_FLOW_MATCHER_MATCH_MASK);
	struct flow_matcher *m;
	uint8_t type;
	int err = find_type(f, req, &type);

	if (err)
		return err;
	if (flow_type->enum_elem != FLOW_NORMAL)
		return refuse(-EOPNOTSUPP, "FLOW_MATCHER_CREATE: FLOW_TYPE %u: only NORMAL (0)",
			      flow_type->enum_elem);
	if (flow_type->len != sizeof(m->priority))
		return refuse(-EINVAL, "FLOW_MATCHER_CREATE: FLOW_TYPE: a priority has 2 bytes");
	m = uobj_new(f, &matcher_class, sizeof(*m));
	if (!m)
		return -ENOMEM;
	m->type = type;
	m->enable = (uint8_t)attr_value(req, MLX5_IB_ATTR_FLOW_MATCHER_MATCH_CRITERIA);
	memcpy(&m->priority, flow_type->in, sizeof(m->priority));
	memcpy(m->mask, mask->in, mask->len);
	attr_new_handle(req, MLX5_IB_ATTR_FLOW_MATCHER_CREATE_HANDLE, &m->u);
	return 0;
}
