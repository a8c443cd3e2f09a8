/* SPDX-License-Identifier: BSD-2-Clause */
/* Proves the answers of GET_CONTEXT and of device queries, as mlx5_ib gives them (Linux 6.1). */
#include "kernel_fixture.h"

#define EX(cmd) ((cmd) | IB_USER_VERBS_CMD_FLAG_EXTENDED)

static struct mlx5_ib_alloc_ucontext_req_v2 good_request(void)
{
	return (struct mlx5_ib_alloc_ucontext_req_v2){
		.total_num_bfregs = 16,
		.num_low_latency_bfregs = 4,
		.max_cqe_version = 1,
		.lib_caps = MLX5_LIB_CAP_4K_UAR | MLX5_LIB_CAP_DYN_UAR,
	};
}

/* Runs GET_CONTEXT in a new file. */
static int context(struct fx *f, const void *in, size_t len,
		   struct mlx5_ib_alloc_ucontext_resp *out)
{
	struct uverbs_file *mine = f->f;
	int err;

	f->f = kernel_open(f->k, f->mm, BLUEFIELD2_HOST);
	assert_non_null(f->f);
	err = FX_CALL(f, UVERBS_OBJECT_DEVICE, UVERBS_METHOD_GET_CONTEXT,
		      A_IN(UVERBS_ATTR_UHW_IN, in, len),
		      A_OUT(UVERBS_ATTR_UHW_OUT, out, sizeof(*out)));
	kernel_close(f->f);
	f->f = mine;
	return err;
}

/* Proves the errno of good requests with one field changed. */
TEST(fx, context_refusals)
{
#define FIELD(name)                                           \
	offsetof(struct mlx5_ib_alloc_ucontext_req_v2, name), \
		sizeof(((struct mlx5_ib_alloc_ucontext_req_v2 *)0)->name)
	static const struct {
		size_t at, len;
		uint32_t value;
		int err;
	} rows[] = {
		{FIELD(flags), 2, -EOPNOTSUPP},
		{FIELD(comp_mask), 1, -EOPNOTSUPP},
		{FIELD(reserved0), 1, -EOPNOTSUPP},
		{FIELD(reserved1), 1, -EOPNOTSUPP},
		{FIELD(reserved2), 1, -EOPNOTSUPP},
		{FIELD(num_low_latency_bfregs), 16, -EINVAL},
		{FIELD(num_low_latency_bfregs), 15, 0},
		{FIELD(total_num_bfregs), 0, 0}, /* mlx5_ib checks no minimum */
		{FIELD(max_cqe_version), 0, -EINVAL},
		{FIELD(lib_caps), MLX5_LIB_CAP_4K_UAR, -EINVAL},
	};
	struct mlx5_ib_alloc_ucontext_resp out;

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct mlx5_ib_alloc_ucontext_req_v2 in = good_request();
		int err;

		memcpy((uint8_t *)&in + rows[i].at, &rows[i].value,
		       rows[i].len < 4 ? rows[i].len : 4);
		err = context(f, &in, sizeof(in), &out);
		if (err != rows[i].err)
			fail_msg("row %zu: %d, not %d", i, err, rows[i].err);
	}
}

/* Proves that real-time timestamps are offered if all queues have them. */
TEST(fx, real_time)
{
	const struct mlx5_ib_alloc_ucontext_req_v2 in = good_request();
	const struct profile *mine = f->dev->profile;

	for (unsigned int i = 0; i < 4; i++) {
		struct profile p = *mine;
		struct mlx5_ib_alloc_ucontext_resp out = {0};
		uint8_t *const format[] = {NULL, &p.sq_ts_format, &p.rq_ts_format, &p.qp_ts_format};

		if (format[i])
			*format[i] = TS_FORMATS_FREE_RUNNING;
		f->dev->profile = &p;
		assert_int_equal(context(f, &in, sizeof(in), &out), 0);
		assert_int_equal(!(out.comp_mask & MLX5_IB_ALLOC_UCONTEXT_RESP_MASK_REAL_TIME_TS),
				 !!format[i]);
	}
	f->dev->profile = mine;
}

static int query_device(struct fx *f, uint64_t uhw_in, struct ib_uverbs_ex_query_device_resp *out,
			struct mlx5_ib_query_device_resp *uhw)
{
	const struct ib_uverbs_ex_query_device in = {0};

	return FX_CALL(f, UVERBS_OBJECT_DEVICE, UVERBS_METHOD_INVOKE_WRITE,
		       A_VALUE(UVERBS_ATTR_WRITE_CMD, EX(IB_USER_VERBS_EX_CMD_QUERY_DEVICE), 8),
		       A_IN(UVERBS_ATTR_CORE_IN, &in, sizeof(in)),
		       A_OUT(UVERBS_ATTR_CORE_OUT, out, sizeof(*out)),
		       A_VALUE(UVERBS_ATTR_UHW_IN, uhw_in, 8),
		       A_OUT(UVERBS_ATTR_UHW_OUT, uhw, sizeof(*uhw)));
}

/* Proves the flags that programs check before they use flows and multi-packet WQEs. */
TEST(fx, device_flags)
{
	struct ib_uverbs_ex_query_device_resp out = {0};
	struct mlx5_ib_query_device_resp uhw = {0};

	assert_int_equal(query_device(f, 0, &out, &uhw), 0);
	assert_true(out.base.device_cap_flags & IB_UVERBS_DEVICE_MANAGED_FLOW_STEERING);
	assert_int_equal(uhw.mlx5_ib_support_multi_pkt_send_wqes, MLX5_IB_SUPPORT_EMPW);
	assert_int_equal(query_device(f, 1ull << 40, &out, &uhw), -EINVAL);
}
