/* SPDX-License-Identifier: BSD-2-Clause */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#include "dvx-flow.h"
#include "holder.h"

/*
 * Parses "7: FLOCK ADVISORY WRITE 1234 fe:00:11932004 0 EOF". Returns the holder's process ID; 0:
 * another file's lock, or a holder that is not visible here.
 */
static int holder_in(const char *line, const struct stat *st)
{
	unsigned int major_, minor_;
	unsigned long inode;
	int pid;

	if (sscanf(line, "%*d: FLOCK %*s %*s %d %x:%x:%lu", &pid, &major_, &minor_, &inode) != 4)
		return 0;
	return inode == st->st_ino && makedev(major_, minor_) == st->st_dev ? pid : 0;
}

static int holder(int fd)
{
	FILE *locks = fopen("/proc/locks", "re");
	char line[256];
	struct stat st;
	int pid = 0;

	if (!locks)
		return 0;
	while (!fstat(fd, &st) && !pid && fgets(line, sizeof(line), locks))
		pid = holder_in(line, &st);
	fclose(locks);
	return pid;
}

static void lock_name_of(int pid, char *name, size_t size)
{
	char path[64];
	FILE *f;

	snprintf(path, sizeof(path), "/proc/%d/comm", pid);
	snprintf(name, size, "?");
	f = fopen(path, "re");
	if (f && fgets(name, (int)size, f))
		name[strcspn(name, "\n")] = 0;
	if (f)
		fclose(f);
}

static int lock_held_fault(const char *device, int fd, struct flow_fault *f)
{
	int pid = holder(fd);
	char name[32];

	if (!pid)
		return flow_fault_set(
			f, EXIT_BUSY,
			"another process holds %s's rules already; lslocks shows which", device);
	lock_name_of(pid, name, sizeof(name));
	return flow_fault_set(
		f, EXIT_BUSY,
		"process %d (%s) holds %s's rules already; apply yours there, or end it: "
		"kill %d",
		pid, name, device, pid);
}

int device_lock(const char *device, struct flow_fault *f)
{
	const char *sysfs = getenv("SYSFS_PATH");
	char path[4096];
	int fd;

	snprintf(path, sizeof(path), "%s/class/infiniband/%s", sysfs && *sysfs ? sysfs : "/sys",
		 device);
	fd = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (fd < 0)
		return flow_fault_set(f, EXIT_INPUT, "%s: %s", path, strerror(errno));
	if (!flock(fd, LOCK_EX | LOCK_NB))
		return fd;
	if (errno == EWOULDBLOCK)
		lock_held_fault(device, fd, f);
	else
		flow_fault_set(f, EXIT_INPUT, "%s: %s", path, strerror(errno));
	close(fd);
	return -1;
}
