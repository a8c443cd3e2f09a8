/* SPDX-License-Identifier: BSD-2-Clause */
#include "netlink.h"

#include <errno.h>
#include <linux/netlink.h>
#include <rdma/ib_user_ioctl_verbs.h>
#include <rdma/rdma_netlink.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "uverbs/resource.h"

#define DEVICE_INDEX 0u /* the kernel numbers devices from 0 */
#define DEVICE_NAME  "mlx5_0"
#define PORTS	     1u
#define NODE_CA	     1
/* libmnl's buffer is 4096 bytes where pages are. */
#define REPLY_ROOM   4096u
#define CHARDEV_TYPE 32 /* bytes of a client's name, as in the kernel */

struct netlink_reply {
	const struct netlink_device *dev;
	uint32_t port;
	netlink_send send;
	void *arg;
	const struct uverbs_resource *rows; /* of a dump: all of the function */
	size_t nrows;
	bool too_long; /* an object's part of it */
	size_t len; /* of the message in bytes */
	uint8_t bytes[REPLY_ROOM] __attribute__((aligned(NLMSG_ALIGNTO)));
};

/* One request and those of its attributes that some operation reads. */
struct netlink_request {
	struct nlmsghdr h;
	const uint8_t *bytes; /* from the header on */
	bool has_index, has_port, has_type, has_stat;
	uint32_t index, port;
	char type[CHARDEV_TYPE];
};

/* Messages and attributes begin at multiples of 4. */
static size_t padded(size_t len)
{
	return (len + 3) & ~(size_t)3;
}

/* --- a message, piece by piece ---------------------------------------------------------------- */

static void reply_begin(struct netlink_reply *r, const struct netlink_request *q, uint16_t type,
			uint16_t flags)
{
	const struct nlmsghdr h = {.nlmsg_type = type,
				   .nlmsg_flags = flags,
				   .nlmsg_seq = q->h.nlmsg_seq,
				   .nlmsg_pid = r->port};

	memcpy(r->bytes, &h, sizeof(h));
	r->len = sizeof(h);
}

static int reply_end(struct netlink_reply *r)
{
	const uint32_t len = (uint32_t)r->len;

	memcpy(r->bytes, &len, sizeof(len));
	return r->send(r->arg, r->bytes, r->len);
}

static void put_bytes(struct netlink_reply *r, const void *from, size_t len)
{
	if (padded(len) > REPLY_ROOM - r->len)
		return; /* no message of one device comes near (the unit test has the longest) */
	memset(r->bytes + r->len, 0, padded(len));
	if (len) /* from is NULL where an attribute has no value of its own */
		memcpy(r->bytes + r->len, from, len);
	r->len += padded(len);
}

static void put(struct netlink_reply *r, uint16_t type, const void *value, size_t len)
{
	const struct nlattr a = {.nla_len = (uint16_t)(sizeof(struct nlattr) + len),
				 .nla_type = type};

	put_bytes(r, &a, sizeof(a));
	put_bytes(r, value, len);
}

static void put_u8(struct netlink_reply *r, uint16_t type, uint8_t value)
{
	put(r, type, &value, sizeof(value));
}

static void put_u32(struct netlink_reply *r, uint16_t type, uint32_t value)
{
	put(r, type, &value, sizeof(value));
}

static void put_u64(struct netlink_reply *r, uint16_t type, uint64_t value)
{
	put(r, type, &value, sizeof(value));
}

static void put_text(struct netlink_reply *r, uint16_t type, const char *text)
{
	put(r, type, text, strlen(text) + 1);
}

static size_t nest_begin(struct netlink_reply *r, uint16_t type)
{
	size_t at = r->len;

	put(r, type | NLA_F_NESTED, NULL, 0);
	return at;
}

static void nest_end(struct netlink_reply *r, size_t at)
{
	const uint16_t len = (uint16_t)(r->len - at);

	memcpy(r->bytes + at, &len, sizeof(len));
}

static int check_target(const struct netlink_reply *r, const struct netlink_request *q, bool index,
			bool port)
{
	if (index && (!q->has_index || !r->dev->present || q->index != DEVICE_INDEX))
		return -EINVAL;
	return port && (!q->has_port || q->port < 1 || q->port > PORTS) ? -EINVAL : 0;
}

/* --- what the operations say ------------------------------------------------------------------ */

static void fill_handle(struct netlink_reply *r)
{
	put_u32(r, RDMA_NLDEV_ATTR_DEV_INDEX, DEVICE_INDEX);
	put_text(r, RDMA_NLDEV_ATTR_DEV_NAME, DEVICE_NAME);
}

