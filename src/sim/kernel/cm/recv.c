/* SPDX-License-Identifier: BSD-2-Clause */
/* Handles received messages in each state, and answers repeated ones. */
#include <errno.h>
#include <string.h>
#include "conn.h"

struct received {
	struct cm *cm;
	struct vhca *to;
	const struct cm_path *path; /* back to the sender */
	const uint8_t *mad;
};

static uint32_t recv_local(const struct received *r)
{
	return (uint32_t)mad_get(r->mad, CM_LOCAL_ID);
}

static uint32_t recv_remote(const struct received *r)
{
	return (uint32_t)mad_get(r->mad, CM_REMOTE_ID);
}

static struct cm_conn *recv_pair(const struct received *r)
{
	return conn_find_pair(r->cm, r->to, recv_remote(r), recv_local(r));
}

/* Sends an answer that belongs to no connection. */
static void recv_answer(const struct received *r, uint8_t *mad)
{
	r->cm->ops.send(r->cm->ops.ctx, r->to, r->path, mad);
}

static void recv_reject(const struct received *r, unsigned int reason, unsigned int message)
{
	uint8_t mad[CM_MAD_BYTES];

	mad_begin(mad, CM_REJ, mad_get(r->mad, MAD_TID));
	mad_set(mad, CM_REMOTE_ID, recv_local(r));
	mad_set(mad, CM_LOCAL_ID, message == MESSAGE_REQ ? 0 : recv_remote(r));
	mad_set(mad, REJ_MESSAGE, message);
	mad_set(mad, REJ_REASON, reason);
	recv_answer(r, mad);
}

/* --- REQ -------------------------------------------------------------------------------------- */

static uint8_t req_qp_type(const uint8_t *mad)
{
	switch (mad_get(mad, REQ_SERVICE_TYPE)) {
	case 0:
		return QPT_RC;
	case 1:
		return QPT_UC;
	case 3:
		return mad_get(mad, REQ_EXTENDED_TYPE) == 1 ? QPT_XRC_TGT : 0;
	default:
		return 0;
	}
}

/* Copies the fields of a REQ. Depths swap: one end initiates what the other responds to. */
static void req_copy(struct cm_conn *c, const uint8_t *mad)
{
	c->remote_id = (uint32_t)mad_get(mad, CM_LOCAL_ID);
	c->tid = mad_get(mad, MAD_TID);
	c->service_id = mad_get(mad, REQ_SERVICE_ID);
	c->remote_guid = mad_get(mad, REQ_CA_GUID);
	c->remote_qpn = (uint32_t)mad_get(mad, REQ_QPN);
	c->sq_psn = (uint32_t)mad_get(mad, REQ_PSN);
	c->timeout_ms = conn_ms((unsigned int)mad_get(mad, REQ_LOCAL_RESPONSE_TIMEOUT));
	c->max_retries = (uint8_t)mad_get(mad, REQ_MAX_CM_RETRIES);
	c->initiator_depth = (uint8_t)mad_get(mad, REQ_RESPONDER_RESOURCES);
	c->responder_resources = (uint8_t)mad_get(mad, REQ_INITIATOR_DEPTH);
	c->mtu = (uint8_t)mad_get(mad, REQ_MTU);
	c->retry_count = (uint8_t)mad_get(mad, REQ_RETRY_COUNT);
	c->rnr_retry_count = (uint8_t)mad_get(mad, REQ_RNR_RETRY_COUNT);
	c->qp_type = req_qp_type(mad);
	c->ack_timeout = (uint8_t)mad_get(mad, REQ_ACK_TIMEOUT);
}

static bool req_copy_path(struct cm_conn *c, const uint8_t *mad)
{
	const uint8_t *own = mad_bytes(mad, REQ_REMOTE_GID);

	for (uint8_t i = 0; i < c->vhca->ngids; i++) {
		if (c->vhca->gids[i].type != GID_ROCE_V2 || memcmp(c->vhca->gids[i].gid, own, 16))
			continue;
		c->path = (struct cm_path){
			.sgid_index = i,
			.hop_limit = (uint8_t)mad_get(mad, REQ_HOP_LIMIT),
			.tclass = (uint8_t)mad_get(mad, REQ_TCLASS),
			.sl = (uint8_t)mad_get(mad, REQ_SL),
			.flow_label = (uint32_t)mad_get(mad, REQ_FLOW_LABEL),
		};
		memcpy(c->path.sgid, own, 16);
		memcpy(c->path.dgid, mad_bytes(mad, REQ_LOCAL_GID), 16);
		return true;
	}
	return false;
}

