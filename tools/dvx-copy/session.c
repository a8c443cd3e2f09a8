/* SPDX-License-Identifier: BSD-2-Clause */
#include "session.h"

#include <stdlib.h>
#include <string.h>

#include "base/filter.h"
#include "dest/receiver.h"
#include "source/list.h"
#include "source/resolve.h"

struct session {
	const struct copy_server *server;
	struct link *link;
	struct copy_counts *counts;
	struct copy_fault *f;
	struct copy_options options;
	struct copy_sender sender;
	struct filter filter;
};

/* --- a client that pulls --- */

static int session_send(void *arg, const uint8_t *path, size_t len)
{
	struct session *s = arg;
	struct source_entry e;
	int ret;

	if (source_resolve(&e, s->server->root, path, len, s->f))
		return -1;
	ret = (s->options.bits & OPTION_TOTALS &&
	       list_totals(&s->sender, e.dir, e.entry, e.name)) ||
	      sender_send(&s->sender, e.dir, e.entry, e.name);
	source_close(&e);
	return ret;
}

static int answer_pull(struct session *s, const struct copy_msg *m)
{
	uint8_t path[PATH_MAX];
	size_t n = m->name.n;
	int bad;

	memcpy(path, m->name.p, n);
	bad = source_is_pattern(path, n)
		      ? source_match(s->server->root, path, n, session_send, s, s->f)
		      : session_send(s, path, n);
	return bad ? -1 : sender_done(&s->sender, true);
}

static int converse(struct session *s)
{
	struct copy_msg m;

	for (;;) {
		if (link_expect(s->link, MSG_TYPES, &m, s->f))
			return -1;
		switch (m.type) {
		case MSG_RETURN:
			if (sender_obey(&s->sender, &m))
				return -1;
			break;
		case MSG_PULL:
			if (answer_pull(s, &m))
				return -1;
			break;
		case MSG_BYE:
			return 0;
		default:
			return copy_fail(s->f, COPY_PROTOCOL, "the client sent %s unasked",
					 msg_name(m.type));
		}
	}
}

static int session_serve(struct session *s)
{
	int ret;

	s->sender = (struct copy_sender){.link = s->link,
					 .device = s->server->device,
					 .options = s->options,
					 .counts = s->counts,
					 .f = s->f};
	ret = sender_open(&s->sender, s->server->slots, s->server->slot_bytes) || converse(s);
	sender_close(&s->sender);
	return ret;
}

/* --- a client that pushes --- */

static int session_take(struct session *s, const char *dest, bool many)
{
	struct receiver *r = calloc(1, sizeof(*r));
	struct copy_msg bye;
	int ret;

	if (!r)
		return copy_fail(s->f, COPY_IO, "out of memory");
	*r = (struct receiver){.link = s->link,
			       .device = s->server->device,
			       .options = s->options,
			       .counts = s->counts,
			       .f = s->f,
			       .plan = {s->server->root, dest, many}};
	r->dest.umask = s->server->umask;
	ret = receiver_open(r, s->server->slots, s->server->slot_bytes) || receiver_run(r) ||
	      link_expect(s->link, MSG_BYE, &bye, s->f);
	receiver_close(r);
	free(r);
	return ret;
}

/* Both ways to leave the root end here, so that the reason is told; the kernel checks links. */
static int session_check_dest(struct session *s, const char *dest)
{
	if (!s->server->writable)
		return copy_fail(s->f, COPY_REFUSED,
				 "this server is read-only: serve --writable admits push");
	if (*dest == '/')
		return copy_fail(s->f, COPY_REFUSED,
				 "path %s is absolute; paths begin at the served directory",
				 QUOTED(dest, strlen(dest)));
	return 0;
}

static int session_filter(struct session *s, uint64_t rules)
{
	struct copy_msg m;

	for (; rules; rules--) {
		char text[FILTER_PATTERN_MAX + 3];

		if (link_expect(s->link, MSG_FILTER, &m, s->f))
			return -1;
		memcpy(text, m.text.p, m.text.n);
		text[m.text.n] = '\0';
		if (strlen(text) != m.text.n || (text[0] != '+' && text[0] != '-') ||
		    text[1] != ' ')
			return copy_fail(s->f, COPY_PROTOCOL,
					 "the client sent a filter that is none");
		if (filter_add(&s->filter, text, false, s->f))
			return -1;
	}
	s->options.filter = &s->filter;
	return 0;
}

static int session_start(struct session *s, const struct copy_msg *start)
{
	const uint64_t rules = start->chunks;
	const bool push = start->flags & MSG_PUSH, many = start->flags & MSG_MANY;
	char dest[PATH_MAX];

	if (memchr(start->name.p ? start->name.p : (const uint8_t *)"", '\0', start->name.n))
		return copy_fail(s->f, COPY_PROTOCOL, "the client's path holds a zero byte");
	s->options = (struct copy_options){
		.bits = start->options, .fsync = (enum copy_fsync)start->code, .rate = start->size};
	if (start->name.n)
		memcpy(dest, start->name.p, start->name.n);
	dest[start->name.n] = '\0';
	if (session_filter(s, rules))
		return -1;
	if (!push)
		return session_serve(s);
	return session_check_dest(s, dest) || session_take(s, dest, many);
}

int session_run(const struct copy_server *server, struct link *l, struct copy_counts *counts,
		struct copy_fault *f)
{
	struct session s = {.server = server, .link = l, .f = f, .counts = counts};
	struct copy_msg start;
	int ret;

	if (link_expect(l, MSG_START, &start, f))
		return -1;
	ret = session_start(&s, &start);
	filter_free(&s.filter);
	return ret ? -1 : 0;
}
