/* SPDX-License-Identifier: BSD-2-Clause */
#include "udp.h"

#include <arpa/inet.h>
#include <errno.h>
#include <ifaddrs.h>
#include <net/if.h>
#include <netinet/in.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <unistd.h>
#include "base/log.h"
#include "loop.h"
#include "obj/vhca.h"
#include "packets.h"
#include "port.h"
#include "roce.h"
#include "udp_frame.h"
#include "wire.h"

#define UDP_ROCE	 4791
#define UDP_BATCH	 32u	   /* datagrams in one call */
#define UDP_RECEIVES	 (1 << 22) /* bytes, if the machine allows it */
#define UDP_NO_CHECK_TX6 101	   /* linux/udp.h */
#define UDP_NO_CHECK_RX6 102
#define CNP_OPCODE	 0x81u
#define UDP_PREFIX	 120 /* means nothing: routes are the kernel's */

union udp_address {
	struct sockaddr any;
	struct sockaddr_in ip4;
	struct sockaddr_in6 ip6;
};

union udp_control {
	struct cmsghdr align;
	uint8_t bytes[2 * CMSG_SPACE(sizeof(int))];
};

struct udp_wire {
	struct wire w;
	struct device *dev;
	union udp_address own;
	struct loop backlog; /* the socket has no room */
	bool told[256];	     /* of opcodes that don't go out */
	struct mmsghdr m[UDP_BATCH];
	struct iovec iov[UDP_BATCH];
	union udp_address from[UDP_BATCH];
	union udp_control control[UDP_BATCH];
	uint8_t in[UDP_BATCH][UDP_FRAME_ROOM + PORT_PACKET_MAX];
};

static bool udp_ip4(const struct udp_wire *w)
{
	return w->own.any.sa_family == AF_INET;
}

static const void *udp_bytes(const union udp_address *a)
{
	return a->any.sa_family == AF_INET ? (const void *)&a->ip4.sin_addr
					   : (const void *)&a->ip6.sin6_addr;
}

/* As GIDs have it. */
static void udp_gid(const union udp_address *a, uint8_t gid[16])
{
	memset(gid, 0, 16);
	if (a->any.sa_family == AF_INET6) {
		memcpy(gid, &a->ip6.sin6_addr, 16);
		return;
	}
	gid[10] = gid[11] = 0xff;
	memcpy(gid + 12, &a->ip4.sin_addr, 4);
}

/* --- out ------------------------------------------------------------------------------------- */

/* DC, XRC and masked atomics have a form of dvx-sim's own (bth.h). */
static bool udp_is_public(uint8_t opcode)
{
	const unsigned int type = opcode >> 5;

	return opcode == CNP_OPCODE ||
	       ((type == 0 || type == 1 || type == 3) && (opcode & 31) < 0x18);
}

static bool udp_may_leave(struct udp_wire *w, const struct roce_bytes *r)
{
	uint8_t own[16];

	udp_gid(&w->own, own);
	if (roce_is_v1(r) || memcmp(r->sgid, own, 16) != 0)
		return false;
	if (udp_is_public(r->bth[0]))
		return true;
	if (!w->told[r->bth[0]])
		sim_refuse("bth.opcode 0x%02x does not leave by wire udp: only dvx-sim knows this "
			   "form",
			   r->bth[0]);
	w->told[r->bth[0]] = true;
	return false;
}

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

