/* SPDX-License-Identifier: BSD-2-Clause */
/* Proves which commands programs may run by DevX, and on which objects. */
#include <sys/mman.h>
#include <unistd.h>
#include <dvx/prm/cap.h>
#include <dvx/prm/cmd.h>
#include <dvx/prm/dct.h>
#include <dvx/prm/flow.h>
#include <dvx/prm/misc.h>
#include <dvx/prm/mkey.h>
#include <dvx/prm/rq.h>
#include "kernel_fixture.h"
#include "obj/mkey.h"

static int umem(struct fx *f, const void *at, uint64_t len, uint64_t access, uint64_t sizes,
		uint32_t *handle, uint32_t *id)
{
	return fx_umem(f, (struct fx_umem){at, len, access, sizes}, handle, id);
}

static int dereg(struct fx *f, uint32_t umem)
{
	return fx_destroy(f, MLX5_IB_OBJECT_DEVX_UMEM, MLX5_IB_METHOD_DEVX_UMEM_DEREG, umem);
}

/* Proves that only general commands pass, and without DevX only some queries. */
TEST(fx, general)
{
	struct uverbs_file *mine = f->f;
	uint8_t cap[PRM_QUERY_HCA_CAP_IN_BYTES] = {0}, pd[PRM_ALLOC_PD_IN_BYTES] = {0};
	uint8_t esw[PRM_MBOX_IN_BYTES] = {0}, out[PRM_QUERY_HCA_CAP_OUT_BYTES];

	prm_query_hca_cap_in_set_opcode(cap, PRM_OPCODE_QUERY_HCA_CAP);
	prm_query_hca_cap_in_set_op_mod(cap, 1);
	prm_alloc_pd_in_set_opcode(pd, PRM_OPCODE_ALLOC_PD);
	prm_mbox_in_set_opcode(esw, PRM_OPCODE_QUERY_ESW_FUNCTIONS);
	assert_int_equal(fx_devx_other(f, cap, sizeof(cap), out, sizeof(out)), 0);
	assert_int_equal(prm_cmd_hca_cap_get_vhca_id(prm_query_hca_cap_out_cat_capability(out)),
			 f->v->id);
	FX_REFUSES(f, fx_devx_other(f, pd, sizeof(pd), out, 16), -EINVAL, "no general command");
	prm_mbox_in_set_opcode(pd, 0xcff); /* the last general opcode */
	assert_int_equal(fx_devx_other(f, pd, sizeof(pd), out, 16), -EREMOTEIO);
	prm_mbox_in_set_opcode(pd, 0xd00);
	FX_REFUSES(f, fx_devx_other(f, pd, sizeof(pd), out, 16), -EINVAL, "no general command");
	prm_alloc_pd_in_set_opcode(pd, PRM_OPCODE_ALLOC_PD);
	f->f = kernel_open(f->k, f->mm, BLUEFIELD2_HOST);
	assert_int_equal(fx_context(f, f->f, false), 0);
	assert_int_equal(fx_devx_other(f, cap, sizeof(cap), out, sizeof(out)), 0);
	assert_int_equal(fx_devx_other(f, esw, sizeof(esw), out, 128), -EREMOTEIO);
	prm_mbox_in_set_opcode(esw, PRM_OPCODE_NOP);
	FX_REFUSES(f, fx_devx_other(f, esw, sizeof(esw), out, 128), -EINVAL, "without DevX");
	assert_int_equal(fx_devx_create(f, pd, sizeof(pd), out, 16, NULL), -EINVAL);
	kernel_close(f->f);
	f->f = mine;
}

