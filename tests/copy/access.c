/* SPDX-License-Identifier: BSD-2-Clause */
/* Proves: a key may read and write exactly what the list grants it, for as long as it grants it. */
#include "tests/test.h"
#include <stdio.h>
#include <fcntl.h>
#include <time.h>
#include <unistd.h>
#include <sys/stat.h>

#include "source/resolve.h"
#include "wire/access.h"

static char work[] = "copy_access.XXXXXX";
static int at, root;

static void put(const char *name, const char *text, mode_t mode)
{
	int fd = openat(at, name, O_CREAT | O_WRONLY | O_TRUNC, mode);

	assert_int_equal(write(fd, text, strlen(text)), (ssize_t)strlen(text));
	assert_int_equal(fchmod(fd, mode), 0);
	close(fd);
}

static int set_up(UNUSED void **state)
{
	if (!mkdtemp(work))
		return -1;
	at = open(work, O_RDONLY | O_DIRECTORY);
	mkdirat(at, "root", 0700);
	root = openat(at, "root", O_PATH | O_DIRECTORY);
	mkdirat(root, "images", 0700);
	mkdirat(root, "images/new ones", 0700);
	mkdirat(root, "secret", 0700);
	symlinkat("../secret", root, "images/leak");
	put("root/secret/file", "x", 0600);
	put("ops.key", "0123456789abcdef-ops", 0600);
	put("web.key", "0123456789abcdef-web", 0600);
	put("up.key", "0123456789abcdef-up", 0600);
	return 0;
}

static int tear_down(UNUSED void **state)
{
	char cmd[64];

	close(root);
	close(at);
	snprintf(cmd, sizeof(cmd), "rm -rf %s", work);
	return system(cmd);
}

static struct access *list(const char *text, struct copy_fault *f)
{
	struct access *a = NULL;
	char path[64];

	put("list", text, 0644);
	snprintf(path, sizeof(path), "%s/list", work);
	*f = (struct copy_fault){0};
	if (access_load(&a, path, root, f))
		return NULL;
	return a;
}

/* Finds the key by its id, as the handshake does. */
static const struct key *who(const struct access *a, const char *text)
{
	struct key_ring ring = access_ring(a);
	struct key k = {.n = strlen(text)};
	char id[KEY_ID];

	memcpy(k.bytes, text, k.n);
	key_id(&k, id);
	return ring.find(ring.keys, id);
}

static struct copy_bytes bytes(const char *s)
{
	return (struct copy_bytes){(const uint8_t *)s, (uint32_t)strlen(s)};
}

/* Returns the rest of the path that this key may use, or the code of the refusal as "-N". */
static const char *leads(const struct access *a, const struct key *k, bool write, const char *path)
{
	static char got[64];
	struct access_place p;
	struct copy_fault f = {0};

	if (access_find(a, k, write, bytes(path), &p, &f))
		snprintf(got, sizeof(got), "-%d", f.code);
	else
		snprintf(got, sizeof(got), "%.*s", (int)p.rest.n, (const char *)p.rest.p);
	return got;
}

#define REFUSED "-7"

TEST(none, rights)
{
	struct copy_fault f;
	struct access *a =
		list("# who may what\n\nkey ops ops.key\nkey web web.key\n"
		     "key up up.key\nread ops\nwrite up images/new ones\r\n  read\tweb  images/\n",
		     &f);
	const struct key *ops, *web, *up;

	assert_non_null(a);
	ops = who(a, "0123456789abcdef-ops");
	web = who(a, "0123456789abcdef-web");
	up = who(a, "0123456789abcdef-up");
	assert_null(who(a, "0123456789abcdef-nobody"));
	assert_string_equal(access_key_name(a, ops), "ops");
	assert_string_equal(access_key_name(a, web), "web");

	assert_string_equal(leads(a, ops, false, ""), "");
	assert_string_equal(leads(a, ops, false, "secret/file"), "secret/file");
	assert_string_equal(leads(a, ops, false, "/"), "");
	assert_string_equal(leads(a, ops, false, "/secret/file"), REFUSED);
	assert_string_equal(leads(a, ops, true, "secret/file"), REFUSED);
	assert_string_equal(leads(a, ops, true, "images/new ones"), REFUSED);
	assert_string_equal(leads(a, up, true, "images"), REFUSED);
	assert_string_equal(leads(a, up, false, "images"), REFUSED);
	assert_string_equal(leads(a, up, true, "./images//new ones/a/b/"), "a/b/");
	assert_string_equal(leads(a, up, true, "images/new ones/../../secret"), "../../secret");
	assert_string_equal(leads(a, up, true, "images/new ones2"), REFUSED);

	assert_string_equal(leads(a, web, false, "images"), "");
	assert_string_equal(leads(a, web, false, "images/x"), "x");
	assert_string_equal(leads(a, web, true, "images/x"), REFUSED);
	assert_string_equal(leads(a, web, false, ""), REFUSED);
	assert_string_equal(leads(a, web, false, "."), REFUSED);
	assert_string_equal(leads(a, web, false, "secret/../images"), REFUSED);
	assert_string_equal(leads(a, web, false, "image"), REFUSED);
	assert_string_equal(leads(a, web, false, "imagesx/y"), REFUSED);
	access_free(a);
}

