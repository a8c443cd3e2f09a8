/* SPDX-License-Identifier: BSD-2-Clause */
#include "replay.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include "port.h"

struct port_replay {
	struct port *port;
	struct replay_batch *head, **tail;
	bool begun;		  /* packets of the head were injected */
	struct port_results base; /* results when the head began */
	uint64_t sent;		  /* packets injected so far */
};

struct port_replay *replay_new(struct port *port)
{
	struct port_replay *r = calloc(1, sizeof(*r));

	if (!r)
		return NULL;
	r->port = port;
	r->tail = &r->head;
	return r;
}

void replay_free(struct port_replay *r)
{
	free(r);
}

bool replay_check(const uint8_t *at, size_t left)
{
	struct port_packet p;

	while (left >= sizeof(p)) {
		memcpy(&p, at, sizeof(p));
		at += sizeof(p);
		left -= sizeof(p);
		if (p.len < PORT_PACKET_MIN || p.len > PORT_PACKET_MAX ||
		    port_packet_padded(p.len) > left)
			return false;
		at += port_packet_padded(p.len);
		left -= port_packet_padded(p.len);
	}
	return !left;
}

void replay_post(struct port_replay *r, struct replay_batch *b)
{
	b->next = NULL;
	b->result = 0;
	*r->tail = b;
	r->tail = &b->next;
}

void replay_cancel(struct port_replay *r, struct replay_batch *b)
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

/* Returns true if no injected packet is under way. Packets of a cancelled batch may be. */
static bool replay_arrived(const struct port_replay *r)
{
	return port_injected(r->port)->frames == r->sent;
}

/* Injects as many packets as the port takes. Returns true if it injected any. */
static bool replay_feed(struct port_replay *r, struct replay_batch *b)
{
	const uint8_t *before = b->at;
	struct port_packet p;

	while (b->at < b->end) {
		memcpy(&p, b->at, sizeof(p));
		b->result = port_inject(r->port, b->at + sizeof(p), p.len);
		if (b->result)
			break;
		b->at += sizeof(p) + port_packet_padded(p.len);
		r->sent++;
	}
	if (b->result == -EAGAIN)
		b->result = 0;
	if (b->result)
		b->end = b->at;
	return b->at > before;
}

static void replay_end(struct port_replay *r, struct replay_batch *b)
{
	replay_cancel(r, b);
	b->results = *port_injected(r->port);
	port_results_sub(&b->results, &r->base);
	b->done(b);
}

void replay_fail(struct port_replay *r)
{
	while (r->head) {
		if (!r->begun)
			r->base = *port_injected(r->port);
		r->head->result = -ENETDOWN;
		replay_end(r, r->head);
	}
}

bool replay_run(struct port_replay *r)
{
	struct replay_batch *b = r->head;
	bool did;

	if (!b || (!r->begun && !replay_arrived(r)))
		return false;
	if (!r->begun)
		r->base = *port_injected(r->port);
	r->begun = true;
	did = replay_feed(r, b);
	if (b->at < b->end || !replay_arrived(r))
		return did;
	replay_end(r, b);
	return true;
}
