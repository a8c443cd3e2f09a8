/* SPDX-License-Identifier: BSD-2-Clause */
#include "send.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "tools/cli/crc32c.h"

static struct copy_bytes send_text_of(const char *s)
{
	return (struct copy_bytes){(const uint8_t *)s, (uint32_t)strlen(s)};
}

static int notice(struct session *s, const char *rel, const char *why)
{
	struct copy_msg m = {
		.type = MSG_NOTICE, .name = send_text_of(rel), .text = send_text_of(why)};

	return link_send(s->link, &m, s->f);
}

/* Reads until n bytes are there or the file ends. */
static ssize_t read_full(int fd, uint8_t *to, size_t n, off_t off)
{
	size_t have = 0;

	while (have < n) {
		ssize_t got = pread(fd, to + have, n - have, off + (off_t)have);

		if (got < 0 && errno == EINTR)
			continue;
		if (got < 0)
			return -1;
		if (!got)
			break;
		have += (size_t)got;
	}
	return (ssize_t)have;
}

/* One stretch of data, found by its bounds; *broken tells that the file ended early or failed. */
struct stretch {
	int fd;
	off_t from, to;
	const char *rel;
};

static int send_chunk(struct session *s, const struct stretch *x, off_t at, bool *broken)
{
	uint32_t want = (uint32_t)(x->to - at < (off_t)s->pool.slot_bytes ? x->to - at
									  : s->pool.slot_bytes);
	struct copy_msg m = {.type = MSG_CHUNK, .off = (uint64_t)at, .len = want};
	uint8_t *slot;
	ssize_t got;

	if (session_slot(s, &m.slot))
		return -1;
	slot = pool_slot(&s->pool, m.slot);
	got = read_full(x->fd, slot, want, at);
	if (got != (ssize_t)want) {
		*broken = true;
		session_unused(s, m.slot);
		return notice(s, x->rel,
			      got < 0 ? strerror(errno)
				      : "shrank while it was copied; not kept at the destination");
	}
	m.crc = crc32c(slot, want);
	s->totals->bytes += want;
	return link_send(s->link, &m, s->f);
}

static int send_stretch(struct session *s, const struct stretch *x, uint64_t *chunks, bool *broken)
{
	for (off_t at = x->from; at < x->to && !*broken; at += s->pool.slot_bytes) {
		if (send_chunk(s, x, at, broken))
			return -1;
		*chunks += !*broken;
	}
	return 0;
}

/* Where data begins at or after `at`, and where it ends; file systems without holes say all is. */
static bool next_data(int fd, off_t at, off_t size, struct stretch *x)
{
	off_t from = lseek(fd, at, SEEK_DATA), to;

	if (from < 0 && errno == ENXIO)
		return false;
	if (from < 0)
		from = at;
	to = lseek(fd, from, SEEK_HOLE);
	x->from = from;
	x->to = to < 0 || to > size ? size : to;
	return from < size;
}

static int send_data(struct session *s, int fd, const char *rel, off_t size, struct copy_msg *end)
{
	struct stretch x = {.fd = fd, .rel = rel};
	bool broken = false;
	struct stat st;

	/* A hole at the end must not hide that the file has become shorter. */
	for (off_t at = 0; at < size && !broken && next_data(fd, at, size, &x); at = x.to)
		if (send_stretch(s, &x, &end->chunks, &broken))
			return -1;
	if (!broken && !fstat(fd, &st) && st.st_size < size) {
		broken = true;
		if (notice(s, rel, "shrank while it was copied; not kept at the destination"))
			return -1;
	}
	end->flags = broken ? MSG_BROKEN : 0;
	return 0;
}

static bool same_times(const struct stat *a, const struct stat *b)
{
	return a->st_size == b->st_size && a->st_mtim.tv_sec == b->st_mtim.tv_sec &&
	       a->st_mtim.tv_nsec == b->st_mtim.tv_nsec;
}

