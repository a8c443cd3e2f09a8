/* SPDX-License-Identifier: BSD-2-Clause */
#include "client.h"

#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/filter.h"
#include "dest/receiver.h"
#include "source/sender.h"

static int client_send_filter(struct client *c, struct copy_fault *f)
{
	const char *rule;

	for (size_t i = 0;
	     c->role.options.filter && (rule = filter_text(c->role.options.filter, i)); i++) {
		struct copy_msg m = {.type = MSG_FILTER, .text = bytes_text(rule)};

		if (link_queue(&c->link, &m, f))
			return -1;
	}
	return 0;
}

static int client_start(struct client *c, int fd, const struct key *key, uint32_t flags,
			const char *dest, struct copy_fault *f)
{
	struct copy_msg m = {.type = MSG_START,
			     .flags = flags | (c->many ? MSG_MANY : 0),
			     .options = c->role.options.bits,
			     .code = c->role.options.fsync,
			     .size = c->role.options.rate,
			     .off = (uint64_t)(c->role.options.window - WINDOW_DIGITS),
			     .name = bytes_text(dest)};

	link_init(&c->link, fd, false, c->patience_ms);
	c->link.stop = c->stop;
	c->role.link = &c->link;
	c->role.counts = &c->role.report->counts;
	c->role.f = f;
	c->role.window = role_window(1);
	if (m.name.n >= PATH_MAX)
		return copy_fail(f, COPY_USAGE, "the path is longer than %d bytes", PATH_MAX - 1);
	while (c->role.options.filter && filter_text(c->role.options.filter, m.chunks))
		m.chunks++;
	return link_handshake(&c->link, key, f) || link_queue(&c->link, &m, f) ||
	       client_send_filter(c, f) || link_flush(&c->link, f);
}

static void client_end(struct client *c, const struct copy_fault *f)
{
	struct copy_msg bye = {.type = MSG_BYE};
	struct copy_fault ignored = {0};

	if (!f->code)
		link_send(&c->link, &bye, &ignored);
	else if (f->code != COPY_PEER)
		link_send_error(&c->link, f);
	link_close(&c->link);
}

/* --- pull --- */

static int client_send_request(struct client *c, const char *path, struct copy_fault *f)
{
	struct copy_msg m = {.type = MSG_PULL, .name = bytes_text(path)};

	if (m.name.n >= PATH_MAX)
		return copy_fail(f, COPY_USAGE, "source path is longer than %d bytes",
				 PATH_MAX - 1);
	return link_send(&c->link, &m, f);
}

/* All requests share one receiver, which remembers the first link to each hard-linked file. */
static int client_take(struct client *c, struct receiver *r, const struct client_request *requests,
		       int n)
{
	for (int i = 0; i < n; i++) {
		r->plan = requests[i].plan;
		r->expect = requests[i].expect;
		r->tops = source_is_pattern((const uint8_t *)requests[i].path,
					    strlen(requests[i].path))
				  ? UINT32_MAX
				  : 1;
		if (client_send_request(c, requests[i].path, r->f) || receiver_run(r))
			return -1;
	}
	return 0;
}

int client_pull(struct client *c, int fd, const struct key *key,
		const struct client_request *requests, int n, struct copy_fault *f)
{
	struct receiver *r = malloc(sizeof(*r));
	int ret = client_start(c, fd, key, 0, "", f);

	if (!r)
		ret = copy_no_memory(f);
	if (!ret) {
		ret = receiver_open(r, &c->role, &requests->plan) || client_take(c, r, requests, n);
		receiver_close(r);
	}
	client_end(c, f);
	free(r);
	return ret ? -1 : 0;
}

/* --- push --- */

static int client_send_one(struct copy_sender *s, const char *path, bool many)
{
	struct source_entry e;
	int ret;

	if (source_local(&e, path, s->f))
		return sender_lose(s, path, many);
	ret = sender_send(s, &e);
	source_close(&e);
	return ret;
}

static int client_send(struct copy_sender *s, char *const *sources, int n)
{
	for (int i = 0; i < n; i++)
		if (client_send_one(s, sources[i], n > 1))
			return -1;
	return sender_done(s, true);
}

int client_push(struct client *c, int fd, const struct key *key, char *const *sources, int n,
		const char *dest, bool merge, struct copy_fault *f)
{
	const uint32_t flags = MSG_PUSH | (merge ? MSG_MERGE : 0);
	struct copy_sender s = {.fd = -1};
	int ret = client_start(c, fd, key, flags, dest, f) || sender_open(&s, &c->role) ||
		  client_send(&s, sources, n);

	sender_close(&s);
	client_end(c, f);
	return ret ? -1 : 0;
}