static int udp_write(const struct udp_wire *w, const struct roce_bytes *r)
{
	struct iovec iov = {(void *)(uintptr_t)r->bth, r->len + ROCE_ICRC};
	union udp_address to = {.any.sa_family = w->own.any.sa_family};
	union udp_control control = {0};
	struct msghdr m = {
		.msg_name = &to, .msg_iov = &iov, .msg_iovlen = 1, .msg_control = &control};
	const bool ip4 = udp_ip4(w);
	const uint8_t *ip = r->net;
	int tclass = ip4 ? ip[1] : (ip[0] & 15) << 4 | ip[1] >> 4, hops = ip[ip4 ? 8 : 7];

	if (ip4) {
		to.ip4.sin_port = htons(UDP_ROCE);
		memcpy(&to.ip4.sin_addr, r->dgid + 12, 4);
		m.msg_namelen = sizeof(to.ip4);
	} else {
		to.ip6.sin6_port = htons(UDP_ROCE);
		memcpy(&to.ip6.sin6_addr, r->dgid, 16);
		m.msg_namelen = sizeof(to.ip6);
	}
	udp_add_control(&m, ip4 ? IPPROTO_IP : IPPROTO_IPV6, ip4 ? IP_TOS : IPV6_TCLASS, tclass);
	udp_add_control(&m, ip4 ? IPPROTO_IP : IPPROTO_IPV6, ip4 ? IP_TTL : IPV6_HOPLIMIT,
			hops ? hops : 1);
	return sendmsg(w->w.fd, &m, MSG_DONTWAIT | MSG_NOSIGNAL) < 0 ? -errno : 0;
}

static void udp_keep(struct udp_wire *w, const struct frame *f)
{
	struct frame *copy = frame_copy(f);

	if (copy)
		loop_put(&w->backlog, copy);
	else
		w->w.lost++;
}

static void udp_send(struct wire *wire, const struct frame *f)
{
	struct udp_wire *w = (struct udp_wire *)wire;
	struct roce_bytes r;
	int err = -EPROTO;

	if (w->backlog.head) {
		udp_keep(w, f);
		return;
	}
	if (roce_decode(f->data, f->len, &r) && udp_may_leave(w, &r))
		err = udp_write(w, &r);
	if (err == -EAGAIN)
		udp_keep(w, f);
	else if (err)
		w->w.lost++;
	else
		w->w.sent++;
}

static bool udp_room(struct wire *wire)
{
	return loop_room(&((struct udp_wire *)wire)->backlog);
}

/* True: something went out. */
static bool udp_flush(struct udp_wire *w)
{
	struct frame *f;
	bool did = false;

	while ((f = w->backlog.head)) {
		struct roce_bytes r;
		int err = -EPROTO;

		if (roce_decode(f->data, f->len, &r) && udp_may_leave(w, &r))
			err = udp_write(w, &r);
		if (err == -EAGAIN)
			break;
		w->w.sent += !err;
		w->w.lost += err != 0;
		frame_free(loop_take(&w->backlog));
		did = true;
	}
	return did;
}

/* --- in -------------------------------------------------------------------------------------- */

static void udp_control_of(struct msghdr *m, struct udp_from *from)
{
	for (struct cmsghdr *c = CMSG_FIRSTHDR(m); c; c = CMSG_NXTHDR(m, c)) {
		int value = *CMSG_DATA(c); /* IPv4's TOS is a byte */

		if (c->cmsg_len == CMSG_LEN(sizeof(value)))
			memcpy(&value, CMSG_DATA(c), sizeof(value));
		if (c->cmsg_type == (from->ip4 ? IP_TOS : IPV6_TCLASS))
			from->tclass = (uint8_t)value;
		else if (c->cmsg_type == (from->ip4 ? IP_TTL : IPV6_HOPLIMIT))
			from->hop_limit = (uint8_t)value;
	}
}

static void udp_take(struct udp_wire *w, unsigned int i)
{
	struct udp_from from = {.ip4 = udp_ip4(w)};
	size_t len = w->m[i].msg_len, frame_len;
	uint8_t *frame = NULL;
	bool good = false;

	memcpy(from.source, udp_bytes(&w->from[i]), from.ip4 ? 4 : 16);
	memcpy(from.dest, udp_bytes(&w->own), from.ip4 ? 4 : 16);
	memcpy(from.mac, w->dev->vhca[0].mac, sizeof(from.mac));
	from.port = ntohs(from.ip4 ? w->from[i].ip4.sin_port : w->from[i].ip6.sin6_port);
	udp_control_of(&w->m[i].msg_hdr, &from);
	if (!(w->m[i].msg_hdr.msg_flags & MSG_TRUNC))
		frame = udp_frame_make(&from, w->in[i] + UDP_FRAME_ROOM, len, &frame_len, &good);
	if (!frame) {
		w->w.bad++;
		return;
	}
	w->w.received++;
	port_receive(w->dev->port, frame, frame_len, good);
}

