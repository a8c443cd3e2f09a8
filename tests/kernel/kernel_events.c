/* SPDX-License-Identifier: BSD-2-Clause */
/* Proves events, from an EQE to the bytes that a program reads from a FD. */
#include <fcntl.h>
#include <sys/eventfd.h>
#include <unistd.h>
#include <dvx/prm/cmd.h>
#include <dvx/prm/cq.h>
#include <dvx/prm/eqe.h>
#include "kernel_fixture.h"
#include "kernel/core/channel.h"
#include "kernel/core/cmd.h"
#include "obj/cq.h"

/* The program. It reads reader.fd right after the chip has taken back the first packet. */
static struct {
	int fd; /* 0: does not read */
	uint64_t words[2];
} reader;

ssize_t __real_read(int fd, void *buf, size_t n);
ssize_t __wrap_read(int fd, void *buf, size_t n);
ssize_t __wrap___read_chk(int fd, void *buf, size_t n, size_t room);

ssize_t __wrap_read(int fd, void *buf, size_t n)
{
	ssize_t got = __real_read(fd, buf, n);
	int program = reader.fd;

	reader.fd = 0;
	if (program)
		assert_true(__real_read(program, reader.words, sizeof(reader.words)) > 0);
	return got;
}

ssize_t __wrap___read_chk(int fd, void *buf, size_t n, size_t room)
{
	(void)room;
	return __wrap_read(fd, buf, n);
}

static void fire(struct fx *f, uint8_t type, uint32_t number)
{
	uint8_t eqe[PRM_EQE_BYTES] = {0};

	prm_eqe_set_type(eqe, type);
	if (type == PRM_EVENT_CQ_ERROR)
		prm_eqe_set_cq_err_cqn(eqe, number);
	else
		prm_eqe_set_cqn(eqe, number); /* same field as a QP's number */
	kernel_event(f->k, f->v, 0, eqe);
}

static int async_fd(struct fx *f)
{
	return fx_fd(f, UVERBS_OBJECT_ASYNC_EVENT, UVERBS_METHOD_ASYNC_EVENT_ALLOC,
		     RQ_ARGS(A_NEW(UVERBS_ATTR_ASYNC_EVENT_ALLOC_FD_HANDLE, NULL)));
}

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
	uint32_t handle;

	fx_fill_cq(f, &r, &u, 127);
	rq_attr(&r, UVERBS_ATTR_CREATE_CQ_USER_HANDLE)->data = user_handle;
	rq_handle(&r, UVERBS_ATTR_CREATE_CQ_COMP_CHANNEL, fx_inode(fd));
	assert_int_equal(rq_run_with(f, &r, &u, sizeof(u)), 0);
	handle = rq_new(&r);
	*cqn = rq_u32(&r, UVERBS_ATTR_UHW_OUT);
	rq_done(&r);
	return handle;
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

