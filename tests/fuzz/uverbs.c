/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Random programs: two files of a function make and destroy queues, flows, tables, counters and
 * channels in any order, with handles of any age, while packets run through what there is; files
 * are closed in the middle of it. Nothing is left in the end, and the device calls nothing a bug.
 * (AddressSanitizer sees what is used after its end.)
 */
#include "uverbs.h"

#include <stdio.h>
#include <sys/mman.h>
#include <unistd.h>
#include <dvx/prm/db.h>
#include <dvx/prm/eth.h>
#include <dvx/prm/wqe.h>
#include "chip/datapath.h"
#include "port/port.h"
#include "queue/queue.h"
#include "host/uar.h"
#include "obj/cq.h"
#include "obj/queue.h"

#define FILES	  2u
#define MANY	  120u /* objects of a file, before some go */
#define NO_HANDLE 0xffffu

struct fx *f;
uint32_t lkeys[1024];
static struct uverbs_file *files[FILES];

struct uobj *pick(const struct uobj_class *class)
{
	struct uobj *found = NULL;
	uint32_t n = 0;

	for (struct uobj *u = f->f->newest; u; u = u->older)
		if (u->class == class && !any(++n))
			found = u;
	return found;
}

uint32_t handle(const struct uobj_class *class)
{
	const struct uobj *u = any(16) ? pick(class) : NULL;

	return u ? u->id : any(8) ? NO_HANDLE : any(64);
}

static void destroy_one(void)
{
	struct uobj *u = f->f->newest;

	for (uint32_t n = any(MANY); u && n; n--)
		u = u->older ? u->older : f->f->newest;
	if (u)
		(void)uobj_destroy(u);
}

static void inject(void)
{
	uint8_t p[64] = {0x01, 0, 0,  0,  0, 0, 2,  0, 0, 0, 0,	 1, 8, 0, 0x45, 0, 0, 50, 0, 0,
			 0,    0, 64, 17, 0, 0, 10, 0, 0, 1, 10, 0, 0, 2, 0,	7, 0, 0,  0, 30};

	memcpy(p, any(2) ? f->v->mac : p, 6);
	p[35] = (uint8_t)any(16);
	p[37] = (uint8_t)any(4);
	(void)port_inject(f->dev->port, p, sizeof(p));
}

static void run(void)
{
	f->now += 1000000;
	for (unsigned int i = 0; i < 4; i++)
		(void)datapath_run(f->dev);
	timers_run(&f->dev->timers, f->now);
}

static void fill_data(uint8_t *seg, const struct queue *q, uint32_t len)
{
	prm_wqe_data_seg_set_byte_count(seg, any(16) ? len : any(1 << 14));
	prm_wqe_data_seg_set_lkey(seg, any(16) ? lkeys[q->pdn % 1024] : any(1 << 16));
	prm_wqe_data_seg_set_addr(seg, (uintptr_t)f->mem + DATA_AT);
}

/* All queues share a ring and a record: it is right for one of them, and its CQ has room. */
static void post_recvs(void)
{
	const struct uverbs_qp *kqp = (struct uverbs_qp *)pick(&qp_class);
	const struct uverbs_wq *kwq = (struct uverbs_wq *)pick(&wq_class);
	uint32_t rqn = kwq && any(2) ? kwq->q.u.number : kqp ? kqp->raw.rqn : 0;
	const struct queue *rq = obj_find(f->v, OBJ_RQ, rqn);

	if (!rq)
		return;
	memset(f->mem + QP_AT, 0, 64 * 64);
	for (unsigned int i = 0; i < 64; i++)
		fill_data(f->mem + QP_AT + 64ul * i, rq, 2048);
	prm_store32(f->mem, QP_DB, rq->rq->ci + any(64));
	prm_store32(f->mem, CQ_DB, rq->rq->cq->pi & 0xffffff);
	if (any(2))
		run();
}

/* A WQE, mostly good, on the SQ of some raw QP; and its doorbell. */
static void send_one(void)
{
	const struct uverbs_qp *kqp = (struct uverbs_qp *)pick(&qp_class);
	const struct queue *q = kqp ? obj_find(f->v, OBJ_SQ, kqp->raw.sqn) : NULL;
	uint8_t *wqe;
	uint64_t db = 0;

	if (!q)
		return;
	wqe = f->mem + SQ_AT + 64ul * (q->sq->ci % 64);
	memset(wqe, 0, 64);
	prm_wqe_ctrl_seg_set_opcode(wqe, PRM_WQE_OPCODE_SEND);
	prm_wqe_ctrl_seg_set_wqe_index(wqe, q->sq->ci);
	prm_wqe_ctrl_seg_set_qpn(wqe, q->o.id);
	prm_wqe_ctrl_seg_set_ds(wqe, any(8) ? 4 : any(64));
	prm_wqe_ctrl_seg_set_ce(wqe, any(4));
	prm_wqe_eth_seg_set_inline_hdr_sz(wqe + 16, any(8) ? 18 : any(1 << 16));
	memcpy(wqe + 30, f->v->mac, 6);
	wqe[42] = 8;
	fill_data(wqe + 48, q, 64);
	prm_store32(f->mem, QP_DB + 4, q->sq->ci + 1u);
	prm_uar_sq_db_set_qpn(&db, q->o.id);
	prm_store32(f->mem, CQ_DB, q->sq->cq->pi & 0xffffff);
	queue_doorbell(f->dev, q->uar, UAR_BF, db);
	if (any(2))
		run();
}

