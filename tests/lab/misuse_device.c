/* SPDX-License-Identifier: BSD-2-Clause */
/* Mistakes that only the device sees: `dvx-sim check` reports them. Rings are written by hand. */
#include "misuse.h"

#include <endian.h>
#include <stdlib.h>
#include <string.h>

#define NOP	     0u
#define CQE_ALWAYS   8u
#define SEND_IMM_AT  12u /* of a control segment: without meaning for SEND */
#define ARM_REGISTER 0x20u

/* Returns when the device has taken what was written to registers before: a request does not overtake it. */
static void misuse_settle(void)
{
	must(!ibv_dealloc_pd(ibv_alloc_pd(p.ctx)));
}

/* --- connections ------------------------------------------------------------------------------ */

static void misuse_raise(struct ibv_qp *qp, uint32_t peer, uint8_t rnr_timer, uint8_t reads,
			 uint8_t takes)
{
	struct ibv_qp_attr a = {.port_num = 1,
				.qp_access_flags = IBV_ACCESS_REMOTE_READ | IBV_ACCESS_REMOTE_WRITE,
				.path_mtu = IBV_MTU_1024,
				.dest_qp_num = peer,
				.max_dest_rd_atomic = takes,
				.max_rd_atomic = reads,
				.min_rnr_timer = rnr_timer,
				.ah_attr = {.is_global = 1, .port_num = 1, .grh.hop_limit = 1}};
	static const int mask[] = {
		[IBV_QPS_INIT] = IBV_QP_PKEY_INDEX | IBV_QP_PORT | IBV_QP_ACCESS_FLAGS,
		[IBV_QPS_RTR] = IBV_QP_AV | IBV_QP_PATH_MTU | IBV_QP_DEST_QPN | IBV_QP_RQ_PSN |
				IBV_QP_MAX_DEST_RD_ATOMIC | IBV_QP_MIN_RNR_TIMER,
		[IBV_QPS_RTS] = IBV_QP_SQ_PSN | IBV_QP_TIMEOUT | IBV_QP_RETRY_CNT |
				IBV_QP_RNR_RETRY | IBV_QP_MAX_QP_RD_ATOMIC};

	must(!ibv_query_gid(p.ctx, 1, 0, &a.ah_attr.grh.dgid));
	for (int s = IBV_QPS_INIT; s <= IBV_QPS_RTS; s++) {
		a.qp_state = (enum ibv_qp_state)s;
		must(!ibv_modify_qp(qp, &a, IBV_QP_STATE | mask[s]));
	}
}

static void misuse_ends(uint8_t rnr_timer, uint8_t reads, uint8_t takes)
{
	misuse_open_cq(64);
	p.a = misuse_qp(p.pd, p.scq);
	p.b = misuse_qp(p.pd, p.rcq);
	misuse_raise(p.a, p.b->qp_num, 12, reads, 1);
	misuse_raise(p.b, p.a->qp_num, rnr_timer, 1, takes);
}

static void rnr_zero(void)
{
	misuse_ends(0, 4, 4);
}

static void ok_rnr(void)
{
	misuse_ends(1, 4, 4);
}

/* A request of the end that may have this many READs and atomics outstanding; its peer takes 4. */
static void misuse_request(uint8_t reads, enum ibv_wr_opcode opcode)
{
	misuse_ends(12, reads, 4);
	must(!misuse_post(opcode, IBV_SEND_SIGNALED));
	misuse_done(p.scq);
}

static void rd_atomic(void)
{
	misuse_request(8, IBV_WR_RDMA_READ);
}

static void ok_rd_atomic(void)
{
	misuse_request(2, IBV_WR_RDMA_READ);
}

static void ok_rd_unused(void)
{
	misuse_request(8, IBV_WR_RDMA_WRITE);
}

static void misuse_read_key(bool ended, uint32_t bytes)
{
	struct ibv_mr *mr;

	misuse_open();
	mr = ibv_reg_mr(p.pd, p.in, 4096, IBV_ACCESS_LOCAL_WRITE | IBV_ACCESS_REMOTE_WRITE);
	must(mr);
	p.mr->rkey = mr->rkey;
	if (ended)
		must(!ibv_dereg_mr(mr));
	must(!misuse_post_at(p.a, IBV_WR_RDMA_WRITE, IBV_SEND_SIGNALED, p.out, bytes, p.mr->lkey));
	must(misuse_poll(p.scq).status ==
	     (ended && bytes ? IBV_WC_REM_ACCESS_ERR : IBV_WC_SUCCESS));
}

static void rkey_old(void)
{
	misuse_read_key(true, BYTES);
}

static void ok_rkey(void)
{
	misuse_read_key(false, BYTES);
}

static void ok_rkey_of_nothing(void)
{
	misuse_read_key(true, 0);
}

/* --- consumer index --------------------------------------------------------------------------- */

static struct mlx5dv_cq misuse_cq_ring(struct ibv_cq *cq)
{
	struct mlx5dv_cq ring;
	struct mlx5dv_obj o = {.cq = {.in = cq, .out = &ring}};

	must(!mlx5dv_init_obj(&o, MLX5DV_OBJ_CQ));
	return ring;
}

/* A poll writes the record, so none comes before the device has read it. */
static void misuse_consume(uint32_t consumed)
{
	misuse_open();
	misuse_cq_ring(p.scq).dbrec[0] = htobe32(consumed);
	must(!misuse_post(IBV_WR_RDMA_WRITE, IBV_SEND_SIGNALED));
	misuse_settle();
	misuse_done(p.scq);
}

