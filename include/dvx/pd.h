/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef DVX_PD_H
#define DVX_PD_H

#include <dvx/common.h>

DVX_BEGIN_DECLS

struct ibv_pd;

/* A protection domain: queues can use the mkeys of their own domain only. PRM: ALLOC_PD. */
int dvx_pd_alloc(struct dvx_dev *dev, struct dvx_pd **out);
/* Uses the caller's ibv_pd, which must outlive the dvx_pd: libdvx queues can use its verbs MRs. */
int dvx_pd_adopt(struct dvx_dev *dev, struct ibv_pd *ibpd, struct dvx_pd **out);
/* -EBUSY while queues or mkeys use it. An adopted ibv_pd stays. */
int dvx_pd_free(struct dvx_pd *pd);
uint32_t dvx_pd_number(const struct dvx_pd *pd);

DVX_END_DECLS

#endif
