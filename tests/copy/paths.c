/* SPDX-License-Identifier: BSD-2-Clause */
/* Proves: no path of a client leaves the root, and sources are resolved as in the manual. */
#include "tests/test.h"
#include <errno.h>
#include <stdio.h>
#include <fcntl.h>
#include <unistd.h>
#include <sys/resource.h>
#include <sys/stat.h>

#include "dest/dest.h"
#include "wire/net.h"
#include "base/path.h"
#include "source/resolve.h"

static char dir[] = "copy_paths.XXXXXX";
static int root;

static int set_up(UNUSED void **state)
{
	if (!mkdtemp(dir))
		return -1;
	root = open(dir, O_RDONLY | O_DIRECTORY);
	mkdirat(root, "a", 0700);
	mkdirat(root, "a/b", 0700);
	close(openat(root, "a/b/file", O_CREAT | O_WRONLY, 0600));
	symlinkat("a", root, "inside");
	symlinkat("/etc", root, "absolute");
	symlinkat("../..", root, "a/up");
	symlinkat("/proc/self/root", root, "magic");
	return 0;
}

static int tear_down(UNUSED void **state)
{
	static const char *const all[] = {"a/b/file", "a/up", "inside", "absolute", "magic"};

	for (size_t i = 0; i < sizeof(all) / sizeof(all[0]); i++)
		unlinkat(root, all[i], 0);
	unlinkat(root, "a/b", AT_REMOVEDIR);
	unlinkat(root, "a", AT_REMOVEDIR);
	close(root);
	return rmdir(dir);
}

static int resolve(const char *path, struct copy_fault *f)
{
	struct source_entry e;
	int ret;

	*f = (struct copy_fault){0};
	ret = source_resolve(&e, root, (const uint8_t *)path, strlen(path), f);
	source_close(&e);
	return ret;
}

TEST(none, good_paths)
{
	static const char *const good[] = {"",
					   ".",
					   "/",
					   "./",
					   "a",
					   "a/",
					   "a/.",
					   "a/b",
					   "./a/b/file",
					   "a//b/./file",
					   "inside/b/file",
					   "inside",
					   "absolute",
					   "a/up"};
	struct copy_fault f;

	for (size_t i = 0; i < sizeof(good) / sizeof(good[0]); i++)
		if (resolve(good[i], &f))
			fail_msg("%s: %s", good[i], f.text);
}

TEST(none, bad_paths)
{
	static const struct {
		const char *path;
		int code;
	} bad[] = {
		{"..", COPY_REFUSED},
		{"../x", COPY_REFUSED},
		{"a/../../x", COPY_REFUSED},
		{"a/b/..", COPY_REFUSED},
		{"/etc/passwd", COPY_REFUSED},
		{"//etc", COPY_REFUSED},
		{"absolute/passwd", COPY_REFUSED},
		{"a/up/x", COPY_REFUSED},
		{"inside/up/x", COPY_REFUSED},
		{"magic/etc/passwd", COPY_REFUSED},
		{"nothing", COPY_IO},
		{"a/b/file/x", COPY_IO},
	};
	struct copy_fault f;

	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
		if (!resolve(bad[i].path, &f))
			fail_msg("%s was taken", bad[i].path);
		if (f.code != bad[i].code)
			fail_msg("%s: %s", bad[i].path, f.text);
	}
}

static int count_match(void *arg, UNUSED const uint8_t *path, UNUSED size_t len)
{
	++*(unsigned int *)arg;
	return 0;
}

static unsigned int matches(const char *pattern)
{
	struct copy_fault f = {0};
	unsigned int n = 0;

	source_match(root, (const uint8_t *)pattern, strlen(pattern), count_match, &n, &f);
	assert_int_equal(f.code, 0);
	return n;
}

/* A client's pattern is a shell's: only a dot matches a dot in front. */
TEST(none, patterns)
{
	static const char hidden[] = "a/b/.hidden";

	close(openat(root, hidden, O_CREAT | O_WRONLY, 0600));
	assert_int_equal(matches("a/*/f[h-j]l?"), 1);
	assert_int_equal(matches("a/b/*"), 1);
	assert_int_equal(matches("a/b/?hidden"), 0);
	assert_int_equal(matches("a/b/[.]hidden"), 0);
	assert_int_equal(matches("a/b/.*"), 1);
	assert_int_equal(matches("a/b/\\.h*"), 1);
	unlinkat(root, hidden, 0);
}

