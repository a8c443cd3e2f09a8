/* SPDX-License-Identifier: BSD-2-Clause */
#include "rtnetlink.h"

#include <errno.h>
#include <linux/netlink.h>
#include <linux/rtnetlink.h>
#include <net/if.h>
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

/* What the messages say is asked anew: some may be lost (ENOBUFS). */
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

struct address_list {
	struct rtnetlink_address *at;
	unsigned int n, max;
	unsigned int index; /* the interface's */
};

static void address_add(struct address_list *l, const struct ifaddrmsg *m, const void *bytes)
{
	struct rtnetlink_address *a = &l->at[l->n];

	if (l->n == l->max)
		return;
	if (m->ifa_family == AF_INET)
		gid_ipv4(a->gid, bytes);
	else
		memcpy(a->gid, bytes, 16);
	a->prefix = (uint8_t)(m->ifa_prefixlen + (m->ifa_family == AF_INET ? 96 : 0));
	l->n++;
}

/* A point-to-point address has its own end in IFA_LOCAL, the peer's in IFA_ADDRESS. */
static void address_take(struct address_list *l, struct nlmsghdr *h)
{
	struct ifaddrmsg *m = NLMSG_DATA(h);
	const uint8_t *at = (const uint8_t *)h + NLMSG_SPACE(sizeof(*m)),
		      *end = (const uint8_t *)h + h->nlmsg_len;
	const void *bytes = NULL;

	if (m->ifa_index != l->index || (m->ifa_family != AF_INET && m->ifa_family != AF_INET6))
		return;
	while (at + sizeof(struct rtattr) <= end) {
		const struct rtattr *a = (const void *)at;

		if (a->rta_type == IFA_LOCAL || (a->rta_type == IFA_ADDRESS && !bytes))
			bytes = at + RTA_LENGTH(0);
		at += RTA_ALIGN(a->rta_len);
	}
	if (bytes)
		address_add(l, m, bytes);
}

/* false: the answer is complete, or broken. */
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
	}
	return true;
}

int rtnetlink_addresses(const char *name, struct rtnetlink_address *at, unsigned int max)
{
	struct address_list l = {.at = at, .max = max, .index = if_nametoindex(name)};
	struct {
		struct nlmsghdr h;
		struct ifaddrmsg m;
	} q = {.h = {.nlmsg_len = sizeof(q),
		     .nlmsg_type = RTM_GETADDR,
		     .nlmsg_flags = NLM_F_REQUEST | NLM_F_DUMP}};
	int sock = rtnetlink_open(0);

	if (sock < 0)
		return sock;
	if (send(sock, &q, sizeof(q), 0) == (ssize_t)sizeof(q))
		while (address_page(sock, &l))
			;
	close(sock);
	return (int)l.n;
}
