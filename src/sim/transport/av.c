/* SPDX-License-Identifier: BSD-2-Clause */
#include <string.h>
#include "av.h"
#include "transport.h"
#include "obj/queue.h"
#include "obj/vhca.h"

/* [I] A vector that the function can't use ends the request with LOCAL_QP_OP_ERR. */
void av_refuse(const struct queue *q, struct send_wr *wr)
{
	wqe_refuse(q, wr, VENDOR_SEGMENT,
		   prm_av_get_ext(av_of(wr)) ? "av.src_addr_index: there is no such GID"
					     : "av.ext is clear: cap.compact_address_vector is 0");
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
