/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef DVX_DBR_H
#define DVX_DBR_H

#include <dvx/common.h>

DVX_BEGIN_DECLS

/*
 * Doorbell records: 8 bytes in host memory that the device reads when a register was written. Each
 * has a cache line of its own; the device's pages are shared between records and freed when empty.
 * QPs: word 0 receive counter, word 1 send counter. CQs: word 0 consumer index, word 1 arm.
 */
struct dvx_dbr;

int dvx_dbr_alloc(struct dvx_dev *dev, struct dvx_dbr **out);
void dvx_dbr_free(struct dvx_dbr *dbr);
uint32_t *dvx_dbr_words(const struct dvx_dbr *dbr); /* big-endian */
uint32_t dvx_dbr_umem_id(const struct dvx_dbr *dbr);
uint64_t dvx_dbr_offset(const struct dvx_dbr *dbr);

DVX_END_DECLS

#endif
