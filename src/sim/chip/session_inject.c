/* SPDX-License-Identifier: BSD-2-Clause */
/* Requested faults (base/inject.h): port and device fail by timers of the sessions. */
#include "session.h"

#include <string.h>
#include "chip.h"
#include "obj/device.h"
#include "port/port.h"

static void session_fault_fires(struct timer *timer)
{
	const struct session_fault_timer *t = (const void *)timer;
	struct inject_fault faults[INJECT_MOST];

	inject_get(faults);
	inject_happened(t->fault);
	if (faults[t->fault].action == INJECT_FATAL)
		chip_fail(t->all->chip);
	else
		chip_set_link(t->all->chip, faults[t->fault].action == INJECT_UP);
}

void sessions_stop_faults(struct sessions *s)
{
	for (unsigned int i = 0; i < INJECT_MOST; i++)
		timer_cancel(&chip_device(s->chip)->timers, &s->fault_timers[i].timer);
}

/* Starts the timers of the faults just set; times count from now on. */
static void sessions_start_faults(struct sessions *s, const struct inject_fault *faults, uint32_t n)
{
	struct device *dev = chip_device(s->chip);
	const uint64_t now = dev->clock->now(dev->clock);

	sessions_stop_faults(s);
	for (uint32_t i = 0; i < n; i++) {
		struct session_fault_timer *t = &s->fault_timers[i];

		t->all = s;
		t->fault = i;
		t->timer.fire = session_fault_fires;
		if (faults[i].event == INJECT_PORT || faults[i].event == INJECT_DEVICE)
			timer_set(&dev->timers, &t->timer, now + faults[i].ns);
	}
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
	sessions_start_faults(c->all, faults, head.n);
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
