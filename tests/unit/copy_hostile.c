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

#include "copy_actor.h"
#include "copy_fake.h"
#include "copy_swap.h"
#include "client.h"

#define TEST_FIXTURE           \
	{                      \
		new_dest, NULL \
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

static unsigned int pieces = 1u << 20, corrupt; /* of the next pull */
static uint32_t more_options;

static int new_dest(UNUSED void **state)
{
	char cmd[160];

	copy_fake_max = pieces;
	copy_fake_corrupt = corrupt;
	snprintf(cmd, sizeof(cmd), "rm -rf %s && mkdir %s", dest, dest);
	return system(cmd);
}

static struct report last;

static struct copy_fault pull_from(const struct copy_msg *script)
{
	struct actor a = {.l = calloc(1, sizeof(struct link)), .script = script};
	struct client *c = calloc(1, sizeof(*c));
	const struct dest_plan plan = {.root = AT_FDCWD, .dest = dest};
	struct key none = {.n = 0};
	struct copy_fault f = {0};
	pthread_t t;
	int fds[2];

	assert_int_equal(socketpair(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK, 0, fds), 0);
	assert_int_equal(pool_make(&a.pool, SLOTS, SLOT, &a.f), 0);
	link_init(a.l, fds[1], true, 5000);
	report_begin(&last, true, false);
	*c = (struct client){.options = {.bits = OPTIONS_PLAIN | more_options},
			     .report = &last,
			     .slots = SLOTS,
			     .jobs = 3,
			     .slot_bytes = SLOT,
			     .patience_ms = 5000};
	assert_int_equal(device_open(&c->device, NULL, &f), 0);
	pthread_create(&t, NULL, actor_main, &a);
	client_pull(c, fds[0], &none, "x", "got", &plan, &f);
	pthread_join(t, NULL);
	link_close(a.l);
	pool_free(&a.pool);
	device_close(c->device);
	free(c);
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
		char sub[PATH_MAX];

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

/* What a server says, how the pull ends, and how many entries are left of it. */
struct play {
	struct copy_msg script[13]; /* the last has no type */
	int code;
	const char *words;
	unsigned int left;
};

static void expect(const struct play *p)
{
	struct copy_fault f;
	unsigned int n;

	new_dest(NULL);
	f = pull_from(p->script);
	if (f.code != p->code || !strstr(f.text, p->words))
		fail_msg("code %d, \"%s\" instead of code %d, \"%s\"", f.code, f.text, p->code,
			 p->words);
	n = entries(dest);
	if (n != p->left)
		fail_msg("%u entries are left instead of %u, after \"%s\"", n, p->left, f.text);
	assert_int_equal(entries(outside), 0);
	report_free(&last);
}

static void expect_each(const struct play *p, size_t n)
{
	while (n--)
		expect(p++);
}
#define EXPECT_EACH(plays) expect_each(plays, sizeof(plays) / sizeof((plays)[0]))

/* --- what goes well, to see that the actor can --- */

#define HONEST                                                                                     \
	DIR_(""), FILE_("f", 3 * SLOT + 5), DATA(0, 1, 0, SLOT), DATA(1, 1, SLOT, SLOT),           \
		DATA(2, 1, 2 * SLOT, SLOT), LAST(3, 1, 3 * SLOT, 5), FILE_("empty", 0), END(2, 0), \
		LINK("l", "/nowhere"), UP, DONE

TEST(honest)
{
	static const struct play honest = {{HONEST}, COPY_OK, "", 4};
	char path[128];
	struct stat st;

	pieces = 4096 - 1; /* three a slot */
	expect(&honest);
	pieces = 1u << 20;
	snprintf(path, sizeof(path), "%s/got/f", dest);
	assert_int_equal(stat(path, &st), 0);
	assert_int_equal(st.st_size, 3 * SLOT + 5);
	assert_int_equal(st.st_mode & 07777, 0644); /* set-user-id does not travel */
	assert_int_equal(st.st_mtim.tv_sec, 1000);
	assert_int_equal(last.counts.copies, 3 * 3 + 1);
}

/* --- attacks --- */

#define NAMED(n)                                                                    \
	{                                                                           \
		{DIR_(""), FILE_(n, 5), LAST(0, 1, 0, 5), UP, DONE}, COPY_PROTOCOL, \
			"no entry may have", 1                                      \
	}

TEST(names)
{
	static const struct play plays[] = {
		NAMED(".."), NAMED("../outside/x"),    NAMED("/tmp/x"), NAMED("a/b"),
		NAMED("."),  NAMED("../../outside/x"),
	};

	EXPECT_EACH(plays);
}

TEST(links)
{
	static const struct play plays[] = {
		{{DIR_(""), LINK("a", "../../outside"), DIR_("a"), FILE_("x", 0), END(3, 0), UP, UP,
		  DONE},
		 COPY_IO,
		 "Not a directory",
		 2},
		/* the link itself is replaced */
		{{DIR_(""), LINK("a", "../../outside/x"), FILE_("a", 5), LAST(0, 2, 0, 5), UP,
		  DONE},
		 COPY_OK,
		 "",
		 2},
	};

	EXPECT_EACH(plays);
}

TEST(lies_about_files)
{
	static const struct play plays[] = {
		{{FILE_("", 10), DATA(0, 0, 5, 6)}, COPY_PROTOCOL, "past the end", 0},
		{{FILE_("", 10), DATA(0, 0, INT64_MAX, 6)}, COPY_PROTOCOL, "past the end", 0},
		{{FILE_("", SLOT), DATA(SLOTS, 0, 0, 10)}, COPY_PROTOCOL, "slot 4", 0},
		{{FILE_("", 10 * SLOT), DATA(0, 0, 0, SLOT + 1)},
		 COPY_PROTOCOL,
		 "more than its slot holds",
		 0},
		{{DIR_(""), DATA(0, 1, 0, 10)}, COPY_PROTOCOL, "outside of a file", 1},
		{{DIR_(""), DATA(0, 0, 0, 10)}, COPY_PROTOCOL, "outside of a file", 1},
		{{FILE_("", 5), LAST(0, 0, 0, 5), DATA(1, 0, 0, 5)},
		 COPY_PROTOCOL,
		 "outside of a file",
		 0},
		{{FILE_("", 10), DATA(0, 0, 4, 2), DATA(1, 0, 0, 5)}, COPY_PROTOCOL, "twice", 0},
		{{FILE_("", 10), {.type = MSG_DATA, .len = 5, .size = 4}},
		 COPY_PROTOCOL,
		 "miscounted",
		 0},
		{{FILE_("", 10), {.type = MSG_DATA, .len = 5, .size = 6}},
		 COPY_PROTOCOL,
		 "miscounted",
		 0},
		{{FILE_("", 10), {.type = MSG_DATA, .len = 5, .flags = 8}},
		 COPY_PROTOCOL,
		 "unknown flags",
		 0},
		{{FILE_("", 10),
		  {.type = MSG_DATA, .len = 10, .crc = 0x12345678},
		  END(0, 10),
		  DONE},
		 COPY_INTEGRITY,
		 "CRC32C",
		 0},
	};

	EXPECT_EACH(plays);
}

/* Both slots are on their way before the client can return the first. */
TEST_F(slot_twice)
{
	static const struct copy_msg script[] = {FILE_("", 2 * SLOT),  DATA(1, 0, 0, 10),
						 DATA(1, 0, 10, 10),   DATA(1, 0, 20, 10),
						 {.type = MSG_TOTALS}, {0}};
	struct copy_fault f = pull_from(script);

	/* Which lie is noticed depends on who is faster; that one is, and nothing is left, does
	 * not. */
	assert_int_not_equal(f.code, COPY_OK);
	assert_int_equal(entries(dest), 0);
	report_free(&last);
}

TEST(lies_about_trees)
{
	static const struct play plays[] = {
		{{FILE_("", 0), END(0, 0), FILE_("", 0)}, COPY_PROTOCOL, "beside", 0},
		{{DIR_(""), UP, FILE_("beside", 0)}, COPY_PROTOCOL, "beside", 1},
		{{UP}, COPY_PROTOCOL, "had not started", 0},
		{{DIR_(""), DONE}, COPY_PROTOCOL, "within the tree", 1},
		{{FILE_("", 10), DONE}, COPY_PROTOCOL, "within the tree", 0},
		{{{.type = MSG_RETURN}}, COPY_PROTOCOL, "RETURN", 0},
		{{TOP("other"), FILE_("", 0)}, COPY_PROTOCOL, "instead of \"got\"", 0},
		{{{.type = MSG_TOP, .flags = MSG_CONTENTS}, DIR_("")},
		 COPY_PROTOCOL,
		 "instead of \"got\"",
		 0},
		{{DIR_(""), {.type = MSG_SPECIAL, .name = TEXT("dev"), .mode = S_IFCHR | 0666}},
		 COPY_PROTOCOL,
		 "not asked for",
		 1},
	};

	EXPECT_EACH(plays);
}

#define NEVER(sent)                                       \
	{                                                 \
		{DIR_(""),                                \
		 {.type = (sent),                         \
		  .magic = MSG_MAGIC,                     \
		  .name = TEXT(NAME32),                   \
		  .text = TEXT(NAME32),                   \
		  .slots = 1,                             \
		  .slot_bytes = SLOT,                     \
		  .window = 1,                            \
		  .code = 1}},                            \
			COPY_PROTOCOL, "during a copy", 1 \
	}
#define NAME32 "+ 345678901234567890123456789012"

/* What only a receiver, a client or a beginning says is no part of a copy. */
TEST(out_of_turn)
{
	static const struct play plays[] = {
		NEVER(MSG_HELLO), NEVER(MSG_START),   NEVER(MSG_FILTER),   NEVER(MSG_SETUP),
		NEVER(MSG_PULL),  NEVER(MSG_VERDICT), NEVER(MSG_FROM),	   NEVER(MSG_GONE),
		NEVER(MSG_BYE),	  NEVER(MSG_RETURN),  NEVER(MSG_FINISHED),
	};

	EXPECT_EACH(plays);
}

#define KEEP(n)                                   \
	{                                         \
		.type = MSG_KEEP, .name = TEXT(n) \
	}

TEST(lies_with_letters)
{
	static const struct play plays[] = {
		{{KEEP("f"), DIR_("")}, COPY_PROTOCOL, "beside the tree", 0},
		{{DIR_(""), KEEP("../f")}, COPY_PROTOCOL, "no entry may have", 1},
		{{DIR_(""), KEEP("f"), FILE_("f", 0), END(1, 0), UP, DONE}, COPY_OK, "", 2},
		{{DIR_(""), TOP("got")}, COPY_PROTOCOL, "within the tree", 1},
		{{DIR_(""), {.type = MSG_LINK, .name = TEXT("l"), .text = TEXT("a\0b")}},
		 COPY_PROTOCOL,
		 "a zero byte",
		 1},
		{{DIR_(""), {.type = MSG_FILE, .name = TEXT("f"), .id = 1u << 24}},
		 COPY_PROTOCOL,
		 "more hard links",
		 1},
		{{DIR_(""), {.type = MSG_SPECIAL, .name = TEXT("dev"), .mode = S_IFDIR | 0666}},
		 COPY_PROTOCOL,
		 "not asked for",
		 1},
		{{{.type = MSG_TOTALS, .files = UINT64_MAX, .size = UINT64_MAX},
		  TOP("got"),
		  DIR_(""),
		  UP,
		  DONE},
		 COPY_OK,
		 "",
		 1},
	};

	more_options = OPTION_HARD | OPTION_SPECIALS | OPTION_DELETE;
	EXPECT_EACH(plays);
	more_options = 0;
}

/* What a sender could fill the memory with is bounded. */
TEST(floods)
{
	static const struct play plays[] = {
		{{DIR_(""), {.type = MSG_FILE, .name = TEXT("f"), .slots = MSG_WINDOW + 1}},
		 COPY_PROTOCOL,
		 "entries at once",
		 1},
		{{DIR_(""),
		  {.type = MSG_XATTR, .name = TEXT("user.x"), .flags = MSG_GOES_ON, .slots = 1000}},
		 COPY_PROTOCOL,
		 "extended attributes",
		 1},
		{{DIR_(""), {.type = MSG_DIR, .name = TEXT("d"), .mode = 0755, .slots = 600}},
		 COPY_PROTOCOL,
		 "more than 512 deep",
		 513},
		{{DIR_(""), {.type = MSG_OWNER, .name = TEXT("root"), .slots = 65537}},
		 COPY_PROTOCOL,
		 "more than 65536 owners",
		 1},
	};

	EXPECT_EACH(plays);
}

/* --- ends --- */

TEST(ends)
{
	static const struct play plays[] = {
		{{DIR_(""), FILE_("whole", 5), LAST(0, 1, 0, 5), FILE_("half", 2 * SLOT),
		  DATA(1, 2, 0, SLOT), DIES},
		 COPY_PEER,
		 "died or closed",
		 1},
		{{FILE_("", SLOT), FAILS}, COPY_IO, "on fire\\x1b", 0},
		{{DIR_(""),
		  FILE_("shrunk", 2 * SLOT),
		  DATA(0, 1, 0, SLOT),
		  {.type = MSG_NOTICE, .name = TEXT("shrunk"), .text = TEXT("shrank")},
		  {.type = MSG_DATA, .id = 1, .off = SLOT, .flags = PIECE_LAST | PIECE_BROKEN},
		  UP,
		  DONE},
		 COPY_OK,
		 "",
		 1},
	};

	EXPECT_EACH(plays);
	assert_int_equal(last.skipped, 1);
}

TEST(corrupted_on_the_way)
{
	static const struct play honest = {{HONEST}, COPY_INTEGRITY, "arrived changed", 1};

	corrupt = 2;
	expect(&honest);
	corrupt = 0;
}

/* While a directory of the destination turns into a link and back, nothing goes through the link. */
TEST(exchanged_meanwhile)
{
	static const struct copy_msg script[] = {DIR_(""),
						 DIR_("sub"),
						 DIR_("deep"),
						 FILE_("f", 5),
						 LAST(0, 3, 0, 5),
						 LINK("l", "x"),
						 UP,
						 UP,
						 UP,
						 DONE,
						 {0}};
	struct swap s = {.times = 0};
	char cmd[640];

	snprintf(s.a, sizeof(s.a), "%s/got/sub", dest);
	snprintf(s.b, sizeof(s.b), "%s/got/evil", dest);
	new_dest(NULL);
	snprintf(cmd, sizeof(cmd), "mkdir -p %s && ln -s ../../outside %s", s.a, s.b);
	assert_int_equal(system(cmd), 0);
	swap_begin(&s);
	for (int i = 0; i < 30; i++) {
		pull_from(script);
		report_free(&last);
	}
	swap_end(&s);
	assert_int_not_equal(s.times, 0);
	assert_int_equal(entries(outside), 0);
}

/*
 * A server that gives up frees its pool, so the client's copies fail. What the server says, and
 * that it died, is the cause; without either the device is.
 */
TEST(causes)
{
	static const struct play plays[] = {
		{{FILE_("", SLOT), DATA(0, 0, 0, SLOT), FAILS_AS(COPY_AUTH)},
		 COPY_AUTH,
		 "on fire",
		 0},
		{{FILE_("", SLOT), DATA(0, 0, 0, SLOT), FAILS}, COPY_IO, "on fire", 0},
		{{FILE_("", SLOT), DATA(0, 0, 0, SLOT), FAILS_AS(COPY_PROTOCOL)},
		 COPY_PROTOCOL,
		 "on fire",
		 0},
		{{FILE_("", SLOT), DATA(0, 0, 0, SLOT), DIES}, COPY_PEER, "died", 0},
		{{FILE_("", SLOT), DATA(0, 0, 0, SLOT)}, COPY_DEVICE, "ended with an error", 0},
	};

	for (size_t i = 0; i < sizeof(plays) / sizeof(plays[0]); i++) {
		copy_fake_fails = 1;
		expect(&plays[i]);
	}
	copy_fake_fails = 0;
}

TEST_GROUP(set_up, tear_down)
