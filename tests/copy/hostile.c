/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Proves: a server that lies, breaks off or attacks does no harm at the destination, and a client
 * that does reaches nothing but its own pool. No failure leaves a half file or a temporary.
 */
#include "tests/test.h"
#include <stdio.h>
#include <sys/resource.h>
#include <sys/stat.h>

#include "copy_pull.h"
#include "copy_fake.h"
#include "base/filter.h"
#include "copy_swap.h"
#include "base/acl.h"

/* --- honest scripts, to see that the actor works --- */

#define HONEST                                                                                     \
	DIR_(""), FILE_("f", 3 * SLOT + 5), DATA(0, 1, 0, SLOT), DATA(1, 1, SLOT, SLOT),           \
		DATA(2, 1, 2 * SLOT, SLOT), LAST(3, 1, 3 * SLOT, 5), FILE_("empty", 0), END(2, 0), \
		LINK("l", "/nowhere"), UP, DONE

TEST(none, honest)
{
	static const struct play honest = {{HONEST}, COPY_OK, "", 4};
	char path[128];
	struct stat st;

	copy_pull.pieces = 4096 - 1; /* three pieces per slot */
	copy_pull_expect(&honest);
	copy_pull.pieces = 1u << 20;
	snprintf(path, sizeof(path), "%s/got/f", copy_pull.dest);
	assert_int_equal(stat(path, &st), 0);
	assert_int_equal(st.st_size, 3 * SLOT + 5);
	assert_int_equal(st.st_mode & 07777, 0644); /* set-user-id is not copied */
	assert_int_equal(st.st_mtim.tv_sec, 1000);
	assert_int_equal(copy_pull.report.counts.copies, 3 * 3 + 1);
}

/* --- attacks --- */

#define NAMED(n) LIE("no entry may have", 1, DIR_(""), FILE_(n, 5), LAST(0, 1, 0, 5), UP, DONE)

TEST(none, names)
{
	static const struct play plays[] = {
		NAMED(".."), NAMED("../outside/x"),    NAMED("/tmp/x"), NAMED("a/b"),
		NAMED("."),  NAMED("../../outside/x"),
	};

	EXPECT_EACH(plays);
}

TEST(none, links)
{
	static const struct play plays[] = {
		/*
		 * entries of a directory that can't be opened are left out, so their data is not
		 * wanted
		 */
		PLAY(COPY_OK, "", 2, DIR_(""), LINK("a", "../../outside"), DIR_("a"), FILE_("x", 0),
		     UP, UP, DONE),
		LIE("outside of a file", 2, DIR_(""), LINK("a", "../../outside"), DIR_("a"),
		    FILE_("x", 0), END(3, 0), UP, UP, DONE),
		/* the link itself is replaced */
		PLAY(COPY_OK, "", 2, DIR_(""), LINK("a", "../../outside/x"), FILE_("a", 5),
		     LAST(0, 2, 0, 5), UP, DONE),
	};

	EXPECT_EACH(plays);
}

