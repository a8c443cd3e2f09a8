/* SPDX-License-Identifier: BSD-2-Clause */
#include "udp.h"

#include <arpa/inet.h>
#include <errno.h>
#include <netinet/in.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <unistd.h>
#include "base/log.h"
#include "loop.h"
#include "obj/mcg.h"
#include "obj/device.h"
#include "packets.h"
#include "port.h"
#include "roce.h"
#include "udp_frame.h"
#include "udp_out.h"
#include "udp_socket.h"
#include "wire.h"

#define UDP_BATCH  32u /* datagrams received by one call */
#define CNP_OPCODE 0x81u
#define UDP_PREFIX 120 /* has no effect: routes are the kernel's */

/* A socket, of a function's address or of a group that has members here. */
struct udp_end {
	int fd;
	struct vhca *v; /* NULL: of a group */
	union udp_address own;
	uint8_t gid[16];
};
#define UDP_ENDS 64u

struct udp_wire {
	struct wire w;
	struct device *dev;
	struct udp_end ends[UDP_ENDS]; /* the first one belongs to the first function */
	unsigned int n;
	uint64_t groups; /* device.groups, when the sockets were opened */
	struct udp_out out;
	struct loop backlog; /* frames that a socket had no room for */
	int full;	     /* the socket whose room ends the chip's sleep, or -1 */
	uint64_t missed;     /* datagrams missed by sockets that are closed now */
	bool reported[256];  /* opcodes that cannot be sent, of which a message was logged */
	struct mmsghdr m[UDP_BATCH];
	struct iovec iov[UDP_BATCH];
	union udp_address from[UDP_BATCH];
	union udp_control control[UDP_BATCH];
	uint8_t in[UDP_BATCH][UDP_FRAME_ROOM + PORT_PACKET_MAX];
};

/* Returns true for IPv4. All addresses are of one family. */
static bool udp_ip4(const struct udp_wire *w)
{
	return udp_is_ip4(&w->ends[0].own);
}

/* Returns the socket of a function's address or a group's GID; NULL if there is none. */
static const struct udp_end *udp_end_of(const struct udp_wire *w, const uint8_t gid[16])
{
	for (unsigned int i = 0; i < w->n; i++)
		if (!memcmp(w->ends[i].gid, gid, 16))
			return &w->ends[i];
	return NULL;
}

/* --- out ------------------------------------------------------------------------------------- */

/*
 * Returns true for opcodes that the IBTA defines. DC, XRC and masked atomics have private forms
 * (bth.h).
 */
static bool udp_is_public(uint8_t opcode)
{
	const unsigned int type = opcode >> 5;

	return opcode == CNP_OPCODE ||
	       ((type == 0 || type == 1 || type == 3) && (opcode & 31) < 0x18);
}

/* Returns the socket by which a packet is sent; NULL if there is none. */
static const struct udp_end *udp_leaves_by(struct udp_wire *w, const struct roce_bytes *r)
{
	const struct udp_end *from = udp_end_of(w, r->sgid);

	if (roce_is_v1(r) || r->tagged || !from || !from->v) /* groups do not send */
		return NULL;
	if (udp_is_public(r->bth[0]))
		return from;
	if (!w->reported[r->bth[0]])
		sim_refuse("bth.opcode 0x%02x does not leave by wire udp: only dvx-sim knows this "
			   "form",
			   r->bth[0]);
	w->reported[r->bth[0]] = true;
	return NULL;
}

static void udp_keep(struct udp_wire *w, const struct frame *f)
{
	struct frame *copy = frame_copy(f);

	w->w.lost += copy ? loop_put(&w->backlog, copy) : 1;
}

/*
 * Sends a frame. Returns false if the socket has no room. A frame that this wire cannot carry is
 * dropped.
 */
static bool udp_put(struct udp_wire *w, const struct frame *f)
{
	const struct udp_end *from = NULL;
	struct roce_bytes r;

	if (roce_decode(f->data, f->len, &r))
		from = udp_leaves_by(w, &r);
	if (!from) {
		w->dev->drops.n[DROP_WIRE_FORM]++;
		return true;
	}
	if (!udp_out_room(&w->out, from->fd) && !udp_out_send(&w->out, &w->w))
		return false;
	udp_out_add(&w->out, from->fd, udp_ip4(w), &r);
	return true;
}

