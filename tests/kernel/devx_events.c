/* SPDX-License-Identifier: BSD-2-Clause */
/* Proves events of DevX: subscriptions, eventfds, and the answers of asynchronous queries. */
#include <fcntl.h>
#include <sys/eventfd.h>
#include <unistd.h>
#include <dvx/prm/cmd.h>
#include <dvx/prm/cq.h>
#include "events_rig.h"

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

/* Makes a CQ whose completions the channel reports with this cookie. */
static uint32_t devx_cq_on(struct fx *f, int fd, uint64_t cookie, uint32_t *cqn)
{
	const uint16_t type = PRM_EVENT_COMP;
	uint32_t cq = devx_cq(f, cqn);

	assert_int_equal(subscribe(f, fd, &cq, cookie, &type, 1), 0);
	return cq;
}

/* Reads one event, the cookie alone, or with an EQE. */
static void read_devx(int fd, uint64_t cookie, uint8_t *eqe)
{
	struct {
		uint64_t cookie;
		uint8_t eqe[128];
	} event;

	assert_int_equal(read(fd, &event, sizeof(event)), 8 + (eqe ? PRM_EQE_BYTES : 0));
	assert_int_equal(event.cookie, cookie);
	if (eqe)
		memcpy(eqe, event.eqe, PRM_EQE_BYTES);
}

/* Proves that a channel with data gets the cookie and the EQE of each event subscribed to. */
TEST(fx, devx_with_data)
{
	const uint64_t cookie = 0x1122334455667788;
	int fd = devx_fd(f, 0);
	const uint16_t error = PRM_EVENT_CQ_ERROR;
	uint8_t eqe[PRM_EQE_BYTES];
	uint32_t cqn, cq = devx_cq_on(f, fd, cookie, &cqn);

	fire(f, PRM_EVENT_COMP, cqn);
	fire(f, PRM_EVENT_COMP, cqn);
	fire(f, PRM_EVENT_COMP, cqn + 1);
	fire(f, PRM_EVENT_CQ_ERROR, cqn);
	for (unsigned int i = 0; i < 2; i++) {
		read_devx(fd, cookie, eqe);
		assert_int_equal(prm_eqe_get_cqn(eqe), cqn);
	}
	assert_empty(fd);
	assert_int_equal(subscribe(f, fd, &cq, 1, &error, 1), 0);
	fire(f, PRM_EVENT_CQ_ERROR, cqn);
	read_devx(fd, 1, eqe);
	assert_int_equal(prm_eqe_get_type(eqe), PRM_EVENT_CQ_ERROR);
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
	const struct channel *c = f->f->channels;
	uint32_t cqn;

	devx_cq_on(f, fd, 1, &cqn);
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
	uint32_t cqn[2], cq[2];

	for (unsigned int i = 0; i < 2; i++)
		cq[i] = devx_cq_on(f, fd, 10 + i, &cqn[i]);
	for (unsigned int i = 0; i < 5; i++)
		fire(f, PRM_EVENT_COMP, cqn[0]);
	fire(f, PRM_EVENT_COMP, cqn[1]);
	fire(f, PRM_EVENT_COMP, cqn[0]);
	read_devx(fd, 10, NULL);
	read_devx(fd, 11, NULL);
	assert_empty(fd);
	fire(f, PRM_EVENT_COMP, cqn[0]);
	read_devx(fd, 10, NULL);
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
	unsigned int times[3] = {0};
	uint32_t cqn[3];

	for (unsigned int i = 0; i < 3; i++) {
		devx_cq_on(f, fd, i, &cqn[i]);
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

	for (unsigned int i = 0; i < 2; i++)
		cq[i] = devx_cq(f, &cqn[i]);
	for (unsigned int i = 0; i < 2; i++) {
		assert_int_equal(subscribe(f, fd, &cq[i], 10 + i, &type, 1), 0);
		fire(f, PRM_EVENT_COMP, cqn[i]);
		if (!i) /* the next subscription may get its memory */
			assert_int_equal(fx_devx_destroy(f, cq[0]), 0);
	}
	for (unsigned int i = 0; i < 2; i++)
		read_devx(fd, 10 + i, NULL);
	assert_empty(fd);
	close(fd);
}

/* Proves the refusal of event types that the object lacks, of too many, and of other FDs. */
TEST(fx, devx_refusals)
{
	int fd = devx_fd(f, 0), other = fx_async_fd(f);
	uint16_t types[17] = {0};
	uint32_t cqn, cq = devx_cq(f, &cqn);
	const uint32_t stale = 999;

	assert_int_equal(subscribe(f, fd, &cq, 0, types, 17), -EINVAL);
	assert_int_equal(subscribe(f, fd, &stale, 0, types, 1), -ENOENT);
	assert_int_equal(subscribe(f, other, &cq, 0, types, 1), -EBADF);
	assert_int_equal(subscribe(f, fd, NULL, 0, types, 1), -EINVAL);
	types[0] = PRM_EVENT_PORT_CHANGE;
	assert_int_equal(subscribe(f, fd, NULL, 0, types, 1), 0);
	types[0] = 0x55;
	FX_REFUSES(f, subscribe(f, fd, &cq, 0, types, 1), -EINVAL, "event 0x55");
	close(fd);
	close(other);
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

/* Makes many subscriptions beside another program's events, for crowd.sh, which counts the cost. */
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
