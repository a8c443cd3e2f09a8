/* SPDX-License-Identifier: BSD-2-Clause */
#include "session.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>
#include <utlist.h>
#include "base/log.h"
#include "chip.h"
#include "kernel/cm/cm.h"
#include "kernel/kernel.h"
#include "link/cm_msg.h"
#include "mads.h"
#include "link/msg.h"
#include "host/client.h"
#include "obj/vhca.h"

#define SESSION_ROWS_MOST 256
#define BACKLOG_PAUSE	  64 /* connections accepted in one call */

static void session_free(struct chip_session *c)
{
	struct sessions *s = c->all;

	chip_unwatch(s->chip, c->sock);
	if (c->pidfd >= 0) {
		chip_unwatch(s->chip, c->pidfd);
		close(c->pidfd);
	}
	session_forget_packets(c);
	session_refusals_forget(c);
	if (s->asking == c)
		s->asking = NULL;
	if (c->cm)
		cm_close(c->cm);
	if (c->file && !c->guest)
		session_note_end(c);
	session_close_file(c);
	if (c->mm)
		mm_close(c->mm);
	close(c->sock);
	link_in_reset(&c->in);
	DL_DELETE(s->open, c);
	free(c);
}

static void comm_of(pid_t pid, char comm[16])
{
	char path[64];
	ssize_t n;
	int fd;

	snprintf(path, sizeof(path), "/proc/%d/comm", pid);
	fd = open(path, O_RDONLY | O_CLOEXEC);
	n = fd < 0 ? 0 : read(fd, comm, 15);
	if (fd >= 0)
		close(fd);
	comm[n > 0 ? n : 0] = 0;
	comm[strcspn(comm, "\n")] = 0;
}

static void on_ioctl(struct chip_session *c)
{
	const char *why = NULL;
	uint8_t *body = NULL;
	struct owned_request r;
	size_t len = 0;
	int fds[LINK_FDS];
	int rc;

	if (msg_unpack_request(&r, c->in.m.body, c->in.m.h.len, &why)) {
		request_fini(&r);
		return session_disconnect(c, why);
	}
	rc = c->guest ? kernel_ioctl_guest(c->guest, &r.req) : kernel_ioctl(c->file, &r.req);
	c->waits = rc == -EINPROGRESS;
	if (c->waits) {
		request_fini(&r);
		return;
	}
	for (unsigned int i = 0; i < r.req.nfds; i++)
		fds[i] = r.req.fds[i].fd;
	if (msg_pack_answer(&r, &body, &len)) {
		r.req.nfds = 0;
		rc = -ENOMEM;
	}
	session_reply(c, rc, body, len, fds, r.req.nfds);
	free(body);
	request_fini(&r);
}

/* --- the RDMA_CM device ------------------------------------------------------------------------
 */

static int session_open_cm(struct chip_session *c, uint32_t function, int *fd)
{
	int err = session_watch_death(c);

	if (err)
		return err;
	c->function = function;
	c->cm = cm_open(chip_cm(c->chip), function, c->pid, mads_low_ports(c->pid), fd);
	return c->cm ? 0 : -errno;
}

static void on_cm_open(struct chip_session *c)
{
	uint32_t function;
	int err, fd = -1;

	if (!session_open_function(c, &function))
		return;
	err = session_open_cm(c, function, &fd);
	if (session_reply(c, err, NULL, 0, &fd, !err) && err)
		session_close(c);
	if (fd >= 0)
		close(fd);
}

static void on_cm(struct chip_session *c)
{
	struct ucma_request r;
	int err;

	if (cm_msg_unpack(&r, c->in.m.body, c->in.m.h.len))
		return session_disconnect(c, "a command that contradicts its lengths");
	err = cm_write(c->cm, &r);
	session_reply(c, err, r.out, err ? 0 : r.nout, NULL, 0);
}

static void on_cm_close(struct chip_session *c)
{
	cm_close(c->cm);
	c->cm = NULL;
	if (session_reply(c, 0, NULL, 0, NULL, 0))
		session_close(c);
}

struct status_body {
	struct link_status head;
	struct link_function_row functions[DEVICE_MAX_FUNCTIONS];
	struct link_client_row clients[SESSION_ROWS_MOST];
	struct link_object_row objects[SESSION_ROWS_MOST];
};

static void client_row(struct link_client_row *row, const struct chip_session *c)
{
	row->pid = (uint32_t)c->pid;
	row->function = c->function;
	memcpy(row->comm, c->comm, sizeof(row->comm));
}

/* Finds a row of the process: with one, its RDMA_CM files need none. */
static bool client_is_listed(const struct link_client_row *rows, unsigned int n, pid_t pid)
{
	while (n-- && rows[n].pid != (uint32_t)pid)
		;
	return n != UINT_MAX;
}

