/* SPDX-License-Identifier: BSD-2-Clause */
#include "front/program/share.h"

#include <errno.h>
#include <linux/userfaultfd.h>
#include <poll.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include "base/maps.h"
#include "front/kernel.h"
#include "front/program/client.h"
#include "front/program/real.h"

#define PAGE	   4096u
#define PIECES	   1024u
#define DATA_ALL   (16u << 20)	/* of everything that is shared, for a region to be */
#define STACK_NEAR (256u << 10) /* what this thread may use of its stack meanwhile */

/* Memory of the program that lies on a memfd. */
static struct piece {
	struct cfile *file; /* NULL: free */
	uint64_t inode, va, len;
	dev_t dev;
	bool data, ends, stuck, seen;
} pieces[PIECES];
static unsigned int pieces_end; /* slots from here on were never used */

static struct maps maps;    /* not on the stack: a program's may be small */
static struct cfile nobody; /* has what can't be taken back: fork children get copies of it */

/* From a request to the end of what its answer asks for; a sanitizer sees libc's mutex. */
static struct fair lock;
static pthread_mutex_t order = PTHREAD_MUTEX_INITIALIZER;

static void enter(struct held *held)
{
	fair_lock(&lock, held);
	pthread_mutex_lock(&order);
}

static void leave(const struct held *held)
{
	pthread_mutex_unlock(&order);
	fair_unlock(&lock, held);
}

/* --- one memory in the place of another ------------------------------------------------------- */

/* Who may store where pages move. */
enum stores {
	STORES_NONE,  /* this thread is the only one */
	STORES_USER,  /* other threads */
	STORES_KERNEL /* and the kernel for them, in a read() say */
};

/*
 * -1: can't be had here. Closing it lets everybody through who waits. The kernel waits only where
 * the program has the privilege for it: else that read() would fail.
 */
static int guard_new(enum stores by)
{
	struct uffdio_api api = {
		.api = UFFD_API,
		.features = UFFD_FEATURE_PAGEFAULT_FLAG_WP | UFFD_FEATURE_WP_HUGETLBFS_SHMEM,
	};
	int fd = (int)syscall(SYS_userfaultfd, O_CLOEXEC);

	if (fd < 0 && by == STORES_USER)
		fd = (int)syscall(SYS_userfaultfd, O_CLOEXEC | UFFD_USER_MODE_ONLY);
	if (fd < 0 || !real()->ioctl(fd, UFFDIO_API, &api))
		return fd;
	real()->close(fd);
	return -1;
}

/* Whoever stores there waits; loads, and the device's, go on. */
static bool protect(int guard, void *va, size_t len)
{
	struct uffdio_range range = {.start = (uintptr_t)va, .len = len};
	struct uffdio_register reg = {.range = range, .mode = UFFDIO_REGISTER_MODE_WP};
	struct uffdio_writeprotect wp = {.range = range, .mode = UFFDIO_WRITEPROTECT_MODE_WP};

	return !real()->ioctl(guard, UFFDIO_REGISTER, &reg) &&
	       !real()->ioctl(guard, UFFDIO_WRITEPROTECT, &wp);
}

/* By a system call, which no sanitizer takes for an access of the program's. */
static bool copy_of(void *to, void *from, size_t len)
{
	struct iovec local = {to, len}, remote = {from, len};

	return syscall(SYS_process_vm_readv, getpid(), &local, 1ul, &remote, 1ul, 0ul) ==
	       (ssize_t)len;
}

/*
 * `other` gets the bytes of [va, va + len), its place and this protection; it is gone afterwards in
 * any case.
 */
static int replace(void *va, size_t len, void *other, int prot, enum stores by)
{
	int guard = by ? guard_new(by) : -1, err = -ENOSYS;

	if ((!by || (guard >= 0 && protect(guard, va, len))) && copy_of(other, va, len) &&
	    !mprotect(other, len, prot))
		err = mremap(other, len, len, MREMAP_MAYMOVE | MREMAP_FIXED, va) == va ? 0 : -errno;
	if (err)
		real()->munmap(other, len);
	if (guard >= 0)
		real()->close(guard);
	return err;
}

static int memfd_new(size_t len)
{
	int fd = memfd_create("dvx-sim-ring", MFD_CLOEXEC | MFD_ALLOW_SEALING);

	if (fd >= 0 && (ftruncate(fd, (off_t)len) ||
			fcntl(fd, F_ADD_SEALS, F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_SEAL))) {
		real()->close(fd);
		return -1;
	}
	return fd;
}

