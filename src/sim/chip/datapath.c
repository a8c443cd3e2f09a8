/* SPDX-License-Identifier: BSD-2-Clause */
#include <errno.h>
#include <string.h>
#include "base/log.h"
#include "datapath.h"
#include "queue/queue.h"
#include "transport/raw/raw.h"
#include "transport/roce_port.h"
#include "transport/sched.h"
#include "obj/tir.h"
#include "obj/vhca.h"
#include "steer/steer.h"
#include "port/wire.h"

#define ROUNDS 8u   /* of frames and requests between two looks at doorbells and timers */
#define FRAMES 32u
#define FRAME_LEAST 60u /* of what is sent, without FCS; any frame has room for it */

static void port_send(void *wire, struct frame *f)
{
	wire_send(wire, f);
}

static bool port_room(void *wire)
{
	return wire_room(wire);
}

static bool port_observed(void *wire)
{
	return wire_observed(wire);
}

static void port_purge(void *wire, bool (*match)(const struct frame *, void *), void *arg)
{
	wire_purge(wire, match, arg);
}

/* --- raw packets: queues -> TX tables -> wire -> RX tables -> queues ---------------------- */

static struct frame *raw_frame(struct device *dev, const uint8_t *data, size_t len)
{
	struct frame *f = frame_new(dev->frames, len);

	if (!f)
		return NULL;
	f->raw = true;
	f->len = (uint32_t)len;
	memcpy(f->data, data, len);
	return f;
}

/*
 * Tables may have pushed headers, so the port has the last word on the length; and as any MAC does,
 * it pads what is shorter than Ethernet's least frame (IEEE 802.3, 64 bytes with FCS).
 */
static void datapath_to_wire(struct vhca *v, const struct packet *p)
{
	struct frame *f = p->len <= VHCA_FRAME_MAX ? raw_frame(v->dev, p->data, p->len) : NULL;

	if (!f) {
		sim_note("vhca %u: a raw packet of %u bytes was dropped at the port", v->id, p->len);
		return;
	}
	if (f->len < FRAME_LEAST) {
		memset(f->data + f->len, 0, FRAME_LEAST - f->len);
		f->len = FRAME_LEAST;
	}
	f->from = v->index;
	wire_send(v->dev->wire, f);
}

/* A copy for each function: actions change the bytes. */
static void raw_arrives(struct vhca *v, const struct frame *f)
{
	uint8_t buf[STEER_HEADROOM + VHCA_FRAME_MAX + STEER_HEADROOM];
	struct packet p = {
		.data = buf + STEER_HEADROOM,
		.len = f->len,
		.headroom = STEER_HEADROOM,
		.tailroom = (uint32_t)sizeof(buf) - STEER_HEADROOM - f->len,
		.source_vhca = STEER_FROM_WIRE,
	};

	memcpy(p.data, f->data, f->len);
	packet_parse_headers(&p);
	steer_rx(v, &p);
}

static bool datapath_is_own(const struct vhca *v, const struct frame *f)
{
	return !memcmp(f->data, v->mac, sizeof(v->mac));
}

/* Its own address brings a packet to a function; the others go to all that have RX tables. */
static void raw_rx(struct device *dev, const struct frame *f)
{
	bool claimed = false;

	for (unsigned int i = 0; i < dev->nfunctions && !claimed; i++) {
		claimed = datapath_is_own(&dev->vhca[i], f);
		if (claimed)
			raw_arrives(&dev->vhca[i], f);
	}
	for (unsigned int i = 0, own = claimed; i < dev->nfunctions && !own; i++) {
		if (!steer_listens(&dev->vhca[i]))
			continue;
		claimed = true;
		raw_arrives(&dev->vhca[i], f);
	}
	dev->unclaimed += !claimed;
}

/* All that the counters of raw packets say by now. */
static struct inject_stats raw_counters(const struct device *dev)
{
	struct inject_stats sum = {.unclaimed = dev->unclaimed};

