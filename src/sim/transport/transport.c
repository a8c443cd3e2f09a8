/* SPDX-License-Identifier: BSD-2-Clause */
#include "transport.h"

#include <string.h>
#include "bth.h"
#include "cnp.h"
#include "eswitch/eswitch.h"
#include "gsi.h"
#include "obj/device.h"
#include "obj/mcg.h"
#include "obj/qp.h"
#include "roce_port.h"

#define QPN_GROUP 0xffffffu /* BTH.destqp of multicast packets */

static const struct transport *const transports[] = {
	&transport_rc,	&transport_uc,	&transport_ud,	   &transport_xrc,
	&transport_dci, &transport_qp1, &transport_reg_umr};

const struct transport *transport_find(uint8_t st)
{
	for (size_t i = 0; i < sizeof(transports) / sizeof(transports[0]); i++)
		if (transports[i]->st == st)
			return transports[i];
	return NULL;
}

/* Delivers a copy to each member, also to the sender unless it blocks that. */
static enum drop transport_receive_group(struct vhca *vhca, const struct roce_packet *r,
					 const struct bth_packet *p)
{
	const struct mcg *g = mcg_find(vhca, r->group);

	for (unsigned int i = 0; g && i < g->n; i++) {
		struct queue *q = &g->member[i]->q;
		bool own = p->sqpn == q->o.id && vhca_has_gid(vhca, r->sgid);
		struct bth_packet copy = *p;
		enum drop why = own && g->member[i]->block_lb_mc ? DROP_NONE
								 : q->transport->receive(q, &copy);

		if (why)
			roce_port_dropped(vhca, q->o.id, r->npkts, why);
	}
	return DROP_NONE;
}

/* Delivers the packet to its QP. */
static enum drop transport_deliver(struct vhca *vhca, const struct roce_packet *r,
				   struct bth_packet *p)
{
	enum drop why = bth_parse(p, r);
	struct dct *dct;
	struct qp *qp;

	if (why)
		return cnp_is(r) ? cnp_receive(vhca, r) : why;
	vhca->stats->rcv_packets += r->npkts;
	vhca->stats->rcv_bytes += r->octets;
	vhca->stats->multicast_rcv_packets += r->group != NULL;
	p->mtu = r->mtu;
	p->roce = r;
	if (r->group)
		return p->dqpn == QPN_GROUP && BTH_TYPE(p->opcode) == BTH_UD
			       ? transport_receive_group(vhca, r, p)
			       : DROP_GROUP;
	if (BTH_TYPE(p->opcode) == BTH_DC && (dct = obj_find(vhca, OBJ_DCT, p->dqpn)))
		return dct_receive(dct, p);
	if (p->dqpn == GSI_QPN)
		return gsi_receive(vhca, p);
	qp = obj_find(vhca, OBJ_QP, p->dqpn);
	if (!qp)
		return DROP_QPN;
	if (qp->q.transport->bth_type != BTH_TYPE(p->opcode))
		return DROP_TRANSPORT;
	if (!qp->q.transport->datagrams && BTH_TYPE(p->opcode) != BTH_DC && !r->forced &&
	    memcmp(r->sgid, qp->rgid, sizeof(qp->rgid)) != 0)
		return DROP_PEER;
	if (cnp_is_marked(r))
		cnp_marked(qp, r);
	return qp->q.transport->receive(&qp->q, p);
}

void transport_receive(struct vhca *vhca, const struct roce_packet *r)
{
	struct bth_packet p = {0};
	enum drop why = transport_deliver(vhca, r, &p);

	if (why)
		roce_port_dropped(vhca, p.dqpn, r->npkts, why);
}
