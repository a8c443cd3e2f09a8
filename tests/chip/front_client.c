/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A client of the device for tests/chip/front.sh and deaths.sh: small scenes that use the preload's
 * hooks, each named by the first argument. Exits with 0 if the scene succeeded.
 */
#include <fcntl.h>
#include <infiniband/verbs.h>
#include <poll.h>
#include <pthread.h>
#include <rdma/ib_user_ioctl_cmds.h>
#include <rdma/ib_user_ioctl_verbs.h>
#include <rdma/rdma_user_ioctl_cmds.h>
#include <signal.h>
#include <spawn.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/sysmacros.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>
#include "tests/host/share_mem.h"
#include "tests/verbs/verbs_qp.h"

extern char **environ;

static struct ibv_context *open_device(void)
{
	struct ibv_context *ctx = verbs_open();

	CHECK(ctx);
	return ctx;
}

/* One of each kind of object. */
struct objects {
	struct ibv_pd *pd;
	struct ibv_mr *mr;
	struct ibv_cq *cq;
	struct ibv_qp *qp;
};

static char buffer[8192];

static void make(struct ibv_context *ctx, struct objects *o)
{
	struct ibv_qp_init_attr init = {.qp_type = IBV_QPT_RC,
					.cap = {.max_send_wr = 16,
						.max_recv_wr = 16,
						.max_send_sge = 1,
						.max_recv_sge = 1}};
	struct ibv_qp_attr attr = {.qp_state = IBV_QPS_INIT,
				   .port_num = 1,
				   .qp_access_flags = IBV_ACCESS_REMOTE_WRITE};

	o->pd = ibv_alloc_pd(ctx);
	CHECK(o->pd);
	o->mr = ibv_reg_mr(o->pd, buffer, sizeof(buffer),
			   IBV_ACCESS_LOCAL_WRITE | IBV_ACCESS_REMOTE_WRITE);
	CHECK(o->mr);
	o->cq = ibv_create_cq(ctx, 16, NULL, NULL, 0);
	CHECK(o->cq);
	init.send_cq = init.recv_cq = o->cq;
	o->qp = ibv_create_qp(o->pd, &init);
	CHECK(o->qp);
	CHECK(!ibv_modify_qp(o->qp, &attr,
			     IBV_QP_STATE | IBV_QP_PKEY_INDEX | IBV_QP_PORT | IBV_QP_ACCESS_FLAGS));
}

/* A reliable connection of a queue with itself, and a burst of writes over it. */
static void traffic(struct objects *o)
{
	struct ibv_sge sge = {(uintptr_t)buffer, sizeof(buffer) / 2, o->mr->lkey};
	struct ibv_send_wr *bad, wr = {.sg_list = &sge, .num_sge = 1, .opcode = IBV_WR_RDMA_WRITE};
	struct ibv_wc wc;
	int n;

	CHECK(!verbs_qp_connect_self(o->qp, 1));
	wr.wr.rdma.remote_addr = (uintptr_t)buffer + sizeof(buffer) / 2;
	wr.wr.rdma.rkey = o->mr->rkey;
	for (int i = 0; i < 16; i++) {
		wr.send_flags = i == 15 ? IBV_SEND_SIGNALED : 0;
		CHECK(!ibv_post_send(o->qp, &wr, &bad));
	}
	while (!(n = ibv_poll_cq(o->cq, 1, &wc)))
		;
	CHECK(n == 1 && wc.status == IBV_WC_SUCCESS);
}

static void unmake(struct objects *o)
{
	CHECK(!ibv_destroy_qp(o->qp));
	CHECK(!ibv_destroy_cq(o->cq));
	CHECK(!ibv_dereg_mr(o->mr));
	CHECK(!ibv_dealloc_pd(o->pd));
}

static void work(void)
{
	struct ibv_context *ctx = open_device();
	struct objects o;

	make(ctx, &o);
	traffic(&o);
	unmake(&o);
	CHECK(!ibv_close_device(ctx));
}

