/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Writes that a recording must have: record_ring N [HOW] posts N RDMA writes of 8 bytes, one after the
 * other, with wr_id 1 to N, from a queue pair to itself. Prints the WQEs and CQEs that are in the rings,
 * as libmlx5 and the device left them. HOW:
 * kill: kills itself after half of the writes
 * wait: says "half" then, and reads a line
 * fail: with a wrong key
 * receive: posts a receive first, and looks whether its buffer is left alone
 * send: sends the time to itself instead
 * list: posts all in one call, and prints how many were taken, and the error
 */
#include <infiniband/mlx5dv.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "tests/patience.h"
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

static void ring_half(const char *how)
{
	if (!strcmp(how, "kill"))
		kill(getpid(), SIGKILL);
	if (!strcmp(how, "wait"))
		must(puts("half") >= 0 && !fflush(stdout) && getchar() != EOF);
}

static void ring_receive(struct ibv_qp *qp, uint32_t lkey)
{
	struct ibv_sge sge = {(uintptr_t)&buf[1], 8, lkey};
	struct ibv_recv_wr wr = {.sg_list = &sge, .num_sge = 1}, *bad;
	const uint64_t before = buf[1];

	must(!ibv_post_recv(qp, &wr, &bad) && buf[1] == before);
}

static void ring_poll(struct ibv_cq *cq, bool fails)
{
	struct ibv_wc wc;

	memset(&wc, 0xff, sizeof(wc)); /* fields that are not set are seen */
	while (!ibv_poll_cq(cq, 1, &wc))
		;
	must((wc.status == IBV_WC_SUCCESS) != fails);
}

static void ring_list(struct ibv_qp *qp, const struct ibv_send_wr *like, int n)
{
	struct ibv_send_wr list[2 * RING], *bad = NULL;
	int err;

	must(n > 0 && n <= 2 * RING);
	for (int i = 0; i < n; i++) {
		list[i] = *like;
		list[i].wr_id = (uint64_t)i + 1;
		list[i].next = i + 1 < n ? &list[i + 1] : NULL;
	}
	err = ibv_post_send(qp, list, &bad);
	printf("%d %d\n", err ? (int)(bad - list) : n, err);
}

int main(int argc, char **argv)
{
	const int n = argc > 1 ? atoi(argv[1]) : 0;
	const char *how = argc > 2 ? argv[2] : "";
	const bool fails = !strcmp(how, "fail"), sends = !strcmp(how, "send");
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
				 .opcode = sends ? IBV_WR_SEND : IBV_WR_RDMA_WRITE,
				 .send_flags = IBV_SEND_SIGNALED},
			   *bad;

	must(qp && !verbs_qp_connect_self(qp, 0));
	wr.wr.rdma.remote_addr = (uintptr_t)&buf[1];
	wr.wr.rdma.rkey = mr->rkey ^ fails;
	if (!strcmp(how, "receive"))
		ring_receive(qp, mr->lkey);
	if (!strcmp(how, "list")) {
		ring_list(qp, &wr, n);
		return 0;
	}
	for (wr.wr_id = 1; wr.wr_id <= (uint64_t)n; wr.wr_id++) {
		if (wr.wr_id == (uint64_t)n / 2 + 1)
			ring_half(how);
		if (sends)
			ring_receive(qp, mr->lkey);
		buf[0] = time_of_day();
		must(!ibv_post_send(qp, &wr, &bad));
		ring_poll(cq, fails);
		if (sends)
			ring_poll(cq, fails);
	}
	if (n <= RING)
		ring_print_all(qp, n);
	return 0;
}
