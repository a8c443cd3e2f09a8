/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The capabilities here are those that libmlx5 checks, in rdma-core 44 and 65 (dr_domain.c,
 * dr_matcher.c, dr_ste_v1.c).
 */
#include <stdio.h>
#include <dvx/prm/cap.h>
#include <dvx/prm/cmd.h>
#include "dr.h"

/* ---- Domains and tables ---- */

/* Checks what a domain needs, in libmlx5's order. */
int dvx_flow_dr_domain_refused(const struct dvx_flow_domain *domain, int err)
{
	struct dvx_dev *dev = domain->dev;
	const void *cap;

	if (!dev->caps.roce)
		return dvx_fail(EOPNOTSUPP, "dvx_flow_domain_create: port 1 of %s is not Ethernet",
				dvx_dev_name(dev));
	if (!dvx_dev_cap_page(dev, PRM_HCA_CAP_TYPE_GENERAL, &cap) &&
	    !prm_cmd_hca_cap_get_nic_flow_table(cap))
		return dvx_fail(EOPNOTSUPP, "dvx_flow_domain_create: %s has no nic_flow_table",
				dvx_dev_name(dev));
	if (!dvx_dev_cap_page(dev, PRM_HCA_CAP_TYPE_DEV_MEM, &cap) &&
	    !prm_device_mem_cap_get_log_steering_sw_icm_size(cap))
		return dvx_fail(EOPNOTSUPP,
				"dvx_flow_domain_create: log_steering_sw_icm_size of %s is 0: no "
				"memory for steering entries",
				dvx_dev_name(dev));
	return dvx_fail(err ? err : EIO, "dvx_flow_domain_create: libmlx5 refuses a domain on %s",
			dvx_dev_name(dev));
}

/* steering_format_version 0 needs sw_owner, later ones need sw_owner_v2. */
bool dvx_flow_dr_software_owned(const struct dvx_flow_domain *domain)
{
	const void *props = dvx_flow_props(domain);

	return props && (prm_flow_table_prop_layout_get_sw_owner(props) ||
			 prm_flow_table_prop_layout_get_sw_owner_v2(props));
}

/* The capability that tables below the root need and lack; "": none that libmlx5 checks. */
static const char *dr_lacks_levels(const struct dvx_flow_domain *domain)
{
	const void *roce;
	bool on, off;

	static const char *const owner[FLOW_SIDES] = {
		"flow_table_properties_nic_receive.sw_owner_v2",
		"flow_table_properties_nic_transmit.sw_owner_v2",
		"flow_table_properties_nic_esw_fdb.sw_owner_v2"};

	if (!dvx_flow_dr_software_owned(domain))
		return owner[domain->side];
	if (dvx_dev_cap_page(domain->dev, PRM_HCA_CAP_TYPE_ROCE, &roce))
		return "";
	on = prm_roce_cap_get_fl_rc_qp_when_roce_enabled(roce);
	off = prm_roce_cap_get_fl_rc_qp_when_roce_disabled(roce);
	return !on    ? "roce_cap.fl_rc_qp_when_roce_enabled"
	       : !off ? "roce_cap.fl_rc_qp_when_roce_disabled"
		      : "";
}

/* Entries that this libmlx5 does not know: formats 0 to 2 are in rdma-core 44, format 3 in 55. */
static int dr_unknown_entries(const struct dvx_flow_table *table)
{
	struct dvx_dev *dev = table->domain->dev;
	const void *cap;
	int err = dvx_dev_cap_page(dev, PRM_HCA_CAP_TYPE_GENERAL, &cap);

	if (err)
		return err;
	return dvx_fail(
		EOPNOTSUPP,
		"dvx_flow_table_create: level %u: libmlx5 has only the root (0) on %s, whose "
		"steering_format_version is %u (3, ConnectX-8, needs rdma-core 55)",
		table->level, dvx_dev_name(dev), prm_cmd_hca_cap_get_steering_format_version(cap));
}

int dvx_flow_dr_table_refused(const struct dvx_flow_table *table, int err)
{
	const char *lacks = table->level ? dr_lacks_levels(table->domain) : "";

	if (*lacks)
		return dvx_fail(EOPNOTSUPP,
				"dvx_flow_table_create: level %u: %s lacks %s, it has only the "
				"root (0)",
				table->level, dvx_dev_name(table->domain->dev), lacks);
	if (table->level && !table->domain->levels)
		return dr_unknown_entries(table);
	return dvx_fail(err, "dvx_flow_table_create: libmlx5 refuses a table of level %u",
			table->level);
}

