/* SPDX-License-Identifier: BSD-2-Clause */
#include "serve.h"

#include <errno.h>
#include <poll.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <time.h>
#include <unistd.h>

#include "base/alive.h"
#include "wire/net.h"
#include "tools/cli/message.h"
#include "tools/cli/tcp.h"

#define SLICE_MS   250
#define LOGGED_MAX 20u /* messages about strangers per minute */

struct clients;

struct serve_client {
	struct serve_client *next, **back;
	bool known;
	const char *why; /* this server ended the connection; NULL: it did not */
	struct access *access;
	struct clients *all;
	struct link link;
	struct gate_source source;
	char name[NET_NAME + 80]; /* its address, later with its key's name */
};

/* The lock guards the list and what is behind it; the rest is of the client's own thread. */
struct clients {
	const struct serve *serve;
	struct access *access; /* for new connections */
	pthread_mutex_t lock;
	pthread_cond_t changed;
	struct serve_client *first;
	unsigned int n, known; /* known: connections that have shown the key */
	bool served;	       /* at least one has come and gone */
	struct copy_fault last;
	unsigned int logged, suppressed; /* in this minute; about strangers */
	uint64_t minute;
};

/* Whether a message about a stranger may be logged: strangers must not be able to fill the disk. */
static bool serve_may_log(struct clients *all)
{
	const uint64_t minute = clock_now_ns() / 60000000000u;
	unsigned int suppressed = 0;
	bool may;

	pthread_mutex_lock(&all->lock);
	if (minute != all->minute) {
		suppressed = all->suppressed;
		all->minute = minute;
		all->logged = all->suppressed = 0;
	}
	may = all->logged++ < LOGGED_MAX;
	all->suppressed += !may;
	pthread_mutex_unlock(&all->lock);
	if (suppressed)
		message_print("%u more connections ended without the key", suppressed);
	return may;
}

/* Returns the reason for the log. The thread that ended the connection set it under the lock. */
static const char *serve_why(const struct serve_client *c, const struct copy_fault *f)
{
	const char *why;

	pthread_mutex_lock(&c->all->lock);
	why = c->why ? c->why : f->text;
	pthread_mutex_unlock(&c->all->lock);
	return why;
}

static void serve_log_end(const struct serve_client *c, const struct copy_counts *t,
			  const struct copy_fault *f)
{
	if (f->code && (c->known || serve_may_log(c->all)))
		message_print("client %s: %s", c->name, serve_why(c, f));
	else if (f->code)
		return;
	else if (!c->all->serve->quiet)
		message_print("client %s: %llu file%s, %llu bytes", c->name,
			      (unsigned long long)t->files, t->files == 1 ? "" : "s",
			      (unsigned long long)t->bytes);
}

static void serve_unlink(struct serve_client *c)
{
	*c->back = c->next;
	if (c->next)
		c->next->back = c->back;
}

/* Closes the socket under the lock: others call shutdown() on sockets in the list. */
static void serve_leave(struct serve_client *c, const struct copy_fault *f)
{
	struct clients *all = c->all;

	pthread_mutex_lock(&all->lock);
	serve_unlink(c);
	link_close(&c->link);
	all->n--;
	all->known -= c->known;
	if (c->known) {
		all->served = true;
		all->last = *f;
	}
	pthread_cond_signal(&all->changed);
	pthread_mutex_unlock(&all->lock);
	access_free(c->access);
	free(c);
}

/* Counts a client with the key against --max-clients. Strangers can't lock it out. */
static int serve_count_known(struct serve_client *c, struct copy_fault *f)
{
	struct clients *all = c->all;

	pthread_mutex_lock(&all->lock);
	c->known = all->known < all->serve->max_clients;
	all->known += c->known;
	pthread_mutex_unlock(&all->lock);
	return c->known ? 0
			: copy_fail(f, COPY_CONNECT, "as many clients as allowed are being served");
}

