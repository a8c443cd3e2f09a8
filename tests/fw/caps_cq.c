/* SPDX-License-Identifier: BSD-2-Clause */
/* Uses of completion queues and the clock, for caps.c. */
#include "caps.h"
#include <endian.h>
#include <sys/mman.h>
#include <infiniband/mlx5dv.h>
#include <dvx/prm/cap.h>
#include <dvx/prm/cqe.h>

void overrun_ignored(struct rig *r)
{
	struct ibv_cq_init_attr_ex a = {.cqe = 15,
					.comp_mask = IBV_CQ_INIT_ATTR_MASK_FLAGS,
					.flags = IBV_CREATE_CQ_ATTR_IGNORE_OVERRUN};
	struct ibv_cq_ex *cq = ibv_create_cq_ex(dvx_dev_ibv(r->dev), &a);

	assert_non_null(cq);
	assert_int_equal(ibv_destroy_cq(ibv_cq_ex_to_cq(cq)), 0);
}

struct ibv_cq *caps_cq(struct rig *r)
{
	struct ibv_cq *cq = ibv_create_cq(dvx_dev_ibv(r->dev), 15, NULL, NULL, 0);

	assert_non_null(cq);
	return cq;
}

void cq_resized(struct rig *r)
{
	struct ibv_cq *cq = caps_cq(r);

	assert_int_equal(ibv_resize_cq(cq, 100), 0);
	assert_int_equal(cq->cqe, 127);
	assert_int_equal(ibv_destroy_cq(cq), 0);
}

void cq_moderated(struct rig *r)
{
	struct ibv_cq *cq = caps_cq(r);
	struct ibv_modify_cq_attr a = {.attr_mask = IBV_CQ_ATTR_MODERATE, .moderate = {8, 100}};

	assert_int_equal(ibv_modify_cq(cq, &a), 0);
	assert_int_equal(ibv_destroy_cq(cq), 0);
}

void cq_padded(struct rig *r)
{
	struct ibv_cq_init_attr_ex a = {.cqe = 15};
	struct mlx5dv_cq_init_attr dv = {
		.comp_mask = MLX5DV_CQ_INIT_ATTR_MASK_FLAGS | MLX5DV_CQ_INIT_ATTR_MASK_CQE_SIZE,
		.flags = MLX5DV_CQ_INIT_ATTR_FLAGS_CQE_PAD,
		.cqe_size = 128,
	};
	struct ibv_cq_ex *cq = mlx5dv_create_cq(dvx_dev_ibv(r->dev), &a, &dv);

	assert_non_null(cq);
	assert_int_equal(ibv_destroy_cq(ibv_cq_ex_to_cq(cq)), 0);
}

void cq_compressed(struct rig *r)
{
	struct ibv_cq_init_attr_ex a = {.cqe = 15};
	struct mlx5dv_cq_init_attr dv = {
		.comp_mask =
			MLX5DV_CQ_INIT_ATTR_MASK_COMPRESSED_CQE | MLX5DV_CQ_INIT_ATTR_MASK_CQE_SIZE,
	};
	struct ibv_cq_ex *cq;

	for (dv.cqe_size = 64; dv.cqe_size <= 128; dv.cqe_size *= 2)
		for (unsigned int format = MLX5DV_CQE_RES_FORMAT_HASH;
		     format <= MLX5DV_CQE_RES_FORMAT_CSUM_STRIDX; format *= 2) {
			dv.cqe_comp_res_format = (uint8_t)format;
			cq = mlx5dv_create_cq(dvx_dev_ibv(r->dev), &a, &dv);
			assert_non_null(cq);
			assert_int_equal(ibv_destroy_cq(ibv_cq_ex_to_cq(cq)), 0);
		}
}

static uint64_t monotonic(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec;
}

static uint64_t raw_clock(struct ibv_context *ctx)
{
	struct ibv_values_ex v = {.comp_mask = IBV_VALUES_MASK_RAW_CLOCK};

	assert_int_equal(ibv_query_rt_values_ex(ctx, &v), 0);
	return (uint64_t)v.raw_clock.tv_nsec;
}

/* The page with the clock is right when it is first read, and it advances. */
/* The time of day is 64 bytes behind it, seconds above nanoseconds (libdpcp reads it). */
static void real_clock_works(struct ibv_context *ctx)
{
	struct mlx5dv_context d = {.comp_mask = MLX5DV_CONTEXT_MASK_HCA_CORE_CLOCK};
	struct timespec before, after;
	uint64_t real;

	assert_int_equal(mlx5dv_query_device(ctx, &d), 0);
	assert_non_null(d.hca_core_clock);
	clock_gettime(CLOCK_REALTIME, &before);
	(void)raw_clock(ctx);
	real = be64toh(*(volatile uint64_t *)((char *)d.hca_core_clock + 64));
	clock_gettime(CLOCK_REALTIME, &after);
	assert_in_range(real >> 32, before.tv_sec - 1, after.tv_sec);
	assert_in_range(real & 0xffffffff, 0, 999999999);
}

void clock_page_works(struct rig *r)
{
	struct ibv_context *ctx = dvx_dev_ibv(r->dev);
	uint64_t before = monotonic(), first = raw_clock(ctx), next;

	assert_in_range(first, before, monotonic());
	while ((next = raw_clock(ctx)) == first)
		;
	assert_in_range(next, first, monotonic());
	real_clock_works(ctx);
	assert_ptr_equal(
		mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED, ctx->cmd_fd, 5ll << 8 << 12),
		MAP_FAILED);
	assert_int_equal(errno, EPERM);
}

/* Completions' timestamps advance at the advertised frequency, measured by CLOCK_MONOTONIC. */
void clock_ticks(struct rig *r)
{
	uint32_t khz =
		prm_cmd_hca_cap_get_device_frequency_khz(caps_page(r, PRM_HCA_CAP_TYPE_GENERAL));
	struct ibv_device_attr_ex attr;
	struct dvx_sge sge = {(uintptr_t)r->buf, 8, r->key};
	uint64_t host[4], device[2];
	struct timespec t;
	struct pair p;

	assert_int_equal(ibv_query_device_ex(dvx_dev_ibv(r->dev), NULL, &attr), 0);
	assert_int_equal(attr.hca_core_clock, khz);
	pair_make(r, &p, DVX_REMOTE_WRITE);
	for (unsigned int i = 0; i < 2; i++) {
		clock_gettime(CLOCK_MONOTONIC, &t);
		host[2 * i] = (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec;
		dvx_post_write(p.sq, (uintptr_t)r->buf + 64, r->key, &sge, 1, i, DVX_SIGNALED);
		dvx_sq_ring(p.sq);
		device[i] = prm_cqe64_get_timestamp(wait_cqe(p.cq[0]));
		done(p.cq[0], p.sq, i);
		clock_gettime(CLOCK_MONOTONIC, &t);
		host[2 * i + 1] = (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec;
	}
	/* the time between the two completions is at most the outer and at least the inner time */
	assert_in_range((device[1] - device[0]) * 1000000u / khz, host[2] - host[1],
			host[3] - host[0]);
	pair_free(&p);
}