/* Proves that a refusal by the firmware is EREMOTEIO, with status and syndrome in the answer. */
TEST(fx, refused_by_firmware)
{
	uint8_t in[PRM_CREATE_MKEY_IN_BYTES] = {0}, out[16];
	uint32_t before = fx_objects(f);

	prm_create_mkey_in_set_opcode(in, PRM_OPCODE_CREATE_MKEY);
	assert_int_equal(fx_devx_create(f, in, sizeof(in), out, sizeof(out), NULL), -EREMOTEIO);
	assert_int_not_equal(prm_mbox_out_get_status(out), 0);
	assert_int_not_equal(prm_mbox_out_get_syndrome(out), 0);
	FX_REFUSES(f, fx_devx_create(f, in, 40, out, sizeof(out), NULL), -EINVAL,
		   "before its mkc ends");
	prm_mbox_in_set_opcode(in, 0xb77);
	assert_int_equal(fx_devx_other(f, in, 16, out, sizeof(out)), -EREMOTEIO);
	assert_int_equal(prm_mbox_out_get_status(out), PRM_STATUS_BAD_OP);
	assert_int_equal(fx_objects(f), before);
}

static void fill_mkey(void *in, uint32_t pdn, uint32_t id, const void *at, uint64_t len)
{
	void *mkc = prm_create_mkey_in_at_memory_key_mkey_entry(in);

	memset(in, 0, PRM_CREATE_MKEY_IN_BYTES);
	prm_create_mkey_in_set_opcode(in, PRM_OPCODE_CREATE_MKEY);
	prm_create_mkey_in_set_mkey_umem_id(in, id);
	prm_create_mkey_in_set_translations_octword_actual_size(in, 1);
	prm_mkc_set_access_mode_1_0(mkc, PRM_MKC_ACCESS_MODE_MTT);
	prm_mkc_set_lr(mkc, 1);
	prm_mkc_set_lw(mkc, 1);
	prm_mkc_set_qpn(mkc, 0xffffff);
	prm_mkc_set_mkey_7_0(mkc, 0x42);
	prm_mkc_set_pd(mkc, pdn);
	prm_mkc_set_start_addr(mkc, (uintptr_t)at);
	prm_mkc_set_len(mkc, len);
	prm_mkc_set_log_page_size(mkc, 12);
	prm_mkc_set_translations_octword_size(mkc, 1);
}

/* Proves a mkey over a umem, its query by handle, and each order of destruction. */
TEST(fx, objects)
{
	uint8_t in[PRM_CREATE_MKEY_IN_BYTES], out[16], q[16] = {0}, qout[PRM_QUERY_MKEY_OUT_BYTES];
	uint32_t pd = fx_pd(f), um, id, mkey, again, index;

	assert_int_equal(umem(f, f->mem, 8192, 1, 0, &um, &id), 0);
	fill_mkey(in, fx_pdn(f, pd), id, f->mem, 8192);
	assert_int_equal(fx_devx_create(f, in, sizeof(in), out, sizeof(out), &mkey), 0);
	index = prm_create_mkey_out_get_mkey_index(out);
	assert_int_equal(fx_devx_create(f, in, sizeof(in), out, sizeof(out), &again), 0);
	prm_query_mkey_in_set_opcode(q, PRM_OPCODE_QUERY_MKEY);
	prm_query_mkey_in_set_mkey_index(q, index);
	assert_int_equal(fx_devx_query(f, mkey, q, sizeof(q), qout, sizeof(qout)), 0);
	assert_int_equal(prm_mkc_get_mkey_7_0(prm_query_mkey_out_cat_memory_key_mkey_entry(qout)),
			 0x42);
	/* the handle of another object, or of another type, or the wrong command */
	FX_REFUSES(f, fx_devx_query(f, again, q, sizeof(q), qout, sizeof(qout)), -EINVAL,
		   "another's");
	assert_int_equal(fx_devx_query(f, um, q, sizeof(q), qout, sizeof(qout)), -EINVAL);
	assert_int_equal(fx_devx_query(f, 4711, q, sizeof(q), qout, sizeof(qout)), -ENOENT);
	prm_query_mkey_in_set_opcode(q, PRM_OPCODE_DESTROY_MKEY);
	FX_REFUSES(f, fx_devx_query(f, mkey, q, sizeof(q), qout, sizeof(qout)), -EINVAL,
		   "does not query");
	/* the firmware counts references of DevX objects */
	assert_int_equal(dereg(f, um), -EBUSY);
	assert_int_equal(fx_devx_destroy(f, mkey), 0);
	assert_int_equal(fx_devx_destroy(f, mkey), -ENOENT);
	assert_int_equal(fx_devx_destroy(f, again), 0);
	assert_int_equal(dereg(f, um), 0);
}

