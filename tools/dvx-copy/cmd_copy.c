/* SPDX-License-Identifier: BSD-2-Clause */
/* pull and push: what the command line says, and one connection for each server. */
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>

#include "base/bwlimit.h"
#include "base/confine.h"
#include "base/workers.h"
#include "base/pool.h"
#include "client.h"
#include "dest/seen.h"
#include "dvx-copy.h"
#include "source/resolve.h"
#include "wire/net.h"

static const char *const fsync_words[FSYNC_MODES] = {
	[FSYNC_GROUP] = "group",
	[FSYNC_EACH] = "each",
	[FSYNC_END] = "end",
	[FSYNC_NONE] = "none",
};

static int cmd_fsync(const char *word, enum copy_fsync *mode, struct copy_fault *f)
{
	for (unsigned int i = 0; word && i < FSYNC_MODES; i++)
		if (!strcmp(word, fsync_words[i])) {
			*mode = (enum copy_fsync)i;
			return 0;
		}
	if (!word)
		return 0;
	return copy_fail(f, COPY_USAGE, "--fsync is each, group, end or none, not \"%s\"", word);
}

/* rsync's words: -1 is nanoseconds, 0 whole seconds. */
static int cmd_window(const char *word, int64_t *window, struct copy_fault *f)
{
	char *end = NULL;
	long n;

	*window = WINDOW_DIGITS;
	if (!word)
		return 0;
	errno = 0;
	n = strtol(word, &end, 10);
	if (errno || end == word || *end || n < WINDOW_EXACT || n > INT32_MAX)
		return copy_fail(f, COPY_USAGE,
				 "--modify-window is a number of seconds, or -1 for nanoseconds, "
				 "not \"%s\"",
				 word);
	*window = n;
	return 0;
}

static int cmd_options(const struct copy_args *a, bool live, struct copy_options *o,
		       struct copy_fault *f)
{
	o->bits = a->chosen ? a->bits : a->bits | OPTIONS_PLAIN;
	if (live)
		o->bits |= OPTION_TOTALS;
	if (o->bits & OPTION_ACLS)
		o->bits |= OPTION_PERMS;
	if (o->bits & OPTION_DELETE && !(o->bits & OPTION_RECURSE))
		return copy_fail(f, COPY_USAGE, "--delete needs -r or -a");
	if (a->bwlimit && bwlimit_parse(a->bwlimit, &o->rate, f))
		return -1;
	return cmd_window(a->window, &o->window, f) || cmd_fsync(a->fsync, &o->fsync, f) ? -1 : 0;
}

struct cmd_copy {
	const struct copy_args *a;
	struct key key;
	struct client client;
	struct copy_target *targets;
	struct filter filter;	/* the command line's */
	struct dest_seen *seen; /* over all sources of a pull, if it matters; or NULL */
};

static int cmd_connect(struct cmd_copy *c, const struct copy_target *t, struct copy_fault *f)
{
	return net_connect(t, c->key.n != 0, c->client.stop, f);
}

static struct client_request cmd_request(const struct cmd_copy *c, int i)
{
	const struct copy_args *a = c->a;
	const struct copy_target *t = &c->targets[i];

	return (struct client_request){
		.path = t->path,
		.expect = source_is_contents(t->path) ? "" : t->base,
		.plan = {.root = AT_FDCWD,
			 .dest = a->argv[a->argc - 1],
			 .many = a->argc > 2 ||
				 source_is_pattern((const uint8_t *)t->path, strlen(t->path)),
			 .last = i == a->argc - 2,
			 .seen = c->seen}};
}

/* How many of the sources from i on are of one server: they share a connection. */
static int cmd_run_length(const struct cmd_copy *c, int i)
{
	const struct copy_target *t = &c->targets[i];
	int n = 1;

	while (i + n < c->a->argc - 1 && !strcmp(t[n].host, t->host) && !strcmp(t[n].port, t->port))
		n++;
	return n;
}

static int cmd_pull_some(struct cmd_copy *c, int i, int n, struct copy_fault *f)
{
	struct client_request *requests = calloc((size_t)n, sizeof(*requests));
	int fd, ret;

	if (!requests)
		return copy_fail(f, COPY_IO, "out of memory");
	for (int k = 0; k < n; k++)
		requests[k] = cmd_request(c, i + k);
	fd = cmd_connect(c, &c->targets[i], f);
	ret = fd < 0 ? -1 : client_pull(&c->client, fd, &c->key, requests, n, f);
	free(requests);
	return ret;
}

static const char *cmd_name(const char *arg)
{
	const char *slash = strrchr(arg, '/'), *colon = strrchr(slash ? slash : arg, ':');

	return colon ? colon + 1 : slash ? slash + 1 : arg;
}

