/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Proves that a process that got the descriptor of an open device (SCM_RIGHTS) uses its objects by
 * ibv_import_*, beside its own, and what is left when either of the two processes dies.
 */
#include "verbs_qp.h"
#include "verbs_self.h"

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#define BYTES 8192u
#define MUST(what)                                                                        \
	do {                                                                              \
		if (!(what)) {                                                            \
			fprintf(stderr, "other process, line %d: %s\n", __LINE__, #what); \
			_exit(1);                                                         \
		}                                                                         \
	} while (0)

/* The numbers of objects that one process sends the other. */
struct handles {
	uint32_t pd, mr, dm, lkey, rkey;
	uint64_t addr;
};

static void send_handles(int sock, const struct handles *t, int fd)
{
	union {
		struct cmsghdr h;
		char room[CMSG_SPACE(sizeof(int))];
	} c = {.h = {CMSG_LEN(sizeof(int)), SOL_SOCKET, SCM_RIGHTS}};
	struct iovec iov = {(void *)(uintptr_t)t, sizeof(*t)};
	struct msghdr m = {.msg_iov = &iov, .msg_iovlen = 1};

	memcpy(CMSG_DATA(&c.h), &fd, sizeof(fd));
	if (fd >= 0) {
		m.msg_control = &c;
		m.msg_controllen = sizeof(c);
	}
	MUST(sendmsg(sock, &m, MSG_NOSIGNAL) == sizeof(*t));
}

/* Receives them. Returns -1 if no descriptor came. */
static int recv_handles(int sock, struct handles *t)
{
	union {
		struct cmsghdr h;
		char room[CMSG_SPACE(sizeof(int))];
	} c;
	struct iovec iov = {t, sizeof(*t)};
	struct msghdr m = {
		.msg_iov = &iov, .msg_iovlen = 1, .msg_control = &c, .msg_controllen = sizeof(c)};
	int fd = -1;

	MUST(recvmsg(sock, &m, 0) == sizeof(*t));
	if (m.msg_controllen)
		memcpy(&fd, CMSG_DATA(&c.h), sizeof(fd));
	return fd;
}

/* Waits until both are at the next step. */
static void step(int sock)
{
	struct handles t = {0};

	send_handles(sock, &t, -1);
	recv_handles(sock, &t);
}

/* Starts the other process, before any device is open here: it has only what it gets. */
static pid_t other(int *sock, void (*run)(int sock))
{
	int pair[2];
	pid_t pid;

	assert_int_equal(socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, pair), 0);
	pid = fork();
	assert_true(pid >= 0);
	if (!pid) {
		close(pair[0]);
		run(pair[1]);
		_exit(0);
	}
	close(pair[1]);
	*sock = pair[0];
	return pid;
}

static void ended_well(pid_t pid)
{
	int status;

	assert_int_equal(waitpid(pid, &status, 0), pid);
	assert_true(WIFEXITED(status));
	assert_int_equal(WEXITSTATUS(status), 0);
}

static void killed(pid_t pid)
{
	int status;

	assert_int_equal(kill(pid, SIGKILL), 0);
	assert_int_equal(waitpid(pid, &status, 0), pid);
}

/* --- what a process does with what it was handed ----------------------------------------------- */

struct imported {
	struct handles handles;
	struct ibv_context *ctx;
	struct ibv_pd *pd;
	/* its own objects */
	struct ibv_mr *mine;
	struct ibv_cq *cq;
	struct ibv_qp *qp;
	uint8_t *buf;
};

static void import(struct imported *i, int sock)
{
	struct ibv_qp_init_attr a = {
		.qp_type = IBV_QPT_RC, .sq_sig_all = 1, .cap = {4, 4, 1, 1, 0}};
	int fd = recv_handles(sock, &i->handles);

	MUST(fd >= 0);
	i->ctx = ibv_import_device(fd);
	MUST(i->ctx);
	i->pd = ibv_import_pd(i->ctx, i->handles.pd);
	MUST(i->pd);
	i->buf = aligned_alloc(4096, BYTES);
	MUST(i->buf);
	memset(i->buf, 'i', BYTES);
	i->mine =
		ibv_reg_mr(i->pd, i->buf, BYTES, IBV_ACCESS_LOCAL_WRITE | IBV_ACCESS_REMOTE_WRITE);
	MUST(i->mine);
	a.send_cq = a.recv_cq = i->cq = ibv_create_cq(i->ctx, 8, NULL, NULL, 0);
	MUST(i->cq);
	i->qp = ibv_create_qp(i->pd, &a);
	MUST(i->qp && !verbs_qp_connect_self(i->qp, 0));
}

static void leave(struct imported *i)
{
	MUST(!ibv_destroy_qp(i->qp) && !ibv_destroy_cq(i->cq) && !ibv_dereg_mr(i->mine));
	ibv_unimport_pd(i->pd);
	MUST(!ibv_close_device(i->ctx));
	free(i->buf);
}

static enum ibv_wc_status moved(struct imported *i, uint64_t from, uint32_t lkey, uint64_t to,
				uint32_t rkey)
{
	struct ibv_sge sge = {from, BYTES, lkey};
	struct ibv_send_wr wr = {.sg_list = &sge, .num_sge = 1, .opcode = IBV_WR_RDMA_WRITE}, *bad;
	struct ibv_wc wc;

	wr.wr.rdma.remote_addr = to;
	wr.wr.rdma.rkey = rkey;
	MUST(!ibv_post_send(i->qp, &wr, &bad));
	self_poll(i->cq, &wc);
	return wc.status;
}

