/* SPDX-License-Identifier: BSD-2-Clause */
/* The commands pull and push: one connection for each server on the command line. */
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

#include "base/bwlimit.h"
#include "base/confine.h"
#include "base/workers.h"
#include "base/pool.h"
#include "client.h"
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

/* Reads the argument of --modify-window as rsync does: -1 means nanoseconds, 0 whole seconds. */
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
	o->bits = (a->chosen ? a->bits : a->bits | OPTIONS_PLAIN) & ~a->off;
	if (live)
		o->bits |= OPTION_TOTALS;
	if (o->bits & OPTION_ACLS)
		o->bits |= OPTION_PERMS;
	if (a->list_only || a->argc == 1)
		o->bits = (o->bits | OPTIONS_LIST) & ~(uint32_t)OPTION_DELETE;
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
	struct filter filter;	/* from the command line */
	struct dest_seen *seen; /* paths of a pull's sources */
	char **sources;
	int n;		  /* sources */
	const char *dest; /* or NULL: the sources are listed */
	char *path;	  /* with -R and --files-from: the source that holds all arguments */
};

static int cmd_connect(struct cmd_copy *c, const struct copy_target *t, struct copy_fault *f)
{
	return net_connect(t, c->key.n != 0, c->client.stop, f);
}

static struct client_request cmd_request(const struct cmd_copy *c, int i)
{
	const struct copy_target *t = &c->targets[i];

	return (struct client_request){
		.path = t->path,
		.expect = source_is_contents(t->path) ? "" : t->base,
		.plan = {.root = AT_FDCWD,
			 .dest = c->dest,
			 .list = !c->dest,
			 .many = c->n > 1 ||
				 source_is_pattern((const uint8_t *)t->path, strlen(t->path)),
			 .last = i == c->n - 1,
			 .seen = c->seen}};
}

/* Returns how many of the sources from i on are on one server: they share a connection. */
static int cmd_run_length(const struct cmd_copy *c, int i)
{
	const struct copy_target *t = &c->targets[i];
	int n = 1;

	while (i + n < c->n && !strcmp(t[n].host, t->host) && !strcmp(t[n].port, t->port))
		n++;
	return n;
}

