/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Proves cross-VHCA access, row by row of the table of cases in the facts, by commands and
 * accesses.
 */
#include "tests/test.h"
#include "fw_fixture.h"
#include "fw/cmd.h"

#define BUF_AT	131072u
#define BUF_LEN 8192u

/* An mkey of the host over a buffer, allowed with a key; and a PD of the DPU. */
struct shared {
	uint32_t host_pd, umem, mkey, dpu_pd;
	uint8_t key[32];
};

static uint8_t allow(struct fx *f, struct vhca *v, uint16_t uid, uint32_t type, uint32_t id,
		     const uint8_t key[32])
{
	uint8_t in[FX_IN];
	size_t len = FX_FILL(in, ALLOW_OTHER_VHCA_ACCESS, {"object_type_to_be_accessed", type},
			     {"object_id_to_be_accessed", id});

	memcpy(prm_allow_other_vhca_access_in_at_access_key_raw(in), key, 32);
	return fx_exec(f, v, PRM_OPCODE_ALLOW_OTHER_VHCA_ACCESS, uid, in, len, 16);
}

struct alias_args {
	uint32_t type, vhca, object, pd;
	bool not_alias;
	uint32_t tunnel;
	uint8_t key[32];
};

static uint8_t alias(struct fx *f, struct vhca *v, uint16_t uid, const struct alias_args *a)
{
	uint8_t in[PRM_CREATE_ALIAS_OBJ_IN_BYTES] = {0};
	void *ctx = prm_create_alias_obj_in_at_alias_ctx(in);

	fx_set(prm_find_struct("create_alias_obj_in"), in,
	       FX_FIELDS({"hdr.obj_type", a->type}, {"hdr.alias_object", !a->not_alias},
			 {"hdr.vhca_tunnel_id", a->tunnel},
			 {"alias_ctx.vhca_id_to_be_accessed", a->vhca},
			 {"alias_ctx.object_id_to_be_accessed", a->object}));
	memcpy(prm_alias_context_at_access_key_raw(ctx), a->key, 32);
	prm_store32(prm_alias_context_at_metadata(ctx), 0, a->pd);
	return fx_exec(f, v, PRM_OPCODE_CREATE_GENERAL_OBJECT, uid, in, sizeof(in), 16);
}

static uint8_t destroy(struct fx *f, struct vhca *v, uint16_t uid, uint32_t type, uint32_t id)
{
	return fx_cmd(f, v, PRM_OPCODE_DESTROY_GENERAL_OBJECT, uid,
		      FX_FIELDS({"obj_type", type}, {"obj_id", id}));
}

static uint8_t query(struct fx *f, uint32_t id, size_t room)
{
	uint8_t in[FX_IN];
	size_t len =
		FX_FILL(in, QUERY_GENERAL_OBJECT, {"obj_type", PRM_OBJ_TYPE_MKEY}, {"obj_id", id});

	return fx_exec(f, f->dpu, PRM_OPCODE_QUERY_GENERAL_OBJECT, FX_UID, in, len, room);
}

static struct shared share(struct fx *f)
{
	struct shared s;

	s.host_pd = fx_pd(f, f->v, FX_UID);
	s.umem = fx_umem(f, f->v, FX_UID, f->mem + BUF_AT, BUF_LEN, true);
	s.mkey = fx_mkey(f, f->v, FX_UID, s.host_pd, s.umem, f->mem + BUF_AT, BUF_LEN);
	s.dpu_pd = fx_pd(f, f->dpu, FX_UID);
	for (unsigned int i = 0; i < sizeof(s.key); i++)
		s.key[i] = (uint8_t)(i * 7 + 1);
	assert_int_equal(allow(f, f->v, FX_UID, PRM_OBJ_TYPE_MKEY, s.mkey, s.key), 0);
	return s;
}

static struct alias_args args_of(struct fx *f, const struct shared *s)
{
	struct alias_args a = {
		.type = PRM_OBJ_TYPE_MKEY, .vhca = f->v->id, .object = s->mkey, .pd = s->dpu_pd};

	memcpy(a.key, s->key, sizeof(a.key));
	return a;
}