static int fill_device(struct netlink_reply *r, const struct netlink_request *q)
{
	const struct netlink_device *d = r->dev;

	(void)q;
	fill_handle(r);
	put_u32(r, RDMA_NLDEV_ATTR_PORT_INDEX, PORTS);
	put_text(r, RDMA_NLDEV_ATTR_FW_VERSION, d->fw_ver);
	put_u64(r, RDMA_NLDEV_ATTR_NODE_GUID, d->node_guid);
	put_u64(r, RDMA_NLDEV_ATTR_SYS_IMAGE_GUID, d->sys_image_guid);
	put_u8(r, RDMA_NLDEV_ATTR_DEV_NODE_TYPE, NODE_CA);
	put_u8(r, RDMA_NLDEV_ATTR_DEV_DIM, 0);
	put_text(r, RDMA_NLDEV_ATTR_DEV_PROTOCOL, "roce");
	return 0;
}

/* A RoCE port has no LIDs here. */
static int fill_port_attributes(struct netlink_reply *r, const struct netlink_request *q)
{
	(void)q;
	fill_handle(r);
	put_u32(r, RDMA_NLDEV_ATTR_PORT_INDEX, PORTS);
	put_u8(r, RDMA_NLDEV_ATTR_PORT_STATE, r->dev->port_state);
	put_u8(r, RDMA_NLDEV_ATTR_PORT_PHYS_STATE, r->dev->phys_state);
	if (r->dev->ndev) {
		put_u32(r, RDMA_NLDEV_ATTR_NDEV_INDEX, r->dev->ndev);
		put_text(r, RDMA_NLDEV_ATTR_NDEV_NAME, r->dev->ndev_name);
	}
	return 0;
}

/* uverbs is a device's, rdma_cm the machine's. */
static int fill_chardev(struct netlink_reply *r, const struct netlink_request *q)
{
	const struct netlink_chardev *dev;
	bool uverbs;

	if (!q->has_type || (q->has_port && !q->has_index))
		return -EINVAL;
	if (check_target(r, q, q->has_index, q->has_port))
		return -EINVAL;
	uverbs = !strcmp(q->type, "uverbs");
	dev = uverbs ? &r->dev->uverbs : &r->dev->rdma_cm;
	if ((!uverbs && strcmp(q->type, "rdma_cm")) || uverbs != q->has_index || !dev->dev)
		return -EOPNOTSUPP;
	if (uverbs)
		put_u64(r, RDMA_NLDEV_ATTR_UVERBS_DRIVER_ID, RDMA_DRIVER_MLX5);
	put_u64(r, RDMA_NLDEV_ATTR_CHARDEV, dev->dev);
	put_u64(r, RDMA_NLDEV_ATTR_CHARDEV_ABI, dev->abi);
	put_text(r, RDMA_NLDEV_ATTR_CHARDEV_NAME, uverbs ? "uverbs0" : q->type);
	return 0;
}

/*
 * Every network namespace sees the device. A child gets copies of registered memory (share_fork.c),
 * and the device works with the parent's, as since Linux 5.12.
 */
static int fill_system(struct netlink_reply *r, const struct netlink_request *q)
{
	(void)q;
	put_u8(r, RDMA_NLDEV_SYS_ATTR_NETNS_MODE, 1);
	put_u8(r, RDMA_NLDEV_SYS_ATTR_COPY_ON_FORK, 1);
	return 0;
}

/* The port's counters. Counters of a QP or an MR are bound by STAT_SET, which is not served. */
static int fill_statistic(struct netlink_reply *r, const struct netlink_request *q)
{
	size_t table, entry;

	if (q->has_stat)
		return -EOPNOTSUPP;
	fill_handle(r);
	put_u32(r, RDMA_NLDEV_ATTR_PORT_INDEX, PORTS);
	table = nest_begin(r, RDMA_NLDEV_ATTR_STAT_HWCOUNTERS);
	for (unsigned int i = 0; i < r->dev->ncounters; i++) {
		entry = nest_begin(r, RDMA_NLDEV_ATTR_STAT_HWCOUNTER_ENTRY);
		put_text(r, RDMA_NLDEV_ATTR_STAT_HWCOUNTER_ENTRY_NAME, r->dev->counters[i].name);
		put_u64(r, RDMA_NLDEV_ATTR_STAT_HWCOUNTER_ENTRY_VALUE, r->dev->counters[i].value);
		nest_end(r, entry);
	}
	nest_end(r, table);
	return 0;
}

/* --- objects ---------------------------------------------------------------------------------- */

