/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Actions that change packets. libmlx5 makes some of them for the root or for other levels: here
 * they are one action, whose two sides are made with the first rule that needs them.
 */
#include <dvx/prm/cap.h>
#include "flow_priv.h"

int dvx_flow_change_create(struct dvx_flow_domain *domain, enum action_kind kind,
			   const struct dvx_flow_change *how, const void *data, size_t bytes,
			   struct dvx_flow_action **out)
{
	struct dvx_flow_action *action = calloc(1, sizeof(*action));
	struct dvx_flow_change *c = action ? malloc(sizeof(*c) + bytes) : NULL;

	if (!c) {
		free(action);
		return dvx_fail(ENOMEM, "no memory for an action");
	}
	*c = *how;
	c->bytes = bytes;
	if (bytes)
		memcpy(c->data, data, bytes);
	action->kind = kind;
	action->change = c;
	action->domain = domain;
	dvx_ref(&domain->refs);
	*out = action;
	return 0;
}

int dvx_flow_change_for(struct dvx_flow_action *action, bool root, struct mlx5dv_dr_action **out)
{
	struct dvx_flow_change *c = action->change;
	struct mlx5dv_dr_action **dr = &c->dr[root];

	if (root && c->root_has && !c->root_has(dvx_flow_props(action->domain)))
		return dvx_fail(EOPNOTSUPP,
				"dvx_flow_rule_create: %s in the root: %s lacks %s.%s; use a table "
				"of another level",
				c->says, dvx_dev_name(action->domain->dev),
				dvx_flow_props_name(action->domain), c->root_cap);
	if (!*dr) {
		errno = 0;
		*dr = c->make(action, root);
	}
	*out = *dr;
	if (*dr)
		return 0;
	return dvx_fail(errno ? errno : EIO, "dvx_flow_rule_create: %s refuses %s on %s",
			root ? "the kernel" : "libmlx5", c->says,
			dvx_dev_name(action->domain->dev));
}

int dvx_flow_change_destroy(struct dvx_flow_action *action)
{
	struct dvx_flow_change *c = action->change;

	for (int root = 0; c && root < 2; root++) {
		int ret = c->dr[root] ? mlx5dv_dr_action_destroy(c->dr[root]) : 0;

		if (ret)
			return dvx_fail(dvx_errno_of(ret), "libmlx5 does not destroy the action");
		c->dr[root] = NULL;
	}
	free(c);
	return 0;
}

/* --- what a change needs of the match ---------------------------------------------------------- */

/* Headers of one depth. The functions tell whether a field is matched exactly, and has a value. */
struct pinned {
	const uint8_t *mask, *value;
};

static bool pinned_version(const struct pinned *p, uint8_t version)
{
	uint32_t v = prm_fte_match_set_lyr_2_4_get_ip_version(p->value);

	if (prm_fte_match_set_lyr_2_4_get_ip_version(p->mask) != 0xf)
		return false;
	return version == NEEDS_VERSION ? v == 4 || v == 6 : v == version;
}

static bool pinned_protocol(const struct pinned *p, uint8_t protocol)
{
	return prm_fte_match_set_lyr_2_4_get_ip_protocol(p->mask) == 0xff &&
	       prm_fte_match_set_lyr_2_4_get_ip_protocol(p->value) == protocol;
}

static bool pinned_tag(const struct pinned *p)
{
	return prm_fte_match_set_lyr_2_4_get_cvlan_tag(p->value) ||
	       prm_fte_match_set_lyr_2_4_get_svlan_tag(p->value);
}

/*
 * Firmware rewrites the time to live of one IP version and the ports of one protocol; to an entry
 * both versions and both protocols are the same place. So the match must say which one the packet
 * has.
 */
int dvx_flow_change_check(const struct dvx_flow_rule_attr *attr, uint32_t i, bool decap)
{
	const struct dvx_flow_change *c = attr->actions[i]->change;
	const char *depth = decap ? "inner" : "outer";
	size_t at = decap ? 2 * GROUP_BYTES : 0;
	struct pinned p = {attr->matcher->mask + at, attr->match->value + at};

	if (c->below_only && !attr->matcher->table->level)
		return dvx_fail(EOPNOTSUPP,
				"dvx_flow_rule_create: attr.actions[%u] is %s, which the kernel's "
				"flow verbs do not have: use a table of another level than 0",
				i, c->says);
	if (c->version && !pinned_version(&p, c->version))
		return dvx_fail(EINVAL,
				"dvx_flow_rule_create: attr.actions[%u] rewrites %s, but the "
				"match does not say %s_headers.ip_version %s",
				i, c->version_of, depth,
				c->version == NEEDS_VERSION ? "4 or 6"
				: c->version == 4	    ? "4"
							    : "6");
	if (c->protocol && !pinned_protocol(&p, c->protocol))
		return dvx_fail(EINVAL,
				"dvx_flow_rule_create: attr.actions[%u] rewrites %s, but the "
				"match does not say %s_headers.ip_protocol %u",
				i, c->protocol_of, depth, c->protocol);
	if (c->tag && !pinned_tag(&p))
		return dvx_fail(EINVAL,
				"dvx_flow_rule_create: attr.actions[%u] needs a VLAN tag, but the "
				"match does not say %s_headers.cvlan_tag or svlan_tag 1",
				i, depth);
	return 0;
}

/* A packet that lacks the second tag would be lost. */
int dvx_flow_change_check_pops(const struct dvx_flow_rule_attr *attr, bool decap)
{
	const void *misc = prm_fte_match_param_cat_misc_parameters(attr->match->value);
	bool tag = decap ? prm_fte_match_set_misc_get_inner_second_cvlan_tag(misc) ||
				   prm_fte_match_set_misc_get_inner_second_svlan_tag(misc)
			 : prm_fte_match_set_misc_get_outer_second_cvlan_tag(misc) ||
				   prm_fte_match_set_misc_get_outer_second_svlan_tag(misc);

	if (tag)
		return 0;
	return dvx_fail(EINVAL,
			"dvx_flow_rule_create: attr.actions pops two VLAN tags, but the match does "
			"not say misc_parameters.%s_second_cvlan_tag or svlan_tag 1",
			decap ? "inner" : "outer");
}
