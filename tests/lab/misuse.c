/* SPDX-License-Identifier: BSD-2-Clause */
/* The rig of misuse.h, and which case runs. */
#include "misuse.h"

#include <dlfcn.h>
#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <unistd.h>

void misuse_must(bool holds, const char *what)
{
	if (holds)
		return;
	fprintf(stderr, "misuse: not so: %s\n", what);
	exit(1);
}

struct pair p;
bool misuse_refuses;
void (*misuse_meanwhile)(void);

/* libibverbs calls this one. */
int ioctl(int fd, unsigned long request, ...)
{
	int (*next)(int, unsigned long, ...) =
		(int (*)(int, unsigned long, ...))dlsym(RTLD_NEXT, "ioctl");
	void (*meanwhile)(void) = misuse_meanwhile;
	va_list args;
	int err;

	if (misuse_refuses) {
		misuse_refuses = false;
		errno = EBUSY;
		return -1;
	}
	va_start(args, request);
	err = next(fd, request, va_arg(args, void *));
	va_end(args);
	misuse_meanwhile = NULL;
	if (meanwhile)
		meanwhile();
	return err;
}

void misuse_end(void)
{
	fflush(stdout);
}

void misuse_pd(void)
{
	p.ctx = verbs_open();
	must(p.ctx);
	p.pd = ibv_alloc_pd(p.ctx);
	p.out = mmap(NULL, (size_t)2 * PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS,
		     -1, 0);
	p.in = p.out + PAGE;
	p.mr = ibv_reg_mr(p.pd, p.out, (size_t)2 * PAGE,
			  IBV_ACCESS_LOCAL_WRITE | IBV_ACCESS_REMOTE_WRITE |
				  IBV_ACCESS_REMOTE_READ);
	p.channel = ibv_create_comp_channel(p.ctx);
	must(p.mr && p.channel);
}

struct ibv_qp *misuse_qp(struct ibv_pd *pd, struct ibv_cq *scq)
{
	struct ibv_qp_init_attr a = {.qp_type = IBV_QPT_RC,
				     .send_cq = scq,
				     .recv_cq = p.rcq,
				     .cap = {DEPTH, DEPTH, 1, 1, 16}};
	struct ibv_qp *qp = ibv_create_qp(pd, &a);

	must(qp);
	return qp;
}

void misuse_connect(struct ibv_qp *a, struct ibv_qp *b)
{
	must(!verbs_qp_connect(a, b->qp_num, 0) && !verbs_qp_connect(b, a->qp_num, 0));
}

void misuse_open_cq(uint32_t cqe)
{
	misuse_pd();
	p.scq = ibv_create_cq(p.ctx, (int)cqe, NULL, p.channel, 0);
	p.rcq = ibv_create_cq(p.ctx, 64, NULL, p.channel, 0);
	must(p.scq && p.rcq);
}

void misuse_open(void)
{
	misuse_open_cq(64);
	p.a = misuse_qp(p.pd, p.scq);
	p.b = misuse_qp(p.pd, p.rcq);
	misuse_connect(p.a, p.b);
}

int misuse_post_at(struct ibv_qp *qp, enum ibv_wr_opcode opcode, unsigned int flags,
		   const void *from, uint32_t bytes, uint32_t lkey)
{
	struct ibv_sge sge = {(uintptr_t)from, bytes, lkey};
	struct ibv_send_wr wr = {.wr_id = 7,
				 .sg_list = &sge,
				 .num_sge = 1,
				 .opcode = opcode,
				 .send_flags = flags,
				 .wr.rdma = {(uintptr_t)p.in, p.mr->rkey}},
			   *bad;

	return ibv_post_send(qp, &wr, &bad);
}

int misuse_post(enum ibv_wr_opcode opcode, unsigned int flags)
{
	return misuse_post_at(p.a, opcode, flags, p.out, BYTES, p.mr->lkey);
}

int misuse_receive_at(struct ibv_qp *qp, void *to, uint32_t lkey)
{
	struct ibv_sge sge = {(uintptr_t)to, BYTES, lkey};
	struct ibv_recv_wr wr = {.wr_id = 9, .sg_list = &sge, .num_sge = 1}, *bad;

	return ibv_post_recv(qp, &wr, &bad);
}

void misuse_receive(void)
{
	must(!misuse_receive_at(p.b, p.in, p.mr->lkey));
}

struct ibv_wc misuse_poll(struct ibv_cq *cq)
{
	const time_t end = patience_from_now();
	struct ibv_wc wc;
	int n;

	while (!(n = ibv_poll_cq(cq, 1, &wc)))
		must(!patience_over(end));
	must(n == 1);
	return wc;
}

void misuse_done(struct ibv_cq *cq)
{
	must(misuse_poll(cq).status == IBV_WC_SUCCESS);
}

static const struct misuse_case *const misuse_tables[] = {
	misuse_memory, misuse_depth,  misuse_extended, misuse_events,
	misuse_other,  misuse_device, misuse_srq};

/* Prints the process, by which dvx-sim check names it. */
int main(int argc, char **argv)
{
	for (size_t i = 0; argc == 2 && i < sizeof(misuse_tables) / sizeof(misuse_tables[0]); i++)
		for (const struct misuse_case *c = misuse_tables[i]; c->name; c++)
			if (!strcmp(argv[1], c->name)) {
				printf("%d is %s\n", getpid(), c->name);
				misuse_end();
				c->run();
				return 0;
			}
	return 2;
}
