/* SPDX-License-Identifier: BSD-2-Clause */
#include "role.h"

#include <sys/resource.h>

#include "base/report.h"

#define WINDOW_LEAST 4u
#define OTHERS	     56u /* of a connection: sockets, the device's, files being written */

/* Files that wait for a sync may keep half as many directories and parts more. */
uint32_t role_window(unsigned int sharers)
{
	struct rlimit lim;
	rlim_t mine, fit;

	if (getrlimit(RLIMIT_NOFILE, &lim) || lim.rlim_cur == RLIM_INFINITY)
		return MSG_WINDOW;
	mine = lim.rlim_cur / sharers;
	fit = mine > OTHERS ? (mine - OTHERS) * 2 / 9 : 0;
	return fit < WINDOW_LEAST ? WINDOW_LEAST : fit > MSG_WINDOW ? MSG_WINDOW : (uint32_t)fit;
}

int role_skip(const struct copy_role *r, const char *path, const char *why)
{
	const struct copy_msg m = {
		.type = MSG_NOTICE, .name = bytes_text(path), .text = bytes_text(why)};

	if (!r->report)
		return link_queue(r->link, &m, r->f);
	report_skip(r->report, m.name, m.text);
	return 0;
}

static int role_send_alive(void *arg)
{
	const struct copy_role *r = arg;
	const struct copy_msg m = {.type = MSG_ALIVE};

	return link_stopped(r->link, r->f) || link_send(r->link, &m, r->f) ? -1 : 0;
}

struct alive role_alive(struct copy_role *r)
{
	return (struct alive){.send = role_send_alive, .arg = r, .stop = r->link->stop};
}
