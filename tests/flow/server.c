/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Proves that dvx-flow's daemon answers clients that change nothing while it makes another one's
 * change, that a second change waits for the first, and that it can be stopped meanwhile.
 */
#include "tests/test.h"
#include <pthread.h>
#include <stdio.h>
#include <sys/eventfd.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include "daemon/members.h"
#include "daemon/pause.h"
#include "daemon/server.h"

static struct flow_server server;
static struct pause turn;
static char path[100];
static char done[64]; /* steps of the server, a letter for each */
static int begun, release;
static bool to_end;
static pthread_t thread;

static void done_add(char what)
{
	done[strlen(done)] = what;
}

static void turn_wait(void *arg, int fd)
{
	(void)arg;
	if (!server_pause(&server, fd))
		return;
	to_end = true;
	eventfd_write(release, 1);
}

/* Simulates a computation that ends when the test wants it. */
static void compute(void *arg)
{
	eventfd_t n;

	(void)arg;
	eventfd_write(begun, 1);
	eventfd_read(release, &n);
}

static bool changes(const struct flow_msg *m)
{
	return !strcmp(json_string_value(json_object_get(m->head, "do")), "change");
}

static void reply(void *arg, struct server_conn *c, const struct flow_msg *m)
{
	(void)arg;
	if (changes(m)) {
		done_add('(');
		pause_for(&turn, compute, NULL);
		done_add(')');
	} else {
		done_add('a');
	}
	conn_reply(c, json_pack("{s:i}", "exit", 0), NULL, 0);
}

static void *serve(void *arg)
{
	(void)arg;
	assert_int_equal(server_run(&server), 0);
	return NULL;
}

static int begin_with(tick_fn ticks)
{
	snprintf(path, sizeof(path), "%s/dvx-flow-server-%d", getenv("TMPDIR") ?: "/tmp", getpid());
	begun = eventfd(0, 0);
	release = eventfd(0, 0);
	memset(done, 0, sizeof(done));
	to_end = false;
	turn = (struct pause){turn_wait, NULL};
	server = (struct flow_server){.listener = server_listen(path),
				      .group = NO_GROUP,
				      .stop_fd = eventfd(0, 0),
				      .idle_ms = 1 << 30,
				      .answer = reply,
				      .changes = changes,
				      .tick = ticks};
	assert_true(server.listener >= 0);
	return pthread_create(&thread, NULL, serve, NULL);
}

static int begin(void **state)
{
	(void)state;
	return begin_with(NULL);
}

/* The daemon's own change, at the server's first turn. */
static int tick(void *arg, int *fd)
{
	(void)fd;
	(void)arg;
	if (done[0])
		return -1;
	done_add('[');
	pause_for(&turn, compute, NULL);
	done_add(']');
	return -1;
}

static int end(void **state)
{
	(void)state;
	eventfd_write(server.stop_fd, 1);
	pthread_join(thread, NULL);
	close(server.listener);
	close(server.stop_fd);
	close(begun);
	close(release);
	return unlink(path);
}
#define FIXTURE_server(name) FIXTURE(name, void *no_state, begin, end)

static int begin_ticking(void **state)
{
	(void)state;
	return begin_with(tick);
}
#define FIXTURE_ticking(name) FIXTURE(name, void *no_state, begin_ticking, end)

static int ask(const char *what)
{
	struct sockaddr_un at = {.sun_family = AF_UNIX};
	int fd = socket(AF_UNIX, SOCK_STREAM, 0);
	size_t n;
	char *bytes = msg_pack(json_pack("{s:s}", "do", what), NULL, 0, &n);

	strcpy(at.sun_path, path);
	assert_int_equal(connect(fd, (struct sockaddr *)&at, sizeof(at)), 0);
	assert_int_equal(write(fd, bytes, n), n);
	free(bytes);
	return fd;
}

static void is_answered(int fd)
{
	char answer[100];

	assert_true(read(fd, answer, sizeof(answer)) > 0);
	close(fd);
}

static void has_begun(void)
{
	eventfd_t n;

	assert_int_equal(eventfd_read(begun, &n), 0);
}

TEST(server, who_asks_is_answered_during_a_change)
{
	int change = ask("change"), second;

	has_begun();
	second = ask("change");
	is_answered(ask("ask"));
	is_answered(ask("ask"));
	eventfd_write(release, 1);
	is_answered(change);
	has_begun();
	is_answered(ask("ask"));
	eventfd_write(release, 1);
	is_answered(second);
	assert_string_equal(done, "(aa)(a)");
}

/* The next request of a client whose change is under way waits as others' changes do. */
TEST(server, a_client_with_two_requests)
{
	int change = ask("change");
	size_t n;
	char *bytes = msg_pack(json_pack("{s:s}", "do", "ask"), NULL, 0, &n);

	has_begun();
	assert_int_equal(write(change, bytes, n), n);
	free(bytes);
	is_answered(ask("ask"));
	eventfd_write(release, 1);
	is_answered(change);
	assert_memory_equal(done, "(a)", 3);
}

TEST(server, the_end_comes_during_a_change)
{
	int change = ask("change");

	has_begun();
	eventfd_write(server.stop_fd, 1);
	is_answered(change);
	assert_true(to_end);
}

TEST(ticking, a_change_waits_for_the_daemons_own)
{
	int change;

	has_begun();
	change = ask("change");
	is_answered(ask("ask"));
	eventfd_write(release, 1);
	has_begun();
	eventfd_write(release, 1);
	is_answered(change);
	assert_string_equal(done, "[a]()");
}
