/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Proves: --exclude and --include leave out exactly what rsync leaves out, for random trees and
 * patterns.
 */
#include "tests/test.h"

#include <dirent.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/filter.h"

#define CASES	 2000u
#define COMMANDS 10u

static uint64_t seed;

/* Returns a random number from 0 to n - 1 (splitmix64). */
static unsigned int dice(unsigned int n)
{
	uint64_t x = seed += 0x9e3779b97f4a7c15u;

	x = (x ^ x >> 30) * 0xbf58476d1ce4e5b9u;
	x = (x ^ x >> 27) * 0x94d049bb133111ebu;
	return (unsigned int)((x ^ x >> 31) % n);
}

static char *some(char *to, const char *const *from, unsigned int n)
{
	return stpcpy(to, from[dice(n)]);
}
#define SOME(to, ...)                                \
	some(to, (const char *const[]){__VA_ARGS__}, \
	     sizeof((const char *const[]){__VA_ARGS__}) / sizeof(char *))

static void make_name(char *to)
{
	for (unsigned int n = 1 + dice(3); n; n--)
		to = SOME(to, "a", "a", "b", "b", "c", "A", "1", ".", "-", "*", "[", "]", "\\", "?",
			  "!", "\xe9", " ");
	if (to[-1] == '.') /* not "." or ".." */
		strcpy(to, "a");
}

static void make_tree(const char *dir, unsigned int depth)
{
	char path[PATH_MAX], name[16];

	for (unsigned int n = 1 + dice(4); n; n--) {
		make_name(name);
		snprintf(path, sizeof(path), "%s/%s", dir, name);
		if (depth && dice(2)) {
			if (!mkdir(path, 0700))
				make_tree(path, depth - 1);
		} else {
			close(open(path, O_CREAT | O_WRONLY, 0600));
		}
	}
}

static char *make_class(char *to)
{
	to = SOME(stpcpy(to, "["), "", "", "!", "^", "]", "-", "!]");
	for (unsigned int n = 1 + dice(3); n; n--)
		to = SOME(to, "a", "b", "a-b", "A-c", "c-a", "\\]", "\\\\", "-", "*", "[:alpha:]",
			  "[:digit:]", "[:upper:]", "[:punct:]", "[:nope:]", "[:alpha", "[:", "/",
			  "a-\\b", "\xe9");
	return SOME(to, "]", "]", "]", "]", "]", "]", "");
}

static void make_pattern(char *to)
{
	to = SOME(to, "", "", "", "/", "/", "**/", "*/");
	for (unsigned int n = 1 + dice(4); n; n--) {
		to = SOME(to, "a", "b", "c", "a", "b", "A", "1", ".", "*", "*", "**", "?", "?", "/",
			  "/", "/**/", "\\*", "\\?", "\\[", "\\a", "\\\\", "***", "[", "]", "-",
			  "#", "\xe9", " ");
		if (!dice(4))
			to = make_class(to);
	}
	SOME(to, "", "", "", "/", "/", "/***", "/**", "/*", "**", "//");
}

static void list(struct filter *f, const char *dir, const char *rel, FILE *to)
{
	struct dirent *d;
	char path[PATH_MAX], below[PATH_MAX];
	DIR *at;

	snprintf(path, sizeof(path), "%s/%s", dir, rel);
	at = opendir(path);
	assert_non_null(at);
	while ((d = readdir(at))) {
		bool is_dir = d->d_type == DT_DIR;

		if (!strcmp(d->d_name, ".") || !strcmp(d->d_name, ".."))
			continue;
		snprintf(below, sizeof(below), "%s%s%s", rel, *rel ? "/" : "", d->d_name);
		if (filter_hides(f, below, is_dir))
			continue;
		fprintf(to, "%s%s\n", below, is_dir ? "/" : "");
		if (is_dir)
			list(f, dir, below, to);
	}
	closedir(at);
}

