/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Firmware commands: mailboxes made of the reflection rows, each field small, extreme, random or the
 * number of an object that lives; lengths right and wrong. Nothing may crash, leak or half-write
 * (the fixture checks replies, and that the tables are empty in the end).
 */
#include "fuzz.h"
#include "tests/fw/fw_fixture.h"
#include "fw/cmd.h"
#include "prm/reflect.h"

#define UIDS 3

static unsigned int commands, good;

static uint64_t value_for(const struct fx *f, unsigned int width)
{
	uint64_t mask = width >= 64 ? UINT64_MAX : (1ull << width) - 1;
	const struct vhca *v = any(2) ? f->v : f->dpu;
	struct obj *o;

	switch (any(6)) {
	case 0:
		return mask;
	case 1:
		return any_value() & mask;
	case 2:
		return any(16) & mask;
	case 3:
		return mm_bus(f->mm, (uintptr_t)f->mem + any(FX_MEM / 64) * 64) & mask;
	case 4:
		o = obj_next(v, (enum obj_type)any(OBJ_NTYPES), 0);
		return o ? o->id & mask : 0;
	default:
		return 0;
	}
}

/* Spoils up to n fields of a mailbox, at any depth. */
static void scribble(const struct fx *f, const struct prm_struct *s, uint8_t *in, size_t len,
		     uint64_t base, unsigned int n)
{
	for (unsigned int i = 0; s->field_count && i < n; i++) {
		const struct prm_field *fld = &s->fields[any((uint32_t)s->field_count)];
		uint64_t at =
			base + fld->offset + (fld->count ? any((uint32_t)fld->count) : 0) * fld->width;

		if (fld->type)
			scribble(f, fld->type, in, len, at, 3);
		else if (!fld->bytes && fld->width <= 64 && (at + fld->width + 7) / 8 <= len)
			prm_bits_set(in, at, fld->width, value_for(f, fld->width));
	}
}

/* One of a user's kind, often of the next user's. 0 if there is none. */
static uint32_t some(const struct fx *f, unsigned int uid, enum obj_type type)
{
	uint32_t id = 0;

	if (!any(8))
		uid = any(UIDS + 1);
	for (struct obj *o = obj_next(f->v, type, 0); o; o = obj_next(f->v, type, o->id + 1))
		if (o->uid == uid && (!id || !any(4)))
			id = o->id;
	return id;
}

/* The fields by which a command names the object that it is about. */
static const struct {
	const char *field;
	enum obj_type type;
} names[] = {
	{"pd", OBJ_PD},
	{"uar", OBJ_UAR},
	{"umem_id", OBJ_UMEM},
	{"mkey_index", OBJ_MKEY},
	{"psvn", OBJ_PSV},
	{"cqn", OBJ_CQ},
	{"qpn", OBJ_QP},
	{"rmpn", OBJ_SRQ},
	{"xrc_srqn", OBJ_SRQ},
	{"xrcd", OBJ_XRCD},
	{"dctn", OBJ_DCT},
	{"dct_number", OBJ_DCT},
	{"eq_number", OBJ_EQ},
	{"transport_domain", OBJ_TD},
	{"tisn", OBJ_TIS},
	{"sqn", OBJ_SQ},
	{"rqn", OBJ_RQ},
	{"rqtn", OBJ_RQT},
	{"tirn", OBJ_TIR},
	{"table_id", OBJ_FLOW_TABLE},
	{"group_id", OBJ_FLOW_GROUP},
	{"modify_header_id", OBJ_MODIFY_HEADER},
};

/* Zeros, but for the object. */
static size_t seed_any(const struct fx *f, unsigned int uid, const struct prm_struct *s,
		       uint8_t *in)
{
	memset(in, 0, FX_IN);
	for (size_t i = 0; i < s->field_count; i++)
		for (size_t k = 0; k < sizeof(names) / sizeof(*names); k++)
			if (!strcmp(s->fields[i].name, names[k].field))
				prm_bits_set(in, s->fields[i].offset, s->fields[i].width,
					     some(f, uid, names[k].type));
	return s->bytes;
}

/* An encryption key, or a command about one. */
static size_t seed_key(const struct fx *f, unsigned int uid, uint16_t opcode, uint8_t *in)
{
	void *key = prm_create_encryption_key_in_at_encryption_key_object(in);

	memset(in, 0, FX_IN);
	prm_general_obj_in_cmd_hdr_set_obj_type(in, PRM_OBJ_TYPE_ENCRYPTION_KEY);
	if (opcode != PRM_OPCODE_CREATE_GENERAL_OBJECT) {
		prm_general_obj_in_cmd_hdr_set_obj_id(in, some(f, uid, OBJ_DEK));
		return PRM_GENERAL_OBJ_IN_CMD_HDR_BYTES;
	}
	prm_encryption_key_obj_set_pd(key, some(f, uid, OBJ_PD));
	prm_encryption_key_obj_set_key_purpose(key, PRM_KEY_PURPOSE_AES_XTS);
	prm_encryption_key_obj_set_key_size(key, any(2));
	return PRM_CREATE_ENCRYPTION_KEY_IN_BYTES;
}

