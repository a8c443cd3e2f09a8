/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * libdvx on a fake libmlx5: old and new kernels, missing capabilities, firmware that refuses. This
 * program defines the functions of libmlx5 that libdvx calls.
 */
#include "tests/test.h"
#include <infiniband/mlx5dv.h>
#include <dvx/prm/alias.h>
#include <dvx/prm/cap.h>
#include <dvx/prm/cmd.h>
#include <dvx/prm/dct.h>
#include <dvx/prm/mkey.h>
#include <dvx/prm/object.h>
#include <dvx/prm/qp.h>
#include "ring.h"

#define FIXTURE_cmd(name) FIXTURE(name, void *no_state, reset, NULL)

static struct {
	/* results of the next commands */
	int err;	/* errno of the call */
	uint8_t status; /* in the mailbox, if the kernel returns it */
	uint32_t syndrome;
	uint8_t alias_status;
	int destroy_err;
	/* capabilities that the device lacks */
	bool no_export, no_import, no_mmo, no_cq_oi;
	uint32_t log_mmo;
	uint8_t last_in[512];
	int objects;
	bool no_bf;
} fake;

static struct ibv_device ibdev = {.name = "mlx5_9", .ibdev_path = "/nowhere"};
static struct ibv_context ctx = {.device = &ibdev};

bool mlx5dv_is_supported(struct ibv_device *device)
{
	return device == &ibdev;
}

static void capability(const void *in, void *cap)
{
	switch (prm_query_hca_cap_in_get_op_mod(in) >> 1) {
	case PRM_HCA_CAP_TYPE_GENERAL:
		prm_cmd_hca_cap_set_hca_cap_2(cap, 1);
		prm_cmd_hca_cap_set_vhca_id(cap, 3);
		prm_cmd_hca_cap_set_dma_mmo_qp(cap, !fake.no_mmo);
		prm_cmd_hca_cap_set_log_dma_mmo_max_size(cap, fake.log_mmo);
		prm_cmd_hca_cap_set_cq_oi(cap, !fake.no_cq_oi);
		prm_cmd_hca_cap_set_crypto(cap, 1);
		prm_cmd_hca_cap_set_aes_xts_multi_block_be_tweak(cap, 1);
		prm_cmd_hca_cap_set_num_ports(cap, 2);
		prm_cmd_hca_cap_set_dct(cap, 1);
		prm_cmd_hca_cap_set_log_max_rmp(cap, 8);
		prm_cmd_hca_cap_set_log_max_srq_sz(cap, 8);
		prm_cmd_hca_cap_set_log_max_cq_sz(cap, 8);
		break;
	case PRM_HCA_CAP_TYPE_GENERAL_2:
		prm_cmd_hca_cap_2_set_allowed_object_for_other_vhca_access(
			cap, fake.no_export ? 0 : PRM_ALLOWED_OBJECT_MKEY);
		prm_cmd_hca_cap_2_set_cross_vhca_object_to_object_supported(
			cap, fake.no_import ? 0 : PRM_CROSS_VHCA_OBJECT_LOCAL_MKEY_TO_REMOTE_MKEY);
		break;
	default:
		break;
	}
}

static int run(const void *in, size_t in_len, void *out)
{
	memset(fake.last_in, 0, sizeof(fake.last_in));
	memcpy(fake.last_in, in, in_len < sizeof(fake.last_in) ? in_len : sizeof(fake.last_in));
	prm_mbox_out_set_status(out, fake.status);
	prm_mbox_out_set_syndrome(out, fake.syndrome);
	return fake.err;
}

int mlx5dv_devx_general_cmd(struct ibv_context *c, const void *in, size_t in_len, void *out,
			    size_t out_len)
{
	(void)c;
	(void)out_len;
	if (!fake.err && prm_mbox_in_get_opcode(in) == PRM_OPCODE_QUERY_HCA_CAP)
		capability(in, prm_query_hca_cap_out_at_capability(out));
	return run(in, in_len, out);
}