/* A directory that can't be opened is not one without matches: --delete would delete its copy. */
TEST(none, patterns_need_descriptors)
{
	static const char *const all[] = {"a/*/file", "*/b/file"};
	const int next = dup(root);
	struct rlimit usual, few;

	close(next);
	assert_int_equal(getrlimit(RLIMIT_NOFILE, &usual), 0);
	few = usual;
	for (unsigned int i = 0; i < 4; i++) {
		struct copy_fault f = {0};
		unsigned int n = 0;
		int bad;

		few.rlim_cur = (rlim_t)next + i / 2;
		assert_int_equal(setrlimit(RLIMIT_NOFILE, &few), 0);
		bad = source_match(root, (const uint8_t *)all[i % 2], strlen(all[i % 2]),
				   count_match, &n, &f);
		assert_int_equal(setrlimit(RLIMIT_NOFILE, &usual), 0);
		assert_int_equal(bad, -1);
		assert_int_equal(f.code, COPY_IO);
		assert_non_null(strstr(f.text, strerror(EMFILE)));
		assert_int_equal(n, 0);
	}
}

TEST(none, zero_byte)
{
	struct copy_fault f = {0};
	struct source_entry e;

	assert_int_equal(source_resolve(&e, root, (const uint8_t *)"a\0b", 3, &f), -1);
	assert_int_equal(f.code, COPY_REFUSED);
}

/* Without openat2() no link is followed at all, so a path never leads further than with it. */
TEST(none, step_by_step)
{
	static const char *const bad[] = {"inside/b", "absolute", "a/up",    "magic/etc",
					  "a/b/file", "..",	  "a/../..", "a/b/../.."};
	int fd = beneath_open_steps(root, "a//b/", O_PATH | O_DIRECTORY);

	assert_true(fd >= 0);
	close(fd);
	fd = beneath_open_steps(root, ".", O_PATH | O_DIRECTORY);
	assert_true(fd >= 0);
	close(fd);
	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++)
		assert_int_equal(beneath_open_steps(root, bad[i], O_PATH | O_DIRECTORY), -1);
}

static int name_ok(const char *name, size_t n)
{
	return dest_name_ok((struct copy_bytes){(const uint8_t *)name, (uint32_t)n});
}

TEST(none, names_of_a_sender)
{
	char longest[256];

	memset(longest, 'x', sizeof(longest));
	assert_true(name_ok("a", 1) && name_ok("...", 3) && name_ok("\n\xff", 2) &&
		    name_ok(longest, 255));
	assert_false(name_ok("", 0) || name_ok(".", 1) || name_ok("..", 2) || name_ok("a/b", 3) ||
		     name_ok("/", 1) || name_ok("a\0b", 3) || name_ok(longest, 256));
}

static void source(const char *arg, const char *host, const char *port, const char *path,
		   const char *base)
{
	struct copy_fault f = {0};
	struct copy_target t;

	if (target_parse(&t, arg, &f))
		fail_msg("%s", f.text);
	assert_string_equal(t.host, host);
	assert_string_equal(t.port, port);
	assert_string_equal(t.path, path);
	assert_string_equal(t.base, base);
}

TEST(none, sources)
{
	static const char *const bad[] = {"host",     "",	   ":x",	"[::1",
					  "[::1]x:y", "h:99999:x", "h:123456:x"};
	struct copy_fault f = {0};
	struct copy_target t;

	source("host:a/b", "host", TARGET_PORT, "a/b", "b");
	source("host:77:a/b/", "host", "77", "a/b/", "b");
	source("10.0.0.1:0:", "10.0.0.1", "0", "", "");
	source("h:1:/", "h", "1", "/", "");
	source("h:.", "h", TARGET_PORT, ".", "");
	source("h:a/.", "h", TARGET_PORT, "a/.", "");
	source("h:123", "h", TARGET_PORT, "123", "123");
	source("h:./1:x", "h", TARGET_PORT, "./1:x", "1:x");
	source("h:a:b", "h", TARGET_PORT, "a:b", "a:b");
	source("[fe80::1]:9:x", "fe80::1", "9", "x", "x");
	source("[::1]:x", "::1", TARGET_PORT, "x", "x");
	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
		f.code = 0;
		if (!target_parse(&t, bad[i], &f))
			fail_msg("\"%s\" was taken", bad[i]);
		assert_int_equal(f.code, COPY_USAGE);
	}
}

TEST_GROUP(set_up, tear_down)
