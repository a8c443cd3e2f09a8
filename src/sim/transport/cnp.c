/* SPDX-License-Identifier: BSD-2-Clause */
#include "cnp.h"

#include <string.h>
#include "bth.h"
#include "obj/qp.h"
#include "obj/device.h"
#include "roce_port.h"
#include "transport.h"

#define CNP_OPCODE  0x81u
#define CNP_BECN    0x40u
#define CNP_PAYLOAD 16u
/* Fields as a ConnectX-4 Lx sends them (tests/interop/icrc.py): DSCP 48, ECT(0), source port 0. */
#define CNP_TCLASS (48u << 2 | 2)
#define CNP_GAP_NS 4000u /* [I] least time between two CNPs of a queue pair */
#define ECN_MARKED 3u

bool cnp_is(const struct roce_packet *r)
{
	return r->hdr[0] == CNP_OPCODE && !r->group;
}

static bool cnp_is_connected(const struct qp *qp)
{
	const uint8_t type = qp->q.transport->bth_type;

	return (type == BTH_RC || type == BTH_UC) &&
	       (qp->q.state == QP_RTR || qp->q.state == QP_RTS);
}

enum drop cnp_receive(struct vhca *v, const struct roce_packet *r)
{
	const struct qp *qp = obj_find(v, OBJ_QP, bth_get32(r->hdr + 4) & 0xffffff);

	v->stats->rcv_packets++;
	v->stats->rcv_bytes += r->octets;
	if (!qp || !cnp_is_connected(qp) || memcmp(r->sgid, qp->rgid, sizeof(qp->rgid)) != 0) {
		v->stats->rp_cnp_ignored++;
		return DROP_CNP;
	}
	v->stats->rp_cnp_handled++;
	return DROP_NONE;
}

/* Returns whether a switch has marked it. A descriptor met none; only RoCE v2 has the bits. */
bool cnp_is_marked(const struct roce_packet *r)
{
	unsigned int tclass;

	if (r->data || roce_network(r->grh) == ROCE_NETWORK_GRH)
		return false;
	tclass = roce_network(r->grh) == ROCE_NETWORK_IPV4 ? r->grh[21] : r->grh[1] >> 4;
	return (tclass & 3) == ECN_MARKED;
}

static void cnp_send(const struct qp *qp)
{
	struct roce_path path;
	struct frame *f;

	roce_port_path(qp, &path);
	path.tclass = CNP_TCLASS;
	path.udp_sport = 0;
	f = roce_port_frame(&path, 0, CNP_PAYLOAD);
	if (!f)
		return;
	memset(f->data, 0, CNP_PAYLOAD);
	bth_put32(f->burst.hdr, CNP_OPCODE << 24 | PKEY_DEFAULT);
	bth_put32(f->burst.hdr + 4, CNP_BECN << 24 | qp->remote_qpn);
	bth_put32(f->burst.hdr + 8, 0);
	f->burst.hdr_len = BTH_LEN;
	f->burst.last_opcode = CNP_OPCODE;
	f->burst.npkts = 1;
	path.from->stats->np_cnp_sent++;
	roce_port_put(&path, f, false);
}

void cnp_marked(struct qp *qp, const struct roce_packet *r)
{
	struct device *dev = qp->q.o.vhca->dev;
	const uint64_t now = dev->clock->now(dev->clock);

	qp->q.o.vhca->stats->np_ecn_marked++;
	if (!cnp_is_connected(qp) || r->forced || (qp->cnp_at && now - qp->cnp_at < CNP_GAP_NS))
		return;
	qp->cnp_at = now;
	cnp_send(qp);
}