static uint32_t make_alias(struct fx *f, const struct shared *s)
{
	struct alias_args a = args_of(f, s);

	assert_int_equal(alias(f, f->dpu, FX_UID, &a), 0);
	return prm_general_obj_out_cmd_hdr_get_obj_id(f->out);
}

static int access_alias(struct fx *f, const struct shared *s, uint32_t key, uint64_t off,
			uint64_t len, unsigned int rights)
{
	struct dma_seg seg[MKEY_SEGS];
	uint8_t byte = 0x5a;
	int n = mkey_segs(f->dpu, key, s->dpu_pd, (uintptr_t)f->mem + BUF_AT + off, len, rights,
			  seg, MKEY_SEGS);

	if (n == 1 && (rights & MKEY_LW))
		assert_int_equal(dma_write(f->host, seg[0].addr, &byte, 1), 0);
	return n;
}

/* Allows, creates an alias, and accesses it with any low byte: the bytes arrive in the host. */
TEST(fx, works)
{
	struct shared s = share(f);
	uint32_t id = make_alias(f, &s);

	assert_int_equal(access_alias(f, &s, id << 8, 100, 4, MKEY_LW), 1);
	assert_int_equal(f->mem[BUF_AT + 100], 0x5a);
	assert_int_equal(access_alias(f, &s, id << 8 | 0x99, 4096, 4096, MKEY_LR), 1);
	assert_int_equal(query(f, id, PRM_CREATE_ALIAS_OBJ_IN_BYTES), 0);
	const void *ctx = prm_create_alias_obj_in_cat_alias_ctx(f->out);

	fx_holds(prm_find_struct("alias_context"), ctx,
		 FX_FIELDS({"status", 0}, {"vhca_id_to_be_accessed", f->v->id},
			   {"object_id_to_be_accessed", s.mkey}));
	/* the key is never returned */
	for (unsigned int i = 0; i < 32; i++)
		assert_int_equal(((const uint8_t *)prm_alias_context_cat_access_key_raw(ctx))[i],
				 0);
	assert_int_equal(destroy(f, f->dpu, FX_UID, PRM_OBJ_TYPE_MKEY, id), 0);
	assert_int_equal(access_alias(f, &s, id << 8, 0, 4, MKEY_LR), -MKEY_BAD_KEY);
}

TEST(fx, allow_refuses)
{
	struct shared s = share(f);
	uint32_t id = make_alias(f, &s);

	assert_int_equal(allow(f, f->v, FX_UID, 0xff02, s.mkey, s.key), BAD);
	assert_int_equal(f->syndrome, FW_SYN_OBJECT_TYPE);
	assert_int_equal(allow(f, f->v, FX_UID, PRM_OBJ_TYPE_MKEY, s.mkey + 1, s.key), BAD_RES);
	/* another uid's mkey is refused like a missing one */
	assert_int_equal(allow(f, f->v, FX_UID + 1, PRM_OBJ_TYPE_MKEY, s.mkey, s.key), BAD_RES);
	assert_int_equal(f->syndrome, FW_SYN_NO_OBJECT);
	/* an alias can't be allowed again */
	assert_int_equal(allow(f, f->dpu, FX_UID, PRM_OBJ_TYPE_MKEY, id, s.key), BAD_RES);
	f->profile.allow_mkey = false;
	assert_int_equal(allow(f, f->v, FX_UID, PRM_OBJ_TYPE_MKEY, s.mkey, s.key),
			 PRM_STATUS_BAD_OP);
}

/* A missing object, no permission, and a wrong key (first byte, last byte) have the same reply. */
TEST(fx, alias_reveals_nothing)
{
	struct shared s = share(f);
	uint32_t unallowed = fx_mkey(f, f->v, FX_UID, s.host_pd, s.umem, f->mem + BUF_AT, 64);
	struct alias_args a[4];

	for (unsigned int i = 0; i < 4; i++)
		a[i] = args_of(f, &s);
	a[0].object = 0x1234;
	a[1].object = unallowed;
	a[2].key[0] ^= 1;
	a[3].key[31] ^= 0x80;
	for (unsigned int i = 0; i < 4; i++) {
		assert_int_equal(alias(f, f->dpu, FX_UID, &a[i]), BAD_RES);
		assert_int_equal(f->syndrome, FW_SYN_ALIAS);
		assert_true(test_logged(f->log, "may not be aliased with this access_key"));
	}
	assert_int_equal(obj_count(f->dpu, OBJ_MKEY), 0);
}

