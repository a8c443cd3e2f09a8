/* SPDX-License-Identifier: BSD-2-Clause */
/* Event FDs of verbs: completion channels and asynchronous event files. */
#include <errno.h>
#include <rdma/ib_user_ioctl_cmds.h>
#include <rdma/ib_user_verbs.h>
#include "priv.h"

/* Makes a channel. The preload fills in the FD's number, as it has the program's FD table. */
int wcmd_create_comp_channel(struct wcmd *c)
{
	const struct ib_uverbs_create_comp_channel_resp resp = {.fd = 0};
	int fd;

	if (!channel_new(c->f, CHANNEL_COMP, &fd))
		return refuse(-EMFILE, "CREATE_COMP_CHANNEL: no pipe left");
	wcmd_out(c, &resp, sizeof(resp));
	return attr_fd(c->req, UVERBS_ATTR_CORE_OUT, 0, fd);
}

int uverbs_async_event_alloc(struct uverbs_file *f, struct uverbs_request *req)
{
	struct channel *c;
	int fd;

	c = channel_new(f, CHANNEL_ASYNC, &fd);
	if (!c)
		return refuse(-EMFILE, "ASYNC_EVENT_ALLOC: no pipe left");
	if (!f->async)
		f->async = c;
	return attr_fd(req, UVERBS_ATTR_ASYNC_EVENT_ALLOC_FD_HANDLE, 0, fd);
}
