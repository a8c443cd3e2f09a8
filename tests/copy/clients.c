/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Proves: a client that lies, breaks off or attacks gets an error, and reaches nothing but its own
 * pool.
 */
#include "tests/test.h"
#include <errno.h>
#include <stdio.h>
#include <fcntl.h>
#include <pthread.h>
#include <unistd.h>
#include <sys/socket.h>
#include <sys/stat.h>

#include "base/verdict.h"
#include "clients.h"
#include "copy_fds.h"
#include "copy_swap.h"
#include "serve.h"

#define SLOT 8192u

char clients_work[] = "copy_clients.XXXXXX";

#define TEXT(s)                                     \
	{                                           \
		(const uint8_t *)(s), sizeof(s) - 1 \
	}
#define STARTS	 .type = MSG_START, .options = OPTIONS_PLAIN
#define PUSHES	 .type = MSG_START, .flags = MSG_PUSH, .options = OPTIONS_PLAIN | OPTION_DELETE
#define ONE_SLOT .type = MSG_SETUP, .slots = 1, .slot_bytes = 4096, .window = 8
#define PULLS(s) .type = MSG_PULL, .name = TEXT(s)
#define TOP(s)	 .type = MSG_TOP, .name = TEXT(s)

/* Messages that a client sends, at once or when it has set up or got a list; and how that ends. */
struct script {
	const char *list; /* path to be listed, or destination of a push */
	bool setup;
	struct copy_msg m[3]; /* ends with a message without a type */
	int code;
	const char *text;
};
#define SENDS(code, text, ...)                         \
	{                                              \
		NULL, false, {__VA_ARGS__}, code, text \
	}
#define SETS_UP(code, text, ...)                      \
	{                                             \
		NULL, true, {__VA_ARGS__}, code, text \
	}
#define LISTS(path, text, ...)                                 \
	{                                                      \
		path, true, {__VA_ARGS__}, COPY_PROTOCOL, text \
	}

void client_send(struct bad_client *a, struct copy_msg m)
{
	link_send(a->l, &m, &a->f);
}

static bool writable;

struct served {
	struct link *l;
	struct copy_server server;
	struct access *access;
	struct copy_fault f;
	bool failed;
};

static void *serve_one(void *arg)
{
	struct served *v = arg;
	struct copy_counts t = {0};
	struct key none = {.n = 0};

	v->failed =
		link_handshake(v->l, &none, &v->f) || copy_session_run(&v->server, v->l, &t, &v->f);
	if (v->failed)
		link_send_error(v->l, &v->f);
	link_close(v->l);
	return NULL;
}

#define STACK ((size_t)2 << 20) /* of a thread: the default if the limit is "unlimited" */

struct copy_fault serve_play(void (*play)(struct bad_client *a), const struct script *script)
{
	struct key none = {.n = 0};
	struct served v = {.l = calloc(1, sizeof(struct link)),
			   .server.role = {.slots = 2, .slot_bytes = SLOT, .window = 8}};
	struct bad_client a = {.l = calloc(1, sizeof(struct link)), .script = script};
	pthread_attr_t attr;
	pthread_t t;
	int fds[2], root = open(clients_work, O_PATH | O_DIRECTORY);

	assert_int_equal(socketpair(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK, 0, fds), 0);
	assert_int_equal(access_single(&v.access, &none, root, writable, &v.f), 0);
	v.server.access = v.access;
	link_init(v.l, fds[1], true, 2000);
	link_init(a.l, fds[0], false, 2000);
	pthread_attr_init(&attr);
	assert_int_equal(pthread_attr_setstacksize(&attr, STACK), 0);
	pthread_create(&t, &attr, serve_one, &v);
	pthread_attr_destroy(&attr);
	assert_int_equal(link_handshake(a.l, &none, &a.f), 0);
	play(&a);
	shutdown(fds[0], SHUT_WR);
	pthread_join(t, NULL);
	assert_int_equal(v.failed, !!v.f.code);
	link_close(a.l);
	access_free(v.access);
	close(root);
	free(a.l);
	free(v.l);
	return v.f;
}

