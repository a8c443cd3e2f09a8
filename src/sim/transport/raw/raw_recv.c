/* SPDX-License-Identifier: BSD-2-Clause */
/* Receives raw packets: from a TIR through the hash to a posted receive and its CQE. */
#include <dvx/prm/cqe.h>
#include "raw.h"
#include "base/log.h"
#include "obj/raw_queue.h"
#include "obj/tir.h"
#include "obj/vhca.h"
#include "queue/services.h"
#include "steer/packet.h"

#define VLAN_AT	   12u
#define VLAN_BYTES 4u
#define TCP_DATA   12u
#define TCP_ACK	   0x10u

/* --- the completion --------------------------------------------------------------------------- */

static void set_l3(void *cqe, const struct packet *p)
{
	const struct packet_headers *h = &p->outer;

	prm_cqe64_set_l2_ok(cqe, h->present);
	if (!h->l3)
		return;
	prm_cqe64_set_l3_ok(cqe, h->l3_ok);
	prm_cqe64_set_l3_hdr_type(cqe, h->ip_version == 4 ? PRM_CQE_L3_HDR_TYPE_IPV4
							  : PRM_CQE_L3_HDR_TYPE_IPV6);
	prm_cqe64_set_ip_frag(cqe, h->frag);
	prm_cqe64_set_ip_ext_opts(cqe, h->ip_version == 4 ? h->ihl > 5 : h->l4 > h->l3 + 40);
	/* Without cap.cqe_checksum_full the sum ends with IP, before a short frame's padding. */
	prm_cqe64_set_check_sum(cqe, packet_sum(p->data + h->l3, h->l3_end - h->l3, 0));
}

static unsigned int l4_hdr_type(const struct packet *p, const struct packet_headers *h)
{
	const uint8_t *l4 = p->data + h->l4;

	if (h->frag || h->l4_type != PACKET_TCP)
		return !h->frag && h->l4_type == PACKET_UDP ? PRM_CQE_L4_HDR_TYPE_UDP
							    : PRM_CQE_L4_HDR_TYPE_NONE;
	if (!(h->tcp_flags & TCP_ACK))
		return PRM_CQE_L4_HDR_TYPE_TCP_NO_ACK;
	return h->l4 + (l4[TCP_DATA] >> 4) * 4u < h->l3_end ? PRM_CQE_L4_HDR_TYPE_TCP_ACK_AND_DATA
							    : PRM_CQE_L4_HDR_TYPE_TCP_ACK_NO_DATA;
}

static void set_l4(void *cqe, const struct packet *p)
{
	unsigned int type = l4_hdr_type(p, &p->outer);

	prm_cqe64_set_l4_hdr_type(cqe, type);
	if (type != PRM_CQE_L4_HDR_TYPE_NONE)
		prm_cqe64_set_l4_ok(cqe, packet_l4_ok(p, &p->outer));
}

static void completion(struct raw_rq *rq, const struct packet *p, const struct rss *rss,
		       bool stripped, uint32_t len)
{
	uint8_t *cqe = rq_end_cqe(&rq->rq);

	if (!cqe)
		return;
	set_l3(cqe, p);
	set_l4(cqe, p);
	if (p->outer.vlans)
		prm_cqe64_set_vlan_info(cqe, p->outer.vlan[0]);
	prm_cqe64_set_vlan(cqe, stripped);
	prm_cqe64_set_rss_hash_result(cqe, rss->hash);
	prm_cqe64_set_rss_hash_type(cqe, rss->type);
	prm_cqe64_set_ft_metadata(cqe, p->reg_b);
	/* the number of strides is set already */
	prm_cqe64_set_byte_cnt(cqe, prm_cqe64_get_byte_cnt(cqe) | len);
	prm_cqe64_set_flow_tag(cqe, p->flow_tag & 0xffffff);
	prm_cqe64_set_opcode(cqe, PRM_CQE_OPCODE_RESP_SEND);
	cq_filled(rq->rq.cq, false);
}

/* --- the way there ---------------------------------------------------------------------------- */

static uint8_t raw_recv_scatter(struct raw_rq *rq, const struct packet *p, bool strip, uint64_t off)
{
	uint8_t err;

	if (!strip)
		return rq_scatter_posted(&rq->rq, off, p->len, p->data);
	err = rq_scatter_posted(&rq->rq, off, VLAN_AT, p->data);
	return err ? err
		   : rq_scatter_posted(&rq->rq, off + VLAN_AT, p->len - VLAN_AT - VLAN_BYTES,
				       p->data + VLAN_AT + VLAN_BYTES);
}

/* Counts a lost packet. [I] Packets for a queue that is not RDY count, too. */
static void no_receive(struct raw_rq *rq, const struct packet *p)
{
	rq->q.o.vhca->raw.out_of_buffer++;
	rq->q.stats->out_of_buffer++;
	probe(PROBE_NO_RECEIVE, .frame = {.queue = &rq->q, .len = p->len});
}

/* [I] A receive that is too small ends in an error CQE and the queue in ERR, as for a QP. */
static void recv_failed(struct raw_rq *rq, uint8_t syndrome)
{
	const struct recv_done done = {.syndrome = syndrome};

	sim_note("rq 0x%x: receive WQE %u failed with syndrome 0x%02x", rq->q.o.id,
		 rq_index(&rq->rq), syndrome);
	rq->q.o.vhca->raw.failed++;
	rq_end(&rq->rq, &done);
	queue_error(&rq->q, 0);
}

static struct raw_rq *choose(const struct tir *tir, const struct rss *rss)
{
	return tir->rq ? tir->rq : tir->rqt->rq[rss->hash & (tir->rqt->n - 1u)];
}

void raw_receive(struct tir *tir, const struct packet *p)
{
	const struct rss rss = rss_of(tir, p);
	struct raw_rq *rq = choose(tir, &rss);
	bool strip = rq->strip_vlan && p->outer.cvlan;
	const uint32_t len = p->len - (strip ? VLAN_BYTES : 0);
	uint64_t off;
	uint8_t err;

	if (rq->q.state != QP_RTS || !rq_begin_strides(&rq->rq, len, &off)) {
		no_receive(rq, p);
		return;
	}
	err = raw_recv_scatter(rq, p, strip, off);
	if (err) {
		recv_failed(rq, err);
		return;
	}
	rq->q.o.vhca->raw.received++;
	completion(rq, p, &rss, strip, len);
}
