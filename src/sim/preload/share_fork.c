/* SPDX-License-Identifier: BSD-2-Clause */
#include "share_fork.h"

#include <poll.h>
#include <sys/syscall.h>
#include "pieces.h"
#include "ticket_lock.h"
#include "real.h"
#include "share.h"

/*
 * Longest wait for a child. The end of the pipe shows that the child has its copies or is dead, but
 * a debugger may hold it. Copies take much less on an idle machine.
 */
#define CHILD_MS 1000u
#define PIECE_MS 1u
#define MIB_MS	 1u

static int child_ms(void)
{
	return (int)(CHILD_MS + PIECE_MS * pieces_count() +
		     MIB_MS * (unsigned int)(pieces_bytes() >> 20));
}

static struct {
	struct lock_saved held;
	int pipe[2];
} forking;

void share_before_fork(void)
{
	struct lock_saved held;

	share_lock(&held);
	forking.held = held; /* not before: another thread may be forking */
	forking.pipe[0] = forking.pipe[1] = -1;
	/*
	 * A bare call, because ThreadSanitizer does not see real()->close() and would report a
	 * leak.
	 */
	if (pieces_count() && syscall(SYS_pipe2, forking.pipe, O_CLOEXEC))
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
	const struct lock_saved held = forking.held;

	pipe_close(1);
	if (child.fd >= 0)
		poll(&child, 1, child_ms());
	pipe_close(0);
	share_unlock(&held);
}

void share_in_child(void)
{
	share_take_copies();
	pipe_close(0);
	pipe_close(1);
	share_unlock_in_child(&forking.held);
}
