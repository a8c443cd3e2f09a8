/* SPDX-License-Identifier: BSD-2-Clause */
/* Commands of programs on connections, and the events that connections cause. */
#include <endian.h>
#include <errno.h>
#include <string.h>
#include "conn.h"

#define QKEY_DEFAULT 0x01234567u /* RDMA_UDP_QKEY */

uint64_t id_service(const struct cm_id *id, const union cm_addr *a)
{
	return a->sa.sa_family == CM_AF_IB ? be64toh(a->ib.sid)
					   : (uint64_t)id->ps << 16 | addr_port(a);
}

uint32_t id_header(const struct cm_id *id, uint8_t hdr[CM_HDR_BYTES])
{
	uint16_t port = addr_port(&id->src);

	memset(hdr, 0, CM_HDR_BYTES);
	if (id->src.sa.sa_family == CM_AF_IB)
		return 0;
	hdr[2] = (uint8_t)(port >> 8);
	hdr[3] = (uint8_t)port;
	if (id->src.sa.sa_family == AF_INET) {
		hdr[1] = 4 << 4;
		memcpy(hdr + 16, &id->src.in.sin_addr, 4);
		memcpy(hdr + 32, &id->dst.in.sin_addr, 4);
	} else {
		hdr[1] = 6 << 4;
		memcpy(hdr + 4, &id->src.in6.sin6_addr, 16);
		memcpy(hdr + 20, &id->dst.in6.sin6_addr, 16);
	}
	return CM_HDR_BYTES;
}

void id_default_qkey(struct cm_id *id)
{
	if (id->ps == RDMA_PS_UDP || id->ps == RDMA_PS_IB)
		id->qkey = QKEY_DEFAULT;
}

int id_set_qkey(struct cm_id *id, uint32_t qkey)
{
	if (!qkey || (id->qkey && id->qkey != qkey))
		return refuse(-EINVAL, "rdma_cm: id %u: qkey 0x%x, but it has 0x%x already",
			      id->number, qkey, id->qkey);
	id->qkey = qkey;
	return 0;
}

/* --- CONNECT ---------------------------------------------------------------------------------- */

static uint8_t at_most_7(uint8_t n)
{
	return n < 7 ? n : 7;
}

static int connect_conn(struct cm_id *id, const struct rdma_ucm_conn_param *p, const uint8_t *data,
			uint32_t len)
{
	const struct conn_req q = {
		.route = &id->route,
		.service_id = id_service(id, &id->dst),
		.qpn = id->qpn,
		.psn = id->psn,
		.qp_type = id->qp_type,
		.responder_resources = p->responder_resources,
		.initiator_depth = p->initiator_depth,
		.flow_control = p->flow_control,
		.retry_count = at_most_7(p->retry_count),
		.rnr_retry_count = at_most_7(p->rnr_retry_count),
		.srq = id->srq,
		.ece = id->ece,
	};

	if (id->qp_type == QPT_UD)
		return conn_send_sidr_req(id->conn, &id->route, q.service_id, data, len);
	return conn_send_req(id->conn, &q, data, len);
}

static int connect_id(struct cm_id *id, const struct rdma_ucm_conn_param *p)
{
	uint8_t data[CM_HDR_BYTES + RDMA_MAX_PRIVATE_DATA];
	uint32_t hdr = id_header(id, data);
	int err;

	if (p->private_data_len + hdr > UINT8_MAX)
		return refuse(-EINVAL, "CONNECT: private_data_len %u is too long",
			      p->private_data_len);
	memcpy(data + hdr, p->private_data, p->private_data_len);
	id->conn = conn_new(id->cm, id->vhca, id);
	if (!id->conn)
		return -ENOMEM;
	err = connect_conn(id, p, data, p->private_data_len + hdr);
	if (err) {
		conn_destroy(id->conn);
		id->conn = NULL;
	}
	return err;
}

int id_connect(struct cm_file *f, struct ucma_request *r)
{
	struct rdma_ucm_connect c = {0};
	struct cm_id *id;
	int err;

	memcpy(&c, r->in, r->nin);
	if (!c.conn_param.valid)
		return refuse(-EINVAL, "CONNECT: conn_param.valid is 0");
	err = id_find_bound(f, c.id, &id);
	if (err)
		return err;
	id->ece = c.ece;
	if (id->state != ID_ROUTE_RESOLVED)
		return refuse(-EINVAL, "CONNECT: id %u has no resolved route", id->number);
	id->qpn = c.conn_param.qp_num & 0xffffff;
	id->srq = c.conn_param.srq;
	err = connect_id(id, &c.conn_param);
	if (!err)
		id->state = ID_CONNECT;
	return err;
}

