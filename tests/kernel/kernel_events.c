/* SPDX-License-Identifier: BSD-2-Clause */
/* Proves events of verbs, from an EQE to the bytes that a program reads from a FD. */
#include <fcntl.h>
#include <unistd.h>
#include <dvx/prm/cmd.h>
#include "events_rig.h"
#include "kernel/core/cmd.h"
#include "obj/cq.h"

static int comp_fd(struct fx *f)
{
	const struct ib_uverbs_create_comp_channel in = {0};

	return fx_fd(
		f, UVERBS_OBJECT_DEVICE, UVERBS_METHOD_INVOKE_WRITE,
		RQ_ARGS(A_VALUE(UVERBS_ATTR_WRITE_CMD, IB_USER_VERBS_CMD_CREATE_COMP_CHANNEL, 8),
			A_IN(UVERBS_ATTR_CORE_IN, &in, sizeof(in)),
			A_OUT(UVERBS_ATTR_CORE_OUT, NULL, 4)));
}

/* Makes a CQ on a channel. */
static uint32_t cq_on(struct fx *f, int fd, uint64_t user_handle, uint32_t *cqn)
{
	struct mlx5_ib_create_cq u;
	struct request r;

	fx_fill_cq(f, &r, &u, 127);
	rq_attr(&r, UVERBS_ATTR_CREATE_CQ_USER_HANDLE)->data = user_handle;
	rq_handle(&r, UVERBS_ATTR_CREATE_CQ_COMP_CHANNEL, fx_inode(fd));
	return rq_create(f, &r, &u, sizeof(u), UVERBS_ATTR_UHW_OUT, cqn);
}

static struct ib_uverbs_destroy_cq_resp destroy_cq(struct fx *f, uint32_t handle)
{
	struct ib_uverbs_destroy_cq_resp resp;

	assert_int_equal(FX_CALL(f, UVERBS_OBJECT_CQ, UVERBS_METHOD_CQ_DESTROY,
				 A_HANDLE(UVERBS_ATTR_DESTROY_CQ_HANDLE, handle),
				 A_OUT(UVERBS_ATTR_DESTROY_CQ_RESP, &resp, sizeof(resp))),
			 0);
	return resp;
}

static uint64_t read_comp(int fd)
{
	struct ib_uverbs_comp_event_desc d;

	assert_int_equal(read(fd, &d, sizeof(d)), sizeof(d));
	return d.cq_handle;
}

/* Reads a completion or asynchronous event; returns the CQ's handle. */
static uint64_t read_handle(int fd, bool async)
{
	struct ib_uverbs_async_event_desc d;

	if (!async)
		return read_comp(fd);
	assert_int_equal(read(fd, &d, sizeof(d)), sizeof(d));
	return d.element;
}

/* Lets the chip send what did not fit into a pipe before. */
static void millisecond(struct fx *f)
{
	f->now += 1000000;
	timers_run(&f->dev->timers, f->now);
}

/* Proves with two CQs on a channel that events name their CQ, and one read() returns one event. */
TEST(fx, completions)
{
	int fd = comp_fd(f);
	uint64_t both[2];
	uint32_t cqn[2];

	cq_on(f, fd, 111, &cqn[0]);
	cq_on(f, fd, 222, &cqn[1]);
	assert_empty(fd);
	fire(f, PRM_EVENT_COMP, cqn[1]);
	fire(f, PRM_EVENT_COMP, cqn[0]);
	fire(f, PRM_EVENT_COMP, cqn[0] + 100);
	assert_int_equal(read(fd, both, sizeof(both)), 8);
	assert_int_equal(both[0], 222);
	assert_int_equal(read_comp(fd), 111);
	assert_empty(fd);
	close(fd);
}

/* Proves that a destroyed CQ reports how many events were read, and that unread ones vanish. */
TEST(fx, purge)
{
	int fd = comp_fd(f);
	uint32_t cqn[2], handle[2];

	handle[0] = cq_on(f, fd, 111, &cqn[0]);
	handle[1] = cq_on(f, fd, 222, &cqn[1]);
	for (unsigned int i = 0; i < 3; i++) {
		fire(f, PRM_EVENT_COMP, cqn[0]);
		fire(f, PRM_EVENT_COMP, cqn[1]);
	}
	assert_int_equal(read_comp(fd), 111);
	assert_int_equal(read_comp(fd), 222);
	assert_int_equal(read_comp(fd), 111);
	assert_int_equal(destroy_cq(f, handle[0]).comp_events_reported, 2);
	assert_int_equal(read_comp(fd), 222);
	assert_int_equal(read_comp(fd), 222);
	assert_empty(fd);
	assert_int_equal(destroy_cq(f, handle[1]).comp_events_reported, 3);
	close(fd);
}