struct mlx5dv_devx_obj *mlx5dv_devx_obj_create(struct ibv_context *c, const void *in, size_t in_len,
					       void *out, size_t out_len)
{
	(void)c;
	(void)out_len;
	errno = run(in, in_len, out);
	if (errno)
		return NULL;
	fake.objects++;
	prm_general_obj_out_cmd_hdr_set_obj_id(out, 0x76u + (uint32_t)fake.objects);
	return (struct mlx5dv_devx_obj *)&fake;
}

int mlx5dv_devx_obj_query(struct mlx5dv_devx_obj *obj, const void *in, size_t in_len, void *out,
			  size_t out_len)
{
	(void)obj;
	(void)out_len;
	if (prm_mbox_in_get_opcode(in) == PRM_OPCODE_QUERY_GENERAL_OBJECT)
		prm_alias_context_set_status((uint8_t *)out + 16, fake.alias_status);
	return run(in, in_len, out);
}

int mlx5dv_devx_obj_destroy(struct mlx5dv_devx_obj *obj)
{
	(void)obj;
	if (!fake.destroy_err)
		fake.objects--;
	return fake.destroy_err;
}

struct mlx5dv_devx_umem *mlx5dv_devx_umem_reg_ex(struct ibv_context *c,
						 struct mlx5dv_devx_umem_in *in)
{
	static struct mlx5dv_devx_umem umem = {.umem_id = 5};

	(void)c;
	(void)in;
	return &umem;
}

int mlx5dv_devx_umem_dereg(struct mlx5dv_devx_umem *umem)
{
	(void)umem;
	return 0;
}

struct mlx5dv_devx_uar *mlx5dv_devx_alloc_uar(struct ibv_context *c, uint32_t flags)
{
	static struct mlx5dv_devx_uar uar;

	(void)c;
	errno = ENOMEM;
	return fake.no_bf && flags == MLX5DV_UAR_ALLOC_TYPE_BF ? NULL : &uar;
}

int mlx5dv_devx_query_eqn(struct ibv_context *c, uint32_t vector, uint32_t *eqn)
{
	(void)c;
	*eqn = vector;
	return 0;
}

void mlx5dv_devx_free_uar(struct mlx5dv_devx_uar *uar)
{
	(void)uar;
}

static struct dvx_dev *start(void)
{
	struct dvx_dev *dev = NULL;

	assert_int_equal(dvx_dev_adopt(&ctx, &dev), 0);
	return dev;
}

static int reset(UNUSED void **state)
{
	memset(&fake, 0, sizeof(fake));
	return 0;
}

/* A new kernel returns EREMOTEIO and the mailbox: the errno comes from the status, all is kept. */
TEST(cmd, new_kernel)
{
	static const struct {
		uint8_t status;
		int err;
	} table[] = {
		{0x1, EIO},	{0x2, EINVAL}, {0x3, EINVAL},  {0x4, EIO},
		{0x5, EINVAL},	{0x6, EBUSY},  {0x8, ENOMEM},  {0x9, EINVAL},
		{0xa, EINVAL},	{0xf, EAGAIN}, {0x10, EINVAL}, {0x30, EINVAL},
		{0x40, EINVAL}, {0x50, EIO},   {0x51, EIO},    {0xee, EIO},
	};
	struct dvx_dev *dev = start();
	uint8_t in[16] = {0}, out[16];
	size_t i;

	prm_mbox_in_set_opcode(in, PRM_OPCODE_CREATE_MKEY);
	prm_mbox_in_set_op_mod(in, 7);
	fake.err = EREMOTEIO;
	fake.syndrome = 0x35e6ec;
	for (i = 0; i < sizeof(table) / sizeof(table[0]); i++) {
		fake.status = table[i].status;
		assert_int_equal(dvx_cmd(dev, in, sizeof(in), out, sizeof(out)), -table[i].err);
		assert_int_equal(dvx_last_error()->status, table[i].status);
		assert_int_equal(dvx_last_error()->syndrome, 0x35e6ec);
		assert_int_equal(dvx_last_error()->opcode, 0x200);
		assert_int_equal(dvx_last_error()->op_mod, 7);
		assert_non_null(strstr(dvx_strerror(dvx_last_error()->err), "CREATE_MKEY (0x200)"));
		assert_non_null(strstr(dvx_strerror(dvx_last_error()->err), "syndrome 0x35e6ec"));
	}
	fake.status = 0x3;
	dvx_cmd(dev, in, sizeof(in), out, sizeof(out));
	assert_non_null(strstr(dvx_strerror(dvx_last_error()->err), "BAD_PARAM (0x3)"));
	/* a bad status in the mailbox is a failure, even if the call returned success */
	fake.err = 0;
	assert_int_equal(dvx_cmd(dev, in, sizeof(in), out, sizeof(out)), -EINVAL);
	assert_int_equal(dvx_dev_close(dev), 0);
}