TEST(none, lies_about_files)
{
	static const struct play plays[] = {
		LIE("past the end", 0, FILE_("", 10), DATA(0, 0, 5, 6)),
		LIE("past the end", 0, FILE_("", 10), DATA(0, 0, INT64_MAX, 6)),
		LIE("slot 4", 0, FILE_("", SLOT), DATA(SLOTS, 0, 0, 10)),
		LIE("more than its slot holds", 0, FILE_("", 10 * SLOT), DATA(0, 0, 0, SLOT + 1)),
		LIE("second pool", 0, FILE_("", 10),
		    {.type = MSG_POOL, .slots = 1, .slot_bytes = SLOT, .name = TEXT("ticket")}),
		LIE("outside of a file", 1, DIR_(""), DATA(0, 1, 0, 10)),
		LIE("outside of a file", 1, DIR_(""), DATA(0, 0, 0, 10)),
		LIE("half a piece", 0, FILE_("", 10),
		    {.type = MSG_DATA, .text = TEXT("one piece and a half: it is")}),
		LIE("outside of a file", 0, FILE_("", 10), DATA(0, MSG_WINDOW, 0, 10)),
		LIE("outside of a file", 0, FILE_("", 10), DATA(0, 1, 0, 10)),
		LIE("outside of a file", 0, FILE_("", 5), LAST(0, 0, 0, 5), DATA(1, 0, 0, 5)),
		LIE("twice", 0, FILE_("", 10), DATA(0, 0, 4, 2), DATA(1, 0, 0, 5)),
		LIE("miscounted", 0, FILE_("", 10), {.type = MSG_DATA, .len = 0, .size = 5}),
		LIE("miscounted", 0, FILE_("", 10), {.type = MSG_DATA, .len = 5, .size = 4}),
		LIE("miscounted", 0, FILE_("", 10), {.type = MSG_DATA, .len = 5, .size = 6}),
		LIE("unknown flags", 0, FILE_("", 10), {.type = MSG_DATA, .len = 5, .flags = 8}),
		LIE("took up more", 0, FILE_("", 10),
		    {.type = MSG_DATA, .off = 5, .flags = PIECE_FROM}),
		LIE("took up more", 0, FILE_("", 10), DATA(0, 0, 0, 5),
		    {.type = MSG_DATA, .flags = PIECE_FROM}),
		PLAY(COPY_INTEGRITY, "CRC32C", 0, FILE_("", 10),
		     {.type = MSG_DATA, .len = 10, .crc = 0x12345678}, END(0, 10), DONE),
	};

	EXPECT_EACH(plays);
}

/* Sends both slots before the client can return the first. */
TEST(pull, slot_twice)
{
	static const struct copy_msg script[] = {FILE_("", 2 * SLOT),  DATA(1, 0, 0, 10),
						 DATA(1, 0, 10, 10),   DATA(1, 0, 20, 10),
						 {.type = MSG_TOTALS}, {0}};
	struct copy_fault f = copy_pull_from(script);

	/* Which lie is noticed depends on timing; one is, and nothing must be left. */
	assert_int_not_equal(f.code, COPY_OK);
	assert_int_equal(copy_pull_left(copy_pull.dest), 0);
	report_free(&copy_pull.report);
}

TEST(none, lies_about_trees)
{
	static const struct play plays[] = {
		LIE("beside", 0, FILE_("", 0), END(0, 0), FILE_("", 0)),
		LIE("beside", 1, DIR_(""), UP, FILE_("beside", 0)),
		LIE("had not started", 0, UP),
		LIE("had not started", 1, DIR_(""), UP, UP),
		LIE("within the tree", 1, DIR_(""), DONE),
		LIE("within the tree", 0, FILE_("", 10), DONE),
		LIE("RETURN", 0, {.type = MSG_RETURN}),
		LIE("instead of \"got\"", 0, TOP("other"), FILE_("", 0)),
		LIE("instead of \"got\"", 0, {.type = MSG_TOP, .flags = MSG_CONTENTS}, DIR_("")),
		LIE("not asked for", 1, DIR_(""),
		    {.type = MSG_SPECIAL, .name = TEXT("dev"), .mode = S_IFCHR | 0666}),
		LIE("DIR outside of a source", 0, {.type = MSG_TOP, .flags = MSG_LOST}, DIR_("")),
		LIE("no entry may have", 1, DIR_(""), DIR_("..")),
	};

	EXPECT_EACH(plays);
}

#define NEVER(sent)                       \
	LIE("during a copy", 1, DIR_(""), \
	    {.type = (sent),              \
	     .magic = MSG_MAGIC,          \
	     .name = TEXT(NAME32),        \
	     .text = TEXT(NAME32),        \
	     .slots = 1,                  \
	     .slot_bytes = SLOT,          \
	     .window = 1,                 \
	     .off = 1,                    \
	     .code = 1})
#define NAME32 "+ 345678901234567890123456789012"

/* Messages that only a receiver, a client or a handshake sends are refused during a copy. */
TEST(none, out_of_turn)
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

