/* SPDX-License-Identifier: BSD-2-Clause */
#include "link.h"
#include "base/alive.h"

#include <errno.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

void link_init(struct link *l, int fd, bool is_server, int patience_ms)
{
	l->fd = fd;
	l->is_server = is_server;
	l->peer = is_server ? "the client" : "the server";
	l->patience_ms = patience_ms;
	l->deadline = 0;
	l->sealed = l->cut = false;
	l->secure = NULL;
	l->key = NULL;
	l->stop = NULL;
	l->err = 0;
	l->at = l->have = l->used = l->queued = 0;
	l->spill = (struct link_spill){0};
}

void link_close(struct link *l)
{
	if (l->fd >= 0) {
		secure_free(l->secure);
		close(l->fd);
	}
	l->fd = -1;
	l->secure = NULL;
	explicit_bzero(l->in, sizeof(l->in)); /* it held the ticket */
	explicit_bzero(l->out, sizeof(l->out));
	if (l->spill.p)
		explicit_bzero(l->spill.p, l->spill.room);
	free(l->spill.p);
	l->spill = (struct link_spill){0};
}

static int died(struct link *l, int err, struct copy_fault *f)
{
	if (err == 0 || err == ECONNRESET || err == EPIPE)
		return copy_fail(f, COPY_PEER, "%s died or closed the connection%s", l->peer,
				 l->sealed ? "" : " during the handshake");
	if (err == ETIMEDOUT || err == EHOSTUNREACH || err == ENETUNREACH)
		return copy_fail(f, COPY_PEER, "%s can no longer be reached: %s", l->peer,
				 strerror(err));
	return copy_fail(f, COPY_PEER, "connection to %s: %s", l->peer, strerror(err));
}

/* Translates the result of a failed read or write into a fault. */
static int link_fault(struct link *l, ssize_t why, struct copy_fault *f)
{
	switch (why) {
	case SECURE_FORGED:
		return copy_fail(f, COPY_AUTH, "a message from %s was tampered with", l->peer);
	case SECURE_ACCUSED:
		return copy_fail(f, COPY_AUTH, "a message to %s was tampered with on its way",
				 l->peer);
	case SECURE_UNKNOWN:
		return copy_fail(f, COPY_AUTH, "%s does not accept this end's key", l->peer);
	}
	return died(l, l->secure ? secure_errno(l->secure) : l->err, f);
}

int link_stopped(const struct link *l, struct copy_fault *f)
{
	if (!l->stop || !*l->stop)
		return 0;
	return copy_fail(f, COPY_INTERRUPTED, "interrupted%s",
			 l->sealed ? "; finished files stay" : "");
}

#define SLICE_MS 250 /* latency of a signal that comes just before poll() */

/* Waits for events: 1 ready, 0 not within wait_ms. */
static int link_wait_for(struct link *l, short events, int wait_ms, struct copy_fault *f)
{
	struct pollfd p = {.fd = l->fd, .events = events};

	for (;;) {
		int n = poll(&p, 1, wait_ms < SLICE_MS ? wait_ms : SLICE_MS);

		if (n > 0)
			return 1;
		if (n < 0 && errno != EINTR)
			return copy_fail(f, COPY_PEER, "poll: %s", strerror(errno));
		if (link_stopped(l, f))
			return -1;
		wait_ms -= n ? 0 : SLICE_MS;
		if (wait_ms <= 0)
			return 0;
	}
}

/* Returns how long the peer may be silent now: the handshake has one deadline for all of it. */
static int link_patience(const struct link *l)
{
	int64_t left = l->deadline - clock_now_ms();

	if (!l->deadline || left > l->patience_ms)
		return l->patience_ms;
	return left > 0 ? (int)left : 0;
}

static int silent(struct link *l, struct copy_fault *f)
{
	if (l->deadline)
		return copy_fail(f, COPY_PEER, "%s was silent during the handshake", l->peer);
	return copy_fail(f, COPY_PEER, "%s has been silent for %d s", l->peer,
			 l->patience_ms / 1000);
}

int link_wait_secure(struct link *l, ssize_t why, struct copy_fault *f)
{
	int got;

	if (why != SECURE_READ && why != SECURE_WRITE)
		return link_fault(l, why, f);
	got = link_wait_for(l, why == SECURE_READ ? POLLIN : POLLOUT, link_patience(l), f);
	return got > 0 ? 0 : got ? -1 : silent(l, f);
}

/* Reads what has come before the send failed: a peer that gives up sends the reason first. */
static int link_send_failed(struct link *l, ssize_t why, struct copy_fault *f)
{
	struct copy_fault reason = {0};
	struct copy_msg m;

	while (link_take(l, &m, 0, &reason) == 1)
		;
	if (reason.code && reason.code != COPY_PEER)
		return copy_fail(f, (enum copy_exit)reason.code, "%s", reason.text);
	return link_fault(l, why, f);
}

