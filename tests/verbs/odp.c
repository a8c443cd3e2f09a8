/* SPDX-License-Identifier: BSD-2-Clause */
/* Proves that an on-demand region follows the program's mappings: an access to unmapped pages fails
 * as on a NIC, and new pages in their place count, even if a pinned region holds the old ones. */
#include "verbs_qp.h"
#include "verbs_self.h"

#include <sys/mman.h>

#define BYTES  8192u
#define MOVED  64u
#define RIGHTS (IBV_ACCESS_LOCAL_WRITE | IBV_ACCESS_REMOTE_WRITE | IBV_ACCESS_REMOTE_READ)

/* Two queue pairs connected to each other; the fixture's is not used. */
struct ends {
	struct self *s;
	struct ibv_cq *cq; /* for the second one's receives */
	struct ibv_qp *qp[2];
	uint8_t *pages;
	struct ibv_mr *pinned, *odp;
};

static uint8_t *pages_at(void *at, int value)
{
	uint8_t *p = mmap(at, BYTES, PROT_READ | PROT_WRITE,
			  MAP_PRIVATE | MAP_ANONYMOUS | (at ? MAP_FIXED : 0), -1, 0);

	assert_ptr_not_equal(p, MAP_FAILED);
	memset(p, value, BYTES);
	return p;
}

static struct ibv_mr *region(const struct ends *e, unsigned int more)
{
	struct ibv_mr *mr = ibv_reg_mr(e->s->pd, e->pages, BYTES, RIGHTS | more);

	assert_non_null(mr);
	return mr;
}

static void ends_open(struct ends *e, struct self *s, bool pinned)
{
	struct ibv_qp_init_attr a = {
		.qp_type = IBV_QPT_RC, .send_cq = s->cq, .cap = {4, 4, 1, 1, 0}};

	*e = (struct ends){.s = s, .pages = pages_at(NULL, 'a')};
	e->cq = ibv_create_cq(s->ctx, 8, NULL, NULL, 0);
	assert_non_null(e->cq);
	a.recv_cq = e->cq;
	for (unsigned int i = 0; i < 2; i++) {
		e->qp[i] = ibv_create_qp(s->pd, &a);
		assert_non_null(e->qp[i]);
	}
	for (unsigned int i = 0; i < 2; i++)
		assert_int_equal(verbs_qp_connect(e->qp[i], e->qp[!i]->qp_num, 0), 0);
	e->pinned = pinned ? region(e, 0) : NULL;
	e->odp = region(e, IBV_ACCESS_ON_DEMAND);
}

static void ends_close(struct ends *e)
{
	if (e->pinned)
		assert_int_equal(ibv_dereg_mr(e->pinned), 0);
	assert_int_equal(ibv_dereg_mr(e->odp), 0);
	for (unsigned int i = 0; i < 2; i++)
		assert_int_equal(ibv_destroy_qp(e->qp[i]), 0);
	assert_int_equal(ibv_destroy_cq(e->cq), 0);
}

/* Runs one request between the regions; returns its completion's status. */
static enum ibv_wc_status request(struct ends *e, enum ibv_wr_opcode opcode,
				  const struct ibv_mr *local, const struct ibv_mr *remote)
{
	struct ibv_sge sge = {(uintptr_t)local->addr, MOVED, local->lkey};
	struct ibv_send_wr wr = {.sg_list = &sge,
				 .num_sge = 1,
				 .opcode = opcode,
				 .send_flags = IBV_SEND_SIGNALED},
			   *bad;
	struct ibv_wc wc;

	wr.wr.rdma.remote_addr = (uintptr_t)remote->addr;
	wr.wr.rdma.rkey = remote->rkey;
	assert_int_equal(ibv_post_send(e->qp[0], &wr, &bad), 0);
	self_poll(e->s->cq, &wc);
	return wc.status;
}

static enum ibv_wc_status receive(struct ends *e)
{
	struct ibv_sge sge = {(uintptr_t)e->odp->addr, MOVED, e->odp->lkey};
	struct ibv_recv_wr wr = {.sg_list = &sge, .num_sge = 1}, *bad;
	struct ibv_wc wc;

	assert_int_equal(ibv_post_recv(e->qp[1], &wr, &bad), 0);
	(void)request(e, IBV_WR_SEND, e->s->mr, e->s->mr);
	self_poll(e->cq, &wc);
	return wc.status;
}

static const struct row {
	enum ibv_wr_opcode opcode;
	bool local;
	enum ibv_wc_status gone;
} rows[] = {
	{IBV_WR_RDMA_WRITE, true, IBV_WC_LOC_PROT_ERR},
	{IBV_WR_RDMA_READ, true, IBV_WC_LOC_PROT_ERR},
	{IBV_WR_RDMA_WRITE, false, IBV_WC_REM_ACCESS_ERR},
	{IBV_WR_RDMA_READ, false, IBV_WC_REM_ACCESS_ERR},
	{IBV_WR_SEND, true, IBV_WC_LOC_PROT_ERR},
};

static enum ibv_wc_status row_run(struct ends *e, const struct row *r)
{
	return r->local ? request(e, r->opcode, e->odp, e->s->mr)
			: request(e, r->opcode, e->s->mr, e->odp);
}

/* Runs each kind of request, before and after munmap(); a receive, too. */
static void unmapped(struct self *s, bool pinned)
{
	struct ends e;

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		ends_open(&e, s, pinned);
		if (rows[i].opcode != IBV_WR_SEND)
			assert_int_equal(row_run(&e, &rows[i]), IBV_WC_SUCCESS);
		munmap(e.pages, BYTES);
		assert_int_equal(row_run(&e, &rows[i]), rows[i].gone);
		ends_close(&e);
	}
	ends_open(&e, s, pinned);
	assert_int_equal(receive(&e), IBV_WC_SUCCESS);
	munmap(e.pages, BYTES);
	assert_int_equal(receive(&e), IBV_WC_LOC_PROT_ERR);
	ends_close(&e);
}

TEST(self, alone)
{
	unmapped(s, false);
}

TEST(self, beside_a_pinned_region)
{
	unmapped(s, true);
}

/* The address means the new pages, although the pinned region keeps the old ones. */
TEST(self, mapped_anew)
{
	struct ends e;

	ends_open(&e, s, true);
	munmap(e.pages, BYTES);
	pages_at(e.pages, 'b');
	assert_int_equal(request(&e, IBV_WR_RDMA_WRITE, e.odp, s->mr), IBV_WC_SUCCESS);
	assert_int_equal(s->buf[MOVED - 1], 'b');
	ends_close(&e);
	munmap(e.pages, BYTES);
}