static void ci_ahead(void)
{
	misuse_consume(1);
}

static void ok_ci(void)
{
	misuse_consume(0);
}

/* Arms three times behind three completions that were polled, each time at this index. */
static void misuse_arm(uint32_t index)
{
	struct mlx5dv_cq ring;

	misuse_open();
	ring = misuse_cq_ring(p.scq);
	for (unsigned int i = 0; i < 3; i++) {
		must(!misuse_post(IBV_WR_RDMA_WRITE, IBV_SEND_SIGNALED));
		misuse_done(p.scq);
	}
	for (uint32_t sn = 1; sn <= 3; sn++) {
		const uint32_t arm[2] = {htobe32(sn << 28 | index), htobe32(ring.cqn)};
		uint64_t word;

		memcpy(&word, arm, sizeof(word));
		ring.dbrec[1] = arm[0];
		__atomic_thread_fence(__ATOMIC_SEQ_CST);
		*(volatile uint64_t *)(void *)((uint8_t *)ring.cq_uar + ARM_REGISTER) = word;
		misuse_settle();
	}
}

static void arm_old(void)
{
	misuse_arm(2);
}

static void arm_ahead(void)
{
	misuse_arm(4);
}

static void ok_arm(void)
{
	misuse_arm(3);
}

/* --- send ring -------------------------------------------------------------------------------- */

static struct mlx5dv_qp misuse_qp_ring(struct ibv_qp *qp)
{
	struct mlx5dv_qp ring = {0};
	struct mlx5dv_obj o = {.qp = {.in = qp, .out = &ring}};

	must(!mlx5dv_init_obj(&o, MLX5DV_OBJ_QP));
	return ring;
}

static void misuse_record(const struct mlx5dv_qp *ring)
{
	ring->dbrec[1] = htobe32(1);
	__atomic_thread_fence(__ATOMIC_SEQ_CST);
}

/* Writes the NOP of this index; returns what its register takes. */
static uint64_t misuse_nop_at(const struct mlx5dv_qp *ring, uint32_t index)
{
	const uint32_t ctrl[4] = {htobe32(index << 8 | NOP), htobe32(p.a->qp_num << 8 | 1),
				  htobe32(CQE_ALWAYS), 0};
	uint64_t word;

	memcpy((uint8_t *)ring->sq.buf + (size_t)index * ring->sq.stride, ctrl, sizeof(ctrl));
	memcpy(&word, ctrl, sizeof(word));
	__atomic_thread_fence(__ATOMIC_SEQ_CST);
	return word;
}

/* Posts a NOP to an empty ring. */
static void misuse_nop(bool register_first)
{
	struct mlx5dv_qp ring;
	uint64_t word;

	misuse_open();
	ring = misuse_qp_ring(p.a);
	word = misuse_nop_at(&ring, 0);
	if (!register_first)
		misuse_record(&ring);
	*(volatile uint64_t *)ring.bf.reg = word;
	misuse_settle();
	if (register_first)
		misuse_record(&ring);
}

static void register_first(void)
{
	misuse_nop(true);
}

static void ok_register(void)
{
	misuse_nop(false);
}

/* A register with the index behind its WQE, as NVSHMEM writes it, and again when the next WQE is there. */
static void ok_register_next(void)
{
	struct mlx5dv_qp ring;
	uint64_t next;

	misuse_open();
	ring = misuse_qp_ring(p.a);
	misuse_nop_at(&ring, 0);
	next = misuse_nop_at(&ring, 1);
	misuse_record(&ring);
	*(volatile uint64_t *)ring.bf.reg = next;
	misuse_settle();
	*(volatile uint64_t *)ring.bf.reg = next;
	misuse_settle();
}

/* A SEND that is refused until a receive is posted. */
static void misuse_change_wqe(bool early)
{
	struct mlx5dv_qp ring;
	uint8_t *imm;

	misuse_open();
	ring = misuse_qp_ring(p.a);
	imm = (uint8_t *)ring.sq.buf + SEND_IMM_AT;
	must(!misuse_post(IBV_WR_SEND, IBV_SEND_SIGNALED));
	misuse_settle();
	*imm = (uint8_t)(*imm + early);
	misuse_receive();
	misuse_done(p.scq);
	*imm = (uint8_t)(*imm + !early);
	misuse_done(p.rcq);
}

static void wqe_changed(void)
{
	misuse_change_wqe(true);
}

static void ok_wqe(void)
{
	misuse_change_wqe(false);
}

const struct misuse_case misuse_device[] = {
	MISUSE(rnr_zero),
	MISUSE(ok_rnr),
	MISUSE(rd_atomic),
	MISUSE(ok_rd_atomic),
	MISUSE(ok_rd_unused),
	MISUSE(rkey_old),
	MISUSE(ok_rkey),
	MISUSE(ok_rkey_of_nothing),
	MISUSE(ci_ahead),
	MISUSE(ok_ci),
	MISUSE(arm_old),
	MISUSE(arm_ahead),
	MISUSE(ok_arm),
	MISUSE(register_first),
	MISUSE(ok_register),
	MISUSE(ok_register_next),
	MISUSE(wqe_changed),
	MISUSE(ok_wqe),
	{0},
};
