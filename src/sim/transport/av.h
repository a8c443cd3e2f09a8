/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef SIM_TRANSPORT_AV_H
#define SIM_TRANSPORT_AV_H

#include <stdint.h>
#include <dvx/prm/wqe.h>
#include "transport.h"
#include "base/log.h"
#include "obj/queue.h"
#include "obj/vhca.h"
#include "port/roce.h"

/* Address vectors, which stand behind the control segment of a WQE with a destination of its own.
 */
#define AV_UNITS   (PRM_AV_BYTES / 16) /* wqe_row.head */
#define AV_ADDRESS 12u /* before it: Q_Key or DC key, and the destination's number */

static inline const uint8_t *av_of(const struct send_wr *wr)
{
	return wr->wqe + PRM_WQE_CTRL_SEG_BYTES;
}
void av_trace(const struct queue *, const struct send_wr *);
/* Why av_check() says no: a sentence, and the request ends. */
void av_refuse(const struct queue *, struct send_wr *);
/* False: this function can't use the vector, which ends the request, wr->error. */
static inline bool av_check(const struct queue *q, struct send_wr *wr)
{
	const uint8_t *av = av_of(wr);
	unsigned int gid = prm_av_get_src_addr_index(av);

	if (sim_tracing)
		av_trace(q, wr);
	if (prm_av_get_ext(av) && gid < VHCA_GIDS && q->o.vhca->gids[gid].type != GID_EMPTY)
		return true;
	av_refuse(q, wr);
	return false;
}
/* The way to where it leads. */
void av_path(struct vhca *, const uint8_t *av, struct roce_path *);

#endif