/* --- ACCEPT, REJECT, DISCONNECT, NOTIFY ------------------------------------------------------- */

static int accept_request(struct cm_id *id, const struct rdma_ucm_conn_param *p)
{
	const struct conn_rep q = {
		.qpn = id->qpn,
		.psn = id->psn,
		.responder_resources = p->responder_resources,
		.initiator_depth = p->initiator_depth,
		.flow_control = p->flow_control,
		.rnr_retry_count = at_most_7(p->rnr_retry_count),
		.srq = id->srq,
		.ece = id->ece,
	};

	return conn_send_rep(id->conn, &q, p->private_data, p->private_data_len);
}

static int accept_datagram(struct cm_id *id, const struct rdma_ucm_conn_param *p)
{
	uint32_t qkey = id->src.sa.sa_family == CM_AF_IB ? p->qkey : 0;
	int err = 0;

	if (qkey)
		err = id_set_qkey(id, qkey);
	else
		id_default_qkey(id);
	if (err)
		return err;
	return conn_send_sidr_rep(id->conn, SIDR_SUCCESS, id->qpn, id->qkey, &id->ece,
				  p->private_data, p->valid ? p->private_data_len : 0);
}

static int accept_id(struct cm_id *id, const struct rdma_ucm_conn_param *p)
{
	if (id->qp_type == QPT_UD)
		return accept_datagram(id, p);
	return p->valid ? accept_request(id, p) : conn_send_rtu(id->conn);
}

static int reject_id(struct cm_id *id, uint8_t reason, const uint8_t *data, uint32_t len)
{
	if (id->qp_type == QPT_UD)
		return conn_send_sidr_rep(id->conn, SIDR_REJECT, 0, 0, NULL, data, len);
	return conn_send_rej(id->conn, reason, data, len);
}

int id_accept(struct cm_id *id, struct ucma_request *r)
{
	struct rdma_ucm_accept c = {0};
	int err;

	memcpy(&c, r->in, r->nin);
	id->ece = c.ece;
	if (id->state != ID_CONNECT || !id->conn)
		return refuse(-EINVAL, "ACCEPT: id %u has no connection request", id->number);
	if (c.conn_param.valid) {
		id->qpn = c.conn_param.qp_num & 0xffffff;
		id->srq = c.conn_param.srq;
	}
	err = accept_id(id, &c.conn_param);
	if (err)
		reject_id(id, REJ_CONSUMER, NULL, 0);
	else if (c.conn_param.valid)
		id->uid = c.uid;
	return err;
}

int id_reject(struct cm_file *f, struct ucma_request *r)
{
	struct rdma_ucm_reject c;
	struct cm_id *id;
	int err;

	memcpy(&c, r->in, sizeof(c));
	if (!c.reason)
		c.reason = REJ_CONSUMER;
	if (c.reason != REJ_CONSUMER && c.reason != REJ_VENDOR_OPTION)
		return refuse(-EINVAL, "REJECT: reason %u: programs give %u or %u", c.reason,
			      REJ_CONSUMER, REJ_VENDOR_OPTION);
	err = id_find_bound(f, c.id, &id);
	if (!err && !id->conn)
		err = refuse(-EINVAL, "REJECT: id %u has no connection request", id->number);
	return err ?: reject_id(id, c.reason, c.private_data, c.private_data_len);
}

int id_disconnect(struct cm_id *id, struct ucma_request *r)
{
	(void)r;
	if (!id->conn)
		return refuse(-EINVAL, "DISCONNECT: id %u has no connection", id->number);
	if (conn_send_dreq(id->conn))
		conn_send_drep(id->conn);
	return 0;
}

/* enum ib_event_type */
enum { NOTIFY_COMM_EST = 4, NOTIFY_PATH_MIG = 7 };

int id_notify(struct cm_id *id, struct ucma_request *r)
{
	struct rdma_ucm_notify c;
	int err;

	memcpy(&c, r->in, sizeof(c));
	if (!id->conn || c.event != NOTIFY_COMM_EST)
		return refuse(-EINVAL, "NOTIFY: event %u: %s", c.event,
			      id->conn ? "only COMM_EST is known" : "the id has no connection");
	err = conn_establish(id->conn);
	if (!err)
		id_on_conn(id, CONN_RTU, NULL);
	return err;
}

/* --- events ----------------------------------------------------------------------------------- */

