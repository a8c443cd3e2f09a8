/* SPDX-License-Identifier: BSD-2-Clause */
/* Answers to `rdma statistic`: reads and changes counters of the port, and of queue pairs. */
#include "netlink_priv.h"

#include <errno.h>
#include <rdma/rdma_netlink.h>
#include <stdlib.h>

static void put_counter(struct netlink_reply *r, const char *name, uint64_t value)
{
	size_t entry = netlink_nest_begin(r, RDMA_NLDEV_ATTR_STAT_HWCOUNTER_ENTRY);

	netlink_put_text(r, RDMA_NLDEV_ATTR_STAT_HWCOUNTER_ENTRY_NAME, name);
	netlink_put_u64(r, RDMA_NLDEV_ATTR_STAT_HWCOUNTER_ENTRY_VALUE, value);
	netlink_nest_end(r, entry);
}

static void put_port(struct netlink_reply *r)
{
	netlink_put_device(r);
	netlink_put_u32(r, RDMA_NLDEV_ATTR_PORT_INDEX, PORTS);
}

static int fill_port_counters(struct netlink_reply *r)
{
	size_t table;

	put_port(r);
	table = netlink_nest_begin(r, RDMA_NLDEV_ATTR_STAT_HWCOUNTERS);
	for (unsigned int i = 0; i < r->dev->ncounters; i++)
		put_counter(r, r->dev->counters[i].name, r->dev->counters[i].value);
	netlink_nest_end(r, table);
	return 0;
}

static int ask_statistic(const struct netlink_reply *r, struct uverbs_statistic *s)
{
	return r->dev->statistic ? r->dev->statistic(s) : -EOPNOTSUPP;
}

/* Fills in the criteria by which queue pairs are bound. */
static int fill_rule(struct netlink_reply *r)
{
	struct uverbs_statistic s = {.op = STATISTIC_RULE};
	int err = ask_statistic(r, &s);

	put_port(r);
	netlink_put_u32(r, RDMA_NLDEV_ATTR_STAT_MODE, s.mode);
	if (s.mode == RDMA_COUNTER_MODE_AUTO)
		netlink_put_u32(r, RDMA_NLDEV_ATTR_STAT_AUTO_MODE_MASK, s.mask);
	return err;
}

/* --- statistics of queue pairs ---------------------------------------------------------------- */

static void put_mode(struct netlink_reply *r, const struct uverbs_resource *o)
{
	netlink_put_u32(r, RDMA_NLDEV_ATTR_STAT_MODE, o->state);
	if (o->mask & RDMA_COUNTER_MASK_QP_TYPE)
		netlink_put_u8(r, RDMA_NLDEV_ATTR_RES_TYPE, o->type);
	if (o->mask & RDMA_COUNTER_MASK_PID)
		netlink_put_u32(r, RDMA_NLDEV_ATTR_RES_PID, o->pid);
}

static void put_qps(struct netlink_reply *r, uint32_t counter)
{
	size_t table = netlink_nest_begin(r, RDMA_NLDEV_ATTR_RES_QP), entry;

	for (const struct uverbs_resource *q = r->rows; q < r->rows + r->nrows; q++) {
		if (q->kind != RESOURCE_QP || q->counter != counter)
			continue;
		entry = netlink_nest_begin(r, RDMA_NLDEV_ATTR_RES_QP_ENTRY);
		netlink_put_u32(r, RDMA_NLDEV_ATTR_RES_LQPN, q->id);
		netlink_nest_end(r, entry);
	}
	netlink_nest_end(r, table);
}

static void put_bound_counters(struct netlink_reply *r, uint32_t slot)
{
	size_t table = netlink_nest_begin(r, RDMA_NLDEV_ATTR_STAT_HWCOUNTERS);
	const char *name;
	uint64_t value;

	for (unsigned int i = 0; r->dev->bound && (name = r->dev->bound(r->dev, i, slot, &value)); i++)
		put_counter(r, name, value);
	netlink_nest_end(r, table);
}

static void put_statistic(struct netlink_reply *r, const struct uverbs_resource *o)
{
	netlink_put_u32(r, RDMA_NLDEV_ATTR_PORT_INDEX, o->port);
	netlink_put_u32(r, RDMA_NLDEV_ATTR_STAT_COUNTER_ID, o->id);
	put_mode(r, o);
	put_qps(r, o->id);
	put_bound_counters(r, o->counter);
	r->too_long = REPLY_ROOM - r->len < netlink_padded(sizeof(struct nlattr) + sizeof(uint64_t));
}

