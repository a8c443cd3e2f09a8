/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef SIM_LAB_WHY_PRIV_H
#define SIM_LAB_WHY_PRIV_H

#include <endian.h>
#include "host/mem.h"
#include "obj/cq.h"
#include "obj/device.h"
#include "obj/qp.h"
#include "obj/srq.h"
#include "why.h"

/* Each passes the findings of one queue to the sink. */
void why_sq(const struct why_sink *, const struct queue *);
void why_rq(const struct why_sink *, const struct queue *);
void why_srq(const struct why_sink *, const struct srq *);
void why_cq(const struct why_sink *, const struct cq *);

/* Passes a finding on: why_found(sink, &q->o, FINDING_RECEIVES, at, {n, state}). */
#define why_found(SINK, OBJ, KIND, AT, ...) \
	why_report(SINK, OBJ, &(struct lab_finding){.kind = KIND, .at = AT, .n = __VA_ARGS__})
void why_report(const struct why_sink *, const struct obj *, struct lab_finding *);

/* Reads a word of a doorbell record. Returns false if the memory is gone with its program. */
static inline bool why_record(const struct obj *o, bus_t dbrec, unsigned int at, uint32_t *word)
{
	uint32_t be;

	if (dma_read(o->vhca->dev->host, dbrec + at, &be, sizeof(be)))
		return false;
	*word = be32toh(be);
	return true;
}

#endif
