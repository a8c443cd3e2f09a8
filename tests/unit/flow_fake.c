/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The rule model over a mlx5dv_dr that notes what it is given and refuses what it is told to: what
 * libmlx5 wants differently from the PRM, capabilities that are missing, half-made rules taken
 * back. This program defines the calls that libdvx makes, before libmlx5 can.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>
#include <errno.h>
#include <infiniband/mlx5dv.h>
#include <dvx/dvx.h>
#include <dvx/prm/cap.h>
#include <dvx/prm/cmd.h>

static struct {
	bool no_sw, no_sip, no_tag;
	int domain_err, matcher_err, rule_err, rule_destroy_err;
	unsigned int rules_before_err;
	bool refuse_tcp; /* matchers that compare tcp_flags */
	/* what it was given last */
	uint8_t mask[512], value[512];
	size_t mask_sz, value_sz, actions;
	uint8_t criteria;
	void *action[8];
	/* what is there */
	int domains, tables, matchers, rules, made;
} fake;

static struct ibv_device ibdev = {.name = "mlx5_9", .ibdev_path = "/nowhere"};
static struct ibv_context ctx = {.device = &ibdev};
static struct dvx_dev *dev;

bool mlx5dv_is_supported(struct ibv_device *device)
{
	return device == &ibdev;
}

