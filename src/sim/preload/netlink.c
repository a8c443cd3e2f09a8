/* SPDX-License-Identifier: BSD-2-Clause */
#include "netlink_priv.h"

#include <errno.h>
#include <rdma/ib_user_ioctl_verbs.h>
#include <rdma/rdma_netlink.h>
#include <string.h>

#define NODE_CA 1

/* --- operations ------------------------------------------------------------------------------- */

static int fill_device(struct netlink_reply *r, const struct netlink_request *q)
{
	const struct netlink_device *d = r->dev;

	(void)q;
	netlink_put_device(r);
	netlink_put_u32(r, RDMA_NLDEV_ATTR_PORT_INDEX, d->nports);
	netlink_put_text(r, RDMA_NLDEV_ATTR_FW_VERSION, d->fw_ver);
	netlink_put_u64(r, RDMA_NLDEV_ATTR_NODE_GUID, d->node_guid);
	netlink_put_u64(r, RDMA_NLDEV_ATTR_SYS_IMAGE_GUID, d->sys_image_guid);
	netlink_put_u8(r, RDMA_NLDEV_ATTR_DEV_NODE_TYPE, NODE_CA);
	netlink_put_u8(r, RDMA_NLDEV_ATTR_DEV_DIM, 0);
	if (d->nports == 1) /* representors have no protocol */
		netlink_put_text(r, RDMA_NLDEV_ATTR_DEV_PROTOCOL, "roce");
	return 0;
}

/* A port is Ethernet's, without LIDs. */
static void put_port(struct netlink_reply *r, uint32_t port)
{
	const struct netlink_port *p = &r->dev->ports[port - 1];

	netlink_put_device(r);
	netlink_put_u32(r, RDMA_NLDEV_ATTR_PORT_INDEX, port);
	netlink_put_u8(r, RDMA_NLDEV_ATTR_PORT_STATE, p->state);
	netlink_put_u8(r, RDMA_NLDEV_ATTR_PORT_PHYS_STATE, p->phys_state);
	if (p->ndev) {
		netlink_put_u32(r, RDMA_NLDEV_ATTR_NDEV_INDEX, p->ndev);
		netlink_put_text(r, RDMA_NLDEV_ATTR_NDEV_NAME, p->ndev_name);
	}
}

static int fill_port_attributes(struct netlink_reply *r, const struct netlink_request *q)
{
	put_port(r, q->port);
	return 0;
}

static int dump_ports(struct netlink_reply *r, const struct netlink_request *q)
{
	int err = 0;

	for (uint32_t port = 1; !err && port <= r->dev->nports; port++) {
		netlink_reply_begin(r, q, q->h.nlmsg_type, NLM_F_MULTI);
		put_port(r, port);
		err = netlink_reply_end(r);
	}
	return err;
}

/* Fills in a character device: uverbs is a device's, rdma_cm the machine's. */
static int fill_chardev(struct netlink_reply *r, const struct netlink_request *q)
{
	const struct netlink_chardev *dev;
	bool uverbs;

	if (!q->has_type || (q->has_port && !q->has_index))
		return -EINVAL;
	if (netlink_check_target(r, q, q->has_index, q->has_port))
		return -EINVAL;
	uverbs = !strcmp(q->type, "uverbs");
	dev = uverbs ? &r->dev->uverbs : &r->dev->rdma_cm;
	if ((!uverbs && strcmp(q->type, "rdma_cm")) || uverbs != q->has_index || !dev->dev)
		return -EOPNOTSUPP;
	if (uverbs)
		netlink_put_u64(r, RDMA_NLDEV_ATTR_UVERBS_DRIVER_ID, RDMA_DRIVER_MLX5);
	netlink_put_u64(r, RDMA_NLDEV_ATTR_CHARDEV, dev->dev);
	netlink_put_u64(r, RDMA_NLDEV_ATTR_CHARDEV_ABI, dev->abi);
	netlink_put_text(r, RDMA_NLDEV_ATTR_CHARDEV_NAME, uverbs ? "uverbs0" : q->type);
	return 0;
}

/*
 * Every network namespace sees the device. A child gets copies of registered memory (share_fork.c),
 * and the device works with the parent's, as since Linux 5.12.
 */
static int fill_system(struct netlink_reply *r, const struct netlink_request *q)
{
	(void)q;
	netlink_put_u8(r, RDMA_NLDEV_SYS_ATTR_NETNS_MODE, 1);
	netlink_put_u8(r, RDMA_NLDEV_SYS_ATTR_COPY_ON_FORK, 1);
	return 0;
}

