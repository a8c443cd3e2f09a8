/* SPDX-License-Identifier: BSD-2-Clause */
/* Proves that parent and children each see their own memory, for all kinds of children. */
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>
#include "share_rig.h"
#include "share_scenes.h"

extern char **environ;

/* Sends a byte to the other end, or waits for one. */
static void send_byte(int fd)
{
	CHECK(write(fd, "", 1) == 1);
}

static void await_byte(int fd)
{
	char c;

	CHECK(read(fd, &c, 1) == 1);
}

struct family {
	int to_child[2], to_parent[2];
	pid_t child;
};

/* Checks that the child sees the memory as it was at the fork, though the parent stores at once. */
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
		await_byte(f->to_parent[0]);
		CHECK(*cell == value + 1);
		return;
	}
	CHECK(*cell == value);
	*cell = value + 2;
	send_byte(f->to_parent[1]);
	await_byte(f->to_child[0]); /* the parent has taken its pages back */
	CHECK(*cell == value + 2);
	*cell = value + 3;
	CHECK(!mem_shared(NULL, 0));
	exit(0);
}

static void family_end(struct family *f)
{
	int status;

	send_byte(f->to_child[1]);
	CHECK(waitpid(f->child, &status, 0) == f->child && !status);
	close(f->to_child[1]);
	close(f->to_parent[0]);
}

/* A region of many pages is copied as a whole. */
static void large_region_forks(struct rig *r)
{
	const size_t len = 2u << 20;
	char *data = mem_pages(len);
	struct ibv_mr *mr = rig_reg(r, data, len);
	volatile uint64_t *last = (void *)(data + len - 8);
	struct family f;

	mem_expect_shared(data, len);
	data[0] = 7;
	family_start(&f, last, 300);
	family_end(&f);
	rig_write(r, data, mr->lkey, data + len - 16, mr->rkey, 1);
	CHECK(data[len - 16] == 7 && *last == 301);
	CHECK(!ibv_dereg_mr(mr) && !mem_shared(data, len));
}

/* Forks before and after the queue is destroyed; the child's exit has no effect. */
int scene_fork(void)
{
	const unsigned int rounds = (unsigned int)mem_rounds(20, 300);
	struct arena a = {mem_pages(64 * PAGE), PAGE};
	volatile uint64_t *cell = (void *)(a.at + 2048), *in_umem;
	char *mem = mem_pages(4 * PAGE), *data = mem_pages(2 * PAGE);
	struct mlx5dv_devx_umem *umem;
	struct ibv_mr *mr;
	struct rig r;

	in_umem = (void *)(mem + 3 * PAGE + 2048);
	rig_open(&r, &a);
	for (unsigned int i = 0; i < rounds; i++) {
		struct family one, two;

		rig_connect(&r);
		mr = rig_reg(&r, data, 2 * PAGE);
		umem = mlx5dv_devx_umem_reg(r.ctx, mem, 3 * PAGE + 100, IBV_ACCESS_LOCAL_WRITE);
		CHECK(umem);
		mem_expect_shared(a.at, PAGE);
		mem_expect_shared(mem, 4 * PAGE);
		family_start(&one, cell, 100 + i);
		family_start(&two, in_umem, 200 + i);
		family_end(&two);
		CHECK(*in_umem == 201 + i);
		strcpy(data, "sent");
		rig_write(&r, data, mr->lkey, data + PAGE, mr->rkey, 5);
		CHECK(!strcmp(data + PAGE, "sent"));
		memset(data, 0, 2 * PAGE);
		CHECK(!ibv_destroy_qp(r.qp));
		CHECK(!mlx5dv_devx_umem_dereg(umem));
		CHECK(!ibv_dereg_mr(mr));
		CHECK(!mem_shared(a.at, 64 * PAGE) && !mem_shared(mem, 4 * PAGE) &&
		      !mem_shared(data, 2 * PAGE));
		family_end(&one);
		CHECK(*cell == 101 + i);
		CHECK(*in_umem == 201 + i);
		r.qp = NULL;
	}
	rig_connect(&r);
	large_region_forks(&r);
	rig_close(&r);
	return 0;
}

static void borrow(char *data)
{
	static volatile int borrowed;
	int status, before = borrowed;
	pid_t child = vfork();

	if (!child) {
		borrowed++;
		data[0] = 77;
		_exit(0);
	}
	CHECK(waitpid(child, &status, 0) == child && !status);
	CHECK(data[0] == 77 && borrowed == before + 1);
}

/* Runs a child that shares all memory until it execs, and one that only borrows it. */
int scene_spawn(void)
{
	const int rounds = mem_rounds(50, 150);
	char *args[] = {"true", NULL}, *data = mem_pages(2 * PAGE);
	struct ibv_mr *mr;
	struct rig r;
	int status;
	pid_t child;

	rig_open(&r, NULL);
	rig_connect(&r);
	mr = rig_reg(&r, data, 2 * PAGE);
	for (int i = 0; i < rounds; i++) {
		CHECK(!posix_spawnp(&child, "true", NULL, NULL, args, environ));
		memset(data, i + 1, PAGE);
		rig_write(&r, data, mr->lkey, data + PAGE, mr->rkey, PAGE);
		CHECK(data[2 * PAGE - 1] == (char)(i + 1));
		CHECK(waitpid(child, &status, 0) == child && !status);
		if (!MEM_TSAN)
			borrow(data);
	}
	CHECK(!ibv_dereg_mr(mr));
	rig_close(&r);
	return 0;
}