/* Answers a repeated REQ: the peer has not seen our answer yet. */
static void req_answer_repeated(const struct received *r, struct cm_conn *c)
{
	uint8_t mad[CM_MAD_BYTES];

	if (c->state != CONN_MRA_REQ_SENT)
		return;
	conn_begin(c, mad, CM_MRA, c->tid);
	mad_set(mad, MRA_MESSAGE, MESSAGE_REQ);
	mad_set(mad, MRA_SERVICE_TIMEOUT, CM_SERVICE_TIMEOUT);
	recv_answer(r, mad);
}

static bool service_is_listened(const struct received *r, uint64_t service_id)
{
	struct cm_port *p =
		port_find(r->cm, r->to, (uint16_t)(service_id >> 16), (uint16_t)service_id);
	struct cm_id *id;

	if (!p || service_id >> 32)
		return false;
	LIST_FOREACH(id, &p->owners, owner)
	if (id->state == ID_LISTEN)
		return true;
	return false;
}

/* Returns false for a REQ that is a repetition, or that this function has rejected. */
static bool req_is_new(const struct received *r, struct cm_conn *c)
{
	struct cm_conn *there = remote_insert_id(c);

	if (there) {
		req_answer_repeated(r, there);
		return false;
	}
	there = remote_insert_qpn(c);
	if (!there && service_is_listened(r, c->service_id))
		return true;
	recv_reject(r, there ? REJ_STALE : REJ_INVALID_SERVICE_ID, MESSAGE_REQ);
	if (there) /* the peer has lost it */
		conn_send_dreq(there);
	return false;
}

static void recv_req(const struct received *r)
{
	struct cm_conn *c = conn_new(r->cm, r->to, NULL);
	int err;

	if (!c)
		return;
	req_copy(c, r->mad);
	if (!req_is_new(r, c))
		return conn_destroy(c);
	c->state = CONN_REQ_RCVD;
	c->path = *r->path;
	if (!req_copy_path(c, r->mad)) {
		conn_send_rej(c, REJ_INVALID_GID, NULL, 0);
		return conn_destroy(c);
	}
	err = id_on_request(r->cm, c, r->mad);
	if (!err)
		return conn_delay(c);
	if (err == -ENOMEM)
		conn_reset(c); /* no answer: the peer tries again */
	conn_destroy(c);
}

/* --- MRA, REJ --------------------------------------------------------------------------------- */

static void recv_mra(const struct received *r)
{
	unsigned int message = (unsigned int)mad_get(r->mad, MRA_MESSAGE);
	struct cm_conn *c =
		message == MESSAGE_REQ ? conn_find(r->cm, r->to, recv_remote(r)) : recv_pair(r);
	uint32_t ms;

	if (!c)
		return;
	ms = conn_ms((unsigned int)mad_get(r->mad, MRA_SERVICE_TIMEOUT)) + conn_ms(c->ack_timeout);
	if (c->state == CONN_REQ_SENT && message == MESSAGE_REQ)
		conn_wait_longer(c, CONN_MRA_REQ_RCVD, ms);
	else if (c->state == CONN_REP_SENT && message == MESSAGE_REP)
		conn_wait_longer(c, CONN_MRA_REP_RCVD, ms);
}

static struct cm_conn *recv_find_rejected(const struct received *r)
{
	if (mad_get(r->mad, REJ_REASON) == REJ_TIMEOUT)
		return remote_find_id(r->cm, r->to, mad_get(r->mad, REJ_INFO_GUID), recv_local(r));
	if (mad_get(r->mad, REJ_MESSAGE) == MESSAGE_REQ)
		return conn_find(r->cm, r->to, recv_remote(r));
	return recv_pair(r);
}