/* Serves one client, and checks that the server has closed all files: it runs for long. */
static void serve_bad_client(void (*play)(struct bad_client *a), const struct script *script,
			     int code, const char *text)
{
	unsigned int before = copy_fds();
	struct copy_fault f = serve_play(play, script);

	if (copy_fds() != before)
		fail_msg("%u descriptors became %u after \"%s\"", before, copy_fds(), f.text);
	if (f.code != code || !strstr(f.text, text))
		fail_msg("code %d, \"%s\" instead of code %d, \"%s\"", f.code, f.text, code, text);
}

void client_start(struct bad_client *a, uint32_t options)
{
	client_send(a, (struct copy_msg){.type = MSG_START, .options = OPTIONS_PLAIN | options});
	client_send(a,
		    (struct copy_msg){
			    .type = MSG_SETUP, .slots = 4096, .slot_bytes = 1u << 30, .window = 8});
}

/* Sends as many names as a path has room for, and a wildcard. */
static void play_long_pattern(struct bad_client *a)
{
	char path[PATH_MAX];

	for (size_t i = 0; i < sizeof(path) - 2; i += 2)
		memcpy(path + i, "a/", 2);
	path[sizeof(path) - 2] = '*';
	path[sizeof(path) - 1] = '\0';
	client_start(a, 0);
	client_send(a, (struct copy_msg){.type = MSG_PULL, .name = bytes_text(path)});
}

static void play_talk(struct bad_client *a)
{
	struct copy_msg m;

	client_start(a, 0);
	client_send(a, (struct copy_msg){.type = MSG_PULL, .name = bytes_text(".")});
	assert_int_equal(link_expect(a->l, MSG_TOP, &m, &a->f), 0);
	client_send(a, (struct copy_msg){.type = MSG_DONE});
}

static void play_hang_up(struct bad_client *a)
{
	client_start(a, 0);
	client_send(a, (struct copy_msg){.type = MSG_PULL, .name = bytes_text("big")});
	shutdown(a->l->fd, SHUT_RDWR);
}

void client_judge(struct bad_client *a, uint32_t n, uint32_t verdict)
{
	uint8_t bytes[8];

	msg_verdict_put(bytes, verdict);
	msg_verdict_put(bytes + 4, verdict);
	client_send(a, (struct copy_msg){.type = MSG_VERDICT, .text = {bytes, 4 * n}});
}

static void play_list(struct bad_client *a, const char *path)
{
	struct copy_msg m;

	client_start(a, 0);
	client_send(a, (struct copy_msg){.type = MSG_PULL, .name = bytes_text(path)});
	assert_int_equal(link_expect(a->l, MSG_TOP, &m, &a->f), 0);
	assert_int_equal(link_expect(a->l, MSG_TYPES, &m, &a->f), 0);
}

static void play_script(struct bad_client *a)
{
	if (a->script->list)
		play_list(a, a->script->list);
	else if (a->script->setup)
		client_start(a, 0);
	for (const struct copy_msg *m = a->script->m; m->type && m < a->script->m + 3; m++)
		client_send(a, *m);
}

static void play_keep_slots(struct bad_client *a)
{
	struct copy_msg m;

	play_list(a, "big");
	client_judge(a, 1, VERDICT_WANT);
	assert_int_equal(link_expect(a->l, MSG_POOL, &m, &a->f), 0); /* not before there is data */
	assert_int_equal(m.slots, 2);				     /* the server's limits hold */
	assert_int_equal(m.slot_bytes, SLOT);
	for (int i = 0; i < 2; i++) /* both slots, never returned */
		assert_int_equal(link_expect(a->l, MSG_DATA, &m, &a->f), 0);
	assert_int_equal(link_take(a->l, &m, 500, &a->f), 0);
}