void route_ah(const struct cm_path *p, struct ib_uverbs_ah_attr *a)
{
	*a = (struct ib_uverbs_ah_attr){.sl = p->sl, .is_global = 1, .port_num = 1};
	memcpy(a->grh.dgid, p->dgid, 16);
	a->grh.flow_label = p->flow_label;
	a->grh.sgid_index = p->sgid_index;
	a->grh.hop_limit = p->hop_limit;
	a->grh.traffic_class = p->tclass;
}

static void on_rep(struct rdma_ucm_event_resp *e, const struct cm_id *id, const uint8_t *mad)
{
	struct rdma_ucm_conn_param *p = &e->param.conn;

	e->event = EVENT_CONNECT_RESPONSE;
	p->private_data_len = REP_PRIVATE_BYTES;
	memcpy(p->private_data, mad_bytes(mad, REP_PRIVATE), REP_PRIVATE_BYTES);
	p->responder_resources = id->conn->responder_resources;
	p->initiator_depth = id->conn->initiator_depth;
	p->flow_control = (uint8_t)mad_get(mad, REP_FLOW_CONTROL);
	p->rnr_retry_count = id->conn->rnr_retry_count;
	p->srq = (uint8_t)mad_get(mad, REP_SRQ);
	p->qp_num = id->conn->remote_qpn;
	e->ece.vendor_id = (uint32_t)(mad_get(mad, REP_VENDOR_ID_HIGH) << 16 |
				      mad_get(mad, REP_VENDOR_ID_MIDDLE) << 8 |
				      mad_get(mad, REP_VENDOR_ID_LOW));
	e->ece.attr_mod = (uint32_t)mad_get(mad, MAD_MODIFIER);
}

static void on_rej(struct rdma_ucm_event_resp *e, const uint8_t *mad)
{
	e->event = EVENT_REJECTED;
	e->status = (uint32_t)mad_get(mad, REJ_REASON);
	e->param.conn.private_data_len = REJ_PRIVATE_BYTES;
	memcpy(e->param.conn.private_data, mad_bytes(mad, REJ_PRIVATE), REJ_PRIVATE_BYTES);
}

static void on_sidr_rep(struct rdma_ucm_event_resp *e, struct cm_id *id, const uint8_t *mad)
{
	struct rdma_ucm_ud_param *p = &e->param.ud;
	int err;

	p->private_data_len = SIDR_REP_PRIVATE_BYTES;
	memcpy(p->private_data, mad_bytes(mad, SIDR_REP_PRIVATE), SIDR_REP_PRIVATE_BYTES);
	e->event = EVENT_UNREACHABLE;
	e->status = (uint32_t)mad_get(mad, SIDR_REP_STATUS);
	if (e->status != SIDR_SUCCESS)
		return;
	err = id_set_qkey(id, (uint32_t)mad_get(mad, SIDR_REP_QKEY));
	e->event = err ? EVENT_ADDR_ERROR : EVENT_ESTABLISHED;
	e->status = (uint32_t)err;
	if (err)
		return;
	route_ah(&id->route.p, &p->ah_attr);
	p->qp_num = (uint32_t)mad_get(mad, SIDR_REP_QPN);
	p->qkey = id->qkey;
}

/* Returns whether the id is in the state that handles this event; other events are dropped. */
static bool on_conn_allowed(const struct cm_id *id, enum conn_event what)
{
	return id->state == (what == CONN_TIMEWAIT_EXIT ? ID_DISCONNECT : ID_CONNECT);
}

void id_on_conn(struct cm_id *id, enum conn_event what, const uint8_t *mad)
{
	struct rdma_ucm_event_resp e = {0};

	if (!on_conn_allowed(id, what))
		return;
	switch (what) {
	case CONN_REQ_ERROR:
	case CONN_REP_ERROR:
	case CONN_SIDR_ERROR:
		e.event = EVENT_UNREACHABLE;
		e.status = (uint32_t)-ETIMEDOUT;
		break;
	case CONN_REP:
		on_rep(&e, id, mad);
		break;
	case CONN_RTU:
		e.event = EVENT_ESTABLISHED;
		break;
	case CONN_REJ:
		on_rej(&e, mad);
		break;
	case CONN_DREQ_ERROR:
		e.status = (uint32_t)-ETIMEDOUT;
		/* fall through */
	case CONN_DREQ:
	case CONN_DREP:
		id->state = ID_DISCONNECT;
		e.event = EVENT_DISCONNECTED;
		break;
	case CONN_SIDR_REP:
		on_sidr_rep(&e, id, mad);
		break;
	case CONN_TIMEWAIT_EXIT:
		e.event = EVENT_TIMEWAIT_EXIT;
		break;
	}
	event_post(id, &e);
}
