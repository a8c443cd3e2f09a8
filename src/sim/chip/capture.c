/* SPDX-License-Identifier: BSD-2-Clause */
#include "capture.h"

#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <utlist.h>
#include "base/clock.h"
#include "port/frame.h"
#include "link/link.h"
#include "transport/roce.h"
#include "obj/vhca.h"
#include "port/wire.h"

/* Pieces at which data waits, and what those that can't wait (acknowledgements) may fill. */
#define PIECES_DATA 64u
#define PIECES_ALL  128u
#define PATIENCE_NS 1000000000ull

struct piece {
	uint8_t bytes[CAPTURE_PIECE]; /* first: who takes it frees it */
	struct piece *next;
	size_t len;
	uint32_t npackets;
};

struct capture {
	struct capture *prev, *next;
	struct captures *all;
	void (*ready)(void *arg);
	void *arg;
	struct piece *head, **tail, *last;
	unsigned int npieces;
	uint64_t lost;
	bool wanted, stopped;
	bool given_up; /* the reader took nothing for too long: the wire goes on without it */
	struct timer patience;
};

struct captures {
	struct device *dev;
	struct capture *list;
	struct wire_tap tap;
	uint8_t roce[ROCE_MAX];
};

static uint64_t chip_capture_now_ns(void)
{
	struct timespec t;

	clock_gettime(CLOCK_REALTIME, &t);
	return (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec;
}

static size_t chip_capture_padded(size_t len)
{
	return (len + 7) & ~(size_t)7;
}

static struct piece *chip_capture_room_for(struct capture *c, size_t need)
{
	struct piece *p;

	if (c->last && c->last->len + need <= sizeof(c->last->bytes))
		return c->last;
	p = c->npieces < PIECES_ALL ? malloc(sizeof(*p)) : NULL;
	if (!p)
		return NULL;
	p->next = NULL;
	p->len = sizeof(struct link_captured);
	p->npackets = 0;
	*c->tail = p;
	c->tail = &p->next;
	c->last = p;
	c->npieces++;
	return p;
}

static void chip_capture_keep(struct capture *c, const struct link_packet *head,
			      const uint8_t *bytes)
{
	size_t pad = chip_capture_padded(head->len) - head->len;
	struct piece *p =
		head->len ? chip_capture_room_for(c, sizeof(*head) + chip_capture_padded(head->len))
			  : NULL;
	uint8_t *at;

	if (!p) {
		c->lost++;
		return;
	}
	at = mempcpy(p->bytes + p->len, head, sizeof(*head));
	at = mempcpy(at, bytes, head->len);
	memset(at, 0, pad);
	p->len += sizeof(*head) + chip_capture_padded(head->len);
	p->npackets++;
}

/* [I] What is forced back inside the function never sees a wire. */
static void on_frame(void *ctx, const struct frame *f)
{
	struct captures *all = ctx;
	const uint8_t *bytes = f->data;
	struct link_packet head = {.ns = chip_capture_now_ns(), .len = f->len};
	struct capture *c;

	if (f->loopback)
		return;
	if (!f->raw) {
		head.len = (uint32_t)roce_encode(f, all->roce);
		bytes = all->roce;
	}
	DL_FOREACH(all->list, c)
	if (!c->stopped)
		chip_capture_keep(c, &head, bytes);
}

static bool makes_wait(struct capture *c)
{
	struct device *dev = c->all->dev;

	if (c->stopped || c->given_up || c->npieces < PIECES_DATA)
		return false;
	if (!c->patience.queued)
		timer_set(&dev->timers, &c->patience, dev->clock->now(dev->clock) + PATIENCE_NS);
	return true;
}

static bool chip_capture_has_room(void *ctx)
{
	struct captures *all = ctx;
	struct capture *c;

	DL_FOREACH(all->list, c)
	if (makes_wait(c))
		return false;
	return true;
}

static void chip_capture_give_up(struct timer *t)
{
	struct capture *c =
		(struct capture *)(void *)((char *)t - offsetof(struct capture, patience));

	c->given_up = true;
}

struct captures *captures_new(struct device *dev)
{
	struct captures *all = calloc(1, sizeof(*all));

	if (!all)
		return NULL;
	all->dev = dev;
	all->tap = (struct wire_tap){all, on_frame, chip_capture_has_room};
	return all;
}

void captures_free(struct captures *all)
{
	free(all);
}

/* Only while somebody looks is each packet a frame of its own. */
static void tap_if_needed(struct captures *all)
{
	struct capture *c;
	bool needed = false;

	DL_FOREACH(all->list, c)
	needed |= !c->stopped;
	wire_set_tap(all->dev->wire, needed ? &all->tap : NULL);
}

struct capture *capture_open(struct captures *all, void (*ready)(void *arg), void *arg)
{
	struct capture *c = calloc(1, sizeof(*c));

	if (!c)
		return NULL;
	c->all = all;
	c->ready = ready;
	c->arg = arg;
	c->tail = &c->head;
	c->patience.fire = chip_capture_give_up;
	DL_APPEND(all->list, c);
	tap_if_needed(all);
	return c;
}

void capture_stop(struct capture *c)
{
	c->stopped = true;
	timer_cancel(&c->all->dev->timers, &c->patience);
	tap_if_needed(c->all);
}

static struct piece *chip_capture_pop(struct capture *c)
{
	struct piece *p = c->head;

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

void capture_close(struct capture *c)
{
	struct piece *p;

	if (!c)
		return;
	capture_stop(c);
	DL_DELETE(c->all->list, c);
	while ((p = chip_capture_pop(c)))
		free(p);
	free(c);
}

void capture_want(struct capture *c)
{
	c->wanted = true;
}

uint8_t *capture_take(struct capture *c, size_t *len)
{
	struct link_captured head = {.lost = c->lost};
	struct piece *p = chip_capture_pop(c);
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

/* A callback may close captures, its own or others: after each, look from the start. */
bool captures_run(struct captures *all)
{
	struct capture *c;
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
