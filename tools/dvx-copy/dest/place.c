/* SPDX-License-Identifier: BSD-2-Clause */
#include "place.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/magic.h>
#include <stdio.h>
#include <sys/vfs.h>
#include <unistd.h>

#include "commit.h"
#include "meta.h"

static int place_fail(struct dest_file *file, const char *why)
{
	file->err = errno;
	file->why = why;
	return -1;
}

int place_bytes(int fd, const void *from, size_t n, uint64_t off)
{
	for (const char *p = from; n;) {
		ssize_t done = pwrite(fd, p, n, (off_t)off);

		if (done < 0 && errno == EINTR)
			continue;
		if (done < 0)
			return -1;
		p += done;
		off += (uint64_t)done;
		n -= (size_t)done;
	}
	return 0;
}

static int place_open(const struct dest_file *file, const char *name, int flags)
{
	return openat(file->dir->fd, name, flags | O_WRONLY | O_CLOEXEC,
		      file->meta.has_mode ? file->meta.mode : 0600);
}

static int place_fill(struct dest_file *file, const void *bytes, unsigned int how)
{
	if (place_bytes(file->fd, bytes, file->size, 0))
		return place_fail(file, "written");
	if (meta_apply_plain(file->fd, &file->meta, &file->owner_stays))
		file->meta_err = errno;
	return how & PLACE_SYNC && fsync(file->fd) ? place_fail(file, "synced") : 0;
}

static void place_named(struct dest_file *file, const void *bytes, unsigned int how)
{
	struct copy_fault unused = {0}; /* errno has the reason */

	if (!temp_name(file->temp, &unused))
		file->fd = place_open(file, file->temp, O_CREAT | O_EXCL);
	file->made = file->fd >= 0;
	if (!file->made)
		place_fail(file, "made");
	else if (place_fill(file, bytes, how))
		return;
	else if (how & PLACE_CLOSE && file_close(file))
		place_fail(file, "written");
	else if (how & PLACE_NAME && commit_rename(file))
		place_fail(file, FAULT_NAME);
}

/*
 * Gives a file without a name its name. Before Linux 6.10 linking by descriptor needs a privilege.
 */
static int place_link(const struct dest_file *file)
{
	char path[32];

	if (!linkat(file->fd, "", file->dir->fd, file->name, AT_EMPTY_PATH))
		return 0;
	if (errno != ENOENT)
		return -1;
	snprintf(path, sizeof(path), "/proc/self/fd/%d", file->fd);
	return linkat(AT_FDCWD, path, file->dir->fd, file->name, AT_SYMLINK_FOLLOW);
}

/* Makes the file without a name (O_TMPFILE). Returns whether that is possible here. */
static bool place_unnamed(struct dest_file *file, const void *bytes, unsigned int how)
{
	file->fd = place_open(file, ".", O_TMPFILE);
	if (file->fd < 0)
		return false;
	if (place_fill(file, bytes, how))
		return true;
	file->made = !place_link(file);
	return file_close(file) ? place_fail(file, "written") : file->made;
}

void place_file(struct dest_file *file, const void *bytes, unsigned int how)
{
	const bool unnamed = how & PLACE_UNNAMED && how & PLACE_NAME && file->is_new;

	if (unnamed && place_unnamed(file, bytes, how))
		return;
	file->named_only = unnamed;
	place_named(file, bytes, how);
}

/*
 * Whether the file system is one on which O_TMPFILE was measured to be faster, and on which close()
 * can't fail: the file has its name by then.
 */
bool place_may_unname(struct dest_dir *dir)
{
	struct statfs fs;

	if (dir->unnamed == UNNAMED_UNKNOWN)
		dir->unnamed = !fstatfs(dir->fd, &fs) && (fs.f_type == EXT4_SUPER_MAGIC ||
							  fs.f_type == TMPFS_MAGIC)
				       ? UNNAMED_YES
				       : UNNAMED_NO;
	return dir->unnamed == UNNAMED_YES;
}
