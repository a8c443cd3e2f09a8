/* SPDX-License-Identifier: BSD-2-Clause */
/* dvx-flow daemon: holds the rules, as software steering ends with the process that made it. */
#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/signalfd.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>
#include <dvx/cmd.h>
#include <dvx/dev.h>

#include "holder.h"
#include "members.h"
#include "service.h"
#include "where.h"
#include "tools/cli/library.h"

#define IDLE_MS 30000

/* Creates a missing directory now: the capture's files may be opened much later. */
static int make_directory(const char *path, struct flow_fault *f)
{
	if (!mkdir(path, 0777) || errno == EEXIST)
		return 0;
	return flow_fault_set(f, EXIT_INPUT, "%s: %s", path, strerror(errno));
}

static int signals(void)
{
	sigset_t set;

	signal(SIGPIPE, SIG_IGN);
	signal(SIGXFSZ, SIG_IGN);
	sigemptyset(&set);
	sigaddset(&set, SIGINT);
	sigaddset(&set, SIGTERM);
	sigprocmask(SIG_BLOCK, &set, NULL);
	return signalfd(-1, &set, SFD_CLOEXEC);
}

static size_t rules_held(const struct holder *h)
{
	return h->now ? generation_rules(h->now)->n : 0;
}

/* Reports restored rules, which the user may not expect. */
static void daemon_print_origin(const struct where *w, const struct holder *h)
{
	size_t n = rules_held(h);
	char when[64] = "";
	struct stat st;
	struct tm tm;

	if (w->outlived)
		message_print("the committed rules are an older %s's and are forgotten", w->device);
	if (h->unsealed)
		message_print("%s has no length and checksum (dvx-flow apply writes them): if a "
			      "part of it "
			      "is missing, nothing shows it",
			      w->state);
	if (!n || stat(w->state, &st) || !localtime_r(&st.st_mtim.tv_sec, &tm))
		return;
	strftime(when, sizeof(when), "%F %T", &tm);
	message_print("restored %zu rule%s committed at %s; daemon --fresh starts without them", n,
		      n == 1 ? "" : "s", when);
}

/* Prints the one line that scripts wait for. */
static void daemon_announce(const struct args *a, const struct where *w, const struct holder *h)
{
	size_t rules = rules_held(h);
	const char *device = dvx_dev_name(h->base.dev);

	if (a->json)
		json_out_line(json_pack("{s:s, s:s, s:i, s:I}", "socket", w->socket, "device",
					device, "queues", (int)a->queues, "rules",
					(json_int_t)rules));
	else
		printf("holding %zu rule%s of %s with %u queue%s at %s\n", rules,
		       rules == 1 ? "" : "s", device, a->queues, a->queues == 1 ? "" : "s",
		       w->socket);
	fflush(stdout);
}

struct daemon_ending {
	struct flow_server *s;
	const struct where *w;
	struct holder *h;
};

/*
 * Serves other clients during a long change. If the daemon is asked to end, it ends at once, with
 * the committed rules.
 */
static void daemon_pause(void *arg, int fd)
{
	struct daemon_ending *e = arg;

	if (!server_pause(e->s, fd))
		return;
	service_notify("STOPPING=1");
	if (e->w->bound)
		unlink(e->w->socket);
	holder_leave(e->h);
	pump_leave(e->h->base.pump);
	exit(EXIT_DONE);
}

/*
 * Listens for clients. A socket that the service manager passed is not removed at the end; its unit
 * defines who may use it.
 */
static int daemon_listen(const struct args *a, struct where *w, struct flow_server *s,
			 struct flow_fault *f)
{
	int ret = 0;

	s->listener = service_socket(w->socket, sizeof(w->socket), f);
	if (s->listener == -2)
		return -1;
	if (s->listener >= 0) {
		if (!a->group)
			s->group = members_of_path(w->socket);
		return 0;
	}
	s->listener = server_listen(w->socket);
	if (s->listener < 0)
		return flow_fault_set(f, EXIT_INPUT, "%s: %s", w->socket, strerror(-s->listener));
	w->bound = true;
	if (s->group != NO_GROUP)
		ret = members_let_in(w->socket, s->group);
	if (ret)
		unlink(w->socket);
	return ret ? flow_fault_set(f, EXIT_INPUT, "%s: group %s: %s", w->socket, a->group,
				    strerror(-ret))
		   : 0;
}

