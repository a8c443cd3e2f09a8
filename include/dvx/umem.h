/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef DVX_UMEM_H
#define DVX_UMEM_H

#include <dvx/common.h>

DVX_BEGIN_DECLS

/*
 * Pins [addr, addr + len) for the device, under an id that commands can name. access: enum
 * dvx_access. The device's page table gets the largest pages that the memory has, if addr and len
 * are multiples of them: 2 MiB and 1 GiB hugepages, 64 KiB and others of aarch64, or what an IOMMU
 * put together.
 */
int dvx_umem_reg(struct dvx_dev *dev, void *addr, size_t len, uint32_t access,
		 struct dvx_umem **out);
/*
 * The same of `len` bytes of a dma-buf (of a GPU, for example) from `offset`: its addresses are
 * offsets, dvx_umem_addr() is `offset`. The caller may close the file descriptor. -EOPNOTSUPP: the
 * kernel has no umems of dma-bufs, or the device does not reach this one.
 */
int dvx_umem_reg_dmabuf(struct dvx_dev *dev, int fd, uint64_t offset, size_t len, uint32_t access,
			struct dvx_umem **out);
/* -EBUSY while a queue or an mkey uses it. */
int dvx_umem_dereg(struct dvx_umem *umem);
uint32_t dvx_umem_id(const struct dvx_umem *umem);
void *dvx_umem_addr(const struct dvx_umem *umem);
size_t dvx_umem_len(const struct dvx_umem *umem);
/* log2 of its pages in the device: mkeys of it translate by these. 12: the kernel chose. */
uint32_t dvx_umem_log_page(const struct dvx_umem *umem);

DVX_END_DECLS

#endif
