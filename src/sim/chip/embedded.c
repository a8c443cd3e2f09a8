/* SPDX-License-Identifier: BSD-2-Clause */
/* The chip as a thread of the program, for a preload without a server. */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <pthread.h>
#include <semaphore.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/stat.h>
#include <unistd.h>
#include "base/clock.h"
#include "base/log.h"
#include "chip.h"
#include "preload/client.h"
#include "kernel/cm/cm.h"
#include "kernel/kernel.h"
#include "mads.h"
#include "preload/sysfs.h"
#include "host/mm.h"
#include "host/uar.h"
#include "obj/profile.h"
#include "obj/device.h"
#include "tree.h"
#include "link/msg.h"

/* A call from a thread of the program to the chip's thread. */
struct call {
	void (*fn)(struct call *);
	struct call *next;
	struct cfile *cf;
	struct uverbs_request *req;
	struct ucma_request *cm;
	uint64_t va, len, offset;
	unsigned int function;
	struct uverbs_resource *rows;
	struct uverbs_statistic *statistic;
	size_t nrows;
	int uffd, memfd;
	int rc;
	sem_t done;
};

/* The chip's part of one open file. */
struct inner {
	struct mm *mm;
	struct uverbs_file *file;
};

static struct {
	struct chip *chip;
	int bell;	      /* eventfd: set when calls wait */
	pthread_mutex_t lock; /* protects calls; libc's, so that thread sanitizers see it */
	struct call *calls;   /* newest first */
	bool parents;	      /* this process is a fork child: the chip's thread is in its parent */
	char tree[PATH_MAX];
	int tree_owner;
} embedded = {.bell = -1, .lock = PTHREAD_MUTEX_INITIALIZER};

static struct call *take_calls(void)
{
	struct call *c, *next, *in_order = NULL;

	pthread_mutex_lock(&embedded.lock);
	c = embedded.calls;
	embedded.calls = NULL;
	pthread_mutex_unlock(&embedded.lock);
	for (; c; c = next) {
		next = c->next;
		c->next = in_order;
		in_order = c;
	}
	return in_order;
}

static void run_calls(void *arg, int fd)
{
	struct call *c, *next;
	uint64_t rings;

	(void)arg;
	if (read(fd, &rings, sizeof(rings)) < 0 && errno != EAGAIN)
		sim_bug("the embedded chip's eventfd can't be read: %s", strerror(errno));
	for (c = take_calls(); c; c = next) {
		next = c->next; /* c is on its caller's stack, gone once it is done */
		c->fn(c);
		sem_post(&c->done);
	}
}

/* The caller holds a lock of the preload, with signals and cancellation blocked. */
static int call(struct call *c)
{
	const uint64_t one = 1;

	sem_init(&c->done, 0, 0);
	pthread_mutex_lock(&embedded.lock);
	c->next = embedded.calls;
	embedded.calls = c;
	pthread_mutex_unlock(&embedded.lock);
	if (write(embedded.bell, &one, sizeof(one)) < 0)
		sim_bug("the embedded chip's eventfd can't be written: %s", strerror(errno));
	while (sem_wait(&c->done))
		;
	sem_destroy(&c->done);
	return c->rc;
}

static void *chip_main(void *arg)
{
	client_stay_out();
	pthread_setname_np(pthread_self(), "dvx-sim");
	chip_run(arg);
	return NULL;
}

/* Signals stay with the program's threads: the caller has blocked all of them here. */
static int embedded_start_thread(struct chip *chip)
{
	pthread_attr_t attr;
	pthread_t thread;
	int err;

	embedded.bell = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
	if (embedded.bell < 0)
		return -errno;
	err = chip_watch(chip, embedded.bell, run_calls, NULL);
	if (err)
		return err;
	pthread_attr_init(&attr);
	pthread_attr_setdetachstate(&attr, PTHREAD_CREATE_DETACHED);
	err = pthread_create(&thread, &attr, chip_main, chip);
	pthread_attr_destroy(&attr);
	return -err;
}

/* Reads the environment once, when the program first looks for a device. */
static const struct profile *embedded_profile(void)
{
	static struct profile chosen;
	const char *set = getenv("DVX_SIM_SET");
	char why[SETTING_WHY];

	if (chosen.name)
		return &chosen;
	chosen = profile_bluefield2;
	if (!set || !*set || !settings_apply(&chosen, set, why))
		return &chosen;
	chosen.name = NULL;
	sim_refuse("DVX_SIM_SET: %s; so there is no device", why);
	return NULL;
}

/* preload.c has refused unknown names. */
static unsigned int embedded_function(void)
{
	const char *name = getenv("DVX_SIM_FUNCTION");
	char names[FUNCTION_NAMES];
	int i = profile_function(embedded_profile(), name && *name ? name : NULL, names);

	return i < 0 ? 0 : (unsigned int)i;
}

