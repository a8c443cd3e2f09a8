/* SPDX-License-Identifier: BSD-2-Clause */
/* Queues whose contexts libdvx would not write. */
#include <string.h>
#include <dvx/prm/cmd.h>
#include <dvx/prm/qp.h>
#include "verify.h"

#define OWN_BLOCKS 16u
#define OWN_RQ	   (16u * 64)
#define OWN_RECORD 8192u
#define OWN_BYTES  16384u

/* A queue, and the fields that its check is about. */
struct own_qp {
	struct dvx_cq *cq;
	struct dvx_obj *obj;
	struct dvx_sq sq;
	struct dvx_sq_slot slots[OWN_BLOCKS];
	struct dvx_ah ah; /* of the port itself */
	uint32_t qpn, peer;
	uint32_t at; /* of its rings in the bench's buffer: receives, then requests */
	uint8_t st, mtu, log_msg_max, atomic_mode;
};

/* Finds the port's own address by a queue of libdvx. */
static void own_address(struct bench *b, struct own_qp *q)
{
	struct bench_pair p = bench_pair_of(b, DVX_QP_UD);
	struct dvx_qp_peer peer = {.size = sizeof(peer)};
	uint8_t blob[DVX_QP_BLOB_BYTES];

	NEED(dvx_qp_blob_write(p.qp[1], &p.local, blob));
	NEED(dvx_qp_blob_read(p.qp[0], blob, sizeof(blob), &peer));
	NEED(dvx_ah_init(b->dev, &p.local, &peer, &q->ah));
}

static void own_create(struct bench *b, struct own_qp *q)
{
	uint64_t in[PRM_CREATE_QP_IN_BYTES / 8] = {0}, out[PRM_CREATE_QP_OUT_BYTES / 8];
	void *qpc = prm_create_qp_in_at_qpc(in);
	struct dvx_umem *umem;

	NEED(dvx_umem_reg(b->dev, b->buf + q->at, OWN_BYTES, DVX_LOCAL_WRITE, &umem));
	q->cq = bench_cq(b);
	prm_create_qp_in_set_opcode(in, PRM_OPCODE_CREATE_QP);
	prm_create_qp_in_set_wq_umem_id(in, dvx_umem_id(umem));
	prm_create_qp_in_set_wq_umem_valid(in, 1);
	prm_qpc_set_st(qpc, q->st);
	prm_qpc_set_pm_state(qpc, PRM_QPC_PM_STATE_MIGRATED);
	prm_qpc_set_pd(qpc, dvx_pd_number(b->pd));
	prm_qpc_set_uar_page(qpc, dvx_uar_index(b->uar));
	prm_qpc_set_user_index(qpc, 0x99);
	prm_qpc_set_cqn_snd(qpc, q->cq->cqn);
	prm_qpc_set_cqn_rcv(qpc, q->cq->cqn);
	prm_qpc_set_log_sq_size(qpc, 4);
	prm_qpc_set_log_rq_size(qpc, 4);
	prm_qpc_set_log_rq_stride(qpc, 2);
	prm_qpc_set_dbr_umem_id(qpc, dvx_umem_id(umem));
	prm_qpc_set_dbr_umem_valid(qpc, 1);
	prm_qpc_set_dbr_addr(qpc, OWN_RECORD);
	NEED(dvx_obj_create(b->dev, in, sizeof(in), out, sizeof(out), &q->obj));
	q->qpn = prm_create_qp_out_get_qpn(out);
}

static void own_ring(struct bench *b, struct own_qp *q)
{
	void *record = b->buf + q->at + OWN_RECORD;
	struct dvx_sq_memory memory = {.size = sizeof(memory),
				       .blocks = OWN_BLOCKS,
				       .buf = b->buf + q->at + OWN_RQ,
				       .slots = q->slots,
				       .dbrec = (uint32_t *)record + 1,
				       .reg = dvx_uar_reg(b->uar),
				       .qpn = q->qpn};

	NEED(dvx_sq_init(&q->sq, &memory));
}

