/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Proves: files of other users and programs, excluded entries, and entries that the source may
 * still have stay as they are.
 */
#include "tests/test.h"
#include <fcntl.h>
#include <stdio.h>
#include <unistd.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <sys/xattr.h>

#include "copy_pull.h"
#include "base/filter.h"

int __real_close(int fd);
int __real_flock(int fd, int how);
int __real_linkat(int from, const char *first, int to, const char *name, int flags);

static int part_dir = -1;

static void put_theirs(int dir, const char *name)
{
	int fd = openat(dir, name, O_CREAT | O_WRONLY, 0666);

	assert_int_equal(write(fd, "theirs", 6), 6);
	assert_int_equal(fchmod(fd, 0666), 0);
	__real_close(fd);
}

static int part_link(const char *part)
{
	put_theirs(part_dir, "victim");
	return symlinkat("victim", part_dir, part);
}

static int part_dangling(const char *part)
{
	return symlinkat("victim", part_dir, part);
}

static int part_hard(const char *part)
{
	put_theirs(part_dir, "victim");
	return __real_linkat(part_dir, "victim", part_dir, part, 0);
}

static int part_fifo(const char *part)
{
	return mkfifoat(part_dir, part, 0600);
}

static int part_of_other(const char *part)
{
	put_theirs(part_dir, part);
	return geteuid() ? unlinkat(part_dir, part, 0) || mkfifoat(part_dir, part, 0600)
			 : fchownat(part_dir, part, 65534, (gid_t)-1, 0);
}

static int part_locked(const char *part)
{
	static int fd = -1;

	put_theirs(part_dir, part);
	fd = openat(part_dir, part, O_RDONLY);
	return __real_flock(fd, LOCK_EX);
}

/*
 * Gives the part its final name just now, and begins another, as a finishing and a starting copy
 * do.
 */
static int part_moves(const char *part)
{
	put_theirs(part_dir, part);
	copy_pull.moving_dir = part_dir;
	copy_pull.moving = part;
	return 0;
}

static const char part_name[] = "f";
#define PART_SIZE (5u << 20)

static struct dest_file *part_try(int (*put)(const char *part), struct dest_dir *dir)
{
	struct dest_file *file = calloc(1, sizeof(*file));
	char name[TEMP_BYTES], cmd[160];

	snprintf(cmd, sizeof(cmd), "rm -rf %s/*  %s/.dvx*", copy_pull.dest, copy_pull.dest);
	assert_int_equal(system(cmd), 0);
	part_dir = dir->fd = open(copy_pull.dest, O_RDONLY | O_DIRECTORY);
	file->dir = dir;
	file->size = PART_SIZE;
	strcpy(file->name, part_name);
	temp_part_name(name, file->name, file->size, &file->stamp);
	assert_int_equal(put(name), 0);
	part_open(file);
	return file;
}

static void part_end(struct dest_file *file)
{
	if (file->fd >= 0)
		__real_close(file->fd);
	__real_close(file->dir->fd);
	free(file);
}

static int part_own(const char *part)
{
	put_theirs(part_dir, part);
	return 0;
}

static int part_too_long(const char *part)
{
	int fd = openat(part_dir, part, O_CREAT | O_WRONLY, 0600);
	int bad = ftruncate(fd, PART_SIZE + 1);

	__real_close(fd);
	return bad;
}

/* A part is this user's own file, of one name, that no other copy writes. */
TEST(pull, parts_that_are_none)
{
	static int (*const puts[])(const char *) = {part_link, part_dangling, part_hard,
						    part_fifo, part_of_other, part_locked,
						    part_moves};
	struct dest_dir *dir = calloc(1, sizeof(*dir) + 1);
	struct dest_file *file;
	struct stat st;

	for (size_t i = 0; i < sizeof(puts) / sizeof(puts[0]); i++) {
		file = part_try(puts[i], dir);
		copy_pull.moving = NULL;
		if (file->is_part || file->fd >= 0 || *file->temp)
			fail_msg("%zu was taken for a part", i);
		if (puts[i] == part_dangling)
			assert_int_equal(fstatat(part_dir, "victim", &st, 0), -1);
		part_end(file);
	}
	file = part_try(part_own, dir);
	assert_true(file->is_part && file->made);
	assert_int_equal(file->part, 6);
	assert_int_equal(fstat(file->fd, &st), 0);
	assert_int_equal(st.st_mode & 0777, 0600);
	part_end(file);
	file = part_try(part_too_long, dir);
	assert_int_equal(file->part, PART_SIZE);
	part_end(file);
	free(dir);
}