TEST(none, lies_with_letters)
{
	static const struct play plays[] = {
		LIE("beside the tree", 0, KEEP("f"), DIR_("")),
		LIE("no entry may have", 1, DIR_(""), KEEP("../f")),
		PLAY(COPY_OK, "", 2, DIR_(""), KEEP("f"), FILE_("f", 0), END(1, 0), UP, DONE),
		LIE("within the tree", 1, DIR_(""), TOP("got")),
		LIE("a zero byte", 1, DIR_(""),
		    {.type = MSG_LINK, .name = TEXT("l"), .text = TEXT("a\0b")}),
		LIE("more hard links", 1, DIR_(""),
		    {.type = MSG_FILE, .name = TEXT("f"), .id = 1u << 24}),
		LIE("of no kind", 1, DIR_(""),
		    {.type = MSG_SPECIAL, .name = TEXT("dev"), .mode = S_IFDIR | 0666}),
		PLAY(COPY_OK, "", 1, {.type = MSG_TOTALS, .files = UINT64_MAX, .size = UINT64_MAX},
		     DIR_(""), UP, DONE),
	};

	copy_pull.options = OPTION_HARD | OPTION_SPECIALS | OPTION_DELETE;
	EXPECT_EACH(plays);
	copy_pull.options = 0;
}

/* A client accepts only the source that it asked for, and only in its place. */
TEST(none, other_sources)
{
	static const struct play plays[] = {
		LIE("not asked for", 1, TOP("got"), DIR_(""), UP, TOP("got"), DIR_(""),
		    FILE_("more", 0), UP, DONE),
		/* into DEST itself, although the source has a name */
		LIE("not asked for", 0,
		    {.type = MSG_TOP, .flags = MSG_CONTENTS, .name = TEXT("got")}, DIR_(""), UP,
		    DONE),
		LIE("not asked for", 0, {.type = MSG_TOP}, DIR_(""), UP, DONE),
	};

	EXPECT_EACH(plays);
}

/* A pattern is matched as in a shell, and a pool must not be larger than requested. */
TEST(none, other_names)
{
	static const struct play hidden = {
		{TOP(".got"), FILE_("", 0)}, COPY_PROTOCOL, "instead of \"*\"", 0};
	static const struct play contents = {
		{{.type = MSG_TOP, .flags = MSG_CONTENTS}, DIR_(""), UP, DONE},
		COPY_PROTOCOL,
		"instead of \"*\"",
		0};
	static const struct play large = {{DONE}, COPY_PROTOCOL, "a larger pool", 0};

	copy_pull.pattern = "*";
	copy_pull_expect(&hidden);
	copy_pull_expect(&contents);
	copy_pull.pattern = NULL;
	copy_pull.slots = SLOTS - 1;
	copy_pull_expect(&large);
	copy_pull.slots = 0;
}

static const struct {
	uint32_t without, with;
	struct play play;
} unasked[] = {
	{OPTION_RECURSE, 0, {{DIR_(""), UP, DONE}, COPY_PROTOCOL, "DIR, which was not", 0}},
	{OPTION_LINKS, 0, {{LINK("", "to"), DONE}, COPY_PROTOCOL, "LINK, which was not", 0}},
	{OPTION_LINKS, 0, {{DIR_(""), LINK("l", "to")}, COPY_PROTOCOL, "LINK, which was not", 1}},
	{0,
	 0,
	 {{DIR_(""), {.type = MSG_SPECIAL, .name = TEXT("p"), .mode = S_IFIFO | 0666}},
	  COPY_PROTOCOL,
	  "SPECIAL, which was not",
	  1}},
	{0, 0, {{DIR_(""), KEEP("f")}, COPY_PROTOCOL, "KEEP, which was not", 1}},
	{0,
	 0,
	 {{{.type = MSG_OWNER, .name = TEXT("root"), .id = 1}},
	  COPY_PROTOCOL,
	  "OWNER, which was not",
	  0}},
	{0,
	 0,
	 {{{.type = MSG_XATTR, .name = TEXT("user.x")}}, COPY_PROTOCOL, "XATTR, which was not", 0}},
};