static void fill_qp(struct netlink_reply *r, const struct uverbs_resource *o)
{
	bool connected = o->type == IB_UVERBS_QPT_RC || o->type == IB_UVERBS_QPT_UC;

	if (o->port)
		put_u32(r, RDMA_NLDEV_ATTR_PORT_INDEX, o->port);
	put_u32(r, RDMA_NLDEV_ATTR_RES_PDN, o->pd);
	if (connected) {
		put_u32(r, RDMA_NLDEV_ATTR_RES_RQPN, o->remote_qpn);
		put_u32(r, RDMA_NLDEV_ATTR_RES_RQ_PSN, o->rq_psn);
	}
	put_u32(r, RDMA_NLDEV_ATTR_RES_SQ_PSN, o->sq_psn);
	if (connected)
		put_u8(r, RDMA_NLDEV_ATTR_RES_PATH_MIG_STATE, 0); /* migrated: no other path */
	put_u8(r, RDMA_NLDEV_ATTR_RES_TYPE, o->type);
	put_u8(r, RDMA_NLDEV_ATTR_RES_STATE, o->state);
}

static void fill_cq(struct netlink_reply *r, const struct uverbs_resource *o)
{
	put_u32(r, RDMA_NLDEV_ATTR_RES_CQE, o->cqe);
	put_u64(r, RDMA_NLDEV_ATTR_RES_USECNT, o->users);
	put_u8(r, RDMA_NLDEV_ATTR_DEV_DIM, 0);
	put_u32(r, RDMA_NLDEV_ATTR_RES_CTXN, o->ctx);
}

/* Keys are for CAP_NET_ADMIN alone, and are not shown. */
static void fill_mr(struct netlink_reply *r, const struct uverbs_resource *o)
{
	put_u64(r, RDMA_NLDEV_ATTR_RES_MRLEN, o->len);
	put_u32(r, RDMA_NLDEV_ATTR_RES_PDN, o->pd);
}

static void fill_pd(struct netlink_reply *r, const struct uverbs_resource *o)
{
	put_u64(r, RDMA_NLDEV_ATTR_RES_USECNT, o->users);
	put_u32(r, RDMA_NLDEV_ATTR_RES_CTXN, o->ctx);
}

/* A message of a dump has the device and a table, and ends when few bytes are left. */
#define RESOURCE_ROOM 256u

static void put_qp_range(struct netlink_reply *r, uint32_t first, uint32_t last)
{
	size_t entry;

	r->too_long = r->too_long || REPLY_ROOM - r->len < RESOURCE_ROOM;
	if (r->too_long)
		return;
	entry = nest_begin(r, RDMA_NLDEV_ATTR_RES_QP_ENTRY);
	if (first == last) {
		put_u32(r, RDMA_NLDEV_ATTR_RES_LQPN, first);
	} else {
		put_u32(r, RDMA_NLDEV_ATTR_MIN_RANGE, first);
		put_u32(r, RDMA_NLDEV_ATTR_MAX_RANGE, last);
	}
	nest_end(r, entry);
}

/* Its QPs, from the oldest to the newest: the rows are the other way round. */
static void fill_srq(struct netlink_reply *r, const struct uverbs_resource *o)
{
	size_t table = nest_begin(r, RDMA_NLDEV_ATTR_RES_QP);
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
	nest_end(r, table);
	put_u8(r, RDMA_NLDEV_ATTR_RES_TYPE, o->type);
	put_u32(r, RDMA_NLDEV_ATTR_RES_PDN, o->pd);
	if (o->cqn)
		put_u32(r, RDMA_NLDEV_ATTR_RES_CQN, o->cqn);
}

/* By enum resource_kind: its name, its attributes, and what it has beside its number and pid. */
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

/* How many there are of each kind. The ids of rdma_cm are not counted. */
static int fill_summary(struct netlink_reply *r, const struct netlink_request *q)
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
	fill_handle(r);
	table = nest_begin(r, RDMA_NLDEV_ATTR_RES_SUMMARY);
	for (unsigned int k = 0; k < RESOURCE_KINDS; k++) {
		if (!resource_rows[k].name)
			continue;
		entry = nest_begin(r, RDMA_NLDEV_ATTR_RES_SUMMARY_ENTRY);
		put_text(r, RDMA_NLDEV_ATTR_RES_SUMMARY_ENTRY_NAME, resource_rows[k].name);
		put_u64(r, RDMA_NLDEV_ATTR_RES_SUMMARY_ENTRY_CURR, count[k]);
		nest_end(r, entry);
	}
	nest_end(r, table);
	return err;
}

