/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Datagrams to a queue pair of the same chip, while nothing observes the port: copied from memory
 * to the receive entry, without a packet. A datagram that the receiver would drop goes as a packet,
 * so that dropping has one implementation. (doc/design/0036)
 */
#include <dvx/prm/cqe.h>
#include "ud.h"
#include "base/probe.h"
#include "obj/qp.h"
#include "obj/table.h"
#include "obj/device.h"
#include "eswitch/eswitch.h"
#include "queue/services.h"
#include "transport/av.h"
#include "transport/direct_recv.h"
#include "transport/message.h"
#include "transport/transport.h"

/* Returns the receiver, or NULL if earlier datagrams are still under way as packets. */
static struct qp *ud_receiver(struct queue *q, uint32_t qpn)
{
	struct vhca *to = eswitch_direct(&ud_of(q)->path);
	struct qp *qp = to && !port_busy(to->dev->port) ? obj_lookup(to, OBJ_QP, qpn) : NULL;

	return qp && qp->q.transport == &transport_ud && &qp->q != q ? qp : NULL;
}

static bool ud_would_take(const struct qp *to, uint32_t qkey, uint64_t len)
{
	return ud_of(&to->q)->up && qkey == to->qkey && len <= qp_mtu(to) && to->q.rq &&
	       !rq_inlines(to->q.rq, len);
}

/* Returns the bytes from DETH on, with padding. */
static uint32_t ud_octets(const struct send_wr *wr)
{
	return DETH_LEN + (wr->has_imm ? IMM_LEN : 0) + (((uint32_t)wr->len + 3) & ~3u);
}

static void ud_describe(struct queue *q, uint32_t len)
{
	struct roce_path *path = &ud_of(q)->path;
	struct ud_header *h = &ud_of(q)->header;
	const uint16_t tci = roce_tci(path);

	h->len = len;
	h->resolved = path->resolved;
	roce_make_grh(path, len, h->grh);
	h->done = (struct recv_done){
		.rqpn = ud_sqpn(q),
		.datagram = true,
		.network = (uint8_t)roce_network(h->grh),
		.tagged = tci != 0,
		.tci = tci,
	};
}

static const uint8_t *ud_grh(struct queue *q, uint32_t octets)
{
	const struct ud_header *h = &ud_of(q)->header;
	const uint32_t len = BTH_LEN + octets + ROCE_ICRC;

	if (h->len != len || h->resolved != ud_of(q)->path.resolved)
		ud_describe(q, len);
	return h->grh;
}

static void ud_count(const struct queue *q, const struct queue *to, uint32_t octets)
{
	struct port_stats *here = q->o.vhca->stats, *there = to->o.vhca->stats;
	uint32_t bytes = ud_of(q)->path.overhead + octets;

	here->xmit_packets++;
	here->xmit_bytes += bytes;
	there->rcv_packets++;
	there->rcv_bytes += bytes;
}

/* Fills in the request's part of the CQE; the path's part is there already. */
static void ud_received(const struct queue *q, struct rq *rq, const struct send_wr *wr)
{
	struct recv_done *done = &ud_of(q)->header.done;

	done->opcode = wr->has_imm ? PRM_CQE_OPCODE_RESP_SEND_IMM : PRM_CQE_OPCODE_RESP_SEND;
	done->imm = wr->has_imm ? wr->imm : 0;
	done->solicited = wr->solicited;
	done->len = ROCE_GRH + wr->len;
	rq_end(rq, done);
}

bool ud_direct(struct queue *q, struct send_wr *wr)
{
	const uint8_t *av = av_of(wr);
	const bool may = wr->one && !probe_active(PROBE_FRAME_OUT);
	struct qp *to = may ? ud_receiver(q, prm_av_get_dqp_dct(av)) : NULL;
	const uint32_t octets = ud_octets(wr);
	struct ud *peer;

	if (!to || !ud_would_take(to, ud_qkey(q, av), wr->len))
		return false;
	peer = ud_of(&to->q);
	peer->recv = peer->recv || rq_begin(to->q.rq);
	if (!peer->recv || !direct_receive(q, to->q.rq, wr, ud_grh(q, octets)))
		return false;
	peer->recv = false;
	ud_count(q, &to->q, octets);
	ud_of(q)->psn = psn_add(ud_of(q)->psn, 1);
	ud_received(q, to->q.rq, wr);
	return true;
}