/* ---- Matchers ---- */

/*
 * flex_parser_protocols has a bit for each. Entries of steering_format_version 1 and later have
 * lookups of their own for some; libmlx5 does not check the bits of these.
 */
static const struct protocol {
	const char *field; /* first part of its path */
	unsigned int bit;
	const char *name;
	bool own_lookup;
} protocols[] = {
	{"misc_parameters.geneve_tlv_option_0", 10, "Geneve option", false},
	{"misc_parameters_3.geneve_tlv_option_0", 10, "Geneve option", false},
	{"misc_parameters.geneve_", 3, "Geneve", true},
	{"misc_parameters_3.outer_vxlan_gpe_", 7, "VXLAN-GPE", true},
	{"misc_parameters_3.icmp_", 8, "ICMP", true},
	{"misc_parameters_3.icmpv6_", 9, "ICMPv6", true},
	{"misc_parameters_2.outer_first_mpls_over_gre", 4, "MPLS over GRE", false},
	{"misc_parameters_2.outer_first_mpls_over_udp", 5, "MPLS over UDP", false},
	{"misc_parameters_3.gtpu_dw_0", 18, "GTP-U word 0", false},
	{"misc_parameters_3.gtpu_dw_2", 16, "GTP-U word 2", false},
	{"misc_parameters_3.gtpu_first_ext_dw_0", 17, "GTP-U extension", false},
	{"misc_parameters_3.gtpu_", 11, "GTP-U", false},
};

static const struct protocol *dr_protocol_of(const char *path)
{
	for (size_t i = 0; i < sizeof(protocols) / sizeof(protocols[0]); i++)
		if (!strncmp(path, protocols[i].field, strlen(protocols[i].field)))
			return &protocols[i];
	return NULL;
}

static int dr_lacks_field(const struct dvx_flow_domain *domain, const char *path)
{
	const struct protocol *p = dr_protocol_of(path);
	uint32_t protocols_has = 0, format = 0;
	const void *cap;

	if (domain->side == DVX_FLOW_TX && (!strcmp(path, "misc_parameters.source_sqn") ||
					    !strcmp(path, "misc_parameters.source_port")))
		return dvx_fail(EOPNOTSUPP,
				"match.%s: libmlx5 compares it in RX domains only; no capability "
				"of %s changes that",
				path, dvx_dev_name(domain->dev));
	if (!dvx_dev_cap_page(domain->dev, PRM_HCA_CAP_TYPE_GENERAL, &cap)) {
		protocols_has = prm_cmd_hca_cap_get_flex_parser_protocols(cap);
		format = prm_cmd_hca_cap_get_steering_format_version(cap);
	}
	if (p && !(protocols_has & 1u << p->bit))
		return dvx_fail(EOPNOTSUPP,
				"match.%s: %s lacks flex_parser_protocols bit %u (%s)%s", path,
				dvx_dev_name(domain->dev), p->bit, p->name,
				p->own_lookup && !format ? ", steering_format_version 0" : "");
	return dvx_fail(EOPNOTSUPP,
			"match.%s: libmlx5 has no entry for it in steering_format_version %u of %s",
			path, format, dvx_dev_name(domain->dev));
}

/* Fields that libmlx5's masks lack: it would ignore them without a word. */
static const char *const unknown[] = {
	"misc_parameters.bth_opcode",	    "misc_parameters.bth_dst_qp",
	"misc_parameters.inner_esp_spi",    "misc_parameters.outer_esp_spi",
	"misc_parameters_2.ipsec_syndrome", "misc_parameters_2.macsec_syndrome"};

