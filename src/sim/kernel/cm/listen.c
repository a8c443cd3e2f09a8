/* SPDX-License-Identifier: BSD-2-Clause */
/* Listening, and connection requests that are received. */
#include <errno.h>
#include <string.h>
#include "conn.h"

#define BACKLOG_MOST 1024 /* net.rdma_ucm.max_backlog's default */

int id_listen(struct cm_id *id, struct ucma_request *r)
{
	struct rdma_ucm_listen c;
	int err = 0;

	memcpy(&c, r->in, sizeof(c));
	id->backlog = c.backlog && c.backlog <= BACKLOG_MOST ? c.backlog : BACKLOG_MOST;
	if (id->state != ID_ADDR_BOUND)
		err = id_bind_any(id);
	if (!err && id->reuse)
		err = port_check_listen(id);
	if (err)
		return err;
	id->reuse = false;
	id->state = ID_LISTEN;
	return 0;
}

/* --- requests --------------------------------------------------------------------------------- */

/* The addresses in the header before the private data. */
struct request_addrs {
	union cm_addr local, remote;
};

static int request_addrs(const uint8_t *hdr, uint64_t service_id, struct request_addrs *a)
{
	uint16_t port = (uint16_t)(hdr[2] << 8 | hdr[3]);

	*a = (struct request_addrs){0};
	switch (hdr[1] >> 4) {
	case 4:
		a->local.sa.sa_family = a->remote.sa.sa_family = AF_INET;
		memcpy(&a->remote.in.sin_addr, hdr + 16, 4);
		memcpy(&a->local.in.sin_addr, hdr + 32, 4);
		break;
	case 6:
		a->local.sa.sa_family = a->remote.sa.sa_family = AF_INET6;
		memcpy(&a->remote.in6.sin6_addr, hdr + 4, 16);
		memcpy(&a->local.in6.sin6_addr, hdr + 20, 16);
		break;
	default: /* AF_IB: there is no header, the program uses all bytes */
		a->local.sa.sa_family = a->remote.sa.sa_family = CM_AF_IB;
		return 0;
	}
	addr_set_port(&a->remote, port);
	addr_set_port(&a->local, (uint16_t)service_id);
	return hdr[0] ? -EINVAL : 0;
}

static bool listener_matches(const struct cm_id *id, const struct vhca *to,
			     const union cm_addr *local)
{
	if (id->vhca ? id->vhca != to : id->state != ID_LISTEN)
		return false;
	if (addr_is_any(&id->src) && !id->afonly)
		return local->sa.sa_family != CM_AF_IB || id->src.sa.sa_family == CM_AF_IB;
	if (id->src.sa.sa_family != local->sa.sa_family)
		return false;
	return addr_is_any(&id->src) || local->sa.sa_family == CM_AF_IB ||
	       !addr_differs(&id->src, local);
}

static struct cm_id *listener_find(struct cm *cm, const struct cm_conn *c,
				   const union cm_addr *local)
{
	struct cm_port *p =
		port_find(cm, c->vhca, (uint16_t)(c->service_id >> 16), (uint16_t)c->service_id);
	struct cm_id *id;

	LIST_FOREACH(id, &p->owners, owner)
	if (listener_matches(id, c->vhca, local))
		return id->state == ID_LISTEN && (!id->qp_type || id->qp_type == c->qp_type) ? id
											     : NULL;
	return NULL;
}

static void request_route(struct cm_id *id, const struct cm_conn *c, const uint8_t *mad)
{
	uint8_t timeout = (uint8_t)mad_get(mad, REQ_ACK_TIMEOUT);

	id->route = (struct cm_route){
		.p = c->path,
		.service_id = c->service_id,
		.pkey = (uint16_t)mad_get(mad, REQ_PKEY),
		.mtu = c->mtu,
		.rate = (uint8_t)mad_get(mad, REQ_RATE),
		.life_time = timeout ? timeout - 1 : 0,
	};
	id->nroutes = 1;
}

static struct cm_id *request_id(const struct cm_id *listener, struct cm_conn *c,
				const struct request_addrs *a, const uint8_t *mad)
{
	struct cm_id *id = id_new(listener->file, listener->ps, c->qp_type);

	if (!id)
		return NULL;
	id->src = a->local;
	id->dst = a->remote;
	if (a->local.sa.sa_family == CM_AF_IB)
		id->src.ib.sid = id->src.ib.sid_mask = 0;
	id->afonly = listener->afonly;
	id->tos = listener->tos;
	id->tos_set = listener->tos_set;
	id->vhca = c->vhca;
	id->sgid_index = c->path.sgid_index;
	if (c->qp_type == QPT_UD)
		memcpy(id->route.p.dgid, c->path.dgid, 16);
	else
		request_route(id, c, mad);
	id->state = ID_CONNECT;
	return id;
}

static void request_event(struct rdma_ucm_event_resp *e, const struct cm_conn *c,
			  const uint8_t *mad, uint32_t offset)
{
	struct rdma_ucm_conn_param *p = &e->param.conn;

	e->event = EVENT_CONNECT_REQUEST;
	if (c->qp_type == QPT_UD) {
		e->param.ud.private_data_len = (uint8_t)(SIDR_REQ_PRIVATE_BYTES - offset);
		memcpy(e->param.ud.private_data, mad_bytes(mad, SIDR_REQ_PRIVATE) + offset,
		       e->param.ud.private_data_len);
		return;
	}
	p->private_data_len = (uint8_t)(REQ_PRIVATE_BYTES - offset);
	memcpy(p->private_data, mad_bytes(mad, REQ_PRIVATE) + offset, p->private_data_len);
	p->responder_resources = c->responder_resources;
	p->initiator_depth = c->initiator_depth;
	p->flow_control = (uint8_t)mad_get(mad, REQ_FLOW_CONTROL);
	p->retry_count = c->retry_count;
	p->rnr_retry_count = c->rnr_retry_count;
	p->srq = (uint8_t)mad_get(mad, REQ_SRQ);
	p->qp_num = c->remote_qpn;
	e->ece.vendor_id = (uint32_t)mad_get(mad, REQ_VENDOR_ID);
	e->ece.attr_mod = (uint32_t)mad_get(mad, MAD_MODIFIER);
}

int id_on_request(struct cm *cm, struct cm_conn *c, const uint8_t *mad)
{
	const uint8_t *hdr = mad_bytes(mad, c->qp_type == QPT_UD ? SIDR_REQ_PRIVATE : REQ_PRIVATE);
	struct rdma_ucm_event_resp e = {0};
	struct request_addrs a;
	struct cm_id *listener, *id;
	int err = request_addrs(hdr, c->service_id, &a);

	if (err)
		return err;
	listener = listener_find(cm, c, &a.local);
	if (!listener)
		return -EINVAL;
	id = request_id(listener, c, &a, mad);
	if (!id)
		return -ENOMEM;
	request_event(&e, c, mad, a.local.sa.sa_family == CM_AF_IB ? 0 : CM_HDR_BYTES);
	err = event_post_request(listener, id, &e);
	if (err) {
		id_destroy(id);
		return err;
	}
	id->conn = c;
	c->id = id;
	return 0;
}