static void assert_empty(int fd)
{
	char c;

	assert_int_equal(read(fd, &c, 1), -1);
	assert_int_equal(errno, EAGAIN);
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
		int fd = async ? async_fd(f) : comp_fd(f), comp = async ? comp_fd(f) : fd;
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
		if (i % 10 == 0) {
			f->now += 1000000;
			timers_run(&f->dev->timers, f->now);
		}
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
		if (i % 10 == 0) {
			f->now += 1000000;
			timers_run(&f->dev->timers, f->now);
		}
		assert_int_equal(read_comp(fd), i % 2 ? 222 : 111);
	}
	assert_int_equal(destroy_cq(f, handle).comp_events_reported, 30);
	for (unsigned int i = 0; i < 20; i++) {
		f->now += 1000000;
		timers_run(&f->dev->timers, f->now);
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

/* Proves that asynchronous events have the event types of verbs and the program's user handles. */
TEST(fx, async)
{
	int fd = async_fd(f);
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
	int fd = async_fd(f), plain = open("/dev/null", O_RDONLY);
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

/* --- DevX ------------------------------------------------------------------------------------ */

static int devx_fd(struct fx *f, uint64_t flags)
{
	return fx_fd(f, MLX5_IB_OBJECT_DEVX_ASYNC_EVENT_FD,
		     MLX5_IB_METHOD_DEVX_ASYNC_EVENT_FD_ALLOC,
		     RQ_ARGS(A_NEW(MLX5_IB_ATTR_DEVX_ASYNC_EVENT_FD_ALLOC_HANDLE, NULL),
			     A_VALUE(MLX5_IB_ATTR_DEVX_ASYNC_EVENT_FD_ALLOC_FLAGS, flags, 4)));
}

static int subscribe(struct fx *f, int fd, const uint32_t *obj, uint64_t cookie,
		     const uint16_t *types, unsigned int n)
{
	return FX_CALL(f, MLX5_IB_OBJECT_DEVX, MLX5_IB_METHOD_DEVX_SUBSCRIBE_EVENT,
		       A_HANDLE(MLX5_IB_ATTR_DEVX_SUBSCRIBE_EVENT_FD_HANDLE, fx_inode(fd)),
		       obj ? A_HANDLE(MLX5_IB_ATTR_DEVX_SUBSCRIBE_EVENT_OBJ_HANDLE, *obj) : A_NONE,
		       A_IN(MLX5_IB_ATTR_DEVX_SUBSCRIBE_EVENT_TYPE_NUM_LIST, types, 2ull * n),
		       A_VALUE(MLX5_IB_ATTR_DEVX_SUBSCRIBE_EVENT_COOKIE, cookie, 8));
}

static int subscribe_eventfd(struct fx *f, int fd, uint32_t obj, uint16_t type, int number,
			     bool cookie)
{
	return FX_CALL(f, MLX5_IB_OBJECT_DEVX, MLX5_IB_METHOD_DEVX_SUBSCRIBE_EVENT,
		       A_HANDLE(MLX5_IB_ATTR_DEVX_SUBSCRIBE_EVENT_FD_HANDLE, fx_inode(fd)),
		       A_HANDLE(MLX5_IB_ATTR_DEVX_SUBSCRIBE_EVENT_OBJ_HANDLE, obj),
		       A_IN(MLX5_IB_ATTR_DEVX_SUBSCRIBE_EVENT_TYPE_NUM_LIST, &type, sizeof(type)),
		       A_VALUE(MLX5_IB_ATTR_DEVX_SUBSCRIBE_EVENT_FD_NUM, (uint32_t)number, 4),
		       cookie ? A_VALUE(MLX5_IB_ATTR_DEVX_SUBSCRIBE_EVENT_COOKIE, 1, 8) : A_NONE);
}

/* Makes a CQ by DevX; returns its handle and number. */
static uint32_t devx_cq(struct fx *f, uint32_t *cqn)
{
	uint8_t in[PRM_CREATE_CQ_IN_BYTES] = {0}, out[16];
	void *cqc = prm_create_cq_in_at_cq_context(in);
	uint32_t umem, handle, eqn;

	assert_int_equal(fx_umem(f, (struct fx_umem){f->mem, 0x10000, 1, 0}, NULL, &umem), 0);
	assert_int_equal(FX_CALL(f, MLX5_IB_OBJECT_DEVX, MLX5_IB_METHOD_DEVX_QUERY_EQN,
				 A_VALUE(MLX5_IB_ATTR_DEVX_QUERY_EQN_USER_VEC, 0, 4),
				 A_OUT(MLX5_IB_ATTR_DEVX_QUERY_EQN_DEV_EQN, &eqn, 4)),
			 0);
	prm_create_cq_in_set_opcode(in, PRM_OPCODE_CREATE_CQ);
	prm_create_cq_in_set_cq_umem_id(in, umem);
	prm_cqc_set_dbr_umem_id(cqc, umem);
	prm_cqc_set_dbr_addr(cqc, 0x8000);
	prm_cqc_set_log_cq_size(cqc, 6);
	prm_cqc_set_uar_page(cqc, fx_uar(f));
	prm_cqc_set_c_eqn_or_apu_element(cqc, eqn);
	assert_int_equal(fx_devx_create(f, in, sizeof(in), out, sizeof(out), &handle), 0);
	*cqn = prm_create_cq_out_get_cqn(out);
	return handle;
}

/*
 * Proves that a channel with data gets the cookie and the EQE of each event that is subscribed to.
 */
TEST(fx, devx_with_data)
{
	int fd = devx_fd(f, 0);
	const uint16_t types[] = {PRM_EVENT_COMP, PRM_EVENT_CQ_ERROR};
	uint8_t event[128];
	uint32_t cqn, cq = devx_cq(f, &cqn);
	uint64_t cookie;

	assert_int_equal(subscribe(f, fd, &cq, 0x1122334455667788, types, 1), 0);
	fire(f, PRM_EVENT_COMP, cqn);
	fire(f, PRM_EVENT_COMP, cqn);
	fire(f, PRM_EVENT_COMP, cqn + 1);
	fire(f, PRM_EVENT_CQ_ERROR, cqn);
	for (unsigned int i = 0; i < 2; i++) {
		assert_int_equal(read(fd, event, sizeof(event)), 8 + PRM_EQE_BYTES);
		memcpy(&cookie, event, sizeof(cookie));
		assert_int_equal(cookie, 0x1122334455667788);
		assert_int_equal(prm_eqe_get_cqn(event + 8), cqn);
	}
	assert_empty(fd);
	assert_int_equal(subscribe(f, fd, &cq, 1, types + 1, 1), 0);
	fire(f, PRM_EVENT_CQ_ERROR, cqn);
	assert_int_equal(read(fd, event, sizeof(event)), 8 + PRM_EQE_BYTES);
	assert_int_equal(prm_eqe_get_type(event + 8), PRM_EVENT_CQ_ERROR);
	close(fd);
}

/* Proves that a subscription may raise an eventfd, which the program may fill and never read. */
TEST(fx, devx_eventfd)
{
	const uint64_t full = UINT64_MAX - 1;
	int fd = devx_fd(f, 0), counter = eventfd(0, EFD_CLOEXEC);
	const uint16_t type = PRM_EVENT_COMP;
	uint32_t cqn, cq = devx_cq(f, &cqn);
	uint64_t n;

	assert_true(counter >= 0);
	assert_int_equal(subscribe_eventfd(f, fd, cq, type, counter, false), 0);
	fire(f, PRM_EVENT_COMP, cqn);
	fire(f, PRM_EVENT_COMP, cqn);
	assert_empty(fd);
	assert_int_equal(read(counter, &n, sizeof(n)), sizeof(n));
	assert_int_equal(n, 2);
	assert_int_equal(write(counter, &full, sizeof(full)), sizeof(full));
	fire(f, PRM_EVENT_COMP, cqn);
	fire(f, PRM_EVENT_COMP, cqn);
	assert_int_equal(read(counter, &n, sizeof(n)), sizeof(n));
	assert_true(n == UINT64_MAX);
	FX_REFUSES(f, subscribe_eventfd(f, fd, cq, type, counter, true), -EINVAL, "COOKIE");
	FX_REFUSES(f, subscribe_eventfd(f, fd, cq, type, fd, false), -EINVAL, "no eventfd");
	FX_REFUSES(f, subscribe_eventfd(f, fd, cq, type, -1, false), -EBADF, "FD_NUM");
	FX_REFUSES(f, subscribe_eventfd(f, fd, cq, type, 9999, false), -EBADF, "no eventfd");
	while (!subscribe_eventfd(f, fd, cq, type, counter, false))
		assert_true(f->f->eventfds <= 1024);
	assert_int_equal(f->f->eventfds, 1024);
	/* closing the channel ends its subscriptions */
	close(fd);
	fire(f, PRM_EVENT_COMP, cqn);
	fcntl(counter, F_SETFL, O_NONBLOCK);
	assert_int_equal(read(counter, &n, sizeof(n)), -1);
	fd = devx_fd(f, 0); /* frees closed channels */
	assert_int_equal(f->f->eventfds, 0);
	close(fd);
	close(counter);
}

/* Proves that events of a closed DevX channel are not kept: no counter needs them. */
TEST(fx, devx_closed)
{
	int fd = devx_fd(f, 0);
	const uint16_t type = PRM_EVENT_COMP;
	uint32_t cqn, cq = devx_cq(f, &cqn);
	const struct channel *c = f->f->channels;

	assert_int_equal(subscribe(f, fd, &cq, 1, &type, 1), 0);
	for (unsigned int i = 0; i < 40; i++)
		fire(f, PRM_EVENT_COMP, cqn);
	assert_true(channel_backlog(c) > 0);
	close(fd);
	for (unsigned int i = 0; i < 40; i++)
		fire(f, PRM_EVENT_COMP, cqn);
	assert_int_equal(channel_backlog(c), 0);
}

/* Proves that a channel without data gets the cookie alone, once until it is read. */
TEST(fx, devx_without_data)
{
	int fd = devx_fd(f, MLX5_IB_UAPI_DEVX_CR_EV_CH_FLAGS_OMIT_DATA);
	const uint16_t type = PRM_EVENT_COMP;
	uint32_t cqn[2], cq[2];
	uint64_t cookie[2];

	for (unsigned int i = 0; i < 2; i++) {
		cq[i] = devx_cq(f, &cqn[i]);
		assert_int_equal(subscribe(f, fd, &cq[i], 10 + i, &type, 1), 0);
	}
	for (unsigned int i = 0; i < 5; i++)
		fire(f, PRM_EVENT_COMP, cqn[0]);
	fire(f, PRM_EVENT_COMP, cqn[1]);
	fire(f, PRM_EVENT_COMP, cqn[0]);
	assert_int_equal(read(fd, cookie, sizeof(cookie)), 8);
	assert_int_equal(cookie[0], 10);
	assert_int_equal(read(fd, cookie, sizeof(cookie)), 8);
	assert_int_equal(cookie[0], 11);
	assert_empty(fd);
	fire(f, PRM_EVENT_COMP, cqn[0]);
	assert_int_equal(read(fd, cookie, sizeof(cookie)), 8);
	/* an object's subscriptions end with it */
	assert_int_equal(fx_devx_destroy(f, cq[0]), 0);
	fire(f, PRM_EVENT_COMP, cqn[0]);
	assert_empty(fd);
	close(fd);
}

/* Proves that no event is lost if the program reads while the chip looks for a pending one. */
TEST(fx, devx_pending_while_program_reads)
{
	int fd = devx_fd(f, MLX5_IB_UAPI_DEVX_CR_EV_CH_FLAGS_OMIT_DATA);
	const uint16_t type = PRM_EVENT_COMP;
	uint32_t cqn[3], cq[3];
	unsigned int times[3] = {0};

	for (unsigned int i = 0; i < 3; i++) {
		cq[i] = devx_cq(f, &cqn[i]);
		assert_int_equal(subscribe(f, fd, &cq[i], i, &type, 1), 0);
		fire(f, PRM_EVENT_COMP, cqn[i]);
	}
	reader.fd = fd;
	fire(f, PRM_EVENT_COMP, cqn[2]);
	times[reader.fd ? 0 : reader.words[0]] += !reader.fd;
	reader.fd = 0;
	for (uint64_t cookie; read(fd, &cookie, sizeof(cookie)) > 0;)
		times[cookie]++;
	for (unsigned int i = 0; i < 3; i++)
		assert_int_equal(times[i], 1);
	close(fd);
}

/* Proves that a removed subscription's unread event does not count as a new subscription's. */
TEST(fx, devx_gone_and_unread)
{
	int fd = devx_fd(f, MLX5_IB_UAPI_DEVX_CR_EV_CH_FLAGS_OMIT_DATA);
	const uint16_t type = PRM_EVENT_COMP;
	uint32_t cqn[2], cq[2];
	uint64_t cookie;

	for (unsigned int i = 0; i < 2; i++)
		cq[i] = devx_cq(f, &cqn[i]);
	for (unsigned int i = 0; i < 2; i++) {
		assert_int_equal(subscribe(f, fd, &cq[i], 10 + i, &type, 1), 0);
		fire(f, PRM_EVENT_COMP, cqn[i]);
		if (!i) /* the next subscription may get its memory */
			assert_int_equal(fx_devx_destroy(f, cq[0]), 0);
	}
	for (unsigned int i = 0; i < 2; i++) {
		assert_int_equal(read(fd, &cookie, sizeof(cookie)), sizeof(cookie));
		assert_int_equal(cookie, 10 + i);
	}
	assert_empty(fd);
	close(fd);
}

/* Proves the refusal of event types that the object lacks, of too many, and of other FDs. */
TEST(fx, devx_refusals)
{
	int fd = devx_fd(f, 0), comp = comp_fd(f);
	uint16_t types[17] = {0};
	uint32_t cqn, cq = devx_cq(f, &cqn);
	const uint32_t stale = 999;

	assert_int_equal(subscribe(f, fd, &cq, 0, types, 17), -EINVAL);
	assert_int_equal(subscribe(f, fd, &stale, 0, types, 1), -ENOENT);
	assert_int_equal(subscribe(f, comp, &cq, 0, types, 1), -EBADF);
	assert_int_equal(subscribe(f, fd, NULL, 0, types, 1), -EINVAL);
	types[0] = PRM_EVENT_PORT_CHANGE;
	assert_int_equal(subscribe(f, fd, NULL, 0, types, 1), 0);
	types[0] = 0x55;
	FX_REFUSES(f, subscribe(f, fd, &cq, 0, types, 1), -EINVAL, "event 0x55");
	close(fd);
	close(comp);
}

/* Proves that an asynchronous query's answer has the program's number. */
TEST(fx, devx_async_query)
{
	uint8_t in[PRM_QUERY_CQ_IN_BYTES] = {0}, answer[512];
	uint32_t cqn, cq = devx_cq(f, &cqn);
	uint64_t wr_id;
	int fd = fx_fd(f, MLX5_IB_OBJECT_DEVX_ASYNC_CMD_FD, MLX5_IB_METHOD_DEVX_ASYNC_CMD_FD_ALLOC,
		       RQ_ARGS(A_NEW(MLX5_IB_ATTR_DEVX_ASYNC_CMD_FD_ALLOC_HANDLE, NULL)));
	static const unsigned int lens[] = {8, PRM_QUERY_CQ_OUT_BYTES, 5000};

	prm_query_cq_in_set_opcode(in, PRM_OPCODE_QUERY_CQ);
	prm_query_cq_in_set_cqn(in, cqn);
	for (unsigned int i = 0; i < 3; i++)
		assert_int_equal(
			FX_CALL(f, MLX5_IB_OBJECT_DEVX_OBJ, MLX5_IB_METHOD_DEVX_OBJ_ASYNC_QUERY,
				A_HANDLE(MLX5_IB_ATTR_DEVX_OBJ_QUERY_ASYNC_HANDLE, cq),
				A_IN(MLX5_IB_ATTR_DEVX_OBJ_QUERY_ASYNC_CMD_IN, in, sizeof(in)),
				A_HANDLE(MLX5_IB_ATTR_DEVX_OBJ_QUERY_ASYNC_FD, fx_inode(fd)),
				A_VALUE(MLX5_IB_ATTR_DEVX_OBJ_QUERY_ASYNC_WR_ID, 77, 8),
				A_VALUE(MLX5_IB_ATTR_DEVX_OBJ_QUERY_ASYNC_OUT_LEN, lens[i], 8)),
			i == 1 ? 0 : -EINVAL);
	assert_int_equal(read(fd, answer, sizeof(answer)), 8 + PRM_QUERY_CQ_OUT_BYTES);
	memcpy(&wr_id, answer, sizeof(wr_id));
	assert_int_equal(wr_id, 77);
	assert_int_equal(prm_mbox_out_get_status(answer + 8), 0);
	assert_int_equal(prm_cqc_get_log_cq_size(prm_query_cq_out_cat_cq_context(answer + 8)), 6);
	close(fd);
}

/*
 * Makes many subscriptions beside another program's events, for crowd.sh, which counts their cost.
 */
TEST(fx, many_subscriptions)
{
	const uint16_t type = PRM_EVENT_COMP;
	int fd = devx_fd(f, 0);
	uint32_t cqn[2], theirs = devx_cq(f, &cqn[0]);

	(void)devx_cq(f, &cqn[1]);
	for (unsigned int i = 0; i < 10000; i++)
		assert_int_equal(subscribe(f, fd, &theirs, i, &type, 1), 0);
	for (unsigned int i = 0; i < 20000; i++)
		fire(f, PRM_EVENT_COMP, cqn[1]);
	close(fd);
}
