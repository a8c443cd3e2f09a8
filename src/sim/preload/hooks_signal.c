/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Keeps the program's SIGSEGV handler behind that of operations on device memory. Sanitizers call
 * these functions before anything is ready, even real().
 */
#include <dlfcn.h>
#include "client.h"
#include "dm_op.h"

static int (*libc_sigaction)(int, const struct sigaction *, struct sigaction *);
static __sighandler_t (*libc_signal)(int, __sighandler_t);

NOT_TRACED static bool signal_trapped(int number)
{
	return number == SIGSEGV && dm_op_trapping() && client_is_this_process();
}

NOT_TRACED int sigaction(int number, const struct sigaction *new, struct sigaction *old)
{
	if (signal_trapped(number)) {
		dm_op_sigaction(new, old);
		return 0;
	}
	if (!libc_sigaction)
		*(void **)&libc_sigaction = dlsym(RTLD_NEXT, "sigaction");
	return libc_sigaction(number, new, old);
}

NOT_TRACED __sighandler_t signal(int number, __sighandler_t handler)
{
	const struct sigaction new = {.sa_handler = handler, .sa_flags = SA_RESTART};
	struct sigaction old;

	if (signal_trapped(number) && handler != SIG_ERR) {
		dm_op_sigaction(&new, &old);
		return old.sa_handler;
	}
	if (!libc_signal)
		*(void **)&libc_signal = dlsym(RTLD_NEXT, "signal");
	return libc_signal(number, handler);
}
