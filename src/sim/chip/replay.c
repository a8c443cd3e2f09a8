/* SPDX-License-Identifier: BSD-2-Clause */
#include "replay.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include "datapath.h"
#include "obj/vhca.h"

_Static_assert(LINK_PACKET_MIN == VHCA_FRAME_MIN && LINK_PACKET_MAX == VHCA_FRAME_MAX,
	       "the link and the port take the same packets");

struct replay {
	struct device *dev;
	struct replay_batch *head, **tail;
	bool begun;		  /* the head is on its way */
	struct inject_stats base; /* as it began */
	uint64_t sent;		  /* packets put on the wire, ever */
};

struct replay *replay_new(struct device *dev)
{
	struct replay *r = calloc(1, sizeof(*r));

	if (!r)
		return NULL;
	r->dev = dev;
	r->tail = &r->head;
	return r;
}

void replay_free(struct replay *r)
{
	free(r);
}

static size_t chip_replay_padded(uint32_t len)
{
	return (len + 7u) & ~(size_t)7;
}

bool replay_check(const uint8_t *at, size_t left)
{
	struct link_packet p;

	while (left >= sizeof(p)) {
		memcpy(&p, at, sizeof(p));
		at += sizeof(p);
		left -= sizeof(p);
		if (p.len < LINK_PACKET_MIN || p.len > LINK_PACKET_MAX ||
		    chip_replay_padded(p.len) > left)
			return false;
		at += chip_replay_padded(p.len);
		left -= chip_replay_padded(p.len);
	}
	return !left;
}

void replay_post(struct replay *r, struct replay_batch *b)
{
	b->next = NULL;
	b->result = 0;
	*r->tail = b;
	r->tail = &b->next;
}

void replay_cancel(struct replay *r, struct replay_batch *b)
{
	struct replay_batch **at = &r->head;

	while (*at && *at != b)
		at = &(*at)->next;
	if (!*at)
		return;
	if (at == &r->head)
		r->begun = false;
	*at = b->next;
	if (!*at)
		r->tail = at;
}

/* Packets of an earlier batch that was cancelled may be on the wire yet. */
static bool wire_is_clear(const struct replay *r)
{
	return r->dev->injected.frames == r->sent;
}

/* Puts on the wire what it takes; true if that was something. */
static bool feed(struct replay *r, struct replay_batch *b)
{
	const uint8_t *before = b->at;
	struct link_packet p;

	while (b->at < b->end) {
		memcpy(&p, b->at, sizeof(p));
		b->result = datapath_inject(r->dev, b->at + sizeof(p), p.len);
		if (b->result)
			break;
		b->at += sizeof(p) + chip_replay_padded(p.len);
		r->sent++;
	}
	if (b->result == -EAGAIN)
		b->result = 0;
	if (b->result)
		b->end = b->at;
	return b->at > before;
}

static void chip_replay_count(struct replay *r, struct link_fates *to)
{
	const struct inject_stats *now = &r->dev->injected, *base = &r->base;

	to->frames = now->frames - base->frames;
	to->bytes = now->bytes - base->bytes;
	to->queued = now->queued - base->queued;
	to->no_buffer = now->no_buffer - base->no_buffer;
	to->failed = now->failed - base->failed;
	to->dropped = now->dropped - base->dropped;
	to->missed = now->missed - base->missed;
	to->unclaimed = now->unclaimed - base->unclaimed;
	to->lost = now->lost - base->lost;
}

bool replay_run(struct replay *r)
{
	struct replay_batch *b = r->head;
	bool did;

	if (!b || (!r->begun && !wire_is_clear(r)))
		return false;
	if (!r->begun)
		r->base = r->dev->injected;
	r->begun = true;
	did = feed(r, b);
	if (b->at < b->end || !wire_is_clear(r))
		return did;
	replay_cancel(r, b);
	chip_replay_count(r, &b->fates);
	b->done(b);
	return true;
}
