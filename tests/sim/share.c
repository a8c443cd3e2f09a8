/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Programs whose memory moves under them: scenes for share.sh, named by the first argument. Pages
 * that objects hold are shared with the device while they live; whatever a program does with them
 * meanwhile it must not notice. Exit code 0 if the scene went as it should, 77 if it can't be had.
 */
#include <errno.h>
#include <fcntl.h>
#include <infiniband/mlx5dv.h>
#include <infiniband/verbs.h>
#include <linux/capability.h>
#include <linux/filter.h>
#include <linux/io_uring.h>
#include <linux/seccomp.h>
#include <pthread.h>
#include <signal.h>
#include <spawn.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <sys/wait.h>
#include <unistd.h>

extern char **environ;

#define PAGE 4096u

#define CHECK(cond)                                                                    \
	do {                                                                           \
		if (!(cond)) {                                                         \
			fprintf(stderr, "%s:%d: %s (%s)\n", __FILE__, __LINE__, #cond, \
				strerror(errno));                                      \
			exit(1);                                                       \
		}                                                                      \
	} while (0)

static bool shares = true; /* pages are expected to be shared at all */

static struct ibv_context *open_device(void)
{
	struct mlx5dv_context_attr attr = {.flags = MLX5DV_CONTEXT_FLAGS_DEVX};
	struct ibv_device **list = ibv_get_device_list(NULL);
	struct ibv_context *ctx;

	CHECK(list && list[0]);
	ctx = mlx5dv_open_device(list[0], &attr);
	CHECK(ctx);
	ibv_free_device_list(list);
	return ctx;
}

/* Mappings in [va, va + len) that are shared with the device; len 0: anywhere. */
static int shared(const void *va, size_t len)
{
	unsigned long from = (unsigned long)va, start, end;
	FILE *maps = fopen("/proc/self/maps", "re");
	char line[512];
	int n = 0;

	CHECK(maps);
	while (fgets(line, sizeof(line), maps)) {
		CHECK(sscanf(line, "%lx-%lx", &start, &end) == 2);
		if (strstr(line, "dvx-sim-ring") && (!len || (start < from + len && from < end)))
			n++;
	}
	fclose(maps);
	return n;
}

static void expect_shared(const void *va, size_t len)
{
	CHECK((shared(va, len) > 0) == shares);
}

