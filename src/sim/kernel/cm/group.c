/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Multicast groups. On Ethernet a join needs no answer: a group is just its address. librdmacm
 * attaches the QP itself (ATTACH_MCAST).
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include "conn.h"

#define GROUP_QPN      0xffffff
#define GROUP_HOPS     64
#define ERRNO_ENOTSUPP 524 /* kernel-internal, but programs get it */

static void group_free(struct cm_group *g)
{
	event_drop_group(g);
	LIST_REMOVE(g, link);
	id_table_del(&g->id->cm->groups, g->number);
	free(g);
}

void groups_leave(struct cm_id *id)
{
	while (!LIST_EMPTY(&id->groups))
		group_free(LIST_FIRST(&id->groups));
}

static int group_check(const struct cm_id *id, const union cm_addr *a)
{
	if (id->state != ID_ADDR_BOUND && id->state != ID_ADDR_RESOLVED)
		return refuse(-EINVAL, "JOIN_MCAST: id %u is neither bound nor resolved",
			      id->number);
	if (id->qp_type != QPT_UD)
		return refuse(-EINVAL, "JOIN_MCAST: id %u is for no datagrams", id->number);
	if (addr_is_zero(a))
		return refuse(-EINVAL, "JOIN_MCAST: addr is zero");
	if (a->sa.sa_family != AF_INET)
		return refuse(-ERRNO_ENOTSUPP, "JOIN_MCAST: RoCE v2 takes IPv4 groups only");
	return 0;
}

static struct cm_group *cm_group_new(struct cm_id *id, uint64_t uid, const union cm_addr *a)
{
	struct cm_group *g = calloc(1, sizeof(*g));

	if (!g || id_table_add(&id->cm->groups, g, &g->number)) {
		free(g);
		return NULL;
	}
	g->id = id;
	g->uid = uid;
	g->addr = *a;
	LIST_INSERT_HEAD(&id->groups, g, link);
	return g;
}

static void group_event(const struct cm_group *g, struct rdma_ucm_event_resp *e)
{
	struct cm_path p = {.sgid_index = g->id->sgid_index, .hop_limit = GROUP_HOPS};

	addr_gid(&g->addr, p.dgid);
	e->event = EVENT_MULTICAST_JOIN;
	route_ah(&p, &e->param.ud.ah_attr);
	e->param.ud.qp_num = GROUP_QPN;
	e->param.ud.qkey = g->id->qkey;
}

static int group_join_addr(struct cm_file *f, struct ucma_request *r, uint32_t number, uint64_t uid,
			   const union cm_addr *a)
{
	struct rdma_ucm_event_resp e = {0};
	struct rdma_ucm_create_id_resp resp;
	struct cm_group *g;
	struct cm_id *id;
	int err = id_find_bound(f, number, &id) ?: group_check(id, a);

	if (err)
		return err;
	g = cm_group_new(id, uid, a);
	if (!g)
		return -ENOMEM;
	if (!id->qkey)
		id_default_qkey(id);
	group_event(g, &e);
	if (event_post_group(g, &e)) {
		group_free(g);
		return -ENOMEM;
	}
	resp.id = g->number;
	cm_answer(r, &resp, sizeof(resp));
	return 0;
}

int group_join_ip(struct cm_file *f, struct ucma_request *r)
{
	struct rdma_ucm_join_ip_mcast c = {0};
	union cm_addr a;

	memcpy(&c, r->in, r->nin);
	if (addr_copy(&a, &c.addr, sizeof(c.addr)))
		return refuse(-EINVAL, "JOIN_IP_MCAST: addr: its family is neither IPv4 nor IPv6");
	return group_join_addr(f, r, c.id, c.uid, &a);
}

int group_join(struct cm_file *f, struct ucma_request *r)
{
	struct rdma_ucm_join_mcast c;
	union cm_addr a;

	memcpy(&c, r->in, sizeof(c));
	if (addr_copy(&a, &c.addr, sizeof(c.addr)) || c.addr_size != addr_size(&a))
		return refuse(-EINVAL,
			      "JOIN_MCAST: addr_size %u is not that of the address' family",
			      c.addr_size);
	if (c.join_flags >= RDMA_MC_JOIN_FLAG_RESERVED)
		return refuse(-EINVAL, "JOIN_MCAST: join_flags 0x%x: one of two is known",
			      c.join_flags);
	return group_join_addr(f, r, c.id, c.uid, &a);
}

int group_leave(struct cm_file *f, struct ucma_request *r)
{
	struct rdma_ucm_destroy_id_resp resp;
	struct rdma_ucm_destroy_id c;
	struct cm_group *g;

	memcpy(&c, r->in, sizeof(c));
	g = id_table_find(&f->cm->groups, c.id);
	if (!g)
		return refuse(-ENOENT, "LEAVE_MCAST: id %u: there is no such join", c.id);
	if (g->id->file != f)
		return refuse(-EINVAL, "LEAVE_MCAST: id %u: it belongs to another event channel",
			      c.id);
	resp.events_reported = g->reported;
	group_free(g);
	cm_answer(r, &resp, sizeof(resp));
	return 0;
}
