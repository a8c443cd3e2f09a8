/* SPDX-License-Identifier: BSD-2-Clause */
/* Proves QPs: creation, transitions, queries. */
#include <stdio.h>
#include <sys/mman.h>
#include <unistd.h>
#include "kernel_fixture.h"
#include "chip/trace.h"
#include "host/client.h"
#include "obj/qp.h"
#include "uverbs/resource.h"

/* enum ib_qp_state and ib_qp_attr_mask, which no uapi header has. */
enum { RESET, INIT, RTR, RTS, SQD, SQE, ERR };
#define TO_INIT (1 | 1 << 3 | 1 << 4 | 1 << 5)
#define TO_RTR	(1 | 1 << 7 | 1 << 8 | 1 << 12 | 1 << 15 | 1 << 17 | 1 << 20)
#define TO_RTS	(1 | 1 << 9 | 1 << 10 | 1 << 11 | 1 << 13 | 1 << 16)

struct qp_fx {
	struct fx *f;
	uint32_t handle, qpn;
	struct ib_uverbs_modify_qp m;
};

static void make(struct qp_fx *q, struct fx *f)
{
	q->f = f;
	q->handle = fx_qp(f, fx_pd(f), fx_cq(f, NULL), &q->qpn);
	q->m = (struct ib_uverbs_modify_qp){.qp_handle = q->handle,
					    .qp_access_flags = 7,
					    .dest_qp_num = q->qpn,
					    .rq_psn = 0x123456,
					    .sq_psn = 0x654321,
					    .path_mtu = 3,
					    .max_rd_atomic = 3,
					    .max_dest_rd_atomic = 16,
					    .min_rnr_timer = 12,
					    .port_num = 1,
					    .timeout = 14,
					    .retry_cnt = 7,
					    .rnr_retry = 6};
	memcpy(q->m.dest.dgid, f->v->gids[1].gid, 16);
	q->m.dest.sgid_index = 1;
	q->m.dest.hop_limit = 64;
	q->m.dest.sl = 5;
	q->m.dest.is_global = 1;
	q->m.dest.port_num = 1;
}

static int modify(struct qp_fx *q, uint8_t state, uint32_t mask)
{
	q->m.qp_state = state;
	q->m.attr_mask = mask;
	return fx_write(q->f, IB_USER_VERBS_CMD_MODIFY_QP, &q->m, sizeof(q->m), NULL, 0);
}

static struct ib_uverbs_query_qp_resp query(struct qp_fx *q)
{
	const struct ib_uverbs_query_qp in = {.qp_handle = q->handle};
	struct ib_uverbs_query_qp_resp out;

	assert_int_equal(FX_WRITE(q->f, IB_USER_VERBS_CMD_QUERY_QP, in, out), 0);
	return out;
}

static void connect(struct qp_fx *q, struct fx *f)
{
	make(q, f);
	assert_int_equal(modify(q, INIT, TO_INIT), 0);
	assert_int_equal(modify(q, RTR, TO_RTR), 0);
	assert_int_equal(modify(q, RTS, TO_RTS), 0);
}

/* Proves that QUERY_QP and the device's QP have the attributes that the program set. */
TEST(fx, roundtrip)
{
	struct qp_fx q;
	struct ib_uverbs_query_qp_resp r;
	const struct qp *hw;

	connect(&q, f);
	r = query(&q);
	assert_int_equal(r.qp_state, RTS);
	assert_int_equal(r.path_mtu, 3);
	assert_int_equal(r.rq_psn, 0x123456);
	assert_int_equal(r.sq_psn, 0x654321);
	assert_int_equal(r.dest_qp_num, q.qpn);
	assert_int_equal(r.qp_access_flags, 7 & ~1);
	assert_int_equal(r.max_rd_atomic, 4);
	assert_int_equal(r.max_recv_wr, 64);
	assert_int_equal(r.max_recv_sge, 4);
	assert_int_equal(r.max_dest_rd_atomic, 16);
	assert_int_equal(r.min_rnr_timer, 12);
	assert_int_equal(r.timeout, 14);
	assert_int_equal(r.retry_cnt, 7);
	assert_int_equal(r.rnr_retry, 6);
	assert_int_equal(r.dest.sgid_index, 1);
	assert_int_equal(r.dest.hop_limit, 64);
	assert_int_equal(r.dest.is_global, 1);
	assert_int_equal(r.dest.sl, 0); /* mlx5_ib stores RoCE's priority in eth_prio */
	assert_memory_equal(r.dest.dgid, q.m.dest.dgid, 16);
	hw = obj_find(q.f->v, OBJ_QP, q.qpn);
	assert_non_null(hw);
	assert_memory_equal(hw->rmac, q.f->v->mac, 6);
	assert_ptr_equal(hw->q.stats, &q.f->v->stats->queues);
	assert_int_equal(hw->udp_sport & 0xc000, 0xc000);
}

