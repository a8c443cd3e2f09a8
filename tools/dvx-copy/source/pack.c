/* SPDX-License-Identifier: BSD-2-Clause */
/* Fills slots with the data that the receiver wants: parts of large files, or many small files. */
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/digest.h"
#include "base/pool.h"
#include "sender.h"

/* --- reading --- */

#define READ_MOST 32u /* files in one job */

/* One of many small files that are read at once: a disk is slow with one request at a time. */
struct read_file {
	struct listed *e;
	uint8_t *to; /* room for as many bytes as were listed */
	uint64_t got;
	int err; /* errno of opening or reading, or 0 */
	struct stat st;
};

struct read_batch {
	struct worker_job job;
	struct read_file *files;
	uint32_t n;
};

static int read_open(const struct listed *e)
{
	return openat(e->dir->fd, e->name,
		      O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY | O_CLOEXEC);
}

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

static void read_one(struct read_file *r)
{
	int fd = read_open(r->e);
	ssize_t got = fd < 0 ? -1 : read_full(fd, r->to, r->e->size, 0);

	r->err = got < 0 || fstat(fd, &r->st) ? errno : 0;
	r->got = got < 0 ? 0 : (uint64_t)got;
	if (fd >= 0)
		close(fd);
}

static void read_run(struct worker_job *job)
{
	struct read_batch *r = (struct read_batch *)job;

	for (uint32_t i = 0; i < r->n; i++)
		read_one(&r->files[i]);
}

/* Waits for all jobs, even after a failure: they write into the slot. */
static int read_await(struct copy_sender *s)
{
	int lost = 0;

	while (workers_busy(s->workers))
		if (!workers_take(s->workers, ALIVE_SECONDS * 1000) && !lost)
			lost = alive_tick(&s->alive);
	return lost;
}

static int read_files(struct copy_sender *s, struct read_file *files, uint32_t n)
{
	struct read_batch jobs[WORKERS_MOST + MSG_PIECES / READ_MOST + 1];
	uint32_t each = n / (workers_threads(s->workers) + 1) + 1, at = 0;

	if (each > READ_MOST)
		each = READ_MOST;
	for (uint32_t i = 0; at < n; i++, at += each) {
		jobs[i] = (struct read_batch){.job = {.run = read_run},
					      .files = files + at,
					      .n = n - at < each ? n - at : each};
		workers_give(s->workers, &jobs[i].job);
	}
	return read_await(s);
}

/* A slot while it is filled. */
struct pack {
	struct copy_sender *s;
	uint8_t *bytes;
	uint32_t have, room;
	uint32_t n; /* pieces */
	struct msg_piece pieces[MSG_PIECES];
};

static struct msg_piece *pack_piece(struct pack *p, uint64_t off, uint32_t len)
{
	struct msg_piece *piece = &p->pieces[p->n++];

	*piece = (struct msg_piece){.entry = p->s->n_sent, .off = off, .len = len};
	p->have += len;
	return piece;
}

/* Ends the current file; `why` is what is wrong with it, or NULL. */
static int pack_end(struct pack *p, struct listed *e, bool broken, const char *why)
{
	struct msg_piece *last = p->n ? &p->pieces[p->n - 1] : NULL;
	struct copy_sender *s = p->s;

	if (!last || last->entry != s->n_sent)
		last = pack_piece(p, e->at, 0);
	last->flags |= PIECE_LAST | (broken ? PIECE_BROKEN : 0);
	s->counts->files += !broken;
	if (s->fd >= 0)
		close(s->fd);
	s->fd = -1;
	if (why && sender_skip(s, e->dir, e->name, why))
		return -1;
	sender_retire(s);
	return 0;
}

static bool same_file(const struct listed *e, const struct stat *st)
{
	return e->ino == st->st_ino && e->size == (uint64_t)st->st_size &&
	       e->mtime.tv_sec == st->st_mtim.tv_sec && e->mtime.tv_nsec == st->st_mtim.tv_nsec;
}

/*
 * Compares the file after the last read with the one that was listed. whole: as many bytes were
 * read as listed; files of /sys end before their size.
 */
