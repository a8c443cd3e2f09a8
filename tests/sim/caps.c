/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The device advertises what it does, and nothing else: each field that QUERY_HCA_CAP sets has a
 * row here, which uses the feature.
 */
#include "tests/test.h"
#include <fcntl.h>
#include <fnmatch.h>
#include <sys/mman.h>
#include <infiniband/mlx5dv.h>
#include <dvx/prm/admin.h>
#include <dvx/prm/cap.h>
#include <dvx/prm/cmd.h>
#include <dvx/prm/cqe.h>
#include <dvx/prm/flow.h>
#include <dvx/prm/misc.h>
#include <dvx/prm/mkey.h>
#include "prm/reflect.h"
#include "lib_rig.h"

#define TEST_FIXTURE {rig_open, rig_close}

static const uint8_t *page_of(struct rig *r, uint16_t type)
{
	const void *page;

	OK(dvx_dev_cap_page(r->dev, type, &page));
	return page;
}

/* An object that CREATE makes and its DESTROY takes back. */
static void object(struct rig *r, uint32_t opcode, uint8_t *in, size_t len)
{
	uint8_t out[64];
	struct dvx_obj *obj;

	prm_mbox_in_set_opcode(in, opcode);
	OK(dvx_obj_create(r->dev, in, len, out, sizeof(out), &obj));
	OK(dvx_obj_destroy(obj));
}

/* --- what uses a feature --- */

/* Numbers that describe the function: nothing to use, dvx-info and verbs show them. */
static void is_identity(struct rig *r)
{
	struct dvx_port port;

	OK(dvx_dev_port(r->dev, 1, &port));
	assert_int_not_equal(dvx_dev_port(r->dev, 2, &port), 0);
	assert_int_equal(prm_cmd_hca_cap_get_vhca_id(page_of(r, PRM_HCA_CAP_TYPE_GENERAL)),
			 dvx_dev_caps(r->dev)->vhca_id);
}

/* Bits that say a page exists: the page has something in it. */
static void pages_exist(struct rig *r)
{
	static const uint16_t types[] = {
		PRM_HCA_CAP_TYPE_GENERAL_2, PRM_HCA_CAP_TYPE_ETHERNET_OFFLOADS,
		PRM_HCA_CAP_TYPE_ROCE,	    PRM_HCA_CAP_TYPE_FLOW_TABLE,
		PRM_HCA_CAP_TYPE_DEV_MEM,   PRM_HCA_CAP_TYPE_ATOMIC,
		PRM_HCA_CAP_TYPE_QOS,
	};
	static const uint8_t zero[256];

	for (size_t i = 0; i < sizeof(types) / sizeof(types[0]); i++)
		if (!memcmp(page_of(r, types[i]), zero, sizeof(zero)))
			fail_msg("page 0x%x is empty", types[i]);
}

/* RC both ways: WRITE, as many READs as log_max_ra_* allow, user indexes in CQEs, BlueFlame. */
static void rc_works(struct rig *r)
{
	uint32_t reads =
		1u << prm_cmd_hca_cap_get_log_max_ra_req_qp(page_of(r, PRM_HCA_CAP_TYPE_GENERAL));
	struct dvx_sge sge = {(uintptr_t)r->buf, 512, r->key};
	struct pair p;

	assert_int_equal(
		dvx_uar_bf_size(r->uar),
		1u << (prm_cmd_hca_cap_get_log_bf_reg_size(page_of(r, PRM_HCA_CAP_TYPE_GENERAL)) -
		       1));
	pair_make(r, &p, DVX_REMOTE_WRITE | DVX_REMOTE_READ);
	dvx_post_write(p.sq, (uintptr_t)r->buf + 4096, r->key, &sge, 1, 0, DVX_SIGNALED);
	for (uint32_t i = 1; i <= reads; i++)
		dvx_post_read(p.sq, (uintptr_t)r->buf + 8192, r->key, &sge, 1, i, DVX_SIGNALED);
	dvx_sq_ring(p.sq);
	assert_int_equal(dvx_cqe_user_index(wait_cqe(p.cq[0])), 0x70);
	for (uint32_t i = 0; i <= reads; i++)
		done(p.cq[0], p.sq, i);
	pair_free(&p);
}

/* All of it, mapped and as a region; no byte more. rdma-core's tests move data by it. */
static void dm_works(struct rig *r)
{
	const uint8_t *cap = page_of(r, PRM_HCA_CAP_TYPE_DEV_MEM);
	struct ibv_context *ctx = dvx_dev_ibv(r->dev);
	struct ibv_pd *pd = ibv_alloc_pd(ctx);
	struct ibv_alloc_dm_attr a = {
		.length = prm_device_mem_cap_get_max_memic_size(cap),
		.log_align_req = 6 + prm_device_mem_cap_get_log_max_memic_addr_alignment(cap),
	};
	struct ibv_dm *dm = ibv_alloc_dm(ctx, &a);
	uint64_t word = 0x1122334455667788ull, back = 0;
	struct ibv_mr *mr;

	assert_non_null(dm);
	assert_int_equal(ibv_memcpy_to_dm(dm, a.length - 8, &word, 8), 0);
	assert_int_equal(ibv_memcpy_from_dm(&back, dm, a.length - 8, 8), 0);
	assert_int_equal(back, word);
	mr = ibv_reg_dm_mr(pd, dm, 0, a.length, IBV_ACCESS_ZERO_BASED | IBV_ACCESS_LOCAL_WRITE);
	assert_non_null(mr);
	a.length = 64;
	assert_null(ibv_alloc_dm(ctx, &a));
	assert_int_not_equal(ibv_free_dm(dm), 0);
	assert_int_equal(ibv_dereg_mr(mr), 0);
	assert_int_equal(ibv_free_dm(dm), 0);
	assert_int_equal(ibv_dealloc_pd(pd), 0);
}