/* Sends a state change; the layouts of the three have the number and the context in one place. */
static void own_modify(struct own_qp *q, uint16_t opcode, const uint8_t *qpc)
{
	uint64_t in[PRM_INIT2RTR_QP_IN_BYTES / 8] = {0}, out[PRM_INIT2RTR_QP_OUT_BYTES / 8];

	prm_init2rtr_qp_in_set_opcode(in, opcode);
	prm_init2rtr_qp_in_set_qpn(in, q->qpn);
	memcpy(prm_init2rtr_qp_in_at_qpc(in), qpc, PRM_QPC_BYTES);
	NEED(dvx_obj_modify(q->obj, in, sizeof(in), out, sizeof(out)));
}

static void own_to_rtr(struct own_qp *q, const struct dvx_qp_local *local)
{
	uint8_t qpc[PRM_QPC_BYTES] = {0};
	void *path = prm_qpc_at_primary_address_path(qpc);

	prm_qpc_set_mtu(qpc, q->mtu);
	prm_qpc_set_log_msg_max(qpc, q->log_msg_max);
	prm_ads_set_vhca_port_num(path, local->port);
	if (q->st != DVX_QP_UD) {
		prm_qpc_set_remote_qpn(qpc, q->peer);
		prm_qpc_set_min_rnr_nak(qpc, 1);
		prm_qpc_set_log_rra_max(qpc, 1);
		prm_ads_set_hop_limit(path, 1);
		prm_ads_set_src_addr_index(path, local->gid_index);
		prm_ads_set_udp_sport(path, 0xc000);
		prm_ads_set_rmac_47_32(path, (uint32_t)(prm_av_get_rmac(q->ah.av) >> 32));
		prm_ads_set_rmac_31_0(path, (uint32_t)prm_av_get_rmac(q->ah.av));
		memcpy(prm_ads_at_rgid_rip(path), prm_av_at_rgid(q->ah.av), 16);
	}
	own_modify(q, PRM_OPCODE_INIT2RTR_QP, qpc);
}

static void own_connect(struct bench *b, struct own_qp *q)
{
	struct dvx_qp_local local = bench_pair_default(b).local;
	uint8_t qpc[PRM_QPC_BYTES] = {0};
	void *path = prm_qpc_at_primary_address_path(qpc);

	prm_qpc_set_pm_state(qpc, PRM_QPC_PM_STATE_MIGRATED);
	prm_qpc_set_q_key(qpc, q->st == DVX_QP_UD ? 0x11 : 0);
	prm_qpc_set_rwe(qpc, q->st != DVX_QP_UD);
	prm_qpc_set_rae(qpc, q->st != DVX_QP_UD);
	prm_qpc_set_atomic_mode(qpc, q->atomic_mode);
	prm_ads_set_vhca_port_num(path, local.port);
	own_modify(q, PRM_OPCODE_RST2INIT_QP, qpc);
	own_to_rtr(q, &local);
	memset(qpc, 0, sizeof(qpc));
	prm_qpc_set_retry_count(qpc, 1);
	prm_qpc_set_log_sra_max(qpc, 1);
	prm_ads_set_ack_timeout(path, 8);
	own_modify(q, PRM_OPCODE_RTR2RTS_QP, qpc);
}

/* Makes a queue whose rings are the n-th piece of the buffer's upper half. */
static void own_prepare(struct bench *b, struct own_qp *q, uint32_t n)
{
	q->at = BENCH_BYTES / 2 + n * OWN_BYTES;
	own_address(b, q);
	own_create(b, q);
	own_ring(b, q);
}

/* Makes a queue that is connected to itself. */
static void own_make(struct bench *b, struct own_qp *q)
{
	own_prepare(b, q, 0);
	q->peer = q->qpn;
	own_connect(b, q);
}

