/* SPDX-License-Identifier: BSD-2-Clause */
/* The server: the far end of another dvx-perf's queues. Its clients come one after another. */
#include <errno.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>
#include "exits.h"
#include "far.h"
#include "options.h"
#include "peer.h"
#include "tools/cli/json.h"
#include "tools/cli/say.h"

#define SERVE_FARS 16 /* engines of a client */
/* Empty looks at the receives from one look at the connection to the next. */
#define SERVE_SPIN 256

static volatile sig_atomic_t serve_stop;

struct perf_client {
	const struct perf_site *site;
	struct talk talk;
	struct far *far[SERVE_FARS];
	uint32_t opened;
};

static const struct perf_transport *wish_transport(const char *name)
{
	for (const struct perf_transport *t = perf_transports; t->name; t++)
		if (!strcmp(t->name, name))
			return t;
	return NULL;
}

/* A member of a client's wish that has to be in a range. */
struct wish_range {
	const char *name;
	json_int_t least, most;
};

static int wish_number(const json_t *j, const struct wish_range *r, json_int_t *out)
{
	const json_t *n = json_object_get(j, r->name);

	*out = json_integer_value(n);
	if (json_is_integer(n) && *out >= r->least && *out <= r->most)
		return 0;
	say("the client's \"%s\" is not a number from %lld to %lld", r->name, (long long)r->least,
	    (long long)r->most);
	return -1;
}

static int wish_take(const json_t *j, struct far_wish *w)
{
	static const struct wish_range ranges[] = {
		{"lanes", 1, FAR_LANES},
		{"sets", 1, FAR_LANES},
		{"receives", 0, FAR_RECEIVES},
		{"memory", 1, FAR_MEMORY},
		{"access", 0, DVX_REMOTE_WRITE | DVX_REMOTE_READ | DVX_REMOTE_ATOMIC},
		{"srq", 0, 1},
		{"windows", 0, 1}};
	json_int_t v[7];

	for (int i = 0; i < 7; i++)
		if (wish_number(j, &ranges[i], &v[i]))
			return -1;
	*w = (struct far_wish){wish_transport(json_str(j, "transport")),
			       (uint32_t)v[0],
			       (uint32_t)v[1],
			       (uint32_t)v[2],
			       v[5] == 1,
			       v[6] == 1,
			       (uint32_t)v[4],
			       (uint64_t)v[3]};
	if (!w->transport)
		say("the client's \"transport\" is not known here: %s", json_str(j, "transport"));
	else if (w->lanes % w->sets)
		say("the client's \"lanes\" are no multiple of its \"sets\"");
	else if (w->transport->pooled && !w->srq)
		say("the client's \"srq\" is 0, but %s has no other receives", w->transport->name);
	else if (w->windows && (w->srq || !w->receives || w->transport->id != PERF_RC))
		say("the client's \"windows\" is 1, but windows are bound anew by RC queues with "
		    "receives of their own");
	else
		return 0;
	return -1;
}

static int serve_make(struct perf_client *c, const json_t *message)
{
	struct perf_ends near = {0};
	struct far_wish w;
	struct far *f;
	int rc = wish_take(json_object_get(message, "open"), &w);

	if (rc)
		return -1;
	if (c->opened == SERVE_FARS) {
		say("the client opens more than %d far ends", SERVE_FARS);
		return -1;
	}
	near.n = w.lanes;
	near.qpn = calloc(w.lanes, sizeof(*near.qpn));
	if (near.qpn && ends_take(json_object_get(message, "ends"), &near) == 0) {
		rc = far_open(c->site, &w, &f);
		if (!rc)
			c->far[c->opened++] = f;
		rc = rc ? rc : far_connect(c->site, f, &near);
	} else {
		say("the client's \"ends\" are not of %u queues", w.lanes);
		rc = -1;
	}
	free(near.qpn);
	return rc;
}

/* The sentence that was said last goes to the client, too. */
static json_t *serve_error(void)
{
	return json_pack("{s:s}", "error", say_last());
}

static json_t *serve_opens(struct perf_client *c, const json_t *message)
{
	if (serve_make(c, message))
		return serve_error();
	return json_pack("{s:o}", "ends", ends_json(&c->far[c->opened - 1]->ends));
}

static uint64_t serve_received(struct far *f)
{
	uint64_t received = 0;

	for (uint32_t i = 0; i < f->wish.sets; i++) {
		far_take(&f->set[i]);
		received += f->set[i].received;
	}
	return received;
}

