/* SPDX-License-Identifier: BSD-2-Clause */
#include "udp_out.h"

#include <errno.h>
#include <string.h>
#include "roce.h"
#include "wire.h"

static void udp_add_control(struct msghdr *m, int level, int type, int value)
{
	struct cmsghdr *c =
		(struct cmsghdr *)(void *)((uint8_t *)m->msg_control + m->msg_controllen);

	c->cmsg_level = level;
	c->cmsg_type = type;
	c->cmsg_len = CMSG_LEN(sizeof(value));
	memcpy(CMSG_DATA(c), &value, sizeof(value));
	m->msg_controllen += CMSG_SPACE(sizeof(value));
}

/* Adds traffic class and hop limit of the packet's header as control messages. */
static void udp_out_control(struct msghdr *m, bool ip4, const uint8_t *ip)
{
	int tclass = ip4 ? ip[1] : (ip[0] & 15) << 4 | ip[1] >> 4, hops = ip[ip4 ? 8 : 7];

	udp_add_control(m, ip4 ? IPPROTO_IP : IPPROTO_IPV6, ip4 ? IP_TOS : IPV6_TCLASS, tclass);
	udp_add_control(m, ip4 ? IPPROTO_IP : IPPROTO_IPV6, ip4 ? IP_TTL : IPV6_HOPLIMIT,
			hops ? hops : 1);
}

bool udp_out_room(const struct udp_out *o, int fd)
{
	return !o->n || (o->n < UDP_OUT && o->fd == fd);
}

void udp_out_add(struct udp_out *o, int fd, bool ip4, const struct roce_bytes *r)
{
	const unsigned int i = o->n++;
	struct msghdr *m = &o->m[i].msg_hdr;

	o->fd = fd;
	udp_from_gid(&o->to[i], r->dgid);
	memcpy(o->bytes[i], r->bth, r->len + ROCE_ICRC);
	o->iov[i] = (struct iovec){o->bytes[i], r->len + ROCE_ICRC};
	o->control[i] = (union udp_control){0};
	*m = (struct msghdr){.msg_name = &o->to[i],
			     .msg_namelen = udp_is_ip4(&o->to[i]) ? sizeof(o->to[i].ip4)
								  : sizeof(o->to[i].ip6),
			     .msg_iov = &o->iov[i],
			     .msg_iovlen = 1,
			     .msg_control = &o->control[i]};
	udp_out_control(m, ip4, r->net);
}

bool udp_out_send(struct udp_out *o, struct wire *w)
{
	while (o->first < o->n) {
		int sent = sendmmsg(o->fd, o->m + o->first, o->n - o->first,
				    MSG_DONTWAIT | MSG_NOSIGNAL);

		if (sent < 0 && errno == EAGAIN)
			return false;
		w->sent += sent > 0 ? (unsigned int)sent : 0;
		w->lost += sent <= 0;
		o->first += sent > 0 ? (unsigned int)sent : 1;
	}
	o->first = o->n = 0;
	return true;
}
