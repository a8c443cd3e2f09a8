/* SPDX-License-Identifier: BSD-2-Clause */
#include "journal.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <unistd.h>

#include "temp.h"
#include "tools/cli/crc32c.h"

#define JOURNAL_MAGIC 0x316c6e726a787664u /* "dvxjrnl1" in little-endian bytes */

/* Read by the same program on the same machine only: what does not fit is no journal. */
struct journal_head {
	uint64_t magic, size;
	int64_t sec, nsec;
	char name[NAME_MAX + 1];
};

struct journal_piece {
	uint64_t off;
	uint32_t len, crc;
	uint32_t number, check; /* check: CRC32C of what is before it */
};

struct journal {
	int fd;
	char name[TEMP_BYTES];
};

static struct journal_head head_of(const struct dest_file *file)
{
	struct journal_head h;

	memset(&h, 0, sizeof(h));
	h.magic = JOURNAL_MAGIC;
	h.size = file->size;
	h.sec = file->stamp.tv_sec;
	h.nsec = file->stamp.tv_nsec;
	strcpy(h.name, file->name);
	return h;
}

static bool piece_ok(const struct journal_piece *p, uint32_t number, uint64_t from,
		     const struct dest_file *file)
{
	return p->check == crc32c(p, offsetof(struct journal_piece, check)) &&
	       p->number == number && p->off >= from && p->off <= file->size &&
	       p->len <= file->size - p->off;
}

/* Whether the temporary holds what the journal says: a power loss can have taken it. */
static bool piece_is_there(int fd, const struct journal_piece *p)
{
	uint8_t *bytes = malloc(p->len ? p->len : 1);
	bool yes = bytes && pread(fd, bytes, p->len, (off_t)p->off) == (ssize_t)p->len &&
		   crc32c(bytes, p->len) == p->crc;

	free(bytes);
	return yes;
}

static off_t piece_place(uint32_t number)
{
	return (off_t)(sizeof(struct journal_head) + number * sizeof(struct journal_piece));
}

/* Each piece has its place by number: one that was not written ends what can be taken up. */
static uint64_t journal_verify(struct journal *j, struct dest_file *file, struct alive *alive)
{
	struct journal_piece p;
	uint64_t from = 0;

	while (pread(j->fd, &p, sizeof(p), piece_place(file->pieces)) == sizeof(p) &&
	       piece_ok(&p, file->pieces, from, file) && piece_is_there(file->fd, &p)) {
		from = p.off + p.len;
		file->pieces++;
		if (alive_tick(alive))
			break;
	}
	return from;
}

/* How much of the file is there; the journal ends behind what was verified. */
static uint64_t journal_read(struct journal *j, struct dest_file *file, struct alive *alive)
{
	const struct journal_head want = head_of(file);
	struct journal_head h;
	uint64_t from = 0;

	if (pread(j->fd, &h, sizeof(h), 0) == sizeof(h) && !memcmp(&h, &want, sizeof(h)))
		from = journal_verify(j, file, alive);
	if (ftruncate(j->fd, piece_place(file->pieces)))
		return 0;
	return pwrite(j->fd, &want, sizeof(want), 0) == sizeof(want) ? from : 0;
}

/*
 * Not a link, not somebody else's, not a name of something that is elsewhere, too. Looked at under
 * the lock: until then another copy may have renamed or removed what was opened.
 */
static int part_open(int dir, const char *name)
{
	int fd = openat(dir, name, O_RDWR | O_CREAT | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC, 0600);
	struct stat st, named;

	if (fd < 0)
		return -1;
	if (!flock(fd, LOCK_EX | LOCK_NB) && !fstat(fd, &st) && S_ISREG(st.st_mode) &&
	    st.st_uid == geteuid() && st.st_nlink == 1 &&
	    !fstatat(dir, name, &named, AT_SYMLINK_NOFOLLOW) && named.st_dev == st.st_dev &&
	    named.st_ino == st.st_ino && !fchmod(fd, 0600))
		return fd;
	close(fd);
	return -1;
}

int journal_open(struct dest_file *file, uint64_t *from, struct alive *alive, struct copy_fault *f)
{
	struct journal *j = calloc(1, sizeof(*j));

	*from = 0;
	if (!j)
		return copy_fail(f, COPY_IO, "out of memory");
	temp_part_name(file->temp, file->name, file->size, &file->stamp);
	temp_journal_name(j->name, file->temp);
	file->fd = part_open(file->dir->fd, file->temp);
	if (file->fd >= 0)
		j->fd = part_open(file->dir->fd, j->name);
	if (file->fd < 0 || j->fd < 0) {
		/* Another copy has it: this one does without. */
		if (file->fd >= 0)
			close(file->fd);
		file->fd = -1;
		file->temp[0] = '\0';
		free(j);
		return 0;
	}
	file->journal = j;
	file->made = true;
	file->dir->dirty = true;
	*from = file->at = journal_read(j, file, alive);
	/* What was not verified would show through holes that the source has there now. */
	if (ftruncate(file->fd, (off_t)*from))
		return copy_fail(f, COPY_IO, "%s: %s", DEST_WHERE(file->dir, file->name),
				 strerror(errno));
	return 0;
}

void journal_add(struct dest_file *file, uint32_t number, uint64_t off, const void *p, size_t n)
{
	struct journal_piece piece = {.off = off, .len = (uint32_t)n, .number = number};

	if (!file->journal)
		return;
	piece.crc = crc32c(p, n);
	piece.check = crc32c(&piece, offsetof(struct journal_piece, check));
	/* A journal that can't be written costs the next copy some time, no more. */
	(void)!pwrite(file->journal->fd, &piece, sizeof(piece), piece_place(number));
}

void journal_close(struct dest_file *file, bool keep)
{
	struct journal *j = file->journal;

	if (!j)
		return;
	if (!keep)
		unlinkat(file->dir->fd, j->name, 0);
	close(j->fd);
	free(j);
	file->journal = NULL;
}
