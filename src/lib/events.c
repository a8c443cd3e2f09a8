/* SPDX-License-Identifier: BSD-2-Clause */
/* Asynchronous events of objects made by DevX, and of the port. */
#include <fcntl.h>
#include <poll.h>
#include <time.h>
#include <dvx/events.h>
#include <dvx/prm/cap.h>
#include "prm/reflect.h"
#include "priv.h"

struct dvx_events {
	struct dvx_dev *dev;
	struct mlx5dv_devx_event_channel *devx;
	LIST_HEAD(, dvx_watch) watches;
	uint64_t last_id;
};

static const uint16_t cq_types[] = {PRM_EVENT_CQ_ERROR};
static const uint16_t srq_types[] = {PRM_EVENT_SRQ_RQ_LIMIT, PRM_EVENT_SRQ_CATAS_ERROR};
static const uint16_t dct_types[] = {PRM_EVENT_DCT_KEY_VIOLATION};
static const uint16_t port_types[] = {PRM_EVENT_PORT_CHANGE};
static const uint16_t queue_types[] = {PRM_EVENT_SQ_DRAINED, PRM_EVENT_WQ_CATAS_ERROR,
				       PRM_EVENT_WQ_INVAL_REQ_ERROR, PRM_EVENT_WQ_ACCESS_ERROR,
				       PRM_EVENT_SRQ_LAST_WQE};
#define MOST_TYPES (sizeof(queue_types) / sizeof(queue_types[0]))

/*
 * Tells whether the device offers an event type. A kernel that knows the device's list of events
 * for programs refuses a subscription as a whole if one type is missing ([I],
 * doc/hardware-to-verify.md).
 */
static bool events_offered(struct dvx_dev *dev, uint16_t type, bool of_object)
{
	const void *general, *events;

	if (dvx_dev_cap_page(dev, PRM_HCA_CAP_TYPE_GENERAL, &general) ||
	    !prm_cmd_hca_cap_get_event_cap(general) ||
	    dvx_dev_cap_page(dev, PRM_HCA_CAP_TYPE_DEV_EVENT, &events))
		return true;
	return (of_object
			? prm_device_event_cap_get_user_affiliated_events(events, type / 64u)
			: prm_device_event_cap_get_user_unaffiliated_events(events, type / 64u)) >>
		       type % 64 &
	       1;
}

static int events_subscribe(struct dvx_events *ev, struct dvx_obj *obj, const uint16_t *types,
			    size_t n, uint64_t id)
{
	uint16_t offered[MOST_TYPES];
	size_t k = 0;
	int err;

	for (size_t i = 0; i < n; i++)
		if (events_offered(ev->dev, types[i], obj))
			offered[k++] = types[i];
	if (!k)
		return dvx_fail(EOPNOTSUPP, "%s offers programs no %s events",
				dvx_dev_name(ev->dev), obj ? "such object's" : "port");
	err = mlx5dv_devx_subscribe_devx_event(ev->devx, obj ? obj->devx : NULL,
					       (uint16_t)(k * sizeof(offered[0])), offered, id);
	return err ? dvx_fail(dvx_errno_of(err), "the kernel refuses a subscription of events") : 0;
}

static int events_free(struct dvx_events *ev, int err)
{
	const struct dvx_error why = *dvx_last_error();

	if (ev->devx)
		mlx5dv_devx_destroy_event_channel(ev->devx);
	free(ev);
	return err ? dvx_restore(&why) : 0;
}

int dvx_events_open(struct dvx_dev *dev, struct dvx_events **out)
{
	int err = dvx_check_not_null("dvx_events_open", "dev", dev, "out", out, NULL);
	struct dvx_events *ev;

	if (err)
		return err;
	ev = calloc(1, sizeof(*ev));
	if (!ev)
		return dvx_fail(ENOMEM, "no memory for events");
	ev->dev = dev;
	ev->devx = mlx5dv_devx_create_event_channel(dev->ctx, 0);
	if (!ev->devx)
		return events_free(ev, dvx_fail(errno ? errno : EIO,
						"the kernel refuses a DevX event channel"));
	/* If two threads wake up for one event, the second one's read must not block. */
	if (fcntl(ev->devx->fd, F_SETFL, O_NONBLOCK))
		return events_free(ev, dvx_fail(errno, "the DevX event channel can't be polled"));
	err = events_subscribe(ev, NULL, port_types, 1, 0);
	if (err)
		return events_free(ev, err);
	dvx_ref(&dev->refs);
	*out = ev;
	return 0;
}

