/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The file begins with a comment that has the length and the checksum of its rules and of their
 * edits: else a file cut at a line's end would be a valid file with fewer rules.
 *
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
#include <libgen.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "dvx-flow.h"
#include "state.h"
#include "tools/cli/crc32c.h"

#define PATH_ROOM	4200
#define STATE_SEAL	"# dvx-flow state: "
#define STATE_SEAL_ROOM 120

static void temporary(const char *path, char out[PATH_ROOM])
{
	/* The file is removed without a check, so it has a name that no user would choose. */
	snprintf(out, PATH_ROOM, "%s.dvx-flow.new", path);
}

/* Writes the whole buffer; at -1: at the file's position. Returns 0 or -errno. */
static int state_write(int fd, const char *p, size_t n, off_t at)
{
	while (n) {
		ssize_t wrote = at < 0 ? write(fd, p, n) : pwrite(fd, p, n, at);

		if (wrote < 0 && errno == EINTR)
			continue;
		if (wrote < 0)
			return -errno;
		p += wrote;
		n -= (size_t)wrote;
		at += at < 0 ? 0 : wrote;
	}
	return 0;
}

/* Writes the first line, whose length does not depend on the edits. Returns its length. */
static size_t state_seal_line(const struct state_seal *s, char out[STATE_SEAL_ROOM])
{
	return (size_t)snprintf(out, STATE_SEAL_ROOM,
				STATE_SEAL "%zu bytes, crc32c %08" PRIx32
					   ", edits %010zu bytes, crc32c %08" PRIx32 "\n",
				s->rules, s->sum, s->edits, s->last);
}

static int state_fill(int fd, const struct state_seal *seal, const char *text,
		      struct state_tail *out)
{
	char line[STATE_SEAL_ROOM];
	struct stat st;
	int err = state_write(fd, line, state_seal_line(seal, line), -1);

	if (!err)
		err = state_write(fd, text, seal->rules, -1);
	if (!err && (fsync(fd) || fstat(fd, &st)))
		err = -errno;
	if (!err)
		*out = (struct state_tail){.known = true,
					   .dev = st.st_dev,
					   .ino = st.st_ino,
					   .seal = *seal,
					   .len = seal->rules};
	return err;
}

int state_prepare(const char *path, const char *text, size_t len, struct state_tail *out)
{
	uint32_t sum = crc32c(text, len);
	struct state_seal seal = {.rules = len, .sum = sum, .last = sum};
	char tmp[PATH_ROOM];
	int fd, ret;

	temporary(path, tmp);
	/* A leftover may be a user's link, or a partial file of a daemon that died. */
	unlink(tmp);
	fd = open(tmp, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0600);
	if (fd < 0)
		return -errno;
	ret = state_fill(fd, &seal, text, out);
	if (close(fd) && !ret)
		ret = -errno;
	if (ret)
		unlink(tmp);
	return ret;
}

