/* SPDX-License-Identifier: BSD-2-Clause */
#include "peer.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/file.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/uio.h>
#include <sys/un.h>
#include <unistd.h>
#include <utlist.h>
#include "base/log.h"
#include "loop.h"
#include "obj/device.h"
#include "port.h"
#include "wire.h"

/*
 * A switch without a process in the middle. Each chip has a socket in the switch's folder, and a
 * connection to each other chip. A connection ends with its chip, and preserves order and packet
 * boundaries. A socket's name is that of the numbers in its chip's addresses, FIRST-LAST: chips
 * have different numbers of functions.
 */
#define PEER_MAGIC    0x50585644u /* "DVXP" */
#define PEER_EVENTS   16
#define PEER_RECEIVES 64	  /* packets read from a chip in one turn */
#define PEER_PATIENCE 1000000000u /* ns without progress, after which a chip counts as hung */
#define PEER_LEARNED  256u

enum peer_kind { PEER_FRAME = PEER_MAGIC, PEER_NEIGHBOURS };

/* An address of a chip. */
struct neighbour {
	uint8_t gid[16], mac[6];
	uint16_t vlan; /* 0: none */
};
/* Most addresses of a chip: all, if it has no network interfaces; else the first ones. */
#define PEER_NEIGHBOURS_MOST (DEVICE_MAX_FUNCTIONS * VHCA_OWN_GIDS)

struct peer {
	struct peer *prev, *next;
	int fd;
	bool introduced;
	struct loop backlog; /* frames that it had no room for */
	uint64_t since;	     /* time of its last progress, or of the start of the backlog */
	unsigned int n;
	struct neighbour neighbours[PEER_NEIGHBOURS_MOST];
};

struct peer_wire {
	struct wire w;
	struct device *dev;
	int listener;
	int spare; /* a reserve descriptor for when there is none left */
	struct sockaddr_un at;
	struct peer *peers;
	bool introduction_due; /* some peers lack this chip's present addresses */
	struct {
		uint8_t mac[6];
		struct peer *peer;
	} learned[PEER_LEARNED];
	union {
		uint8_t frame[PORT_PACKET_MAX];
		struct neighbour neighbours[PEER_NEIGHBOURS_MOST];
	} in;
};

static uint64_t peer_now(const struct peer_wire *w)
{
	return w->dev->clock->now(w->dev->clock);
}

/* --- peers ----------------------------------------------------------------------------------- */

static unsigned int learned_slot(const uint8_t mac[6])
{
	return (mac[3] * 31u + mac[4] * 7u + mac[5]) % PEER_LEARNED;
}

static void peer_learn(struct peer_wire *w, struct peer *p, const uint8_t mac[6])
{
	unsigned int i = learned_slot(mac);

	if (mac[0] & 1)
		return;
	memcpy(w->learned[i].mac, mac, 6);
	w->learned[i].peer = p;
}

/* Returns the peer with this MAC address; NULL if it is unknown. */
static struct peer *peer_of(const struct peer_wire *w, const uint8_t mac[6])
{
	unsigned int i = learned_slot(mac);

	return !memcmp(w->learned[i].mac, mac, 6) ? w->learned[i].peer : NULL;
}

static void peer_remove(struct peer_wire *w, struct peer *p)
{
	for (unsigned int i = 0; i < PEER_LEARNED; i++)
		if (w->learned[i].peer == p)
			w->learned[i].peer = NULL;
	DL_DELETE(w->peers, p);
	w->w.others--;
	close(p->fd);
	loop_fini(&p->backlog);
	free(p);
}

static int peer_resolve(struct wire *wire, const struct gid_entry *from, const uint8_t gid[16],
			uint8_t mac[6])
{
	struct peer_wire *w = (struct peer_wire *)wire;
	struct peer *p;

	DL_FOREACH(w->peers, p)
	for (unsigned int i = 0; i < p->n; i++)
		if (p->neighbours[i].vlan == from->vlan && !memcmp(p->neighbours[i].gid, gid, 16)) {
			memcpy(mac, p->neighbours[i].mac, 6);
			return 0;
		}
	return -EHOSTUNREACH;
}

/* --- out ------------------------------------------------------------------------------------- */

/* Writes a message. Returns 0, -EAGAIN if the peer has no room, or another error if it is gone. */
static int peer_write(const struct peer *p, uint32_t kind, const void *bytes, size_t len)
{
	const struct iovec iov[] = {{&kind, sizeof(kind)}, {(void *)(uintptr_t)bytes, len}};
	const struct msghdr m = {.msg_iov = (struct iovec *)(uintptr_t)iov, .msg_iovlen = 2};

	return sendmsg(p->fd, &m, MSG_DONTWAIT | MSG_NOSIGNAL) < 0 ? -errno : 0;
}