int __wrap_linkat(int from, const char *first, int to, const char *name, int flags);

/* Makes the next temporary name another name of a file that must not be touched. */
static void take_next_temp(const char *got)
{
	char name[TEMP_BYTES], path[192], victim[128];
	unsigned int n;

	assert_int_equal(temp_name(name), 0);
	assert_int_equal(sscanf(name + strlen(name) - 6, "%6x", &n), 1);
	snprintf(name + strlen(name) - 6, 7, "%06x", (n + 1) & 0xffffff);
	snprintf(path, sizeof(path), "%s/%s", got, name);
	snprintf(victim, sizeof(victim), "%s/victim", copy_pull.outside);
	unlink(victim);
	put_theirs(AT_FDCWD, victim);
	assert_int_equal(__real_linkat(AT_FDCWD, victim, AT_FDCWD, path, 0), 0);
}

/* A temporary file is created, not opened: by this thread, and by the workers. */
TEST(none, temporaries_are_new)
{
	static const struct copy_msg scripts[][8] = {
		{DIR_(""), FILE_("f", 2 * SLOT), DATA(0, 1, 0, SLOT), LAST(1, 1, SLOT, SLOT), UP,
		 DONE},
		{DIR_(""), FILE_("f", 5), LAST(0, 1, 0, 5), UP, DONE},
	};
	char got[128], victim[128], text[16] = "";
	int fd;

	snprintf(got, sizeof(got), "%s/got", copy_pull.dest);
	snprintf(victim, sizeof(victim), "%s/victim", copy_pull.outside);
	for (size_t i = 0; i < 2; i++) {
		copy_pull_fresh(NULL);
		assert_int_equal(mkdir(got, 0755), 0);
		take_next_temp(got);
		copy_pull_from(scripts[i]);
		report_free(&copy_pull.report);
		fd = open(victim, O_RDONLY);
		assert_int_equal(read(fd, text, sizeof(text)), 6);
		assert_string_equal(text, "theirs");
		__real_close(fd);
		unlink(victim);
	}
}

/* --inplace opens an entry of the name only if it is a regular file, and follows no link. */
TEST(none, in_place)
{
	static const struct copy_msg script[] = {
		DIR_(""), FILE_("f", 2 * SLOT), END(1, 0), UP, DONE, {0}};
	char path[160], victim[128];
	struct stat st;
	int fd;

	snprintf(victim, sizeof(victim), "%s/victim", copy_pull.outside);
	snprintf(path, sizeof(path), "%s/got", copy_pull.dest);
	copy_pull.options = OPTION_INPLACE;
	for (int kind = 0; kind < 3; kind++) {
		copy_pull_fresh(NULL);
		assert_int_equal(mkdir(path, 0755), 0);
		fd = open(path, O_RDONLY | O_DIRECTORY);
		put_theirs(AT_FDCWD, victim);
		if (kind == 0) {
			assert_int_equal(symlinkat("../../outside/victim", fd, "f"), 0);
		} else if (kind == 1) {
			assert_int_equal(mkfifoat(fd, "f", 0600), 0);
		} else {
			put_theirs(fd, "f");
			assert_int_equal(truncate(victim, 6), 0);
		}
		copy_pull_from(script);
		assert_int_equal(copy_pull.report.skipped, kind == 1);
		report_free(&copy_pull.report);
		assert_int_equal(stat(victim, &st), 0);
		assert_int_equal(st.st_size, 6);
		assert_int_equal(fstatat(fd, "f", &st, AT_SYMLINK_NOFOLLOW), 0);
		if (kind != 1) {
			char c = 1;
			int f = openat(fd, "f", O_RDONLY);

			assert_int_equal(st.st_size, 2 * SLOT);
			assert_int_equal(pread(f, &c, 1, 0), 1);
			assert_int_equal(c, 0); /* a hole: nothing of "theirs" shows through */
			__real_close(f);
		}
		__real_close(fd);
		unlink(victim);
	}
	copy_pull.options = 0;
}