/* Adds the key's name to the client's, for the log, and admits the client. */
static int serve_check_key(struct serve_client *c, struct copy_fault *f)
{
	const struct access *a = c->access;
	const char *key = access_key_name(a, c->link.key);
	size_t n = strlen(c->name);

	if (*key)
		snprintf(c->name + n, sizeof(c->name) - n, " (key %s)", key);
	return access_check(a, c->link.key, f) || serve_count_known(c, f);
}

static void *serve_client_main(void *arg)
{
	struct serve_client *c = arg;
	const struct key_ring ring = access_ring(c->access);
	struct copy_server server = c->all->serve->shared;
	struct copy_counts t = {0};
	struct copy_fault f = {0};

	server.access = c->access;
	if (link_handshake_server(&c->link, &ring, &f) || serve_check_key(c, &f) ||
	    copy_session_run(&server, &c->link, &t, &f))
		if (f.code != COPY_PEER)
			link_shutdown(&c->link, &f);
	serve_log_end(c, &t, &f);
	serve_leave(c, &f);
	return NULL;
}

static void serve_link(struct clients *all, struct serve_client *c)
{
	pthread_mutex_lock(&all->lock);
	c->next = all->first;
	c->back = &all->first;
	if (c->next)
		c->next->back = &c->next;
	all->first = c;
	all->n++;
	pthread_mutex_unlock(&all->lock);
}

/* Ends the connection. The client's own thread notices it, and takes the client off the list. */
static void serve_drop(struct serve_client *c, const char *why)
{
	c->why = why;
	shutdown(c->link.fd, SHUT_RDWR);
}

/* Drops a stranger for a new one, if the gate decides so. */
static void serve_make_room(struct clients *all, const struct gate_source *comes)
{
	struct serve_client *who[GATE_FULL_MAX];
	struct gate_source from[GATE_FULL_MAX];
	uint32_t random[2] = {0};
	unsigned int n = 0;
	int victim;

	if (getrandom(random, sizeof(random), 0) != sizeof(random))
		random[0] = (uint32_t)time(NULL); /* predictable, but no secret depends on it */
	pthread_mutex_lock(&all->lock);
	for (struct serve_client *c = all->first; c && n < GATE_FULL_MAX; c = c->next)
		if (!c->known && !c->why) {
			who[n] = c;
			from[n++] = c->source;
		}
	victim = gate_victim(&all->serve->gate, from, n, comes, random);
	if (victim >= 0)
		serve_drop(who[victim],
			   "dropped during the handshake: too many connections at once");
	pthread_mutex_unlock(&all->lock);
}

/* Starts the client's thread with all signals blocked: the main thread handles them. */
static int serve_start_thread(struct serve_client *c)
{
	pthread_attr_t attr;
	sigset_t all, old;
	pthread_t t;
	int err;

	sigfillset(&all);
	pthread_sigmask(SIG_BLOCK, &all, &old);
	pthread_attr_init(&attr);
	pthread_attr_setdetachstate(&attr, PTHREAD_CREATE_DETACHED);
	err = pthread_create(&t, &attr, serve_client_main, c);
	pthread_attr_destroy(&attr);
	pthread_sigmask(SIG_SETMASK, &old, NULL);
	return err;
}

static void serve_admit(struct clients *all, int fd, const struct sockaddr_storage *from)
{
	struct serve_client *c = calloc(1, sizeof(*c));
	struct copy_fault f = {0};

	if (!c) {
		close(fd);
		return;
	}
	tcp_tune(fd);
	tcp_format(from, c->name, NET_NAME);
	link_init(&c->link, fd, true, all->serve->patience_ms);
	c->all = all;
	c->access = access_hold(all->access);
	c->source = gate_source(&all->serve->gate, from);
	serve_make_room(all, &c->source);
	serve_link(all, c);
	if (serve_start_thread(c)) {
		copy_fail(&f, COPY_IO, "no thread for another client");
		serve_log_end(c, NULL, &f);
		serve_leave(c, &f);
	}
}

