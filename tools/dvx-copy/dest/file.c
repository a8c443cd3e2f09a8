/* SPDX-License-Identifier: BSD-2-Clause */
/* Files: compares them with what is there, and writes them. */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/xattr.h>
#include <unistd.h>
#include <sys/file.h>

#include "base/acl.h"
#include "base/digest.h"
#include "dest.h"

/* --- parts --- */

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

/* Handles the first piece: cuts the part to the length that the sender found right, or 0. */
static int part_cut(const struct dest *d, struct dest_file *file, const struct msg_piece *p)
{
	const uint64_t keep = p->flags & PIECE_FROM ? p->off : 0;

	if (keep > file->part || (p->flags & PIECE_FROM && !keep))
		return dest_breach(d, "took up more of %s than there is", SHOWN(file->name));
	file->part = 0;
	file->at = file->taken = keep;
	return ftruncate(file->fd, (off_t)keep)
		       ? copy_fail(d->f, COPY_IO, "cutting %s: %s",
				   DEST_WHERE(file->dir, file->name), strerror(errno))
		       : 0;
}

/* Writeback starts after this many bytes, so that the final sync is short. */
#define WRITE_BEHIND (8u << 20)

static void file_discard(struct dest *d, struct dest_file *file, bool keep);

/* Reports the failure, and removes what was written: the other files may need the space. */
static int file_fault(struct dest *d, struct dest_file *file, const char *what)
{
	int bad = dest_fault(d, file->dir, what, file->name);

	if (bad < 0)
		return -1;
	file->failed = true;
	file_discard(d, file, false);
	return 1;
}

void file_link_to(struct dest_file **list, struct dest_file *file)
{
	file->next = *list;
	file->link = list;
	if (*list)
		(*list)->link = &file->next;
	*list = file;
}

void file_unlink_from(struct dest_file *file)
{
	*file->link = file->next;
	if (file->next)
		file->next->link = file->link;
}

/*
 * Flushes a file by closing it: NFS, and file systems with quotas, may report lost data at close()
 * only. A part has to stay open for its lock, so a duplicate is closed: each close() flushes the
 * file.
 */
int file_close(struct dest_file *file)
{
	int fd = file->fd;

	if (fd < 0)
		return 0;
	if (file->is_part)
		fd = fcntl(fd, F_DUPFD_CLOEXEC, 0);
	else
		file->fd = -1;
	return fd < 0 ? -1 : close(fd);
}

/* Removes the temporary file, unless it was renamed or is kept for the next copy. */
static void file_discard(struct dest *d, struct dest_file *file, bool keep)
{
	if (keep)
		/* A complete file may have its final mode already. */
		(void)!fchmod(file->fd, 0600);
	else if (file->temp[0])
		unlinkat(file->dir->fd, file->temp, 0);
	file->temp[0] = '\0';
	d->parts_open -= file->is_part;
	file->is_part = false;
	if (file->fd >= 0)
		close(file->fd);
	file->fd = -1;
}

/* Frees a file that is on no list. */
int file_drop(struct dest *d, struct dest_file *file)
{
	struct dest_dir *dir = file->dir;

	file_discard(d, file, d->keep && file->is_part && file->temp[0]);
	meta_free(&file->meta);
	free(file);
	return dest_dir_unref(d, dir);
}

/* --- comparing --- */

static bool same_digest(struct dest *d, const struct dest_dir *dir, const char *name,
			struct copy_bytes theirs)
{
	uint8_t ours[DIGEST_BYTES];

	return theirs.n == DIGEST_BYTES && !digest_at(dir->fd, name, ours, &d->alive) &&
	       !memcmp(ours, theirs.p, DIGEST_BYTES);
}

bool file_is_newer(const struct dest *d, const struct stat *st, const struct copy_msg *m)
{
	if (!(d->options.bits & OPTION_UPDATE) || m->type != MSG_FILE || !S_ISREG(st->st_mode) ||
	    meta_same_time(d, &(struct timespec){m->sec, m->nsec}, &st->st_mtim))
		return false;
	return st->st_mtim.tv_sec > m->sec ||
	       (st->st_mtim.tv_sec == m->sec && st->st_mtim.tv_nsec > (long)m->nsec);
}

