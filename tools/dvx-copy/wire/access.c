/* SPDX-License-Identifier: BSD-2-Clause */
#include "access.h"

#include <string.h>
#include <time.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/path.h"

struct access_key {
	struct key key; /* first: access_key_of() */
	struct access_key *next;
	char *path;   /* its directory, from the root, as the list has it; NULL: none */
	int dir;      /* its directory; -1: none */
	bool write;   /* implies read */
	time_t until; /* 0: for ever */
	char id[KEY_ID], name[64];
};

struct access {
	struct access_key *keys; /* at least one */
	int root;
	unsigned int refs;
};

/* --- lists --- */

/* The state of reading a list. */
struct access_reader {
	struct access *a;
	const char *list;
	unsigned int line;
	struct copy_fault *f;
};

static int access_wrong(struct access_reader *r, const char *what, const char *which)
{
	return copy_fail(r->f, COPY_USAGE, "%s:%u: %s%s", r->list, r->line, what, which);
}

/* Returns the entry of a key from access_ring(); without a key, the only entry. */
static const struct access_key *access_key_of(const struct access *a, const struct key *who)
{
	for (const struct access_key *k = a->keys; k; k = k->next)
		if (&k->key == who)
			return k;
	return a->keys;
}

static struct access_key *access_new_key(struct access *a, const char *name)
{
	struct access_key *k = calloc(1, sizeof(*k));

	if (!k)
		return NULL;
	snprintf(k->name, sizeof(k->name), "%s", name);
	k->dir = -1;
	k->next = a->keys;
	a->keys = k;
	return k;
}

/* Opens a key's directory. The administrator's links are followed, but not out of the root. */
static int access_set_dir(const struct access *a, struct access_key *k, const char *path,
			  bool write)
{
	k->write = write;
	k->path = strdup(path);
	k->dir = beneath_open(a->root, *path ? path : ".", O_PATH | O_DIRECTORY);
	return k->dir < 0 || !k->path ? -1 : 0;
}

static struct access *access_new(int root)
{
	struct access *a = calloc(1, sizeof(*a));

	if (a)
		*a = (struct access){.root = root, .refs = 1};
	return a;
}

int access_single(struct access **out, const struct key *key, int root, bool write,
		  struct copy_fault *f)
{
	struct access *a = access_new(root);
	struct access_key *k = a ? access_new_key(a, "") : NULL;

	if (!k || access_set_dir(a, k, "", write)) {
		access_free(a);
		return copy_fail(f, COPY_IO, "the served directory: %s", strerror(errno));
	}
	k->key = *key;
	key_id(&k->key, k->id);
	*out = a;
	return 0;
}

struct access *access_hold(struct access *a)
{
	__atomic_add_fetch(&a->refs, 1, __ATOMIC_RELAXED);
	return a;
}

void access_free(struct access *a)
{
	if (a && __atomic_sub_fetch(&a->refs, 1, __ATOMIC_ACQ_REL))
		return;
	while (a && a->keys) {
		struct access_key *k = a->keys;

		if (k->dir >= 0)
			close(k->dir);
		free(k->path);
		a->keys = k->next;
		key_wipe(&k->key);
		free(k);
	}
	free(a);
}

static struct access_key *access_named(struct access *a, const char *name)
{
	for (struct access_key *k = a->keys; k; k = k->next)
		if (!strcmp(k->name, name))
			return k;
	return NULL;
}

/* Parses a time. A date alone means the end of that day. */
static int access_until(struct access_reader *r, const char *s, time_t *until)
{
	struct tm t = {0};
	const char *end = strptime(s, "%Y-%m-%d", &t);
	bool day = end && !*end;

	if (end && !day)
		end = strptime(s, "%Y-%m-%dT%H:%M", &t);
	if (!end || *end)
		return access_wrong(r, "a date is YYYY-MM-DD or YYYY-MM-DDTHH:MM (UTC), not ", s);
	*until = timegm(&t) + (day ? 86400 : 0);
	return 0;
}

/* Loads a key. A relative file name starts from the list's directory. */
static int access_load_key(struct access_reader *r, struct access_key *k, const char *file)
{
	const char *slash = *file == '/' ? NULL : strrchr(r->list, '/');
	char path[PATH_MAX];
	int n = snprintf(path, sizeof(path), "%.*s%s", slash ? (int)(slash - r->list) + 1 : 0,
			 r->list, file);

	if (n >= (int)sizeof(path))
		return access_wrong(r, "this name is too long: ", file);
	if (key_load(&k->key, path, r->f))
		return -1;
	key_id(&k->key, k->id);
	for (struct access_key *o = r->a->keys; o; o = o->next)
		if (o != k && !strcmp(o->id, k->id))
			return access_wrong(r, "this key is the same as that of ", o->name);
	return 0;
}

