/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Proves that RDMA netlink answers a bad request as nldev does: EINVAL or EOPNOTSUPP in an
 * NLMSG_ERROR that repeats the request, in NLMSG_DONE for a dump; that the longest answer fits
 * libmnl's buffer; that devlink, a family of generic netlink, does so, too; and that representors'
 * names are added to rtnetlink's answers, if there is room.
 */
#include <errno.h>
#include <linux/devlink.h>
#include <linux/genetlink.h>
#include <linux/if_link.h>
#include <linux/netlink.h>
#include <linux/rtnetlink.h>
#include <rdma/rdma_netlink.h>
#include "preload/netlink.h"
#include "tests/test.h"

#define PORT_ID 4711u

static struct netlink_device dev = {.present = true,
				    .admin = true,
				    .node_guid = 5,
				    .nports = 1,
				    .ports = {{.state = 4}},
				    .uverbs = {231, 1}};

/* A request in the making, and what came back. */
static struct {
	uint8_t bytes[512];
	size_t len;
	unsigned int answers;
	uint8_t last[8192];
	size_t last_len;
} t;

static int keep(void *arg, const void *datagram, size_t len)
{
	(void)arg;
	assert_in_range(len, sizeof(struct nlmsghdr), 4096);
	memcpy(t.last, datagram, len);
	t.last_len = len;
	t.answers++;
	return 0;
}

static void request(uint16_t op, uint16_t flags)
{
	struct nlmsghdr h = {.nlmsg_len = sizeof(h),
			     .nlmsg_type = (uint16_t)RDMA_NL_GET_TYPE(RDMA_NL_NLDEV, op),
			     .nlmsg_flags = (uint16_t)(NLM_F_REQUEST | flags),
			     .nlmsg_seq = 77};

	memset(&t, 0, sizeof(t));
	memcpy(t.bytes, &h, sizeof(h));
	t.len = sizeof(h);
}

static void attribute(uint16_t type, const void *value, uint16_t len)
{
	struct nlattr a = {.nla_len = (uint16_t)(sizeof(a) + len), .nla_type = type};
	uint32_t total;

	memcpy(t.bytes + t.len, &a, sizeof(a));
	memcpy(t.bytes + t.len + sizeof(a), value, len);
	t.len += sizeof(a) + ((len + 3u) & ~3u);
	total = (uint32_t)t.len;
	memcpy(t.bytes, &total, sizeof(total));
}

static void number(uint16_t type, uint32_t value)
{
	attribute(type, &value, sizeof(value));
}

/* The errno of the last message; 0 also if it is none of an error. */
static int ask(void)
{
	struct nlmsghdr h;
	int32_t err = 0;

	assert_int_equal(netlink_answer(&dev, t.bytes, t.len, PORT_ID, keep, NULL), 0);
	if (!t.answers)
		return 0;
	memcpy(&h, t.last, sizeof(h));
	assert_int_equal(h.nlmsg_len, t.last_len);
	assert_int_equal(h.nlmsg_seq, 77);
	assert_int_equal(h.nlmsg_pid, PORT_ID);
	if (h.nlmsg_type == NLMSG_ERROR || h.nlmsg_type == NLMSG_DONE)
		memcpy(&err, t.last + sizeof(h), sizeof(err));
	if (h.nlmsg_type == NLMSG_ERROR)
		assert_memory_equal(t.last + sizeof(h) + 4, t.bytes, err ? t.len : sizeof(h));
	return err;
}

TEST(none, one_device)
{
	request(RDMA_NLDEV_CMD_GET, 0);
	assert_int_equal(ask(), -EINVAL);
	request(RDMA_NLDEV_CMD_GET, 0);
	number(RDMA_NLDEV_ATTR_DEV_INDEX, 1);
	assert_int_equal(ask(), -EINVAL);
	request(RDMA_NLDEV_CMD_GET, 0);
	attribute(RDMA_NLDEV_ATTR_DEV_INDEX, "", 1);
	assert_int_equal(ask(), -EINVAL);
	request(RDMA_NLDEV_CMD_GET, NLM_F_ACK);
	number(RDMA_NLDEV_ATTR_DEV_INDEX, 0);
	assert_int_equal(ask(), 0);
	assert_int_equal(t.answers, 2);
}

TEST(none, ports)
{
	for (uint32_t port = 0; port < 3; port++) {
		request(RDMA_NLDEV_CMD_PORT_GET, 0);
		number(RDMA_NLDEV_ATTR_DEV_INDEX, 0);
		number(RDMA_NLDEV_ATTR_PORT_INDEX, port);
		assert_int_equal(ask(), port == 1 ? 0 : -EINVAL);
	}
	request(RDMA_NLDEV_CMD_PORT_GET, NLM_F_DUMP);
	assert_int_equal(ask(), -EINVAL);
	assert_int_equal(t.answers, 1);
}

