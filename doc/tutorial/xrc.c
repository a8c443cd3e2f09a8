/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * XRC: one connection to a host, and messages that name the SRQ of the program that they are for.
 * Here the receiving programs are in one process; separate ones share the domain by a file.
 *
 *	dvx-sim run -- ./xrc
 *	dvx-sim run -- ./xrc other		a message for an SRQ of another domain
 */
#include <fcntl.h>
#include <stdbool.h>
#include <unistd.h>
#include "tutorial.h"

enum { PROGRAMS = 3, RECEIVES = 4, ROOM = 32 };

/* What each receiving program has: a CQ and an SRQ in the common domain. */
struct program {
	struct ibv_cq *cq;
	struct ibv_srq *srq;
	uint32_t number; /* which senders must know */
	char room[RECEIVES][ROOM];
};

struct host {
	struct tutorial t;
	struct ibv_xrcd *domain, *other;
	struct program program[PROGRAMS];
	struct ibv_mr *mr;
	char text[ROOM];
	struct ibv_cq *cq;
	struct ibv_qp *target, *initiator;
};

static void need_xrc(const struct tutorial *t)
{
	if (tutorial_abilities(t).device_cap_flags & IBV_DEVICE_XRC)
		return;
	fprintf(stderr, "this device has no XRC (IBV_DEVICE_XRC is not set)\n");
	exit(1);
}

/* Programs that open the same file share its domain. */
static struct ibv_xrcd *open_domain(struct tutorial *t, const char *path)
{
	struct ibv_xrcd_init_attr attr = {.comp_mask =
						  IBV_XRCD_INIT_ATTR_FD | IBV_XRCD_INIT_ATTR_OFLAGS,
					  .fd = open(path, O_RDONLY | O_CREAT, 0600),
					  .oflags = O_CREAT};
	struct ibv_xrcd *domain;

	must(attr.fd < 0, path);
	domain = ibv_open_xrcd(t->device, &attr);
	must(!domain, "XRC domain");
	close(attr.fd);
	unlink(path);
	return domain;
}

static void open_program(struct host *h, struct program *p, struct ibv_xrcd *domain)
{
	struct ibv_srq_init_attr_ex attr = {
		.attr = {.max_wr = RECEIVES, .max_sge = 1},
		.comp_mask = IBV_SRQ_INIT_ATTR_TYPE | IBV_SRQ_INIT_ATTR_PD |
			     IBV_SRQ_INIT_ATTR_XRCD | IBV_SRQ_INIT_ATTR_CQ,
		.srq_type = IBV_SRQT_XRC,
		.pd = h->t.pd,
		.xrcd = domain,
		.cq = p->cq = tutorial_cq(&h->t),
	};

	p->srq = ibv_create_srq_ex(h->t.device, &attr);
	must(!p->srq, "XRC SRQ");
	must(errno = ibv_get_srq_num(p->srq, &p->number), "number of the SRQ");
	for (uint64_t i = 0; i < RECEIVES; i++) {
		struct ibv_sge sge = {(uintptr_t)p->room[i], ROOM, h->mr->lkey};
		struct ibv_recv_wr wr = {.wr_id = i, .sg_list = &sge, .num_sge = 1}, *bad;

		must(errno = ibv_post_srq_recv(p->srq, &wr, &bad), "receive");
	}
}

/* The receiving end belongs to the domain: it has no PD, no CQ and no rings. */
static struct ibv_qp *create_target(struct host *h)
{
	struct ibv_qp_init_attr_ex attr = {
		.qp_type = IBV_QPT_XRC_RECV, .comp_mask = IBV_QP_INIT_ATTR_XRCD, .xrcd = h->domain};
	struct ibv_qp *qp = ibv_create_qp_ex(h->t.device, &attr);

	must(!qp, "XRC target");
	return qp;
}

/* The sending end has a send queue only. */
static struct ibv_qp *create_initiator(struct host *h)
{
	struct ibv_qp_init_attr_ex attr = {.qp_type = IBV_QPT_XRC_SEND,
					   .comp_mask = IBV_QP_INIT_ATTR_PD,
					   .pd = h->t.pd,
					   .send_cq = h->cq,
					   .cap = {.max_send_wr = 8, .max_send_sge = 1}};
	struct ibv_qp *qp = ibv_create_qp_ex(h->t.device, &attr);

	must(!qp, "XRC initiator");
	return qp;
}

/* All programs in one domain, or the last one in another. */
static void start(struct host *h, bool split)
{
	tutorial_start(&h->t);
	need_xrc(&h->t);
	h->domain = open_domain(&h->t, "domain");
	h->other = open_domain(&h->t, "other-domain");
	h->mr = tutorial_mr(&h->t, h, sizeof *h, IBV_ACCESS_LOCAL_WRITE);
	h->cq = tutorial_cq(&h->t);
	for (int i = 0; i < PROGRAMS; i++)
		open_program(h, &h->program[i], split && i == PROGRAMS - 1 ? h->other : h->domain);
	h->target = create_target(h);
	h->initiator = create_initiator(h);
	tutorial_join(&h->t, h->initiator, h->target, &tutorial_usual);
}

static void say(struct host *h, int program, const char *text)
{
	struct ibv_sge sge = {(uintptr_t)h->text, (uint32_t)strlen(text) + 1, h->mr->lkey};
	struct ibv_send_wr wr = {
		.sg_list = &sge,
		.num_sge = 1,
		.opcode = IBV_WR_SEND,
		.send_flags = IBV_SEND_SIGNALED,
		.qp_type.xrc.remote_srqn = h->program[program].number,
	};
	struct ibv_send_wr *bad;

	strcpy(h->text, text);
	must(errno = ibv_post_send(h->initiator, &wr, &bad), "send");
	printf("to program %d: %s\n", program, ibv_wc_status_str(tutorial_next(h->cq).status));
}

static void hear(struct host *h, int program)
{
	struct program *p = &h->program[program];
	struct ibv_wc wc = tutorial_next(p->cq);

	printf("program %d has \"%s\", by the connection %s\n", program, p->room[wc.wr_id],
	       wc.qp_num == h->target->qp_num ? "to the target" : "to another QP");
}

static void end(struct host *h)
{
	must(errno = ibv_destroy_qp(h->initiator), "destroy the initiator");
	must(errno = ibv_destroy_qp(h->target), "destroy the target");
	for (int i = 0; i < PROGRAMS; i++) {
		must(errno = ibv_destroy_srq(h->program[i].srq), "destroy the SRQ");
		must(errno = ibv_destroy_cq(h->program[i].cq), "destroy the CQ");
	}
	must(errno = ibv_close_xrcd(h->other), "close the other domain");
	must(errno = ibv_close_xrcd(h->domain), "close the domain");
	must(errno = ibv_destroy_cq(h->cq), "destroy the CQ");
	must(errno = ibv_dereg_mr(h->mr), "deregister");
	tutorial_close(&h->t);
}

int main(int argc, char **argv)
{
	static struct host h;
	bool other = argc > 1 && !strcmp(argv[1], "other");

	start(&h, other);
	say(&h, 2, "for the third");
	if (!other) {
		say(&h, 0, "for the first");
		say(&h, 2, "again for the third");
		for (int i = 0; i < PROGRAMS; i++)
			printf("program %d: SRQ 0x%x\n", i, h.program[i].number);
		hear(&h, 0);
		hear(&h, 2);
		hear(&h, 2);
	}
	end(&h);
	return 0;
}