/* Pages that are mapped after they were registered, and the whole address space as one region.
 * tests/interop/rdma_core.sh (test_odp) sends from them. */
static void odp_works(struct rig *r)
{
	const unsigned int access = IBV_ACCESS_LOCAL_WRITE | IBV_ACCESS_ON_DEMAND;
	struct ibv_pd *pd = ibv_alloc_pd(dvx_dev_ibv(r->dev));
	uint8_t *later = mmap(NULL, 8192, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	struct ibv_mr *mr[2] = {ibv_reg_mr(pd, later, 8192, access),
				ibv_reg_mr(pd, NULL, SIZE_MAX, access)};
	struct ibv_sge bad = {(uintptr_t)later, 8192, 0};

	assert_non_null(mr[0]);
	assert_non_null(mr[1]);
	bad.lkey = mr[0]->lkey;
	assert_int_equal(ibv_advise_mr(pd, IBV_ADVISE_MR_ADVICE_PREFETCH_WRITE,
				       IBV_ADVISE_MR_FLAG_FLUSH, &bad, 1),
			 EFAULT);
	assert_int_equal(mprotect(later, 8192, PROT_READ | PROT_WRITE), 0);
	assert_int_equal(ibv_advise_mr(pd, IBV_ADVISE_MR_ADVICE_PREFETCH_WRITE,
				       IBV_ADVISE_MR_FLAG_FLUSH, &bad, 1),
			 0);
	for (unsigned int i = 0; i < 2; i++)
		assert_int_equal(ibv_dereg_mr(mr[i]), 0);
	munmap(later, 8192);
	assert_int_equal(ibv_dealloc_pd(pd), 0);
}

/* What binds them is UMR: tests/unit/queue_umr, and rdma-core's tests. */
static void windows_work(struct rig *r)
{
	struct ibv_pd *pd = ibv_alloc_pd(dvx_dev_ibv(r->dev));

	for (int type = IBV_MW_TYPE_1; type <= IBV_MW_TYPE_2; type++) {
		struct ibv_mw *mw = ibv_alloc_mw(pd, (enum ibv_mw_type)type);

		assert_non_null(mw);
		assert_int_equal(ibv_dealloc_mw(mw), 0);
	}
	assert_int_equal(ibv_dealloc_pd(pd), 0);
}

/* KLM and KSM mkeys of the longest list. */
static void lists_work(struct rig *r)
{
	const uint8_t *cap = page_of(r, PRM_HCA_CAP_TYPE_GENERAL);
	uint32_t most = 1u << prm_cmd_hca_cap_get_log_max_klm_list_size(cap);

	for (uint32_t mode = PRM_MKC_ACCESS_MODE_KLM; mode <= PRM_MKC_ACCESS_MODE_KSM; mode++) {
		uint8_t in[PRM_CREATE_MKEY_IN_BYTES] = {0};
		void *mkc = prm_create_mkey_in_at_memory_key_mkey_entry(in);

		prm_mkc_set_access_mode_1_0(mkc, mode);
		prm_mkc_set_translations_octword_size(mkc, most);
		prm_mkc_set_free(mkc, 1);
		prm_mkc_set_umr_en(mkc, 1);
		prm_mkc_set_qpn(mkc, 0xffffff);
		prm_mkc_set_log_page_size(mkc, 12);
		prm_mkc_set_pd(mkc, dvx_pd_number(r->pd));
		object(r, PRM_OPCODE_CREATE_MKEY, in, sizeof(in));
	}
}

/* ibv_alloc_null_mr(): zeros to read. */
static void null_works(struct rig *r)
{
	struct ibv_pd *pd = ibv_alloc_pd(dvx_dev_ibv(r->dev));
	struct ibv_mr *mr = ibv_alloc_null_mr(pd);
	struct dvx_sge sge = {0x5000, 64, 0};
	struct pair p;

	assert_non_null(mr);
	sge.lkey = mr->lkey;
	memset(r->buf, 0xff, 64);
	pair_make(r, &p, DVX_REMOTE_WRITE);
	dvx_post_write(p.sq, (uintptr_t)r->buf, r->key, &sge, 1, 1, DVX_SIGNALED);
	dvx_sq_ring(p.sq);
	done(p.cq[0], p.sq, 1);
	assert_int_equal(r->buf[0] | r->buf[63], 0);
	pair_free(&p);
	assert_int_equal(ibv_dereg_mr(mr), 0);
	assert_int_equal(ibv_dealloc_pd(pd), 0);
}

static void loopback_works(struct rig *r)
{
	struct dvx_cq_attr ca = {.size = sizeof(ca), .entries = 80, .uar = r->uar};
	struct dvx_qp_attr qa = rig_qp_attr(r);
	struct dvx_sge sge = {(uintptr_t)r->buf, 64, r->key};
	struct dvx_cq *cq;
	struct dvx_qp *qp;

	OK(dvx_cq_create(r->dev, &ca, &cq));
	qa.send_cq = cq;
	qa.flags |= DVX_QP_FORCE_LOOPBACK;
	OK(dvx_qp_create(r->dev, &qa, &qp));
	OK(dvx_qp_connect_self(qp, DVX_REMOTE_WRITE));
	dvx_post_write(dvx_qp_sq(qp), (uintptr_t)r->buf + 64, r->key, &sge, 1, 1, DVX_SIGNALED);
	dvx_sq_ring(dvx_qp_sq(qp));
	done(cq, dvx_qp_sq(qp), 1);
	OK(dvx_qp_destroy(qp));
	OK(dvx_cq_destroy(cq));
}

static void dma_works(struct rig *r)
{
	struct pair p;

	pair_make(r, &p, 0);
	r->buf[0] = 1;
	r->buf[RIG_BYTES / 2] = 2;
	dvx_post_dma(p.sq, (uintptr_t)r->buf + RIG_BYTES / 2, r->key, (uintptr_t)r->buf, r->key,
		     RIG_BYTES / 2, 1, DVX_SIGNALED);
	ring_done(&p, 1);
	assert_int_equal(r->buf[RIG_BYTES / 2], 1);
	pair_free(&p);
}

static void memory_works(struct rig *r)
{
	struct dvx_mkey_attr a = {.size = sizeof(a),
				  .access = DVX_LOCAL_WRITE | DVX_RELAXED_ORDERING,
				  .pd = r->pd,
				  .addr = r->buf,
				  .len = RIG_BYTES};
	struct dvx_mkey *mkey;
	struct dvx_umem *umem;

	OK(dvx_mkey_create(r->dev, &a, &mkey));
	OK(dvx_mkey_destroy(mkey));
	OK(dvx_umem_reg(r->dev, r->buf, 4096, DVX_LOCAL_WRITE, &umem));
	OK(dvx_umem_dereg(umem));
}

/* A key of a kernel object (the PD of verbs) in a command of DevX. */
static void shared_objects_work(struct rig *r)
{
	struct ibv_pd *ibpd = ibv_alloc_pd(dvx_dev_ibv(r->dev));
	struct dvx_mkey_attr a = {.size = sizeof(a), .addr = r->buf, .len = 4096};
	struct dvx_mkey *mkey;

	assert_non_null(ibpd);
	OK(dvx_pd_adopt(r->dev, ibpd, &a.pd));
	OK(dvx_mkey_create(r->dev, &a, &mkey));
	OK(dvx_mkey_destroy(mkey));
	OK(dvx_pd_free(a.pd));
	assert_int_equal(ibv_dealloc_pd(ibpd), 0);
}

static void overrun_ignored(struct rig *r)
{
	struct ibv_cq_init_attr_ex a = {.cqe = 15,
					.comp_mask = IBV_CQ_INIT_ATTR_MASK_FLAGS,
					.flags = IBV_CREATE_CQ_ATTR_IGNORE_OVERRUN};
	struct ibv_cq_ex *cq = ibv_create_cq_ex(dvx_dev_ibv(r->dev), &a);

	assert_non_null(cq);
	assert_int_equal(ibv_destroy_cq(ibv_cq_ex_to_cq(cq)), 0);
}

static struct ibv_cq *cq_of_verbs(struct rig *r)
{
	struct ibv_cq *cq = ibv_create_cq(dvx_dev_ibv(r->dev), 15, NULL, NULL, 0);

	assert_non_null(cq);
	return cq;
}

static void cq_resized(struct rig *r)
{
	struct ibv_cq *cq = cq_of_verbs(r);

	assert_int_equal(ibv_resize_cq(cq, 100), 0);
	assert_int_equal(cq->cqe, 127);
	assert_int_equal(ibv_destroy_cq(cq), 0);
}

static void cq_moderated(struct rig *r)
{
	struct ibv_cq *cq = cq_of_verbs(r);
	struct ibv_modify_cq_attr a = {.attr_mask = IBV_CQ_ATTR_MODERATE, .moderate = {8, 100}};

	assert_int_equal(ibv_modify_cq(cq, &a), 0);
	assert_int_equal(ibv_destroy_cq(cq), 0);
}

static void cq_padded(struct rig *r)
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

static void cq_compressed(struct rig *r)
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

/* The page with the clock: right when it is first read, and it goes on. */
static void clock_page_works(struct rig *r)
{
	struct ibv_context *ctx = dvx_dev_ibv(r->dev);
	uint64_t before = monotonic(), first = raw_clock(ctx), next;

	assert_in_range(first, before, monotonic());
	while ((next = raw_clock(ctx)) == first)
		;
	assert_in_range(next, first, monotonic());
	assert_ptr_equal(
		mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED, ctx->cmd_fd, 5ll << 8 << 12),
		MAP_FAILED);
	assert_int_equal(errno, EPERM);
}