static int scene_objects(void)
{
	work();
	work();
	return 0;
}

static unsigned long long counter(const char *name)
{
	unsigned long long by_stream, by_fd;
	char path[128], text[32] = "";
	FILE *f;
	int fd;

	snprintf(path, sizeof(path), "/sys/class/infiniband/mlx5_0/ports/1/%s", name);
	f = fopen(path, "re");
	CHECK(f && fscanf(f, "%llu", &by_stream) == 1 && fgetc(f) == '\n' && fgetc(f) == EOF);
	fclose(f);
	fd = open(path, O_RDONLY | O_CLOEXEC);
	CHECK(fd >= 0 && read(fd, text, sizeof(text) - 1) > 0 && fcntl(fd, F_GETFD) == FD_CLOEXEC);
	close(fd);
	by_fd = strtoull(text, NULL, 10);
	CHECK(by_fd == by_stream);
	return by_fd;
}

/*
 * Counters of sysfs advance while the program runs: 16 WRITEs of 4 packets, and their answers. A
 * device that gets no CPU for long sends some of them again.
 */
static int scene_counters(void)
{
	unsigned long long sent = counter("counters/port_xmit_packets"),
			   data = counter("counters/port_xmit_data"),
			   writes = counter("hw_counters/rx_write_requests");
	unsigned long long got;

	work();
	got = counter("counters/port_xmit_packets") - sent;
	CHECK(got > 64);
	CHECK(counter("counters/port_xmit_packets") == counter("counters/port_rcv_packets"));
	CHECK(counter("counters/port_xmit_data") == counter("counters/port_rcv_data"));
	got = counter("counters/port_xmit_data") - data;
	CHECK(got > 16 * 4096 / 4);
	CHECK(counter("hw_counters/rx_write_requests") - writes >= 16);
	return 0;
}

/* Objects stay as long as a descriptor of the file does, also in a program that can open no other. */
static int scene_dup(void)
{
	struct ibv_context *ctx = open_device();
	struct rlimit old, few;
	struct objects o;
	struct stat st;
	int other = dup(ctx->cmd_fd);

	CHECK(other >= 0 && !fstat(other, &st));
	CHECK(S_ISCHR(st.st_mode) && st.st_rdev == makedev(231, 192));
	CHECK(!getrlimit(RLIMIT_NOFILE, &old));
	few = (struct rlimit){STDERR_FILENO + 1, old.rlim_max};
	CHECK(!setrlimit(RLIMIT_NOFILE, &few));
	close(ctx->cmd_fd);
	CHECK(!setrlimit(RLIMIT_NOFILE, &old));
	CHECK(dup2(other, ctx->cmd_fd) == ctx->cmd_fd);
	close(other);
	make(ctx, &o);
	unmake(&o);
	return ibv_close_device(ctx);
}

static int exit_code(pid_t pid)
{
	int status;

	CHECK(waitpid(pid, &status, 0) == pid);
	CHECK(WIFEXITED(status));
	return WEXITSTATUS(status);
}

/* A fork child makes objects in its parent's file, with its own memory. */
static bool guest_works(struct ibv_context *ctx)
{
	struct ibv_alloc_dm_attr a = {.length = 64};
	struct ibv_pd *pd = ibv_alloc_pd(ctx);
	struct ibv_dm *dm = ibv_alloc_dm(ctx, &a);
	uint64_t word = 7;
	struct ibv_mr *mr = pd ? ibv_reg_mr(pd, &word, 8, 0) : NULL;

	return dm && mr && !ibv_dereg_mr(mr) && !ibv_memcpy_to_dm(dm, 0, &word, 8) &&
	       !ibv_memcpy_from_dm(&word, dm, 0, 8) && word == 7 && !ibv_free_dm(dm) &&
	       !ibv_dealloc_pd(pd);
}