/* Proves that the uid in a program's command is overwritten: files cannot use others' objects. */
TEST(fx, uid_is_stamped)
{
	struct uverbs_file *mine = f->f;
	uint8_t in[PRM_CREATE_MKEY_IN_BYTES], out[16];
	uint32_t pd = fx_pd(f), pdn = fx_pdn(f, pd), um, id, mkey;

	assert_int_equal(umem(f, f->mem, 8192, 1, 0, &um, &id), 0);
	fill_mkey(in, pdn, id, f->mem, 8192);
	assert_int_equal(fx_devx_create(f, in, sizeof(in), out, sizeof(out), &mkey), 0);
	f->f = kernel_open(f->k, f->mm, BLUEFIELD2_HOST);
	assert_int_equal(fx_context(f, f->f, true), 0);
	prm_create_mkey_in_set_uid(in, ((struct obj *)obj_find(f->v, OBJ_UMEM, id))->uid);
	assert_int_equal(fx_devx_create(f, in, sizeof(in), out, sizeof(out), NULL), -EREMOTEIO);
	assert_int_equal(prm_mbox_out_get_status(out), PRM_STATUS_BAD_RES);
	kernel_close(f->f);
	f->f = mine;
}

/* Proves that a umem's pages are as large as address, length and the requested sizes allow. */
TEST(fx, umem_pages)
{
	uint8_t *even = (uint8_t *)(((uintptr_t)f->mem + 0x3ffff) & ~(uintptr_t)0x3ffff);
	const struct {
		const uint8_t *at;
		uint64_t len, sizes;
		unsigned int log;
		uint32_t n;
	} good[] = {
		{even, 0x40000, 0, 18, 1},	   {even, 0x30000, 0, 16, 3},
		{even, 0x40000, 1 << 14, 14, 16},  {even + 8, 0x40000, 0, 12, 65},
		{even + 0x1000, 0x1000, 0, 12, 1}, {even + 100, 8, 0, 12, 1},
	};
	uint32_t handle, id;

	for (unsigned int i = 0; i < sizeof(good) / sizeof(good[0]); i++) {
		const struct umem *u;

		assert_int_equal(umem(f, good[i].at, good[i].len, 1, good[i].sizes, &handle, &id),
				 0);
		u = obj_find(f->v, OBJ_UMEM, id);
		assert_int_equal(u->log_page, good[i].log);
		assert_int_equal(u->npages, good[i].n);
		assert_int_equal(u->offset, (uintptr_t)good[i].at & ((1u << good[i].log) - 1));
	}
	FX_REFUSES(f, umem(f, even, 0x1000, 1, 1 << 14, &handle, &id), -EINVAL, "pgsz_bitmap");
	assert_int_equal(umem(f, even, 0, 1, 0, &handle, &id), -EINVAL);
	assert_int_equal(umem(f, NULL, 0x1000, 1, 0, &handle, &id), -EFAULT);
	assert_int_equal(umem(f, even, 0x1000, 2, 0, &handle, &id), -EINVAL);
	assert_int_equal(umem(f, even, 0x1000, 0x400, 0, &handle, &id), -EINVAL);
}

/*
 * Proves that a umem is refused if its page list would have gigabytes, and made if it is aligned.
 */