static void *pages(size_t len)
{
	void *p = mmap(NULL, len, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	CHECK(p != MAP_FAILED);
	return p;
}

/* --- queues in memory that a scene chooses ---------------------------------------------------- */

/* Records go to the start of the first page, rings to the pages behind it. */
struct arena {
	char *at;
	size_t used;
};

static void *arena_alloc(struct ibv_pd *pd, void *ctx, size_t size, size_t align, uint64_t type)
{
	struct arena *a = ctx;
	void *p = a->at + (a->used + align - 1) / align * align;

	(void)pd;
	if (type == MLX5DV_RES_TYPE_DBR)
		return a->at;
	a->used = (size_t)((char *)p - a->at) + size;
	return p;
}

static void arena_free(struct ibv_pd *pd, void *ctx, void *p, uint64_t type)
{
	struct arena *a = ctx;

	(void)pd;
	(void)p;
	if (type != MLX5DV_RES_TYPE_DBR)
		a->used = PAGE;
}

struct rig {
	struct ibv_context *ctx;
	struct ibv_pd *pd, *domain;
	struct ibv_cq *cq;
	struct ibv_qp *qp;
};

static void rig_open(struct rig *r, struct arena *a)
{
	struct ibv_parent_domain_init_attr attr = {
		.comp_mask = IBV_PARENT_DOMAIN_INIT_ATTR_ALLOCATORS |
			     IBV_PARENT_DOMAIN_INIT_ATTR_PD_CONTEXT,
		.alloc = arena_alloc,
		.free = arena_free,
		.pd_context = a,
	};

	*r = (struct rig){.ctx = open_device()};
	r->pd = ibv_alloc_pd(r->ctx);
	CHECK(r->pd);
	attr.pd = r->pd;
	r->domain = a ? ibv_alloc_parent_domain(r->ctx, &attr) : NULL;
	CHECK(r->domain || !a);
	r->cq = ibv_create_cq(r->ctx, 64, NULL, NULL, 0);
	CHECK(r->cq);
}

static struct ibv_qp *new_qp(const struct rig *r)
{
	struct ibv_qp_init_attr init = {
		.qp_type = IBV_QPT_RC,
		.send_cq = r->cq,
		.recv_cq = r->cq,
		.cap = {.max_send_wr = 16, .max_recv_wr = 16, .max_send_sge = 1, .max_recv_sge = 1},
	};
	struct ibv_qp *qp = ibv_create_qp(r->domain ? r->domain : r->pd, &init);

	CHECK(qp);
	return qp;
}

/* A reliable connection of a queue with itself. */
static void rig_connect(struct rig *r)
{
	struct ibv_qp_attr attr = {.qp_state = IBV_QPS_INIT,
				   .port_num = 1,
				   .qp_access_flags =
					   IBV_ACCESS_REMOTE_WRITE | IBV_ACCESS_REMOTE_READ};

	r->qp = new_qp(r);
	CHECK(!ibv_modify_qp(r->qp, &attr,
			     IBV_QP_STATE | IBV_QP_PKEY_INDEX | IBV_QP_PORT | IBV_QP_ACCESS_FLAGS));
	attr = (struct ibv_qp_attr){.qp_state = IBV_QPS_RTR,
				    .path_mtu = IBV_MTU_1024,
				    .dest_qp_num = r->qp->qp_num,
				    .max_dest_rd_atomic = 4,
				    .min_rnr_timer = 1};
	attr.ah_attr = (struct ibv_ah_attr){
		.is_global = 1, .port_num = 1, .grh = {.sgid_index = 1, .hop_limit = 1}};
	CHECK(!ibv_query_gid(r->ctx, 1, 1, &attr.ah_attr.grh.dgid));
	CHECK(!ibv_modify_qp(r->qp, &attr,
			     IBV_QP_STATE | IBV_QP_AV | IBV_QP_PATH_MTU | IBV_QP_DEST_QPN |
				     IBV_QP_RQ_PSN | IBV_QP_MAX_DEST_RD_ATOMIC |
				     IBV_QP_MIN_RNR_TIMER));
	attr = (struct ibv_qp_attr){
		.qp_state = IBV_QPS_RTS, .timeout = 14, .retry_cnt = 7, .max_rd_atomic = 4};
	CHECK(!ibv_modify_qp(r->qp, &attr,
			     IBV_QP_STATE | IBV_QP_TIMEOUT | IBV_QP_RETRY_CNT | IBV_QP_RNR_RETRY |
				     IBV_QP_SQ_PSN | IBV_QP_MAX_QP_RD_ATOMIC));
}

static struct ibv_mr *reg(const struct rig *r, void *at, size_t len)
{
	struct ibv_mr *mr = ibv_reg_mr(r->pd, at, len,
				       IBV_ACCESS_LOCAL_WRITE | IBV_ACCESS_REMOTE_WRITE |
					       IBV_ACCESS_REMOTE_READ);

	CHECK(mr);
	return mr;
}

static void post(struct rig *r, enum ibv_wr_opcode op, void *at, uint32_t lkey, size_t len,
		 void *remote, uint32_t rkey, bool signaled)
{
	struct ibv_sge sge = {(uintptr_t)at, (uint32_t)len, lkey};
	struct ibv_send_wr *bad, wr = {.sg_list = &sge,
				       .num_sge = 1,
				       .opcode = op,
				       .send_flags = signaled ? IBV_SEND_SIGNALED : 0};

	wr.wr.rdma.remote_addr = (uintptr_t)remote;
	wr.wr.rdma.rkey = rkey;
	CHECK(!ibv_post_send(r->qp, &wr, &bad));
}

static void done(struct rig *r)
{
	struct ibv_wc wc;
	int n;

	while (!(n = ibv_poll_cq(r->cq, 1, &wc)))
		;
	CHECK(n == 1 && wc.status == IBV_WC_SUCCESS);
}

static void write_to(struct rig *r, void *from, uint32_t lkey, void *to, uint32_t rkey, size_t len)
{
	post(r, IBV_WR_RDMA_WRITE, from, lkey, len, to, rkey, true);
	done(r);
}

static void rig_close(struct rig *r)
{
	if (r->qp)
		CHECK(!ibv_destroy_qp(r->qp));
	CHECK(!ibv_destroy_cq(r->cq));
	if (r->domain)
		CHECK(!ibv_dealloc_pd(r->domain));
	CHECK(!ibv_dealloc_pd(r->pd));
	CHECK(!ibv_close_device(r->ctx));
	CHECK(!shared(NULL, 0));
}

/* --- stores that must not be lost ------------------------------------------------------------- */

#define MAKERS	 2
#define COUNTERS 3
#define CELLS	 16 /* of one counter: in the record's page, in a umem, in the rest of its last page */
#define UMEM_LEN (PAGE + 1000)

static struct maker {
	struct rig rig;
	struct arena arena;
	char *umem;
	int rounds;
} makers[MAKERS];

static struct counter {
	volatile uint64_t *cell[CELLS];
	uint64_t counted;
} counters[COUNTERS];

static int making, seen_shared;
static bool stop;

static void *count(void *arg)
{
	struct counter *c = arg;

	while (!__atomic_load_n(&stop, __ATOMIC_RELAXED)) {
		for (unsigned int i = 0; i < CELLS; i++)
			++*c->cell[i];
		c->counted++;
	}
	return NULL;
}

static void *make(void *arg)
{
	struct maker *m = arg;

	for (int i = 0; i < m->rounds; i++) {
		struct ibv_qp *qp = new_qp(&m->rig);
		struct mlx5dv_devx_umem *umem = mlx5dv_devx_umem_reg(
			m->rig.ctx, m->umem, UMEM_LEN, IBV_ACCESS_LOCAL_WRITE);

		CHECK(umem);
		if (i % 16 == 0)
			__atomic_fetch_add(&seen_shared,
					   shared(m->arena.at, PAGE) && shared(m->umem, 2 * PAGE),
					   __ATOMIC_RELAXED);
		CHECK(!ibv_destroy_qp(qp));
		CHECK(!mlx5dv_devx_umem_dereg(umem));
	}
	__atomic_fetch_sub(&making, 1, __ATOMIC_RELEASE);
	return NULL;
}

static void setup_counters(int rounds)
{
	for (unsigned int i = 0; i < MAKERS; i++) {
		makers[i].arena = (struct arena){pages(64 * PAGE), PAGE};
		makers[i].umem = pages(2 * PAGE);
		makers[i].rounds = rounds;
		rig_open(&makers[i].rig, &makers[i].arena);
	}
	for (unsigned int c = 0; c < COUNTERS; c++)
		for (unsigned int i = 0; i < CELLS; i++) {
			const struct maker *m = &makers[i % MAKERS];
			size_t off = 64 * (1 + i * COUNTERS + c);

			counters[c].cell[i] = (void *)(i / MAKERS % 2 ? m->arena.at + off :
							     i % 3    ? m->umem + off :
									m->umem + PAGE + off);
		}
}

static void check_counters(void)
{
	for (unsigned int c = 0; c < COUNTERS; c++)
		for (unsigned int i = 0; i < CELLS; i++)
			CHECK(*counters[c].cell[i] == counters[c].counted);
}

/* In a fork child: memory stands still, and what is stored here stays here. */
static void child_of_counters(void)
{
	uint64_t then[COUNTERS][CELLS];

	for (unsigned int c = 0; c < COUNTERS; c++)
		for (unsigned int i = 0; i < CELLS; i++)
			then[c][i] = *counters[c].cell[i];
	for (int spin = 0; spin < 20; spin++)
		for (unsigned int c = 0; c < COUNTERS; c++)
			for (unsigned int i = 0; i < CELLS; i++)
				if (*counters[c].cell[i] != then[c][i])
					_exit(1);
	for (unsigned int c = 0; c < COUNTERS; c++)
		for (unsigned int i = 0; i < CELLS; i++)
			*counters[c].cell[i] = 0x5555555555555555;
	_exit(shared(NULL, 0) ? 2 : 0);
}

static void fork_now(void)
{
	pid_t child = fork();
	int status;

	CHECK(child >= 0);
	if (!child)
		child_of_counters();
	CHECK(waitpid(child, &status, 0) == child);
	CHECK(status == 0);
}

static int threads(int rounds, bool forks)
{
	pthread_t maker[MAKERS], counter[COUNTERS];

	setup_counters(rounds);
	making = MAKERS;
	for (unsigned int i = 0; i < COUNTERS; i++)
		CHECK(!pthread_create(&counter[i], NULL, count, &counters[i]));
	for (unsigned int i = 0; i < MAKERS; i++)
		CHECK(!pthread_create(&maker[i], NULL, make, &makers[i]));
	while (forks && __atomic_load_n(&making, __ATOMIC_ACQUIRE))
		fork_now();
	for (unsigned int i = 0; i < MAKERS; i++)
		pthread_join(maker[i], NULL);
	__atomic_store_n(&stop, true, __ATOMIC_RELAXED);
	for (unsigned int i = 0; i < COUNTERS; i++)
		pthread_join(counter[i], NULL);
	check_counters();
	CHECK((seen_shared > 0) == shares);
	for (unsigned int i = 0; i < MAKERS; i++) {
		CHECK(!shared(makers[i].arena.at, 64 * PAGE) && !shared(makers[i].umem, 2 * PAGE));
		CHECK(!ibv_destroy_cq(makers[i].rig.cq));
		CHECK(!ibv_close_device(makers[i].rig.ctx));
	}
	CHECK(!shared(NULL, 0));
	return 0;
}

/* No increment is lost while pages move back and forth under the threads that count in them. */
static int scene_threads(void)
{
	return threads(1000, false);
}

/* The same, and children are forked all along. */
static int scene_threads_fork(void)
{
	return threads(300, true);
}

/* --- forks ------------------------------------------------------------------------------------ */

/* Tells the other end something, or waits for it to. */
static void tell(int fd)
{
	CHECK(write(fd, "", 1) == 1);
}

static void hear(int fd)
{
	char c;

	CHECK(read(fd, &c, 1) == 1);
}

struct family {
	int to_child[2], to_parent[2];
	pid_t child;
};

/* The child sees what was there at the fork, though the parent stores at once. */
static void family_start(struct family *f, volatile uint64_t *cell, uint64_t value)
{
	CHECK(!pipe(f->to_child) && !pipe(f->to_parent));
	*cell = value;
	f->child = fork();
	CHECK(f->child >= 0);
	if (f->child)
		*cell = value + 1;
	close(f->child ? f->to_child[0] : f->to_child[1]);
	close(f->child ? f->to_parent[1] : f->to_parent[0]);
	if (f->child) {
		hear(f->to_parent[0]);
		CHECK(*cell == value + 1);
		return;
	}
	CHECK(*cell == value);
	*cell = value + 2;
	tell(f->to_parent[1]);
	hear(f->to_child[0]); /* the parent has taken its pages back */
	CHECK(*cell == value + 2);
	*cell = value + 3;
	CHECK(!shared(NULL, 0));
	exit(0);
}

static void family_end(struct family *f)
{
	int status;

	tell(f->to_child[1]);
	CHECK(waitpid(f->child, &status, 0) == f->child && !status);
	close(f->to_child[1]);
	close(f->to_parent[0]);
}

/* Before and after the queue is destroyed; the child's exit harms nothing. */
static int scene_fork(void)
{
	struct arena a = {pages(64 * PAGE), PAGE};
	volatile uint64_t *cell = (void *)(a.at + 2048), *in_umem;
	char *mem = pages(4 * PAGE), *data = pages(2 * PAGE);
	struct mlx5dv_devx_umem *umem;
	struct ibv_mr *mr;
	struct rig r;

	in_umem = (void *)(mem + 3 * PAGE + 2048);
	rig_open(&r, &a);
	for (unsigned int i = 0; i < 100; i++) {
		struct family one, two;

		rig_connect(&r);
		mr = reg(&r, data, 2 * PAGE);
		umem = mlx5dv_devx_umem_reg(r.ctx, mem, 3 * PAGE + 100, IBV_ACCESS_LOCAL_WRITE);
		CHECK(umem);
		expect_shared(a.at, PAGE);
		expect_shared(mem, 4 * PAGE);
		family_start(&one, cell, 100 + i);
		family_start(&two, in_umem, 200 + i);
		family_end(&two);
		CHECK(*in_umem == 201 + i);
		strcpy(data, "sent");
		write_to(&r, data, mr->lkey, data + PAGE, mr->rkey, 5);
		CHECK(!strcmp(data + PAGE, "sent"));
		memset(data, 0, 2 * PAGE);
		CHECK(!ibv_destroy_qp(r.qp));
		CHECK(!mlx5dv_devx_umem_dereg(umem));
		CHECK(!ibv_dereg_mr(mr));
		CHECK(!shared(a.at, 64 * PAGE) && !shared(mem, 4 * PAGE) && !shared(data, 2 * PAGE));
		family_end(&one);
		CHECK(*cell == 101 + i);
		CHECK(*in_umem == 201 + i);
		r.qp = NULL;
	}
	rig_close(&r);
	return 0;
}

/* A child that shares all memory until it execs, and one that only borrows it. */
static int scene_spawn(void)
{
	char *args[] = {"true", NULL}, *data = pages(2 * PAGE);
	volatile int borrowed = 0;
	struct ibv_mr *mr;
	struct rig r;
	int status;
	pid_t child;

	rig_open(&r, NULL);
	rig_connect(&r);
	mr = reg(&r, data, 2 * PAGE);
	for (int i = 0; i < 50; i++) {
		CHECK(!posix_spawnp(&child, "true", NULL, NULL, args, environ));
		memset(data, i + 1, PAGE);
		write_to(&r, data, mr->lkey, data + PAGE, mr->rkey, PAGE);
		CHECK(data[2 * PAGE - 1] == i + 1);
		CHECK(waitpid(child, &status, 0) == child && !status);
		child = vfork();
		if (!child) {
			borrowed++;
			data[0] = 77;
			_exit(0);
		}
		CHECK(waitpid(child, &status, 0) == child && !status);
		CHECK(data[0] == 77 && borrowed == i + 1);
	}
	CHECK(!ibv_dereg_mr(mr));
	rig_close(&r);
	return 0;
}

/* --- memory that changes hands ---------------------------------------------------------------- */

static void renew(void *at, size_t len)
{
	CHECK(!munmap(at, len));
	CHECK(mmap(at, len, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1,
		   0) == at);
}

static bool all(const char *at, int value, size_t len)
{
	while (len--)
		if (*at++ != value)
			return false;
	return true;
}

/* New memory in the place of what is shared is the program's alone. */
static int scene_renew(void)
{
	struct arena a = {pages(64 * PAGE), PAGE};
	char *mem = pages(4 * PAGE);
	struct mlx5dv_devx_umem *umem;
	struct rig r;

	rig_open(&r, &a);
	rig_connect(&r);
	umem = mlx5dv_devx_umem_reg(r.ctx, mem, 4 * PAGE, IBV_ACCESS_LOCAL_WRITE);
	CHECK(umem);
	expect_shared(a.at, 64 * PAGE);
	expect_shared(mem, 4 * PAGE);
	memset(mem, 1, 4 * PAGE);
	renew(a.at, 64 * PAGE);
	renew(mem + PAGE, 2 * PAGE);
	memset(a.at, 7, 64 * PAGE);
	memset(mem + PAGE, 7, 2 * PAGE);
	CHECK(!ibv_destroy_qp(r.qp));
	CHECK(!mlx5dv_devx_umem_dereg(umem));
	CHECK(all(a.at, 7, 64 * PAGE) && all(mem + PAGE, 7, 2 * PAGE));
	CHECK(all(mem, 1, PAGE) && all(mem + 3 * PAGE, 1, PAGE));
	CHECK(!shared(mem, 4 * PAGE) && !shared(a.at, 64 * PAGE));
	r.qp = NULL;
	rig_close(&r);
	return 0;
}

/* New memory in the place of a region's that is still registered, and a region of its own there. */
static int scene_stale(void)
{
	char *from = pages(PAGE), *to = pages(8 * PAGE);
	struct ibv_mr *source, *old, *mr;
	struct rig r;

	rig_open(&r, NULL);
	rig_connect(&r);
	source = reg(&r, from, PAGE);
	for (int len = 1; len <= 8; len *= 8) {
		old = reg(&r, to, 8 * PAGE);
		renew(to, (size_t)len * PAGE);
		memset(to, 0, (size_t)len * PAGE);
		mr = reg(&r, to, (size_t)len * PAGE);
		for (int i = 1; i < 20; i++) {
			memset(from, i, PAGE);
			write_to(&r, from, source->lkey, to, mr->rkey, PAGE);
			CHECK(all(to, i, PAGE));
		}
		CHECK(!ibv_dereg_mr(old));
		memset(from, 99, PAGE);
		write_to(&r, from, source->lkey, to, mr->rkey, PAGE);
		CHECK(all(to, 99, PAGE));
		CHECK(!ibv_dereg_mr(mr));
	}
	CHECK(!ibv_dereg_mr(source));
	rig_close(&r);
	return 0;
}

/* Memory that moves while it is shared is still the program's own afterwards. */
static int scene_moved(void)
{
	char *mem = pages(2 * PAGE), *elsewhere = pages(2 * PAGE);
	struct mlx5dv_devx_umem *umem;
	struct rig r;

	rig_open(&r, NULL);
	umem = mlx5dv_devx_umem_reg(r.ctx, mem, 2 * PAGE, IBV_ACCESS_LOCAL_WRITE);
	CHECK(umem);
	memset(mem, 5, 2 * PAGE);
	CHECK(mremap(mem, 2 * PAGE, 2 * PAGE, MREMAP_MAYMOVE | MREMAP_FIXED, elsewhere) ==
	      elsewhere);
	CHECK(!mlx5dv_devx_umem_dereg(umem));
	CHECK(all(elsewhere, 5, 2 * PAGE));
	CHECK(!shared(elsewhere, 2 * PAGE));
	rig_close(&r);
	return 0;
}

static int protection(const void *va)
{
	unsigned long start, end;
	char line[512], perm[5];
	FILE *maps = fopen("/proc/self/maps", "re");
	int prot = -1;

	CHECK(maps);
	while (prot < 0 && fgets(line, sizeof(line), maps)) {
		CHECK(sscanf(line, "%lx-%lx %4s", &start, &end, perm) == 3);
		if (start <= (unsigned long)va && (unsigned long)va < end)
			prot = (perm[0] == 'r' ? PROT_READ : 0) | (perm[1] == 'w' ? PROT_WRITE : 0);
	}
	fclose(maps);
	return prot;
}

/* What a program has protected stays protected, and is private again nevertheless. */
static int scene_protect(void)
{
	static const int prots[] = {PROT_NONE, PROT_READ, PROT_READ | PROT_WRITE};
	char *mem = pages(3 * PAGE);
	struct rig r;

	rig_open(&r, NULL);
	for (int round = 0; round < 10; round++) {
		struct mlx5dv_devx_umem *umem =
			mlx5dv_devx_umem_reg(r.ctx, mem, 3 * PAGE, IBV_ACCESS_LOCAL_WRITE);

		CHECK(umem);
		expect_shared(mem, 3 * PAGE);
		memset(mem, round, 3 * PAGE);
		for (size_t i = 0; i < 3; i++)
			CHECK(!mprotect(mem + i * PAGE, PAGE, prots[i]));
		CHECK(!mlx5dv_devx_umem_dereg(umem));
		CHECK(!shared(mem, 3 * PAGE));
		for (size_t i = 0; i < 3; i++)
			CHECK(protection(mem + i * PAGE) == prots[i]);
		CHECK(!mprotect(mem, 3 * PAGE, PROT_READ | PROT_WRITE));
		CHECK(all(mem, round, 3 * PAGE));
	}
	rig_close(&r);
	return 0;
}

/* A program that closes the device with all objects still there. */
static int scene_close(void)
{
	struct arena a = {pages(64 * PAGE), PAGE};
	char *mem = pages(2 * PAGE);
	struct rig r;

	rig_open(&r, &a);
	rig_connect(&r);
	CHECK(mlx5dv_devx_umem_reg(r.ctx, mem, 2 * PAGE, IBV_ACCESS_LOCAL_WRITE));
	expect_shared(mem, 2 * PAGE);
	memset(mem, 3, 2 * PAGE);
	close(r.ctx->cmd_fd);
	close(r.ctx->async_fd);
	CHECK(!shared(NULL, 0));
	CHECK(all(mem, 3, 2 * PAGE));
	return 0;
}

/* One process, two opens of the device, the same memory in both. */
static int scene_twice(void)
{
	char *data = pages(4 * PAGE), *from = pages(PAGE);
	struct ibv_mr *first, *second, *source;
	struct rig a, b;

	rig_open(&a, NULL);
	rig_open(&b, NULL);
	rig_connect(&b);
	source = reg(&b, from, PAGE);
	for (int i = 1; i < 1000; i++) {
		first = reg(&a, data, 4 * PAGE);
		second = reg(&b, data, 4 * PAGE);
		memset(from, i, PAGE);
		post(&b, IBV_WR_RDMA_WRITE, from, source->lkey, PAGE, data + 3 * PAGE, second->rkey,
		     true);
		CHECK(!ibv_dereg_mr(first)); /* its pages must not move under that write */
		done(&b);
		CHECK(all(data + 3 * PAGE, (char)i, PAGE));
		CHECK(!ibv_dereg_mr(second));
	}
	first = reg(&a, data, 4 * PAGE);
	second = reg(&b, data, 4 * PAGE);
	CHECK(!ibv_destroy_cq(a.cq));
	close(a.ctx->cmd_fd);
	close(a.ctx->async_fd);
	memset(from, 55, PAGE);
	write_to(&b, from, source->lkey, data, second->rkey, PAGE);
	CHECK(all(data, 55, PAGE));
	CHECK(!ibv_dereg_mr(second));
	CHECK(!ibv_dereg_mr(source));
	rig_close(&b);
	return 0;
}

/* The device dies under a program: its memory is its own, with all that was in it. */
static int scene_orphan(void)
{
	struct arena a = {pages(64 * PAGE), PAGE};
	char *mem = pages(2 * PAGE);
	struct mlx5dv_devx_umem *umem;
	struct rig r;
	char line[8];
	int status;

	rig_open(&r, &a);
	rig_connect(&r);
	umem = mlx5dv_devx_umem_reg(r.ctx, mem, 2 * PAGE, IBV_ACCESS_LOCAL_WRITE);
	CHECK(umem);
	memset(mem, 6, 2 * PAGE);
	expect_shared(mem, 2 * PAGE);
	puts("open");
	fflush(stdout);
	CHECK(!fgets(line, sizeof(line), stdin)); /* the end of it: the device is dead */
	CHECK(all(mem, 6, 2 * PAGE));
	memset(mem, 8, 2 * PAGE);
	memset(a.at + 2048, 8, 64);
	CHECK(mlx5dv_devx_umem_dereg(umem));
	ibv_destroy_qp(r.qp);
	CHECK(all(mem, 8, 2 * PAGE) && all(a.at + 2048, 8, 64));
	if (!fork()) {
		CHECK(all(mem, 8, 2 * PAGE));
		memset(mem, 9, 2 * PAGE);
		_exit(0);
	}
	CHECK(wait(&status) > 0 && !status);
	ibv_close_device(r.ctx);
	CHECK(!shared(NULL, 0));
	CHECK(all(mem, 8, 2 * PAGE));
	return 0;
}

/* --- what else holds a program's pages -------------------------------------------------------- */

/* Pages that an io_uring has pinned stay where they are: it goes on writing to those. */
static int scene_uring(void)
{
	struct io_uring_params params = {0};
	char *data = pages(4 * PAGE);
	struct iovec iov = {data, 4 * PAGE};
	int fd = (int)syscall(SYS_io_uring_setup, 4, &params);
	struct io_uring_sqe *sqes;
	uint32_t *sq;
	char *ring;
	struct ibv_mr *mr;
	struct rig r;
	int file = memfd_create("file", 0);

	if (fd < 0)
		return 77;
	memset(data, 1, 4 * PAGE);
	CHECK(pwrite(file, "from the file", 14, 0) == 14);
	CHECK(!syscall(SYS_io_uring_register, fd, IORING_REGISTER_BUFFERS, &iov, 1));
	rig_open(&r, NULL);
	mr = reg(&r, data, 4 * PAGE);
	ring = mmap(NULL, params.sq_off.array + 4 * params.sq_entries, PROT_READ | PROT_WRITE,
		    MAP_SHARED, fd, IORING_OFF_SQ_RING);
	sqes = mmap(NULL, params.sq_entries * sizeof(*sqes), PROT_READ | PROT_WRITE, MAP_SHARED, fd,
		    IORING_OFF_SQES);
	CHECK(ring != MAP_FAILED && sqes != MAP_FAILED);
	sqes[0] = (struct io_uring_sqe){.opcode = IORING_OP_READ_FIXED,
					.fd = file,
					.addr = (uintptr_t)data,
					.len = 14};
	sq = (void *)(ring + params.sq_off.array);
	sq[0] = 0;
	sq = (void *)(ring + params.sq_off.tail);
	__atomic_store_n(sq, 1, __ATOMIC_RELEASE);
	CHECK(syscall(SYS_io_uring_enter, fd, 1, 1, IORING_ENTER_GETEVENTS, NULL, 0) == 1);
	CHECK(!strcmp(data, "from the file"));
	CHECK(!ibv_dereg_mr(mr));
	rig_close(&r);
	return 0;
}

static struct {
	char *to;
	bool stop;
} reader;

static void *read_on(void *arg)
{
	int file = memfd_create("file", 0);

	(void)arg;
	CHECK(pwrite(file, "\5", 1, 63) == 1 && pwrite(file, "\5", 1, 0) == 1);
	while (!__atomic_load_n(&reader.stop, __ATOMIC_RELAXED))
		CHECK(pread(file, reader.to, 64, 0) == 64);
	close(file);
	return NULL;
}

/* As most programs: it may not hold back what the kernel stores. */
static void drop_privilege(void)
{
	struct __user_cap_header_struct head = {.version = _LINUX_CAPABILITY_VERSION_3};
	struct __user_cap_data_struct none[2] = {{0}};

	CHECK(!syscall(SYS_capset, &head, none));
}

/* A thread's read() next to a region does not fail because the region goes. */
static int reads(void)
{
	pthread_t thread;
	struct rig r;

	rig_open(&r, NULL);
	for (int i = 0; i < 20; i++) {
		char *data = pages(PAGE);
		struct ibv_mr *mr;

		data[0] = 1;
		reader.to = data + 2048;
		reader.stop = false;
		mr = reg(&r, data, 100);
		CHECK(!pthread_create(&thread, NULL, read_on, NULL));
		while (__atomic_load_n(&data[2048], __ATOMIC_RELAXED) != 5)
			;
		for (int spin = 0; spin < 100000; spin++)
			__asm__ volatile("" ::: "memory");
		CHECK(!ibv_dereg_mr(mr));
		__atomic_store_n(&reader.stop, true, __ATOMIC_RELAXED);
		pthread_join(thread, NULL);
	}
	CHECK(!ibv_destroy_cq(r.cq) && !ibv_dealloc_pd(r.pd) && !ibv_close_device(r.ctx));
	CHECK(!shared(NULL, 0)); /* one thread again */
	return 0;
}

static int scene_reader(void)
{
	return reads();
}

static int scene_reader_unprivileged(void)
{
	drop_privilege();
	return reads();
}

static void *sleep_on(void *arg)
{
	pause();
	return arg;
}

/* Regions that could not be taken back are forgotten when the program has unmapped them. */
static int scene_churn(void)
{
	pthread_t thread;
	struct rig r;
	char *mem = pages(PAGE);
	struct mlx5dv_devx_umem *umem;

	drop_privilege();
	rig_open(&r, NULL);
	CHECK(!pthread_create(&thread, NULL, sleep_on, NULL));
	for (int i = 0; i < 1500; i++) {
		char *data = pages(PAGE);

		CHECK(!ibv_dereg_mr(reg(&r, data, PAGE)));
		CHECK(!munmap(data, PAGE));
	}
	umem = mlx5dv_devx_umem_reg(r.ctx, mem, PAGE, IBV_ACCESS_LOCAL_WRITE);
	CHECK(umem);
	expect_shared(mem, PAGE);
	CHECK(!mlx5dv_devx_umem_dereg(umem));
	rig_close(&r);
	return 0;
}

/* --- READs ------------------------------------------------------------------------------------ */

/* What a READ without a CQE brings comes by itself, and at once: nobody else wakes the device. */
static int scene_read(void)
{
	/* never shared with the device, so that it would pay for the device to wait */
	volatile uint64_t *to =
		mmap(NULL, PAGE, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	uint64_t *from = pages(PAGE);
	struct ibv_mr *a, *b;
	struct rig r;

	rig_open(&r, NULL);
	rig_connect(&r);
	CHECK(to != MAP_FAILED);
	a = reg(&r, from, PAGE);
	b = reg(&r, (void *)(uintptr_t)to, PAGE);
	for (uint64_t i = 1; i < 200; i++) {
		from[0] = i;
		for (int n = 0; n < 3; n++)
			post(&r, IBV_WR_RDMA_READ, (void *)(uintptr_t)to, b->lkey, 8, from, a->rkey,
			     false);
		while (*to != i)
			;
		post(&r, IBV_WR_RDMA_WRITE, from, a->lkey, 8, from + 8, a->rkey, true);
		done(&r);
	}
	CHECK(!ibv_dereg_mr(a) && !ibv_dereg_mr(b));
	rig_close(&r);
	return 0;
}

static void refuse_userfaultfd(void)
{
	struct sock_filter code[] = {
		BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
		BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_userfaultfd, 0, 1),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | EPERM),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
	};
	struct sock_fprog filter = {sizeof(code) / sizeof(code[0]), code};

	CHECK(!prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0));
	CHECK(!prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &filter));
}