static size_t seed_command(struct fx *f, const struct fx_queue *q, unsigned int uid,
			   uint16_t opcode, uint8_t *in)
{
	switch (opcode) {
	case PRM_OPCODE_CREATE_UMEM:
		return fx_fill_umem(f, in, f->mem, 16384, true);
	case PRM_OPCODE_CREATE_MKEY:
		return fx_fill_mkey(in, q->pd, q->umem, f->mem, 4096);
	case PRM_OPCODE_CREATE_CQ:
		return fx_fill_cq(in, q->eq, q->uar, q->umem);
	case PRM_OPCODE_CREATE_QP:
		return fx_fill_qp(in, q->pd, q->cq, q->uar, q->umem);
	case PRM_OPCODE_CREATE_TIS:
		memset(in, 0, FX_IN);
		prm_tisc_set_transport_domain(prm_create_tis_in_at_ctx(in), some(f, uid, OBJ_TD));
		return PRM_CREATE_TIS_IN_BYTES;
	case PRM_OPCODE_CREATE_SQ:
		return fx_fill_sq(in, q, some(f, uid, OBJ_TIS));
	case PRM_OPCODE_CREATE_RQ:
		return fx_fill_rq(in, q);
	case PRM_OPCODE_CREATE_RMP:
		return fx_fill_rmp(in, q);
	case PRM_OPCODE_CREATE_RQT:
		return fx_fill_rqt(in, 8, 4, some(f, uid, OBJ_RQ));
	case PRM_OPCODE_CREATE_TIR:
		return fx_fill_tir(in, 0, some(f, uid, OBJ_RQ));
	case PRM_OPCODE_CREATE_PSV:
		seed_any(f, uid, prm_command_in(opcode), in);
		prm_create_psv_in_set_num_psv(in, 1 + any(4));
		return PRM_CREATE_PSV_IN_BYTES;
	case PRM_OPCODE_CREATE_GENERAL_OBJECT:
	case PRM_OPCODE_QUERY_GENERAL_OBJECT:
	case PRM_OPCODE_DESTROY_GENERAL_OBJECT:
		return seed_key(f, uid, opcode, in);
	default:
		return seed_any(f, uid, prm_command_in(opcode), in);
	}
}

static size_t find_opcodes(struct fx *f, uint16_t *op, size_t max)
{
	uint8_t in[8] = {0};
	size_t n = 0;

	for (unsigned int i = 0; i <= 0xffff && n < max; i++)
		if (fx_exec(f, f->v, (uint16_t)i, 1, in, 8, 8) != PRM_STATUS_BAD_OP)
			op[n++] = (uint16_t)i;
	return n;
}

/* Objects beyond the fixture's queue, in the order in which each needs the one before. */
static const uint16_t births[] = {
	PRM_OPCODE_ALLOC_TRANSPORT_DOMAIN,
	PRM_OPCODE_ALLOC_XRCD,
	PRM_OPCODE_CREATE_TIS,
	PRM_OPCODE_CREATE_SQ,
	PRM_OPCODE_CREATE_RQ,
	PRM_OPCODE_CREATE_RQT,
	PRM_OPCODE_CREATE_TIR,
	PRM_OPCODE_CREATE_RMP,
	PRM_OPCODE_CREATE_PSV,
	PRM_OPCODE_CREATE_GENERAL_OBJECT,
	PRM_OPCODE_CREATE_MKEY,
	PRM_OPCODE_CREATE_FLOW_TABLE,
};

static struct fx_queue live(struct fx *f, unsigned int uid)
{
	struct fx_queue q = fx_queue(f, f->v, (uint16_t)uid);
	uint8_t in[FX_IN];

	for (size_t i = 0; i < sizeof(births) / sizeof(*births); i++) {
		size_t len = seed_command(f, &q, uid, births[i], in);

		fx_exec(f, f->v, births[i], (uint16_t)uid, in, len, 64);
	}
	return q;
}

/* Everybody dies, the kernel's objects last, and each user's objects are made anew. */
static void start_again(struct fx *f, struct fx_queue *q)
{
	for (unsigned int u = 0; u <= UIDS; u++) {
		fw_uid_reap(f->v, (uint16_t)((u + 1) % (UIDS + 1)));
		fw_uid_reap(f->dpu, (uint16_t)((u + 1) % (UIDS + 1)));
	}
	for (unsigned int u = 0; u < UIDS; u++)
		q[u] = live(f, u + 1);
}

static void run(struct fx *f)
{
	static uint16_t op[128];
	static size_t n;
	struct fx_queue q[UIDS];

	if (!n)
		n = find_opcodes(f, op, 128);
	start_again(f, q);
	while (fuzz_more()) {
		unsigned int u = any(UIDS);
		uint16_t opcode = op[any((uint32_t)n)];
		uint8_t in[FX_IN + 64];
		size_t len = seed_command(f, &q[u], u + 1, opcode, in);
		uint16_t uid = (uint16_t)(any(8) ? u + 1 : any(UIDS + 1));

		if (len > FX_IN)
			len = FX_IN;
		scribble(f, prm_command_in(opcode), in, len, 0, any(3) ? any(6) : 0);
		if (!any(8))
			len = any(FX_IN + 1);
		good += fx_exec(f, any(4) ? f->v : f->dpu, opcode, uid, in, len,
				any(8) ? PRM_QUERY_HCA_CAP_OUT_BYTES : 8 + any(64)) == 0;
		commands++;
		if (!any(512))
			start_again(f, q);
	}
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t len)
{
	void *state;

	fuzz_begin(bytes, len);
	fx_setup(&state);
	run(state);
	fx_teardown(&state);
	return 0;
}

/* It reaches what lies behind the checks, too. */
static void judge(unsigned int inputs)
{
	(void)inputs;
	assert_true(good > commands / 6);
}

const struct fuzz_target fuzz_target = {.inputs = 400, .longest = 4096, .judge = judge};