static void run(const char *command)
{
	if (system(command))
		fail_msg("%s", command);
}

static void need_rsync(void)
{
	if (!system("command -v rsync >/dev/null"))
		return;
	print_message("# rsync is not installed\n");
	skip();
}

static char dir[] = "copy_filter.XXXXXX";

/* Shows the differences between what dvx-copy and rsync print. */
static void compare(const char *what)
{
	run("LC_ALL=C sort ours >ours.s; LC_ALL=C sort theirs | grep -avxF ./ >theirs.s || :");
	if (!system("cmp -s theirs.s ours.s"))
		return;
	run("diff -a theirs.s ours.s | head -40 >&2");
	fail_msg("%s", what);
}

static int set_up(UNUSED void **state)
{
	return !mkdtemp(dir) || chdir(dir);
}

static int tear_down(UNUSED void **state)
{
	char command[64];

	snprintf(command, sizeof(command), "rm -rf %s", dir);
	return chdir("..") || system(command);
}

TEST_GROUP(set_up, tear_down)

/* Adds a rule of one directory, in which a leading slash means this directory. */
static void rule_here(struct filter *f, FILE *rules, const char *here)
{
	struct copy_fault fault = {0};
	char pattern[256], tied[512];
	bool include = !dice(3);

	make_pattern(pattern);
	if (!*pattern)
		return;
	fprintf(rules, "%c %s\n", include ? '+' : '-', pattern);
	snprintf(tied, sizeof(tied), "%c %s%s%s", include ? '+' : '-', *pattern == '/' ? "/" : "",
		 *pattern == '/' ? here : "", pattern);
	assert_int_equal(filter_add(f, tied, false, &fault), 0);
}

static void make_case(const char *here, FILE *ours)
{
	struct filter f = {0};
	char path[64];
	FILE *rules;

	snprintf(path, sizeof(path), "all/%s", here);
	mkdir(path, 0700);
	make_tree(path, 2);
	snprintf(path, sizeof(path), "all/%s/.rules", here);
	rules = fopen(path, "w");
	assert_non_null(rules);
	for (unsigned int n = 1 + dice(4); n; n--)
		rule_here(&f, rules, here);
	fclose(rules);
	fprintf(ours, "%s/\n", here);
	list(&f, "all", here, ours);
	filter_free(&f);
}

/* All cases in one run: rsync reads each directory's rules from a file in it. */
TEST(none, as_rsync_for_random_trees)
{
	FILE *ours;
	char here[16];

	need_rsync();
	ours = fopen("ours", "w");
	assert_non_null(ours);
	mkdir("all", 0700);
	for (unsigned int i = 0; i < (getenv("DVX_TEST_LONG") ? CASES : CASES / 5); i++) {
		seed = i;
		snprintf(here, sizeof(here), "%u", i);
		make_case(here, ours);
	}
	fclose(ours);
	run("rsync -rn8 --out-format=%n -f ': .rules' all/ nowhere/ >theirs");
	compare("directories are the cases, their .rules the rules");
}

/* Writes a file of rules with every kind of line. */
static void rules_file(const char *name)
{
	static const char *const before[] = {"", "", "", "+ ", "- ", "#", ";"};
	FILE *f = fopen(name, "w");
	char pattern[256];

	assert_non_null(f);
	for (unsigned int n = dice(5); n; n--) {
		make_pattern(pattern);
		if (*pattern)
			fprintf(f, "%s%s\n", before[dice(7)], pattern);
		if (!dice(6))
			fputs("\n!\n", f);
	}
	fclose(f);
}

static char *option(struct filter *f, char *to, unsigned int i)
{
	struct copy_fault fault = {0};
	char pattern[256], *p = pattern;
	bool include = !dice(3);

	if (dice(3)) {
		p = SOME(p, "", "", "", "+ ", "- ");
		make_pattern(p);
		if (!*p)
			return to;
		assert_int_equal(filter_add(f, pattern, include, &fault), 0);
		return to + sprintf(to, " '--%s=%s'", include ? "include" : "exclude", pattern);
	}
	sprintf(pattern, "rules.%u", i);
	rules_file(pattern);
	assert_int_equal(filter_add_file(f, pattern, include, &fault), 0);
	return to + sprintf(to, " --%s-from=%s", include ? "include" : "exclude", pattern);
}

