/* SPDX-License-Identifier: BSD-2-Clause */
#include <poll.h>
#include <dvx/channel.h>
#include <dvx/prm/eqe.h>
#include "priv.h"

struct dvx_channel {
	struct dvx_dev *dev;
	struct mlx5dv_devx_event_channel *devx; /* NULL: adopted */
	struct ibv_comp_channel *comp;		/* the adopted one */
	struct dvx_cq_priv *cqs;		/* subscribed CQs */
};

static int event_channel_new(struct dvx_dev *dev, struct dvx_channel **out)
{
	*out = calloc(1, sizeof(**out));
	if (!*out)
		return dvx_fail(ENOMEM, "no memory for an event channel");
	(*out)->dev = dev;
	return 0;
}

int dvx_channel_open(struct dvx_dev *dev, struct dvx_channel **out)
{
	struct dvx_channel *ch;
	int err = dvx_check_not_null("dvx_channel_open", "dev", dev, "out", out, NULL);

	if (!err)
		err = event_channel_new(dev, &ch);
	if (err)
		return err;
	/* The cookie identifies the CQ; the event's data are not needed. */
	ch->devx = mlx5dv_devx_create_event_channel(dev->ctx,
						    MLX5_IB_UAPI_DEVX_CR_EV_CH_FLAGS_OMIT_DATA);
	if (!ch->devx) {
		free(ch);
		return dvx_fail(errno ? errno : EIO, "the kernel refuses a DevX event channel");
	}
	dvx_ref(&dev->refs);
	*out = ch;
	return 0;
}

int dvx_channel_adopt(struct dvx_dev *dev, struct ibv_comp_channel *chan, struct dvx_channel **out)
{
	struct dvx_channel *ch;
	int err =
		dvx_check_not_null("dvx_channel_adopt", "dev", dev, "chan", chan, "out", out, NULL);

	if (err)
		return err;
	if (chan->context != dev->ctx)
		return dvx_fail(EINVAL,
				"dvx_channel_adopt: the ibv_comp_channel is of another context");
	err = event_channel_new(dev, &ch);
	if (err)
		return err;
	ch->comp = chan;
	dvx_ref(&dev->refs);
	*out = ch;
	return 0;
}

int dvx_channel_close(struct dvx_channel *ch)
{
	if (!ch)
		return 0;
	if (ch->cqs)
		return dvx_fail(EBUSY, "event channel: CQ %u is still subscribed",
				ch->cqs->ring.cqn);
	if (ch->devx)
		mlx5dv_devx_destroy_event_channel(ch->devx);
	dvx_unref(&ch->dev->refs);
	free(ch);
	return 0;
}

int dvx_channel_fd(const struct dvx_channel *ch)
{
	return ch->devx ? ch->devx->fd : ch->comp->fd;
}

int dvx_channel_subscribe(struct dvx_channel *ch, struct dvx_cq *ring, void *cookie)
{
	uint16_t completion = PRM_EVENT_COMP;
	int err = dvx_check_not_null("dvx_channel_subscribe", "ch", ch, "cq", ring, NULL);
	struct dvx_cq_priv *cq;

	if (err)
		return err;
	cq = ring->priv;
	if (!cq || cq->dev != ch->dev)
		return dvx_fail(EINVAL,
				"dvx_channel_subscribe: the CQ is not of the channel's device");
	if (!ring->arm_reg)
		return dvx_fail(EOPNOTSUPP, "CQ %u has no register to arm it with", ring->cqn);
	if (cq->channel)
		return dvx_fail(EBUSY, "CQ %u already has an event channel", ring->cqn);
	if (ch->comp && (!cq->ibcq || cq->ibcq->channel != ch->comp))
		return dvx_fail(EINVAL, "CQ %u was not created with this ibv_comp_channel",
				ring->cqn);
	if (ch->devx && !cq->obj)
		return dvx_fail(EINVAL, "CQ %u is a verbs CQ: it needs dvx_channel_adopt()",
				ring->cqn);
	if (ch->devx) {
		err = mlx5dv_devx_subscribe_devx_event(ch->devx, cq->obj->devx, sizeof(completion),
						       &completion, (uintptr_t)cq);
		if (err)
			return dvx_fail(dvx_errno_of(err), "the kernel refuses events of CQ %u",
					ring->cqn);
	}
	cq->cookie = cookie;
	cq->channel = ch;
	cq->next = ch->cqs;
	ch->cqs = cq;
	return 0;
}

void dvx_channel_forget(struct dvx_cq_priv *cq)
{
	struct dvx_cq_priv **p;

	if (!cq->channel)
		return;
	for (p = &cq->channel->cqs; *p != cq; p = &(*p)->next)
		;
	*p = cq->next;
	cq->channel = NULL;
}

/* Finds the CQ of an event; NULL: it is no longer subscribed. */
static struct dvx_cq_priv *event_find(const struct dvx_channel *ch, const void *what)
{
	struct dvx_cq_priv *cq;

	for (cq = ch->cqs; cq; cq = cq->next)
		if (cq == what || (cq->ibcq && cq->ibcq == what))
			return cq;
	return NULL;
}

/* Takes an event of an adopted channel. The caller gets the ibv_cq of one that is not libdvx's. */
static int event_of_comp(struct dvx_channel *ch, struct dvx_cq_priv **cq, void **cookie)
{
	struct ibv_cq *ibcq;
	void *context;

	if (ibv_get_cq_event(ch->comp, &ibcq, &context))
		return dvx_fail(errno, "the ibv_comp_channel fails");
	ibv_ack_cq_events(ibcq, 1);
	*cq = event_find(ch, ibcq);
	if (*cq)
		return 0;
	if (cookie)
		*cookie = ibcq;
	return dvx_fail(ENOENT, "dvx_channel_wait: an event of an ibv_cq, now *cookie, without "
				"dvx_channel_subscribe(): poll it by verbs");
}

static int event_of_devx(struct dvx_channel *ch, struct dvx_cq_priv **cq)
{
	struct mlx5dv_devx_async_event_hdr hdr;
	ssize_t n;

	n = mlx5dv_devx_get_event(ch->devx, &hdr, sizeof(hdr));
	if (n < 0 && dvx_event_ends(errno))
		return dvx_fail(EIO, "%s is gone", dvx_dev_name(ch->dev));
	if (n < 0)
		return dvx_fail(errno, "the DevX event channel fails");
	*cq = event_find(ch, (const void *)(uintptr_t)hdr.cookie);
	return 0;
}

int dvx_channel_wait(struct dvx_channel *ch, int timeout_ms, struct dvx_cq **cq, void **cookie)
{
	struct pollfd pfd = {.events = POLLIN};
	struct dvx_cq_priv *woken = NULL;
	int err = dvx_check_not_null("dvx_channel_wait", "ch", ch, NULL);

	if (err)
		return err;
	pfd.fd = dvx_channel_fd(ch);
	while (!woken) {
		err = poll(&pfd, 1, timeout_ms);
		if (err < 0)
			return dvx_fail(errno, "waiting for an event fails");
		if (!err)
			return dvx_fail(ETIMEDOUT, "no event in %d ms", timeout_ms);
		err = ch->comp ? event_of_comp(ch, &woken, cookie) : event_of_devx(ch, &woken);
		if (err)
			return err;
	}
	/* The device ignores an arm with the number of an earlier event. */
	woken->ring.arm_sn = (woken->ring.arm_sn + 1) & ~DVX_CQ_WAITS_FOR_ANY;
	if (cq)
		*cq = &woken->ring;
	if (cookie)
		*cookie = woken->cookie;
	return 0;
}