static int pack_judge(struct pack *p, struct listed *e, const struct stat *st, bool whole)
{
	if ((uint64_t)st->st_size < e->size)
		return pack_end(p, e, true,
				"shrank while it was copied; not kept at the destination");
	if (!S_ISREG(st->st_mode))
		return pack_end(p, e, true, "was replaced by something else while it was copied");
	if (!whole)
		return pack_end(p, e, true,
				"has fewer bytes than its size says; not kept at the destination");
	if (!same_file(e, st))
		return pack_end(p, e, false,
				"changed while it was copied; the copy may mix old and new");
	return pack_end(p, e, false, NULL);
}

static int pack_check(struct pack *p, struct listed *e, bool whole)
{
	struct stat st;

	return fstat(p->s->fd, &st) ? pack_end(p, e, true, strerror(errno))
				    : pack_judge(p, e, &st, whole);
}

/* Finds the next run of data from e->at on. File systems without holes report one. */
static void next_data(const struct listed *e, int fd, uint64_t *from, uint64_t *to)
{
	off_t a, b;

	*from = e->at;
	*to = e->size;
	if (!e->sparse)
		return;
	a = lseek(fd, (off_t)e->at, SEEK_DATA);
	if (a < 0) {
		*from = errno == ENXIO ? e->size : e->at;
		return;
	}
	b = lseek(fd, a, SEEK_HOLE);
	*from = (uint64_t)a < e->size ? (uint64_t)a : e->size;
	*to = b < 0 || (uint64_t)b > e->size ? e->size : (uint64_t)b;
}

static bool pack_open(struct copy_sender *s, struct listed *e)
{
	s->fd = read_open(e);
	if (s->fd >= 0 && e->size > s->pool.slot_bytes)
		posix_fadvise(s->fd, 0, 0, POSIX_FADV_SEQUENTIAL);
	return s->fd >= 0;
}

/* Returns how many of the bytes that the receiver has already equal this file's. */
static uint64_t pack_same(struct copy_sender *s, const struct listed *e)
{
	const uint64_t block = digest_block(e->from);
	const uint8_t *sum = e->sums;
	uint8_t ours[DIGEST_BYTES];
	uint64_t at = 0;

	while (at < e->from) {
		uint64_t n = block < e->from - at ? block : e->from - at;

		if (digest_part(s->fd, at, n, ours, &s->alive) || memcmp(ours, sum, sizeof(ours)))
			break;
		at += n;
		sum += sizeof(ours);
	}
	return at;
}

static int pack_take_up(struct pack *p, struct listed *e)
{
	struct copy_sender *s = p->s;

	e->at = pack_same(s, e);
	if (s->f->code)
		return -1;
	if (e->at)
		pack_piece(p, e->at, 0)->flags = PIECE_FROM;
	s->counts->taken += e->at;
	s->wanted_bytes += e->from - e->at;
	e->from = e->at;
	return 0;
}

static void pack_count(struct copy_sender *s, uint32_t n)
{
	s->counts->bytes += n;
	s->wanted_bytes -= n < s->wanted_bytes ? n : s->wanted_bytes;
}

/* Puts as much of the file into the slot as fits. */
static int pack_file(struct pack *p, struct listed *e)
{
	struct copy_sender *s = p->s;
	uint64_t from, to;
	uint32_t n;
	ssize_t got;

	if (s->fd < 0) {
		if (!pack_open(s, e))
			return pack_end(p, e, true, strerror(errno));
		if (e->from && pack_take_up(p, e))
			return -1;
	}
	next_data(e, s->fd, &from, &to);
	n = to - from < p->room - p->have ? (uint32_t)(to - from) : p->room - p->have;
	got = n ? read_full(s->fd, p->bytes + p->have, n, (off_t)from) : 0;
	if (got < 0)
		return pack_end(p, e, true, strerror(errno));
	if (got < (ssize_t)n)
		return pack_check(p, e, false);
	if (n)
		pack_piece(p, from, n);
	pack_count(s, n);
	e->at = from + n;
	return e->at < e->size ? 0 : pack_check(p, e, true);
}

/* Whether the next file goes into this slot, too. A file that does not fit begins a new slot. */
static bool pack_more(const struct pack *p)
{
	const struct copy_sender *s = p->s;
	const struct listed *e;

	/* A file may add two pieces: PIECE_FROM and its bytes. */
	if (s->n_sent == s->n_judged || p->n + 2 > MSG_PIECES)
		return false;
	e = s->ring[s->n_sent % MSG_WINDOW];
	if (!p->have || s->fd >= 0)
		return p->have < p->room;
	return e->size - e->from <= p->room - p->have;
}

