/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Limits of the FDB, for which libmlx5 and the kernel give only an errno, or none. A rule is
 * written to both of its sides: RX, packets from the uplink, and TX, packets from functions. A match
 * of the source leaves one of them.
 */
#include <dvx/prm/cap.h>
#include "dr.h"

int dvx_flow_fdb_check_domain(const struct dvx_flow_domain *domain)
{
	const void *cap;
	int err;

	if (domain->side != DVX_FLOW_FDB)
		return 0;
	err = dvx_dev_cap_page(domain->dev, PRM_HCA_CAP_TYPE_GENERAL, &cap);
	if (err || prm_cmd_hca_cap_get_eswitch_manager(cap))
		return err;
	return dvx_fail(EOPNOTSUPP,
			"dvx_flow_domain_create: attr.side FDB: %s lacks eswitch_manager; the "
			"e-switch is managed by the PF, or on a DPU by its own cores' function",
			dvx_dev_name(domain->dev));
}

/* Fails for a matcher of the root. */
int dvx_flow_fdb_root_refused(struct dvx_dev *dev, int err)
{
	return dvx_fail(err,
			"dvx_flow_matcher_create: the kernel refuses a matcher in the root of the "
			"FDB; the e-switch of %s must be in switchdev mode (devlink dev eswitch "
			"set ... mode switchdev)",
			dvx_dev_name(dev));
}

/* Fails for a vport that libmlx5 does not find; `what` begins the sentence. */
int dvx_flow_fdb_lacks_vport(struct dvx_dev *dev, const char *what, uint32_t vport, int err)
{
	const void *cap;
	char name[32];

	dvx_flow_vport_name(vport, name, sizeof(name));
	if (!dvx_dev_cap_page(dev, PRM_HCA_CAP_TYPE_GENERAL, &cap) &&
	    !prm_cmd_hca_cap_get_eswitch_manager(cap))
		return dvx_fail(EOPNOTSUPP,
				"%s: %s lacks eswitch_manager, it cannot tell where vport %u is",
				what, dvx_dev_name(dev), vport);
	return dvx_fail(err, "%s: %s knows no vport %u (%s)", what, dvx_dev_name(dev), vport, name);
}

/* Packets in the FDB have no register A: libmlx5 would compare that of the NIC's tables. */
int dvx_flow_fdb_check_mask(const struct dvx_flow_domain *domain, const uint8_t *mask)
{
	const void *misc2 = prm_fte_match_param_cat_misc_parameters_2(mask);

	if (domain->side != DVX_FLOW_FDB || !prm_fte_match_set_misc2_get_metadata_reg_a(misc2))
		return 0;
	return dvx_fail(EOPNOTSUPP,
			"dvx_flow_matcher_create: match.misc_parameters_2.metadata_reg_a: packets "
			"in the FDB have registers C alone");
}

/* Which sides of the FDB a rule is on. */
enum { FDB_RX = 1 << 0, FDB_TX = 1 << 1, FDB_BOTH = FDB_RX | FDB_TX };

static unsigned int fdb_sides(const struct dvx_flow_rule *rule, const uint8_t *value)
{
	const void *misc = prm_fte_match_param_cat_misc_parameters(value);
	const void *mask = prm_fte_match_param_cat_misc_parameters(rule->matcher->mask);

	if (!prm_fte_match_set_misc_get_source_port(mask))
		return FDB_BOTH;
	return prm_fte_match_set_misc_get_source_port(misc) == DVX_FLOW_UPLINK ? FDB_RX : FDB_TX;
}

/* Actions that entries have on one side only, in all formats or in format 0. */
static const struct fdb_limit {
	enum action_kind kind;
	unsigned int side;
	bool old; /* only in steering_format_version 0 */
} fdb_limits[] = {
	{ACTION_DECAP, FDB_RX, false},
	{ACTION_ENCAP, FDB_TX, true},
	{ACTION_PUSH_VLAN, FDB_TX, true},
	{ACTION_POP_VLAN, FDB_RX, true},
};

static int fdb_wrong_side(const struct dvx_flow_domain *domain, const struct fdb_limit *l)
{
	return dvx_fail(EOPNOTSUPP,
			"match.misc_parameters.source_port: %s on %s%s only on the %s side: "
			"name %s",
			dvx_flow_kinds[l->kind].noun, dvx_dev_name(domain->dev),
			l->old ? " (ConnectX-5, -6)" : "", l->side == FDB_RX ? "RX" : "TX",
			l->side == FDB_RX ? "the uplink as source" : "a source (not uplink)");
}

static int fdb_check_sides(const struct dvx_flow_rule *rule, unsigned int sides)
{
	const struct dvx_flow_domain *domain = rule->matcher->table->domain;
	const void *cap;
	int err = dvx_dev_cap_page(domain->dev, PRM_HCA_CAP_TYPE_GENERAL, &cap);
	bool old = !err && !prm_cmd_hca_cap_get_steering_format_version(cap);

	for (size_t i = 0; i < sizeof(fdb_limits) / sizeof(fdb_limits[0]) && !err; i++)
		if ((old || !fdb_limits[i].old) && sides & ~fdb_limits[i].side &&
		    dvx_flow_rule_count(rule->actions, rule->action_count, fdb_limits[i].kind))
			err = fdb_wrong_side(domain, &fdb_limits[i]);
	return err;
}

/* Linux takes a table or drop in the FDB's root, and no other action. */
static int fdb_check_root(const struct dvx_flow_rule *rule)
{
	for (uint32_t i = 0; i < rule->action_count; i++) {
		enum action_kind kind = rule->actions[i]->kind;

		if (kind != ACTION_DROP && kind != ACTION_TABLE)
			return dvx_fail(EOPNOTSUPP,
					"dvx_flow_rule_create: attr.actions: %s in the FDB's root, "
					"which has only drop and table: use a table of another "
					"level",
					dvx_flow_kinds[kind].name);
	}
	return 0;
}

int dvx_flow_fdb_check_rule(const struct dvx_flow_rule *rule, const uint8_t *value)
{
	const struct dvx_flow_table *table = rule->matcher->table;

	return table->level ? fdb_check_sides(rule, fdb_sides(rule, value)) : fdb_check_root(rule);
}
