/* SPDX-License-Identifier: BSD-2-Clause */
/* Generic netlink, of which there is devlink's family: the device, its ports, the mode of its e-switch. */
#include "netlink_priv.h"

#include <errno.h>
#include <linux/devlink.h>
#include <linux/genetlink.h>
#include <stdlib.h>
#include <string.h>
#include "base/log.h"
#include "sysfs/sysfs.h"

#define DEVLINK_FAMILY (GENL_START_ALLOC + 4) /* some number of the kernel's dynamic ones */
#define DEVLINK_BUS    "pci"

bool netlink_is_generic(const struct netlink_request *q)
{
	return q->h.nlmsg_type == GENL_ID_CTRL || q->h.nlmsg_type == DEVLINK_FAMILY;
}

/* --- the attributes of a request -------------------------------------------------------------- */

/* Returns an attribute's value, of at least `least` bytes, and its length; NULL: it is absent. */
static const uint8_t *generic_attribute(const struct netlink_request *q, uint16_t type,
					size_t least, size_t *len)
{
	size_t at = NLMSG_HDRLEN + GENL_HDRLEN, step;
	struct nlattr a;

	for (; at + sizeof(a) <= q->h.nlmsg_len; at += step) {
		memcpy(&a, q->bytes + at, sizeof(a));
		if (a.nla_len < sizeof(a) || a.nla_len > q->h.nlmsg_len - at)
			return NULL;
		step = netlink_padded(a.nla_len);
		*len = a.nla_len - sizeof(a);
		if ((a.nla_type & NLA_TYPE_MASK) == type)
			return *len < least ? NULL : q->bytes + at + sizeof(a);
	}
	return NULL;
}

/* Returns whether the request has this text. */
static bool generic_has_text(const struct netlink_request *q, uint16_t type, const char *text)
{
	size_t len;
	const uint8_t *value = generic_attribute(q, type, 1, &len);

	return value && strnlen((const char *)value, len) == strlen(text) &&
	       !memcmp(value, text, strlen(text));
}

/* --- answers ---------------------------------------------------------------------------------- */

static void generic_begin(struct netlink_reply *r, const struct netlink_request *q, uint8_t cmd,
			  uint16_t flags)
{
	const struct genlmsghdr g = {.cmd = cmd, .version = 1};

	netlink_reply_begin(r, q, q->h.nlmsg_type, flags);
	netlink_put_bytes(r, &g, sizeof(g));
}

static int generic_get_family(struct netlink_reply *r, const struct netlink_request *q)
{
	if (!generic_has_text(q, CTRL_ATTR_FAMILY_NAME, DEVLINK_GENL_NAME))
		return -ENOENT;
	generic_begin(r, q, CTRL_CMD_NEWFAMILY, 0);
	netlink_put_text(r, CTRL_ATTR_FAMILY_NAME, DEVLINK_GENL_NAME);
	netlink_put_u16(r, CTRL_ATTR_FAMILY_ID, DEVLINK_FAMILY);
	netlink_put_u32(r, CTRL_ATTR_VERSION, DEVLINK_GENL_VERSION);
	netlink_put_u32(r, CTRL_ATTR_HDRSIZE, 0);
	netlink_put_u32(r, CTRL_ATTR_MAXATTR, DEVLINK_ATTR_MAX);
	return 0;
}

static void devlink_put_device(struct netlink_reply *r)
{
	netlink_put_text(r, DEVLINK_ATTR_BUS_NAME, DEVLINK_BUS);
	netlink_put_text(r, DEVLINK_ATTR_DEV_NAME, SYSFS_SLOT);
}

static int devlink_get(struct netlink_reply *r, const struct netlink_request *q)
{
	generic_begin(r, q, DEVLINK_CMD_NEW, q->h.nlmsg_flags & NLM_F_DUMP ? NLM_F_MULTI : 0);
	devlink_put_device(r);
	netlink_put_u8(r, DEVLINK_ATTR_RELOAD_FAILED, 0);
	return 0;
}

/* Kinds of ports by phys_port_name, which has a number between two words. */
static const struct devlink_flavour {
	const char *before, *behind;
	uint16_t flavour, number; /* and the attribute that has the number */
} devlink_flavours[] = {
	{"p", "", DEVLINK_PORT_FLAVOUR_PHYSICAL, DEVLINK_ATTR_PORT_NUMBER},
	{"pf", "hpf", DEVLINK_PORT_FLAVOUR_PCI_PF, DEVLINK_ATTR_PORT_PCI_PF_NUMBER},
	{"pf0vf", "", DEVLINK_PORT_FLAVOUR_PCI_VF, DEVLINK_ATTR_PORT_PCI_VF_NUMBER},
	{"pf0sf", "", DEVLINK_PORT_FLAVOUR_PCI_SF, DEVLINK_ATTR_PORT_PCI_SF_NUMBER},
};

