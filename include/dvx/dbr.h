/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef DVX_DBR_H
#define DVX_DBR_H

#include <dvx/common.h>

DVX_BEGIN_DECLS

/*
 * A doorbell record: 8 bytes in host memory that the device reads when a doorbell register was
 * written. Each has a cache line of its own, on a page that records of one dvx_dev share; an empty
 * page is freed. QPs: word 0 receive counter, word 1 send counter. CQs: word 0 consumer index, word
 * 1 arm.
 */
struct dvx_dbr;

int dvx_dbr_alloc(struct dvx_dev *dev, struct dvx_dbr **out);
void dvx_dbr_free(struct dvx_dbr *dbr);
uint32_t *dvx_dbr_words(const struct dvx_dbr *dbr); /* big-endian */
uint32_t dvx_dbr_umem_id(const struct dvx_dbr *dbr);
uint64_t dvx_dbr_offset(const struct dvx_dbr *dbr);

DVX_END_DECLS

#endif
