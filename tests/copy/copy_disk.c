/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Proves: a disk that loses data, an interrupt by the user and changes by other programs never
 * damage an existing file, and no file is reported as copied that is not.
 */
#include "tests/test.h"
#include <errno.h>
#include <fcntl.h>
#include <grp.h>
#include <pthread.h>
#include <semaphore.h>
#include <signal.h>
#include <stdio.h>
#include <unistd.h>
#include <linux/magic.h>
#include <sys/stat.h>
#include <sys/vfs.h>

#include "copy_pull.h"
#include "source/resolve.h"

static const char *never; /* the call that fails, as if the disk had lost data */
static off_t never_bytes; /* only the close of a file of this size fails; 0: every one */

int __wrap_syncfs(int fd);
int __real_close(int fd);
int __wrap_close(int fd);

static bool disk_fails(const char *call)
{
	bool fails = never && !strcmp(never, call);

	if (fails)
		errno = EIO;
	return fails;
}

static const char *stop_in; /* the call of a worker during which the user interrupts the copy */
static bool stop_asked;
static pthread_t copier;
static sem_t stopped;

static void on_stop(UNUSED int sig)
{
	int err = errno;

	copy_pull.stop = 1;
	sem_post(&stopped);
	errno = err;
}

static void stop_at(const char *call)
{
	if (!stop_in || strcmp(stop_in, call) != 0 || stop_asked)
		return;
	stop_asked = true;
	pthread_kill(copier, SIGUSR1);
	sem_wait(&stopped);
}

int __wrap_syncfs(UNUSED int fd)
{
	stop_at("syncfs");
	copy_clock_await();
	return disk_fails("syncfs") ? -1 : 0;
}

int __real_renameat(int from, const char *old, int to, const char *new);
int __wrap_renameat(int from, const char *old, int to, const char *new);

int __wrap_renameat(int from, const char *old, int to, const char *new)
{
	stop_at("renameat");
	return __real_renameat(from, old, to, new);
}

int __real_fstatfs(int fd, struct statfs *fs);
int __wrap_fstatfs(int fd, struct statfs *fs);

/* Reports a file system where close() may fail: files must not get their names before it. */
int __wrap_fstatfs(int fd, struct statfs *fs)
{
	int ret = __real_fstatfs(fd, fs);

	if (never)
		fs->f_type = NFS_SUPER_MAGIC;
	return ret;
}

/* Fails for a written file, as NFS does. */
int __wrap_close(int fd)
{
	int flags = fcntl(fd, F_GETFL);
	struct stat st;
	bool lost = !fstat(fd, &st) && S_ISREG(st.st_mode) && (flags & O_ACCMODE) != O_RDONLY &&
		    (!never_bytes || st.st_size == never_bytes);

	__real_close(fd);
	return lost && disk_fails("close") ? -1 : 0;
}

#define SMALL(n) FILE_(#n, 5), LAST(0, (n), 0, 5)
#define LOST	 "could not be written"
/* A call that fails, with this setting of --fsync, and the end of the copy. */
#define LOSS(call, when, text, left, ...)                          \
	{                                                          \
		call, when, PLAY(COPY_IO, text, left, __VA_ARGS__) \
	}

/* The disk reports a loss late: the file must not have its name by then. */
TEST(none, late_losses)
{
	static const struct {
		const char *call;
		enum copy_fsync when;
		struct play play;
	} losses[] = {
		LOSS("syncfs", FSYNC_END, "syncing", 2, DIR_(""), FILE_("f", 0), END(1, 0), UP,
		     DONE),
		LOSS("close", FSYNC_NONE, LOST, 1, DIR_(""), SMALL(1), UP, DONE),
		/* several pieces, and so large that it becomes a part */
		LOSS("close", FSYNC_NONE, LOST, 1, DIR_(""), FILE_("f", 2 * SLOT),
		     DATA(0, 1, 0, SLOT), LAST(1, 1, SLOT, SLOT), UP, DONE),
		LOSS("close", FSYNC_END, LOST, 1, DIR_(""), FILE_("f", 5u << 20),
		     DATA(0, 1, 0, SLOT), END(1, SLOT), UP, DONE),
		LOSS("close", FSYNC_GROUP, LOST, 1, DIR_(""), FILE_("f", 0), END(1, 0), UP, DONE),
	};

	for (size_t i = 0; i < sizeof(losses) / sizeof(losses[0]); i++) {
		never = losses[i].call;
		copy_pull.fsync = losses[i].when;
		copy_pull_expect(&losses[i].play);
	}
	never = NULL;
	copy_pull.fsync = FSYNC_GROUP;
}

