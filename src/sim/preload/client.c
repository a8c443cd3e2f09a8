/* SPDX-License-Identifier: BSD-2-Clause */
#include "client_priv.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/sysmacros.h>
#include "base/bar_file.h"
#include "base/log.h"
#include "link/link.h"
#include "real.h"
#include "sysfs/sysfs.h"
#include "uverbs/resource.h"

#define CFILES 4096 /* an event channel of librdmacm is a file, too */

/* Read without a lock by hooks in signal handlers; changed under `lock`. */
static struct {
	const char *sysfs; /* NULL: no device */
	struct link_function function;
	int pid;
	int open; /* files in use */
	struct ticket_lock lock;
	bool asked; /* client_sysfs() */
} client;

static struct cfile files[CFILES];
static unsigned int files_end; /* slots from here on have never been used */

/*
 * Set while this thread holds the lock. Hooks then pass calls to libc: a malloc() inside the client
 * half may call munmap().
 */
static __thread bool inside __attribute__((tls_model("initial-exec")));

bool client_inside(bool now)
{
	bool was = inside;

	inside = now;
	return was;
}

bool client_is_this_process(void)
{
	return getpid() == client.pid;
}

void client_enter(struct lock_saved *held)
{
	ticket_lock(&client.lock, held);
	inside = true;
}

void client_leave(const struct lock_saved *held)
{
	inside = false;
	ticket_unlock(&client.lock, held);
}

void client_in_child(void)
{
	client.pid = getpid();
	ticket_reset(&client.lock);
	inside = false;
	for (unsigned int i = 0; i < files_end; i++) {
		ticket_reset(&files[i].lock);
		if (files[i].ino)
			cfile_disconnect(&files[i]);
	}
}

void client_init(const char *sysfs, const struct link_function *function)
{
	client.function = *function;
	client.pid = getpid();
	client.sysfs = sysfs; /* from here on there is a device for the hooks */
	real();
}

void client_fini(void)
{
	bool was = inside;

	inside = true;
	for (unsigned int i = 0; !was && i < files_end; i++)
		if (files[i].ino && files[i].owner == getpid() && client_is_this_process() &&
		    !cfile_exiting(&files[i]))
			break;
	inside = was; /* destructors of other libraries still use the device */
}

void client_sysfs(void)
{
	int saved = errno;

	if (!client_tree() || !client_is_this_process() ||
	    __atomic_exchange_n(&client.asked, true, __ATOMIC_RELAXED))
		return;
	if (real()->access(client.sysfs, F_OK))
		sim_refuse("no device: %s: %s%s", client.sysfs, strerror(errno),
			   errno == ENOENT ? "; its server has ended, or has no such function"
					   : "");
	errno = saved;
}

int client_resources(struct uverbs_resource **rows, size_t *n)
{
	struct lock_saved held;
	int err;

	if (!client_tree() || !client_is_this_process())
		return -ENODEV;
	client_enter(&held);
	err = cfile_resources(&client.function, rows, n);
	client_leave(&held);
	return err;
}

const char *client_tree(void)
{
	return inside ? NULL : client.sysfs;
}

const char *client_in_tree(const char *path)
{
	size_t root = client_tree() ? strlen(client.sysfs) : 0;

	if (!root || strncmp(path, client.sysfs, root))
		return NULL;
	path += root;
	return *path && *path != '/' ? NULL : path;
}

bool client_stats(struct port_stats *stats)
{
	char path[PATH_MAX];
	ssize_t n = -1;
	int fd;

	snprintf(path, sizeof(path), "%s/" SYSFS_STATS, client.sysfs);
	fd = real()->open(path, O_RDONLY | O_CLOEXEC);
	if (fd >= 0) {
		n = pread(fd, stats, sizeof(*stats), 0);
		real()->close(fd);
	}
	return n == (ssize_t)sizeof(*stats);
}

int client_counter(const char *path, int flags)
{
	struct port_stats stats = {0};
	char text[SYSFS_COUNTER];
	int fd, saved = errno;
	size_t len;

	if (flags & (O_ACCMODE | O_PATH | O_DIRECTORY) || !sysfs_counter(path, &stats, text) ||
	    !client_stats(&stats))
		return -1;
	len = sysfs_counter(path, &stats, text);
	fd = memfd_create("counter", flags & O_CLOEXEC ? MFD_CLOEXEC : 0);
	if (fd >= 0 && (real()->write(fd, text, len) != (ssize_t)len || lseek(fd, 0, SEEK_SET))) {
		real()->close(fd);
		fd = -1;
	}
	errno = saved;
	return fd;
}

void client_cdev_stat(struct stat *st, bool cm)
{
	st->st_mode = S_IFCHR | 0666;
	st->st_rdev = cm ? makedev(MISC_MAJOR, CM_MINOR) : makedev(UVERBS_MAJOR, UVERBS_MINOR);
	st->st_nlink = 1;
	st->st_size = 0;
	st->st_blocks = 0;
}

bool client_idle(void)
{
	return inside || !__atomic_load_n(&client.open, __ATOMIC_ACQUIRE);
}

static struct cfile *find_inode(const struct stat *st)
{
	unsigned int end = __atomic_load_n(&files_end, __ATOMIC_ACQUIRE);

	for (unsigned int i = 0; i < end; i++)
		if (__atomic_load_n(&files[i].ino, __ATOMIC_ACQUIRE) == st->st_ino &&
		    files[i].dev == st->st_dev)
			return &files[i];
	return NULL;
}

