/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Proves owners, bus addresses, refusals and the end of steering memory; and owners of bus address
 * keys.
 */
#include "tests/test.h"
#include <errno.h>
#include <stdio.h>
#include "fw_fixture.h"
#include <dvx/prm/object.h>
#include "fw/cmd.h"
#include "obj/icm.h"
#include "obj/memic.h"

#define BLOCK (1u << ICM_LOG_BLOCK)

static uint8_t create(struct fx *f, uint16_t uid, uint64_t addr, unsigned int log_size,
		      uint32_t *id)
{
	uint8_t status = fx_sw_icm(f, uid, addr, log_size);

	*id = prm_general_obj_out_cmd_hdr_get_obj_id(f->out);
	return status;
}

static uint8_t destroy(struct fx *f, uint16_t uid, uint32_t id)
{
	return fx_cmd(f, f->v, PRM_OPCODE_DESTROY_GENERAL_OBJECT, uid,
		      FX_FIELDS({"obj_type", PRM_OBJ_TYPE_SW_ICM}, {"obj_id", id}));
}

static uint8_t create_mkey(struct fx *f, uint16_t uid, uint32_t pd, uint64_t addr, uint64_t len,
			   uint32_t *key)
{
#define MKC "memory_key_mkey_entry."
	uint8_t status =
		fx_cmd(f, f->v, PRM_OPCODE_CREATE_MKEY, uid,
		       FX_FIELDS({MKC "access_mode_1_0", PRM_MKC_ACCESS_MODE_SW_ICM & 3},
				 {MKC "access_mode_4_2", PRM_MKC_ACCESS_MODE_SW_ICM >> 2},
				 {MKC "rw", 1}, {MKC "rr", 1}, {MKC "qpn", 0xffffff},
				 {MKC "pd", pd}, {MKC "start_addr", addr}, {MKC "len", len}));

	*key = prm_create_mkey_out_get_mkey_index(f->out) << 8;
	return status;
}

TEST(fx, refusals)
{
	static const struct {
		uint64_t addr;
		unsigned int log_size;
		enum fw_syndrome syndrome;
		const char *text;
	} bad[] = {
		{0, ICM_LOG_BLOCK, FW_SYN_RANGE, "outside the regions"},
		{4ull << ICM_KIND_SHIFT, ICM_LOG_BLOCK, FW_SYN_RANGE, "outside the regions"},
		{3ull << ICM_KIND_SHIFT | 1u << 20, ICM_LOG_BLOCK, FW_SYN_RANGE, "outside"},
		{1ull << ICM_KIND_SHIFT | 1ull << 40, ICM_LOG_BLOCK, FW_SYN_RANGE, "outside"},
		{1ull << ICM_KIND_SHIFT, 32, FW_SYN_RANGE, "outside the regions"},
		{2ull << ICM_KIND_SHIFT | 1u << 22, ICM_LOG_BLOCK, FW_SYN_RANGE, "outside"},
		{1ull << ICM_KIND_SHIFT, ICM_LOG_BLOCK - 1, FW_SYN_SIZE, "log_sw_icm_size 11"},
		{1ull << ICM_KIND_SHIFT, 36, FW_SYN_SIZE, "log_sw_icm_size 36"},
		{1ull << ICM_KIND_SHIFT | 64, ICM_LOG_BLOCK, FW_SYN_ALIGNMENT, "not aligned"},
	};
	uint32_t id;

	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
		assert_int_equal(create(f, FX_UID, bad[i].addr, bad[i].log_size, &id), BAD);
		assert_int_equal(f->syndrome, bad[i].syndrome);
		assert_true(test_logged(f->log, bad[i].text));
	}
	assert_int_equal(fx_objects(f->v), 0);
}

