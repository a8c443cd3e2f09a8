/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef DVX_UMEM_H
#define DVX_UMEM_H

#include <dvx/common.h>

DVX_BEGIN_DECLS

/*
 * Pins [addr, addr + len) for the device until dvx_umem_dereg(), under an id for use in commands.
 * access: enum dvx_access. If addr and len are multiples of a larger page size of the memory (2 MiB
 * and 1 GiB hugepages, 64 KiB and others of aarch64, or pages that an IOMMU made contiguous), the
 * device's page table uses the largest such size. PRM: CREATE_UMEM.
 */
int dvx_umem_reg(struct dvx_dev *dev, void *addr, size_t len, uint32_t access,
		 struct dvx_umem **out);
/*
 * Pins `len` bytes of a dma-buf (of a GPU, for example) from `offset` on. Addresses in it are
 * offsets, and dvx_umem_addr() returns `offset`. The caller may close the file descriptor after the
 * call. -EOPNOTSUPP: the kernel has no umems of dma-bufs, or the device does not reach this one.
 */
int dvx_umem_reg_dmabuf(struct dvx_dev *dev, int fd, uint64_t offset, size_t len, uint32_t access,
			struct dvx_umem **out);
/* Unpins the memory. -EBUSY while a queue or an mkey uses it. */
int dvx_umem_dereg(struct dvx_umem *umem);
uint32_t dvx_umem_id(const struct dvx_umem *umem);
void *dvx_umem_addr(const struct dvx_umem *umem);
size_t dvx_umem_len(const struct dvx_umem *umem);
/* Returns log2 of the page size in the device's page table, also for mkeys of it; 12 if unknown. */
uint32_t dvx_umem_log_page(const struct dvx_umem *umem);

DVX_END_DECLS

#endif