/* Writes to the socket. Returns bytes, or an enum secure_result. */
static ssize_t link_write_socket(struct link *l, const void *p, size_t n)
{
	ssize_t done;

	if (l->sealed)
		return secure_send(l->secure, p, n);
	done = send(l->fd, p, n, MSG_NOSIGNAL | MSG_DONTWAIT);
	if (done >= 0)
		return done;
	l->err = errno;
	return errno == EAGAIN || errno == EWOULDBLOCK || errno == EINTR ? SECURE_WRITE
									 : SECURE_CLOSED;
}

static ssize_t link_read_socket(struct link *l, void *p, size_t n)
{
	ssize_t done;

	if (l->sealed)
		return secure_recv(l->secure, p, n);
	done = recv(l->fd, p, n, MSG_DONTWAIT);
	if (done > 0)
		return done;
	l->err = done ? errno : 0;
	return l->err == EAGAIN || l->err == EWOULDBLOCK || l->err == EINTR ? SECURE_READ
									    : SECURE_CLOSED;
}

#define SPILL_MAX ((size_t)16 << 20)

static size_t link_spill_room(const struct link *l)
{
	return SPILL_MAX - l->spill.at - l->spill.n;
}

/*
 * Reads while this end waits to send: two ends that both wait for the other to read would deadlock.
 * The bytes go to the spill, not to `in`, which holds the message that is being handled.
 */
static int link_spill_fill(struct link *l, struct copy_fault *f)
{
	struct link_spill *sp = &l->spill;
	size_t at = sp->at + sp->n;
	ssize_t n;

	if (!link_spill_room(l))
		return 0;
	if (at == sp->room) {
		size_t room = sp->room ? 2 * sp->room : 65536;
		uint8_t *more = realloc(sp->p, room);

		if (!more)
			return copy_no_memory(f);
		sp->p = more;
		sp->room = room;
	}
	n = link_read_socket(l, sp->p + at, sp->room - at);
	if (n > 0)
		sp->n += (size_t)n;
	return n < 0 && n != SECURE_READ && n != SECURE_WRITE ? link_send_failed(l, n, f) : 0;
}

static int link_send_wait(struct link *l, struct copy_fault *f)
{
	short events = link_spill_room(l) ? POLLOUT | POLLIN : POLLOUT;
	int got = link_wait_for(l, events, link_patience(l), f);

	if (got <= 0)
		return got ? -1 : silent(l, f);
	return link_spill_fill(l, f);
}

/*
 * Sends all bytes or cuts the link. GnuTLS may keep a record that it could not send, and would
 * treat the next bytes as its rest.
 */
static int link_send_all(struct link *l, const uint8_t *p, size_t n, struct copy_fault *f)
{
	const size_t all = n;

	if (l->cut)
		return copy_fail(f, COPY_PEER, "%s does not take what is sent", l->peer);
	while (n) {
		ssize_t done = link_write_socket(l, p, n);

		if (done >= 0) {
			p += done;
			n -= (size_t)done;
		} else if (done != SECURE_WRITE) {
			return link_send_failed(l, done, f);
		} else if (link_send_wait(l, f)) {
			l->cut = l->sealed || n < all;
			return -1;
		}
	}
	return 0;
}

int link_flush(struct link *l, struct copy_fault *f)
{
	size_t n = l->queued;

	l->queued = 0;
	return n ? link_send_all(l, l->out, n, f) : 0;
}

int link_queue(struct link *l, const struct copy_msg *m, struct copy_fault *f)
{
	uint8_t *head;
	size_t len;

	if (l->secure && !l->sealed) /* only the handshake's own alerts may be sent */
		return link_fault(l, SECURE_UNKNOWN, f);
	if (l->queued + LINK_FRAME > sizeof(l->out) && link_flush(l, f))
		return -1;
	head = l->out + l->queued;
	len = msg_encode(m, head + LINK_HEAD);
	bytes_put(head, len, LINK_HEAD);
	l->queued += LINK_HEAD + len;
	return 0;
}

int link_send(struct link *l, const struct copy_msg *m, struct copy_fault *f)
{
	return link_queue(l, m, f) || link_flush(l, f) ? -1 : 0;
}

static void link_unspill(struct link *l)
{
	struct link_spill *sp = &l->spill;
	size_t n = sizeof(l->in) - l->have;

	if (n > sp->n)
		n = sp->n;
	memcpy(l->in + l->have, sp->p + sp->at, n);
	l->have += n;
	sp->at += n;
	sp->n -= n;
	if (!sp->n)
		sp->at = 0;
}