/* Entries and attributes that the options leave out are refused. */
TEST(none, not_asked_for)
{
	for (size_t i = 0; i < sizeof(unasked) / sizeof(unasked[0]); i++) {
		copy_pull.without = unasked[i].without;
		copy_pull.options = unasked[i].with;
		copy_pull_expect(&unasked[i].play);
	}
	copy_pull.without = copy_pull.options = 0;
}

/* An entry that the filter excludes is refused, at any depth and of any kind. */
TEST(none, excluded)
{
	static const struct play plays[] = {
		LIE("got/a.secret, which is excluded", 1, DIR_(""), FILE_("a.secret", 0), END(1, 0),
		    UP, DONE),
		LIE("got/sub/b.secret, which", 2, DIR_(""), DIR_("sub"), LINK("b.secret", "x"), UP,
		    UP, DONE),
		LIE("got/dir, which", 1, DIR_(""), DIR_("dir"), FILE_("f", 0)),
		PLAY(COPY_OK, "", 2, DIR_(""), FILE_("dir", 0), END(1, 0), UP, DONE),
		LIE("got/sub/anchored, which", 2, DIR_(""), DIR_("sub"), FILE_("anchored", 0),
		    END(2, 0), UP, UP, DONE),
		PLAY(COPY_OK, "", 2, DIR_(""), FILE_("anchored", 0), END(1, 0), UP, DONE),
	};
	struct filter filter = {0};
	struct copy_fault f = {0};

	assert_int_equal(filter_add(&filter, "*.secret", false, &f) ||
				 filter_add(&filter, "dir/", false, &f) ||
				 filter_add(&filter, "/got/sub/anchored", false, &f),
			 0);
	copy_pull.filter = &filter;
	EXPECT_EACH(plays);
	assert_int_equal(filter_add(&filter, "got", false, &f), 0);
	copy_pull_expect(&(struct play){
		{FILE_("", 0), END(0, 0), DONE}, COPY_PROTOCOL, "got, which is excluded", 0});
	copy_pull.filter = NULL;
	filter_free(&filter);
}

/* A sender can't exhaust the memory. */
TEST(none, floods)
{
	enum { ATTRIBUTES_LEFT_OUT = 2 };
	static const struct play plays[] = {
		LIE("entries at once", 1, DIR_(""),
		    {.type = MSG_FILE, .name = TEXT("f"), .slots = MSG_WINDOW + 1}),
		LIE("extended attributes", 1, DIR_(""),
		    {.type = MSG_XATTR,
		     .name = TEXT(ACL_ACCESS),
		     .flags = MSG_GOES_ON,
		     .slots = 1000}),
		/* other attributes are left out, with a report: a file may have more than are kept */
		PLAY(COPY_OK, "", 2, DIR_(""),
		     {.type = MSG_XATTR,
		      .name = TEXT("user.x"),
		      .flags = MSG_GOES_ON,
		      .slots = 1000},
		     FILE_("f", 5), LAST(0, 1, 0, 5), UP, DONE),
		LIE("more than 512 deep", 513, DIR_(""),
		    {.type = MSG_DIR, .name = TEXT("d"), .mode = 0755, .slots = 600}),
		LIE("more than 65536 owners", 1, DIR_(""),
		    {.type = MSG_OWNER, .name = TEXT("root"), .slots = 65537}),
	};

	copy_pull.options = OPTION_OWNER | OPTION_XATTRS;
	EXPECT_EACH(plays);
	copy_pull_expect(&plays[ATTRIBUTES_LEFT_OUT]);
	assert_int_equal(copy_pull.report.skipped, 1);
	copy_pull.options = 0;
}

#define N50  "12345678901234567890123456789012345678901234567890"
#define N250 N50 N50 N50 N50 N50

/*
 * A path that no system call takes is refused: cut to its name, it would stand for another source's
 * entry, which --delete and the merging of sources then take for this one.
 */