/* Returns the error of a request for statistics of QPs or MRs, which the device lacks. */
static int statistic_of_object(const struct netlink_request *q)
{
	bool known = q->stat == RDMA_NLDEV_ATTR_RES_QP || q->stat == RDMA_NLDEV_ATTR_RES_MR;

	return q->has_stat && known ? -EOPNOTSUPP : -EINVAL;
}

/* Lists the counters that queue pairs are bound to: none. */
static int dump_statistic(struct netlink_reply *r, const struct netlink_request *q)
{
	int err = netlink_check_target(r, q, true, q->has_port);

	if (err)
		return err;
	return q->has_stat && q->stat == RDMA_NLDEV_ATTR_RES_QP ? 0 : statistic_of_object(q);
}

/* Fills in the port's counters. */
static int fill_statistic(struct netlink_reply *r, const struct netlink_request *q)
{
	size_t table, entry;

	if (q->has_stat)
		return statistic_of_object(q);
	netlink_put_device(r);
	netlink_put_u32(r, RDMA_NLDEV_ATTR_PORT_INDEX, q->port);
	table = netlink_nest_begin(r, RDMA_NLDEV_ATTR_STAT_HWCOUNTERS);
	for (unsigned int i = 0; q->port == 1 && i < r->dev->ncounters; i++) {
		entry = netlink_nest_begin(r, RDMA_NLDEV_ATTR_STAT_HWCOUNTER_ENTRY);
		netlink_put_text(r, RDMA_NLDEV_ATTR_STAT_HWCOUNTER_ENTRY_NAME,
				 r->dev->counters[i].name);
		netlink_put_u64(r, RDMA_NLDEV_ATTR_STAT_HWCOUNTER_ENTRY_VALUE,
				r->dev->counters[i].value);
		netlink_nest_end(r, entry);
	}
	netlink_nest_end(r, table);
	return 0;
}

/*
 * fill: makes one message about the device, or returns -errno. The kernel has an operation without
 * fill, but the device lacks it.
 */
enum {
	ONE = 1,
	DUMP = 2,
	STRICT = 4,
	NEEDS_INDEX = 8,
	NEEDS_PORT = 16,
	DUMP_NEEDS_INDEX = 32,
	ADMIN = 64,
	OBJECTS = ONE | DUMP | DUMP_NEEDS_INDEX
};
static const struct netlink_op {
	int (*fill)(struct netlink_reply *, const struct netlink_request *);
	unsigned int how;
	/* Sends a dump's messages. */
	int (*dump)(struct netlink_reply *, const struct netlink_request *);
} ops[RDMA_NLDEV_NUM_OPS] = {
	[RDMA_NLDEV_CMD_GET] = {fill_device, ONE | DUMP | NEEDS_INDEX, NULL},
	[RDMA_NLDEV_CMD_PORT_GET] = {fill_port_attributes,
				     ONE | DUMP | NEEDS_INDEX | NEEDS_PORT | DUMP_NEEDS_INDEX,
				     dump_ports},
	[RDMA_NLDEV_CMD_GET_CHARDEV] = {fill_chardev, ONE | STRICT, NULL},
	[RDMA_NLDEV_CMD_SYS_GET] = {fill_system, ONE | STRICT, NULL},
	[RDMA_NLDEV_CMD_STAT_GET] = {fill_statistic, ONE | DUMP | STRICT | NEEDS_INDEX | NEEDS_PORT,
				     dump_statistic},
	[RDMA_NLDEV_CMD_SET] = {NULL, ONE | ADMIN, NULL},
	[RDMA_NLDEV_CMD_NEWLINK] = {NULL, ONE | ADMIN, NULL},
	[RDMA_NLDEV_CMD_DELLINK] = {NULL, ONE | ADMIN, NULL},
	[RDMA_NLDEV_CMD_RES_GET] = {netlink_fill_summary, ONE | DUMP | NEEDS_INDEX, NULL},
	[RDMA_NLDEV_CMD_RES_QP_GET] = {NULL, OBJECTS, netlink_dump_resources},
	[RDMA_NLDEV_CMD_RES_CM_ID_GET] = {NULL, OBJECTS, netlink_dump_resources},
	[RDMA_NLDEV_CMD_RES_CQ_GET] = {NULL, OBJECTS, netlink_dump_resources},
	[RDMA_NLDEV_CMD_RES_MR_GET] = {NULL, OBJECTS, netlink_dump_resources},
	[RDMA_NLDEV_CMD_RES_PD_GET] = {NULL, OBJECTS, netlink_dump_resources},
	[RDMA_NLDEV_CMD_RES_CTX_GET] = {NULL, OBJECTS, netlink_dump_resources},
	[RDMA_NLDEV_CMD_RES_SRQ_GET] = {NULL, OBJECTS, netlink_dump_resources},
	[RDMA_NLDEV_CMD_SYS_SET] = {NULL, ONE | ADMIN, NULL},
	[RDMA_NLDEV_CMD_STAT_SET] = {NULL, ONE | ADMIN, NULL},
	[RDMA_NLDEV_CMD_STAT_DEL] = {NULL, ONE | ADMIN, NULL},
	[RDMA_NLDEV_CMD_RES_QP_GET_RAW] = {NULL, ONE | DUMP | ADMIN, NULL},
	[RDMA_NLDEV_CMD_RES_CQ_GET_RAW] = {NULL, ONE | DUMP | ADMIN, NULL},
	[RDMA_NLDEV_CMD_RES_MR_GET_RAW] = {NULL, ONE | DUMP | ADMIN, NULL},
	[RDMA_NLDEV_CMD_STAT_GET_STATUS] = {NULL, ONE, NULL},
};