/* Completions' timestamps advance at the advertised frequency, by CLOCK_MONOTONIC's measure. */
static void clock_ticks(struct rig *r)
{
	uint32_t khz =
		prm_cmd_hca_cap_get_device_frequency_khz(page_of(r, PRM_HCA_CAP_TYPE_GENERAL));
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
	/* Between the two completions lies at most the whole, and at least the inner time. */
	assert_in_range((device[1] - device[0]) * 1000000u / khz, host[2] - host[1],
			host[3] - host[0]);
	pair_free(&p);
}

static void counters_work(struct rig *r)
{
	uint32_t bulks =
		prm_cmd_hca_cap_get_flow_counter_bulk_alloc(page_of(r, PRM_HCA_CAP_TYPE_GENERAL));

	for (unsigned int bit = 0; bit < 8; bit++) {
		uint8_t in[64] = {0};

		if (!(bulks & 1u << bit))
			continue;
		prm_alloc_flow_counter_in_set_flow_counter_bulk(in, 1u << bit);
		object(r, PRM_OPCODE_ALLOC_FLOW_COUNTER, in, PRM_ALLOC_FLOW_COUNTER_IN_BYTES);
	}
}

/* Tables that firmware owns and tables that software writes, Geneve and VXLAN-GPE among the keys.
 */