/* A fork child keeps using its parent's file, and can open its own. So does the parent. */
static int scene_fork(void)
{
	struct ibv_context *ctx = open_device();
	struct objects o;
	pid_t pid = fork();

	if (!pid) {
		if (!guest_works(ctx))
			_exit(1);
		work();
		_exit(0);
	}
	CHECK(exit_code(pid) == 0);
	make(ctx, &o);
	unmake(&o);
	return ibv_close_device(ctx);
}

/* Children made in every way, while the device is open, see the device's sysfs. */
static int scene_children(void)
{
	static const char list[] = "ls /sys/class/infiniband/";
	char *argv[] = {"sh", "-c", (char *)(size_t)list, NULL};
	struct ibv_context *ctx = open_device();
	struct objects o;
	char line[32] = "";
	pid_t pid;
	FILE *f;

	make(ctx, &o);
	CHECK(system(list) == 0);
	f = popen(list, "r");
	CHECK(f && fgets(line, sizeof(line), f) && !strcmp(line, "mlx5_0\n"));
	CHECK(pclose(f) == 0);
	CHECK(!posix_spawnp(&pid, "sh", NULL, NULL, argv, environ) && exit_code(pid) == 0);
	pid = vfork();
	if (!pid) {
		execvp("sh", argv);
		_exit(1);
	}
	CHECK(exit_code(pid) == 0);
	unmake(&o);
	return ibv_close_device(ctx);
}

/* A program that closes whatever it did not open, as daemons do, keeps its device. */
static int scene_close_all(void)
{
	struct ibv_context *ctx = open_device();
	struct objects o;

	for (int fd = 3; fd < 256; fd++)
		if (fd != ctx->cmd_fd && fd != ctx->async_fd)
			close(fd);
	make(ctx, &o);
	unmake(&o);
	return 0;
}

/* Makes all free numbers up to this one copies of fd 0. */
#define NUMBERS 64
static void take_numbers(void)
{
	while (dup(STDIN_FILENO) < NUMBERS)
		;
}

/* Puts fd 0 over the connection to the server, which is a socket that the program did not open. */
static int cover_link(void)
{
	for (int fd = STDERR_FILENO + 1; fd < NUMBERS; fd++) {
		struct stat st;

		if (!fstat(fd, &st) && S_ISSOCK(st.st_mode))
			return dup2(STDIN_FILENO, fd);
	}
	return -1;
}

/* Descriptors that get the number of a closed connection are the program's. fd 0 is a socket. */
static void reuse_numbers(void)
{
	struct ibv_context *ctx = open_device();
	int fd = cover_link();

	CHECK(fd > STDERR_FILENO && !ibv_alloc_pd(ctx) && errno == EIO);
	CHECK(fcntl(fd, F_GETFD) == 0);
	open_device();
	CHECK(!close_range(STDERR_FILENO + 1, ~0u, 0));
	take_numbers();
	for (fd = STDERR_FILENO + 1; fd < NUMBERS; fd++)
		CHECK(!close(fd));
	take_numbers();
	exit(0);
}

static int scene_numbers(void)
{
	int ends[2];
	char byte;
	pid_t pid;

	CHECK(!socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends));
	pid = fork();
	if (!pid) {
		dup2(ends[1], STDIN_FILENO);
		close(ends[0]);
		close(ends[1]);
		reuse_numbers();
	}
	close(ends[1]);
	alarm(60); /* ends the child, too, which may wait for an answer at the other end */
	CHECK(exit_code(pid) == 0);
	CHECK(recv(ends[0], &byte, 1, 0) == 0);
	return 0;
}

/* Neither thread ends before: a child would report the other as one that was not joined. */
static pthread_barrier_t forked;

static void fork_with(int blocks)
{
	sigset_t now;

	for (int i = 0; i < 200; i++) {
		pid_t pid = fork();

		CHECK(!pthread_sigmask(SIG_BLOCK, NULL, &now));
		if (!pid)
			_exit(sigismember(&now, SIGUSR1) != blocks);
		CHECK(sigismember(&now, SIGUSR1) == blocks && exit_code(pid) == 0);
	}
	pthread_barrier_wait(&forked);
}

