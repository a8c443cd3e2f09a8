/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Proves: a server that lies, breaks off or attacks does no harm at the destination, and a client
 * that does gets nothing but its own pool. Every failure leaves neither a half file nor a
 * temporary.
 */
#include "tests/test.h"
#include <stdio.h>
#include <dirent.h>
#include <fcntl.h>
#include <pthread.h>
#include <unistd.h>
#include <sys/socket.h>
#include <sys/stat.h>

#include "copy_fake.h"
#include "crc32c.h"
#include "pull.h"

#define TEST_FIXTURE {new_dest, NULL}
#define SLOTS 4u
#define SLOT  8192u

/* --- a server made of single messages --- */

struct actor {
	struct link *l;
	struct pool pool;
	struct copy_fault f;
	void (*play)(struct actor *a);
};

static struct copy_bytes text(const char *s)
{
	return (struct copy_bytes){(const uint8_t *)s, (uint32_t)strlen(s)};
}

static void say(struct actor *a, struct copy_msg m)
{
	link_send(a->l, &m, &a->f);
}

static void dir(struct actor *a, const char *name)
{
	say(a, (struct copy_msg){.type = MSG_DIR, .name = text(name), .mode = 0755, .sec = 1000});
}

static void file(struct actor *a, const char *name, uint64_t size)
{
	say(a, (struct copy_msg){.type = MSG_FILE,
				 .name = text(name),
				 .mode = 04644,
				 .size = size,
				 .sec = 1000});
}

static void chunk(struct actor *a, uint32_t slot, uint64_t off, uint32_t len)
{
	uint8_t *p = slot < SLOTS ? pool_slot(&a->pool, slot) : a->pool.mem;

	memset(p, 'x', len < SLOT ? len : SLOT);
	say(a, (struct copy_msg){.type = MSG_CHUNK,
				 .slot = slot,
				 .off = off,
				 .len = len,
				 .crc = len <= SLOT ? crc32c(p, len) : 0});
}

static void end(struct actor *a, uint64_t chunks, uint32_t flags)
{
	say(a, (struct copy_msg){.type = MSG_END, .chunks = chunks, .flags = flags});
}

static void bare(struct actor *a, enum msg_type type)
{
	say(a, (struct copy_msg){.type = type});
}

static void *act(void *arg)
{
	struct actor *a = arg;
	struct key none = {.n = 0};
	struct plain {
		pid_t pid;
		uint8_t *mem;
	} ticket = {getpid(), a->pool.mem};
	struct copy_msg m;

	if (link_handshake(a->l, &none, &a->f) || link_expect(a->l, MSG_SETUP, &m, &a->f))
		return NULL;
	say(a, (struct copy_msg){.type = MSG_POOL,
				 .slots = SLOTS,
				 .slot_bytes = SLOT,
				 .name = {(const uint8_t *)&ticket, sizeof(ticket)}});
	if (link_expect(a->l, MSG_PULL, &m, &a->f))
		return NULL;
	a->play(a);
	/* What the client still says, up to its end. */
	while (a->l->fd >= 0 && !link_expect(a->l, MSG_TYPES, &m, &a->f) && m.type != MSG_BYE)
		;
	return NULL;
}

/* --- the client under test --- */

static char work[] = "copy_hostile.XXXXXX";
static char dest[64], outside[64];

static int set_up(UNUSED void **state)
{
	if (!mkdtemp(work))
		return -1;
	snprintf(dest, sizeof(dest), "%s/dest", work);
	snprintf(outside, sizeof(outside), "%s/outside", work);
	return mkdir(outside, 0755);
}

static int tear_down(UNUSED void **state)
{
	char cmd[128];

	snprintf(cmd, sizeof(cmd), "chmod -R u+rwx %s; rm -rf %s", work, work);
	return system(cmd);
}

static int new_dest(UNUSED void **state)
{
	char cmd[160];

	copy_fake_max = 1u << 20;
	copy_fake_corrupt = 0;
	snprintf(cmd, sizeof(cmd), "rm -rf %s && mkdir %s", dest, dest);
	return system(cmd);
}

static struct report last;

static struct copy_fault pull_from(void (*play)(struct actor *a))
{
	struct actor a = {.l = calloc(1, sizeof(struct link)), .play = play};
	struct pull *p = calloc(1, sizeof(*p));
	struct pull_wish wish = {.slots = SLOTS, .slot_bytes = SLOT, .patience_ms = 5000};
	struct dest_plan plan = {.dest = dest, .base = "got"};
	struct key none = {.n = 0};
	struct copy_fault f = {0};
	pthread_t t;
	int fds[2];

	assert_int_equal(socketpair(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK, 0, fds), 0);
	assert_int_equal(pool_make(&a.pool, SLOTS, SLOT, &a.f), 0);
	link_init(a.l, fds[1], true, 5000);
	report_begin(&last, true, false);
	p->report = &last;
	assert_int_equal(device_open(&p->device, NULL, &f), 0);
	pthread_create(&t, NULL, act, &a);
	if (!pull_open(p, fds[0], &none, &wish, &f))
		pull_path(p, "x", &plan, &f);
	pull_close(p, &f);
	pthread_join(t, NULL);
	link_close(a.l);
	pool_free(&a.pool);
	device_close(p->device);
	free(p);
	free(a.l);
	return f;
}

