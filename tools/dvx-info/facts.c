/* SPDX-License-Identifier: BSD-2-Clause */
#include "facts.h"
#include <dirent.h>
#include <fcntl.h>
#include <linux/capability.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/utsname.h>
#include <unistd.h>

bool fact_text(const char *path, char *buf, size_t size)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	ssize_t n = fd < 0 ? -1 : read(fd, buf, size - 1);

	if (fd >= 0)
		close(fd);
	if (n < 0)
		return false;
	buf[n] = '\0';
	buf[strcspn(buf, "\n")] = '\0';
	return true;
}

bool fact_number(const char *path, long long *value)
{
	char text[64], *end;

	if (!fact_text(path, text, sizeof(text)))
		return false;
	*value = strtoll(text, &end, 0);
	return end != text;
}

bool fact_exists(const char *path)
{
	struct stat st;

	return !stat(path, &st);
}

/* A line "key<blanks>value" of a file under /proc, e.g. of /proc/self/status. */
static bool proc_line(const char *path, const char *key, char *buf, size_t size)
{
	FILE *f = fopen(path, "re");
	char line[512];
	bool found = false;

	while (f && !found && fgets(line, sizeof(line), f)) {
		if (strncmp(line, key, strlen(key)))
			continue;
		found = true;
		snprintf(buf, size, "%s", line + strlen(key) + strspn(line + strlen(key), " \t"));
	}
	if (f)
		fclose(f);
	return found;
}

bool fact_may(int cap)
{
	char text[64];

	return proc_line("/proc/self/status", "CapEff:", text, sizeof(text)) &&
	       strtoull(text, NULL, 16) >> cap & 1;
}

bool fact_initial_userns(void)
{
	char text[128];
	unsigned long from, to, n;

	return !fact_text("/proc/self/uid_map", text, sizeof(text)) ||
	       sscanf(text, "%lu %lu %lu", &from, &to, &n) != 3 || n == 4294967295ul;
}

unsigned int fact_kernel(void)
{
	struct utsname u;
	unsigned int major = 0, minor = 0;

	if (uname(&u) || sscanf(u.release, "%u.%u", &major, &minor) != 2)
		return 0;
	return major << 8 | minor;
}

char fact_config(const char *name)
{
	char path[256], value[64], key[128];
	struct utsname u;

	if (uname(&u))
		return 0;
	snprintf(path, sizeof(path), "/boot/config-%s", u.release);
	if (!fact_exists(path))
		return 0;
	snprintf(key, sizeof(key), "%s=", name);
	return proc_line(path, key, value, sizeof(value)) ? *value : 'n';
}

long long fact_hugepages(unsigned long kb, int node, const char *what)
{
	char path[256];
	long long n;

	if (node < 0)
		snprintf(path, sizeof(path), "/sys/kernel/mm/hugepages/hugepages-%lukB/%s", kb,
			 what);
	else
		snprintf(path, sizeof(path),
			 "/sys/devices/system/node/node%d/hugepages/hugepages-%lukB/%s", node, kb,
			 what);
	return fact_number(path, &n) ? n : -1;
}

/* Registered memory is counted as pinned; the kernel does not add what mlock() holds. */
uint64_t fact_memlock(void)
{
	struct rlimit lim;
	uint64_t used = 0;
	char text[64];

	if (getrlimit(RLIMIT_MEMLOCK, &lim) || lim.rlim_cur == RLIM_INFINITY)
		return UINT64_MAX;
	if (proc_line("/proc/self/status", "VmPin:", text, sizeof(text)))
		used = strtoull(text, NULL, 10) * 1024;
	return lim.rlim_cur > used ? lim.rlim_cur - used : 0;
}

static bool is_network(const char *address)
{
	char path[512], text[32];

	snprintf(path, sizeof(path), "/sys/bus/pci/devices/%s/vendor", address);
	if (!fact_text(path, text, sizeof(text)) || strcmp(text, "0x15b3"))
		return false;
	snprintf(path, sizeof(path), "/sys/bus/pci/devices/%s/class", address);
	return fact_text(path, text, sizeof(text)) && !strncmp(text, "0x02", 4);
}

size_t fact_pci(char *first, size_t size)
{
	DIR *dir = opendir("/sys/bus/pci/devices");
	struct dirent *e;
	size_t n = 0;

	*first = '\0';
	while (dir && (e = readdir(dir))) {
		if (*e->d_name == '.' || !is_network(e->d_name))
			continue;
		if (!n++ || strcmp(e->d_name, first) < 0)
			snprintf(first, size, "%s", e->d_name);
	}
	if (dir)
		closedir(dir);
	return n;
}
