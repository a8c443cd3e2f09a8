/* SPDX-License-Identifier: BSD-2-Clause */
/* Reads the program's memory from /proc/self/maps. */
#include <sys/mman.h>
#include "share_mem.h"

bool mem_shares = true;

int mem_shared(const void *va, size_t len)
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

void mem_expect_shared(const void *va, size_t len)
{
	CHECK((mem_shared(va, len) > 0) == mem_shares);
}

int mem_rounds(int tsan, int n)
{
	if (getenv("DVX_TEST_LONG"))
		return MEM_TSAN ? tsan : n;
	if (MEM_TSAN)
		return tsan / 3;
	return MEM_ASAN ? n / 10 : n / 3;
}

void *mem_pages(size_t len)
{
	void *p = mmap(NULL, len, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	CHECK(p != MAP_FAILED);
	return p;
}

bool mem_all(const char *at, int value, size_t len)
{
	while (len--)
		if (*at++ != value)
			return false;
	return true;
}