static uint32_t file_data_differs(struct dest *d, const char *name, const struct copy_msg *m,
				  const struct stat *st)
{
	if ((uint64_t)st->st_size != m->size)
		return VERDICT_SIZE | VERDICT_DATA;
	if (d->options.bits & OPTION_CHECKSUM)
		return same_digest(d, d->now, name, m->text) ? 0 : VERDICT_SUM | VERDICT_DATA;
	return meta_same_time(d, &(struct timespec){m->sec, m->nsec}, &st->st_mtim) ? 0
										    : VERDICT_DATA;
}

/* Compares the file with the entry of its name. A directory that this copy made has none. */
static int file_compare(struct dest *d, const char *name, const struct copy_msg *m,
			struct dest_meta *meta, uint32_t *verdict)
{
	const bool fresh = d->now->origin == ORIGIN_NEW;
	struct stat st;
	int way = 1;

	if (fresh || fstatat(d->now->fd, name, &st, AT_SYMLINK_NOFOLLOW)) {
		if (!fresh && errno != ENOENT) {
			*verdict = VERDICT_LEFT;
			return dest_fault(d, d->now, "examined", name);
		}
		*verdict = VERDICT_NEW | VERDICT_DATA | meta_compare(d, d->now, name, NULL, meta);
		return 0;
	}
	if (S_ISDIR(st.st_mode) && (way = delete_in_way(d, name)) <= 0) {
		*verdict = VERDICT_LEFT;
		return way < 0 ? -1 : 1;
	}
	if (!S_ISREG(st.st_mode)) {
		*verdict = VERDICT_NEW | VERDICT_DATA | meta_compare(d, d->now, name, NULL, meta);
		return 0;
	}
	if (file_is_newer(d, &st, m)) {
		*verdict = VERDICT_NEWER;
		return 1;
	}
	*verdict = file_data_differs(d, name, m, &st) | meta_compare(d, d->now, name, &st, meta);
	return 0;
}

static int file_new(struct dest *d, const struct copy_msg *m, const char *name,
		    struct dest_meta *meta, struct dest_found *found)
{
	struct dest_file *file = calloc(1, sizeof(*file));

	if (!file)
		return copy_no_memory(d->f);
	strcpy(file->name, name);
	file->fd = -1;
	file->dir = d->now;
	file->dir->refs++;
	file->size = m->size;
	file->hard = m->id;
	file->is_new = found->verdict & VERDICT_NEW;
	file->stamp = (struct timespec){m->sec, m->nsec};
	file->meta = *meta;
	/* Set-user-id of the old contents must not apply to the new ones. */
	if (!(d->options.bits & OPTION_PERMS))
		file->meta.mode &= 01777;
	meta->xattrs = NULL;
	file_link_to(&d->open, file);
	found->file = file;
	found->verdict |= VERDICT_WANT;
	if (file->size < MSG_PART_LEAST || d->options.bits & OPTION_INPLACE)
		return 0;
	part_open(file);
	d->parts_open += file->is_part;
	return dest_spare(d, d->parts_open);
}

/* Compares the file with the one there, and prepares what differs. */
static int file_judge(struct dest *d, const struct copy_msg *m, const char *name,
		      struct dest_meta *meta, struct dest_found *found)
{
	int ret = file_compare(d, name, m, meta, &found->verdict);

	if (ret)
		return ret;
	if (d->options.bits & OPTION_DRY)
		return 0;
	if (found->verdict & VERDICT_DATA)
		return file_new(d, m, name, meta, found);
	if (found->verdict && (ret = meta_apply_at(d, d->now, name, false, meta)) > 0)
		found->verdict = VERDICT_LEFT;
	return ret;
}

int dest_add_file(struct dest *d, const struct copy_msg *m, struct dest_found *found)
{
	char name[NAME_MAX + 1];
	int ret = dest_name(d, m, name);
	struct dest_meta meta;

	meta_take(d, m, &meta);
	if (ret) {
		found->verdict = VERDICT_LEFT;
	} else if (!(ret = hard_later(d, m, name, found))) {
		ret = file_judge(d, m, name, &meta, found);
		hard_judged(d, m->id, found->verdict);
	}
	meta_free(&meta);
	return ret < 0 ? -1 : 0;
}

/* --- writing --- */

