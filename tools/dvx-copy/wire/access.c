/* SPDX-License-Identifier: BSD-2-Clause */
#include "access.h"

#include <string.h>
#include <time.h>

#include "access_list.h"

/* Skips slashes and "." components. Returns where the next component begins, or end. */
static const char *access_skip(const char *p, const char *end)
{
	for (;;) {
		while (p < end && *p == '/')
			p++;
		if (p < end && *p == '.' && (p + 1 == end || p[1] == '/'))
			p++;
		else
			return p;
	}
}

static size_t access_component(const char *p, const char *end)
{
	const char *slash = memchr(p, '/', (size_t)(end - p));

	return (size_t)((slash ? slash : end) - p);
}

/* Returns the rest of the path beneath dir, or NULL if the path is not beneath it. */
static const char *access_beneath(const char *dir, const char *p, const char *end)
{
	const char *dir_end = dir + strlen(dir);

	for (;;) {
		size_t n;

		dir = access_skip(dir, dir_end);
		p = access_skip(p, end);
		n = access_component(dir, dir_end);
		if (!n)
			return p;
		if (n != access_component(p, end) || memcmp(dir, p, n))
			return NULL;
		dir += n;
		p += n;
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
static bool access_is_absolute(struct copy_bytes path)
{
	const char *p = (const char *)path.p, *end = p + path.n;

	return path.n && *p == '/' && access_skip(p, end) != end;
}

int access_find(const struct access *a, const struct key *who, bool write, struct copy_bytes path,
		struct access_place *out, struct copy_fault *f)
{
	const struct access_key *k = access_key_of(a, who);
	const char *p = path.n ? (const char *)path.p : "", *end = p + path.n, *rest;

	if (access_check(a, who, f))
		return -1;
	if (access_is_absolute(path))
		return copy_fail(f, COPY_REFUSED,
				 "path %s is absolute; paths begin at the served directory",
				 QUOTED(path.p, path.n));
	rest = k->path ? access_beneath(k->path, p, end) : NULL;
	if (!rest || (write && !k->write))
		return access_refuse(k, write, path, f);
	out->dir = k->dir;
	out->rest = (struct copy_bytes){(const uint8_t *)rest, (uint32_t)(end - rest)};
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
	const char *end = other->path + strlen(other->path);

	for (const struct access_key *k = a->keys; k; k = k->next)
		if (k->path && access_beneath(k->path, other->path, end) &&
		    k->write >= other->write)
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
				*k->path ? QUOTED(k->path, strlen(k->path)) : "all of the root");
	return 0;
}

/*
 * Finds a key by its id. An expired key is found too: access_check() refuses it once the channel is
 * secure.
 */
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
