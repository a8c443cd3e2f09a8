/* SPDX-License-Identifier: BSD-2-Clause */
/* Software-managed steering at its limits, through unmodified libmlx5: domains leave nothing
 * behind, exhausted steering memory gives ENOMEM and keeps old rules, garbage in it has no effect
 * on others. */
#include "tests/test.h"
#include <errno.h>
#include <infiniband/mlx5dv.h>
#include <dvx/prm/cap.h>
#include <dvx/prm/cmd.h>
#include <dvx/prm/match.h>
#include <dvx/prm/object.h>
#include "tests/verbs/verbs_qp.h"

#define LEVELS 3u

struct params {
	struct mlx5dv_flow_match_parameters head;
	uint8_t bytes[PRM_FTE_MATCH_SET_LYR_2_4_BYTES];
};

static struct ibv_context *context;

static int open_device(UNUSED void **state)
{
	context = verbs_open();
	return context ? 0 : -1;
}

static int close_device(UNUSED void **state)
{
	return ibv_close_device(context);
}

/* A mask and a value over the destination address and UDP port. */
static void fill(struct params *p, uint32_t dst, uint16_t port, bool mask)
{
	memset(p, 0, sizeof(*p));
	p->head.match_sz = sizeof(p->bytes);
	prm_fte_match_set_lyr_2_4_set_ip_version(p->bytes, 4);
	prm_fte_match_set_lyr_2_4_set_ip_protocol(p->bytes, mask ? 0xff : 17);
	prm_fte_match_set_lyr_2_4_set_udp_dport(p->bytes, port);
	prm_store32(prm_fte_match_set_lyr_2_4_at_dst_ipv4_dst_ipv6(p->bytes) + 12, 0, dst);
}

/* One domain with a table, a matcher and rules in it. */
struct rules {
	struct mlx5dv_dr_domain *domain;
	struct mlx5dv_dr_table *table;
	struct mlx5dv_dr_matcher *matcher;
	struct mlx5dv_dr_action *drop;
	struct mlx5dv_dr_rule *rule[LEVELS];
};

/* Opens it. Returns 0, or the errno of the part that failed; then nothing is left. */
static int rules_open(struct rules *r, enum mlx5dv_dr_domain_type type)
{
	struct params p;
	int err;

	memset(r, 0, sizeof(*r));
	r->domain = mlx5dv_dr_domain_create(context, type);
	assert_non_null(r->domain);
	errno = 0;
	r->table = mlx5dv_dr_table_create(r->domain, 1);
	if (!r->table) {
		err = errno;
		assert_int_equal(mlx5dv_dr_domain_destroy(r->domain), 0);
		return err ? err : -1;
	}
	fill(&p, UINT32_MAX, UINT16_MAX, true);
	r->matcher = mlx5dv_dr_matcher_create(r->table, 0, 1, &p.head);
	r->drop = mlx5dv_dr_action_create_drop();
	assert_non_null(r->matcher);
	assert_non_null(r->drop);
	for (unsigned int i = 0; i < LEVELS; i++) {
		fill(&p, 0x0a000000 + i, (uint16_t)(53 + i), false);
		r->rule[i] = mlx5dv_dr_rule_create(r->matcher, &p.head, 1, &r->drop);
		assert_non_null(r->rule[i]);
	}
	return 0;
}

static void rules_close(struct rules *r)
{
	for (unsigned int i = 0; i < LEVELS; i++)
		assert_int_equal(mlx5dv_dr_rule_destroy(r->rule[i]), 0);
	assert_int_equal(mlx5dv_dr_matcher_destroy(r->matcher), 0);
	assert_int_equal(mlx5dv_dr_action_destroy(r->drop), 0);
	assert_int_equal(mlx5dv_dr_table_destroy(r->table), 0);
	assert_int_equal(mlx5dv_dr_domain_destroy(r->domain), 0);
}

/* Many domains one after the other: leaked memory would be exhausted after eight. */
TEST(none, domains_come_and_go)
{
	struct rules r;

	for (unsigned int i = 0; i < 10; i++) {
		assert_int_equal(rules_open(&r, i % 2 ? MLX5DV_DR_DOMAIN_TYPE_NIC_TX
						      : MLX5DV_DR_DOMAIN_TYPE_NIC_RX),
				 0);
		assert_int_equal(mlx5dv_dr_domain_sync(r.domain, 7), 0);
		rules_close(&r);
	}
}

static bool manages_eswitch(void)
{
	uint8_t in[PRM_QUERY_HCA_CAP_IN_BYTES] = {0}, out[PRM_QUERY_HCA_CAP_OUT_BYTES];

	prm_query_hca_cap_in_set_opcode(in, PRM_OPCODE_QUERY_HCA_CAP);
	assert_int_equal(mlx5dv_devx_general_cmd(context, in, sizeof(in), out, sizeof(out)), 0);
	return prm_cmd_hca_cap_get_eswitch_manager(prm_query_hca_cap_out_cat_capability(out));
}