static int peer_introduce(struct peer_wire *w, const struct peer *p)
{
	struct neighbour all[PEER_NEIGHBOURS_MOST] = {0};
	unsigned int n = 0;

	for (unsigned int f = 0; f < w->dev->nfunctions; f++)
		for (unsigned int i = 0; i < w->dev->vhca[f].ngids && n < PEER_NEIGHBOURS_MOST;
		     i++) {
			const struct gid_entry *e = &w->dev->vhca[f].gids[i];

			if (e->type == GID_EMPTY)
				continue;
			memcpy(all[n].gid, e->gid, sizeof(all[n].gid));
			all[n].vlan = e->vlan;
			memcpy(all[n++].mac, e->mac, sizeof(all[n].mac));
		}
	return peer_write(p, PEER_NEIGHBOURS, all, n * sizeof(all[0]));
}

static void peer_wait_room(const struct peer_wire *w, struct peer *p, bool wait)
{
	struct epoll_event ev = {.events = EPOLLIN | (wait ? EPOLLOUT : 0), .data.ptr = p};

	epoll_ctl(w->w.fd, EPOLL_CTL_MOD, p->fd, &ev);
}

/* Returns true if a peer is stopped or hangs. Other peers do not wait for it. */
static bool peer_hangs(const struct peer_wire *w, const struct peer *p)
{
	return p->backlog.head && peer_now(w) - p->since > PEER_PATIENCE;
}

static void peer_keep(struct peer_wire *w, struct peer *p, const struct frame *f)
{
	struct frame *copy = peer_hangs(w, p) ? NULL : frame_copy(f);

	if (!copy) {
		w->w.lost++;
		return;
	}
	if (!p->backlog.head) {
		p->since = peer_now(w);
		peer_wait_room(w, p, true);
	}
	w->w.lost += loop_put(&p->backlog, copy);
}

/*
 * Sends a frame. Only peer_run() removes a peer that is gone, when it reads its end: it may read
 * from this one now, since a frame that comes in may let go of one that goes out (fault.c).
 */
static void peer_send_to(struct peer_wire *w, struct peer *p, const struct frame *f)
{
	int err = p->backlog.head ? -EAGAIN : peer_write(p, PEER_FRAME, f->data, f->len);

	if (err == -EAGAIN)
		peer_keep(w, p, f);
}

static void peer_send(struct wire *wire, const struct frame *f)
{
	struct peer_wire *w = (struct peer_wire *)wire;
	struct peer *p = peer_of(w, f->data);

	w->w.sent++;
	if (p) {
		peer_send_to(w, p, f);
		return;
	}
	DL_FOREACH(w->peers, p)
	peer_send_to(w, p, f);
}

static bool peer_room(struct wire *wire)
{
	const struct peer_wire *w = (struct peer_wire *)wire;
	struct peer *p;

	DL_FOREACH(w->peers, p)
	if (!loop_room(&p->backlog) && !peer_hangs(w, p))
		return false;
	return true;
}

/* Sends the backlog. Returns false if the peer is gone. */
static bool peer_flush(struct peer_wire *w, struct peer *p)
{
	struct frame *f;
	int err = 0;

	while (!err && (f = p->backlog.head)) {
		err = peer_write(p, PEER_FRAME, f->data, f->len);
		if (err)
			break;
		p->since = peer_now(w);
		frame_free(loop_take(&p->backlog));
	}
	if (!p->backlog.head)
		peer_wait_room(w, p, false);
	return !err || err == -EAGAIN;
}

/* --- in -------------------------------------------------------------------------------------- */

static int peer_add(struct peer_wire *w, int fd)
{
	struct epoll_event ev = {.events = EPOLLIN};
	struct peer *p = calloc(1, sizeof(*p));

	if (!p)
		return -ENOMEM;
	p->fd = fd;
	loop_init(&p->backlog);
	ev.data.ptr = p;
	if (epoll_ctl(w->w.fd, EPOLL_CTL_ADD, fd, &ev)) {
		free(p);
		return -errno;
	}
	DL_APPEND(w->peers, p);
	w->w.others++;
	w->introduction_due = true;
	return 0;
}

/* Closes the connection at once, so that the loop does not spin. */
static void peer_reject(struct peer_wire *w)
{
	sim_refuse("a chip on the switch is turned away: there are no file descriptors left");
	close(w->spare);
	close(accept4(w->listener, NULL, NULL, SOCK_CLOEXEC));
	w->spare = open("/dev/null", O_RDONLY | O_CLOEXEC);
}

static void peer_accept(struct peer_wire *w)
{
	int fd = accept4(w->listener, NULL, NULL, SOCK_CLOEXEC | SOCK_NONBLOCK);

	if (fd < 0 && (errno == EMFILE || errno == ENFILE))
		peer_reject(w);
	if (fd >= 0 && peer_add(w, fd))
		close(fd);
}

