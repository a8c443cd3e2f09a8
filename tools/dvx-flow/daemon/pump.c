/* SPDX-License-Identifier: BSD-2-Clause */
#include <errno.h>
#include <inttypes.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <time.h>
#include <unistd.h>
#include <dvx/cmd.h>
#include <dvx/channel.h>
#include <dvx/mkey.h>
#include <dvx/pd.h>
#include <dvx/uar.h>

#include "capture.h"
#include "pump.h"
#include "tools/cli/message.h"
#include "tools/dvx-flow/dvx-flow.h"

#define PACKETS	     1024u  /* receives posted to each queue */
#define PACKET_BYTES 10240u /* a jumbo frame, and a page's multiple with its neighbours */
#define BATCH	     64u    /* completions of one queue before the next queue */
/*
 * Seconds between reads of the device's drop counts, which wrap after 2^32: at 400 million packets
 * a second, not before this.
 */
#define DROPS_SECONDS 10

struct pump_queue {
	struct dvx_cq *cq;
	struct dvx_rxq *rxq;
	struct dvx_mem *mem;
	struct dvx_mkey *mkey;
	struct queue_capture *capture;
	bool dirty;   /* has packets that are not in the file yet */
	bool stopped; /* is empty after an error, and receives when its reset succeeds */
	struct queue_count count;
};

struct pump {
	struct pump_attr attr;
	struct dvx_dev *dev;
	struct dvx_pd *pd;
	struct dvx_uar *uar;
	struct dvx_channel *channel;
	int stop_fd;
	bool running, stop;
	time_t drops_at; /* time of the next read of drop counts */
	pthread_t thread;
	pthread_mutex_t lock; /* of all queues */
	unsigned int n;
	struct pump_queue queue[QUEUES_MAX];
};

/* --- one queue --------------------------------------------------------------------------------- */

static uint8_t *buffer(const struct pump_queue *q, uint64_t i)
{
	return (uint8_t *)dvx_mem_addr(q->mem) + i * PACKET_BYTES;
}

static void pump_post(struct pump_queue *q, uint64_t i)
{
	struct dvx_sge sge = {.addr = dvx_mkey_addr(q->mkey) + i * PACKET_BYTES,
			      .length = PACKET_BYTES,
			      .lkey = dvx_mkey_key(q->mkey)};

	dvx_rq_post(dvx_rxq_ring(q->rxq), &sge, 1, i);
}

static void post_all(struct pump_queue *q)
{
	for (uint64_t i = 0; i < PACKETS; i++)
		pump_post(q, i);
	dvx_rq_ring(dvx_rxq_ring(q->rxq));
}

/* Makes the queue. If the device has no counter left, the queue's drops are unknown. */
static int queue_receive(struct pump *p, struct pump_queue *q, struct dvx_rxq_attr *rxq)
{
	rxq->flags = DVX_RXQ_COUNT_DROPS;
	q->count.drops_known = !dvx_rxq_create(p->dev, rxq, &q->rxq);
	if (q->count.drops_known)
		return 0;
	rxq->flags = 0;
	return dvx_rxq_create(p->dev, rxq, &q->rxq);
}

static int queue_make(struct pump *p, struct pump_queue *q, unsigned int number)
{
	struct dvx_cq_attr cq = {.size = sizeof(cq), .entries = PACKETS, .uar = p->uar};
	struct dvx_mkey_attr key = {.size = sizeof(key), .access = DVX_LOCAL_WRITE, .pd = p->pd};
	struct dvx_rxq_attr rxq = {
		.size = sizeof(rxq), .pd = p->pd, .entries = PACKETS, .user_index = number};
	int ret = dvx_cq_create(p->dev, &cq, &q->cq);

	if (!ret)
		ret = dvx_channel_subscribe(p->channel, q->cq, q);
	if (!ret)
		ret = dvx_mem_alloc((size_t)PACKETS * PACKET_BYTES, NULL, &q->mem);
	if (ret)
		return ret;
	key.addr = dvx_mem_addr(q->mem);
	key.len = (size_t)PACKETS * PACKET_BYTES;
	ret = dvx_mkey_create(p->dev, &key, &q->mkey);
	rxq.cq = q->cq;
	if (!ret)
		ret = queue_receive(p, q, &rxq);
	if (ret)
		return ret;
	post_all(q);
	return 0;
}

static int queue_open(struct pump *p, struct pump_queue *q, unsigned int number,
		      struct flow_fault *f)
{
	const char *dir = p->attr.capture;
	int ret;

	if (queue_make(p, q, number))
		return flow_fault_device(f);
	ret = dir ? queue_capture_open(dir, number, &q->capture) : 0;
	return ret ? flow_fault_set(f, EXIT_INPUT, "%s/queue%u.pcap: %s", dir, number,
				    strerror(-ret))
		   : 0;
}

static void capture_end(struct pump_queue *q)
{
	if (q->capture)
		queue_capture_close(q->capture);
	q->capture = NULL;
}

