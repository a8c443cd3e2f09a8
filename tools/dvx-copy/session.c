/* SPDX-License-Identifier: BSD-2-Clause */
#include "serve.h"

#include <stdlib.h>
#include <string.h>

#include "base/filter.h"
#include "dest/receiver.h"
#include "source/sender.h"

struct session {
	const struct copy_server *server;
	struct link *link;
	struct copy_counts *counts;
	struct copy_fault *f;
	struct copy_options options;
	struct copy_sender sender;
	struct filter filter;
	bool many;		     /* the client has several sources */
	struct access_place place;   /* where the requested path leads */
	char own_name[NAME_MAX + 1]; /* name of the source if it is place.dir itself */
};

/* --- a client that pulls --- */

static int session_send(struct session *s, const char *path, size_t len, bool many)
{
	struct source_entry e;
	int ret;

	if (s->f->code || source_resolve(&e, s->place.dir, (const uint8_t *)path, len, s->f))
		return sender_lose(&s->sender, path, many);
	if (!len)
		strcpy(e.name, s->own_name);
	ret = sender_send(&s->sender, &e);
	source_close(&e);
	return ret;
}

/* Sends one source that a pattern matched. If it is gone or closed, the others are sent. */
static int session_send_match(void *arg, const uint8_t *path, size_t len)
{
	return session_send(arg, (const char *)path, len, true);
}

/* Sends what a pattern matches. If nothing does, it is taken as a name, as in a shell. */
static int session_send_all(struct session *s)
{
	const struct copy_bytes *rest = &s->place.rest;
	int bad = 1;

	if (source_is_pattern(rest->p, rest->n))
		bad = source_match(s->place.dir, rest->p, rest->n, session_send_match, s, s->f);
	return bad > 0 ? session_send(s, (const char *)rest->p, rest->n, s->many) : bad;
}

/* A key's directory that is requested as "dir", not as "dir/", is copied under that name. */
static void session_set_name(struct session *s, const char *path)
{
	const char *slash = strrchr(path, '/'), *name = slash ? slash + 1 : path;

	s->own_name[0] = '\0';
	if (!source_is_contents(path) && strlen(name) <= NAME_MAX)
		strcpy(s->own_name, name);
}

static int answer_pull(struct session *s, const struct copy_msg *m)
{
	char path[PATH_MAX] = "";
	const struct copy_bytes asked = {(const uint8_t *)path, m->name.n};
	int bad;

	if (asked.n)
		memcpy(path, m->name.p, asked.n);
	session_set_name(s, path);
	if (!access_find(s->server->access, s->link->key, false, asked, &s->place, s->f))
		bad = session_send_all(s);
	else
		bad = sender_lose(&s->sender, path, s->many);
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
			if (sender_handle(&s->sender, &m))
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

static struct copy_role session_role(const struct session *s)
{
	struct copy_role role = s->server->role;

	role.link = s->link;
	role.options = s->options;
	role.counts = s->counts;
	role.f = s->f;
	return role;
}

static int session_serve(struct session *s)
{
	struct copy_role role = session_role(s);
	int ret = sender_open(&s->sender, &role) || converse(s);

	sender_close(&s->sender);
	return ret;
}

/* --- a client that pushes --- */

static int session_receive(struct session *s, struct receiver *r, const struct dest_plan *plan)
{
	struct copy_role role = session_role(s);
	struct copy_msg bye;
	int ret = receiver_open(r, &role, plan);

	r->tops = plan->many ? UINT32_MAX : 1;
	ret = ret || receiver_run(r) || link_expect(s->link, MSG_BYE, &bye, s->f);
	receiver_close(r);
	return ret;
}

static int session_take(struct session *s, const char *dest, uint32_t flags)
{
	const struct dest_plan plan = {.root = s->place.dir,
				       .dest = dest,
				       .many = flags & MSG_MANY,
				       .last = true,
				       .seen = seen_new(flags & MSG_MERGE)};
	struct receiver *r = malloc(sizeof(*r));
	int ret = r && plan.seen ? session_receive(s, r, &plan) : copy_no_memory(s->f);

	seen_free(plan.seen);
	free(r);
	return ret;
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
		if (strlen(text) != m.text.n)
			return copy_fail(s->f, COPY_PROTOCOL,
					 "the client sent a filter rule with a zero byte");
		if (filter_take(&s->filter, text, s->f))
			return -1;
	}
	s->options.filter = &s->filter;
	return 0;
}

static int session_start(struct session *s, const struct copy_msg *start)
{
	const uint64_t rules = start->chunks;
	const uint32_t flags = start->flags;
	char dest[PATH_MAX];
	const struct copy_bytes path = {(const uint8_t *)dest, start->name.n};

	if (memchr(start->name.p ? start->name.p : (const uint8_t *)"", '\0', start->name.n))
		return copy_fail(s->f, COPY_PROTOCOL, "the client's path holds a zero byte");
	s->options = (struct copy_options){.bits = start->options,
					   .fsync = (enum copy_fsync)start->code,
					   .rate = start->size,
					   .window = (int64_t)start->off + WINDOW_DIGITS};
	if (start->name.n)
		memcpy(dest, start->name.p, start->name.n);
	dest[start->name.n] = '\0';
	if (session_filter(s, rules))
		return -1;
	s->many = flags & MSG_MANY;
	if (!(flags & MSG_PUSH))
		return session_serve(s);
	return access_find(s->server->access, s->link->key, true, path, &s->place, s->f) ||
	       session_take(s, (const char *)s->place.rest.p, flags);
}

int copy_session_run(const struct copy_server *server, struct link *l, struct copy_counts *counts,
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