static void *fork_blocked(void *set)
{
	CHECK(!pthread_sigmask(SIG_BLOCK, set, NULL));
	fork_with(1);
	return NULL;
}

/* Threads that fork at the same time keep their signal masks, and so do their children. */
static int scene_forks(void)
{
	struct ibv_context *ctx = open_device();
	pthread_t blocked;
	sigset_t set;

	sigemptyset(&set);
	sigaddset(&set, SIGUSR1);
	CHECK(!pthread_barrier_init(&forked, NULL, 2));
	CHECK(!pthread_create(&blocked, NULL, fork_blocked, &set));
	fork_with(0);
	pthread_join(blocked, NULL);
	return ibv_close_device(ctx);
}

static pid_t asking; /* atomic */

static void *ask_for_ever(void *ctx)
{
	__atomic_store_n(&asking, gettid(), __ATOMIC_RELEASE);
	ibv_alloc_pd(ctx);
	return NULL;
}

/* Ends while a thread waits for a device that stops between a word and the end of standard input. */
static int scene_stopped(void)
{
	struct ibv_context *ctx = open_device();
	long call = -1;
	char path[64], byte;
	pthread_t t;

	puts("open");
	fflush(stdout);
	CHECK(read(0, &byte, 1) == 0);
	CHECK(!pthread_create(&t, NULL, ask_for_ever, ctx));
	while (!__atomic_load_n(&asking, __ATOMIC_ACQUIRE))
		;
	snprintf(path, sizeof(path), "/proc/self/task/%d/syscall", asking);
	while (call != SYS_recvmsg) {
		FILE *f = fopen(path, "re");

		CHECK(f);
		if (fscanf(f, "%ld", &call) != 1) /* "running" */
			call = -1;
		fclose(f);
	}
	return 0;
}

#define ATTRS 4
struct command {
	struct ib_uverbs_ioctl_hdr h;
	struct ib_uverbs_attr attrs[ATTRS];
};

static int raw(int fd, struct command *c, unsigned int n)
{
	c->h.num_attrs = (uint16_t)n;
	c->h.length = (uint16_t)(sizeof(c->h) + n * sizeof(c->attrs[0]));
	return ioctl(fd, RDMA_VERBS_IOCTL, c) ? errno : 0;
}