TEST(none, char_devices)
{
	static const struct {
		const char *type;
		uint16_t len;
		int err;
	} rows[] = {{"uverbs", 7, 0},
		    {"uverbs", 6, -EINVAL},
		    {"rdma_cm", 8, -EOPNOTSUPP},
		    {"a name that is longer than the kernel's", 40, -EINVAL}};

	for (unsigned int i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		request(RDMA_NLDEV_CMD_GET_CHARDEV, 0);
		number(RDMA_NLDEV_ATTR_DEV_INDEX, 0);
		attribute(RDMA_NLDEV_ATTR_CHARDEV_TYPE, rows[i].type, rows[i].len);
		assert_int_equal(ask(), rows[i].err);
	}
	request(RDMA_NLDEV_CMD_GET_CHARDEV, 0);
	assert_int_equal(ask(), -EINVAL);
}

TEST(none, operations)
{
	request(RDMA_NLDEV_CMD_SET, 0);
	assert_int_equal(ask(), -EOPNOTSUPP);
	dev.admin = false;
	request(RDMA_NLDEV_CMD_STAT_SET, 0);
	assert_int_equal(ask(), -EPERM);
	dev.admin = true;
	request(RDMA_NLDEV_NUM_OPS, 0);
	assert_int_equal(ask(), -EINVAL);
	request(RDMA_NLDEV_CMD_SYS_GET, NLM_F_DUMP);
	assert_int_equal(ask(), -EINVAL);
	request(RDMA_NLDEV_CMD_SYS_GET, 0);
	t.bytes[0]++; /* a byte behind the attributes */
	t.len++;
	assert_int_equal(ask(), -EINVAL);
	request(RDMA_NLDEV_CMD_SYS_GET, 0);
	t.bytes[0]++; /* more bytes than there are */
	ask();
	assert_int_equal(t.answers, 0);
}

/* Counters of queue pairs: none can be made, and the list of them is empty. */
TEST(none, statistics)
{
	request(RDMA_NLDEV_CMD_STAT_SET, 0);
	assert_int_equal(ask(), -EOPNOTSUPP);
	request(RDMA_NLDEV_CMD_STAT_DEL, 0);
	assert_int_equal(ask(), -EOPNOTSUPP);
	request(RDMA_NLDEV_CMD_STAT_GET, NLM_F_DUMP);
	number(RDMA_NLDEV_ATTR_DEV_INDEX, 0);
	assert_int_equal(ask(), -EINVAL); /* of which resource? */
	request(RDMA_NLDEV_CMD_STAT_GET, NLM_F_DUMP);
	number(RDMA_NLDEV_ATTR_DEV_INDEX, 0);
	number(RDMA_NLDEV_ATTR_STAT_RES, RDMA_NLDEV_ATTR_RES_QP);
	assert_int_equal(ask(), 0);
	assert_int_equal(t.answers, 1);
}

TEST(none, no_device)
{
	dev.present = false;
	request(RDMA_NLDEV_CMD_GET, NLM_F_DUMP);
	assert_int_equal(ask(), 0);
	assert_int_equal(t.answers, 1);
	dev.present = true;
}

TEST(none, longest)
{
	dev.ncounters = NETLINK_COUNTERS;
	for (unsigned int i = 0; i < NETLINK_COUNTERS; i++)
		memset(dev.counters[i].name, 'x', sizeof(dev.counters[i].name) - 1);
	request(RDMA_NLDEV_CMD_STAT_GET, 0);
	number(RDMA_NLDEV_ATTR_DEV_INDEX, 0);
	number(RDMA_NLDEV_ATTR_PORT_INDEX, 1);
	assert_int_equal(ask(), 0);
	assert_in_range(t.last_len, NETLINK_COUNTERS * 60, 4096);
}

static void generic(uint16_t type, uint8_t cmd)
{
	const struct genlmsghdr g = {.cmd = cmd, .version = 1};

	request(0, 0);
	memcpy(t.bytes + offsetof(struct nlmsghdr, nlmsg_type), &type, sizeof(type));
	memcpy(t.bytes + t.len, &g, sizeof(g));
	t.len += sizeof(g);
	memcpy(t.bytes, &(uint32_t){(uint32_t)t.len}, 4);
}

/* Returns the family's number, the second attribute. */
static uint16_t devlink_family(void)
{
	uint16_t id;

	generic(GENL_ID_CTRL, CTRL_CMD_GETFAMILY);
	attribute(CTRL_ATTR_FAMILY_NAME, DEVLINK_GENL_NAME, sizeof(DEVLINK_GENL_NAME));
	assert_int_equal(ask(), 0);
	memcpy(&id, t.last + NLMSG_HDRLEN + GENL_HDRLEN + 12 + 4, sizeof(id));
	return id;
}

static int devlink(uint8_t cmd, const char *slot, int mode)
{
	generic(devlink_family(), cmd);
	attribute(DEVLINK_ATTR_BUS_NAME, "pci", 4);
	if (slot)
		attribute(DEVLINK_ATTR_DEV_NAME, slot, (uint16_t)(strlen(slot) + 1));
	if (mode >= 0)
		attribute(DEVLINK_ATTR_ESWITCH_MODE, &(uint16_t){(uint16_t)mode}, 2);
	return ask();
}