/* A byte has one owner. It exists from creation to destruction, and is zero at first. */
TEST(fx, owners)
{
	const uint64_t at = icm_addr(ICM_STE, 0) + 8 * BLOCK;
	uint32_t id, other;

	assert_null(icm_bytes(f->v, at, 64));
	assert_int_equal(create(f, FX_UID, at, ICM_LOG_BLOCK + 1, &id), 0);
	assert_int_equal(create(f, FX_UID, at + BLOCK, ICM_LOG_BLOCK, &other), BUSY);
	assert_int_equal(create(f, FX_UID, at + 2 * BLOCK, ICM_LOG_BLOCK, &other), 0);
	assert_non_null(icm_bytes(f->v, at, 2 * BLOCK));
	assert_non_null(icm_bytes(f->v, at + BLOCK - 32, 64));
	assert_null(icm_bytes(f->v, at - 64, 64));
	assert_null(icm_bytes(f->v, at - 32, 64));
	assert_null(icm_bytes(f->dpu, at, 64));
	assert_int_equal(icm_bytes(f->v, at, 1)[0], 0);
	assert_int_equal(destroy(f, FX_UID + 1, id), BAD_RES);
	assert_int_equal(destroy(f, FX_UID, id), 0);
	assert_null(icm_bytes(f->v, at, 64));
	assert_null(icm_bytes(f->v, at + 2 * BLOCK - 32, 64));
	assert_non_null(icm_bytes(f->v, at + 2 * BLOCK, 64));
	fw_uid_reap(f->v, FX_UID);
	assert_null(icm_bytes(f->v, at + 2 * BLOCK, 64));
	assert_int_equal(fx_objects(f->v), 0);
}

/* Returns how many pieces this process's address space has. */
static unsigned int mappings(void)
{
	FILE *maps = fopen("/proc/self/maps", "r");
	unsigned int n = 0;

	assert_non_null(maps);
	for (int ch; (ch = fgetc(maps)) != EOF;)
		n += ch == '\n';
	fclose(maps);
	return n;
}

/* Scattered blocks don't use up the mappings of a process, of which Linux allows 65530. */
TEST(fx, few_mappings)
{
	const uint64_t at = icm_addr(ICM_STE, 0);
	unsigned int before;
	uint32_t id;

	assert_int_equal(create(f, FX_UID, at, ICM_LOG_BLOCK, &id), 0);
	before = mappings();
	for (unsigned int i = 1; i < 100; i++)
		assert_int_equal(create(f, FX_UID, at + 2ull * i * BLOCK, ICM_LOG_BLOCK, &id), 0);
	assert_in_range(mappings(), 0, before + 50);
}

/*
 * A key on steering memory counts from 0, its bytes are on the bus, and the memory is busy while it
 * exists.
 */
TEST(fx, keys)
{
	const uint64_t at = icm_addr(ICM_STE, 0);
	const char text[] = "a steering table entry";
	uint32_t pd = fx_pd(f, f->v, FX_UID), id, key, none;
	struct dma_seg seg[2];
	char back[sizeof(text)];

	assert_int_equal(create(f, FX_UID, at, ICM_LOG_BLOCK + 1, &id), 0);
	assert_int_equal(create_mkey(f, FX_UID, pd, at + BLOCK, 2 * BLOCK, &none), BAD);
	assert_true(test_logged(f->log, "not within one object of steering memory"));
	assert_int_equal(create_mkey(f, FX_UID, pd, at + BLOCK, BLOCK, &key), 0);
	assert_int_equal(mkey_segs(f->v, key, pd, BLOCK - 32, 64, MKEY_RW, seg, 2),
			 -MKEY_BAD_BOUNDS);
	assert_int_equal(mkey_segs(f->v, key, pd, at + BLOCK, 64, MKEY_RW, seg, 2),
			 -MKEY_BAD_BOUNDS);
	assert_int_equal(mkey_segs(f->v, key, pd, 64, sizeof(text), MKEY_RW, seg, 2), 1);
	assert_int_equal(dma_scatter(f->host, seg, 1, text), 0);
	assert_string_equal((const char *)icm_bytes(f->v, at + BLOCK + 64, sizeof(text)), text);
	assert_int_equal(dma_gather(f->host, seg, 1, back), 0);
	assert_string_equal(back, text);
	assert_int_equal(dma_copy(f->host, mm_bus(f->mm, (uintptr_t)f->mem), seg[0].addr, 8), 0);
	assert_memory_equal(f->mem, text, 8);
	assert_int_equal(dma_copy(f->host, seg[0].addr + 1, seg[0].addr, 8), 0);
	assert_memory_equal(icm_bytes(f->v, at + BLOCK + 65, 8), text, 8);
	assert_int_equal(destroy(f, FX_UID, id), BUSY);
	assert_int_equal(FX_NUMBER(f, DESTROY_MKEY, key >> 8), 0);
	assert_int_equal(destroy(f, FX_UID, id), 0);
	assert_int_equal(dma_scatter(f->host, seg, 1, text), -EFAULT);
	assert_int_equal(dma_gather(f->host, seg, 1, back), -EFAULT);
	/* allocated again, it has no bytes of its last owner */
	assert_int_equal(create(f, FX_UID, at, ICM_LOG_BLOCK + 1, &id), 0);
	assert_int_equal(icm_bytes(f->v, at + BLOCK + 64, 1)[0], 0);
	assert_int_equal(create_mkey(f, FX_UID, pd, at, BLOCK, &key), 0);
	fw_uid_reap(f->v, FX_UID);
	assert_int_equal(fx_objects(f->v), 0);
}