/*
 * Pulls so many files that they are closed before the worker's sync; one is large, the last has two
 * pieces.
 */
static struct copy_fault pull_group(void)
{
	enum { FILES = 20 };
	struct copy_msg script[2 * FILES + 10] = {DIR_(""), FILE_("f", 5u << 20),
						  DATA(0, 1, 0, SLOT), END(1, SLOT)},
					   *m = script + 4;
	char names[FILES][4];
	struct copy_fault f;

	copy_pull_fresh(NULL);
	for (uint32_t i = 0; i < FILES; i++) {
		snprintf(names[i], sizeof(names[i]), "%u", i);
		*m = (struct copy_msg)FILE_("", 0);
		m++->name = bytes_text(names[i]);
		*m++ = (struct copy_msg)END(i + 2, 0);
	}
	*m++ = (struct copy_msg)FILE_("g", 2 * SLOT);
	*m++ = (struct copy_msg)DATA(0, FILES + 2, 0, SLOT);
	*m++ = (struct copy_msg)LAST(1, FILES + 2, SLOT, SLOT);
	*m++ = (struct copy_msg)UP;
	*m = (struct copy_msg)DONE;
	f = copy_pull_from(script);
	report_free(&copy_pull.report);
	return f;
}

static void lose_of_group(off_t bytes)
{
	struct copy_fault f;

	never = "close";
	never_bytes = bytes;
	f = pull_group();
	never = NULL;
	never_bytes = 0;
	if (f.code != COPY_IO || !strstr(f.text, LOST))
		fail_msg("code %d, \"%s\"", f.code, f.text);
	assert_int_equal(copy_pull_left(copy_pull.dest), 1);
}

/* The loss concerns all files, or only the last one; syncing the others must not hide it. */
TEST(none, late_loss_of_a_group)
{
	lose_of_group(0);
	lose_of_group(2 * SLOT);
}

/*
 * Interrupts the copy in a worker's call. Complete files get their names; --partial keeps the rest.
 */
static void interrupt_in(const char *call)
{
	struct sigaction act = {.sa_handler = on_stop}, old;
	struct copy_fault f;

	assert_int_equal(sem_init(&stopped, 0, 0), 0);
	copier = pthread_self();
	sigaction(SIGUSR1, &act, &old);
	stop_in = call;
	stop_asked = false;
	f = pull_group();
	stop_in = NULL;
	copy_pull.stop = 0;
	sigaction(SIGUSR1, &old, NULL);
	sem_destroy(&stopped);
	assert_int_equal(f.code, COPY_INTERRUPTED);
}

/* Interrupted while the disk is busy, the copy begins nothing more and leaves no half file. */
TEST(none, interrupted_in_a_sync)
{
	interrupt_in("syncfs");
	copy_pull_left(copy_pull.dest); /* if a worker had begun to rename, the files have names */
}

/* Interrupted while files are renamed: a file that has its name is no longer kept as a part. */
TEST(none, interrupted_in_a_rename)
{
	char path[128];
	struct stat st;

	copy_pull.options = OPTION_PARTIAL;
	interrupt_in("renameat");
	copy_pull.options = 0;
	assert_int_equal(copy_pull_left(copy_pull.dest), 23);
	snprintf(path, sizeof(path), "%s/got/f", copy_pull.dest);
	assert_int_equal(stat(path, &st), 0);
	assert_int_equal(st.st_mode & 0777, 0644);
}

/* --- changes by other programs --- */

