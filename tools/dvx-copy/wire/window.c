/* SPDX-License-Identifier: BSD-2-Clause */
#include <sys/resource.h>

#include "msg.h"

#define WINDOW_LEAST 16u
#define OTHERS	     64u /* descriptors that are no directories */

/* Each listed entry may keep a directory open, and files that wait for a sync half as many more. */
uint32_t msg_window(void)
{
	struct rlimit lim;
	rlim_t fit;

	if (getrlimit(RLIMIT_NOFILE, &lim) || lim.rlim_cur == RLIM_INFINITY)
		return MSG_WINDOW;
	fit = lim.rlim_cur > OTHERS ? (lim.rlim_cur - OTHERS) / 2 : 0;
	return fit < WINDOW_LEAST ? WINDOW_LEAST : fit > MSG_WINDOW ? MSG_WINDOW : (uint32_t)fit;
}