/* A key of another uid does not reach the memory; the kernel's does. */
TEST(fx, foreign_keys)
{
	const uint64_t at = icm_addr(ICM_MODIFY, 0);
	uint32_t pd = fx_pd(f, f->v, FX_UID + 1), kernel_pd = fx_pd(f, f->v, 0), id, key;

	assert_int_equal(create(f, FX_UID, at, ICM_LOG_BLOCK, &id), 0);
	assert_int_equal(create_mkey(f, FX_UID + 1, pd, at, BLOCK, &key), BAD);
	assert_int_equal(create_mkey(f, 0, kernel_pd, at, BLOCK, &key), 0);
	fw_uid_reap(f->v, 0);
	fw_uid_reap(f->v, FX_UID);
	fw_uid_reap(f->v, FX_UID + 1);
	assert_int_equal(fx_objects(f->v), 0);
}

/* --- memory that programs map ----------------------------------------------------------------- */

static uint8_t memic_get(struct fx *f, uint64_t addr, uint32_t range, uint32_t size, uint32_t align)
{
	return fx_cmd(f, f->v, PRM_OPCODE_ALLOC_MEMIC, 0,
		      FX_FIELDS({"range_start_addr", addr}, {"range_size", range},
				{"memic_size", size}, {"log_memic_addr_alignment", align}));
}

static uint8_t memic_put(struct fx *f, uint64_t addr, uint32_t size)
{
	return fx_cmd(f, f->v, PRM_OPCODE_DEALLOC_MEMIC, 0,
		      FX_FIELDS({"memic_start_addr", addr}, {"memic_size", size}));
}

static uint8_t memic_op(struct fx *f, uint16_t op_mod, uint32_t op, uint64_t addr)
{
	return fx_cmd(f, f->v, PRM_OPCODE_MODIFY_MEMIC, 0,
		      FX_FIELDS({"op_mod", op_mod}, {"memic_operation_type", op},
				{"memic_start_addr", addr}));
}