/* An old kernel returns an errno without a mailbox: the sentence says that status is unknown. */
TEST(cmd, old_kernel)
{
	struct dvx_dev *dev = start();
	uint8_t in[16] = {0}, out[16];
	struct dvx_obj *obj = NULL;

	prm_mbox_in_set_opcode(in, PRM_OPCODE_CREATE_QP);
	fake.err = ENOMEM;
	memset(out, 0xff, sizeof(out)); /* old contents are not taken for a status */
	assert_int_equal(dvx_obj_create(dev, in, sizeof(in), out, sizeof(out), &obj), -ENOMEM);
	assert_null(obj);
	assert_int_equal(dvx_last_error()->status, 0);
	assert_int_equal(dvx_last_error()->syndrome, 0);
	assert_int_equal(dvx_last_error()->opcode, 0x500);
	assert_non_null(strstr(dvx_strerror(dvx_last_error()->err), "CREATE_QP (0x500)"));
	assert_non_null(strstr(dvx_strerror(dvx_last_error()->err),
			       "the kernel hides status and syndrome"));
	assert_int_equal(dvx_dev_close(dev), 0);
}

/* A device that refuses its own capabilities does not open, and nothing leaks. */
TEST(cmd, no_caps)
{
	struct dvx_dev *dev = NULL;
	struct ibv_device other = {.name = "rxe0"};
	struct ibv_context c = {.device = &other};

	fake.err = EREMOTEIO;
	fake.status = PRM_STATUS_BAD_OP;
	assert_int_equal(dvx_dev_adopt(&ctx, &dev), -EINVAL);
	assert_null(dev);
	assert_int_equal(dvx_dev_adopt(&c, &dev), -EINVAL);
	assert_int_equal(dvx_dev_adopt(NULL, &dev), -EINVAL);
}

/* The engine's limit: 0 means 2 GiB, and greater values, too. */
TEST(cmd, mmo_limits)
{
	static const struct {
		uint32_t log;
		uint64_t max;
	} table[] = {{0, 1ull << 31}, {21, 1 << 21}, {27, 1 << 27}, {31, 1ull << 31}};
	struct dvx_dev *dev;
	size_t i;

	for (i = 0; i < sizeof(table) / sizeof(table[0]); i++) {
		fake.log_mmo = table[i].log;
		dev = start();
		assert_true(dvx_dev_caps(dev)->dma_mmo_max == table[i].max);
		assert_true(dvx_dev_caps(dev)->dma_mmo);
		assert_int_equal(dvx_dev_caps(dev)->vhca_id, 3);
		assert_int_equal(dvx_dev_close(dev), 0);
	}
	fake.no_mmo = true;
	dev = start();
	assert_false(dvx_dev_caps(dev)->dma_mmo);
	assert_int_equal(dvx_dev_close(dev), 0);
}

static struct dvx_mkey *some_mkey(struct dvx_dev *dev, struct dvx_pd *pd)
{
	static uint8_t memory[64];
	struct dvx_mkey_attr attr = {.size = sizeof(attr), .pd = pd, .addr = memory, .len = 64};
	struct dvx_mkey *mkey = NULL;

	assert_int_equal(dvx_mkey_create(dev, &attr, &mkey), 0);
	return mkey;
}