static int lost_unlinks; /* calls of unlinkat() for lost1 and lost2 */
static ino_t filled;	 /* an empty directory that gets a file just after it was found empty */

struct dirent *__real_readdir(DIR *list);
struct dirent *__wrap_readdir(DIR *list);
int __real_unlinkat(int dir, const char *name, int flags);
int __wrap_unlinkat(int dir, const char *name, int flags);

static void fill(int dir)
{
	struct stat st;

	if (dir >= 0 && !fstat(dir, &st) && st.st_ino == filled)
		__real_close(openat(dir, "theirs", O_CREAT | O_WRONLY, 0600));
}

struct dirent *__wrap_readdir(DIR *list)
{
	struct dirent *de = __real_readdir(list);

	if (disk_fails("readdir"))
		return NULL;
	if (filled && !de)
		fill(dirfd(list));
	return de;
}

int __wrap_unlinkat(int dir, const char *name, int flags)
{
	int fd = filled && flags & AT_REMOVEDIR ? openat(dir, name, O_RDONLY | O_DIRECTORY) : -1;

	lost_unlinks += !strncmp(name, "lost", 4);
	if (disk_fails("unlinkat"))
		return -1;
	fill(fd);
	__real_close(fd);
	return __real_unlinkat(dir, name, flags);
}

/*
 * A file replaces an empty directory. If the directory is filled meanwhile, it stays without
 * --delete.
 */
TEST(pull, filled_meanwhile)
{
	static const struct copy_msg script[] = {DIR_(""), FILE_("1", 5), UP, DONE, {0}};
	struct copy_fault f;
	char path[128];
	struct stat st;

	snprintf(path, sizeof(path), "%s/got", copy_pull.dest);
	assert_int_equal(mkdir(path, 0755), 0);
	snprintf(path, sizeof(path), "%s/got/1", copy_pull.dest);
	assert_int_equal(mkdir(path, 0755), 0);
	assert_int_equal(stat(path, &st), 0);
	filled = st.st_ino;
	f = copy_pull_from(script);
	filled = 0;
	assert_int_equal(f.code, COPY_OK);
	assert_int_equal(copy_pull.report.skipped, 1);
	report_free(&copy_pull.report);
	assert_int_equal(copy_pull_left(copy_pull.dest), 3); /* got, got/1, got/1/theirs */
}

static void make_read_only(const char *name)
{
	char path[128];

	snprintf(path, sizeof(path), "%s/got", copy_pull.dest);
	mkdir(path, 0755);
	snprintf(path, sizeof(path), "%s/got/%s", copy_pull.dest, name);
	assert_int_equal(mkdir(path, 0755), 0);
	snprintf(path, sizeof(path), "%s/got/%s/extra", copy_pull.dest, name);
	__real_close(open(path, O_CREAT | O_WRONLY, 0600));
	snprintf(path, sizeof(path), "%s/got/%s", copy_pull.dest, name);
	assert_int_equal(chmod(path, 0555), 0);
}

/*
 * A directory that --delete makes writable becomes read-only again, even if deleting in it fails.
 */
TEST(none, failed_delete_in_read_only)
{
	static const struct copy_msg script[] = {
		DIR_(""), {.type = MSG_DIR, .name = TEXT("ro"), .mode = 0555}, UP, UP, DONE, {0}};
	static const char *const names[] = {"extra", "ro"};
	struct copy_fault f;
	char path[128];
	struct stat st;

	copy_pull.options = OPTION_DELETE;
	for (int i = 0; i < 2; i++) {
		copy_pull_fresh(NULL);
		make_read_only(names[i]);
		copy_pull.merges = i;
		never = "unlinkat";
		f = copy_pull_from(script);
		never = NULL;
		report_free(&copy_pull.report);
		assert_int_equal(f.code, COPY_IO);
		snprintf(path, sizeof(path), "%s/got/%s", copy_pull.dest, names[i]);
		assert_int_equal(stat(path, &st), 0);
		assert_int_equal(st.st_mode & 07777, 0555);
	}
	copy_pull.merges = false;
	copy_pull.options = 0;
}

