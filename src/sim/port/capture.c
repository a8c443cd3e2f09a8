/* SPDX-License-Identifier: BSD-2-Clause */
#include "capture.h"

#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <utlist.h>
#include "base/clock.h"
#include "obj/device.h"
#include "port.h"

/*
 * Limits in pieces. Data waits at the first limit; acknowledgements, which can't wait, may fill the
 * rest.
 */
#define PIECES_DATA 64u
#define PIECES_ALL  128u
#define PATIENCE_NS 1000000000ull

struct capture_piece {
	/* first, because capture_take()'s caller frees the piece by it */
	uint8_t bytes[CAPTURE_PIECE];
	struct capture_piece *next;
	size_t len;
	uint32_t npackets;
};

struct port_capture {
	struct port_capture *prev, *next;
	struct port_captures *all;
	void (*ready)(void *arg);
	void *arg;
	struct capture_piece *head, **tail, *last;
	unsigned int npieces;
	uint64_t lost;
	bool wanted, stopped;
	bool given_up; /* the reader took nothing for too long; senders no longer wait for it */
	struct timer patience;
};

struct port_captures {
	struct device *dev;
	struct port_capture *list;
	struct port_tap tap;
};

static uint64_t capture_now_ns(void)
{
	struct timespec t;

	clock_gettime(CLOCK_REALTIME, &t);
	return (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec;
}

static struct capture_piece *capture_room_for(struct port_capture *c, size_t need)
{
	struct capture_piece *p;

	if (c->last && c->last->len + need <= sizeof(c->last->bytes))
		return c->last;
	p = c->npieces < PIECES_ALL ? malloc(sizeof(*p)) : NULL;
	if (!p)
		return NULL;
	p->next = NULL;
	p->len = sizeof(struct port_captured);
	p->npackets = 0;
	*c->tail = p;
	c->tail = &p->next;
	c->last = p;
	c->npieces++;
	return p;
}

static void capture_keep(struct port_capture *c, const struct port_packet *head,
			 const uint8_t *bytes)
{
	size_t pad = port_packet_padded(head->len) - head->len;
	struct capture_piece *p =
		capture_room_for(c, sizeof(*head) + port_packet_padded(head->len));
	uint8_t *at;

	if (!p) {
		c->lost++;
		return;
	}
	at = mempcpy(p->bytes + p->len, head, sizeof(*head));
	at = mempcpy(at, bytes, head->len);
	memset(at, 0, pad);
	p->len += sizeof(*head) + port_packet_padded(head->len);
	p->npackets++;
}

static void capture_on_frame(void *ctx, const struct frame *f)
{
	const struct port_packet head = {.ns = capture_now_ns(), .len = f->len};
	struct port_captures *all = ctx;
	struct port_capture *c;

	DL_FOREACH(all->list, c)
	if (!c->stopped)
		capture_keep(c, &head, f->data);
}

static bool capture_must_wait(struct port_capture *c)
{
	struct device *dev = c->all->dev;

	if (c->stopped || c->given_up || c->npieces < PIECES_DATA)
		return false;
	if (!c->patience.queued)
		timer_set(&dev->timers, &c->patience, dev->clock->now(dev->clock) + PATIENCE_NS);
	return true;
}

static bool capture_has_room(void *ctx)
{
	struct port_captures *all = ctx;
	struct port_capture *c;

	DL_FOREACH(all->list, c)
	if (capture_must_wait(c))
		return false;
	return true;
}

static void capture_give_up(struct timer *t)
{
	struct port_capture *c =
		(struct port_capture *)(void *)((char *)t -
						offsetof(struct port_capture, patience));

	c->given_up = true;
}

struct port_captures *captures_new(struct device *dev)
{
	struct port_captures *all = calloc(1, sizeof(*all));

	if (!all)
		return NULL;
	all->dev = dev;
	all->tap = (struct port_tap){all, capture_on_frame, capture_has_room};
	return all;
}

void captures_free(struct port_captures *all)
{
	free(all);
}

/* Taps the port only while a capture runs: with a tap, frames must be bytes, which costs time. */
static void capture_set_tap(struct port_captures *all)
{
	struct port_capture *c;
	bool needed = false;

	DL_FOREACH(all->list, c)
	needed |= !c->stopped;
	port_set_tap(all->dev->port, needed ? &all->tap : NULL);
}

struct port_capture *capture_open(struct port_captures *all, void (*ready)(void *arg), void *arg)
{
	struct port_capture *c = calloc(1, sizeof(*c));

	if (!c)
		return NULL;
	c->all = all;
	c->ready = ready;
	c->arg = arg;
	c->tail = &c->head;
	c->patience.fire = capture_give_up;
	DL_APPEND(all->list, c);
	capture_set_tap(all);
	return c;
}

void capture_stop(struct port_capture *c)
{
	c->stopped = true;
	timer_cancel(&c->all->dev->timers, &c->patience);
	capture_set_tap(c->all);
}

static struct capture_piece *capture_pop(struct port_capture *c)
{
	struct capture_piece *p = c->head;

	if (!p)
		return NULL;
	c->head = p->next;
	c->npieces--;
	if (!c->head) {
		c->tail = &c->head;
		c->last = NULL;
	}
	return p;
}

void capture_close(struct port_capture *c)
{
	struct capture_piece *p;

	if (!c)
		return;
	capture_stop(c);
	DL_DELETE(c->all->list, c);
	while ((p = capture_pop(c)))
		free(p);
	free(c);
}

void capture_request(struct port_capture *c)
{
	c->wanted = true;
}

uint8_t *capture_take(struct port_capture *c, size_t *len)
{
	struct port_captured head = {.lost = c->lost};
	struct capture_piece *p = capture_pop(c);
	uint8_t *bytes = p ? p->bytes : malloc(sizeof(head));

	if (!bytes)
		return NULL;
	c->given_up = false;
	timer_cancel(&c->all->dev->timers, &c->patience);
	head.ended = c->stopped && !c->head;
	head.npackets = p ? p->npackets : 0;
	*len = p ? p->len : sizeof(head);
	return memcpy(bytes, &head, sizeof(head));
}

/* A callback may close any capture, so start again after each */
bool captures_run(struct port_captures *all)
{
	struct port_capture *c;
	bool did = false;

again:
	DL_FOREACH(all->list, c)
	{
		if (!c->wanted || (!c->head && !c->stopped))
			continue;
		c->wanted = false;
		c->ready(c->arg);
		did = true;
		goto again;
	}
	return did;
}