/* --- many files at once --- */

#define PACK_LEAST 8u /* files; fewer are not worth threads */

/* Chooses whole small files, from the next one on, that fit into the slot. Returns their number. */
static uint32_t pack_choose(const struct pack *p, struct read_file *files)
{
	const struct copy_sender *s = p->s;
	uint32_t n = 0, have = p->have;

	for (uint32_t i = s->n_sent; i != s->n_judged && p->n + n < MSG_PIECES; i++) {
		struct listed *e = s->ring[i % MSG_WINDOW];

		if (!(e->verdict & VERDICT_WANT))
			continue;
		if (e->from || e->sparse || e->size > p->room - have)
			break;
		files[n++] = (struct read_file){.e = e, .to = p->bytes + have};
		have += (uint32_t)e->size;
	}
	return n;
}

/* Adds a file that was read. The next ones fill the gap of a file that could not be read. */
static int pack_read(struct pack *p, struct read_file *r)
{
	struct listed *e = r->e;

	while (p->s->ring[p->s->n_sent % MSG_WINDOW] != e)
		sender_retire(p->s);
	if (r->err)
		return pack_end(p, e, true, strerror(r->err));
	if (r->got == e->size && e->size) {
		memmove(p->bytes + p->have, r->to, e->size);
		pack_piece(p, 0, (uint32_t)e->size);
		pack_count(p->s, (uint32_t)e->size);
		e->at = e->size;
	}
	return pack_judge(p, e, &r->st, r->got == e->size);
}

static int pack_many(struct pack *p)
{
	struct read_file *files;
	uint32_t n;
	int bad;

	if (p->s->fd >= 0 || p->s->n_judged - p->s->n_sent < PACK_LEAST ||
	    !workers_threads(p->s->workers))
		return 0;
	files = malloc(MSG_PIECES * sizeof(*files));
	if (!files)
		return copy_no_memory(p->s->f);
	n = pack_choose(p, files);
	if (n < PACK_LEAST)
		n = 0;
	bad = n ? read_files(p->s, files, n) : 0;
	for (uint32_t i = 0; !bad && i < n; i++)
		bad = pack_read(p, &files[i]);
	free(files);
	return bad;
}

static int pack_send(struct pack *p, uint32_t slot)
{
	struct copy_sender *s = p->s;
	uint8_t pieces[MSG_PIECES * MSG_PIECE_BYTES];
	struct copy_msg m = {.type = MSG_DATA,
			     .slot = slot,
			     .len = p->have,
			     .text = {pieces, p->n * MSG_PIECE_BYTES}};

	if (!p->n)
		return 0;
	for (uint32_t i = 0; i < p->n; i++)
		msg_piece_put(pieces + i * MSG_PIECE_BYTES, &p->pieces[i]);
	if (p->have) {
		m.crc = slot_crc(p->bytes, p->have, s->counts);
		s->n_free--;
		s->lent[slot] = true;
		bwlimit_spend(&s->limit, p->have);
	}
	return link_send(s->link, &m, s->f);
}

/* Returns the bytes to fill. With --bwlimit, an eighth of a second's: no end is silent long. */
static uint32_t pack_room(const struct copy_sender *s)
{
	uint64_t part = s->options.rate / 8;

	if (!s->options.rate || part > s->pool.slot_bytes)
		return s->pool.slot_bytes;
	return part < 4096 ? 4096 : (uint32_t)part;
}

int pack_slot(struct copy_sender *s)
{
	uint32_t slot = s->free_slots[s->n_free - 1];
	struct pack p = {.s = s, .room = pack_room(s)};

	if (sender_need_pool(s))
		return -1;
	p.bytes = pool_slot(&s->pool, slot);
	if (pack_many(&p))
		return -1;
	while (pack_more(&p)) {
		struct listed *e = s->ring[s->n_sent % MSG_WINDOW];

		if (!(e->verdict & VERDICT_WANT))
			sender_retire(s);
		else if (pack_file(&p, e))
			return -1;
	}
	return pack_send(&p, slot);
}
