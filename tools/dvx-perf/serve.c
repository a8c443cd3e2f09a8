/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The server: the peer's side of another dvx-perf's queues. It serves one client after the other.
 */
#include <errno.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>
#include "exits.h"
#include "responder.h"
#include "options.h"
#include "peer.h"
#include "tools/cli/json.h"
#include "tools/cli/message.h"

#define SERVE_RESPONDERS 16 /* engines of one client */
/* Empty polls for receives between two looks at the connection. */
#define SERVE_SPIN 256

static volatile sig_atomic_t serve_stop;

struct perf_client {
	const struct perf_site *site;
	struct control control;
	struct responder *responder[SERVE_RESPONDERS];
	uint32_t opened;
};

static const struct perf_transport *request_transport(const char *name)
{
	for (const struct perf_transport *t = perf_transports; t->name; t++)
		if (!strcmp(t->name, name))
			return t;
	return NULL;
}

/* A member of a client's request, with its range. */
struct request_range {
	const char *name;
	json_int_t least, most;
};

static int request_number(const json_t *j, const struct request_range *r, json_int_t *out)
{
	const json_t *n = json_object_get(j, r->name);

	*out = json_integer_value(n);
	if (json_is_integer(n) && *out >= r->least && *out <= r->most)
		return 0;
	message_print("the client's \"%s\" is not a number from %lld to %lld", r->name,
		      (long long)r->least, (long long)r->most);
	return -1;
}

static int request_take(const json_t *j, struct responder_request *w)
{
	static const struct request_range ranges[] = {
		{"lanes", 1, RESPONDER_LANES},
		{"sets", 1, RESPONDER_LANES},
		{"receives", 0, RESPONDER_RECEIVES},
		{"memory", 1, RESPONDER_MEMORY},
		{"access", 0, DVX_REMOTE_WRITE | DVX_REMOTE_READ | DVX_REMOTE_ATOMIC},
		{"srq", 0, 1},
		{"windows", 0, 1}};
	json_int_t v[7];

	for (int i = 0; i < 7; i++)
		if (request_number(j, &ranges[i], &v[i]))
			return -1;
	*w = (struct responder_request){request_transport(json_str(j, "transport")),
					(uint32_t)v[0],
					(uint32_t)v[1],
					(uint32_t)v[2],
					v[5] == 1,
					v[6] == 1,
					(uint32_t)v[4],
					(uint64_t)v[3]};
	if (!w->transport)
		message_print("the client's \"transport\" is not known here: %s",
			      json_str(j, "transport"));
	else if (w->lanes % w->sets)
		message_print("the client's \"lanes\" are no multiple of its \"sets\"");
	else if (w->transport->pooled && !w->srq)
		message_print("the client's \"srq\" is 0, but %s has no other receives",
			      w->transport->name);
	else if (w->windows && (w->srq || !w->receives || w->transport->id != PERF_RC))
		message_print("the client's \"windows\" is 1, but windows are bound anew by RC "
			      "queues with "
			      "receives of their own");
	else
		return 0;
	return -1;
}

static int serve_make(struct perf_client *c, const json_t *message)
{
	struct perf_ends requester = {0};
	struct responder_request w;
	struct responder *f;
	int rc = request_take(json_object_get(message, "open"), &w);

	if (rc)
		return -1;
	if (c->opened == SERVE_RESPONDERS) {
		message_print("the client opens more than %d far ends", SERVE_RESPONDERS);
		return -1;
	}
	requester.n = w.lanes;
	requester.qpn = calloc(w.lanes, sizeof(*requester.qpn));
	if (requester.qpn && ends_take(json_object_get(message, "ends"), &requester) == 0) {
		rc = responder_open(c->site, &w, &f);
		if (!rc)
			c->responder[c->opened++] = f;
		rc = rc ? rc : responder_connect(c->site, f, &requester);
	} else {
		message_print("the client's \"ends\" are not of %u queues", w.lanes);
		rc = -1;
	}
	free(requester.qpn);
	return rc;
}

/* Answers with the last error message. */
static json_t *serve_error(void)
{
	return json_pack("{s:s}", "error", message_last());
}

