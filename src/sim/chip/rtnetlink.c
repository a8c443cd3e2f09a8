/* SPDX-License-Identifier: BSD-2-Clause */
#include "rtnetlink.h"

#include <endian.h>
#include <errno.h>
#include <linux/if_ether.h>
#include <linux/if_link.h>
#include <linux/netlink.h>
#include <linux/rtnetlink.h>
#include <net/if.h>
#include <stdio.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <unistd.h>
#include "obj/vhca.h"

static int rtnetlink_open(uint32_t groups)
{
	const struct sockaddr_nl at = {.nl_family = AF_NETLINK, .nl_groups = groups};
	int sock = socket(AF_NETLINK, SOCK_RAW | SOCK_CLOEXEC, NETLINK_ROUTE);

	if (sock < 0)
		return -errno;
	if (!bind(sock, (const struct sockaddr *)&at, sizeof(at)))
		return sock;
	close(sock);
	return -errno;
}

int rtnetlink_listen(void)
{
	return rtnetlink_open(RTMGRP_LINK | RTMGRP_IPV4_IFADDR | RTMGRP_IPV6_IFADDR);
}

/* Drops the messages: their contents are queried anew, as some may be lost (ENOBUFS). */
void rtnetlink_drain(int sock)
{
	char buf[8192];

	while (recv(sock, buf, sizeof(buf), MSG_DONTWAIT) > 0 || errno == ENOBUFS)
		errno = 0;
}

static bool rtnetlink_request(int sock, const char *name, unsigned long what, struct ifreq *r)
{
	memset(r, 0, sizeof(*r));
	strncpy(r->ifr_name, name, IFNAMSIZ - 1);
	return !ioctl(sock, what, r);
}

void rtnetlink_state(int sock, const char *name, struct rtnetlink_state *s)
{
	struct ifreq r;

	*s = (struct rtnetlink_state){0};
	s->there = rtnetlink_request(sock, name, SIOCGIFFLAGS, &r);
	if (!s->there)
		return;
	s->running = (r.ifr_flags & (IFF_UP | IFF_RUNNING)) == (IFF_UP | IFF_RUNNING);
	s->promiscuous = r.ifr_flags & IFF_PROMISC;
	if (rtnetlink_request(sock, name, SIOCGIFMTU, &r))
		s->mtu = (uint32_t)r.ifr_mtu;
}

#define RTNETLINK_VLANS 64u /* of one interface */

struct vlan_link {
	unsigned int index;
	uint16_t vlan;
	char name[IFNAMSIZ];
};

struct address_list {
	struct rtnetlink_address *at;
	unsigned int n, max;
	unsigned int index; /* index of the interface */
	struct vlan_link vlans[RTNETLINK_VLANS];
	unsigned int nvlans;
};

/* --- VLANs ------------------------------------------------------------------------------------ */

/* Finds an attribute of a type, or NULL. */
static const struct rtattr *rtnetlink_attr(const void *at, size_t len, unsigned short type)
{
	const uint8_t *p = at;

	while (len >= sizeof(struct rtattr)) {
		const struct rtattr *a = (const void *)p;
		const size_t step = RTA_ALIGN(a->rta_len);

		if (a->rta_len < sizeof(*a) || a->rta_len > len)
			return NULL;
		if (a->rta_type == type)
			return a;
		p += step;
		len -= step < len ? step : len;
	}
	return NULL;
}

static const struct rtattr *rtnetlink_nested(const struct rtattr *a, unsigned short type)
{
	return a ? rtnetlink_attr((const uint8_t *)a + RTA_LENGTH(0), a->rta_len - RTA_LENGTH(0),
				  type)
		 : NULL;
}

static bool rtnetlink_value(const struct rtattr *a, void *to, size_t len)
{
	if (!a || a->rta_len < RTA_LENGTH(len))
		return false;
	memcpy(to, (const uint8_t *)a + RTA_LENGTH(0), len);
	return true;
}

/* Takes a customer's VLAN on the interface, as ib_core does for one of the port's. */
static void vlan_take(struct address_list *l, const struct nlmsghdr *h)
{
	const size_t before = NLMSG_SPACE(sizeof(struct ifinfomsg));
	const uint8_t *at = (const uint8_t *)h + before;
	const size_t len = h->nlmsg_len > before ? h->nlmsg_len - before : 0;
	const struct ifinfomsg *m = NLMSG_DATA(h);
	const struct rtattr *data, *name = rtnetlink_attr(at, len, IFLA_IFNAME);
	struct vlan_link *v = &l->vlans[l->nvlans];
	uint16_t protocol = 0;
	uint32_t below = 0;

	data = rtnetlink_nested(rtnetlink_attr(at, len, IFLA_LINKINFO), IFLA_INFO_DATA);
	if (l->nvlans == RTNETLINK_VLANS || !name ||
	    !rtnetlink_value(rtnetlink_attr(at, len, IFLA_LINK), &below, sizeof(below)) ||
	    below != l->index || rtnetlink_attr(at, len, IFLA_LINK_NETNSID) ||
	    !rtnetlink_value(rtnetlink_nested(data, IFLA_VLAN_PROTOCOL), &protocol, 2) ||
	    protocol != htobe16(ETH_P_8021Q) ||
	    !rtnetlink_value(rtnetlink_nested(data, IFLA_VLAN_ID), &v->vlan, 2) || !v->vlan)
		return;
	v->index = (unsigned int)m->ifi_index;
	snprintf(v->name, sizeof(v->name), "%s", (const char *)name + RTA_LENGTH(0));
	l->nvlans++;
}

