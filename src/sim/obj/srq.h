/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef SIM_OBJ_SRQ_H
#define SIM_OBJ_SRQ_H

#include <dvx/prm/rq.h>
#include "obj.h"
#include "ring.h"

struct cq;
struct srq_priv;
struct umem;

/* A shared receive queue and the device's position in its ring (queue/srq.c changes it). */
struct srq {
	struct obj o;
	struct obj *pd; /* referenced */
	uint32_t pdn;	/* PD of the memory that its entries name */
	struct ring ring;
	bus_t dbrec; /* counter of posted entries */
	struct dma_place dbrec_place;
	struct umem *dbr_umem;	      /* referenced, if the record lies in one */
	uint8_t log_size, log_stride; /* stride = 1 << log_stride bytes */
	uint8_t head;		      /* bytes of an entry before its data segments */
	bool linked; /* each entry names the next one; else entries are in ring order */
	/* XRC: domain and CQ, both referenced; NULL for an RMP. */
	struct obj *xrcd;
	struct cq *cq;
	uint32_t user_index;
	bool failed;	 /* in error: it gives out no entries */
	uint16_t pi, ci; /* posted and taken so far */
	uint16_t next;	 /* index of the next entry */
	uint32_t limits; /* events so far */
	uint16_t lwm;	 /* an event is due when fewer entries are posted; 0: not armed */
	struct srq_priv *priv;
	uint8_t ctx[PRM_RMPC_BYTES]; /* as the command set it, for QUERY */
};

#endif
