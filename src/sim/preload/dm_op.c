/* SPDX-License-Identifier: BSD-2-Clause */
#include "dm_op.h"

#include <errno.h>
#include <pthread.h>
#include <stdint.h>
#include <string.h>
#include <sys/mman.h>
#include "base/log.h"
#include "byte_access.h"
#include "real.h"
#include "ticket_lock.h"
#include "uverbs/dm_op.h"

#define PAGE 4096u
#define ROWS 64u

enum { INCREMENT, TEST_AND_SET };

/* Read by the handler without a lock. */
static struct dm_op {
	uintptr_t va; /* atomic, set last; 0: free */
	size_t len;
	const struct dm_op_page *pages; /* one for each PAGE */
	uint8_t *memory;
	uint8_t op;
	bool allowed; /* the mapping's protection allows it */
} rows[ROWS];

static struct ticket_lock lock;
static struct sigaction theirs;
static bool trapping; /* atomic */

bool dm_op_trapping(void)
{
	return __atomic_load_n(&trapping, __ATOMIC_ACQUIRE);
}

static struct dm_op *dm_op_at(uintptr_t at)
{
	for (struct dm_op *d = rows; d < rows + ROWS; d++) {
		const uintptr_t va = __atomic_load_n(&d->va, __ATOMIC_ACQUIRE);

		if (va && at >= va && at - va < d->len &&
		    va == __atomic_load_n(&d->va, __ATOMIC_ACQUIRE))
			return d;
	}
	return NULL;
}

static bool dm_op_valid(const struct dm_op *d, size_t offset)
{
	const uint8_t *page = (const uint8_t *)d->pages + (offset & ~(size_t)(PAGE - 1));

	return __atomic_load_n(&((const struct dm_op_page *)page)->valid, __ATOMIC_ACQUIRE);
}

/* Performs the operation. If it can't, the fault is the program's, as on a page without access. */
static bool dm_op_perform(const struct dm_op *d, size_t offset, ucontext_t *uc)
{
	const bool stores = d->op == INCREMENT;
	struct byte_access a;
	uint8_t loaded = 0;

	if (!d->allowed || !dm_op_valid(d, offset)) {
		sim_refuse("operation on device memory: the address is not mapped for it, or its "
			   "memory was freed");
		return false;
	}
	if (!byte_access_read(&a, uc) || a.store != stores) {
		sim_refuse("operation on device memory: the program does not %s one byte by mov, "
			   "movzx or movsx: the address takes nothing else",
			   stores ? "store" : "load");
		return false;
	}
	if (stores)
		__atomic_fetch_add(d->memory + offset, a.value, __ATOMIC_SEQ_CST);
	else
		loaded = __atomic_exchange_n(d->memory + offset, 1, __ATOMIC_SEQ_CST);
	byte_access_done(&a, uc, loaded);
	return true;
}

/* Calls the program's handler as the kernel would, with its mask. */
static void dm_op_call(const struct sigaction *now, int number, siginfo_t *info, void *uc)
{
	sigset_t mask = now->sa_mask, before;

	if (now->sa_flags & (int)SA_RESETHAND)
		theirs.sa_handler = SIG_DFL;
	if (!(now->sa_flags & SA_NODEFER))
		sigaddset(&mask, number);
	pthread_sigmask(SIG_BLOCK, &mask, &before);
	if (now->sa_flags & SA_SIGINFO)
		now->sa_sigaction(number, info, uc);
	else
		now->sa_handler(number);
	pthread_sigmask(SIG_SETMASK, &before, NULL);
}

/* Passes the signal on. Without a handler the kernel ends the program at the repeated fault. */
static void dm_op_pass_on(int number, siginfo_t *info, void *uc)
{
	const struct sigaction last = {.sa_handler = SIG_DFL}, now = theirs;
	const bool sent = info->si_code <= 0; /* by kill() or raise(): it does not repeat */

	if (now.sa_handler != SIG_DFL && now.sa_handler != SIG_IGN) {
		dm_op_call(&now, number, info, uc);
	} else if (!sent || now.sa_handler == SIG_DFL) {
		real()->sigaction(number, &last, NULL);
		if (sent)
			raise(number);
	}
}

static void dm_op_fault(int number, siginfo_t *info, void *uc)
{
	const uintptr_t at = (uintptr_t)info->si_addr;
	const int saved = errno;
	struct dm_op *d = info->si_code == SEGV_ACCERR ? dm_op_at(at) : NULL;

	if (!d || !dm_op_perform(d, at - d->va, uc))
		dm_op_pass_on(number, info, uc);
	errno = saved;
}