/* Pushes a source with this TOP, as far as the server accepts it. */
static void push_as(struct bad_client *a, const char *dest, struct copy_msg top,
		    struct copy_msg entry)
{
	uint8_t ticket[sizeof(pid_t) + sizeof(void *) + 4] = {0};
	struct copy_msg m;

	client_send(a, (struct copy_msg){PUSHES, .name = bytes_text(dest)});
	if (link_expect(a->l, MSG_SETUP, &m, &a->f))
		return;
	m = (struct copy_msg){.type = MSG_POOL,
			      .slots = m.slots,
			      .slot_bytes = m.slot_bytes,
			      .name = {ticket, sizeof(ticket)}};
	client_send(a, m);
	client_send(a, top);
	client_send(a, entry);
}

static const uint8_t no_sum[32], verdicts[8], wanted[4] = {VERDICT_WANT};

static const struct script scripts[] = {
	SENDS(COPY_PROTOCOL, "SETUP where START belongs", {ONE_SLOT}),
	SENDS(COPY_PROTOCOL, "PULL where SETUP belongs", {STARTS}, {PULLS(".")}),
	SETS_UP(COPY_PROTOCOL, "SETUP unasked", {ONE_SLOT}),
	SETS_UP(COPY_PROTOCOL, "slot 0", {.type = MSG_RETURN, .slot = 0}),
	SETS_UP(COPY_PROTOCOL, "slot 4294967295", {.type = MSG_RETURN, .slot = 0xffffffff}),
	SETS_UP(COPY_REFUSED, "..", {PULLS("../../etc/passwd")}),
	LISTS("big", "more entries than were listed", {.type = MSG_VERDICT, .text = {verdicts, 8}}),
	LISTS(".", "no file", {.type = MSG_VERDICT, .text = {wanted, 4}}),
	LISTS("big", "more of a file than there is",
	      {.type = MSG_FROM, .off = 1u << 30, .text = {no_sum, 32}}),
	LISTS("big", "more sums of it", {.type = MSG_FROM, .off = 65537, .text = {no_sum, 32}}),
	LISTS("big", "not listed", {.type = MSG_FROM, .id = 1, .off = 1, .text = {no_sum, 32}}),
	LISTS("big", "PULL during a copy", {PULLS("big")}),
	LISTS("big", "KEEP during a copy", {.type = MSG_KEEP, .name = TEXT("big")}),
	SENDS(COPY_PROTOCOL, "filter", {STARTS, .chunks = 1},
	      {.type = MSG_FILTER, .text = TEXT("? x")}),
	SENDS(COPY_PROTOCOL, "SETUP where FILTER belongs", {STARTS, .chunks = 2},
	      {.type = MSG_FILTER, .text = TEXT("- x")}, {ONE_SLOT}),
	SENDS(COPY_PROTOCOL, "zero byte", {.type = MSG_START, .name = TEXT("a\0b")}),
	SENDS(COPY_REFUSED, "read-only", {PUSHES, .name = TEXT("new")}),
};

TEST(none, bad_clients)
{
	char path[80];
	int fd;

	snprintf(path, sizeof(path), "%s/big", clients_work);
	fd = open(path, O_CREAT | O_WRONLY, 0600);
	for (unsigned int i = 0; i < 8; i++)
		assert_int_equal(pwrite(fd, path, sizeof(path), i * SLOT), sizeof(path));
	close(fd);
	for (size_t i = 0; i < sizeof(scripts) / sizeof(scripts[0]); i++)
		serve_bad_client(play_script, &scripts[i], scripts[i].code, scripts[i].text);
	serve_bad_client(play_long_pattern, NULL, COPY_IO, "No such file");
	serve_bad_client(play_talk, NULL, COPY_PROTOCOL, "DONE");
	serve_bad_client(play_hang_up, NULL, COPY_PEER, "the client died");
	serve_bad_client(play_keep_slots, NULL, COPY_PEER, "the client");
	unlink(path);
}