/* Protection holds back only from pages that are there: each is made first. */
static int move_in(int memfd, void *va, size_t len, enum stores by)
{
	void *map;

	if (by && madvise(va, len, MADV_POPULATE_WRITE))
		return -errno;
	map = real()->mmap(NULL, len, PROT_READ | PROT_WRITE, MAP_SHARED, memfd, 0);
	return map == MAP_FAILED ? -errno : replace(va, len, map, PROT_READ | PROT_WRITE, by);
}

static int move_out(void *va, size_t len, int prot, enum stores by)
{
	bool shut = !(prot & PROT_READ);
	void *own =
		real()->mmap(NULL, len, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	int err;

	if (own == MAP_FAILED)
		return -errno;
	if (shut)
		mprotect(va, len, PROT_READ);
	err = replace(va, len, own, prot, by);
	if (err && shut)
		mprotect(va, len, prot);
	return err;
}

/* --- pieces of the program's memory ----------------------------------------------------------- */

static struct piece *piece_of(const struct mapping *m)
{
	for (unsigned int i = 0; m->inode && i < pieces_end; i++)
		if (pieces[i].file && pieces[i].inode == m->inode && pieces[i].dev == m->dev)
			return &pieces[i];
	return NULL;
}

/* Of what ends; everything must be looked at for pieces that may be gone. */
static uint64_t bytes_to_find(void)
{
	uint64_t sum = 0;

	for (const struct piece *p = pieces; p < pieces + pieces_end; p++) {
		if (p->file == &nobody)
			return UINT64_MAX;
		sum += p->ends ? p->len : 0;
	}
	return sum;
}

/*
 * The pieces that end become the program's own memory, wherever it has moved them to; what it has
 * put into their places stays as it is. All in one look at the mappings, as they may be thousands,
 * as far as bytes are left to find; what nobody had and is not there any more is forgotten.
 */
static void sweep(bool alone, uint64_t left)
{
	bool stuck = maps_open(&maps, 0);
	struct mapping m;
	struct piece *p;

	while (!stuck && left && maps_next(&maps, &m)) {
		p = piece_of(&m);
		if (!p)
			continue;
		p->seen = true;
		if (!p->ends)
			continue;
		p->stuck |= move_out((void *)(uintptr_t)m.start, m.end - m.start, m.prot,
				     alone ? STORES_NONE :
				     p->data ? STORES_KERNEL :
					       STORES_USER) != 0;
		/* not what an embedded device maps */
		if (m.start - p->va < p->len)
			left -= left < m.end - m.start ? left : m.end - m.start;
	}
	if (!stuck)
		maps_close(&maps);
	for (p = pieces; p < pieces + pieces_end; p++) {
		if (p->ends)
			p->file = stuck || p->stuck ? &nobody : NULL;
		if (p->file == &nobody && !stuck && !p->seen)
			p->file = NULL;
		p->ends = p->stuck = p->seen = false;
	}
}

static struct piece *piece_new(void)
{
	for (unsigned int i = 0; i < PIECES; i++) {
		if (pieces[i].file)
			continue;
		if (pieces_end <= i)
			pieces_end = i + 1;
		return &pieces[i];
	}
	return NULL;
}

/* This thread is the only one: nobody else can store anywhere. */
static bool is_alone(void)
{
	struct stat st;

	return !real()->stat("/proc/self/task", &st) && st.st_nlink == 3;
}

/*
 * Pages that something else has pinned, buffers of an io_uring say, are those that it goes on
 * using, wherever the program's own stores go.
 */
static bool is_dma_elsewhere(void)
{
	int fd = real()->open("/proc/self/status", O_RDONLY | O_CLOEXEC);
	ssize_t n = fd < 0 ? -1 : read(fd, maps.buf, sizeof(maps.buf) - 1);
	const char *pin;

	if (fd >= 0)
		real()->close(fd);
	maps.buf[n > 0 ? n : 0] = 0;
	pin = strstr(maps.buf, "\nVmPin:");
	return !pin || strtoul(pin + strlen("\nVmPin:"), NULL, 10);
}

/* --- what answers ask for --------------------------------------------------------------------- */

/* This thread must not wait for itself. */
static bool near_stack(const struct kshare *s)
{
	uintptr_t here = (uintptr_t)__builtin_frame_address(0);

	return s->va < here + STACK_NEAR && here - STACK_NEAR < s->va + s->len;
}

static bool is_fresh(const struct kshare *s)
{
	unsigned char there[KSHARE_DATA_MOST / PAGE];

	if (mincore((void *)(uintptr_t)s->va, s->len, there))
		return false;
	for (size_t i = 0; i < s->len / PAGE; i++)
		if (there[i] & 1)
			return false;
	return true;
}

static uint64_t bytes_shared(void)
{
	uint64_t sum = 0;

	for (unsigned int i = 0; i < pieces_end; i++)
		sum += pieces[i].file ? pieces[i].len : 0;
	return sum;
}

/*
 * Small regions only, since a fork child gets a copy of all of them; and none where another thread
 * may just have the kernel store. What nobody has touched yet nobody reads into. (When it goes back
 * somebody may: without the privilege it stays.)
 */
static bool may_move(const struct kshare *s, bool alone)
{
	if (near_stack(s))
		return false;
	return s->what == KSHARE_RING ||
	       (s->len <= KSHARE_DATA_MOST && bytes_shared() + s->len <= DATA_ALL &&
		(alone || is_fresh(s)) && !is_dma_elsewhere());
}

/* Those of one file, at one place or everywhere. */
static void pieces_end_now(const struct cfile *cf, const struct kshare *s)
{
	int pinned = -1; /* not known */
	bool any = false;
	struct piece *p;

	for (p = pieces; p < pieces + pieces_end; p++) {
		if (p->file != cf || (s && (p->va != s->va || p->len != s->len)))
			continue;
		if (p->data && pinned < 0)
			pinned = is_dma_elsewhere();
		p->ends = !p->data || !pinned;
		any = any || p->ends;
		if (!p->ends)
			p->file = &nobody;
	}
	if (any)
		sweep(is_alone(), bytes_to_find());
}

static void share(struct cfile *cf, const struct transport *t, const struct kshare *s)
{
	bool alone = is_alone();
	struct piece *p = may_move(s, alone) ? piece_new() : NULL;
	int memfd = p ? memfd_new(s->len) : -1;
	struct stat st;

	if (memfd < 0)
		return;
	if (!real()->fstat(memfd, &st) &&
	    !move_in(memfd, (void *)(uintptr_t)s->va, s->len, alone ? STORES_NONE : STORES_USER)) {
		*p = (struct piece){.file = cf,
				    .inode = st.st_ino,
				    .dev = st.st_dev,
				    .va = s->va,
				    .len = s->len,
				    .data = s->what == KSHARE_DATA};
		if (t->share(cf, s->va, s->len, memfd))
			pieces_end_now(cf, s);
	}
	real()->close(memfd);
}

int share_ioctl(struct cfile *cf, const struct transport *t, struct kreq *req)
{
	struct held held;
	bool was_inside;
	int rc;

	enter(&held);
	was_inside = client_inside(true);
	rc = t->ioctl(cf, req);
	for (unsigned int i = 0; i < req->nshares; i++)
		if (req->shares[i].what == KSHARE_BACK)
			pieces_end_now(cf, &req->shares[i]);
		else
			share(cf, t, &req->shares[i]);
	client_inside(was_inside);
	leave(&held);
	return rc;
}

void share_close(struct cfile *cf, bool stays, bool last)
{
	struct held held;
	struct piece *p;

	enter(&held);
	for (p = pieces; stays && p < pieces + pieces_end; p++)
		if (p->file == cf)
			p->file = &nobody;
	pieces_end_now(cf, NULL);
	if (last)
		pieces_end_now(&nobody, NULL);
	leave(&held);
}

/* --- fork ------------------------------------------------------------------------------------- */

/*
 * The child must find the bytes that were there at the fork, so the parent waits until it has its
 * copies. Who shows that it has them, or is dead, is the end of a pipe: not forever, a debugger may
 * hold the child.
 */
#define CHILD_MS 1000

static struct {
	struct held held;
	int pipe[2];
} forking;

void share_before_fork(void)
{
	enter(&forking.held);
	forking.pipe[0] = forking.pipe[1] = -1;
	/* As real()->close() does it passes a thread sanitizer by, which would miss its end. */
	if (bytes_shared() && syscall(SYS_pipe2, forking.pipe, O_CLOEXEC))
		forking.pipe[0] = forking.pipe[1] = -1;
}

static void pipe_close(unsigned int end)
{
	if (forking.pipe[end] >= 0)
		real()->close(forking.pipe[end]);
}

void share_in_parent(void)
{
	struct pollfd child = {.fd = forking.pipe[0]};

	pipe_close(1);
	if (child.fd >= 0)
		poll(&child, 1, CHILD_MS);
	pipe_close(0);
	leave(&forking.held);
}

void share_in_child(void)
{
	for (unsigned int i = 0; i < pieces_end; i++)
		pieces[i].ends = pieces[i].file;
	sweep(true, UINT64_MAX);
	memset(pieces, 0, pieces_end * sizeof(pieces[0]));
	pieces_end = 0;
	pipe_close(0);
	pipe_close(1);
	pthread_mutex_unlock(&order);
	lock = (struct fair){0};
	pthread_sigmask(SIG_SETMASK, &forking.held.mask, NULL);
	pthread_setcancelstate(forking.held.cancel, NULL);
}
