/* SPDX-License-Identifier: BSD-2-Clause */
#include <errno.h>
#include <malloc.h>
#include <poll.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <time.h>
#include <unistd.h>

#include "dvx-flow.h"
#include "members.h"
#include "server.h"

struct conn_buffer {
	char *p;
	size_t from, n, room; /* p[from..n) is waiting */
};

struct server_conn {
	int fd;
	struct conn_buffer in, out;
	int64_t deadline;
	bool gone;
	bool waits; /* its request waits until the present change of rules has ended */
};

static int64_t server_now_ms(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (int64_t)t.tv_sec * 1000 + t.tv_nsec / 1000000;
}

static bool server_room_for(struct conn_buffer *b, size_t more)
{
	size_t room = b->room ? b->room : 4096;
	char *grown;

	if (b->from) {
		memmove(b->p, b->p + b->from, b->n - b->from);
		b->n -= b->from;
		b->from = 0;
	}
	while (room - b->n < more)
		room *= 2;
	if (room == b->room)
		return true;
	grown = realloc(b->p, room);
	if (!grown)
		return false;
	b->p = grown;
	b->room = room;
	return true;
}

/* --- out --------------------------------------------------------------------------------------- */

static void flush_out(struct server_conn *c)
{
	while (!c->gone && c->out.from < c->out.n) {
		ssize_t n = send(c->fd, c->out.p + c->out.from, c->out.n - c->out.from,
				 MSG_NOSIGNAL | MSG_DONTWAIT);

		if (n < 0 && (errno == EAGAIN || errno == EWOULDBLOCK))
			return;
		if (n < 0 && errno == EINTR)
			continue;
		if (n <= 0)
			c->gone = true;
		else
			c->out.from += (size_t)n;
	}
}

void conn_reply(struct server_conn *c, json_t *head, const void *body, size_t body_len)
{
	size_t len;
	char *bytes = msg_pack(head, body, body_len, &len);

	if (!bytes || !server_room_for(&c->out, len)) {
		c->gone = true;
		free(bytes);
		return;
	}
	memcpy(c->out.p + c->out.n, bytes, len);
	c->out.n += len;
	free(bytes);
	flush_out(c);
}

/* Returns the message as a JSON string. It may quote bytes that are not UTF-8, unlike JSON. */
static json_t *server_utf8_text(const char *why)
{
	json_t *j = json_string(why);
	char *plain = j ? NULL : strdup(why);

	for (char *p = plain; p && *p; p++)
		if (*p & 0x80)
			*p = '?';
	if (plain)
		j = json_string(plain);
	free(plain);
	return j;
}

void conn_fault(struct server_conn *c, const struct flow_fault *f)
{
	json_t *j = json_pack("{s:i, s:o}", "exit", f->code ? f->code : EXIT_DEVICE, "error",
			      server_utf8_text(f->text));

	if (f->line)
		json_object_update_new(j, json_pack("{s:I, s:I}", "line", (json_int_t)f->line,
						    "column", (json_int_t)f->column));
	conn_reply(c, j, NULL, 0);
}

void conn_fail(struct server_conn *c, int code, const char *why)
{
	struct flow_fault f;

	flow_fault_set(&f, code, "%s", why);
	conn_fault(c, &f);
}

/* --- in ---------------------------------------------------------------------------------------- */

static void server_answer(struct flow_server *s, struct server_conn *c, const struct flow_msg *m)
{
	bool changes = s->changes(m);

	if (changes)
		s->changing = c;
	s->answer(s->arg, c, m);
	if (changes)
		s->changing = NULL;
}

/* Answers the complete requests. The next one waits until the client has read the last answer. */
static void answer_all(struct flow_server *s, struct server_conn *c)
{
	c->waits = false;
	while (!c->gone && c->out.from == c->out.n && c->in.from < c->in.n) {
		const char *p = c->in.p + c->in.from;
		size_t n = c->in.n - c->in.from;
		int64_t size = msg_size(p, n, MSG_REQUEST_MAX, RULES_BYTES_MAX);
		struct flow_msg m;

		if (!size || (size > 0 && (uint64_t)size > n))
			return;
		if (size < 0 || msg_unpack(p, &m)) {
			conn_fail(c, EXIT_INPUT, "not a request of dvx-flow");
			c->gone = true;
			return;
		}
		c->waits = s->changing && s->changes(&m);
		if (!c->waits) {
			c->in.from += (size_t)size;
			server_answer(s, c, &m);
		}
		msg_free(&m);
		if (c->waits)
			return;
	}
}