TEST(fx, alias_refuses)
{
	struct shared s = share(f);
	struct alias_args a = args_of(f, &s);

	a.vhca = 999;
	assert_int_equal(alias(f, f->dpu, FX_UID, &a), BAD);
	a.vhca = f->dpu->id;
	assert_int_equal(alias(f, f->dpu, FX_UID, &a), BAD);
	assert_int_equal(f->syndrome, FW_SYN_VHCA);
	a = args_of(f, &s);
	a.pd = 0x777;
	assert_int_equal(alias(f, f->dpu, FX_UID, &a), BAD_RES);
	a = args_of(f, &s);
	assert_int_equal(alias(f, f->dpu, FX_UID + 1, &a), BAD_RES);
	a.type = 0xff02;
	assert_int_equal(alias(f, f->dpu, FX_UID, &a), BAD);
	a = args_of(f, &s);
	a.tunnel = 3;
	assert_int_equal(alias(f, f->dpu, FX_UID, &a), BAD);
	a.tunnel = 0;
	a.not_alias = true;
	assert_int_equal(alias(f, f->dpu, FX_UID, &a), BAD);
	f->profile.cross_vhca = false;
	a = args_of(f, &s);
	assert_int_equal(alias(f, f->dpu, FX_UID, &a), PRM_STATUS_BAD_OP);
	assert_int_equal(f->syndrome, FW_SYN_CAP_CLEAR);
}

/*
 * An alias remains when its source is destroyed; each access fails, even when the index is reused.
 */
TEST(fx, source_goes)
{
	struct shared s = share(f);
	uint32_t id = make_alias(f, &s), again;

	assert_int_equal(FX_NUMBER(f, DESTROY_MKEY, s.mkey), 0);
	assert_int_equal(access_alias(f, &s, id << 8, 0, 4, MKEY_LR), -MKEY_BAD_ALIAS);
	struct mkey *m = obj_new_at(f->v, OBJ_MKEY, FX_UID, s.mkey, sizeof(*m));

	assert_non_null(m);
	m->rights = MKEY_LR | MKEY_LW;
	m->len = UINT64_MAX;
	m->pd = obj_find(f->v, OBJ_PD, s.host_pd);
	obj_get(m->pd);
	assert_int_equal(access_alias(f, &s, id << 8, 0, 4, MKEY_LR), -MKEY_BAD_ALIAS);
	/* the old permission does not apply to the new object */
	struct alias_args a = args_of(f, &s);

	assert_int_equal(alias(f, f->dpu, FX_UID, &a), BAD_RES);
	assert_int_equal(allow(f, f->v, FX_UID, PRM_OBJ_TYPE_MKEY, s.mkey, s.key), 0);
	again = make_alias(f, &s);
	assert_int_not_equal(again, id);
	assert_int_equal(access_alias(f, &s, id << 8, 0, 4, MKEY_LR), -MKEY_BAD_ALIAS);
}

TEST(fx, owner_dies)
{
	struct shared s = share(f);
	uint32_t id = make_alias(f, &s);

	fw_uid_reap(f->v, FX_UID);
	assert_int_equal(fx_objects(f->v), 0);
	assert_int_equal(access_alias(f, &s, id << 8, 0, 4, MKEY_LR), -MKEY_BAD_ALIAS);
	assert_int_equal(destroy(f, f->dpu, FX_UID, PRM_OBJ_TYPE_MKEY, id), 0);
}

