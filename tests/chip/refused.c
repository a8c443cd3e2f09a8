/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A program that the device refuses something, for refusals.sh. It prints nothing about it.
 *   refused request   multicast for an RC QP, three times
 *   refused wqe       WRITEs with a wrong lkey on two QPs; ends without any further request
 *   refused end       ends in the middle of long WRITEs; nothing is refused
 *   refused idle      opens the device, waits for a byte
 *   refused closed    as request, closes all that it did not open, opens a file "data"; as wqe
 *   refused pipe      as request, with a stderr that nobody reads
 */
#include "tests/verbs/verbs_self.h"

#include <fcntl.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

static void refused_request(const struct self *s)
{
	union ibv_gid group = {.raw = {0xff, 0x0e, [15] = 1}};

	for (unsigned int i = 0; i < 3; i++)
		assert_int_not_equal(ibv_attach_mcast(s->qp, &group, 0), 0);
}

static void refused_wqe(struct self *s, struct ibv_qp *qp)
{
	struct ibv_sge sge = {(uintptr_t)s->buf, 8, s->mr->lkey ^ 0xff};
	struct ibv_send_wr wr = {.sg_list = &sge,
				 .num_sge = 1,
				 .opcode = IBV_WR_RDMA_WRITE,
				 .wr.rdma = {(uintptr_t)s->buf, s->mr->rkey}};
	struct ibv_send_wr *bad;
	struct ibv_wc wc;

	assert_int_equal(ibv_post_send(qp, &wr, &bad), 0);
	self_poll(s->cq, &wc);
	assert_int_equal(wc.status, IBV_WC_LOC_PROT_ERR);
}

static void refused_wqes(struct self *s)
{
	refused_wqe(s, s->qp);
	refused_wqe(s, self_qp(s->pd, s->cq, s->cq));
}

static void refused_closed(struct self *s)
{
	refused_request(s);
	for (int fd = STDERR_FILENO + 1; fd < 256; fd++)
		if (fd != s->ctx->cmd_fd && fd != s->ctx->async_fd && fd != s->channel->fd)
			close(fd);
	assert_true(open("data", O_WRONLY | O_CREAT, 0600) > STDERR_FILENO);
	refused_wqes(s);
}

static void refused_pipe(const struct self *s)
{
	int ends[2];

	assert_int_equal(pipe(ends), 0);
	assert_int_equal(dup2(ends[1], STDERR_FILENO), STDERR_FILENO);
	close(ends[0]);
	refused_request(s);
}

/* More than the pages shared with the device: it reads these by calls. */
#define END_BYTES ((size_t)64 << 20)
static void refused_end(const struct self *s)
{
	uint8_t *m = mmap(NULL, 2 * END_BYTES, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS,
			  -1, 0);
	struct ibv_mr *mr = ibv_reg_mr(s->pd, m, 2 * END_BYTES,
				       IBV_ACCESS_LOCAL_WRITE | IBV_ACCESS_REMOTE_WRITE);
	struct ibv_sge sge = {(uintptr_t)m, END_BYTES, mr ? mr->lkey : 0};
	struct ibv_send_wr wr = {.sg_list = &sge,
				 .num_sge = 1,
				 .opcode = IBV_WR_RDMA_WRITE,
				 .wr.rdma = {(uintptr_t)m + END_BYTES, mr ? mr->rkey : 0}};
	struct ibv_send_wr *bad;

	*m = 1;
	for (unsigned int i = 0; i < 4; i++)
		assert_int_equal(ibv_post_send(s->qp, &wr, &bad), 0);
	while (!__atomic_load_n(m + END_BYTES, __ATOMIC_RELAXED))
		sched_yield(); /* until the first byte has arrived */
	_exit(0);
}

int main(int argc, char **argv)
{
	void *state;
	struct self *s;

	if (argc != 2 || self_open(&state))
		return 2;
	s = state;
	if (!strcmp(argv[1], "request"))
		refused_request(s);
	else if (!strcmp(argv[1], "end"))
		refused_end(s);
	else if (!strcmp(argv[1], "wqe"))
		refused_wqes(s);
	else if (!strcmp(argv[1], "closed"))
		refused_closed(s);
	else if (!strcmp(argv[1], "pipe"))
		refused_pipe(s);
	else if (!puts("open") || fflush(stdout) || getchar() == EOF)
		return 2;
	exit(0);
}
