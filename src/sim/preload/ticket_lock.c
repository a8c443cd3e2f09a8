/* SPDX-License-Identifier: BSD-2-Clause */
#include "ticket_lock.h"

#include <limits.h>
#include <linux/futex.h>
#include <pthread.h>
#include <stddef.h>
#include <sys/syscall.h>
#include <unistd.h>

static void ticket_block(struct lock_saved *held)
{
	sigset_t all;

	sigfillset(&all);
	pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, &held->cancel);
	pthread_sigmask(SIG_SETMASK, &all, &held->mask);
}

static void ticket_unblock(const struct lock_saved *held)
{
	pthread_sigmask(SIG_SETMASK, &held->mask, NULL);
	pthread_setcancelstate(held->cancel, NULL);
}

bool ticket_try(struct ticket_lock *f, struct lock_saved *held)
{
	uint32_t mine = __atomic_load_n(&f->serving, __ATOMIC_ACQUIRE);

	ticket_block(held);
	if (__atomic_compare_exchange_n(&f->next, &mine, mine + 1, false, __ATOMIC_ACQUIRE,
					__ATOMIC_RELAXED))
		return true;
	ticket_unblock(held);
	return false;
}

void ticket_lock(struct ticket_lock *f, struct lock_saved *held)
{
	uint32_t mine, serving;

	ticket_block(held);
	mine = __atomic_fetch_add(&f->next, 1, __ATOMIC_RELAXED);
	while ((serving = __atomic_load_n(&f->serving, __ATOMIC_ACQUIRE)) != mine)
		syscall(SYS_futex, &f->serving, FUTEX_WAIT_PRIVATE, serving, NULL, NULL, 0);
}

void ticket_unlock(struct ticket_lock *f, const struct lock_saved *held)
{
	uint32_t now = __atomic_add_fetch(&f->serving, 1, __ATOMIC_SEQ_CST);

	/* All waiters wake and compare their numbers: they are few. */
	if (__atomic_load_n(&f->next, __ATOMIC_SEQ_CST) != now)
		syscall(SYS_futex, &f->serving, FUTEX_WAKE_PRIVATE, INT_MAX, NULL, NULL, 0);
	ticket_unblock(held);
}

/* By atomic stores: ThreadSanitizer remembers the parent's threads in the child. */
void ticket_reset(struct ticket_lock *f)
{
	__atomic_store_n(&f->next, 0, __ATOMIC_RELAXED);
	__atomic_store_n(&f->serving, 0, __ATOMIC_RELAXED);
}
