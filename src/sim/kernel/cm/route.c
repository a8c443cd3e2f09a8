/* SPDX-License-Identifier: BSD-2-Clause */
/* The path to a resolved address: computed from the id, as there is no subnet administrator. */
#include <errno.h>
#include <rdma/ib_user_sa.h>
#include <string.h>
#include "mad.h"
#include "priv.h"

enum { SELECT_EXACTLY = 2, RATE_OF_PORT = 0, HOPS = 64, LIFE_TIME = 18 };

/* Computes the flow label, as cma_get_roce_udp_flow_label() does. */
static uint32_t route_flow_label(const struct cm_id *id)
{
	uint32_t label = 0;

	if (id->src.sa.sa_family == AF_INET6)
		label = ntohl(id->src.in6.sin6_flowinfo) & 0xfffff;
	return label ? label : (addr_port(&id->src) * 31u + addr_port(&id->dst)) & 0xfffff;
}

static void route_fill(struct cm_id *id)
{
	struct cm_route *r = &id->route;
	uint8_t dgid[16];

	memcpy(dgid, r->p.dgid, 16);
	*r = (struct cm_route){
		.p = {.sgid_index = id->sgid_index,
		      .hop_limit = HOPS,
		      .tclass = id->tos_set ? id->tos : 0,
		      .flow_label = route_flow_label(id)},
		.pkey = 0xffff,
		.mtu = vhca_mtu(id->vhca),
		.rate = RATE_OF_PORT,
		.life_time = id->timeout_set && id->timeout ? id->timeout - 1 : LIFE_TIME,
	};
	memcpy(r->p.sgid, id->vhca->gids[id->sgid_index].gid, 16);
	memcpy(r->p.dgid, dgid, 16);
	id->nroutes = 1;
}

/*
 * Refuses AF_IB and loopback addresses: on Ethernet rdma_cm finds no network interface for them. A
 * function without an interface allows loopback addresses (doc/design/0022).
 */
static int route_check(const struct cm_id *id)
{
	if (id->src.sa.sa_family == CM_AF_IB)
		return refuse(-ENODEV, "RESOLVE_ROUTE: AF_IB addresses have no routes on Ethernet");
	if (id->fn->netdev.present && addr_is_loopback(&id->src))
		return refuse(-ENODEV, "RESOLVE_ROUTE: loopback addresses have no routes on "
				       "Ethernet; take one of the network interface");
	return 0;
}

int id_resolve_route(struct cm_id *id, struct ucma_request *r)
{
	const struct rdma_ucm_event_resp e = {.event = EVENT_ROUTE_RESOLVED};
	struct rdma_ucm_resolve_route c;
	int err;

	memcpy(&c, r->in, sizeof(c));
	if (!c.timeout_ms)
		return refuse(-EINVAL, "RESOLVE_ROUTE: timeout_ms is 0");
	if (id->state != ID_ADDR_RESOLVED)
		return refuse(-EINVAL, "RESOLVE_ROUTE: id %u has no resolved address", id->number);
	err = route_check(id);
	if (err)
		return err;
	route_fill(id);
	id->state = ID_ROUTE_RESOLVED;
	event_post(id, &e);
	return 0;
}

/* --- records as subnet administration has them ------------------------------------------------ */

static void route_pack(const struct cm_route *r, uint8_t record[64])
{
	memset(record, 0, 64);
	mad_set(record, PATH_SERVICE_ID, r->service_id);
	memcpy(mad_at(record, PATH_DGID), r->p.dgid, 16);
	memcpy(mad_at(record, PATH_SGID), r->p.sgid, 16);
	mad_set(record, PATH_FLOW_LABEL, r->p.flow_label);
	mad_set(record, PATH_HOP_LIMIT, r->p.hop_limit);
	mad_set(record, PATH_TCLASS, r->p.tclass);
	mad_set(record, PATH_REVERSIBLE, 1);
	mad_set(record, PATH_PKEY, r->pkey);
	mad_set(record, PATH_SL, r->p.sl);
	mad_set(record, PATH_MTU_SELECTOR, SELECT_EXACTLY);
	mad_set(record, PATH_MTU, r->mtu);
	mad_set(record, PATH_RATE_SELECTOR, SELECT_EXACTLY);
	mad_set(record, PATH_RATE, r->rate);
	mad_set(record, PATH_LIFE_SELECTOR, SELECT_EXACTLY);
	mad_set(record, PATH_LIFE, r->life_time);
}