static void udp_send(struct wire *wire, const struct frame *f)
{
	struct udp_wire *w = (struct udp_wire *)wire;

	if (w->backlog.head || !udp_put(w, f))
		udp_keep(w, f);
}

static bool udp_room(struct wire *wire)
{
	return loop_room(&((struct udp_wire *)wire)->backlog);
}

static void udp_wait_room(struct udp_wire *w, int fd)
{
	for (unsigned int i = 0; fd != w->full && i < w->n; i++) {
		struct epoll_event ev = {.events = EPOLLIN | (w->ends[i].fd == fd ? EPOLLOUT : 0),
					 .data.u32 = i};

		epoll_ctl(w->w.fd, EPOLL_CTL_MOD, w->ends[i].fd, &ev);
	}
	w->full = fd;
}

/* Sends the frames that waited for room, oldest first: `out`, then the backlog. */
static bool udp_flush(struct wire *wire)
{
	struct udp_wire *w = (struct udp_wire *)wire;
	const uint64_t before = w->w.sent + w->w.lost;

	while (w->backlog.head && udp_put(w, w->backlog.head))
		frame_free(loop_take(&w->backlog));
	udp_wait_room(w, udp_out_send(&w->out, &w->w) ? -1 : w->out.fd);
	return w->w.sent + w->w.lost != before;
}

/* --- in -------------------------------------------------------------------------------------- */

static void udp_control_of(struct msghdr *m, struct udp_from *from)
{
	for (struct cmsghdr *c = CMSG_FIRSTHDR(m); c; c = CMSG_NXTHDR(m, c)) {
		int value = *CMSG_DATA(c); /* IPv4's TOS has one byte */

		if (c->cmsg_len == CMSG_LEN(sizeof(value)))
			memcpy(&value, CMSG_DATA(c), sizeof(value));
		if (c->cmsg_type == (from->ip4 ? IP_TOS : IPV6_TCLASS))
			from->tclass = (uint8_t)value;
		else if (c->cmsg_type == (from->ip4 ? IP_TTL : IPV6_HOPLIMIT))
			from->hop_limit = (uint8_t)value;
	}
}

