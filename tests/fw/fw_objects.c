/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Proves commands on numbers, umems and mkeys: good and bad inputs, owners, busy objects, stale
 * handles.
 */
#include "tests/test.h"
#include <unistd.h>
#include "fw_fixture.h"
#include "fw/cmd.h"

/* Only the owner can free a number, and only once. */
TEST(fx, numbers)
{
	static const struct {
		uint16_t alloc, dealloc;
	} pairs[] = {
		{PRM_OPCODE_ALLOC_PD, PRM_OPCODE_DEALLOC_PD},
		{PRM_OPCODE_ALLOC_UAR, PRM_OPCODE_DEALLOC_UAR},
		{PRM_OPCODE_ALLOC_TRANSPORT_DOMAIN, PRM_OPCODE_DEALLOC_TRANSPORT_DOMAIN},
	};

	for (size_t i = 0; i < sizeof(pairs) / sizeof(pairs[0]); i++) {
		uint32_t id, next;

		assert_int_equal(fx_cmd(f, f->v, pairs[i].alloc, FX_UID, FX_FIELDS({0})), 0);
		id = fx_made(f);
		assert_int_not_equal(id, 0);
		assert_int_equal(fx_number(f, f->v, pairs[i].dealloc, FX_UID + 1, id, 16), BAD_RES);
		assert_int_equal(f->syndrome, FW_SYN_NO_OBJECT);
		assert_int_equal(fx_number(f, f->dpu, pairs[i].dealloc, FX_UID, id, 16), BAD_RES);
		assert_int_equal(fx_number(f, f->v, pairs[i].dealloc, FX_UID, id, 16), 0);
		assert_int_equal(fx_number(f, f->v, pairs[i].dealloc, FX_UID, id, 16), BAD_RES);
		/* the kernel may free a uid's number; a freed number is not reused at once */
		assert_int_equal(fx_cmd(f, f->v, pairs[i].alloc, FX_UID, FX_FIELDS({0})), 0);
		next = fx_made(f);
		assert_int_not_equal(next, id);
		assert_int_equal(fx_number(f, f->v, pairs[i].dealloc, 0, next, 16), 0);
	}
	assert_int_equal(fx_objects(f->v), 0);
}

/* UAR numbers are unique in the chip: two functions never share one. */
TEST(fx, uars_of_two_functions)
{
	assert_int_not_equal(fx_uar(f, f->v, FX_UID), fx_uar(f, f->dpu, FX_UID));
}

TEST(fx, tis)
{
	uint32_t td, tisn;

	assert_int_equal(FX(f, CREATE_TIS), BAD_RES);
	td = FX_MAKE(f, ALLOC_TRANSPORT_DOMAIN);
	tisn = FX_MAKE(f, CREATE_TIS, {"ctx.transport_domain", td});
	assert_int_equal(FX_NUMBER(f, DEALLOC_TRANSPORT_DOMAIN, td), BUSY);
	assert_int_equal(FX(f, CREATE_TIS, {"ctx.transport_domain", td}, {"ctx.tls_en", 1}), BAD);
	assert_int_equal(FX(f, CREATE_TIS, {"ctx.transport_domain", td}, {"ctx.pd", 1}), BAD);
	assert_int_equal(FX(f, CREATE_TIS, {"ctx.transport_domain", td}, {"ctx.underlay_qpn", 64}),
			 BAD);
	assert_int_equal(FX(f, MODIFY_TIS, {"tisn", tisn}, {"bitmask.prio", 1}, {"ctx.prio", 3}),
			 0);
	assert_int_equal(FX(f, MODIFY_TIS, {"tisn", tisn}, {"ctx.prio", 5}), 0);
	/* one port: no other to send by */
	assert_int_equal(FX(f, MODIFY_TIS, {"tisn", tisn}, {"bitmask.lag_tx_port_affinity", 1},
			    {"ctx.lag_tx_port_affinity", 2}),
			 BAD);
	assert_int_equal(f->syndrome, FW_SYN_CAP_CLEAR);
	assert_int_equal(FX(f, QUERY_TIS, {"tisn", tisn}), 0);
	FX_ASSERT_REPLY(f, QUERY_TIS, {"tis_context.prio", 3}, {"tis_context.transport_domain", td},
			{"tis_context.lag_tx_port_affinity", 0});
	assert_int_equal(FX_NUMBER(f, DESTROY_TIS, tisn), 0);
	assert_int_equal(FX_NUMBER(f, DEALLOC_TRANSPORT_DOMAIN, td), 0);
}

