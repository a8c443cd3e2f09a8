/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The names of representors in the kernel's answers about network interfaces (rtnetlink): a TAP
 * device has neither IFLA_PHYS_PORT_NAME nor IFLA_PHYS_SWITCH_ID.
 */
#include <linux/if_link.h>
#include <linux/rtnetlink.h>
#include <string.h>

#include "netlink_priv.h"

#define LINK_HEADER (NLMSG_HDRLEN + NLMSG_ALIGN(sizeof(struct ifinfomsg)))

/* Returns the interface's name in a message of len bytes about a link, or NULL. */
static const char *route_link_name(const uint8_t *message, size_t len)
{
	struct rtattr a;

	for (size_t at = LINK_HEADER; at + sizeof(a) <= len; at += netlink_padded(a.rta_len)) {
		memcpy(&a, message + at, sizeof(a));
		if (a.rta_len < sizeof(a) || a.rta_len > len - at)
			return NULL;
		if (a.rta_type == IFLA_IFNAME &&
		    memchr(message + at + sizeof(a), 0, a.rta_len - sizeof(a)))
			return (const char *)message + at + sizeof(a);
	}
	return NULL;
}

static size_t route_put(uint8_t *to, uint16_t type, const void *value, size_t len)
{
	const struct rtattr a = {.rta_len = (uint16_t)(sizeof(a) + len), .rta_type = type};

	memset(to, 0, netlink_padded(a.rta_len));
	memcpy(to, &a, sizeof(a));
	memcpy(to + sizeof(a), value, len);
	return netlink_padded(a.rta_len);
}

/* Adds the attributes behind a message of a link, if there is room. Returns its new length. */
static size_t route_add_to(uint8_t *message, size_t len, size_t behind, size_t room,
			   netlink_route_find find)
{
	const char *name = route_link_name(message, len);
	struct netlink_rep rep;
	uint8_t more[64];
	uint32_t total;
	size_t n;

	if (!name || !find(name, &rep))
		return len;
	n = route_put(more, IFLA_PHYS_PORT_NAME, rep.port_name, strlen(rep.port_name) + 1);
	n += route_put(more + n, IFLA_PHYS_SWITCH_ID, rep.switch_id, sizeof(rep.switch_id));
	if (n > room)
		return len;
	memmove(message + len + n, message + len, behind);
	memcpy(message + len, more, n);
	total = (uint32_t)(len + n);
	memcpy(message, &total, sizeof(total));
	return total;
}

size_t netlink_route_add(uint8_t *bytes, size_t len, size_t room, netlink_route_find find)
{
	struct nlmsghdr h;
	size_t at = 0;

	while (at + sizeof(h) <= len) {
		size_t n;

		memcpy(&h, bytes + at, sizeof(h));
		n = netlink_padded(h.nlmsg_len);
		if (h.nlmsg_len < sizeof(h) || n > len - at)
			break;
		if (h.nlmsg_type == RTM_NEWLINK) {
			size_t now = route_add_to(bytes + at, n, len - at - n, room - len, find);

			len += now - n;
			n = now;
		}
		at += n;
	}
	return len;
}
