/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Event FDs. Each is a pipe in packet mode: one read() returns one event, as on the real files, and
 * read, poll and epoll need no interposition. The chip keeps the writing end only: a pipe without
 * readers is a channel that the program has closed.
 */
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <unistd.h>
#include <rdma/ib_user_verbs.h>
#include "base/clock.h"
#include "channel.h"
#include "room.h"
#include "obj/device.h"

#define RETRY_NS 500000ull
/* enum ib_event_type */
#define EVENT_DEVICE_FATAL 8
#define EVENT_PORT_ACTIVE  9
#define EVENT_PORT_ERR	   10
#define EVENT_GID_CHANGE   18
#define SLOTS		   16u /* packets that fit into a pipe */
/*
 * Largest packet of a channel that channel_purge() is called for; completion events have 8 bytes.
 */
#define PACKET_BYTES sizeof(struct ib_uverbs_async_event_desc)

struct event_packet {
	struct event_packet *next;
	const void *owner;
	uint32_t len;
	uint8_t bytes[];
};

struct channel {
	struct channel *next;
	struct uverbs_file *f;
	struct timer retry; /* runs while the pipe is full */
	enum channel_kind kind;
	int fd;
	ino_t inode;
	uint32_t users;
	bool omit_data;
	struct event_packet *queue, **tail;
	/* The last packets written, oldest first. They give the owners of unread packets. */
	struct event_packet *sent[SLOTS];
	unsigned int nsent;
};

static struct channel *channel_of_timer(struct timer *t)
{
	return (struct channel *)((char *)t - offsetof(struct channel, retry));
}

bool channel_is_closed(const struct channel *c)
{
	struct pollfd p = {.fd = c->fd};

	return poll(&p, 1, 0) == 1 && p.revents & POLLERR;
}

static void channel_drop_queue(struct channel *c)
{
	while (c->queue) {
		struct event_packet *p = c->queue;

		c->queue = p->next;
		free(p);
	}
	c->tail = &c->queue;
}

static void channel_release(struct channel *c)
{
	struct uverbs_file *f = c->f;
	struct channel **at = &f->channels;

	while (*at != c)
		at = &(*at)->next;
	*at = c->next;
	if (f->async == c)
		f->async = NULL;
	for (const struct kernel_room *const *r = f->k->rooms; *r; r++) {
		if ((*r)->channel_freed)
			(*r)->channel_freed(f->k, c);
	}
	timer_cancel(&f->k->dev->timers, &c->retry);
	channel_drop_queue(c);
	for (unsigned int i = 0; i < c->nsent; i++)
		free(c->sent[i]);
	close(c->fd);
	free(c);
}

/* Frees channels that the program has closed and no object refers to. */
static void channel_sweep(struct uverbs_file *f)
{
	for (struct channel *c = f->channels, *next; c; c = next) {
		next = c->next;
		if (!c->users && channel_is_closed(c))
			channel_release(c);
	}
}

void channel_free_all(struct uverbs_file *f)
{
	while (f->channels)
		channel_release(f->channels);
}

static void channel_flush(struct channel *c);

static void channel_retry(struct timer *t)
{
	channel_flush(channel_of_timer(t));
}

struct channel *channel_new(struct uverbs_file *f, enum channel_kind kind, int *client_fd)
{
	struct channel *c;
	struct stat st;
	int fds[2];

	channel_sweep(f);
	c = calloc(1, sizeof(*c));
	if (!c)
		return NULL;
	/*
	 * Some sandboxes have no packet mode. Programs that read one event at a time do not notice.
	 */
	if (pipe2(fds, O_CLOEXEC | O_DIRECT) && pipe2(fds, O_CLOEXEC)) {
		free(c);
		return NULL;
	}
	/* Only the writing end is nonblocking: the program decides for the reading end. */
	fcntl(fds[1], F_SETFL, fcntl(fds[1], F_GETFL) | O_NONBLOCK);
	fstat(fds[1], &st);
	c->f = f;
	c->kind = kind;
	c->fd = fds[1];
	c->inode = st.st_ino;
	c->tail = &c->queue;
	c->retry.fire = channel_retry;
	c->next = f->channels;
	f->channels = c;
	if (kind == CHANNEL_ASYNC && f->k->on_async_fd)
		f->k->on_async_fd(f->k->on_async_arg, c->fd);
	*client_fd = fds[0];
	return c;
}