static void recv_rej(const struct received *r)
{
	struct cm_conn *c = recv_find_rejected(r);

	switch (c ? c->state : CONN_IDLE) {
	case CONN_REQ_SENT:
	case CONN_MRA_REQ_RCVD:
	case CONN_REP_SENT:
	case CONN_MRA_REP_RCVD:
	case CONN_REQ_RCVD:
	case CONN_MRA_REQ_SENT:
		if (mad_get(r->mad, REJ_REASON) == REJ_STALE)
			conn_enter_timewait(c);
		else
			conn_reset(c);
		break;
	case CONN_DREQ_SENT:
	case CONN_REP_RCVD:
	case CONN_MRA_REP_SENT:
	case CONN_ESTABLISHED:
		conn_enter_timewait(c);
		break;
	default:
		return;
	}
	id_on_conn(c->id, CONN_REJ, r->mad);
}

/* --- REP, RTU --------------------------------------------------------------------------------- */

/* Answers a repeated REP: the peer has not seen our RTU. */
static void rep_answer_repeated(const struct received *r)
{
	struct cm_conn *c = recv_pair(r);
	uint8_t mad[CM_MAD_BYTES];

	if (!c || (c->state != CONN_ESTABLISHED && c->state != CONN_MRA_REP_SENT))
		return;
	conn_begin(c, mad, c->state == CONN_ESTABLISHED ? CM_RTU : CM_MRA, c->tid);
	if (c->state == CONN_MRA_REP_SENT) {
		mad_set(mad, MRA_MESSAGE, MESSAGE_REP);
		mad_set(mad, MRA_SERVICE_TIMEOUT, CM_SERVICE_TIMEOUT);
	}
	recv_answer(r, mad);
}

static void rep_copy(struct cm_conn *c, const uint8_t *mad)
{
	c->remote_id = (uint32_t)mad_get(mad, CM_LOCAL_ID);
	c->remote_guid = mad_get(mad, REP_CA_GUID);
	c->remote_qpn = (uint32_t)mad_get(mad, REP_QPN);
}

static void rep_copy_attributes(struct cm_conn *c, const uint8_t *mad)
{
	c->initiator_depth = (uint8_t)mad_get(mad, REP_RESPONDER_RESOURCES);
	c->responder_resources = (uint8_t)mad_get(mad, REP_INITIATOR_DEPTH);
	c->sq_psn = (uint32_t)mad_get(mad, REP_PSN);
	c->rnr_retry_count = (uint8_t)mad_get(mad, REP_RNR_RETRY_COUNT);
	c->ack_timeout = conn_ack_timeout((uint8_t)mad_get(mad, REP_ACK_DELAY),
					  (uint8_t)(c->ack_timeout - 1));
}

static void recv_rep(const struct received *r)
{
	struct cm_conn *c = conn_find(r->cm, r->to, recv_remote(r)), *stale;

	if (!c || (c->state != CONN_REQ_SENT && c->state != CONN_MRA_REQ_RCVD))
		return rep_answer_repeated(r);
	rep_copy(c, r->mad);
	if (remote_insert_id(c))
		return;
	stale = remote_insert_qpn(c);
	if (stale) {
		remote_remove(c);
		recv_reject(r, REJ_STALE, MESSAGE_REP);
		conn_send_dreq(stale);
		return;
	}
	rep_copy_attributes(c, r->mad);
	conn_cancel(c);
	c->state = CONN_REP_RCVD;
	conn_delay(c);
	id_on_conn(c->id, CONN_REP, r->mad);
}

static void recv_rtu(const struct received *r)
{
	struct cm_conn *c = recv_pair(r);

	if (!c || (c->state != CONN_REP_SENT && c->state != CONN_MRA_REP_RCVD))
		return;
	conn_cancel(c);
	c->state = CONN_ESTABLISHED;
	id_on_conn(c->id, CONN_RTU, r->mad);
}

/* --- DREQ, DREP ------------------------------------------------------------------------------- */

/* Answers a DREQ whose connection is over here, or never was. */
static void dreq_unknown(const struct received *r)
{
	uint8_t mad[CM_MAD_BYTES];

	mad_begin(mad, CM_DREP, mad_get(r->mad, MAD_TID));
	mad_set(mad, CM_REMOTE_ID, recv_local(r));
	mad_set(mad, CM_LOCAL_ID, recv_remote(r));
	recv_answer(r, mad);
}

