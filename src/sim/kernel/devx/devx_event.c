/* SPDX-License-Identifier: BSD-2-Clause */
/* DevX event channels: subscriptions of a program to EQEs, and their delivery to its FD. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <dvx/prm/cmd.h>
#include <dvx/prm/eqe.h>
#include <rdma/mlx5_user_ioctl_cmds.h>
#include <rdma/mlx5_user_ioctl_verbs.h>
#include "kernel/core/pins.h"
#include "priv.h"
#include "obj/device.h"

#define MAX_EVENTS 16u
#define EQE_BYTES  PRM_EQE_BYTES
#define EVENTFDS   1024u /* per file: each takes a descriptor of the chip */

struct subscription {
	struct subscription *next;
	struct vhca *vhca;
	struct channel *channel;
	const struct uobj *obj; /* NULL: the event belongs to no object */
	uint64_t cookie;
	uint32_t number;
	struct uverbs_file *f;
	int eventfd; /* raised instead of an event in the channel; -1: no eventfd */
	uint16_t type;
	uint8_t queue_type; /* enum prm_event_queue_type */
};

static const uint8_t object_events[] = {
	PRM_EVENT_COMP,
	PRM_EVENT_PATH_MIG,
	PRM_EVENT_COMM_EST,
	PRM_EVENT_SQ_DRAINED,
	PRM_EVENT_CQ_ERROR,
	PRM_EVENT_WQ_CATAS_ERROR,
	PRM_EVENT_PATH_MIG_FAILED,
	PRM_EVENT_WQ_INVAL_REQ_ERROR,
	PRM_EVENT_WQ_ACCESS_ERROR,
	PRM_EVENT_SRQ_CATAS_ERROR,
	PRM_EVENT_SRQ_LAST_WQE,
	PRM_EVENT_SRQ_RQ_LIMIT,
	PRM_EVENT_DCT_DRAINED,
	PRM_EVENT_DCT_KEY_VIOLATION,
	PRM_EVENT_XRQ_ERROR,
};

static bool devx_event_allowed(uint16_t type, bool object)
{
	if (!object)
		return type == PRM_EVENT_PORT_CHANGE;
	for (unsigned int i = 0; i < sizeof(object_events); i++) {
		if (object_events[i] == type)
			return true;
	}
	return false;
}

static uint8_t devx_event_queue_type(const struct devx_obj *o)
{
	switch (o ? devx_obj_opcode(o) : 0) {
	case PRM_OPCODE_CREATE_RQ:
	case PRM_OPCODE_CREATE_RMP:
		return PRM_EVENT_QUEUE_TYPE_RQ;
	case PRM_OPCODE_CREATE_SQ:
		return PRM_EVENT_QUEUE_TYPE_SQ;
	case PRM_OPCODE_CREATE_DCT:
		return PRM_EVENT_QUEUE_TYPE_DCT;
	default:
		return PRM_EVENT_QUEUE_TYPE_QP;
	}
}

/* --- delivery -------------------------------------------------------------------------------- */

static struct subscription **devx_event_bucket(struct kernel *k, uint32_t number)
{
	return &k->subs[number % (sizeof(k->subs) / sizeof(k->subs[0]))];
}

/* Returns the number of the object that an event names; 0: none. */
static uint32_t devx_event_number(uint8_t type, const void *eqe)
{
	switch (type) {
	case PRM_EVENT_PORT_CHANGE:
		return 0;
	case PRM_EVENT_COMP:
		return prm_eqe_get_cqn(eqe);
	case PRM_EVENT_CQ_ERROR:
		return prm_eqe_get_cq_err_cqn(eqe);
	case PRM_EVENT_DCT_DRAINED:
	case PRM_EVENT_DCT_KEY_VIOLATION:
		return prm_eqe_get_dctn(eqe);
	default:
		return prm_eqe_get_qp_srq_n(eqe);
	}
}

static bool devx_event_has_queue_type(uint8_t type)
{
	return type != PRM_EVENT_PORT_CHANGE && type != PRM_EVENT_COMP &&
	       type != PRM_EVENT_CQ_ERROR && type != PRM_EVENT_DCT_DRAINED &&
	       type != PRM_EVENT_DCT_KEY_VIOLATION;
}

static bool subscription_matches(const struct subscription *s, const struct vhca *v, uint8_t type,
				 const void *eqe)
{
	return s->vhca == v && s->type == type && s->number == devx_event_number(type, eqe) &&
	       (!devx_event_has_queue_type(type) || s->queue_type == prm_eqe_get_qp_srq_type(eqe));
}

