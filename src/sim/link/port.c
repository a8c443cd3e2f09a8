/* SPDX-License-Identifier: BSD-2-Clause */
#include "conn.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include "chip/capture.h"
#include "chip/chip.h"
#include "chip/replay.h"

/* A connection that replays or captures (or both). */
struct port {
	struct conn *conn;
	struct replay_batch batch;
	uint8_t *packets; /* the batch's; NULL: none is under way */
	struct capture *capture;
	unsigned int asked; /* unanswered */
};

static struct port *port_of(struct conn *c)
{
	if (!c->port)
		c->port = calloc(1, sizeof(*c->port));
	if (c->port)
		c->port->conn = c;
	return c->port;
}

void port_forget(struct conn *c)
{
	struct port *p = c->port;

	if (!p)
		return;
	if (p->packets)
		replay_cancel(chip_replay(c->chip), &p->batch);
	free(p->packets);
	capture_close(p->capture);
	free(p);
	c->port = NULL;
}

/* --- replay -------------------------------------------------------------------------------- */

static void replayed(struct replay_batch *b)
{
	struct port *p = (struct port *)(void *)((char *)b - offsetof(struct port, batch));

	free(p->packets);
	p->packets = NULL;
	conn_answer(p->conn, LINK_REPLAY, b->result, &b->fates, sizeof(b->fates), NULL, 0);
}

/* The message's body goes with the batch: the answer comes when all of it was steered. */
void port_replay(struct conn *c)
{
	struct link_message *m = &c->in.m;
	struct port *p = port_of(c);

	if (!p) {
		conn_answer(c, LINK_REPLAY, -ENOMEM, NULL, 0, NULL, 0);
		return;
	}
	if (p->packets)
		return conn_throw_out(c, "packets to replay before the last ones were answered");
	if (!replay_check(m->body, m->h.len))
		return conn_throw_out(c, "packets to replay that contradict their lengths");
	p->packets = m->body;
	m->body = NULL;
	p->batch = (struct replay_batch){
		.at = p->packets, .end = p->packets + m->h.len, .done = replayed};
	replay_post(chip_replay(c->chip), &p->batch);
}

/* --- capture ------------------------------------------------------------------------------- */

/* One answer, with what is there. false: the connection is gone. */
static bool hand_over(struct port *p)
{
	size_t len = 0;
	uint8_t *bytes = capture_take(p->capture, &len);
	bool there;

	p->asked--;
	there = conn_answer(p->conn, LINK_CAPTURE, bytes ? 0 : -ENOMEM, bytes, len, NULL, 0);
	free(bytes);
	return there;
}

static void ready(void *port)
{
	struct port *p = port;

	if (hand_over(p) && p->asked)
		capture_want(p->capture);
}

static void link_port_start(struct conn *c, struct port *p)
{
	p->capture = capture_open(chip_captures(c->chip), ready, p);
	if (p->capture) {
		hand_over(p);
		return;
	}
	p->asked--;
	conn_answer(c, LINK_CAPTURE, -ENOMEM, NULL, 0, NULL, 0);
}

void port_capture(struct conn *c)
{
	struct port *p = port_of(c);
	uint32_t what;

	if (c->in.m.h.len != sizeof(what))
		return conn_throw_out(c, "a capture message of a wrong length");
	if (!p) {
		conn_answer(c, LINK_CAPTURE, -ENOMEM, NULL, 0, NULL, 0);
		return;
	}
	memcpy(&what, c->in.m.body, sizeof(what));
	if (what > LINK_CAPTURE_STOP)
		return conn_throw_out(c, "a capture message of an unknown kind");
	/* A next one and a stop: an honest reader has no more under way. */
	if (p->asked == 2)
		return conn_throw_out(c, "capture messages before the last ones were answered");
	p->asked++;
	if (!p->capture)
		return link_port_start(c, p);
	if (what == LINK_CAPTURE_STOP)
		capture_stop(p->capture);
	capture_want(p->capture);
}