static void steering_works(struct rig *r)
{
	struct dvx_flow_domain_attr da = {.size = sizeof(da)};
	struct dvx_flow_match keys[2] = {0};
	struct dvx_flow_domain *domain;

	for (unsigned int i = 0; i < 2; i++) {
		OK(dvx_flow_match_ip_version(&keys[i], DVX_FLOW_OUTER, 4));
		OK(dvx_flow_match_port(&keys[i], DVX_FLOW_OUTER, DVX_FLOW_DST, DVX_FLOW_UDP,
				       i ? 4790 : 6081, 0xffff));
	}
	OK(dvx_flow_match_set(&keys[0], "misc_parameters.geneve_vni", 7, 0xffffff));
	OK(dvx_flow_match_set(&keys[1], "misc_parameters_3.outer_vxlan_gpe_vni", 7, 0xffffff));
	OK(dvx_flow_domain_create(r->dev, &da, &domain));
	for (uint32_t level = 0; level < 2; level++) {
		struct dvx_flow_table *table;

		OK(dvx_flow_table_create(domain, level, &table));
		for (unsigned int i = 0; i < 2; i++) {
			struct dvx_flow_matcher_attr a = {.size = sizeof(a), .match = &keys[i]};
			struct dvx_flow_matcher *matcher;

			OK(dvx_flow_matcher_create(table, &a, &matcher));
			OK(dvx_flow_matcher_destroy(matcher));
		}
		OK(dvx_flow_table_destroy(table));
	}
	OK(dvx_flow_domain_destroy(domain));
}

/* More numbers than one block has, none of them a queue pair's. */
static void reserved_qpns_work(struct rig *r)
{
	struct ibv_context *ctx = dvx_dev_ibv(r->dev);
	const uint8_t *general = page_of(r, PRM_HCA_CAP_TYPE_GENERAL);
	uint32_t qpn[40];

	for (unsigned int i = 0; i < 40; i++) {
		assert_int_equal(mlx5dv_reserved_qpn_alloc(ctx, &qpn[i]), 0);
		assert_true(qpn[i] >= 1u << prm_cmd_hca_cap_get_log_max_qp(general));
		assert_true(!i || qpn[i] == qpn[i - 1] + 1);
	}
	for (unsigned int i = 0; i < 40; i++)
		assert_int_equal(mlx5dv_reserved_qpn_dealloc(ctx, qpn[i]), 0);
	assert_int_equal(mlx5dv_reserved_qpn_dealloc(ctx, qpn[0]), EINVAL);
}

/* A raw packet QP on the leaf of a tree, with the largest weight. */
static void scheduling_works(struct rig *r)
{
	const uint32_t flags =
		MLX5DV_SCHED_ELEM_ATTR_FLAGS_BW_SHARE | MLX5DV_SCHED_ELEM_ATTR_FLAGS_MAX_AVG_BW;
	struct ibv_context *ctx = dvx_dev_ibv(r->dev);
	struct mlx5dv_sched_attr a = {0};
	struct mlx5dv_sched_node *root = mlx5dv_sched_node_create(ctx, &a);
	struct mlx5dv_sched_leaf *leaf;
	struct ibv_cq *cq = cq_of_verbs(r);
	struct ibv_pd *pd = ibv_alloc_pd(ctx);
	struct ibv_qp_init_attr qa = {.qp_type = IBV_QPT_RAW_PACKET,
				      .send_cq = cq,
				      .recv_cq = cq,
				      .cap = {.max_send_wr = 4, .max_send_sge = 1}};
	struct ibv_qp_attr to = {.qp_state = IBV_QPS_INIT, .port_num = 1};
	struct ibv_qp *qp = ibv_create_qp(pd, &qa);

	assert_non_null(root);
	assert_non_null(qp);
	a = (struct mlx5dv_sched_attr){
		.parent = root,
		.flags = flags,
		.bw_share = prm_qos_cap_get_max_tsar_bw_share(page_of(r, PRM_HCA_CAP_TYPE_QOS)),
		.max_avg_bw = 1000};
	leaf = mlx5dv_sched_leaf_create(ctx, &a);
	assert_non_null(leaf);
	assert_int_equal(ibv_modify_qp(qp, &to, IBV_QP_STATE | IBV_QP_PORT), 0);
	for (to.qp_state = IBV_QPS_RTR; to.qp_state <= IBV_QPS_RTS; to.qp_state++)
		assert_int_equal(ibv_modify_qp(qp, &to, IBV_QP_STATE), 0);
	assert_int_equal(mlx5dv_modify_qp_sched_elem(qp, leaf, NULL), 0);
	assert_int_not_equal(mlx5dv_sched_leaf_destroy(leaf), 0);
	assert_int_equal(ibv_destroy_qp(qp), 0);
	assert_int_equal(mlx5dv_sched_leaf_destroy(leaf), 0);
	assert_int_equal(mlx5dv_sched_node_destroy(root), 0);
	assert_int_equal(ibv_dealloc_pd(pd), 0);
	assert_int_equal(ibv_destroy_cq(cq), 0);
}