static void sync_directory(const char *path)
{
	char copy[PATH_ROOM];
	int fd;

	snprintf(copy, sizeof(copy), "%s", path);
	fd = open(dirname(copy), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (fd < 0)
		return;
	fsync(fd);
	close(fd);
}

int state_commit(const char *path)
{
	char tmp[PATH_ROOM];

	temporary(path, tmp);
	if (rename(tmp, path))
		return -errno;
	sync_directory(path);
	return 0;
}

void state_abandon(const char *path)
{
	char tmp[PATH_ROOM];

	temporary(path, tmp);
	unlink(tmp);
}

int state_check(const char *path)
{
	char copy[PATH_ROOM];
	struct stat st;

	if (!stat(path, &st))
		return S_ISREG(st.st_mode) ? 0 : -EINVAL;
	if (errno != ENOENT)
		return -errno;
	snprintf(copy, sizeof(copy), "%s", path);
	return stat(dirname(copy), &st) ? -errno : S_ISDIR(st.st_mode) ? 0 : -ENOTDIR;
}

static int state_damaged(struct flow_fault *f, const char *path, const char *how)
{
	flow_fault_set(f, EXIT_INPUT,
		       "%s is damaged: %s; daemon --fresh starts without the committed rules", path,
		       how);
	return -EBADMSG;
}

#define JOURNAL_HEAD	 "# edit of "
#define JOURNAL_HEAD_MAX 120u

/* A file with more edits is written anew: the next start has to make all of them. */
#define JOURNAL_BYTES (256u * 1024u)
#define JOURNAL_EDITS 512u

/* --- differences ----------------------------------------------------------------------------- */

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

/* --- append ---------------------------------------------------------------------------------- */

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

/* --- replay ---------------------------------------------------------------------------------- */

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

/* Returns whether the text has the first line of an edit, so that it is no user's rule file. */
static bool journal_has_edit(const char *text, size_t len)
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

/* Makes the edits that follow the rules in s->text. Returns as state_read() does. */
static int journal_replay(const char *path, struct state_text *s, struct flow_fault *f)
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

/* --- read ------------------------------------------------------------------------------------ */

/* Compares the rules behind the first line with it. `edits`: that line counts edits as well. */
static int state_compare(const char *path, const struct state_text *s, bool edits,
			 struct flow_fault *f)
{
	const struct state_seal *seal = &s->tail.seal;
	char how[120];
	uint32_t got;

	if (s->len < seal->rules || s->len - seal->rules < seal->edits ||
	    (!edits && s->len > seal->rules)) {
		snprintf(how, sizeof(how), "it has %zu bytes of rules, its first line says %zu",
			 s->len, seal->rules + seal->edits);
		return state_damaged(f, path, how);
	}
	got = crc32c(s->text, seal->rules);
	if (got == seal->sum)
		return 0;
	snprintf(how, sizeof(how),
		 "its rules' crc32c is %08" PRIx32 ", its first line says %08" PRIx32, got,
		 seal->sum);
	return state_damaged(f, path, how);
}

/* Reads the first line. Returns its length, or 0. An older dvx-flow's counts no edits. */
static size_t state_seal_read(const char *text, struct state_seal *seal, bool *edits)
{
	char line[STATE_SEAL_ROOM];
	int used = 0;

	if (sscanf(text, STATE_SEAL "%zu bytes, crc32c %8" SCNx32 "%n", &seal->rules, &seal->sum,
		   &used) != 2 ||
	    !used)
		return 0;
	*edits = text[used] != '\n';
	if (!*edits)
		return (size_t)used + 1;
	if (sscanf(text + used, ", edits %10zu bytes, crc32c %8" SCNx32 "\n", &seal->edits,
		   &seal->last) != 2)
		return 0;
	used = (int)state_seal_line(seal, line);
	return strncmp(text, line, (size_t)used) ? 0 : (size_t)used;
}

/* Checks the first line and removes it from the text. A file cut within it is damaged. */
static int state_unseal(const char *path, struct state_text *s, struct flow_fault *f)
{
	size_t n = strlen(STATE_SEAL), line;
	bool edits;
	int ret;

	if (!s->len)
		return state_damaged(f, path, "it is empty");
	s->sealed = !strncmp(s->text, STATE_SEAL, s->len < n ? s->len : n);
	if (!s->sealed && !journal_has_edit(s->text, s->len))
		return 0;
	line = s->sealed ? state_seal_read(s->text, &s->tail.seal, &edits) : 0;
	if (!line)
		return state_damaged(f, path,
				     "its first line is not \"" STATE_SEAL
				     "LENGTH bytes, crc32c SUM, edits LENGTH bytes, crc32c SUM\"");
	s->len -= line;
	memmove(s->text, s->text + line, s->len + 1);
	ret = state_compare(path, s, edits, f);
	s->tail.known = edits;
	return ret || !edits ? ret : journal_replay(path, s, f);
}

/* Identifies the file that was read, so that edits can be appended to it. */
static void state_tail_identify(const char *path, struct state_tail *t)
{
	struct stat st;

	t->known = t->known && !stat(path, &st);
	if (!t->known)
		return;
	t->dev = st.st_dev;
	t->ino = st.st_ino;
}

int state_read(const char *path, struct state_text *out, struct flow_fault *f)
{
	int ret;

	*out = (struct state_text){.text = NULL};
	ret = access(path, F_OK) ? -errno : file_read(path, &out->text, &out->len);
	if (ret == -ENOENT)
		return ret;
	if (ret) {
		flow_fault_set(
			f, EXIT_INPUT,
			"the committed rules can't be read; daemon --fresh starts without them");
		return ret;
	}
	ret = state_unseal(path, out, f);
	if (ret)
		free(out->text);
	else
		state_tail_identify(path, &out->tail);
	return ret;
}
