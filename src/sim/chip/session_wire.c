/* SPDX-License-Identifier: BSD-2-Clause */
#include <stdio.h>
#include <string.h>
#include "chip.h"
#include "obj/device.h"
#include "port/port.h"
#include "port/wire.h"
#include "session.h"

static bool rates_possible(const struct fault_rates *r)
{
	return r->drop <= FAULT_ONE && r->dup <= FAULT_ONE && r->reorder <= FAULT_ONE &&
	       r->corrupt <= FAULT_ONE && r->delay <= FAULT_DELAY_MOST && r->seed;
}

static void fill_outside(const struct wire *w, struct link_wire *to)
{
	snprintf(to->wire, sizeof(to->wire), "%s", w ? w->name : "loop");
	if (!w)
		return;
	to->sent = w->sent;
	to->received = w->received;
	to->lost = w->lost;
	to->bad = w->bad;
	to->others = w->others;
}

/* Sets faults, if the message has some; answers with the faults now set. */
void session_wire(struct chip_session *c)
{
	const struct link_message *m = &c->in.m;
	struct device *dev = chip_device(c->chip);
	struct link_wire answer = {0};

	if (m->h.len == sizeof(answer.rates)) {
		memcpy(&answer.rates, m->body, sizeof(answer.rates));
		if (!rates_possible(&answer.rates))
			return session_disconnect(c, "faults that are out of their range");
		port_set_faults(dev->port, &answer.rates);
	} else if (m->h.len) {
		return session_disconnect(c, "faults of a wrong length");
	}
	port_faults(dev->port, &answer.rates, &answer.counts);
	answer.up = !dev->link_down;
	fill_outside(port_wire(dev->port), &answer);
	session_answer(c, LINK_WIRE, 0, &answer, sizeof(answer), NULL, 0);
}

void session_set_port(struct chip_session *c)
{
	uint32_t up;

	if (c->in.m.h.len != sizeof(up))
		return session_disconnect(c, "a state of the link of a wrong length");
	memcpy(&up, c->in.m.body, sizeof(up));
	chip_set_link(c->chip, up);
	session_answer(c, LINK_SET_PORT, 0, NULL, 0, NULL, 0);
}
