/* SPDX-License-Identifier: BSD-2-Clause */
#include <numaif.h>
#include <stdio.h>
#include <sys/mman.h>
#include <unistd.h>
#include "priv.h"

struct dvx_mem {
	void *addr;
	size_t len;
	bool own;
	bool huge;
};

#define KNOWN_FLAGS (DVX_PLACE_NODE | DVX_PLACE_HUGE | DVX_PLACE_TRY_HUGE)
#define MAX_NODES   1024

static size_t mem_round_up(size_t len, size_t to)
{
	return (len + to - 1) / to * to;
}

/* Returns the default hugepage size, which MAP_HUGETLB uses; 0 without hugepages. */
static size_t mem_huge_size(void)
{
	char line[128];
	size_t kib = 0;
	FILE *f = fopen("/proc/meminfo", "re");

	while (f && fgets(line, sizeof(line), f))
		if (sscanf(line, "Hugepagesize: %zu kB", &kib) == 1)
			break;
	if (f)
		fclose(f);
	return kib * 1024;
}

static void *mem_map(size_t len, int flags)
{
	void *p =
		mmap(NULL, len, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | flags, -1, 0);

	return p == MAP_FAILED ? NULL : p;
}

/*
 * Binds memory to a node, before the first touch, so that no page has to move. Calls mbind() by
 * syscall(), because libnuma's wrapper prints.
 */
static int mem_bind_node(void *addr, size_t len, int32_t node)
{
	unsigned long mask[MAX_NODES / (8 * sizeof(long))] = {0};
	size_t bits = 8 * sizeof(long);

	if (node < 0 || node >= MAX_NODES - 1)
		return dvx_fail(EINVAL, "place.node is %d", node);
	mask[(size_t)node / bits] = 1ul << ((size_t)node % bits);
	if (mbind(addr, len, MPOL_BIND, mask, MAX_NODES, 0))
		return dvx_fail(errno, "place.node %d: the kernel refuses memory on this node",
				node);
	/* Faults pages in here: without free (huge)pages it is an errno, and later a signal. */
	if (madvise(addr, len, MADV_POPULATE_WRITE) && errno != EINVAL)
		return dvx_fail(ENOMEM, "place.node %d has no %zu bytes free", node, len);
	return 0;
}

static int mem_map_placed(struct dvx_mem *mem, size_t len, const struct dvx_place *place)
{
	size_t huge = place->flags & (DVX_PLACE_HUGE | DVX_PLACE_TRY_HUGE) ? mem_huge_size() : 0;
	int err = 0;

	if (huge) {
		mem->len = mem_round_up(len, huge);
		mem->addr = mem_map(mem->len, MAP_HUGETLB);
		mem->huge = mem->addr != NULL;
	}
	if (!mem->addr && place->flags & DVX_PLACE_HUGE)
		return dvx_fail(ENOMEM, "%zu bytes of hugepages are not free (vm.nr_hugepages?)",
				len);
	if (!mem->addr) {
		mem->len = mem_round_up(len, (size_t)sysconf(_SC_PAGESIZE));
		mem->addr = mem_map(mem->len, 0);
	}
	if (!mem->addr)
		return dvx_fail(ENOMEM, "no %zu bytes of memory", mem->len);
	if (place->flags & DVX_PLACE_NODE)
		err = mem_bind_node(mem->addr, mem->len, place->node);
	if (err)
		munmap(mem->addr, mem->len);
	return err;
}

static int mem_use_callers(struct dvx_mem *mem, size_t len, const struct dvx_place *place)
{
	size_t page = (size_t)sysconf(_SC_PAGESIZE);

	if (place->flags)
		return dvx_fail(EINVAL, "place.flags 0x%x must be 0 with place.buf", place->flags);
	if ((uintptr_t)place->buf % page)
		return dvx_fail(EINVAL, "place.buf %p is not aligned to a page", place->buf);
	if (place->buf_len < len)
		return dvx_fail(EINVAL, "place.buf_len is %zu, less than %zu", place->buf_len, len);
	memset(place->buf, 0, len);
	mem->addr = place->buf;
	mem->len = place->buf_len;
	return 0;
}

int dvx_mem_alloc(size_t len, const struct dvx_place *place, struct dvx_mem **out)
{
	static const struct dvx_place anywhere;
	struct dvx_mem *mem;
	int err = dvx_check_not_null("dvx_mem_alloc", "out", out, NULL);

	if (err)
		return err;
	if (!place)
		place = &anywhere;
	if (!len || len > SIZE_MAX / 2)
		return dvx_fail(EINVAL, "dvx_mem_alloc: len is %zu", len);
	if (place->flags & ~(uint32_t)KNOWN_FLAGS)
		return dvx_fail(EINVAL, "place.flags 0x%x: unknown bits", place->flags);
	mem = calloc(1, sizeof(*mem));
	if (!mem)
		return dvx_fail(ENOMEM, "no memory for a dvx_mem");
	mem->own = !place->buf;
	err = mem->own ? mem_map_placed(mem, len, place) : mem_use_callers(mem, len, place);
	if (err) {
		free(mem);
		return err;
	}
	*out = mem;
	return 0;
}

void dvx_mem_free(struct dvx_mem *mem)
{
	if (!mem)
		return;
	if (mem->own)
		munmap(mem->addr, mem->len);
	free(mem);
}

void *dvx_mem_addr(const struct dvx_mem *mem)
{
	return mem->addr;
}

size_t dvx_mem_len(const struct dvx_mem *mem)
{
	return mem->len;
}

bool dvx_mem_huge(const struct dvx_mem *mem)
{
	return mem->huge;
}