#define ELEM(f, uid, op, id, ...) \
	elem_command(f, uid, PRM_OPCODE_##op##_GENERAL_OBJECT, id, FX_FIELDS(__VA_ARGS__))

static uint8_t elem_command(struct fx *f, uint16_t uid, uint16_t op, uint32_t id,
			    const struct fx_field *fields)
{
	uint8_t in[PRM_CREATE_SCHED_ELEM_IN_BYTES] = {0};
	const struct prm_struct *s = prm_find_struct("create_sched_elem_in");
	const bool object =
		op == PRM_OPCODE_CREATE_GENERAL_OBJECT || op == PRM_OPCODE_MODIFY_GENERAL_OBJECT;

	fx_set(s, in,
	       FX_FIELDS({"hdr.obj_type", PRM_OBJ_TYPE_SCHEDULING_ELEMENT}, {"hdr.obj_id", id}));
	if (object)
		fx_set(s, in, FX_FIELDS({"sched_elem.scheduling_hierarchy", 3}));
	fx_set(s, in, fields);
	return fx_exec(f, f->v, op, uid, in, object ? sizeof(in) : PRM_GENERAL_OBJ_IN_CMD_HDR_BYTES,
		       sizeof(in));
}

#define SC "sched_elem.sched_context."

/* A root, a node and a leaf: refused children and parameters, and freeing of a whole tree. */
TEST(fx, sched_elems)
{
	static const struct {
		const char *field;
		uint64_t value;
		uint8_t status;
	} bad[] = {
		{"sched_elem.scheduling_hierarchy", 2, BAD},
		{SC "element_type", 1, BAD},
		{SC "sched_elem_attr", 1 << 16, BAD},
		{SC "parent_element_id", 99, BAD_RES},
		{SC "bw_share", VHCA_MAX_BW_SHARE + 1, BAD},
		{SC "max_average_bw", 1, BAD},	 /* of a root */
		{SC "element_type", 4, BAD_RES}, /* a leaf without parent */
	};
	uint32_t root, leaf;

	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++)
		assert_int_equal(ELEM(f, FX_UID, CREATE, 0, {bad[i].field, bad[i].value}),
				 bad[i].status);
	assert_int_equal(ELEM(f, FX_UID, CREATE, 0, {NULL, 0}), 0);
	root = prm_general_obj_out_cmd_hdr_get_obj_id(f->out);
	assert_int_equal(ELEM(f, FX_UID + 1, CREATE, 0, {SC "element_type", 4},
			      {SC "parent_element_id", root}),
			 BAD_RES);
	assert_int_equal(ELEM(f, FX_UID, CREATE, 0, {SC "element_type", 4},
			      {SC "parent_element_id", root}, {SC "bw_share", 7}),
			 0);
	leaf = prm_general_obj_out_cmd_hdr_get_obj_id(f->out);
	assert_int_equal(ELEM(f, FX_UID, CREATE, 0, {SC "parent_element_id", leaf}), BAD);
	assert_int_equal(ELEM(f, FX_UID, MODIFY, leaf, {"sched_elem.modify_field_select", 2},
			      {SC "element_type", 4}, {SC "bw_share", 9}, {SC "max_average_bw", 3}),
			 0);
	/* it does not become an arbiter */
	assert_int_equal(ELEM(f, FX_UID, MODIFY, leaf, {"sched_elem.modify_field_select", 2},
			      {SC "max_average_bw", 4}),
			 BAD);
	assert_int_equal(f->syndrome, FW_SYN_RESERVED);
	assert_int_equal(ELEM(f, FX_UID, QUERY, leaf, {NULL, 0}), 0);
	fx_holds(prm_find_struct("create_sched_elem_in"), f->out,
		 FX_FIELDS({SC "bw_share", 7}, {SC "max_average_bw", 3},
			   {SC "parent_element_id", root}, {SC "element_type", 4}));
	assert_int_equal(ELEM(f, FX_UID, DESTROY, root, {NULL, 0}), BUSY);
	fw_uid_reap(f->v, FX_UID);
	assert_int_equal(fx_objects(f->v), 0);
}

