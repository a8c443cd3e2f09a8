/* SPDX-License-Identifier: BSD-2-Clause */
#include "flow_fake_rig.h"

#include <dvx/prm/cap.h>
#include <dvx/prm/cmd.h>

struct fake fake;

static struct ibv_device ibdev = {.name = "mlx5_9", .ibdev_path = "/nowhere"};
static struct ibv_context ctx = {.device = &ibdev};
struct dvx_dev *dev;

bool mlx5dv_is_supported(struct ibv_device *device)
{
	return device == &ibdev;
}

static void flow_caps(void *cap)
{
	void *rx = prm_flow_table_nic_cap_at_flow_table_properties_nic_receive(cap);
	void *fields = prm_flow_table_prop_layout_at_ft_field_support(rx);

	prm_flow_table_prop_layout_set_sw_owner_v2(rx, !fake.no_sw);
	prm_flow_table_prop_layout_set_sw_owner_v2(
		prm_flow_table_nic_cap_at_flow_table_properties_nic_transmit(cap), 1);
	prm_flow_table_nic_cap_set_log_max_packet_reformat_context(cap, 4);
	prm_flow_table_nic_cap_set_max_encap_header_size(cap, 64);
	prm_flow_table_prop_layout_set_max_ft_level(rx, 8);
	prm_flow_table_prop_layout_set_flow_tag(rx, !fake.no_tag);
	prm_flow_table_fields_supported_set_outer_ip_version(fields, 1);
	prm_flow_table_fields_supported_set_outer_dip(fields, 1);
	prm_flow_table_fields_supported_set_outer_sip(fields, !fake.no_sip);
}

int mlx5dv_devx_general_cmd(struct ibv_context *c, const void *in, size_t in_len, void *out,
			    size_t out_len)
{
	void *cap = prm_query_hca_cap_out_at_capability(out);

	(void)c;
	(void)in_len;
	(void)out_len;
	switch (prm_query_hca_cap_in_get_op_mod(in) >> 1) {
	case PRM_HCA_CAP_TYPE_GENERAL:
		prm_cmd_hca_cap_set_port_type(cap, PRM_PORT_TYPE_ETH);
		prm_cmd_hca_cap_set_nic_flow_table(cap, 1);
		prm_cmd_hca_cap_set_eswitch_manager(cap, fake.eswitch);
		prm_cmd_hca_cap_set_steering_format_version(cap, fake.format);
		prm_cmd_hca_cap_set_flex_parser_protocols(cap, fake.flex);
		break;
	case PRM_HCA_CAP_TYPE_ROCE:
		prm_roce_cap_set_fl_rc_qp_when_roce_disabled(cap, 1);
		prm_roce_cap_set_fl_rc_qp_when_roce_enabled(cap, fake.fl_enabled);
		break;
	case PRM_HCA_CAP_TYPE_FLOW_TABLE:
		flow_caps(cap);
		break;
	case PRM_HCA_CAP_TYPE_ESWITCH_FLOW_TABLE:
		prm_flow_table_prop_layout_set_sw_owner_v2(
			prm_flow_table_eswitch_cap_at_flow_table_properties_nic_esw_fdb(cap), 1);
		break;
	case PRM_HCA_CAP_TYPE_ESWITCH:
		prm_e_switch_cap_set_log_max_packet_reformat_context(cap, 4);
		prm_e_switch_cap_set_max_encap_header_size(cap, 64);
		break;
	default:
		break;
	}
	return 0;
}

static void *made(int *count)
{
	++*count;
	return malloc(8);
}

static int gone(void *p, int *count)
{
	--*count;
	free(p);
	return 0;
}

struct mlx5dv_dr_domain *mlx5dv_dr_domain_create(struct ibv_context *c,
						 enum mlx5dv_dr_domain_type type)
{
	(void)c;
	(void)type;
	errno = fake.domain_err;
	return errno ? NULL : made(&fake.domains);
}

void mlx5dv_dr_domain_set_reclaim_device_memory(struct mlx5dv_dr_domain *d, bool enable)
{
	(void)d;
	(void)enable;
}

int mlx5dv_dr_domain_destroy(struct mlx5dv_dr_domain *d)
{
	return gone(d, &fake.domains);
}

int mlx5dv_dr_domain_sync(struct mlx5dv_dr_domain *d, uint32_t flags)
{
	(void)d;
	(void)flags;
	return 0;
}

struct mlx5dv_dr_table *mlx5dv_dr_table_create(struct mlx5dv_dr_domain *d, uint32_t level)
{
	(void)d;
	errno = level ? fake.table_err : 0;
	return errno ? NULL : made(&fake.tables);
}

int mlx5dv_dr_table_destroy(struct mlx5dv_dr_table *t)
{
	return gone(t, &fake.tables);
}

struct mlx5dv_dr_matcher *mlx5dv_dr_matcher_create(struct mlx5dv_dr_table *t, uint16_t priority,
						   uint8_t criteria,
						   struct mlx5dv_flow_match_parameters *mask)
{
	(void)t;
	(void)priority;
	memset(fake.mask, 0, sizeof(fake.mask));
	memcpy(fake.mask, mask->match_buf, mask->match_sz);
	fake.mask_sz = mask->match_sz;
	fake.criteria = criteria;
	errno = fake.matcher_err;
	if (fake.refuse_tcp && prm_fte_match_set_lyr_2_4_get_tcp_flags(fake.mask))
		errno = EOPNOTSUPP;
	if (fake.refuse_both && prm_fte_match_set_lyr_2_4_get_tcp_flags(fake.mask) &&
	    prm_fte_match_set_lyr_2_4_get_ip_ecn(fake.mask))
		errno = EOPNOTSUPP;
	for (size_t i = 64; fake.refuse_misc && i < mask->match_sz; i++)
		if (fake.mask[i])
			errno = EOPNOTSUPP;
	return errno ? NULL : made(&fake.matchers);
}