/* No temporary name anywhere below, and how many entries there are. */
static unsigned int entries(const char *path)
{
	DIR *d = opendir(path);
	unsigned int n = 0;

	assert_non_null(d);
	for (struct dirent *e; (e = readdir(d));) {
		char sub[600];

		if (!strcmp(e->d_name, ".") || !strcmp(e->d_name, ".."))
			continue;
		if (strstr(e->d_name, ".dvx-copy."))
			fail_msg("%s/%s was left behind", path, e->d_name);
		n++;
		snprintf(sub, sizeof(sub), "%s/%s", path, e->d_name);
		if (e->d_type == DT_DIR)
			n += entries(sub);
	}
	closedir(d);
	return n;
}

static void expect(void (*play)(struct actor *a), int code, const char *words, unsigned int left)
{
	struct copy_fault f = pull_from(play);
	unsigned int n;

	if (f.code != code || !strstr(f.text, words))
		fail_msg("code %d, \"%s\" instead of code %d, \"%s\"", f.code, f.text, code, words);
	n = entries(dest);
	if (n != left)
		fail_msg("%u entries are left instead of %u, after \"%s\"", n, left, f.text);
	assert_int_equal(entries(outside), 0);
	report_free(&last);
}

/* --- what goes well, to see that the actor can --- */

static void play_honest(struct actor *a)
{
	dir(a, "");
	file(a, "f", 3 * SLOT + 5);
	for (uint32_t i = 0; i < 3; i++)
		chunk(a, i, i * SLOT, SLOT);
	chunk(a, 3, 3 * SLOT, 5);
	end(a, 4, 0);
	file(a, "empty", 0);
	end(a, 0, 0);
	say(a, (struct copy_msg){.type = MSG_LINK, .name = text("l"), .text = text("/nowhere")});
	bare(a, MSG_UP);
	bare(a, MSG_DONE);
}

TEST_F(honest)
{
	char path[128];
	struct stat st;

	copy_fake_max = 4096 - 1; /* three pieces a slot */
	expect(play_honest, COPY_OK, "", 4);
	snprintf(path, sizeof(path), "%s/got/f", dest);
	assert_int_equal(stat(path, &st), 0);
	assert_int_equal(st.st_size, 3 * SLOT + 5);
	assert_int_equal(st.st_mode & 07777, 0644); /* set-user-id does not travel */
	assert_int_equal(st.st_mtim.tv_sec, 1000);
	assert_int_equal(last.copies, 3 * 3 + 1);
}

/* --- attacks --- */

static const char *attack_name;

static void play_name(struct actor *a)
{
	dir(a, "");
	file(a, attack_name, 5);
	chunk(a, 0, 0, 5);
	end(a, 1, 0);
	bare(a, MSG_UP);
	bare(a, MSG_DONE);
}

TEST_F(names)
{
	static const char *const bad[] = {"..", "../outside/x",	  "/tmp/x", "a/b",
					  ".",	"../../outside/x"};

	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
		new_dest(NULL);
		attack_name = bad[i];
		expect(play_name, COPY_PROTOCOL, "no entry may have", 1);
	}
}

static void play_link_then_dir(struct actor *a)
{
	dir(a, "");
	say(a,
	    (struct copy_msg){.type = MSG_LINK, .name = text("a"), .text = text("../../outside")});
	dir(a, "a");
	file(a, "x", 0);
	end(a, 0, 0);
	bare(a, MSG_UP);
	bare(a, MSG_UP);
	bare(a, MSG_DONE);
}

static void play_link_then_file(struct actor *a)
{
	dir(a, "");
	say(a, (struct copy_msg){
		       .type = MSG_LINK, .name = text("a"), .text = text("../../outside/x")});
	file(a, "a", 5);
	chunk(a, 0, 0, 5);
	end(a, 1, 0);
	bare(a, MSG_UP);
	bare(a, MSG_DONE);
}

TEST_F(links)
{
	expect(play_link_then_dir, COPY_IO, "is not a directory", 2);
	new_dest(NULL);
	expect(play_link_then_file, COPY_OK, "", 2); /* the link itself is replaced */
}

/* --- lies about files --- */

static void play_beyond(struct actor *a)
{
	file(a, "", 10);
	chunk(a, 0, 5, 6);
}

static void play_wrap(struct actor *a)
{
	file(a, "", 10);
	chunk(a, 0, INT64_MAX, 6);
}

static void play_slot(struct actor *a)
{
	file(a, "", SLOT);
	chunk(a, SLOTS, 0, 10);
}

static void play_slot_twice(struct actor *a)
{
	struct copy_msg m = {.type = MSG_CHUNK, .slot = 1, .len = 10, .crc = 1};

	/* Both are on their way before the client can return the first. */
	file(a, "", 2 * SLOT);
	m.crc = crc32c(pool_slot(&a->pool, 1), 10);
	say(a, m);
	say(a, m);
	say(a, m);
	bare(a, MSG_TOTALS);
}