static const struct {
	uint8_t event;
	const char *order;	  /* a digit for each event: the number of its CQ */
	unsigned int reported[3]; /* by each CQ: the program reads event 2 during the purge */
	const char *left;	  /* events that are left when CQ 1 is destroyed */
} races[] = {
	{PRM_EVENT_COMP, "01202", {2, 1, 2}, "0202"},
	{PRM_EVENT_COMP, "10", {1, 0, 0}, ""},
	{PRM_EVENT_COMP, "0011", {2, 0, 0}, "0"},
	{PRM_EVENT_CQ_ERROR, "01202", {2, 1, 2}, "0202"},
	{PRM_EVENT_CQ_ERROR, "2101", {1, 1, 1}, "20"},
};

/* Proves that each event is read or vanishes with its CQ, also if program and chip read at once. */
TEST(fx, purge_while_program_reads)
{
	for (size_t i = 0; i < sizeof(races) / sizeof(races[0]); i++) {
		bool async = races[i].event == PRM_EVENT_CQ_ERROR;
		int fd = async ? fx_async_fd(f) : comp_fd(f), comp = async ? comp_fd(f) : fd;
		uint32_t cqn[3], cq[3];

		for (uint32_t k = 0; k < 3; k++)
			cq[k] = cq_on(f, comp, 100 + k, &cqn[k]);
		for (const char *c = races[i].order; *c; c++)
			fire(f, races[i].event, cqn[*c - '0']);
		reader.fd = fd;
		for (unsigned int k = 1; k < 4; k++) {
			struct ib_uverbs_destroy_cq_resp resp = destroy_cq(f, cq[k % 3]);

			assert_int_equal(async ? resp.async_events_reported
					       : resp.comp_events_reported,
					 races[i].reported[k % 3]);
			assert_int_equal(reader.fd, 0);
			for (const char *c = races[i].left; k == 1 && *c; c++)
				assert_int_equal(read_handle(fd, async),
						 100 + (uint64_t)(*c - '0'));
		}
		assert_int_equal(reader.words[0], 100 + (uint64_t)(races[i].order[1] - '0'));
		assert_empty(fd);
		close(fd);
		close(comp);
	}
}

/* Proves that a purge is complete although the program enlarged the pipe beyond sent[]. */
TEST(fx, enlarged)
{
	int fd = comp_fd(f);
	uint32_t cqn[2], handle;

	handle = cq_on(f, fd, 111, &cqn[0]);
	cq_on(f, fd, 222, &cqn[1]);
	assert_true(fcntl(fd, F_SETPIPE_SZ, 1 << 18) >= 1 << 18);
	for (unsigned int i = 0; i < 60; i++)
		fire(f, PRM_EVENT_COMP, cqn[i % 2]);
	assert_int_equal(destroy_cq(f, handle).comp_events_reported, 0);
	for (unsigned int i = 0; i < 30; i++) {
		if (i % 10 == 0)
			millisecond(f);
		assert_int_equal(read_comp(fd), 222);
	}
	assert_empty(fd);
	close(fd);
}

/* Proves that events of a queue which the firmware did not destroy at close() are dropped. */
TEST(fx, outlives_its_program)
{
	int fd = comp_fd(f);
	uint32_t cqn, uar;
	uint16_t uid;
	void *hw;

	cq_on(f, fd, 111, &cqn);
	hw = obj_find(f->v, OBJ_CQ, cqn);
	uid = ((struct obj *)hw)->uid;
	uar = ((struct cq *)hw)->uar;
	obj_get(hw);
	kernel_close(f->f);
	f->f = NULL;
	assert_ptr_equal(obj_find(f->v, OBJ_CQ, cqn), hw);
	fire(f, PRM_EVENT_COMP, cqn);
	for (size_t i = 0; i < sizeof(f->k->refs) / sizeof(f->k->refs[0]); i++)
		assert_null(f->k->refs[i]);
	close(fd);
	obj_put(hw);
	assert_int_equal(mbox_destroy(f->v, PRM_OPCODE_DESTROY_CQ, uid, cqn), 0);
	assert_int_equal(mbox_destroy(f->v, PRM_OPCODE_DEALLOC_UAR, uid, uar), 0);
}