/* Posts the event. A channel without data queues each subscription at most once. */
static void devx_event_deliver(const struct kernel *k, const struct subscription *s,
			       const void *eqe)
{
	uint8_t event[sizeof(s->cookie) + EQE_BYTES];

	if (s->eventfd >= 0) {
		if (!channel_is_closed(s->channel))
			eventfd_raise(k->dev->host, s->eventfd);
		return;
	}

	memcpy(event, &s->cookie, sizeof(s->cookie));
	if (!channel_omits_data(s->channel)) {
		memcpy(event + sizeof(s->cookie), eqe, EQE_BYTES);
		channel_post(s->channel, s, event, sizeof(event));
	} else if (!channel_pending(s->channel, s)) {
		channel_post(s->channel, s, event, sizeof(s->cookie));
	}
}

void devx_event(struct kernel *k, struct vhca *v, uint8_t type, const void *eqe)
{
	for (const struct subscription *s = *devx_event_bucket(k, devx_event_number(type, eqe)); s;
	     s = s->next) {
		if (subscription_matches(s, v, type, eqe))
			devx_event_deliver(k, s, eqe);
	}
}

/* --- lifetime -------------------------------------------------------------------------------- */

static void devx_event_free(struct subscription *s)
{
	channel_disown(s->channel, s);
	if (s->eventfd >= 0) {
		close(s->eventfd);
		s->f->eventfds--;
	}
	free(s);
}

static void devx_event_forget(struct subscription **at, const struct uobj *obj,
			      const struct channel *c)
{
	while (*at) {
		struct subscription *s = *at;

		if ((obj && s->obj == obj) || (c && s->channel == c)) {
			*at = s->next;
			devx_event_free(s);
		} else {
			at = &s->next;
		}
	}
}

/* Removes the object's subscriptions. Events already sent stay readable, as in the kernel. */
void devx_forget_obj(struct kernel *k, const struct uobj *obj)
{
	devx_event_forget(devx_event_bucket(k, devx_obj_number((const struct devx_obj *)obj)), obj,
			  NULL);
}

void devx_forget_channel(struct kernel *k, const struct channel *c)
{
	for (size_t i = 0; i < sizeof(k->subs) / sizeof(k->subs[0]); i++)
		devx_event_forget(&k->subs[i], NULL, c);
}

/* --- methods --------------------------------------------------------------------------------- */

int devx_event_fd_alloc(struct uverbs_file *f, struct uverbs_request *req)
{
	struct channel *c;
	uint64_t flags;
	int fd;
	int err = attr_flags(req, MLX5_IB_ATTR_DEVX_ASYNC_EVENT_FD_ALLOC_FLAGS,
			     "DEVX_ASYNC_EVENT_FD_ALLOC: FLAGS",
			     MLX5_IB_UAPI_DEVX_CR_EV_CH_FLAGS_OMIT_DATA, &flags);

	if (err)
		return err;
	if (!f->uid)
		return refuse(-EINVAL,
			      "DEVX_ASYNC_EVENT_FD_ALLOC: the context was opened without DevX");
	c = channel_new(f, CHANNEL_DEVX_EVENT, &fd);
	if (!c)
		return refuse(-EMFILE, "DEVX_ASYNC_EVENT_FD_ALLOC: no pipe left");
	if (flags)
		channel_set_omit_data(c);
	return attr_fd(req, MLX5_IB_ATTR_DEVX_ASYNC_EVENT_FD_ALLOC_HANDLE, 0, fd);
}

static int devx_event_take_fd(struct uverbs_file *f, int number, int *fd)
{
	if (f->eventfds == EVENTFDS)
		return refuse(-EMFILE,
			      "DEVX_SUBSCRIBE_EVENT: FD_NUM: %u subscriptions raise eventfds, no "
			      "more can",
			      EVENTFDS);
	*fd = mm_eventfd(file_mm(f), number);
	if (*fd == -EBADF || *fd == -EINVAL)
		return refuse(*fd, "DEVX_SUBSCRIBE_EVENT: FD_NUM: %d is no eventfd", number);
	return *fd >= 0 ? 0
			: refuse(*fd,
				 "DEVX_SUBSCRIBE_EVENT: FD_NUM: the eventfd can't be had from the "
				 "program: %s",
				 strerror(-*fd));
}