/* Rates of a raw packet QP at both ends of the range; rows of the table for DevX, until it is full.
 * tests/unit/queue_raw measures the time between packets. */
static void rates_work(struct rig *r)
{
	const uint8_t *cap = page_of(r, PRM_HCA_CAP_TYPE_QOS);
	uint32_t n = prm_qos_cap_get_packet_pacing_rate_table_size(cap), made = 0;
	uint8_t ctx[48] = {0};
	struct mlx5dv_pp **pp = calloc(n, sizeof(*pp));
	struct ibv_context *ctx_of = dvx_dev_ibv(r->dev);
	struct ibv_device_attr_ex attr;

	assert_int_equal(ibv_query_device_ex(ctx_of, NULL, &attr), 0);
	assert_int_equal(attr.packet_pacing_caps.qp_rate_limit_min, 1);
	assert_int_equal(attr.packet_pacing_caps.qp_rate_limit_max,
			 prm_qos_cap_get_packet_pacing_max_rate(cap));
	assert_true(attr.packet_pacing_caps.supported_qpts & 1 << IBV_QPT_RAW_PACKET);
	prm_store32(ctx, 0, attr.packet_pacing_caps.qp_rate_limit_max + 1);
	assert_null(mlx5dv_pp_alloc(ctx_of, sizeof(ctx), ctx, 0));
	prm_store32(ctx, 0, attr.packet_pacing_caps.qp_rate_limit_max);
	while (made < n && (pp[made] = mlx5dv_pp_alloc(ctx_of, sizeof(ctx), ctx,
						       MLX5DV_PP_ALLOC_FLAGS_DEDICATED_INDEX)))
		made++;
	assert_int_equal(made, n - 1);
	assert_int_equal(errno, ENOSPC);
	while (made)
		mlx5dv_pp_free(pp[--made]);
	free(pp);
}

static void raw_queues_work(struct rig *r)
{
	uint32_t most =
		1u << prm_cmd_hca_cap_get_log_max_rqt_size(page_of(r, PRM_HCA_CAP_TYPE_GENERAL));
	struct dvx_cq_attr ca = {.size = sizeof(ca), .entries = 64, .uar = r->uar};
	struct dvx_rxq_attr ra = {
		.size = sizeof(ra), .pd = r->pd, .entries = 16, .flags = DVX_RXQ_STRIP_VLAN};
	struct dvx_txq_attr ta = {.size = sizeof(ta), .pd = r->pd, .uar = r->uar, .sq_blocks = 16};
	struct dvx_rxq **queues = calloc(most, sizeof(struct dvx_rxq *));
	struct dvx_rss_attr sa = {.size = sizeof(sa), .queue_count = most, .queues = queues};
	struct dvx_cq *cq;
	struct dvx_txq *txq;
	struct dvx_rss *rss;

	OK(dvx_cq_create(r->dev, &ca, &cq));
	ra.cq = cq;
	ta.cq = cq;
	OK(dvx_rxq_create(r->dev, &ra, &queues[0]));
	for (uint32_t i = 1; i < most; i++)
		queues[i] = queues[0];
	OK(dvx_txq_create(r->dev, &ta, &txq));
	OK(dvx_rss_create(r->dev, &sa, &rss));
	OK(dvx_rss_destroy(rss));
	OK(dvx_txq_destroy(txq));
	OK(dvx_rxq_destroy(queues[0]));
	OK(dvx_cq_destroy(cq));
	free(queues);
}

/* An SRQ as large as log_max_srq_sz allows; messages through it: tests/interop/srq.sh. */
static void srq_works(struct rig *r)
{
	struct ibv_context *ctx = dvx_dev_ibv(r->dev);
	struct ibv_pd *pd = ibv_alloc_pd(ctx);
	struct ibv_device_attr d;
	struct ibv_srq_init_attr a = {.attr = {.max_sge = 1}};
	struct ibv_srq *srq;

	assert_int_equal(ibv_query_device(ctx, &d), 0);
	assert_int_equal(
		d.max_srq,
		1 << prm_cmd_hca_cap_get_log_max_srq(page_of(r, PRM_HCA_CAP_TYPE_GENERAL)));
	a.attr.max_wr = (uint32_t)d.max_srq_wr;
	srq = ibv_create_srq(pd, &a);
	assert_non_null(srq);
	assert_int_equal(ibv_query_srq(srq, &a.attr), 0);
	assert_int_equal(a.attr.max_wr, d.max_srq_wr);
	assert_int_equal(ibv_destroy_srq(srq), 0);
	assert_int_equal(ibv_dealloc_pd(pd), 0);
}

static void domains_work(struct rig *r)
{
	uint8_t in[64] = {0};

	object(r, PRM_OPCODE_ALLOC_TRANSPORT_DOMAIN, in, PRM_ALLOC_TRANSPORT_DOMAIN_IN_BYTES);
}

static void event_queues_work(struct rig *r)
{
	struct dvx_channel *channel;

	OK(dvx_channel_open(r->dev, &channel));
	OK(dvx_channel_close(channel));
}

/* Each GID of the table is of an advertised version. */
static void gids_fit(struct rig *r)
{
	const uint8_t *cap = page_of(r, PRM_HCA_CAP_TYPE_ROCE);
	struct dvx_gid *list;
	size_t n;

	OK(dvx_dev_gids(r->dev, &list, &n));
	assert_in_range(n, 1, prm_roce_cap_get_roce_address_table_size(cap));
	for (size_t i = 0; i < n; i++)
		assert_int_not_equal(list[i].type, DVX_GID_IB_ROCE_V1);
	dvx_gids_free(list);
}