static int cmd_pull_some(struct cmd_copy *c, int i, int n, struct copy_fault *f)
{
	struct client_request *requests = calloc((size_t)n, sizeof(*requests));
	int fd, ret;

	if (!requests)
		return copy_no_memory(f);
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

/* Whether two sources may have one path: they have one name, or go into DEST itself. */
static bool cmd_merges(const struct cmd_copy *c)
{
	for (int i = 0; i < c->n; i++) {
		const char *arg = c->sources[i];

		if (c->n > 1 && source_is_contents(arg))
			return true;
		if (source_is_pattern((const uint8_t *)arg, strlen(arg)))
			return true;
		for (int k = 0; k < i; k++)
			if (!strcmp(cmd_name(arg), cmd_name(c->sources[k])))
				return true;
	}
	return false;
}

/* Confines the process. Called after the device is open: its driver may write anywhere. */
static void cmd_confine(const struct copy_args *a, const char *dest)
{
	char text[CONFINE_TEXT];

	confine_client(dest, text);
	if (a->verbose)
		message_print("confined %s", text);
}

/* --list-only lists one level, unless -r or -a asks for more. */
static int cmd_limit_list(struct cmd_copy *c, struct copy_fault *f)
{
	const bool all = c->a->chosen && c->a->bits & OPTION_RECURSE;

	return c->dest || all ? 0 : filter_add(&c->filter, "/*/*", false, f);
}

/* --- -R and --files-from: paths within one source --- */

static int cmd_add_only(struct cmd_copy *c, const char *path, char sign, struct copy_fault *f)
{
	char text[PATH_MAX + 3];

	if (strlen(path) >= PATH_MAX)
		return copy_fail(f, COPY_USAGE, "a path is longer than %d bytes", PATH_MAX - 1);
	snprintf(text, sizeof(text), "%c %s", sign, path);
	return only_add(&c->filter.only, text, f);
}

/* Returns whether a path names what a directory holds. */
static bool cmd_is_inside(const char *path)
{
	size_t n = strlen(path);

	n -= n > 1 && path[n - 1] == '.' && path[n - 2] == '/';
	return n && path[n - 1] == '/';
}

static int cmd_add_line(void *arg, const char *line)
{
	struct cmd_copy *c = arg;

	return cmd_add_only(c, line,
			    c->a->explicit_r	  ? '~'
			    : cmd_is_inside(line) ? '/'
						  : '=',
			    c->client.role.f);
}

static int cmd_files_from(struct cmd_copy *c, struct copy_fault *f)
{
	const char *name = c->a->files_from;

	if (lines_each(name, "--files-from: a byte of zero; each path is a line", cmd_add_line, c,
		       f))
		return -1;
	return c->filter.only ? 0 : copy_fail(f, COPY_USAGE, "%s names nothing", name);
}

/* Returns the length of the part of a source's path that -R leaves out: up to "/./", "/", or 0. */
static size_t cmd_cut(const char *path)
{
	const char *cut = strstr(path, "/./");

	return cut ? (size_t)(cut - path) + 1 : strspn(path, "/") > 0;
}

static int cmd_relative(struct cmd_copy *c, const char *path, size_t cut, struct copy_fault *f)
{
	uint32_t *bits = &c->client.role.options.bits;
	struct stat st;

	if (source_is_pattern((const uint8_t *)path, strlen(path)) &&
	    !c->client.role.report->sending)
		return copy_fail(f, COPY_USAGE, "-R takes no patterns: name the entries");
	if (c->client.role.report->sending && lstat(path, &st)) {
		if (c->n == 1)
			return copy_fail(f, COPY_IO, "%s: %s", SHOWN(path), strerror(errno));
		/* The sender reports it as missing; --delete would remove it. */
		*bits &= ~(uint32_t)OPTION_DELETE;
	}
	return cmd_add_only(c, path + cut, *bits & OPTION_RECURSE ? '~' : '=', f);
}

/* Makes all sources paths within one source, the part that -R cuts off. */
static int cmd_relative_all(struct cmd_copy *c, const char *(*path_of)(struct cmd_copy *, int),
			    struct copy_fault *f)
{
	const char *first = path_of(c, 0);
	const size_t cut = cmd_cut(first);

	for (int i = 0; i < c->n; i++) {
		const char *path = path_of(c, i);

		if (cmd_cut(path) != cut || strncmp(path, first, cut) != 0)
			return copy_fail(f, COPY_USAGE,
					 "-R: %s and %s count from two directories: copy them one "
					 "after the other",
					 SHOWN(first), SHOWN(path));
		if (cmd_relative(c, path, cut, f))
			return -1;
	}
	c->path = cut ? strndup(first, cut) : strdup("./");
	c->n = 1;
	return c->path ? 0 : copy_no_memory(f);
}

/* Returns 1 if there is one source, c->path, of which only the listed paths are copied. */
static int cmd_choose(struct cmd_copy *c, const char *(*path_of)(struct cmd_copy *, int),
		      struct copy_fault *f)
{
	const struct copy_args *a = c->a;

	if (!a->files_from && !a->relative)
		return 0;
	if (c->client.role.options.bits & OPTION_DELETE &&
	    (a->files_from || !c->client.role.report->sending))
		return copy_fail(f, COPY_USAGE, "--delete does not go with %s",
				 a->files_from ? "--files-from" : "-R of pull");
	if (!a->files_from)
		return cmd_relative_all(c, path_of, f) ? -1 : 1;
	if (c->n > 1)
		return copy_fail(f, COPY_USAGE, "--files-from lists paths of one source");
	if (asprintf(&c->path, "%s/", *path_of(c, 0) ? path_of(c, 0) : ".") < 0) {
		c->path = NULL;
		return copy_no_memory(f);
	}
	return cmd_files_from(c, f) ? -1 : 1;
}

static const char *cmd_pull_path(struct cmd_copy *c, int i)
{
	return c->targets[i].path;
}

static int cmd_choose_pull(struct cmd_copy *c, struct copy_fault *f)
{
	int chosen = cmd_choose(c, cmd_pull_path, f);

	for (int i = 1; chosen > 0 && c->a->relative && i < c->a->argc - 1; i++)
		if (strcmp(c->targets[i].host, c->targets->host) ||
		    strcmp(c->targets[i].port, c->targets->port))
			return copy_fail(f, COPY_USAGE, "-R takes sources of one server");
	if (chosen > 0)
		c->targets->path = c->path;
	c->client.many = c->n > 1;
	return chosen < 0 ? -1 : cmd_limit_list(c, f);
}

static const char *cmd_push_path(struct cmd_copy *c, int i)
{
	return c->sources[i];
}

static int cmd_choose_push(struct cmd_copy *c, struct copy_fault *f)
{
	int chosen = cmd_choose(c, cmd_push_path, f);

	if (chosen > 0)
		c->sources = &c->path;
	c->client.many = c->n > 1;
	return chosen < 0 ? -1 : 0;
}

static int cmd_pull_all(struct cmd_copy *c, struct copy_fault *f)
{
	const struct copy_args *a = c->a;
	int bad = 0;

	for (int i = 0; !bad && i < c->n; i++)
		bad = target_parse(&c->targets[i], c->sources[i], f);
	bad = bad || cmd_choose_pull(c, f);
	if (!bad && !(c->seen = seen_new(cmd_merges(c))))
		bad = copy_no_memory(f);
	bad = bad || device_open(&c->client.role.device, a->device, f) ||
	      device_via(c->client.role.device, a->via, f);
	if (!bad)
		cmd_confine(a, c->dest);
	for (int i = 0, some; !bad && i < c->n; i += some) {
		some = cmd_run_length(c, i);
		bad = cmd_pull_some(c, i, some, f);
	}
	seen_free(c->seen);
	return bad;
}

static int cmd_push_all(struct cmd_copy *c, struct copy_fault *f)
{
	const struct copy_args *a = c->a;
	struct copy_target *t = &c->targets[0];
	int fd;

	if (!c->dest)
		return copy_fail(f, COPY_USAGE, "--list-only is pull's: ls lists what is here");
	if (target_parse(t, c->dest, f) || cmd_choose_push(c, f) ||
	    device_open(&c->client.role.device, a->device, f) ||
	    device_via(c->client.role.device, a->via, f))
		return -1;
	cmd_confine(a, NULL);
	fd = cmd_connect(c, t, f);
	return fd < 0 ? -1
		      : client_push(&c->client, fd, &c->key, c->sources, c->n, t->path,
				    cmd_merges(c), f);
}

static void cmd_copy_run(struct cmd_copy *c, int (*all)(struct cmd_copy *, struct copy_fault *),
			 struct copy_fault *f)
{
	const struct copy_args *a = c->a;

	c->targets = calloc((size_t)a->argc, sizeof(*c->targets));
	if (!c->targets)
		copy_no_memory(f);
	else if (!cmd_options(a, c->client.role.report->live || c->client.role.report->events,
			      &c->client.role.options, f) &&
		 (!a->key_file || !key_load(&c->key, a->key_file, f)))
		all(c, f);
	device_close(c->client.role.device);
	key_wipe(&c->key);
	filter_free(&c->filter);
	free(c->targets);
	free(c->path);
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
	if (a->compress && !a->quiet)
		message_print("-z is ignored: file contents travel by DMA or RDMA, which do not "
			      "compress");
	report_enable(&r, a->progress, a->stats);
	r.sending = sending;
	r.list = a->list_only || a->argc == 1;
	r.dry = r.list || a->bits & OPTION_DRY;
	if (r.list)
		r.live = r.events = false;
	r.items = r.dry || a->itemize ? 2 : a->verbose;
	if (c) {
		c->a = a;
		c->filter = a->filter;
		c->sources = a->argv;
		c->n = a->argc - (a->argc > 1);
		c->dest = r.list ? NULL : a->argv[a->argc - 1];
		c->client.role.options.filter = &c->filter;
		c->client.role.report = &r;
		c->client.role.f = &f;
		c->client.role.slots = a->slots ? a->slots : pool_slots(slot_bytes);
		c->client.role.slot_bytes = slot_bytes;
		c->client.role.jobs = a->jobs ? a->jobs : workers_usual();
		c->client.patience_ms = (int)a->timeout * 1000;
		c->client.stop = &stop_asked;
		c->client.role.umask = copy_umask();
		cmd_copy_run(c, all, &f);
	} else {
		copy_no_memory(&f);
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