static int devx_event_new(struct uverbs_file *f, const struct subscription *like,
			  const uint8_t *type, int number, struct subscription **made)
{
	struct subscription *s = malloc(sizeof(*s));
	int err;

	if (!s)
		return -ENOMEM;
	*s = *like;
	memcpy(&s->type, type, sizeof(s->type));
	err = number < 0 ? 0 : devx_event_take_fd(f, number, &s->eventfd);
	if (err) {
		free(s);
		return err;
	}
	f->eventfds += s->eventfd >= 0;
	*made = s;
	return 0;
}

/* Adds n subscriptions, all or none. number: the program's eventfd; negative: none. */
static int devx_event_add(struct uverbs_file *f, const struct subscription *like,
			  const uint8_t *types, unsigned int n, int number)
{
	struct subscription *added = NULL, **tail = &added, *s;
	int err = 0;

	for (unsigned int i = 0; !err && i < n; i++) {
		err = devx_event_new(f, like, types + 2ull * i, number, tail);
		if (!err)
			tail = &(*tail)->next;
	}
	while (err && (s = added) != NULL) {
		added = s->next;
		devx_event_free(s);
	}
	if (err)
		return err;
	*tail = *devx_event_bucket(f->k, like->number);
	*devx_event_bucket(f->k, like->number) = added;
	return 0;
}

static int devx_event_check_types(const struct uverbs_attr *list, bool object)
{
	if (list->len % 2 || list->len / 2 > MAX_EVENTS)
		return refuse(
			-EINVAL,
			"DEVX_SUBSCRIBE_EVENT: TYPE_NUM_LIST has %u bytes: 1 to %u 16-bit numbers",
			list->len, MAX_EVENTS);
	for (unsigned int i = 0; i < list->len / 2; i++) {
		uint16_t type;

		memcpy(&type, list->in + 2ull * i, sizeof(type));
		if (!devx_event_allowed(type, object))
			return refuse(-EINVAL, "DEVX_SUBSCRIBE_EVENT: event 0x%x is none of %s",
				      type, object ? "an object" : "the whole device");
	}
	return 0;
}

int devx_subscribe(struct uverbs_file *f, struct uverbs_request *req)
{
	const struct uverbs_attr *list =
		attr_find(req, MLX5_IB_ATTR_DEVX_SUBSCRIBE_EVENT_TYPE_NUM_LIST);
	const struct uverbs_attr *fd = attr_find(req, MLX5_IB_ATTR_DEVX_SUBSCRIBE_EVENT_FD_HANDLE);
	const struct uverbs_attr *number = attr_find(req, MLX5_IB_ATTR_DEVX_SUBSCRIBE_EVENT_FD_NUM);
	struct subscription s = {.vhca = f->vhca, .f = f, .eventfd = -1};
	struct uobj *u;
	int err;

	if (!f->uid)
		return refuse(-EINVAL, "DEVX_SUBSCRIBE_EVENT: the context was opened without DevX");
	if (number && attr_find(req, MLX5_IB_ATTR_DEVX_SUBSCRIBE_EVENT_COOKIE))
		return refuse(
			-EINVAL,
			"DEVX_SUBSCRIBE_EVENT: FD_NUM and COOKIE: an eventfd gives no cookie");
	if (number && attr_value(req, MLX5_IB_ATTR_DEVX_SUBSCRIBE_EVENT_FD_NUM) > INT32_MAX)
		return refuse(-EBADF, "DEVX_SUBSCRIBE_EVENT: FD_NUM is negative");
	err = attr_uobj(f, req, MLX5_IB_ATTR_DEVX_SUBSCRIBE_EVENT_OBJ_HANDLE, &devx_obj_class, &u);
	if (!err)
		err = channel_find(f, fd->data, CHANNEL_DEVX_EVENT, &s.channel);
	if (!err)
		err = devx_event_check_types(list, u);
	if (err)
		return err;
	s.obj = u;
	s.number = u ? devx_obj_number((struct devx_obj *)u) : 0;
	s.queue_type = devx_event_queue_type((struct devx_obj *)u);
	s.cookie = attr_value(req, MLX5_IB_ATTR_DEVX_SUBSCRIBE_EVENT_COOKIE);
	return devx_event_add(
		f, &s, list->in, list->len / 2,
		number ? (int)attr_value(req, MLX5_IB_ATTR_DEVX_SUBSCRIBE_EVENT_FD_NUM) : -1);
}