int main(int argc, char **argv)
{
	static const struct {
		const char *name;
		int (*run)(void);
	} scenes[] = {
		{"threads", scene_threads}, {"threads-fork", scene_threads_fork},
		{"fork", scene_fork},	    {"spawn", scene_spawn},
		{"renew", scene_renew},	    {"stale", scene_stale},
		{"moved", scene_moved},	    {"protect", scene_protect},
		{"close", scene_close},	    {"twice", scene_twice},
		{"orphan", scene_orphan},   {"uring", scene_uring},
		{"read", scene_read},	    {"reader", scene_reader},
		{"reader-unprivileged", scene_reader_unprivileged},
		{"churn", scene_churn},
	};

	/* alone: nothing moves without userfaultfd, unless the program has one thread */
	if (argc == 3 && !strcmp(argv[2], "alone"))
		refuse_userfaultfd();
	if (argc == 3 && !strcmp(argv[2], "never")) {
		refuse_userfaultfd();
		shares = false;
	}
	for (size_t i = 0; i < sizeof(scenes) / sizeof(scenes[0]); i++)
		if (argc > 1 && !strcmp(argv[1], scenes[i].name))
			return scenes[i].run();
	fprintf(stderr, "usage: share SCENE [alone|never]\n");
	return 2;
}