/* The kernel's refusals have the same errno here, and nothing crashes. */
static int scene_errno(void)
{
	struct ibv_context *ctx = open_device();
	struct command c = {.h = {.object_id = UVERBS_OBJECT_DEVICE,
				  .method_id = UVERBS_METHOD_INVOKE_WRITE,
				  .driver_id = RDMA_DRIVER_MLX5}};
	int fd = ctx->cmd_fd, on = 1;
	char *end = mmap(NULL, 8192, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	CHECK(end != MAP_FAILED && !munmap(end + 4096, 4096));
	errno = EPERM;
	CHECK(ioctl(fd, RDMA_VERBS_IOCTL, end + 4096 - 8) && errno == EFAULT);
	CHECK(!ioctl(fd, FIONCLEX) && fcntl(fd, F_GETFD) == 0 && !ioctl(fd, FIOCLEX));
	CHECK(!ioctl(fd, FIONBIO, &on) && fcntl(fd, F_GETFL) & O_NONBLOCK);
	CHECK(ioctl(fd, 0x1234, &c) && errno == ENOTTY);
	CHECK(ioctl(fd, RDMA_VERBS_IOCTL, NULL) && errno == EFAULT);
	CHECK(ioctl(fd, RDMA_VERBS_IOCTL, (void *)(size_t)-4096) && errno == EFAULT);
	c.h.length = 1;
	CHECK(ioctl(fd, RDMA_VERBS_IOCTL, &c) && errno == EINVAL);
	c.h.length = sizeof(c.h);
	c.h.num_attrs = 1;
	CHECK(ioctl(fd, RDMA_VERBS_IOCTL, &c) && errno == EINVAL);
	c.h.reserved1 = 1;
	CHECK(raw(fd, &c, 0) == EPROTONOSUPPORT);
	c.h.reserved1 = 0;
	c.h.object_id = 77;
	CHECK(raw(fd, &c, 0) == EPROTONOSUPPORT);
	c.h.object_id = UVERBS_OBJECT_DEVICE;
	c.attrs[0] = (struct ib_uverbs_attr){.attr_id = UVERBS_ATTR_WRITE_CMD,
					     .len = 8,
					     .data = 3,
					     .flags = UVERBS_ATTR_F_MANDATORY};
	c.attrs[1] = (struct ib_uverbs_attr){.attr_id = UVERBS_ATTR_CORE_IN,
					     .len = 64,
					     .data = 16,
					     .flags = UVERBS_ATTR_F_MANDATORY};
	CHECK(raw(fd, &c, 2) == EFAULT);
	c.attrs[1].attr_id = 0x777;
	CHECK(raw(fd, &c, 2) == EPROTONOSUPPORT);
	CHECK(write(fd, &c, sizeof(c)) == -1 && errno == EINVAL);
	CHECK(mmap(NULL, 4096, PROT_WRITE, MAP_SHARED, fd, 1l << 30) == MAP_FAILED &&
	      errno == EINVAL);
	CHECK(open("/dev/infiniband/uverbs1", O_RDWR) == -1 && errno == ENOENT);
	return ibv_close_device(ctx);
}

/* Without stderr the device's file does not get its number: messages must not be written to it. */
static int scene_no_stderr(void)
{
	struct ibv_context *ctx;

	close(STDERR_FILENO);
	ctx = open_device();
	if (ctx->cmd_fd <= STDERR_FILENO)
		return 1;
	return ibv_close_device(ctx);
}

static void *hammer(void *ctx)
{
	for (int i = 0; i < 200; i++) {
		struct ibv_pd *pd = ibv_alloc_pd(ctx);

		CHECK(pd && !ibv_dealloc_pd(pd));
	}
	return NULL;
}

static void nothing(int sig)
{
	(void)sig;
}

/* Many threads use one file at once, under many signals. */
static int scene_threads(void)
{
	struct itimerval rain = {{0, 500}, {0, 500}}, dry = {0};
	struct ibv_context *ctx = open_device();
	pthread_t threads[8];

	signal(SIGALRM, nothing);
	setitimer(ITIMER_REAL, &rain, NULL);
	for (int i = 0; i < 8; i++)
		CHECK(!pthread_create(&threads[i], NULL, hammer, ctx));
	for (int i = 0; i < 8; i++)
		pthread_join(threads[i], NULL);
	setitimer(ITIMER_REAL, &dry, NULL);
	return ibv_close_device(ctx);
}

/* Works until its standard input ends, then prints how often. */
static int scene_work(void)
{
	struct ibv_context *ctx = open_device();
	unsigned int n = 0;
	struct objects o;
	char byte;

	fcntl(0, F_SETFL, O_NONBLOCK);
	while (read(0, &byte, 1) < 0) {
		make(ctx, &o);
		traffic(&o);
		unmake(&o);
		n++;
	}
	printf("%u\n", n);
	return n ? 0 : 1;
}

/* Loses its device after a word on standard output and before the end of standard input. */
static int scene_orphan(void)
{
	struct ibv_context *ctx = open_device();
	struct pollfd p = {.fd = ctx->async_fd, .events = POLLIN};
	struct ibv_async_event event;
	struct objects o;
	struct ibv_wc wc;
	char byte;

	make(ctx, &o);
	puts("open");
	fflush(stdout);
	CHECK(read(0, &byte, 1) == 0);
	CHECK(poll(&p, 1, -1) == 1 && p.revents & POLLIN);
	CHECK(ibv_poll_cq(o.cq, 1, &wc) == 0); /* no device is left to write a CQE */
	CHECK(!ibv_get_async_event(ctx, &event) && event.event_type == IBV_EVENT_DEVICE_FATAL);
	CHECK(!ibv_alloc_pd(ctx) && errno == EIO);
	CHECK(ibv_destroy_qp(o.qp) == EIO);
	return ibv_close_device(ctx);
}

/*
 * Is killed while a child holds a copy of everything, also of the connection: a fork that libc does
 * not know. The child lives until standard input ends.
 */
static int scene_holder(void)
{
	struct ibv_context *ctx = open_device();
	struct objects o;
	char byte;

	make(ctx, &o);
	if (!syscall(SYS_clone, SIGCHLD, NULL, NULL, NULL, NULL)) {
		while (read(0, &byte, 1) > 0)
			;
		_exit(0);
	}
	raise(SIGKILL);
	return 1;
}

/* Stages of a child before it is killed; in memory shared with its parent. */
enum stage { STARTED, OPEN, MADE, SENT, STAGES };
static const char *const stages[STAGES] = {"opening", "making objects", "in traffic", "later"};

static void die_somewhere(enum stage *stage)
{
	struct ibv_context *ctx = open_device();
	struct objects o;

	*stage = OPEN;
	for (;;) {
		make(ctx, &o);
		*stage = *stage < MADE ? MADE : *stage;
		traffic(&o);
		*stage = SENT;
		unmake(&o);
	}
}

static long microseconds(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return t.tv_sec * 1000000 + t.tv_nsec / 1000;
}

/* Returns the time from a child's start to its first completion. */
static long a_life(void)
{
	long began = microseconds();
	pid_t pid = fork();

	if (!pid) {
		work();
		_exit(0);
	}
	CHECK(exit_code(pid) == 0);
	return microseconds() - began;
}

/* Runs N children, each killed at another moment, most of them before their first completion. */
static int scene_deaths(const char *count)
{
	enum stage *stage =
		mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	unsigned int seed = 1, died[STAGES] = {0};
	long life = a_life();

	for (int i = 0; i < 4; i++) { /* the shortest: waiting for a CPU does not count */
		long another = a_life();

		life = another < life ? another : life;
	}
	CHECK(stage != MAP_FAILED);
	for (int i = atoi(count); i > 0; i--) {
		long us = rand_r(&seed) % (life * 3 / 2);
		struct timespec t = {us / 1000000, us % 1000000 * 1000};
		pid_t pid;
		int status;

		*stage = STARTED;
		pid = fork();
		CHECK(pid >= 0);
		if (!pid)
			die_somewhere(stage);
		nanosleep(&t, NULL);
		kill(pid, SIGKILL);
		CHECK(waitpid(pid, &status, 0) == pid && WIFSIGNALED(status) &&
		      WTERMSIG(status) == SIGKILL);
		died[*stage]++;
	}
	for (unsigned int i = 0; i < STAGES; i++)
		printf("died %s: %u\n", stages[i], died[i]);
	return 0;
}

int main(int argc, char **argv)
{
	static const struct {
		const char *name;
		int (*fn)(void);
	} scenes[] = {
		{"objects", scene_objects},   {"dup", scene_dup},
		{"fork", scene_fork},
		{"children", scene_children}, {"close-all", scene_close_all},
		{"errno", scene_errno},	      {"threads", scene_threads},
		{"work", scene_work},	      {"orphan", scene_orphan},
		{"holder", scene_holder},     {"no-stderr", scene_no_stderr},
		{"counters", scene_counters}, {"numbers", scene_numbers},
		{"forks", scene_forks},	      {"stopped", scene_stopped},
	};

	if (argc == 3 && !strcmp(argv[1], "deaths"))
		return scene_deaths(argv[2]);
	for (unsigned int i = 0; argc == 2 && i < sizeof(scenes) / sizeof(scenes[0]); i++)
		if (!strcmp(argv[1], scenes[i].name))
			return scenes[i].fn();
	fprintf(stderr, "no such scene\n");
	return 2;
}
