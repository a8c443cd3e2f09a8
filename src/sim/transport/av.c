/* SPDX-License-Identifier: BSD-2-Clause */
#include <string.h>
#include "av.h"
#include "transport.h"
#include "base/log.h"
#include "obj/queue.h"
#include "obj/vhca.h"
#include "queue/services.h"

const uint8_t *av_of(const struct send_wr *wr)
{
	return wr->wqe + PRM_WQE_CTRL_SEG_BYTES;
}

/* [I] A vector that can't be used ends the request with LOCAL_QP_OP_ERR. */
void av_check(const struct queue *q, struct send_wr *wr)
{
	const uint8_t *av = av_of(wr);
	const struct vhca *v = q->o.vhca;
	unsigned int gid = prm_av_get_src_addr_index(av);

	if (sim_tracing)
		sim_trace("wqe", "wqe_datagram_seg", av, PRM_WQE_DATAGRAM_SEG_BYTES,
			  "qp 0x%x sq %u", q->o.id, wr->index);
	if (!prm_av_get_ext(av))
		wqe_refuse(q, wr, VENDOR_SEGMENT,
			   "av.ext is clear: cap.compact_address_vector is 0");
	else if (gid >= VHCA_GIDS || v->gids[gid].type == GID_EMPTY)
		wqe_refuse(q, wr, VENDOR_SEGMENT, "av.src_addr_index: there is no such GID");
}

void av_path(struct vhca *v, const uint8_t *av, struct roce_path *path)
{
	*path = (struct roce_path){
		.from = v,
		.source = &v->gids[prm_av_get_src_addr_index(av)],
		.udp_sport = (uint16_t)prm_av_get_udp_sport(av),
		.prio = (uint8_t)(prm_av_get_sl(av) >> 1), /* [K] */
		.tclass = (uint8_t)prm_av_get_tclass(av),
		.hop_limit = (uint8_t)prm_av_get_hop_limit(av),
		.flow_label = prm_av_get_flow_label(av),
	};
	memcpy(path->dgid, prm_av_cat_rgid(av), sizeof(path->dgid));
	prm_store16(path->dmac, 0, (uint16_t)(prm_av_get_rmac(av) >> 32));
	prm_store32(path->dmac, 2, (uint32_t)prm_av_get_rmac(av));
	path->overhead = roce_overhead(path);
}