TEST(fx, huge_umem)
{
	const uint64_t len = 1ull << 40;
	uint8_t *at =
		mmap(NULL, len, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
	uint8_t *even = (uint8_t *)(((uintptr_t)at + (1ull << 30) - 1) & ~((1ull << 30) - 1));
	uint32_t handle, id;

	if (at == MAP_FAILED)
		skip();
	FX_REFUSES(f, umem(f, at + 64, len - 128, 0, 0, &handle, &id), -ENOMEM, "too many pages");
	assert_int_equal(umem(f, even, 1ull << 39, 0, 0, &handle, &id), 0);
	munmap(at, len);
}

/* Proves that tunnelled commands and unknown opcodes make no objects. */
TEST(fx, create_refusals)
{
	uint8_t in[64] = {0}, out[16];
	static const uint16_t opcodes[] = {PRM_OPCODE_DESTROY_MKEY,
					   PRM_OPCODE_CREATE_UMEM,
					   PRM_OPCODE_CREATE_EQ,
					   PRM_OPCODE_QUERY_HCA_CAP,
					   0,
					   0xffff};

	for (unsigned int i = 0; i < sizeof(opcodes) / sizeof(opcodes[0]); i++) {
		prm_mbox_in_set_opcode(in, opcodes[i]);
		FX_REFUSES(f, fx_devx_create(f, in, sizeof(in), out, sizeof(out), NULL), -EINVAL,
			   "makes no object");
	}
	prm_create_psv_in_set_opcode(in, PRM_OPCODE_CREATE_PSV);
	prm_create_psv_in_set_num_psv(in, 2);
	FX_REFUSES(f, fx_devx_create(f, in, sizeof(in), out, sizeof(out), NULL), -EINVAL,
		   "makes no object");
	memset(in, 0, sizeof(in));
	prm_mbox_in_set_opcode(in, PRM_OPCODE_CREATE_GENERAL_OBJECT);
	prm_general_obj_in_cmd_hdr_set_vhca_tunnel_id(in, 1);
	FX_REFUSES(f, fx_devx_create(f, in, sizeof(in), out, sizeof(out), NULL), -EINVAL,
		   "vhca_tunnel_id");
}

/* Proves that all rings take umems: a page list could name the memory of any program. */
TEST(fx, no_page_lists)
{
	uint8_t in[PRM_CREATE_XRC_SRQ_IN_BYTES + 8] = {0}, out[16];
	void *ctx = prm_create_xrc_srq_in_at_xrc_srq_context_entry(in);

	prm_create_xrc_srq_in_set_opcode(in, PRM_OPCODE_CREATE_XRC_SRQ);
	prm_xrc_srqc_set_log_xrc_srq_size(ctx, 2);
	prm_xrc_srqc_set_log_rq_stride(ctx, 1);
	prm_xrc_srqc_set_pd(ctx, fx_pdn(f, fx_pd(f)));
	prm_store64(in, PRM_CREATE_XRC_SRQ_IN_BYTES, mm_bus(f->mm, (uintptr_t)f->mem));
	FX_REFUSES(f, fx_devx_create(f, in, sizeof(in), out, sizeof(out), NULL), -EREMOTEIO,
		   "umem_valid");
}

static int modify(struct fx *f, uint32_t handle, const void *in, size_t in_len)
{
	uint8_t out[16];

	return FX_CALL(f, MLX5_IB_OBJECT_DEVX_OBJ, MLX5_IB_METHOD_DEVX_OBJ_MODIFY,
		       A_HANDLE(MLX5_IB_ATTR_DEVX_OBJ_MODIFY_HANDLE, handle),
		       A_IN(MLX5_IB_ATTR_DEVX_OBJ_MODIFY_CMD_IN, in, in_len),
		       A_OUT(MLX5_IB_ATTR_DEVX_OBJ_MODIFY_CMD_OUT, out, sizeof(out)));
}

/* Proves that a table, and a group in it, are destroyed by their own numbers. */
TEST(fx, flow_tables_and_groups)
{
	uint8_t table[PRM_CREATE_FLOW_TABLE_IN_BYTES] = {0}, out[16];
	uint8_t group[PRM_CREATE_FLOW_GROUP_IN_BYTES] = {0};
	uint32_t t, g;

	prm_create_flow_table_in_set_opcode(table, PRM_OPCODE_CREATE_FLOW_TABLE);
	prm_flow_table_context_set_log_size(prm_create_flow_table_in_at_flow_table_context(table),
					    4);
	assert_int_equal(fx_devx_create(f, table, sizeof(table), out, sizeof(out), &t), 0);
	prm_create_flow_group_in_set_opcode(group, PRM_OPCODE_CREATE_FLOW_GROUP);
	prm_create_flow_group_in_set_table_id(group, prm_create_flow_table_out_get_table_id(out));
	prm_create_flow_group_in_set_end_flow_index(group, 9);
	assert_int_equal(fx_devx_create(f, group, sizeof(group), out, sizeof(out), &g), 0);
	assert_int_not_equal(prm_create_flow_group_out_get_group_id(out), 0);
	assert_int_equal(fx_devx_destroy(f, g), 0);
	assert_int_equal(fx_devx_destroy(f, t), 0);
}

static uint32_t table_of_level(struct fx *f, unsigned int level, uint32_t *handle)
{
	uint8_t in[PRM_CREATE_FLOW_TABLE_IN_BYTES] = {0}, out[16];
	void *ctx = prm_create_flow_table_in_at_flow_table_context(in);

	prm_create_flow_table_in_set_opcode(in, PRM_OPCODE_CREATE_FLOW_TABLE);
	prm_flow_table_context_set_level(ctx, level);
	prm_flow_table_context_set_rtc_valid(ctx, f->dev->profile->rules_by_wqe);
	assert_int_equal(fx_devx_create(f, in, sizeof(in), out, sizeof(out), handle), 0);
	return prm_create_flow_table_out_get_table_id(out);
}

/* Makes a table lead to another one if no rule matches. */
static void lead(struct fx *f, uint32_t handle, uint32_t id, uint32_t to)
{
	uint8_t in[PRM_MODIFY_FLOW_TABLE_IN_BYTES] = {0};
	void *ctx = prm_modify_flow_table_in_at_flow_table_context(in);

	prm_modify_flow_table_in_set_opcode(in, PRM_OPCODE_MODIFY_FLOW_TABLE);
	prm_modify_flow_table_in_set_table_id(in, id);
	prm_modify_flow_table_in_set_modify_field_select(in, 1);
	prm_flow_table_context_set_table_miss_action(ctx, PRM_FLOW_MISS_ACTION_FWD);
	prm_flow_table_context_set_table_miss_id(ctx, to);
	assert_int_equal(modify(f, handle, in, sizeof(in)), 0);
}

/*
 * Proves that a program's end logs nothing, if an older object of it refers to a newer one, or two
 * tables of rules to each other.
 */
TEST(fx, end_is_silent)
{
	const struct profile *plain = f->dev->profile;
	struct profile rules = *plain;
	uint32_t older, newer, id = table_of_level(f, 1, &older), to = table_of_level(f, 2, &newer);
	off_t logged;

	lead(f, older, id, to);
	FX_REFUSES(f, fx_devx_destroy(f, newer), -EBUSY, "used by 1 objects");
	rules.rules_by_wqe = true;
	f->dev->profile = &rules;
	id = table_of_level(f, 1, &older);
	to = table_of_level(f, 1, &newer);
	lead(f, older, id, to);
	lead(f, newer, to, id);
	f->dev->profile = plain;
	logged = lseek(f->log, 0, SEEK_END);
	kernel_close(f->f);
	f->f = NULL;
	assert_int_equal(lseek(f->log, 0, SEEK_END), logged);
}

/* Proves that SET_FLOW_TABLE_ENTRY makes a rule with op_mod 0 only, and changes one with 1 only. */
TEST(fx, rules_change_by_op_mod)
{
	uint8_t pd[PRM_ALLOC_PD_IN_BYTES] = {0}, in[PRM_SET_FTE_IN_BYTES] = {0}, out[16];
	uint32_t handle;

	prm_alloc_pd_in_set_opcode(pd, PRM_OPCODE_ALLOC_PD);
	assert_int_equal(fx_devx_create(f, pd, sizeof(pd), out, sizeof(out), &handle), 0);
	prm_set_fte_in_set_opcode(in, PRM_OPCODE_SET_FLOW_TABLE_ENTRY);
	for (unsigned int op_mod = 0; op_mod < 3; op_mod++) {
		prm_set_fte_in_set_op_mod(in, op_mod);
		FX_REFUSES(f, modify(f, handle, in, sizeof(in)), -EINVAL,
			   op_mod == 1 ? "another's" : "does not modify");
	}
}

/* Proves the queries of numbers for mailboxes. */
TEST(fx, numbers)
{
	for (unsigned int vector = 0; vector < 2; vector++)
		assert_int_equal(FX_CALL(f, MLX5_IB_OBJECT_DEVX, MLX5_IB_METHOD_DEVX_QUERY_EQN,
					 A_VALUE(MLX5_IB_ATTR_DEVX_QUERY_EQN_USER_VEC, vector, 4),
					 A_OUT(MLX5_IB_ATTR_DEVX_QUERY_EQN_DEV_EQN, NULL, 4)),
				 vector ? -ENOENT : 0);
}

static int dm(struct fx *f, uint64_t len, uint32_t log_align, uint64_t *addr)
{
	return FX_CALL(
		f, UVERBS_OBJECT_DM, UVERBS_METHOD_DM_ALLOC,
		A_NEW(UVERBS_ATTR_ALLOC_DM_HANDLE, NULL),
		A_VALUE(UVERBS_ATTR_ALLOC_DM_LENGTH, len, 8),
		A_VALUE(UVERBS_ATTR_ALLOC_DM_ALIGNMENT, log_align, 4),
		A_VALUE(MLX5_IB_ATTR_ALLOC_DM_REQ_TYPE, MLX5_IB_UAPI_DM_TYPE_STEERING_SW_ICM, 8),
		A_OUT(MLX5_IB_ATTR_ALLOC_DM_RESP_START_OFFSET, addr, 8));
}

/*
 * Proves that device memory is allocated first fit. crowd.sh counts the cost with two blocks in
 * use.
 */
TEST(fx, device_memory)
{
	uint64_t first, middle, next, addr;
	unsigned int log_half = f->dev->profile->log_ste_icm - 1u;

	assert_int_equal(dm(f, 1, 0, &first), 0);
	assert_int_equal(dm(f, 1, log_half, &middle), 0);
	assert_int_equal(middle - first, 1ull << log_half);
	assert_int_equal(dm(f, 4097, 12, &next), 0);
	assert_int_equal(next - first, 4096);
	assert_int_equal(dm(f, 8192, 14, &next), 0);
	assert_int_equal(next - first, 16384);
	assert_int_equal(dm(f, 1ull << log_half, 0, &addr), -ENOMEM);
	assert_int_equal(dm(f, 1ull << (log_half - 1), log_half - 1, &addr), 0);
	assert_int_equal(addr - first, 1ull << (log_half - 1));
}

/* Proves the answer of kernels before 5.19: the status as an errno, and no mailbox. */
TEST(fx, old_kernel)
{
	const struct profile *new = f->dev->profile;
	struct profile old = *new;
	uint8_t in[PRM_CREATE_MKEY_IN_BYTES] = {0}, out[16];
	uint8_t untouched[16];
	uint8_t cap[PRM_QUERY_HCA_CAP_IN_BYTES] = {0}, page[PRM_QUERY_HCA_CAP_OUT_BYTES];

	old.old_kernel = true;
	memset(untouched, 0xa5, sizeof(untouched)); /* as rq_out() leaves it */
	f->dev->profile = &old;
	prm_create_mkey_in_set_opcode(in, PRM_OPCODE_CREATE_MKEY);
	assert_int_equal(fx_devx_create(f, in, sizeof(in), out, sizeof(out), NULL), -EINVAL);
	assert_memory_equal(out, untouched, sizeof(out));
	prm_mbox_in_set_opcode(in, 0xb77);
	assert_int_equal(fx_devx_other(f, in, 16, out, sizeof(out)), -EINVAL);
	assert_memory_equal(out, untouched, sizeof(out));
	prm_query_hca_cap_in_set_opcode(cap, PRM_OPCODE_QUERY_HCA_CAP);
	assert_int_equal(fx_devx_other(f, cap, sizeof(cap), page, sizeof(page)), 0);
	assert_int_equal(prm_cmd_hca_cap_get_vhca_id(prm_query_hca_cap_out_cat_capability(page)),
			 f->v->id);
	prm_mbox_in_set_opcode(in, PRM_OPCODE_QUERY_ADAPTER);
	assert_int_equal(fx_devx_other(f, in, 16, out, sizeof(out)), -EIO); /* BAD_OUTP_LEN */
	f->dev->profile = new;
}
