/* SPDX-License-Identifier: BSD-2-Clause */
#include <stdio.h>
#include <sys/mman.h>
#include <unistd.h>
#include "fw_fixture.h"
#include <dvx/prm/object.h>
#include "base/log.h"
#include "chip/datapath.h"
#include "prm/reflect.h"

#define RING_AT	  4096u /* offsets in the client's memory */
#define RECORD_AT 64u

int fx_setup(void **state)
{
	return fx_setup_sfs(state, 0);
}

int fx_setup_sfs(void **state, uint8_t sfs)
{
	struct fx *f = calloc(1, sizeof(*f));

	assert_non_null(f);
	f->log = memfd_create("log", 0);
	assert_true(f->log >= 0);
	sim_log_to(f->log);
	f->host = host_new();
	assert_non_null(f->host);
	f->mm = mm_open(f->host, getpid(), -1);
	assert_non_null(f->mm);
	f->profile = profile_bluefield2;
	f->profile.vfs = 1;
	f->profile.sfs = sfs;
	assert_int_equal(device_init(&f->dev, f->host, &clock_monotonic, &f->profile), 0);
	assert_int_equal(datapath_open(&f->dev), 0);
	f->v = &f->dev.vhca[BLUEFIELD2_HOST];
	f->dpu = &f->dev.vhca[BLUEFIELD2_DPU];
	f->vf = &f->dev.vhca[2];
	f->mem = mmap(NULL, FX_MEM, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	assert_true(f->mem != MAP_FAILED);
	*state = f;
	return 0;
}

int fx_teardown(void **state)
{
	struct fx *f = *state;

	/* twice, as objects of the kernel may refer to a uid's, and a uid's to the kernel's EQs */
	for (unsigned int i = 0; i < 32; i++) {
		fw_uid_reap(f->v, (uint16_t)(i % 16));
		fw_uid_reap(f->dpu, (uint16_t)(i % 16));
	}
	assert_int_equal(fx_objects(f->v), 0);
	assert_int_equal(fx_objects(f->dpu), 0);
	datapath_close(&f->dev);
	device_fini(&f->dev);
	mm_close(f->mm);
	host_free(f->host);
	munmap(f->mem, FX_MEM);
	sim_log_to(STDERR_FILENO);
	close(f->log);
	free(f);
	return 0;
}

uint8_t fx_exec(struct fx *f, struct vhca *v, uint16_t opcode, uint16_t uid, void *in,
		size_t in_len, size_t out_len)
{
	uint8_t *i = malloc(in_len ? in_len : 1), *o = malloc(out_len);
	uint8_t header[8], status;

	assert_non_null(i);
	assert_non_null(o);
	memcpy(i, in, in_len);
	memset(header, 0, sizeof(header));
	prm_store16(header, 0, opcode);
	prm_store16(header, 2, uid);
	memcpy(i, header, in_len < 4 ? in_len : 4);
	memset(o, 0xa5, out_len);
	fw_exec(v, i, in_len, o, out_len);
	status = o[0];
	f->syndrome = prm_load32(o, 4);
	/* A refusal has status and syndrome, and nothing else in the reply */
	assert_int_equal(status != 0, f->syndrome != 0);
	for (size_t b = 8; status && b < out_len; b++)
		assert_int_equal(o[b], 0);
	memset(f->out, 0, sizeof(f->out));
	memcpy(f->out, o, out_len < sizeof(f->out) ? out_len : sizeof(f->out));
	free(i);
	free(o);
	return status;
}

uint8_t fx_general(struct fx *f, struct vhca *v, uint16_t opcode, const char *structure,
		   size_t in_len, const struct fx_field *fields)
{
	const struct prm_struct *s = prm_find_struct(structure);
	uint8_t in[512] = {0};

	assert_true(s->bytes <= sizeof(in) && in_len <= sizeof(in));
	fx_set(s, in, fields);
	return fx_exec(f, v, opcode, FX_UID, in, in_len, s->bytes);
}

/* Returns the number in the reply. The widest numbers that are looked up have 24 bits. */
uint32_t fx_made(const struct fx *f)
{
	return prm_load32(f->out, 8) & 0xffffff;
}

void fx_set(const struct prm_struct *s, void *p, const struct fx_field *field)
{
	for (; field->path; field++)
		if (prm_field_set(s, p, s->bytes, field->path, field->value))
			fail_msg("%s.%s can't be 0x%llx", s->name, field->path,
				 (unsigned long long)field->value);
}

void fx_holds(const struct prm_struct *s, const void *p, const struct fx_field *field)
{
	for (; field->path; field++) {
		uint64_t value = ~field->value;
		int err = prm_field_get(s, p, s->bytes, field->path, &value);

		if (err || value != field->value)
			print_message("%s.%s (error %d):\n", s->name, field->path, err);
		assert_int_equal(value, field->value);
	}
}

uint8_t fx_cmd(struct fx *f, struct vhca *v, uint16_t opcode, uint16_t uid,
	       const struct fx_field *fields)
{
	uint8_t in[FX_IN] = {0};
	const struct prm_struct *s = prm_command_in(opcode);

	assert_true(s->bytes <= sizeof(in));
	fx_set(s, in, fields);
	return fx_exec(f, v, opcode, uid, in, s->bytes, prm_command_out(opcode)->bytes);
}

uint8_t fx_number(struct fx *f, struct vhca *v, uint16_t opcode, uint16_t uid, uint32_t number,
		  size_t out_len)
{
	uint8_t in[16] = {0};

	prm_store32(in, 8, number);
	return fx_exec(f, v, opcode, uid, in, sizeof(in), out_len);
}

uint32_t fx_pd(struct fx *f, struct vhca *v, uint16_t uid)
{
	assert_int_equal(fx_cmd(f, v, PRM_OPCODE_ALLOC_PD, uid, FX_FIELDS({0})), 0);
	return fx_made(f);
}

uint32_t fx_uar(struct fx *f, struct vhca *v, uint16_t uid)
{
	assert_int_equal(fx_cmd(f, v, PRM_OPCODE_ALLOC_UAR, uid, FX_FIELDS({0})), 0);
	return fx_made(f);
}

uint32_t fx_eq(struct fx *f, struct vhca *v)
{
	assert_int_equal(fx_cmd(f, v, PRM_OPCODE_CREATE_EQ, 0, FX_FIELDS({0})), 0);
	return prm_create_eq_out_get_eq_number(f->out);
}

size_t fx_fill_umem(struct fx *f, void *in, const void *at, size_t len, bool write)
{
	uint64_t va = (uintptr_t)at, first = va & ~4095ull;
	size_t n = (size_t)((va + len - first + 4095) / 4096);
	void *umem = prm_create_umem_in_at_umem(in);

	memset(in, 0, FX_IN);
	assert_true(PRM_CREATE_UMEM_IN_BYTES + n * 8 <= FX_IN);
	prm_umem_set_page_offset(umem, (uint32_t)(va - first));
	prm_umem_set_num_of_mtt(umem, n);
	for (size_t i = 0; i < n; i++)
		prm_store64(in, PRM_CREATE_UMEM_IN_BYTES + i * 8,
			    mm_bus(f->mm, first + i * 4096) | 1u | (write ? 2u : 0u));
	return PRM_CREATE_UMEM_IN_BYTES + n * 8;
}

uint32_t fx_umem(struct fx *f, struct vhca *v, uint16_t uid, const void *at, size_t len, bool write)
{
	uint8_t in[FX_IN];
	size_t in_len = fx_fill_umem(f, in, at, len, write);

	assert_int_equal(fx_exec(f, v, PRM_OPCODE_CREATE_UMEM, uid, in, in_len, 16), 0);
	return prm_create_umem_out_get_umem_id(f->out);
}

size_t fx_fill(uint16_t opcode, void *in, const struct fx_field *fields)
{
	const struct prm_struct *s = prm_command_in(opcode);

	memset(in, 0, FX_IN);
	fx_set(s, in, fields);
	return s->bytes;
}

#define MKC "memory_key_mkey_entry."

size_t fx_fill_mkey(void *in, uint32_t pd, uint32_t umem, const void *at, size_t len)
{
	return FX_FILL(in, CREATE_MKEY, {"mkey_umem_valid", 1}, {"mkey_umem_id", umem},
		       {"translations_octword_actual_size", 1},
		       {MKC "access_mode_1_0", PRM_MKC_ACCESS_MODE_MTT}, {MKC "lr", 1},
		       {MKC "lw", 1}, {MKC "rr", 1}, {MKC "rw", 1}, {MKC "qpn", 0xffffff},
		       {MKC "mkey_7_0", 0x42}, {MKC "pd", pd}, {MKC "start_addr", (uintptr_t)at},
		       {MKC "len", len}, {MKC "translations_octword_size", 1},
		       {MKC "log_page_size", 12});
}

uint32_t fx_mkey(struct fx *f, struct vhca *v, uint16_t uid, uint32_t pd, uint32_t umem,
		 const void *at, size_t len)
{
	uint8_t in[FX_IN];
	size_t in_len = fx_fill_mkey(in, pd, umem, at, len);

	assert_int_equal(fx_exec(f, v, PRM_OPCODE_CREATE_MKEY, uid, in, in_len, 16), 0);
	return prm_create_mkey_out_get_mkey_index(f->out);
}

/* Fills a CQ of 64 entries of 64 bytes. */
size_t fx_fill_cq(void *in, uint32_t eq, uint32_t uar, uint32_t umem)
{
	return FX_FILL(in, CREATE_CQ, {"cq_umem_valid", 1}, {"cq_umem_id", umem},
		       {"cq_umem_offset", RING_AT}, {"cq_context.log_cq_size", 6},
		       {"cq_context.uar_page", uar}, {"cq_context.c_eqn_or_apu_element", eq},
		       {"cq_context.dbr_umem_valid", 1}, {"cq_context.dbr_umem_id", umem},
		       {"cq_context.dbr_addr", RECORD_AT});
}

/* Fills a QP with an RQ of 16 x 64 bytes and an SQ of 16 blocks. */
size_t fx_fill_qp(void *in, uint32_t pd, uint32_t cq, uint32_t uar, uint32_t umem)
{
	return FX_FILL(in, CREATE_QP, {"wq_umem_valid", 1}, {"wq_umem_id", umem},
		       {"wq_umem_offset", 2 * RING_AT}, {"qpc.st", PRM_QP_ST_RC}, {"qpc.pd", pd},
		       {"qpc.log_rq_size", 4}, {"qpc.log_rq_stride", 2}, {"qpc.log_sq_size", 4},
		       {"qpc.uar_page", uar}, {"qpc.cqn_snd", cq}, {"qpc.cqn_rcv", cq},
		       {"qpc.dbr_umem_valid", 1}, {"qpc.dbr_umem_id", umem},
		       {"qpc.dbr_addr", 2 * RECORD_AT});
}

static void fill_wq(void *wq, const struct fx_queue *q, uint32_t at, uint32_t record)
{
	fx_set(prm_find_struct("wq"), wq,
	       FX_FIELDS({"wq_type", 1}, {"pd", q->pd}, {"uar_page", q->uar}, {"log_wq_stride", 6},
			 {"log_wq_sz", 4}, {"wq_umem_valid", 1}, {"wq_umem_id", q->umem},
			 {"wq_umem_offset", at}, {"dbr_umem_valid", 1}, {"dbr_umem_id", q->umem},
			 {"dbr_addr", record}));
}

size_t fx_fill_sq(void *in, const struct fx_queue *q, uint32_t tis)
{
	size_t len = FX_FILL(in, CREATE_SQ, {"ctx.cqn", q->cq}, {"ctx.user_index", 0x51},
			     {"ctx.flush_in_error_en", 1}, {"ctx.tis_lst_sz", 1},
			     {"ctx.tis_num_0", tis});

	fill_wq(prm_sqc_at_wq(prm_create_sq_in_at_ctx(in)), q, FX_SQ_AT, FX_SQ_DBR);
	return len;
}

size_t fx_fill_rq(void *in, const struct fx_queue *q)
{
	size_t len = FX_FILL(in, CREATE_RQ, {"ctx.vsd", 1}, {"ctx.cqn", q->cq},
			     {"ctx.user_index", 0x52}, {"ctx.flush_in_error_en", 1});

	fill_wq(prm_rqc_at_wq(prm_create_rq_in_at_ctx(in)), q, FX_RQ_AT, FX_RQ_DBR);
	return len;
}

size_t fx_fill_rmp(void *in, const struct fx_queue *q)
{
	size_t len = FX_FILL(in, CREATE_RMP, {"ctx.state", PRM_RMPC_STATE_RDY});

	fill_wq(prm_rmpc_at_wq(prm_create_rmp_in_at_ctx(in)), q, FX_RMP_AT, FX_RMP_DBR);
	FX_SET(in, CREATE_RMP, {"ctx.wq.wq_type", 0});
	return len;
}

size_t fx_fill_tir(void *in, uint32_t td, uint32_t rq)
{
	return FX_FILL(in, CREATE_TIR, {"ctx.transport_domain", td}, {"ctx.inline_rqn", rq});
}

size_t fx_fill_rqt(void *in, uint32_t max, uint32_t n, uint32_t rqn)
{
	size_t len = FX_FILL(in, CREATE_RQT, {"rqt_context.rqt_max_size", max},
			     {"rqt_context.rqt_actual_size", n});

	for (uint32_t i = 0; i < n; i++)
		prm_store32(in, len + 4 * i, rqn);
	return len + 4 * n;
}

uint8_t fx_sw_icm(struct fx *f, uint16_t uid, uint64_t addr, unsigned int log_size)
{
	uint8_t in[PRM_CREATE_SW_ICM_IN_BYTES] = {0};

	fx_set(prm_find_struct("create_sw_icm_in"), in,
	       FX_FIELDS({"hdr.obj_type", PRM_OBJ_TYPE_SW_ICM},
			 {"sw_icm.log_sw_icm_size", log_size}, {"sw_icm.sw_icm_start_addr", addr}));
	return fx_exec(f, f->v, PRM_OPCODE_CREATE_GENERAL_OBJECT, uid, in, sizeof(in), 16);
}

struct fx_queue fx_queue(struct fx *f, struct vhca *v, uint16_t uid)
{
	struct fx_queue q;
	uint8_t in[FX_IN];
	size_t len;

	q.pd = fx_pd(f, v, uid);
	q.uar = fx_uar(f, v, uid);
	q.eq = fx_eq(f, v);
	q.umem = fx_umem(f, v, uid, f->mem, 65536, true);
	len = fx_fill_cq(in, q.eq, q.uar, q.umem);
	assert_int_equal(fx_exec(f, v, PRM_OPCODE_CREATE_CQ, uid, in, len, 16), 0);
	q.cq = prm_create_cq_out_get_cqn(f->out);
	len = fx_fill_qp(in, q.pd, q.cq, q.uar, q.umem);
	assert_int_equal(fx_exec(f, v, PRM_OPCODE_CREATE_QP, uid, in, len, 16), 0);
	q.qp = prm_create_qp_out_get_qpn(f->out);
	return q;
}

uint32_t fx_rmp(struct fx *f, const struct fx_queue *q)
{
	uint8_t in[FX_IN];
	size_t len = fx_fill_rmp(in, q);

	assert_int_equal(FX_EXEC(f, CREATE_RMP, in, len), 0);
	return prm_create_rmp_out_get_rmpn(f->out);
}

uint32_t fx_objects(const struct vhca *v)
{
	uint32_t n = 0;

	for (unsigned int i = 0; i < OBJ_NTYPES; i++)
		n += obj_count(v, (enum obj_type)i);
	return n;
}

static void fx_spoil_one(struct fx *f, uint16_t opcode, const uint8_t *good, size_t len,
			 const struct fx_spoil *s, const char *field)
{
	uint32_t before = fx_objects(f->v);
	uint8_t in[FX_IN], status;

	memcpy(in, good, len);
	assert_int_equal(prm_field_set(prm_command_in(opcode), in, len, field, s->value), 0);
	status = fx_exec(f, f->v, opcode, FX_UID, in, len, 16);
	if (status != s->status || f->syndrome != s->syndrome)
		fail_msg("%s %s=0x%llx: status 0x%x syndrome 0x%x", prm_opcode_name(opcode), field,
			 (unsigned long long)s->value, status, f->syndrome);
	assert_int_equal(fx_objects(f->v), before);
	assert_true(test_logged(f->log, prm_opcode_name(opcode)));
}

void fx_spoils(struct fx *f, uint16_t opcode, const uint8_t *good, size_t len,
	       const struct fx_spoil *s, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		char fields[512], *rest = fields, *field;

		assert_true(strlen(s[i].fields) < sizeof(fields));
		strcpy(fields, s[i].fields);
		while ((field = strsep(&rest, " ")) != NULL)
			fx_spoil_one(f, opcode, good, len, &s[i], field);
	}
}