	for (unsigned int i = 0; i < dev->nfunctions; i++) {
		const struct raw_stats *raw = &dev->vhca[i].raw;
		const uint64_t *ends = steer_stats(&dev->vhca[i])->ends;

		sum.queued += raw->received;
		sum.no_buffer += raw->out_of_buffer;
		sum.failed += raw->failed;
		sum.dropped += ends[STEER_DROP];
		sum.missed += ends[STEER_MISS];
		sum.lost += ends[STEER_LOST];
	}
	return sum;
}

/* A packet's whole way is one call, so what the counters gained meanwhile became of it. */
static void injected_rx(struct device *dev, const struct frame *f)
{
	struct inject_stats before = raw_counters(dev), after, *sum = &dev->injected;

	raw_rx(dev, f);
	after = raw_counters(dev);
	sum->frames++;
	sum->bytes += f->len;
	sum->queued += after.queued - before.queued;
	sum->no_buffer += after.no_buffer - before.no_buffer;
	sum->failed += after.failed - before.failed;
	sum->dropped += after.dropped - before.dropped;
	sum->missed += after.missed - before.missed;
	sum->unclaimed += after.unclaimed - before.unclaimed;
	sum->lost += after.lost - before.lost;
}

static void port_rx(void *ctx, struct frame *f)
{
	struct device *dev = ctx;

	if (!f->raw) {
		roce_port_rx(dev->sched, f);
		return;
	}
	if (f->replayed)
		injected_rx(dev, f);
	else
		raw_rx(dev, f);
	frame_free(f);
}

int datapath_inject(struct device *dev, const void *bytes, size_t len)
{
	struct frame *f;

	if (len < VHCA_FRAME_MIN || len > VHCA_FRAME_MAX)
		return -EMSGSIZE;
	if (!wire_room(dev->wire))
		return -EAGAIN;
	f = raw_frame(dev, bytes, len);
	if (!f)
		return -ENOMEM;
	f->replayed = true;
	wire_send(dev->wire, f);
	return 0;
}

static const struct steer_ops steer_ops = {
	.to_tir = raw_receive,
	.to_wire = datapath_to_wire,
};

int datapath_open(struct device *dev)
{
	struct sched_port port = {
		.send = port_send,
		.room = port_room,
		.observed = port_observed,
		.purge = port_purge,
	};

	dev->wire = wire_new();
	dev->sched = sched_new(dev);
	dev->steer = steer_new(dev);
	dev->frames = frame_pool_new();
	if (!dev->wire || !dev->sched || !dev->steer || !dev->frames || queues_init(dev)) {
		datapath_close(dev);
		return -ENOMEM;
	}
	port.ctx = dev->wire;
	sched_set_port(dev->sched, &port);
	wire_on_frame(dev->wire, port_rx, dev);
	steer_set_ops(dev->steer, &steer_ops);
	return 0;
}

void datapath_close(struct device *dev)
{
	queues_fini(dev);
	wire_free(dev->wire);
	sched_free(dev->sched);
	steer_free(dev->steer);
	frame_pool_free(dev->frames);
	dev->wire = NULL;
	dev->sched = NULL;
	dev->steer = NULL;
	dev->frames = NULL;
}

static bool datapath_deliver(struct device *dev, uint64_t from)
{
	unsigned int n = 0;

	while (n < FRAMES && !(n && steer_enough(dev, from)) && wire_run(dev->wire, 1))
		n++;
	return n > 0;
}

/*
 * A message, its acknowledgement and what they make ready run in one turn, so that a lone message
 * costs one turn; CQEs become visible at its end, after all data.
 */
bool datapath_run(struct device *dev)
{
	uint64_t now = dev->clock->now(dev->clock);
	bool did = queues_fetch(dev), round = true;
	uint64_t from = steer_work(dev);

	for (unsigned int i = 0; i < ROUNDS && round && !(i && steer_enough(dev, from)); i++) {
		round = sched_run(dev->sched, now);
		round |= datapath_deliver(dev, from);
		did |= round;
	}
	return queues_flush(dev, now) || did;
}
