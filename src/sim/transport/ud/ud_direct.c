/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Datagrams to a queue pair of the same chip, while nobody looks at the port: from memory to the
 * receive entry, without a packet. What the receiver would drop goes as a packet, so that dropping
 * has one implementation. (doc/design/0036)
 */
#include <dvx/prm/cqe.h>
#include "ud.h"
#include "base/log.h"
#include "obj/qp.h"
#include "obj/table.h"
#include "obj/vhca.h"
#include "port/port.h"
#include "queue/services.h"
#include "transport/direct_recv.h"
#include "transport/message.h"
#include "transport/transport.h"

/* Datagrams that went as packets come first. */
static struct qp *ud_receiver(struct queue *q, const struct bth_packet *p)
{
	struct port *port = q->o.vhca->dev->port;
	struct vhca *to = port_direct(port, &ud_of(q)->path);
	struct qp *qp = to && !port_busy(port) ? obj_look(to, OBJ_QP, p->dqpn) : NULL;

	return qp && qp->q.transport == &transport_ud && &qp->q != q ? qp : NULL;
}

static bool ud_would_take(const struct qp *to, const struct bth_packet *p, uint64_t len)
{
	return ud_of(&to->q)->up && p->qkey == to->qkey && len <= qp_mtu(to) && to->q.rq &&
	       !rq_inlines(to->q.rq, len);
}

static uint32_t ud_padded(const struct send_wr *wr)
{
	return ((uint32_t)wr->len + 3) & ~3u;
}

static uint32_t ud_headers(const struct send_wr *wr)
{
	return DETH_LEN + (wr->has_imm ? IMM_LEN : 0);
}

static const uint8_t *ud_grh(struct ud *ud, const struct send_wr *wr)
{
	uint32_t len = BTH_LEN + ud_headers(wr) + ud_padded(wr) + ROCE_ICRC;

	if (ud->grh_len != len || ud->grh_resolved != ud->path.resolved)
		roce_make_grh(&ud->path, len, ud->grh);
	ud->grh_len = len;
	ud->grh_resolved = ud->path.resolved;
	return ud->grh;
}

static void ud_count(struct queue *q, const struct queue *to, const struct send_wr *wr)
{
	struct port_stats *here = q->o.vhca->stats, *there = to->o.vhca->stats;
	uint32_t bytes = ud_of(q)->path.overhead + ud_headers(wr) + ud_padded(wr);

	here->xmit_packets++;
	here->xmit_bytes += bytes;
	there->rcv_packets++;
	there->rcv_bytes += bytes;
}

bool ud_direct(struct queue *q, struct send_wr *wr, const struct bth_packet *p)
{
	struct qp *to = !wr->one || sim_tracing ? NULL : ud_receiver(q, p);
	struct ud *ud = ud_of(q), *peer;
	struct recv_done done = {
		.opcode = wr->has_imm ? PRM_CQE_OPCODE_RESP_SEND_IMM : PRM_CQE_OPCODE_RESP_SEND,
		.solicited = wr->solicited,
		.imm = wr->has_imm ? wr->imm : 0,
		.len = ROCE_GRH + wr->len,
		.rqpn = q->o.id,
		.datagram = true,
	};

	if (!to || !ud_would_take(to, p, wr->len))
		return false;
	peer = ud_of(&to->q);
	peer->recv = peer->recv || rq_begin(to->q.rq);
	if (!peer->recv || !direct_receive(q, to->q.rq, wr, ud_grh(ud, wr), ROCE_GRH))
		return false;
	peer->recv = false;
	done.network = (uint8_t)roce_network(ud->grh);
	done.tci = roce_tci(&ud->path);
	done.tagged = done.tci != 0;
	ud_count(q, &to->q, wr);
	ud->psn = psn_add(ud->psn, 1);
	rq_end(to->q.rq, &done);
	return true;
}