/* --- requests --------------------------------------------------------------------------------- */

static bool take_u32(const struct nlattr *a, const uint8_t *value, bool *has, uint32_t *to)
{
	if (a->nla_len < sizeof(struct nlattr) + sizeof(*to))
		return false;
	memcpy(to, value, sizeof(*to));
	*has = true;
	return true;
}

/* Reads a text of the kernel's NLA_NUL_STRING: it ends inside its attribute. */
static bool take_type(const struct nlattr *a, const uint8_t *value, struct netlink_request *q)
{
	size_t len = a->nla_len - sizeof(*a);
	size_t text = strnlen((const char *)value, len);

	if (text == len || text >= sizeof(q->type))
		return false;
	memcpy(q->type, value, text + 1);
	q->has_type = true;
	return true;
}

/* Reads an attribute. Skips unknown attributes; refuses those shorter than their type. */
static bool take_attribute(const struct nlattr *a, const uint8_t *value, struct netlink_request *q)
{
	switch (a->nla_type & NLA_TYPE_MASK) {
	case RDMA_NLDEV_ATTR_DEV_INDEX:
		return take_u32(a, value, &q->has_index, &q->index);
	case RDMA_NLDEV_ATTR_PORT_INDEX:
		return take_u32(a, value, &q->has_port, &q->port);
	case RDMA_NLDEV_ATTR_STAT_RES:
		return take_u32(a, value, &q->has_stat, &q->stat);
	case RDMA_NLDEV_ATTR_CHARDEV_TYPE:
		return take_type(a, value, q);
	default:
		return true;
	}
}

/* Reads attributes. Only strict operations refuse bytes behind the last whole one. */
static int parse_attributes(struct netlink_request *q, bool strict)
{
	const uint8_t *at = q->bytes + sizeof(struct nlmsghdr), *end = q->bytes + q->h.nlmsg_len;
	struct nlattr a;

	while ((size_t)(end - at) >= sizeof(a)) {
		size_t left = (size_t)(end - at), step;

		memcpy(&a, at, sizeof(a));
		if (a.nla_len < sizeof(a) || a.nla_len > left)
			break;
		if (!take_attribute(&a, at + sizeof(struct nlattr), q))
			return -EINVAL;
		step = netlink_padded(a.nla_len);
		at += step < left ? step : left;
	}
	return strict && at != end ? -EINVAL : 0;
}

static int answer_one(struct netlink_reply *r, const struct netlink_op *op,
		      struct netlink_request *q)
{
	int err = parse_attributes(q, op->how & STRICT);

	if (!err)
		err = netlink_check_target(r, q, op->how & NEEDS_INDEX, op->how & NEEDS_PORT);
	if (err)
		return err;
	netlink_reply_begin(r, q, q->h.nlmsg_type, 0);
	err = op->fill(r, q);
	return err ? err : netlink_reply_end(r);
}

/* Sends a dump; its error is in the message that ends it. */
static int answer_dump(struct netlink_reply *r, const struct netlink_op *op,
		       struct netlink_request *q)
{
	int32_t err = parse_attributes(q, false);
	int sent = 0;