static void route_unpack(struct cm_route *r, const uint8_t record[64])
{
	r->service_id = mad_get(record, PATH_SERVICE_ID);
	memcpy(r->p.dgid, mad_bytes(record, PATH_DGID), 16);
	memcpy(r->p.sgid, mad_bytes(record, PATH_SGID), 16);
	r->p.flow_label = (uint32_t)mad_get(record, PATH_FLOW_LABEL);
	r->p.hop_limit = (uint8_t)mad_get(record, PATH_HOP_LIMIT);
	r->p.tclass = (uint8_t)mad_get(record, PATH_TCLASS);
	r->p.sl = (uint8_t)mad_get(record, PATH_SL);
	r->pkey = (uint16_t)mad_get(record, PATH_PKEY);
	r->mtu = (uint8_t)mad_get(record, PATH_MTU);
	r->rate = (uint8_t)mad_get(record, PATH_RATE);
	r->life_time = (uint8_t)mad_get(record, PATH_LIFE);
}

int route_set_path(struct cm_id *id, const uint8_t *records, uint32_t len)
{
	const uint32_t wanted = IB_PATH_GMP | IB_PATH_PRIMARY | IB_PATH_BIDIRECTIONAL;
	const struct rdma_ucm_event_resp e = {.event = EVENT_ROUTE_RESOLVED};
	struct ib_path_rec_data d;
	uint32_t at = 0;

	if (len % sizeof(d))
		return refuse(-EINVAL, "SET_OPTION: IB_PATH: optlen %u, a record has %zu bytes",
			      len, sizeof(d));
	for (; at < len; at += (uint32_t)sizeof(d)) {
		memcpy(&d, records + at, sizeof(d));
		if (d.flags == wanted)
			break;
	}
	if (at == len || !id->vhca || id->state != ID_ADDR_RESOLVED)
		return refuse(-EINVAL, "SET_OPTION: IB_PATH: %s",
			      at == len ? "no record is a primary path both ways"
					: "the id has no resolved address");
	if (route_check(id))
		return -ENODEV;
	route_unpack(&id->route, (const uint8_t *)d.path_rec);
	id->route.p.sgid_index = id->sgid_index;
	id->nroutes = 1;
	id->state = ID_ROUTE_RESOLVED;
	event_post(id, &e);
	return 0;
}

/* --- queries ---------------------------------------------------------------------------------- */

static void route_user_record(const struct cm_id *id, struct ib_user_path_rec *u)
{
	const struct cm_route *r = &id->route;

	if (!id->nroutes) {
		memcpy(u->dgid, r->p.dgid, 16);
		memcpy(u->sgid, id->vhca->gids[id->sgid_index].gid, 16);
		u->pkey = 0xffff;
		return;
	}
	memcpy(u->dgid, r->p.dgid, 16);
	memcpy(u->sgid, r->p.sgid, 16);
	u->flow_label = htonl(r->p.flow_label);
	u->reversible = 1;
	u->mtu = r->mtu;
	u->pkey = htons(r->pkey);
	u->hop_limit = r->p.hop_limit;
	u->traffic_class = r->p.tclass;
	u->sl = r->p.sl;
	u->mtu_selector = u->rate_selector = u->packet_life_time_selector = SELECT_EXACTLY;
	u->rate = r->rate;
	u->packet_life_time = r->life_time;
}

