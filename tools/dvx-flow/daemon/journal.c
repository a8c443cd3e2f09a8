/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Edits behind the rules of a state file. An edit is one line, and the bytes that are put into the
 * text:
 *
 *	# edit of SUM: LESS bytes at PLACE become MORE:
 *
 * SUM is the checksum of the edit before it, or of the rules. The file's first line has the length
 * of all edits and the last one's checksum. It is written when the edit is on the disk: an edit
 * beyond that length was not made; an edit missing within it is damage.
 */
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "dvx-flow.h"
#include "state.h"
#include "tools/cli/crc32c.h"

#define JOURNAL_HEAD	 "# edit of "
#define JOURNAL_HEAD_MAX 120u

/* A file with more edits is written anew: the next start has to make all of them. */
#define JOURNAL_BYTES (256u * 1024u)
#define JOURNAL_EDITS 512u

/* --- differences ------------------------------------------------------------------------------ */

/* Replaces `less` bytes at `at` by the `more` bytes. */
struct journal_splice {
	size_t at, less, more;
};

#define JOURNAL_STEP 4096u

static size_t journal_same_begin(const char *a, const char *b, size_t n)
{
	size_t i = 0;

	while (n - i >= JOURNAL_STEP && !memcmp(a + i, b + i, JOURNAL_STEP))
		i += JOURNAL_STEP;
	while (i < n && a[i] == b[i])
		i++;
	return i;
}

static size_t journal_same_end(const char *a_end, const char *b_end, size_t n)
{
	size_t i = 0;

	while (n - i >= JOURNAL_STEP &&
	       !memcmp(a_end - i - JOURNAL_STEP, b_end - i - JOURNAL_STEP, JOURNAL_STEP))
		i += JOURNAL_STEP;
	while (i < n && a_end[-(ptrdiff_t)i - 1] == b_end[-(ptrdiff_t)i - 1])
		i++;
	return i;
}

static struct journal_splice journal_differs(const struct journal_texts *t)
{
	size_t n = t->old_len < t->now_len ? t->old_len : t->now_len;
	size_t at = journal_same_begin(t->old, t->now, n);
	size_t end = journal_same_end(t->old + t->old_len, t->now + t->now_len, n - at);

	return (struct journal_splice){at, t->old_len - at - end, t->now_len - at - end};
}

/* --- append ------------------------------------------------------------------------------------ */

/* Returns the edit as it stands in the file. NULL: no memory. */
static char *journal_edit(const struct journal_splice *s, uint32_t before, const char *now,
			  size_t *len)
{
	char *out = malloc(JOURNAL_HEAD_MAX + s->more + 1);

	if (!out)
		return NULL;
	*len = (size_t)snprintf(out, JOURNAL_HEAD_MAX,
				JOURNAL_HEAD "%08" PRIx32 ": %zu bytes at %zu become %zu:\n",
				before, s->less, s->at, s->more);
	memcpy(out + *len, now + s->at, s->more);
	*len += s->more;
	out[(*len)++] = '\n';
	return out;
}

/*
 * Returns whether the file is the one that was written last, with its end where it was. A file with
 * a second link may be a user's copy, and is left alone.
 */
static bool journal_is_ours(int fd, const struct state_tail *t, size_t *end)
{
	char line[STATE_SEAL_ROOM], found[STATE_SEAL_ROOM];
	size_t n = state_seal_line(&t->seal, line);
	struct stat st;

	*end = n + t->seal.rules + t->seal.edits;
	return !fstat(fd, &st) && st.st_dev == t->dev && st.st_ino == t->ino && st.st_nlink == 1 &&
	       (size_t)st.st_size >= *end && pread(fd, found, n, 0) == (ssize_t)n &&
	       !memcmp(found, line, n);
}

static int journal_seal(int fd, const struct state_seal *s)
{
	char line[STATE_SEAL_ROOM];
	int err = state_write(fd, line, state_seal_line(s, line), 0);

	return err ? err : fdatasync(fd) ? -errno : 0;
}

/* Appends an edit. It is on the disk before the first line counts it. */
static int journal_write(int fd, struct state_tail *t, size_t end, const char *edit, size_t len)
{
	struct state_seal next = t->seal;
	int err = ftruncate(fd, (off_t)end) ? -errno : state_write(fd, edit, len, (off_t)end);

	if (!err && fdatasync(fd))
		err = -errno;
	if (!err) {
		next.edits += len;
		next.last = crc32c(edit, len);
		err = journal_seal(fd, &next);
		/* On failure the disk's contents are unknown: the next commit is a whole file. */
		t->known = !err;
	}
	if (!err) {
		t->seal = next;
		return 0;
	}
	/* The disk may have either first line. While the edit is there, either is right. */
	if (!t->known && journal_seal(fd, &t->seal))
		return err;
	if (ftruncate(fd, (off_t)end))
		t->known = false;
	return err;
}