/* The first mode of a temporary is never wider than the final one, nor set-user-id. */
TEST(none, first_modes)
{
	struct dest_xattr x = {.n = 0};
	const struct {
		uint32_t mode, uid;
		struct dest_xattr *xattrs;
		bool acl;
		uint32_t first;
	} rows[] = {
		{0644, UINT32_MAX, NULL, false, 0644},	{0600, UINT32_MAX, NULL, false, 0600},
		{0664, UINT32_MAX, NULL, false, 0600}, /* the umask would remove a bit */
		{04644, UINT32_MAX, NULL, false, 0600}, {02644, UINT32_MAX, NULL, false, 0600},
		{01644, UINT32_MAX, NULL, false, 0600}, {0644, 7, NULL, false, 0600},
		{0644, UINT32_MAX, &x, false, 0600},	{0644, UINT32_MAX, NULL, true, 0600},
	};
	struct dest_dir *dir = calloc(1, sizeof(*dir) + 1);
	const struct dest d = {.role = &(struct copy_role){.umask = 022}};

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct dest_file file = {.dir = dir,
					 .meta = {.mode = rows[i].mode,
						  .uid = rows[i].uid,
						  .gid = UINT32_MAX,
						  .xattrs = rows[i].xattrs}};

		dir->acl = rows[i].acl ? ACL_SOME : ACL_NONE;
		assert_int_equal(file_first_mode(&d, &file), rows[i].first);
		assert_int_equal(file.meta.has_mode, i < 2);
	}
	free(dir);
}

/*
 * With -p alone the user who runs the copy owns the file, so set-user-id and set-group-id are
 * dropped: they would grant the rights of that user.
 */
TEST(none, modes_without_owners)
{
	struct dest d = {.options.bits = OPTION_PERMS};
	struct dest_meta meta = {.mode = 07755};

	assert_int_equal(meta_compare(&d, NULL, "f", NULL, &meta), 0);
	assert_false(meta_owned(&meta));
	assert_int_equal(meta.mode, 01755);
}

/* -A copies and compares ACLs, and no other attribute that a sender sends; -X the others. */
TEST(pull, attributes_by_letter)
{
	static const struct copy_msg script[] = {
		DIR_(""),
		{.type = MSG_XATTR, .name = TEXT("user.x"), .text = TEXT("1")},
		FILE_("f", 5),
		LAST(0, 1, 0, 5),
		UP,
		DONE,
		{0}};
	static const uint32_t letters[] = {OPTION_ACLS, OPTION_XATTRS};
	struct dest_xattr x = {.value = (uint8_t[]){'1'}, .n = 1, .name = "user.x"};
	const struct dest_meta none = {.mode = 0644}, same = {.mode = 0644, .xattrs = &x};
	struct dest_dir *dir = calloc(1, sizeof(*dir) + 1);
	struct dest d = {0};
	struct copy_fault f;
	char path[128], value[2];

	snprintf(path, sizeof(path), "%s/got/f", copy_pull.dest);
	for (int i = 0; i < 2; i++) {
		assert_int_equal(copy_pull_fresh(NULL), 0);
		copy_pull.options = letters[i];
		f = copy_pull_from(script);
		report_free(&copy_pull.report);
		copy_pull.options = 0;
		assert_int_equal(f.code, COPY_OK);
		assert_int_equal(getxattr(path, "user.x", value, sizeof(value)), i ? 1 : -1);
	}
	*strrchr(path, '/') = '\0';
	dir->fd = open(path, O_RDONLY | O_DIRECTORY);
	for (int i = 0; i < 2; i++) {
		d.options.bits = letters[i];
		assert_int_equal(xattr_compare(&d, dir, "f", &none), i ? VERDICT_XATTR : 0);
	}
	assert_int_equal(xattr_compare(&d, dir, "f", &same), 0);
	__real_close(dir->fd);
	free(dir);
}

