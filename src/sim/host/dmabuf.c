/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * dma-bufs of programs. A NIC gets their pages from the exporter. The chip maps them as a program
 * can, so only mappable ones work (udmabuf, heaps, most of a GPU's).
 */
#include <errno.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/vfs.h>
#include <unistd.h>
#include <linux/magic.h>
#include "host.h"

/* Limit of all programs: each is a mapping of the chip's process, which has 65,530 at most. */
#define DMABUFS_MOST 4096u

struct dmabuf {
	uint8_t *map;
	uint64_t len;
};

/* Refuses other files: they could shrink under the chip's mapping, and end the chip by SIGBUS. */
static bool dmabuf_is_one(int fd)
{
	struct statfs fs;

	return !fstatfs(fd, &fs) && fs.f_type == DMA_BUF_MAGIC;
}

static uint8_t *dmabuf_at(void *ctx, uint64_t addr, size_t len)
{
	const struct dmabuf *d = ctx;

	return addr <= d->len && len <= d->len - addr ? d->map + addr : NULL;
}

static int dmabuf_map(struct host *h, struct dmabuf *d, int fd)
{
	off_t end = lseek(fd, 0, SEEK_END);

	if (h->ndmabufs >= DMABUFS_MOST)
		return -ENOSPC;
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

	*err = d ? dmabuf_map(h, d, fd) : -ENOMEM;
	if (!*err) {
		mm = mm_open_device(h, dmabuf_at, d);
		*err = mm ? 0 : -ENOMEM;
		if (!mm)
			munmap(d->map, d->len);
	}
	if (mm)
		h->ndmabufs++;
	else
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

	if (!buf)
		return;
	buf->host->ndmabufs--;
	mm_close(buf);
	munmap(d->map, d->len);
	free(d);
}