static int dm_op_trap(void)
{
	struct sigaction ours = {.sa_flags = SA_SIGINFO | SA_ONSTACK | SA_NODEFER};

	if (trapping)
		return 0;
	ours.sa_sigaction = dm_op_fault;
	if (real()->sigaction(SIGSEGV, &ours, &theirs))
		return -errno;
	__atomic_store_n(&trapping, true, __ATOMIC_RELEASE);
	return 0;
}

void dm_op_sigaction(const struct sigaction *new, struct sigaction *old)
{
	struct sigaction was, next;
	struct lock_saved held;

	if (new)
		next = *new;
	ticket_lock(&lock, &held);
	was = theirs;
	if (new)
		theirs = next;
	ticket_unlock(&lock, &held);
	if (old)
		*old = was;
}

void dm_op_in_child(void)
{
	ticket_reset(&lock);
	memset(rows, 0, sizeof(rows));
}

static void *dm_op_share(int fd, size_t len, int prot, uint64_t page)
{
	void *at = real()->mmap(NULL, len, prot, MAP_SHARED, fd, (off_t)(page * PAGE));

	return at == MAP_FAILED ? NULL : at;
}

/* Finds each page's place in the memory; -EINVAL, as in the kernel, without an address request. */
static int dm_op_open(struct dm_op *d, int fd, uint64_t page)
{
	const struct dm_op_page *first;

	d->pages = dm_op_share(fd, d->len, PROT_READ, page);
	first = d->pages;
	if (!first)
		return -ENOMEM;
	for (size_t at = 0; at < d->len; at += PAGE)
		if (!dm_op_valid(d, at))
			return -EINVAL;
	if (first->page >= DM_PAGES || d->len > (size_t)(DM_PAGES - first->page) * PAGE)
		return -EINVAL;
	d->memory = dm_op_share(fd, d->len, PROT_READ | PROT_WRITE, DM_MMAP_PAGE + first->page);
	return d->memory ? 0 : -ENOMEM;
}

static void dm_op_drop(struct dm_op *d)
{
	if (d->pages)
		real()->munmap((void *)(uintptr_t)d->pages, d->len);
	if (d->memory)
		real()->munmap(d->memory, d->len);
	*d = (struct dm_op){0};
}

static struct dm_op *dm_op_row(void)
{
	for (struct dm_op *d = rows; d < rows + ROWS; d++)
		if (!d->len)
			return d;
	return NULL;
}

/* Arms the pages. A fork child gets none: the kernel zaps the mapping there. */
static int dm_op_arm(struct dm_op *d, int fd, void *va, uint64_t page)
{
	int err = dm_op_open(d, fd, page);

	if (!err)
		err = dm_op_trap();
	if (!err &&
	    (mprotect(va, d->len, PROT_NONE) || real()->madvise(va, d->len, MADV_DONTFORK) ||
	     real()->madvise((void *)(uintptr_t)d->pages, d->len, MADV_DONTFORK) ||
	     real()->madvise(d->memory, d->len, MADV_DONTFORK)))
		err = -errno;
	if (!err)
		__atomic_store_n(&d->va, (uintptr_t)va, __ATOMIC_RELEASE);
	else
		dm_op_drop(d);
	return err;
}

int dm_op_mapped(int fd, void *va, size_t len, int prot, off_t offset)
{
	const uint64_t at = (uint64_t)offset / PAGE - DM_MMAP_PAGE;
	const size_t whole = (len + PAGE - 1) & ~(size_t)(PAGE - 1);
	const unsigned int op = (unsigned int)(at - DM_OP_PAGE(0)) / DM_PAGES;
	struct lock_saved held;
	struct dm_op *d;
	int err = -ENOMEM;

	if (at < DM_OP_PAGE(0) || at >= DM_OP_PAGE(DM_OPS))
		return 0;
	if (whole / PAGE > DM_OP_PAGE(op + 1) - at)
		return -EINVAL;
	ticket_lock(&lock, &held);
	d = dm_op_row();
	if (d) {
		*d = (struct dm_op){.len = whole, .op = (uint8_t)op};
		d->allowed = prot & (op == INCREMENT ? PROT_WRITE : PROT_READ);
		err = dm_op_arm(d, fd, va, DM_MMAP_PAGE + at);
	}
	ticket_unlock(&lock, &held);
	return err;
}

void dm_op_unmapped(void *va, size_t len)
{
	const uintptr_t from = (uintptr_t)va;
	struct lock_saved held;

	if (!dm_op_trapping())
		return;
	ticket_lock(&lock, &held);
	for (struct dm_op *d = rows; d < rows + ROWS; d++)
		if (d->va && d->va < from + len && from < d->va + d->len)
			dm_op_drop(d);
	ticket_unlock(&lock, &held);
}
