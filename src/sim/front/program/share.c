/* SPDX-License-Identifier: BSD-2-Clause */
#include "front/program/share.h"

#include <errno.h>
#include <linux/userfaultfd.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include "front/kernel.h"
#include "front/program/client.h"
#include "front/program/maps.h"
#include "front/program/real.h"

#define PAGE	   4096u
#define PIECES	   1024u	/* each that goes back is looked up among all mappings */
#define DATA_ALL   (16u << 20)	/* of everything that is shared, for a region to be */
#define STACK_NEAR (256u << 10) /* what this thread may use of its stack meanwhile */

/* Memory of the program that lies on a memfd. */
static struct piece {
	struct cfile *file; /* NULL: free */
	uint64_t inode, va, len;
} pieces[PIECES];
static unsigned int pieces_end; /* slots from here on were never used */

static struct maps maps;    /* not on the stack: a program's may be small */
static struct cfile nobody; /* has what could not be taken back: fork children get copies of it */
static struct fair lock;    /* from a request to the end of what its answer asks for */

/* --- one memory in the place of another ------------------------------------------------------- */

/* -1: can't be had here. Closing it lets everybody through who waits. */
static int guard_new(void)
{
	struct uffdio_api api = {
		.api = UFFD_API,
		.features = UFFD_FEATURE_PAGEFAULT_FLAG_WP | UFFD_FEATURE_WP_HUGETLBFS_SHMEM,
	};
	int fd = (int)syscall(SYS_userfaultfd, O_CLOEXEC | UFFD_USER_MODE_ONLY);

	if (fd < 0 || !ioctl(fd, UFFDIO_API, &api))
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

	return !ioctl(guard, UFFDIO_REGISTER, &reg) && !ioctl(guard, UFFDIO_WRITEPROTECT, &wp);
}

/* By a system call, which no sanitizer takes for an access of the program's. */
static bool copy_of(void *to, void *from, size_t len)
{
	struct iovec local = {to, len}, remote = {from, len};

	return syscall(SYS_process_vm_readv, getpid(), &local, 1ul, &remote, 1ul, 0ul) ==
	       (ssize_t)len;
}

/*
 * `other` gets the bytes of [va, va + len) and its place; it is gone afterwards in any case. alone:
 * no other thread can store there.
 */
static int replace(void *va, size_t len, void *other, bool alone)
{
	int guard = alone ? -1 : guard_new(), err = -ENOSYS;

	if ((alone || (guard >= 0 && protect(guard, va, len))) && copy_of(other, va, len))
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
static int move_in(int memfd, void *va, size_t len, bool alone)
{
	void *map;

	if (!alone && madvise(va, len, MADV_POPULATE_WRITE))
		return -errno;
	map = real()->mmap(NULL, len, PROT_READ | PROT_WRITE, MAP_SHARED, memfd, 0);
	return map == MAP_FAILED ? -errno : replace(va, len, map, alone);
}

static int move_out(void *va, size_t len, int prot, bool alone)
{
	void *own =
		real()->mmap(NULL, len, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	int err = own == MAP_FAILED ? -errno : replace(va, len, own, alone);

	return err ? err : mprotect(va, len, prot);
}

/* --- pieces of the program's memory ----------------------------------------------------------- */

/* Only what still is that memfd's: the program may have put other memory there. */
static int piece_out(const struct piece *p, bool alone)
{
	int err = maps_open(&maps);
	struct mapping m;

	if (err)
		return err;
	while (maps_next(&maps, &m) && m.va < p->va + p->len) {
		uint64_t from = m.va > p->va ? m.va : p->va;
		uint64_t end = m.end < p->va + p->len ? m.end : p->va + p->len;

		if (m.inode == p->inode && from < end)
			err |= move_out((void *)(uintptr_t)from, end - from, m.prot, alone);
	}
	maps_close(&maps);
	return err;
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

static void piece_end(struct piece *p)
{
	p->file = piece_out(p, is_alone()) ? &nobody : NULL;
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
 * may just have the kernel store, in a read() say, which would fail where its own stores wait. What
 * nobody has touched yet nobody reads into.
 */
static bool may_move(const struct kshare *s, bool alone)
{
	if (near_stack(s))
		return false;
	return s->what == KSHARE_RING ||
	       (s->len <= KSHARE_DATA_MOST && bytes_shared() + s->len <= DATA_ALL &&
		(alone || is_fresh(s)));
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
	    !move_in(memfd, (void *)(uintptr_t)s->va, s->len, alone)) {
		*p = (struct piece){cf, st.st_ino, s->va, s->len};
		if (t->share(cf, s->va, s->len, memfd))
			piece_end(p);
	}
	real()->close(memfd);
}

static void take_back(const struct cfile *cf, const struct kshare *s)
{
	for (unsigned int i = 0; i < pieces_end; i++)
		if (pieces[i].file == cf && pieces[i].va == s->va && pieces[i].len == s->len)
			piece_end(&pieces[i]);
}

int share_ioctl(struct cfile *cf, const struct transport *t, struct kreq *req)
{
	struct held held;
	int rc;

	fair_lock(&lock, &held);
	rc = t->ioctl(cf, req);
	for (unsigned int i = 0; i < req->nshares; i++)
		if (req->shares[i].what == KSHARE_BACK)
			take_back(cf, &req->shares[i]);
		else
			share(cf, t, &req->shares[i]);
	fair_unlock(&lock, &held);
	return rc;
}

void share_close(struct cfile *cf)
{
	struct held held;

	fair_lock(&lock, &held);
	for (unsigned int i = 0; i < pieces_end; i++)
		if (pieces[i].file == cf)
			piece_end(&pieces[i]);
	fair_unlock(&lock, &held);
}

void share_in_child(void)
{
	lock = (struct fair){0};
	for (unsigned int i = 0; i < pieces_end; i++)
		if (pieces[i].file)
			piece_out(&pieces[i], true);
	memset(pieces, 0, sizeof(pieces));
	pieces_end = 0;
}