/* Blocks have the advertised size and one owner; only the first number names a block. */
TEST(fx, reserved_qpns)
{
	static const struct {
		const char *field;
		uint64_t value;
		uint8_t status;
	} bad[] = {
		{"log_obj_range", 3, BAD},
		{"alias_object", 1, BAD},
		{"obj_type", PRM_OBJ_TYPE_HEADER_MODIFY_ARGUMENT, BAD},
	};
	const uint16_t create = PRM_OPCODE_CREATE_GENERAL_OBJECT,
		       destroy = PRM_OPCODE_DESTROY_GENERAL_OBJECT;
	const struct fx_field good[] = {
		{"obj_type", PRM_OBJ_TYPE_RESERVED_QPN}, {"log_obj_range", 4}, {NULL, 0}};
	uint32_t first[2];

	for (unsigned int i = 0; i < 2; i++) {
		assert_int_equal(fx_cmd(f, f->v, create, FX_UID, good), 0);
		first[i] = prm_general_obj_out_cmd_hdr_get_obj_id(f->out);
	}
	assert_int_equal(first[1], first[0] + 16);
	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++)
		assert_int_equal(
			fx_cmd(f, f->v, create, FX_UID,
			       FX_FIELDS({"obj_type", PRM_OBJ_TYPE_RESERVED_QPN},
					 {"log_obj_range", 4}, {bad[i].field, bad[i].value})),
			bad[i].status);
#define END(uid, number)              \
	fx_cmd(f, f->v, destroy, uid, \
	       FX_FIELDS({"obj_type", PRM_OBJ_TYPE_RESERVED_QPN}, {"obj_id", number}))
	assert_int_equal(END(FX_UID, first[1] + 1), BAD_RES);
	assert_int_equal(END(FX_UID + 1, first[1]), BAD_RES);
	assert_int_equal(END(FX_UID, 0), BAD_RES);
	assert_int_equal(END(FX_UID, first[1]), 0);
	assert_int_equal(END(FX_UID, first[1]), BAD_RES);
#undef END
	fw_uid_reap(f->v, FX_UID);
	assert_int_equal(fx_objects(f->v), 0);
}