/* Bounds, PD and rights of the source are checked at every access. */
TEST(fx, access_is_checked)
{
	struct shared s = share(f);
	uint32_t id = make_alias(f, &s);
	struct dma_seg seg[MKEY_SEGS];
	uint8_t in[FX_IN];
	struct alias_args a;
	uint32_t read_only;

	assert_int_equal(access_alias(f, &s, id << 8, BUF_LEN - 4, 5, MKEY_LR), -MKEY_BAD_BOUNDS);
	assert_int_equal(access_alias(f, &s, id << 8, (uint64_t)-1, 1, MKEY_LR), -MKEY_BAD_BOUNDS);
	assert_int_equal(access_alias(f, &s, id << 8, 0, UINT64_MAX, MKEY_LR), -MKEY_BAD_BOUNDS);
	assert_int_equal(mkey_segs(f->dpu, id << 8, s.dpu_pd + 1, (uintptr_t)f->mem + BUF_AT, 4,
				   MKEY_LR, seg, MKEY_SEGS),
			 -MKEY_BAD_PD);
	size_t len = fx_fill_mkey(in, s.host_pd, s.umem, f->mem + BUF_AT, BUF_LEN);

	prm_mkc_set_lw(prm_create_mkey_in_at_memory_key_mkey_entry(in), 0);
	assert_int_equal(FX_EXEC(f, CREATE_MKEY, in, len), 0);
	read_only = prm_create_mkey_out_get_mkey_index(f->out);
	assert_int_equal(allow(f, f->v, FX_UID, PRM_OBJ_TYPE_MKEY, read_only, s.key), 0);
	a = args_of(f, &s);
	a.object = read_only;
	assert_int_equal(alias(f, f->dpu, FX_UID, &a), 0);
	id = prm_general_obj_out_cmd_hdr_get_obj_id(f->out);
	assert_int_equal(access_alias(f, &s, id << 8, 0, 4, MKEY_LR), 1);
	assert_int_equal(access_alias(f, &s, id << 8, 0, 4, MKEY_LW), -MKEY_BAD_RIGHTS);
}

/*
 * Commands for general objects refuse an mkey, commands for mkeys an alias, and both other uids'
 * ones.
 */
TEST(fx, wrong_commands)
{
	struct shared s = share(f);
	uint32_t id = make_alias(f, &s);

	assert_int_equal(fx_number(f, f->dpu, PRM_OPCODE_DESTROY_MKEY, FX_UID, id, 16), BAD_RES);
	assert_int_equal(
		fx_number(f, f->dpu, PRM_OPCODE_QUERY_MKEY, FX_UID, id, PRM_QUERY_MKEY_OUT_BYTES),
		BAD_RES);
	assert_int_equal(destroy(f, f->v, FX_UID, PRM_OBJ_TYPE_MKEY, s.mkey), BAD_RES);
	assert_int_equal(destroy(f, f->dpu, FX_UID, 0xff02, id), BAD);
	assert_int_equal(destroy(f, f->dpu, FX_UID + 1, PRM_OBJ_TYPE_MKEY, id), BAD_RES);
	assert_int_equal(query(f, id, 16), PRM_STATUS_BAD_OUTP_LEN);
	/* the PD is busy while the alias exists */
	assert_int_equal(fx_number(f, f->dpu, PRM_OPCODE_DEALLOC_PD, FX_UID, s.dpu_pd, 16), BUSY);
}

/* With alias_bad_status, CREATE succeeds with a bad status, and each access fails. */
TEST(fx, bad_status_mode)
{
	struct shared s = share(f);
	struct alias_args a = args_of(f, &s);
	uint32_t id;

	f->profile.alias_bad_status = true;
	a.key[5] ^= 4;
	assert_int_equal(alias(f, f->dpu, FX_UID, &a), 0);
	id = prm_general_obj_out_cmd_hdr_get_obj_id(f->out);
	assert_int_equal(query(f, id, PRM_CREATE_ALIAS_OBJ_IN_BYTES), 0);
	assert_int_not_equal(
		prm_alias_context_get_status(prm_create_alias_obj_in_cat_alias_ctx(f->out)), 0);
	assert_int_equal(access_alias(f, &s, id << 8, 0, 4, MKEY_LR), -MKEY_BAD_ALIAS);
}

/* A new key replaces the old one; existing aliases stay valid. */
TEST(fx, new_key)
{
	struct shared s = share(f);
	uint32_t id = make_alias(f, &s);
	struct alias_args a = args_of(f, &s);

	s.key[9] ^= 0xff;
	assert_int_equal(allow(f, f->v, FX_UID, PRM_OBJ_TYPE_MKEY, s.mkey, s.key), 0);
	assert_int_equal(alias(f, f->dpu, FX_UID, &a), BAD_RES);
	assert_int_equal(access_alias(f, &s, id << 8, 0, 4, MKEY_LR), 1);
	assert_int_not_equal(make_alias(f, &s), id);
}
