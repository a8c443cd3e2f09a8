/* SPDX-License-Identifier: BSD-2-Clause */
#include <stdio.h>
#include <sys/mman.h>
#include <unistd.h>
#include "fw_fixture.h"
#include "base/log.h"
#include "chip/datapath.h"
#include "prm/reflect.h"

#define RING_AT	  4096u /* offsets in the client's memory */
#define RECORD_AT 64u

int fx_setup(void **state)
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
	assert_int_equal(device_init(&f->dev, f->host, &clock_monotonic, &f->profile), 0);
	assert_int_equal(datapath_open(&f->dev), 0);
	f->v = &f->dev.vhca[BLUEFIELD2_HOST];
	f->dpu = &f->dev.vhca[BLUEFIELD2_DPU];
	f->mem = aligned_alloc(4096, FX_MEM);
	assert_non_null(f->mem);
	memset(f->mem, 0, FX_MEM);
	*state = f;
	return 0;
}

int fx_teardown(void **state)
{
	struct fx *f = *state;

	/* twice: kernel objects may stand on a uid's, and uids' on the kernel's EQs */
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
	free(f->mem);
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
	/* A refusal says so in both places, and tells nothing else. */
	assert_int_equal(status != 0, f->syndrome != 0);
	for (size_t b = 8; status && b < out_len; b++)
		assert_int_equal(o[b], 0);
	memset(f->out, 0, sizeof(f->out));
	memcpy(f->out, o, out_len < sizeof(f->out) ? out_len : sizeof(f->out));
	free(i);
	free(o);
	return status;
}

bool fx_logged(struct fx *f, const char *text)
{
	char line[1024] = "";
	off_t end = lseek(f->log, 0, SEEK_END);
	off_t from = end > (off_t)sizeof(line) - 1 ? end - (off_t)sizeof(line) + 1 : 0;
	ssize_t n = pread(f->log, line, (size_t)(end - from), from);
	char *last;

	assert_true(n >= 0);
	line[n] = 0;
	if (n && line[n - 1] == '\n')
		line[n - 1] = 0;
	last = strrchr(line, '\n');
	return strstr(last ? last : line, text) != NULL;
}

uint8_t fx_number(struct fx *f, struct vhca *v, uint16_t opcode, uint16_t uid, uint32_t number,
		  size_t out_len)
{
	uint8_t in[16] = {0};

	prm_store32(in, 8, number);
	return fx_exec(f, v, opcode, uid, in, sizeof(in), out_len);
}

static uint32_t alloc(struct fx *f, struct vhca *v, uint16_t opcode, uint16_t uid)
{
	uint8_t in[16] = {0};

	assert_int_equal(fx_exec(f, v, opcode, uid, in, sizeof(in), 16), 0);
	return prm_load32(f->out, 8) & 0xffffff;
}

uint32_t fx_pd(struct fx *f, struct vhca *v, uint16_t uid)
{
	return alloc(f, v, PRM_OPCODE_ALLOC_PD, uid);
}

uint32_t fx_uar(struct fx *f, struct vhca *v, uint16_t uid)
{
	return alloc(f, v, PRM_OPCODE_ALLOC_UAR, uid);
}