static unsigned int client_rows(const struct sessions *s, struct link_client_row *rows)
{
	unsigned int n = 0;
	struct chip_session *c;

	DL_FOREACH(s->open, c)
	if (c->file && n < SESSION_ROWS_MOST)
		client_row(&rows[n++], c);
	DL_FOREACH(s->open, c)
	if (c->cm && n < SESSION_ROWS_MOST && !client_is_listed(rows, n, c->pid))
		client_row(&rows[n++], c);
	return n;
}

/* Fills in the answer; rows follow each other without gaps. */
static size_t status_fill(const struct sessions *s, struct status_body *b, uint8_t *to)
{
	uint8_t *at = to + sizeof(b->head);
	struct link_status *h = &b->head;

	memcpy(h->name, s->name, sizeof(h->name));
	h->pid = (uint32_t)getpid();
	h->nfunctions = census_functions(s->chip, b->functions, DEVICE_MAX_FUNCTIONS);
	h->nclients = client_rows(s, b->clients);
	h->nobjects = census_objects(s->chip, b->objects, SESSION_ROWS_MOST);
	memcpy(to, h, sizeof(*h));
	at = mempcpy(at, b->functions, h->nfunctions * sizeof(b->functions[0]));
	at = mempcpy(at, b->clients, h->nclients * sizeof(b->clients[0]));
	at = mempcpy(at, b->objects, h->nobjects * sizeof(b->objects[0]));
	return (size_t)(at - to);
}

static void on_status(struct chip_session *c)
{
	struct status_body *rows = calloc(2, sizeof(*rows));

	if (rows) {
		size_t len = status_fill(c->all, rows, (uint8_t *)(rows + 1));

		session_reply(c, 0, rows + 1, len, NULL, 0);
	} else {
		session_reply(c, -ENOMEM, NULL, 0, NULL, 0);
	}
	free(rows);
}

/* Sends as many rows as fit; the next message asks for more. */
static void on_resources(struct chip_session *c)
{
	const size_t max = LINK_PAGE / sizeof(struct uverbs_resource);
	struct link_resources ask;
	struct uverbs_resource *rows;
	const struct vhca *v;
	size_t n;

	if (c->in.m.h.len != sizeof(ask))
		return session_disconnect(c, "a question for objects of a wrong length");
	memcpy(&ask, c->in.m.body, sizeof(ask));
	v = session_function(c, &ask.function);
	if (!v)
		return session_disconnect(c, "a question for objects of no function");
	n = chip_resources(c->all->chip, v->index, 0, NULL, 0);
	n = n > ask.first ? n - ask.first : 0;
	n = n < max ? n : max;
	rows = calloc(n + 1, sizeof(*rows));
	if (rows)
		chip_resources(c->all->chip, v->index, ask.first, rows, n);
	session_reply(c, rows ? 0 : -ENOMEM, rows, rows ? n * sizeof(*rows) : 0, NULL, 0);
	free(rows);
}

static void on_drops(struct chip_session *c)
{
	struct link_drop_row *rows = calloc(SESSION_ROWS_MOST, sizeof(*rows));
	unsigned int n = rows ? census_drops(c->chip, rows, SESSION_ROWS_MOST) : 0;

	session_reply(c, rows ? 0 : -ENOMEM, rows, n * sizeof(*rows), NULL, 0);
	free(rows);
}

static void on_down(struct chip_session *c)
{
	struct chip *chip = c->all->chip;

	session_reply(c, 0, NULL, 0, NULL, 0);
	chip_stop(chip);
}

static const struct {
	void (*fn)(struct chip_session *);
	bool needs_device, needs_cm;
} messages[] = {
	[LINK_OPEN] = {session_open_file, false, false},
	[LINK_ATTACH] = {session_attach_file, false, false},
	[LINK_IOCTL] = {on_ioctl, true, false},
	[LINK_MAP] = {session_map, true, false},
	[LINK_UNMAP] = {session_unmap, true, false},
	[LINK_CLOSE] = {session_close_device, true, false},
	[LINK_STATUS] = {on_status, false, false},
	[LINK_DROPS] = {on_drops, false, false},
	[LINK_WHY] = {session_why, false, false},
	[LINK_DOWN] = {on_down, false, false},
	[LINK_REPLAY] = {session_replay, false, false},
	[LINK_CAPTURE] = {session_capture, false, false},
	[LINK_SHARE] = {session_share, true, false},
	[LINK_RESOURCES] = {on_resources, false},
	[LINK_WIRE] = {session_wire, false, false},
	[LINK_INJECT] = {session_inject, false, false},
	[LINK_STAT] = {session_stat, false, false},
	[LINK_CHECK] = {session_check, false, false},
	[LINK_SET_PORT] = {session_set_port, false, false},
	[LINK_REFUSALS] = {session_refusals_answer, false, false},
	[LINK_CM_OPEN] = {on_cm_open, false, false},
	[LINK_CM] = {on_cm, false, true},
	[LINK_CM_CLOSE] = {on_cm_close, false, true},
};

