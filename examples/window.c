/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A memory window: a part of registered memory that one peer may write, until it says that it is
 * done. Windows are objects of verbs; the owner uses those on libdvx's device, the peer is a queue
 * of libdvx's.
 *
 *	dvx-sim run -- ./window
 */
#include <infiniband/verbs.h>
#include "example.h"

enum { BYTES = 4096, FROM = 1024, LENGTH = 64 };

static _Alignas(4096) char memory[BYTES];

struct owner {
	struct ibv_context *context;
	struct ibv_pd *pd;
	struct ibv_mr *mr;
	struct ibv_mw *mw;
	struct ibv_cq *cq;
	struct ibv_qp *qp;
};

/* Calls of verbs return an errno, or NULL and an errno. */
static void good(int err, const char *what)
{
	if (!err)
		return;
	fprintf(stderr, "%s: %s\n", what, strerror(err));
	exit(1);
}

static void owner_make(struct owner *o)
{
	struct ibv_qp_init_attr attr = {
		.qp_type = IBV_QPT_RC,
		.cap = {.max_send_wr = 4, .max_recv_wr = 4, .max_send_sge = 1, .max_recv_sge = 1},
		.sq_sig_all = 1};

	if (!(o->pd = ibv_alloc_pd(o->context)) ||
	    !(o->mr = ibv_reg_mr(o->pd, memory, BYTES,
				 IBV_ACCESS_LOCAL_WRITE | IBV_ACCESS_MW_BIND)) ||
	    !(o->mw = ibv_alloc_mw(o->pd, IBV_MW_TYPE_2)) ||
	    !(o->cq = ibv_create_cq(o->context, 16, NULL, NULL, 0)))
		good(errno, "the owner's objects");
	attr.send_cq = attr.recv_cq = o->cq;
	o->qp = ibv_create_qp(o->pd, &attr);
	good(o->qp ? 0 : errno, "qp");
}

/* The owner sends no messages, so first PSN, timeout and retries are 0. */
static void owner_connect(struct owner *o, const struct dvx_qp_local *local, const uint8_t *gid,
			  uint32_t qpn)
{
	struct ibv_qp_attr a = {.port_num = local->port,
				.qp_access_flags = IBV_ACCESS_REMOTE_WRITE,
				.path_mtu = (enum ibv_mtu)(local->mtu_log - 7),
				.dest_qp_num = qpn,
				.rq_psn = local->psn,
				.min_rnr_timer = 12,
				.ah_attr = {.is_global = 1, .port_num = local->port}};
	static const struct {
		enum ibv_qp_state state;
		int mask;
	} steps[] = {{IBV_QPS_INIT, IBV_QP_PORT | IBV_QP_PKEY_INDEX | IBV_QP_ACCESS_FLAGS},
		     {IBV_QPS_RTR, IBV_QP_AV | IBV_QP_PATH_MTU | IBV_QP_DEST_QPN | IBV_QP_RQ_PSN |
					   IBV_QP_MAX_DEST_RD_ATOMIC | IBV_QP_MIN_RNR_TIMER},
		     {IBV_QPS_RTS, IBV_QP_SQ_PSN | IBV_QP_TIMEOUT | IBV_QP_RETRY_CNT |
					   IBV_QP_RNR_RETRY | IBV_QP_MAX_QP_RD_ATOMIC}};

	memcpy(a.ah_attr.grh.dgid.raw, gid, 16);
	a.ah_attr.grh.sgid_index = local->gid_index;
	a.ah_attr.grh.hop_limit = local->hop_limit;
	for (int i = 0; i < 3; i++) {
		a.qp_state = steps[i].state;
		good(ibv_modify_qp(o->qp, &a, IBV_QP_STATE | steps[i].mask), "connect");
	}
}

static void owner_wait(struct owner *o, const char *what)
{
	struct ibv_wc wc;

	while (!ibv_poll_cq(o->cq, 1, &wc))
		;
	printf("owner: %s: %s\n", what, ibv_wc_status_str(wc.status));
}

/* A request, so it has its place among the queue's others. The low byte of the key changes. */
static uint32_t owner_bind(struct owner *o)
{
	struct ibv_recv_wr receive = {.num_sge = 0}, *bad_receive;
	struct ibv_send_wr *bad, wr = {.opcode = IBV_WR_BIND_MW,
				       .bind_mw = {.mw = o->mw,
						   .rkey = ibv_inc_rkey(o->mw->rkey),
						   .bind_info = {.mr = o->mr,
								 .addr = (uintptr_t)memory + FROM,
								 .length = LENGTH}}};

	wr.bind_mw.bind_info.mw_access_flags = IBV_ACCESS_REMOTE_WRITE;
	good(ibv_post_recv(o->qp, &receive, &bad_receive), "receive");
	good(ibv_post_send(o->qp, &wr, &bad), "bind");
	owner_wait(o, "window bound");
	return wr.bind_mw.rkey;
}

static void peer_write(struct dvx_qp *qp, struct dvx_cq *cq, uint64_t at, uint32_t rkey)
{
	struct dvx_wc wc;

	must(dvx_post_write_inline(dvx_qp_sq(qp), at, rkey, "by a window", 12, 1, DVX_SIGNALED),
	     "write");
	dvx_sq_ring(dvx_qp_sq(qp));
	printf("peer: WRITE: %s\n",
	       example_next(cq, &wc) == 1 ? "done" : dvx_cqe_strerror(wc.syndrome));
}

int main(int argc, char **argv)
{
	struct dvx_qp_peer peer = {.size = sizeof(peer)};
	struct owner o;
	struct example x;

	example_open(&x, argc > 1 ? argv[1] : NULL);
	o.context = dvx_dev_ibv(x.dev);
	owner_make(&o);

	struct dvx_qp_local local = example_local(&x, 0);
	struct dvx_cq *cq = example_cq(&x);
	struct dvx_qp *qp = example_qp(&x, cq, 0);

	must(dvx_dev_gid(x.dev, local.port, local.gid_index, peer.gid), "gid");
	peer.qpn = o.qp->qp_num;
	owner_connect(&o, &local, peer.gid, dvx_qp_number(qp));
	must(dvx_qp_connect(qp, &local, &peer), "connect");

	uint32_t rkey = owner_bind(&o);

	peer_write(qp, cq, (uintptr_t)memory + FROM, rkey);
	printf("owner: memory \"%s\"\n", memory + FROM);
	/* The message takes the window away from the peer, before the owner hears of it. */
	must(dvx_post_send_inval_inline(dvx_qp_sq(qp), rkey, "", 0, 2, DVX_SIGNALED), "send");
	dvx_sq_ring(dvx_qp_sq(qp));
	example_wait(cq, 2);
	owner_wait(&o, "message with invalidate");
	peer_write(qp, cq, (uintptr_t)memory + FROM, rkey);
	return 0;
}