/* Returns whether the first line of the trace with this command contains the text. */
static bool traced(int trace, const char *command, const char *text)
{
	char all[16384], *line;
	ssize_t n = pread(trace, all, sizeof(all) - 1, 0);

	assert_true(n > 0);
	all[n] = 0;
	line = strstr(all, command);
	return line && memmem(line, strcspn(line, "\n"), text, strlen(text));
}

/*
 * Proves that RST2INIT repeats the doorbell record and capabilities are read at boot, as in
 * mlx5_ib.
 */
TEST(fx, commands)
{
	const int trace = memfd_create("trace", MFD_CLOEXEC);
	struct ib_uverbs_ex_query_device ask = {0};
	struct ib_uverbs_ex_query_device_resp answer;
	struct qp_fx q;
	char record[64];

	assert_true(trace >= 0);
	trace_to(trace);
	make(&q, f);
	assert_int_equal(modify(&q, INIT, TO_INIT), 0);
	assert_int_equal(FX_WRITE(f, IB_USER_VERBS_EX_CMD_QUERY_DEVICE, ask, answer), 0);
	trace_to(-1);
	snprintf(record, sizeof(record), "dbr_addr=0x%llx",
		 (unsigned long long)mm_bus(f->mm, (uintptr_t)f->mem + 0x48));
	assert_true(traced(trace, "CREATE_QP", record));
	assert_true(traced(trace, "RST2INIT_QP", record));
	assert_false(traced(trace, "QUERY_HCA_CAP", ""));
	close(trace);
}

/* Proves that a QP without responder depth has no remote reads, whatever its access flags are. */
TEST(fx, depth)
{
	struct qp_fx q;

	make(&q, f);
	q.m.max_dest_rd_atomic = 0;
	assert_int_equal(modify(&q, INIT, TO_INIT), 0);
	assert_int_equal(modify(&q, RTR, TO_RTR), 0);
	assert_int_equal(query(&q).qp_access_flags, IB_UVERBS_ACCESS_REMOTE_WRITE);
}

/* Proves the refusal of missing transitions, and of too few or too many attributes. */
TEST(fx, transitions)
{
	struct qp_fx q;

	make(&q, f);
	FX_REFUSES(q.f, modify(&q, RTS, TO_RTS), -EINVAL, "no way from RESET to RTS");
	assert_int_equal(modify(&q, ERR, 1), -EINVAL);
	assert_int_equal(modify(&q, 9, 1), -EINVAL);
	FX_REFUSES(q.f, modify(&q, INIT, TO_INIT & ~8), -EINVAL, "also needs IBV_QP_ACCESS_FLAGS");
	FX_REFUSES(q.f, modify(&q, INIT, TO_INIT | 1 << 6), -EINVAL, "does not take IBV_QP_QKEY");
	assert_int_equal(modify(&q, INIT, TO_INIT), 0);
	assert_int_equal(modify(&q, INIT, 1 | 1 << 3), 0);
	assert_int_equal(modify(&q, RTS, TO_RTS), -EINVAL);
	assert_int_equal(modify(&q, ERR, 1), 0);
	assert_int_equal(modify(&q, INIT, TO_INIT), -EINVAL);
	assert_int_equal(modify(&q, RESET, 1), 0);
	assert_int_equal(modify(&q, RESET, 1), 0);
	assert_int_equal(query(&q).qp_state, RESET);
	assert_int_equal(modify(&q, INIT, TO_INIT), 0);
}