/* Whether new entries inherit a default ACL, which replaces the umask. */
static bool file_gets_acl(struct dest_dir *dir)
{
	if (dir->acl == ACL_UNKNOWN)
		dir->acl = fgetxattr(dir->fd, ACL_DEFAULT, NULL, 0) < 0 &&
					   (errno == ENODATA || errno == EOPNOTSUPP)
				   ? ACL_NONE
				   : ACL_SOME;
	return dir->acl == ACL_SOME;
}

/*
 * Returns the mode to make a temporary with: the final mode, if that gives nobody more access than
 * they have afterwards. It saves a call per file.
 */
uint32_t file_first_mode(const struct dest *d, struct dest_file *file)
{
	struct dest_meta *meta = &file->meta;

	meta->has_mode = !(meta->mode & (07000 | d->role->umask)) && !meta_owned(meta) &&
			 !meta->xattrs && !file_gets_acl(file->dir);
	return meta->has_mode ? meta->mode : 0600;
}

/*
 * Sets an old time: a half-written file must not look newer than the source's, or -u would skip it.
 * Each write in place sets the time to now. The source's time is set at the end; a file of another
 * owner keeps the time of the write.
 */
static void file_set_old(const struct dest_file *file)
{
	const time_t old = file->stamp.tv_sec > 0 ? 0 : file->stamp.tv_sec - 1;
	const struct timespec times[2] = {{.tv_nsec = UTIME_OMIT}, {.tv_sec = old}};

	(void)!futimens(file->fd, times);
}

/* Opens a read-only file of this user for writing, and leaves its mode as it was. */
static int file_open_read_only(const struct dest_file *file, int flags)
{
	int at = openat(file->dir->fd, file->name, O_PATH | O_NOFOLLOW | O_CLOEXEC), fd = -1;
	char path[PATH_MAX];
	struct stat st;

	if (at < 0)
		return -1;
	snprintf(path, sizeof(path), "/proc/self/fd/%d", at);
	if (!fstat(at, &st) && S_ISREG(st.st_mode) && !chmod(path, (st.st_mode & 07777) | 0200)) {
		fd = open(path, flags & ~(O_CREAT | O_NOFOLLOW));
		(void)!chmod(path, st.st_mode & 07777);
	}
	close(at);
	return fd;
}

/* Makes the temporary, or opens the file itself with --inplace. */
static int file_make(struct dest *d, struct dest_file *file)
{
	int flags = O_WRONLY | O_CREAT | O_NOFOLLOW | O_CLOEXEC | O_NONBLOCK;
	bool inplace = d->options.bits & OPTION_INPLACE;
	struct stat st;

	if (!inplace && temp_name(file->temp))
		return file_fault(d, file, "made");
	/* A symbolic link is replaced, as without --inplace. */
	if (inplace && !fstatat(file->dir->fd, file->name, &st, AT_SYMLINK_NOFOLLOW) &&
	    S_ISLNK(st.st_mode) && unlinkat(file->dir->fd, file->name, 0))
		return file_fault(d, file, "replaced");
	file->fd =
		openat(file->dir->fd, inplace ? file->name : file->temp,
		       flags | (inplace ? 0 : O_EXCL), inplace ? 0600 : file_first_mode(d, file));
	if (file->fd < 0 && inplace && errno == EACCES) {
		file->fd = file_open_read_only(file, flags);
		errno = EACCES;
	}
	if (file->fd < 0) {
		file->temp[0] = '\0';
		return file_fault(d, file, inplace ? "opened for writing" : "made");
	}
	file->made = true;
	file->dir->dirty = true;
	if (inplace && (fstat(file->fd, &st) || !S_ISREG(st.st_mode))) {
		errno = EINVAL;
		return file_fault(d, file, "written in place");
	}
	/*
	 * The old data must not show through the source's holes, which are not sent. A new file is
	 * not truncated: on ext4, close() of a file that was truncated to zero writes all of it.
	 */
	if (inplace && st.st_size && ftruncate(file->fd, 0))
		return file_fault(d, file, "emptied");
	if (inplace)
		file_set_old(file);
	return 0;
}

int dest_expect(const struct dest *d, struct dest_file *file, const struct msg_piece *p)
{
	const char *name = SHOWN(file->name);

	if ((file->part || p->flags & PIECE_FROM) && part_cut(d, file, p))
		return -1;
	if (p->off > file->size || p->len > file->size - p->off)
		return dest_breach(d, "sent data past the end of %s", name);
	if (p->off < file->at)
		return dest_breach(d, "sent a part of %s twice", name);
	file->at = p->off + p->len;
	file->expected += p->len;
	return 0;
}

