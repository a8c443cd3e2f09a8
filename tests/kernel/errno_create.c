/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Proves that bad requests of the methods that make CQs, QPs and WQs get the errno of ib_uverbs,
 * ib_core and mlx5_ib (Debian's Linux 6.1).
 */
#include <sys/mman.h>
#include "kernel_fixture.h"

#define IN_MOST 512u

/* Objects that the requests refer to. */
struct creations {
	struct fx *f;
	uint32_t pd, cq;
};

static void creations_open(struct creations *m, struct fx *f)
{
	m->f = f;
	m->pd = fx_pd(f);
	m->cq = fx_cq(f, NULL);
}

static void creation_fill(struct creations *m, unsigned int object, struct request *r, void *u)
{
	if (object == UVERBS_OBJECT_CQ)
		fx_fill_cq(m->f, r, u, 127);
	else if (object == UVERBS_OBJECT_QP)
		fx_fill_qp(m->f, r, u, m->pd, m->cq);
	else
		fx_fill_wq(m->f, r, u, m->pd, m->cq);
}

static size_t creation_size(unsigned int object)
{
	return object == UVERBS_OBJECT_CQ   ? sizeof(struct mlx5_ib_create_cq)
	       : object == UVERBS_OBJECT_QP ? sizeof(struct mlx5_ib_create_qp)
					    : sizeof(struct mlx5_ib_create_wq);
}

/* Proves the minimum length of the driver's part, and the check of bytes after its known part. */
TEST(fx, creations_parts)
{
#define PART(object, len, err)                   \
	{                                        \
		UVERBS_OBJECT_##object, len, err \
	}
	static const struct {
		unsigned int object;
		size_t len;
		int err;
	} parts[] = {
		PART(CQ, 0, -EINVAL),
		PART(CQ, sizeof(struct mlx5_ib_create_cq), 0),
		PART(CQ, sizeof(struct mlx5_ib_create_cq) + 8, 0),
		PART(QP, 0, -EINVAL),
		PART(QP, offsetof(struct mlx5_ib_create_qp, ece_options) - 1, -EINVAL),
		PART(QP, offsetof(struct mlx5_ib_create_qp, ece_options), 0),
		PART(QP, sizeof(struct mlx5_ib_create_qp) + 8, -EINVAL),
		PART(WQ, 0, -EINVAL),
		PART(WQ, offsetof(struct mlx5_ib_create_wq, single_wqe_log_num_of_strides) - 1,
		     -EINVAL),
		PART(WQ, offsetof(struct mlx5_ib_create_wq, single_wqe_log_num_of_strides), 0),
		PART(WQ, sizeof(struct mlx5_ib_create_wq) + 8, -EOPNOTSUPP),
	};
	struct creations m;

	creations_open(&m, f);
	for (size_t i = 0; i < sizeof(parts) / sizeof(parts[0]); i++) {
		uint64_t u[IN_MOST / 8] = {0};
		struct request r;
		int err;

		memset(u, 0xff, sizeof(u));
		creation_fill(&m, parts[i].object, &r, u);
		err = rq_run_with(f, &r, u, parts[i].len);
		if (err != parts[i].err)
			fail_msg("row %zu: %d, not %d", i, err, parts[i].err);
		rq_done(&r);
	}
}

/* Proves that handles are checked first, whatever else is wrong. */
TEST(fx, creations_handles)
{
	static const struct {
		unsigned int object;
		uint16_t handle, other;
		uint64_t value;
		int err;
	} rows[] = {
		{UVERBS_OBJECT_QP, UVERBS_ATTR_CREATE_QP_PD_HANDLE, UVERBS_ATTR_CREATE_QP_TYPE, 5,
		 -ENOENT},
		{UVERBS_OBJECT_QP, 0, UVERBS_ATTR_CREATE_QP_TYPE, 5, -EINVAL},
		{UVERBS_OBJECT_WQ, UVERBS_ATTR_CREATE_WQ_CQ_HANDLE, UVERBS_ATTR_CREATE_WQ_TYPE, 7,
		 -ENOENT},
		{UVERBS_OBJECT_WQ, 0, UVERBS_ATTR_CREATE_WQ_TYPE, 7, -EINVAL},
		{UVERBS_OBJECT_WQ, 0, UVERBS_ATTR_CREATE_WQ_FLAGS, IB_UVERBS_WQ_FLAGS_DELAY_DROP,
		 -EOPNOTSUPP},
		{UVERBS_OBJECT_WQ, 0, UVERBS_ATTR_CREATE_WQ_FLAGS, 1u << 4, -EINVAL},
	};
	struct creations m;

	creations_open(&m, f);
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		uint64_t u[IN_MOST / 8] = {0};
		struct request r;
		int err;

		creation_fill(&m, rows[i].object, &r, u);
		if (rows[i].handle)
			rq_attr(&r, rows[i].handle)->data = 999;
		if (rq_attr(&r, rows[i].other))
			rq_attr(&r, rows[i].other)->data = rows[i].value;
		else
			rq_value(&r, rows[i].other, rows[i].value, 4);
		err = rq_run_with(f, &r, u, creation_size(rows[i].object));
		if (err != rows[i].err)
			fail_msg("row %zu: %d, not %d", i, err, rows[i].err);
		rq_done(&r);
	}
}

/* Proves that read-only memory is accepted where the device only reads, and no memory nowhere. */
TEST(fx, memory_of_queues)
{
	static const struct {
		unsigned int object;
		size_t at; /* offset of the address in the driver's part */
		int read_only, gone;
	} rows[] = {
		{UVERBS_OBJECT_CQ, offsetof(struct mlx5_ib_create_cq, buf_addr), -EFAULT, -EFAULT},
		{UVERBS_OBJECT_CQ, offsetof(struct mlx5_ib_create_cq, db_addr), -EFAULT, -EFAULT},
		{UVERBS_OBJECT_QP, offsetof(struct mlx5_ib_create_qp, buf_addr), 0, -EFAULT},
		{UVERBS_OBJECT_QP, offsetof(struct mlx5_ib_create_qp, db_addr), 0, -EFAULT},
		{UVERBS_OBJECT_WQ, offsetof(struct mlx5_ib_create_wq, buf_addr), 0, -EFAULT},
		{UVERBS_OBJECT_WQ, offsetof(struct mlx5_ib_create_wq, db_addr), 0, -EFAULT},
	};
	const size_t len = 65536;
	struct creations m;

	creations_open(&m, f);
	for (size_t i = 0; i < 2 * (sizeof(rows) / sizeof(rows[0])); i++) {
		const bool gone = i % 2;
		const int want = gone ? rows[i / 2].gone : rows[i / 2].read_only;
		uint64_t u[IN_MOST / 8] = {0};
		void *at = mmap(NULL, len, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
		struct request r;
		int err;

		assert_true(at != MAP_FAILED);
		if (gone)
			munmap(at, len);
		creation_fill(&m, rows[i / 2].object, &r, u);
		u[rows[i / 2].at / 8] = (uintptr_t)at;
		err = rq_run_with(f, &r, u, creation_size(rows[i / 2].object));
		if (err != want)
			fail_msg("row %zu, %s: %d, not %d", i / 2, gone ? "gone" : "read-only", err,
				 want);
		rq_done(&r);
		if (!gone)
			munmap(at, len);
	}
}