/* Without a node of the parse graph no flex parser takes a sample: libmlx5 would compare zeros. */
static int dr_check_sample(const struct dvx_flow_domain *domain, const char *path)
{
	const void *cap;

	if (strncmp(path, "misc_parameters_4.", sizeof("misc_parameters_4.") - 1) != 0 ||
	    dvx_dev_cap_page(domain->dev, PRM_HCA_CAP_TYPE_GENERAL, &cap) ||
	    prm_cmd_hca_cap_get_general_obj_types(cap) >> PRM_OBJ_TYPE_PARSE_GRAPH_NODE & 1)
		return 0;
	return dvx_fail(EOPNOTSUPP,
			"match.%s: %s lacks general_obj_types bit 0x22 (PARSE_GRAPH_NODE), so no "
			"flex parser takes samples (mlxconfig: PROG_PARSE_GRAPH)",
			path, dvx_dev_name(domain->dev));
}

int dvx_flow_dr_check_mask(const struct dvx_flow_domain *domain, const uint8_t *mask)
{
	struct dvx_flow_field f;

	for (uint32_t bit = 0; dvx_flow_field_next(mask, bit, &f); bit = f.bit + f.width) {
		if (dr_check_sample(domain, f.path))
			return -EOPNOTSUPP;
		for (size_t i = 0; i < sizeof(unknown) / sizeof(unknown[0]); i++)
			if (!strcmp(f.path, unknown[i]))
				return dr_lacks_field(domain, f.path);
	}
	return 0;
}

static int dr_blame(const struct dvx_flow_trial *trial, int err)
{
	const struct dvx_flow_domain *domain = trial->matcher->table->domain;
	struct dvx_flow_field f;
	char names[160];

	if (err == ENOMEM)
		return dvx_fail(
			err,
			"dvx_flow_matcher_create: libmlx5 has no memory left for a matcher, "
			"of its own or of %s",
			dvx_dev_name(domain->dev));
	if (err != EINVAL && err != ENOTSUP)
		return dvx_fail(err, "dvx_flow_matcher_create: libmlx5 refuses a matcher");
	if (dvx_flow_blame_one(trial, &f))
		return dr_lacks_field(domain, f.path);
	dvx_flow_blame_several(trial, names, sizeof(names));
	return dvx_fail(err,
			"dvx_flow_matcher_create: match: libmlx5 refuses these fields in one "
			"matcher: %s",
			names);
}

int dvx_flow_dr_matcher_refused(const struct dvx_flow_trial *trial, int err)
{
	const struct dvx_flow_domain *domain = trial->matcher->table->domain;
	struct dvx_flow_field f;

	if (trial->matcher->table->level)
		return dr_blame(trial, err);
	if (domain->side == DVX_FLOW_FDB && err != ENOMEM)
		return dvx_flow_fdb_root_refused(domain->dev, err);
	if (err != ENOMEM && dvx_flow_field_without_cap(trial->matcher->mask, &f))
		return dvx_fail(
			err,
			"dvx_flow_matcher_create: the kernel refuses a matcher in the root; "
			"perhaps because of match.%s, which has no capability bit",
			f.path);
	return dvx_fail(err, "dvx_flow_matcher_create: the kernel refuses a matcher in the root");
}

/* ---- Actions ---- */

int dvx_flow_dr_no_anchor(const char *call, int err)
{
	if (err == EPERM)
		return dvx_fail(err, "%s: a steering anchor needs CAP_NET_RAW", call);
	if (err == EOPNOTSUPP || err == EPROTONOSUPPORT || err == ENOTTY)
		return dvx_fail(err,
				"%s: the kernel has no steering anchors; they need Linux 6.0 or "
				"later",
				call);
	return dvx_fail(err, "%s: the kernel refuses a steering anchor", call);
}

int dvx_flow_dr_action_refused(const struct dvx_flow_action *action, const char *call, int err)
{
	if (action->kind == ACTION_ROOT && !action->anchor_table)
		return dvx_fail(err, "%s: libmlx5 refuses", call);
	if (action->kind == ACTION_ROOT)
		return dvx_flow_dr_no_anchor(call, err);
	if (action->kind == ACTION_VPORT && err != ENOMEM)
		return dvx_flow_fdb_lacks_vport(action->domain->dev, call, action->number, err);
	if (err == ENOMEM)
		return dvx_fail(err, "%s: libmlx5 has no memory left, of its own or of %s", call,
				dvx_dev_name(action->domain->dev));
	return dvx_fail(err, "%s: libmlx5 or the kernel refuses", call);
}

