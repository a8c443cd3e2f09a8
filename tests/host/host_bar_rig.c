/* SPDX-License-Identifier: BSD-2-Clause */
#include "host_bar_rig.h"
#include <fcntl.h>
#include <linux/userfaultfd.h>
#include <poll.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

struct host *host;
uint64_t now;
struct rang rang[64];
unsigned int nrang;

void bars_rang(void *ctx, uint32_t uar, uint32_t offset, uint64_t value)
{
	assert_ptr_equal(ctx, &host);
	rang[nrang++ % 64] = (struct rang){uar, offset, value};
}

int bars_setup(void **state)
{
	(void)state;
	now = SECOND;
	nrang = 0;
	host = host_new();
	host_on_doorbell(host, bars_rang, &host);
	return host ? 0 : -1;
}

int bars_teardown(void **state)
{
	(void)state;
	host_free(host);
	return 0;
}

uint8_t *bar_map(struct bar *bar, unsigned int pages)
{
	uint8_t *map =
		mmap(NULL, pages * UAR_PAGE, PROT_READ | PROT_WRITE, MAP_SHARED, bar_fd(bar), 0);

	assert_ptr_not_equal(map, MAP_FAILED);
	return map;
}

int new_uffd(void)
{
	return (int)syscall(SYS_userfaultfd, O_CLOEXEC | UFFD_USER_MODE_ONLY);
}

bool bar_watch(struct bar *bar, uint8_t *map, unsigned int pages)
{
	int uffd = new_uffd();

	return uffd >= 0 && !bar_uffd(bar, uffd) &&
	       !bar_mapped(bar, (uintptr_t)map, pages * UAR_PAGE, 0);
}

void store(uint8_t *at, uint64_t value)
{
	void *reg = at;

	__atomic_store_n((uint64_t *)reg, value, __ATOMIC_RELEASE);
}

static void *store_main(void *at)
{
	store(at, 42);
	return NULL;
}

pthread_t start_store(uint8_t *at)
{
	pthread_t t;

	assert_int_equal(pthread_create(&t, NULL, store_main, at), 0);
	return t;
}

int readable(int ms)
{
	struct pollfd p = {.fd = host_epoll_fd(host), .events = POLLIN};

	return poll(&p, 1, ms);
}

bool settle(void)
{
	uint64_t ns = 0;

	for (int i = 0; i < 100000 && ns < DEEP; i++) {
		host_poll(host);
		ns = host_arm(host, now);
		now += ns == 0 ? 1000 : ns < DEEP ? ns : 0;
	}
	return ns >= DEEP;
}