/* Without the capability, sharing fails and sends no command; each export has a new key. */
TEST(cmd, sharing)
{
	struct dvx_dev *dev = start();
	struct dvx_ticket t, u;
	struct dvx_mkey *mkey, *alias = NULL;
	struct dvx_pd *pd;

	assert_int_equal(dvx_pd_alloc(dev, &pd), 0);
	mkey = some_mkey(dev, pd);
	assert_int_equal(dvx_mkey_export(mkey, &t), 0);
	assert_int_equal(prm_mbox_in_get_opcode(fake.last_in), PRM_OPCODE_ALLOW_OTHER_VHCA_ACCESS);
	assert_memory_equal(fake.last_in + 32, t.key, 32);
	assert_int_equal(dvx_mkey_export(mkey, &u), 0);
	assert_memory_not_equal(t.key, u.key, 32);
	t.vhca_id = 9;
	assert_int_equal(dvx_mkey_import(dev, pd, &t, &alias), 0);
	assert_int_equal(dvx_mkey_key(alias), (0x76 + fake.objects) << 8);
	assert_int_equal(dvx_pd_free(pd), -EBUSY);
	assert_int_equal(dvx_mkey_destroy(alias), 0);
	/* created, but with a bad status: no alias is left */
	fake.alias_status = 2;
	alias = NULL;
	assert_int_equal(dvx_mkey_import(dev, pd, &t, &alias), -EXDEV);
	assert_null(alias);
	assert_int_equal(fake.objects, 2);
	/* if the device refuses to destroy the bad alias, the library still frees its part */
	fake.destroy_err = EBUSY;
	assert_int_equal(dvx_mkey_import(dev, pd, &t, &alias), -EXDEV);
	assert_null(alias);
	assert_non_null(strstr(dvx_strerror(dvx_last_error()->err), "bad state (status 2)"));
	fake.destroy_err = 0;
	fake.objects--;
	/* refused: by a new kernel, by an old one, and for lack of resources */
	fake.err = EREMOTEIO;
	fake.status = PRM_STATUS_BAD_RES;
	assert_int_equal(dvx_mkey_import(dev, pd, &t, &alias), -EXDEV);
	fake.status = PRM_STATUS_LIM;
	assert_int_equal(dvx_mkey_import(dev, pd, &t, &alias), -ENOMEM);
	fake.status = 0;
	fake.err = EINVAL;
	assert_int_equal(dvx_mkey_import(dev, pd, &t, &alias), -EXDEV);
	assert_non_null(strstr(dvx_strerror(dvx_last_error()->err),
			       "CREATE_GENERAL_OBJECT: the kernel hides status"));
	fake.err = 0;
	/* a refused destroy leaves the object */
	fake.destroy_err = EBUSY;
	assert_int_equal(dvx_mkey_destroy(mkey), -EBUSY);
	assert_int_equal(dvx_mkey_len(mkey), 64);
	fake.destroy_err = 0;
	assert_int_equal(dvx_mkey_destroy(mkey), 0);
	assert_int_equal(dvx_pd_free(pd), 0);
	assert_int_equal(fake.objects, 0);
	assert_int_equal(dvx_dev_close(dev), 0);
}

TEST(cmd, sharing_unsupported)
{
	struct dvx_dev *dev;
	struct dvx_ticket t = {.vhca_id = 9, .len = 1};
	struct dvx_mkey *mkey, *alias = NULL;
	struct dvx_pd *pd;

	fake.no_export = fake.no_import = true;
	dev = start();
	assert_int_equal(dvx_pd_alloc(dev, &pd), 0);
	mkey = some_mkey(dev, pd);
	assert_int_equal(dvx_mkey_export(mkey, &t), -EOPNOTSUPP);
	assert_int_equal(dvx_mkey_import(dev, pd, &t, &alias), -EOPNOTSUPP);
	assert_int_equal(prm_mbox_in_get_opcode(fake.last_in), PRM_OPCODE_CREATE_MKEY);
	assert_int_equal(dvx_mkey_destroy(mkey), 0);
	assert_int_equal(dvx_pd_free(pd), 0);
	assert_int_equal(dvx_dev_close(dev), 0);
}

