/* SPDX-License-Identifier: BSD-2-Clause */
/* Requests of RDMA netlink and devlink, whole and damaged: each answer is a row of messages of the right
 * length. */
#include <errno.h>
#include <linux/devlink.h>
#include <linux/genetlink.h>
#include <linux/netlink.h>
#include <rdma/rdma_netlink.h>
#include "fuzz.h"
#include "preload/netlink.h"
#include "uverbs/resource.h"

static unsigned int answered;

static int look(void *arg, const void *datagram, size_t len)
{
	struct nlmsghdr h;

	(void)arg;
	assert_in_range(len, sizeof(h), 4096);
	memcpy(&h, datagram, sizeof(h));
	assert_int_equal(h.nlmsg_len, len);
	answered += h.nlmsg_type != NLMSG_ERROR;
	return 0;
}

/* Enough of each kind for several messages. */
static int objects(struct uverbs_resource **rows, size_t *n)
{
	*n = any(400);
	*rows = calloc(*n + 1, sizeof(**rows));
	assert_non_null(*rows);
	for (size_t i = 0; i < *n; i++)
		(*rows)[i] = (struct uverbs_resource){
			.kind = (uint32_t)i % (RESOURCE_KINDS + 1), .type = 2, .port = i & 1};
	return 0;
}

static size_t put_attribute(uint8_t *to)
{
	static const uint16_t types[] = {RDMA_NLDEV_ATTR_DEV_INDEX,    RDMA_NLDEV_ATTR_PORT_INDEX,
					 RDMA_NLDEV_ATTR_CHARDEV_TYPE, RDMA_NLDEV_ATTR_STAT_RES};
	struct nlattr a = {.nla_len = (uint16_t)(any(8) == 5 ? any(64) : 8),
			   .nla_type = types[any(4)]};
	uint32_t value = any(3);

	memcpy(to, &a, sizeof(a));
	if (a.nla_type == RDMA_NLDEV_ATTR_CHARDEV_TYPE)
		memcpy(to + sizeof(a), "uvb", 4);
	if (a.nla_type == RDMA_NLDEV_ATTR_STAT_RES && any(8))
		value = RDMA_NLDEV_ATTR_RES_QP;
	if (a.nla_type != RDMA_NLDEV_ATTR_CHARDEV_TYPE)
		memcpy(to + sizeof(a), &value, sizeof(value));
	return 8;
}

static size_t put_request(uint8_t *to)
{
	struct nlmsghdr h = {
		.nlmsg_type = (uint16_t)RDMA_NL_GET_TYPE((any(16) == 9 ? any(8) : RDMA_NL_NLDEV),
							 any(RDMA_NLDEV_NUM_OPS + 2)),
		.nlmsg_flags = (uint16_t)(any(16) == 9 ? 0 : NLM_F_REQUEST | any(8) << 8),
	};
	size_t len = sizeof(h);

	if (!any(4)) { /* of generic netlink */
		h.nlmsg_type = (uint16_t)(GENL_ID_CTRL + any(2) * 7);
		to[len] = (uint8_t)any(DEVLINK_CMD_MAX);
		memset(to + len + 1, 0, GENL_HDRLEN - 1);
		len += GENL_HDRLEN;
	}
	for (uint32_t n = any(5); n; n--)
		len += put_attribute(to + len);
	h.nlmsg_len = any(16) == 9 ? any(128) : (uint32_t)len;
	memcpy(to, &h, sizeof(h));
	return len;
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t len)
{
	static const struct netlink_device dev = {.present = true,
						  .admin = true,
						  .resources = objects,
						  .ncounters = 3,
						  .eswitch.managed = true};
	uint8_t request[256];
	size_t room = 0;
	uint8_t *copy;

	fuzz_begin(bytes, len);
	while (fuzz_more() && room < sizeof(request) - 64)
		room += put_request(request + room);
	room -= any(8) || room < 8 ? 0 : any(8);
	copy = malloc(room + !room);
	assert_non_null(copy);
	memcpy(copy, request, room);
	assert_int_equal(netlink_answer(&dev, copy, room, 1, look, NULL), 0);
	free(copy);
	return 0;
}

static void judge(unsigned int inputs)
{
	assert_true(answered > inputs / 16);
}

const struct fuzz_target fuzz_target = {.inputs = 5000, .longest = 256, .judge = judge};
