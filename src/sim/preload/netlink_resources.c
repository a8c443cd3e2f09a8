/* SPDX-License-Identifier: BSD-2-Clause */
/* Answers to `rdma resource`: the objects of all programs. */
#include "netlink_priv.h"

#include <errno.h>
#include <rdma/ib_user_ioctl_verbs.h>
#include <rdma/rdma_netlink.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>

static void fill_qp(struct netlink_reply *r, const struct uverbs_resource *o)
{
	bool connected = o->type == IB_UVERBS_QPT_RC || o->type == IB_UVERBS_QPT_UC;

	if (o->port)
		netlink_put_u32(r, RDMA_NLDEV_ATTR_PORT_INDEX, o->port);
	netlink_put_u32(r, RDMA_NLDEV_ATTR_RES_PDN, o->pd);
	if (connected) {
		netlink_put_u32(r, RDMA_NLDEV_ATTR_RES_RQPN, o->remote_qpn);
		netlink_put_u32(r, RDMA_NLDEV_ATTR_RES_RQ_PSN, o->rq_psn);
	}
	netlink_put_u32(r, RDMA_NLDEV_ATTR_RES_SQ_PSN, o->sq_psn);
	if (connected)
		netlink_put_u8(r, RDMA_NLDEV_ATTR_RES_PATH_MIG_STATE,
			       0); /* migrated: no other path */
	netlink_put_u8(r, RDMA_NLDEV_ATTR_RES_TYPE, o->type);
	netlink_put_u8(r, RDMA_NLDEV_ATTR_RES_STATE, o->state);
}

static void fill_cq(struct netlink_reply *r, const struct uverbs_resource *o)
{
	netlink_put_u32(r, RDMA_NLDEV_ATTR_RES_CQE, o->cqe);
	netlink_put_u64(r, RDMA_NLDEV_ATTR_RES_USECNT, o->users);
	netlink_put_u8(r, RDMA_NLDEV_ATTR_DEV_DIM, 0);
	netlink_put_u32(r, RDMA_NLDEV_ATTR_RES_CTXN, o->ctx);
}

/* Fills in a region. Its keys are for CAP_NET_ADMIN only, and are not shown. */
static void fill_mr(struct netlink_reply *r, const struct uverbs_resource *o)
{
	netlink_put_u64(r, RDMA_NLDEV_ATTR_RES_MRLEN, o->len);
	netlink_put_u32(r, RDMA_NLDEV_ATTR_RES_PDN, o->pd);
}

static void fill_pd(struct netlink_reply *r, const struct uverbs_resource *o)
{
	netlink_put_u64(r, RDMA_NLDEV_ATTR_RES_USECNT, o->users);
	netlink_put_u32(r, RDMA_NLDEV_ATTR_RES_CTXN, o->ctx);
}

/* Appends an address as a struct sockaddr_storage of any family, as the kernel does. */
static void resource_put_address(struct netlink_reply *r, uint16_t type,
				 const uint8_t addr[RESOURCE_ADDR])
{
	struct sockaddr_storage a = {0};

	memcpy(&a, addr, RESOURCE_ADDR);
	if (a.ss_family)
		netlink_put(r, type, &a, sizeof(a));
}

static void fill_cm_id(struct netlink_reply *r, const struct uverbs_resource *o)
{
	netlink_put_u32(r, RDMA_NLDEV_ATTR_PORT_INDEX, o->port);
	if (o->qpn) {
		netlink_put_u32(r, RDMA_NLDEV_ATTR_RES_LQPN, o->qpn);
		netlink_put_u8(r, RDMA_NLDEV_ATTR_RES_TYPE, o->type);
	}
	netlink_put_u32(r, RDMA_NLDEV_ATTR_RES_PS, o->ps);
	netlink_put_u8(r, RDMA_NLDEV_ATTR_RES_STATE, o->state);
	resource_put_address(r, RDMA_NLDEV_ATTR_RES_SRC_ADDR, o->src);
	resource_put_address(r, RDMA_NLDEV_ATTR_RES_DST_ADDR, o->dst);
}

/* Room that must be left for a row: a dump's message has the device and a table. */
#define RESOURCE_ROOM 400u

static void put_qp_range(struct netlink_reply *r, uint32_t first, uint32_t last)
{
	size_t entry;

	r->too_long = r->too_long || REPLY_ROOM - r->len < RESOURCE_ROOM;
	if (r->too_long)
		return;
	entry = netlink_nest_begin(r, RDMA_NLDEV_ATTR_RES_QP_ENTRY);
	if (first == last) {
		netlink_put_u32(r, RDMA_NLDEV_ATTR_RES_LQPN, first);
	} else {
		netlink_put_u32(r, RDMA_NLDEV_ATTR_MIN_RANGE, first);
		netlink_put_u32(r, RDMA_NLDEV_ATTR_MAX_RANGE, last);
	}
	netlink_nest_end(r, entry);
}

