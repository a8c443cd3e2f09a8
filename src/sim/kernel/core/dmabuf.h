/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef KERNEL_DMABUF_H
#define KERNEL_DMABUF_H

#include <stdint.h>
#include "file.h"

/*
 * Opens the requesting program's dma-buf and checks that it has the range. *buf becomes its memory,
 * which dmabuf_close() releases. 0, or -errno after logging a sentence.
 */
int file_dmabuf(struct uverbs_file *, int number, uint64_t offset, uint64_t len, struct mm **buf);

#endif