int channel_find(struct uverbs_file *f, uint64_t inode, enum channel_kind kind,
		 struct channel **found)
{
	for (struct channel *c = f->channels; c; c = c->next) {
		if (c->inode == inode && c->kind == kind) {
			*found = c;
			return 0;
		}
	}
	return refuse(-EBADF, "event FD: it is no channel of the kind that this request needs");
}

void channel_get(struct channel *c)
{
	if (c)
		c->users++;
}

void channel_put(struct channel *c)
{
	if (c)
		c->users--;
}

bool channel_omits_data(const struct channel *c)
{
	return c->omit_data;
}

void channel_set_omit_data(struct channel *c)
{
	c->omit_data = true;
}

static void channel_remember(struct channel *c, struct event_packet *p)
{
	if (c->nsent == SLOTS) {
		free(c->sent[0]);
		memmove(c->sent, c->sent + 1, (SLOTS - 1) * sizeof(c->sent[0]));
		c->nsent--;
	}
	c->sent[c->nsent++] = p;
}

static size_t channel_unread_bytes(const struct channel *c)
{
	int bytes = 0;

	return ioctl(c->fd, FIONREAD, &bytes) ? 0 : (size_t)bytes;
}

/* Returns the index of the oldest unread packet in sent[]; nsent: the program has read all. */
static unsigned int channel_oldest_unread(const struct channel *c)
{
	size_t bytes = channel_unread_bytes(c);
	unsigned int at = c->nsent;

	while (at && bytes >= c->sent[at - 1]->len)
		bytes -= c->sent[--at]->len;
	return at;
}

/*
 * Limits the pipe to SLOTS packets: a byte stream, or a pipe that the program enlarged, holds more.
 */
static bool channel_is_full(const struct channel *c)
{
	errno = 0;
	return c->nsent == SLOTS && !channel_oldest_unread(c);
}

/*
 * Writes what fits into the pipe and retries the rest later. Events for a closed pipe stay queued,
 * so that channel_purge() counts them as unread; DevX events are dropped, as nothing counts them.
 */
static void channel_flush(struct channel *c)
{
	struct device *dev = c->f->k->dev;

	if (!c->queue)
		return;
	if (channel_is_closed(c)) {
		if (c->kind == CHANNEL_DEVX_EVENT)
			channel_drop_queue(c);
		return;
	}
	while (c->queue) {
		struct event_packet *p = c->queue;

		if (channel_is_full(c) || write(c->fd, p->bytes, p->len) < 0) {
			timer_set(&dev->timers, &c->retry, dev->clock->now(dev->clock) + RETRY_NS);
			return;
		}
		c->queue = p->next;
		if (!c->queue)
			c->tail = &c->queue;
		channel_remember(c, p);
	}
}

static void channel_append(struct channel *c, struct event_packet *p)
{
	p->next = NULL;
	*c->tail = p;
	c->tail = &p->next;
}

void channel_post(struct channel *c, const void *owner, const void *event, size_t len)
{
	struct event_packet *p = malloc(sizeof(*p) + len);

	if (!p)
		return;
	p->owner = owner;
	p->len = (uint32_t)len;
	memcpy(p->bytes, event, len);
	channel_append(c, p);
	channel_flush(c);
}

static unsigned int channel_drop_owner(struct channel *c, const void *owner)
{
	unsigned int n = 0;

	for (struct event_packet **at = &c->queue; *at;) {
		struct event_packet *p = *at;

		if (p->owner == owner) {
			*at = p->next;
			free(p);
			n++;
		} else {
			at = &p->next;
		}
	}
	c->tail = &c->queue;
	while (*c->tail)
		c->tail = &(*c->tail)->next;
	return n;
}