/* A FIFO is not replaced by a file. */
TEST(pull, dest_is_a_fifo)
{
	static const struct copy_msg script[] = {FILE_("", 0), END(0, 0), DONE, {0}};
	struct copy_fault f;
	struct stat st;

	assert_int_equal(rmdir(copy_pull.dest), 0);
	assert_int_equal(mkfifo(copy_pull.dest, 0600), 0);
	f = copy_pull_from(script);
	report_free(&copy_pull.report);
	assert_int_equal(f.code, COPY_IO);
	assert_non_null(strstr(f.text, "neither a file nor a directory"));
	assert_int_equal(stat(copy_pull.dest, &st), 0);
	assert_true(S_ISFIFO(st.st_mode));
}

static void delete_case(const struct copy_msg *script, struct filter *filter, const char *name,
			bool stays)
{
	char path[160];
	struct copy_fault f;
	struct stat st;

	assert_int_equal(copy_pull_fresh(NULL), 0);
	snprintf(path, sizeof(path), "%s/got", copy_pull.dest);
	assert_int_equal(mkdir(path, 0755), 0);
	snprintf(path, sizeof(path), "%s/got/%s", copy_pull.dest, name);
	put_theirs(AT_FDCWD, path);
	copy_pull.filter = filter;
	f = copy_pull_from(script);
	copy_pull.filter = NULL;
	report_free(&copy_pull.report);
	assert_int_equal(f.code, COPY_OK);
	assert_int_equal(stat(path, &st), stays ? 0 : -1);
}

/*
 * --delete spares excluded entries, another copy's temporaries, and everything if the list is
 * incomplete.
 */
TEST(none, deleted)
{
	static const struct copy_msg whole[] = {DIR_(""), UP, DONE, {0}},
				     part[] = {DIR_(""), {.type = MSG_UP}, DONE, {0}};
	struct filter filter = {0};
	struct copy_fault f = {0};

	assert_int_equal(filter_add(&filter, "extra", false, &f), 0);
	copy_pull.options = OPTION_DELETE;
	delete_case(whole, NULL, "extra", false);
	delete_case(part, NULL, "extra", true);
	delete_case(whole, &filter, "extra", true);
	delete_case(whole, NULL, TEMP_PREFIX "other", true);
	copy_pull.options = OPTION_DELETE | OPTION_DRY;
	delete_case(whole, NULL, "extra", true);
	copy_pull.options = 0;
	delete_case(whole, NULL, "extra", true);
	filter_free(&filter);
}

/*
 * An excluded entry keeps its directory, without a message; a directory that is too deep is
 * reported.
 */
TEST(none, deleted_trees)
{
	static const struct copy_msg whole[] = {DIR_(""), UP, DONE, {0}};
	struct filter filter = {0};
	struct copy_fault f = {0};
	char cmd[512];

	assert_int_equal(filter_add(&filter, "kept", false, &f), 0);
	copy_pull.options = OPTION_DELETE;
	for (int deep = 0; deep < 2; deep++) {
		assert_int_equal(copy_pull_fresh(NULL), 0);
		snprintf(cmd, sizeof(cmd),
			 "mkdir -p %s/got/extra && cd %s/got/extra && if [ %d = 1 ]; then "
			 "mkdir -p $(for i in $(seq 600); do printf a/; done); else : >kept; fi",
			 copy_pull.dest, copy_pull.dest, deep);
		assert_int_equal(system(cmd), 0);
		copy_pull.filter = &filter;
		f = copy_pull_from(whole);
		copy_pull.filter = NULL;
		report_free(&copy_pull.report);
		assert_int_equal(f.code, COPY_OK);
		assert_int_equal(copy_pull.report.skipped > 0, deep);
		snprintf(cmd, sizeof(cmd), "test -d %s/got/extra", copy_pull.dest);
		assert_int_equal(system(cmd), 0);
	}
	copy_pull.options = 0;
	filter_free(&filter);
}

static bool folds; /* the name "photos" leads to "Photos", as on vfat */

static const char *folded(const char *name)
{
	return folds && !strcmp(name, "photos") ? "Photos" : name;
}