/* key NAME FILE [until DATE] */
static int access_read_key(struct access_reader *r, const char *name, char *rest)
{
	const char *file = strtok(rest, " \t"), *until = strtok(NULL, " \t");
	const char *date = strtok(NULL, " \t");
	struct access_key *k;

	if (!file || (until && (strcmp(until, "until") || !date)) || strtok(NULL, " \t"))
		return access_wrong(r, "it is: key NAME FILE [until DATE]", "");
	if (access_named(r->a, name))
		return access_wrong(r, "there is a key of this name already: ", name);
	k = access_new_key(r->a, name);
	if (!k)
		return copy_no_memory(r->f);
	return access_load_key(r, k, file) || (date && access_until(r, date, &k->until)) ? -1 : 0;
}

/* read NAME [DIR], write NAME [DIR] */
static int access_read_right(struct access_reader *r, const char *name, const char *dir, bool write)
{
	struct access_key *k = access_named(r->a, name);

	if (!k)
		return access_wrong(r, "there is no key of this name above: ", name);
	if (k->path)
		return access_wrong(r,
				    "a key has one directory and one mode (give another key for "
				    "others); it is there already for ",
				    name);
	if (access_set_dir(r->a, k, dir, write))
		return copy_fail(r->f, COPY_USAGE, "%s:%u: %s: %s", r->list, r->line, dir,
				 strerror(errno));
	return 0;
}

static bool access_name_ok(const char *name)
{
	static const char good[] =
		"abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789._-";

	return *name && strlen(name) < 64 && !name[strspn(name, good)];
}

/* Cuts the next word off *rest. */
static const char *access_word(char **rest)
{
	char *word = *rest + strspn(*rest, " \t");
	char *end = word + strcspn(word, " \t");

	*rest = *end ? end + 1 + strspn(end + 1, " \t") : end;
	*end = '\0';
	return word;
}

static int access_read_line(struct access_reader *r, char *line)
{
	const char *word, *name;

	line[strcspn(line, "\r\n")] = '\0';
	word = access_word(&line);
	if (!*word || *word == '#')
		return 0;
	name = access_word(&line);
	if (!access_name_ok(name))
		return access_wrong(
			r, "a name is 1 to 63 letters, digits, \".\", \"_\" or \"-\", not ", name);
	if (!strcmp(word, "key"))
		return access_read_key(r, name, line);
	if (!strcmp(word, "read") || !strcmp(word, "write"))
		return access_read_right(r, name, line, *word == 'w');
	return access_wrong(r, "a line begins with key, read or write, not ", word);
}

static int access_read_all(struct access_reader *r, FILE *in)
{
	char *line = NULL;
	size_t room = 0;
	ssize_t n;
	int bad = 0;

	while (!bad && (n = getline(&line, &room, in)) >= 0) {
		r->line++;
		bad = strlen(line) == (size_t)n
			      ? access_read_line(r, line)
			      : access_wrong(r, "a byte of zero: the list is damaged", "");
	}
	free(line);
	if (!bad && ferror(in))
		return copy_fail(r->f, COPY_IO, "%s: %s", r->list, strerror(errno));
	if (!bad && !r->a->keys)
		return copy_fail(r->f, COPY_USAGE, "%s: has no key", r->list);
	return bad;
}

/* Checks the list's owner and mode: a user who can write to the list can grant any right. */
static int access_check_list(const char *list, FILE *in, struct copy_fault *f)
{
	struct stat st;

	if (fstat(fileno(in), &st))
		return copy_fail(f, COPY_IO, "%s: %s", list, strerror(errno));
	if (!S_ISREG(st.st_mode))
		return copy_fail(f, COPY_AUTH, "%s is not a regular file", list);
	if (st.st_mode & 022 || (st.st_uid != geteuid() && st.st_uid != 0))
		return copy_fail(f, COPY_AUTH, "%s can be written by others (mode %04o)", list,
				 st.st_mode & 07777u);
	return 0;
}