/* The tree is made before the device is opened. A fork child uses its parent's. */
static int share_counters(struct chip *chip)
{
	if (embedded.tree_owner != getpid())
		return 0;
	return sysfs_tree_count(embedded.tree, &chip_device(chip)->vhca[embedded_function()]);
}

static int embedded_start(void)
{
	struct chip *chip;
	int err;

	if (embedded.chip)
		return 0;
	if (!embedded_profile())
		return -ENODEV;
	chip = chip_new(embedded_profile(), NULL);
	if (!chip)
		return errno ? -errno : -ENOMEM;
	err = share_counters(chip);
	if (!err)
		err = embedded_start_thread(chip);
	if (!err) {
		embedded.chip = chip;
		return 0;
	}
	if (embedded.bell >= 0)
		close(embedded.bell);
	chip_free(chip);
	return err;
}

static void do_open(struct call *c)
{
	struct inner *in = calloc(1, sizeof(*in));

	c->rc = -ENOMEM;
	if (!in)
		return;
	errno = ENOMEM;
	in->mm = mm_open(chip_host(embedded.chip), getpid(), -1);
	in->file = in->mm ? kernel_open(chip_kernel(embedded.chip), in->mm, c->function) : NULL;
	if (!in->file) {
		c->rc = -errno;
		if (in->mm)
			mm_close(in->mm);
		free(in);
		return;
	}
	c->cf->inner = in;
	c->cf->inner_fd = bar_fd(file_bar(in->file));
	c->rc = fcntl(c->cf->inner_fd, F_DUPFD_CLOEXEC, 0);
	if (c->rc < 0)
		c->rc = -errno;
}

static void do_close(struct call *c)
{
	struct inner *in = c->cf->inner;

	if (!in)
		return;
	c->cf->inner = NULL;
	c->rc = kernel_shared_pages_in_use(in->file);
	kernel_close(in->file);
	mm_close(in->mm);
	free(in);
}

static struct uverbs_file *embedded_file(const struct call *c)
{
	const struct inner *in = c->cf->inner;

	return in ? in->file : NULL;
}

static void do_ioctl(struct call *c)
{
	c->rc = embedded_file(c) ? kernel_ioctl(embedded_file(c), c->req) : -EBADF;
}

static void do_mapped(struct call *c)
{
	struct bar *bar = embedded_file(c) ? file_bar(embedded_file(c)) : NULL;

	if (c->uffd >= 0 && bar)
		bar_uffd(bar, c->uffd);
	else if (c->uffd >= 0)
		close(c->uffd);
	c->rc = bar ? bar_mapped(bar, c->va, c->len, c->offset) : -EBADF;
}

static void do_unmapped(struct call *c)
{
	if (embedded_file(c))
		bar_unmapped(file_bar(embedded_file(c)), c->va, c->len);
}

static void do_share(struct call *c)
{
	c->rc = embedded_file(c) ? kernel_share(embedded_file(c), c->va, c->len, c->memfd) : -EBADF;
}

/* Opens an RDMA_CM file, whose inner object is the file itself. */
static void do_cm_open(struct call *c)
{
	int fd = -1;
	struct cm_file *f = cm_open(chip_cm(embedded.chip), c->function, getpid(),
				    mads_low_ports(getpid()), &fd);

	c->rc = f ? fd : -errno;
	c->cf->inner = f;
	c->cf->inner_fd = f ? cm_fd(f) : -1;
}

static void do_cm_write(struct call *c)
{
	c->rc = c->cf->inner ? cm_write(c->cf->inner, c->cm) : -EBADF;
}

static void do_cm_close(struct call *c)
{
	if (c->cf->inner)
		cm_close(c->cf->inner);
	c->cf->inner = NULL;
}

static void do_resources(struct call *c)
{
	c->nrows = chip_resources(embedded.chip, c->function, 0, NULL, 0);
	c->rows = calloc(c->nrows + 1, sizeof(*c->rows));
	c->rc = c->rows ? 0 : -ENOMEM;
	if (c->rows)
		chip_resources(embedded.chip, c->function, 0, c->rows, c->nrows);
}

static void do_statistic(struct call *c)
{
	c->rc = kernel_statistic(chip_kernel(embedded.chip), c->statistic);
}

static int embedded_statistic(struct uverbs_statistic *s)
{
	struct call c = {.fn = do_statistic, .statistic = s};

	return embedded.chip && !embedded.parents ? call(&c) : -ENODEV;
}

/* Lists no objects if the chip does not run yet or is the parent's. */
static int embedded_resources(unsigned int function, struct uverbs_resource **rows, size_t *n)
{
	struct call c = {.fn = do_resources, .function = function};
	int err = embedded.chip && !embedded.parents ? call(&c) : 0;

	*rows = c.rows;
	*n = c.nrows;
	return err;
}

static int embedded_close_call(struct cfile *cf)
{
	struct call c = {.fn = do_close, .cf = cf};

	return call(&c);
}

static bool embedded_close(struct cfile *cf)
{
	return embedded_close_call(cf) > 0;
}