static void queue_close(struct pump_queue *q)
{
	capture_end(q);
	dvx_rxq_destroy(q->rxq);
	dvx_cq_destroy(q->cq);
	dvx_mkey_destroy(q->mkey);
	dvx_mem_free(q->mem);
}

/* --- packets ----------------------------------------------------------------------------------- */

static void count_tag(struct queue_count *c, uint32_t tag)
{
	unsigned int i = 0;

	while (i < c->ntags && c->tag[i].tag != tag)
		i++;
	if (i == TAGS_KEPT) {
		c->other_tags++;
		return;
	}
	if (i == c->ntags)
		c->tag[c->ntags++] = (struct tag_count){tag, 0};
	c->tag[i].packets++;
}

/* Reports the end of a capture once. The queue goes on. */
static void pump_note_capture(struct pump_queue *q, int err)
{
	q->count.captured = queue_capture_packets(q->capture);
	if (!err || q->count.capture_err)
		return;
	q->count.capture_err = -err;
	message_print("%s ends after %" PRIu64 " packets: %s", queue_capture_path(q->capture),
		      q->count.captured, strerror(-err));
}

static void pump_capture(struct pump_queue *q, const uint8_t *bytes, uint32_t len)
{
	if (q->count.capture_err)
		return;
	q->dirty = true;
	pump_note_capture(q, queue_capture_packet(q->capture, bytes, len));
}

static void take_packet(struct pump_queue *q, const void *cqe)
{
	uint64_t i = dvx_rq_retire(dvx_rxq_ring(q->rxq));
	uint32_t len = dvx_cqe_byte_count(cqe);

	q->count.packets++;
	q->count.bytes += len;
	count_tag(&q->count, dvx_cqe_flow_tag(cqe));
	if (q->capture)
		pump_capture(q, buffer(q, i), len > PACKET_BYTES ? PACKET_BYTES : len);
	pump_post(q, i);
}

/*
 * Handles an error completion. A packet longer than its buffer moves the queue to the error state,
 * and all posted receives are flushed. Returns whether the queue is empty then.
 */
static bool take_error(struct pump_queue *q, const void *cqe)
{
	struct dvx_cqe_failure why;

	dvx_cqe_error(cqe, &why);
	dvx_rq_retire(dvx_rxq_ring(q->rxq));
	if (why.syndrome != PRM_SYNDROME_WR_FLUSH_ERR)
		q->count.errors++;
	return dvx_rq_free(dvx_rxq_ring(q->rxq)) == PACKETS;
}

static bool drain(struct pump_queue *q)
{
	unsigned int n = 0;
	const void *cqe;

	while (n < BATCH && (cqe = dvx_cq_peek(q->cq))) {
		if (dvx_cqe_is_error(cqe))
			q->stopped = take_error(q, cqe);
		else
			take_packet(q, cqe);
		dvx_cq_pop(q->cq);
		n++;
	}
	/* No completion follows a reset that failed: each call tries it. */
	if (q->stopped && !dvx_rxq_reset(q->rxq)) {
		q->stopped = false;
		post_all(q);
	} else if (n) {
		dvx_rq_ring(dvx_rxq_ring(q->rxq));
	}
	return n != 0;
}

/* Updates the count of drops, unless the device fails to report it. */
static void count_drops(struct pump_queue *q)
{
	if (q->count.drops_known)
		dvx_rxq_drops(q->rxq, &q->count.dropped);
}

static void drops_in_time(struct pump *p)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC_COARSE, &t);
	if (t.tv_sec < p->drops_at)
		return;
	p->drops_at = t.tv_sec + DROPS_SECONDS;
	pthread_mutex_lock(&p->lock);
	for (unsigned int i = 0; i < p->n; i++)
		count_drops(&p->queue[i]);
	pthread_mutex_unlock(&p->lock);
}

static bool drain_all(struct pump *p)
{
	bool any = false;

	pthread_mutex_lock(&p->lock);
	for (unsigned int i = 0; i < p->n; i++)
		any |= drain(&p->queue[i]);
	pthread_mutex_unlock(&p->lock);
	return any;
}

static void flush_file(struct pump_queue *q)
{
	if (q->dirty)
		pump_note_capture(q, queue_capture_flush(q->capture));
	q->dirty = false;
}

static void flush_files(struct pump *p)
{
	pthread_mutex_lock(&p->lock);
	for (unsigned int i = 0; i < p->n; i++)
		flush_file(&p->queue[i]);
	pthread_mutex_unlock(&p->lock);
}