#define MAPPING(f, op, uid, ...) \
	mapping_command(f, uid, PRM_OPCODE_##op##_GENERAL_OBJECT, FX_FIELDS(__VA_ARGS__))

static uint8_t mapping_command(struct fx *f, uint16_t uid, uint16_t op,
			       const struct fx_field *fields)
{
	uint8_t in[PRM_CREATE_AV_QP_MAPPING_IN_BYTES] = {0};
	const struct prm_struct *s = prm_find_struct("create_av_qp_mapping_in");

	fx_set(s, in, FX_FIELDS({"hdr.obj_type", PRM_OBJ_TYPE_AV_QP_MAPPING}));
	fx_set(s, in, fields);
	return fx_exec(f, f->v, op, uid, in,
		       op == PRM_OPCODE_CREATE_GENERAL_OBJECT ? sizeof(in)
							      : PRM_GENERAL_OBJ_IN_CMD_HDR_BYTES,
		       PRM_QUERY_AV_QP_MAPPING_OUT_BYTES);
}

/* A mapping returns its QP and address, and stays when the QP is destroyed. */
TEST(fx, av_qp_mappings)
{
	const uint32_t qpn = fx_queue(f, f->v, FX_UID).qp;
	uint32_t id;

	assert_int_equal(MAPPING(f, CREATE, FX_UID, {"mapping.qpn", qpn + 9}), BAD_RES);
	assert_int_equal(MAPPING(f, CREATE, FX_UID, {"mapping.qpn", qpn}, {"hdr.alias_object", 1}),
			 BAD);
	assert_int_equal(MAPPING(f, CREATE, FX_UID, {"mapping.qpn", qpn},
				 {"mapping.remote_address_vector.src_addr_index", 255}),
			 BAD);
	assert_int_equal(MAPPING(f, CREATE, FX_UID, {"mapping.qpn", qpn},
				 {"mapping.remote_address_vector.sl_or_eth_prio", 5}),
			 0);
	id = prm_general_obj_out_cmd_hdr_get_obj_id(f->out);
	assert_int_equal(FX_NUMBER(f, DESTROY_QP, qpn), 0);
	assert_int_equal(MAPPING(f, QUERY, FX_UID + 1, {"hdr.obj_id", id}), BAD_RES);
	assert_int_equal(MAPPING(f, QUERY, FX_UID, {"hdr.obj_id", id}), 0);
	fx_holds(prm_find_struct("query_av_qp_mapping_out"), f->out,
		 FX_FIELDS({"obj.qpn", qpn}, {"obj.remote_address_vector.sl_or_eth_prio", 5}));
	assert_int_equal(MAPPING(f, DESTROY, FX_UID, {"hdr.obj_id", id}), 0);
	assert_int_equal(MAPPING(f, DESTROY, FX_UID, {"hdr.obj_id", id}), BAD_RES);
}

/* A command creates one signature state, in a PD that is busy then. */
TEST(fx, psvs)
{
	uint32_t pd = fx_pd(f, f->v, FX_UID), psv;

	assert_int_equal(FX(f, CREATE_PSV, {"num_psv", 1}, {"pd", pd}), 0);
	psv = prm_create_psv_out_get_psv0_index(f->out);
	assert_int_equal(FX(f, CREATE_PSV, {"num_psv", 1}, {"pd", pd + 1}), BAD_RES);
	for (unsigned int n = 0; n < 16; n += n ? 7 : 2)
		assert_int_equal(FX(f, CREATE_PSV, {"num_psv", n}, {"pd", pd}), BAD);
	assert_int_equal(FX_NUMBER(f, DEALLOC_PD, pd), BUSY);
	assert_int_equal(FX(f, DESTROY_PSV, {"psvn", psv + 1}), BAD_RES);
	assert_int_equal(FX(f, DESTROY_PSV, {"psvn", psv}), 0);
	assert_int_equal(FX_NUMBER(f, DEALLOC_PD, pd), 0);
}

TEST(fx, eqs)
{
	const uint16_t op = PRM_OPCODE_DESTROY_EQ;
	uint32_t eqn = fx_eq(f, f->v);

	assert_int_equal(FX(f, DESTROY_EQ, {"eq_number", eqn}), BAD);
	assert_int_equal(fx_cmd(f, f->v, op, 0, FX_FIELDS({"eq_number", eqn})), 0);
	assert_int_equal(fx_cmd(f, f->v, op, 0, FX_FIELDS({"eq_number", eqn})), BAD_RES);
}

TEST(fx, umem_bad_input)
{
	static const struct fx_spoil bad[] = {
		{"umem.num_of_mtt", 0, BAD, FW_SYN_SIZE},
		{"umem.num_of_mtt", UINT64_MAX, BAD, FW_SYN_SIZE},
		{"umem.num_of_mtt", 1ull << 33, BAD, FW_SYN_SIZE},
		{"umem.num_of_mtt", 17, PRM_STATUS_BAD_INP_LEN, FW_SYN_IN_SHORT},
		{"umem.num_of_mtt", 15, PRM_STATUS_BAD_INP_LEN, FW_SYN_IN_LONG},
		{"umem.page_offset", 4096, BAD, FW_SYN_SIZE},
		{"umem.log_page_size", 9, BAD, FW_SYN_PAGE_ADDRESS},
		{"umem.log_page_size", 31, BAD, FW_SYN_PAGE_ADDRESS},
	};
	uint8_t in[FX_IN];
	size_t len = fx_fill_umem(f, in, f->mem + 4096, 65536, true);
	uint32_t id;

	FX_SPOILS(f, PRM_OPCODE_CREATE_UMEM, in, len, bad);
	prm_store64(in, PRM_CREATE_UMEM_IN_BYTES + 8, mm_bus(f->mm, (uintptr_t)f->mem) + 512);
	assert_int_equal(FX_EXEC(f, CREATE_UMEM, in, len), BAD);
	id = fx_umem(f, f->v, FX_UID, f->mem, 4096, true);
	assert_int_equal(fx_number(f, f->v, PRM_OPCODE_DESTROY_UMEM, FX_UID + 1, id, 16), BAD_RES);
	assert_int_equal(FX_NUMBER(f, DESTROY_UMEM, id), 0);
	assert_int_equal(FX_NUMBER(f, DESTROY_UMEM, id), BAD_RES);
}

#define MKC "memory_key_mkey_entry."

TEST(fx, mkey_bad_input)
{
	static const struct fx_spoil bad[] = {
		{MKC "access_mode_1_0", 0, BAD, FW_SYN_ACCESS_MODE},
		{MKC "access_mode_4_2", 1, BAD, FW_SYN_UNSUPPORTED},
		{MKC "access_mode_4_2", 7, BAD, FW_SYN_ACCESS_MODE},
		{MKC "length64", 1, BAD, FW_SYN_RESERVED},
		{MKC "crypto_en", 1, BAD, FW_SYN_SIZE},
		{MKC "crypto_en", 2, BAD, FW_SYN_UNSUPPORTED},
		{MKC "bsf_en", 1, BAD, FW_SYN_SIZE},
		{MKC "bsf_octword_size", 4, BAD, FW_SYN_UNSUPPORTED},
		{"input_mkey_index data_direct bsf_octword_actual_size " MKC
		 "alter_pd_to_vhca_id " MKC "crossed_side_mkey " MKC "crossing_target_vhca_id " MKC
		 "ma_translation_mode " MKC "sync_umr",
		 1, BAD, FW_SYN_CAP_CLEAR},
		{MKC "log_page_size", 11, BAD, FW_SYN_PAGE_SIZE},
		{MKC "start_addr " MKC "len", UINT64_MAX, BAD, FW_SYN_RANGE},
		{MKC "len", 16385, BAD, FW_SYN_UMEM_BOUNDS},
		{"mkey_umem_offset", 1, BAD, FW_SYN_UMEM_BOUNDS},
		{"mkey_umem_offset", UINT64_MAX, BAD, FW_SYN_UMEM_BOUNDS},
		{"mkey_umem_id " MKC "pd", 99, BAD_RES, FW_SYN_NO_OBJECT},
		/* without the umem: translations for 4 pages are needed */
		{"mkey_umem_valid", 0, BAD, FW_SYN_SIZE},
	};
	uint32_t pd = fx_pd(f, f->v, FX_UID);
	uint32_t umem = fx_umem(f, f->v, FX_UID, f->mem, 16384, true), key;
	uint8_t in[FX_IN];
	size_t len = fx_fill_mkey(in, pd, umem, f->mem, 16384);

	FX_SPOILS(f, PRM_OPCODE_CREATE_MKEY, in, len, bad);
	assert_int_equal(fx_exec(f, f->v, PRM_OPCODE_CREATE_MKEY, FX_UID + 1, in, len, 16),
			 BAD_RES);
	f->profile.min_mkey_log_entity_size = 16;
	assert_int_equal(FX_EXEC(f, CREATE_MKEY, in, len), BAD);
	f->profile.min_mkey_log_entity_size = 0;
	key = fx_mkey(f, f->v, FX_UID, pd, umem, f->mem, 16384);
	assert_int_equal(FX_NUMBER(f, DESTROY_UMEM, umem), BUSY);
	assert_int_equal(FX_NUMBER(f, DEALLOC_PD, pd), BUSY);
	assert_int_equal(f->syndrome, FW_SYN_BUSY);
	assert_int_equal(FX_QUERY(f, QUERY_MKEY, key), 0);
	FX_ASSERT_REPLY(f, QUERY_MKEY, {MKC "pd", pd});
	assert_int_equal(FX_NUMBER(f, DESTROY_MKEY, key), 0);
	assert_int_equal(FX_NUMBER(f, DESTROY_MKEY, key), BAD_RES);
}

static int segs(struct fx *f, uint32_t key, uint32_t pd, const void *va, uint64_t len,
		unsigned int rights, struct dma_seg *seg)
{
	return mkey_segs(f->v, key, pd, (uintptr_t)va, len, rights, seg, MKEY_SEGS);
}

/* An mkey with a page list that begins in the middle of a page, with pages out of order. */
TEST(fx, mkey_page_list)
{
	static const unsigned int page[3] = {9, 4, 5};
	uint32_t pd = fx_pd(f, f->v, FX_UID), key;
	const uint8_t *start = f->mem + 100;
	struct dma_seg seg[MKEY_SEGS];
	uint8_t in[FX_IN];
	size_t len = fx_fill_mkey(in, pd, 0, start, 3 * 4096 - 100) + 4 * 8;

	/* pg_access: pages that are there are not on demand */
	FX_SET(in, CREATE_MKEY, {"mkey_umem_valid", 0}, {"translations_octword_actual_size", 2},
	       {MKC "translations_octword_size", 2}, {"pg_access", 1});
	for (unsigned int i = 0; i < 3; i++)
		prm_store64(in, PRM_CREATE_MKEY_IN_BYTES + i * 8,
			    mm_bus(f->mm, (uintptr_t)f->mem + page[i] * 4096u) | 3);
	assert_int_equal(FX_EXEC(f, CREATE_MKEY, in, len), 0);
	key = prm_create_mkey_out_get_mkey_index(f->out) << 8 | 0x42;
	assert_false(((struct mkey *)obj_find(f->v, OBJ_MKEY, key >> 8))->on_demand);
	assert_int_equal(segs(f, key, pd, start, 3 * 4096 - 100, MKEY_LR, seg), 2);
	assert_int_equal(seg[0].addr, mm_bus(f->mm, (uintptr_t)f->mem + 9 * 4096 + 100));
	assert_int_equal(seg[0].len, 4096 - 100);
	assert_int_equal(seg[1].addr, mm_bus(f->mm, (uintptr_t)f->mem + 4 * 4096));
	assert_int_equal(seg[1].len, 8192);
	assert_int_equal(mkey_segs(f->v, key, pd, (uintptr_t)start, 4096, MKEY_LR, seg, 1),
			 -MKEY_TOO_FRAGMENTED);
	assert_int_equal(segs(f, key, pd, start - 1, 1, MKEY_LR, seg), -MKEY_BAD_BOUNDS);
	assert_int_equal(segs(f, key, pd, start, 3 * 4096 - 99, MKEY_LR, seg), -MKEY_BAD_BOUNDS);
	prm_store64(in, PRM_CREATE_MKEY_IN_BYTES + 8, mm_bus(f->mm, (uintptr_t)f->mem) + 64);
	FX_REFUSES(f, CREATE_MKEY, in, len, BAD, FW_SYN_PAGE_ADDRESS);
}

/* State, key byte, PD, rights, bounds: one fault each. */
TEST(fx, mkey_faults)
{
	uint32_t pd = fx_pd(f, f->v, FX_UID);
	uint32_t umem = fx_umem(f, f->v, FX_UID, f->mem + 50, 10000, true);
	uint32_t ro = fx_umem(f, f->v, FX_UID, f->mem, 4096, false);
	uint32_t index = fx_mkey(f, f->v, FX_UID, pd, umem, f->mem + 50, 10000);
	uint32_t ro_key = fx_mkey(f, f->v, FX_UID, pd, ro, f->mem, 4096) << 8 | 0x42;
	uint32_t key = index << 8 | 0x42;
	struct dma_seg seg[MKEY_SEGS];
	uint8_t in[FX_IN];
	size_t len;

	assert_int_equal(segs(f, key, pd, f->mem + 50, 10000, MKEY_LR | MKEY_RW, seg), 1);
	assert_int_equal(seg[0].addr, mm_bus(f->mm, (uintptr_t)f->mem + 50));
	assert_int_equal(segs(f, key, pd, f->mem + 51, 10000, MKEY_LR, seg), -MKEY_BAD_BOUNDS);
	assert_int_equal(segs(f, key, pd, f->mem + 49, 1, MKEY_LR, seg), -MKEY_BAD_BOUNDS);
	assert_int_equal(segs(f, key ^ 1, pd, f->mem + 50, 1, MKEY_LR, seg), -MKEY_BAD_KEY);
	assert_int_equal(segs(f, 0, pd, f->mem + 50, 1, MKEY_LR, seg), -MKEY_BAD_KEY);
	assert_int_equal(segs(f, UINT32_MAX, pd, f->mem + 50, 1, MKEY_LR, seg), -MKEY_BAD_KEY);
	assert_int_equal(segs(f, key, pd + 1, f->mem + 50, 1, MKEY_LR, seg), -MKEY_BAD_PD);
	assert_int_equal(segs(f, key, pd, f->mem + 50, 8, MKEY_ATOMIC, seg), -MKEY_BAD_RIGHTS);
	assert_true(test_logged(f->log, "right a (remote atomic)"));
	assert_int_equal(segs(f, ro_key, pd, f->mem, 8, MKEY_LR, seg), 1);
	assert_int_equal(segs(f, ro_key, pd, f->mem, 8, MKEY_LW, seg), -MKEY_BAD_RIGHTS);
	assert_int_equal(segs(f, 0, pd, NULL, 0, MKEY_LW, seg), 0);
	len = fx_fill_mkey(in, pd, umem, f->mem + 50, 10000);
	prm_mkc_set_free(prm_create_mkey_in_at_memory_key_mkey_entry(in), 1);
	assert_int_equal(FX_EXEC(f, CREATE_MKEY, in, len), 0);
	key = prm_create_mkey_out_get_mkey_index(f->out) << 8 | 0x42;
	assert_int_equal(segs(f, key, pd, f->mem + 50, 1, MKEY_LR, seg), -MKEY_BAD_KEY);
}

/* A number is reused only after the whole space, and is another object then. */
TEST(fx, late_reuse)
{
	struct obj *o;
	uint32_t first;
	uint64_t generation;

	o = obj_new(f->v, OBJ_TD, FX_UID, sizeof(*o));
	assert_non_null(o);
	first = o->id;
	generation = o->generation;
	obj_free(o);
	for (unsigned int i = 0; i < (1u << VHCA_LOG_MAX_TD) - 2; i++) {
		o = obj_new(f->v, OBJ_TD, FX_UID, sizeof(*o));
		assert_non_null(o);
		assert_int_not_equal(o->id, first);
		obj_free(o);
	}
	o = obj_new(f->v, OBJ_TD, FX_UID, sizeof(*o));
	assert_int_equal(o->id, first);
	assert_true(o->generation > generation);
	obj_free(o);
}

/* An exhausted space is reported by a status, and usable again afterwards. */
TEST(fx, exhaustion)
{
	uint8_t in[16] = {0};
	unsigned int n = 0;
	uint8_t status;

	while ((status = FX_EXEC(f, ALLOC_TRANSPORT_DOMAIN, in, 16)) == 0)
		n++;
	assert_int_equal(status, PRM_STATUS_LIM);
	assert_int_equal(f->syndrome, FW_SYN_LIMIT);
	assert_int_equal(n, (1u << VHCA_LOG_MAX_TD) - 1);
	fw_uid_reap(f->v, FX_UID);
	assert_int_equal(fx_objects(f->v), 0);
	assert_int_equal(FX_EXEC(f, ALLOC_TRANSPORT_DOMAIN, in, 16), 0);
}

/* obj_next() returns every object once, in order, whatever is freed meanwhile. */
TEST(fx, walking)
{
	static const uint32_t ids[] = {1, 2, 255, 256, 257, 65535, 65536, 200000, 4194303};
	uint32_t from = 0;
	struct obj *o;
	size_t i = 0;

	for (size_t j = sizeof(ids) / sizeof(ids[0]); j--;)
		assert_non_null(obj_new_at(f->v, OBJ_MKEY, 1, ids[j], sizeof(struct obj)));
	assert_null(obj_new_at(f->v, OBJ_MKEY, 1, 256, sizeof(struct obj)));
	assert_null(obj_new_at(f->v, OBJ_MKEY, 1, 1u << 22, sizeof(struct obj)));
	while ((o = obj_next(f->v, OBJ_MKEY, from)) != NULL) {
		assert_int_equal(o->id, ids[i++]);
		from = o->id + 1;
		obj_free(o);
	}
	assert_int_equal(i, sizeof(ids) / sizeof(ids[0]));
	assert_int_equal(obj_count(f->v, OBJ_MKEY), 0);
}

/* Two functions share no identity. */
TEST(fx, identities)
{
	unsigned int index;

	assert_int_not_equal(f->v->id, f->dpu->id);
	assert_memory_not_equal(f->v->mac, f->dpu->mac, 6);
	assert_true(f->v->guid != f->dpu->guid);
	for (unsigned int i = 0; i < VHCA_OWN_GIDS; i++) {
		assert_memory_not_equal(f->v->gids[i].gid, f->dpu->gids[i].gid, 16);
		assert_ptr_equal(device_vhca_by_gid(&f->dev, 0, f->dpu->gids[i].gid, &index),
				 f->dpu);
		assert_int_equal(index, i & ~1u);
	}
	assert_ptr_equal(device_vhca_by_id(&f->dev, f->v->id), f->v);
	assert_null(device_vhca_by_id(&f->dev, 0xffff));
}