/* --- addresses -------------------------------------------------------------------------------- */

/* Finds the interface of an address; *v NULL: the interface itself. False: another interface. */
static bool address_link(const struct address_list *l, unsigned int index,
			 const struct vlan_link **v)
{
	*v = NULL;
	for (unsigned int i = 0; i < l->nvlans; i++)
		if (l->vlans[i].index == index)
			*v = &l->vlans[i];
	return *v || index == l->index;
}

static void address_add(struct address_list *l, const struct ifaddrmsg *m,
			const struct vlan_link *v, const void *bytes)
{
	struct rtnetlink_address *a = &l->at[l->n];

	if (l->n == l->max)
		return;
	*a = (struct rtnetlink_address){.vlan = v ? v->vlan : 0};
	if (v)
		memcpy(a->name, v->name, sizeof(a->name));
	if (m->ifa_family == AF_INET)
		gid_ipv4(a->gid, bytes);
	else
		memcpy(a->gid, bytes, 16);
	a->prefix = (uint8_t)(m->ifa_prefixlen + (m->ifa_family == AF_INET ? 96 : 0));
	l->n++;
}

/* Takes an address. A point-to-point one is in IFA_LOCAL, its peer's in IFA_ADDRESS. */
static void address_take(struct address_list *l, const struct nlmsghdr *h)
{
	const size_t before = NLMSG_SPACE(sizeof(struct ifaddrmsg));
	const uint8_t *at = (const uint8_t *)h + before;
	const size_t len = h->nlmsg_len > before ? h->nlmsg_len - before : 0;
	const struct ifaddrmsg *m = NLMSG_DATA(h);
	const struct vlan_link *v;
	uint8_t bytes[16];
	const size_t n = m->ifa_family == AF_INET ? 4 : sizeof(bytes);

	if ((m->ifa_family != AF_INET && m->ifa_family != AF_INET6) ||
	    !address_link(l, m->ifa_index, &v))
		return;
	if (rtnetlink_value(rtnetlink_attr(at, len, IFA_LOCAL), bytes, n) ||
	    rtnetlink_value(rtnetlink_attr(at, len, IFA_ADDRESS), bytes, n))
		address_add(l, m, v, bytes);
}

/* Returns false if the answer is complete, or broken. */
static bool address_page(int sock, struct address_list *l)
{
	char buf[32768] __attribute__((aligned(NLMSG_ALIGNTO)));
	ssize_t n = recv(sock, buf, sizeof(buf), 0);
	unsigned int left = n > 0 ? (unsigned int)n : 0;

	if (n <= 0)
		return false;
	for (struct nlmsghdr *h = (void *)buf; NLMSG_OK(h, left); h = NLMSG_NEXT(h, left)) {
		if (h->nlmsg_type == NLMSG_DONE || h->nlmsg_type == NLMSG_ERROR)
			return false;
		if (h->nlmsg_type == RTM_NEWADDR)
			address_take(l, h);
		else if (h->nlmsg_type == RTM_NEWLINK)
			vlan_take(l, h);
	}
	return true;
}

static void address_dump(int sock, struct address_list *l, uint16_t type, uint32_t len)
{
	struct {
		struct nlmsghdr h;
		union {
			struct ifaddrmsg a;
			struct ifinfomsg i;
		} m;
	} q = {.h = {.nlmsg_len = NLMSG_LENGTH(len),
		     .nlmsg_type = type,
		     .nlmsg_flags = NLM_F_REQUEST | NLM_F_DUMP}};

	if (send(sock, &q, q.h.nlmsg_len, 0) == (ssize_t)q.h.nlmsg_len)
		while (address_page(sock, l))
			;
}

int rtnetlink_addresses(const char *name, struct rtnetlink_address *at, unsigned int max)
{
	struct address_list l = {.at = at, .max = max, .index = if_nametoindex(name)};
	int sock = rtnetlink_open(0);

	if (sock < 0)
		return sock;
	address_dump(sock, &l, RTM_GETLINK, sizeof(struct ifinfomsg));
	address_dump(sock, &l, RTM_GETADDR, sizeof(struct ifaddrmsg));
	close(sock);
	return (int)l.n;
}