/* Without write-combining, ANY gives a non-cached page, and BF fails. */
TEST(cmd, no_blueflame)
{
	struct dvx_dev *dev = start();
	struct dvx_uar *uar = NULL;

	fake.no_bf = true;
	assert_int_equal(dvx_uar_alloc(dev, DVX_UAR_BF, &uar), -ENOMEM);
	assert_null(uar);
	assert_int_equal(dvx_uar_alloc(dev, DVX_UAR_ANY, &uar), 0);
	assert_int_equal(dvx_uar_bf_size(uar), 0);
	assert_int_equal(dvx_dev_close(dev), -EBUSY);
	assert_int_equal(dvx_uar_free(uar), 0);
	assert_int_equal(dvx_dev_close(dev), 0);
}

/* A key in flight is not taken again, an empty pool returns -ENOSPC, an old number -EINVAL. */
TEST(cmd, umr_pool)
{
	struct dvx_sge piece = {4096, 64, 7};
	struct dvx_umr_pool_attr attr = {.size = sizeof(attr), .keys = 2, .max_pieces = 4};
	struct dvx_dev *dev = start();
	struct dvx_umr_pool *pool;
	struct dvx_pd *pd;
	struct plain_sq p;
	uint32_t key[3];

	plain_sq_init(&p, 64, 0);
	p.sq.pi = p.sq.ci = UINT32_MAX - 20; /* the counters wrap in between */
	assert_int_equal(dvx_pd_alloc(dev, &pd), 0);
	attr.pd = pd;
	attr.sq = &p.sq;
	assert_int_equal(dvx_umr_pool_create(dev, &attr, &pool), 0);
	for (int i = 0; i < 2; i++)
		assert_int_equal(dvx_umr_pool_take(pool, 0, &piece, 1, 1, 0, &key[i]), 0);
	assert_true(key[0] >> 8 != key[1] >> 8);
	for (int round = 0; round < 40; round++) {
		uint32_t pi = p.sq.pi;

		assert_int_equal(dvx_umr_pool_take(pool, 0, &piece, 1, 1, 0, &key[2]), -ENOSPC);
		assert_non_null(strstr(dvx_strerror(-ENOSPC), "no free key"));
		assert_int_equal(p.sq.pi, pi);
		assert_int_equal(dvx_umr_pool_give(pool, key[0], 1, 0), 0);
		assert_int_equal(dvx_umr_pool_free(pool), 0);
		assert_int_equal(dvx_umr_pool_take(pool, 0, &piece, 1, 1, 0, &key[2]), -ENOSPC);
		p.sq.ci = p.sq.pi - 1; /* all but its last block is retired */
		assert_int_equal(dvx_umr_pool_take(pool, 0, &piece, 1, 1, 0, &key[2]), -ENOSPC);
		assert_int_equal(dvx_umr_pool_destroy(pool), -EBUSY);
		p.sq.ci = p.sq.pi;
		assert_int_equal(dvx_umr_pool_free(pool), 1);
		assert_int_equal(dvx_umr_pool_take(pool, 0, &piece, 1, 1, 0, &key[2]), 0);
		assert_int_equal(key[2] >> 8, key[0] >> 8);
		assert_true(key[2] != key[0]);
		assert_int_equal(dvx_umr_pool_give(pool, key[0], 1, 0), -EINVAL);
		assert_non_null(strstr(dvx_strerror(EINVAL), "old number"));
		key[0] = key[1];
		key[1] = key[2];
	}
	assert_int_equal(dvx_umr_pool_take(pool, 0, &piece, 5, 1, 0, &key[2]), -EINVAL);
	assert_int_equal(dvx_umr_pool_give(pool, 0x12300, 1, 0), -EINVAL);
	assert_non_null(strstr(dvx_strerror(EINVAL), "none of this pool"));
	assert_int_equal(dvx_umr_pool_give(pool, key[0], 1, 0), 0);
	assert_int_equal(dvx_umr_pool_give(pool, key[1], 1, 0), 0);
	assert_int_equal(dvx_umr_pool_give(pool, key[1], 1, 0), -EINVAL);
	assert_non_null(strstr(dvx_strerror(EINVAL), "not taken"));
	p.sq.ci = p.sq.pi;
	assert_int_equal(dvx_umr_pool_destroy(pool), 0);
	attr.max_pieces = 64;
	assert_int_equal(dvx_umr_pool_create(dev, &attr, &pool), -EINVAL);
	assert_non_null(strstr(dvx_strerror(EINVAL), "max_pieces is 64"));
	attr.max_pieces = 4;
	attr.keys = 0;
	assert_int_equal(dvx_umr_pool_create(dev, &attr, &pool), -EINVAL);
	assert_non_null(strstr(dvx_strerror(EINVAL), "attr.keys"));
	assert_int_equal(dvx_pd_free(pd), 0);
	assert_int_equal(dvx_dev_close(dev), 0);
}