static void put_resource(struct netlink_reply *r, const struct uverbs_resource *o)
{
	const struct resource_row *row = &resource_rows[o->kind];
	size_t entry = nest_begin(r, row->entry);

	put_u32(r, row->id, o->id);
	put_u32(r, RDMA_NLDEV_ATTR_RES_PID, o->pid);
	if (row->fill)
		row->fill(r, o);
	nest_end(r, entry);
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
			reply_begin(r, q, q->h.nlmsg_type, NLM_F_MULTI);
			fill_handle(r);
			table = nest_begin(r, resource_rows[kind].table);
		}
		put_resource(r, &rows[i]);
		nest_end(r, table);
		if (r->too_long)
			return -EMSGSIZE;
		if (REPLY_ROOM - r->len > RESOURCE_ROOM)
			continue;
		err = reply_end(r);
		table = 0;
	}
	return err || !table ? err : reply_end(r);
}

static int dump_resources(struct netlink_reply *r, const struct netlink_request *q)
{
	struct uverbs_resource *rows = NULL;
	size_t n = 0;
	int err = q->has_port ? check_target(r, q, false, true) : 0;

	if (!err)
		err = r->dev->resources(&rows, &n);
	if (!err)
		err = dump_rows(r, q, rows, n);
	free(rows);
	return err;
}

/*
 * fill: one message about the device, or -errno. An operation without it is one that the kernel has
 * and the device lacks.
 */
enum { ONE = 1, DUMP = 2, STRICT = 4, NEEDS_INDEX = 8, NEEDS_PORT = 16, DUMP_NEEDS_INDEX = 32 };
static const struct netlink_op {
	int (*fill)(struct netlink_reply *, const struct netlink_request *);
	unsigned int how;
	/* Sends the messages of a dump itself. */
	int (*dump)(struct netlink_reply *, const struct netlink_request *);
} ops[RDMA_NLDEV_NUM_OPS] = {
	[RDMA_NLDEV_CMD_GET] = {fill_device, ONE | DUMP | NEEDS_INDEX, NULL},
	[RDMA_NLDEV_CMD_PORT_GET] = {fill_port_attributes,
				     ONE | DUMP | NEEDS_INDEX | NEEDS_PORT | DUMP_NEEDS_INDEX},
	[RDMA_NLDEV_CMD_GET_CHARDEV] = {fill_chardev, ONE | STRICT, NULL},
	[RDMA_NLDEV_CMD_SYS_GET] = {fill_system, ONE | STRICT, NULL},
	[RDMA_NLDEV_CMD_STAT_GET] = {fill_statistic, ONE | STRICT | NEEDS_INDEX | NEEDS_PORT, NULL},
	[RDMA_NLDEV_CMD_SET] = {NULL, ONE, NULL},
	[RDMA_NLDEV_CMD_NEWLINK] = {NULL, ONE, NULL},
	[RDMA_NLDEV_CMD_DELLINK] = {NULL, ONE, NULL},
	[RDMA_NLDEV_CMD_RES_GET] = {fill_summary, ONE | DUMP | NEEDS_INDEX, NULL},
	[RDMA_NLDEV_CMD_RES_QP_GET] = {NULL, ONE | DUMP | DUMP_NEEDS_INDEX, dump_resources},
	[RDMA_NLDEV_CMD_RES_CM_ID_GET] = {NULL, ONE | DUMP, NULL},
	[RDMA_NLDEV_CMD_RES_CQ_GET] = {NULL, ONE | DUMP | DUMP_NEEDS_INDEX, dump_resources},
	[RDMA_NLDEV_CMD_RES_MR_GET] = {NULL, ONE | DUMP | DUMP_NEEDS_INDEX, dump_resources},
	[RDMA_NLDEV_CMD_RES_PD_GET] = {NULL, ONE | DUMP | DUMP_NEEDS_INDEX, dump_resources},
	[RDMA_NLDEV_CMD_RES_CTX_GET] = {NULL, ONE | DUMP | DUMP_NEEDS_INDEX, dump_resources},
	[RDMA_NLDEV_CMD_RES_SRQ_GET] = {NULL, ONE | DUMP | DUMP_NEEDS_INDEX, dump_resources},
	[RDMA_NLDEV_CMD_SYS_SET] = {NULL, ONE, NULL},
	[RDMA_NLDEV_CMD_STAT_SET] = {NULL, ONE, NULL},
	[RDMA_NLDEV_CMD_STAT_DEL] = {NULL, ONE, NULL},
	[RDMA_NLDEV_CMD_RES_QP_GET_RAW] = {NULL, ONE | DUMP, NULL},
	[RDMA_NLDEV_CMD_RES_CQ_GET_RAW] = {NULL, ONE | DUMP, NULL},
	[RDMA_NLDEV_CMD_RES_MR_GET_RAW] = {NULL, ONE | DUMP, NULL},
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

/* A text of the kernel's NLA_NUL_STRING: it ends inside its attribute. */
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

/* Unknown attributes are skipped; shorter ones than their type are wrong. */
static bool take_attribute(const struct nlattr *a, const uint8_t *value, struct netlink_request *q)
{
	uint32_t other;

	switch (a->nla_type & NLA_TYPE_MASK) {
	case RDMA_NLDEV_ATTR_DEV_INDEX:
		return take_u32(a, value, &q->has_index, &q->index);
	case RDMA_NLDEV_ATTR_PORT_INDEX:
		return take_u32(a, value, &q->has_port, &q->port);
	case RDMA_NLDEV_ATTR_STAT_RES:
		return take_u32(a, value, &q->has_stat, &other);
	case RDMA_NLDEV_ATTR_CHARDEV_TYPE:
		return take_type(a, value, q);
	default:
		return true;
	}
}

/* The older operations ignore bytes behind the last whole attribute, the strict ones do not. */
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
		step = padded(a.nla_len);
		at += step < left ? step : left;
	}
	return strict && at != end ? -EINVAL : 0;
}

