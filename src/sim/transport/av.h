/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef SIM_TRANSPORT_AV_H
#define SIM_TRANSPORT_AV_H

#include <stdint.h>
#include <dvx/prm/wqe.h>
#include "transport.h"
#include "obj/queue.h"
#include "obj/vhca.h"
#include "port/roce.h"
#include "queue/services.h"

/* Address vectors, which follow the control segment of a WQE that names its own destination. */
#define AV_UNITS   (PRM_AV_BYTES / 16) /* wqe_row.head */
#define AV_ADDRESS 12u /* the address, behind Q_Key or DC key and destination number */

static inline const uint8_t *av_of(const struct send_wr *wr)
{
	return wr->wqe + PRM_WQE_CTRL_SEG_BYTES;
}
/* Reports why av_check() fails, and ends the request. */
void av_refuse(const struct queue *, struct send_wr *);
/* Returns whether this function can use the vector; if not, sets wr->error to end the request. */
static inline bool av_check(const struct queue *q, struct send_wr *wr)
{
	const uint8_t *av = av_of(wr);
	unsigned int gid = prm_av_get_src_addr_index(av);

	wqe_probe(q, wr, "wqe_datagram_seg", av);
	if (prm_av_get_ext(av) && gid < VHCA_GIDS && q->o.vhca->gids[gid].type != GID_EMPTY)
		return true;
	av_refuse(q, wr);
	return false;
}
/* Fills in the path to the vector's destination. */
void av_path(struct vhca *, const uint8_t *av, struct roce_path *);

#endif
