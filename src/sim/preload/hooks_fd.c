/* SPDX-License-Identifier: BSD-2-Clause */
/* Hooks of descriptors (ioctl, write, close, mmap) and of memory. */
#include "client.h"
#include "dm_op.h"
#include "madvise.h"
#include "netlink.h"
#include "real.h"

#include <errno.h>
#include <rdma/rdma_user_ioctl_cmds.h>
#include <stdarg.h>
#include "base/log.h"

static struct cfile *ours(int fd)
{
	return client_idle() ? NULL : client_find(fd);
}

int ioctl(int fd, unsigned long request, ...)
{
	struct cfile *cf = ours(fd);
	struct stat st;
	va_list ap;
	void *arg;
	int rc;

	va_start(ap, request);
	arg = va_arg(ap, void *);
	va_end(ap);
	/* The kernel handles these before the driver. */
	if (request == FIONBIO || request == FIOCLEX || request == FIONCLEX)
		cf = NULL;
	if (!cf && request == RDMA_VERBS_IOCTL && !real()->fstat(fd, &st))
		cf = client_adopt(fd, &st);
	if (!cf)
		return real()->ioctl(fd, request, arg);
	rc = flatten_ioctl(cf, fd, request, arg);
	if (rc >= 0)
		return rc;
	errno = -rc;
	return -1;
}

ssize_t write(int fd, const void *buf, size_t n)
{
	struct cfile *cf = ours(fd);
	int rc;

	if (!cf)
		return netlink_write(fd, buf, n);
	rc = cm_client_write(cf, fd, buf, n);
	if (!rc)
		return (ssize_t)n;
	errno = -rc;
	return -1;
}

/* Fails for the connection and the log, so that a program may close all descriptors that it did not open. */
int close(int fd)
{
	struct cfile *cf = ours(fd);
	int rc;

	if ((!client_idle() && client_is_link(fd)) || sim_log_is(fd)) {
		errno = EBADF;
		return -1;
	}
	rc = real()->close(fd);
	if (cf)
		client_closed(cf);
	return rc;
}

static void *hook_map(void *at, size_t len, int prot, int flags, int fd, off_t offset)
{
	struct cfile *cf = flags & MAP_ANONYMOUS ? NULL : ours(fd);
	int err = cf ? client_mmap_check(cf, fd, len, prot, offset) : 0;
	void *va;

	if (err) {
		errno = -err;
		return MAP_FAILED;
	}
	va = real()->mmap(at, len, prot, flags, fd, offset);
	if (cf && va != MAP_FAILED)
		err = dm_op_mapped(fd, va, len, prot, offset);
	if (cf && va != MAP_FAILED && !err)
		err = client_mapped(cf, va, len, offset);
	if (!err)
		return va;
	munmap(va, len);
	errno = EINVAL;
	return MAP_FAILED;
}

void *mmap(void *at, size_t len, int prot, int flags, int fd, off_t offset)
{
	return hook_map(at, len, prot, flags, fd, offset);
}

void *mmap64(void *at, size_t len, int prot, int flags, int fd, off64_t offset)
{
	return hook_map(at, len, prot, flags, fd, offset);
}

int munmap(void *va, size_t len)
{
	if (!client_idle())
		client_unmap(va, len);
	dm_op_unmapped(va, len);
	return real()->munmap(va, len);
}

int madvise(void *va, size_t len, int advice)
{
	return madvise_hook(va, len, advice);
}