static int on_file(void *arg, const char *name, const char *rel, int fd, const struct stat *st)
{
	struct session *s = arg;
	struct copy_msg m = {.type = MSG_FILE,
			     .name = send_text_of(name),
			     .mode = st->st_mode & 07777,
			     .size = (uint64_t)st->st_size,
			     .sec = st->st_mtim.tv_sec,
			     .nsec = (uint32_t)st->st_mtim.tv_nsec};
	struct copy_msg end = {.type = MSG_END};
	struct stat after;

	posix_fadvise(fd, 0, 0, POSIX_FADV_SEQUENTIAL);
	if (link_send(s->link, &m, s->f) || send_data(s, fd, rel, st->st_size, &end))
		return -1;
	if (!end.flags && !fstat(fd, &after) && !same_times(st, &after) &&
	    notice(s, rel, "changed while it was copied; the copy may mix old and new"))
		return -1;
	s->totals->files += !end.flags;
	return link_send(s->link, &end, s->f);
}

static int on_dir(void *arg, const char *name, const struct stat *st)
{
	struct session *s = arg;
	struct copy_msg m = {.type = MSG_DIR,
			     .name = send_text_of(name),
			     .mode = st->st_mode & 07777,
			     .sec = st->st_mtim.tv_sec,
			     .nsec = (uint32_t)st->st_mtim.tv_nsec};

	return link_send(s->link, &m, s->f);
}

static int on_up(void *arg)
{
	struct session *s = arg;
	struct copy_msg m = {.type = MSG_UP};

	return link_send(s->link, &m, s->f);
}

static int on_link(void *arg, const char *name, const char *target, size_t len,
		   const struct stat *st)
{
	struct session *s = arg;
	struct copy_msg m = {.type = MSG_LINK,
			     .name = send_text_of(name),
			     .text = {(const uint8_t *)target, (uint32_t)len},
			     .sec = st->st_mtim.tv_sec,
			     .nsec = (uint32_t)st->st_mtim.tv_nsec};

	return link_send(s->link, &m, s->f);
}

static int on_skip(void *arg, const char *rel, const char *why)
{
	return notice(arg, rel, why);
}

struct count {
	struct session *s;
	struct copy_msg sum;
	time_t told;
};

/* Counting a huge tree takes long: the sum so far shows the client that we live. */
static int count_file(void *arg, const char *name, const char *rel, int fd, const struct stat *st)
{
	struct count *c = arg;
	off_t allocated = (off_t)st->st_blocks * 512; /* holes aren't sent */
	time_t now = time(NULL);

	(void)name;
	(void)rel;
	(void)fd;
	c->sum.files++;
	c->sum.size += (uint64_t)(allocated < st->st_size ? allocated : st->st_size);
	if (now == c->told)
		return 0;
	c->told = now;
	return link_send(c->s->link, &c->sum, c->s->f);
}

static int ignore_dir(void *arg, const char *name, const struct stat *st)
{
	(void)arg;
	(void)name;
	(void)st;
	return 0;
}

static int ignore_up(void *arg)
{
	(void)arg;
	return 0;
}

static int ignore_link(void *arg, const char *name, const char *target, size_t len,
		       const struct stat *st)
{
	(void)target;
	(void)len;
	return ignore_dir(arg, name, st);
}

static int ignore_skip(void *arg, const char *rel, const char *why)
{
	(void)arg;
	(void)rel;
	(void)why;
	return 0;
}

int send_tree(struct session *s, const struct tree_entry *e, bool totals)
{
	static const struct tree_calls counting = {ignore_dir, ignore_up, count_file, ignore_link,
						   ignore_skip};
	static const struct tree_calls sending = {on_dir, on_up, on_file, on_link, on_skip};
	struct count c = {.s = s, .sum = {.type = MSG_TOTALS}, .told = time(NULL)};
	struct copy_msg done = {.type = MSG_DONE};

	if (totals && (tree_walk(e, &counting, &c, s->f) || link_send(s->link, &c.sum, s->f)))
		return -1;
	if (tree_walk(e, &sending, s, s->f))
		return -1;
	return link_send(s->link, &done, s->f);
}