/* Finds a port's kind and number; a port without a name is a VF's or SF's own. */
static const struct devlink_flavour *devlink_find_flavour(const char *name, unsigned long *number)
{
	static const struct devlink_flavour own = {.flavour = DEVLINK_PORT_FLAVOUR_VIRTUAL};

	for (size_t i = 0; i < sizeof(devlink_flavours) / sizeof(devlink_flavours[0]); i++) {
		const struct devlink_flavour *f = &devlink_flavours[i];
		const size_t at = strlen(f->before);
		char *end;

		if (strncmp(name, f->before, at) || name[at] < '0' || name[at] > '9')
			continue;
		*number = strtoul(name + at, &end, 10);
		if (!strcmp(end, f->behind))
			return f;
	}
	return &own;
}

/* Puts the numbers of a function's representor. The host of a DPU is another controller. */
static void devlink_put_function(struct netlink_reply *r, const struct devlink_flavour *f,
				 unsigned long number)
{
	const bool external = f->flavour != DEVLINK_PORT_FLAVOUR_PCI_SF && r->dev->dpu;

	netlink_put_u32(r, DEVLINK_ATTR_PORT_CONTROLLER_NUMBER, external);
	netlink_put_u16(r, DEVLINK_ATTR_PORT_PCI_PF_NUMBER, 0);
	if (f->number == DEVLINK_ATTR_PORT_PCI_VF_NUMBER)
		netlink_put_u16(r, f->number, (uint16_t)number);
	if (f->number == DEVLINK_ATTR_PORT_PCI_SF_NUMBER)
		netlink_put_u32(r, f->number, (uint32_t)number);
	netlink_put_u8(r, DEVLINK_ATTR_PORT_EXTERNAL, external);
}

/* Fills in a port, in the order of Linux. */
static void devlink_put_port(struct netlink_reply *r, const struct netlink_port *p)
{
	unsigned long number = 0;
	const struct devlink_flavour *f = devlink_find_flavour(p->phys_name, &number);

	devlink_put_device(r);
	netlink_put_u32(r, DEVLINK_ATTR_PORT_INDEX, p->devlink_index);
	netlink_put_u16(r, DEVLINK_ATTR_PORT_TYPE, DEVLINK_PORT_TYPE_ETH);
	if (p->ndev) {
		netlink_put_u32(r, DEVLINK_ATTR_PORT_NETDEV_IFINDEX, p->ndev);
		netlink_put_text(r, DEVLINK_ATTR_PORT_NETDEV_NAME, p->ndev_name);
	}
	netlink_put_u8(r, DEVLINK_ATTR_PORT_SPLITTABLE, 0);
	netlink_put_u16(r, DEVLINK_ATTR_PORT_FLAVOUR, f->flavour);
	if (f->number == DEVLINK_ATTR_PORT_NUMBER)
		netlink_put_u32(r, f->number, (uint32_t)number);
	else if (f->number)
		devlink_put_function(r, f, number);
}

/* Fills in the requested port, or sends all but the last of a dump. */
static int devlink_get_ports(struct netlink_reply *r, const struct netlink_request *q)
{
	const bool dump = q->h.nlmsg_flags & NLM_F_DUMP;
	uint32_t index = 0;
	size_t len;
	const uint8_t *at = generic_attribute(q, DEVLINK_ATTR_PORT_INDEX, sizeof(index), &len);
	int err = !dump && !at ? -EINVAL : 0;

	if (at)
		memcpy(&index, at, sizeof(index));
	for (unsigned int i = 0; !err && i < r->dev->nports; i++) {
		const struct netlink_port *p = &r->dev->ports[i];

		if (!p->devlink || (!dump && p->devlink_index != index))
			continue;
		if (r->len)
			err = netlink_reply_end(r);
		generic_begin(r, q, DEVLINK_CMD_PORT_NEW, dump ? NLM_F_MULTI : 0);
		devlink_put_port(r, p);
	}
	return err ? err : r->len || dump ? 0 : -ENODEV;
}

