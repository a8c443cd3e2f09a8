/* SPDX-License-Identifier: BSD-2-Clause */
/* The host and the clients of tests of shared pages. */
#include <signal.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>
#include "host_share_rig.h"

struct host *host;

int rig_setup(void **state)
{
	(void)state;
	host = host_new();
	return host ? 0 : -1;
}

int rig_teardown(void **state)
{
	(void)state;
	host_free(host);
	return 0;
}

int sealed(size_t len, unsigned int flags, unsigned int seals)
{
	int fd = memfd_create("ring", MFD_CLOEXEC | MFD_ALLOW_SEALING | flags);
	size_t at;

	if (fd < 0)
		return -1;
	for (at = 0; at < len && !flags; at += PAGE)
		assert_int_equal(pwrite(fd, "", 1, (off_t)(at + PAGE - 1)), 1);
	assert_int_equal(ftruncate(fd, (off_t)len), 0);
	if (seals)
		assert_int_equal(fcntl(fd, F_ADD_SEALS, seals), 0);
	return fd;
}

static const struct {
	uint32_t page, pages;
} shared[] = {{2, 4}, {8, 2}};

bus_t at(const struct client *c, size_t off)
{
	return mm_bus(c->mm, (uintptr_t)c->area + off);
}

void lay(void *va, size_t len, int fd)
{
	assert_ptr_equal(mmap(va, len, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_FIXED, fd, 0), va);
}

void client_open(struct client *c, bool self, size_t len, bool shares)
{
	uint8_t *fenced = mmap(NULL, len + 2 * PAGE, PROT_NONE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	unsigned int n = shares ? 2 : 0;
	int fds[2];

	assert_ptr_not_equal(fenced, MAP_FAILED);
	*c = (struct client){.self = self, .len = len, .area = fenced + PAGE};
	assert_int_equal(mprotect(c->area, len, PROT_READ | PROT_WRITE), 0);
	for (unsigned int i = 0; i < n; i++) {
		fds[i] = sealed(shared[i].pages * PAGE, 0, SEALS);
		lay(c->area + shared[i].page * PAGE, shared[i].pages * PAGE, fds[i]);
	}
	c->pid = self ? getpid() : fork();
	if (!c->pid) {
		prctl(PR_SET_PDEATHSIG, SIGKILL); /* a failed test ends without client_stop() */
		pause();
		_exit(0);
	}
	c->mm = mm_open(host, c->pid, self ? -1 : (int)syscall(SYS_pidfd_open, c->pid, 0));
	assert_non_null(c->mm);
	for (unsigned int i = 0; i < n; i++) {
		assert_int_equal(mm_share(c->mm, (uintptr_t)c->area + shared[i].page * PAGE,
					  shared[i].pages * PAGE, fds[i]),
				 0);
		close(fds[i]);
	}
}

void client_start(struct client *c, bool self)
{
	client_open(c, self, AREA, true);
}

void client_kill(struct client *c)
{
	if (!c->self && c->pid > 0) {
		kill(c->pid, SIGKILL);
		waitpid(c->pid, NULL, 0);
		c->pid = -1;
	}
}

void client_stop(struct client *c)
{
	client_kill(c);
	mm_close(c->mm);
	munmap(c->area - PAGE, c->len + 2 * PAGE);
}

void each_kind_of(size_t len, bool shares, void (*test)(struct client *))
{
	struct client c;

	for (int self = 0; self < 2; self++) {
		client_open(&c, self, len, shares);
		test(&c);
		client_stop(&c);
	}
}

void each_kind(void (*test)(struct client *))
{
	each_kind_of(AREA, true, test);
}

void fill(uint8_t *p, size_t len, unsigned int seed)
{
	while (len--)
		*p++ = (uint8_t)rand_r(&seed);
}