static int read_rows(struct netlink_reply *r, struct uverbs_resource **rows)
{
	int err;

	*rows = NULL;
	err = r->dev->resources(rows, &r->nrows);
	r->rows = *rows;
	return err;
}

/* Fills in the counter that a request names, without a table around it. */
static int fill_one_statistic(struct netlink_reply *r, uint32_t counter)
{
	struct uverbs_resource *rows;
	int err = read_rows(r, &rows);

	if (!err)
		err = -ENOENT;
	for (size_t i = 0; err == -ENOENT && i < r->nrows; i++) {
		if (rows[i].kind != RESOURCE_COUNTER || rows[i].id != counter)
			continue;
		netlink_put_device(r);
		put_statistic(r, &rows[i]);
		err = r->too_long ? -EMSGSIZE : 0;
	}
	free(rows);
	return err;
}

/* Allows statistics of queue pairs only. mlx5_ib has some of on-demand regions, too. */
static int statistic_check(const struct netlink_request *q)
{
	if (q->has_stat && q->stat == RDMA_NLDEV_ATTR_RES_QP)
		return 0;
	return q->has_stat && q->stat == RDMA_NLDEV_ATTR_RES_MR ? -EOPNOTSUPP : -EINVAL;
}

int netlink_fill_statistic(struct netlink_reply *r, const struct netlink_request *q)
{
	int err = q->has_stat ? statistic_check(q) : 0;

	if (err)
		return err;
	if (!q->has_stat)
		return fill_port_counters(r);
	if (q->has_counter)
		return fill_one_statistic(r, q->counter);
	return q->has_mode ? fill_rule(r) : -EINVAL;
}

/* Sends one message for each. */
static int send_statistic(struct netlink_reply *r, const struct netlink_request *q,
			  const struct uverbs_resource *o)
{
	size_t table, entry;

	netlink_reply_begin(r, q, q->h.nlmsg_type, NLM_F_MULTI);
	netlink_put_device(r);
	table = netlink_nest_begin(r, RDMA_NLDEV_ATTR_STAT_COUNTER);
	entry = netlink_nest_begin(r, RDMA_NLDEV_ATTR_STAT_COUNTER_ENTRY);
	put_statistic(r, o);
	netlink_nest_end(r, entry);
	netlink_nest_end(r, table);
	return r->too_long ? -EMSGSIZE : netlink_reply_end(r);
}

int netlink_dump_statistic(struct netlink_reply *r, const struct netlink_request *q)
{
	struct uverbs_resource *rows;
	int err = netlink_check_target(r, q, true, q->has_port);

	if (!err)
		err = statistic_check(q);
	if (err)
		return err;
	err = read_rows(r, &rows);
	for (size_t i = 0; !err && i < r->nrows; i++)
		if (rows[i].kind == RESOURCE_COUNTER)
			err = send_statistic(r, q, &rows[i]);
	free(rows);
	return err;
}

static void put_binding(struct netlink_reply *r, const struct uverbs_statistic *s)
{
	put_port(r);
	netlink_put_u32(r, RDMA_NLDEV_ATTR_STAT_COUNTER_ID, s->counter);
	netlink_put_u32(r, RDMA_NLDEV_ATTR_RES_LQPN, s->qpn);
}

int netlink_set_statistic(struct netlink_reply *r, const struct netlink_request *q)
{
	struct uverbs_statistic s = {.op = STATISTIC_AUTO, .mask = q->has_mask ? q->mask : 0};
	int err;

	if (!q->has_mode || !q->has_stat || q->stat != RDMA_NLDEV_ATTR_RES_QP)
		return -EINVAL;
	if (q->mode == RDMA_COUNTER_MODE_AUTO) {
		put_port(r);
		return ask_statistic(r, &s);
	}
	if (!q->has_qpn)
		return -EINVAL;
	if (q->has_counter && !q->counter) /* no counter has this number */
		return -ENOENT;
	s = (struct uverbs_statistic){.op = STATISTIC_BIND, .qpn = q->qpn, .counter = q->counter};
	err = ask_statistic(r, &s);
	put_binding(r, &s);
	return err;
}

int netlink_del_statistic(struct netlink_reply *r, const struct netlink_request *q)
{
	struct uverbs_statistic s = {
		.op = STATISTIC_UNBIND, .qpn = q->qpn, .counter = q->counter};

	if (!q->has_stat || q->stat != RDMA_NLDEV_ATTR_RES_QP || !q->has_counter || !q->has_qpn)
		return -EINVAL;
	put_binding(r, &s);
	return ask_statistic(r, &s);
}
