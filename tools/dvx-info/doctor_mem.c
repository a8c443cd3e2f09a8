/* SPDX-License-Identifier: BSD-2-Clause */
/* Checks the memory that a registration needs. */
#include <inttypes.h>
#include <linux/capability.h>
#include <stdio.h>
#include "doctor.h"
#include "facts.h"
#include "features.h"

/* Less than a small program with a few rings and a buffer needs. */

/* The kernel's default of vm.max_map_count. */
enum { DEFAULT_MAPS = 65530 };

static void memlock(struct doctor *d)
{
	uint64_t left;
	static const char remedy[] =
		"echo '* - memlock unlimited' | sudo tee /etc/security/limits.d/90-rdma.conf "
		"# log in again; service: LimitMEMLOCK=infinity; docker: --ulimit memlock=-1";

	if (!fact_memlock(&left))
		doctor_line(d, "memlock", LEVEL_OK, "", "RLIMIT_MEMLOCK is not known.");
	else if (left == UINT64_MAX)
		doctor_line(d, "memlock", LEVEL_OK, "", "RLIMIT_MEMLOCK is unlimited.");
	else if (fact_may(CAP_IPC_LOCK) && fact_initial_userns())
		doctor_line(d, "memlock", LEVEL_OK, "",
			    "RLIMIT_MEMLOCK leaves %" PRIu64
			    " KiB, but this process has CAP_IPC_LOCK, which lifts it.",
			    left / 1024);
	else
		doctor_line(d, "memlock", left < DOCTOR_FEW_BYTES ? LEVEL_FAIL : LEVEL_WARN, remedy,
			    "RLIMIT_MEMLOCK leaves %" PRIu64
			    " KiB: registering more than that (rings count too) ends in ENOMEM.",
			    left / 1024);
}

static void nodes_text(unsigned long kb, char *buf, size_t size)
{
	size_t used = 0;
	long long n;

	*buf = '\0';
	for (int node = 0; node < 64 && used < size; node++) {
		n = fact_hugepages(kb, node, "free_hugepages");
		if (n >= 0)
			used += (size_t)snprintf(buf + used, size - used, "%snode %d: %lld",
						 used ? ", " : "", node, n);
	}
}

static void hugepages(struct doctor *d)
{
	static const unsigned long sizes[] = {2048, 1048576, 65536, 524288, 16777216};
	char nodes[300];
	long long all = 0, n, total;

	for (size_t i = 0; i < sizeof(sizes) / sizeof(sizes[0]); i++) {
		n = fact_hugepages(sizes[i], -1, "free_hugepages");
		total = fact_hugepages(sizes[i], -1, "nr_hugepages");
		if (n > 0)
			all += n;
		if (total <= 0)
			continue;
		nodes_text(sizes[i], nodes, sizeof(nodes));
		doctor_line(d, "hugepages", LEVEL_OK, "",
			    "%lld of %lld pages of %lu KiB are free (%s).", n, total, sizes[i],
			    nodes);
	}
	if (!all)
		doctor_line(d, "hugepages", LEVEL_WARN, "sudo sysctl vm.nr_hugepages=512",
			    "No huge page is free: large registrations need more translation "
			    "entries, and the NIC misses its cache more often.");
}

/* Checks vm.max_map_count: ibv_fork_init() protects pages by madvise(), which splits mappings. */
static void map_count(struct doctor *d)
{
	static const char path[] = "/proc/sys/vm/max_map_count";
	long long n;

	if (!fact_number(path, &n))
		doctor_line(d, "map-count", LEVEL_OK, "", "vm.max_map_count is not known.");
	else
		doctor_line(d, "map-count", n < DEFAULT_MAPS ? LEVEL_WARN : LEVEL_OK,
			    n < DEFAULT_MAPS ? "sudo sysctl vm.max_map_count=65530" : "",
			    "A process may have %lld mappings (vm.max_map_count); with "
			    "ibv_fork_init() a registration may take one, and the last ends in "
			    "ENOMEM.",
			    n);
}

static void copy_on_fork(struct doctor *d)
{
	char release[128];
	unsigned int v = fact_kernel(release, sizeof(release));

	if (d->dev && fork_unneeded())
		doctor_line(
			d, "fork", LEVEL_OK, "",
			"The kernel copies registered pages when a process forks (copy-on-fork): "
			"programs do not need ibv_fork_init().");
	else if (d->dev || (v && v < (5 << 8 | 12)))
		doctor_line(d, "fork", LEVEL_WARN, "export RDMAV_FORK_SAFE=1 # or ibv_fork_init()",
			    "The kernel has no copy-on-fork: a program that forks needs "
			    "ibv_fork_init(), with huge pages also RDMAV_HUGEPAGES_SAFE.");
	else
		doctor_line(d, "fork", LEVEL_OK, "rdma system show",
			    "Whether the kernel has copy-on-fork is not known.");
}

void doctor_mem(struct doctor *d)
{
	memlock(d);
	hugepages(d);
	map_count(d);
	copy_on_fork(d);
}