/* Fills in the modes. A function that does not manage the e-switch has none, as in mlx5_core. */
static int devlink_get_eswitch(struct netlink_reply *r, const struct netlink_request *q)
{
	const struct netlink_eswitch *e = &r->dev->eswitch;

	if (!e->managed)
		return -EOPNOTSUPP;
	generic_begin(r, q, DEVLINK_CMD_ESWITCH_GET, 0);
	devlink_put_device(r);
	netlink_put_u16(r, DEVLINK_ATTR_ESWITCH_MODE,
			e->switchdev ? DEVLINK_ESWITCH_MODE_SWITCHDEV
				     : DEVLINK_ESWITCH_MODE_LEGACY);
	netlink_put_u8(r, DEVLINK_ATTR_ESWITCH_INLINE_MODE,
		       e->inline_l2 ? DEVLINK_ESWITCH_INLINE_MODE_LINK
				    : DEVLINK_ESWITCH_INLINE_MODE_NONE);
	netlink_put_u8(r, DEVLINK_ATTR_ESWITCH_ENCAP_MODE, DEVLINK_ESWITCH_ENCAP_MODE_NONE);
	return 0;
}

/* The modes are the chip's from its start on. Setting the present one changes nothing in Linux. */
static int devlink_set_eswitch(struct netlink_reply *r, const struct netlink_request *q)
{
	const struct netlink_eswitch *e = &r->dev->eswitch;
	uint16_t mode = e->switchdev;
	size_t len;
	const uint8_t *at = generic_attribute(q, DEVLINK_ATTR_ESWITCH_MODE, sizeof(mode), &len);

	if (!r->dev->admin)
		return -EPERM;
	if (!e->managed)
		return -EOPNOTSUPP;
	if (at)
		memcpy(&mode, at, sizeof(mode));
	if (at && mode == e->switchdev)
		return 0;
	sim_refuse("devlink: the e-switch has its modes from the chip's start on: dvx-sim up --set "
		   "switchdev=%u",
		   mode & 1);
	return -EOPNOTSUPP;
}

/* --- requests --------------------------------------------------------------------------------- */

static const struct generic_op {
	uint16_t type;
	uint8_t cmd;
	bool dumps;
	/* Begins and fills in the message, if there is one, and sends those before it. Returns 0 or -errno. */
	int (*fill)(struct netlink_reply *, const struct netlink_request *);
} generic_ops[] = {
	{GENL_ID_CTRL, CTRL_CMD_GETFAMILY, false, generic_get_family},
	{DEVLINK_FAMILY, DEVLINK_CMD_GET, true, devlink_get},
	{DEVLINK_FAMILY, DEVLINK_CMD_PORT_GET, true, devlink_get_ports},
	{DEVLINK_FAMILY, DEVLINK_CMD_ESWITCH_GET, false, devlink_get_eswitch},
	{DEVLINK_FAMILY, DEVLINK_CMD_ESWITCH_SET, false, devlink_set_eswitch},
};

static const struct generic_op *generic_find_op(const struct netlink_request *q)
{
	uint8_t cmd;

	if (q->h.nlmsg_len < NLMSG_HDRLEN + GENL_HDRLEN)
		return NULL;
	cmd = q->bytes[NLMSG_HDRLEN];
	for (size_t i = 0; i < sizeof(generic_ops) / sizeof(generic_ops[0]); i++)
		if (generic_ops[i].type == q->h.nlmsg_type && generic_ops[i].cmd == cmd)
			return &generic_ops[i];
	return NULL;
}

static int devlink_check_device(const struct netlink_reply *r, const struct netlink_request *q)
{
	size_t len;

	if (!generic_attribute(q, DEVLINK_ATTR_BUS_NAME, 1, &len) ||
	    !generic_attribute(q, DEVLINK_ATTR_DEV_NAME, 1, &len))
		return -EINVAL;
	return r->dev->present && generic_has_text(q, DEVLINK_ATTR_BUS_NAME, DEVLINK_BUS) &&
			       generic_has_text(q, DEVLINK_ATTR_DEV_NAME, SYSFS_SLOT)
		       ? 0
		       : -ENODEV;
}

int netlink_answer_generic(struct netlink_reply *r, const struct netlink_request *q)
{
	const struct generic_op *op = generic_find_op(q);
	const bool dump = q->h.nlmsg_flags & NLM_F_DUMP;
	int err = !op || (dump && !op->dumps) ? -EOPNOTSUPP : 0;

	if (!err && !dump && op->type == DEVLINK_FAMILY)
		err = devlink_check_device(r, q);
	r->len = 0;
	if (!err && (!dump || r->dev->present))
		err = op->fill(r, q);
	return !err && r->len ? netlink_reply_end(r) : err;
}