static json_t *serve_open(struct perf_client *c, const json_t *message)
{
	if (serve_make(c, message))
		return serve_error();
	return json_pack("{s:o}", "ends", ends_json(&c->responder[c->opened - 1]->ends));
}

static uint64_t serve_received(struct responder *f)
{
	uint64_t received = 0;

	for (uint32_t i = 0; i < f->request.sets; i++) {
		responder_take(&f->set[i]);
		received += f->set[i].received;
	}
	return received;
}

/*
 * Closes the side that was opened last. On reliable queues the last messages may still be on their
 * way.
 */
static json_t *serve_close(struct perf_client *c, const json_t *message)
{
	uint64_t sent = (uint64_t)json_integer_value(json_object_get(message, "close")), received;
	struct responder *f;

	if (!c->opened) {
		message_print("the client closes what it did not open");
		return serve_error();
	}
	f = c->responder[--c->opened];
	do
		received = serve_received(f);
	while (f->request.receives && f->request.transport->reliable && received < sent &&
	       !control_ready(&c->control) && !site_gone(c->site));
	responder_close(f);
	return json_pack("{s:I}", "received", (json_int_t)received);
}

/*
 * Reposts the receives of all sides that the client opened. Returns their number; 0: none came, or
 * none are expected.
 */
static int serve_receive(struct perf_client *c, bool *expected)
{
	int n = 0;

	*expected = false;
	for (uint32_t i = 0; i < c->opened; i++) {
		struct responder *f = c->responder[i];

		if (!f->request.receives)
			continue;
		*expected = true;
		for (uint32_t set = 0; set < f->request.sets; set++) {
			int rc = responder_take(&f->set[set]);

			if (rc < 0)
				return rc;
			n += rc;
		}
	}
	return n;
}

/* Reposts receives until the client sends a request. */
static int serve_until_request(struct perf_client *c)
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
		if (!expected || control_ready(&c->control))
			return 0;
		if (site_gone(c->site))
			return -1;
	}
	return 0;
}

/* Handles the client's next request. Returns a negative number after the last one. */
static int serve_one(struct perf_client *c)
{
	json_t *message, *answer;
	int code;

	if (serve_until_request(c)) {
		control_send(&c->control, serve_error());
		return EXIT_DEVICE;
	}
	code = control_receive(&c->control, &message);
	if (code)
		return code;
	if (json_object_get(message, "open"))
		answer = serve_open(c, message);
	else if (json_object_get(message, "close"))
		answer = serve_close(c, message);
	else
		answer = json_object_get(message, "end")
				 ? NULL
				 : json_pack("{s:s}", "error", "no such request");
	json_decref(message);
	return answer ? control_send(&c->control, answer) : -1;
}

static int serve_client(const struct perf_site *site, int fd)
{
	struct perf_client c = {.site = site};
	int code = control_begin(&c.control, fd, "the client");

	if (code)
		return code;
	c.control.stop = &serve_stop;
	code = control_hello(&c.control);
	while (!code)
		code = serve_one(&c);
	for (uint32_t i = 0; i < c.opened; i++)
		responder_close(c.responder[i]);
	control_end(&c.control);
	return code < 0 ? EXIT_DONE : code;
}

static int serve_clients(const struct perf_site *site, int listener, bool once)
{
	for (;;) {
		int ready = control_wait(listener, POLLIN, &serve_stop, -1), fd, code;

		if (!ready)
			return EXIT_DONE;
		fd = accept4(listener, NULL, NULL, SOCK_CLOEXEC);
		if (fd < 0)
			continue;
		code = serve_client(site, fd);
		if (serve_stop)
			return EXIT_DONE;
		if (site_gone(site))
			return EXIT_DEVICE;
		if (once)
			return code;
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
	char name[CONTROL_NAME];
	int listener, code;

	sigaction(SIGINT, &stop, NULL);
	sigaction(SIGTERM, &stop, NULL);
	code = site_open(&site, a->device, a->gid_index);
	if (!code)
		code = control_listen(a->listen, &listener, name);
	if (!code) {
		serve_announce(a, &site, name);
		code = serve_clients(&site, listener, a->once);
		close(listener);
	}
	site_close(&site);
	return code;
}