/* After the disk failed in a directory that is to be deleted, nothing more in it is deleted. */
TEST(pull, failed_delete_ends)
{
	static const struct copy_msg script[] = {DIR_(""), UP, DONE, {0}};
	struct copy_fault f;
	char path[128];

	copy_pull.options = OPTION_DELETE;
	make_read_only("extra");
	for (int i = 1; i <= 2; i++) {
		snprintf(path, sizeof(path), "%s/got/extra", copy_pull.dest);
		assert_int_equal(chmod(path, 0755), 0);
		snprintf(path, sizeof(path), "%s/got/extra/lost%d", copy_pull.dest, i);
		__real_close(open(path, O_CREAT | O_WRONLY, 0600));
	}
	snprintf(path, sizeof(path), "%s/got/extra/extra", copy_pull.dest);
	assert_int_equal(unlink(path), 0);
	lost_unlinks = 0;
	never = "unlinkat";
	f = copy_pull_from(script);
	never = NULL;
	report_free(&copy_pull.report);
	copy_pull.options = 0;
	assert_int_equal(f.code, COPY_IO);
	assert_int_equal(lost_unlinks, 1);
}

int __real_mkdirat(int dir, const char *name, mode_t mode);
int __wrap_mkdirat(int dir, const char *name, mode_t mode);
static bool linked;	 /* another program turns the destination's entry into a link meanwhile */
static const char *made; /* another program makes this directory meanwhile, with a file in it */

int __wrap_mkdirat(int dir, const char *name, mode_t mode)
{
	int sub, file;

	if (linked && !symlinkat("outside", dir, name)) {
		errno = EEXIST;
		return -1;
	}
	if (!made || strcmp(name, made) != 0)
		return __real_mkdirat(dir, name, mode);
	assert_int_equal(mode, 0700); /* until the final mode is set */
	assert_int_equal(__real_mkdirat(dir, name, 0700), 0);
	sub = openat(dir, name, O_RDONLY | O_DIRECTORY);
	file = openat(sub, "theirs", O_CREAT | O_WRONLY, 0600);
	assert_int_equal(write(file, "xxxxx", 5), 5);
	assert_int_equal(futimens(file, (const struct timespec[2]){{1000, 0}, {1000, 0}}), 0);
	__real_close(file);
	__real_close(sub);
	errno = EEXIST;
	return -1;
}

TEST(none, linked_meanwhile)
{
	static const struct play play = {
		{DIR_(""), FILE_("f", 0), END(1, 0), UP, DONE}, COPY_IO, "dest", 0};
	struct copy_fault f;

	assert_int_equal(copy_pull_fresh(NULL), 0);
	assert_int_equal(rmdir(copy_pull.dest), 0);
	linked = true;
	f = copy_pull_from(play.script);
	linked = false;
	report_free(&copy_pull.report);
	assert_int_equal(f.code, COPY_IO);
	assert_int_equal(copy_pull_left(copy_pull.outside), 0);
	assert_int_equal(unlink(copy_pull.dest), 0);
}

/* A directory that another program made meanwhile is not assumed to be empty. */
TEST(none, made_meanwhile)
{
	static const struct play play = {
		{DIR_(""), DIR_("d"), FILE_("theirs", 5), UP, UP, DONE}, COPY_OK, "", 3};

	made = "d";
	copy_pull_expect(&play);
	made = NULL;
	assert_int_equal(copy_pull.report.counts.same, 1);
}

#define PART TEMP_PREFIX "0123456789abcdef" TEMP_PART

int __real_flock(int fd, int how);
int __wrap_flock(int fd, int how);

int __wrap_flock(int fd, int how)
{
	const int dir = copy_pull.moving_dir;

	if (copy_pull.moving) {
		assert_int_equal(renameat(dir, copy_pull.moving, dir, "whole"), 0);
		__real_close(openat(dir, copy_pull.moving, O_CREAT | O_WRONLY, 0600));
	}
	return __real_flock(fd, how);
}

