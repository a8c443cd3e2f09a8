/* SPDX-License-Identifier: BSD-2-Clause */
/* Events: from an EQE to what a program reads from a FD. */
#include "tests/test.h"
#include <errno.h>
#include <fcntl.h>
#include <unistd.h>
#include <dvx/prm/cmd.h>
#include <dvx/prm/cq.h>
#include <dvx/prm/eqe.h>
#include "kernel_fixture.h"
#include "kernel/core/channel.h"

#define TEST_FIXTURE {fx_setup, fx_teardown}

static void fire(struct fx *f, uint8_t type, uint32_t number)
{
	uint8_t eqe[PRM_EQE_BYTES] = {0};

	prm_eqe_set_type(eqe, type);
	if (type == PRM_EVENT_CQ_ERROR)
		prm_eqe_set_cq_err_cqn(eqe, number);
	else
		prm_eqe_set_cqn(eqe, number); /* the same place for QPs */
	kernel_event(f->k, f->v, 0, eqe);
}

static int async_fd(struct fx *f)
{
	struct request r;
	int fd;

	rq_init(&r, UVERBS_OBJECT_ASYNC_EVENT, UVERBS_METHOD_ASYNC_EVENT_ALLOC);
	rq_handle(&r, UVERBS_ATTR_ASYNC_EVENT_ALLOC_FD_HANDLE, 0);
	assert_int_equal(rq_run(f, &r), 0);
	fd = rq_take_fd(&r);
	rq_done(&r);
	fcntl(fd, F_SETFL, O_NONBLOCK);
	return fd;
}

static int comp_fd(struct fx *f)
{
	const struct ib_uverbs_create_comp_channel in = {0};
	struct request r;
	int fd;

	rq_init(&r, UVERBS_OBJECT_DEVICE, UVERBS_METHOD_INVOKE_WRITE);
	rq_value(&r, UVERBS_ATTR_WRITE_CMD, IB_USER_VERBS_CMD_CREATE_COMP_CHANNEL, 8);
	rq_in(&r, UVERBS_ATTR_CORE_IN, &in, sizeof(in));
	rq_out(&r, UVERBS_ATTR_CORE_OUT, 4);
	assert_int_equal(rq_run(f, &r), 0);
	fd = rq_take_fd(&r);
	rq_done(&r);
	fcntl(fd, F_SETFL, O_NONBLOCK);
	return fd;
}

/* A CQ on a channel. */
static uint32_t cq_on(struct fx *f, int fd, uint64_t user_handle, uint32_t *cqn)
{
	struct mlx5_ib_create_cq u;
	struct request r;
	uint32_t handle;

	fx_fill_cq(f, &r, &u, 127);
	rq_attr(&r, UVERBS_ATTR_CREATE_CQ_USER_HANDLE)->data = user_handle;
	rq_in(&r, UVERBS_ATTR_UHW_IN, &u, sizeof(u));
	rq_handle(&r, UVERBS_ATTR_CREATE_CQ_COMP_CHANNEL, fx_inode(fd));
	assert_int_equal(rq_run(f, &r), 0);
	handle = (uint32_t)rq_attr(&r, UVERBS_ATTR_CREATE_CQ_HANDLE)->data;
	*cqn = rq_u32(&r, UVERBS_ATTR_UHW_OUT);
	rq_done(&r);
	return handle;
}

static struct ib_uverbs_destroy_cq_resp destroy_cq(struct fx *f, uint32_t handle)
{
	struct ib_uverbs_destroy_cq_resp resp;
	struct request r;

	rq_init(&r, UVERBS_OBJECT_CQ, UVERBS_METHOD_CQ_DESTROY);
	rq_handle(&r, UVERBS_ATTR_DESTROY_CQ_HANDLE, handle);
	rq_out(&r, UVERBS_ATTR_DESTROY_CQ_RESP, sizeof(resp));
	assert_int_equal(rq_run(f, &r), 0);
	memcpy(&resp, rq_attr(&r, UVERBS_ATTR_DESTROY_CQ_RESP)->out, sizeof(resp));
	rq_done(&r);
	return resp;
}

static uint64_t read_comp(int fd)
{
	struct ib_uverbs_comp_event_desc d;

	assert_int_equal(read(fd, &d, sizeof(d)), sizeof(d));
	return d.cq_handle;
}