/* A symbolic link inside a key's directory does not lead out of it. */
TEST(none, links)
{
	struct copy_fault f;
	struct access *a = list("key web web.key\nread web images\n", &f);
	struct access_place p;
	struct source_entry e;

	assert_non_null(a);
	assert_int_equal(access_find(a, who(a, "0123456789abcdef-web"), false,
				     bytes("images/leak/file"), &p, &f),
			 0);
	assert_int_equal(source_resolve(&e, p.dir, p.rest.p, p.rest.n, &f), -1);
	assert_int_equal(f.code, COPY_REFUSED);
	access_free(a);
}

TEST(none, dates)
{
	char text[200], soon[32];
	struct copy_fault f;
	struct access *a;
	struct tm day;
	time_t now = time(NULL);

	gmtime_r(&now, &day);
	strftime(soon, sizeof(soon), "%Y-%m-%d", &day);
	snprintf(text, sizeof(text),
		 "key ops ops.key until %s\nread ops\nkey web web.key until 2026-01-31T23:59\nread "
		 "web\n",
		 soon);
	a = list(text, &f);
	assert_non_null(a);
	assert_int_equal(access_check(a, who(a, "0123456789abcdef-ops"), &f), 0);
	assert_int_equal(access_check(a, who(a, "0123456789abcdef-web"), &f), -1);
	assert_int_equal(f.code, COPY_AUTH);
	assert_non_null(strstr(f.text, "key web is no longer valid"));
	assert_string_equal(leads(a, who(a, "0123456789abcdef-web"), false, ""), "-11");
	access_free(a);
}

TEST(none, bad_lists)
{
	static const struct {
		const char *text, *words;
	} bad[] = {
		{"", "has no key"},
		{"key ops\n", "list:1: it is: key NAME FILE"},
		{"\nkey ops ops.key til 2030-01-01\n", "list:2: it is: key NAME FILE"},
		{"key ops ops.key until 2030-13-01\n", "a date is"},
		{"key ops ops.key until 2030-01-01x\n", "a date is"},
		{"key o/s ops.key\n", "a name is"},
		{"key ops none.key\n", "none.key"},
		{"key ops ops.key\nkey ops web.key\n", "list:2: there is a key of this name"},
		{"key ops ops.key\nkey web ops.key\n", "same as that of ops"},
		{"read ops\nkey ops ops.key\n", "list:1: there is no key"},
		{"key ops ops.key\nread ops nowhere\n", "list:2: nowhere: No such file"},
		{"key ops ops.key\nwrite ops ..\n", "list:2: .."},
		/* the rights below one of them would depend on where a copy begins */
		{"key ops ops.key\nwrite ops images\nread ops images/new ones\n",
		 "list:3: a key has one directory and one mode"},
		{"key ops ops.key\nread ops\nwrite ops images\n", "list:3: a key has one"},
		{"key ops ops.key\nread ops images\nread ops secret\n", "list:3: a key has one"},
		{"key ops ops.key\nread ops\nwrite ops\n", "list:3: a key has one"},
		{"allow ops\n", "begins with key, read or write"},
	};
	struct copy_fault f;

	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
		if (list(bad[i].text, &f))
			fail_msg("\"%s\" was taken", bad[i].text);
		if (!strstr(f.text, bad[i].words))
			fail_msg("\"%s\" instead of \"%s\"", f.text, bad[i].words);
	}
}

/*
 * A line with a zero byte is refused: a right for "images/a" must not become one for all of images.
 */
TEST(none, bytes_of_zero)
{
	static const char text[] = "key ops ops.key\nwrite ops images\0/a\n";
	struct copy_fault f = {0};
	struct access *a;
	char path[64];
	FILE *out;

	put("list", "", 0644);
	snprintf(path, sizeof(path), "%s/list", work);
	out = fopen(path, "w");
	assert_int_equal(fwrite(text, sizeof(text) - 1, 1, out), 1);
	fclose(out);
	assert_int_equal(access_load(&a, path, root, &f), -1);
	assert_non_null(strstr(f.text, "list:2: a byte of zero"));
}

TEST(none, list_of_others)
{
	struct copy_fault f = {0};
	struct access *a;
	char path[64];

	put("list", "key ops ops.key\n", 0664);
	snprintf(path, sizeof(path), "%s/list", work);
	assert_int_equal(access_load(&a, path, root, &f), -1);
	assert_non_null(strstr(f.text, "can be written by others"));
}

/* A later list must not grant more than the first one, which the kernel confines the server to. */
TEST(none, lists_within_the_first)
{
	static const struct {
		const char *text;
		int within;
	} later[] = {{"key web web.key\nwrite web images\n", 0},
		     {"key web web.key\nread web secret\n", 0},
		     {"key web web.key\nwrite web secret\n", -1},
		     {"key web web.key\nread web\n", -1}};
	const char *const first =
		"key ops ops.key\nwrite ops images\nkey web web.key\nread web secret\n";
	struct copy_fault f;
	struct access *a = list(first, &f);

	assert_non_null(a);
	for (size_t i = 0; i < sizeof(later) / sizeof(later[0]); i++) {
		struct access *b = list(later[i].text, &f);

		assert_non_null(b);
		assert_int_equal(access_within(b, a, &f), later[i].within);
		assert_int_equal(f.code, later[i].within ? COPY_REFUSED : COPY_OK);
		access_free(b);
	}
	access_free(a);
}

TEST_GROUP(set_up, tear_down)