/* Returns the number of an object that is still watched; 0: none. */
static uint32_t events_still_watched(struct dvx_events *ev)
{
	uint32_t number = 0;

	pthread_mutex_lock(&ev->dev->watch_lock);
	if (!LIST_EMPTY(&ev->watches))
		number = LIST_FIRST(&ev->watches)->number;
	pthread_mutex_unlock(&ev->dev->watch_lock);
	return number;
}

int dvx_events_close(struct dvx_events *ev)
{
	uint32_t number;

	if (!ev)
		return 0;
	number = events_still_watched(ev);
	if (number)
		return dvx_fail(EBUSY, "dvx_events_close: object %u is still watched", number);
	dvx_unref(&ev->dev->refs);
	return events_free(ev, 0);
}

int dvx_events_fd(const struct dvx_events *ev)
{
	return ev->devx->fd;
}

/* ---- watches ---- */

/* Adds a watch; false: the object has one already. */
static bool events_link(struct dvx_events *ev, struct dvx_obj *obj, struct dvx_watch *w)
{
	bool first;

	pthread_mutex_lock(&ev->dev->watch_lock);
	first = !obj->watch;
	if (first) {
		w->id = ++ev->last_id;
		LIST_INSERT_HEAD(&ev->watches, w, link);
		obj->watch = w;
	}
	pthread_mutex_unlock(&ev->dev->watch_lock);
	return first;
}

static int events_watch(struct dvx_events *ev, const char *what, struct dvx_obj *obj,
			uint32_t number, void *cookie, const uint16_t *types, size_t n)
{
	struct dvx_watch *w;
	uint64_t id;
	int err;

	if (!obj || obj->dev != ev->dev)
		return dvx_fail(EINVAL, "dvx_events_watch_%s: %s %u is %s", what, what, number,
				obj ? "of another device"
				    : "verbs' own: ibv_get_async_event() has its events");
	w = malloc(sizeof(*w));
	if (!w)
		return dvx_fail(ENOMEM, "no memory to watch %s %u", what, number);
	*w = (struct dvx_watch){.number = number, .cookie = cookie};
	if (!events_link(ev, obj, w)) {
		free(w);
		return dvx_fail(EBUSY, "dvx_events_watch_%s: %s %u is watched already", what, what,
				number);
	}
	id = w->id;
	err = events_subscribe(ev, obj, types, n, id);
	if (err)
		dvx_obj_unwatch(obj);
	return err;
}

int dvx_events_watch_cq(struct dvx_events *ev, struct dvx_cq *cq, void *cookie)
{
	int err = dvx_check_not_null("dvx_events_watch_cq", "events", ev, "cq", cq, NULL);

	return err ? err
		   : events_watch(ev, "cq", cq->priv ? cq->priv->obj : NULL, cq->cqn, cookie,
				  cq_types, 1);
}

int dvx_events_watch_srq(struct dvx_events *ev, struct dvx_srq *srq, void *cookie)
{
	int err = dvx_check_not_null("dvx_events_watch_srq", "events", ev, "srq", srq, NULL);

	return err ? err
		   : events_watch(ev, "srq", srq->priv ? srq->priv->obj : NULL, srq->srqn, cookie,
				  srq_types, sizeof(srq_types) / sizeof(srq_types[0]));
}

int dvx_events_watch_qp(struct dvx_events *ev, struct dvx_qp *qp, void *cookie)
{
	int err = dvx_check_not_null("dvx_events_watch_qp", "events", ev, "qp", qp, NULL);

	return err ? err
		   : events_watch(ev, "qp", qp->obj, qp->qpn, cookie, queue_types, MOST_TYPES);
}

int dvx_events_watch_dct(struct dvx_events *ev, struct dvx_dct *dct, void *cookie)
{
	int err = dvx_check_not_null("dvx_events_watch_dct", "events", ev, "dct", dct, NULL);

	return err ? err
		   : events_watch(ev, "dct", dvx_dct_obj(dct), dvx_dct_number(dct), cookie,
				  dct_types, 1);
}