/* Each operation has one address, once; memory with such an address can't be freed. */
TEST(fx, memic_operations)
{
	const uint64_t at = MEMIC_BAR_START + 3 * BLOCK;
	const enum prm_status ok = MEMIC_OPERATIONS ? PRM_STATUS_OK : BAD;

	assert_int_equal(memic_get(f, at, BLOCK, 64, 0), PRM_STATUS_OK);
	assert_int_equal(memic_op(f, 0, MEMIC_TEST_AND_SET, at), ok);
	if (ok != PRM_STATUS_OK)
		return;
	assert_int_equal(prm_modify_memic_out_get_memic_operation_addr(f->out),
			 MEMIC_OP_BAR_START + MEMIC_BYTES + 3 * BLOCK);
	assert_int_equal(memic_op(f, 0, MEMIC_TEST_AND_SET, at), PRM_STATUS_BAD_RES_STATE);
	assert_int_equal(memic_op(f, 1, MEMIC_INCREMENT, at), PRM_STATUS_BAD_RES_STATE);
	assert_int_equal(memic_op(f, 2, MEMIC_INCREMENT, at), PRM_STATUS_BAD_OP);
	assert_int_equal(memic_op(f, 0, MEMIC_OPS, at), BAD);
	assert_int_equal(memic_op(f, 0, 255, at), BAD);
	assert_int_equal(memic_op(f, 0, MEMIC_INCREMENT, at + 64), BAD);
	assert_int_equal(memic_op(f, 0, MEMIC_INCREMENT, at + BLOCK), BAD);
	assert_int_equal(memic_op(f, 0, MEMIC_INCREMENT, ~0ull), BAD);
	assert_int_equal(memic_put(f, at, BLOCK), BUSY);
	assert_int_equal(memic_op(f, 1, MEMIC_TEST_AND_SET, at), PRM_STATUS_OK);
	assert_int_equal(memic_put(f, at, BLOCK), PRM_STATUS_OK);
}

/*
 * Whole pages of the window are allocated, once each; bytes exist only where the kernel mapped
 * some.
 */
TEST(fx, memic)
{
	const uint64_t at = MEMIC_BAR_START + 3 * BLOCK;
	static uint8_t bytes[2 * BLOCK];
	uint8_t text[8] = "device!";

	assert_int_equal(memic_get(f, at, 2 * BLOCK, 64, 6), PRM_STATUS_OK);
	assert_int_equal(memic_get(f, at + BLOCK, BLOCK, 64, 0), BUSY);
	assert_int_equal(memic_get(f, MEMIC_BAR_START - BLOCK, BLOCK, 64, 0), BAD);
	assert_int_equal(memic_get(f, MEMIC_BAR_START + MEMIC_BYTES, BLOCK, 64, 0), BAD);
	assert_int_equal(memic_get(f, MEMIC_BAR_START, MEMIC_BYTES + BLOCK, 64, 0), BAD);
	assert_int_equal(memic_get(f, MEMIC_BAR_START, BLOCK, 0, 0), BAD);
	assert_int_equal(memic_get(f, MEMIC_BAR_START, BLOCK, 63, 0), BAD);
	assert_int_equal(memic_get(f, MEMIC_BAR_START, BLOCK, 2 * BLOCK, 0), BAD);
	assert_int_equal(memic_get(f, MEMIC_BAR_START + 64, BLOCK, 64, 0), BAD);
	assert_int_equal(memic_get(f, MEMIC_BAR_START, BLOCK, 64, 7), BAD);

	assert_int_not_equal(dma_write(f->v->dev->host, memic_bus(f->v, at), text, 8), 0);
	memic_back(f->v, at, 2 * BLOCK, bytes);
	assert_int_equal(dma_write(f->v->dev->host, memic_bus(f->v, at + BLOCK - 4), text, 8), 0);
	assert_memory_equal(bytes + BLOCK - 4, text, 8);
	assert_int_not_equal(
		dma_write(f->v->dev->host, memic_bus(f->v, at + 2 * BLOCK - 4), text, 8), 0);
	assert_int_equal(memic_put(f, at + BLOCK, 2 * BLOCK), BAD);
	assert_int_equal(memic_put(f, at, 2 * BLOCK), PRM_STATUS_OK);
	assert_int_equal(memic_put(f, at, 2 * BLOCK), BAD);
	assert_int_not_equal(dma_write(f->v->dev->host, memic_bus(f->v, at), text, 8), 0);
}

/*
 * A key of mode PA covers bus addresses, for the kernel only; mlx5e and mlx5_ib create such keys.
 */
