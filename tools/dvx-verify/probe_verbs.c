/* SPDX-License-Identifier: BSD-2-Clause */
/* Features of verbs that DevX lacks: data in CQEs, on-demand paging, device memory. */
#include <errno.h>
#include <poll.h>
#include <string.h>
#include <sys/mman.h>
#include <infiniband/mlx5dv.h>
#include "verify.h"

#define VERBS_THERE 4096u
#define VERBS_RIGHTS                                                                 \
	(IBV_ACCESS_LOCAL_WRITE | IBV_ACCESS_REMOTE_WRITE | IBV_ACCESS_REMOTE_READ | \
	 IBV_ACCESS_REMOTE_ATOMIC)

#define NEED_VERBS(pointer)                                         \
	do {                                                        \
		if (!(pointer))                                     \
			conclude(VERDICT_OPEN, "%s: %m", #pointer); \
	} while (0)

/* Two queues of verbs that are connected to each other, and a region. */
struct verbs_pair {
	struct ibv_context *ctx;
	struct ibv_pd *pd;
	struct ibv_cq *cq[2];
	struct ibv_qp *qp[2];
	struct ibv_mr *mr;
	uint8_t *buf;
	struct dvx_qp_local local;
	enum ibv_qp_type type;
	bool all_signaled;
	bool in_rtr; /* the second one stays there */
	uint8_t rnr_retry;
	struct ibv_ah_attr path; /* to the port itself */
};

static void verbs_create(struct verbs_pair *v, int i)
{
	struct ibv_qp_init_attr_ex a = {.qp_type = v->type,
					.send_cq = v->cq[i],
					.recv_cq = v->cq[i],
					.cap = {16, 16, 1, 1, 0},
					.sq_sig_all = v->all_signaled,
					.comp_mask = IBV_QP_INIT_ATTR_PD,
					.pd = v->pd};
	struct mlx5dv_qp_init_attr d = {.comp_mask = MLX5DV_QP_INIT_ATTR_MASK_QP_CREATE_FLAGS,
					.create_flags = MLX5DV_QP_CREATE_ALLOW_SCATTER_TO_CQE};

	v->qp[i] = mlx5dv_create_qp(v->ctx, &a, &d);
	NEED_VERBS(v->qp[i]);
}

static void verbs_pair_connect(struct verbs_pair *v, int i)
{
	struct ibv_qp_attr a = {.qp_state = IBV_QPS_INIT,
				.port_num = v->local.port,
				.path_mtu = IBV_MTU_1024,
				.dest_qp_num = v->qp[!i]->qp_num,
				.max_dest_rd_atomic = 1,
				.max_rd_atomic = 1,
				.min_rnr_timer = 1,
				.timeout = 8,
				.retry_cnt = 1,
				.rnr_retry = v->rnr_retry};
	const bool rc = v->type == IBV_QPT_RC;

	a.qp_access_flags = rc ? VERBS_RIGHTS : IBV_ACCESS_REMOTE_WRITE;
	NEED(-ibv_modify_qp(v->qp[i], &a,
			    IBV_QP_STATE | IBV_QP_PKEY_INDEX | IBV_QP_PORT | IBV_QP_ACCESS_FLAGS));
	a.qp_state = IBV_QPS_RTR;
	a.ah_attr = v->path;
	NEED(-ibv_modify_qp(v->qp[i], &a,
			    IBV_QP_STATE | IBV_QP_AV | IBV_QP_PATH_MTU | IBV_QP_DEST_QPN |
				    IBV_QP_RQ_PSN |
				    (rc ? IBV_QP_MAX_DEST_RD_ATOMIC | IBV_QP_MIN_RNR_TIMER : 0)));
	if (i && v->in_rtr)
		return;
	a.qp_state = IBV_QPS_RTS;
	NEED(-ibv_modify_qp(v->qp[i], &a,
			    IBV_QP_STATE | IBV_QP_SQ_PSN |
				    (rc ? IBV_QP_TIMEOUT | IBV_QP_RETRY_CNT | IBV_QP_RNR_RETRY |
						     IBV_QP_MAX_QP_RD_ATOMIC
					: 0)));
}

static void verbs_pair_open(struct bench *b, struct verbs_pair *v)
{
	v->ctx = dvx_dev_ibv(b->dev);
	v->local = bench_pair_default(b).local;
	v->buf = b->buf;
	v->path = (struct ibv_ah_attr){.is_global = 1,
				       .port_num = v->local.port,
				       .grh = {.sgid_index = v->local.gid_index, .hop_limit = 1}};
	NEED(-ibv_query_gid(v->ctx, v->local.port, v->local.gid_index, &v->path.grh.dgid));
	v->pd = ibv_alloc_pd(v->ctx);
	NEED_VERBS(v->pd);
	v->mr = ibv_reg_mr(v->pd, v->buf, BENCH_BYTES, VERBS_RIGHTS);
	NEED_VERBS(v->mr);
	for (int i = 0; i < 2; i++) {
		v->cq[i] = ibv_create_cq(v->ctx, 64, NULL, NULL, 0);
		NEED_VERBS(v->cq[i]);
		verbs_create(v, i);
	}
	for (int i = 0; i < 2; i++)
		verbs_pair_connect(v, i);
}

/* Posts a request for 8 bytes of the buffer's beginning, or of a key of its own. */
static void verbs_post(struct verbs_pair *v, enum ibv_wr_opcode opcode, uint32_t len,
		       const struct ibv_mr *local, const struct ibv_mr *remote, unsigned int flags)
{
	struct ibv_sge sge = {local ? (uintptr_t)local->addr : (uintptr_t)v->buf, len,
			      local ? local->lkey : v->mr->lkey};
	struct ibv_send_wr wr = {.sg_list = &sge,
				 .num_sge = 1,
				 .opcode = opcode,
				 .send_flags = flags},
			   *bad;
	const uint64_t at = remote ? (uintptr_t)remote->addr : (uintptr_t)v->buf + VERBS_THERE;
	const uint32_t rkey = remote ? remote->rkey : v->mr->rkey;

	if (opcode == IBV_WR_ATOMIC_FETCH_AND_ADD) {
		wr.wr.atomic.remote_addr = at;
		wr.wr.atomic.rkey = rkey;
	} else {
		wr.wr.rdma.remote_addr = at;
		wr.wr.rdma.rkey = rkey;
	}
	NEED(-ibv_post_send(v->qp[0], &wr, &bad));
}

static void verbs_receive(struct verbs_pair *v, uint64_t addr, uint32_t len, uint32_t lkey)
{
	struct ibv_sge sge = {addr, len, lkey};
	struct ibv_recv_wr wr = {.sg_list = &sge, .num_sge = 1}, *bad;

	NEED(-ibv_post_recv(v->qp[1], &wr, &bad));
}

static void verbs_expect(struct ibv_cq *cq, enum ibv_wc_status status, const char *what)
{
	struct ibv_wc wc;
	int n = 0;

	for (int turn = 0; !n && turn < 20000; turn++) {
		n = ibv_poll_cq(cq, 1, &wc);
		if (!n)
			bench_pause();
	}
	EXPECT(n == 1, "%s: no completion", what);
	EXPECT(wc.status == status, "%s: %s (vendor 0x%x), not %s", what,
	       ibv_wc_status_str(wc.status), wc.vendor_err, ibv_wc_status_str(status));
}

/* ---- data in CQEs ---- */

void probe_receive_in_cqe(struct bench *b)
{
	struct verbs_pair v = {.type = IBV_QPT_RC};

	verbs_pair_open(b, &v);
	for (uint32_t len = 8; len <= 9; len++) {
		verbs_receive(&v, (uintptr_t)b->buf + VERBS_THERE, 8, 0xbad00);
		verbs_post(&v, IBV_WR_SEND, len, NULL, NULL, IBV_SEND_SIGNALED);
		verbs_expect(v.cq[1], len == 8 ? IBV_WC_SUCCESS : IBV_WC_LOC_LEN_ERR,
			     len == 8 ? "8 bytes for a receive of 8 with a wrong key, in the CQE"
				      : "9 bytes for it");
	}
}

void probe_unsignaled_read_in_memory(struct bench *b)
{
	struct verbs_pair v = {.type = IBV_QPT_RC};

	verbs_pair_open(b, &v);
	memset(b->buf, 0, 8);
	memset(b->buf + VERBS_THERE, 0x5a, 8);
	verbs_post(&v, IBV_WR_RDMA_READ, 8, NULL, NULL, 0);
	verbs_post(&v, IBV_WR_RDMA_WRITE, 8, v.mr, NULL, IBV_SEND_SIGNALED | IBV_SEND_FENCE);
	verbs_expect(v.cq[0], IBV_WC_SUCCESS, "a WRITE behind an unsignaled READ");
	EXPECT(!memcmp(b->buf, b->buf + VERBS_THERE, 8) && b->buf[0] == 0x5a,
	       "an unsignaled READ left 0x%x in memory, not 0x5a", b->buf[0]);
}

void probe_atomic_in_cqe(struct bench *b)
{
	static const uint8_t big_endian[] = {1, 2, 3, 4, 5, 6, 7, 8};
	const uint64_t old = 0x0102030405060708;
	struct verbs_pair v = {.type = IBV_QPT_RC, .all_signaled = true};

	verbs_pair_open(b, &v);
	memcpy(b->buf + VERBS_THERE, &old, sizeof(old));
	verbs_post(&v, IBV_WR_ATOMIC_FETCH_AND_ADD, 8, NULL, NULL, 0);
	verbs_expect(v.cq[0], IBV_WC_SUCCESS, "a fetch and add whose result is in the CQE");
	EXPECT(!memcmp(b->buf, big_endian, 8), "0x0102030405060708 came back as %02x %02x ... %02x",
	       b->buf[0], b->buf[1], b->buf[7]);
}

/* ---- the first request ---- */

/* Counts the events COMM_EST of the second queue until none comes for a tenth of a second. */
static int verbs_established(const struct verbs_pair *v)
{
	struct pollfd f = {.fd = v->ctx->async_fd, .events = POLLIN};
	struct ibv_async_event e;
	int n = 0;

	while (poll(&f, 1, 100) > 0 && !ibv_get_async_event(v->ctx, &e)) {
		n += e.event_type == IBV_EVENT_COMM_EST && e.element.qp == v->qp[1];
		ibv_ack_async_event(&e);
	}
	return n;
}

void probe_established(struct bench *b)
{
	static const enum ibv_qp_type types[] = {IBV_QPT_RC, IBV_QPT_UC};

	for (int i = 0; i < 2; i++) {
		struct verbs_pair v = {.type = types[i], .rnr_retry = 7, .in_rtr = true};

		verbs_pair_open(b, &v);
		verbs_post(&v, IBV_WR_SEND, 8, NULL, NULL, IBV_SEND_SIGNALED);
		EXPECT(!verbs_established(&v), "COMM_EST for a SEND without a receive");
		for (int k = 0; k < 3; k++)
			verbs_receive(&v, (uintptr_t)b->buf, 8, v.mr->lkey);
		for (int k = 0, n; k < 2; k++) {
			verbs_post(&v, IBV_WR_SEND, 8, NULL, NULL, IBV_SEND_SIGNALED);
			verbs_expect(v.cq[1], IBV_WC_SUCCESS, "a SEND to a queue in RTR");
			n = verbs_established(&v);
			EXPECT(n == !k, "receive %d in RTR made %d events COMM_EST", k + 1, n);
		}
	}
}

/* ---- on-demand paging ---- */

#define VERBS_PAGE 4096u

/* Registers a new page on demand. */
static struct ibv_mr *verbs_on_demand(struct verbs_pair *v, bool touched)
{
	uint8_t *page =
		mmap(NULL, VERBS_PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	struct ibv_mr *mr;

	if (page == MAP_FAILED)
		conclude(VERDICT_OPEN, "no memory");
	if (touched)
		page[0] = 1;
	mr = ibv_reg_mr(v->pd, page, VERBS_PAGE,
			IBV_ACCESS_ON_DEMAND | IBV_ACCESS_LOCAL_WRITE | IBV_ACCESS_REMOTE_WRITE |
				IBV_ACCESS_REMOTE_READ);
	NEED_VERBS(mr);
	return mr;
}

/* The region's page is unmapped before its first use. */
void probe_unmapped_page_on_demand(struct bench *b)
{
	for (int remote = 0; remote < 2; remote++) {
		struct verbs_pair v = {.type = IBV_QPT_RC, .rnr_retry = 7};
		struct ibv_mr *mr;

		verbs_pair_open(b, &v);
		mr = verbs_on_demand(&v, true);
		munmap(mr->addr, VERBS_PAGE);
		verbs_post(&v, IBV_WR_RDMA_WRITE, 8, remote ? NULL : mr, remote ? mr : NULL,
			   IBV_SEND_SIGNALED);
		verbs_expect(v.cq[0], remote ? IBV_WC_REM_ACCESS_ERR : IBV_WC_LOC_PROT_ERR,
			     remote ? "a WRITE to an unmapped page on demand"
				    : "a WRITE from an unmapped page on demand");
	}
}

void probe_first_fault_is_rnr(struct bench *b)
{
	for (int touched = 0; touched < 2; touched++) {
		struct verbs_pair v = {.type = IBV_QPT_RC, .rnr_retry = 0};

		verbs_pair_open(b, &v);
		verbs_post(&v, IBV_WR_RDMA_WRITE, 8, NULL, verbs_on_demand(&v, touched),
			   IBV_SEND_SIGNALED);
		verbs_expect(v.cq[0], IBV_WC_RNR_RETRY_EXC_ERR,
			     touched ? "a first WRITE to a page on demand that was touched"
				     : "a first WRITE to a page on demand");
	}
}

/* The device says that it faults no pages in for a SEND of UC. */
void probe_odp_without_capability(struct bench *b)
{
	struct verbs_pair v = {.type = IBV_QPT_UC};
	struct ibv_device_attr_ex caps;

	verbs_pair_open(b, &v);
	NEED(-ibv_query_device_ex(v.ctx, NULL, &caps));
	if (caps.odp_caps.per_transport_caps.uc_odp_caps & IBV_ODP_SUPPORT_SEND)
		conclude(VERDICT_OPEN, "the device faults pages in for UC");
	verbs_post(&v, IBV_WR_SEND, 8, verbs_on_demand(&v, true), NULL, IBV_SEND_SIGNALED);
	verbs_expect(v.cq[0], IBV_WC_LOC_PROT_ERR, "a SEND of UC from a page on demand");
}

/* ---- device memory ---- */

static struct ibv_dm *verbs_device_memory(struct ibv_context *ctx)
{
	struct ibv_alloc_dm_attr attr = {.length = 64};
	struct ibv_dm *dm = ibv_alloc_dm(ctx, &attr);

	NEED_VERBS(dm);
	return dm;
}

void probe_device_memory_offset(struct bench *b)
{
	struct verbs_pair v = {.type = IBV_QPT_RC};
	struct ibv_mr *mr[2];

	verbs_pair_open(b, &v);
	for (int i = 0; i < 2; i++) {
		struct ibv_dm *dm = verbs_device_memory(v.ctx);

		memset(b->buf, 0x61 + i, 64);
		NEED(-ibv_memcpy_to_dm(dm, 0, b->buf, 64));
		mr[i] = ibv_reg_dm_mr(v.pd, dm, 0, 64,
				      IBV_ACCESS_ZERO_BASED | IBV_ACCESS_REMOTE_READ);
		NEED_VERBS(mr[i]);
	}
	for (int i = 0; i < 2; i++) {
		verbs_post(&v, IBV_WR_RDMA_READ, 64, v.mr, mr[i], IBV_SEND_SIGNALED);
		verbs_expect(v.cq[0], IBV_WC_SUCCESS, "a READ of device memory");
		EXPECT(b->buf[0] == 0x61 + i && b->buf[63] == 0x61 + i,
		       "range %d of device memory begins with 0x%x, not 0x%x", i, b->buf[0],
		       0x61 + i);
	}
}

void probe_test_and_set_leaves_1(struct bench *b)
{
	enum { TEST_AND_SET = 1 };
	struct ibv_dm *dm = verbs_device_memory(dvx_dev_ibv(b->dev));
	const volatile uint8_t *at = mlx5dv_dm_map_op_addr(dm, TEST_AND_SET);
	uint8_t bytes[4] = {0}, old;

	NEED_VERBS(at);
	NEED(-ibv_memcpy_to_dm(dm, 0, bytes, sizeof(bytes)));
	old = *at;
	NEED(-ibv_memcpy_from_dm(bytes, dm, 0, sizeof(bytes)));
	EXPECT(!old && bytes[0] == 1,
	       "a load that tests and sets found 0x%x in place of 0, and left 0x%x", old, bytes[0]);
}

/* ---- address handles ---- */

/* The other context is another open device of this one. */
void probe_av_qp_mapping_of_others(struct bench *b)
{
	struct verbs_pair v = {.type = IBV_QPT_RC};
	struct bench other = {0};
	struct bench_pair p;
	struct ibv_ah *ah;
	int err;

	verbs_pair_open(b, &v);
	bench_open_device(&other, dvx_dev_name(b->dev));
	bench_make(&other);
	p = bench_pair_of(&other, DVX_QP_RC);
	ah = ibv_create_ah(v.pd, &v.path);
	NEED_VERBS(ah);
	err = mlx5dv_map_ah_to_qp(ah, dvx_qp_number(p.qp[0]));
	if (err == EOPNOTSUPP)
		conclude(VERDICT_OPEN, "the device maps no address handles to queues");
	EXPECT(!err, "an address handle for another context's QP: %s", strerror(err));
}