static bool udp_run(struct wire *wire)
{
	struct udp_wire *w = (struct udp_wire *)wire;
	bool did = udp_flush(w);
	int n;

	if (!port_room_in(w->dev->port))
		return did;
	for (unsigned int i = 0; i < UDP_BATCH; i++) {
		w->iov[i] = (struct iovec){w->in[i] + UDP_FRAME_ROOM, PORT_PACKET_MAX};
		w->m[i].msg_hdr = (struct msghdr){.msg_name = &w->from[i],
						  .msg_namelen = sizeof(w->from[i]),
						  .msg_iov = &w->iov[i],
						  .msg_iovlen = 1,
						  .msg_control = &w->control[i],
						  .msg_controllen = sizeof(w->control[i])};
	}
	n = recvmmsg(w->w.fd, w->m, UDP_BATCH, MSG_DONTWAIT, NULL);
	for (int i = 0; i < n; i++)
		udp_take(w, (unsigned int)i);
	return did || n > 0;
}

static bool udp_is_loopback(const uint8_t *ip, bool ip4)
{
	static const uint8_t one[16] = {[15] = 1};

	return ip4 ? ip[0] == 127 : !memcmp(ip, one, sizeof(one));
}

/*
 * All that the socket's family reaches; the routes are the kernel's. Between a host's own loopback
 * network and others there is none.
 */
static int udp_resolve(struct wire *wire, uint16_t vlan, const uint8_t gid[16], uint8_t mac[6])
{
	static const uint8_t mapped[12] = {[10] = 0xff, [11] = 0xff};
	const struct udp_wire *w = (const struct udp_wire *)wire;
	const bool ip4 = udp_ip4(w);
	const uint8_t *ip = ip4 ? gid + 12 : gid;

	if (vlan || ip4 != !memcmp(gid, mapped, sizeof(mapped)) ||
	    udp_is_loopback(ip, ip4) != udp_is_loopback(udp_bytes(&w->own), ip4))
		return -EHOSTUNREACH;
	udp_frame_mac(ip, ip4, mac);
	return 0;
}

static void udp_close(struct wire *wire)
{
	struct udp_wire *w = (struct udp_wire *)wire;

	loop_fini(&w->backlog);
	if (w->w.fd >= 0)
		close(w->w.fd);
	free(w);
}

static const struct wire_ops udp_ops = {
	.send = udp_send,
	.room = udp_room,
	.run = udp_run,
	.resolve = udp_resolve,
	.close = udp_close,
};

/* --- the socket ------------------------------------------------------------------------------ */

static const char *udp_parse(const char *text, union udp_address *a)
{
	if (inet_pton(AF_INET, text, &a->ip4.sin_addr) == 1) {
		a->ip4.sin_family = AF_INET;
		a->ip4.sin_port = htons(UDP_ROCE);
		if (a->ip4.sin_addr.s_addr == htonl(INADDR_ANY) ||
		    IN_MULTICAST(ntohl(a->ip4.sin_addr.s_addr)))
			return "it must be one address of the machine";
		return NULL;
	}
	if (inet_pton(AF_INET6, text, &a->ip6.sin6_addr) != 1)
		return "it is no IPv4 or IPv6 address";
	a->ip6.sin6_family = AF_INET6;
	a->ip6.sin6_port = htons(UDP_ROCE);
	if (IN6_IS_ADDR_UNSPECIFIED(&a->ip6.sin6_addr) || IN6_IS_ADDR_MULTICAST(&a->ip6.sin6_addr))
		return "it must be one address of the machine";
	if (IN6_IS_ADDR_LINKLOCAL(&a->ip6.sin6_addr) || IN6_IS_ADDR_V4MAPPED(&a->ip6.sin6_addr))
		return "link-local and mapped addresses are not possible";
	return NULL;
}

static void udp_set(int fd, int level, int name, int value)
{
	setsockopt(fd, level, name, &value, sizeof(value));
}

