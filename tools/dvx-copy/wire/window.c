/* SPDX-License-Identifier: BSD-2-Clause */
#include <sys/resource.h>

#include "msg.h"

#define WINDOW_LEAST 4u
#define OTHERS	     56u /* of a connection: sockets, the device's, files being written */

/* Files that wait for a sync may keep half as many directories and parts more. */
uint32_t msg_window(unsigned int sharers)
{
	struct rlimit lim;
	rlim_t mine, fit;

	if (getrlimit(RLIMIT_NOFILE, &lim) || lim.rlim_cur == RLIM_INFINITY)
		return MSG_WINDOW;
	mine = lim.rlim_cur / sharers;
	fit = mine > OTHERS ? (mine - OTHERS) * 2 / 9 : 0;
	return fit < WINDOW_LEAST ? WINDOW_LEAST : fit > MSG_WINDOW ? MSG_WINDOW : (uint32_t)fit;
}