static int channel_open_reader(const struct channel *c)
{
	char path[32];

	snprintf(path, sizeof(path), "/proc/self/fd/%d", c->fd);
	return open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC);
}

/* Returns the index of the first packet from `at` on that has these bytes; nsent: none. */
static unsigned int channel_match(const struct channel *c, unsigned int at, const uint8_t *bytes)
{
	while (at < c->nsent && memcmp(c->sent[at]->bytes, bytes, c->sent[at]->len))
		at++;
	return at;
}

/*
 * Takes unread packets out of the pipe and puts them in front of the queue, in order. The program
 * may read at the same time, so packets are identified by their bytes, not by their number. The
 * program has read the packets that are missing.
 */
static void channel_take_back(struct channel *c)
{
	struct event_packet **front = &c->queue;
	uint8_t bytes[PACKET_BYTES] = {0};
	unsigned int at = channel_oldest_unread(c);
	int fd = channel_open_reader(c);

	if (fd < 0)
		return;
	while (at < c->nsent && read(fd, bytes, c->sent[at]->len) > 0) {
		at = channel_match(c, at, bytes);
		if (at == c->nsent)
			break; /* the program wrote to its own pipe */
		c->sent[at]->next = *front;
		*front = c->sent[at];
		front = &c->sent[at]->next;
		c->sent[at++] = NULL;
	}
	close(fd);
	while (c->nsent)
		free(c->sent[--c->nsent]);
}

/* Returns whether an unread packet of the owner is in the pipe; the queue is not searched. */
static bool channel_owner_is_unread(const struct channel *c, const void *owner)
{
	for (unsigned int i = channel_oldest_unread(c); i < c->nsent; i++) {
		if (c->sent[i]->owner == owner)
			return true;
	}
	return false;
}

unsigned int channel_purge(struct channel *c, const void *owner)
{
	unsigned int n;

	if (channel_owner_is_unread(c, owner))
		channel_take_back(c);
	n = channel_drop_owner(c, owner);
	channel_flush(c);
	return n;
}

/*
 * Leaves the packets in the pipe. If the program reads the pending event just now, it polls the
 * queue afterwards and finds what a new event would announce.
 */
bool channel_pending(const struct channel *c, const void *owner)
{
	for (const struct event_packet *p = c->queue; p; p = p->next) {
		if (p->owner == owner)
			return true;
	}
	return channel_owner_is_unread(c, owner);
}

void channel_disown(struct channel *c, const void *owner)
{
	for (struct event_packet *p = c->queue; p; p = p->next)
		p->owner = p->owner == owner ? NULL : p->owner;
	for (unsigned int i = 0; i < c->nsent; i++) {
		if (c->sent[i]->owner == owner)
			c->sent[i]->owner = NULL;
	}
}

size_t channel_backlog(const struct channel *c)
{
	size_t bytes = 0;

	for (const struct event_packet *p = c->queue; p; p = p->next)
		bytes += p->len;
	return bytes;
}

static const struct ib_uverbs_async_event_desc fatal = {.event_type = EVENT_DEVICE_FATAL};

static void channel_post_async(struct uverbs_file *f, const struct ib_uverbs_async_event_desc *e)
{
	for (struct channel *c = f->channels; c; c = c->next)
		if (c->kind == CHANNEL_ASYNC)
			channel_post(c, f, e, sizeof(*e));
}

void channel_post_fatal(struct uverbs_file *f)
{
	channel_post_async(f, &fatal);
}

void channel_post_port(struct uverbs_file *f, unsigned int port, bool active)
{
	const struct ib_uverbs_async_event_desc e = {
		.element = port, .event_type = active ? EVENT_PORT_ACTIVE : EVENT_PORT_ERR};

	channel_post_async(f, &e);
}

void channel_post_gid(struct uverbs_file *f)
{
	const struct ib_uverbs_async_event_desc e = {.element = 1, .event_type = EVENT_GID_CHANGE};

	channel_post_async(f, &e);
}

bool channel_write_fatal(int async_fd)
{
	return write(async_fd, &fatal, sizeof(fatal)) == (ssize_t)sizeof(fatal);
}
