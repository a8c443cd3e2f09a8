/* SPDX-License-Identifier: BSD-2-Clause */
/* Actions that change packets, but for rewrites (modify.c); what a change needs of the match. */
#include <dvx/prm/cap.h>
#include "priv.h"

#define ETHERNET_BYTES 14u
#define TAG_BYTES      4u
#define CUSTOMER       0x8100u /* ethertypes of tags */
#define PROVIDER       0x88a8u

int dvx_flow_action_create_decap_l2(struct dvx_flow_domain *domain, struct dvx_flow_action **out)
{
	struct dvx_flow_action want = {.domain = domain, .kind = ACTION_DECAP};
	int err = dvx_check_not_null("dvx_flow_action_create_decap_l2", "domain", domain, "out",
				     out, NULL);

	if (!err)
		err = dvx_flow_only(domain, SIDE_RX | SIDE_FDB, "dvx_flow_action_create_decap_l2");
	return err ? err : dvx_flow_action_new(&want, NULL, "dvx_flow_action_create_decap_l2", out);
}

int dvx_flow_action_create_decap_l3(struct dvx_flow_domain *domain, const void *header,
				    uint32_t bytes, struct dvx_flow_action **out)
{
	struct dvx_flow_action want = {.domain = domain, .kind = ACTION_DECAP};
	int err = dvx_check_not_null("dvx_flow_action_create_decap_l3", "domain", domain, "header",
				     header, "out", out, NULL);

	if (!err)
		err = dvx_flow_only(domain, SIDE_RX | SIDE_FDB, "dvx_flow_action_create_decap_l3");
	if (err)
		return err;
	if (bytes != ETHERNET_BYTES && bytes != ETHERNET_BYTES + TAG_BYTES)
		return dvx_fail(EINVAL,
				"dvx_flow_action_create_decap_l3: bytes is %u: an Ethernet header "
				"has %u, with a VLAN tag %u",
				bytes, ETHERNET_BYTES, ETHERNET_BYTES + TAG_BYTES);
	want.bytes = bytes;
	return dvx_flow_action_new(&want, header, "dvx_flow_action_create_decap_l3", out);
}

/*
 * Refuses a header that the device has no room for: libmlx5 gives no usable errno, and a template of
 * hardware steering has 7 bits for the size.
 */
static int encap_check_size(const struct dvx_flow_action *want, const char *call)
{
	struct dvx_dev *dev = want->domain->dev;
	const bool fdb = want->domain->side == DVX_FLOW_FDB;
	const void *cap;
	uint32_t most;
	int err = dvx_dev_cap_page(
		dev, fdb ? PRM_HCA_CAP_TYPE_ESWITCH : PRM_HCA_CAP_TYPE_FLOW_TABLE, &cap);

	if (err)
		return err;
	most = fdb ? prm_e_switch_cap_get_max_encap_header_size(cap)
		   : prm_flow_table_nic_cap_get_max_encap_header_size(cap);
	if (want->bytes <= most)
		return 0;
	return dvx_fail(EOPNOTSUPP, "%s: bytes is %zu: max_encap_header_size of %s is %u", call,
			want->bytes, dvx_dev_name(dev), most);
}

static int encap_create(const struct dvx_flow_action *want, const void *header, const char *call,
			struct dvx_flow_action **out)
{
	int err = dvx_check_not_null(call, "domain", want->domain, "header", header, "out", out,
				     NULL);

	if (!err)
		err = dvx_flow_only(want->domain, SIDE_TX | SIDE_FDB, call);
	if (err)
		return err;
	if (want->bytes < ETHERNET_BYTES || want->bytes % 2)
		return dvx_fail(EINVAL,
				"%s: bytes is %zu: a tunnel's header has an even number of bytes, "
				"%u or more",
				call, want->bytes, ETHERNET_BYTES);
	err = encap_check_size(want, call);
	return err ? err : dvx_flow_action_new(want, header, call, out);
}

int dvx_flow_action_create_encap_l2(struct dvx_flow_domain *domain, const void *header,
				    uint32_t bytes, struct dvx_flow_action **out)
{
	struct dvx_flow_action want = {
		.domain = domain, .kind = ACTION_ENCAP, .number = ENCAP_L2, .bytes = bytes};

	return encap_create(&want, header, "dvx_flow_action_create_encap_l2", out);
}

int dvx_flow_action_create_encap_l3(struct dvx_flow_domain *domain, const void *header,
				    uint32_t bytes, struct dvx_flow_action **out)
{
	struct dvx_flow_action want = {
		.domain = domain, .kind = ACTION_ENCAP, .number = ENCAP_L3, .bytes = bytes};

	return encap_create(&want, header, "dvx_flow_action_create_encap_l3", out);
}

int dvx_flow_action_create_push_vlan(struct dvx_flow_domain *domain, uint16_t ethertype,
				     uint16_t tci, struct dvx_flow_action **out)
{
	uint32_t tag = (uint32_t)ethertype << 16 | tci;
	struct dvx_flow_action want = {
		.domain = domain, .kind = ACTION_PUSH_VLAN, .bytes = sizeof(tag)};
	int err = dvx_check_not_null("dvx_flow_action_create_push_vlan", "domain", domain, "out",
				     out, NULL);

	if (err)
		return err;
	if (ethertype != CUSTOMER && ethertype != PROVIDER)
		return dvx_fail(EINVAL,
				"dvx_flow_action_create_push_vlan: ethertype 0x%04x is neither "
				"0x8100 nor 0x88a8",
				ethertype);
	return dvx_flow_action_new(&want, &tag, "dvx_flow_action_create_push_vlan", out);
}

int dvx_flow_action_create_pop_vlan(struct dvx_flow_domain *domain, struct dvx_flow_action **out)
{
	struct dvx_flow_action want = {
		.domain = domain, .kind = ACTION_POP_VLAN, .change = {.tag = true}};
	int err = dvx_check_not_null("dvx_flow_action_create_pop_vlan", "domain", domain, "out",
				     out, NULL);

	return err ? err : dvx_flow_action_new(&want, NULL, "dvx_flow_action_create_pop_vlan", out);
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
	const struct dvx_flow_change *c = &attr->actions[i]->change;
	const char *depth = decap ? "inner" : "outer";
	size_t at = decap ? 2 * GROUP_BYTES : 0;
	struct pinned p = {attr->matcher->mask + at, attr->match->value + at};

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