static void aliases_work(struct rig *r)
{
	struct dvx_ticket t;

	OK(dvx_mkey_export(r->mkey, &t)); /* the other half needs a second function: lib_alias.sh */
	dvx_ticket_wipe(&t);
}

/* As libmlx5 offers it: of the least and of the most strides, and no fewer. */
static void striding_works(struct rig *r)
{
	struct ibv_context *ctx = dvx_dev_ibv(r->dev);
	struct mlx5dv_context dv = {.comp_mask = MLX5DV_CONTEXT_MASK_STRIDING_RQ};
	struct ibv_cq *cq = ibv_create_cq(ctx, 16, NULL, NULL, 0);
	struct ibv_pd *pd = ibv_alloc_pd(ctx);
	struct ibv_wq_init_attr attr = {
		.wq_type = IBV_WQT_RQ, .max_wr = 4, .max_sge = 1, .pd = pd, .cq = cq};
	struct mlx5dv_wq_init_attr strides = {.comp_mask = MLX5DV_WQ_INIT_ATTR_MASK_STRIDING_RQ};
	struct ibv_wq *wq;

	assert_int_equal(mlx5dv_query_device(ctx, &dv), 0);
	strides.striding_rq_attrs.single_stride_log_num_of_bytes =
		dv.striding_rq_caps.max_single_stride_log_num_of_bytes;
	for (uint32_t n = dv.striding_rq_caps.min_single_wqe_log_num_of_strides; n <= 16; n++) {
		strides.striding_rq_attrs.single_wqe_log_num_of_strides = n;
		wq = mlx5dv_create_wq(ctx, &attr, &strides);
		assert_non_null(wq);
		assert_int_equal(ibv_destroy_wq(wq), 0);
	}
	strides.striding_rq_attrs.single_wqe_log_num_of_strides = 2;
	assert_null(mlx5dv_create_wq(ctx, &attr, &strides));
	assert_int_equal(ibv_destroy_cq(cq) | ibv_dealloc_pd(pd), 0);
}

/* A set that DevX makes, read and freed. */
static void q_counters_work(struct rig *r)
{
	uint8_t in[PRM_QUERY_Q_COUNTER_IN_BYTES] = {0}, out[PRM_QUERY_Q_COUNTER_OUT_BYTES] = {0};
	struct dvx_obj *obj;

	prm_alloc_q_counter_in_set_opcode(in, PRM_OPCODE_ALLOC_Q_COUNTER);
	OK(dvx_obj_create(r->dev, in, PRM_ALLOC_Q_COUNTER_IN_BYTES, out,
			  PRM_ALLOC_Q_COUNTER_OUT_BYTES, &obj));
	memset(in, 0, sizeof(in));
	prm_query_q_counter_in_set_opcode(in, PRM_OPCODE_QUERY_Q_COUNTER);
	prm_query_q_counter_in_set_counter_set_id(in,
						  prm_alloc_q_counter_out_get_counter_set_id(out));
	OK(dvx_obj_query(obj, in, sizeof(in), out, sizeof(out)));
	assert_int_equal(prm_query_q_counter_out_get_out_of_buffer(out), 0);
	OK(dvx_obj_destroy(obj));
}

/* Used, with packets, by the test that the row names. */
#define BY(test) NULL