/* The one that was opened last. Of reliable queues, the last messages may still be on their way. */
static json_t *serve_closes(struct perf_client *c, const json_t *message)
{
	uint64_t sent = (uint64_t)json_integer_value(json_object_get(message, "close")), received;
	struct far *f;

	if (!c->opened) {
		say("the client closes what it did not open");
		return serve_error();
	}
	f = c->far[--c->opened];
	do
		received = serve_received(f);
	while (f->wish.receives && f->wish.transport->reliable && received < sent &&
	       !talk_ready(&c->talk) && !site_gone(c->site));
	far_close(f);
	return json_pack("{s:I}", "received", (json_int_t)received);
}

/* Receives of all that the client opened; 0: none came, or none are expected. */
static int serve_receive(struct perf_client *c, bool *expected)
{
	int n = 0;

	*expected = false;
	for (uint32_t i = 0; i < c->opened; i++) {
		struct far *f = c->far[i];

		if (!f->wish.receives)
			continue;
		*expected = true;
		for (uint32_t set = 0; set < f->wish.sets; set++) {
			int rc = far_take(&f->set[set]);

			if (rc < 0)
				return rc;
			n += rc;
		}
	}
	return n;
}

/* Posts receives again until the client has something to say. */
static int serve_until_asked(struct perf_client *c)
{
	bool expected = true;

	while (!serve_stop) {
		int empty = 0;

		while (empty < SERVE_SPIN && expected) {
			int n = serve_receive(c, &expected);

			if (n < 0)
				return n;
			empty = n ? 0 : empty + 1;
		}
		if (!expected || talk_ready(&c->talk))
			return 0;
		if (site_gone(c->site))
			return -1;
	}
	return 0;
}

/* The client's next wish: negative after its last. */
static int serve_one(struct perf_client *c)
{
	json_t *message, *answer;
	int code;

	if (serve_until_asked(c)) {
		talk_send(&c->talk, serve_error());
		return EXIT_DEVICE;
	}
	code = talk_receive(&c->talk, &message);
	if (code)
		return code;
	if (json_object_get(message, "open"))
		answer = serve_opens(c, message);
	else if (json_object_get(message, "close"))
		answer = serve_closes(c, message);
	else
		answer = json_object_get(message, "end")
				 ? NULL
				 : json_pack("{s:s}", "error", "no such wish");
	json_decref(message);
	return answer ? talk_send(&c->talk, answer) : -1;
}

static int serve_client(const struct perf_site *site, int fd)
{
	struct perf_client c = {.site = site};
	int code = talk_begin(&c.talk, fd, "the client");

	if (code)
		return code;
	c.talk.stop = &serve_stop;
	code = talk_hello(&c.talk);
	while (!code)
		code = serve_one(&c);
	for (uint32_t i = 0; i < c.opened; i++)
		far_close(c.far[i]);
	talk_end(&c.talk);
	return code < 0 ? EXIT_DONE : code;
}

static int serve_clients(const struct perf_site *site, int listener, bool once)
{
	for (;;) {
		int ready = talk_wait(listener, POLLIN, &serve_stop, -1), fd, code;

		if (!ready)
			return EXIT_DONE;
		fd = accept4(listener, NULL, NULL, SOCK_CLOEXEC);
		if (fd < 0)
			continue;
		code = serve_client(site, fd);
		if (once || serve_stop)
			return serve_stop ? EXIT_DONE : code;
	}
}

static void serve_announce(const struct perf_args *a, const struct perf_site *site,
			   const char *name)
{
	if (a->json)
		json_out_line(
			json_pack("{s:s, s:s}", "listening", name, "device", site_name(site)));
	else
		printf("listening on %s with %s\n", name, site_name(site));
	fflush(stdout);
}

static void serve_ask_stop(int sig)
{
	(void)sig;
	serve_stop = 1;
}

int perf_cmd_serve(const struct perf_args *a)
{
	struct sigaction stop = {.sa_handler = serve_ask_stop};
	struct perf_site site;
	char name[TALK_NAME];
	int listener, code;

	sigaction(SIGINT, &stop, NULL);
	sigaction(SIGTERM, &stop, NULL);
	code = site_open(&site, a->device, a->gid_index);
	if (!code)
		code = talk_listen(a->listen, &listener, name);
	if (!code) {
		serve_announce(a, &site, name);
		code = serve_clients(&site, listener, a->once);
		close(listener);
	}
	site_close(&site);
	return code;
}
