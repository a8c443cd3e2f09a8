/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef DVX_UMEM_H
#define DVX_UMEM_H

#include <dvx/common.h>

DVX_BEGIN_DECLS

/* Pins [addr, addr + len) for the device, under an id that commands can name. access: enum
 * dvx_access */
int dvx_umem_reg(struct dvx_dev *dev, void *addr, size_t len, uint32_t access,
		 struct dvx_umem **out);
/* -EBUSY while a queue or an mkey uses it. */
int dvx_umem_dereg(struct dvx_umem *umem);
uint32_t dvx_umem_id(const struct dvx_umem *umem);
void *dvx_umem_addr(const struct dvx_umem *umem);
size_t dvx_umem_len(const struct dvx_umem *umem);

DVX_END_DECLS

#endif