/* Ends all connections and waits for their threads. */
static void serve_stop_all(struct clients *all)
{
	pthread_mutex_lock(&all->lock);
	for (struct serve_client *c = all->first; c; c = c->next)
		shutdown(c->link.fd, SHUT_RDWR);
	while (all->n)
		pthread_cond_wait(&all->changed, &all->lock);
	pthread_mutex_unlock(&all->lock);
}

/* Disconnects clients whose key was removed. The others keep the rights they had. */
static void serve_revoke(struct clients *all)
{
	pthread_mutex_lock(&all->lock);
	for (struct serve_client *c = all->first; c; c = c->next)
		if (c->known && !access_has(all->access, c->access, c->link.key))
			serve_drop(c, "its key was taken out");
	pthread_mutex_unlock(&all->lock);
}

/* Reads the keys again. A list with a mistake changes nothing. */
static void serve_reload(struct clients *all)
{
	const struct serve *s = all->serve;
	struct access *fresh = NULL;
	struct copy_fault f = {0};

	if (s->reload(s->arg, &fresh, &f) || access_within(fresh, s->shared.access, &f)) {
		access_free(fresh);
		message_print("the keys stay as they are: %s", f.text);
		return;
	}
	access_free(all->access);
	all->access = fresh;
	serve_revoke(all);
	if (!s->quiet)
		message_print("the keys were read again");
}

static bool serve_is_done(struct clients *all)
{
	bool yes;

	pthread_mutex_lock(&all->lock);
	yes = all->serve->once && all->served && !all->n;
	pthread_mutex_unlock(&all->lock);
	return yes;
}

/* Waits while too many threads run: dropped clients have theirs for a moment. */
static void serve_await_threads(struct clients *all)
{
	const unsigned int most = all->serve->max_clients + 2 * all->serve->gate.full;

	pthread_mutex_lock(&all->lock);
	while (all->n >= most)
		pthread_cond_wait(&all->changed, &all->lock);
	pthread_mutex_unlock(&all->lock);
}

/* Accepts the next connection, if one comes within SLICE_MS. -1: the device is gone. */
static int serve_accept(struct clients *all, int listener, struct copy_fault *f)
{
	struct pollfd p[] = {{.fd = listener, .events = POLLIN},
			     {.fd = all->serve->watch, .events = POLLIN}};
	struct sockaddr_storage from = {0};
	socklen_t len = sizeof(from);
	int fd;

	serve_await_threads(all);
	if (poll(p, 2, SLICE_MS) <= 0)
		return 0;
	if (p[1].revents && device_check(all->serve->shared.role.device, f))
		return -1;
	if (!p[0].revents)
		return 0;
	fd = accept4(listener, (struct sockaddr *)&from, &len, SOCK_CLOEXEC | SOCK_NONBLOCK);
	if (fd >= 0)
		serve_admit(all, fd, &from);
	else if (errno == EMFILE || errno == ENFILE)
		poll(NULL, 0, SLICE_MS); /* until a client leaves */
	return 0;
}

int serve(const struct serve *s, int listener, const volatile sig_atomic_t *stop,
	  struct copy_fault *f)
{
	struct clients all = {
		.serve = s, .lock = PTHREAD_MUTEX_INITIALIZER, .changed = PTHREAD_COND_INITIALIZER};

	all.access = access_hold(s->shared.access);
	while (!*stop && !serve_is_done(&all) && !serve_accept(&all, listener, f))
		if (s->reload_asked && *s->reload_asked) {
			*s->reload_asked = 0;
			serve_reload(&all);
		}
	serve_stop_all(&all);
	access_free(all.access);
	if (s->once && all.last.code && !f->code)
		*f = all.last;
	return f->code ? -1 : 0;
}
