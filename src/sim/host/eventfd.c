/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Event counters (eventfd) of programs, which the chip raises. A write() to a full counter waits
 * for the program, which may never read, and O_NONBLOCK is the program's to set, as it shares the
 * descriptor's flags. So the chip lets the kernel raise the counter: it submits an empty
 * asynchronous I/O request that names the counter as the one to notify.
 */
#include <errno.h>
#include <fcntl.h>
#include <linux/aio_abi.h>
#include <stdio.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>
#include "host.h"

int mm_take_fd(const struct mm *mm, int number)
{
	int fd = (int)syscall(SYS_pidfd_getfd, mm->pid_source.fd, number, 0u);

	return fd < 0 ? -errno : fd;
}

int mm_hold_file(const struct mm *mm, int number)
{
	int fd = mm_take_fd(mm, number), held;
	char path[32];

	if (fd < 0)
		return fd;
	snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
	held = open(path, O_PATH | O_CLOEXEC);
	held = held < 0 ? -errno : held;
	close(fd);
	return held;
}

static bool eventfd_is_one(int fd)
{
	static const char name[] = "anon_inode:[eventfd]";
	char path[32], is[sizeof(name)];

	snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
	return readlink(path, is, sizeof(is)) == sizeof(name) - 1 &&
	       !memcmp(is, name, sizeof(name) - 1);
}

static int eventfd_prepare(struct host *h)
{
	if (h->aio)
		return 0;
	if (h->null_fd < 0)
		h->null_fd = open("/dev/null", O_RDONLY | O_CLOEXEC);
	if (h->null_fd < 0 || syscall(SYS_io_setup, 1u, &h->aio))
		return -errno;
	return 0;
}

int mm_eventfd(struct mm *mm, int number)
{
	int err = eventfd_prepare(mm->host);
	int fd = err ? err : mm_take_fd(mm, number);

	if (fd < 0 || eventfd_is_one(fd))
		return fd;
	close(fd);
	return -EINVAL;
}

void eventfd_raise(struct host *h, int fd)
{
	uint8_t nothing;
	struct io_event done;
	struct iocb cb = {
		.aio_lio_opcode = IOCB_CMD_PREAD,
		.aio_fildes = (uint32_t)h->null_fd,
		.aio_buf = (uintptr_t)&nothing,
		.aio_flags = IOCB_FLAG_RESFD,
		.aio_resfd = (uint32_t)fd,
	};
	struct iocb *list[] = {&cb};

	if (syscall(SYS_io_submit, h->aio, 1l, list) == 1)
		(void)syscall(SYS_io_getevents, h->aio, 1l, 1l, &done, NULL);
}

void eventfds_free(struct host *h)
{
	if (h->aio)
		(void)syscall(SYS_io_destroy, h->aio);
	if (h->null_fd >= 0)
		close(h->null_fd);
}
