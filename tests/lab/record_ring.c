/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Writes that a recording must have: record_ring N [kill] posts N RDMA writes of 8 bytes, one after the
 * other, with wr_id 1 to N, from a queue pair to itself. Prints the WQEs and CQEs that are in the rings,
 * as libmlx5 and the device left them; or kills itself after half of the writes.
 */
#include <infiniband/mlx5dv.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "tests/verbs/verbs_qp.h"

#define RING		64

#define must(CONDITION) ring_must(CONDITION, #CONDITION)
static void ring_must(bool holds, const char *what)
{
	if (holds)
		return;
	fprintf(stderr, "record_ring: not so: %s\n", what);
	exit(1);
}

static uint64_t buf[2];

static void ring_print(const char *what, int i, const uint8_t *bytes, size_t n)
{
	printf("%s %d ", what, i);
	for (size_t at = 0; at < n; at++)
		printf("%02x", bytes[at]);
	putchar('\n');
}

static void ring_print_all(struct ibv_qp *qp, int n)
{
	struct mlx5dv_qp rings = {0};
	struct mlx5dv_cq cq = {0};
	struct mlx5dv_obj obj = {.qp = {qp, &rings}, .cq = {qp->send_cq, &cq}};

	must(!mlx5dv_init_obj(&obj, MLX5DV_OBJ_QP | MLX5DV_OBJ_CQ));
	for (int i = 0; i < n; i++) {
		const uint8_t *wqe = (uint8_t *)rings.sq.buf + (size_t)i * rings.sq.stride;

		ring_print("wqe", i, wqe, (wqe[7] & 63u) * 16);
		ring_print("cqe", i, (uint8_t *)cq.buf + (size_t)i * cq.cqe_size, 64);
	}
}

int main(int argc, char **argv)
{
	const int n = argc > 1 ? atoi(argv[1]) : 0;
	const bool dies = argc > 2 && !strcmp(argv[2], "kill");
	struct ibv_context *ctx = verbs_open();
	struct ibv_pd *pd = ctx ? ibv_alloc_pd(ctx) : NULL;
	struct ibv_mr *mr = pd ? ibv_reg_mr(pd, buf, sizeof(buf),
					    IBV_ACCESS_LOCAL_WRITE | IBV_ACCESS_REMOTE_WRITE)
			       : NULL;
	struct ibv_cq *cq = mr ? ibv_create_cq(ctx, RING, NULL, NULL, 0) : NULL;
	struct ibv_qp_init_attr attr = {
		.send_cq = cq, .recv_cq = cq, .cap = {RING, 1, 1, 1, 0}, .qp_type = IBV_QPT_RC};
	struct ibv_qp *qp = cq ? ibv_create_qp(pd, &attr) : NULL;
	struct ibv_sge sge = {(uintptr_t)&buf[0], 8, mr ? mr->lkey : 0};
	struct ibv_send_wr wr = {.sg_list = &sge,
				 .num_sge = 1,
				 .opcode = IBV_WR_RDMA_WRITE,
				 .send_flags = IBV_SEND_SIGNALED},
			   *bad;
	struct ibv_wc wc;

	must(qp && !verbs_qp_connect_self(qp, 0));
	wr.wr.rdma.remote_addr = (uintptr_t)&buf[1];
	wr.wr.rdma.rkey = mr->rkey;
	for (wr.wr_id = 1; wr.wr_id <= (uint64_t)n; wr.wr_id++) {
		if (dies && wr.wr_id > (uint64_t)n / 2)
			kill(getpid(), SIGKILL);
		must(!ibv_post_send(qp, &wr, &bad));
		while (!ibv_poll_cq(cq, 1, &wc))
			;
		must(wc.status == IBV_WC_SUCCESS);
	}
	if (n <= RING)
		ring_print_all(qp, n);
	return 0;
}
