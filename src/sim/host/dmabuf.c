/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * dma-bufs of programs. A NIC is given their pages by the exporter; the chip maps them as a program
 * can, so that it reaches those that can be mapped (udmabuf, heaps, most of a GPU's).
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>
#include "host.h"

struct dmabuf {
	uint8_t *map;
	uint64_t len;
};

static bool dmabuf_is_one(int fd)
{
	static const char name[] = "/dmabuf:";
	char path[32], is[sizeof(name) - 1];

	snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
	return readlink(path, is, sizeof(is)) == sizeof(is) && !memcmp(is, name, sizeof(is));
}

static uint8_t *dmabuf_at(void *ctx, uint64_t addr, size_t len)
{
	const struct dmabuf *d = ctx;

	return addr <= d->len && len <= d->len - addr ? d->map + addr : NULL;
}

static int dmabuf_map(struct dmabuf *d, int fd)
{
	off_t end = lseek(fd, 0, SEEK_END);

	if (end <= 0)
		return -EINVAL;
	d->len = (uint64_t)end;
	d->map = mmap(NULL, d->len, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	return d->map == MAP_FAILED ? -EOPNOTSUPP : 0;
}

static struct mm *dmabuf_slot(struct host *h, int fd, int *err)
{
	struct dmabuf *d = calloc(1, sizeof(*d));
	struct mm *mm = NULL;

	*err = d ? dmabuf_map(d, fd) : -ENOMEM;
	if (!*err) {
		mm = mm_open_device(h, dmabuf_at, d);
		*err = mm ? 0 : -ENOMEM;
		if (!mm)
			munmap(d->map, d->len);
	}
	if (!mm)
		free(d);
	return mm;
}

int dmabuf_open(struct mm *of, int number, struct mm **buf)
{
	int fd = mm_take_fd(of, number), err;

	if (fd < 0)
		return fd;
	if (dmabuf_is_one(fd))
		*buf = dmabuf_slot(of->host, fd, &err);
	else
		err = -EINVAL;
	close(fd);
	return err;
}

uint64_t dmabuf_len(const struct mm *buf)
{
	return ((const struct dmabuf *)buf->at_ctx)->len;
}

void dmabuf_close(struct mm *buf)
{
	struct dmabuf *d = buf ? buf->at_ctx : NULL;

	mm_close(buf);
	if (d)
		munmap(d->map, d->len);
	free(d);
}