/* Handles a message. Returns false for one that no chip of this version sends. */
static bool peer_take(struct peer_wire *w, struct peer *p, uint32_t kind, size_t len)
{
	if (kind == PEER_NEIGHBOURS && !(len % sizeof(struct neighbour))) {
		p->n = (unsigned int)(len / sizeof(struct neighbour));
		memcpy(p->neighbours, w->in.neighbours, len);
		for (unsigned int i = 0; i < p->n; i++)
			peer_learn(w, p, p->neighbours[i].mac);
		return true;
	}
	if (kind != PEER_FRAME || len < PORT_PACKET_MIN || len > PORT_PACKET_MAX)
		return false;
	w->w.received++;
	peer_learn(w, p, w->in.frame + 6);
	port_receive(w->dev->port, w->in.frame, len, false);
	return true;
}

/*
 * Reads a message. Returns 1, 0 if there is none, or -1 if the peer is gone or sends something
 * else.
 */
static int peer_read(struct peer_wire *w, struct peer *p)
{
	uint32_t kind = 0;
	struct iovec iov[] = {{&kind, sizeof(kind)}, {&w->in, sizeof(w->in)}};
	struct msghdr m = {.msg_iov = iov, .msg_iovlen = 2};
	ssize_t n = recvmsg(p->fd, &m, MSG_DONTWAIT);

	if (n < 0 && (errno == EAGAIN || errno == EINTR))
		return 0;
	if (n <= 0)
		return -1;
	if (m.msg_flags & MSG_TRUNC || (size_t)n < sizeof(kind) ||
	    !peer_take(w, p, kind, (size_t)n - sizeof(kind))) {
		sim_refuse("a chip on the switch sent what is no message of this version");
		w->w.bad++;
		return -1;
	}
	return 1;
}

/*
 * Reads messages; returns false if the peer is gone. Frames for which the port has no room stay in
 * the socket, and their sender waits.
 */
static bool peer_receive(struct peer_wire *w, struct peer *p)
{
	int rc = 1;

	for (unsigned int i = 0; rc > 0 && i < PEER_RECEIVES && port_room_in(w->dev->port); i++)
		rc = peer_read(w, p);
	return rc >= 0;
}

/*
 * Sends this chip's addresses, in a turn of the loop: those of the first function are final by
 * then.
 */
static void peer_introduce_all(struct peer_wire *w)
{
	struct peer *p, *next;
	int err;

	w->introduction_due = false;
	DL_FOREACH_SAFE(w->peers, p, next)
	{
		if (p->introduced)
			continue;
		err = peer_introduce(w, p);
		p->introduced = !err;
		if (err == -EAGAIN) {
			w->introduction_due = true;
			peer_wait_room(w, p, true);
		} else if (err) {
			peer_remove(w, p);
		}
	}
}

static void peer_gids_changed(struct wire *wire)
{
	struct peer_wire *w = (struct peer_wire *)wire;
	struct peer *p;

	DL_FOREACH(w->peers, p)
	p->introduced = false;
	w->introduction_due = true;
}

static bool peer_run(struct wire *wire)
{
	struct peer_wire *w = (struct peer_wire *)wire;
	struct epoll_event ev[PEER_EVENTS];
	int n = epoll_wait(w->w.fd, ev, PEER_EVENTS, 0);

	for (int i = 0; i < n; i++) {
		struct peer *p = ev[i].data.ptr;

		if (!p)
			peer_accept(w);
		else if ((ev[i].events & EPOLLOUT && !peer_flush(w, p)) ||
			 (ev[i].events & ~(uint32_t)EPOLLOUT && !peer_receive(w, p)))
			peer_remove(w, p);
	}
	if (w->introduction_due)
		peer_introduce_all(w);
	return n > 0;
}

/* --- joining --------------------------------------------------------------------------------- */

static void peer_close(struct wire *wire)
{
	struct peer_wire *w = (struct peer_wire *)wire;
	struct peer *p, *next;

	DL_FOREACH_SAFE(w->peers, p, next)
	peer_remove(w, p);
	if (w->listener >= 0) {
		unlink(w->at.sun_path);
		close(w->listener);
	}
	if (w->w.fd >= 0)
		close(w->w.fd);
	if (w->spare >= 0)
		close(w->spare);
	free(w);
}

static const struct wire_ops peer_ops = {
	.send = peer_send,
	.room = peer_room,
	.run = peer_run,
	.resolve = peer_resolve,
	.gids_changed = peer_gids_changed,
	.close = peer_close,
};

static int peer_address(struct sockaddr_un *at, const char *folder, unsigned int first,
			unsigned int last)
{
	at->sun_family = AF_UNIX;
	return snprintf(at->sun_path, sizeof(at->sun_path), "%s/%u-%u", folder, first, last) <
			       (int)sizeof(at->sun_path)
		       ? 0
		       : -ENAMETOOLONG;
}