static void assert_empty(int fd)
{
	char c;

	assert_int_equal(read(fd, &c, 1), -1);
	assert_int_equal(errno, EAGAIN);
}

/* Two CQs on one channel: each event names its CQ, one read() is one event. */
TEST_F(completions)
{
	struct fx *f = *state;
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

/* A destroyed CQ's events: what was read is reported, what wasn't never will be. */
TEST_F(purge)
{
	struct fx *f = *state;
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

/* A program that does not read: nothing blocks, nothing is lost, nothing changes its order. */
TEST_F(full)
{
	struct fx *f = *state;
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

/* A channel that the program has closed takes events without end, and they count as unread. */
TEST_F(closed)
{
	struct fx *f = *state;
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

/* Asynchronous events of CQs and QPs: the verbs' numbers, the program's own handles. */
TEST_F(async)
{
	struct fx *f = *state;
	int fd = async_fd(f);
	struct ib_uverbs_async_event_desc d;
	uint32_t cqn, qpn, cq = fx_cq(f, &cqn), qp = fx_qp(f, fx_pd(f), cq, &qpn);
	struct request r;

	fire(f, PRM_EVENT_CQ_ERROR, cqn);
	fire(f, PRM_EVENT_WQ_CATAS_ERROR, qpn);
	fire(f, PRM_EVENT_WQ_ACCESS_ERROR, qpn);
	assert_int_equal(read(fd, &d, sizeof(d)), sizeof(d));
	assert_int_equal(d.event_type, 0);
	assert_int_equal(d.element, FX_CQ_HANDLE);
	assert_int_equal(read(fd, &d, sizeof(d)), sizeof(d));
	assert_int_equal(d.event_type, 1);
	assert_int_equal(d.element, 0xbeef);
	rq_init(&r, UVERBS_OBJECT_QP, UVERBS_METHOD_QP_DESTROY);
	rq_handle(&r, UVERBS_ATTR_DESTROY_QP_HANDLE, qp);
	rq_out(&r, UVERBS_ATTR_DESTROY_QP_RESP, 4);
	assert_int_equal(rq_run(f, &r), 0);
	assert_int_equal(rq_u32(&r, UVERBS_ATTR_DESTROY_QP_RESP), 1);
	rq_done(&r);
	assert_empty(fd);
	assert_int_equal(destroy_cq(f, cq).async_events_reported, 1);
	close(fd);
}

/* A FD that is no channel of this file, or one of another kind. */
TEST_F(wrong_fd)
{
	struct fx *f = *state;
	int fd = async_fd(f), plain = open("/dev/null", O_RDONLY);
	const int fds[] = {fd, plain};

	for (unsigned int i = 0; i < 2; i++) {
		struct mlx5_ib_create_cq u;
		struct request r;

		fx_fill_cq(f, &r, &u, 127);
		rq_in(&r, UVERBS_ATTR_UHW_IN, &u, sizeof(u));
		rq_handle(&r, UVERBS_ATTR_CREATE_CQ_COMP_CHANNEL, fx_inode(fds[i]));
		assert_int_equal(rq_run(f, &r), -EBADF);
		rq_done(&r);
	}
	close(fd);
	close(plain);
}

/* --- DevX ------------------------------------------------------------------------------------ */

static int devx_fd(struct fx *f, uint64_t flags)
{
	struct request r;
	int fd;

	rq_init(&r, MLX5_IB_OBJECT_DEVX_ASYNC_EVENT_FD, MLX5_IB_METHOD_DEVX_ASYNC_EVENT_FD_ALLOC);
	rq_handle(&r, MLX5_IB_ATTR_DEVX_ASYNC_EVENT_FD_ALLOC_HANDLE, 0);
	rq_value(&r, MLX5_IB_ATTR_DEVX_ASYNC_EVENT_FD_ALLOC_FLAGS, flags, 4);
	assert_int_equal(rq_run(f, &r), 0);
	fd = rq_take_fd(&r);
	rq_done(&r);
	fcntl(fd, F_SETFL, O_NONBLOCK);
	return fd;
}

static int subscribe(struct fx *f, int fd, const uint32_t *obj, uint64_t cookie,
		     const uint16_t *types, unsigned int n)
{
	struct request r;
	int err;

	rq_init(&r, MLX5_IB_OBJECT_DEVX, MLX5_IB_METHOD_DEVX_SUBSCRIBE_EVENT);
	rq_handle(&r, MLX5_IB_ATTR_DEVX_SUBSCRIBE_EVENT_FD_HANDLE, fx_inode(fd));
	if (obj)
		rq_handle(&r, MLX5_IB_ATTR_DEVX_SUBSCRIBE_EVENT_OBJ_HANDLE, *obj);
	rq_in(&r, MLX5_IB_ATTR_DEVX_SUBSCRIBE_EVENT_TYPE_NUM_LIST, types, 2ull * n);
	rq_value(&r, MLX5_IB_ATTR_DEVX_SUBSCRIBE_EVENT_COOKIE, cookie, 8);
	err = rq_run(f, &r);
	rq_done(&r);
	return err;
}

/* A CQ by DevX: handle and number. */
static uint32_t devx_cq(struct fx *f, uint32_t *cqn)
{
	uint8_t in[PRM_CREATE_CQ_IN_BYTES] = {0};
	void *cqc = prm_create_cq_in_at_cq_context(in);
	struct request r, u;
	uint32_t umem, handle;

	rq_init(&u, MLX5_IB_OBJECT_DEVX_UMEM, MLX5_IB_METHOD_DEVX_UMEM_REG);
	rq_handle(&u, MLX5_IB_ATTR_DEVX_UMEM_REG_HANDLE, 0);
	rq_value(&u, MLX5_IB_ATTR_DEVX_UMEM_REG_ADDR, (uintptr_t)f->mem, 8);
	rq_value(&u, MLX5_IB_ATTR_DEVX_UMEM_REG_LEN, 0x10000, 8);
	rq_value(&u, MLX5_IB_ATTR_DEVX_UMEM_REG_ACCESS, 1, 4);
	rq_out(&u, MLX5_IB_ATTR_DEVX_UMEM_REG_OUT_ID, 4);
	assert_int_equal(rq_run(f, &u), 0);
	umem = rq_u32(&u, MLX5_IB_ATTR_DEVX_UMEM_REG_OUT_ID);
	rq_done(&u);

	prm_create_cq_in_set_opcode(in, PRM_OPCODE_CREATE_CQ);
	prm_create_cq_in_set_cq_umem_id(in, umem);
	prm_cqc_set_dbr_umem_id(cqc, umem);
	prm_cqc_set_dbr_addr(cqc, 0x8000);
	prm_cqc_set_log_cq_size(cqc, 6);
	prm_cqc_set_uar_page(cqc, fx_uar(f));
	rq_init(&u, MLX5_IB_OBJECT_DEVX, MLX5_IB_METHOD_DEVX_QUERY_EQN);
	rq_value(&u, MLX5_IB_ATTR_DEVX_QUERY_EQN_USER_VEC, 0, 4);
	rq_out(&u, MLX5_IB_ATTR_DEVX_QUERY_EQN_DEV_EQN, 4);
	assert_int_equal(rq_run(f, &u), 0);
	prm_cqc_set_c_eqn_or_apu_element(cqc, rq_u32(&u, MLX5_IB_ATTR_DEVX_QUERY_EQN_DEV_EQN));
	rq_done(&u);

	rq_init(&r, MLX5_IB_OBJECT_DEVX_OBJ, MLX5_IB_METHOD_DEVX_OBJ_CREATE);
	rq_handle(&r, MLX5_IB_ATTR_DEVX_OBJ_CREATE_HANDLE, 0);
	rq_in(&r, MLX5_IB_ATTR_DEVX_OBJ_CREATE_CMD_IN, in, sizeof(in));
	rq_out(&r, MLX5_IB_ATTR_DEVX_OBJ_CREATE_CMD_OUT, 16);
	assert_int_equal(rq_run(f, &r), 0);
	handle = (uint32_t)rq_attr(&r, MLX5_IB_ATTR_DEVX_OBJ_CREATE_HANDLE)->data;
	*cqn = prm_create_cq_out_get_cqn(rq_attr(&r, MLX5_IB_ATTR_DEVX_OBJ_CREATE_CMD_OUT)->out);
	rq_done(&r);
	return handle;
}

/* With data: the cookie and the whole EQE, for each event; of the subscribed types only. */
TEST_F(devx_with_data)
{
	struct fx *f = *state;
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

/* Nobody counts DevX events: those of a channel that the program has closed are not kept. */
TEST_F(devx_closed)
{
	struct fx *f = *state;
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

/* Without data: the cookie alone, and only once until it was read. */
TEST_F(devx_without_data)
{
	struct fx *f = *state;
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
	/* a subscription ends with its object */
	assert_int_equal(
		fx_destroy(f, MLX5_IB_OBJECT_DEVX_OBJ, MLX5_IB_METHOD_DEVX_OBJ_DESTROY, cq[0]), 0);
	fire(f, PRM_EVENT_COMP, cqn[0]);
	assert_empty(fd);
	close(fd);
}

/* Events that are none of an object's, too many of them, FDs of another kind. */
TEST_F(devx_refusals)
{
	struct fx *f = *state;
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
	assert_int_equal(subscribe(f, fd, &cq, 0, types, 1), -EINVAL);
	assert_true(fx_logged(f, "event 0x55"));
	close(fd);
	close(comp);
}

/* An asynchronous query's answer, under the program's own number. */
TEST_F(devx_async_query)
{
	struct fx *f = *state;
	uint8_t in[PRM_QUERY_CQ_IN_BYTES] = {0}, answer[512];
	uint32_t cqn, cq = devx_cq(f, &cqn);
	uint64_t wr_id;
	struct request r;
	int fd;

	rq_init(&r, MLX5_IB_OBJECT_DEVX_ASYNC_CMD_FD, MLX5_IB_METHOD_DEVX_ASYNC_CMD_FD_ALLOC);
	rq_handle(&r, MLX5_IB_ATTR_DEVX_ASYNC_CMD_FD_ALLOC_HANDLE, 0);
	assert_int_equal(rq_run(f, &r), 0);
	fd = rq_take_fd(&r);
	rq_done(&r);
	prm_query_cq_in_set_opcode(in, PRM_OPCODE_QUERY_CQ);
	prm_query_cq_in_set_cqn(in, cqn);
	for (unsigned int out_len = 8; out_len <= 5000;
	     out_len = out_len == 8 ? PRM_QUERY_CQ_OUT_BYTES : 5000) {
		bool good = out_len == PRM_QUERY_CQ_OUT_BYTES;

		rq_init(&r, MLX5_IB_OBJECT_DEVX_OBJ, MLX5_IB_METHOD_DEVX_OBJ_ASYNC_QUERY);
		rq_handle(&r, MLX5_IB_ATTR_DEVX_OBJ_QUERY_ASYNC_HANDLE, cq);
		rq_in(&r, MLX5_IB_ATTR_DEVX_OBJ_QUERY_ASYNC_CMD_IN, in, sizeof(in));
		rq_handle(&r, MLX5_IB_ATTR_DEVX_OBJ_QUERY_ASYNC_FD, fx_inode(fd));
		rq_value(&r, MLX5_IB_ATTR_DEVX_OBJ_QUERY_ASYNC_WR_ID, 77, 8);
		rq_value(&r, MLX5_IB_ATTR_DEVX_OBJ_QUERY_ASYNC_OUT_LEN, out_len, 8);
		assert_int_equal(rq_run(f, &r), good ? 0 : -EINVAL);
		rq_done(&r);
		if (out_len == 5000)
			break;
	}
	assert_int_equal(read(fd, answer, sizeof(answer)), 8 + PRM_QUERY_CQ_OUT_BYTES);
	memcpy(&wr_id, answer, sizeof(wr_id));
	assert_int_equal(wr_id, 77);
	assert_int_equal(prm_mbox_out_get_status(answer + 8), 0);
	assert_int_equal(prm_cqc_get_log_cq_size(prm_query_cq_out_cat_cq_context(answer + 8)), 6);
	close(fd);
}

/* One program's many subscriptions are no part of another's events, which crowd.sh counts. */
TEST_F(many_subscriptions)
{
	const uint16_t type = PRM_EVENT_COMP;
	struct fx *f = *state;
	int fd = devx_fd(f, 0);
	uint32_t cqn[2], theirs = devx_cq(f, &cqn[0]);

	(void)devx_cq(f, &cqn[1]);
	for (unsigned int i = 0; i < 10000; i++)
		assert_int_equal(subscribe(f, fd, &theirs, i, &type, 1), 0);
	for (unsigned int i = 0; i < 20000; i++)
		fire(f, PRM_EVENT_COMP, cqn[1]);
	close(fd);
}
