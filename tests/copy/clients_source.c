/* SPDX-License-Identifier: BSD-2-Clause */
/* Proves: a source that can't be read completely does not look complete. */
#include "tests/test.h"
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stddef.h>
#include <stdio.h>
#include <unistd.h>
#include <sys/stat.h>
#include <sys/syscall.h>

#include "base/acl.h"
#include "base/options.h"
#include "clients.h"

static bool acl_fails;
static int lists = -1; /* directory reads until they fail; negative: none fails */
static uint32_t mode_sent;
static bool error_told, whole_told;
static bool long_name; /* each directory has an entry of more than 255 bytes, as on exfat */

ssize_t __real_llistxattr(const char *path, char *names, size_t n);
ssize_t __wrap_llistxattr(const char *path, char *names, size_t n);
ssize_t __real_lgetxattr(const char *path, const char *name, void *value, size_t n);
ssize_t __wrap_lgetxattr(const char *path, const char *name, void *value, size_t n);
ssize_t __real_getdents64(int fd, void *to, size_t n);
ssize_t __wrap_getdents64(int fd, void *to, size_t n);

ssize_t __wrap_llistxattr(const char *path, char *names, size_t n)
{
	static const char acl[] = "system.posix_acl_access";

	if (!acl_fails)
		return __real_llistxattr(path, names, n);
	memcpy(names, acl, sizeof(acl));
	return sizeof(acl);
}

long __real_syscall(long, ...);
long __wrap_syscall(long nr, long a, long b, long c, long d, long e);

struct openat2_fails openat2_fails;

/* Fails like a kernel without listxattrat(), and as openat2_fails asks. */
long __wrap_syscall(long nr, long a, long b, long c, long d, long e)
{
	errno = ENOSYS;
	if (acl_fails && nr == 465)
		return -1;
	errno = openat2_fails.err;
	if (nr == SYS_openat2 && openat2_fails.err &&
	    (!openat2_fails.path || !strcmp(openat2_fails.path, (const char *)b)))
		return -1;
	return __real_syscall(nr, a, b, c, d, e);
}

ssize_t __wrap_lgetxattr(const char *path, const char *name, void *value, size_t n)
{
	errno = EIO;
	return acl_fails ? -1 : __real_lgetxattr(path, name, value, n);
}

/* Appends an entry to a list of entries of n bytes. */
static ssize_t add_long_name(uint8_t *to, ssize_t n)
{
	enum { LONGEST = 255 * 3, HEAD = offsetof(struct dirent64, d_name) };
	const struct dirent64 head = {.d_reclen = (HEAD + LONGEST + 8) & ~7};

	memcpy(to + n, &head, HEAD);
	memset(to + n + HEAD, 'x', LONGEST);
	memset(to + n + HEAD + LONGEST, 0, head.d_reclen - HEAD - LONGEST);
	return n + head.d_reclen;
}

ssize_t __wrap_getdents64(int fd, void *to, size_t n)
{
	ssize_t got;

	errno = EIO;
	got = lists && lists-- ? __real_getdents64(fd, to, n) : -1;
	return long_name && got > 0 ? add_long_name(to, got) : got;
}

/* Reads messages up to the end of the source: the notices, and the mode of files. */
static void play_unreadable(struct bad_client *a)
{
	struct copy_msg m;

	client_start(a, long_name ? OPTION_TOTALS : 0);
	client_send(a, (struct copy_msg){.type = MSG_PULL, .name = bytes_text(".")});
	while (!link_expect(a->l, MSG_TYPES, &m, &a->f) && m.type != MSG_DONE) {
		if (m.type == MSG_NOTICE)
			error_told = true;
		if (m.type == MSG_FILE)
			mode_sent = m.mode;
		if (m.type == MSG_UP)
			whole_told = m.flags & MSG_WHOLE;
		if (m.type == MSG_DIR || m.type == MSG_FILE)
			client_judge(a, 1, 0);
	}
}

/*
 * A copy that is incomplete does not look complete, and no more users can read it than the source.
 */
TEST(none, unreadable)
{
	char path[80];
	int fd;

	snprintf(path, sizeof(path), "%s/f", clients_work);
	fd = open(path, O_CREAT | O_WRONLY, 0600);
	assert_int_equal(fchmod(fd, 0664), 0);
	close(fd);
	acl_fails = true;
	serve_play(play_unreadable, NULL);
	acl_fails = false;
	assert_true(error_told);
	assert_int_equal(mode_sent, 0604);
	error_told = false;
	lists = 1;
	serve_play(play_unreadable, NULL);
	lists = -1;
	assert_true(error_told);
	assert_int_equal(mode_sent, 0664);
	error_told = false;
	whole_told = long_name = true;
	serve_play(play_unreadable, NULL);
	long_name = false;
	assert_true(error_told && !whole_told);
	unlink(path);
}

enum { USER_OBJ = 1, USER = 2, GROUP_OBJ = 4, MASK = 0x10 };
#define ACL_VERSION	  2, 0, 0, 0
#define ACL_OF(tag, perm) (tag), 0, (perm), 0, 7, 0, 0, 0

/* Without its ACL a file gets the owning group's bits, not the ACL's mask from the mode. */
TEST(none, without_its_acl_a_file_keeps_the_bits_of_its_group)
{
	static const uint8_t acl[] = {ACL_VERSION, ACL_OF(USER_OBJ, 6), ACL_OF(USER, 7),
				      ACL_OF(GROUP_OBJ, 4), ACL_OF(MASK, 7)};

	assert_int_equal(acl_narrow(acl, sizeof(acl), 0674), 0644);
	assert_int_equal(acl_narrow(acl, sizeof(acl), 0624), 0604);
	assert_int_equal(acl_narrow(acl, sizeof(acl) - 8, 0674), 0644);
	assert_int_equal(acl_narrow(acl, sizeof(acl) - 9, 0674), 0604);
}

static unsigned int n_lost, n_sent;

static void play_pattern(struct bad_client *a)
{
	struct copy_msg m;

	n_lost = n_sent = 0;
	client_start(a, 0);
	client_send(a, (struct copy_msg){.type = MSG_PULL, .name = bytes_text("tree/*/d*")});
	while (!link_expect(a->l, MSG_TYPES, &m, &a->f) && m.type != MSG_DONE) {
		if (m.type == MSG_TOP)
			++*(m.flags & MSG_LOST ? &n_lost : &n_sent);
		if (m.type == MSG_NOTICE)
			error_told = m.name.n == strlen(openat2_fails.path) &&
				     !memcmp(m.name.p, openat2_fails.path, m.name.n);
		if (m.type == MSG_FILE)
			client_judge(a, 1, 0);
	}
}

/* A closed directory that a pattern leads into is a lost source, not one without matches. */
TEST(none, pattern_of_closed_directories)
{
	char cmd[160];

	snprintf(cmd, sizeof(cmd), "mkdir -p %s/tree/a %s/tree/b && touch %s/tree/a/d %s/tree/b/d",
		 clients_work, clients_work, clients_work, clients_work);
	assert_int_equal(system(cmd), 0);
	for (int i = 0; i < 2; i++) {
		openat2_fails.path = i ? "tree/b/d" : "tree/b";
		openat2_fails.err = EACCES;
		error_told = false;
		serve_play(play_pattern, NULL);
		openat2_fails.err = 0;
		assert_int_equal(n_sent, 1);
		assert_int_equal(n_lost, 1);
		assert_true(error_told);
	}
	openat2_fails.path = NULL;
	snprintf(cmd, sizeof(cmd), "rm -r %s/tree", clients_work);
	assert_int_equal(system(cmd), 0);
}
