/* SPDX-License-Identifier: BSD-2-Clause */
/* A program's handler of SIGSEGV comes after that of operations on device memory. */
#include "client.h"
#include "dm_op.h"
#include "real.h"

static bool signal_trapped(int number)
{
	return number == SIGSEGV && client_is_this_process();
}

int sigaction(int number, const struct sigaction *new, struct sigaction *old)
{
	if (signal_trapped(number) && dm_op_sigaction(new, old))
		return 0;
	return real()->sigaction(number, new, old);
}

__sighandler_t signal(int number, __sighandler_t handler)
{
	const struct sigaction new = {.sa_handler = handler, .sa_flags = SA_RESTART};
	struct sigaction old;

	if (signal_trapped(number) && handler != SIG_ERR && dm_op_sigaction(&new, &old))
		return old.sa_handler;
	return real()->signal(number, handler);
}