/* FDB tables other than the root are for the e-switch's manager, whatever its mode is. */
TEST(none, fdb_tables)
{
	struct mlx5dv_dr_domain *d = mlx5dv_dr_domain_create(context, MLX5DV_DR_DOMAIN_TYPE_FDB);
	struct mlx5dv_dr_table *table;

	assert_non_null(d);
	table = mlx5dv_dr_table_create(d, 1);
	if (manages_eswitch())
		assert_int_equal(mlx5dv_dr_table_destroy(table), 0);
	else
		assert_true(!table && errno == EOPNOTSUPP);
	assert_int_equal(mlx5dv_dr_domain_destroy(d), 0);
}

/* Makes domains until there is no more memory; earlier ones still take rules. */
TEST(none, memory_runs_out)
{
	static struct rules r[64];
	unsigned int n = 0;
	struct params p;
	int err = 0;

	while (n < 64 && !(err = rules_open(&r[n], MLX5DV_DR_DOMAIN_TYPE_NIC_RX)))
		n++;
	assert_int_equal(err, ENOMEM);
	assert_true(n >= 4);
	fill(&p, 0x0b000000, 99, false);
	for (unsigned int i = 0; i < n; i++) {
		struct mlx5dv_dr_rule *rule =
			mlx5dv_dr_rule_create(r[i].matcher, &p.head, 1, &r[i].drop);

		assert_non_null(rule);
		assert_int_equal(mlx5dv_dr_rule_destroy(rule), 0);
	}
	rules_close(&r[--n]);
	assert_int_equal(rules_open(&r[n++], MLX5DV_DR_DOMAIN_TYPE_NIC_RX), 0);
	while (n)
		rules_close(&r[--n]);
}

static struct ibv_dm *alloc(uint64_t len, uint32_t log_align, enum mlx5dv_alloc_dm_type type)
{
	struct ibv_alloc_dm_attr attr = {.length = len, .log_align_req = log_align};
	struct mlx5dv_alloc_dm_attr dv = {.type = type};

	errno = 0;
	return mlx5dv_alloc_dm(context, &attr, &dv);
}

static struct ibv_mr *key_on(struct ibv_pd *pd, struct ibv_dm *dm, uint64_t at, size_t len,
			     unsigned int access)
{
	errno = 0;
	return ibv_reg_dm_mr(pd, dm, at, len, access);
}

/* Bad sizes, kinds, ranges and rights are refused; memory with keys on it stays. */
TEST(none, bad_requests)
{
	const unsigned int all = IBV_ACCESS_ZERO_BASED | IBV_ACCESS_LOCAL_WRITE |
				 IBV_ACCESS_REMOTE_WRITE | IBV_ACCESS_REMOTE_READ;
	struct ibv_pd *pd = ibv_alloc_pd(context);
	struct ibv_dm *dm;
	struct ibv_mr *mr;

	assert_null(alloc(0, 0, MLX5DV_DM_TYPE_STEERING_SW_ICM));
	assert_int_equal(errno, EINVAL);
	assert_null(alloc(1ull << 40, 0, MLX5DV_DM_TYPE_STEERING_SW_ICM));
	assert_int_equal(errno, ENOMEM);
	assert_null(alloc(4096, 40, MLX5DV_DM_TYPE_STEERING_SW_ICM));
	assert_int_equal(errno, ENOMEM);
	/* A chip without patterns has no such memory. */
	assert_null(alloc(1ull << 40, 0, MLX5DV_DM_TYPE_HEADER_MODIFY_PATTERN_SW_ICM));
	assert_true(errno == ENOMEM || errno == EOPNOTSUPP);
	dm = alloc(5000, 0, MLX5DV_DM_TYPE_STEERING_SW_ICM);
	assert_non_null(dm);
	assert_null(key_on(pd, dm, 4096, 4096, all));
	assert_int_equal(errno, EINVAL);
	assert_null(key_on(pd, dm, UINT64_MAX, 2, all));
	assert_int_equal(errno, EINVAL);
	assert_null(key_on(pd, dm, 0, 64, all | IBV_ACCESS_REMOTE_ATOMIC));
	assert_int_equal(errno, EINVAL);
	assert_null(key_on(pd, dm, 0, 64, all & ~(unsigned int)IBV_ACCESS_LOCAL_WRITE));
	assert_int_equal(errno, EINVAL);
	mr = key_on(pd, dm, 64, 4000, all);
	assert_non_null(mr);
	assert_int_equal(ibv_free_dm(dm), EBUSY);
	assert_int_equal(ibv_dereg_mr(mr), 0);
	assert_int_equal(ibv_free_dm(dm), 0);
	assert_int_equal(ibv_dealloc_pd(pd), 0);
}

TEST_GROUP(open_device, close_device)