TEST(none, eswitch_modes)
{
	static const char slot[] = "0000:03:00.0";
	const uint8_t get = DEVLINK_CMD_ESWITCH_GET, set = DEVLINK_CMD_ESWITCH_SET;

	generic(GENL_ID_CTRL, CTRL_CMD_GETFAMILY);
	attribute(CTRL_ATTR_FAMILY_NAME, "nl80211", 8);
	assert_int_equal(ask(), -ENOENT);
	generic(GENL_ID_CTRL, CTRL_CMD_GETFAMILY);
	attribute(CTRL_ATTR_FAMILY_NAME, "devlink of another", 7);
	assert_int_equal(ask(), 0); /* a text ends with its attribute */
	assert_int_equal(devlink(get, slot, -1), -EOPNOTSUPP);
	dev.eswitch = (struct netlink_eswitch){.managed = true, .switchdev = true};
	assert_int_equal(devlink(get, slot, -1), 0);
	assert_int_equal(devlink(get, NULL, -1), -EINVAL);
	assert_int_equal(devlink(get, "0000:03:00.1", -1), -ENODEV);
	assert_int_equal(devlink(set, slot, DEVLINK_ESWITCH_MODE_SWITCHDEV), 0);
	assert_int_equal(devlink(set, slot, DEVLINK_ESWITCH_MODE_LEGACY), -EOPNOTSUPP);
	dev.admin = false;
	assert_int_equal(devlink(set, slot, DEVLINK_ESWITCH_MODE_SWITCHDEV), -EPERM);
	dev.admin = true;
	assert_int_equal(devlink(DEVLINK_CMD_INFO_GET, slot, -1), -EOPNOTSUPP);
}

/* --- rtnetlink --- */

static bool only_rep(const char *interface, struct netlink_rep *rep)
{
	*rep = (struct netlink_rep){"pf0vf1", {1, 2, 3, 4, 5, 6, 7, 8}};
	return !strcmp(interface, "rep");
}

/* Appends a link's message; its name's length is a lie if `lie` is not 0. */
static void link_message(const char *name, uint16_t lie)
{
	const size_t at = t.len;
	const struct nlmsghdr h = {.nlmsg_type = RTM_NEWLINK};
	struct rtattr a = {.rta_len = (uint16_t)(sizeof(a) + strlen(name) + 1),
			   .rta_type = IFLA_IFNAME};
	uint32_t len;

	memcpy(t.bytes + at, &h, sizeof(h));
	memset(t.bytes + at + sizeof(h), 0, sizeof(struct ifinfomsg));
	t.len += sizeof(h) + sizeof(struct ifinfomsg);
	memcpy(t.bytes + t.len + sizeof(a), name, strlen(name) + 1);
	t.len += (a.rta_len + 3u) & ~3u;
	a.rta_len = lie ?: a.rta_len;
	memcpy(t.bytes + at + sizeof(h) + sizeof(struct ifinfomsg), &a, sizeof(a));
	len = (uint32_t)(t.len - at);
	memcpy(t.bytes + at, &len, sizeof(len));
}

TEST(none, representors_of_rtnetlink)
{
	static const uint8_t added[] = {
		11, 0, IFLA_PHYS_PORT_NAME, 0, 'p', 'f', '0', 'v', 'f', '1', 0, 0,
		12, 0, IFLA_PHYS_SWITCH_ID, 0, 1,   2,	 3,   4,   5,	6,   7, 8};
	uint8_t before[512];
	size_t first, len;

	memset(&t, 0, sizeof(t));
	link_message("rep", 0);
	first = t.len;
	link_message("vf1", 0);
	len = t.len;
	memcpy(before, t.bytes, len);
	assert_int_equal(netlink_route_add(t.bytes, len, len + sizeof(added) - 1, only_rep), len);
	assert_memory_equal(t.bytes, before, len);
	assert_int_equal(netlink_route_add(t.bytes, len, len + sizeof(added), only_rep),
			 len + sizeof(added));
	assert_memory_equal(t.bytes + first, added, sizeof(added));
	assert_memory_equal(t.bytes + first + sizeof(added), before + first, len - first);
	assert_int_equal(t.bytes[0], first + sizeof(added));
}

TEST(none, damaged_rtnetlink)
{
	static const uint16_t lies[] = {1, 3, 5, 400};

	for (size_t i = 0; i < sizeof(lies) / sizeof(lies[0]); i++) {
		memset(&t, 0, sizeof(t));
		link_message("rep", lies[i]);
		assert_int_equal(netlink_route_add(t.bytes, t.len, 512, only_rep), t.len);
	}
	for (uint32_t len = 0; len < 60; len++) {
		size_t n;

		memset(&t, 0, sizeof(t));
		link_message("rep", 0);
		n = t.len;
		memcpy(t.bytes, &len, sizeof(len));
		if (len < n - 3 || len > n)
			assert_int_equal(netlink_route_add(t.bytes, n, 512, only_rep), n);
	}
}