	if (!err)
		err = netlink_check_target(r, q, op->how & DUMP_NEEDS_INDEX, false);
	if (!err && r->dev->present && op->dump) {
		err = op->dump(r, q);
	} else if (!err && r->dev->present) {
		netlink_reply_begin(r, q, q->h.nlmsg_type, NLM_F_MULTI);
		err = op->fill(r, q);
		if (!err)
			sent = netlink_reply_end(r);
	}
	if (sent)
		return sent;
	netlink_reply_begin(r, q, NLMSG_DONE, NLM_F_MULTI);
	netlink_put_bytes(r, &err, sizeof(err));
	return netlink_reply_end(r);
}

/* Sends an acknowledgement: the request follows an error, only its header a success. */
static int acknowledge(struct netlink_reply *r, const struct netlink_request *q, int error)
{
	const size_t most = REPLY_ROOM - sizeof(struct nlmsghdr) - sizeof(struct nlmsgerr);
	size_t len = error && q->h.nlmsg_len <= most ? q->h.nlmsg_len : sizeof(q->h);
	const int32_t text = error;

	netlink_reply_begin(r, q, NLMSG_ERROR, len == q->h.nlmsg_len ? 0 : NLM_F_CAPPED);
	netlink_put_bytes(r, &text, sizeof(text));
	netlink_put_bytes(r, q->bytes, len);
	return netlink_reply_end(r);
}

/* Answers a message of generic netlink; a dump ends with its error. As execute(). */
static int execute_generic(struct netlink_reply *r, const struct netlink_request *q, int *sent)
{
	int32_t err = netlink_answer_generic(r, q);

	if (!(q->h.nlmsg_flags & NLM_F_DUMP) || err == -EOPNOTSUPP)
		return err;
	netlink_reply_begin(r, q, NLMSG_DONE, NLM_F_MULTI);
	netlink_put_bytes(r, &err, sizeof(err));
	*sent = netlink_reply_end(r);
	return 1;
}

static const struct netlink_op *netlink_find_op(const struct netlink_request *q)
{
	unsigned int op = RDMA_NL_GET_OP(q->h.nlmsg_type);

	if (RDMA_NL_GET_CLIENT(q->h.nlmsg_type) != RDMA_NL_NLDEV || op >= RDMA_NLDEV_NUM_OPS)
		return NULL;
	return ops[op].how ? &ops[op] : NULL;
}

/*
 * Returns 1 if the answer is complete, 0 for an acknowledgement if requested, or the -errno to
 * report.
 */
static int execute(struct netlink_reply *r, struct netlink_request *q, int *sent)
{
	const struct netlink_op *op = netlink_find_op(q);
	bool dump = q->h.nlmsg_flags & NLM_F_DUMP;

	if (!(q->h.nlmsg_flags & NLM_F_REQUEST) || q->h.nlmsg_type < NLMSG_MIN_TYPE)
		return 0;
	if (netlink_is_generic(q))
		return execute_generic(r, q, sent);
	if (!op || (dump && !(op->how & DUMP)))
		return -EINVAL;
	if (op->how & ADMIN && !r->dev->admin)
		return -EPERM;
	if (!op->fill && !(dump && op->dump))
		return -EOPNOTSUPP;
	if (!dump)
		return answer_one(r, op, q);
	*sent = answer_dump(r, op, q);
	return 1;
}

static int answer_message(struct netlink_reply *r, struct netlink_request *q)
{
	int sent = 0;
	int err = execute(r, q, &sent);

	if (err == 1)
		return sent;
	return err || q->h.nlmsg_flags & NLM_F_ACK ? acknowledge(r, q, err) : 0;
}

int netlink_answer(const struct netlink_device *dev, const void *request, size_t len, uint32_t port,
		   netlink_send send, void *arg)
{
	struct netlink_reply r = {.dev = dev, .port = port, .send = send, .arg = arg};
	const uint8_t *at = request;
	int err = 0;

	while (!err && len >= sizeof(struct nlmsghdr)) {
		struct netlink_request q = {.bytes = at};
		size_t step;

		memcpy(&q.h, at, sizeof(q.h));
		if (q.h.nlmsg_len < sizeof(q.h) || q.h.nlmsg_len > len)
			break; /* the kernel silently drops the rest */
		err = answer_message(&r, &q);
		step = netlink_padded(q.h.nlmsg_len);
		step = step < len ? step : len;
		at += step;
		len -= step;
	}
	return err;
}