int mlx5dv_dr_matcher_destroy(struct mlx5dv_dr_matcher *m)
{
	return gone(m, &fake.matchers);
}

struct mlx5dv_dr_rule *mlx5dv_dr_rule_create(struct mlx5dv_dr_matcher *m,
					     struct mlx5dv_flow_match_parameters *value, size_t n,
					     struct mlx5dv_dr_action *actions[])
{
	(void)m;
	memset(fake.value, 0, sizeof(fake.value));
	memcpy(fake.value, value->match_buf, value->match_sz);
	fake.value_sz = value->match_sz;
	fake.actions = n;
	for (size_t i = 0; i < n && i < 8; i++)
		fake.action[i] = actions[i];
	if (fake.rule_err && !fake.rules_before_err--) {
		errno = fake.rule_err;
		return NULL;
	}
	return made(&fake.rules);
}

int mlx5dv_dr_rule_destroy(struct mlx5dv_dr_rule *r)
{
	return fake.rule_destroy_err ? fake.rule_destroy_err : gone(r, &fake.rules);
}

struct mlx5dv_dr_action *mlx5dv_dr_action_create_drop(void)
{
	return made(&fake.made);
}

struct mlx5dv_dr_action *mlx5dv_dr_action_create_tag(uint32_t tag)
{
	(void)tag;
	return made(&fake.made);
}

struct mlx5dv_dr_action *mlx5dv_dr_action_create_dest_table(struct mlx5dv_dr_table *t)
{
	(void)t;
	return made(&fake.made);
}

struct mlx5dv_dr_action *mlx5dv_dr_action_create_default_miss(void)
{
	return made(&fake.made);
}

struct mlx5dv_dr_action *mlx5dv_dr_action_create_dest_vport(struct mlx5dv_dr_domain *d,
							    uint32_t vport)
{
	(void)d;
	(void)vport;
	return made(&fake.made);
}

struct mlx5dv_dr_action *
mlx5dv_dr_action_create_packet_reformat(struct mlx5dv_dr_domain *d, uint32_t flags,
					enum mlx5dv_flow_action_packet_reformat_type type,
					size_t size, void *data)
{
	(void)d;
	(void)flags;
	(void)type;
	(void)size;
	(void)data;
	return made(&fake.made);
}

struct mlx5dv_dr_action *mlx5dv_dr_action_create_push_vlan(struct mlx5dv_dr_domain *d, __be32 tag)
{
	(void)d;
	(void)tag;
	return made(&fake.made);
}

struct mlx5dv_dr_action *mlx5dv_dr_action_create_pop_vlan(void)
{
	return made(&fake.made);
}

struct mlx5dv_dr_action *mlx5dv_dr_action_create_dest_root_table(struct mlx5dv_dr_table *t,
								 uint16_t priority)
{
	(void)t;
	(void)priority;
	errno = fake.anchor_err;
	return errno ? NULL : made(&fake.made);
}

int mlx5dv_dr_action_destroy(struct mlx5dv_dr_action *a)
{
	return gone(a, &fake.made);
}

/* ---- the stage ---- */

int fake_setup(void **state)
{
	fake = *state ? *(const struct fake *)*state : (struct fake){.format = 0};
	return dvx_dev_adopt(&ctx, &dev);
}

/* Checks that no object is left after a test. */
int fake_teardown(UNUSED void **state)
{
	return dvx_dev_close(dev) || fake.domains || fake.tables || fake.matchers || fake.rules ||
	       fake.made;
}

void fake_open_stage(struct stage *s, enum dvx_flow_side side, uint32_t level)
{
	struct dvx_flow_domain_attr attr = {.size = sizeof(attr), .side = side};

	assert_int_equal(dvx_flow_domain_create(dev, &attr, &s->domain), 0);
	assert_int_equal(dvx_flow_table_create(s->domain, level, &s->table), 0);
	assert_int_equal(dvx_flow_action_create_drop(s->domain, &s->drop), 0);
}

void fake_close_stage(struct stage *s)
{
	assert_int_equal(dvx_flow_action_destroy(s->drop), 0);
	assert_int_equal(dvx_flow_table_destroy(s->table), 0);
	assert_int_equal(dvx_flow_domain_destroy(s->domain), 0);
}

int fake_try_matcher(struct stage *s, const struct dvx_flow_match *m, struct dvx_flow_matcher **out)
{
	struct dvx_flow_matcher_attr attr = {.size = sizeof(attr), .match = m};

	*out = NULL;
	return dvx_flow_matcher_create(s->table, &attr, out);
}

int fake_try_rule(struct dvx_flow_matcher *mt, const struct dvx_flow_match *m,
		  struct dvx_flow_action *const *actions, uint32_t n, struct dvx_flow_rule **out)
{
	struct dvx_flow_rule_attr attr = {.size = sizeof(attr),
					  .matcher = mt,
					  .match = m,
					  .actions = actions,
					  .action_count = n};

	*out = NULL;
	return dvx_flow_rule_create(&attr, out);
}

void fake_check_error(const char *a, const char *b)
{
	const char *text = dvx_strerror(dvx_last_error()->err);

	if (!strstr(text, a) || !strstr(text, b))
		fail_msg("\"%s\" lacks %s or %s", text, a, b);
}

void fake_refused(int got, int err, const char *a, const char *b)
{
	assert_int_equal(got, err);
	fake_check_error(a, b);
}