TEST(none, long_paths)
{
	static const struct play play = {
		{DIR_(""),
		 {.type = MSG_DIR, .name = TEXT(N250), .mode = 0755, .sec = 1000, .slots = 16},
		 FILE_(N250, 0),
		 END(17, 0),
		 {.type = MSG_UP, .slots = 17},
		 DONE},
		COPY_PROTOCOL,
		"a path of more than 4095 bytes",
		17};

	copy_pull.options = OPTION_DELETE;
	copy_pull_expect(&play);
	copy_pull.merges = true;
	copy_pull_expect(&play);
	copy_pull.merges = false;
	copy_pull.options = 0;
}

/* A sender can't make the receiver run out of descriptors by files whose data does not come. */
TEST(none, open_files)
{
	enum { N = 40 };
	static char names[N][3];
	struct copy_msg large[N + 2] = {DIR_("")}, dirs[3 * N + 2] = {DIR_("")};
	struct rlimit usual, few;

	assert_int_equal(getrlimit(RLIMIT_NOFILE, &usual), 0);
	few = usual;
	few.rlim_cur = 128; /* a window of 16 */
	for (int i = 0; i < N; i++) {
		const struct copy_bytes name = {(const uint8_t *)names[i], 3};
		const struct copy_msg dir = DIR_(""), file = FILE_("f", 5), up = UP;

		memcpy(names[i], (const char[]){'n', (char)('0' + i / 10), (char)('0' + i % 10)},
		       3);
		large[1 + i] = (struct copy_msg){
			.type = MSG_FILE, .name = name, .size = MSG_PART_LEAST, .sec = 1000};
		memcpy(&dirs[1 + 3 * i], (const struct copy_msg[]){dir, file, up}, 3 * sizeof(dir));
		dirs[1 + 3 * i].name = name;
	}
	assert_int_equal(setrlimit(RLIMIT_NOFILE, &few), 0);
	for (int i = 0; i < 2; i++) {
		struct copy_fault f;

		copy_pull_fresh(NULL);
		f = copy_pull_from(i ? dirs : large);
		assert_int_equal(f.code, COPY_PROTOCOL);
		assert_string_equal(f.text, "the sender holds more than 16 directories and large "
					    "files open");
		report_free(&copy_pull.report);
	}
	assert_int_equal(setrlimit(RLIMIT_NOFILE, &usual), 0);
}

/*
 * The memory for names that --delete and -H remember is bounded too, over all directories together.
 */
TEST(none, names_to_remember)
{
	struct dest_dir parent = {.fd = -1}, *dir = calloc(1, sizeof(*dir) + 1);
	struct copy_fault f = {0}, g = {0};
	struct dest d = {.now = dir, .f = &f, .options.bits = OPTION_DELETE | OPTION_HARD};
	const struct copy_msg m = {.type = MSG_FILE, .id = 1};
	struct dest_found found = {0};

	dir->parent = &parent;
	dir->fd = -1;
	d.remembered = REMEMBER_MOST - dest_weight(1);
	d.seen = seen_new(false);
	assert_int_equal(seen_add(&d, "1", false), 0);
	assert_int_equal(seen_add(&d, "2", false), -1);
	assert_int_equal(f.code, COPY_IO);
	seen_forget(&d, dir);
	assert_int_equal(d.remembered, REMEMBER_MOST - dest_weight(1));
	d.f = &g;
	assert_int_equal(hard_later(&d, &m, "1", &found), 0);
	assert_int_equal(hard_later(&d, &m, "2", &found), -1);
	assert_int_equal(g.code, COPY_IO);
	hard_forget(&d);
	assert_int_equal(d.remembered, REMEMBER_MOST - dest_weight(1));
	seen_free(d.seen);
	free(dir);
}