static void reopen(void)
{
	for (unsigned int i = 0; i < FILES; i++) {
		if (files[i] != f->f || any(20))
			continue;
		kernel_close(f->f);
		f->f = files[i] = kernel_open(f->k, f->mm, BLUEFIELD2_HOST);
		assert_non_null(f->f);
		assert_int_equal(fx_context(f, f->f, true), 0);
	}
}

/* A step is chosen as often as it stands here. clang-format would give each a line. */
/* clang-format off */
static void (*const steps[])(void) = {
	make_pd, make_cq, make_qp, make_qp, make_srq, make_wq, make_wq, make_table, make_rss,
	modify_qp, modify_qp, modify_qp, modify_wq, modify_wq, make_matcher, make_matcher,
	make_flow, make_flow, make_flow, make_flow, make_verbs_flow, make_verbs_flow,
	make_counters, make_action, make_anchor, make_devx_counter, make_devx_tir,
	make_devx_flow_table, make_umem, make_devx_number, make_devx_number, make_devx_tis,
	make_devx_mkey, make_devx_cq, make_devx_queue, make_devx_queue, make_devx_qp, modify_devx,
	modify_devx, make_dm, make_dm_mr, any_request, any_request, any_request, any_request,
	any_request, make_channel, destroy_one, destroy_one, destroy_one, destroy_one,
	destroy_one, destroy_one, inject, inject, inject, inject, post_recvs, send_one, send_one,
	run, run, reopen,
};
/* clang-format on */

static uint32_t living(void)
{
	uint32_t n = 0;

	for (const struct uobj *u = f->f->newest; u; u = u->older)
		n++;
	return n;
}

static void no_bugs(void)
{
	off_t size = lseek(f->log, 0, SEEK_END);
	const char *log, *bug;

	if (!size)
		return;
	log = mmap(NULL, (size_t)size, PROT_READ, MAP_PRIVATE, f->log, 0);
	assert_true(log != MAP_FAILED);
	bug = memmem(log, (size_t)size, "bug in the device", 17);
	if (bug)
		fail_msg("%.*s", (int)strcspn(bug, "\n"), bug);
	munmap((void *)(uintptr_t)log, (size_t)size);
}

/* Anchors stay, as in the kernel: tables and groups. */
static void count_objects(uint32_t n[OBJ_NTYPES])
{
	for (unsigned int t = 0; t < OBJ_NTYPES; t++)
		n[t] = t == OBJ_FLOW_TABLE || t == OBJ_FLOW_GROUP ? 0 : obj_count(f->v, t);
}

static void run_programs(void)
{
	uint32_t before[OBJ_NTYPES], after[OBJ_NTYPES];

	memset(lkeys, 0, sizeof(lkeys));
	kernel_close(f->f);
	count_objects(before);
	for (unsigned int i = 0; i < FILES; i++) {
		files[i] = kernel_open(f->k, f->mm, BLUEFIELD2_HOST);
		assert_non_null(files[i]);
		assert_int_equal(fx_context(f, files[i], true), 0);
	}
	while (fuzz_more()) {
		f->f = files[any(FILES)];
		if (living() > MANY)
			destroy_one();
		else
			steps[any(sizeof(steps) / sizeof(steps[0]))]();
	}
	for (unsigned int i = 0; i < FILES; i++)
		kernel_close(files[i]);
	f->f = NULL;
	run();
	no_bugs();
	assert_null(f->v->flow_root[0]);
	assert_null(f->v->flow_root[1]);
	count_objects(after);
	assert_memory_equal(before, after, sizeof(before));
	f->objects = fx_objects(f);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t len)
{
	void *state;

	fuzz_begin(bytes, len);
	fx_setup(&state);
	f = state;
	run_programs();
	fx_teardown(&state);
	return 0;
}

const struct fuzz_target fuzz_target = {.inputs = 80, .longest = 1 << 14};