/* Writes all captured packets, then sleeps until packets arrive. */
static void pump_sleep(struct pump *p)
{
	struct pollfd fds[2] = {{dvx_channel_fd(p->channel), POLLIN, 0}, {p->stop_fd, POLLIN, 0}};
	struct dvx_cq *cq;
	int err;

	flush_files(p);
	if (poll(fds, 2, DROPS_SECONDS * 1000) < 0 || !fds[0].revents)
		return;
	err = fds[0].revents & (POLLHUP | POLLERR | POLLNVAL) ? -EIO : 0;
	pthread_mutex_lock(&p->lock);
	while (!err && !(err = dvx_channel_wait(p->channel, 0, &cq, NULL)))
		dvx_cq_arm(cq, false);
	pthread_mutex_unlock(&p->lock);
	/* When the device is gone, the kernel's channel is readable and reading it fails. */
	if (err == -EIO) {
		p->attr.lost(p->attr.arg);
		__atomic_store_n(&p->stop, true, __ATOMIC_RELEASE);
	}
}

static void *pump_run(void *arg)
{
	struct pump *p = arg;

	pthread_mutex_lock(&p->lock);
	for (unsigned int i = 0; i < p->n; i++)
		dvx_cq_arm(p->queue[i].cq, false);
	pthread_mutex_unlock(&p->lock);
	while (!__atomic_load_n(&p->stop, __ATOMIC_ACQUIRE)) {
		if (!drain_all(p))
			pump_sleep(p);
		drops_in_time(p);
	}
	/* Count and capture the packets that have arrived. */
	for (unsigned int n = 0; n < PACKETS; n += BATCH)
		if (!drain_all(p))
			break;
	flush_files(p);
	return NULL;
}

/* --- start and stop ------------------------------------------------------------------------- */

static int pump_open_parts(struct pump *p)
{
	int ret = dvx_pd_alloc(p->dev, &p->pd);

	if (!ret)
		ret = dvx_uar_alloc(p->dev, 0, &p->uar);
	return ret ? ret : dvx_channel_open(p->dev, &p->channel);
}

/* Starts the pump's thread with all signals blocked: the main thread takes them. */
static int pump_start_thread(struct pump *p, struct flow_fault *f)
{
	sigset_t all, before;
	int err;

	sigfillset(&all);
	pthread_sigmask(SIG_SETMASK, &all, &before);
	err = pthread_create(&p->thread, NULL, pump_run, p);
	pthread_sigmask(SIG_SETMASK, &before, NULL);
	p->running = !err;
	return err ? flow_fault_set(f, EXIT_DEVICE, "cannot start the thread of the queues: %s",
				    strerror(err))
		   : 0;
}

static int open_all(struct pump *p, struct flow_fault *f)
{
	p->stop_fd = eventfd(0, EFD_CLOEXEC);
	if (p->stop_fd < 0)
		return flow_fault_set(f, EXIT_DEVICE, "%s", strerror(errno));
	if (pump_open_parts(p))
		return flow_fault_device(f);
	for (unsigned int i = 0; i < p->attr.queues; i++) {
		p->n++;
		if (queue_open(p, &p->queue[i], i, f))
			return -1;
	}
	return pump_start_thread(p, f);
}

int pump_start(const struct pump_attr *attr, struct pump **out, struct flow_fault *f)
{
	struct pump *p = calloc(1, sizeof(*p));

	if (!p)
		return flow_fault_set(f, EXIT_DEVICE, "no memory for %u queues", attr->queues);
	p->attr = *attr;
	p->dev = attr->dev;
	pthread_mutex_init(&p->lock, NULL);
	if (open_all(p, f)) {
		pump_stop(p);
		return -1;
	}
	*out = p;
	return 0;
}

void pump_leave(struct pump *p)
{
	uint64_t one = 1;

	if (!p)
		return;
	if (p->running) {
		__atomic_store_n(&p->stop, true, __ATOMIC_RELEASE);
		if (write(p->stop_fd, &one, sizeof(one)) == sizeof(one))
			pthread_join(p->thread, NULL);
	}
	p->running = false;
	for (unsigned int i = 0; i < p->n; i++)
		capture_end(&p->queue[i]);
}

void pump_stop(struct pump *p)
{
	if (!p)
		return;
	pump_leave(p);
	while (p->n)
		queue_close(&p->queue[--p->n]);
	dvx_channel_close(p->channel);
	dvx_uar_free(p->uar);
	dvx_pd_free(p->pd);
	if (p->stop_fd >= 0)
		close(p->stop_fd);
	pthread_mutex_destroy(&p->lock);
	free(p);
}

unsigned int pump_queues(const struct pump *p)
{
	return p->n;
}

struct dvx_rxq *pump_rxq(const struct pump *p, unsigned int queue)
{
	return p->queue[queue].rxq;
}

void pump_count(struct pump *p, unsigned int queue, struct queue_count *out)
{
	pthread_mutex_lock(&p->lock);
	/* Bounded by the queue's size: new packets may keep coming. */
	for (unsigned int n = 0; n < PACKETS; n += BATCH)
		if (!drain(&p->queue[queue]))
			break;
	flush_file(&p->queue[queue]);
	count_drops(&p->queue[queue]);
	*out = p->queue[queue].count;
	pthread_mutex_unlock(&p->lock);
}
