/* SPDX-License-Identifier: BSD-2-Clause */
/* Connections: creation, the timer of the last message sent, destruction. */
#include <stdlib.h>
#include <string.h>
#include <dvx/prm/cap.h>
#include "conn.h"
#include "obj/device.h"

#define SLOT_BITS 20 /* of a communication id; a serial number in the others marks old ids */

uint32_t conn_ms(unsigned int code)
{
	return code > 8 ? 1u << ((code - 8) & 31) : 1; /* of options, Linux takes any code, too */
}

/* Returns 2 * life time + ack delay, rounded to a power of two (cm_ack_timeout()). */
uint8_t conn_ack_timeout(uint8_t ack_delay, uint8_t life_time)
{
	unsigned int t = life_time + 1u;

	if (t >= ack_delay)
		t += ack_delay >= t - 1 ? 1u : 0u;
	else
		t = ack_delay + (t >= ack_delay - 1u ? 1u : 0u);
	return (uint8_t)(t < 31 ? t : 31);
}

static enum conn_event conn_error(enum conn_state s)
{
	switch (s) {
	case CONN_REQ_SENT:
	case CONN_MRA_REQ_RCVD:
		return CONN_REQ_ERROR;
	case CONN_REP_SENT:
	case CONN_MRA_REP_RCVD:
		return CONN_REP_ERROR;
	case CONN_DREQ_SENT:
		return CONN_DREQ_ERROR;
	default:
		return CONN_SIDR_ERROR;
	}
}

static void conn_set_timer(struct cm_conn *c, uint32_t ms)
{
	struct device *dev = c->cm->dev;

	timer_set(&dev->timers, &c->timer, dev->clock->now(dev->clock) + ms * 1000000ull);
}

/* Ends the exchange after the last repetition had no answer. */
static void conn_give_up(struct cm_conn *c)
{
	enum conn_event e = conn_error(c->state);

	if (c->state == CONN_DREQ_SENT)
		conn_enter_timewait(c);
	else
		conn_reset(c);
	id_on_conn(c->id, e, NULL);
}

static void conn_timer(struct timer *t)
{
	struct cm_conn *c = (struct cm_conn *)(void *)((char *)t - offsetof(struct cm_conn, timer));

	switch (c->state) {
	case CONN_TIMEWAIT:
		c->state = CONN_IDLE;
		id_on_conn(c->id, CONN_TIMEWAIT_EXIT, NULL);
		break;
	case CONN_REQ_SENT:
	case CONN_REP_SENT:
	case CONN_DREQ_SENT:
	case CONN_SIDR_REQ_SENT:
	case CONN_MRA_REQ_RCVD:
	case CONN_MRA_REP_RCVD:
		if (c->retries++ >= c->max_retries)
			return conn_give_up(c);
		conn_send(c, c->msg);
		conn_set_timer(c, c->timeout_ms);
		break;
	default:
		break;
	}
}

struct cm_conn *conn_new(struct cm *cm, struct vhca *v, struct cm_id *id)
{
	struct cm_conn *c = calloc(1, sizeof(*c));

	if (!c || id_table_add(&cm->conns, c, &c->slot)) {
		free(c);
		return NULL;
	}
	c->cm = cm;
	c->vhca = v;
	c->id = id;
	c->local_id = (++cm->serial << SLOT_BITS | c->slot) ^ cm->id_key;
	c->tid = c->local_id;
	c->timer.fire = conn_timer;
	return c;
}

static void conn_free(struct cm_conn *c)
{
	conn_cancel(c);
	remote_remove(c);
	id_table_del(&c->cm->conns, c->slot);
	free(c);
}

/* Sends the peer one message, which is not repeated if it gets lost; so does the kernel. */
void conn_destroy(struct cm_conn *c)
{
	switch (c->state) {
	case CONN_REQ_SENT:
	case CONN_MRA_REQ_RCVD:
		conn_send_rej(c, REJ_TIMEOUT, NULL, 0);
		break;
	case CONN_REQ_RCVD:
	case CONN_MRA_REQ_SENT:
	case CONN_REP_SENT:
	case CONN_MRA_REP_RCVD:
	case CONN_REP_RCVD:
	case CONN_MRA_REP_SENT:
		conn_send_rej(c, REJ_CONSUMER, NULL, 0);
		break;
	case CONN_SIDR_REQ_RCVD:
		conn_send_sidr_rep(c, SIDR_REJECT, 0, 0, NULL, NULL, 0);
		break;
	case CONN_ESTABLISHED:
		conn_send_dreq(c);
		break;
	case CONN_DREQ_RCVD:
		conn_send_drep(c);
		break;
	default:
		break;
	}
	conn_free(c);
}

struct cm_conn *conn_find(struct cm *cm, const struct vhca *v, uint32_t local_id)
{
	const uint32_t slot = (local_id ^ cm->id_key) & ((1u << SLOT_BITS) - 1);
	struct cm_conn *c = id_table_find(&cm->conns, slot);

	return c && c->vhca == v && c->local_id == local_id ? c : NULL;
}

struct cm_conn *conn_find_pair(struct cm *cm, const struct vhca *v, uint32_t local_id,
			       uint32_t remote_id)
{
	struct cm_conn *c = conn_find(cm, v, local_id);

	return c && c->remote_id == remote_id ? c : NULL;
}

void conn_cancel(struct cm_conn *c)
{
	timer_cancel(&c->cm->dev->timers, &c->timer);
}

void conn_send(struct cm_conn *c, const uint8_t *mad)
{
	c->cm->ops.send(c->cm->ops.ctx, c->vhca, &c->path, mad);
}

int conn_send_waiting(struct cm_conn *c, enum conn_state state)
{
	int err = c->cm->ops.send(c->cm->ops.ctx, c->vhca, &c->path, c->msg);

	if (err)
		return err;
	c->retries = 0;
	c->state = state;
	conn_set_timer(c, c->timeout_ms);
	return 0;
}

void conn_wait_longer(struct cm_conn *c, enum conn_state state, uint32_t ms)
{
	c->state = state;
	conn_set_timer(c, ms);
}

void conn_enter_timewait(struct cm_conn *c)
{
	remote_remove(c);
	c->state = CONN_TIMEWAIT;
	conn_set_timer(c, conn_ms(c->ack_timeout));
}

void conn_reset(struct cm_conn *c)
{
	conn_cancel(c);
	remote_remove(c);
	c->state = CONN_IDLE;
}
