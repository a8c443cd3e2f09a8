/* SPDX-License-Identifier: BSD-2-Clause */
/* Completion events. */
#include "misuse.h"

static struct ibv_cq *misuse_event(void)
{
	struct ibv_cq *cq;
	void *user;

	must(!ibv_get_cq_event(p.channel, &cq, &user));
	return cq;
}

static void misuse_one_event(void)
{
	misuse_open();
	must(!ibv_req_notify_cq(p.scq, 0));
	must(!misuse_post(IBV_WR_RDMA_WRITE, IBV_SEND_SIGNALED));
	must(misuse_event() == p.scq);
	misuse_done(p.scq);
}

/* Does not return: the call waits for the acknowledgement. */
static void unacknowledged(void)
{
	misuse_one_event();
	must(!ibv_destroy_qp(p.a));
	ibv_destroy_cq(p.scq);
	misuse_end();
}

static void ok_acknowledged(void)
{
	misuse_one_event();
	ibv_ack_cq_events(p.scq, 1);
	must(!ibv_destroy_qp(p.a) && !ibv_destroy_cq(p.scq));
}

static void other_cq(void)
{
	misuse_one_event();
	ibv_ack_cq_events(p.rcq, 1);
	misuse_end();
}

/* A completion may come between the last poll and the arm; here it comes later. */
static void misuse_sleep(bool poll)
{
	struct ibv_wc wc;

	misuse_open();
	misuse_receive();
	must(!ibv_poll_cq(p.rcq, 1, &wc));
	must(!ibv_req_notify_cq(p.rcq, 0));
	if (poll)
		must(!ibv_poll_cq(p.rcq, 1, &wc));
	must(!misuse_post(IBV_WR_SEND, IBV_SEND_SIGNALED));
	ibv_ack_cq_events(misuse_event(), 1);
	misuse_done(p.rcq);
}

static void slept(void)
{
	misuse_sleep(false);
}

static void ok_slept(void)
{
	misuse_sleep(true);
}

const struct misuse_case misuse_events[] = {
	MISUSE(unacknowledged), MISUSE(ok_acknowledged), MISUSE(other_cq),
	MISUSE(slept),		MISUSE(ok_slept),	 {0},
};