void probe_log_max_msg(struct bench *b)
{
	struct own_qp q = {.st = DVX_QP_RC, .mtu = 3, .log_msg_max = 0};
	struct dvx_sge from = {b->addr, 5000, b->key};

	own_make(b, &q);
	NEED(dvx_post_write(&q.sq, b->addr + 8192, b->key, &from, 1, 1, DVX_SIGNALED));
	dvx_sq_ring(&q.sq);
	bench_expect_done(q.cq, "a WRITE of 5000 bytes with log_msg_max 0");
}

/* Makes a queue, and its peer with this mode, on new rings. */
static void own_make_pair(struct bench *b, struct own_qp *q, struct own_qp *peer, uint8_t mode,
			  uint32_t n)
{
	*q = (struct own_qp){.st = DVX_QP_RC, .mtu = 3, .log_msg_max = 30};
	*peer = *q;
	peer->atomic_mode = mode;
	own_prepare(b, q, n);
	own_prepare(b, peer, n + 1);
	q->peer = peer->qpn;
	peer->peer = q->qpn;
	own_connect(b, peer);
	own_connect(b, q);
}

void probe_atomic_size_taken(struct bench *b)
{
	uint64_t *old = (uint64_t *)(void *)b->buf;
	struct own_qp q, peer;

	own_make_pair(b, &q, &peer, PRM_QPC_ATOMIC_MODE_IB_SPEC, 0);
	NEED(dvx_post_faa(&q.sq, b->addr + 4096, b->key, 1, old, b->key, 1, DVX_SIGNALED));
	dvx_sq_ring(&q.sq);
	bench_need_done(q.cq, "an atomic of 8 bytes with atomic_mode 1");
	NEED(dvx_post_masked_faa32(&q.sq, b->addr + 4096, b->key, 1, 0, (uint32_t *)(void *)old,
				   b->key, 1, DVX_SIGNALED));
	dvx_sq_ring(&q.sq);
	bench_expect_error(q.cq, PRM_SYNDROME_REMOTE_INVAL_REQ_ERR,
			   "a masked atomic of 4 bytes with atomic_mode 1");
	own_make_pair(b, &q, &peer, PRM_QPC_ATOMIC_MODE_NONE, 2);
	NEED(dvx_post_faa(&q.sq, b->addr + 4096, b->key, 1, old, b->key, 1, DVX_SIGNALED));
	dvx_sq_ring(&q.sq);
	bench_expect_error(q.cq, PRM_SYNDROME_REMOTE_INVAL_REQ_ERR, "an atomic with atomic_mode 0");
}

/* Its state is asked for by a command, as it has no dvx_qp. */
void probe_ud(struct bench *b)
{
	struct own_qp q = {.st = DVX_QP_UD, .mtu = 1, .log_msg_max = 12};
	struct dvx_sge from = {b->addr, 300, b->key};
	uint64_t in[PRM_QUERY_QP_IN_BYTES / 8] = {0}, out[PRM_QUERY_QP_OUT_BYTES / 8];
	uint32_t state;

	own_make(b, &q);
	NEED(dvx_post_ud_send(&q.sq, &q.ah, &from, 1, 1, DVX_SIGNALED));
	dvx_sq_ring(&q.sq);
	bench_expect_error(q.cq, PRM_SYNDROME_LOCAL_LENGTH_ERR,
			   "a datagram of 300 bytes with an MTU of 256");
	prm_query_qp_in_set_opcode(in, PRM_OPCODE_QUERY_QP);
	prm_query_qp_in_set_qpn(in, q.qpn);
	NEED(dvx_obj_query(q.obj, in, sizeof(in), out, sizeof(out)));
	state = (uint32_t)prm_qpc_get_state(prm_query_qp_out_cat_qpc(out));
	EXPECT(state == PRM_QP_STATE_SQER, "the state is %u after it, not SQER", state);
}