static void udp_take(struct udp_wire *w, const struct udp_end *end, unsigned int i)
{
	struct udp_from from = {.ip4 = udp_ip4(w)};
	size_t len = w->m[i].msg_len, frame_len;
	uint8_t *frame = NULL;
	uint8_t gid[16];
	bool good = false;

	udp_gid(&w->from[i], gid);
	if (!end->v && udp_end_of(w, gid))
		return; /* sent by this chip, whose members have it already */
	memcpy(from.source, udp_bytes(&w->from[i]), from.ip4 ? 4 : 16);
	memcpy(from.dest, udp_bytes(&end->own), from.ip4 ? 4 : 16);
	if (end->v)
		memcpy(from.mac, end->v->mac, sizeof(from.mac));
	else
		gid_group_mac(end->gid, from.mac);
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

/* Restores the fields that a receive call changed in the headers that it used. */
static void udp_prepare(struct udp_wire *w, unsigned int n)
{
	for (unsigned int i = 0; i < n; i++) {
		w->iov[i] = (struct iovec){w->in[i] + UDP_FRAME_ROOM, PORT_PACKET_MAX};
		w->m[i].msg_hdr = (struct msghdr){.msg_name = &w->from[i],
						  .msg_namelen = sizeof(w->from[i]),
						  .msg_iov = &w->iov[i],
						  .msg_iovlen = 1,
						  .msg_control = &w->control[i],
						  .msg_controllen = sizeof(w->control[i])};
	}
}

static bool udp_receive(struct udp_wire *w, const struct udp_end *end)
{
	int n = port_room_in(w->dev->port) ? recvmmsg(end->fd, w->m, UDP_BATCH, MSG_DONTWAIT, NULL)
					   : 0;

	for (int i = 0; i < n; i++)
		udp_take(w, end, (unsigned int)i);
	udp_prepare(w, n > 0 ? (unsigned int)n : 0);
	return n > 0;
}

/* --- sockets --------------------------------------------------------------------------------- */

static int udp_add_end(struct udp_wire *w, int fd, struct vhca *v, const union udp_address *own)
{
	struct udp_end *end = &w->ends[w->n];
	struct epoll_event ev = {.events = EPOLLIN, .data.u32 = w->n};

	if (fd < 0)
		return fd;
	if (w->n == UDP_ENDS || epoll_ctl(w->w.fd, EPOLL_CTL_ADD, fd, &ev)) {
		close(fd);
		return -ENOSPC;
	}
	*end = (struct udp_end){.fd = fd, .v = v, .own = *own};
	udp_gid(own, end->gid);
	w->n++;
	return 0;
}

/* Closes a socket; the last one takes its place. */
static void udp_drop_end(struct udp_wire *w, unsigned int i)
{
	struct epoll_event ev = {.events = EPOLLIN, .data.u32 = i};

	w->missed += udp_socket_drops(w->ends[i].fd);
	close(w->ends[i].fd);
	w->ends[i] = w->ends[--w->n];
	if (i < w->n)
		epoll_ctl(w->w.fd, EPOLL_CTL_MOD, w->ends[i].fd, &ev);
}

static bool udp_has_members(const struct udp_wire *w, const uint8_t gid[16])
{
	for (unsigned int f = 0; f < w->dev->nfunctions; f++)
		if (mcg_find(&w->dev->vhca[f], gid))
			return true;
	return false;
}

static void udp_enter_group(struct udp_wire *w, const uint8_t gid[16])
{
	union udp_address group;
	int err;

	udp_from_gid(&group, gid);
	if (udp_is_ip4(&group) != udp_ip4(w) || udp_end_of(w, gid))
		return;
	err = udp_add_end(w, udp_join(&group, &w->ends[0].own), NULL, &group);
	if (err)
		sim_note("wire udp: a group's packets from other machines do not come in: %s",
			 strerror(-err));
}

/* Opens sockets for the groups that have members now, and closes all others of groups. */
static void udp_follow_groups(struct udp_wire *w)
{
	const struct mcg *g;

	w->groups = w->dev->groups;
	for (unsigned int i = w->n; i--;)
		if (!w->ends[i].v && !udp_has_members(w, w->ends[i].gid))
			udp_drop_end(w, i);
	for (unsigned int f = 0; f < w->dev->nfunctions; f++)
		for (g = w->dev->vhca[f].groups; g; g = g->hh.next)
			udp_enter_group(w, g->gid);
}

static bool udp_run(struct wire *wire)
{
	struct udp_wire *w = (struct udp_wire *)wire;
	struct epoll_event ev[UDP_ENDS];
	bool did = false;
	int n;

	if (w->groups != w->dev->groups)
		udp_follow_groups(w);
	if (w->n == 1)
		return udp_receive(w, &w->ends[0]);
	n = epoll_wait(w->w.fd, ev, (int)UDP_ENDS, 0);
	for (int i = 0; i < n; i++)
		did |= udp_receive(w, &w->ends[ev[i].data.u32]);
	return did;
}

static bool udp_is_loopback(const uint8_t *ip, bool ip4)
{
	static const uint8_t one[16] = {[15] = 1};

	return ip4 ? ip[0] == 127 : !memcmp(ip, one, sizeof(one));
}

/*
 * Resolves a GID. All addresses of the socket's family are reachable by the kernel's routes, except
 * between the host's loopback network and others.
 */
static int udp_resolve(struct wire *wire, const struct gid_entry *source, const uint8_t gid[16],
		       uint8_t mac[6])
{
	const struct udp_wire *w = (const struct udp_wire *)wire;
	const bool ip4 = udp_ip4(w);
	const uint8_t *ip = ip4 ? gid + 12 : gid;

	if (source->type == GID_ROCE_V1 || !udp_end_of(w, source->gid)) {
		sim_refuse("wire udp takes RoCE v2 from an address of the machine alone: another "
			   "function gets one by --ip FUNCTION=ADDR/LEN");
		return -ENETUNREACH;
	}
	if (ip4 != gid_is_ip4(gid) ||
	    udp_is_loopback(ip, ip4) != udp_is_loopback(udp_bytes(&w->ends[0].own), ip4))
		return -EHOSTUNREACH;
	udp_frame_mac(ip, ip4, mac);
	return 0;
}

static uint64_t udp_missed(struct wire *wire)
{
	const struct udp_wire *w = (const struct udp_wire *)wire;
	uint64_t n = w->missed;

	for (unsigned int i = 0; i < w->n; i++)
		n += udp_socket_drops(w->ends[i].fd);
	return n;
}

static void udp_close(struct wire *wire)
{
	struct udp_wire *w = (struct udp_wire *)wire;

	udp_flush(&w->w);
	loop_fini(&w->backlog);
	while (w->n)
		close(w->ends[--w->n].fd);
	if (w->w.fd >= 0)
		close(w->w.fd);
	free(w);
}

static const struct wire_ops udp_ops = {
	.send = udp_send,
	.room = udp_room,
	.run = udp_run,
	.flush = udp_flush,
	.resolve = udp_resolve,
	.missed = udp_missed,
	.close = udp_close,
};

/* --- opening --------------------------------------------------------------------------------- */

/*
 * Sets the GUID from the address. Chips of other machines have the same MAC address, and RDMA_CM
 * distinguishes peers by GUID.
 */
static void udp_set_guid(struct vhca *v, const union udp_address *own)
{
	uint8_t mac[6];

	udp_frame_mac(udp_bytes(own), udp_is_ip4(own), mac);
	vhca_set_guid(v, mac);
}

static int udp_give(struct udp_wire *w, struct vhca *v, const union udp_address *own)
{
	int err = udp_add_end(w, udp_bind(own), v, own);

	if (err)
		return err;
	udp_groups_leave_by(w->ends[w->n - 1].fd, own);
	udp_set_guid(v, own);
	return 0;
}

int udp_give_address(struct wire *wire, struct vhca *v, const uint8_t gid[16])
{
	struct udp_wire *w = (struct udp_wire *)wire;
	union udp_address own;

	udp_from_gid(&own, gid);
	if (udp_is_ip4(&own) != udp_ip4(w))
		return -EAFNOSUPPORT;
	return udp_give(w, v, &own);
}

static int udp_start(struct udp_wire *w, const union udp_address *own)
{
	int err;

	w->w.fd = epoll_create1(EPOLL_CLOEXEC);
	if (w->w.fd < 0)
		return -errno;
	udp_prepare(w, UDP_BATCH);
	err = udp_give(w, &w->dev->vhca[0], own);
	if (err)
		return err;
	vhca_set_ip(&w->dev->vhca[0], w->ends[0].gid, UDP_PREFIX);
	device_set_mtu(w->dev, udp_mtu(w->ends[0].fd, own));
	w->dev->udp_sport = UDP_ROCE;
	return 0;
}

struct wire *udp_open(struct device *dev, const char *address, char *why)
{
	struct udp_wire *w = calloc(1, sizeof(*w));
	union udp_address own = {0};
	const char *wrong;
	int err;

	if (!w) {
		snprintf(why, WIRE_WHY, "out of memory");
		return NULL;
	}
	w->w.ops = &udp_ops;
	w->w.fd = -1;
	w->full = -1;
	w->dev = dev;
	loop_init(&w->backlog);
	wrong = udp_parse(address, &own);
	err = wrong ? 0 : udp_start(w, &own);
	if (!wrong && !err)
		return &w->w;
	snprintf(why, WIRE_WHY, "can't use UDP port %u of %.60s: %s", UDP_ROCE, address,
		 wrong ? wrong : strerror(-err));
	udp_close(&w->w);
	return NULL;
}
