/* SPDX-License-Identifier: BSD-2-Clause */
#include <stdio.h>
#include <string.h>
#include "base/inject.h"
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

/* Sets the faults in a message. Returns false if it is malformed. */
static bool inject_take_message(struct chip_session *c)
{
	const struct link_message *m = &c->in.m;
	struct inject_fault faults[INJECT_MOST];
	struct link_inject head;

	if (m->h.len < sizeof(head))
		return false;
	memcpy(&head, m->body, sizeof(head));
	if (head.n > INJECT_MOST || m->h.len != sizeof(head) + head.n * sizeof(faults[0]))
		return false;
	memcpy(faults, m->body + sizeof(head), head.n * sizeof(faults[0]));
	if (inject_set(faults, head.n))
		return false;
	port_faults_changed(chip_device(c->chip)->port);
	return true;
}

void session_inject(struct chip_session *c)
{
	struct inject_fault faults[INJECT_MOST];
	size_t n;

	if (c->in.m.h.len && !inject_take_message(c))
		return session_disconnect(c, "requested faults that are impossible");
	n = inject_get(faults);
	session_answer(c, LINK_INJECT, 0, faults, n * sizeof(faults[0]), NULL, 0);
}