static int daemon_serve(const struct args *a, struct where *w, struct holder *h,
			struct flow_fault *f)
{
	struct flow_server s = {.stop_fd = signals(),
				.idle_ms = IDLE_MS,
				.answer = answer,
				.changes = answer_changes,
				.tick = holder_tick,
				.arg = h,
				.group = NO_GROUP};
	struct daemon_ending ending = {&s, w, h};
	bool fresh = a->fresh || w->outlived;
	int ret;

	h->base.pause = (struct pause){daemon_pause, &ending};
	if (a->group && members_find(a->group, &s.group, f))
		return -1;
	if (!fresh && holder_restore(h, f))
		return -1;
	if (daemon_listen(a, w, &s, f))
		return -1;
	/* The committed rules are removed only now that this daemon is sure to serve. */
	if (fresh && unlink(w->state) && errno != ENOENT)
		message_print("%s: %s: a daemon without --fresh would apply it again", w->state,
			      strerror(errno));
	if (!a->quiet && !a->fresh)
		daemon_print_origin(w, h);
	daemon_announce(a, w, h);
	service_notify("READY=1");
	ret = server_run(&s);
	service_notify("STOPPING=1");
	if (w->bound)
		unlink(w->socket);
	close(s.listener);
	return ret ? flow_fault_set(f, EXIT_INPUT, "%s: %s", w->socket, strerror(-ret)) : 0;
}

struct running {
	const struct args *a;
	const struct where *w;
};

/*
 * Exits at once: destroying software steering would wait for the device forever. The rules are gone
 * with the device, and the committed file is complete.
 */
static void device_is_gone(void *arg)
{
	const struct running *r = arg;

	if (r->w->bound)
		unlink(r->w->socket);
	message_print("%s is gone, and its rules with it", r->w->device);
	if (r->a->json)
		json_out_line(json_pack("{s:o}", "error", json_error(message_last(), EXIT_DEVICE)));
	_exit(EXIT_DEVICE);
}

/*
 * Checks the state file, whose path the user may have given: it is read, replaced and, with
 * --fresh, removed.
 */
static int check_state(const struct where *w, struct flow_fault *f)
{
	int ret = state_check(w->state);

	if (!ret)
		return 0;
	return flow_fault_set(f, EXIT_INPUT, "%s: %s", w->state,
			      ret == -EINVAL ? "the committed rules need a regular file"
					     : strerror(-ret));
}

static int daemon_hold(const struct args *a, struct where *w, struct flow_fault *f)
{
	/* Static, so that leak checkers see what is not freed before the process ends. */
	static struct holder h;
	struct running running = {a, w};
	struct pump_attr pump = {.queues = a->queues,
				 .capture = a->capture,
				 .lost = device_is_gone,
				 .arg = &running};
	int ret;

	if (check_state(w, f))
		return -1;
	if (a->capture && make_directory(a->capture, f))
		return -1;
	if (dvx_dev_open(w->device, &h.base.dev))
		return flow_fault_set(f, EXIT_INPUT, "%s", library_error());
	h.state = w->state;
	h.base.steering = a->steering;
	if (base_tables_check(&h.base, f))
		return -1;
	pump.dev = h.base.dev;
	ret = pump_start(&pump, &h.base.pump, f);
	ret = ret ? ret : daemon_serve(a, w, &h, f);
	holder_leave(&h);
	pump_leave(h.base.pump);
	return ret;
}

/* Locks the device. A daemon that is ending may hold the lock for a moment more. */
static int daemon_lock(const struct args *a, const struct where *w, struct flow_fault *f)
{
	const int ms = 20;
	int lock = device_lock(w->device, f);

	for (double left = a->wait; lock < 0 && f->code == EXIT_BUSY && left > 0;
	     left -= ms / 1e3) {
		poll(NULL, 0, ms);
		*f = (struct flow_fault){0};
		lock = device_lock(w->device, f);
	}
	return lock;
}

int cmd_daemon(const struct args *a)
{
	struct flow_fault f = {0};
	struct where w;
	int lock, code = where_to_hold(a, &w);

	if (code)
		return code;
	lock = daemon_lock(a, &w, &f);
	if (lock >= 0) {
		daemon_hold(a, &w, &f);
		close(lock);
	}
	if (f.line)
		message_set_place(NULL, f.line, f.column);
	if (f.code)
		message_print("%s", f.text);
	return f.code;
}