/* Writes to the other's region and back, uses device memory, and checks the owner's destroys. */
static void importer(int sock)
{
	struct imported i;
	struct ibv_mr *theirs;
	struct ibv_dm *dm;
	uint64_t word = 0;

	import(&i, sock);
	theirs = ibv_import_mr(i.pd, i.handles.mr);
	MUST(theirs && theirs->lkey == i.handles.lkey && theirs->rkey == i.handles.rkey);
	MUST(!moved(&i, (uintptr_t)i.buf, i.mine->lkey, i.handles.addr, theirs->rkey));
	step(sock); /* they check */
	step(sock); /* and have written 'p' */
	MUST(!moved(&i, i.handles.addr, theirs->lkey, (uintptr_t)i.buf, i.mine->rkey));
	MUST(i.buf[0] == 'p' && !memcmp(i.buf, i.buf + 1, BYTES - 1));
	dm = ibv_import_dm(i.ctx, i.handles.dm);
	MUST(dm && !ibv_memcpy_from_dm(&word, dm, 0, 8) && word == 0x1234);
	ibv_unimport_dm(dm);
	step(sock); /* they deregister */
	step(sock);
	MUST(moved(&i, i.handles.addr, theirs->lkey, (uintptr_t)i.buf, i.mine->rkey) ==
	     IBV_WC_LOC_PROT_ERR);
	ibv_unimport_mr(theirs);
	step(sock); /* their PD is in use */
	step(sock);
	leave(&i);
}

static void fill_handles(const struct self *s, struct handles *t)
{
	t->pd = s->pd->handle;
	t->mr = s->mr->handle;
	t->lkey = s->mr->lkey;
	t->rkey = s->mr->rkey;
	t->addr = (uintptr_t)s->buf;
}

TEST(none, imported_by_another_process)
{
	struct ibv_alloc_dm_attr a = {.length = 64};
	uint64_t word = 0x1234;
	struct handles t = {0};
	struct ibv_dm *dm;
	struct self *s;
	void *state;
	int sock;
	pid_t pid = other(&sock, importer);

	self_open(&state);
	s = state;
	dm = ibv_alloc_dm(s->ctx, &a);
	assert_non_null(dm);
	assert_int_equal(ibv_memcpy_to_dm(dm, 0, &word, 8), 0);
	fill_handles(s, &t);
	t.dm = dm->handle;
	memset(s->buf, 0, SELF_BYTES);
	send_handles(sock, &t, s->ctx->cmd_fd);
	step(sock);
	assert_int_equal(s->buf[0], 'i');
	assert_memory_equal(s->buf, s->buf + 1, BYTES - 1);
	assert_int_equal(s->buf[BYTES], 0);
	memset(s->buf, 'p', BYTES);
	step(sock);
	step(sock);
	assert_int_equal(ibv_destroy_qp(s->qp), 0);
	assert_int_equal(ibv_dereg_mr(s->mr), 0);
	step(sock);
	step(sock);
	assert_int_equal(ibv_dealloc_pd(s->pd), EBUSY);
	step(sock);
	ended_well(pid);
	assert_int_equal(ibv_dealloc_pd(s->pd), 0);
	assert_int_equal(ibv_free_dm(dm), 0);
	assert_int_equal(ibv_destroy_cq(s->cq), 0);
	assert_int_equal(ibv_destroy_comp_channel(s->channel), 0);
	assert_int_equal(ibv_close_device(s->ctx), 0);
	free(s->buf);
	free(s);
	close(sock);
}

/* --- death ------------------------------------------------------------------------------------- */

static void importer_for_ever(int sock)
{
	struct imported i;

	import(&i, sock);
	MUST(!moved(&i, (uintptr_t)i.buf, i.mine->lkey, (uintptr_t)i.buf, i.mine->rkey));
	step(sock);
	pause();
}

/* The importer's objects stay in the file, as in the kernel, and hold the PD. */
TEST(none, importer_dies)
{
	struct handles t = {0};
	struct ibv_wc wc;
	struct self *s;
	void *state;
	int sock;
	pid_t pid = other(&sock, importer_for_ever);

	self_open(&state);
	s = state;
	fill_handles(s, &t);
	send_handles(sock, &t, s->ctx->cmd_fd);
	step(sock);
	killed(pid);
	self_write(s, 7, 4096);
	self_poll(s->cq, &wc);
	assert_int_equal(wc.status, IBV_WC_SUCCESS);
	assert_int_equal(ibv_destroy_qp(s->qp), 0);
	assert_int_equal(ibv_dereg_mr(s->mr), 0);
	assert_int_equal(ibv_dealloc_pd(s->pd), EBUSY);
	assert_int_equal(ibv_destroy_cq(s->cq), 0);
	assert_int_equal(ibv_destroy_comp_channel(s->channel), 0);
	assert_int_equal(ibv_close_device(s->ctx), 0);
	free(s->pd);
	free(s->buf);
	free(s);
	close(sock);
}

static void owner(int sock)
{
	struct handles t = {0};
	void *state;

	self_open(&state);
	fill_handles(state, &t);
	send_handles(sock, &t, ((struct self *)state)->ctx->cmd_fd);
	pause();
}

/* A process that has the file can still make objects in it. */
TEST(none, owner_dies)
{
	struct imported i;
	int sock;
	pid_t pid = other(&sock, owner);

	import(&i, sock);
	killed(pid);
	for (unsigned int n = 0; n < 3; n++) {
		struct ibv_pd *pd = ibv_alloc_pd(i.ctx);

		assert_non_null(pd);
		assert_int_equal(
			moved(&i, (uintptr_t)i.buf, i.mine->lkey, (uintptr_t)i.buf, i.mine->rkey),
			0);
		assert_int_equal(ibv_dealloc_pd(pd), 0);
	}
	leave(&i);
	close(sock);
}