struct cfile *client_find_stat(const struct stat *st)
{
	return S_ISREG(st->st_mode) || S_ISSOCK(st->st_mode) ? find_inode(st) : NULL;
}

struct cfile *client_find(int fd)
{
	int saved = errno;
	struct cfile *cf = NULL;
	struct stat st;

	if (!real()->fstat(fd, &st))
		cf = client_find_stat(&st);
	errno = saved;
	return cf;
}

bool client_is_link(int fd)
{
	unsigned int end = __atomic_load_n(&files_end, __ATOMIC_ACQUIRE);

	for (unsigned int i = 0; i < end; i++)
		if (__atomic_load_n(&files[i].ino, __ATOMIC_ACQUIRE) && files[i].sock == fd &&
		    cfile_has_link(&files[i]))
			return getpid() == files[i].owner;
	return false;
}

static struct cfile *free_slot(void)
{
	unsigned int i = 0;

	while (i < files_end && files[i].ino)
		i++;
	if (i == CFILES)
		return NULL;
	if (i == files_end)
		__atomic_store_n(&files_end, i + 1, __ATOMIC_RELEASE);
	return &files[i];
}

static int open_locked(bool cm)
{
	struct cfile *cf = free_slot();
	struct stat st;
	int fd, err;

	if (!cf)
		return -EMFILE;
	*cf = (struct cfile){.cm = cm, .owner = client.pid, .sock = -1};
	fd = cfile_open(cf, &client.function);
	if (fd < 0)
		return fd;
	fd = link_fd_above_stdio(fd);
	err = fd < 0 ? fd : real()->fstat(fd, &st) ? -errno : 0;
	if (err) {
		cfile_close(cf);
		if (fd >= 0)
			real()->close(fd);
		return err;
	}
	cf->dev = st.st_dev;
	__atomic_store_n(&cf->ino, st.st_ino, __ATOMIC_RELEASE);
	__atomic_add_fetch(&client.open, 1, __ATOMIC_RELEASE);
	return fd;
}

int client_open(int flags, bool cm)
{
	int saved = errno;
	struct lock_saved held;
	int fd;

	/* A vfork child must not change memory before exec: it is the parent's. */
	if (!client_is_this_process())
		return -ENODEV;
	client_sysfs();
	client_enter(&held);
	fd = open_locked(cm);
	client_leave(&held);
	if (fd >= 0 && !(flags & O_CLOEXEC))
		fcntl(fd, F_SETFD, 0);
	if (fd >= 0 && cm && flags & O_NONBLOCK)
		fcntl(fd, F_SETFL, O_NONBLOCK);
	errno = saved;
	return fd;
}

bool client_foreign(const struct cfile *cf)
{
	return cf->owner != client.pid || !client_is_this_process();
}

/* Returns whether a fork child may use the file; asks once per file. Not in a vfork child. */
static bool client_attach(struct cfile *cf, int fd)
{
	struct lock_saved held;

	if (!client_is_this_process())
		return false;
	client_enter(&held);
	if (cf->owner != client.pid && !cfile_attach(cf, fd)) {
		cf->guest = true;
		cf->owner = client.pid;
	}
	client_leave(&held);
	return cf->owner == client.pid;
}

int client_claim(struct cfile *cf, int fd, const char *call)
{
	if (!client_foreign(cf) || (!cf->cm && client_attach(cf, fd)))
		return 0;
	sim_refuse("%s: the device was opened by process %d before the fork; its memory and its "
		   "queues are that process's, open it again here",
		   call, cf->owner);
	return -EIO;
}

/* --- files of other processes ------------------------------------------------------------------ */

/* Returns whether fd is a BAR made by the chip's bar.c. */
static bool is_bar(int fd, const struct stat *st)
{
	static const char name[] = "/memfd:" BAR_FILE_NAME;
	char path[32], to[sizeof(name)];

	if (!S_ISREG(st->st_mode) || st->st_nlink || st->st_size != BAR_BYTES)
		return false;
	snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
	return real()->readlink(path, to, sizeof(to)) == sizeof(to) &&
	       !memcmp(to, name, sizeof(name) - 1);
}

static struct cfile *adopt_locked(int fd, const struct stat *st)
{
	struct cfile *cf = find_inode(st);
	int err;

	if (cf)
		return cf;
	cf = free_slot();
	if (!cf)
		return NULL;
	*cf = (struct cfile){.owner = client.pid, .sock = -1, .guest = true};
	err = cfile_attach(cf, fd);
	if (err) {
		sim_refuse("descriptor %d is an open device of another process, which can't be used "
			   "here: %s",
			   fd, strerror(-err));
		return NULL;
	}
	cf->dev = st->st_dev;
	__atomic_store_n(&cf->ino, st->st_ino, __ATOMIC_RELEASE);
	__atomic_add_fetch(&client.open, 1, __ATOMIC_RELEASE);
	return cf;
}

struct cfile *client_adopt(int fd, const struct stat *st)
{
	int saved = errno;
	struct lock_saved held;
	struct cfile *cf;

	if (!client_tree() || !is_bar(fd, st) || !client_is_this_process())
		return NULL;
	client_enter(&held);
	cf = adopt_locked(fd, st);
	client_leave(&held);
	errno = saved;
	return cf;
}

bool client_is_last(void)
{
	return __atomic_load_n(&client.open, __ATOMIC_RELAXED) == 1;
}

void client_release(struct cfile *cf)
{
	__atomic_store_n(&cf->ino, 0, __ATOMIC_RELEASE);
	__atomic_sub_fetch(&client.open, 1, __ATOMIC_RELEASE);
}
