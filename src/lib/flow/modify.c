/* SPDX-License-Identifier: BSD-2-Clause */
/* The action that rewrites headers, and what it needs of a rule's match. */
#include <dvx/prm/cap.h>
#include <dvx/prm/flow.h>
#include "priv.h"

/* Adds what a field needs of the packet to what the list needs so far. */
static int flow_modify_need(const struct dvx_flow_domain *domain, uint32_t i,
			    const struct dvx_flow_rewrite_field *f, struct dvx_flow_change *c)
{
	static const uint8_t lacks[FLOW_SIDES] = {REWRITE_TX, REWRITE_RX, REWRITE_TX | REWRITE_RX};

	if (f->flags & lacks[domain->side])
		return dvx_fail(EOPNOTSUPP,
				"dvx_flow_action_create_modify: list.action[%u]: %s is only in %s "
				"domains",
				i, f->path, f->flags & REWRITE_TX ? "TX" : "RX");
	if (f->version > NEEDS_VERSION && c->version > NEEDS_VERSION && f->version != c->version)
		return dvx_fail(EINVAL,
				"dvx_flow_action_create_modify: list.action[%u]: %s is in IPv%u "
				"packets, but an earlier rewrite is of IPv%u",
				i, f->path, f->version, c->version);
	if (f->protocol && c->protocol && f->protocol != c->protocol)
		return dvx_fail(EINVAL,
				"dvx_flow_action_create_modify: list.action[%u]: %s is in packets "
				"of protocol %u, but an earlier rewrite is of protocol %u",
				i, f->path, f->protocol, c->protocol);
	if (f->version > c->version) {
		c->version = f->version;
		c->version_of = f->path;
	}
	if (f->protocol) {
		c->protocol = f->protocol;
		c->protocol_of = f->path;
	}
	c->tag |= (f->flags & REWRITE_TAG) != 0;
	return 0;
}

/* The list's bytes belong to the caller: each entry is checked again. */
static int flow_modify_check_entry(const struct dvx_flow_domain *domain, uint32_t i,
				   const uint8_t *a, struct dvx_flow_change *c)
{
	uint32_t type = prm_set_action_in_get_action_type(a);
	const struct dvx_flow_rewrite_field *f =
		dvx_flow_rewrite_field(prm_set_action_in_get_field(a));
	const struct dvx_flow_rewrite_field *to =
		type == PRM_ACTION_TYPE_COPY
			? dvx_flow_rewrite_field(prm_copy_action_in_get_dst_field(a))
			: f;
	int err;

	if (type < PRM_ACTION_TYPE_SET || type > PRM_ACTION_TYPE_COPY || !f || !to ||
	    (type == PRM_ACTION_TYPE_ADD && !(f->flags & REWRITE_ADD)))
		return dvx_fail(EINVAL,
				"dvx_flow_action_create_modify: list.action[%u] is none of "
				"dvx_flow_rewrite_set(), add() or copy()",
				i);
	err = flow_modify_need(domain, i, f, c);
	return err ? err : flow_modify_need(domain, i, to, c);
}

static int flow_modify_check(const struct dvx_flow_domain *domain,
			     const struct dvx_flow_rewrites *list, struct dvx_flow_change *c)
{
	const void *props = dvx_flow_props(domain);
	uint32_t most = props ? prm_flow_table_prop_layout_get_max_modify_header_actions(props) : 0;

	if (!list->count || list->count > DVX_FLOW_MAX_REWRITES)
		return dvx_fail(EINVAL,
				"dvx_flow_action_create_modify: list.count is %u, not 1 to %u",
				list->count, DVX_FLOW_MAX_REWRITES);
	if (list->reserved)
		return dvx_fail(EINVAL, "dvx_flow_action_create_modify: list.reserved is not 0");
	if (list->count > most)
		return dvx_fail(EOPNOTSUPP,
				"dvx_flow_action_create_modify: list.count is %u, "
				"%s.max_modify_header_actions of %s is %u",
				list->count, dvx_flow_props_name(domain), dvx_dev_name(domain->dev),
				most);
	for (uint32_t i = 0; i < list->count; i++) {
		int err = flow_modify_check_entry(domain, i, list->action[i], c);

		if (err)
			return err;
	}
	return 0;
}

int dvx_flow_action_create_modify(struct dvx_flow_domain *domain,
				  const struct dvx_flow_rewrites *list,
				  struct dvx_flow_action **out)
{
	struct dvx_flow_action want = {.domain = domain, .kind = ACTION_MODIFY};
	int err = dvx_check_not_null("dvx_flow_action_create_modify", "domain", domain, "list",
				     list, "out", out, NULL);

	if (!err)
		err = flow_modify_check(domain, list, &want.change);
	if (err)
		return err;
	want.bytes = list->count * DVX_FLOW_REWRITE_BYTES;
	return dvx_flow_action_new(&want, list->action, "dvx_flow_action_create_modify", out);
}

int dvx_flow_action_rewrites(const struct dvx_flow_action *action, struct dvx_flow_rewrites *list)
{
	int err = dvx_check_not_null("dvx_flow_action_rewrites", "action", action, "list", list,
				     NULL);

	if (err)
		return err;
	if (action->kind != ACTION_MODIFY)
		return dvx_fail(EINVAL, "dvx_flow_action_rewrites: action does not rewrite");
	memset(list, 0, sizeof(*list));
	list->count = (uint32_t)(action->bytes / DVX_FLOW_REWRITE_BYTES);
	memcpy(list->action, action->data, action->bytes);
	return 0;
}