#define READ_STEP (256ul << 10)

static void take_in(struct flow_server *s, struct server_conn *c)
{
	ssize_t n;

	if (!server_room_for(&c->in, READ_STEP)) {
		c->gone = true;
		return;
	}
	n = recv(c->fd, c->in.p + c->in.n, READ_STEP, MSG_DONTWAIT);
	if (n < 0 && (errno == EAGAIN || errno == EINTR))
		return;
	if (n <= 0) {
		c->gone = true;
		return;
	}
	c->in.n += (size_t)n;
	answer_all(s, c);
}

/* --- clients ----------------------------------------------------------------------------------- */

static bool may_ask(const struct flow_server *s, int fd)
{
	struct ucred peer;
	socklen_t len = sizeof(peer);

	return !getsockopt(fd, SOL_SOCKET, SO_PEERCRED, &peer, &len) &&
	       (peer.uid == geteuid() || !peer.uid || members_has_peer(fd, s->group));
}

/* Buffers above this size: the allocator would keep their memory after the client has gone. */
#define CONN_LARGE (1u << 20)

static void close_conn(struct server_conn *c)
{
	bool large = c->in.room + c->out.room > CONN_LARGE;

	close(c->fd);
	free(c->in.p);
	free(c->out.p);
	if (large)
		malloc_trim(0);
	*c = (struct server_conn){.fd = -1};
}

static void server_turn_away(struct server_conn *c)
{
	char why[64];

	snprintf(why, sizeof(why), "%d clients are connected already; try again", CLIENTS_MAX);
	conn_fail(c, EXIT_INPUT, why);
	close_conn(c);
}

static void server_welcome(struct flow_server *s)
{
	struct server_conn *conns = s->conns;
	struct server_conn new = {
		.fd = accept4(s->listener, NULL, NULL, SOCK_CLOEXEC | SOCK_NONBLOCK),
		.deadline = server_now_ms() + s->idle_ms};
	int i = 0;

	if (new.fd < 0)
		return;
	while (i < CLIENTS_MAX && conns[i].fd >= 0)
		i++;
	if (!may_ask(s, new.fd))
		close_conn(&new);
	else if (i < CLIENTS_MAX)
		conns[i] = new;
	else
		server_turn_away(&new);
}

/* Returns whether a request or an answer is incomplete. Only other clients may stay idle. */
static bool server_conn_is_busy(const struct server_conn *c)
{
	return c->in.from < c->in.n || c->out.from < c->out.n;
}

static void server_serve(struct flow_server *s, struct server_conn *c, short events, int64_t now)
{
	bool waited = c->waits;

	if (events & POLLOUT)
		flush_out(c);
	if (events & POLLOUT || waited)
		answer_all(s, c);
	if (events & (POLLIN | POLLHUP | POLLERR))
		take_in(s, c);
	if (events || waited || !server_conn_is_busy(c))
		c->deadline = server_now_ms() + s->idle_ms;
	if (c->gone || now > c->deadline)
		close_conn(c);
}

/*
 * Returns whether the client is not served at the moment: while rules change, the client that
 * changes them and those that wait.
 */
static bool server_skips(const struct flow_server *s, const struct server_conn *c)
{
	return c->fd < 0 || (s->changing && (c == s->changing || c->waits));
}

#define SERVER_FDS (CLIENTS_MAX + 3)

