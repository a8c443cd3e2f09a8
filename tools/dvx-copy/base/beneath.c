/* SPDX-License-Identifier: BSD-2-Clause */
#include "beneath.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <linux/openat2.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

int beneath_open_steps(int root, const char *path, int flags)
{
	char part[NAME_MAX + 1];
	int at = fcntl(root, F_DUPFD_CLOEXEC, 0);

	while (at >= 0 && *path) {
		size_t n = strcspn(path, "/");
		int next;

		if (n > NAME_MAX) {
			close(at);
			errno = ENAMETOOLONG;
			return -1;
		}
		memcpy(part, path, n);
		part[n] = '\0';
		path += n;
		path += strspn(path, "/");
		if (!n)
			continue;
		next = openat(at, part, flags | O_NOFOLLOW | O_CLOEXEC);
		close(at);
		at = next;
	}
	return at;
}

int beneath_open(int root, const char *path, int flags)
{
	struct open_how how = {
		.flags = (unsigned int)flags | O_CLOEXEC,
		.resolve = RESOLVE_BENEATH | RESOLVE_NO_MAGICLINKS,
	};
	long fd = syscall(SYS_openat2, root, path, &how, sizeof(how));

	if (fd < 0 && errno == ENOSYS)
		return beneath_open_steps(root, path, flags);
	return (int)fd;
}
