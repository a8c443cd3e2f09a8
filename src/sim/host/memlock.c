/* SPDX-License-Identifier: BSD-2-Clause */
/* Limits how much memory a client may pin, as ib_umem_get() of Linux does. */
#include <errno.h>
#include <inttypes.h>
#include <linux/capability.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>
#include "host.h"

#define PAGE 4096u

static FILE *memlock_file(const struct mm *mm, const char *name)
{
	char path[48];

	snprintf(path, sizeof(path), "/proc/%d/%s", (int)mm->pid, name);
	return fopen(path, "re");
}

/* Reads a limit in /proc, where any user's is readable. "unlimited" is no number. */
static rlim_t memlock_read(const struct mm *mm)
{
	static const char key[] = "Max locked memory";
	FILE *f = memlock_file(mm, "limits");
	rlim_t limit = RLIM_INFINITY;
	char line[256], *end;

	while (f && fgets(line, sizeof(line), f)) {
		if (strncmp(line, key, sizeof(key) - 1))
			continue;
		limit = strtoull(line + sizeof(key) - 1, &end, 10);
		if (end == line + sizeof(key) - 1)
			limit = RLIM_INFINITY;
	}
	if (f)
		fclose(f);
	return limit;
}

static rlim_t memlock_limit(const struct mm *mm)
{
	struct rlimit limit;

	return prlimit(mm->pid, RLIMIT_MEMLOCK, NULL, &limit) ? memlock_read(mm) : limit.rlim_cur;
}

/* Capabilities in another user namespace lift no limit: it does not map all ids. */
static bool memlock_initial_userns(const struct mm *mm)
{
	FILE *f = memlock_file(mm, "uid_map");
	uint64_t n = 0;
	bool read = f && fscanf(f, "%*u %*u %" SCNu64, &n) == 1;

	if (f)
		fclose(f);
	return !read || n == UINT32_MAX;
}

static bool memlock_lifted(const struct mm *mm)
{
	struct __user_cap_header_struct head = {_LINUX_CAPABILITY_VERSION_3, mm->pid};
	struct __user_cap_data_struct caps[_LINUX_CAPABILITY_U32S_3];

	return !syscall(SYS_capget, &head, caps) &&
	       caps[CAP_TO_INDEX(CAP_IPC_LOCK)].effective & CAP_TO_MASK(CAP_IPC_LOCK) &&
	       memlock_initial_userns(mm);
}

int mm_may_pin(const struct mm *mm, uint64_t pages, uint64_t *limit)
{
	const rlim_t most = mm->gone ? RLIM_INFINITY : memlock_limit(mm);

	*limit = most;
	if (most == RLIM_INFINITY || pages <= most / PAGE || memlock_lifted(mm))
		return 0;
	return most ? -ENOMEM : -EPERM;
}
