/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The file begins with the length and the checksum of its rules, in a comment: a rule file that was
 * cut at a line's end would be a smaller rule file.
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
#include "holder.h"
#include "tools/cli/crc32c.h"

#define PATH_ROOM 4200
#define SEAL	  "# dvx-flow state: "
#define SEAL_ROOM 80

static void temporary(const char *path, char out[PATH_ROOM])
{
	/* The file is removed without a look, so it has a name that no user would choose. */
	snprintf(out, PATH_ROOM, "%s.dvx-flow.new", path);
}

static int write_all(int fd, const char *p, size_t n)
{
	while (n) {
		ssize_t wrote = write(fd, p, n);

		if (wrote < 0 && errno == EINTR)
			continue;
		if (wrote < 0)
			return -errno;
		p += wrote;
		n -= (size_t)wrote;
	}
	return 0;
}

int state_prepare(const char *path, const char *text, size_t len)
{
	char tmp[PATH_ROOM], seal[SEAL_ROOM];
	int fd, ret,
		n = snprintf(seal, sizeof(seal), SEAL "%zu bytes, crc32c %08" PRIx32 "\n", len,
			     crc32c(text, len));

	temporary(path, tmp);
	/* A leftover may be somebody's link, or a partial file of a daemon that died. */
	unlink(tmp);
	fd = open(tmp, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0600);
	if (fd < 0)
		return -errno;
	ret = write_all(fd, seal, (size_t)n);
	if (!ret)
		ret = write_all(fd, text, len);
	if (!ret && fsync(fd))
		ret = -errno;
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
	fault_say(f, EXIT_INPUT,
		  "%s is damaged: %s; daemon --fresh starts without the committed rules", path,
		  how);
	return -EBADMSG;
}

/* Compares the rules behind the seal with it. */
static int state_compare(const char *path, const char *rules, size_t len, size_t wanted,
			 uint32_t sum, struct flow_fault *f)
{
	uint32_t got = crc32c(rules, len);
	char how[120];

	if (len == wanted && got == sum)
		return 0;
	if (len != wanted)
		snprintf(how, sizeof(how), "it has %zu bytes of rules, its first line says %zu",
			 len, wanted);
	else
		snprintf(how, sizeof(how),
			 "its rules' crc32c is %08" PRIx32 ", its first line says %08" PRIx32, got,
			 sum);
	return state_damaged(f, path, how);
}

/* Removes the seal from the text. A file that is cut within the seal is a damaged one, too. */
static int state_unseal(const char *path, struct state_text *s, struct flow_fault *f)
{
	size_t n = strlen(SEAL), wanted;
	uint32_t sum;
	int used = 0;

	if (!s->len)
		return state_damaged(f, path, "it is empty");
	s->sealed = !strncmp(s->text, SEAL, s->len < n ? s->len : n);
	if (!s->sealed)
		return 0;
	if (sscanf(s->text, SEAL "%zu bytes, crc32c %8" SCNx32 "%n", &wanted, &sum, &used) != 2 ||
	    !used || s->text[used] != '\n')
		return state_damaged(f, path,
				     "its first line is not \"" SEAL "LENGTH bytes, crc32c SUM\"");
	s->len -= (size_t)used + 1;
	memmove(s->text, s->text + used + 1, s->len + 1);
	return state_compare(path, s->text, s->len, wanted, sum, f);
}

int state_read(const char *path, struct state_text *out, struct flow_fault *f)
{
	int ret = access(path, F_OK) ? -errno : file_read(path, &out->text, &out->len);

	if (ret == -ENOENT)
		return ret;
	if (ret) {
		fault_say(f, EXIT_INPUT,
			  "the committed rules can't be read; daemon --fresh starts without them");
		return ret;
	}
	ret = state_unseal(path, out, f);
	if (ret)
		free(out->text);
	return ret;
}