static int make_dir(int dir, const char *name)
{
	int sub;

	assert_int_equal(mkdirat(dir, name, 0700), 0);
	sub = openat(dir, name, O_RDONLY | O_DIRECTORY);
	close(dir);
	return sub;
}

/* Makes f/a/a..., as deep as --delete goes. */
static void make_deepest(void)
{
	int dir = make_dir(open(clients_work, O_RDONLY | O_DIRECTORY), "f");

	for (unsigned int i = 0; i < DEPTH_MAX; i++)
		dir = make_dir(dir, "a");
	close(dir);
}

/* Makes f/a.../a..., the longest possible path. */
static void make_longest(void)
{
	int dir = open(clients_work, O_RDONLY | O_DIRECTORY);
	char name[NAME_MAX + 1] = "f";

	for (size_t left = PATH_MAX, n = 1; left;) {
		dir = make_dir(dir, name);
		left -= n + 1;
		n = left > NAME_MAX ? NAME_MAX : left - !!left;
		memset(name, 'a', n);
		name[n] = '\0';
	}
	close(dir);
}

static void play_delete_below(struct bad_client *a)
{
	struct copy_msg m;

	push_as(a, "", (struct copy_msg){.type = MSG_TOP, .name = bytes_text("f")},
		(struct copy_msg){.type = MSG_DIR, .mode = 0755});
	client_send(a, (struct copy_msg){.type = MSG_UP, .flags = MSG_WHOLE});
	client_send(a, (struct copy_msg){.type = MSG_DONE});
	while (!link_expect(a->l, MSG_TYPES, &m, &a->f) && m.type != MSG_FINISHED)
		;
	client_send(a, (struct copy_msg){.type = MSG_BYE});
}

/* --delete of the deepest and longest trees works or fails cleanly. */
TEST(none, deletes_far_below)
{
	void (*const trees[])(void) = {make_longest, make_deepest};
	char path[80];

	writable = true;
	snprintf(path, sizeof(path), "%s/f", clients_work);
	for (unsigned int i = 0; i < 2; i++) {
		trees[i]();
		serve_bad_client(play_delete_below, NULL, COPY_OK, "");
		assert_int_equal(rmdir(path), 0); /* it is empty */
	}
	writable = false;
}

#define PUSH_TO(dest, code, text, ...)                                     \
	{                                                                  \
		dest, false, {__VA_ARGS__, {.type = MSG_FILE}}, code, text \
	}
static const struct script writer_scripts[] = {
	PUSH_TO("../outside", COPY_REFUSED, "leaves the served directory", {TOP("f")}),
	PUSH_TO("leave/here", COPY_REFUSED, "leaves the served directory", {TOP("f")}),
	PUSH_TO("/tmp", COPY_REFUSED, "absolute", {TOP("f")}),
	PUSH_TO("", COPY_PROTOCOL, "no entry may have", {TOP("..")}),
	PUSH_TO("", COPY_PROTOCOL, "no directory", {.type = MSG_TOP, .flags = MSG_CONTENTS}),
	PUSH_TO("", COPY_PROTOCOL, "DIR outside of a source", {.type = MSG_DIR, .mode = 0755}),
};

static void play_writer(struct bad_client *a)
{
	push_as(a, a->script->list, a->script->m[0], a->script->m[1]);
}

/* A client that may push writes only below the root, whatever it sends. */
TEST(none, writers)
{
	char path[80];

	writable = true;
	snprintf(path, sizeof(path), "%s/leave", clients_work);
	assert_int_equal(symlink("..", path), 0);
	for (size_t i = 0; i < sizeof(writer_scripts) / sizeof(writer_scripts[0]); i++)
		serve_bad_client(play_writer, &writer_scripts[i], writer_scripts[i].code,
				 writer_scripts[i].text);
	unlink(path);
	openat2_fails.err = ENOSYS; /* as before Linux 5.6 */
	serve_bad_client(play_writer, writer_scripts, COPY_REFUSED, writer_scripts[0].text);
	openat2_fails.err = 0;
	writable = false;
}