/* A target's context has all attributes, and nothing else. */
TEST(cmd, dct_context)
{
	struct dvx_dev *dev = start();
	struct dvx_cq_attr ca = {.size = sizeof(ca), .entries = 16};
	struct dvx_srq_attr sa = {.size = sizeof(sa), .entries = 15};
	struct dvx_dct_attr attr = {.size = sizeof(attr), .key = 0x1122334455667788ull};
	struct dvx_qp_local local = {.size = sizeof(local),
				     .access = DVX_REMOTE_ATOMIC,
				     .port = 2,
				     .gid_index = 5,
				     .pkey_index = 0x123,
				     .traffic_class = 0x61,
				     .hop_limit = 9,
				     .sl = 6,
				     .min_rnr_timer = 13,
				     .mtu_log = 11};
	uint8_t want[PRM_CREATE_DCT_IN_BYTES] = {0},
		*dctc = prm_create_dct_in_at_dct_context_entry(want);
	struct dvx_dct *dct;

	assert_int_equal(dvx_uar_alloc(dev, DVX_UAR_ANY, &ca.uar), 0);
	assert_int_equal(dvx_pd_alloc(dev, &attr.pd), 0);
	sa.pd = attr.pd;
	assert_int_equal(dvx_cq_create(dev, &ca, &attr.cq), 0);
	assert_int_equal(dvx_srq_create(dev, &sa, &attr.srq), 0);
	prm_create_dct_in_set_opcode(want, PRM_OPCODE_CREATE_DCT);
	prm_dctc_set_cqn(dctc, attr.cq->cqn);
	prm_dctc_set_srqn_xrqn(dctc, dvx_srq_number(attr.srq));
	prm_dctc_set_pd(dctc, dvx_pd_number(attr.pd));
	prm_dctc_set_user_index(dctc, attr.user_index = 0x4321);
	prm_dctc_set_dc_access_key(dctc, attr.key);
	prm_dctc_set_rae(dctc, 1);
	prm_dctc_set_atomic_mode(dctc, PRM_QPC_ATOMIC_MODE_UP_TO_8B);
	prm_dctc_set_port(dctc, 2);
	prm_dctc_set_my_addr_index(dctc, 5);
	prm_dctc_set_pkey_index(dctc, 0x123);
	prm_dctc_set_tclass(dctc, 0x61);
	prm_dctc_set_hop_limit(dctc, 9);
	prm_dctc_set_eth_prio(dctc, 6);
	prm_dctc_set_min_rnr_nak(dctc, 13);
	prm_dctc_set_mtu(dctc, IBV_MTU_2048);
	assert_int_equal(dvx_dct_create(dev, &attr, &local, &dct), 0);
	assert_memory_equal(fake.last_in, want, sizeof(want));
	assert_int_equal(dvx_dct_destroy(dct), 0);
	assert_int_equal(dvx_srq_destroy(attr.srq), 0);
	assert_int_equal(dvx_cq_destroy(attr.cq), 0);
	assert_int_equal(dvx_pd_free(attr.pd), 0);
	assert_int_equal(dvx_uar_free(ca.uar), 0);
	assert_int_equal(dvx_dev_close(dev), 0);
}

