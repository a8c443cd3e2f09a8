/* SPDX-License-Identifier: BSD-2-Clause */
#include "session.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include "chip.h"
#include "port/capture.h"
#include "port/replay.h"

/* A connection that replays or captures (or both). */
struct session_packets {
	struct chip_session *session;
	struct replay_batch batch;
	uint8_t *packets; /* the batch's memory; NULL: no batch runs */
	struct port_capture *capture;
	unsigned int asked; /* unanswered NEXTs and STOPs */
};

static struct session_packets *session_packets_of(struct chip_session *c)
{
	if (!c->packets)
		c->packets = calloc(1, sizeof(*c->packets));
	if (c->packets)
		c->packets->session = c;
	return c->packets;
}

void session_forget_packets(struct chip_session *c)
{
	struct session_packets *p = c->packets;

	if (!p)
		return;
	if (p->packets)
		replay_cancel(chip_replay(c->chip), &p->batch);
	free(p->packets);
	capture_close(p->capture);
	free(p);
	c->packets = NULL;
}

/* --- replay -------------------------------------------------------------------------------- */

static void replayed(struct replay_batch *b)
{
	struct session_packets *p =
		(struct session_packets *)(void *)((char *)b -
						   offsetof(struct session_packets, batch));

	free(p->packets);
	p->packets = NULL;
	session_answer(p->session, LINK_REPLAY, b->result, &b->results, sizeof(b->results), NULL,
		       0);
}

/* Starts a batch of the message's body. The answer is sent when all of it was steered. */
void session_replay(struct chip_session *c)
{
	struct link_message *m = &c->in.m;
	struct session_packets *p = session_packets_of(c);

	if (!p) {
		session_answer(c, LINK_REPLAY, -ENOMEM, NULL, 0, NULL, 0);
		return;
	}
	if (p->packets)
		return session_disconnect(c,
					  "packets to replay before the last ones were answered");
	if (!replay_check(m->body, m->h.len))
		return session_disconnect(c, "packets to replay that contradict their lengths");
	p->packets = m->body;
	m->body = NULL;
	p->batch = (struct replay_batch){
		.at = p->packets, .end = p->packets + m->h.len, .done = replayed};
	replay_post(chip_replay(c->chip), &p->batch);
}

/* --- capture ------------------------------------------------------------------------------- */

/* Sends one answer with the packets captured. Returns false if the connection is gone. */
static bool hand_over(struct session_packets *p)
{
	size_t len = 0;
	uint8_t *bytes = capture_take(p->capture, &len);
	bool there;

	p->asked--;
	there = session_answer(p->session, LINK_CAPTURE, bytes ? 0 : -ENOMEM, bytes, len, NULL, 0);
	free(bytes);
	return there;
}

static void ready(void *port)
{
	struct session_packets *p = port;

	if (hand_over(p) && p->asked)
		capture_request(p->capture);
}

static void capture_begin(struct chip_session *c, struct session_packets *p)
{
	p->capture = capture_open(chip_captures(c->chip), ready, p);
	if (p->capture) {
		hand_over(p);
		return;
	}
	p->asked--;
	session_answer(c, LINK_CAPTURE, -ENOMEM, NULL, 0, NULL, 0);
}

void session_capture(struct chip_session *c)
{
	struct session_packets *p = session_packets_of(c);
	uint32_t what;

	if (c->in.m.h.len != sizeof(what))
		return session_disconnect(c, "a capture message of a wrong length");
	if (!p) {
		session_answer(c, LINK_CAPTURE, -ENOMEM, NULL, 0, NULL, 0);
		return;
	}
	memcpy(&what, c->in.m.body, sizeof(what));
	if (what > LINK_CAPTURE_STOP)
		return session_disconnect(c, "a capture message of an unknown kind");
	/* A correct reader has at most two under way: a NEXT and a STOP. */
	if (p->asked == 2)
		return session_disconnect(c, "capture messages before the last ones were answered");
	p->asked++;
	if (!p->capture)
		return capture_begin(c, p);
	if (what == LINK_CAPTURE_STOP)
		capture_stop(p->capture);
	capture_request(p->capture);
}