/* Lists a path; no name from outside the root may be in the list. */
static void play_look(struct bad_client *a, const char *path)
{
	struct copy_msg m;

	client_start(a, 0);
	client_send(a, (struct copy_msg){.type = MSG_PULL, .name = bytes_text(path)});
	for (;;) {
		if (link_expect(a->l, MSG_TYPES, &m, &a->f) || m.type == MSG_DONE)
			return;
		if (m.type == MSG_FILE && m.name.n == 6 && !memcmp(m.name.p, "secret", 6))
			fail_msg("%s leads out", path);
		if (m.type == MSG_DIR || m.type == MSG_FILE || m.type == MSG_LINK)
			client_judge(a, 1, 0);
	}
}

static void play_look_into(struct bad_client *a)
{
	play_look(a, "tree/sub/");
}

static void play_look_around(struct bad_client *a)
{
	play_look(a, "tree");
}

static void play_look_at(struct bad_client *a)
{
	play_look(a, "tree/sub/secret");
}

/* A source directory turns into a link and back all the time: nothing is read through the link. */
TEST(none, exchanged_meanwhile)
{
	void (*const plays[])(struct bad_client * a) = {play_look_into, play_look_around,
							play_look_at};
	struct swap s = {.times = 0};
	char cmd[640];

	snprintf(s.a, sizeof(s.a), "%s/tree/sub", clients_work);
	snprintf(s.b, sizeof(s.b), "%s/tree/evil", clients_work);
	snprintf(cmd, sizeof(cmd),
		 "mkdir -p %s %s.out && touch %s/in %s.out/secret && ln -s ../../%s.out %s", s.a,
		 clients_work, s.a, clients_work, clients_work, s.b);
	assert_int_equal(system(cmd), 0);
	swap_begin(&s);
	for (int i = 0; i < 60; i++)
		serve_play(plays[i % 3], NULL);
	swap_end(&s);
	assert_int_not_equal(s.times, 0);
	snprintf(cmd, sizeof(cmd), "rm -r %s/tree %s.out", clients_work, clients_work);
	assert_int_equal(system(cmd), 0);
}

/* --- the window --- */

static unsigned int n_listed; /* files, before the sender waits for verdicts */

static void play_silent(struct bad_client *a)
{
	struct copy_msg m;

	client_start(a, 0);
	client_send(a, (struct copy_msg){.type = MSG_PULL, .name = bytes_text("tree/")});
	assert_int_equal(link_expect(a->l, MSG_TOP, &m, &a->f), 0);
	for (n_listed = 0; link_take(a->l, &m, 500, &a->f) == 1;)
		n_listed += m.type == MSG_FILE;
}

/* Returns how many files of a tree are listed at once. `make` makes file %d in the tree. */
static unsigned int listed_of(const char *make)
{
	char cmd[320];

	snprintf(cmd, sizeof(cmd), "mkdir %s/tree && cd %s/tree && for i in $(seq 20); do %s; done",
		 clients_work, clients_work, make);
	assert_int_equal(system(cmd), 0);
	serve_play(play_silent, NULL);
	snprintf(cmd, sizeof(cmd), "rm -r %s/tree", clients_work);
	assert_int_equal(system(cmd), 0);
	return n_listed;
}

/* The receiver's window of 8 bounds open directories and large files, not small files. */
TEST(none, window_counts_what_holds_descriptors)
{
	assert_int_equal(listed_of("touch $i"), 20);
	assert_int_equal(listed_of("mkdir $i && touch $i/f"), 8);
	assert_int_equal(listed_of("truncate -s 4M $i"), 8);
	assert_int_equal(listed_of("truncate -s 4194303 $i"), 20);
}

static int set_up(UNUSED void **state)
{
	return mkdtemp(clients_work) ? 0 : -1;
}

static int tear_down(UNUSED void **state)
{
	return rmdir(clients_work);
}

TEST_GROUP(set_up, tear_down)
