/* SPDX-License-Identifier: BSD-2-Clause */
#include <errno.h>
#include <string.h>
#include "dmabuf.h"

/* Logs a refusal, except for descriptor -1: programs use it to probe whether dma-bufs work. */
static int dmabuf_refuse(int err, int number)
{
	if (number == -1)
		return err;
	switch (err) {
	case -EINVAL:
		return refuse(err,
			      "FD: %d is no dma-buf (a memfd becomes one by /dev/udmabuf, where "
			      "the kernel has it)",
			      number);
	case -EOPNOTSUPP:
		return refuse(err,
			      "FD: the dma-buf %d can't be mapped: this device does not reach it",
			      number);
	default:
		return refuse(err, "FD: the dma-buf %d can't be had from the program: %s", number,
			      strerror(-err));
	}
}

int file_dmabuf(struct uverbs_file *f, int number, uint64_t offset, uint64_t len, struct mm **buf)
{
	int err = dmabuf_open(file_mm(f), number, buf);

	if (err)
		return dmabuf_refuse(err, number);
	if (len && len <= dmabuf_len(*buf) && offset <= dmabuf_len(*buf) - len)
		return 0;
	err = refuse(-EINVAL, "[%llu, +%llu) is empty, or not in the dma-buf %d of %llu bytes",
		     (unsigned long long)offset, (unsigned long long)len, number,
		     (unsigned long long)dmabuf_len(*buf));
	dmabuf_close(*buf);
	return err;
}
