/* SPDX-License-Identifier: BSD-2-Clause */
#include "facts.h"
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static const char *root = "";

void facts_from(const char *dir)
{
	root = dir;
}

static const char *below(char buf[PATH_MAX], const char *path)
{
	snprintf(buf, PATH_MAX, "%s%s", root, path);
	return buf;
}

FILE *fact_open(const char *path)
{
	char buf[PATH_MAX];

	return fopen(below(buf, path), "re");
}

DIR *fact_dir(const char *path)
{
	char buf[PATH_MAX];

	return opendir(below(buf, path));
}

int fact_device(const char *path)
{
	char buf[PATH_MAX];
	int fd = open(below(buf, path), O_RDWR | O_NONBLOCK | O_CLOEXEC);

	if (fd < 0)
		return errno;
	close(fd);
	return 0;
}

bool fact_text(const char *path, char *buf, size_t size)
{
	char full[PATH_MAX];
	int fd = open(below(full, path), O_RDONLY | O_CLOEXEC);
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
	char buf[PATH_MAX];
	struct stat st;

	return !stat(below(buf, path), &st);
}

bool fact_folder(const char *path)
{
	struct stat st;

	return !stat(path, &st) && S_ISDIR(st.st_mode);
}

/* Finds a line "key<blanks>value" in a file under /proc, such as /proc/self/status. */
static bool proc_line(const char *path, const char *key, char *buf, size_t size)
{
	FILE *f = fact_open(path);
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

unsigned int fact_kernel(char *release, size_t size)
{
	unsigned int major = 0, minor = 0;

	if (!fact_text("/proc/sys/kernel/osrelease", release, size))
		*release = '\0';
	return sscanf(release, "%u.%u", &major, &minor) == 2 ? major << 8 | minor : 0;
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

/*
 * Returns what the limit leaves. The kernel counts registered memory as pinned, and does not add
 * what mlock() holds.
 */
bool fact_memlock(uint64_t *left)
{
	uint64_t limit, used = 0;
	char text[128], *end;

	if (!proc_line("/proc/self/limits", "Max locked memory", text, sizeof(text)))
		return false;
	limit = strtoull(text, &end, 10);
	if (end == text) {
		*left = UINT64_MAX;
		return !strncmp(text, "unlimited", 9);
	}
	if (proc_line("/proc/self/status", "VmPin:", text, sizeof(text)))
		used = strtoull(text, NULL, 10) * 1024;
	*left = limit > used ? limit - used : 0;
	return true;
}

#define MOST_CPUS 8192

/* Sets the bits of a list like "0-3,8-11" in the map. */
static void read_cpus(const char *list, uint8_t map[MOST_CPUS])
{
	unsigned int a, b;
	int used;

	for (; sscanf(list, "%u%n", &a, &used) == 1; list += used + (list[used] == ',')) {
		b = a;
		if (list[used] == '-') {
			list += used + 1;
			if (sscanf(list, "%u%n", &b, &used) != 1)
				break;
		}
		for (; a <= b && a < MOST_CPUS; a++)
			map[a] = 1;
	}
}

int fact_cpus(const char *list)
{
	uint8_t of_list[MOST_CPUS] = {0}, of_process[MOST_CPUS] = {0};
	char mine[512];
	int n = 0;

	if (!proc_line("/proc/self/status", "Cpus_allowed_list:", mine, sizeof(mine)))
		return -1;
	read_cpus(list, of_list);
	read_cpus(mine, of_process);
	for (size_t i = 0; i < MOST_CPUS; i++)
		n += of_list[i] && of_process[i];
	return n;
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
	DIR *dir = fact_dir("/sys/bus/pci/devices");
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
