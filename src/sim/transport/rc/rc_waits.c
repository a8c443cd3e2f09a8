/* SPDX-License-Identifier: BSD-2-Clause */
#include "rc.h"
#include "obj/gid.h"

/* Returns the function of this chip that the connection's packets go to, or NULL. */
static const struct vhca *rc_waits_function(const struct rc *rc)
{
	const struct gid_entry *source = rc->path.source;
	unsigned int index;

	if (rc->path.forced)
		return rc->qp->q.o.vhca;
	return source ? device_vhca_by_gid(rc->sched->dev, source->vlan, rc->qp->rgid, &index)
		      : NULL;
}

static enum transport_why rc_waits_why(const struct req *r)
{
	if (!r->head)
		return TRANSPORT_READY;
	if (r->rnr_wait || (r->rnrs && r->rnr_psn == r->una))
		return TRANSPORT_RNR; /* or it was just sent again */
	return r->una != r->max ? TRANSPORT_ANSWER : TRANSPORT_READY;
}

void rc_waits(const struct queue *q, struct transport_wait *w)
{
	const struct rc *rc = rc_of(q);
	const struct req *r = &rc->req;
	const struct vhca *v = rc_waits_function(rc);

	w->refuses = rc->resp.nak_sent && AETH_KIND(rc->resp.syndrome) == AETH_RNR;
	w->why = rc_waits_why(r);
	if (w->why == TRANSPORT_READY)
		return;
	w->here = v;
	w->peer = v ? obj_find(v, OBJ_QP, rc->qp->remote_qpn) : NULL;
	w->opcode = r->head->opcode;
	w->wqe = r->head->index;
	w->psn = r->una;
	w->times = r->rnrs;
	w->timeout = rc->qp->ack_timeout & 31;
	w->retries = rc->qp->retry_count;
	w->used = rc->qp->retry_count - r->retries;
}