uint32_t fx_eq(struct fx *f, struct vhca *v)
{
	uint8_t in[PRM_CREATE_EQ_IN_BYTES] = {0};

	assert_int_equal(fx_exec(f, v, PRM_OPCODE_CREATE_EQ, 0, in, sizeof(in), 16), 0);
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

size_t fx_fill_mkey(void *in, uint32_t pd, uint32_t umem, const void *at, size_t len)
{
	void *mkc = prm_create_mkey_in_at_memory_key_mkey_entry(in);

	memset(in, 0, FX_IN);
	prm_create_mkey_in_set_mkey_umem_valid(in, 1);
	prm_create_mkey_in_set_mkey_umem_id(in, umem);
	prm_create_mkey_in_set_translations_octword_actual_size(in, 1);
	prm_mkc_set_access_mode_1_0(mkc, PRM_MKC_ACCESS_MODE_MTT);
	prm_mkc_set_lr(mkc, 1);
	prm_mkc_set_lw(mkc, 1);
	prm_mkc_set_rr(mkc, 1);
	prm_mkc_set_rw(mkc, 1);
	prm_mkc_set_qpn(mkc, 0xffffff);
	prm_mkc_set_mkey_7_0(mkc, 0x42);
	prm_mkc_set_pd(mkc, pd);
	prm_mkc_set_start_addr(mkc, (uintptr_t)at);
	prm_mkc_set_len(mkc, len);
	prm_mkc_set_translations_octword_size(mkc, 1);
	prm_mkc_set_log_page_size(mkc, 12);
	return PRM_CREATE_MKEY_IN_BYTES;
}

uint32_t fx_mkey(struct fx *f, struct vhca *v, uint16_t uid, uint32_t pd, uint32_t umem,
		 const void *at, size_t len)
{
	uint8_t in[FX_IN];
	size_t in_len = fx_fill_mkey(in, pd, umem, at, len);

	assert_int_equal(fx_exec(f, v, PRM_OPCODE_CREATE_MKEY, uid, in, in_len, 16), 0);
	return prm_create_mkey_out_get_mkey_index(f->out);
}

/* 64 entries of 64 bytes. */
size_t fx_fill_cq(void *in, uint32_t eq, uint32_t uar, uint32_t umem)
{
	void *cqc = prm_create_cq_in_at_cq_context(in);

	memset(in, 0, FX_IN);
	prm_create_cq_in_set_cq_umem_valid(in, 1);
	prm_create_cq_in_set_cq_umem_id(in, umem);
	prm_create_cq_in_set_cq_umem_offset(in, RING_AT);
	prm_cqc_set_log_cq_size(cqc, 6);
	prm_cqc_set_uar_page(cqc, uar);
	prm_cqc_set_c_eqn_or_apu_element(cqc, eq);
	prm_cqc_set_dbr_umem_valid(cqc, 1);
	prm_cqc_set_dbr_umem_id(cqc, umem);
	prm_cqc_set_dbr_addr(cqc, RECORD_AT);
	return PRM_CREATE_CQ_IN_BYTES;
}

/* RQ of 16 x 64 bytes, SQ of 16 blocks. */
size_t fx_fill_qp(void *in, uint32_t pd, uint32_t cq, uint32_t uar, uint32_t umem)
{
	void *qpc = prm_create_qp_in_at_qpc(in);

	memset(in, 0, FX_IN);
	prm_create_qp_in_set_wq_umem_valid(in, 1);
	prm_create_qp_in_set_wq_umem_id(in, umem);
	prm_create_qp_in_set_wq_umem_offset(in, 2 * RING_AT);
	prm_qpc_set_st(qpc, PRM_QP_ST_RC);
	prm_qpc_set_pd(qpc, pd);
	prm_qpc_set_log_rq_size(qpc, 4);
	prm_qpc_set_log_rq_stride(qpc, 2);
	prm_qpc_set_log_sq_size(qpc, 4);
	prm_qpc_set_uar_page(qpc, uar);
	prm_qpc_set_cqn_snd(qpc, cq);
	prm_qpc_set_cqn_rcv(qpc, cq);
	prm_qpc_set_dbr_umem_valid(qpc, 1);
	prm_qpc_set_dbr_umem_id(qpc, umem);
	prm_qpc_set_dbr_addr(qpc, 2 * RECORD_AT);
	return PRM_CREATE_QP_IN_BYTES;
}

static void fill_wq(void *wq, const struct fx_queue *q, uint32_t at, uint32_t record)
{
	prm_wq_set_wq_type(wq, 1);
	prm_wq_set_pd(wq, q->pd);
	prm_wq_set_uar_page(wq, q->uar);
	prm_wq_set_log_wq_stride(wq, 6);
	prm_wq_set_log_wq_sz(wq, 4);
	prm_wq_set_wq_umem_valid(wq, 1);
	prm_wq_set_wq_umem_id(wq, q->umem);
	prm_wq_set_wq_umem_offset(wq, at);
	prm_wq_set_dbr_umem_valid(wq, 1);
	prm_wq_set_dbr_umem_id(wq, q->umem);
	prm_wq_set_dbr_addr(wq, record);
}

size_t fx_fill_sq(void *in, const struct fx_queue *q, uint32_t tis)
{
	void *sqc = prm_create_sq_in_at_ctx(in);

	memset(in, 0, FX_IN);
	prm_sqc_set_cqn(sqc, q->cq);
	prm_sqc_set_user_index(sqc, 0x51);
	prm_sqc_set_flush_in_error_en(sqc, 1);
	prm_sqc_set_tis_lst_sz(sqc, 1);
	prm_sqc_set_tis_num_0(sqc, tis);
	fill_wq(prm_sqc_at_wq(sqc), q, FX_SQ_AT, FX_SQ_DBR);
	return PRM_CREATE_SQ_IN_BYTES;
}

size_t fx_fill_rq(void *in, const struct fx_queue *q)
{
	void *rqc = prm_create_rq_in_at_ctx(in);

	memset(in, 0, FX_IN);
	prm_rqc_set_vsd(rqc, 1);
	prm_rqc_set_cqn(rqc, q->cq);
	prm_rqc_set_user_index(rqc, 0x52);
	prm_rqc_set_flush_in_error_en(rqc, 1);
	fill_wq(prm_rqc_at_wq(rqc), q, FX_RQ_AT, FX_RQ_DBR);
	return PRM_CREATE_RQ_IN_BYTES;
}

size_t fx_fill_tir(void *in, uint32_t td, uint32_t rq)
{
	void *tirc = prm_create_tir_in_at_ctx(in);

	memset(in, 0, FX_IN);
	prm_tirc_set_transport_domain(tirc, td);
	prm_tirc_set_inline_rqn(tirc, rq);
	return PRM_CREATE_TIR_IN_BYTES;
}

size_t fx_fill_rqt(void *in, uint32_t max, uint32_t n, uint32_t rqn)
{
	void *rqtc = prm_create_rqt_in_at_rqt_context(in);

	memset(in, 0, FX_IN);
	prm_rqtc_set_rqt_max_size(rqtc, max);
	prm_rqtc_set_rqt_actual_size(rqtc, n);
	for (uint32_t i = 0; i < n; i++)
		prm_store32(in, PRM_CREATE_RQT_IN_BYTES + 4 * i, rqn);
	return PRM_CREATE_RQT_IN_BYTES + 4 * n;
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

uint32_t fx_objects(const struct vhca *v)
{
	uint32_t n = 0;

	for (unsigned int i = 0; i < OBJ_NTYPES; i++)
		n += obj_count(v, (enum obj_type)i);
	return n;
}

void fx_spoils(struct fx *f, uint16_t opcode, const uint8_t *good, size_t len,
	       const struct fx_spoil *s, size_t n)
{
	const struct prm_struct *row = prm_command_in(opcode);

	for (size_t i = 0; i < n; i++) {
		uint32_t before = fx_objects(f->v);
		uint8_t in[FX_IN], status;

		memcpy(in, good, len);
		assert_int_equal(prm_field_set(row, in, len, s[i].field, s[i].value), 0);
		status = fx_exec(f, f->v, opcode, FX_UID, in, len, 16);
		if (status != s[i].status || f->syndrome != s[i].syndrome)
			fail_msg("%s %s=0x%llx: status 0x%x syndrome 0x%x", prm_opcode_name(opcode),
				 s[i].field, (unsigned long long)s[i].value, status, f->syndrome);
		assert_int_equal(fx_objects(f->v), before);
		assert_true(fx_logged(f, prm_opcode_name(opcode)));
	}
}