static const struct row {
	uint16_t page;
	const char *field; /* a pattern */
	void (*use)(struct rig *);
} rows[] = {
#define G PRM_HCA_CAP_TYPE_GENERAL
	{G, "shared_object_to_user_object_allowed", shared_objects_work},
	{G, "vhca_id", is_identity},
	{G, "num*_ports", is_identity},
	{G, "native_port_num", is_identity},
	{G, "port_type", is_identity},
	{G, "hca_cap_2", pages_exist},
	{G, "eth_net_offloads", pages_exist},
	{G, "roce", pages_exist},
	{G, "nic_flow_table", pages_exist},
	{G, "qos", pages_exist},
	{G, "max_qp_cnt", q_counters_work},
	{G, "striding_rq", striding_works},
	{G, "ext_stride_num_range", striding_works},
	{G, "*_q_counters", BY("tests/unit/queue_errors")},
	{G, "out_of_seq_cnt", BY("tests/unit/net_loss")},
	{G, "modify_rq_counter_set_id", BY("tests/unit/fw_q_counter")},
	{G, "device_memory", pages_exist},
	{G, "eswitch_manager", BY("tests/unit/fw_query")},
	{G, "qpc_extension", dma_works},
	{G, "*dma_mmo*", dma_works},
	{G, "block_lb_mc", BY("tests/unit/queue_ud")},
	{G, "ud", BY("tests/interop/pingpong.sh")},
	{G, "*_mcg", BY("tests/unit/fw_queues")},
	{G, "local_ca_ack_delay", BY("tests/unit/net_loss")},
	{G, "log_max_qp*", rc_works},
	{G, "log_max_ra_*_qp", rc_works},
	{G, "max_wqe_sz_?q", rc_works},
	{G, "log_max_msg", rc_works},
	{G, "rc", rc_works},
	{G, "rts2rts_qp_udp_sport", BY("tests/unit/fw_queues")},
	{G, "atomic", pages_exist},
	{G, "imaicl", windows_work},
	{G, "pg", odp_works},
	{G, "log_max_klm_list_size", lists_work},
	{G, "fixed_buffer_size", lists_work},
	{G, "max_indirection", BY("tests/unit/queue_umr")},
	{G, "umr_extended_translation_offset", BY("tests/unit/queue_umr")},
	{G, "sho", BY("tests/interop/signatures.sh")},
	{G, "sigerr_*", BY("tests/interop/signatures.sh")},
	{G, "sig_*", BY("tests/interop/signatures.sh")},
	{G, "log_max_bsf_list_size", BY("tests/interop/signatures.sh")},
	{G, "drain_sigerr", BY("tests/unit/queue_sig")},
	{G, "crypto", BY("tests/interop/signatures.sh")},
	{G, "aes_xts_*", BY("tests/interop/signatures.sh")},
	{G, "log_max_dek", BY("tests/unit/fw_objects")},
	{PRM_HCA_CAP_TYPE_CRYPTO, "log_max_num_deks", BY("tests/unit/fw_objects")},
	{G, "*_mkey", null_works},
	{G, "uc", BY("tests/sim/lib_queues")},
	{G, "cqe_version", rc_works},
	{G, "log_max_cq*", rc_works},
	{G, "uar_4k", rc_works},
	{G, "bf", rc_works},
	{G, "log_bf_reg_size", rc_works},
	{G, "num_of_uars_per_page", rc_works},
	{G, "fl_rc_qp_when_roce_disabled", loopback_works},
	{G, "cq_oi", overrun_ignored},
	{G, "cq_resize", cq_resized},
	{G, "cq_moderation", cq_moderated},
	{G, "cq_period_*", BY("tests/unit/queue_cq_event")},
	{G, "scqe_break_moderation", BY("tests/unit/queue_cq_event")},
	{G, "cqe_128_always", cq_padded},
	{G, "cqe_compression_max_num", BY("tests/unit/queue_raw_rx")},
	{G, "cqe_compression*", cq_compressed},
	{G, "mini_cqe_resp_stride_index", cq_compressed},
	{G, "xrc", BY("tests/unit/queue_xrc")},
	{G, "log_max_xrcd", BY("tests/unit/fw_xrc")},
	{G, "dct", BY("tests/unit/queue_dc")},
	{G, "dc_req_scat_data_cqe", BY("tests/unit/fw_dct")},
	{G, "log_max_ra_*_dc", BY("tests/interop/perftest.sh")},
	{G, "log_max_dci_*", BY("tests/interop/rdma_core.sh")},
	{G, "sctr_data_cqe", BY("tests/unit/queue_inline")},
	{G, "?q_ts_format", BY("tests/interop/rdma_core.sh")},
	{G, "log_max_transport_domain", domains_work},
	{G, "log_max_pd", memory_works},
	{G, "log_max_mkey", memory_works},
	{G, "log_max_mrw_sz", memory_works},
	{G, "log_max_umem", memory_works},
	{G, "log_max_uctx", memory_works},
	{G, "log_pg_sz", memory_works},
	{G, "relaxed_ordering_*", memory_works},
	{G, "log_max_eq*", event_queues_work},
	{G, "log_max_[rs]q", raw_queues_work},
	{G, "log_max_ti[rs]", raw_queues_work},
	{G, "log_max_rqt*", raw_queues_work},
	{G, "log_max_srq*", srq_works},
	{G, "log_max_rmp", BY("tests/unit/fw_rmp")},
	{G, "basic_cyclic_rcv_wqe", BY("tests/unit/queue_srq")},
	{G, "*flow_counter*", counters_work},
	{G, "steering_format_version", steering_works},
	{G, "flex_parser_protocols", steering_works},
	{G, "general_obj_types", steering_works},
	{G, "device_frequency_khz", clock_ticks},
	{G, "device_frequency_mhz", clock_page_works},
#undef G
	{PRM_HCA_CAP_TYPE_GENERAL_2, "cross_vhca_object_to_object_supported", aliases_work},
	{PRM_HCA_CAP_TYPE_GENERAL_2, "allowed_object_for_other_vhca_access", aliases_work},
	{PRM_HCA_CAP_TYPE_QOS, "packet_pacing*", rates_work},
	{PRM_HCA_CAP_TYPE_QOS, "nic_?p_scheduling", BY("tests/interop/rdma_core.sh")},
	{PRM_HCA_CAP_TYPE_QOS, "nic_bw_share", BY("tests/unit/queue_shape")},
	{PRM_HCA_CAP_TYPE_QOS, "nic_rate_limit", BY("tests/unit/queue_shape")},
	{PRM_HCA_CAP_TYPE_QOS, "*", scheduling_works},
	{PRM_HCA_CAP_TYPE_GENERAL_2, "log_reserved_qpn_granularity", reserved_qpns_work},
	{PRM_HCA_CAP_TYPE_ETHERNET_OFFLOADS, "rss_ind_tbl_cap", raw_queues_work},
	{PRM_HCA_CAP_TYPE_ETHERNET_OFFLOADS, "vlan_cap", BY("tests/sim/lib_raw")},
	{PRM_HCA_CAP_TYPE_ETHERNET_OFFLOADS, "csum_cap", BY("tests/sim/lib_raw")},
	{PRM_HCA_CAP_TYPE_ETHERNET_OFFLOADS, "enhanced_multi_pkt_send_wqe", BY("tests/sim/lib_raw")},
	{PRM_HCA_CAP_TYPE_ETHERNET_OFFLOADS, "max_lso_cap", BY("tests/sim/raw_verbs")},
	{PRM_HCA_CAP_TYPE_ETHERNET_OFFLOADS, "wqe_vlan_insert", BY("tests/sim/raw_verbs")},
	{PRM_HCA_CAP_TYPE_ETHERNET_OFFLOADS, "wqe_inline_mode", BY("tests/golden/verbs_l2.sh")},
	{PRM_HCA_CAP_TYPE_ETHERNET_OFFLOADS, "self_lb_en_modifiable", BY("tests/unit/fw_raw")},
	{PRM_HCA_CAP_TYPE_ROCE, "fl_rc_qp_when_roce_*", loopback_works},
	{PRM_HCA_CAP_TYPE_ROCE, "l3_type", gids_fit},
	{PRM_HCA_CAP_TYPE_ROCE, "qp_ts_format", BY("tests/sim/verbs_cq")},
	{PRM_HCA_CAP_TYPE_ROCE, "roce_version", gids_fit},
	{PRM_HCA_CAP_TYPE_ROCE, "roce_address_table_size", gids_fit},
	{PRM_HCA_CAP_TYPE_ROCE, "r_roce_*_udp_port", BY("tests/interop/capture.sh")},
	{PRM_HCA_CAP_TYPE_FLOW_TABLE, "nic_rx_multi_path_tirs*", BY("tests/sim/verbs_flow.sh")},
	{PRM_HCA_CAP_TYPE_FLOW_TABLE, "*_icm_address", steering_works},
	{PRM_HCA_CAP_TYPE_FLOW_TABLE, "*.ft_field_*", BY("tests/sim/dr_fields")},
	{PRM_HCA_CAP_TYPE_FLOW_TABLE, "flow_table_properties_nic_*", steering_works},
	{PRM_HCA_CAP_TYPE_DEV_MEM, "memic_operations", BY("tests/sim/dm_op")},
	{PRM_HCA_CAP_TYPE_DEV_MEM, "*_size_sup", BY("tests/sim/dm_op")},
	{PRM_HCA_CAP_TYPE_DEV_MEM, "*memic*", dm_works},
	{PRM_HCA_CAP_TYPE_DEV_MEM, "*", steering_works},
	{PRM_HCA_CAP_TYPE_ODP, "transport_page_fault_scheme_cap.*", odp_works},
	{PRM_HCA_CAP_TYPE_ATOMIC, "atomic_operations", BY("tests/interop/perftest.sh")},
	{PRM_HCA_CAP_TYPE_ATOMIC, "atomic_size_qp", BY("tests/unit/queue_atomic")},
	{PRM_HCA_CAP_TYPE_ATOMIC, "atomic_size_dc", BY("tests/unit/queue_dc")},
	{PRM_HCA_CAP_TYPE_ATOMIC, "*endianness_mode*", BY("tests/unit/queue_atomic")},
};

