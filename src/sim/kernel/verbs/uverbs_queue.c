/* SPDX-License-Identifier: BSD-2-Clause */
/* Events: the asynchronous ones of queues, and the FDs that programs read. */
#include <errno.h>
#include <rdma/ib_user_ioctl_cmds.h>
#include <rdma/ib_user_verbs.h>
#include "priv.h"

int uverbs_queue_find_async(struct uverbs_file *f, struct uverbs_request *req, uint16_t id,
			    struct channel **async)
{
	const struct uverbs_attr *a = attr_find(req, id);

	*async = f->async;
	return a ? channel_find(f, a->data, CHANNEL_ASYNC, async) : 0;
}

void uverbs_queue_open(struct uverbs_queue *q, struct channel *async, enum hw_kind kind,
		       void (*event)(struct uobj *, uint8_t type))
{
	q->async = async;
	channel_get(async);
	if (event)
		hw_ref_add(&q->hw, &q->u, kind, q->u.number, event);
}

void uverbs_queue_post(struct uverbs_queue *q, uint32_t event)
{
	const struct ib_uverbs_async_event_desc d = {.element = q->user_handle,
						     .event_type = event};

	if (!q->async)
		return;
	q->u.events[1]++;
	channel_post(q->async, q, &d, sizeof(d));
}

void uverbs_queue_close(struct uverbs_queue *q)
{
	hw_ref_del(&q->hw);
	/* Only events that were read count as reported: the program acknowledges just these. */
	if (q->async)
		q->u.events[1] -= channel_purge(q->async, q);
	channel_put(q->async);
}

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