/* Proves the refusals of the change to RTR: RoCE's rules, and numbers out of range. */
TEST(fx, rtr_refusals)
{
	struct qp_fx q;
	struct ib_uverbs_modify_qp good;
	static const uint8_t nobody[16] = {[10] = 0xff, 0xff, 10, 9, 8, 7};

	make(&q, f);
	assert_int_equal(modify(&q, INIT, TO_INIT), 0);
	good = q.m;
	q.m.dest.is_global = 0;
	FX_REFUSES(q.f, modify(&q, RTR, TO_RTR), -EINVAL, "Ethernet needs a GRH");
	q.m = good;
	q.m.dest.sgid_index = 200; /* empty */
	FX_REFUSES(q.f, modify(&q, RTR, TO_RTR), -ENODATA, "sgid_index 200");
	q.m.dest.sgid_index = 255;
	FX_REFUSES(q.f, modify(&q, RTR, TO_RTR), -EINVAL, "sgid_index 255");
	q.m = good;
	memcpy(q.m.dest.dgid, nobody, 16);
	assert_int_equal(modify(&q, RTR, TO_RTR), -EHOSTUNREACH);
	/* the responder depth is still 0 */
	assert_int_equal(modify(&q, INIT, 1 | 1 << 3), 0);
	assert_int_equal(query(&q).qp_access_flags, IB_UVERBS_ACCESS_REMOTE_WRITE);
	q.m = good;
	q.m.dest.port_num = 0;
	assert_int_equal(modify(&q, RTR, TO_RTR), -EINVAL);
	q.m = good;
	q.m.path_mtu = 6;
	FX_REFUSES(q.f, modify(&q, RTR, TO_RTR), -EINVAL, "path_mtu 6");
	q.m = good;
	q.m.max_dest_rd_atomic = 200;
	FX_REFUSES(q.f, modify(&q, RTR, TO_RTR), -EINVAL, "max_dest_rd_atomic 200");
	q.m = good;
	q.m.dest_qp_num = UINT32_MAX; /* cut to 24 bits, as in the kernel */
	q.m.min_rnr_timer = 255;
	q.m.dest.flow_label = UINT32_MAX;
	q.m.dest.sl = 255;
	assert_int_equal(modify(&q, RTR, TO_RTR), 0);
}

static void good_qp(struct fx *f, struct request *r, void *u)
{
	fx_fill_qp(f, r, u, fx_pd(f), fx_cq(f, NULL));
}

/* Proves the refusal of each bad field of CREATE_QP, after which no object is left. */
TEST(fx, create_refusals)
{
#define U(field)    FX_FIELD(mlx5_ib_create_qp, field)
#define BITS(field) FX_BITS(mlx5_ib_create_qp, field)
	static const struct fx_spoil bad[] = {
		{U(buf_addr), 0, -EFAULT, "buf_addr"},
		{BITS(db_addr), 4, -EFAULT, "db_addr"},
		{U(sq_wqe_count), 3, -EINVAL, "sq_wqe_count 3"},
		{U(sq_wqe_count), 1u << 31, -EINVAL, "sq_wqe_count"},
		{U(rq_wqe_count), 0, -EINVAL, "rq_wqe_count is 0"},
		{U(rq_wqe_count), 48, -EINVAL, "rq_wqe_count 48"},
		{U(rq_wqe_shift), 3, -EINVAL, "rq_wqe_shift 3"},
		{U(rq_wqe_shift), 40, -EINVAL, "rq_wqe_shift 40"},
		{U(flags), 0, -EINVAL, "UAR_PAGE_INDEX"},
		{U(flags), MLX5_QP_FLAG_SIGNATURE | MLX5_QP_FLAG_UAR_PAGE_INDEX, -EINVAL, "flags"},
		{U(uidx), 0xffffff, -EINVAL, "uidx"},
		{U(bfreg_index), 0xfffff, -EINVAL, "uar_page"},
		{U(bfreg_index), 0xffffffff, -EINVAL, "bfreg_index"},
		{FX_ATTR(UVERBS_ATTR_CREATE_QP_TYPE), IB_UVERBS_QPT_XRC_TGT, -EINVAL,
		 "an XRC target has a domain"},
		{FX_ATTR(UVERBS_ATTR_CREATE_QP_TYPE), IB_UVERBS_QPT_DRIVER, -EINVAL,
		 "either a DCI or a DCT"},
		{U(flags), MLX5_QP_FLAG_TYPE_DCI | MLX5_QP_FLAG_UAR_PAGE_INDEX, -EINVAL, "flags"},
		{FX_ATTR(UVERBS_ATTR_CREATE_QP_TYPE), 5, -EINVAL, "type 5 is not known"},
		{FX_ATTR(UVERBS_ATTR_CREATE_QP_SEND_CQ_HANDLE), 12345, -ENOENT, "CQ handle"},
	};

	FX_SPOILS(f, good_qp, mlx5_ib_create_qp, bad);
}

/* Proves that CQ and PD cannot be destroyed while a QP uses them. */
TEST(fx, busy)
{
	uint32_t pd = fx_pd(f), cq = fx_cq(f, NULL), qp = fx_qp(f, pd, cq, NULL);

	assert_int_equal(FX_DESTROY(f, CQ, cq), -EBUSY);
	assert_int_equal(FX_DESTROY(f, PD, pd), -EBUSY);
	assert_int_equal(FX_DESTROY(f, QP, qp), 0);
	assert_int_equal(FX_DESTROY(f, QP, qp), -ENOENT);
	assert_int_equal(FX_DESTROY(f, CQ, cq), 0);
	assert_int_equal(FX_DESTROY(f, PD, pd), 0);
}