/* The clean-up does not remove a part that another copy has begun meanwhile. */
TEST(pull, part_begun_meanwhile)
{
	const int dir = open(copy_pull.dest, O_RDONLY | O_DIRECTORY);
	struct stat st;

	__real_close(openat(dir, PART, O_CREAT | O_WRONLY, 0600));
	copy_pull.moving_dir = dir;
	copy_pull.moving = PART;
	temp_clean(dir);
	copy_pull.moving = NULL;
	assert_int_equal(fstatat(dir, PART, &st, 0), 0);
	__real_close(dir);
}

int __real_linkat(int from, const char *first, int to, const char *name, int flags);
int __wrap_linkat(int from, const char *first, int to, const char *name, int flags);

/* Refuses to link by descriptor, as for a user who is not root. */
int __wrap_linkat(int from, const char *first, int to, const char *name, int flags)
{
	struct stat st;

	assert_int_equal(fstat(to, &st), 0);
	errno = EACCES;
	return st.st_mode & 0200 ? __real_linkat(from, first, to, name, flags) : -1;
}

#define LINKED(n)                                                                                \
	{                                                                                        \
		.type = MSG_FILE, .name = TEXT(n), .mode = 0644, .size = 0, .sec = 1000, .id = 1 \
	}

/* Hard links are made in read-only directories, which have their final modes by then. */
TEST(none, hard_link_in_read_only)
{
	static const struct play play = PLAY(COPY_OK, "", 4, DIR_(""), LINKED("a"), END(1, 0),
					     {.type = MSG_DIR, .name = TEXT("ro"), .mode = 0555},
					     LINKED("b"), UP, UP, DONE);
	char path[128];
	struct stat st;

	copy_pull.options = OPTION_HARD;
	copy_pull_expect(&play);
	copy_pull.options = 0;
	assert_int_equal(copy_pull.report.skipped, 0);
	snprintf(path, sizeof(path), "%s/got/ro", copy_pull.dest);
	assert_int_equal(stat(path, &st), 0);
	assert_int_equal(st.st_mode & 07777, 0555);
}

static int each_path(UNUSED void *arg, UNUSED const uint8_t *path, UNUSED size_t len)
{
	return 0;
}

/* A directory that can't be read to its end is reported: a pattern may have more matches in it. */
TEST(pull, pattern_in_unreadable)
{
	int root = open(copy_pull.dest, O_RDONLY | O_DIRECTORY);
	struct copy_fault f = {0};

	never = "readdir";
	assert_int_not_equal(source_match(root, (const uint8_t *)"*", 1, each_path, NULL, &f), 0);
	never = NULL;
	assert_int_equal(f.code, COPY_IO);
	__real_close(root);
}

/* Returns a local group with very many members, which needs a large buffer. */
int __wrap_getgrnam_r(const char *name, struct group *gr, char *buf, size_t n,
		      struct group **found);
int __wrap_getgrnam_r(UNUSED const char *name, struct group *gr, char *buf, size_t n,
		      struct group **found)
{
	*found = NULL;
	if (n < 100000)
		return ERANGE;
	*gr = (struct group){.gr_name = strcpy(buf, name), .gr_gid = getegid()};
	*found = gr;
	return 0;
}

/* The copy gets the local group of that name, even if it has very many members. */
TEST(pull, large_group)
{
	static const struct copy_msg script[] = {
		{.type = MSG_OWNER, .flags = MSG_IS_GROUP, .id = 4321, .name = TEXT("staff")},
		{.type = MSG_FILE, .name = TEXT(""), .mode = 0644, .gid = 4321},
		END(0, 0),
		DONE,
		{0}};
	struct copy_fault f;
	char path[128];
	struct stat st;

	copy_pull.options = OPTION_GROUP;
	f = copy_pull_from(script);
	copy_pull.options = 0;
	assert_int_equal(f.code, COPY_OK);
	assert_int_equal(copy_pull.report.skipped, 0);
	report_free(&copy_pull.report);
	snprintf(path, sizeof(path), "%s/got", copy_pull.dest);
	assert_int_equal(stat(path, &st), 0);
	assert_int_equal(st.st_gid, getegid());
}