static int peer_socket(void)
{
	return socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
}

/*
 * Connects to a chip. Returns -ENOENT if it is gone. The socket of a chip that died is removed.
 */
static int peer_call(struct peer_wire *w, const struct sockaddr_un *at)
{
	int fd = peer_socket(), err = fd < 0 ? -errno : 0;

	if (!err && connect(fd, (const struct sockaddr *)at, sizeof(*at)))
		err = -errno;
	if (!err)
		err = peer_add(w, fd);
	if (err && fd >= 0)
		close(fd);
	if (err == -ECONNREFUSED)
		unlink(at->sun_path);
	return err == -ECONNREFUSED ? -ENOENT : err;
}

static int peer_listen(struct peer_wire *w)
{
	struct epoll_event ev = {.events = EPOLLIN};

	w->listener = peer_socket();
	if (w->listener < 0 || bind(w->listener, (const struct sockaddr *)&w->at, sizeof(w->at)) ||
	    listen(w->listener, SOMAXCONN) || epoll_ctl(w->w.fd, EPOLL_CTL_ADD, w->listener, &ev))
		return -errno;
	return 0;
}

/* Connects to the chip whose socket has this name, and marks its numbers. */
static int peer_call_name(struct peer_wire *w, const char *folder, const char *name,
			  bool used[DEVICE_NUMBERS + 1])
{
	struct sockaddr_un at;
	unsigned int first, last;
	int err;

	if (sscanf(name, "%u-%u", &first, &last) != 2)
		return 0;
	err = peer_address(&at, folder, first, last) ?: peer_call(w, &at);
	for (unsigned int i = first; !err && i <= last && i <= DEVICE_NUMBERS; i++)
		used[i] = true;
	return err == -ENOENT ? 0 : err;
}

static int peer_call_all(struct peer_wire *w, const char *folder, bool used[DEVICE_NUMBERS + 1])
{
	DIR *dir = opendir(folder);
	struct dirent *e;
	int err = dir ? 0 : -errno;

	while (!err && (e = readdir(dir)))
		err = peer_call_name(w, folder, e->d_name, used);
	if (dir)
		closedir(dir);
	return err;
}

/* Returns the lowest of n free numbers that follow each other, or 0. */
static unsigned int peer_free_numbers(const bool used[DEVICE_NUMBERS + 1], unsigned int n)
{
	unsigned int have = 0;

	for (unsigned int i = 1; i <= DEVICE_NUMBERS; i++) {
		have = used[i] ? 0 : have + 1;
		if (have == n)
			return i + 1 - n;
	}
	return 0;
}

/* Connects to all chips there are, then takes the lowest free numbers. */
static int peer_join(struct peer_wire *w, const char *folder)
{
	bool used[DEVICE_NUMBERS + 1] = {false};
	unsigned int first;
	int err = peer_call_all(w, folder, used);

	if (err)
		return err;
	first = peer_free_numbers(used, w->dev->nfunctions);
	if (!first)
		return -EUSERS;
	err = peer_address(&w->at, folder, first, first + w->dev->nfunctions - 1);
	if (err)
		return err;
	device_number(w->dev, first);
	return peer_listen(w);
}

/* Locks the folder, so that chips join one at a time. */
static int peer_lock(const char *folder)
{
	char path[sizeof(((struct sockaddr_un *)0)->sun_path)];
	int fd;

	if (snprintf(path, sizeof(path), "%s/lock", folder) >= (int)sizeof(path)) {
		errno = ENAMETOOLONG;
		return -1;
	}
	if (mkdir(folder, 0700) && errno != EEXIST)
		return -1;
	fd = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0600);
	if (fd >= 0 && flock(fd, LOCK_EX)) {
		close(fd);
		return -1;
	}
	return fd;
}

struct wire *peer_open(struct device *dev, const char *folder, char *why)
{
	struct peer_wire *w = calloc(1, sizeof(*w));
	int lock = peer_lock(folder), err = -ENOMEM;

	if (lock < 0)
		err = -errno;
	else if (w) {
		w->w.ops = &peer_ops;
		w->dev = dev;
		w->listener = -1;
		w->spare = open("/dev/null", O_RDONLY | O_CLOEXEC);
		w->w.fd = epoll_create1(EPOLL_CLOEXEC);
		err = w->w.fd < 0 ? -errno : peer_join(w, folder);
	}
	if (lock >= 0)
		close(lock);
	if (!err)
		return &w->w;
	snprintf(why, WIRE_WHY, "can't join the switch %.100s: %s", strrchr(folder, '/') + 1,
		 err == -EUSERS ? "it is full" : strerror(-err));
	if (w && w->w.ops)
		peer_close(&w->w);
	else
		free(w);
	return NULL;
}
