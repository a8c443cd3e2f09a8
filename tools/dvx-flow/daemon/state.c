/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The file begins with a comment that has the length and the checksum of its rules and of their
 * edits: else a file cut at a line's end would be a valid file with fewer rules.
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

#define PATH_ROOM 4200

static void temporary(const char *path, char out[PATH_ROOM])
{
	/* The file is removed without a check, so it has a name that no user would choose. */
	snprintf(out, PATH_ROOM, "%s.dvx-flow.new", path);
}

int state_write(int fd, const char *p, size_t n, off_t at)
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

size_t state_seal_line(const struct state_seal *s, char out[STATE_SEAL_ROOM])
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

int state_damaged(struct flow_fault *f, const char *path, const char *how)
{
	flow_fault_set(f, EXIT_INPUT,
		       "%s is damaged: %s; daemon --fresh starts without the committed rules", path,
		       how);
	return -EBADMSG;
}

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