static void recv_dreq(const struct received *r)
{
	struct cm_conn *c = recv_pair(r);

	if (!c)
		return dreq_unknown(r);
	if (c->local_qpn != mad_get(r->mad, DREQ_QPN))
		return;
	switch (c->state) {
	case CONN_REP_SENT:
	case CONN_DREQ_SENT:
	case CONN_MRA_REP_RCVD:
	case CONN_ESTABLISHED:
		break;
	case CONN_TIMEWAIT:
		return dreq_unknown(r);
	default:
		return;
	}
	conn_cancel(c);
	c->state = CONN_DREQ_RCVD;
	c->tid = mad_get(r->mad, MAD_TID);
	id_on_conn(c->id, CONN_DREQ, r->mad);
}

static void recv_drep(const struct received *r)
{
	struct cm_conn *c = recv_pair(r);

	if (!c || (c->state != CONN_DREQ_SENT && c->state != CONN_DREQ_RCVD))
		return;
	conn_enter_timewait(c);
	id_on_conn(c->id, CONN_DREP, r->mad);
}

/* --- service ID resolution -------------------------------------------------------------------- */

static bool sidr_is_known(const struct cm_conn *c)
{
	struct cm_conn *o;

	LIST_FOREACH(o, &c->cm->sidr, by_id)
	if (o->remote_id == c->remote_id && !memcmp(o->path.dgid, c->path.dgid, 16))
		return true;
	return false;
}

static void recv_sidr_req(const struct received *r)
{
	struct cm_conn *c = conn_new(r->cm, r->to, NULL);
	int err;

	if (!c)
		return;
	c->remote_id = (uint32_t)mad_get(r->mad, SIDR_REQUEST_ID);
	c->service_id = mad_get(r->mad, SIDR_REQ_SERVICE_ID);
	c->tid = mad_get(r->mad, MAD_TID);
	c->path = *r->path;
	c->qp_type = QPT_UD;
	if (sidr_is_known(c))
		return conn_destroy(c);
	LIST_INSERT_HEAD(&r->cm->sidr, c, by_id);
	c->in_ids = true;
	c->state = CONN_SIDR_REQ_RCVD;
	if (!service_is_listened(r, c->service_id)) {
		conn_send_sidr_rep(c, SIDR_UNSUPPORTED, 0, 0, NULL, NULL, 0);
		return conn_destroy(c);
	}
	err = id_on_request(r->cm, c, r->mad);
	if (err)
		conn_destroy(c);
}

static void recv_sidr_rep(const struct received *r)
{
	struct cm_conn *c = conn_find(r->cm, r->to, (uint32_t)mad_get(r->mad, SIDR_REQUEST_ID));

	if (!c || c->state != CONN_SIDR_REQ_SENT)
		return;
	conn_reset(c);
	id_on_conn(c->id, CONN_SIDR_REP, r->mad);
}

static void (*const messages[])(const struct received *) = {
	[CM_REQ - CM_REQ] = recv_req,		[CM_MRA - CM_REQ] = recv_mra,
	[CM_REJ - CM_REQ] = recv_rej,		[CM_REP - CM_REQ] = recv_rep,
	[CM_RTU - CM_REQ] = recv_rtu,		[CM_DREQ - CM_REQ] = recv_dreq,
	[CM_DREP - CM_REQ] = recv_drep,		[CM_SIDR_REQ - CM_REQ] = recv_sidr_req,
	[CM_SIDR_REP - CM_REQ] = recv_sidr_rep,
};

/* Drops MADs of other classes and methods, and LAP and APR: RoCE has no alternate paths. */
void cm_receive(struct cm *cm, struct vhca *to, const struct cm_path *path,
		const uint8_t mad[CM_MAD_BYTES])
{
	static const uint8_t header[4] = {1, 7, 2, 3}; /* versions, class CM, method Send */
	unsigned int message = (unsigned int)mad_get(mad, MAD_ATTRIBUTE) - CM_REQ;
	const struct received r = {cm, to, path, mad};

	if (!memcmp(mad, header, sizeof(header)) &&
	    message < sizeof(messages) / sizeof(messages[0]))
		messages[message](&r);
}