/* Whether two sources may have entries of one path: they have one name, or hold the DEST's own. */
static bool cmd_merges(const struct copy_args *a)
{
	const int n = a->argc - 1;

	for (int i = 0; i < n; i++) {
		const char *arg = a->argv[i];

		if (n > 1 && source_is_contents(arg))
			return true;
		if (source_is_pattern((const uint8_t *)arg, strlen(arg)))
			return true;
		for (int k = 0; k < i; k++)
			if (!strcmp(cmd_name(arg), cmd_name(a->argv[k])))
				return true;
	}
	return false;
}

/* After the device is open: its driver may write where it likes. */
static void cmd_confine(const struct copy_args *a, const char *dest)
{
	char told[CONFINE_TOLD];

	confine_client(dest, told);
	if (a->verbose)
		say("confined %s", told);
}

static int cmd_pull_all(struct cmd_copy *c, struct copy_fault *f)
{
	const struct copy_args *a = c->a;
	int n = a->argc - 1, bad = 0;

	for (int i = 0; !bad && i < n; i++)
		bad = target_parse(&c->targets[i], a->argv[i], f);
	if (cmd_merges(a) && !(c->seen = seen_new()))
		bad = copy_fail(f, COPY_IO, "out of memory");
	bad = bad || device_open(&c->client.device, a->device, f) ||
	      device_via(c->client.device, a->via, f);
	if (!bad)
		cmd_confine(a, a->argv[n]);
	for (int i = 0, some; !bad && i < n; i += some) {
		some = cmd_run_length(c, i);
		bad = cmd_pull_some(c, i, some, f);
	}
	seen_free(c->seen);
	return bad;
}

static int cmd_push_all(struct cmd_copy *c, struct copy_fault *f)
{
	const struct copy_args *a = c->a;
	int n = a->argc - 1, fd;
	struct copy_target *t = &c->targets[0];

	if (target_parse(t, a->argv[n], f) || device_open(&c->client.device, a->device, f) ||
	    device_via(c->client.device, a->via, f))
		return -1;
	cmd_confine(a, NULL);
	fd = cmd_connect(c, t, f);
	return fd < 0 ? -1
		      : client_push(&c->client, fd, &c->key, a->argv, n, t->path, cmd_merges(a), f);
}

static void cmd_copy_run(struct cmd_copy *c, int (*all)(struct cmd_copy *, struct copy_fault *),
			 struct copy_fault *f)
{
	const struct copy_args *a = c->a;

	c->targets = calloc((size_t)a->argc, sizeof(*c->targets));
	if (!c->targets)
		copy_fail(f, COPY_IO, "out of memory");
	else if (!cmd_options(a, c->client.report->live || c->client.report->events,
			      &c->client.options, f) &&
		 (!a->key_file || !key_load(&c->key, a->key_file, f)))
		all(c, f);
	device_close(c->client.device);
	key_wipe(&c->key);
	filter_free(&c->filter);
	free(c->targets);
}

static int cmd_copy(const struct copy_args *a, bool sending,
		    int (*all)(struct cmd_copy *, struct copy_fault *))
{
	const uint32_t slot_bytes = a->slot_bytes & ~4095u;
	struct cmd_copy *c = calloc(1, sizeof(*c));
	struct copy_fault f = {0};
	struct report r;
	int code;

	report_begin(&r, a->quiet, a->json);
	report_ask(&r, a->progress, a->stats);
	r.sending = sending;
	r.dry = a->bits & OPTION_DRY;
	r.items = r.dry || a->itemize ? 2 : a->verbose;
	if (c) {
		c->a = a;
		c->filter = a->filter;
		c->client.options.filter = c->filter.n ? &c->filter : NULL;
		c->client.report = &r;
		c->client.slots = a->slots ? a->slots : pool_slots(slot_bytes);
		c->client.slot_bytes = slot_bytes;
		c->client.jobs = a->jobs ? a->jobs : workers_usual();
		c->client.patience_ms = (int)a->timeout * 1000;
		c->client.stop = &stop_asked;
		c->client.umask = copy_umask();
		cmd_copy_run(c, all, &f);
	} else {
		copy_fail(&f, COPY_IO, "out of memory");
	}
	code = report_end(&r, &f);
	report_free(&r);
	free(c);
	return code;
}

int copy_cmd_pull(const struct copy_args *a)
{
	return cmd_copy(a, false, cmd_pull_all);
}

int copy_cmd_push(const struct copy_args *a)
{
	return cmd_copy(a, true, cmd_push_all);
}