/* Users and groups are mapped by name; a number without a name is used as it is. */
TEST(none, owners)
{
	struct copy_fault f = {0};
	struct dest d = {.f = &f};
	struct copy_msg m = {.type = MSG_OWNER, .name = TEXT("root")};

	for (m.id = 1; m.id <= 1000; m.id += 3) {
		m.flags = m.id & 1 ? MSG_IS_GROUP : 0;
		assert_int_equal(dest_add_owner(&d, &m), 0);
	}
	m = (struct copy_msg){.type = MSG_OWNER, .name = TEXT("nobody-of-this-machine"), .id = 4};
	assert_int_equal(dest_add_owner(&d, &m), 0);
	for (uint32_t id = 1; id <= 1000; id++) {
		const bool named = id % 3 == 1, group = id & 1;

		assert_int_equal(meta_owner(&d, id, false), named && !group ? 0 : id);
		assert_int_equal(meta_owner(&d, id, true), named && group ? 0 : id);
	}
	meta_forget(&d);
}

/* --- failures --- */

TEST(none, ends)
{
	static const struct play plays[] = {
		PLAY(COPY_PEER, "died or closed", 1, DIR_(""), FILE_("whole", 5), LAST(0, 1, 0, 5),
		     FILE_("half", 2 * SLOT), DATA(1, 2, 0, SLOT), DIES),
		PLAY(COPY_IO, "on fire\\x1b", 0, FILE_("", SLOT), FAILS),
		PLAY(COPY_OK, "", 1, DIR_(""), FILE_("shrunk", 2 * SLOT), DATA(0, 1, 0, SLOT),
		     {.type = MSG_NOTICE, .name = TEXT("shrunk"), .text = TEXT("shrank")},
		     {.type = MSG_DATA, .id = 1, .off = SLOT, .flags = PIECE_LAST | PIECE_BROKEN},
		     UP, DONE),
	};

	EXPECT_EACH(plays);
	assert_int_equal(copy_pull.report.skipped, 1);
}

TEST(none, corrupted_on_the_way)
{
	static const struct play honest = {{HONEST}, COPY_INTEGRITY, "arrived changed", 1};

	copy_pull.corrupt = 2;
	copy_pull_expect(&honest);
	copy_pull.corrupt = 0;
}

/*
 * A directory of the destination turns into a link and back all the time: nothing is written
 * through it.
 */
TEST(none, exchanged_meanwhile)
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

	snprintf(s.a, sizeof(s.a), "%s/got/sub", copy_pull.dest);
	snprintf(s.b, sizeof(s.b), "%s/got/evil", copy_pull.dest);
	copy_pull_fresh(NULL);
	snprintf(cmd, sizeof(cmd), "mkdir -p %s && ln -s ../../outside %s", s.a, s.b);
	assert_int_equal(system(cmd), 0);
	swap_begin(&s);
	for (int i = 0; i < 30; i++) {
		copy_pull_from(script);
		report_free(&copy_pull.report);
	}
	swap_end(&s);
	assert_int_not_equal(s.times, 0);
	assert_int_equal(copy_pull_left(copy_pull.outside), 0);
}

/*
 * A server that gives up frees its pool, so the client's copies fail. The server's error, or its
 * death, is reported as the cause; without either, the device's.
 */
TEST(none, causes)
{
	static const struct play plays[] = {
		PLAY(COPY_AUTH, "on fire", 0, FILE_("", SLOT), DATA(0, 0, 0, SLOT),
		     FAILS_AS(COPY_AUTH)),
		PLAY(COPY_IO, "on fire", 0, FILE_("", SLOT), DATA(0, 0, 0, SLOT), FAILS),
		LIE("on fire", 0, FILE_("", SLOT), DATA(0, 0, 0, SLOT), FAILS_AS(COPY_PROTOCOL)),
		PLAY(COPY_PEER, "died", 0, FILE_("", SLOT), DATA(0, 0, 0, SLOT), DIES),
		PLAY(COPY_DEVICE, "ended with an error", 0, FILE_("", SLOT), DATA(0, 0, 0, SLOT)),
	};

	for (size_t i = 0; i < sizeof(plays) / sizeof(plays[0]); i++) {
		copy_fake_fails = 1;
		copy_pull_expect(&plays[i]);
	}
	copy_fake_fails = 0;
}

TEST_GROUP(copy_pull_set_up, copy_pull_tear_down)