int dvx_events_watch_rxq(struct dvx_events *ev, struct dvx_rxq *rxq, void *cookie)
{
	int err = dvx_check_not_null("dvx_events_watch_rxq", "events", ev, "rxq", rxq, NULL);

	return err ? err
		   : events_watch(ev, "rxq", rxq->rq, rxq->rqn, cookie, queue_types, MOST_TYPES);
}

int dvx_events_watch_txq(struct dvx_events *ev, struct dvx_txq *txq, void *cookie)
{
	int err = dvx_check_not_null("dvx_events_watch_txq", "events", ev, "txq", txq, NULL);

	return err ? err
		   : events_watch(ev, "txq", dvx_txq_obj(txq), dvx_txq_sqn(txq), cookie,
				  queue_types, MOST_TYPES);
}

/* ---- events ---- */

/* Sets cookie and number of the object; false: it was destroyed. */
static bool events_find(struct dvx_events *ev, uint64_t id, struct dvx_event *out)
{
	const struct dvx_watch *w;

	if (!id)
		return true;
	pthread_mutex_lock(&ev->dev->watch_lock);
	LIST_FOREACH(w, &ev->watches, link)
	if (w->id == id)
		break;
	if (w) {
		out->cookie = w->cookie;
		out->number = w->number;
	}
	pthread_mutex_unlock(&ev->dev->watch_lock);
	return w;
}

static void events_decode(const void *eqe, struct dvx_event *out)
{
	out->type = (uint8_t)prm_eqe_get_type(eqe);
	if (out->type == PRM_EVENT_CQ_ERROR)
		out->reason = (uint8_t)prm_eqe_get_cq_err_syndrome(eqe);
	if (out->type != PRM_EVENT_PORT_CHANGE)
		return;
	out->reason = (uint8_t)prm_eqe_get_sub_type(eqe);
	out->number = prm_eqe_get_port(eqe);
}

/* Reads an event. Returns 1; 0: there is none, or its object was destroyed. */
static int events_read(struct dvx_events *ev, struct dvx_event *out)
{
	struct {
		struct mlx5dv_devx_async_event_hdr head;
		uint8_t eqe[PRM_EQE_BYTES];
	} in;
	ssize_t n = mlx5dv_devx_get_event(ev->devx, &in.head, sizeof(in));

	if (n < 0 && errno == EAGAIN)
		return 0;
	if (n < 0 && dvx_event_ends(errno))
		return dvx_fail(EIO, "%s is gone", dvx_dev_name(ev->dev));
	if (n < 0)
		return dvx_fail(errno, "the DevX event channel fails");
	if ((size_t)n < sizeof(in))
		return dvx_fail(EPROTO, "the kernel gives %zd bytes of an event of %zu", n,
				sizeof(in));
	*out = (struct dvx_event){0};
	events_decode(in.eqe, out);
	return events_find(ev, in.head.cookie, out);
}

static int64_t events_now_ms(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (int64_t)t.tv_sec * 1000 + t.tv_nsec / 1000000;
}

/* Returns the rest of timeout_ms, for poll(). */
static int events_left(int timeout_ms, int64_t since)
{
	int64_t spent;

	if (timeout_ms <= 0)
		return timeout_ms;
	spent = events_now_ms() - since;
	return spent < timeout_ms ? (int)(timeout_ms - spent) : 0;
}

int dvx_events_wait(struct dvx_events *ev, int timeout_ms, struct dvx_event *out)
{
	struct pollfd pfd = {.events = POLLIN};
	int64_t since = events_now_ms();
	int got = dvx_check_not_null("dvx_events_wait", "events", ev, "out", out, NULL);

	if (got)
		return got;
	pfd.fd = ev->devx->fd;
	while (!got) {
		int ready = poll(&pfd, 1, events_left(timeout_ms, since));

		if (ready < 0)
			return dvx_fail(errno, "waiting for an event fails");
		if (!ready)
			return dvx_fail(ETIMEDOUT, "no event in %d ms", timeout_ms);
		got = events_read(ev, out);
	}
	return got < 0 ? got : 0;
}

const char *dvx_event_name(uint8_t type)
{
	return prm_event_name(type);
}