static void play_long(struct actor *a)
{
	file(a, "", 10 * SLOT);
	chunk(a, 0, 0, SLOT + 1);
}

static void play_no_file(struct actor *a)
{
	dir(a, "");
	chunk(a, 0, 0, 10);
}

static void play_count(struct actor *a)
{
	file(a, "", 2 * SLOT);
	chunk(a, 0, 0, SLOT);
	chunk(a, 1, SLOT, SLOT);
	end(a, 1, 0);
	bare(a, MSG_DONE);
}

static void play_crc(struct actor *a)
{
	file(a, "", 10);
	say(a, (struct copy_msg){.type = MSG_CHUNK, .len = 10, .crc = 0x12345678});
	end(a, 1, 0);
	bare(a, MSG_DONE);
}

TEST_F(lies_about_files)
{
	expect(play_beyond, COPY_PROTOCOL, "past the end", 0);
	expect(play_wrap, COPY_PROTOCOL, "past the end", 0);
	expect(play_slot, COPY_PROTOCOL, "slot 4", 0);
	expect(play_long, COPY_PROTOCOL, "larger than its slot", 0);
	expect(play_no_file, COPY_PROTOCOL, "outside of a file", 1);
	new_dest(NULL);
	expect(play_count, COPY_PROTOCOL, "miscounted", 0);
	expect(play_crc, COPY_INTEGRITY, "CRC32C", 0);
}

TEST_F(slot_twice)
{
	struct copy_fault f;

	f = pull_from(play_slot_twice);
	/* Which lie is noticed depends on who is faster; that one is, and nothing is left, does
	 * not. */
	assert_int_not_equal(f.code, COPY_OK);
	assert_int_equal(entries(dest), 0);
	report_free(&last);
}

/* --- lies about the tree --- */

static void play_two_tops(struct actor *a)
{
	file(a, "", 0);
	end(a, 0, 0);
	file(a, "", 0);
}

static void play_beside(struct actor *a)
{
	dir(a, "");
	bare(a, MSG_UP);
	file(a, "beside", 0);
}

static void play_up(struct actor *a)
{
	bare(a, MSG_UP);
}

static void play_end(struct actor *a)
{
	dir(a, "");
	end(a, 0, 0);
}

static void play_nested(struct actor *a)
{
	dir(a, "");
	file(a, "f", 0);
	dir(a, "d");
}

static void play_early(struct actor *a)
{
	dir(a, "");
	bare(a, MSG_DONE);
}

static void play_early_in_file(struct actor *a)
{
	file(a, "", 10);
	bare(a, MSG_DONE);
}

static void play_unasked(struct actor *a)
{
	say(a, (struct copy_msg){.type = MSG_RETURN});
}

TEST_F(lies_about_trees)
{
	expect(play_two_tops, COPY_PROTOCOL, "beside", 0);
	expect(play_beside, COPY_PROTOCOL, "beside", 1);
	new_dest(NULL);
	expect(play_up, COPY_PROTOCOL, "had not started", 0);
	expect(play_end, COPY_PROTOCOL, "had not started", 1);
	new_dest(NULL);
	expect(play_nested, COPY_PROTOCOL, "within a file", 1);
	new_dest(NULL);
	expect(play_early, COPY_PROTOCOL, "within the tree", 1);
	new_dest(NULL);
	expect(play_early_in_file, COPY_PROTOCOL, "within the tree", 0);
	expect(play_unasked, COPY_PROTOCOL, "RETURN", 0);
}

/* --- ends --- */

static void play_death(struct actor *a)
{
	dir(a, "");
	file(a, "whole", 5);
	chunk(a, 0, 0, 5);
	end(a, 1, 0);
	file(a, "half", 2 * SLOT);
	chunk(a, 1, 0, SLOT);
	shutdown(a->l->fd, SHUT_RDWR);
}

static void play_error(struct actor *a)
{
	struct copy_fault f = {0};

	file(a, "", SLOT);
	copy_fail(&f, COPY_IO, "the disk is on fire\033[2J");
	link_tell(a->l, &f);
}

static void play_void(struct actor *a)
{
	dir(a, "");
	file(a, "shrunk", 2 * SLOT);
	chunk(a, 0, 0, SLOT);
	say(a,
	    (struct copy_msg){.type = MSG_NOTICE, .name = text("shrunk"), .text = text("shrank")});
	end(a, 1, MSG_BROKEN);
	bare(a, MSG_UP);
	bare(a, MSG_DONE);
}

TEST_F(ends)
{
	expect(play_death, COPY_PEER, "died or closed", 1);
	new_dest(NULL);
	expect(play_error, COPY_IO, "on fire\\x1b", 0);
	expect(play_void, COPY_OK, "", 1);
	assert_int_equal(last.skipped, 1);
}

TEST_F(corrupted_on_the_way)
{
	copy_fake_corrupt = 2;
	expect(play_honest, COPY_INTEGRITY, "arrived changed", 1);
}

TEST_GROUP(set_up, tear_down)