/*
 * Rules from the command line, and the same rules after their way to the other end, match as in
 * rsync.
 */
TEST(none, as_rsync_on_the_command_line)
{
	struct copy_fault fault = {0};
	char command[4096], *to;

	need_rsync();
	seed = CASES;
	mkdir("tree", 0700);
	make_tree("tree", 4);
	for (unsigned int i = 0; i < COMMANDS; i++) {
		struct filter f = {0}, far = {0};
		FILE *ours = fopen("ours", "w");

		assert_non_null(ours);
		to = stpcpy(command, "rsync -rn8 --out-format=%n");
		for (unsigned int n = 1 + dice(4); n; n--)
			to = option(&f, to, n);
		strcpy(to, " tree/ nowhere/ >theirs");
		for (size_t r = 0; filter_text(&f, r); r++)
			assert_int_equal(filter_add(&far, filter_text(&f, r), false, &fault), 0);
		list(&far, "tree", "", ours);
		fclose(ours);
		run(command);
		compare(command);
		filter_free(&f);
		filter_free(&far);
	}
}

TEST(none, mistakes_are_told)
{
	static char endless[FILTER_PATTERN_MAX + 1];
	struct copy_fault fault = {0};
	struct filter f = {0};

	assert_int_equal(filter_add(&f, "+ ", false, &fault), -1);
	assert_string_equal(fault.text, "--include: the pattern is empty");
	fault.code = 0;
	memset(endless, '*', FILTER_PATTERN_MAX);
	assert_int_equal(filter_add(&f, endless, false, &fault), -1);
	fault.code = 0;
	assert_int_equal(filter_add_file(&f, "no such file", false, &fault), -1);
	assert_string_equal(fault.text, "no such file: No such file or directory");
	fault.code = 0;
	/* the most that may be sent to the other end */
	for (unsigned int i = 0; i < FILTER_RULES_MAX; i++)
		assert_int_equal(filter_add(&f, "x", false, &fault), 0);
	assert_int_equal(filter_add(&f, "x", false, &fault), -1);
	assert_string_equal(fault.text, "more than 16384 rules to include and exclude");
	filter_free(&f);
}

/* A file with zero bytes, as rsync's -0 reads, is refused: no pattern may be dropped silently. */
TEST(none, bytes_of_zero)
{
	static const char text[] = "cache\0secret\0";
	char name[] = "/tmp/dvx-filter.XXXXXX";
	struct copy_fault fault = {0};
	struct filter f = {0};
	int fd = mkstemp(name);

	assert_int_equal(write(fd, text, sizeof(text) - 1), sizeof(text) - 1);
	close(fd);
	assert_int_equal(filter_add_file(&f, name, false, &fault), -1);
	unlink(name);
	assert_string_equal(fault.text, "--exclude-from: a byte of zero; each pattern is a line");
	filter_free(&f);
}

/* A peer's pattern must not keep this end busy for long. */
TEST(none, hostile_patterns_end)
{
	static char pattern[2048], name[2048];
	struct copy_fault fault = {0};
	struct filter f = {0};

	for (unsigned int i = 0; i + 4 < sizeof(pattern); i += 3)
		memcpy(pattern + i, i % 2 ? "**a" : "*aa", 4);
	strcat(pattern, "b");
	memset(name, 'a', sizeof(name) - 1);
	for (unsigned int i = 0; i < 8; i++)
		name[255 * (i + 1)] = '/';
	assert_int_equal(filter_add(&f, pattern, false, &fault), 0);
	assert_false(filter_hides(&f, name, false));
	filter_free(&f);
}