TEST(fx, mkey_physical)
{
	const uint64_t at = mm_bus(f->mm, (uintptr_t)f->mem + 100);
	uint32_t pd = fx_pd(f, f->v, 0), key;
	struct dma_seg seg[MKEY_SEGS];
	uint8_t in[FX_IN];
	size_t len = fx_fill_mkey(in, pd, 0, NULL, 0);

	FX_SET(in, CREATE_MKEY, {"mkey_umem_valid", 0}, {"translations_octword_actual_size", 0},
	       {MKC "access_mode_1_0", PRM_MKC_ACCESS_MODE_PA}, {MKC "length64", 1},
	       {MKC "translations_octword_size", 0}, {MKC "log_page_size", 0}, {MKC "rw", 0});
	FX_REFUSES(f, CREATE_MKEY, in, len, BAD, FW_SYN_ACCESS_MODE);
	assert_int_equal(fx_exec(f, f->v, PRM_OPCODE_CREATE_MKEY, 0, in, len, 16), 0);
	key = prm_create_mkey_out_get_mkey_index(f->out) << 8 | 0x42;
	assert_int_equal(mkey_segs(f->v, key, pd, at, 9000, MKEY_LW, seg, MKEY_SEGS), 1);
	assert_int_equal(seg[0].addr, at);
	assert_int_equal(seg[0].len, 9000);
	assert_int_equal(mkey_segs(f->v, key, pd, at, 1, MKEY_RW, seg, 1), -MKEY_BAD_RIGHTS);
	/* without length64, the range of start_addr and len */
	FX_SET(in, CREATE_MKEY, {MKC "length64", 0}, {MKC "start_addr", at}, {MKC "len", 10});
	assert_int_equal(fx_exec(f, f->v, PRM_OPCODE_CREATE_MKEY, 0, in, len, 16), 0);
	key = prm_create_mkey_out_get_mkey_index(f->out) << 8 | 0x42;
	assert_int_equal(mkey_segs(f->v, key, pd, at + 9, 1, MKEY_LR, seg, 1), 1);
	assert_int_equal(seg[0].addr, at + 9);
	assert_int_equal(mkey_segs(f->v, key, pd, at + 9, 2, MKEY_LR, seg, 1), -MKEY_BAD_BOUNDS);
	FX_SET(in, CREATE_MKEY, {"mkey_umem_valid", 1});
	assert_int_equal(fx_exec(f, f->v, PRM_OPCODE_CREATE_MKEY, 0, in, len, 16), BAD);
	assert_int_equal(f->syndrome, FW_SYN_UNSUPPORTED);
}

/* The reserved lkey covers bus addresses; mlx5_ib creates its own queues with it. */
TEST(fx, qp_reserved_lkey)
{
	const uint64_t at = mm_bus(f->mm, (uintptr_t)f->mem + 100);
	struct fx_queue q = fx_queue(f, f->v, 0);
	uint8_t in[FX_IN];
	size_t len = fx_fill_qp(in, q.pd, q.cq, q.uar, q.umem);
	struct dma_seg seg[2];
	uint64_t n = 9000;
	uint32_t qpn;

	prm_qpc_set_rlky(prm_create_qp_in_at_qpc(in), 1);
	FX_REFUSES(f, CREATE_QP, in, len, BAD, FW_SYN_UNSUPPORTED);
	assert_int_equal(fx_exec(f, f->v, PRM_OPCODE_CREATE_QP, 0, in, len, 16), 0);
	qpn = prm_create_qp_out_get_qpn(f->out);
	assert_int_equal(mkey_part(f->v, MKEY_RESERVED, q.pd, qpn, at, &n, MKEY_LW, seg, 2), 1);
	assert_int_equal(seg[0].addr, at);
	assert_int_equal(seg[0].len, 9000);
	assert_int_equal(mkey_part(f->v, MKEY_RESERVED, q.pd, qpn, at, &n, MKEY_RR, seg, 2),
			 -MKEY_BAD_RIGHTS);
	n = 1;
	assert_int_equal(mkey_part(f->v, MKEY_RESERVED, q.pd, q.qp, at, &n, MKEY_LR, seg, 2),
			 -MKEY_BAD_KEY);
}