/* Handles a message, which may close the connection. */
static void session_handle(struct chip_session *c)
{
	unsigned int type = c->in.m.h.type;

	if (type >= sizeof(messages) / sizeof(messages[0]) || !messages[type].fn)
		return session_disconnect(c, "a message of an unknown type");
	if ((messages[type].needs_device && !c->file) || (messages[type].needs_cm && !c->cm))
		return session_disconnect(c, "a request before it opened the device");
	c->all->asking = c;
	messages[type].fn(c);
}

static bool still_there(const struct sessions *s, const struct chip_session *session)
{
	struct chip_session *c;

	DL_FOREACH(s->open, c)
	if (c == session)
		return true;
	return false;
}

static bool sessions_is_about(const struct chip_session *c, const struct sessions *s,
			      unsigned int uid)
{
	return uid ? c->file && file_uid(c->file) == uid : c == s->asking;
}

static void sessions_add_refusal(void *arg, unsigned int uid, const char *line)
{
	struct sessions *s = arg;
	struct chip_session *c;

	DL_FOREACH(s->open, c)
	if (sessions_is_about(c, s, uid))
		session_refusals_add(c, line);
}

void sessions_pass_refusals_on(struct sessions *s)
{
	sim_on_refusal(sessions_add_refusal, s);
}

/* Ends a message. While it waits, nothing else is read: one request at a time. */
static void session_handled(struct sessions *s, struct chip_session *c)
{
	s->asking = NULL;
	if (!still_there(s, c))
		return;
	if (c->waits)
		chip_unwatch(s->chip, c->sock);
	else
		link_in_reset(&c->in);
}

static void readable(void *arg, int fd);

static void session_resume(struct sessions *s, struct chip_session *c)
{
	c->waits = false;
	session_handle(c);
	session_handled(s, c);
	if (still_there(s, c) && !c->waits && chip_watch(s->chip, c->sock, readable, c))
		session_close(c);
}

static void sessions_resume(void *arg)
{
	struct sessions *s = arg;
	struct chip_session *c, *next;

	DL_FOREACH_SAFE(s->open, c, next)
	if (c->waits)
		session_resume(s, c);
}

/* Reads one message per turn, so that a client that floods the socket does not delay others. */
static void readable(void *arg, int fd)
{
	struct chip_session *c = arg;
	struct sessions *s = c->all;
	int n = link_read(fd, &c->in, MSG_DONTWAIT);

	if (n == -EPROTO)
		return session_disconnect(c, "bytes that are no message of this version");
	if (n < 0)
		return session_close(c);
	if (n == 0)
		return;
	session_handle(c);
	session_handled(s, c);
}

static int session_new(struct sessions *s, int sock)
{
	struct chip_session *c = calloc(1, sizeof(*c));
	socklen_t len = sizeof(struct ucred);
	struct ucred peer;

	if (!c)
		return -ENOMEM;
	c->all = s;
	c->chip = s->chip;
	c->sock = sock;
	c->pidfd = -1;
	if (getsockopt(sock, SOL_SOCKET, SO_PEERCRED, &peer, &len) ||
	    chip_watch(s->chip, sock, readable, c)) {
		free(c);
		return -ENOMEM;
	}
	c->pid = peer.pid;
	comm_of(c->pid, c->comm);
	DL_APPEND(s->open, c);
	return 0;
}

/* Closes the connection at once, so that the client does not hang and the loop does not spin. */
static void sessions_reject(struct sessions *s)
{
	sim_refuse("a client is turned away: the server has no file descriptors left");
	close(s->spare);
	close(accept4(s->listener, NULL, NULL, SOCK_CLOEXEC));
	s->spare = open("/dev/null", O_RDONLY | O_CLOEXEC);
}

static void acceptable(void *arg, int listener)
{
	for (int i = 0; i < BACKLOG_PAUSE; i++) {
		int sock = accept4(listener, NULL, NULL, SOCK_CLOEXEC);

		if (sock < 0 && (errno == EMFILE || errno == ENFILE))
			sessions_reject(arg);
		if (sock < 0)
			return;
		if (session_new(arg, sock))
			close(sock);
	}
}

struct sessions *sessions_new(struct chip *chip, int listener, const char *name)
{
	struct sessions *s = calloc(1, sizeof(*s));
	int err;

	if (!s)
		return NULL;
	s->chip = chip;
	s->free = session_free;
	s->listener = listener;
	s->spare = open("/dev/null", O_RDONLY | O_CLOEXEC);
	snprintf(s->name, sizeof(s->name), "%s", name);
	err = chip_watch(chip, listener, acceptable, s);
	if (!err) {
		chip_on_neighbours(chip, sessions_resume, s);
		return s;
	}
	close(s->spare);
	free(s);
	errno = -err;
	return NULL;
}

void sessions_free(struct sessions *s)
{
	struct chip_session *c, *next;

	if (!s)
		return;
	sim_on_refusal(NULL, NULL);
	sessions_stop_faults(s);
	sessions_stop_check(s);
	chip_on_neighbours(s->chip, NULL, NULL);
	DL_FOREACH_SAFE(s->open, c, next)
	session_free(c);
	chip_unwatch(s->chip, s->listener);
	close(s->listener);
	close(s->spare);
	free(s);
}
