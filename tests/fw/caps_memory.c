/* SPDX-License-Identifier: BSD-2-Clause */
/* Uses of memory and its keys, for caps.c. */
#include "caps.h"
#include <sys/mman.h>
#include <infiniband/mlx5dv.h>
#include <dvx/prm/cap.h>
#include <dvx/prm/cmd.h>
#include <dvx/prm/mkey.h>

/*
 * Allocates, maps and registers all device memory; one byte more fails. rdma-core's tests use it.
 */
void dm_works(struct rig *r)
{
	const uint8_t *cap = caps_page(r, PRM_HCA_CAP_TYPE_DEV_MEM);
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

/* Registers pages that are mapped later, and the whole address space as one region.
 * tests/interop/rdma_core.sh (test_odp) sends from them. */
void odp_works(struct rig *r)
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

/* Allocates windows. UMRs bind them: tests/queue/queue_umr, and rdma-core's tests. */
void windows_work(struct rig *r)
{
	struct ibv_pd *pd = ibv_alloc_pd(dvx_dev_ibv(r->dev));

	for (int type = IBV_MW_TYPE_1; type <= IBV_MW_TYPE_2; type++) {
		struct ibv_mw *mw = ibv_alloc_mw(pd, (enum ibv_mw_type)type);

		assert_non_null(mw);
		assert_int_equal(ibv_dealloc_mw(mw), 0);
	}
	assert_int_equal(ibv_dealloc_pd(pd), 0);
}

/* Makes KLM and KSM mkeys with the longest list. */
void lists_work(struct rig *r)
{
	const uint8_t *cap = caps_page(r, PRM_HCA_CAP_TYPE_GENERAL);
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
		caps_object(r, PRM_OPCODE_CREATE_MKEY, in, sizeof(in));
	}
}

/* ibv_alloc_null_mr() gives zeros to read. */
void null_works(struct rig *r)
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

void dma_works(struct rig *r)
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

void memory_works(struct rig *r)
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

/* Uses a key of a kernel object (the PD of verbs) in a command of DevX. */
void shared_objects_work(struct rig *r)
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

void aliases_work(struct rig *r)
{
	struct dvx_ticket t;

	OK(dvx_mkey_export(r->mkey, &t)); /* the other half needs a second function: lib_alias.sh */
	dvx_ticket_wipe(&t);
}