/* Polls the clients, the listener, stop_fd and fd. ms: -1 for as long as it takes. */
static int server_poll(const struct flow_server *s, int fd, int ms, struct pollfd p[SERVER_FDS])
{
	for (int i = 0; i < CLIENTS_MAX; i++) {
		const struct server_conn *c = s->conns ? &s->conns[i] : NULL;
		bool skips = !c || server_skips(s, c);

		p[i] = (struct pollfd){skips ? -1 : c->fd,
				       !skips && c->out.from < c->out.n ? POLLOUT : POLLIN, 0};
		if (!skips && c->waits)
			ms = 0;
		else if (!skips && server_conn_is_busy(c) && ms < 0)
			ms = 1000;
	}
	p[CLIENTS_MAX] = (struct pollfd){s->conns ? s->listener : -1, POLLIN, 0};
	p[CLIENTS_MAX + 1] = (struct pollfd){s->stop_fd, POLLIN, 0};
	p[CLIENTS_MAX + 2] = (struct pollfd){fd, POLLIN, 0};
	return poll(p, SERVER_FDS, ms);
}

static void server_serve_all(struct flow_server *s, const struct pollfd p[SERVER_FDS])
{
	/* Taken before any answer: a long request does not count against the other clients. */
	int64_t now = server_now_ms();

	for (int i = 0; i < CLIENTS_MAX && s->conns; i++)
		if (!server_skips(s, &s->conns[i]))
			server_serve(s, &s->conns[i], p[i].revents, now);
	if (p[CLIENTS_MAX].revents)
		server_welcome(s);
}

bool server_pause(struct flow_server *s, int fd)
{
	struct pollfd p[SERVER_FDS] = {0};

	do {
		if (server_poll(s, fd, fd < 0 ? 0 : -1, p) < 0) {
			if (errno == EINTR)
				continue;
			return false;
		}
		server_serve_all(s, p);
	} while (fd >= 0 && !p[CLIENTS_MAX + 1].revents && !p[CLIENTS_MAX + 2].revents);
	return p[CLIENTS_MAX + 1].revents;
}

/* Does what is due, which may change rules: requests that change them wait meanwhile. */
static int server_tick(struct flow_server *s, int *fd)
{
	struct server_conn own = {.fd = -1};
	int ms = -1;

	if (!s->tick)
		return -1;
	s->changing = &own;
	ms = s->tick(s->arg, fd);
	s->changing = NULL;
	return ms;
}

int server_run(struct flow_server *s)
{
	struct server_conn conns[CLIENTS_MAX];
	struct pollfd p[SERVER_FDS] = {0};
	int ret = 0;

	for (int i = 0; i < CLIENTS_MAX; i++)
		conns[i] = (struct server_conn){.fd = -1};
	s->conns = conns;
	while (!ret && !p[CLIENTS_MAX + 1].revents) {
		int fd = -1, ms = server_tick(s, &fd);

		if (server_poll(s, fd, ms, p) < 0) {
			ret = errno == EINTR ? 0 : -errno;
			continue;
		}
		server_serve_all(s, p);
	}
	for (int i = 0; i < CLIENTS_MAX; i++)
		if (conns[i].fd >= 0)
			close_conn(&conns[i]);
	s->conns = NULL;
	return ret;
}

static bool is_answered(const struct sockaddr_un *at)
{
	int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
	bool yes = fd >= 0 && (!connect(fd, (const struct sockaddr *)at, sizeof(*at)) ||
			       errno != ECONNREFUSED);

	if (fd >= 0)
		close(fd);
	return yes;
}

/*
 * Removes the path if it is a socket without a listener. The path comes from the user, so nothing
 * else is removed.
 */
static int server_remove_stale_socket(const struct sockaddr_un *at)
{
	struct stat st;

	if (lstat(at->sun_path, &st))
		return errno == ENOENT ? 0 : -errno;
	if (!S_ISSOCK(st.st_mode))
		return -EEXIST;
	if (is_answered(at))
		return -EADDRINUSE;
	return unlink(at->sun_path) ? -errno : 0;
}

int server_listen(const char *path)
{
	struct sockaddr_un at = {.sun_family = AF_UNIX};
	int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0), ret;
	mode_t before = umask(0177);

	strncpy(at.sun_path, path, sizeof(at.sun_path) - 1);
	ret = fd < 0 ? -errno : server_remove_stale_socket(&at);
	if (!ret && (bind(fd, (struct sockaddr *)&at, sizeof(at)) || listen(fd, CLIENTS_MAX)))
		ret = -errno;
	umask(before);
	if (ret && fd >= 0)
		close(fd);
	return ret ? ret : fd;
}
