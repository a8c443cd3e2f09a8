/* SPDX-License-Identifier: BSD-2-Clause */
/* Several destinations for each packet: a firmware table with one entry that has them all. */
#include <dvx/prm/cap.h>
#include "priv.h"

static int flow_array_check_member(const struct dvx_flow_domain *domain,
				   const struct dvx_flow_action *member, uint32_t i)
{
	if (!member || member->domain != domain)
		return dvx_fail(EINVAL,
				"dvx_flow_action_create_array: members[%u] is not of the domain",
				i);
	/* libmlx5 44 leaves out the number of the ECPF's vport, so the packet would go to 0. */
	if (member->kind == ACTION_VPORT && member->number == DVX_FLOW_ECPF)
		return dvx_fail(EOPNOTSUPP,
				"dvx_flow_action_create_array: members[%u] is vport 0xfffe (ecpf), "
				"which libmlx5 cannot put into an array",
				i);
	if (member->kind == ACTION_QUEUE || member->kind == ACTION_TABLE ||
	    member->kind == ACTION_VPORT)
		return 0;
	return dvx_fail(EOPNOTSUPP,
			"dvx_flow_action_create_array: members[%u] is none of %s and table: "
			"devices have no array of others",
			i, domain->side == DVX_FLOW_FDB ? "vport" : "queue, rss, qp");
}

/* The capability that arrays of the domain need, and lack; NULL: none. */
static const char *flow_array_lacks(const struct dvx_flow_domain *domain, bool tables)
{
	const void *cap;

	if (domain->side == DVX_FLOW_FDB) {
		if (!tables ||
		    dvx_dev_cap_page(domain->dev, PRM_HCA_CAP_TYPE_ESWITCH_FLOW_TABLE, &cap) ||
		    prm_flow_table_eswitch_cap_get_fdb_multi_path_to_table(cap))
			return NULL;
		return "fdb_multi_path_to_table";
	}
	if (dvx_dev_cap_page(domain->dev, PRM_HCA_CAP_TYPE_FLOW_TABLE, &cap))
		return NULL;
	if (!prm_flow_table_nic_cap_get_nic_rx_multi_path_tirs(cap))
		return "nic_rx_multi_path_tirs";
	return tables && !prm_flow_table_nic_cap_get_nic_rx_multi_path_tirs_fts(cap)
		       ? "nic_rx_multi_path_tirs_fts, which an array with tables needs"
		       : NULL;
}

static int flow_array_check_caps(const struct dvx_flow_domain *domain, uint32_t n, bool tables)
{
	const void *props = dvx_flow_props(domain);
	uint32_t most = props ? 1u << prm_flow_table_prop_layout_get_log_max_destination(props) : 0;
	const char *lacks = flow_array_lacks(domain, tables);

	if (!props)
		return -dvx_last_error()->err;
	if (n > most)
		return dvx_fail(EOPNOTSUPP,
				"dvx_flow_action_create_array: n is %u, "
				"%s.log_max_destination of %s allows %u",
				n, dvx_flow_props_name(domain), dvx_dev_name(domain->dev), most);
	return lacks ? dvx_fail(EOPNOTSUPP, "dvx_flow_action_create_array: %s lacks %s",
				dvx_dev_name(domain->dev), lacks)
		     : 0;
}

/* Also finds the lowest level that a member leads to; 0: no member is a table. */
static int flow_array_check(const struct dvx_flow_domain *domain,
			    struct dvx_flow_action *const *members, uint32_t n, uint32_t *lowest)
{
	int err = dvx_flow_only(domain, SIDE_RX | SIDE_FDB, "dvx_flow_action_create_array");

	*lowest = 0;
	if (!err && n < 2)
		return dvx_fail(EINVAL, "dvx_flow_action_create_array: n is %u, not 2 or more", n);
	for (uint32_t i = 0; i < n && !err; i++) {
		err = flow_array_check_member(domain, members[i], i);
		if (!err && members[i]->kind == ACTION_TABLE &&
		    (!*lowest || members[i]->level < *lowest))
			*lowest = members[i]->level;
	}
	return err ? err : flow_array_check_caps(domain, n, *lowest);
}

int dvx_flow_action_create_array(struct dvx_flow_domain *domain,
				 struct dvx_flow_action *const *members, uint32_t n,
				 struct dvx_flow_action **out)
{
	struct dvx_flow_action want = {.domain = domain, .kind = ACTION_ARRAY};
	int err = dvx_check_not_null("dvx_flow_action_create_array", "domain", domain, "members",
				     members, "out", out, NULL);

	if (!err)
		err = flow_array_check(domain, members, n, &want.level);
	if (err)
		return err;
	want.bytes = n * sizeof(struct dvx_flow_action *);
	err = dvx_flow_action_new(&want, members, "dvx_flow_action_create_array", out);
	for (uint32_t i = 0; i < n && !err; i++)
		dvx_ref(&members[i]->refs);
	return err;
}