static void flow_caps(void *cap)
{
	void *rx = prm_flow_table_nic_cap_at_flow_table_properties_nic_receive(cap);
	void *fields = prm_flow_table_prop_layout_at_ft_field_support(rx);

	prm_flow_table_prop_layout_set_sw_owner_v2(rx, !fake.no_sw);
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
		break;
	case PRM_HCA_CAP_TYPE_FLOW_TABLE:
		flow_caps(cap);
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

struct mlx5dv_dr_table *mlx5dv_dr_table_create(struct mlx5dv_dr_domain *d, uint32_t level)
{
	(void)d;
	(void)level;
	return made(&fake.tables);
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

struct mlx5dv_dr_action *mlx5dv_dr_action_create_default_miss(void)
{
	return made(&fake.made);
}

int mlx5dv_dr_action_destroy(struct mlx5dv_dr_action *a)
{
	return gone(a, &fake.made);
}

/* ---- the stage ---- */

struct stage {
	struct dvx_flow_domain *domain;
	struct dvx_flow_table *table;
	struct dvx_flow_action *drop;
};

static int setup(void **state)
{
	(void)state;
	memset(&fake, 0, sizeof(fake));
	return dvx_dev_adopt(&ctx, &dev);
}

/* Whatever the test did, all is gone. */
static int teardown(void **state)
{
	(void)state;
	return dvx_dev_close(dev) || fake.domains || fake.tables || fake.matchers || fake.rules ||
	       fake.made;
}

static void open_stage(struct stage *s, enum dvx_flow_side side, uint32_t level)
{
	struct dvx_flow_domain_attr attr = {.size = sizeof(attr), .side = side};

	assert_int_equal(dvx_flow_domain_create(dev, &attr, &s->domain), 0);
	assert_int_equal(dvx_flow_table_create(s->domain, level, &s->table), 0);
	assert_int_equal(dvx_flow_action_create_drop(s->domain, &s->drop), 0);
}

static void close_stage(struct stage *s)
{
	assert_int_equal(dvx_flow_action_destroy(s->drop), 0);
	assert_int_equal(dvx_flow_table_destroy(s->table), 0);
	assert_int_equal(dvx_flow_domain_destroy(s->domain), 0);
}

static int try_matcher(struct stage *s, const struct dvx_flow_match *m,
		       struct dvx_flow_matcher **out)
{
	struct dvx_flow_matcher_attr attr = {.size = sizeof(attr), .match = m};

	*out = NULL;
	return dvx_flow_matcher_create(s->table, &attr, out);
}

static int try_rule(struct dvx_flow_matcher *mt, const struct dvx_flow_match *m,
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

static void said(const char *a, const char *b)
{
	const char *text = dvx_strerror();

	if (!strstr(text, a) || !strstr(text, b))
		fail_msg("\"%s\" lacks %s or %s", text, a, b);
}

/* ---- tests ---- */

/* Below the root ip_version is no mask for libmlx5; one matcher here is two there, made as needed.
 */
static void versions_below(void **state)
{
	struct dvx_flow_match v4 = {0}, v6 = {0};
	struct dvx_flow_matcher *mt;
	struct dvx_flow_rule *r4, *r6;
	struct stage s;

	(void)state;
	open_stage(&s, DVX_FLOW_RX, 1);
	dvx_flow_match_ip_version(&v4, DVX_FLOW_OUTER, 4);
	dvx_flow_match_ip_version(&v6, DVX_FLOW_OUTER, 6);
	assert_int_equal(try_matcher(&s, &v6, &mt), 0);
	assert_int_equal(prm_fte_match_set_lyr_2_4_get_ip_version(fake.mask), 6);
	assert_int_equal(fake.matchers, 1);
	assert_int_equal(dvx_flow_matcher_id(mt, 4), 0);
	assert_int_equal(try_rule(mt, &v6, &s.drop, 1, &r6), 0);
	assert_int_equal(fake.matchers, 1);
	assert_int_equal(try_rule(mt, &v4, &s.drop, 1, &r4), 0);
	assert_int_equal(fake.matchers, 2);
	assert_int_equal(prm_fte_match_set_lyr_2_4_get_ip_version(fake.mask), 4);
	assert_int_equal(prm_fte_match_set_lyr_2_4_get_ip_version(fake.value), 4);
	assert_true(dvx_flow_matcher_id(mt, 4) != dvx_flow_matcher_id(mt, 6));
	assert_int_equal(dvx_flow_rule_destroy(r4), 0);
	assert_int_equal(dvx_flow_rule_destroy(r6), 0);
	assert_int_equal(dvx_flow_matcher_destroy(mt), 0);
	close_stage(&s);
}

/* In the root it is one, with the PRM's mask. */
static void versions_in_root(void **state)
{
	struct dvx_flow_match v4 = {0}, v6 = {0};
	struct dvx_flow_matcher *mt;
	struct dvx_flow_rule *r;
	struct stage s;

	(void)state;
	open_stage(&s, DVX_FLOW_RX, 0);
	dvx_flow_match_ip_version(&v4, DVX_FLOW_OUTER, 4);
	dvx_flow_match_ip_version(&v6, DVX_FLOW_OUTER, 6);
	assert_int_equal(try_matcher(&s, &v4, &mt), 0);
	assert_int_equal(prm_fte_match_set_lyr_2_4_get_ip_version(fake.mask), 0xf);
	assert_int_equal(try_rule(mt, &v6, &s.drop, 1, &r), 0);
	assert_int_equal(fake.matchers, 1);
	assert_int_equal(dvx_flow_rule_destroy(r), 0);
	assert_int_equal(dvx_flow_matcher_destroy(mt), 0);
	close_stage(&s);
}

/* Sizes: whole groups, as many as are used, value as long as mask; criteria say which. */
static void sizes(void **state)
{
	static const struct dvx_flow_match all;
	struct dvx_flow_match m = {0};
	struct dvx_flow_matcher *mt;
	struct dvx_flow_rule *r;
	struct stage s;

	(void)state;
	open_stage(&s, DVX_FLOW_RX, 1);
	assert_int_equal(try_matcher(&s, &all, &mt), 0);
	assert_int_equal(fake.mask_sz, 64);
	assert_int_equal(fake.criteria, 0);
	assert_int_equal(dvx_flow_matcher_destroy(mt), 0);
	dvx_flow_match_set(&m, "metadata_reg_c_0", 5, 0xff);
	assert_int_equal(try_matcher(&s, &m, &mt), 0);
	assert_int_equal(fake.mask_sz, 256);
	assert_int_equal(fake.criteria, 8);
	assert_int_equal(try_rule(mt, &m, &s.drop, 1, &r), 0);
	assert_int_equal(fake.value_sz, 256);
	assert_memory_equal(fake.value, m.value, 256);
	assert_int_equal(dvx_flow_rule_destroy(r), 0);
	assert_int_equal(dvx_flow_matcher_destroy(mt), 0);
	close_stage(&s);
}

/* tag, destination: as libmlx5 wants them, whatever the order here. TX root: out is no action. */
static void actions(void **state)
{
	static const struct dvx_flow_match all;
	struct dvx_flow_action *tag, *pass;
	struct dvx_flow_matcher *mt;
	struct dvx_flow_rule *r;
	struct stage s;

	(void)state;
	open_stage(&s, DVX_FLOW_RX, 0);
	assert_int_equal(dvx_flow_action_create_tag(s.domain, 1, &tag), 0);
	assert_int_equal(try_matcher(&s, &all, &mt), 0);
	assert_int_equal(try_rule(mt, &all, (struct dvx_flow_action *[]){s.drop, tag}, 2, &r), 0);
	assert_int_equal(fake.actions, 2);
	assert_int_equal(dvx_flow_rule_destroy(r), 0);
	{
		void *second = fake.action[1];

		assert_int_equal(try_rule(mt, &all, &s.drop, 1, &r), 0);
		assert_ptr_equal(fake.action[0], second);
	}
	assert_int_equal(dvx_flow_rule_destroy(r), 0);
	assert_int_equal(dvx_flow_matcher_destroy(mt), 0);
	assert_int_equal(dvx_flow_action_destroy(tag), 0);
	close_stage(&s);
	open_stage(&s, DVX_FLOW_TX, 0);
	assert_int_equal(dvx_flow_action_create_default(s.domain, &pass), 0);
	assert_int_equal(try_matcher(&s, &all, &mt), 0);
	assert_int_equal(try_rule(mt, &all, &pass, 1, &r), 0);
	assert_int_equal(fake.actions, 0);
	assert_int_equal(dvx_flow_rule_destroy(r), 0);
	assert_int_equal(dvx_flow_matcher_destroy(mt), 0);
	assert_int_equal(dvx_flow_action_destroy(pass), 0);
	close_stage(&s);
}

/* What the device lacks is said by the capability's name. */
static void lacking(void **state)
{
	static const struct dvx_flow_match all;
	struct dvx_flow_domain_attr attr = {.size = sizeof(attr)};
	struct dvx_flow_match m = {0};
	struct dvx_flow_domain *none = NULL;
	struct dvx_flow_table *table = NULL;
	struct dvx_flow_matcher *mt;
	struct dvx_flow_action *tag;
	struct dvx_flow_rule *r;
	struct stage s;

	(void)state;
	fake.domain_err = EOPNOTSUPP;
	assert_int_equal(dvx_flow_domain_create(dev, &attr, &none), -EOPNOTSUPP);
	assert_null(none);
	said("mlx5_9", "log_steering_sw_icm_size");
	fake.domain_err = 0;
	fake.no_sw = fake.no_sip = fake.no_tag = true;
	open_stage(&s, DVX_FLOW_RX, 0);
	assert_false(dvx_flow_domain_has_levels(s.domain));
	assert_int_equal(dvx_flow_domain_sync(s.domain), 0);
	assert_int_equal(dvx_flow_table_create(s.domain, 1, &table), -EOPNOTSUPP);
	assert_null(table);
	said("level 1", "flow_table_properties_nic_receive.sw_owner_v2");
	dvx_flow_match_ipv4(&m, DVX_FLOW_OUTER, DVX_FLOW_SRC, 0x0a000000, 8);
	assert_int_equal(try_matcher(&s, &m, &mt), -EOPNOTSUPP);
	said("match.outer_headers.src_ipv4_src_ipv6", "ft_field_support.outer_sip");
	assert_int_equal(try_matcher(&s, &all, &mt), 0);
	assert_int_equal(dvx_flow_action_create_tag(s.domain, 1, &tag), 0);
	fake.rule_err = EINVAL;
	assert_int_equal(try_rule(mt, &all, (struct dvx_flow_action *[]){s.drop, tag}, 2, &r),
			 -EOPNOTSUPP);
	said("nic_receive.flow_tag", "");
	assert_int_equal(dvx_flow_action_destroy(tag), 0);
	assert_int_equal(dvx_flow_matcher_destroy(mt), 0);
	close_stage(&s);
}

/* libmlx5 says only "not supported": the field is found by trying each alone. */
static void blamed(void **state)
{
	struct dvx_flow_match m = {0};
	struct dvx_flow_table *high = NULL;
	struct dvx_flow_matcher *mt;
	struct stage s;

	(void)state;
	open_stage(&s, DVX_FLOW_RX, 2);
	assert_int_equal(dvx_flow_table_create(s.domain, 8, &high), -ERANGE);
	said("level 8", "below 8");
	fake.refuse_tcp = true;
	dvx_flow_match_ipv4(&m, DVX_FLOW_OUTER, DVX_FLOW_SRC, 0x0a000000, 8);
	dvx_flow_match_port(&m, DVX_FLOW_OUTER, DVX_FLOW_DST, DVX_FLOW_TCP, 80, 0xffff);
	dvx_flow_match_set(&m, "outer_headers.tcp_flags", 2, 0x12);
	assert_int_equal(try_matcher(&s, &m, &mt), -EOPNOTSUPP);
	assert_null(mt);
	assert_int_equal(fake.matchers, 0);
	said("match.outer_headers.tcp_flags", "mlx5_9");
	fake.refuse_tcp = false;
	fake.matcher_err = ENOMEM;
	assert_int_equal(try_matcher(&s, &m, &mt), -ENOMEM);
	close_stage(&s);
}

/* A rule that fails in the middle: those before it go, the caller's array stays as it was. */
static void half_inserted(void **state)
{
	static const struct dvx_flow_match all;
	struct dvx_flow_rule *rules[5] = {NULL}, *untouched[5] = {NULL};
	struct dvx_flow_rule_attr attrs[5];
	struct dvx_flow_bulk bulk = {.size = sizeof(bulk), .attrs = attrs};
	struct dvx_flow_matcher *mt;
	struct stage s;
	int i;

	(void)state;
	open_stage(&s, DVX_FLOW_RX, 1);
	assert_int_equal(try_matcher(&s, &all, &mt), 0);
	for (i = 0; i < 5; i++)
		attrs[i] = (struct dvx_flow_rule_attr){.size = sizeof(attrs[i]),
						       .matcher = mt,
						       .match = &all,
						       .actions = &s.drop,
						       .action_count = 1};
	fake.rule_err = ENOMEM;
	fake.rules_before_err = 3;
	assert_int_equal(dvx_flow_rules_insert(&bulk, 5, rules), -ENOMEM);
	said("rule 3: ", "libmlx5 refuses");
	assert_memory_equal(rules, untouched, sizeof(rules));
	assert_int_equal(fake.rules, 0);
	fake.rule_err = 0;
	assert_int_equal(dvx_flow_rules_insert(&bulk, 5, rules), 0);
	assert_int_equal(fake.rules, 5);
	/* one that does not go stays, and holds what it is made of */
	fake.rule_destroy_err = EBUSY;
	assert_int_equal(dvx_flow_rules_delete(rules, 2), -EBUSY);
	assert_non_null(rules[0]);
	assert_int_equal(dvx_flow_matcher_destroy(mt), -EBUSY);
	assert_int_equal(dvx_flow_action_destroy(s.drop), -EBUSY);
	fake.rule_destroy_err = 0;
	assert_int_equal(dvx_flow_rules_delete(rules, 5), 0);
	assert_memory_equal(rules, untouched, sizeof(rules));
	assert_int_equal(dvx_flow_rules_insert(&bulk, 0, NULL), 0);
	assert_int_equal(dvx_flow_matcher_destroy(mt), 0);
	close_stage(&s);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(versions_below, setup, teardown),
		cmocka_unit_test_setup_teardown(versions_in_root, setup, teardown),
		cmocka_unit_test_setup_teardown(sizes, setup, teardown),
		cmocka_unit_test_setup_teardown(actions, setup, teardown),
		cmocka_unit_test_setup_teardown(lacking, setup, teardown),
		cmocka_unit_test_setup_teardown(blamed, setup, teardown),
		cmocka_unit_test_setup_teardown(half_inserted, setup, teardown),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