int journal_append(const char *path, struct state_tail *t, const struct journal_texts *texts)
{
	struct journal_splice s;
	size_t end, len;
	char *edit;
	int fd, err = JOURNAL_WHOLE;

	if (!t->known || t->len != texts->old_len || t->nedits >= JOURNAL_EDITS)
		return JOURNAL_WHOLE;
	s = journal_differs(texts);
	if (t->seal.edits + s.more > JOURNAL_BYTES)
		return JOURNAL_WHOLE;
	edit = journal_edit(&s, t->seal.last, texts->now, &len);
	fd = edit ? open(path, O_RDWR | O_CLOEXEC | O_NOFOLLOW) : -1;
	if (fd >= 0 && journal_is_ours(fd, t, &end))
		err = journal_write(fd, t, end, edit, len);
	if (fd >= 0)
		close(fd);
	free(edit);
	if (!err) {
		t->nedits++;
		t->len = texts->now_len;
	}
	return err;
}

/* --- replay ------------------------------------------------------------------------------------ */

/* A reader of a file's edits, one after the other. */
struct journal_reader {
	const char *at, *end;
	uint32_t last;
};

/* Parses an edit's first line, up to eol. */
static bool journal_parse_head(const char *p, const char *eol, struct journal_splice *s,
			       uint32_t *before)
{
	char line[JOURNAL_HEAD_MAX] = "";
	int used = 0;

	if (!eol || (size_t)(eol - p) >= sizeof(line))
		return false;
	memcpy(line, p, (size_t)(eol - p));
	return sscanf(line, JOURNAL_HEAD "%8" SCNx32 ": %zu bytes at %zu become %zu:%n", before,
		      &s->less, &s->at, &s->more, &used) == 4 &&
	       used == eol - p;
}

bool journal_has_edit(const char *text, size_t len)
{
	const char *p = text, *end = text + len;
	struct journal_splice s;
	uint32_t before;
	bool has = false;

	while (!has && (p = memmem(p, (size_t)(end - p), JOURNAL_HEAD, strlen(JOURNAL_HEAD)))) {
		has = journal_parse_head(p, memchr(p, '\n', (size_t)(end - p)), &s, &before);
		p += strlen(JOURNAL_HEAD);
	}
	return has;
}

/* Parses an edit; `bytes` becomes its new bytes. Returns 0, or -1 if it is no edit. */
static int journal_parse(const struct journal_reader *r, struct journal_splice *s,
			 const char **bytes)
{
	const char *eol = memchr(r->at, '\n', (size_t)(r->end - r->at));
	uint32_t before;

	if (!journal_parse_head(r->at, eol, s, &before) || before != r->last)
		return -1;
	*bytes = eol + 1;
	return (size_t)(r->end - *bytes) > s->more && (*bytes)[s->more] == '\n' ? 0 : -1;
}

/* Makes an edit in text, which has room for it. */
static int journal_splice_in(char *text, size_t *len, const struct journal_splice *s,
			     const char *bytes)
{
	if (s->at > *len || s->less > *len - s->at)
		return -1;
	memmove(text + s->at + s->more, text + s->at + s->less, *len - s->at - s->less);
	memcpy(text + s->at, bytes, s->more);
	*len = *len - s->less + s->more;
	return 0;
}

static int journal_edits(const char *path, struct journal_reader *r, struct state_text *s,
			 char *text, size_t *len, struct flow_fault *f)
{
	struct journal_splice splice;
	const char *bytes;
	char how[80];

	while (r->at < r->end) {
		if (journal_parse(r, &splice, &bytes) ||
		    journal_splice_in(text, len, &splice, bytes)) {
			snprintf(how, sizeof(how), "edit %u of its rules is not what was written",
				 s->tail.nedits + 1);
			return state_damaged(f, path, how);
		}
		r->last = crc32c(r->at, (size_t)(bytes + splice.more + 1 - r->at));
		r->at = bytes + splice.more + 1;
		s->tail.nedits++;
	}
	if (r->last == s->tail.seal.last)
		return 0;
	snprintf(how, sizeof(how),
		 "its last edit's crc32c is %08" PRIx32 ", its first line says %08" PRIx32, r->last,
		 s->tail.seal.last);
	return state_damaged(f, path, how);
}

/* Returns whether an edit was not finished: a part of it is there, or zeros. */
static bool journal_is_torn(const char *p, size_t n)
{
	const char *head = JOURNAL_HEAD;
	size_t i = 0;

	while (i < n && (p[i] == 0 || p[i] == head[i]) && i + 1 < sizeof(JOURNAL_HEAD))
		i++;
	return i == n || i + 1 == sizeof(JOURNAL_HEAD);
}

int journal_replay(const char *path, struct state_text *s, struct flow_fault *f)
{
	const struct state_seal *seal = &s->tail.seal;
	struct journal_reader r = {s->text + seal->rules, s->text + seal->rules + seal->edits,
				   seal->sum};
	size_t room = seal->rules + seal->edits + 1, len = seal->rules;
	char *text, how[120];
	int ret;

	if (s->len > seal->rules + seal->edits &&
	    !journal_is_torn(r.end, s->len - seal->rules - seal->edits)) {
		snprintf(how, sizeof(how), "it has %zu bytes of rules, its first line says %zu",
			 s->len, seal->rules + seal->edits);
		return state_damaged(f, path, how);
	}
	text = malloc(room);
	if (text)
		memcpy(text, s->text, len);
	ret = text ? journal_edits(path, &r, s, text, &len, f)
		   : flow_fault_set(f, EXIT_INPUT, "%s", strerror(ENOMEM));
	if (ret) {
		free(text);
		return ret;
	}
	text[len] = 0;
	free(s->text);
	s->text = text;
	s->len = s->tail.len = len;
	return 0;
}