/* Calls with a mailbox check the object and both mailboxes before they use them. */
TEST(cmd, bad_mailboxes)
{
	uint8_t in[PRM_MBOX_IN_BYTES] = {0}, out[PRM_MBOX_OUT_BYTES];
	struct dvx_dev *dev = start();
	struct dvx_obj *obj;

	assert_int_equal(dvx_obj_create(dev, in, sizeof(in), out, sizeof(out), &obj), 0);
	for (int i = 0; i < 2; i++) {
		int (*call)(struct dvx_obj * obj, const void *in, size_t in_len, void *out,
			    size_t out_len) = i ? dvx_obj_modify : dvx_obj_query;

		assert_int_equal(call(NULL, in, sizeof(in), out, sizeof(out)), -EINVAL);
		assert_int_equal(call(obj, NULL, sizeof(in), out, sizeof(out)), -EINVAL);
		assert_int_equal(call(obj, in, sizeof(in) - 1, out, sizeof(out)), -EINVAL);
		assert_int_equal(call(obj, in, sizeof(in), NULL, sizeof(out)), -EINVAL);
		assert_int_equal(call(obj, in, sizeof(in), out, sizeof(out) - 1), -EINVAL);
	}
	assert_int_equal(dvx_obj_destroy(obj), 0);
	assert_int_equal(dvx_dev_close(dev), 0);
}

/* A CQ that ignores overruns, as a collapsed one does, needs cq_oi; another CQ does not. */
TEST(cmd, no_overrun_ignore)
{
	struct dvx_dev *dev;
	struct dvx_cq_attr attr = {.size = sizeof(attr), .entries = 16};
	struct dvx_cq *cq;

	fake.no_cq_oi = true;
	dev = start();
	assert_int_equal(dvx_uar_alloc(dev, DVX_UAR_ANY, &attr.uar), 0);
	for (int i = 0; i < 2; i++) {
		attr.flags = i ? DVX_CQ_COLLAPSED : DVX_CQ_OVERRUN_IGNORE;
		assert_int_equal(dvx_cq_create(dev, &attr, &cq), -EOPNOTSUPP);
		assert_non_null(strstr(dvx_strerror(EOPNOTSUPP), "cq_oi"));
	}
	attr.flags = 0;
	assert_int_equal(dvx_cq_create(dev, &attr, &cq), 0);
	assert_int_equal(dvx_cq_destroy(cq), 0);
	assert_int_equal(dvx_uar_free(attr.uar), 0);
	assert_int_equal(dvx_dev_close(dev), 0);
}

/* A key's command has the size of one key, and the bytes of both. A key in use stays. */
TEST(cmd, dek_sizes)
{
	static const uint8_t bytes[64] = {1, 2, 3, 4, 5, 6, 7, 8, 9, 10};
	struct dvx_dev *dev = start();
	struct dvx_dek_attr attr = {.size = sizeof(attr), .key = bytes};
	struct dvx_dek *dek;

	assert_int_equal(dvx_pd_alloc(dev, &attr.pd), 0);
	for (attr.bits = 128; attr.bits <= 256; attr.bits += 128) {
		void *key = prm_create_encryption_key_in_at_encryption_key_object(fake.last_in);

		attr.len = attr.bits / 4;
		assert_int_equal(dvx_dek_create(dev, &attr, &dek), 0);
		assert_int_equal(prm_encryption_key_obj_get_key_size(key),
				 attr.bits == 128 ? PRM_KEY_SIZE_128 : PRM_KEY_SIZE_256);
		assert_memory_equal(prm_encryption_key_obj_at_key(key, 0), bytes, attr.len);
		fake.destroy_err = EBUSY;
		assert_int_equal(dvx_dek_destroy(dek), -EBUSY);
		fake.destroy_err = 0;
		assert_int_equal(dvx_dek_destroy(dek), 0);
	}
	assert_int_equal(dvx_pd_free(attr.pd), 0);
	assert_int_equal(dvx_dev_close(dev), 0);
}

/* A channel of verbs that belongs to another context of the device is not adopted. */
TEST(cmd, foreign_channel)
{
	struct ibv_context other = {.device = &ibdev};
	struct ibv_comp_channel theirs = {.context = &other}, ours = {.context = &ctx};
	struct dvx_dev *dev = start();
	struct dvx_channel *ch;

	assert_int_equal(dvx_channel_adopt(dev, &theirs, &ch), -EINVAL);
	assert_non_null(strstr(dvx_strerror(EINVAL), "another context"));
	assert_int_equal(dvx_channel_adopt(dev, &ours, &ch), 0);
	assert_int_equal(dvx_channel_close(ch), 0);
	assert_int_equal(dvx_dev_close(dev), 0);
}
