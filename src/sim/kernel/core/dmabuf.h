/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef KERNEL_DMABUF_H
#define KERNEL_DMABUF_H

#include <stdint.h>
#include "file.h"

/*
 * A part of a dma-buf of the program whose request it is: *buf is its memory, to be given back by
 * dmabuf_close(). 0, or -errno with a sentence.
 */
int file_dmabuf(struct uverbs_file *, int number, uint64_t offset, uint64_t len, struct mm **buf);

#endif