int access_load(struct access **out, const char *list, int root, struct copy_fault *f)
{
	struct access_reader r = {.a = access_new(root), .list = list, .f = f};
	FILE *in = fopen(list, "re");
	int bad;

	if (!r.a || !in) {
		bad = copy_fail(f, COPY_IO, "%s: %s", list, strerror(errno));
	} else {
		bad = access_check_list(list, in, f) || access_read_all(&r, in);
	}
	if (in)
		fclose(in);
	if (bad) {
		access_free(r.a);
		return -1;
	}
	*out = r.a;
	return 0;
}

/* Takes the next component off a path that is not ".". */
static const char *access_part(const char **path, size_t *n)
{
	const char *part;

	do
		part = path_part(path, n);
	while (part && *n == 1 && *part == '.');
	return part;
}

/* Returns the rest of the path beneath dir, or NULL if the path is not beneath it. */
static const char *access_beneath(const char *dir, const char *path)
{
	for (;;) {
		size_t n, m;
		const char *want = access_part(&dir, &n), *part = access_part(&path, &m);

		if (!want)
			return part ? part : path;
		if (!part || n != m || memcmp(want, part, n))
			return NULL;
	}
}

static int access_refuse(const struct access_key *k, bool write, struct copy_bytes path,
			 struct copy_fault *f)
{
	const char *what = write ? "write" : "read";

	if (!*k->name)
		return copy_fail(f, COPY_REFUSED,
				 "this server is read-only: serve --writable admits push");
	return copy_fail(f, COPY_REFUSED, "key %s may not %s %s", k->name, what,
			 path.n ? QUOTED(path.p, path.n) : "all that is served");
}

int access_check(const struct access *a, const struct key *who, struct copy_fault *f)
{
	const struct access_key *k = access_key_of(a, who);

	if (!k->until || time(NULL) < k->until)
		return 0;
	return copy_fail(f, COPY_AUTH, "key %s is no longer valid", k->name);
}

/* "/" alone means the root, like ".", and is not refused. */
static bool access_is_absolute(const char *path)
{
	size_t n;

	return *path == '/' && access_part(&path, &n);
}

int access_find(const struct access *a, const struct key *who, bool write, struct copy_bytes path,
		struct access_place *out, struct copy_fault *f)
{
	const struct access_key *k = access_key_of(a, who);
	const char *p = path.n ? (const char *)path.p : "", *rest;

	if (access_check(a, who, f))
		return -1;
	if (access_is_absolute(p))
		return copy_fail(f, COPY_REFUSED,
				 "path %s is absolute; paths begin at the served directory",
				 QUOTED(path.p, path.n));
	rest = k->path ? access_beneath(k->path, p) : NULL;
	if (!rest || (write && !k->write))
		return access_refuse(k, write, path, f);
	out->dir = k->dir;
	out->rest = (struct copy_bytes){(const uint8_t *)rest, path.n - (uint32_t)(rest - p)};
	return 0;
}

bool access_has(const struct access *a, const struct access *other, const struct key *who)
{
	const struct access_key *k = access_key_of(other, who);

	for (const struct access_key *mine = a->keys; mine; mine = mine->next)
		if (!strcmp(mine->id, k->id))
			return true;
	return false;
}

static bool access_covers(const struct access *a, const struct access_key *other)
{
	for (const struct access_key *k = a->keys; k; k = k->next)
		if (k->path && access_beneath(k->path, other->path) && k->write >= other->write)
			return true;
	return false;
}

int access_within(const struct access *a, const struct access *other, struct copy_fault *f)
{
	for (const struct access_key *k = a->keys; k; k = k->next)
		if (k->path && !access_covers(other, k))
			return copy_fail(
				f, COPY_REFUSED,
				"key %s: nobody could %s %s at the start, and the server is "
				"confined to that: a restart is needed",
				k->name, k->write ? "write" : "read",
				*k->path ? SHOWN(k->path) : "all of the root");
	return 0;
}

/* Finds a key by its id, also an expired one, which access_check() refuses later. */
static const struct key *access_by_id(const void *keys, const char *id)
{
	const struct access *a = keys;

	for (const struct access_key *k = a->keys; k; k = k->next)
		if (!strcmp(k->id, id))
			return &k->key;
	return NULL;
}

struct key_ring access_ring(const struct access *a)
{
	return (struct key_ring){access_by_id, a, a->keys->key.n != 0};
}

const char *access_key_name(const struct access *a, const struct key *who)
{
	return who ? access_key_of(a, who)->name : "";
}

bool access_dir(const struct access *a, size_t n, int *fd, bool *write)
{
	for (const struct access_key *k = a->keys; k; k = k->next)
		if (k->path && !n--) {
			*fd = k->dir;
			*write = k->write;
			return true;
		}
	return false;
}