/* Completes a file that is on the ready list. */
static int file_complete(struct dest *d, struct dest_file *file)
{
	const uint64_t written = file->written;
	int bad = file->made ? 0 : file_make(d, file);

	if (bad)
		return bad;
	/* Sets the size for a hole at the end, and cuts a longer file that is written in place. */
	if ((written < file->size || d->options.bits & OPTION_INPLACE) &&
	    ftruncate(file->fd, (off_t)file->size))
		return file_fault(d, file, "given its size");
	return commit_add(d, file);
}

int file_leave(struct dest *d, struct dest_file *file)
{
	hard_lose(d, file->hard);
	file_unlink_from(file);
	return file_drop(d, file);
}

/* Completes the file once its end was announced and all its pieces are written. */
static int file_settle(struct dest *d, struct dest_file *file)
{
	int bad;

	if (!file->ended || file->written < file->expected)
		return 0;
	if (file->broken || file->failed)
		return file_leave(d, file);
	file_unlink_from(file);
	file_link_to(&d->ready, file);
	bad = file_complete(d, file);
	return bad > 0 ? file_leave(d, file) : bad;
}

static bool file_is_zero(const char *p, size_t n)
{
	return !*p && !memcmp(p, p + 1, n - 1);
}

#define SPARSE_BLOCK 4096u

/* Returns how many bytes from here on are alike: to be written, or to be left as a hole. */
static size_t file_run(const struct dest *d, const char *p, size_t n, bool *hole)
{
	size_t run = 0;

	*hole = false;
	if (!(d->options.bits & OPTION_SPARSE) || d->options.bits & OPTION_INPLACE)
		return n;
	*hole = n >= SPARSE_BLOCK && file_is_zero(p, SPARSE_BLOCK);
	while (run + SPARSE_BLOCK <= n && file_is_zero(p + run, SPARSE_BLOCK) == *hole)
		run += SPARSE_BLOCK;
	return *hole ? run : run + SPARSE_BLOCK > n ? n : run;
}

/* Writes the runs of a slot. A hole is only counted; the size is set at the end. */
static int file_put_runs(struct dest *d, struct dest_file *file, const char *from, size_t n,
			 uint64_t off)
{
	size_t holes = 0;
	bool hole;

	for (size_t at = 0, run; at < n; at += run) {
		run = file_run(d, from + at, n - at, &hole);
		if (!hole && place_bytes(file->fd, from + at, run, off + at))
			return file_fault(d, file, "written");
		holes += hole ? run : 0;
	}
	file->written -= holes;
	file->expected -= holes;
	return 0;
}

static int file_take(struct dest *d, struct dest_file *file, const void *p, size_t n, uint64_t off)
{
	int bad = file->failed ? 1 : file->made ? 0 : file_make(d, file);

	if (!bad)
		bad = file_put_runs(d, file, p, n, off);
	if (d->options.bits & OPTION_INPLACE && file->fd >= 0)
		file_set_old(file);
	if (bad)
		return bad;
	d->counts->bytes += n;
	file->behind += n;
	if (file->behind >= WRITE_BEHIND && d->options.fsync != FSYNC_NONE) {
		sync_file_range(file->fd, 0, 0, SYNC_FILE_RANGE_WRITE);
		file->behind = 0;
	}
	return 0;
}

int dest_write(struct dest *d, struct dest_file *file, const void *p, size_t n, uint64_t off)
{
	if (file_take(d, file, p, n, off) < 0)
		return -1;
	file->written += n;
	return file_settle(d, file);
}

int dest_end_file(struct dest *d, struct dest_file *file, bool broken)
{
	file->ended = true;
	file->broken = broken;
	return file_settle(d, file);
}

void dest_drop_files(struct dest *d)
{
	struct dest_file **lists[] = {&d->open, &d->flying, &d->ready, &d->synced};

	for (size_t i = 0; i < sizeof(lists) / sizeof(lists[0]); i++) {
		while (*lists[i]) {
			struct dest_file *file = *lists[i];

			file_unlink_from(file);
			file_drop(d, file);
		}
	}
}