/* Fills in its QPs, oldest first: the rows are in reverse order. */
static void fill_srq(struct netlink_reply *r, const struct uverbs_resource *o)
{
	size_t table = netlink_nest_begin(r, RDMA_NLDEV_ATTR_RES_QP);
	uint32_t first = 0, last = 0;

	for (const struct uverbs_resource *q = r->rows + r->nrows; q-- > r->rows;) {
		if (q->kind != RESOURCE_QP || q->srq != o->id)
			continue;
		if (first && q->id != last + 1)
			put_qp_range(r, first, last);
		if (!first || q->id != last + 1)
			first = q->id;
		last = q->id;
	}
	if (first)
		put_qp_range(r, first, last);
	netlink_nest_end(r, table);
	netlink_put_u8(r, RDMA_NLDEV_ATTR_RES_TYPE, o->type);
	netlink_put_u32(r, RDMA_NLDEV_ATTR_RES_PDN, o->pd);
	if (o->cqn)
		netlink_put_u32(r, RDMA_NLDEV_ATTR_RES_CQN, o->cqn);
}

/* By enum resource_kind: its name, its attributes, and a function for its other attributes. */
#define RESOURCE_ROW(name, kind, id, fill)                                                 \
	{                                                                                  \
		name, RDMA_NLDEV_CMD_RES_##kind##_GET, RDMA_NLDEV_ATTR_RES_##kind,         \
			RDMA_NLDEV_ATTR_RES_##kind##_ENTRY, RDMA_NLDEV_ATTR_RES_##id, fill \
	}
static const struct resource_row {
	const char *name;
	uint16_t op, table, entry, id;
	void (*fill)(struct netlink_reply *, const struct uverbs_resource *);
} resource_rows[RESOURCE_KINDS] = {
	[RESOURCE_PD] = RESOURCE_ROW("pd", PD, PDN, fill_pd),
	[RESOURCE_CQ] = RESOURCE_ROW("cq", CQ, CQN, fill_cq),
	[RESOURCE_QP] = RESOURCE_ROW("qp", QP, LQPN, fill_qp),
	[RESOURCE_CM_ID] = RESOURCE_ROW("cm_id", CM_ID, CM_IDN, fill_cm_id),
	[RESOURCE_MR] = RESOURCE_ROW("mr", MR, MRN, fill_mr),
	[RESOURCE_CTX] = RESOURCE_ROW("ctx", CTX, CTXN, NULL),
	[RESOURCE_SRQ] = RESOURCE_ROW("srq", SRQ, SRQN, fill_srq),
};

static unsigned int resource_kind_of(const struct netlink_request *q)
{
	unsigned int kind = 0;

	while (kind < RESOURCE_KINDS && resource_rows[kind].op != RDMA_NL_GET_OP(q->h.nlmsg_type))
		kind++;
	return kind;
}

/* Counts the objects of each kind. */
int netlink_fill_summary(struct netlink_reply *r, const struct netlink_request *q)
{
	uint64_t count[RESOURCE_KINDS] = {0};
	struct uverbs_resource *rows = NULL;
	size_t n = 0, table, entry;
	int err = r->dev->resources(&rows, &n);

	(void)q;
	for (size_t i = 0; !err && i < n; i++)
		if (rows[i].kind < RESOURCE_KINDS)
			count[rows[i].kind]++;
	free(rows);
	netlink_put_device(r);
	table = netlink_nest_begin(r, RDMA_NLDEV_ATTR_RES_SUMMARY);
	for (unsigned int k = 0; k < RESOURCE_KINDS; k++) {
		entry = netlink_nest_begin(r, RDMA_NLDEV_ATTR_RES_SUMMARY_ENTRY);
		netlink_put_text(r, RDMA_NLDEV_ATTR_RES_SUMMARY_ENTRY_NAME, resource_rows[k].name);
		netlink_put_u64(r, RDMA_NLDEV_ATTR_RES_SUMMARY_ENTRY_CURR, count[k]);
		netlink_nest_end(r, entry);
	}
	netlink_nest_end(r, table);
	return err;
}

static void put_resource(struct netlink_reply *r, const struct uverbs_resource *o)
{
	const struct resource_row *row = &resource_rows[o->kind];
	size_t entry = netlink_nest_begin(r, row->entry);

	netlink_put_u32(r, row->id, o->id);
	netlink_put_u32(r, RDMA_NLDEV_ATTR_RES_PID, o->pid);
	if (row->fill)
		row->fill(r, o);
	netlink_nest_end(r, entry);
}

static int dump_rows(struct netlink_reply *r, const struct netlink_request *q,
		     const struct uverbs_resource *rows, size_t n)
{
	const unsigned int kind = resource_kind_of(q);
	size_t table = 0;
	int err = 0;

	r->rows = rows;
	r->nrows = n;
	for (size_t i = 0; !err && i < n; i++) {
		if (rows[i].kind != kind || (q->has_port && rows[i].port != q->port))
			continue;
		if (!table) {
			netlink_reply_begin(r, q, q->h.nlmsg_type, NLM_F_MULTI);
			netlink_put_device(r);
			table = netlink_nest_begin(r, resource_rows[kind].table);
		}
		put_resource(r, &rows[i]);
		netlink_nest_end(r, table);
		if (r->too_long)
			return -EMSGSIZE;
		if (REPLY_ROOM - r->len > RESOURCE_ROOM)
			continue;
		err = netlink_reply_end(r);
		table = 0;
	}
	return err || !table ? err : netlink_reply_end(r);
}

int netlink_dump_resources(struct netlink_reply *r, const struct netlink_request *q)
{
	struct uverbs_resource *rows = NULL;
	size_t n = 0;
	int err = q->has_port ? netlink_check_target(r, q, false, true) : 0;

	if (!err)
		err = r->dev->resources(&rows, &n);
	if (!err)
		err = dump_rows(r, q, rows, n);
	free(rows);
	return err;
}