/* Don't Fragment, and with it Identification 0; no checksums, as the ICRC covers more. */
static void udp_options(int fd, bool ip4)
{
	if (ip4) {
		udp_set(fd, IPPROTO_IP, IP_MTU_DISCOVER, IP_PMTUDISC_DO);
		udp_set(fd, IPPROTO_IP, IP_RECVTOS, 1);
		udp_set(fd, IPPROTO_IP, IP_RECVTTL, 1);
	} else {
		udp_set(fd, IPPROTO_IPV6, IPV6_MTU_DISCOVER, IPV6_PMTUDISC_DO);
		udp_set(fd, IPPROTO_IPV6, IPV6_V6ONLY, 1);
		udp_set(fd, IPPROTO_IPV6, IPV6_RECVTCLASS, 1);
		udp_set(fd, IPPROTO_IPV6, IPV6_RECVHOPLIMIT, 1);
		udp_set(fd, IPPROTO_UDP, UDP_NO_CHECK_TX6, 1);
		udp_set(fd, IPPROTO_UDP, UDP_NO_CHECK_RX6, 1);
	}
	udp_set(fd, SOL_SOCKET, SO_NO_CHECK, 1);
	udp_set(fd, SOL_SOCKET, SO_RCVBUF, UDP_RECEIVES);
	udp_set(fd, SOL_SOCKET, SO_RCVBUFFORCE, UDP_RECEIVES);
}

/* Bytes of a packet of the interface that has the address; 0: unknown. */
static unsigned int udp_mtu(int fd, const union udp_address *own)
{
	struct ifaddrs *all, *i;
	struct ifreq r = {0};
	const size_t len = own->any.sa_family == AF_INET ? 4 : 16;

	if (getifaddrs(&all))
		return 0;
	for (i = all; i; i = i->ifa_next)
		if (i->ifa_addr && i->ifa_addr->sa_family == own->any.sa_family &&
		    !memcmp(udp_bytes((const void *)i->ifa_addr), udp_bytes(own), len))
			snprintf(r.ifr_name, sizeof(r.ifr_name), "%s", i->ifa_name);
	freeifaddrs(all);
	return *r.ifr_name && !ioctl(fd, SIOCGIFMTU, &r) ? (unsigned int)r.ifr_mtu : 0;
}

static int udp_bind(struct udp_wire *w)
{
	const bool ip4 = udp_ip4(w);

	w->w.fd = socket(w->own.any.sa_family, SOCK_DGRAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
	if (w->w.fd < 0)
		return -errno;
	udp_options(w->w.fd, ip4);
	return bind(w->w.fd, &w->own.any, ip4 ? sizeof(w->own.ip4) : sizeof(w->own.ip6)) ? -errno
											 : 0;
}

/* Chips of other machines have the same MAC address. RDMA_CM tells peers apart by their GUIDs. */
static void udp_set_guid(const struct udp_wire *w)
{
	uint8_t mac[6];

	udp_frame_mac(udp_bytes(&w->own), udp_ip4(w), mac);
	vhca_set_guid(&w->dev->vhca[0], mac);
}

struct wire *udp_open(struct device *dev, const char *address, char *why)
{
	struct udp_wire *w = calloc(1, sizeof(*w));
	uint8_t gid[16];
	const char *wrong;
	int err;

	if (!w) {
		snprintf(why, WIRE_WHY, "out of memory");
		return NULL;
	}
	w->w.ops = &udp_ops;
	w->w.fd = -1;
	w->dev = dev;
	loop_init(&w->backlog);
	wrong = udp_parse(address, &w->own);
	err = wrong ? 0 : udp_bind(w);
	if (!wrong && !err) {
		udp_gid(&w->own, gid);
		vhca_set_ip(&dev->vhca[0], gid, UDP_PREFIX);
		udp_set_guid(w);
		device_set_mtu(dev, udp_mtu(w->w.fd, &w->own));
		dev->udp_sport = UDP_ROCE;
		return &w->w;
	}
	snprintf(why, WIRE_WHY, "can't use UDP port %u of %.60s: %s", UDP_ROCE, address,
		 wrong ? wrong : strerror(-err));
	udp_close(&w->w);
	return NULL;
}
