/* SPDX-License-Identifier: BSD-2-Clause */
#include "watch.h"

#include <unistd.h>

WATCH_HOOK pid_t fork(void)
{
	const struct watch_place here = WATCH_HERE();
	const unsigned int n = watch_mr_count();

	if (n && WATCH_REAL(ibv_is_fork_initialized)() == IBV_FORK_DISABLED)
		watch_report(
			&(struct watch_finding){.kind = CHECK_FORK, .n = {n}, .place = {&here}});
	return WATCH_REAL(fork)();
}