/* Returns 0 if the chip runs. */
static int embedded_reach(void)
{
	if (embedded.parents) {
		sim_refuse("the chip runs in the process that forked this one and can't be reached "
			   "from here; use dvx-sim run or dvx-sim up for programs that fork");
		return -ENODEV;
	}
	return embedded_start();
}

static int embedded_open(struct cfile *cf, unsigned int function)
{
	struct call c = {.fn = do_open, .cf = cf, .function = function};
	int err = embedded_reach();

	if (err)
		return err;
	err = call(&c);
	if (err < 0)
		embedded_close_call(cf);
	return err;
}

static int embedded_cm_open(struct cfile *cf, unsigned int function)
{
	struct call c = {.fn = do_cm_open, .cf = cf, .function = function};
	int err = embedded_reach();

	return err ? err : call(&c);
}

/* Makes one call of a file at a time. */
static int call_in_turn(struct call *c)
{
	struct lock_saved held;
	int rc;

	ticket_lock(&c->cf->lock, &held);
	rc = call(c);
	ticket_unlock(&c->cf->lock, &held);
	return rc;
}

static int embedded_cm_write(struct cfile *cf, struct ucma_request *r)
{
	struct call c = {.fn = do_cm_write, .cf = cf, .cm = r};

	return call_in_turn(&c);
}

static void embedded_cm_close(struct cfile *cf)
{
	struct call c = {.fn = do_cm_close, .cf = cf};

	call(&c);
}

static int embedded_ioctl(struct cfile *cf, struct uverbs_request *req)
{
	struct call c = {.fn = do_ioctl, .cf = cf, .req = req};

	return call_in_turn(&c);
}

static int embedded_mapped(struct cfile *cf, int uffd, uint64_t va, uint64_t len, uint64_t offset)
{
	struct call c = {
		.fn = do_mapped, .cf = cf, .uffd = uffd, .va = va, .len = len, .offset = offset};

	return call(&c);
}

static void embedded_unmapped(struct cfile *cf, uint64_t va, uint64_t len)
{
	struct call c = {.fn = do_unmapped, .cf = cf, .va = va, .len = len};

	call(&c);
}

static int embedded_share(struct cfile *cf, uint64_t va, uint64_t len, int memfd)
{
	struct call c = {.fn = do_share, .cf = cf, .va = va, .len = len, .memfd = memfd};

	return call(&c);
}

static void embedded_forked(struct cfile *cf)
{
	(void)cf;
	embedded.parents = embedded.chip != NULL;
}

/* Removes trees of processes that were killed. */
static void remove_stale(const char *dir, const char *name)
{
	char path[PATH_MAX];
	struct stat st;
	int pid;

	if (strncmp(name, CLIENT_TREE, strlen(CLIENT_TREE)))
		return;
	pid = atoi(name + strlen(CLIENT_TREE));
	if (pid <= 0 || !kill(pid, 0) || errno != ESRCH)
		return;
	if (snprintf(path, sizeof(path), "%s/%s", dir, name) >= (int)sizeof(path))
		return;
	if (!lstat(path, &st) && S_ISDIR(st.st_mode) && st.st_uid == geteuid())
		sysfs_remove(path);
}

static void embedded_sweep(const char *root)
{
	char dir[PATH_MAX];
	struct dirent *e;
	DIR *d;

	snprintf(dir, sizeof(dir), "%.*s", (int)(strrchr(root, '/') - root), root);
	d = opendir(dir);
	if (!d)
		return;
	while ((e = readdir(d)))
		remove_stale(dir, e->d_name);
	closedir(d);
}

/* Makes the tree. Ids depend only on the profile, so no chip needs to run. */
static int embedded_sysfs(const char *root)
{
	const struct profile *p = embedded_profile();
	struct device dev;
	int err = p ? device_init(&dev, NULL, &clock_monotonic, p) : 0;

	if (err)
		return err;
	embedded_sweep(root);
	err = sysfs_tree_make(root, p ? &dev.vhca[embedded_function()] : NULL);
	if (p)
		device_fini(&dev);
	if (!err) {
		snprintf(embedded.tree, sizeof(embedded.tree), "%s", root);
		embedded.tree_owner = getpid();
	}
	return err;
}

static void embedded_fini(void)
{
	if (embedded.tree[0] && embedded.tree_owner == getpid())
		sysfs_remove(embedded.tree);
}

const struct backend backend_embedded = {
	.sysfs = embedded_sysfs,
	.open = embedded_open,
	.ioctl = embedded_ioctl,
	.resources = embedded_resources,
	.statistic = embedded_statistic,
	.mapped = embedded_mapped,
	.unmapped = embedded_unmapped,
	.share = embedded_share,
	.close = embedded_close,
	.cm_open = embedded_cm_open,
	.cm_write = embedded_cm_write,
	.cm_close = embedded_cm_close,
	.forked = embedded_forked,
	.fini = embedded_fini,
};
