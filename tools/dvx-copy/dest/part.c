/* SPDX-License-Identifier: BSD-2-Clause */
#include "part.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/file.h>
#include <unistd.h>

#include "temp.h"

/*
 * Locks fd, and checks that it is a regular file of this user, has one link, and still has its
 * name. Until it is locked, another copy may rename or remove it.
 */
static bool part_is_own(const struct dest_file *file, int fd, struct stat *st)
{
	struct stat named;

	return !flock(fd, LOCK_EX | LOCK_NB) && !fstat(fd, st) && S_ISREG(st->st_mode) &&
	       st->st_uid == geteuid() && st->st_nlink == 1 &&
	       !fstatat(file->dir->fd, file->temp, &named, AT_SYMLINK_NOFOLLOW) &&
	       named.st_dev == st->st_dev && named.st_ino == st->st_ino && !fchmod(fd, 0600);
}

void part_open(struct dest_file *file)
{
	const int flags = O_RDWR | O_CREAT | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC;
	struct stat st;

	temp_part_name(file->temp, file->name, file->size, &file->stamp);
	file->fd = openat(file->dir->fd, file->temp, flags, 0600);
	if (file->fd < 0 || !part_is_own(file, file->fd, &st)) {
		/* It is not ours, or another copy has locked it: use an ordinary temporary. */
		if (file->fd >= 0)
			close(file->fd);
		file->fd = -1;
		file->temp[0] = '\0';
		return;
	}
	file->is_part = file->made = true;
	file->dir->dirty = true;
	file->part = (uint64_t)st.st_size < file->size ? (uint64_t)st.st_size : file->size;
}

uint32_t part_sums(const struct dest_file *file, uint8_t *sums, struct alive *alive)
{
	const uint64_t block = digest_block(file->part);
	uint32_t n = 0;

	for (uint64_t off = 0; off < file->part; off += block, n += DIGEST_BYTES)
		if (digest_part(file->fd, off, block < file->part - off ? block : file->part - off,
				sums + n, alive))
			return 0;
	return n;
}

int part_cut(struct dest_file *file, const struct msg_piece *p, struct copy_fault *f)
{
	const uint64_t keep = p->flags & PIECE_FROM ? p->off : 0;

	if (keep > file->part || (p->flags & PIECE_FROM && !keep))
		return copy_fail(f, COPY_PROTOCOL, "the sender took up more of %s than there is",
				 QUOTED(file->name, strlen(file->name)));
	file->part = 0;
	file->at = file->taken = keep;
	return ftruncate(file->fd, (off_t)keep)
		       ? copy_fail(f, COPY_IO, "cutting %s: %s", DEST_WHERE(file->dir, file->name),
				   strerror(errno))
		       : 0;
}