/* Entries of format 0 push what is sent, and pop what is received. */
int dvx_flow_dr_check_vlan(const struct dvx_flow_action *action, const char *call)
{
	const struct dvx_flow_domain *domain = action->domain;
	const void *cap;
	int err;

	if (domain->side == DVX_FLOW_FDB ||
	    domain->side == (action->kind == ACTION_PUSH_VLAN ? DVX_FLOW_TX : DVX_FLOW_RX))
		return 0;
	err = dvx_dev_cap_page(domain->dev, PRM_HCA_CAP_TYPE_GENERAL, &cap);
	if (err || prm_cmd_hca_cap_get_steering_format_version(cap))
		return err;
	return dvx_fail(EOPNOTSUPP,
			"%s: libmlx5 has no entry for it in %s domains in "
			"steering_format_version 0 of %s",
			call, dvx_flow_sides[domain->side].name, dvx_dev_name(domain->dev));
}

/* The root and entries alike take the header from the firmware, which keeps it. */
int dvx_flow_dr_check_encap(const struct dvx_flow_action *action, const char *call)
{
	struct dvx_dev *dev = action->domain->dev;
	const bool fdb = action->domain->side == DVX_FLOW_FDB;
	const void *cap;
	uint32_t contexts;
	int err = dvx_dev_cap_page(
		dev, fdb ? PRM_HCA_CAP_TYPE_ESWITCH : PRM_HCA_CAP_TYPE_FLOW_TABLE, &cap);

	if (err)
		return err;
	contexts = fdb ? prm_e_switch_cap_get_log_max_packet_reformat_context(cap)
		       : prm_flow_table_nic_cap_get_log_max_packet_reformat_context(cap);
	if (!contexts)
		return dvx_fail(EOPNOTSUPP, "%s: %s lacks %slog_max_packet_reformat_context", call,
				dvx_dev_name(dev), fdb ? "e_switch_cap." : "");
	return 0;
}

/* The capability of the domain's tables that the root needs for a tunnel. */
static const char *dr_tunnel_cap(const struct dvx_flow_action *action, const void *props, bool *has)
{
	if (action->kind == ACTION_ENCAP && action->number == ENCAP_L3) {
		*has = prm_flow_table_prop_layout_get_reformat_l2_to_l3_tunnel(props);
		return "reformat_l2_to_l3_tunnel";
	}
	if (action->kind == ACTION_ENCAP) {
		*has = prm_flow_table_prop_layout_get_reformat(props);
		return "reformat";
	}
	if (action->bytes) {
		*has = prm_flow_table_prop_layout_get_reformat_l3_tunnel_to_l2(props);
		return "reformat_l3_tunnel_to_l2";
	}
	*has = prm_flow_table_prop_layout_get_decap(props);
	return "decap";
}

/* Entries need none of these capabilities. */
int dvx_flow_dr_check_root(const struct dvx_flow_action *action)
{
	const void *props = dvx_flow_props(action->domain);
	bool has = false;
	const char *cap;

	if (action->kind != ACTION_DECAP && action->kind != ACTION_ENCAP)
		return 0;
	if (!props)
		return -dvx_last_error()->err;
	cap = dr_tunnel_cap(action, props, &has);
	if (has)
		return 0;
	return dvx_fail(EOPNOTSUPP,
			"dvx_flow_rule_create: %s in the root: %s lacks %s.%s; use a table of "
			"another level",
			dvx_flow_kinds[action->kind].noun, dvx_dev_name(action->domain->dev),
			dvx_flow_props_name(action->domain), cap);
}

/* ---- Rules ---- */

/*
 * libmlx5 queries all vports but the uplink from the e-switch. Returns 0 if the vport is not why
 * libmlx5 refused the rule with err.
 */
static int dr_lacks_vport(const struct dvx_flow_rule *rule, const uint8_t *value, int err)
{
	struct dvx_dev *dev = rule->matcher->table->domain->dev;
	const void *mask = prm_fte_match_param_cat_misc_parameters(rule->matcher->mask);
	uint32_t vport = prm_fte_match_set_misc_get_source_port(
		prm_fte_match_param_cat_misc_parameters(value));

	if (!prm_fte_match_set_misc_get_source_port(mask) || vport == DVX_FLOW_UPLINK ||
	    err == ENOMEM)
		return 0;
	return dvx_flow_fdb_lacks_vport(dev, "match.misc_parameters.source_port", vport, err);
}

