/* SPDX-License-Identifier: BSD-2-Clause */
#include "netlink_priv.h"

#include <rdma/rdma_netlink.h>
#include <errno.h>
#include <string.h>

#define DEVICE_NAME "mlx5_0"

void netlink_reply_begin(struct netlink_reply *r, const struct netlink_request *q, uint16_t type,
			 uint16_t flags)
{
	const struct nlmsghdr h = {.nlmsg_type = type,
				   .nlmsg_flags = flags,
				   .nlmsg_seq = q->h.nlmsg_seq,
				   .nlmsg_pid = r->port};

	memcpy(r->bytes, &h, sizeof(h));
	r->len = sizeof(h);
}

int netlink_reply_end(struct netlink_reply *r)
{
	const uint32_t len = (uint32_t)r->len;

	memcpy(r->bytes, &len, sizeof(len));
	return r->send(r->arg, r->bytes, r->len);
}

void netlink_put_bytes(struct netlink_reply *r, const void *from, size_t len)
{
	if (netlink_padded(len) > REPLY_ROOM - r->len)
		return; /* one device's messages are much shorter (see the unit test) */
	memset(r->bytes + r->len, 0, netlink_padded(len));
	if (len) /* from is NULL for an attribute without a value */
		memcpy(r->bytes + r->len, from, len);
	r->len += netlink_padded(len);
}

void netlink_put(struct netlink_reply *r, uint16_t type, const void *value, size_t len)
{
	const struct nlattr a = {.nla_len = (uint16_t)(sizeof(struct nlattr) + len),
				 .nla_type = type};

	netlink_put_bytes(r, &a, sizeof(a));
	netlink_put_bytes(r, value, len);
}

void netlink_put_u8(struct netlink_reply *r, uint16_t type, uint8_t value)
{
	netlink_put(r, type, &value, sizeof(value));
}

void netlink_put_u16(struct netlink_reply *r, uint16_t type, uint16_t value)
{
	netlink_put(r, type, &value, sizeof(value));
}

void netlink_put_u32(struct netlink_reply *r, uint16_t type, uint32_t value)
{
	netlink_put(r, type, &value, sizeof(value));
}

void netlink_put_u64(struct netlink_reply *r, uint16_t type, uint64_t value)
{
	netlink_put(r, type, &value, sizeof(value));
}

void netlink_put_text(struct netlink_reply *r, uint16_t type, const char *text)
{
	netlink_put(r, type, text, strlen(text) + 1);
}

size_t netlink_nest_begin(struct netlink_reply *r, uint16_t type)
{
	size_t at = r->len;

	netlink_put(r, type | NLA_F_NESTED, NULL, 0);
	return at;
}

void netlink_nest_end(struct netlink_reply *r, size_t at)
{
	const uint16_t len = (uint16_t)(r->len - at);

	memcpy(r->bytes + at, &len, sizeof(len));
}

void netlink_put_device(struct netlink_reply *r)
{
	netlink_put_u32(r, RDMA_NLDEV_ATTR_DEV_INDEX, DEVICE_INDEX);
	netlink_put_text(r, RDMA_NLDEV_ATTR_DEV_NAME, DEVICE_NAME);
}

int netlink_check_target(const struct netlink_reply *r, const struct netlink_request *q, bool index,
			 bool port)
{
	if (index && (!q->has_index || !r->dev->present || q->index != DEVICE_INDEX))
		return -EINVAL;
	return port && (!q->has_port || q->port < 1 || q->port > r->dev->nports) ? -EINVAL : 0;
}
