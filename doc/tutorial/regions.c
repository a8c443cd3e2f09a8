/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What can be registered as a memory region, and what is refused.
 *
 *	dvx-sim run -- ./regions
 */
#include <sys/mman.h>
#include "tutorial.h"

enum { BYTES = 16384, BOTH = PROT_READ | PROT_WRITE };

static char *map(int protection)
{
	char *memory = mmap(NULL, BYTES, protection, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	must(memory == MAP_FAILED, "mmap");
	return memory;
}

static struct ibv_mr *attempt(struct tutorial *t, const char *what, void *from, size_t bytes,
			      unsigned int access)
{
	struct ibv_mr *mr = ibv_reg_mr(t->pd, from, bytes, access);

	printf("%-42s %s\n", what, mr ? "yes" : strerror(errno));
	return mr;
}

static void forget(struct ibv_mr *mr)
{
	if (mr)
		must(errno = ibv_dereg_mr(mr), "deregister");
}

int main(void)
{
	char *writable = map(BOTH), *constant = map(PROT_READ), *closed = map(PROT_NONE);
	struct tutorial t;
	struct ibv_mr *mr[2];

	tutorial_begin(&t);
	mr[0] = attempt(&t, "16 KiB for own writes", writable, BYTES, IBV_ACCESS_LOCAL_WRITE);
	mr[1] = attempt(&t, "100 bytes of it, for the peer to read", writable + 50, 100,
			IBV_ACCESS_REMOTE_READ);
	printf("%-42s %s\n", "the two keys",
	       mr[0] && mr[1] && mr[0]->lkey == mr[1]->lkey ? "are the same" : "differ");
	forget(attempt(&t, "a peer may write, the own NIC may not", writable, BYTES,
		       IBV_ACCESS_REMOTE_WRITE));
	forget(attempt(&t, "constant memory, to be sent", constant, BYTES, 0));
	forget(attempt(&t, "constant memory, to be written", constant, BYTES,
		       IBV_ACCESS_LOCAL_WRITE));
	forget(attempt(&t, "addresses that the program may not read", closed, BYTES, 0));
	printf("%-42s %s\n", "free the PD before its regions",
	       strerror(errno = ibv_dealloc_pd(t.pd)));
	forget(mr[0]);
	forget(mr[1]);
	tutorial_close(&t);
	return 0;
}