static int answer_one(struct netlink_reply *r, const struct netlink_op *op,
		      struct netlink_request *q)
{
	int err = parse_attributes(q, op->how & STRICT);

	if (!err)
		err = check_target(r, q, op->how & NEEDS_INDEX, op->how & NEEDS_PORT);
	if (err)
		return err;
	reply_begin(r, q, q->h.nlmsg_type, 0);
	err = op->fill(r, q);
	return err ? err : reply_end(r);
}

/* An error of a dump is in the message that ends it. */
static int answer_dump(struct netlink_reply *r, const struct netlink_op *op,
		       struct netlink_request *q)
{
	int32_t err = parse_attributes(q, false);
	int sent = 0;

	if (!err)
		err = check_target(r, q, op->how & DUMP_NEEDS_INDEX, false);
	if (!err && r->dev->present && op->dump) {
		err = op->dump(r, q);
	} else if (!err && r->dev->present) {
		reply_begin(r, q, q->h.nlmsg_type, NLM_F_MULTI);
		err = op->fill(r, q);
		if (!err)
			sent = reply_end(r);
	}
	if (sent)
		return sent;
	reply_begin(r, q, NLMSG_DONE, NLM_F_MULTI);
	put_bytes(r, &err, sizeof(err));
	return reply_end(r);
}

/* The kernel repeats the request behind an error, its header behind a success. */
static int acknowledge(struct netlink_reply *r, const struct netlink_request *q, int error)
{
	const size_t most = REPLY_ROOM - sizeof(struct nlmsghdr) - sizeof(struct nlmsgerr);
	size_t len = error && q->h.nlmsg_len <= most ? q->h.nlmsg_len : sizeof(q->h);
	const int32_t text = error;

	reply_begin(r, q, NLMSG_ERROR, len == q->h.nlmsg_len ? 0 : NLM_F_CAPPED);
	put_bytes(r, &text, sizeof(text));
	put_bytes(r, q->bytes, len);
	return reply_end(r);
}

static const struct netlink_op *netlink_find_op(const struct netlink_request *q)
{
	unsigned int op = RDMA_NL_GET_OP(q->h.nlmsg_type);

	if (RDMA_NL_GET_CLIENT(q->h.nlmsg_type) != RDMA_NL_NLDEV || op >= RDMA_NLDEV_NUM_OPS)
		return NULL;
	return ops[op].how ? &ops[op] : NULL;
}

/*
 * 1: nothing is left to say. 0: an acknowledgement, if it is asked for. -errno: it is the error to
 * report.
 */
static int execute(struct netlink_reply *r, struct netlink_request *q, int *sent)
{
	const struct netlink_op *op = netlink_find_op(q);
	bool dump = q->h.nlmsg_flags & NLM_F_DUMP;

	if (!(q->h.nlmsg_flags & NLM_F_REQUEST) || q->h.nlmsg_type < NLMSG_MIN_TYPE)
		return 0;
	if (!op || (dump && !(op->how & DUMP)))
		return -EINVAL;
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
			break; /* the kernel drops the rest without a word */
		err = answer_message(&r, &q);
		step = padded(q.h.nlmsg_len);
		step = step < len ? step : len;
		at += step;
		len -= step;
	}
	return err;
}