/* Proves that events to a program that does not read block nothing, and keep their order. */
TEST(fx, full)
{
	int fd = comp_fd(f);
	uint32_t cqn[2], handle;

	handle = cq_on(f, fd, 111, &cqn[0]);
	cq_on(f, fd, 222, &cqn[1]);
	for (unsigned int i = 0; i < 100; i++)
		fire(f, PRM_EVENT_COMP, cqn[i % 2]);
	for (unsigned int i = 0; i < 60; i++) {
		if (i % 10 == 0)
			millisecond(f);
		assert_int_equal(read_comp(fd), i % 2 ? 222 : 111);
	}
	assert_int_equal(destroy_cq(f, handle).comp_events_reported, 30);
	for (unsigned int i = 0; i < 20; i++) {
		millisecond(f);
		assert_int_equal(read_comp(fd), 222);
	}
	assert_empty(fd);
	close(fd);
}

/* Proves that a closed channel accepts any number of events, which count as unread. */
TEST(fx, closed)
{
	int fd = comp_fd(f);
	uint32_t cqn, handle = cq_on(f, fd, 111, &cqn);

	fire(f, PRM_EVENT_COMP, cqn);
	assert_int_equal(read_comp(fd), 111);
	close(fd);
	for (unsigned int i = 0; i < 40; i++)
		fire(f, PRM_EVENT_COMP, cqn);
	assert_int_equal(destroy_cq(f, handle).comp_events_reported, 1);
	close(comp_fd(f));
	close(comp_fd(f));
}

/* Proves that each representor's port has its event when the link changes. */
TEST(switchdev, ports)
{
	int fd = fx_async_fd(f);

	fire(f, PRM_EVENT_PORT_CHANGE, 0);
	for (uint64_t port = 1; port <= 3; port++)
		assert_int_equal(read_handle(fd, true), port);
	assert_empty(fd);
}

/* Proves that asynchronous events have the event types of verbs and the program's user handles. */
TEST(fx, async)
{
	int fd = fx_async_fd(f);
	struct ib_uverbs_async_event_desc d;
	uint32_t cqn, qpn, reported, cq = fx_cq(f, &cqn), qp = fx_qp(f, fx_pd(f), cq, &qpn);

	fire(f, PRM_EVENT_CQ_ERROR, cqn);
	fire(f, PRM_EVENT_WQ_CATAS_ERROR, qpn);
	fire(f, PRM_EVENT_WQ_ACCESS_ERROR, qpn);
	assert_int_equal(read(fd, &d, sizeof(d)), sizeof(d));
	assert_int_equal(d.event_type, 0);
	assert_int_equal(d.element, FX_CQ_HANDLE);
	assert_int_equal(read(fd, &d, sizeof(d)), sizeof(d));
	assert_int_equal(d.event_type, 1);
	assert_int_equal(d.element, 0xbeef);
	assert_int_equal(FX_CALL(f, UVERBS_OBJECT_QP, UVERBS_METHOD_QP_DESTROY,
				 A_HANDLE(UVERBS_ATTR_DESTROY_QP_HANDLE, qp),
				 A_OUT(UVERBS_ATTR_DESTROY_QP_RESP, &reported, 4)),
			 0);
	assert_int_equal(reported, 1);
	assert_empty(fd);
	assert_int_equal(destroy_cq(f, cq).async_events_reported, 1);
	close(fd);
}

/* Proves the refusal of FDs that are no channel of this file, or of another kind. */
TEST(fx, wrong_fd)
{
	int fd = fx_async_fd(f), plain = open("/dev/null", O_RDONLY);
	const int fds[] = {fd, plain};

	for (unsigned int i = 0; i < 2; i++) {
		struct mlx5_ib_create_cq u;
		struct request r;

		fx_fill_cq(f, &r, &u, 127);
		rq_handle(&r, UVERBS_ATTR_CREATE_CQ_COMP_CHANNEL, fx_inode(fds[i]));
		assert_int_equal(rq_run_with(f, &r, &u, sizeof(u)), -EBADF);
		rq_done(&r);
	}
	close(fd);
	close(plain);
}
