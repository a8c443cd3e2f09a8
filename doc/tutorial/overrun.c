/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A completion queue that nobody polls, and what the device says when it is full. The answer of
 * 03-completions.md.
 *
 *	dvx-sim run -- ./overrun
 */
#include "tutorial.h"

static _Alignas(4096) char memory[4096];

static void post(struct ibv_qp *qp, const struct ibv_mr *mr)
{
	struct ibv_sge piece = {(uintptr_t)memory, 8, mr->lkey};
	struct ibv_send_wr wr = {.sg_list = &piece,
				 .num_sge = 1,
				 .opcode = IBV_WR_RDMA_WRITE,
				 .send_flags = IBV_SEND_SIGNALED,
				 .wr.rdma = {(uintptr_t)memory, mr->rkey}},
			   *bad;

	must(errno = ibv_post_send(qp, &wr, &bad), "post");
}

int main(void)
{
	struct tutorial t;
	struct ibv_async_event event;

	tutorial_start(&t);

	struct ibv_mr *mr = tutorial_mr(&t, memory, sizeof(memory),
					IBV_ACCESS_LOCAL_WRITE | IBV_ACCESS_REMOTE_WRITE);
	struct ibv_cq *cq = ibv_create_cq(t.device, 4, NULL, NULL, 0);

	must(!cq, "completion queue");

	struct ibv_qp *a = tutorial_qp(&t, IBV_QPT_RC, cq), *b = tutorial_qp(&t, IBV_QPT_RC, cq);

	tutorial_join(&t, a, b, &tutorial_usual);
	printf("a CQ for 4 completions has room for %d\n", cq->cqe);
	for (int i = 0; i <= cq->cqe + 1; i++)
		post(a, mr);
	must(ibv_get_async_event(t.device, &event), "asynchronous event");
	printf("%s, of the CQ: %s\n", ibv_event_type_str(event.event_type),
	       event.element.cq == cq ? "yes" : "no");
	ibv_ack_async_event(&event);
	must(errno = ibv_destroy_qp(a), "destroy");
	must(errno = ibv_destroy_qp(b), "destroy");
	must(errno = ibv_destroy_cq(cq), "destroy the completion queue");
	must(errno = ibv_dereg_mr(mr), "deregister");
	tutorial_close(&t);
	return 0;
}