static const struct row *row_for(uint16_t page, const char *field)
{
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++)
		if (rows[i].page == page && !fnmatch(rows[i].field, field, 0))
			return &rows[i];
	return NULL;
}

static bool wanted[sizeof(rows) / sizeof(rows[0])];

/* Marks the rows of all fields that are set; false: some field has none. */
static bool walk_fields(uint16_t page, const struct prm_struct *s, const uint8_t *p, const char *in)
{
	bool all = true;

	for (size_t i = 0; i < s->field_count; i++) {
		const struct prm_field *f = &s->fields[i];
		const struct row *row;
		uint64_t value = 0;
		char path[160];

		snprintf(path, sizeof(path), "%s%s%s", in, *in ? "." : "", f->name);
		if (f->type) {
			all &= walk_fields(page, f->type, p + f->offset / 8, path);
			continue;
		}
		for (uint32_t n = 0; n < f->count && !f->bytes; n++)
			value |= prm_bits_get(p, f->offset + n * f->width,
					      f->width < 64 ? f->width : 64);
		if (!value || !strncmp(f->name, "reserved", 8))
			continue;
		row = row_for(page, path);
		if (row) {
			wanted[row - rows] = true;
			continue;
		}
		print_error("page 0x%x, %s is 0x%llx, and no row uses it\n", page, path,
			    (unsigned long long)value);
		all = false;
	}
	return all;
}

/* Each capability that is set has a row, and what the row does works. */
TEST_F(advertised)
{
	static const uint16_t pages[] = {
		PRM_HCA_CAP_TYPE_GENERAL,   PRM_HCA_CAP_TYPE_ETHERNET_OFFLOADS,
		PRM_HCA_CAP_TYPE_ODP,	    PRM_HCA_CAP_TYPE_ATOMIC,
		PRM_HCA_CAP_TYPE_ROCE,	    PRM_HCA_CAP_TYPE_FLOW_TABLE,
		PRM_HCA_CAP_TYPE_ESWITCH,   PRM_HCA_CAP_TYPE_ESWITCH_FLOW_TABLE,
		PRM_HCA_CAP_TYPE_QOS,	    PRM_HCA_CAP_TYPE_DEV_MEM,
		PRM_HCA_CAP_TYPE_DEV_EVENT, PRM_HCA_CAP_TYPE_CRYPTO,
		PRM_HCA_CAP_TYPE_GENERAL_2,
	};
	bool all = true;

	for (size_t i = 0; i < sizeof(pages) / sizeof(pages[0]); i++)
		all &= walk_fields(pages[i], prm_capability(pages[i]), page_of(*state, pages[i]),
				   "");
	assert_true(all);
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		bool again = false;

		for (size_t j = 0; j < i; j++)
			again |= wanted[j] && rows[j].use == rows[i].use;
		if (wanted[i] && rows[i].use && !again)
			rows[i].use(*state);
	}
}