/* Reads into `in`: 1 if bytes came, 0 if there were none. */
static int link_fill(struct link *l, struct copy_fault *f)
{
	ssize_t n;

	if (l->have == sizeof(l->in)) {
		memmove(l->in, l->in + l->at, l->have - l->at);
		l->have -= l->at;
		l->at = 0;
	}
	if (l->spill.n) {
		link_unspill(l);
		return 1;
	}
	n = link_read_socket(l, l->in + l->have, sizeof(l->in) - l->have);
	if (n > 0) {
		l->have += (size_t)n;
		return 1;
	}
	return n == SECURE_READ || n == SECURE_WRITE ? 0 : link_fault(l, n, f);
}

/* Drops the bytes of the last message from the buffer. */
static void link_retire(struct link *l)
{
	l->at += l->used;
	l->used = 0;
	if (l->at == l->have)
		l->at = l->have = 0;
}

static int frame_length(struct link *l, size_t *len, struct copy_fault *f)
{
	*len = bytes_get(l->in + l->at, LINK_HEAD);
	if (*len < 4 || *len > MSG_MAX)
		return link_breach(l, f, "sent a frame of %zu bytes, allowed are 4 to %u%s", *len,
				   MSG_MAX, l->sealed ? "" : ": is the peer dvx-copy?");
	return 0;
}

static int peers_error(struct link *l, const struct copy_msg *m, struct copy_fault *f)
{
	int code = (int)m->code;

	if (code == COPY_OK || !strcmp(fault_word(code), "unknown"))
		code = COPY_PROTOCOL;
	return copy_fail(f, (enum copy_exit)code, "%s says: %s", l->peer,
			 QUOTED(m->text.p, m->text.n));
}

/* Decodes a frame from the buffer: 1, or 0 if it is not complete yet. */
static int link_parse(struct link *l, struct copy_msg *m, struct copy_fault *f)
{
	const uint8_t *body = l->in + l->at + LINK_HEAD;
	size_t len;

	if (l->have - l->at < LINK_HEAD)
		return 0;
	if (frame_length(l, &len, f))
		return -1;
	if (l->have - l->at < LINK_HEAD + len)
		return 0;
	l->used = LINK_HEAD + len;
	if (msg_decode(m, body, len, f))
		return -1;
	return m->type == MSG_ERROR ? peers_error(l, m, f) : 1;
}

/* The whole message has to arrive in time: a peer that sends single bytes counts as silent. */
int link_take(struct link *l, struct copy_msg *m, int wait_ms, struct copy_fault *f)
{
	int64_t deadline = wait_ms ? clock_now_ms() + wait_ms : 0;
	int got;

	link_retire(l);
	while (!(got = link_parse(l, m, f))) {
		int64_t left;

		got = link_fill(l, f);
		if (got < 0)
			return -1;
		left = wait_ms ? deadline - clock_now_ms() : 0;
		if (left < 0)
			left = 0;
		if (!got && (!left || (got = link_wait_for(l, POLLIN, (int)left, f)) <= 0))
			return got;
	}
	return got;
}

int link_expect(struct link *l, enum msg_type type, struct copy_msg *m, struct copy_fault *f)
{
	int got = link_take(l, m, link_patience(l), f);

	if (got < 0)
		return -1;
	if (!got)
		return silent(l, f);
	if (type != MSG_TYPES && m->type != type)
		return link_breach(l, f, "sent %s where %s belongs", msg_name(m->type),
				   msg_name(type));
	return 0;
}

void link_send_error(struct link *l, const struct copy_fault *why)
{
	struct copy_fault ignored = {0};
	struct copy_msg m = {.type = MSG_ERROR,
			     .code = (uint32_t)why->code,
			     .text = {(const uint8_t *)why->text, (uint32_t)strlen(why->text)}};

	link_send(l, &m, &ignored);
}

int link_ask_cause(struct link *l, const struct copy_fault *own, struct copy_fault *f)
{
	const int64_t deadline = clock_now_ms() + l->patience_ms;
	struct copy_fault reason = {0};
	struct copy_msg m;
	int64_t left;

	link_send_error(l, own);
	while ((left = deadline - clock_now_ms()) > 0 && link_take(l, &m, (int)left, &reason) == 1)
		;
	if (!reason.code || reason.code == own->code)
		reason = *own;
	return copy_fail(f, (enum copy_exit)reason.code, "%s", reason.text);
}

#define PART_MS 2000

void link_shutdown(struct link *l, const struct copy_fault *why)
{
	const int64_t deadline = clock_now_ms() + PART_MS;
	struct pollfd p = {.fd = l->fd, .events = POLLIN};

	link_send_error(l, why);
	shutdown(l->fd, SHUT_WR);
	while (clock_now_ms() < deadline && poll(&p, 1, SLICE_MS) >= 0)
		if (p.revents && recv(l->fd, l->in, sizeof(l->in), MSG_DONTWAIT) <= 0)
			return;
}