/* The actions are the only hint where libmlx5 refuses a rule. */
static void dr_name_actions(const struct dvx_flow_rule *rule, char *out, size_t size)
{
	size_t used = 0;

	for (uint32_t i = 0; i < rule->action_count && used < size; i++)
		used += (size_t)snprintf(out + used, size - used, "%s%s", i ? ", " : "",
					 dvx_flow_kinds[rule->actions[i]->kind].name);
}

/* Returns whether an action of this kind is in the rule. */
static bool dr_has(const struct dvx_flow_rule *rule, enum action_kind kind)
{
	return dvx_flow_rule_count(rule->actions, rule->action_count, kind);
}

/* libmlx5 has few destinations behind a meter or a tracked connection of what is received. */
static int dr_lacks_end(const struct dvx_flow_rule *rule, int err)
{
	enum dvx_flow_side side = rule->matcher->table->domain->side;
	enum action_kind to = rule->actions[rule->action_count - 1]->kind;
	bool meter = dr_has(rule, ACTION_METER);

	if ((!meter && !dr_has(rule, ACTION_TRACK)) || side == DVX_FLOW_TX ||
	    (to != ACTION_DROP && to != ACTION_DEFAULT && to != ACTION_ROOT))
		return 0;
	return dvx_fail(err,
			"dvx_flow_rule_create: libmlx5 refuses %s with %s in an %s table: lead to "
			"a table, and let a rule there match the result",
			dvx_flow_kinds[meter ? ACTION_METER : ACTION_TRACK].noun,
			dvx_flow_kinds[to].name, side == DVX_FLOW_RX ? "RX" : "FDB");
}

static int dr_refused_below(const struct dvx_flow_rule *rule, const uint8_t *value, int err)
{
	const struct dvx_flow_domain *domain = rule->matcher->table->domain;
	int ret = dr_lacks_vport(rule, value, err);
	char actions[96];

	if (!ret && err != ENOMEM)
		ret = dr_lacks_end(rule, err);
	if (ret)
		return ret;
	if (err == ENOMEM)
		return dvx_fail(err,
				"dvx_flow_rule_create: libmlx5 has no memory left for the rule, of "
				"its own or of %s",
				dvx_dev_name(domain->dev));
	dr_name_actions(rule, actions, sizeof(actions));
	return dvx_fail(err,
			"dvx_flow_rule_create: libmlx5 refuses the rule; in %s table its actions "
			"are: %s",
			domain->side == DVX_FLOW_TX   ? "a TX"
			: domain->side == DVX_FLOW_RX ? "an RX"
						      : "an FDB",
			actions);
}

int dvx_flow_dr_rule_refused(const struct dvx_flow_rule *rule, const uint8_t *value, int err)
{
	const struct dvx_flow_domain *domain = rule->matcher->table->domain;
	const void *props = dvx_flow_props(domain);
	struct dvx_flow_field f;

	if (err == EEXIST)
		return dvx_fail(err,
				"dvx_flow_rule_create: match: the matcher already has this rule");
	if (rule->matcher->table->level)
		return dr_refused_below(rule, value, err);
	if (props && dvx_flow_rule_count(rule->actions, rule->action_count, ACTION_TAG) &&
	    !prm_flow_table_prop_layout_get_flow_tag(props))
		return dvx_fail(EOPNOTSUPP, "dvx_flow_rule_create: %s lacks %s.flow_tag",
				dvx_dev_name(domain->dev), dvx_flow_props_name(domain));
	if (dvx_flow_rule_count(rule->actions, rule->action_count, ACTION_DECAP) ||
	    dvx_flow_rule_count(rule->actions, rule->action_count, ACTION_ENCAP))
		return dvx_fail(err,
				"dvx_flow_rule_create: the kernel refuses a tunnel in the root; "
				"perhaps because the e-switch has them (devlink dev eswitch set "
				"... encap-mode none): use a table of another level");
	if (dvx_flow_field_without_cap(rule->matcher->mask, &f))
		return dvx_fail(err,
				"dvx_flow_rule_create: the kernel refuses the rule in the root; "
				"perhaps because of match.%s, which has no capability bit",
				f.path);
	return dvx_fail(err, "dvx_flow_rule_create: the kernel refuses the rule in the root");
}