int id_query_route(struct cm_id *id, struct ucma_request *r)
{
	struct rdma_ucm_query_route_resp resp = {0};

	memcpy(&resp.src_addr, &id->src, sizeof(resp.src_addr));
	memcpy(&resp.dst_addr, &id->dst, sizeof(resp.dst_addr));
	if (id->vhca) {
		resp.node_guid = htobe64(id->vhca->guid);
		resp.port_num = 1;
		resp.num_paths = id->nroutes;
		route_user_record(id, &resp.ib_route[0]);
	}
	cm_answer(r, &resp, sizeof(resp));
	return 0;
}

static void query_device(const struct cm_id *id, struct rdma_ucm_query_addr_resp *resp)
{
	if (!id->vhca)
		return;
	resp->node_guid = htobe64(id->vhca->guid);
	resp->port_num = 1;
	resp->pkey = htons(id->pkey);
}

static void query_addr(const struct cm_id *id, struct rdma_ucm_query_addr_resp *resp)
{
	resp->src_size = (uint16_t)addr_size(&id->src);
	memcpy(&resp->src_addr, &id->src, resp->src_size);
	resp->dst_size = (uint16_t)addr_size(&id->dst);
	memcpy(&resp->dst_addr, &id->dst, resp->dst_size);
}

static void query_one_gid(const struct cm_id *id, const union cm_addr *a, const uint8_t *gid,
			  struct cm_sockaddr_ib *ib)
{
	if (a->sa.sa_family == CM_AF_IB) {
		*ib = a->ib;
		return;
	}
	*ib = (struct cm_sockaddr_ib){.family = CM_AF_IB, .pkey = htons(id->pkey)};
	if (id->vhca)
		memcpy(ib->addr, gid, 16);
	ib->sid = htobe64(id_service(id, a));
}

static void query_gid(const struct cm_id *id, struct rdma_ucm_query_addr_resp *resp)
{
	const uint8_t *sgid = id->vhca ? id->vhca->gids[id->sgid_index].gid : NULL;
	struct cm_sockaddr_ib ib;

	resp->src_size = resp->dst_size = sizeof(ib);
	query_one_gid(id, &id->src, sgid, &ib);
	memcpy(&resp->src_addr, &ib, sizeof(ib));
	query_one_gid(id, &id->dst, id->route.p.dgid, &ib);
	memcpy(&resp->dst_addr, &ib, sizeof(ib));
}

static int query_path(const struct cm_id *id, struct ucma_request *r)
{
	struct {
		struct rdma_ucm_query_path_resp head;
		struct ib_path_rec_data path;
	} resp = {.head = {.num_paths = id->nroutes}};
	size_t len = sizeof(resp.head);

	if (r->out_len < sizeof(resp.head))
		return refuse(-ENOSPC, "QUERY: out %u, at least %zu bytes are needed", r->out_len,
			      sizeof(resp.head));
	if (id->nroutes && r->out_len >= sizeof(resp)) {
		resp.path.flags = IB_PATH_GMP | IB_PATH_PRIMARY | IB_PATH_BIDIRECTIONAL;
		route_pack(&id->route, (uint8_t *)resp.path.path_rec);
		len = sizeof(resp);
	}
	cm_answer(r, &resp, len);
	return 0;
}

int id_query(struct cm_id *id, struct ucma_request *r)
{
	const size_t least = offsetof(struct rdma_ucm_query_addr_resp, ibdev_index);
	struct rdma_ucm_query_addr_resp resp = {0};
	struct rdma_ucm_query c;

	memcpy(&c, r->in, sizeof(c));
	if (c.option == RDMA_USER_CM_QUERY_PATH)
		return query_path(id, r);
	if (c.option != RDMA_USER_CM_QUERY_ADDR && c.option != RDMA_USER_CM_QUERY_GID)
		return refuse(-ENOSYS, "QUERY: option %u: there is none", c.option);
	if (r->out_len < least)
		return refuse(-ENOSPC, "QUERY: out %u, at least %zu bytes are needed", r->out_len,
			      least);
	query_device(id, &resp);
	if (c.option == RDMA_USER_CM_QUERY_ADDR)
		query_addr(id, &resp);
	else
		query_gid(id, &resp);
	cm_answer(r, &resp, r->out_len < sizeof(resp) ? r->out_len : sizeof(resp));
	return 0;
}
