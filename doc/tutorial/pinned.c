/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What the limit of locked memory does: registers regions of 1 MiB under a limit that the program sets
 * itself, until one is refused.
 *
 *	dvx-sim run -- ./pinned 4096		a limit of 4096 KiB
 */
#include <unistd.h>
#include <linux/capability.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include "tutorial.h"

enum { MIB = 1 << 20, REGIONS = 16 };

/* The limit is none for a process with CAP_IPC_LOCK, as root's mostly have: gives it up. */
static void be_limited(void)
{
	struct __user_cap_header_struct head = {.version = _LINUX_CAPABILITY_VERSION_3};
	struct __user_cap_data_struct caps[_LINUX_CAPABILITY_U32S_3];

	must(syscall(SYS_capget, &head, caps) < 0, "capabilities");
	caps[0].effective &= ~(1U << CAP_IPC_LOCK);
	must(syscall(SYS_capset, &head, caps) < 0, "give up CAP_IPC_LOCK");
}

static void set_limit(rlim_t bytes)
{
	struct rlimit limit;

	must(getrlimit(RLIMIT_MEMLOCK, &limit), "limit of locked memory");
	limit.rlim_cur = bytes;
	must(setrlimit(RLIMIT_MEMLOCK, &limit),
	     "set the limit (at most the hard one: ulimit -H -l)");
	printf("limit %d KiB\n", (int)(bytes / 1024));
}

static char *map(void)
{
	char *memory = mmap(NULL, (size_t)REGIONS * MIB, PROT_READ | PROT_WRITE,
			    MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	must(memory == MAP_FAILED, "memory");
	return memory;
}

int main(int argc, char **argv)
{
	struct ibv_mr *mr[REGIONS];
	struct tutorial t;
	struct ibv_cq *cq;
	char *memory = map();
	int n = 0;

	tutorial_begin(&t);
	cq = tutorial_cq(&t);
	be_limited();
	set_limit((argc > 1 ? strtoul(argv[1], NULL, 0) : 4096) * 1024);
	while (n < REGIONS && (mr[n] = ibv_reg_mr(t.pd, memory + (size_t)n * MIB, MIB, 0)))
		n++;
	printf("%d regions of 1 MiB, then: %s\n", n, n < REGIONS ? strerror(errno) : "enough");
	if (n) {
		must(errno = ibv_dereg_mr(mr[--n]), "deregister");
		mr[n] = ibv_reg_mr(t.pd, memory, MIB, 0);
		must(!mr[n], "the freed room");
		n++;
		printf("one less, one more: yes\n");
	}
	while (n)
		must(errno = ibv_dereg_mr(mr[--n]), "deregister");
	must(errno = ibv_destroy_cq(cq), "destroy the completion queue");
	tutorial_close(&t);
	munmap(memory, (size_t)REGIONS * MIB);
	return 0;
}
