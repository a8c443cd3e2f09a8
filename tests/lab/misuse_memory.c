/* SPDX-License-Identifier: BSD-2-Clause */
/* Memory that changes or ends under posted work. */
#include "misuse.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

static void changed_posted(void)
{
	must(!misuse_post(IBV_WR_RDMA_WRITE, IBV_SEND_SIGNALED));
	p.out[8]++;
	misuse_done(p.scq);
}

static void changed(void)
{
	misuse_open();
	changed_posted();
}

static void ok_changed(void)
{
	misuse_open();
	must(!misuse_post(IBV_WR_RDMA_WRITE, IBV_SEND_SIGNALED));
	misuse_done(p.scq);
	p.out[8]++;
	must(!misuse_post_at(p.a, IBV_WR_RDMA_WRITE, IBV_SEND_SIGNALED | IBV_SEND_INLINE, p.out, 16,
			     0));
	p.out[8]++;
	misuse_done(p.scq);
}

/* The buffer of an unsignaled request, too. */
static void changed_unsignaled(void)
{
	misuse_open();
	must(!misuse_post(IBV_WR_RDMA_WRITE, 0));
	p.out[8]++;
	must(!misuse_post(IBV_WR_RDMA_WRITE, IBV_SEND_SIGNALED));
	misuse_done(p.scq);
}

static void early(void)
{
	misuse_open();
	misuse_receive();
	memcpy(p.out, p.in, BYTES);
	must(!misuse_post(IBV_WR_SEND, IBV_SEND_SIGNALED));
	misuse_done(p.scq);
	misuse_done(p.rcq);
}

static void ok_early(void)
{
	misuse_open();
	misuse_receive();
	must(!misuse_post(IBV_WR_SEND, IBV_SEND_SIGNALED));
	misuse_done(p.scq);
	misuse_done(p.rcq);
	memcpy(p.out, p.in, BYTES);
	misuse_receive();
	must(!misuse_post(IBV_WR_SEND, IBV_SEND_SIGNALED));
	misuse_done(p.scq);
	misuse_done(p.rcq);
}

static uint8_t *misuse_block(struct ibv_mr **mr)
{
	uint8_t *block = aligned_alloc(4096, 8192);

	must(block);
	*mr = ibv_reg_mr(p.pd, block, 4096, IBV_ACCESS_LOCAL_WRITE);
	must(*mr);
	return block;
}

static void freed(void)
{
	struct ibv_mr *mr;
	uint8_t *block;

	misuse_open();
	block = misuse_block(&mr);
	must(!misuse_receive_at(p.b, block, mr->lkey));
	free(block);
	misuse_end();
}

static void ok_freed(void)
{
	struct ibv_mr *mr;
	uint8_t *block;

	misuse_open();
	block = misuse_block(&mr);
	must(!misuse_receive_at(p.b, block, mr->lkey));
	must(!misuse_post(IBV_WR_SEND, IBV_SEND_SIGNALED));
	misuse_done(p.rcq);
	misuse_done(p.scq);
	must(!ibv_dereg_mr(mr));
	free(block);
}

static void unmapped(void)
{
	misuse_open();
	misuse_receive();
	munmap(p.in, PAGE);
	misuse_end();
}

static void key_ended(void)
{
	struct ibv_mr *mr;
	uint8_t *block;

	misuse_open();
	block = misuse_block(&mr);
	must(!misuse_receive_at(p.b, block, mr->lkey));
	must(!ibv_dereg_mr(mr));
	free(block);
}

static void ok_key_ended(void)
{
	struct ibv_mr *mr;
	uint8_t *block;

	misuse_open();
	block = misuse_block(&mr);
	must(!misuse_receive_at(p.b, block, mr->lkey));
	must(!ibv_destroy_qp(p.b));
	must(!ibv_dereg_mr(mr));
	free(block);
}

static void key_old(void)
{
	struct ibv_mr *mr;
	uint32_t lkey;
	uint8_t *block;

	misuse_open();
	block = misuse_block(&mr);
	lkey = mr->lkey;
	must(!ibv_dereg_mr(mr));
	must(!misuse_post_at(p.a, IBV_WR_RDMA_WRITE, IBV_SEND_SIGNALED, block, BYTES, lkey));
	must(misuse_poll(p.scq).status == IBV_WC_LOC_PROT_ERR);
	free(block);
}

/* Device memory gets the key of a region that ended. Of a device with few keys. */
static void ok_key_again(void)
{
	struct ibv_alloc_dm_attr a = {.length = 4096};
	struct ibv_dm *dm;
	struct ibv_mr *mr;
	uint32_t ended;

	misuse_open();
	mr = ibv_reg_mr(p.pd, p.out, BYTES, 0);
	must(mr);
	ended = mr->lkey;
	must(!ibv_dereg_mr(mr));
	dm = ibv_alloc_dm(p.ctx, &a);
	must(dm);
	for (unsigned int i = 0; i < 1u << 12; i++) {
		mr = ibv_reg_dm_mr(p.pd, dm, 0, 4096,
				   IBV_ACCESS_LOCAL_WRITE | IBV_ACCESS_ZERO_BASED);
		must(mr);
		if (mr->lkey == ended)
			break;
		must(!ibv_dereg_mr(mr));
	}
	must(mr->lkey == ended);
	must(!misuse_post_at(p.a, IBV_WR_RDMA_WRITE, IBV_SEND_SIGNALED, NULL, BYTES, ended));
	misuse_done(p.scq);
}

static void misuse_post_meanwhile(void)
{
	must(!misuse_post(IBV_WR_RDMA_WRITE, IBV_SEND_SIGNALED));
}

/* The kernel ended the key, which another thread uses before ibv_dereg_mr() returns. */
static void key_ending(void)
{
	misuse_open();
	misuse_meanwhile = misuse_post_meanwhile;
	must(!ibv_dereg_mr(p.mr));
	must(misuse_poll(p.scq).status == IBV_WC_LOC_PROT_ERR);
}

static void misuse_unmap_meanwhile(void)
{
	munmap(p.in, PAGE);
	misuse_end();
}

/* The kernel ended the queue, whose number may be another's before ibv_destroy_qp() returns. */
static void ok_qp_ending(void)
{
	misuse_open();
	misuse_receive();
	misuse_meanwhile = misuse_unmap_meanwhile;
	must(!ibv_destroy_qp(p.b));
}

/* Objects that could not be destroyed. */
static void changed_refused(void)
{
	misuse_open();
	misuse_refuses = true;
	must(ibv_dereg_mr(p.mr) == EBUSY);
	misuse_refuses = true;
	must(ibv_destroy_qp(p.a) == EBUSY);
	misuse_refuses = true;
	must(ibv_destroy_cq(p.scq) == EBUSY);
	changed_posted();
}

const struct misuse_case misuse_memory[] = {
	MISUSE(ok_key_again),	 MISUSE(changed),
	MISUSE(ok_changed),	 MISUSE(changed_unsignaled),
	MISUSE(early),		 MISUSE(ok_early),
	MISUSE(freed),		 MISUSE(ok_freed),
	MISUSE(unmapped),	 MISUSE(key_ended),
	MISUSE(ok_key_ended),	 MISUSE(key_old),
	MISUSE(key_ending),	 MISUSE(ok_qp_ending),
	MISUSE(changed_refused), {0},
};
