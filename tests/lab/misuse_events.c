/* SPDX-License-Identifier: BSD-2-Clause */
/* Completion events. */
#include "misuse.h"

#include <pthread.h>
#include <sched.h>
#include <stdio.h>
#include <unistd.h>

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

static void misuse_until_sleeps(pid_t thread)
{
	const time_t end = patience_from_now();
	char path[64], state = 0;

	snprintf(path, sizeof(path), "/proc/self/task/%d/stat", thread);
	while (state != 'S') {
		FILE *f = fopen(path, "re");

		must(f && fscanf(f, "%*d (%*[^)]) %c", &state) == 1 && !patience_over(end));
		fclose(f);
	}
}

/* Acknowledges the event while the main thread is in ibv_destroy_cq(). */
static void *misuse_acknowledger(void *arg)
{
	const _Atomic bool *ending = arg;

	while (!*ending)
		sched_yield();
	misuse_until_sleeps(getpid());
	ibv_ack_cq_events(p.scq, 1);
	return NULL;
}

static void ok_acknowledged_late(void)
{
	_Atomic bool ending = false;
	pthread_t other;

	misuse_one_event();
	must(!pthread_create(&other, NULL, misuse_acknowledger, (void *)&ending));
	must(!ibv_destroy_qp(p.a));
	ending = true;
	must(!ibv_destroy_cq(p.scq));
	pthread_join(other, NULL);
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

/* The program's own request, posted after the arm, completes with an event. */
static void ok_slept_request(void)
{
	struct ibv_wc wc;

	misuse_open_cq(64);
	p.a = misuse_qp(p.pd, p.rcq);
	p.b = misuse_qp(p.pd, p.scq);
	misuse_connect(p.a, p.b);
	must(!misuse_receive_at(p.a, p.in, p.mr->lkey));
	must(!ibv_poll_cq(p.rcq, 1, &wc));
	must(!ibv_req_notify_cq(p.rcq, 0));
	must(!misuse_post(IBV_WR_RDMA_WRITE, IBV_SEND_SIGNALED));
	ibv_ack_cq_events(misuse_event(), 1);
	misuse_done(p.rcq);
}

const struct misuse_case misuse_events[] = {
	MISUSE(unacknowledged),
	MISUSE(ok_acknowledged),
	MISUSE(ok_acknowledged_late),
	MISUSE(other_cq),
	MISUSE(slept),
	MISUSE(ok_slept),
	MISUSE(ok_slept_request),
	{0},
};