int __real_fstatat(int dir, const char *name, struct stat *st, int flags);
int __wrap_fstatat(int dir, const char *name, struct stat *st, int flags);
int __real_openat(int dir, const char *name, int flags, ...);
int __wrap_openat(int dir, const char *name, int flags, mode_t mode);

int __wrap_fstatat(int dir, const char *name, struct stat *st, int flags)
{
	return __real_fstatat(dir, folded(name), st, flags);
}

int __wrap_openat(int dir, const char *name, int flags, mode_t mode)
{
	return __real_openat(dir, folded(name), flags, mode);
}

/* --delete spares an entry that a listed name leads to, although it has another one. */
TEST(none, names_that_fold)
{
	static const struct copy_msg script[] = {
		DIR_(""), DIR_("photos"), FILE_("x", 6), UP, UP, DONE, {0}};
	struct copy_fault f;
	char cmd[256];

	copy_pull.options = OPTION_DELETE;
	for (int merges = 0; merges < 2; merges++) {
		assert_int_equal(copy_pull_fresh(NULL), 0);
		snprintf(cmd, sizeof(cmd),
			 "cd %s && mkdir -p got/Photos got/extra && printf theirs >got/Photos/x && "
			 "touch -d @1000 got/Photos/x",
			 copy_pull.dest);
		assert_int_equal(system(cmd), 0);
		copy_pull.merges = merges;
		folds = true;
		f = copy_pull_from(script);
		folds = false;
		report_free(&copy_pull.report);
		assert_int_equal(f.code, COPY_OK);
		snprintf(cmd, sizeof(cmd), "cd %s/got && test -s Photos/x && ! test -e extra",
			 copy_pull.dest);
		assert_int_equal(system(cmd), 0);
	}
	copy_pull.merges = false;
	copy_pull.options = 0;
}

/* An excluded directory stays where the source has a file of its name. */
TEST(none, excluded_in_the_way)
{
	static const struct copy_msg script[] = {DIR_(""), FILE_("dir", 0), UP, DONE, {0}};
	struct filter filter = {0};
	struct copy_fault f = {0};
	char cmd[256];

	assert_int_equal(filter_add(&filter, "dir/", false, &f), 0);
	assert_int_equal(copy_pull_fresh(NULL), 0);
	snprintf(cmd, sizeof(cmd), "mkdir -p %s/got/dir && touch %s/got/dir/x", copy_pull.dest,
		 copy_pull.dest);
	assert_int_equal(system(cmd), 0);
	copy_pull.options = OPTION_DELETE;
	copy_pull.filter = &filter;
	f = copy_pull_from(script);
	copy_pull.filter = NULL;
	copy_pull.options = 0;
	assert_int_equal(f.code, COPY_OK);
	assert_int_equal(copy_pull.report.skipped, 1);
	report_free(&copy_pull.report);
	assert_int_equal(copy_pull_left(copy_pull.dest), 3);
	filter_free(&filter);
}

/* Whether a temporary of process pid, on another machine if strange, is removed. */
static bool is_cleaned(unsigned int pid, bool strange)
{
	const int dir = open(copy_pull.dest, O_RDONLY | O_DIRECTORY);
	char name[TEMP_BYTES], *home = name + strlen(TEMP_PREFIX);
	struct stat st;
	bool cleaned;

	assert_int_equal(temp_name(name), 0);
	snprintf(home + 4, 13, "%06x%06x", pid & 0xffffff, 1u);
	if (strange)
		home[0] = home[0] == '0' ? '1' : '0';
	put_theirs(dir, name);
	temp_clean(dir);
	cleaned = fstatat(dir, name, &st, 0);
	unlinkat(dir, name, 0);
	__real_close(dir);
	return cleaned;
}

/* Temporaries are removed if their process is dead; another machine's only after a day. */
TEST(pull, temporaries_of_others)
{
	const pid_t dead = fork();

	if (!dead)
		_exit(0);
	assert_int_equal(waitpid(dead, NULL, 0), dead);
	assert_false(is_cleaned((unsigned int)getpid(), false));
	assert_false(is_cleaned((unsigned int)getppid(), false));
	assert_true(is_cleaned((unsigned int)dead, false));
	assert_false(is_cleaned((unsigned int)dead, true));
}
